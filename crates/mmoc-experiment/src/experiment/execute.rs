//! Runs the missing part of an experiment.

use crate::{Runs, run_jobs};
use mmoc::method::Method;
use mmoc::{Progress, Result};

use super::Experiment;
use super::code_picture::CodePicture;
use super::record::{Record, RecordKey};
use super::shard::Shard;

/// A run of a data set, and the entrants that are missing in it, by number.
struct RunJob {
    dataset: usize,
    run: usize,
    missing: Vec<usize>,
}

/// Computes every record of the shard that is not `done`, and passes each to `keep`.
pub(super) fn execute(
    experiment: &Experiment,
    plans: &[Runs<'_>],
    shard: Shard,
    done: impl Fn(&RecordKey) -> bool,
    progress: &dyn Progress,
    keep: impl Fn(Record) -> Result<()> + Sync,
) -> Result<()> {
    let jobs = jobs(experiment, plans, shard, done);
    progress.begin(jobs.iter().map(|job| job.missing.len()).sum());
    let threads = experiment.threads;
    run_jobs(jobs.len(), threads, |index| {
        let job = &jobs[index];
        let missing = job
            .missing
            .iter()
            .map(|&entrant| &experiment.design.entrants[entrant].method);
        let methods: Vec<&Method> = missing.collect();
        let plan = &plans[job.dataset];
        let size = plan.size(job.run)?;
        plan.run(job.run, &methods, |position, run, model| {
            let shown = &experiment.manifest.datasets[job.dataset].shown_labels;
            let code = (job.run == 0)
                .then(|| CodePicture::of(model, shown))
                .flatten();
            let key = experiment.key(job.dataset, job.run, job.missing[position]);
            keep(Record {
                key,
                size,
                results: run,
                code,
            })?;
            progress.advance();
            Ok(())
        })
    })?;
    Ok(())
}

fn jobs(
    experiment: &Experiment,
    plans: &[Runs<'_>],
    shard: Shard,
    done: impl Fn(&RecordKey) -> bool,
) -> Vec<RunJob> {
    let runs = plans
        .iter()
        .enumerate()
        .flat_map(|(dataset, plan)| (0..plan.count()).map(move |run| (dataset, run)));
    let of_shard = runs.enumerate().filter(|(index, _)| shard.has(*index));
    of_shard
        .map(|(_, (dataset, run))| {
            let all = 0..experiment.design.entrants.len();
            let missing = all.filter(|&entrant| !done(&experiment.key(dataset, run, entrant)));
            RunJob {
                dataset,
                run,
                missing: missing.collect(),
            }
        })
        .filter(|job| !job.missing.is_empty())
        .collect()
}
