//! All metrics of some predictions at once.

use super::check::{check_probabilities, check_scores, check_shape};
use super::log_loss::log_loss;
use super::{LabelEvaluation, Metric, auc, example, label, ranking};
use crate::Result;
use crate::data::{Labels, Matrix};

/// The values of all metrics that given predictions allow, and how well each label is predicted.
///
/// ```
/// use mmoc::data::Labels;
/// use mmoc::metrics::{Evaluation, Metric};
///
/// let truth = Labels::new(3, vec![0, 2, 3], vec![0, 1, 2])?;
/// let predicted = Labels::new(3, vec![0, 1, 2], vec![0, 2])?;
/// let evaluation = Evaluation::of(&truth, &predicted, None, None)?;
/// assert_eq!(evaluation.get(Metric::SubsetAccuracy), Some(0.5));
/// assert_eq!(evaluation.get(Metric::MicroF1), Some(0.8));
/// assert_eq!(evaluation.get(Metric::LogLoss), None);
/// # Ok::<(), mmoc::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    values: Vec<(Metric, f64)>,
    labels: Vec<LabelEvaluation>,
}

impl Evaluation {
    /// Compares predictions with the truth.
    ///
    /// Metrics of label sets are always there, those that need scores or probabilities only where
    /// these are given: probabilities are not taken for scores, pass them twice to have both. Scores
    /// may be infinite.
    ///
    /// Fails if shapes differ, there is no row or no label, a score is not a number or a probability
    /// is outside of [0, 1].
    pub fn of(
        truth: &Labels,
        predicted: &Labels,
        scores: Option<&Matrix>,
        probabilities: Option<&Matrix>,
    ) -> Result<Self> {
        check_shape(truth, predicted.rows(), predicted.count())?;
        scores.map_or(Ok(()), |scores| check_scores(truth, scores))?;
        probabilities.map_or(Ok(()), |given| check_probabilities(truth, given))?;
        let labels = label::table(truth, predicted, scores);
        let mut values = Vec::from(example::metrics(truth, predicted));
        values.extend(label::metrics(&labels));
        if let Some(scores) = scores {
            values.extend(label::macro_auc(&labels).map(|area| (Metric::MacroAuc, area)));
            values.extend(auc::micro(truth, scores).map(|area| (Metric::MicroAuc, area)));
            values.extend(ranking::metrics(truth, scores));
        }
        values.extend(probabilities.map(|given| (Metric::LogLoss, log_loss(truth, given))));
        Ok(Self { values, labels })
    }

    /// The value of a metric; none if its inputs were not given or it is not defined for them.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.iter()
            .find_map(|(other, value)| (other == metric).then_some(value))
    }

    /// The metrics that have a value, in the order of the table.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Metric, f64)> + '_ {
        self.values.iter().copied()
    }

    /// How well each label is predicted.
    pub fn labels(&self) -> &[LabelEvaluation] {
        &self.labels
    }
}
