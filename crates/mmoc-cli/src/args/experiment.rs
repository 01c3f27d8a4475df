//! The arguments of commands that compare methods.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use mmoc::method::{Method, Preset};
use mmoc_experiment::{BASE, Shard, paper};

use super::run::DEFAULT_RUNS;
use super::{DataArgs, RunArgs, SplitArgs, method_parser, method_values, preset_parser};

/// Where results are written by default.
const DEFAULT_FOLDER: &str = "mmoc-report";

pub(super) const REPRODUCE_EXAMPLES: &str = "\
Examples:
  mmoc reproduce
  mmoc reproduce --preset paper --dataset emotions --out paper-report
  mmoc reproduce --method br --method mmoc --runs 5 --set mmoc.c=1000 --out weaker
  mmoc reproduce --dataset emotions --runs 4 --shard 1/2 --out first
  mmoc reproduce --dataset emotions --runs 4 --shard 2/2 --out second

An interrupted experiment resumes when it is started again with the same arguments.";

pub(super) const COMPARE_EXAMPLES: &str = "\
Examples:
  mmoc compare songs.csv --labels 'mood_*' --repeats 3 --reference br --out songs-report
  mmoc compare emotions.arff --method br --method coding-cca --method max-margin --out three
  mmoc compare emotions.arff flags.arff --each --method br --method max-margin --out both
  mmoc compare scene-train.arff --test scene-test.arff --method br --method lead --out split
  mmoc compare scene-train.arff --test scene-test.arff --external theirs=theirs.csv --out ours

Without --each all DATA are the training rows and all --test files the test rows.
With --each the first --test belongs to the first DATA, the second to the second, and so on.
So do the files of each --external NAME.";

pub(super) const REPORT_EXAMPLES: &str = "\
Examples:
  mmoc report songs-report
  mmoc report first second --out merged";

/// What is changed of the entrants, and where the results are written.
#[derive(Debug, Args)]
pub(crate) struct ExperimentArgs {
    /// Set a parameter of a method, or of the base learners as base.KEY=VALUE; may be repeated, the last value
    /// counts (`mmoc methods` lists the parameters)
    #[arg(long, value_name = "METHOD.KEY=VALUE")]
    pub(crate) set: Vec<MethodAssignment>,

    /// Folder for results and report, created if necessary
    #[arg(long, value_name = "DIR", default_value = DEFAULT_FOLDER)]
    pub(crate) out: PathBuf,

    /// Run only part I of N; `mmoc report` merges parts
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
}

#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// A data set of the paper; may be repeated [default: all three]
    #[arg(long = "dataset", value_name = "NAME", value_parser = paper::DATASETS)]
    pub(crate) datasets: Vec<String>,

    /// Folder of the real data sets [default: MMOC_DATA, then the cache of `mmoc datasets get`, then
    /// synthetic twins]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// Use the synthetic twins even if there is real data
    #[arg(long, conflicts_with = "data")]
    pub(crate) synthetic: bool,

    /// A method to run; may be repeated [default: all]
    #[arg(long = "method", value_name = "NAME", value_parser = entrant_parser())]
    pub(crate) methods: Vec<String>,

    /// Run the eight methods with these parameters, to which --set applies, and mmoc not at all
    /// [default: as published, and mmoc with its defaults]
    #[arg(long, value_name = "PRESET", value_parser = preset_parser())]
    pub(crate) preset: Option<Preset>,

    /// The method that the others are compared with [default: mmoc, else max-margin, else the last]
    #[arg(long, value_name = "NAME", value_parser = entrant_parser())]
    pub(crate) reference: Option<String>,

    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,

    /// Number of random splits of each data set
    #[arg(long, value_name = "N", default_value_t = DEFAULT_RUNS, allow_negative_numbers = true)]
    pub(crate) runs: usize,

    /// Training rows of each random split
    #[arg(long, value_name = "M", default_value_t = paper::TRAIN_SIZE, allow_negative_numbers = true)]
    pub(crate) train_size: usize,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// Treat each file as a data set of its own
    #[arg(long)]
    pub(crate) each: bool,

    /// A method to run; may be repeated [default: all]
    #[arg(long = "method", value_name = "NAME", value_parser = method_parser())]
    pub(crate) methods: Vec<Method>,

    /// Predictions of another program for the --test rows, shown as NAME; may be repeated (see
    /// `mmoc score --predictions` for the file)
    #[arg(long, value_name = "NAME=FILE", requires = "test")]
    pub(crate) external: Vec<ExternalFile>,

    /// Parameters of the methods, to which --set applies
    #[arg(long, value_name = "PRESET", value_parser = preset_parser(), default_value = "default")]
    pub(crate) preset: Preset,

    /// The method that the others are compared with [default: max-margin, or else the last]
    #[arg(long, value_name = "NAME")]
    pub(crate) reference: Option<String>,

    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,

    #[command(flatten)]
    pub(crate) split: SplitArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Folders with the parts of one experiment
    #[arg(required = true, value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,

    /// Folder for results and report [default: the folder given, or mmoc-report for several]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

impl ReportArgs {
    /// Where results and report are written.
    pub(crate) fn out(&self) -> PathBuf {
        match (&self.out, self.folders.as_slice()) {
            (Some(out), _) => out.clone(),
            (None, [only]) => only.clone(),
            (None, _) => DEFAULT_FOLDER.into(),
        }
    }
}

/// Reads the name of an entrant of `mmoc reproduce`; the help lists all of them with what they do.
fn entrant_parser() -> PossibleValuesParser {
    let ninth = PossibleValue::new(paper::NINTH).help("max-margin with its default parameters");
    PossibleValuesParser::new(method_values().chain([ninth]))
}

/// The predictions of another program, `name=file`.
#[derive(Debug, Clone)]
pub(crate) struct ExternalFile {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
}

impl FromStr for ExternalFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, file) = text.split_once('=').ok_or("expected NAME=FILE")?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err("NAME must be made of letters, digits, - and _".into());
        }
        if name == BASE || name.parse::<Method>().is_ok() {
            return Err(format!("'{name}' is taken: choose another NAME"));
        }
        Ok(Self {
            name: name.into(),
            file: file.into(),
        })
    }
}

/// A parameter of a method and its value, `method.key=value`.
#[derive(Debug, Clone)]
pub(crate) struct MethodAssignment {
    pub(crate) method: String,
    pub(crate) key: String,
    pub(crate) value: String,
}

impl FromStr for MethodAssignment {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected METHOD.KEY=VALUE";
        let (place, value) = text.split_once('=').ok_or(EXPECTED)?;
        let (method, key) = place.split_once('.').ok_or(EXPECTED)?;
        Ok(Self {
            method: method.into(),
            key: key.into(),
            value: value.into(),
        })
    }
}
