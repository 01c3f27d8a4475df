//! `mmoc evaluate`: how well a method predicts a data set.

use mmoc::train::fingerprint;
use mmoc_experiment::{Design, Experiment, InputDataset, Provenance, text};

use crate::args::EvaluateArgs;
use crate::failure::Failure;
use crate::load::load;
use crate::output;
use crate::parameters::of_one_method;
use crate::progress::Bar;

pub(crate) fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    // Errors of the command line come first: reading may take long.
    let (method, base) = of_one_method(&args.method, args.preset, &args.set)?;
    let dataset = load(&args.data)?;
    let design = Design {
        base,
        seed: args.run.seed,
        command: "evaluate".into(),
        ..Design::new(vec![method], args.split.protocol(dataset.rows()))
    };
    let input = InputDataset {
        source: Provenance::Real,
        scaling: args.split.scale,
        files: Vec::new(),
        // Only JSON shows it.
        fingerprint: args.run.json.then(|| fingerprint(dataset.view())),
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
