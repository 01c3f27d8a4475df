//! Long work that Ctrl-C stops.

use std::time::Duration;

use mmoc::{Job, Result};
use pyo3::prelude::*;

use crate::failure::exception;

/// How often Python is asked whether there was a signal.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long work that was told to stop is waited for. What takes longer, one large factorisation, ends by itself on
/// its own threads.
const GRACE: Duration = Duration::from_millis(700);

/// Does work on so many threads, without the interpreter's lock.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let mut job = Job::begin(threads, work).map_err(exception)?;
    loop {
        let (again, outcome) = wait(py, job, PATIENCE);
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
