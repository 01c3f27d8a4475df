//! The one list of decoders: what models decode with, model files store and users choose by name.
//!
//! A decoder is one file of this folder that implements [`Decode`], and one line of the list below.

use super::{
    BackProjection, CalibratedVotes, CoSaMp, IndependentLabels, Inference, Joint, L1, LabelNetwork,
    Outputs,
};
use crate::code::Code;
use crate::data::{Csr, FeaturesView, Labels};
use crate::model_file::{Refusal, StoredParts, TensorWriter};
use crate::posterior::Posterior;
use crate::{Error, Prediction, Result};

/// What a model needs of its decoder.
pub(crate) trait Decode: Sized {
    /// Whether predictions have probabilities.
    const PROBABILITIES: bool = true;

    /// Number of labels, q.
    fn labels(&self) -> usize;

    /// Number of outputs that are decoded, m.
    fn outputs(&self) -> usize {
        self.labels()
    }

    /// What its terms about whole label sets say, one matrix for each; only a posterior has such terms.
    fn of_sets(&self, _x: FeaturesView<'_>) -> Result<Vec<Csr>> {
        Ok(Vec::new())
    }

    /// The label sets of outputs, with scores and probabilities.
    fn predict(&self, outputs: Outputs) -> Result<Prediction>;

    /// The label sets alone.
    fn predict_sets(&self, outputs: Outputs) -> Result<Labels> {
        Ok(self.predict(outputs)?.labels)
    }

    /// The label sets of held-out outputs of training rows with their own sets, as if the rows were new.
    fn predict_held_out(&self, outputs: Outputs, _own: &Labels) -> Result<Prediction> {
        self.predict(outputs)
    }

    /// The decoder of a code, if it decodes codewords.
    fn of_code(_code: &Code, _params: &CodeDecoding) -> Option<Result<Self>> {
        None
    }

    /// Adds what a model file keeps beside the code: values and tensors.
    fn store<'a>(&'a self, _file: &mut TensorWriter<'a>) {}

    /// The same decoder from what a model file keeps.
    fn restore(parts: &mut StoredParts<'_>) -> Result<Self, Refusal>;
}

/// What decoders of codewords may need beside the code.
#[derive(Debug, Clone, Default)]
pub struct CodeDecoding {
    /// Most labels of a row, for CoSaMP.
    pub sparsity: usize,
    /// The weight of the ℓ1 norm, for ℓ1-penalised recovery.
    pub penalty: f64,
    /// σ̂², one number per projection, for joint decoding.
    pub noise: Vec<f64>,
    /// λ, the weight of the classifiers, for joint decoding.
    pub lambda: f64,
    /// How joint decoding finds label sets.
    pub inference: Inference,
}

/// The name of a decoder in model files and for users.
pub(crate) trait DecoderName {
    const NAME: &'static str;
}

macro_rules! decoders {
    ($($(#[$doc:meta])* $variant:ident($decoder:ident) = $name:literal,)+) => {
        /// From the outputs of a model to label sets.
        #[derive(Debug, Clone)]
        pub enum Decoder {
            $($(#[$doc])* $variant($decoder),)+
        }

        $(impl DecoderName for $decoder {
            const NAME: &'static str = $name;
        }

        impl From<$decoder> for Decoder {
            fn from(decoder: $decoder) -> Self {
                Self::$variant(decoder)
            }
        })+

        impl Decoder {
            /// The decoder of a code by its name; an error if it has none of that name.
            pub fn of_code(name: &str, code: &Code, params: &CodeDecoding) -> Result<Self> {
                let decoder = match name {
                    $($name => $decoder::of_code(code, params).map(|made| made.map(Self::from)),)+
                    _ => None,
                };
                decoder.unwrap_or_else(|| Err(no_decoder_of_codes(name)))
            }

            /// Its name in model files and for users.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)+
                }
            }

            /// Number of labels, q.
            pub fn labels(&self) -> usize {
                match self {
                    $(Self::$variant(decoder) => decoder.labels(),)+
                }
            }

            /// Number of outputs that are decoded, m.
            pub fn outputs(&self) -> usize {
                match self {
                    $(Self::$variant(decoder) => decoder.outputs(),)+
                }
            }

            /// Whether predictions have probabilities.
            pub fn has_probabilities(&self) -> bool {
                match self {
                    $(Self::$variant(_) => $decoder::PROBABILITIES,)+
                }
            }

            /// What its terms about whole label sets say, one matrix for each.
            pub(crate) fn of_sets(&self, x: FeaturesView<'_>) -> Result<Vec<Csr>> {
                match self {
                    $(Self::$variant(decoder) => decoder.of_sets(x),)+
                }
            }

            /// The label sets of outputs, with scores and probabilities.
            pub fn decode(&self, outputs: impl Into<Outputs>) -> Result<Prediction> {
                match self {
                    $(Self::$variant(decoder) => decoder.predict(outputs.into()),)+
                }
            }

            /// The label sets of outputs, as [`Self::decode`] finds them, without scores and probabilities, which
            /// may take longer than the sets.
            pub fn label_sets(&self, outputs: impl Into<Outputs>) -> Result<Labels> {
                match self {
                    $(Self::$variant(decoder) => decoder.predict_sets(outputs.into()),)+
                }
            }

            /// The label sets of held-out outputs of training rows with their own sets, as if the rows were new.
            pub(crate) fn decode_held_out(&self, outputs: Outputs, own: &Labels) -> Result<Prediction> {
                match self {
                    $(Self::$variant(decoder) => decoder.predict_held_out(outputs, own),)+
                }
            }

            /// Adds what a model file keeps.
            pub(crate) fn store<'a>(&'a self, file: &mut TensorWriter<'a>) {
                match self {
                    $(Self::$variant(decoder) => decoder.store(file),)+
                }
            }

            /// The decoder of a name from what a model file keeps.
            pub(crate) fn restore(name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
                match name {
                    $($name => $decoder::restore(parts).map(Self::from),)+
                    _ => Err(Refusal::not_a_model("the name of a decoder", name)),
                }
            }
        }
    };
}

decoders! {
    /// Each label by its own log-odds.
    LogOdds(IndependentLabels) = "log-odds",
    /// Codewords, projected back and rounded (eq. 13).
    BackProjection(BackProjection) = "back-projection",
    /// The sparsest label set of a codeword, greedily.
    CoSaMp(CoSaMp) = "cosamp",
    /// The sparsest label vector of a codeword by the ℓ1 norm (eq. 11).
    L1(L1) = "l1",
    /// The likeliest label set given codeword and classifiers (eq. 15).
    Joint(Joint) = "joint",
    /// The votes of classifiers of pairs of labels.
    Votes(CalibratedVotes) = "votes",
    /// Log-odds to which the labels predicted before contribute.
    Network(LabelNetwork) = "network",
    /// The posterior over label sets.
    Posterior(Posterior) = "posterior",
}

fn no_decoder_of_codes(name: &str) -> Error {
    Error::Parameter {
        parameter: "decoder",
        expected: "one that decodes codewords".into(),
        found: format!("'{name}'"),
    }
}
