//! A part of an experiment, `i/n`: every n-th run, beginning with the i-th.

use std::str::FromStr;

/// The part `index` of `count`, counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// The experiment as a whole.
    pub const WHOLE: Self = Self { index: 1, count: 1 };

    /// Whether the job belongs to this part.
    pub(super) fn has(self, job: usize) -> bool {
        job % self.count == self.index - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((index, count)) if 1 <= index && index <= count => Ok(Self { index, count }),
            _ => Err("expected I/N, with I from 1 to N".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_belongs_to_exactly_one_part() {
        for count in 1..6 {
            let parts: Vec<Shard> = (1..=count)
                .map(|index| format!("{index}/{count}").parse().unwrap())
                .collect();
            for job in 0..20 {
                assert_eq!(parts.iter().filter(|part| part.has(job)).count(), 1);
            }
        }
    }

    #[test]
    fn parts_that_do_not_exist_are_refused() {
        for text in ["", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
