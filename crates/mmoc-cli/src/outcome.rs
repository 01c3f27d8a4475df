//! What is done with the records of an experiment: summed up, written as a report, and shown.

use std::path::Path;

use crate::args::ExperimentArgs;
use crate::experiment::{Experiment, Manifest, Record, Shard};
use crate::failure::Failure;
use crate::progress::Bar;
use crate::summary::Summary;
use crate::{output, report, tables};

/// Runs what a folder lacks of an experiment. When nothing is missing any more, the results are shown.
pub(crate) fn run(
    experiment: &Experiment,
    args: &ExperimentArgs,
    json: bool,
) -> Result<(), Failure> {
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let records = experiment.run_in(&args.out, shard, &Bar::default())?;
    let total = experiment.manifest.fits();
    if records.len() < total {
        let folder = args.out.display();
        let done = format!("{} of {total} fits are in {folder}", records.len());
        output::message(
            "part",
            &format!("{done}; `mmoc report` puts parts together"),
        );
        return Ok(());
    }
    show(&args.out, &experiment.manifest, &records, json)
}

/// Shows the results and writes the report into the folder.
pub(crate) fn show(
    folder: &Path,
    manifest: &Manifest,
    records: &[Record],
    json: bool,
) -> Result<(), Failure> {
    let summary = Summary::new(manifest, records)?;
    summary
        .warnings()
        .for_each(|warning| output::message("warning", &warning));
    report::write(&summary, folder)?;
    if json {
        output::json(&summary)?;
    } else {
        output::text(&tables::describe(&summary))?;
    }
    let path = folder.join(report::FILE);
    output::message("report", &path.display().to_string());
    Ok(())
}
