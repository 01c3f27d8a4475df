//! `mmoc compare`: methods side by side on any data.

use std::path::{Path, PathBuf};

use mmoc::Error;
use mmoc::data::Dataset;
use mmoc::method::Method;
use mmoc::train::fingerprint;
use mmoc_experiment::{Design, Experiment, FileEntry, InputDataset, Provenance};
use mmoc_io::catalogue::sha256_of_file;

use crate::args::{CompareArgs, DataArgs};
use crate::failure::Failure;
use crate::load::load;
use crate::parameters::{adjusted, chosen, suitable_preset};
use crate::{outcome, standard_input};

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
    let files = &args.data.files;
    let groups: Vec<Vec<PathBuf>> = if args.each {
        files.iter().map(|file| vec![file.clone()]).collect()
    } else {
        vec![files.clone()]
    };
    groups.into_iter().map(|files| input(args, files)).collect()
}

fn input(args: &CompareArgs, files: Vec<PathBuf>) -> Result<InputDataset, Failure> {
    let data = DataArgs {
        files,
        ..args.data.clone()
    };
    let dataset = load(&data)?;
    let entries = data.files.iter().map(|path| entry(path));
    Ok(InputDataset {
        source: Provenance::Real,
        scaling: args.split.scale,
        files: entries.collect::<Result<_, Failure>>()?,
        fingerprint: Some(fingerprint(dataset.view())),
        dataset,
    })
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
