//! How the outputs of a model become label sets.

use super::{CalibratedVotes, CodeDecoder, LabelNetwork};
use crate::data::Matrix;
use crate::{Error, Prediction, Result, check_size};

/// From the outputs of a model, n×m, to label sets.
#[derive(Debug, Clone)]
pub enum Decoder {
    /// Each label by its own log-odds: the outputs.
    LogOdds {
        /// Number of labels, q = m.
        labels: usize,
    },
    /// By a codeword, alone or beside the log-odds of the labels.
    Code(Box<CodeDecoder>),
    /// By the votes of classifiers of pairs.
    Votes(CalibratedVotes),
    /// By log-odds to which the labels predicted before add something.
    Network(LabelNetwork),
}

impl Decoder {
    /// Number of labels, q.
    pub fn labels(&self) -> usize {
        match self {
            Self::LogOdds { labels } => *labels,
            Self::Code(decoder) => decoder.labels(),
            Self::Votes(votes) => votes.labels(),
            Self::Network(network) => network.labels(),
        }
    }

    /// Number of outputs that are needed, m.
    pub fn outputs(&self) -> usize {
        match self {
            Self::LogOdds { labels } => *labels,
            Self::Code(decoder) => decoder.outputs(),
            Self::Votes(votes) => votes.outputs(),
            Self::Network(network) => network.labels(),
        }
    }

    /// The label sets of outputs, n×m.
    pub fn decode(&self, outputs: Matrix) -> Result<Prediction> {
        check_size("outputs to decode", self.outputs(), outputs.columns())?;
        if outputs.values().iter().any(|output| output.is_nan()) {
            return Err(Error::Dataset {
                expected: "features small enough to be predicted from".into(),
                found: "outputs that are not numbers".into(),
            });
        }
        match self {
            Self::LogOdds { .. } => Ok(Prediction::from_log_odds(outputs)),
            Self::Code(decoder) => decoder.decode(&outputs),
            Self::Votes(votes) => Ok(votes.count(&outputs)),
            Self::Network(network) => Ok(network.decode(outputs)),
        }
    }
}
