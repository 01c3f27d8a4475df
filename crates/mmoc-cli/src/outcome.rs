//! Running an experiment in a folder, and showing its results.

use std::io::IsTerminal;
use std::path::Path;

use mmoc_experiment::text::{self, Emphasis, counted};
use mmoc_experiment::{Experiment, REPORT_FILE, Results, Shard, write_report, write_tables};

use crate::args::{ExperimentArgs, ShownArgs};
use crate::failure::Failure;
use crate::output;
use crate::progress::Bar;

/// Runs the part of an experiment that its folder does not have yet. Once it is complete, the results are shown.
pub(crate) fn run(
    experiment: &Experiment,
    args: &ExperimentArgs,
    json: bool,
) -> Result<(), Failure> {
    check_tables(&args.shown)?;
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let results = experiment.run_in(&args.out, shard, &Bar::default())?;
    if results.is_complete() {
        return show(&args.out, &results, &args.shown, json);
    }
    let (done, total) = (results.records().len(), results.manifest().fits());
    let folder = args.out.display();
    output::message(
        "part",
        &format!("{done} of {total} fits are in {folder}; `mmoc report` merges parts"),
    );
    Ok(())
}

/// Shows the results and writes the report into the folder.
pub(crate) fn show(
    folder: &Path,
    results: &Results,
    shown: &ShownArgs,
    json: bool,
) -> Result<(), Failure> {
    check_tables(shown)?;
    let summary = results.summary_of(&shown.metrics())?;
    for warning in summary.warnings() {
        output::message("warning", &warning);
    }
    write_report(&summary, folder)?;
    if json {
        output::json(&summary)?;
    } else {
        output::text(&text::comparison(&summary, emphasis()))?;
    }
    let path = folder.join(REPORT_FILE);
    output::message("report", &path.display().to_string());
    if let Some(folder) = &shown.tables {
        let files = counted(write_tables(&summary, folder)?.len(), "table");
        output::message("wrote", &format!("{files} to {}", folder.display()));
    }
    Ok(())
}

/// Fails if tables cannot be written where they should be.
fn check_tables(shown: &ShownArgs) -> Result<(), Failure> {
    match &shown.tables {
        Some(folder) if folder.is_file() => Err(Failure::wrong_usage(format!(
            "--tables {}: is a file, and must be a folder",
            folder.display()
        ))),
        _ => Ok(()),
    }
}

/// Bold text, if standard output is a terminal and `NO_COLOR` does not forbid it.
fn emphasis() -> Emphasis {
    let is_forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if std::io::stdout().is_terminal() && !is_forbidden {
        Emphasis::Bold
    } else {
        Emphasis::Plain
    }
}
