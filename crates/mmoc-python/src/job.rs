//! Long computations that Ctrl-C interrupts.
//!
//! They run on threads of their own, which never take the interpreter's lock: at the exit of the interpreter such a thread
//! would end the process. What they want of Python, they ask of the thread of the caller.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mmoc::{Error, Job, Progress, Result};
use pyo3::prelude::*;

use crate::failure::{exception, exception_of_work};

/// The interval at which Python is asked for signals.
const POLLING_INTERVAL: Duration = Duration::from_millis(50);

/// How long to wait for work to stop. A large factorisation may take longer; it then ends on its own threads.
const GRACE: Duration = Duration::from_millis(700);

/// Something that the thread of the caller does with the interpreter's lock. What it raises ends the work.
type Call = Box<dyn FnOnce(Python<'_>) -> PyResult<()> + Send>;

/// The thread that called for some work, as the work sees it.
#[derive(Clone)]
pub(crate) struct Caller(Arc<Mutex<Sender<Call>>>);

impl Caller {
    fn new() -> (Self, Receiver<Call>) {
        let (sender, calls) = channel();
        (Self(Arc::new(Mutex::new(sender))), calls)
    }

    /// Lets the caller do something as soon as it can.
    fn tell(&self, call: impl FnOnce(Python<'_>) -> PyResult<()> + Send + 'static) {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // After an interrupt nobody listens any more.
        let _ = calls.send(Box::new(call));
    }

    /// What the caller finds by Python. Fails if it no longer waits for the work.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        find: impl FnOnce(Python<'_>) -> PyResult<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, found) = channel();
        self.tell(move |py| {
            let _ = sender.send(find(py)?);
            Ok(())
        });
        found.recv().map_err(|_| Error::Stopped)
    }
}

/// Tells the caller the stages of some work.
pub(crate) struct Reporter {
    caller: Caller,
    /// Called with each stage and the seconds after which it began.
    report: Option<Arc<Py<PyAny>>>,
    start: Instant,
}

impl Progress for Reporter {
    fn begin(&self, _total: usize) {}

    fn advance(&self) {}

    fn stage(&self, name: &str) {
        let Some(report) = self.report.clone() else {
            return;
        };
        let stage = (name.to_string(), self.start.elapsed().as_secs_f64());
        self.caller
            .tell(move |py| report.call1(py, stage).map(|_| ()));
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
    run_with_caller(py, threads, report, |reporter, _| work(reporter))
}

/// The same for work that asks the caller.
pub(crate) fn run_with_caller<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    report: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Reporter, &Caller) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let (caller, mut calls) = Caller::new();
    let reporter = Reporter {
        caller: caller.clone(),
        report: report.map(|report| Arc::new(report.clone().unbind())),
        start: Instant::now(),
    };
    let job = Job::begin(threads, move || work(&reporter, &caller)).map_err(exception)?;
    loop {
        let (again, call) = py.detach(move || {
            let call = calls.recv_timeout(POLLING_INTERVAL);
            (calls, call)
        });
        calls = again;
        let done = match call {
            Ok(call) => call(py),
            Err(RecvTimeoutError::Timeout) => py.check_signals(),
            // The work has ended, and with it whoever could call.
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if let Err(raised) = done {
            job.stop();
            // Nobody gets an answer any more.
            drop(calls);
            wait(py, job, GRACE);
            return Err(raised);
        }
    }
    let result = wait(py, job, Duration::MAX).unwrap_or(Err(Error::Stopped));
    result.map_err(|error| exception_of_work(error, threads))
}

fn wait<T: Send + 'static>(py: Python<'_>, job: Job<T>, most: Duration) -> Option<Result<T>> {
    py.detach(move || job.wait(most))
}
