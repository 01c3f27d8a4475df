//! The arguments of commands that make a model or use one.

use std::path::PathBuf;

use clap::Args;
use mmoc::data::Scaling;
use mmoc::method::{Method, Preset};
use mmoc::posterior::Decision;
use mmoc::train::Estimates;
use mmoc_io::{Format, MissingLabels, Tags, Times, Unknown};

use super::{
    Assignment, DEFAULT_METHOD, DataArgs, MissingFeatures, ReadArgs, RunArgs, ThreadArgs,
    decision_parser, method_parser, preset_parser,
};
use crate::failure::Failure;
use crate::predict::{Flush, SheetFormat};

pub(super) const TRAIN_EXAMPLES: &str = "\
Examples:
  mmoc train emotions.arff -o emotions.mmoc
  mmoc train emotions.arff --set decide=f1 -o emotions-f1.mmoc
  mmoc train songs.csv --labels 'mood_*' --method br -o songs.mmoc
  mmoc train scene-train.arff --method coding-cca -o scene.mmoc
  mmoc train scene-train.arff --method coding-cca --preset paper --set lambda=0.5 -o paper.mmoc
  cat songs.csv | mmoc train - --format csv --labels 'mood_*' --method lead -o songs-lead.mmoc";

pub(super) const PREDICT_EXAMPLES: &str = "\
Examples:
  mmoc predict songs.mmoc new-songs.csv -o predicted.csv
  mmoc predict songs.mmoc new-songs.csv --format jsonl --proba
  mmoc predict scene.mmoc scene-test.arff --top-k 2
  mmoc predict scene.mmoc scene-test.arff --decide f1 --confidence
  mmoc predict scene.mmoc scene-test.arff --sets 3
  mmoc predict scene.mmoc scene-test.arff --min-confidence 0.5 -o sure.csv
  cat new-songs.csv | mmoc predict songs.mmoc - --from csv > predicted.csv
  mmoc convert songs.csv - --labels 'mood_*' --to jsonl | mmoc predict songs.mmoc - --from jsonl

Rows that come through a pipe are predicted as they come. Formats whose rows are no lines of text,
parquet and arrow, wait for whole batches.

Columns are matched by name. Columns that the model does not use are ignored. Labels are not needed.

Tables show a label set of --sets as its names with ; between them. A ; or \\ of a name has a \\
before it, an empty name is \\e, and a cell without text is the set without labels.";

pub(super) const SCORE_EXAMPLES: &str = "\
Examples:
  mmoc score scene.mmoc scene-test.arff
  mmoc score scene.mmoc scene-test.arff --per-label
  mmoc score scene.mmoc scene-test.arff --decide hamming
  mmoc score songs.mmoc songs.csv --json
  mmoc score --predictions predicted.csv new-songs.csv --labels 'mood_*'

Predictions are in the order of DATA, in a file as `mmoc predict` writes it: a table with a column
of 0 and 1 for each label, found by name, or JSON lines (.jsonl) with the names of the labels of
each row, and their probabilities if there are any.";

pub(super) const SCORE_USAGE: &str = "mmoc score [OPTIONS] <MODEL> <DATA>...
       mmoc score [OPTIONS] --predictions <FILE> <DATA>...";

#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// The method to train
    #[arg(long, value_name = "NAME", value_parser = method_parser(), default_value = DEFAULT_METHOD)]
    pub(crate) method: Method,

    /// The file of the model; - is standard output
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) out: PathBuf,

    /// Parameters of the method, to which --set applies
    #[arg(long, value_name = "PRESET", value_parser = preset_parser(), default_value = "default")]
    pub(crate) preset: Preset,

    /// Set a parameter of the method, or of the base learners as base.KEY=VALUE; may be repeated, the last value
    /// counts (`mmoc methods` lists the parameters)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<Assignment>,

    /// Scale features: none, standard (mean 0 and variance 1 in the training rows), or auto, which is none if
    /// all features are within [-1, 1] and no column is below 1e-6 throughout, and standard otherwise
    #[arg(long, value_name = "SCALING", default_value = "auto")]
    pub(crate) scale: Scaling,

    /// Estimate the scores on new rows from held-out rows: always, never, or auto, which estimates unless the
    /// penalties are given and folds would be fitted only for the estimates
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) estimates: Estimates,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// A model and the rows that it is used on.
#[derive(Debug, Args)]
pub(crate) struct UseArgs {
    /// A model that `mmoc train` made
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// Files of rows, read one after the other; .gz and .bz2 are decompressed, - is standard
    /// input
    #[arg(required = true, value_name = "DATA")]
    pub(crate) files: Vec<PathBuf>,

    /// Format of the files: arff, csv, tsv, libsvm, extreme, parquet, arrow or jsonl. By default the file name tells
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,

