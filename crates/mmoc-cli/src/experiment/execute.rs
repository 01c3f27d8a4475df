//! Runs what is missing of an experiment.

use mmoc::method::Method;
use mmoc::{Progress, Result};
use mmoc_experiment::{Runs, run_jobs};

use super::Experiment;
use super::picture::CodePicture;
use super::record::{Key, Record};
use super::shard::Shard;

/// The run of a data set in which methods are missing, by their numbers.
struct Job {
    dataset: usize,
    run: usize,
    missing: Vec<usize>,
}

/// Computes every record of the shard that is not `done`, and hands it over when it is there.
pub(super) fn execute(
    experiment: &Experiment,
    plans: &[Runs<'_>],
    shard: Shard,
    done: impl Fn(&Key) -> bool,
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
            .map(|&method| &experiment.methods[method]);
        let methods: Vec<&Method> = missing.collect();
        let plan = &plans[job.dataset];
        let size = plan.size(job.run)?;
        plan.run(job.run, &methods, |position, run, model| {
            let shown = &experiment.manifest.datasets[job.dataset].shown_labels;
            let code = (job.run == 0)
                .then(|| CodePicture::of(model, shown))
                .flatten();
            let key = experiment.key(job.dataset, job.run, job.missing[position]);
            keep(Record::new(key, size, run, code))?;
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
    done: impl Fn(&Key) -> bool,
) -> Vec<Job> {
    let runs = plans
        .iter()
        .enumerate()
        .flat_map(|(dataset, plan)| (0..plan.count()).map(move |run| (dataset, run)));
    let of_shard = runs.enumerate().filter(|(index, _)| shard.has(*index));
    of_shard
        .map(|(_, (dataset, run))| {
            let all = 0..experiment.methods.len();
            let missing = all.filter(|&method| !done(&experiment.key(dataset, run, method)));
            Job {
                dataset,
                run,
                missing: missing.collect(),
            }
        })
        .filter(|job| !job.missing.is_empty())
        .collect()
}
