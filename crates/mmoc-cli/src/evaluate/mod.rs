//! `mmoc evaluate`: how well a method predicts a data set.

mod text;

pub(crate) use text::describe_protocol;

use mmoc::learn::BaseParams;
use mmoc::method::Method;
use mmoc::settings::Settings;

use crate::args::{Assignment, EvaluateArgs};
use crate::experiment::{Experiment, Frame, Input, Source};
use crate::failure::Failure;
use crate::load::load;
use crate::output;
use crate::presets::BASE;
use crate::progress::Bar;
use crate::summary::Summary;

pub(crate) fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    let (method, base) = method(args)?;
    let dataset = load(&args.data)?;
    let frame = Frame {
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
    let experiment = Experiment::new(&frame, vec![input], vec![method], args.run.threads())?;
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

/// The method and the base learners with the parameters that were set.
fn method(args: &EvaluateArgs) -> Result<(Method, BaseParams), Failure> {
    let mut base = BaseParams::default();
    let mut method = args.method.clone();
    for Assignment { key, value } in &args.set {
        let name = method.name();
        let set = match key.strip_prefix(BASE).and_then(|key| key.strip_prefix('.')) {
            Some(key) => base.set(key, value),
            None => method.set(key, value),
        };
        set.map_err(|error| {
            Failure::wrong_usage(format!("--set {key}={value} for {name}: {error}"))
        })?;
    }
    Ok((method, base))
}
