//! The arguments of `mmoc convert`.

use std::path::{Path, PathBuf};

use clap::Args;
use mmoc::posterior::Decision;
use mmoc_io::{Format, MissingLabels};

use super::{DataArgs, ReadArgs, decision_parser};
use crate::failure::Failure;

pub(super) const EXAMPLES: &str = "\
Examples:
  mmoc convert emotions.arff emotions.parquet
  mmoc convert scene-train.arff scene-test.arff scene.csv.gz
  mmoc convert songs.csv --labels 'mood_*' copy.arff --xml
  mmoc convert songs.mmoc songs.onnx
  mmoc convert - - --from csv --to libsvm --labels -3 < songs.csv > songs.svm

Features that are words become columns of numbers. Unless --missing refuses them, missing cells stay missing.
A model becomes an ONNX file, which predicts the same without mmoc. What cannot be exported is refused by name.
Files are read twice, so that those larger than the memory can be converted; standard input is held in memory.";

pub(super) const USAGE: &str = "mmoc convert [OPTIONS] <IN>... <OUT>";

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Files of one data set, read one after the other, or one model, and last the file to write; .gz and .bz2
    /// are decompressed and compressed, - is standard input or output
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    read: ReadArgs,

    /// Format to write: arff, csv, tsv, libsvm, extreme, parquet, arrow or jsonl. By default the name of OUT tells
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<Format>,

    /// For a model: predict the label sets that are to be best in this measure [default: as it was trained]
    #[arg(long, value_name = "MEASURE", value_parser = decision_parser())]
    pub(crate) decide: Option<Decision>,

    /// Also write a Mulan label file beside an ARFF file, under the same name
    #[arg(long)]
    pub(crate) xml: bool,

    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

impl ConvertArgs {
    /// The files that are read, and the file to write.
    pub(crate) fn files_and_out(&self) -> Result<(&[PathBuf], &Path), Failure> {
        match self.files.as_slice() {
            [files @ .., out] if !files.is_empty() => Ok((files, out)),
            _ => Err(Failure::wrong_usage(format!(
                "two files are needed: {USAGE}"
            ))),
        }
    }

    /// The data set that is read, and the file to write.
    pub(crate) fn data_and_out(&self) -> Result<(DataArgs, &Path), Failure> {
        let (files, out) = self.files_and_out()?;
        self.check_no_marks()?;
        if self.decide.is_some() {
            return Err(Failure::wrong_usage(
                "--decide has no meaning for a data set: it is for a model and OUT.onnx",
            ));
        }
        let (files, read) = (files.to_vec(), self.read.clone());
        Ok((DataArgs { files, read }, out))
    }

    /// An option that is about data sets, if one is given.
    pub(crate) fn of_data(&self) -> Option<String> {
        let xml = self.xml.then(|| "--xml".to_owned());
        xml.or_else(|| self.read.options().into_iter().next())
    }

    /// Files that are written have neither weights nor missing labels.
    fn check_no_marks(&self) -> Result<(), Failure> {
        if self.read.weight.is_some() {
            return Err(Failure::wrong_usage(
                "--weight has no meaning for convert: without it the column is converted as the others are, and \
                 --weight can name it when OUT is read",
            ));
        }
        match self.read.missing_labels {
            MissingLabels::Refuse => Ok(()),
            MissingLabels::Ignore => Err(Failure::wrong_usage(
                "--missing-labels ignore has no meaning for convert: files are written with all labels",
            )),
        }
    }
}
