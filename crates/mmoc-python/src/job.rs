//! Long computations that Ctrl-C interrupts.

use std::time::Duration;

use mmoc::{Job, Result};
use pyo3::prelude::*;

use crate::failure::exception;

/// The interval at which Python is asked for signals.
const POLLING_INTERVAL: Duration = Duration::from_millis(50);

/// How long to wait for work to stop. A large factorisation may take longer; it then ends on its own threads.
const GRACE: Duration = Duration::from_millis(700);

/// Runs work on the given number of threads, without the interpreter's lock.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let mut job = Job::begin(threads, work).map_err(exception)?;
    loop {
        let (again, outcome) = wait(py, job, POLLING_INTERVAL);
        if let Some(result) = outcome {
            return result.map_err(exception);
        }
        job = again;
        if let Err(interrupt) = py.check_signals() {
            job.stop();
            wait(py, job, GRACE);
            return Err(interrupt);
        }
    }
}

fn wait<T: Send + 'static>(
    py: Python<'_>,
    job: Job<T>,
    most: Duration,
) -> (Job<T>, Option<Result<T>>) {
    py.detach(move || {
        let outcome = job.wait(most);
        (job, outcome)
    })
}
