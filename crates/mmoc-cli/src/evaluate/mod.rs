//! `mmoc evaluate`: how well a method predicts a data set.

mod text;

pub(crate) use text::{LABEL_COLUMNS, describe_protocol, parameters};

use crate::args::EvaluateArgs;
use crate::experiment::{Design, Experiment, Input, Source};
use crate::failure::Failure;
use crate::load::load;
use crate::progress::Bar;
use crate::summary::Summary;
use crate::{output, presets};

pub(crate) fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    // Mistakes of the command line come first: reading may take long.
    presets::of_one(&args.method, args.preset, &args.set)?;
    let dataset = load(&args.data)?;
    let preset = presets::suitable(args.preset, dataset.labels().count());
    let (method, base) = presets::of_one(&args.method, preset, &args.set)?;
    let design = Design {
        command: "evaluate",
        preset: None,
        data_options: Vec::new(),
        seed: args.run.seed,
        protocol: args.split.protocol(dataset.rows()),
        reference: method.name().into(),
        base,
    };
    let input = Input {
        dataset,
        source: Source::Real,
        scaling: args.split.scale,
        files: Vec::new(),
    };
    let experiment = Experiment::new(&design, vec![input], vec![method], args.run.threads.count())?;
    let records = experiment.run(&Bar::default())?;
    let summary = Summary::new(&experiment.manifest, &records)?;
    summary
        .warnings()
        .for_each(|warning| output::message("warning", &warning));
    if args.run.json {
        return output::json(&summary);
    }
    output::text(&text::describe(&summary, args.per_label))
}
