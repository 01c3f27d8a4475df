//! Runs the missing part of an experiment.

use crate::{Run, Runs, run_jobs};
use mmoc::method::{Method, Predictor};
use mmoc::{Progress, Result};

use super::Experiment;
use super::code_picture::CodePicture;
use super::entrant::EntrantKind;
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
        run_job(experiment, plans, &jobs[index], |record| {
            keep(record)?;
            progress.advance();
            Ok(())
        })
    })?;
    Ok(())
}

/// Computes the records of one job, and passes each to `keep`.
fn run_job(
    experiment: &Experiment,
    plans: &[Runs<'_>],
    job: &RunJob,
    mut keep: impl FnMut(Record) -> Result<()>,
) -> Result<()> {
    let plan = &plans[job.dataset];
    let size = plan.size(job.run)?;
    let mut keep = |entrant: usize, results: Run, code: Option<CodePicture>| {
        keep(Record {
            key: experiment.key(job.dataset, job.run, entrant),
            size,
            results,
            code,
        })
    };
    let mut methods: Vec<(usize, &Method)> = Vec::new();
    for &entrant in &job.missing {
        match &experiment.design.entrants[entrant].kind {
            EntrantKind::Method(method) => methods.push((entrant, method)),
            EntrantKind::External(predictions) => {
                let prediction = &predictions[job.dataset].prediction;
                keep(entrant, plan.score(job.run, prediction)?, None)?;
            }
            EntrantKind::OfCaller { .. } => unreachable!("such experiments are not executed"),
        }
    }
    if methods.is_empty() {
        return Ok(());
    }
    let (entrants, methods): (Vec<usize>, Vec<&Method>) = methods.into_iter().unzip();
    let shown = &experiment.manifest.datasets[job.dataset].shown_labels;
    let picture = |model: &Predictor| CodePicture::of(model, shown);
    plan.run(job.run, &methods, |position, run, model| {
        let code = (job.run == 0).then(|| picture(model)).flatten();
        keep(entrants[position], run, code)
    })
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
