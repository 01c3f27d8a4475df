//! The command line as it is written, before anything is read.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand};
use mmoc::data::{Format, LabelSource, Missing, Scaling};
use mmoc::method::Method;

use crate::datasets;

/// Multi-label classification by maximum margin output coding.
#[derive(Debug, Parser)]
#[command(
    name = "mmoc",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
#[command(after_help = "Exit codes: 0 done, 1 failed at run time, 2 wrong usage, 3 bad data.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say what is in a data set: sizes, label frequencies, imbalance
    #[command(after_help = INSPECT_EXAMPLES)]
    Inspect(InspectArgs),
    /// Measure how well a method predicts a data set, over repeated splits
    #[command(after_help = EVALUATE_EXAMPLES)]
    Evaluate(EvaluateArgs),
    /// List the methods and their parameters
    #[command(after_help = METHODS_EXAMPLES)]
    Methods(MethodsArgs),
    /// List the known public data sets, and fetch them
    #[command(after_help = datasets::EXAMPLES)]
    Datasets(datasets::DatasetsArgs),
}

/// More threads than this take longer to start than any of them works.
const MOST_THREADS: i64 = 1024;

const INSPECT_EXAMPLES: &str = "\
Examples:
  mmoc inspect emotions.arff
  mmoc inspect scene-train.arff scene-test.arff --json
  mmoc inspect songs.csv --labels 'mood_*'";

const EVALUATE_EXAMPLES: &str = "\
Examples:
  mmoc evaluate emotions.arff --method br --folds 10
  mmoc evaluate emotions.arff --method br --runs 30 --train-size 300 --seed 1
  mmoc evaluate emotions.arff --method coding-cca --set projections=3 --set lambda=0.5
  mmoc evaluate medical.arff --method br --top-labels 10 --drop-empty-rows --train-size 300 --json";

const METHODS_EXAMPLES: &str = "\
Examples:
  mmoc methods coding-cca
  mmoc methods --json";

/// Which data, the same for every command that reads some.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// Files of one data set, read one after the other; .gz and .bz2 are decompressed
    #[arg(required = true, value_name = "DATA")]
    pub(crate) files: Vec<PathBuf>,

    /// Which columns are labels: FILE.xml (Mulan), N (the first N), -N (the last N), name,name,… or
    /// prefix*. By default the XML beside an ARFF file, or its MEKA header
    #[arg(long, value_name = "LABELS", allow_hyphen_values = true)]
    pub(crate) labels: Option<LabelSource>,

    /// Format of the files: arff, csv, tsv, libsvm or extreme. By default the file name tells
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,

    /// What to do with missing features: refuse, or fill in the mean of the training rows
    #[arg(long, value_name = "refuse|mean", default_value = "refuse")]
    pub(crate) missing: Missing,

    /// Keep only the K most frequent labels
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) top_labels: Option<usize>,

    /// Leave out rows that carry no label
    #[arg(long)]
    pub(crate) drop_empty_rows: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// Write JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// The method to evaluate
    #[arg(long, value_name = "NAME", value_parser = method_parser())]
    pub(crate) method: Method,

    /// Set a parameter of the method, again for each (`mmoc methods` lists them); the last value given
    /// for one counts
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<Assignment>,

    /// Random splits, each training on --train-size rows and testing on all others [default: 30]
    #[arg(
        long,
        value_name = "N",
        requires = "train_size",
        allow_negative_numbers = true
    )]
    pub(crate) runs: Option<usize>,

    /// Training rows of each random split
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) train_size: Option<usize>,

    /// Cross-validation with K folds, which is the default with 5
    #[arg(long, value_name = "K", conflicts_with_all = ["runs", "train_size"])]
    #[arg(allow_negative_numbers = true)]
    pub(crate) folds: Option<usize>,

    /// Draw folds at random instead of giving each its share of every label
    #[arg(long, conflicts_with_all = ["runs", "train_size"])]
    pub(crate) no_stratify: bool,

    /// Scale features by what the training rows say: none, standard, or auto, which leaves features
    /// within [-1, 1] as they are and standardises others
    #[arg(long, value_name = "SCALING", default_value = "auto")]
    pub(crate) scale: Scaling,

    /// Where all random choices come from
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,

    /// Threads to use; the results do not depend on it [default: all processors]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    pub(crate) threads: Option<u16>,

    /// Also show each label by itself
    #[arg(long)]
    pub(crate) per_label: bool,

    /// Write JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MethodsArgs {
    /// Methods to list; by default all
    #[arg(value_name = "NAME", value_parser = method_parser())]
    pub(crate) methods: Vec<Method>,

    /// Write JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// A parameter and its value, `key=value`.
#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub(crate) key: String,
    pub(crate) value: String,
}

impl FromStr for Assignment {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
        Ok(Self {
            key: key.into(),
            value: value.into(),
        })
    }
}

/// Reads a method's name; the help lists all of them with what they do.
fn method_parser() -> impl clap::builder::TypedValueParser<Value = Method> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let value = |method: Method| PossibleValue::new(method.name()).help(method.summary());
    let values: Vec<PossibleValue> = Method::all().into_iter().map(value).collect();
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Method>())
}
