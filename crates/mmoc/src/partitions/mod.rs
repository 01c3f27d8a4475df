//! Training on rows in partitions, which need not be in the memory of one machine.
//!
//! Solvers know nothing of rows. They ask for sums over rows of a few shapes: Gram matrices and cross products, leave-one-out
//! errors, gradients and products with Hessians for a block of labels. On one machine the rows are in memory (`crate::learn`).
//! Here they are in partitions, each of which computes its share of a sum; shares are added in the order of
//! partitions. Results depend on how rows are distributed over partitions up to rounding, and on nothing else: neither on
//! where partitions are nor on how many of them are asked at a time.
//!
//! | file | content |
//! |---|---|
//! | `partition` | some of the rows |
//! | `message`, `packed`, `bulk` | requests and answers, and their bytes |
//! | `row_hash` | folds and samples by the content of rows |
//! | `scaled`, `sampling` | partitions made of others |
//! | `in_memory` | partitions of this process |
//! | `train` | a training on partitions |
//!
//! The shares themselves are beside the solvers that ask for them: `crate::data::preprocessing`, `crate::learn::ridge`,
//! `crate::learn::logistic`.
//!
//! ```
//! use mmoc::Silent;
//! use mmoc::data::{Attribute, Features, Labels, Matrix, Schema};
//! use mmoc::method::MaxMargin;
//! use mmoc::partitions::{InMemory, Partition, PartitionedData};
//! use mmoc::train::TrainParams;
//!
//! let part = |first: usize| {
//!     let features = Matrix::from_fn(50, 2, |i, j| (((first + i) * (j + 3)) % 11) as f64 / 11.0);
//!     let labels = Labels::from_fn(50, 2, |i, j| ((first + i) * (j + 3)) % 11 > 5);
//!     Partition::new(Features::Dense(features), labels, None)
//! };
//! let rows = InMemory::new(vec![part(0)?, part(50)?]);
//! let names = |start: &str| vec![format!("{start}1"), format!("{start}2")];
//! let attributes = names("x").into_iter().map(Attribute::numeric).collect();
//! let schema = Schema::new(attributes, names("y"), false)?;
//! let params = TrainParams::from(MaxMargin::default());
//! let data = PartitionedData::new("rows", Box::new(rows), &schema);
//! let model = params.train_on_partitions(data, &Silent)?;
//! assert_eq!(model.schema().label_names(), ["y1", "y2"]);
//! # Ok::<(), mmoc::Error>(())
//! ```

mod bulk;
mod in_memory;
mod message;
mod packed;
mod partition;
mod row_hash;
mod sampling;
mod scaled;
#[cfg(test)]
mod tests;
mod train;

use std::fmt;

pub(crate) use bulk::Bulk;
pub use in_memory::InMemory;
pub use message::{Derivation, Message, Reply, Request};
pub(crate) use packed::PackedMatrix;
pub use partition::Partition;
pub(crate) use partition::{Panel, PanelFeatures};
pub(crate) use row_hash::mixed;
pub(crate) use sampling::Sampling;
pub(crate) use scaled::ScaledRows;
pub use train::{PartitionedData, SAMPLE_ROWS};

use crate::Result;

/// Something that partitions are asked for.
pub(crate) trait Share {
    /// What a partition answers: its share of a sum, or something about each of its rows.
    fn share(&self, partition: &Partition) -> Result<Reply>;
}

/// Rows in partitions, wherever these are.
pub trait Rows: fmt::Debug + Send + Sync {
    /// The sum of the answers of all partitions, added in their order.
    fn sum(&self, request: &Request) -> Result<Reply>;

    /// The answers of all partitions, in their order.
    fn collect(&self, request: &Request) -> Result<Vec<Reply>>;

    /// Partitions made of these, one of each.
    fn derive(&self, derivation: &Derivation) -> Result<Box<dyn Rows>>;

    /// Says that nothing more will be asked of these partitions, so that their memory can be used for those made of them.
    fn release(&self) -> Result<()> {
        Ok(())
    }
}
