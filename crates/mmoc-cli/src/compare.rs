//! `mmoc compare`: methods side by side on any data.

use std::path::{Path, PathBuf};

use mmoc_experiment::{Design, Experiment, FileEntry, InputDataset, TestRows};

use crate::args::{CompareArgs, DataArgs};
use crate::failure::Failure;
use crate::file_entry::entry;
use crate::kept::Kept;
use crate::parameters::{adjusted, entrants, with_own_settings};
use crate::{external, outcome, output, published, standard_input};

pub(crate) fn run(args: &CompareArgs) -> Result<(), Failure> {
    if standard_input::is_among(&args.data.files) {
        return Err(Failure::wrong_usage(
            "compare records the names and digests of its files, which standard input (-) does not have",
        ));
    }
    let shared = &args.experiment;
    let (inputs, tests) = inputs(args)?;
    let rows = inputs.iter().map(|input| input.dataset.rows()).min();
    let protocol = args.split.protocol(rows.unwrap_or(0));
    let design = Design::of_entrants(entrants(&args.methods)?, protocol).with_preset(args.preset);
    let mut design = with_own_settings(design, &args.methods)?;
    let external = external::entrants(&args.external, &tests)?;
    design.entrants.extend(external);
    keep_methods(&mut design, &shared.out)?;
    let mut design = adjusted(design, &shared.set, args.reference.as_deref())?;
    design.command = "compare".into();
    design.data_options = args.data.read.options();
    design.seed = args.run.seed;
    let experiment = Experiment::new(design, inputs)?.with_threads(args.run.threads.count());
    outcome::run(&experiment, shared, args.run.json)
}

/// What is added to an experiment stands beside what it has.
fn keep_methods(design: &mut Design, folder: &Path) -> Result<(), Failure> {
    let kept = design.keep_methods_of(folder)?;
    if !kept.is_empty() {
        let (folder, names) = (folder.display(), kept.join(", "));
        output::message(
            "note",
            &format!("{folder} has results of {names}, which stay in the comparison"),
        );
    }
    Ok(())
}

/// The files of a data set.
struct DatasetFiles {
    data: Vec<PathBuf>,
    test: Vec<PathBuf>,
}

/// The data sets, and what is used of their test files.
fn inputs(args: &CompareArgs) -> Result<(Vec<InputDataset>, Vec<Kept>), Failure> {
    let files = files(args)?;
    external::check_numbers(&args.external, files.len())?;
    let (mut inputs, mut tests) = (Vec::new(), Vec::new());
    for dataset in files {
        let (input, kept) = input(args, dataset)?;
        inputs.push(input);
        tests.extend(kept);
    }
    Ok((inputs, tests))
}

/// The files of each data set.
fn files(args: &CompareArgs) -> Result<Vec<DatasetFiles>, Failure> {
    let (data, test) = (&args.data.files, &args.split.test);
    if !args.each {
        let (data, test) = (data.clone(), test.clone());
        return Ok(vec![DatasetFiles { data, test }]);
    }
    if !test.is_empty() && test.len() != data.len() {
        return Err(Failure::wrong_usage(format!(
            "with --each every DATA needs a --test of its own, in the same order: there are {} and {}",
            data.len(),
            test.len()
        )));
    }
    let alone = |(index, file): (usize, &PathBuf)| DatasetFiles {
        data: vec![file.clone()],
        test: test.get(index).cloned().into_iter().collect(),
    };
    Ok(data.iter().enumerate().map(alone).collect())
}

fn input(args: &CompareArgs, files: DatasetFiles) -> Result<(InputDataset, Option<Kept>), Failure> {
    let data = DataArgs {
        files: files.data,
        ..args.data.clone()
    };
    let parts = published::load(&data, &files.test)?;
    let mut input = InputDataset {
        scaling: args.split.scale,
        missing: args.data.read.missing.filling(),
        files: entries(&data.files)?,
        ..InputDataset::new(parts.train)
    };
    let Some(test) = parts.test else {
        return Ok((input, None));
    };
    input.test = Some(TestRows {
        files: entries(&files.test)?,
        ..TestRows::new(test.dataset)
    });
    Ok((input, Some(test.kept)))
}

fn entries(files: &[PathBuf]) -> Result<Vec<FileEntry>, Failure> {
    files.iter().map(|path| entry(path)).collect()
}
