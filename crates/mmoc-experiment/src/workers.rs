//! Independent jobs on several threads.
//!
//! Jobs run side by side, and only when there are fewer jobs than threads does a job get several threads
//! for itself. Each has a pool of its own: were they to share one, a job waiting for its own pieces would
//! take up pieces of another, and its time would mean nothing.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

use mmoc::{Error, Result, thread_pool};

/// The results of jobs `0..count`, in this order. Of several errors that of the first job is returned.
pub fn run_jobs<T: Send>(
    count: usize,
    threads: usize,
    job: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let workers = threads.clamp(1, count.max(1));
    let threads_of_job = (threads / workers).max(1);
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results = Mutex::new(Vec::new());
    let work = || {
        let pool = thread_pool(threads_of_job)?;
        while !failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            let result = pool.install(|| job(index));
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            results
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((index, result));
        }
        Ok::<(), Error>(())
    };
    let refused = |error: std::io::Error| {
        failed.store(true, Ordering::Relaxed);
        Error::Threads(error.to_string())
    };
    std::thread::scope(|scope| {
        let spawn = |_| Builder::new().spawn_scoped(scope, work).map_err(refused);
        let handles = (0..workers).map(spawn).collect::<Result<Vec<_>>>()?;
        handles
            .into_iter()
            .try_for_each(|handle| match handle.join() {
                Ok(outcome) => outcome,
                Err(panic) => std::panic::resume_unwind(panic),
            })
    })?;
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            let found = run_jobs(20, threads, |index| Ok(index * index)).unwrap();
            assert_eq!(
                found,
                (0..20).map(|index| index * index).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn a_single_job_gets_all_threads() {
        let found = run_jobs(1, 3, |_| Ok(rayon::current_num_threads())).unwrap();
        assert_eq!(found, [3]);
    }

    #[test]
    fn an_error_ends_the_work() {
        let failing = |index| {
            if index == 3 {
                Err(Error::Threads("x".into()))
            } else {
                Ok(index)
            }
        };
        assert!(run_jobs(10, 2, failing).is_err());
    }
}
