//! `mmoc evaluate`: how well a method predicts a data set.

mod report;
mod solver;
mod text;

use mmoc::Seed;
use mmoc::evaluate::{EvaluateParams, Protocol, evaluate};
use mmoc::learn::BaseParams;
use mmoc::method::Method;
use mmoc::settings::Settings;

use crate::args::{Assignment, EvaluateArgs};
use crate::failure::Failure;
use crate::load::load;
use crate::output;
use crate::progress::Bar;

use self::report::Report;

/// Runs where a training size but no number is given: as many as the paper has.
const DEFAULT_RUNS: usize = 30;
/// Folds where nothing is said about splits.
const DEFAULT_FOLDS: usize = 5;

pub(crate) fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    let method = method(args)?;
    let dataset = load(&args.data)?;
    let params = EvaluateParams {
        protocol: protocol(args, dataset.rows()),
        scaling: args.scale.resolve(dataset.features().view()),
        base: BaseParams::default(),
        seed: Seed::new(args.seed),
        threads: args.threads.map_or_else(all_processors, usize::from),
    };
    let runs = evaluate(&dataset, &method, &params, &Bar::default())?;
    let report = Report::new(&dataset, &method, &params, args.seed, &runs);
    report
        .warnings()
        .for_each(|warning| output::message("warning", &warning));
    if args.json {
        return output::json(&report);
    }
    output::text(&text::describe(&report, args.per_label))
}

/// The method with the parameters that were set.
fn method(args: &EvaluateArgs) -> Result<Method, Failure> {
    let mut method = args.method.clone();
    for Assignment { key, value } in &args.set {
        let name = method.name();
        method.set(key, value).map_err(|error| {
            Failure::wrong_usage(format!("--set {key}={value} for {name}: {error}"))
        })?;
    }
    Ok(method)
}

fn protocol(args: &EvaluateArgs, rows: usize) -> Protocol {
    match args.train_size {
        Some(train_size) => Protocol::RandomSplits {
            runs: args.runs.unwrap_or(DEFAULT_RUNS),
            train_size,
        },
        None => Protocol::CrossValidation {
            folds: args.folds.unwrap_or(DEFAULT_FOLDS.min(rows)),
            stratified: !args.no_stratify,
        },
    }
}

fn all_processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
