//! Long computations that Ctrl-C interrupts.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mmoc::{Job, Progress, Result};
use pyo3::prelude::*;

use crate::failure::{exception, exception_of_work};

/// The interval at which Python is asked for signals.
const POLLING_INTERVAL: Duration = Duration::from_millis(50);

/// How long to wait for work to stop. A large factorisation may take longer; it then ends on its own threads.
const GRACE: Duration = Duration::from_millis(700);

/// A stage of the work, and the seconds after which it began.
type Stage = (String, f64);

/// The stages of some work, which its threads report and the thread of the caller tells Python.
///
/// Threads of the work never wait for the interpreter's lock.
pub(crate) struct Reporter {
    stages: Mutex<Sender<Stage>>,
    start: Instant,
}

impl Progress for Reporter {
    fn begin(&self, _total: usize) {}

    fn advance(&self) {}

    fn stage(&self, name: &str) {
        let seconds = self.start.elapsed().as_secs_f64();
        let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        // After an interrupt nobody listens any more.
        let _ = stages.send((name.into(), seconds));
    }
}

/// Runs work on the given number of threads, without the interpreter's lock.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    run_with_reports(py, threads, None, |_| work())
}

/// The same. `report` is called with each stage and the seconds after which it began.
pub(crate) fn run_with_reports<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    report: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Reporter) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let (sender, stages) = channel();
    let reporter = Reporter {
        stages: Mutex::new(sender),
        start: Instant::now(),
    };
    let mut job = Job::begin(threads, move || work(&reporter)).map_err(exception)?;
    loop {
        let (again, outcome) = wait(py, job, POLLING_INTERVAL);
        tell(report, &stages)?;
        if let Some(result) = outcome {
            return result.map_err(|error| exception_of_work(error, threads));
        }
        job = again;
        if let Err(interrupt) = py.check_signals() {
            job.stop();
            wait(py, job, GRACE);
            return Err(interrupt);
        }
    }
}

/// Calls `report` with the stages that have begun since the last time.
fn tell(report: Option<&Bound<'_, PyAny>>, stages: &Receiver<Stage>) -> PyResult<()> {
    let Some(report) = report else { return Ok(()) };
    for stage in stages.try_iter() {
        report.call1(stage)?;
    }
    Ok(())
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
