//! The arguments of `mmoc datasets`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use mmoc_io::catalogue::{CATALOGUE, KnownDataset};

/// What the help of `mmoc datasets` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  mmoc datasets list
  mmoc datasets list --json
  mmoc datasets info scene";

const LIST_EXAMPLES: &str = "\
Examples:
  mmoc datasets list
  mmoc datasets list --json";

const INFO_EXAMPLES: &str = "\
Examples:
  mmoc datasets info scene
  mmoc datasets info medical --json";

const GET_EXAMPLES: &str = "\
Examples:
  mmoc datasets get emotions flags
  mmoc datasets get paper";

/// No bytes for so many seconds is a stall.
const DEFAULT_TIMEOUT: &str = "30";
const LONGEST_TIMEOUT: f64 = 3600.0;

#[derive(Debug, Args)]
pub(crate) struct DatasetsArgs {
    #[command(subcommand)]
    pub(crate) command: DatasetsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DatasetsCommand {
    /// List the known data sets and where their copies are
    #[command(after_help = LIST_EXAMPLES)]
    List(ListArgs),
    /// Fetch data sets into the cache; existing files are not fetched again
    #[command(after_help = GET_EXAMPLES)]
    Get(GetArgs),
    /// Describe a data set: files, sizes, SHA-256, citation
    #[command(after_help = INFO_EXAMPLES)]
    Info(InfoArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Look in this folder before the cache [default: the folder of MMOC_DATA]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// Write JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// The data set
    #[arg(value_name = "NAME", value_parser = entry_parser())]
    pub(crate) entry: &'static KnownDataset,

    /// Look in this folder before the cache [default: the folder of MMOC_DATA]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// Write JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// The data sets; `paper` stands for the three of the paper, `all` for all
    #[arg(value_name = "NAME", value_parser = choice_parser())]
    pub(crate) choices: Vec<Choice>,

    /// Fetch from URL/NAME/FILE [default: MMOC_DATASETS_URL, else the collection of Mulan on GitHub]
    #[arg(long, value_name = "URL")]
    pub(crate) base: Option<String>,

    /// Retry when nothing arrives for so many seconds
    #[arg(long, value_name = "SECONDS", default_value = DEFAULT_TIMEOUT, value_parser = parse_timeout)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) timeout: Duration,
}

/// One data set, or some that have a name together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Choice {
    One(&'static KnownDataset),
    Paper,
    All,
}

impl Choice {
    /// The data sets it stands for.
    pub(crate) fn entries(self) -> Vec<&'static KnownDataset> {
        match self {
            Self::One(entry) => vec![entry],
            Self::Paper => CATALOGUE
                .iter()
                .filter(|entry| entry.in_the_paper.is_some())
                .collect(),
            Self::All => CATALOGUE.iter().collect(),
        }
    }

    fn of(name: &str) -> Option<Self> {
        match name {
            "paper" => Some(Self::Paper),
            "all" => Some(Self::All),
            name => KnownDataset::of(name).map(Self::One),
        }
    }
}

fn names() -> impl Iterator<Item = PossibleValue> {
    let value = |entry: &KnownDataset| PossibleValue::new(entry.name).help(entry.summary);
    CATALOGUE.iter().map(value)
}

fn entry_parser() -> impl TypedValueParser<Value = &'static KnownDataset> {
    let parser = PossibleValuesParser::new(names());
    parser.try_map(|name| KnownDataset::of(&name).ok_or("no known data set"))
}

fn choice_parser() -> impl TypedValueParser<Value = Choice> {
    let groups = [
        PossibleValue::new("paper").help("The three of the paper"),
        PossibleValue::new("all").help("All of these"),
    ];
    let parser = PossibleValuesParser::new(names().chain(groups));
    parser.try_map(|name| Choice::of(&name).ok_or("no known data set"))
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    let in_range = seconds.filter(|seconds| (0.001..=LONGEST_TIMEOUT).contains(seconds));
    in_range
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("expected seconds from 0.001 to {LONGEST_TIMEOUT}"))
}
