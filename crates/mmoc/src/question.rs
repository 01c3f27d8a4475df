//! Questions about rows that go beyond the label sets that a model predicts, and their answers.

use crate::Prediction;
use crate::posterior::{Decision, LikelySet};

/// What is asked about rows.
///
/// ```no_run
/// use mmoc::posterior::Decision;
/// use mmoc::{Model, Question};
/// # let rows = mmoc::data::Features::Dense(mmoc::data::Matrix::zeros(1, 2));
///
/// let model = Model::load("scene.mmoc")?;
/// let question = Question { decision: Some(Decision::F1), sets: 3 };
/// let answer = model.answer(&rows, question)?;
/// assert_eq!(answer.sets.expect("three were asked for").len(), 1);
/// # Ok::<(), mmoc::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Question {
    /// The measure that label sets are to be best in; by default that of the model.
    pub decision: Option<Decision>,
    /// Number of likeliest label sets of each row; none if it is 0.
    pub sets: usize,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The predicted label sets.
    pub prediction: Prediction,
    /// The likeliest label sets of each row, the likeliest first, if they were asked for.
    pub sets: Option<Vec<Vec<LikelySet>>>,
}

impl Answer {
    /// The answers about consecutive rows, to the same question.
    pub(crate) fn concatenated(labels: usize, pieces: Vec<Self>) -> Self {
        let (predictions, sets): (Vec<Prediction>, Vec<Option<_>>) = pieces
            .into_iter()
            .map(|piece| (piece.prediction, piece.sets))
            .unzip();
        let sets: Option<Vec<Vec<Vec<LikelySet>>>> = sets.into_iter().collect();
        Self {
            prediction: Prediction::concatenated(labels, predictions),
            sets: sets.map(|sets| sets.concat()),
        }
    }
}
