//! Partitions of this process.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Derivation, Partition, Reply, Request, Rows};
use crate::{Error, Result};

/// Partitions in the memory of this process, asked on its threads.
#[derive(Debug, Clone)]
pub struct InMemory(Arc<[Partition]>);

impl InMemory {
    /// The given partitions, in the order of rows.
    pub fn new(partitions: Vec<Partition>) -> Self {
        Self(partitions.into())
    }
}

impl Rows for InMemory {
    fn sum(&self, request: &Request) -> Result<Reply> {
        let mut answers = self.collect(request)?.into_iter();
        let mut sum = answers.next().ok_or_else(|| Error::Dataset {
            expected: "at least one partition".into(),
            found: "none".into(),
        })?;
        answers.try_for_each(|next| sum.add(next))?;
        Ok(sum)
    }

    fn collect(&self, request: &Request) -> Result<Vec<Reply>> {
        let partitions = self.0.par_iter();
        partitions
            .map(|partition| partition.answer(request))
            .collect()
    }

    fn derive(&self, derivation: &Derivation) -> Result<Box<dyn Rows>> {
        let partitions = self.0.par_iter();
        let derived: Result<Vec<Partition>> = partitions
            .map(|partition| partition.derived(derivation))
            .collect();
        Ok(Box::new(Self::new(derived?)))
    }
}
