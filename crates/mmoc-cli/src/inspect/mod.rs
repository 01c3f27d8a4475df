//! `mmoc inspect`: what is in a data set or in a model.

mod dataset;
mod model;

use std::path::Path;

use mmoc::data::Summary;
use mmoc::model_file::is_model_file;

use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::load::load;
use crate::{output, trained};

pub(crate) use model::Described;

pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    let files = args.data.files.as_slice();
    match files.iter().find(|file| is_model(file)) {
        Some(model) if files.len() == 1 => inspect_model(model, args.json),
        Some(model) => Err(Failure::wrong_usage(format!(
            "{} is a model, which is inspected by itself",
            model.display()
        ))),
        None => inspect_data(args),
    }
}

/// Whether a file is a model, or is called like one.
fn is_model(path: &Path) -> bool {
    is_model_file(path)
        || path
            .extension()
            .is_some_and(|extension| extension == "mmoc")
}

fn inspect_data(args: &InspectArgs) -> Result<(), Failure> {
    let summary = Summary::of(&load(&args.data)?);
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
