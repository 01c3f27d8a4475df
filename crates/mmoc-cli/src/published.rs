//! Published splits: files to train on, and others to test on.

use std::path::PathBuf;

use mmoc::data::{Dataset, Schema};
use mmoc_io::read_matched;

use crate::args::DataArgs;
use crate::failure::Failure;
use crate::kept::Kept;
use crate::{load, output, standard_input};

/// The rows to train on, and those to test on if there are files of them.
pub(crate) struct Parts {
    pub(crate) train: Dataset,
    pub(crate) test: Option<TestPart>,
}

/// The rows to test on.
pub(crate) struct TestPart {
    pub(crate) dataset: Dataset,
    /// What of their files they are.
    pub(crate) kept: Kept,
}

/// Reads the data, and the test files as their columns and labels say.
pub(crate) fn load(args: &DataArgs, test: &[PathBuf]) -> Result<Parts, Failure> {
    if standard_input::is_among(test) {
        return Err(Failure::wrong_usage(
            "--test must be a file: - stands for standard input, which only DATA can be",
        ));
    }
    let whole = load::read(args)?.dataset;
    // All labels of a file must be known for it to be read, those that are left out too.
    let schema = whole.schema();
    let train = load::kept(whole, &args.read)?;
    let test = (!test.is_empty()).then(|| load_test(args, test, &schema, &train));
    let test = test.transpose()?;
    Ok(Parts { train, test })
}

fn load_test(
    args: &DataArgs,
    files: &[PathBuf],
    schema: &Schema,
    train: &Dataset,
) -> Result<TestPart, Failure> {
    warn_of_common_files(args, files);
    let matched = read_matched(files, schema, &args.read.read_options())?;
    load::note(&matched.notes);
    let kept = Kept::of(
        &matched.dataset,
        &matched.left_out,
        train.label_names(),
        &args.read,
    )?;
    let dataset = kept.rows_of(&matched.dataset)?;
    Ok(TestPart { dataset, kept })
}

/// Scores of rows that were trained on say nothing about new ones.
fn warn_of_common_files(args: &DataArgs, test: &[PathBuf]) {
    for file in test.iter().filter(|file| args.files.contains(file)) {
        let file = file.display();
        output::message("warning", &format!("{file} is both trained on and tested"));
    }
}
