//! Thread pools and background jobs.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::stop::Stop;
use crate::{Error, Result};

/// Runs a function on its own pool with the given number of threads; the result does not depend on the number.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    Ok(pool(threads, None)?.install(work))
}

/// A pool with the given number of threads.
pub fn thread_pool(threads: usize) -> Result<ThreadPool> {
    pool(threads, None)
}

/// An operation that runs in the background on its own pool. The caller can poll for its result and stop it.
///
/// ```
/// use std::time::Duration;
///
/// let job = mmoc::Job::begin(2, || Ok(6 * 7))?;
/// assert_eq!(job.wait(Duration::from_secs(60)).transpose()?, Some(42));
/// # Ok::<(), mmoc::Error>(())
/// ```
///
/// Dropping a job stops it.
#[derive(Debug)]
pub struct Job<T> {
    outcome: Receiver<thread::Result<Result<T>>>,
    stop: Stop,
}

impl<T: Send + 'static> Job<T> {
    /// Starts the operation on the given number of threads.
    pub fn begin(
        threads: usize,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<Self> {
        let (sender, outcome) = channel();
        let stop = Stop::default();
        // The pool ends with its last task, even if the handle is dropped before.
        pool(threads, Some(stop.clone()))?.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            // The receiver may have been dropped.
            let _ = sender.send(result);
        });
        Ok(Self { outcome, stop })
    }

    /// The result, or `None` if there is none after this time. It is returned once.
    ///
    /// # Panics
    /// If the operation panicked.
    pub fn wait(&self, most: Duration) -> Option<Result<T>> {
        match self.outcome.recv_timeout(most) {
            Ok(Ok(result)) => Some(result),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(Error::Stopped)),
        }
    }

    /// Stops the operation: it fails with [`Error::Stopped`] at its next check of the flag, unless it has finished
    /// by then.
    pub fn stop(&self) {
        self.stop.raise();
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

/// A pool with the given number of threads, which check the flag if there is one.
pub(crate) fn pool(threads: usize, stop: Option<Stop>) -> Result<ThreadPool> {
    let mut builder = ThreadPoolBuilder::new().num_threads(threads.max(1));
    if let Some(stop) = stop {
        builder = builder.start_handler(move |_| stop.watch());
    }
    let pool = builder.build();
    pool.map_err(|error| Error::Threads(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::stop::check_stop;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_pool_has_the_requested_threads() {
        for threads in [1, 3] {
            let found = with_threads(threads, rayon::current_num_threads).unwrap();
            assert_eq!(found, threads);
            let job = Job::begin(threads, || Ok(rayon::current_num_threads())).unwrap();
            assert_eq!(job.wait(LONG).unwrap().unwrap(), threads);
        }
    }

    /// Checks the flag on all threads of the pool until it is raised.
    fn endless() -> Result<()> {
        loop {
            let (a, b) = rayon::join(check_stop, check_stop);
            a.and(b)?;
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_job_runs_until_it_is_stopped() {
        let job = Job::begin(2, endless).unwrap();
        assert!(job.wait(Duration::from_millis(20)).is_none());
        job.stop();
        assert!(matches!(job.wait(LONG), Some(Err(Error::Stopped))));
    }

    #[test]
    fn dropping_a_job_stops_it() {
        let (sender, ended) = channel();
        let job = Job::begin(2, move || {
            let result = endless();
            sender.send(()).unwrap();
            result
        });
        drop(job.unwrap());
        ended.recv_timeout(LONG).unwrap();
    }

    #[test]
    fn a_panic_propagates_to_the_waiting_thread() {
        let job: Job<()> = Job::begin(1, || panic!("on purpose")).unwrap();
        let start = Instant::now();
        let found = catch_unwind(AssertUnwindSafe(|| job.wait(LONG))).unwrap_err();
        assert_eq!(found.downcast_ref(), Some(&"on purpose"));
        assert!(start.elapsed() < LONG);
    }

    #[test]
    fn stopping_a_job_does_not_stop_other_work() {
        assert!(check_stop().is_ok());
        let job = Job::begin(1, endless).unwrap();
        job.stop();
        assert!(with_threads(2, check_stop).unwrap().is_ok());
    }
}
