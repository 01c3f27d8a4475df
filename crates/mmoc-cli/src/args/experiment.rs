//! The arguments of commands that compare methods.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command};
use mmoc::method::{Method, Preset};
use mmoc::metrics::Metric;
use mmoc_experiment::{BASE, Shard, paper};

use super::run::{DEFAULT_RUNS, TrainSize};
use super::{Assignment, DataArgs, RunArgs, SplitArgs, method_values, preset_parser};
use crate::parameters::owner;

/// Where results are written by default.
const DEFAULT_FOLDER: &str = "mmoc-report";

pub(super) const REPRODUCE_EXAMPLES: &str = "\
Examples:
  mmoc reproduce
  mmoc reproduce --preset paper --dataset emotions --out paper-report
  mmoc reproduce --method br --method mmoc --runs 5 --set mmoc.c=1000 --out weaker
  mmoc reproduce --dataset emotions --runs 4 --shard 1/2 --out first
  mmoc reproduce --dataset emotions --runs 4 --shard 2/2 --out second

An interrupted experiment resumes when it is started again with the same arguments.
With more methods or more --runs it adds what is missing.";

pub(super) const COMPARE_EXAMPLES: &str = "\
Examples:
  mmoc compare songs.csv --labels 'mood_*' --repeats 3 --reference br --out songs-report
  mmoc compare emotions.arff --method br --method coding-cca --method max-margin --out three
  mmoc compare flags.arff --method a=max-margin --method b=max-margin:decide=f1,c=1e5 --out two
  mmoc compare flags.arff --method br --train-size .7 --runs 3 --metrics hamming_loss --out share
  mmoc compare emotions.arff flags.arff --each --method br --method max-margin --out both
  mmoc compare scene-train.arff --test scene-test.arff --method br --method lead --out split
  mmoc compare scene-train.arff --test scene-test.arff --external theirs=theirs.csv --out ours

Started again with more methods, more --runs or more --repeats, an experiment adds what is missing.
Without --each all DATA are the training rows and all --test files the test rows.
With --each the first --test belongs to the first DATA, the second to the second, and so on.
So do the files of each --external NAME.";

pub(super) const REPORT_EXAMPLES: &str = "\
Examples:
  mmoc report songs-report
  mmoc report first second --out merged
  mmoc report songs-report --metrics hamming_loss,jaccard --tables tables";

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

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

/// What is shown of results.
#[derive(Debug, Args)]
pub(crate) struct ShownArgs {
    /// The metrics of tables, figures, ranks and findings, with commas between them [default: subset_accuracy,
    /// macro_f1, micro_f1]
    #[arg(long, value_name = "METRICS", value_delimiter = ',', value_parser = metric)]
    metrics: Vec<Metric>,

    /// Also write a table of each metric as LaTeX, Markdown and CSV into this folder, created if necessary
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Option<PathBuf>,
}

impl ShownArgs {
    /// The metrics that were asked for, each once.
    pub(crate) fn metrics(&self) -> Vec<Metric> {
        if self.metrics.is_empty() {
            return paper::METRICS.to_vec();
        }
        let mut metrics: Vec<Metric> = Vec::new();
        for &metric in &self.metrics {
            if !metrics.contains(&metric) {
                metrics.push(metric);
            }
        }
        metrics
    }
}

/// Reads the key of a metric, also with dashes in place of underscores.
fn metric(text: &str) -> Result<Metric, mmoc::Error> {
    text.replace('-', "_").parse()
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

    /// Training rows of each random split: a number, or a share of all rows such as .7
    #[arg(long, value_name = "M", default_value_t = TrainSize::Rows(paper::TRAIN_SIZE))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) train_size: TrainSize,

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

    /// A method to run; may be repeated [default: all]. NAME=METHOD:KEY=VALUE,… runs it under another name with
    /// parameters of its own
    #[arg(long = "method", value_name = "NAME", value_parser = EntrantParser::new())]
    pub(crate) methods: Vec<EntrantChoice>,

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

    #[command(flatten)]
    pub(crate) shown: ShownArgs,

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
        check_name(name)?;
        Ok(Self {
            name: name.into(),
            file: file.into(),
        })
    }
}

/// Fails unless records can know an entrant by this name.
fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err("NAME must be made of letters, digits, - and _".into());
    }
    if name == BASE || name.parse::<Method>().is_ok() {
        return Err(format!("'{name}' is taken: choose another NAME"));
    }
    Ok(())
}

/// A method to run, `method`, `method:key=value,…` or `name=method:key=value,…`.
#[derive(Debug, Clone)]
pub(crate) struct EntrantChoice {
    /// Another name than that of the method.
    pub(crate) name: Option<String>,
    pub(crate) method: Method,
    pub(crate) settings: Vec<Assignment>,
}

impl EntrantChoice {
    /// The method and its settings, as they were chosen.
    pub(crate) fn in_words(&self) -> String {
        let settings = self.settings.iter();
        let settings: Vec<String> = settings
            .map(|Assignment { key, value }| format!("{key}={value}"))
            .collect();
        match settings.as_slice() {
            [] => self.method.name().to_owned(),
            some => format!("{}:{}", self.method.name(), some.join(",")),
        }
    }
}

impl FromStr for EntrantChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (head, settings) = match text.split_once(':') {
            Some((head, settings)) => (head, settings.split(',').map(str::parse).collect()),
            None => (text, Ok(Vec::new())),
        };
        let (name, method) = match head.split_once('=') {
            Some((name, method)) => (Some(name), method),
            None => (None, head),
        };
        if let Some(name) = name {
            check_name(name)?;
        }
        let settings = settings.map_err(|_| "expected NAME=METHOD:KEY=VALUE,KEY=VALUE,…")?;
        Ok(Self {
            name: name.map(Into::into),
            method: method
                .parse()
                .map_err(|error: mmoc::Error| error.to_string())?,
            settings,
        })
    }
}

/// Reads a method to run; the help lists all of them with what they do.
#[derive(Clone)]
struct EntrantParser(PossibleValuesParser);

impl EntrantParser {
    fn new() -> Self {
        Self(PossibleValuesParser::new(method_values()))
    }
}

impl TypedValueParser for EntrantParser {
    type Value = EntrantChoice;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<EntrantChoice, clap::Error> {
        let is_plain = !value.to_string_lossy().contains(['=', ':']);
        if is_plain {
            self.0.parse_ref(command, argument, value)?;
        }
        let parser = StringValueParser::new().try_map(|text| text.parse::<EntrantChoice>());
        parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected METHOD.KEY=VALUE";
        let (place, value) = text.split_once('=').ok_or(EXPECTED)?;
        let parts = place.split_once('.').ok_or_else(|| match owner(place) {
            Some(owner) => format!("{EXPECTED}, such as {owner}.{text}"),
            None => EXPECTED.into(),
        });
        let (method, key) = parts?;
        Ok(Self {
            method: method.into(),
            key: key.into(),
            value: value.into(),
        })
    }
}
