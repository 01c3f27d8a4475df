//! `mmoc reproduce`: the paper's experiment.

use mmoc::Seed;
use mmoc::method::Method;
use mmoc_experiment::{Design, Experiment, FileEntry, InputDataset, Provenance, paper};
use mmoc_io::Twin;
use mmoc_io::catalogue::{FoundDataset, KnownDataset, Places};

use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::parameters::adjusted;
use crate::{outcome, output};

pub(crate) fn run(args: &ReproduceArgs) -> Result<(), Failure> {
    check_ninth(args)?;
    let shared = &args.experiment;
    let design = adjusted(design(args), &shared.set, reference(args))?;
    let experiment = Experiment::new(design, inputs(args)?)?;
    let experiment = experiment.with_threads(args.run.threads.count());
    outcome::run(&experiment, shared, args.run.json)
}

/// The experiment of the paper with the methods that were chosen.
fn design(args: &ReproduceArgs) -> Design {
    let protocol = args.train_size.splits(args.runs);
    let mut design = match args.preset {
        None => Design::of_entrants(paper::entrants(), protocol),
        Some(preset) => Design::new(Method::all(), protocol).with_preset(preset),
    };
    design
        .entrants
        .retain(|entrant| is_chosen(args, entrant.name()));
    design.command = paper::REPRODUCE.into();
    design.seed = args.run.seed;
    design
}

/// Fails if a preset, which is for the eight methods, and the ninth entrant are both asked for.
fn check_ninth(args: &ReproduceArgs) -> Result<(), Failure> {
    let ninth = paper::NINTH;
    if args.preset.is_none() || !args.methods.iter().any(|name| name == ninth) {
        return Ok(());
    }
    Err(Failure::wrong_usage(format!(
        "--method {ninth}: it has the default parameters and is run only without --preset"
    )))
}

fn is_chosen(args: &ReproduceArgs, name: &str) -> bool {
    args.methods.is_empty() || args.methods.iter().any(|chosen| chosen == name)
}

/// The entrant that the others are compared with, unless it is the usual one of any experiment.
fn reference(args: &ReproduceArgs) -> Option<&str> {
    let given = args.reference.as_deref();
    let has_ninth = args.preset.is_none() && is_chosen(args, paper::NINTH);
    given.or(has_ninth.then_some(paper::NINTH))
}

/// The data sets that were asked for, in the order of the paper.
fn inputs(args: &ReproduceArgs) -> Result<Vec<InputDataset>, Failure> {
    let asked = |name: &&str| args.datasets.is_empty() || args.datasets.iter().any(|d| d == name);
    let names = paper::DATASETS.into_iter().filter(asked);
    names.map(|name| input(args, name)).collect()
}

/// A data set as the paper prepared it, or its synthetic twin.
fn input(args: &ReproduceArgs, name: &str) -> Result<InputDataset, Failure> {
    if args.synthetic {
        return synthetic(name);
    }
    let known = KnownDataset::of(name).expect("the catalogue has the data sets of the paper");
    if let Some(found) = Places::new(args.data.as_deref())?.find(known)? {
        return real(known, &found);
    }
    let place = args.data.as_ref();
    let place = place.map_or(String::new(), |data| format!(" in {}", data.display()));
    let message = format!("no copy of {name} was found{place}: using its synthetic twin");
    let remedy = format!("`mmoc datasets get {name}` fetches the real data");
    output::message("note", &format!("{message}; {remedy}"));
    synthetic(name)
}

fn real(known: &KnownDataset, found: &FoundDataset) -> Result<InputDataset, Failure> {
    for (name, expected, sum) in found.differences() {
        let message = format!("its SHA-256 is {sum}, not {expected}; it is used as it is");
        let dataset = known.name;
        output::message(
            "warning",
            &format!("{name} is not the known file of {dataset}: {message}"),
        );
    }
    let loaded = found.read()?;
    for warning in &loaded.warnings {
        output::message("warning", &warning.to_string());
    }
    let dataset = match &known.in_the_paper {
        Some(preparation) => preparation.apply(loaded.dataset)?,
        None => loaded.dataset,
    };
    let entry = |(name, sha256): &(String, String)| FileEntry {
        name: name.clone(),
        sha256: sha256.clone(),
    };
    Ok(InputDataset {
        files: found.sha256.iter().map(entry).collect(),
        ..InputDataset::new(dataset)
    })
}

/// The twin has a seed of its own, so that --seed changes the splits and nothing else.
fn synthetic(name: &str) -> Result<InputDataset, Failure> {
    let twin = Twin::ALL.into_iter().find(|twin| twin.name() == name);
    let twin = twin.expect("every data set of the paper has a twin");
    Ok(InputDataset {
        source: Provenance::Synthetic,
        ..InputDataset::new(twin.generate(Seed::new(0))?)
    })
}