    /// What to do with missing features, cells and whole columns: refuse, or fill them in as the model does, whichever
    /// of the other values is given
    #[arg(
        long,
        value_name = "refuse|mean|median|indicator",
        default_value = "refuse"
    )]
    pub(crate) missing: MissingFeatures,

    /// What to do with dates and times: refuse, or turn them into numbers of days (since 1970-01-01;
    /// times of day since midnight)
    #[arg(long, value_name = "refuse|numbers", default_value = "refuse")]
    pub(crate) times: Times,

    /// What to do with words that did not occur in training: ignore, so that the row has none of the known
    /// values, or refuse
    #[arg(long, value_name = "ignore|refuse", default_value = "ignore")]
    pub(crate) unknown: Unknown,

    /// Write the cells of this column before the predictions
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,

    /// The column of tags that are the labels, for scores
    #[arg(skip)]
    pub(crate) tags: Option<Tags>,

    /// What happens to missing labels, for scores
    #[arg(skip)]
    pub(crate) missing_labels: MissingLabels,

    /// The column of the weights of rows, for scores
    #[arg(skip)]
    pub(crate) weight: Option<String>,

    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub(crate) using: UseArgs,

    /// The file of the predictions [default: standard output, also for -]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Format of the predictions [default: by the name of the file, else csv]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) format: Option<SheetFormat>,

    /// When predictions are passed on: row, as soon as all rows that have come are predicted, or batch, many at a
    /// time [default: row if rows come through a pipe or a terminal and go to standard output, else batch]
    #[arg(long, value_name = "WHEN", value_enum)]
    pub(crate) flush: Option<Flush>,

    /// Write the probability of each label
    #[arg(long)]
    pub(crate) proba: bool,

    /// Write the K labels with the highest scores, best first
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) top_k: Option<usize>,

    /// Write the K likeliest label sets with their probabilities before recalibration, the likeliest first
    #[arg(long, value_name = "K", conflicts_with_all = ["proba", "top_k"])]
    #[arg(allow_negative_numbers = true)]
    pub(crate) sets: Option<usize>,

    /// Add the probability that the whole predicted label set is right, recalibrated after training
    #[arg(long)]
    pub(crate) confidence: bool,

    /// Leave rows undecided, without labels, if the confidence in their label set is below P, from 0 to 1
    #[arg(long, value_name = "P", value_parser = share, allow_negative_numbers = true)]
    pub(crate) min_confidence: Option<f64>,

    /// Predict the label sets that are to be best in this measure [default: as the model was trained]
    #[arg(long, value_name = "MEASURE", value_parser = decision_parser())]
    pub(crate) decide: Option<Decision>,

    /// Write JSON for machines: predictions as jsonl unless --format or the name of the file says otherwise, and
    /// errors
    #[arg(long)]
    pub(crate) json: bool,
}

/// Reads a number from 0 to 1.
fn share(text: &str) -> Result<f64, &'static str> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or("expected a number from 0 to 1")
}

#[derive(Debug, Args)]
pub(crate) struct ScoreArgs {
    /// A model that `mmoc train` made, unless there are --predictions, and then files of rows, read one after the
    /// other; .gz and .bz2 are decompressed, - is standard input
    #[arg(required = true, value_name = "MODEL|DATA")]
    files: Vec<PathBuf>,

    /// Score these predictions, made by any program, in place of those of a model
    #[arg(long, value_name = "FILE")]
    predictions: Option<PathBuf>,

    /// Predict the label sets that are to be best in this measure [default: as the model was trained]
    #[arg(long, value_name = "MEASURE", value_parser = decision_parser())]
    #[arg(conflicts_with = "predictions")]
    pub(crate) decide: Option<Decision>,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Also show each label by itself
    #[arg(long)]
    pub(crate) per_label: bool,

    /// Write JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is scored.
pub(crate) enum Scored {
    /// A model on rows.
    Model(UseArgs),
    /// The predictions of a file for rows.
    Predictions(PathBuf, DataArgs),
}

impl ScoreArgs {
    /// What is scored, if the arguments belong together.
    pub(crate) fn scored(&self) -> Result<Scored, Failure> {
        if let Some(predictions) = &self.predictions {
            let (files, read) = (self.files.clone(), self.read.clone());
            return Ok(Scored::Predictions(
                predictions.clone(),
                DataArgs { files, read },
            ));
        }
        self.check_no_choice()?;
        match self.files.as_slice() {
            [model, files @ ..] if !files.is_empty() => Ok(Scored::Model(UseArgs {
                model: model.clone(),
                files: files.to_vec(),
                from: self.read.format,
                missing: self.read.missing,
                times: self.read.times,
                unknown: self.read.unknown,
                id: None,
                tags: self.read.tags(),
                missing_labels: self.read.missing_labels,
                weight: self.read.weight.clone(),
                threads: self.threads,
            })),
            _ => Err(Failure::wrong_usage(format!(
                "a model and rows are needed: {SCORE_USAGE}"
            ))),
        }
    }

    /// A model knows its labels.
    fn check_no_choice(&self) -> Result<(), Failure> {
        match self.read.choice() {
            Some(option) => Err(Failure::wrong_usage(format!(
                "{option} has a meaning only with --predictions: a model knows its columns and labels"
            ))),
            None => Ok(()),
        }
    }
}
