//! What is asked of partitions, and what they answer.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::bulk::Bulk;
use super::packed::{PackedLabels, PackedMatrix};
use super::{Partition, Sampling, ScaledRows, Share};
use crate::data::{ColumnPass, ColumnRanges, Labels, Matrix};
use crate::learn::partitioned::{ColumnMeans, ColumnSpread, LinearFunctions, RowTargets};
use crate::learn::partitioned::{
    FoldLosses, FoldMasses, FoldModels, GramShare, LeaveOneOut, LogisticShare,
};
use crate::{Error, Result};

/// What partitions are asked for: a sum over their rows, or something about each row.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request(Asked);

/// What partitions are turned into.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Derivation(Derived);

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Derived {
    Scaled(ScaledRows),
    Sample(Sampling),
}

/// The share of a partition in a sum, or what it says about its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply(Kind);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Kind {
    Sums {
        /// Numbers that are added.
        sums: Bulk<f64>,
        /// Numbers of which the largest counts.
        largest: Bulk<f64>,
    },
    Numbers(PackedMatrix),
    Targets {
        labels: PackedLabels,
        weights: Option<Bulk<f64>>,
    },
}

macro_rules! requests {
    ($($variant:ident = $name:literal,)+) => {
        #[derive(Debug, Clone, Serialize, Deserialize)]
        enum Asked {
            $($variant(Box<$variant>),)+
        }

        impl Request {
            /// What is asked, in a few words.
            pub fn name(&self) -> &'static str {
                match &self.0 {
                    $(Asked::$variant(_) => $name,)+
                }
            }

            pub(super) fn answer(&self, partition: &Partition) -> Result<Reply> {
                match &self.0 {
                    $(Asked::$variant(asked) => asked.share(partition),)+
                }
            }
        }

        $(impl From<$variant> for Request {
            fn from(asked: $variant) -> Self {
                Self(Asked::$variant(Box::new(asked)))
            }
        })+
    };
}

requests! {
    ColumnRanges = "ranges of columns",
    ColumnPass = "statistics of columns",
    ColumnMeans = "means of columns",
    ColumnSpread = "spread of columns",
    RowTargets = "labels",
    GramShare = "Gram matrix",
    LeaveOneOut = "leave-one-out",
    LinearFunctions = "linear functions",
    FoldMasses = "rows of folds",
    LogisticShare = "gradients",
    FoldLosses = "losses of folds",
    FoldModels = "held-out log-odds",
}

impl Derivation {
    pub(super) fn scaled(scaled: ScaledRows) -> Self {
        Self(Derived::Scaled(scaled))
    }

    pub(super) fn sample(sampling: Sampling) -> Self {
        Self(Derived::Sample(sampling))
    }

    /// What is made, in a few words.
    pub fn name(&self) -> &'static str {
        match &self.0 {
            Derived::Scaled(_) => "scaled rows",
            Derived::Sample(_) => "sample of rows",
        }
    }

    pub(super) fn of(&self, partition: &Partition) -> Result<Partition> {
        match &self.0 {
            Derived::Scaled(scaled) => scaled.of(partition),
            Derived::Sample(sampling) => Ok(sampling.of(partition)),
        }
    }
}

impl Reply {
    pub(crate) fn sums(sums: Vec<f64>) -> Self {
        Self::sums_and_largest(sums, Vec::new())
    }

    pub(crate) fn sums_and_largest(sums: Vec<f64>, largest: Vec<f64>) -> Self {
        Self(Kind::Sums {
            sums: Bulk(sums),
            largest: Bulk(largest),
        })
    }

    pub(crate) fn numbers(numbers: Matrix) -> Self {
        Self(Kind::Numbers(numbers.into()))
    }

    pub(crate) fn targets(labels: Labels, weights: Option<Vec<f64>>) -> Self {
        Self(Kind::Targets {
            labels: labels.into(),
            weights: weights.map(Bulk),
        })
    }

    /// Adds the share of the next partition.
    ///
    /// Fails unless both are shares in the same sum.
    pub fn add(&mut self, next: Self) -> Result<()> {
        let (
            Kind::Sums { sums, largest },
            Kind::Sums {
                sums: more,
                largest: others,
            },
        ) = (&mut self.0, next.0)
        else {
            return Err(out_of_place());
        };
        if sums.len() != more.len() || largest.len() != others.len() {
            return Err(out_of_place());
        }
        sums.0
            .iter_mut()
            .zip(more.iter())
            .for_each(|(sum, own)| *sum += own);
        let pairs = largest.0.iter_mut().zip(others.iter());
        pairs.for_each(|(largest, own)| *largest = largest.max(*own));
        Ok(())
    }

    /// The sums, and the largest numbers.
    pub(crate) fn both(self) -> Result<(Vec<f64>, Vec<f64>)> {
        match self.0 {
            Kind::Sums { sums, largest } => Ok((sums.0, largest.0)),
            _ => Err(out_of_place()),
        }
    }

    pub(crate) fn only_sums(self) -> Result<Vec<f64>> {
        Ok(self.both()?.0)
    }

    pub(crate) fn into_numbers(self) -> Result<Matrix> {
        match self.0 {
            Kind::Numbers(numbers) => numbers.unpack(),
            _ => Err(out_of_place()),
        }
    }

    pub(crate) fn into_targets(self) -> Result<(Labels, Option<Vec<f64>>)> {
        match self.0 {
            Kind::Targets { labels, weights } => {
                Ok((labels.unpack()?, weights.map(|weights| weights.0)))
            }
            _ => Err(out_of_place()),
        }
    }
}

/// Messages between processes of the same program.
pub trait Message: Serialize + DeserializeOwned {
    /// The message as bytes.
    fn to_bytes(&self) -> Vec<u8> {
        encoded(self)
    }

    /// The message from its bytes.
    ///
    /// Fails if these are of another kind of message, or of another version of the program.
    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        decoded(bytes)
    }
}

impl Message for Request {}
impl Message for Derivation {}
impl Message for Reply {}

pub(super) fn encoded(message: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(message).expect("messages are made of numbers and lists of known length")
}

pub(super) fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| Error::Dataset {
        expected: "a message of the same version of the program".into(),
        found: error.to_string(),
    })
}

fn out_of_place() -> Error {
    Error::Dataset {
        expected: "answers of partitions to the same request".into(),
        found: "another answer".into(),
    }
}
