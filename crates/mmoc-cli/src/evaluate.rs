//! `mmoc evaluate`: how well a method predicts a data set.

use mmoc::data::Dataset;
use mmoc::train::fingerprint;
use mmoc_experiment::{Design, Experiment, InputDataset, Provenance, TestRows, text};

use crate::args::EvaluateArgs;
use crate::failure::Failure;
use crate::parameters::of_one_method;
use crate::progress::Bar;
use crate::{output, published};

pub(crate) fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    // Errors of the command line come first: reading may take long.
    let (method, base) = of_one_method(&args.method, args.preset, &args.set)?;
    let parts = published::load(&args.data, &args.split.test)?;
    let dataset = parts.train;
    let design = Design {
        base,
        seed: args.run.seed,
        command: "evaluate".into(),
        ..Design::new(vec![method], args.split.protocol(dataset.rows()))
    };
    // Only JSON shows it.
    let fingerprint = |rows: &Dataset| args.run.json.then(|| fingerprint(rows.view()));
    let input = InputDataset {
        source: Provenance::Real,
        scaling: args.split.scale,
        missing: args.data.read.missing.filling(),
        files: Vec::new(),
        fingerprint: fingerprint(&dataset),
        test: parts.test.map(|test| TestRows {
            files: Vec::new(),
            fingerprint: fingerprint(&test.dataset),
            dataset: test.dataset,
        }),
        dataset,
    };
    let experiment = Experiment::new(design, vec![input])?.with_threads(args.run.threads.count());
    let results = experiment.run(&Bar::default())?;
    let summary = results.summary()?;
    for warning in summary.warnings() {
        output::message("warning", &warning);
    }
    if args.run.json {
        return output::json(&summary);
    }
    output::text(&text::evaluation(&summary, args.per_label))
}
