//! `mmoc reproduce`: the paper's experiment.

use mmoc::Seed;
use mmoc::data::Scaling;
use mmoc::settings::Named;
use mmoc_experiment::Protocol;
use mmoc_io::{LabelSource, Missing, Twin};

use crate::args::{DataArgs, ReadArgs, ReproduceArgs};
use crate::datasets::{Entry, Found, find};
use crate::experiment::{Design, Experiment, FileEntry, Input, Source};
use crate::failure::Failure;
use crate::load::load;
use crate::{outcome, output, paper, presets};

pub(crate) fn run(args: &ReproduceArgs) -> Result<(), Failure> {
    let shared = &args.experiment;
    let configured = presets::configured(shared, shared.preset)?;
    let design = Design {
        command: "reproduce",
        preset: Some(shared.preset.name().into()),
        data_options: Vec::new(),
        seed: args.run.seed,
        protocol: Protocol::RandomSplits {
            runs: args.runs,
            train_size: args.train_size,
        },
        reference: configured.reference,
        base: configured.base,
    };
    let inputs = inputs(args)?;
    let experiment = Experiment::new(
        &design,
        inputs,
        configured.methods,
        args.run.threads.count(),
    )?;
    outcome::run(&experiment, shared, args.run.json)
}

/// The data sets that were asked for, in the order of the paper.
fn inputs(args: &ReproduceArgs) -> Result<Vec<Input>, Failure> {
    let asked = |name: &&str| args.datasets.is_empty() || args.datasets.iter().any(|d| d == name);
    let names = paper::DATASETS.into_iter().filter(asked);
    names.map(|name| input(args, name)).collect()
}

/// A data set of the paper as it was prepared there, or its twin.
fn input(args: &ReproduceArgs, name: &str) -> Result<Input, Failure> {
    let found = if args.synthetic {
        None
    } else {
        find(name, args.data.as_deref())?
    };
    match found {
        Some(found) => real(name, found),
        None => synthetic(args, name),
    }
}

fn real(name: &str, found: Found) -> Result<Input, Failure> {
    let entry = Entry::of(name).expect("the catalogue has the data sets of the paper");
    let preparation = entry.in_the_paper.as_ref();
    let data = DataArgs {
        files: found.files,
        read: ReadArgs {
            labels: Some(LabelSource::Xml(found.labels_xml)),
            format: None,
            missing: Missing::default(),
            top_labels: preparation.and_then(|preparation| preparation.top_labels),
            drop_empty_rows: preparation.is_some_and(|preparation| preparation.drop_empty_rows),
        },
    };
    let files = found.sha256.into_iter();
    Ok(Input {
        dataset: load(&data)?,
        source: Source::Real,
        scaling: Scaling::Auto,
        files: files
            .map(|(name, sha256)| FileEntry { name, sha256 })
            .collect(),
    })
}

/// The twin is drawn from a seed of its own, so that --seed changes the splits and nothing else.
fn synthetic(args: &ReproduceArgs, name: &str) -> Result<Input, Failure> {
    let twin = Twin::ALL.into_iter().find(|twin| twin.name() == name);
    let twin = twin.expect("every data set of the paper has a twin");
    if !args.synthetic {
        let place = args.data.as_ref();
        let place = place.map_or(String::new(), |data| format!(" in {}", data.display()));
        let message = format!("no copy of {name} was found{place}: running on its synthetic twin");
        let remedy = format!("`mmoc datasets get {name}` fetches the real data");
        output::message("note", &format!("{message}; {remedy}"));
    }
    Ok(Input {
        dataset: twin.generate(Seed::new(0))?,
        source: Source::Synthetic,
        scaling: Scaling::Auto,
        files: Vec::new(),
    })
}
