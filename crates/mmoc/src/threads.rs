//! Work on a given number of threads.

use rayon::ThreadPoolBuilder;

use crate::{Error, Result};

/// Does work on a pool of its own with so many threads; what comes of it does not depend on their number.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    let pool = pool.map_err(|error| Error::Threads(error.to_string()))?;
    Ok(pool.install(work))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_has_the_threads_that_were_asked_for() {
        for threads in [1, 3] {
            let found = with_threads(threads, rayon::current_num_threads).unwrap();
            assert_eq!(found, threads);
        }
    }
}
