//! Why a model has no ONNX graph. Front ends put remedies into words.

/// Anything that can go wrong in this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Terms of the posterior that keep training rows or trees.
    #[error("the posterior has {}, which ONNX export does not support", named_terms(.0))]
    Terms(Vec<String>),

    /// Terms of the posterior that come from outside of the model.
    #[error("the posterior has {}, whose numbers come from outside of the model", named_terms(.0))]
    GivenEvidence(Vec<String>),

    /// A decoder that iterates until it converges.
    #[error("the decoder {0} iterates until it converges, which ONNX export does not support")]
    Decoder(&'static str),

    /// Too many label sets to compare one by one.
    #[error("{sets} label sets of {labels} labels are too many for ONNX export")]
    LabelSets {
        /// Number of label sets.
        sets: usize,
        /// Number of labels.
        labels: usize,
    },

    /// A file that protobuf does not allow.
    #[error("the ONNX file would have {bytes} bytes, and protobuf allows {most}")]
    TooLarge {
        /// Bytes that the file would have.
        bytes: usize,
        /// Bytes that it may have.
        most: usize,
    },

    /// An error of the library.
    #[error(transparent)]
    Library(#[from] mmoc::Error),
}

/// What can be done about a model without an ONNX graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportRemedy {
    /// Train with terms that are functions of the features, counts of label sets and nothing else.
    TrainWithoutTerms,
    /// Train without evidence from outside of the model.
    TrainWithoutEvidence,
    /// Train with exact inference, which few labels allow.
    TrainWithExactInference,
    /// Train another method.
    TrainOtherMethod,
    /// Train with fewer labels.
    TrainWithFewerLabels,
}

impl Error {
    /// What can be done about it, if it is a refusal.
    pub fn remedy(&self) -> Option<ExportRemedy> {
        match self {
            Self::Terms(_) => Some(ExportRemedy::TrainWithoutTerms),
            Self::GivenEvidence(_) => Some(ExportRemedy::TrainWithoutEvidence),
            Self::Decoder(MEAN_FIELD) => Some(ExportRemedy::TrainWithExactInference),
            Self::Decoder(_) => Some(ExportRemedy::TrainOtherMethod),
            Self::LabelSets { .. } | Self::TooLarge { .. } => {
                Some(ExportRemedy::TrainWithFewerLabels)
            }
            Self::Library(_) => None,
        }
    }
}

/// The name of joint decoding that is not exact.
pub(crate) const MEAN_FIELD: &str = "joint with mean-field inference";

/// The result of anything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

fn named_terms(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let terms = if names.len() == 1 { "term" } else { "terms" };
    format!("the {terms} {}", quoted.join(", "))
}
