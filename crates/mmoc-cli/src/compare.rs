//! `mmoc compare`: methods side by side on any data.

use std::path::PathBuf;

use mmoc::data::Dataset;
use mmoc_experiment::{Design, Experiment, FileEntry, InputDataset, TestRows};

use crate::args::{CompareArgs, DataArgs};
use crate::failure::Failure;
use crate::file_entry::entry;
use crate::kept::Kept;
use crate::parameters::{adjusted, chosen, suitable_preset};
use crate::{external, outcome, published, standard_input};

pub(crate) fn run(args: &CompareArgs) -> Result<(), Failure> {
    if standard_input::is_among(&args.data.files) {
        return Err(Failure::wrong_usage(
            "compare records the names and digests of its files, which standard input (-) does not have",
        ));
    }
    let shared = &args.experiment;
    let (inputs, tests) = inputs(args)?;
    let datasets = || inputs.iter().map(|input| &input.dataset);
    let labels = datasets().map(|dataset| dataset.labels().count()).max();
    let rows = datasets().map(Dataset::rows).min();
    let preset = suitable_preset(args.preset, labels.unwrap_or(0));
    let protocol = args.split.protocol(rows.unwrap_or(0));
    let mut design = Design::new(chosen(&args.methods), protocol).with_preset(preset);
    let external = external::entrants(&args.external, &tests)?;
    design.entrants.extend(external);
    let mut design = adjusted(design, &shared.set, args.reference.as_deref())?;
    design.command = "compare".into();
    design.data_options = args.data.read.options();
    design.seed = args.run.seed;
    let experiment = Experiment::new(design, inputs)?.with_threads(args.run.threads.count());
    outcome::run(&experiment, shared, args.run.json)
}

/// The data sets, and what is used of their test files.
fn inputs(args: &CompareArgs) -> Result<(Vec<InputDataset>, Vec<Kept>), Failure> {
    let groups = groups(args)?;
    external::check_numbers(&args.external, groups.len())?;
    let (mut inputs, mut tests) = (Vec::new(), Vec::new());
    for (files, test) in groups {
        let (input, kept) = input(args, files, &test)?;
        inputs.push(input);
        tests.extend(kept);
    }
    Ok((inputs, tests))
}

/// The files of each data set, and its test files.
fn groups(args: &CompareArgs) -> Result<Vec<(Vec<PathBuf>, Vec<PathBuf>)>, Failure> {
    let (files, test) = (&args.data.files, &args.split.test);
    if !args.each {
        return Ok(vec![(files.clone(), test.clone())]);
    }
    let alone = |file: &PathBuf| vec![file.clone()];
    if test.is_empty() {
        return Ok(files.iter().map(|file| (alone(file), Vec::new())).collect());
    }
    if files.len() != test.len() {
        return Err(Failure::wrong_usage(format!(
            "with --each every DATA needs a --test of its own, in the same order: there are {} and {}",
            files.len(),
            test.len()
        )));
    }
    let pairs = files.iter().zip(test);
    Ok(pairs
        .map(|(file, test)| (alone(file), alone(test)))
        .collect())
}

fn input(
    args: &CompareArgs,
    files: Vec<PathBuf>,
    test_files: &[PathBuf],
) -> Result<(InputDataset, Option<Kept>), Failure> {
    let data = DataArgs {
        files,
        ..args.data.clone()
    };
    let parts = published::load(&data, test_files)?;
    let mut input = InputDataset {
        scaling: args.split.scale,
        files: entries(&data.files)?,
        ..InputDataset::new(parts.train)
    };
    let Some(test) = parts.test else {
        return Ok((input, None));
    };
    input.test = Some(TestRows {
        files: entries(test_files)?,
        ..TestRows::new(test.dataset)
    });
    Ok((input, Some(test.kept)))
}

fn entries(files: &[PathBuf]) -> Result<Vec<FileEntry>, Failure> {
    files.iter().map(|path| entry(path)).collect()
}
