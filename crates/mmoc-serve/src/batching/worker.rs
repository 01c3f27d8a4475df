//! Threads that take requests, parse them, predict them and write their answers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use mmoc::Answer;
use rayon::ThreadPoolBuilder;

use super::group::{Parsed, groups, predict};
use super::queue::{Job, Queues};
use crate::config::Limits;
use crate::error::{Error, Result};
use crate::metrics::Metrics;
use crate::protocol::Part;
use crate::refusal::Refusal;

/// Starts workers that end when the queues are closed.
pub(crate) fn start(
    queues: &Arc<Queues>,
    limits: Limits,
    metrics: &Arc<Metrics>,
    count: usize,
) -> Result<Vec<JoinHandle<()>>> {
    let start = |number: usize| {
        let (queues, metrics) = (Arc::clone(queues), Arc::clone(metrics));
        let thread = thread::Builder::new().name(format!("predict-{number}"));
        thread.spawn(move || work(&queues, limits, &metrics))
    };
    let started: std::io::Result<_> = (0..count).map(start).collect();
    started.map_err(Error::System)
}

/// The parallel loops of the library run on the worker itself: another thread would have to be woken for every request.
fn work(queues: &Queues, limits: Limits, metrics: &Metrics) {
    let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    let pool = pool.build();
    while let Some(jobs) = queues.take() {
        match &pool {
            Ok(pool) => pool.install(|| answer_all(jobs, limits, metrics)),
            Err(_) => answer_all(jobs, limits, metrics),
        }
    }
}

fn answer_all(jobs: Vec<Job>, limits: Limits, metrics: &Metrics) {
    let wanted = jobs.into_iter().filter(|job| !job.reply.is_closed());
    let parsed = wanted.filter_map(|job| parse(job, limits)).collect();
    for group in groups(parsed) {
        answer(group, metrics);
    }
}

/// The request in a form that can be predicted; if it has none, that is its answer.
fn parse(job: Job, limits: Limits) -> Option<Parsed> {
    let asked = guarded(|| job.call.parse(&job.served, limits.rows));
    match asked {
        Ok(asked) => Some(Parsed { job, asked }),
        Err(refusal) => {
            // Nobody may listen any more.
            let _ = job.reply.send(Err(refusal));
            None
        }
    }
}

/// Predicts a group and answers its requests. If that fails, it is found out which of them is to blame.
fn answer(group: Vec<Parsed>, metrics: &Metrics) {
    match guarded(|| predict(&group)) {
        Ok(answer) => {
            let rows = group.iter().map(Parsed::rows).sum();
            metrics.predicted(&group[0].job.served.name, rows);
            reply_all(group, &answer);
        }
        Err(refusal) if group.len() == 1 => {
            group.into_iter().for_each(|one| {
                let _ = one.job.reply.send(Err(refusal.clone()));
            });
        }
        Err(_) => group.into_iter().for_each(|one| answer(vec![one], metrics)),
    }
}

fn reply_all(group: Vec<Parsed>, answer: &Answer) {
    let mut start = 0;
    for one in group {
        let end = start + one.rows();
        let part = Part {
            answer,
            rows: start..end,
        };
        let written = guarded(|| one.asked.write(&one.job.served, &part));
        let _ = one.job.reply.send(written);
        start = end;
    }
}

/// A panic in the work for a request must not end the worker.
fn guarded<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Refusal::internal()))
}
