//! The arguments of the command line.

mod convert;
mod data;
mod experiment;
mod missing;
mod model;
mod run;
#[cfg(feature = "serve")]
mod serve;

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use mmoc::method::{Method, Preset};
use mmoc::posterior::Decision;
use mmoc::settings::Named;

pub(crate) use convert::ConvertArgs;
pub(crate) use data::{DataArgs, ReadArgs};
pub(crate) use experiment::{
    CompareArgs, EntrantChoice, ExperimentArgs, ExternalFile, MethodAssignment, ReportArgs,
    ReproduceArgs, ShownArgs,
};
pub(crate) use missing::MissingFeatures;
pub(crate) use model::{PredictArgs, ScoreArgs, Scored, TrainArgs, UseArgs};
pub(crate) use run::{RunArgs, SplitArgs, ThreadArgs};
#[cfg(feature = "serve")]
pub(crate) use serve::ServeArgs;

use crate::datasets;
use experiment::{COMPARE_EXAMPLES, REPORT_EXAMPLES, REPRODUCE_EXAMPLES};
use model::{PREDICT_EXAMPLES, SCORE_EXAMPLES, SCORE_USAGE, TRAIN_EXAMPLES};

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

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// How the program speaks, the same for every command.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MannerArgs {
    /// Write no notes, no warnings and no progress to standard error; errors are still shown
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// Write errors as JSON for machines
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn from a data set and write a model
    #[command(after_help = TRAIN_EXAMPLES)]
    Train(TrainArgs),
    /// Predict the label sets of any number of rows with a model
    #[command(after_help = PREDICT_EXAMPLES)]
    Predict(PredictArgs),
    /// Serve models over HTTP
    #[cfg(feature = "serve")]
    #[command(after_help = serve::EXAMPLES)]
    Serve(ServeArgs),
    /// Score the predictions of a model, or those of a file, for rows with known labels
    #[command(after_help = SCORE_EXAMPLES, override_usage = SCORE_USAGE)]
    Score(ScoreArgs),
    /// Describe a data set (sizes, label frequencies, imbalance) or a model
    #[command(after_help = INSPECT_EXAMPLES)]
    Inspect(InspectArgs),
    /// Score a method on a data set over repeated splits, or on a published one
    #[command(after_help = EVALUATE_EXAMPLES)]
    Evaluate(EvaluateArgs),
    /// Run the paper's experiment and write its nine tables and a report
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceArgs),
    /// Compare methods on your data, over repeated or published splits, and write a report
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// Merge the parts of an experiment and write its tables and report again
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// List the methods and their parameters
    #[command(after_help = METHODS_EXAMPLES)]
    Methods(MethodsArgs),
    /// Write a data set in another format, or a model as an ONNX file
    #[command(after_help = convert::EXAMPLES, override_usage = convert::USAGE)]
    Convert(ConvertArgs),
    /// List the known public data sets, and fetch them
    #[command(after_help = datasets::EXAMPLES)]
    Datasets(datasets::DatasetsArgs),
    /// Write a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),
    /// Write manual pages
    #[command(after_help = MAN_EXAMPLES)]
    Man(ManArgs),
}

/// The method of commands that have one, if none is named.
const DEFAULT_METHOD: &str = "max-margin";

const INSPECT_EXAMPLES: &str = "\
Examples:
  mmoc inspect emotions.arff
  mmoc inspect scene-train.arff scene-test.arff --json
  mmoc inspect songs.csv --labels 'mood_*'
  mmoc inspect songs.mmoc";

const EVALUATE_EXAMPLES: &str = "\
Examples:
  mmoc evaluate emotions.arff --folds 3
  mmoc evaluate emotions.arff --method br --folds 10
  mmoc evaluate emotions.arff --method br --runs 30 --train-size 300 --seed 1
  mmoc evaluate emotions.arff --method coding-cca --set projections=3 --set decide=f1
  mmoc evaluate emotions.arff --method max-margin --preset paper --folds 3
  mmoc evaluate scene-train.arff --test scene-test.arff --method br
  mmoc evaluate medical.arff --method br --top-labels 10 --drop-empty-rows --train-size 300 --json";

const METHODS_EXAMPLES: &str = "\
Examples:
  mmoc methods coding-cca
  mmoc methods --json";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  mmoc completions bash > mmoc.bash
  mmoc completions zsh > _mmoc

Put the script where the shell looks for it: for bash into ~/.local/share/bash-completion/completions/mmoc.";

const MAN_EXAMPLES: &str = "\
Examples:
  mmoc man > mmoc.1
  mmoc man train > mmoc-train.1
  mmoc man --out man1";

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
    #[arg(long, value_name = "NAME", value_parser = method_parser(), default_value = DEFAULT_METHOD)]
    pub(crate) method: Method,

    /// Parameters of the method, to which --set applies
    #[arg(long, value_name = "PRESET", value_parser = preset_parser(), default_value = "default")]
    pub(crate) preset: Preset,

    /// Set a parameter of the method, or of the base learners as base.KEY=VALUE; may be repeated, the last value
    /// counts (`mmoc methods` lists the parameters)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<Assignment>,

    #[command(flatten)]
    pub(crate) split: SplitArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// Also show each label by itself
    #[arg(long)]
    pub(crate) per_label: bool,
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

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command to describe; by default the program as a whole
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,

    /// Write the pages of all commands into this folder, created if necessary
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) out: Option<PathBuf>,
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

/// Reads a preset's name; the help says what each of them is.
fn preset_parser() -> impl TypedValueParser<Value = Preset> {
    let value = |preset: Preset| PossibleValue::new(preset.name()).help(preset.summary());
    let values = Preset::NAMES.iter().map(|&(preset, _)| value(preset));
    PossibleValuesParser::new(values.collect::<Vec<_>>())
        .map(|name| Preset::from_name(&name).expect("only names of presets are allowed"))
}

/// Reads the measure that label sets are to be best in; the help says what each of them is.
fn decision_parser() -> impl TypedValueParser<Value = Decision> {
    let value =
        |decision: Decision| PossibleValue::new(decision.name()).help(decision.metric().title());
    let values = Decision::NAMES.iter().map(|&(decision, _)| value(decision));
    PossibleValuesParser::new(values.collect::<Vec<_>>())
        .map(|name| Decision::from_name(&name).expect("only names of decisions are allowed"))
}

/// Reads a method's name; the help lists all of them with what they do.
fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(method_values()).try_map(|name| name.parse::<Method>())
}

/// The names of the methods, with what they do.
fn method_values() -> impl Iterator<Item = PossibleValue> {
    let value = |method: Method| PossibleValue::new(method.name()).help(method.summary());
    Method::all().into_iter().map(value)
}
