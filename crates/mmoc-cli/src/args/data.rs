//! Which data, the same for every command that reads some.

use std::path::PathBuf;

use clap::Args;
use mmoc_io::{Format, LabelSource, Missing, Times};

/// Which data, the same for every command that reads some.
#[derive(Debug, Clone, Args)]
pub(crate) struct DataArgs {
    /// Files of one data set, read one after the other; .gz and .bz2 are decompressed, - is standard
    /// input
    #[arg(required = true, value_name = "DATA")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// How data is read, and what is kept of it.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReadArgs {
    /// Which columns are labels: FILE.xml (Mulan), N (the first N), -N (the last N), name,name,… or
    /// prefix*. By default the XML beside an ARFF file, or its MEKA header
    #[arg(long, value_name = "LABELS", allow_hyphen_values = true)]
    pub(crate) labels: Option<LabelSource>,

    /// Format of the files: arff, csv, tsv, libsvm, extreme, parquet or arrow. By default the file name tells
    #[arg(long, visible_alias = "from", value_name = "FORMAT")]
    pub(crate) format: Option<Format>,

    /// What to do with missing features: refuse, or fill in the mean of the training rows
    #[arg(long, value_name = "refuse|mean", default_value = "refuse")]
    pub(crate) missing: Missing,

    /// What to do with dates and times, which Parquet and Arrow files may have: refuse, or turn them
    /// into numbers (days or seconds since 1970-01-01, seconds since midnight)
    #[arg(long, value_name = "refuse|numbers", default_value = "refuse")]
    pub(crate) times: Times,

    /// Keep only the K most frequent labels
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) top_labels: Option<usize>,

    /// Leave out rows that carry no label
    #[arg(long)]
    pub(crate) drop_empty_rows: bool,
}

impl ReadArgs {
    /// The arguments as words of a command line.
    pub(crate) fn options(&self) -> Vec<String> {
        let option = |name: &str, value: Option<String>| {
            let words = value.map(|value| vec![name.to_owned(), value]);
            words.unwrap_or_default()
        };
        let missing = match self.missing {
            Missing::Refuse => None,
            Missing::Mean => Some("mean".into()),
        };
        let times = match self.times {
            Times::Refuse => None,
            Times::Numbers => Some("numbers".into()),
        };
        let mut words = [
            option("--labels", self.labels.as_ref().map(ToString::to_string)),
            option("--format", self.format.map(|format| format.to_string())),
            option("--missing", missing),
            option("--times", times),
            option(
                "--top-labels",
                self.top_labels.map(|count| count.to_string()),
            ),
        ]
        .concat();
        if self.drop_empty_rows {
            words.push("--drop-empty-rows".into());
        }
        words
    }
}
