//! `mmoc compare`: methods side by side on any data.

use std::path::{Path, PathBuf};

use mmoc::Error;
use mmoc::data::Dataset;
use mmoc::method::Method;
use mmoc_experiment::{Design, Experiment, FileEntry, InputDataset, TestRows};
use mmoc_io::catalogue::sha256_of_file;

use crate::args::{CompareArgs, DataArgs};
use crate::failure::Failure;
use crate::parameters::{adjusted, chosen, suitable_preset};
use crate::{outcome, published, standard_input};

pub(crate) fn run(args: &CompareArgs) -> Result<(), Failure> {
    if standard_input::is_among(&args.data.files) {
        return Err(Failure::wrong_usage(
            "compare records the names and digests of its files, which standard input (-) does not have",
        ));
    }
    let shared = &args.experiment;
    let inputs = inputs(args)?;
    let datasets = || inputs.iter().map(|input| &input.dataset);
    let labels = datasets().map(|dataset| dataset.labels().count()).max();
    let rows = datasets().map(Dataset::rows).min();
    let preset = suitable_preset(args.preset, labels.unwrap_or(0));
    let protocol = args.split.protocol(rows.unwrap_or(0));
    let design = Design::new(chosen(&args.methods), protocol).with_preset(preset);
    let reference = args.reference.as_ref().map(Method::name);
    let mut design = adjusted(design, &shared.set, reference)?;
    design.command = "compare".into();
    design.data_options = args.data.read.options();
    design.seed = args.run.seed;
    let experiment = Experiment::new(design, inputs)?.with_threads(args.run.threads.count());
    outcome::run(&experiment, shared, args.run.json)
}

fn inputs(args: &CompareArgs) -> Result<Vec<InputDataset>, Failure> {
    let groups = groups(args)?.into_iter();
    groups
        .map(|(files, test)| input(args, files, &test))
        .collect()
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
) -> Result<InputDataset, Failure> {
    let data = DataArgs {
        files,
        ..args.data.clone()
    };
    let parts = published::load(&data, test_files)?;
    let test = parts.test.map(|test| {
        Ok::<_, Failure>(TestRows {
            files: entries(test_files)?,
            ..TestRows::new(test.dataset)
        })
    });
    Ok(InputDataset {
        scaling: args.split.scale,
        files: entries(&data.files)?,
        test: test.transpose()?,
        ..InputDataset::new(parts.train)
    })
}

fn entries(files: &[PathBuf]) -> Result<Vec<FileEntry>, Failure> {
    files.iter().map(|path| entry(path)).collect()
}

fn entry(path: &Path) -> Result<FileEntry, Failure> {
    let name = path.file_name().unwrap_or_default();
    let sha256 = sha256_of_file(path).map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })?;
    Ok(FileEntry {
        name: name.to_string_lossy().into_owned(),
        sha256,
    })
}
