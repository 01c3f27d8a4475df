//! The predictions of other programs as entrants of an experiment.

use mmoc_experiment::{Entrant, ExternalPrediction};

use crate::args::ExternalFile;
use crate::failure::Failure;
use crate::file_entry::entry;
use crate::kept::Kept;

/// An entrant for each name, in the order in which they are given first. Each has a file for every data set.
pub(crate) fn entrants(files: &[ExternalFile], tests: &[Kept]) -> Result<Vec<Entrant>, Failure> {
    let names = names(files).into_iter();
    names.map(|name| entrant(name, files, tests)).collect()
}

fn entrant(name: &str, files: &[ExternalFile], tests: &[Kept]) -> Result<Entrant, Failure> {
    let own = files.iter().filter(|file| file.name == name);
    let predictions = own.zip(tests).map(|(given, test)| {
        Ok(ExternalPrediction {
            prediction: test.predictions(&given.file)?,
            file: entry(&given.file)?,
        })
    });
    let predictions = predictions.collect::<Result<_, Failure>>()?;
    Ok(Entrant::external(name, predictions))
}

/// Each name once, in the order in which they are given first.
fn names(files: &[ExternalFile]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for file in files {
        if !names.contains(&file.name.as_str()) {
            names.push(&file.name);
        }
    }
    names
}

/// Fails unless each name has a file for each data set.
pub(crate) fn check_numbers(files: &[ExternalFile], datasets: usize) -> Result<(), Failure> {
    for name in names(files) {
        let own = files.iter().filter(|file| file.name == name).count();
        if own != datasets {
            return Err(Failure::wrong_usage(format!(
                "--external {name}: every data set needs one file of its predictions, in the same order: \
                 there are {datasets} and {own}"
            )));
        }
    }
    Ok(())
}
