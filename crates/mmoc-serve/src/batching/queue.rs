//! Requests that wait for a prediction, in a bounded queue for each model.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::metrics::Metrics;
use crate::models::Served;
use crate::protocol::{Answered, Call};
use crate::refusal::Refusal;

/// A request for predictions.
pub(crate) struct Job {
    /// The model as it was when the request came.
    pub(crate) served: Arc<Served>,
    pub(crate) call: Call,
    /// Where the answer goes. Nobody listens after the request was given up.
    pub(crate) reply: oneshot::Sender<Result<Answered, Refusal>>,
}

/// The queues of all models.
pub(crate) struct Queues {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    capacity: usize,
    workers: usize,
    metrics: Arc<Metrics>,
}

struct Waiting {
    jobs: Vec<VecDeque<Job>>,
    /// The model whose turn it is.
    turn: usize,
    closed: bool,
}

impl Queues {
    pub(crate) fn new(
        models: usize,
        capacity: usize,
        workers: usize,
        metrics: Arc<Metrics>,
    ) -> Self {
        let waiting = Waiting {
            jobs: (0..models).map(|_| VecDeque::new()).collect(),
            turn: 0,
            closed: false,
        };
        Self {
            waiting: Mutex::new(waiting),
            changed: Condvar::new(),
            capacity,
            workers,
            metrics,
        }
    }

    /// Adds a request to the queue of a model, unless it is full.
    pub(crate) fn push(&self, model: usize, job: Job) -> Result<(), Refusal> {
        let mut waiting = self.lock();
        let queue = &mut waiting.jobs[model];
        if queue.len() >= self.capacity {
            return Err(Refusal::unavailable(
                "too many requests wait for this model",
            ));
        }
        // While the queue is locked, so that no older length is told after a newer one.
        self.metrics.waiting(&job.served.name, queue.len() + 1);
        queue.push_back(job);
        drop(waiting);
        self.changed.notify_one();
        Ok(())
    }

    /// Waits for requests and takes those of one model: its share of them if there are several workers, and no more than
    /// a batch has rows. None if the queues are closed and empty.
    pub(crate) fn take(&self) -> Option<Vec<Job>> {
        let mut waiting = self.lock();
        loop {
            if let Some((jobs, left)) = waiting.take(self.workers) {
                self.metrics.waiting(&jobs[0].served.name, left);
                let others_wait = waiting.jobs.iter().any(|queue| !queue.is_empty());
                drop(waiting);
                if others_wait {
                    self.changed.notify_one();
                }
                return Some(jobs);
            }
            if waiting.closed {
                return None;
            }
            let woken = self.changed.wait(waiting);
            waiting = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets the workers end when nothing waits.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Requests of one model, and how many of it are left.
    fn take(&mut self, workers: usize) -> Option<(Vec<Job>, usize)> {
        let models = self.jobs.len();
        let order = (0..models).map(|step| (self.turn + step) % models);
        let model = order
            .into_iter()
            .find(|&model| !self.jobs[model].is_empty())?;
        self.turn = (model + 1) % models;
        let queue = &mut self.jobs[model];
        let share = queue.len().div_ceil(workers);
        let most = queue[0].served.model.batch_rows();
        let taken = queue.drain(..share.min(most)).collect();
        Some((taken, queue.len()))
    }
}
