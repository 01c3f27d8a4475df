//! Which data, the same for every command that reads some.

use std::path::PathBuf;

use clap::Args;
use mmoc_io::{ColumnNames, Format, LabelSource, MissingLabels, ReadOptions, Tags, Times, Unknown};

use super::MissingFeatures;

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
    labels: Option<LabelSource>,

    /// The column of tags, such as food;wine: each tag is a label
    #[arg(long, value_name = "COLUMN", conflicts_with = "labels")]
    tags: Option<String>,

    /// What stands between the tags of a cell
    #[arg(long, value_name = "TEXT", default_value = ";", requires = "tags")]
    #[arg(allow_hyphen_values = true)]
    tag_separator: String,

    /// Columns to leave out: name,name,prefix*
    #[arg(long, value_name = "COLUMNS")]
    ignore: Option<ColumnNames>,

    /// The column of what rows are called: it is left out, and `mmoc predict --id` writes it
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,

    /// The column of the weights of rows, numbers of at least 0: a row of weight 2 counts as two such rows, one of
    /// weight 0 is left out. It is no feature
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,

    /// Use labels that the file or its XML names, but --labels does not, as features. They are left out otherwise
    #[arg(long, requires = "labels")]
    labels_as_features: bool,

    /// Format of the files: arff, csv, tsv, libsvm, extreme, parquet, arrow or jsonl. By default the file name tells
    #[arg(long, visible_alias = "from", value_name = "FORMAT")]
    pub(crate) format: Option<Format>,

    /// What to do with missing features: refuse, or fill in the mean or the median of the training rows, or
    /// indicator, which is the mean and a column that says where cells are missing
    #[arg(
        long,
        value_name = "refuse|mean|median|indicator",
        default_value = "refuse"
    )]
    pub(crate) missing: MissingFeatures,

    /// What to do with missing labels: refuse, or ignore, so that neither training nor metrics count such cells;
    /// rows without a known label are left out
    #[arg(long, value_name = "refuse|ignore", default_value = "refuse")]
    pub(crate) missing_labels: MissingLabels,

    /// What to do with dates and times: refuse, or turn them into numbers of days (since 1970-01-01;
    /// times of day since midnight)
    #[arg(long, value_name = "refuse|numbers", default_value = "refuse")]
    pub(crate) times: Times,

    /// What to do with words in rows for testing that did not occur in training: ignore, so that the row has
    /// none of the known values, or refuse
    #[arg(long, value_name = "ignore|refuse", default_value = "ignore")]
    pub(crate) unknown: Unknown,

    /// Keep only the K most frequent labels
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) top_labels: Option<usize>,

    /// Leave out rows that carry no label
    #[arg(long)]
    pub(crate) drop_empty_rows: bool,
}

impl ReadArgs {
    /// Which columns are labels, if the command line says so.
    pub(crate) fn labels(&self) -> Option<LabelSource> {
        let tags = self.tags().map(LabelSource::Tags);
        tags.or_else(|| self.labels.clone())
    }

    /// The column of tags that are the labels.
    pub(crate) fn tags(&self) -> Option<Tags> {
        let column = self.tags.clone()?;
        let separator = self.tag_separator.clone();
        Some(Tags { column, separator })
    }

    /// How files are read.
    pub(crate) fn read_options(&self) -> ReadOptions {
        ReadOptions {
            labels: self.labels().unwrap_or_default(),
            ignore: self.ignore.clone().unwrap_or_default(),
            id: self.id.clone(),
            weight: self.weight.clone(),
            labels_as_features: self.labels_as_features,
            missing: self.missing.reading(),
            missing_labels: self.missing_labels,
            times: self.times,
            unknown: self.unknown,
            format: self.format,
        }
    }

    /// An option that chooses columns or labels, which a model knows by itself.
    pub(crate) fn choice(&self) -> Option<&'static str> {
        let choices = [
            ("--labels", self.labels.is_some()),
            ("--labels-as-features", self.labels_as_features),
            ("--ignore", self.ignore.is_some()),
            ("--id", self.id.is_some()),
            ("--top-labels", self.top_labels.is_some()),
            ("--drop-empty-rows", self.drop_empty_rows),
        ];
        let mut given = choices.into_iter().filter(|(_, is_given)| *is_given);
        given.next().map(|(option, _)| option)
    }

    /// The arguments as words of a command line.
    pub(crate) fn options(&self) -> Vec<String> {
        let option = |name: &str, value: Option<String>| {
            let words = value.map(|value| vec![name.to_owned(), value]);
            words.unwrap_or_default()
        };
        let missing = match self.missing {
            MissingFeatures::Refuse => None,
            MissingFeatures::Fill(missing) => Some(missing.to_string()),
        };
        let missing_labels = match self.missing_labels {
            MissingLabels::Refuse => None,
            MissingLabels::Ignore => Some("ignore".into()),
        };
        let times = match self.times {
            Times::Refuse => None,
            Times::Numbers => Some("numbers".into()),
        };
        let unknown = match self.unknown {
            Unknown::Ignore => None,
            Unknown::Refuse => Some("refuse".into()),
        };
        let separator = (self.tag_separator != ";").then(|| self.tag_separator.clone());
        let mut words = [
            option("--labels", self.labels.as_ref().map(ToString::to_string)),
            option("--tags", self.tags.clone()),
            option("--tag-separator", separator),
            option("--ignore", self.ignore.as_ref().map(ToString::to_string)),
            option("--id", self.id.clone()),
            option("--weight", self.weight.clone()),
            option("--format", self.format.map(|format| format.to_string())),
            option("--missing", missing),
            option("--missing-labels", missing_labels),
            option("--times", times),
            option("--unknown", unknown),
            option(
                "--top-labels",
                self.top_labels.map(|count| count.to_string()),
            ),
        ]
        .concat();
        if self.labels_as_features {
            words.push("--labels-as-features".into());
        }
        if self.drop_empty_rows {
            words.push("--drop-empty-rows".into());
        }
        words
    }
}
