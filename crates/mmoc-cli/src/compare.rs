//! `mmoc compare`: methods side by side on anyone's data.

use std::path::PathBuf;

use mmoc::data::Dataset;
use mmoc::settings::Named;

use crate::args::{CompareArgs, DataArgs};
use crate::experiment::{Design, Experiment, FileEntry, Input, Source};
use crate::failure::Failure;
use crate::load::load;
use crate::{outcome, presets, standard_input};

pub(crate) fn run(args: &CompareArgs) -> Result<(), Failure> {
    if standard_input::is_among(&args.data.files) {
        return Err(Failure::wrong_usage(
            "compare writes down the names and digests of its files: standard input (-) has none",
        ));
    }
    let shared = &args.experiment;
    let inputs = inputs(args)?;
    let labels = inputs.iter().map(|input| input.dataset.labels().count());
    let preset = presets::suitable(shared.preset, labels.max().unwrap_or(0));
    let configured = presets::configured(shared, preset)?;
    let rows = inputs.iter().map(|input| input.dataset.rows()).min();
    let design = Design {
        command: "compare",
        preset: Some(preset.name().into()),
        data_options: args.data.read.options(),
        seed: args.run.seed,
        protocol: args.split.protocol(rows.expect("there is a data set")),
        reference: configured.reference,
        base: configured.base,
    };
    let experiment = Experiment::new(
        &design,
        inputs,
        configured.methods,
        args.run.threads.count(),
    )?;
    outcome::run(&experiment, shared, args.run.json)
}

fn inputs(args: &CompareArgs) -> Result<Vec<Input>, Failure> {
    let groups: Vec<Vec<PathBuf>> = if args.each {
        args.data
            .files
            .iter()
            .map(|file| vec![file.clone()])
            .collect()
    } else {
        vec![args.data.files.clone()]
    };
    let mut inputs: Vec<Input> = Vec::new();
    for files in groups {
        let data = DataArgs {
            files,
            ..args.data.clone()
        };
        let dataset = load(&data)?;
        if inputs
            .iter()
            .any(|other| other.dataset.name() == dataset.name())
        {
            return Err(same_name(&dataset));
        }
        let entries = data.files.iter().map(|path| FileEntry::of(path));
        inputs.push(Input {
            files: entries.collect::<Result<_, Failure>>()?,
            dataset,
            source: Source::Real,
            scaling: args.split.scale,
        });
    }
    Ok(inputs)
}

fn same_name(dataset: &Dataset) -> Failure {
    Failure::wrong_usage(format!(
        "two data sets are called '{}': with --each every file needs a name of its own",
        dataset.name()
    ))
}
