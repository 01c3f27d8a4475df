//! Work on a given number of threads.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::stop::Stop;
use crate::{Error, Result};

/// Does work on a pool of its own with so many threads; what comes of it does not depend on their number.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    Ok(pool(threads, None)?.install(work))
}

/// A pool of so many threads.
pub fn thread_pool(threads: usize) -> Result<ThreadPool> {
    pool(threads, None)
}

/// Work that goes on by itself on a pool of its own, for those who cannot wait for its end: it can be asked for its
/// result, and told to stop.
///
/// ```
/// use std::time::Duration;
///
/// let job = mmoc::Job::begin(2, || Ok(6 * 7))?;
/// assert_eq!(job.wait(Duration::from_secs(60)).transpose()?, Some(42));
/// # Ok::<(), mmoc::Error>(())
/// ```
///
/// A job that is dropped is told to stop.
#[derive(Debug)]
pub struct Job<T> {
    outcome: Receiver<thread::Result<Result<T>>>,
    stop: Stop,
}

impl<T: Send + 'static> Job<T> {
    /// Begins the work on so many threads.
    pub fn begin(
        threads: usize,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<Self> {
        let (sender, outcome) = channel();
        let stop = Stop::default();
        // The pool ends with its last work, whether anyone still holds it or not.
        pool(threads, Some(stop.clone()))?.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            // Nobody may be waiting any more.
            let _ = sender.send(result);
        });
        Ok(Self { outcome, stop })
    }

    /// What came of the work, or nothing if it is not done after this time. It is there once.
    ///
    /// # Panics
    /// If the work did.
    pub fn wait(&self, most: Duration) -> Option<Result<T>> {
        match self.outcome.recv_timeout(most) {
            Ok(Ok(result)) => Some(result),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(Error::Stopped)),
        }
    }

    /// Tells the work to stop; it fails with [`Error::Stopped`] when the piece it is at ends, if anything is left then.
    pub fn stop(&self) {
        self.stop.raise();
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

/// A pool of so many threads, which look at the flag if there is one.
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
    fn work_has_the_threads_that_were_asked_for() {
        for threads in [1, 3] {
            let found = with_threads(threads, rayon::current_num_threads).unwrap();
            assert_eq!(found, threads);
            let job = Job::begin(threads, || Ok(rayon::current_num_threads())).unwrap();
            assert_eq!(job.wait(LONG).unwrap().unwrap(), threads);
        }
    }

    /// Looks at the flag on all threads of the pool until it is raised.
    fn endless() -> Result<()> {
        loop {
            let (a, b) = rayon::join(check_stop, check_stop);
            a.and(b)?;
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_job_goes_on_until_it_is_told_to_stop() {
        let job = Job::begin(2, endless).unwrap();
        assert!(job.wait(Duration::from_millis(20)).is_none());
        job.stop();
        assert!(matches!(job.wait(LONG), Some(Err(Error::Stopped))));
    }

    #[test]
    fn a_job_that_nobody_waits_for_is_stopped() {
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
    fn a_panic_of_the_work_is_one_of_those_who_wait() {
        let job: Job<()> = Job::begin(1, || panic!("on purpose")).unwrap();
        let start = Instant::now();
        let found = catch_unwind(AssertUnwindSafe(|| job.wait(LONG))).unwrap_err();
        assert_eq!(found.downcast_ref(), Some(&"on purpose"));
        assert!(start.elapsed() < LONG);
    }

    #[test]
    fn other_work_is_not_stopped() {
        assert!(check_stop().is_ok());
        let job = Job::begin(1, endless).unwrap();
        job.stop();
        assert!(with_threads(2, check_stop).unwrap().is_ok());
    }
}
