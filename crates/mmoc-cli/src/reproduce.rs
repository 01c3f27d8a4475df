//! `mmoc reproduce`: the paper's experiment.

use mmoc::Seed;
use mmoc::evaluate::Protocol;
use mmoc::learn::BaseParams;

use crate::args::ReproduceArgs;
use crate::experiment::{Experiment, Frame, Input, Source};
use crate::failure::Failure;
use crate::{outcome, output, paper, presets};

pub(crate) fn run(args: &ReproduceArgs) -> Result<(), Failure> {
    let shared = &args.experiment;
    let mut methods = presets::chosen(&shared.methods);
    args.preset.apply(&mut methods)?;
    presets::assign(&mut methods, &shared.set)?;
    let frame = Frame {
        command: "reproduce",
        preset: Some(args.preset.name().into()),
        seed: args.run.seed,
        protocol: Protocol::RandomSplits {
            runs: args.runs,
            train_size: args.train_size,
        },
        reference: presets::reference(&methods, shared.reference.as_ref())?,
        base: BaseParams::default(),
    };
    let inputs = inputs(args)?;
    let experiment = Experiment::new(&frame, inputs, methods, args.run.threads())?;
    outcome::run(&experiment, shared, args.run.json)
}

/// The data sets that were asked for, in the order of the paper.
fn inputs(args: &ReproduceArgs) -> Result<Vec<Input>, Failure> {
    let asked = |name: &&str| args.datasets.is_empty() || args.datasets.iter().any(|d| d == name);
    let names = paper::DATASETS.into_iter().filter(asked);
    names.map(|name| input(args, name)).collect()
}
