//! Decoders: from predicted codewords back to label sets (sections 2.2–2.4).
//!
//! | decoder | problem | for |
//! |---|---|---|
//! | [`IndependentLabels`] | the labels of positive log-odds | binary relevance |
//! | [`BackProjection`] | round(Vẑ), eq. 13 | orthonormal directions |
//! | [`CoSaMp`] | the sparsest y with Vᵀy ≈ ẑ, greedily | random directions |
//! | [`L1`] | the sparsest y with Vᵀy ≈ ẑ, eq. 11 | random directions |
//! | [`Joint`] | the likeliest y given codeword and classifiers, eq. 15 | codes with labels in the codeword |
//! | [`CalibratedVotes`] | the labels with more votes than a virtual one | calibrated label ranking |
//! | [`LabelNetwork`] | the labels of positive log-odds given their parents | LEAD |
//!
//! [`Decoder`] is the list of all of them, with their names in model files and for users.
//!
//! Rows are decoded by themselves: label sets do not depend on the rows beside them, scores and probabilities only
//! by rounding. Nothing depends on the number of threads.

mod back_projection;
mod cosamp;
mod decoder;
mod exact;
mod independent_labels;
mod joint;
mod l1;
mod marginals;
mod mean_field;
mod measurements;
mod network;
mod outputs;
mod sets;
mod votes;

pub use back_projection::BackProjection;
pub use cosamp::CoSaMp;
pub use decoder::{CodeDecoding, Decoder};
pub(crate) use decoder::{Decode, DecoderName};
pub(crate) use exact::Enumeration;
pub use exact::MOST_EXACT_LABELS;
pub use independent_labels::IndependentLabels;
pub use joint::{Inference, Joint};
pub use l1::L1;
pub(crate) use marginals::strictly_inside;
pub use network::{LabelNetwork, ParentEvidence};
pub use outputs::Outputs;
pub(crate) use outputs::rows_of_sets;
pub use votes::{CalibratedVotes, Votes};
pub(crate) use votes::{pairs, pairs_of};

use rayon::prelude::*;

use self::sets::labels_above;
use crate::data::Matrix;
use crate::{Error, Prediction, Result, check_size};

/// A recovered label counts as present above this value.
const THRESHOLD: f64 = 0.5;

/// Rows that one thread recovers at a time.
const CHUNK: usize = 32;

/// Fails unless the numbers of a matrix are finite.
fn check_finite(parameter: &'static str, matrix: &Matrix) -> Result<()> {
    let Some(at) = matrix.values().iter().position(|value| !value.is_finite()) else {
        return Ok(());
    };
    Err(Error::Parameter {
        parameter,
        expected: "finite numbers".into(),
        found: format!(
            "{} in row {}, column {}",
            matrix.values()[at],
            at / matrix.columns() + 1,
            at % matrix.columns() + 1
        ),
    })
}

/// Fails if a code has more labels than can be decoded: most decoders need a q×q matrix, which has 2 GiB here.
pub(crate) fn check_code_labels(labels: usize) -> Result<()> {
    const MOST_LABELS: usize = 1 << 14;
    if labels <= MOST_LABELS {
        return Ok(());
    }
    Err(Error::CodeLabels {
        most: MOST_LABELS,
        found: labels,
    })
}

/// Fails unless there are as many outputs as are decoded, none of them NaN.
fn check_numbers(expected: usize, outputs: &Matrix) -> Result<()> {
    check_size("outputs to decode", expected, outputs.columns())?;
    if outputs.values().iter().any(|output| output.is_nan()) {
        return Err(Error::Dataset {
            expected: "features small enough to be predicted from".into(),
            found: "outputs that are NaN".into(),
        });
    }
    Ok(())
}

/// Fails unless codewords are finite and as long as there are projections.
fn check_codewords(codewords: &Matrix, projections: usize) -> Result<()> {
    check_size("entries of a codeword", projections, codewords.columns())?;
    check_finite("the codewords", codewords)
}

/// Labels where recovered values are above one half, with the values as scores.
fn rounded(recovered: Matrix) -> Result<Prediction> {
    Ok(Prediction {
        labels: labels_above(&recovered, THRESHOLD)?,
        scores: Some(recovered),
        probabilities: None,
        confidence: None,
    })
}

/// Recovers every row of an n×q matrix by itself, with one workspace per piece of the work.
fn recover_rows<W>(
    rows: usize,
    labels: usize,
    workspace: impl Fn() -> W + Sync,
    recover: impl Fn(&mut W, usize, &mut [f64]) + Sync,
) -> Matrix {
    let mut recovered = Matrix::zeros(rows, labels);
    if labels > 0 {
        let chunks = recovered.values_mut().par_chunks_mut(CHUNK * labels);
        chunks.enumerate().for_each(|(i, chunk)| {
            let mut workspace = workspace();
            for (k, row) in chunk.chunks_exact_mut(labels).enumerate() {
                recover(&mut workspace, i * CHUNK + k, row);
            }
        });
    }
    recovered
}
