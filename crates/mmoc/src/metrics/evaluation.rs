//! All metrics of a prediction at once.

use super::check::{check_probabilities, check_scores, check_shape};
use super::known::KnownRows;
use super::label::LabelTable;
use super::log_loss::log_loss;
use super::{LabelEvaluation, Metric, auc, example, label, ranking};
use crate::Result;
use crate::data::{Labels, Matrix, Targets};

/// The values of all metrics that the given predictions allow, and the evaluation of each label.
///
/// ```
/// use mmoc::data::Labels;
/// use mmoc::metrics::{Evaluation, Metric};
///
/// let truth = Labels::new(3, vec![0, 2, 3], vec![0, 1, 2])?;
/// let predicted = Labels::new(3, vec![0, 1, 2], vec![0, 2])?;
/// let evaluation = Evaluation::of(&truth, &predicted, None, None)?;
/// assert_eq!(evaluation.subset_accuracy(), 0.5);
/// assert_eq!(evaluation.micro_f1(), 0.8);
/// assert_eq!(evaluation.get(Metric::MicroF1), Some(0.8));
/// assert_eq!(evaluation.log_loss(), None);
/// # Ok::<(), mmoc::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    values: Vec<(Metric, f64)>,
    labels: Vec<LabelEvaluation>,
}

impl Evaluation {
    /// Compares predictions with the truth: [`Labels`], a [`Dataset`](crate::data::Dataset), or [`Targets`] with weights
    /// of rows and unknown labels, which count as the [notation](super) says.
    ///
    /// Metrics of label sets are always computed, those of scores or probabilities only if these are given.
    /// Probabilities are not used as scores; pass them twice for both. Scores may be infinite.
    ///
    /// Fails if shapes differ, there is no row or no known label, a score is NaN or a probability is outside [0, 1].
    pub fn of<'a>(
        truth: impl Into<Targets<'a>>,
        predicted: &Labels,
        scores: Option<&Matrix>,
        probabilities: Option<&Matrix>,
    ) -> Result<Self> {
        let truth = truth.into();
        check_shape(truth.labels(), predicted.rows(), predicted.count())?;
        scores.map_or(Ok(()), |given| check_scores(truth.labels(), given))?;
        probabilities.map_or(Ok(()), |given| check_probabilities(truth.labels(), given))?;
        let Some(unknown) = truth.unknown() else {
            return Ok(Self::compare(truth, predicted, scores, probabilities));
        };
        let known = KnownRows::of(truth, unknown)?;
        let scores = scores.map(|given| known.cells(given));
        let probabilities = probabilities.map(|given| known.cells(given));
        Ok(Self::compare(
            known.targets()?,
            &known.sets(predicted),
            scores.as_deref(),
            probabilities.as_deref(),
        ))
    }

    /// Compares rows with at least one known label each. Unknown labels are not among the predicted ones.
    fn compare(
        truth: Targets<'_>,
        predicted: &Labels,
        scores: Option<&Matrix>,
        probabilities: Option<&Matrix>,
    ) -> Self {
        let LabelTable { labels, sums } = label::table(truth, predicted, scores);
        let mut values = Vec::from(example::metrics(truth, predicted));
        values.extend(label::metrics(&labels, sums));
        if let Some(scores) = scores {
            values.extend(label::macro_auc(&labels).map(|area| (Metric::MacroAuc, area)));
            values.extend(auc::micro(truth, scores).map(|area| (Metric::MicroAuc, area)));
            values.extend(ranking::metrics(truth, scores));
        }
        values.extend(probabilities.map(|given| (Metric::LogLoss, log_loss(truth, given))));
        Self { values, labels }
    }

    /// The value of a metric; `None` if its inputs were not given or it is undefined for them.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.iter()
            .find_map(|(other, value)| (other == metric).then_some(value))
    }

    /// The metrics that have a value, in the order of the table.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Metric, f64)> + '_ {
        self.values.iter().copied()
    }

    /// The value of a metric of label sets.
    fn of_sets(&self, metric: Metric) -> f64 {
        self.get(metric)
            .expect("metrics of label sets are always computed")
    }

    /// [`Metric::SubsetAccuracy`].
    pub fn subset_accuracy(&self) -> f64 {
        self.of_sets(Metric::SubsetAccuracy)
    }

    /// [`Metric::HammingLoss`].
    pub fn hamming_loss(&self) -> f64 {
        self.of_sets(Metric::HammingLoss)
    }

    /// [`Metric::Jaccard`].
    pub fn jaccard(&self) -> f64 {
        self.of_sets(Metric::Jaccard)
    }

    /// [`Metric::ExampleF1`].
    pub fn example_f1(&self) -> f64 {
        self.of_sets(Metric::ExampleF1)
    }

    /// [`Metric::MacroF1`].
    pub fn macro_f1(&self) -> f64 {
        self.of_sets(Metric::MacroF1)
    }

    /// [`Metric::MicroF1`].
    pub fn micro_f1(&self) -> f64 {
        self.of_sets(Metric::MicroF1)
    }

    /// [`Metric::MacroAuc`], if there are scores and a label varies.
    pub fn macro_auc(&self) -> Option<f64> {
        self.get(Metric::MacroAuc)
    }

    /// [`Metric::LogLoss`], if there are probabilities.
    pub fn log_loss(&self) -> Option<f64> {
        self.get(Metric::LogLoss)
    }

    /// The evaluation of each label.
    pub fn labels(&self) -> &[LabelEvaluation] {
        &self.labels
    }
}
