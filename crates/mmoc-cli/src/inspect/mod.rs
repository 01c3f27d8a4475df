//! `mmoc inspect`: what is in a data set or in a model.

mod dataset;
mod model;

use std::path::Path;

use mmoc::data::DatasetStatistics;
use mmoc::model_file::is_model_file;

use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::load::load;
use crate::{output, trained};

pub(crate) use model::Described;

pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    let files = args.data.files.as_slice();
    match files.iter().find(|file| is_meant_as_model(file, args)) {
        Some(model) => {
            check_alone(model, args)?;
            inspect_model(model, args.json)
        }
        None => inspect_data(args),
    }
}

/// Whether a file is a model, or is called one where nothing else says what it is: then it is told what is wrong with
/// it as a model.
fn is_meant_as_model(path: &Path, args: &InspectArgs) -> bool {
    let is_called_so = path
        .extension()
        .is_some_and(|extension| extension == "mmoc");
    is_model_file(path) || (is_called_so && args.data.read.format.is_none())
}

/// A model is inspected by itself, and how data is read does not concern it.
fn check_alone(model: &Path, args: &InspectArgs) -> Result<(), Failure> {
    let path = model.display();
    if args.data.files.len() > 1 {
        let message = format!("{path} is a model, which is inspected by itself");
        return Err(Failure::wrong_usage(message));
    }
    match args.data.read.options().first() {
        Some(option) => Err(Failure::wrong_usage(format!(
            "{option} says how data is read, and {path} is a model"
        ))),
        None => Ok(()),
    }
}

fn inspect_data(args: &InspectArgs) -> Result<(), Failure> {
    let summary = DatasetStatistics::of(&load(&args.data)?);
    if args.json {
        output::json(&summary)
    } else {
        output::text(&dataset::describe(&summary))
    }
}

fn inspect_model(path: &Path, json: bool) -> Result<(), Failure> {
    let trained = trained::load(path)?;
    if json {
        output::json(&Described::of(&trained))
    } else {
        output::text(&model::describe(&trained))
    }
}
