//! What the confidence of predictions is worth, seen from the test rows.

use mmoc::Prediction;
use mmoc::data::{Matrix, Targets};
use mmoc::metrics::{Bin, calibration_error_of, reliability, reliability_by_width};
use serde::{Deserialize, Serialize};

/// Bins of each kind.
const BINS: usize = 10;

/// How often predicted label sets are right, compared with the probability that they are, over the rows whose labels are
/// all known. Rows count the same, whatever their weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confidence {
    /// The mean probability that a predicted label set is right.
    pub mean: f64,
    /// The mean distance of promise and truth: that of each bin, weighted by its rows.
    pub calibration_error: f64,
    /// Ten bins of as equal a number of rows as possible, the least confident first.
    pub bins: Vec<Bin>,
    /// The subset accuracy of the most confident tenth of the rows, of the most confident two tenths, up to all rows.
    pub answered: Vec<f64>,
    /// The same for the probabilities of labels, if there are any.
    pub labels: Option<LabelConfidence>,
}

/// How often labels occur, compared with their probability, over the cells that are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelConfidence {
    /// The mean distance of promise and truth.
    pub calibration_error: f64,
    /// Ten bins of equal width. Most probabilities of rare labels are in the first.
    pub bins: Vec<Bin>,
}

impl Confidence {
    /// Compares predictions with the truth; none if they have no confidence or no row has all labels known.
    pub(crate) fn of<'a>(prediction: &Prediction, truth: impl Into<Targets<'a>>) -> Option<Self> {
        let truth = truth.into();
        let all = prediction.confidence.as_ref()?;
        let (confidence, right): (Vec<f64>, Vec<bool>) = (0..truth.rows())
            .filter(|&row| is_all_known(truth, row))
            .map(|row| {
                let is_right = prediction.labels.row(row) == truth.labels().row(row);
                (all[row], is_right)
            })
            .unzip();
        if confidence.is_empty() {
            return None;
        }
        let probabilities = prediction.probabilities.as_ref();
        Some(Self::from_bins(
            reliability(&confidence, &right, BINS),
            probabilities.map(|all| LabelConfidence::of(all, truth)),
        ))
    }

    /// Several comparisons as if their rows were those of one; none if there are none.
    pub(crate) fn pooled(parts: &[&Self]) -> Option<Self> {
        let sets: Vec<&[Bin]> = parts.iter().map(|own| own.bins.as_slice()).collect();
        let labels = parts.iter().filter_map(|own| own.labels.as_ref());
        let labels: Vec<&[Bin]> = labels.map(|own| own.bins.as_slice()).collect();
        let bins = pooled(&sets)?;
        let labels = pooled(&labels).map(LabelConfidence::from_bins);
        Some(Self::from_bins(bins, labels))
    }

    fn from_bins(bins: Vec<Bin>, labels: Option<LabelConfidence>) -> Self {
        let answered = (0..bins.len()).rev();
        Self {
            mean: Bin::together(&bins).confidence,
            calibration_error: calibration_error_of(&bins),
            answered: answered
                .map(|least| Bin::together(&bins[least..]).right)
                .collect(),
            bins,
            labels,
        }
    }
}

impl LabelConfidence {
    fn of(probabilities: &Matrix, truth: Targets<'_>) -> Self {
        let rows = 0..truth.rows();
        let cells = rows.flat_map(|row| {
            let own = probabilities.row(row).iter().copied().enumerate();
            own.filter(move |&(label, _)| truth.is_known(row, label))
                .map(move |(label, probability)| (probability, truth.labels().contains(row, label)))
        });
        Self::from_bins(reliability_by_width(cells, BINS))
    }

    fn from_bins(bins: Vec<Bin>) -> Self {
        Self {
            calibration_error: calibration_error_of(&bins),
            bins,
        }
    }
}

fn is_all_known(truth: Targets<'_>, row: usize) -> bool {
    truth
        .unknown()
        .is_none_or(|unknown| unknown.row(row).is_empty())
}

/// The first bins together, the second bins together, and so on; none if there are none.
fn pooled(parts: &[&[Bin]]) -> Option<Vec<Bin>> {
    let count = parts.iter().map(|bins| bins.len()).max()?;
    let of_all = |index| Bin::together(parts.iter().filter_map(move |bins| bins.get(index)));
    Some((0..count).map(of_all).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mmoc::data::Labels;

    /// Ten rows of one label, all predicted to have it; the first `right` of them do.
    fn ten_rows(right: usize, confidence: impl Fn(usize) -> f64) -> Confidence {
        let confidence: Vec<f64> = (0..10).map(confidence).collect();
        let prediction = Prediction {
            labels: Labels::from_fn(10, 1, |_, _| true),
            scores: None,
            probabilities: Some(Matrix::new(10, 1, confidence.clone()).unwrap()),
            confidence: Some(confidence),
        };
        let truth = Labels::from_fn(10, 1, |row, _| row < right);
        Confidence::of(&prediction, &truth).unwrap()
    }

    #[test]
    fn predictions_without_confidence_have_none() {
        let labels = Labels::from_fn(3, 2, |row, label| row == label);
        let prediction = Prediction {
            labels: labels.clone(),
            scores: None,
            probabilities: None,
            confidence: None,
        };
        assert_eq!(Confidence::of(&prediction, &labels), None);
        assert_eq!(Confidence::pooled(&[]), None);
    }

    #[test]
    fn rows_with_unknown_labels_say_nothing_about_whole_sets() {
        let truth = Labels::from_fn(4, 2, |row, _| row < 2);
        let unknown = Labels::from_fn(4, 2, |row, label| row == 3 && label == 0);
        let prediction = Prediction {
            labels: Labels::from_fn(4, 2, |_, _| true),
            scores: None,
            probabilities: Some(Matrix::from_fn(4, 2, |_, _| 0.5)),
            confidence: Some(vec![0.5, 0.5, 0.5, 1.0]),
        };
        let weights = [1.0, 2.0, 3.0, 4.0];
        let targets = Targets::new(&truth).with_weights(Some(&weights)).unwrap();
        let partly = targets.with_unknown(Some(&unknown)).unwrap();
        let found = Confidence::of(&prediction, partly).unwrap();
        assert_eq!(Bin::together(&found.bins).rows, 3);
        assert_eq!((found.mean, found.answered[9]), (0.5, 2.0 / 3.0));
        assert_eq!(Bin::together(&found.labels.unwrap().bins).rows, 7);
        let unknown = Labels::from_fn(4, 2, |_, label| label == 0);
        let nowhere = targets.with_unknown(Some(&unknown)).unwrap();
        assert_eq!(Confidence::of(&prediction, nowhere), None);
    }

    #[test]
    fn accuracy_falls_as_less_confident_rows_are_answered() {
        let found = ten_rows(5, |row| 1.0 - row as f64 / 16.0);
        let expected = [1.0, 1.0, 1.0, 1.0, 1.0, 5.0 / 6.0, 5.0 / 7.0];
        assert_eq!(found.answered[..7], expected);
        assert_eq!((found.answered.len(), found.answered[9]), (10, 0.5));
    }

    #[test]
    fn equal_confidence_is_wrong_by_its_distance_from_the_accuracy() {
        let found = ten_rows(5, |_| 0.75);
        assert_eq!((found.mean, found.calibration_error), (0.75, 0.25));
        assert_eq!(found.answered, [0.5; 10]);
        let labels = found.labels.unwrap();
        assert_eq!((labels.bins[7].rows, labels.calibration_error), (10, 0.25));
    }

    #[test]
    fn pooled_errors_of_opposite_sign_cancel() {
        let (over, under) = (ten_rows(5, |_| 0.75), ten_rows(10, |_| 0.75));
        assert_eq!([&over, &under].map(|own| own.calibration_error), [0.25; 2]);
        let pooled = Confidence::pooled(&[&over, &under]).unwrap();
        assert_eq!((pooled.mean, pooled.calibration_error), (0.75, 0.0));
        assert_eq!(pooled.answered, [0.75; 10]);
        assert!(pooled.bins.iter().all(|bin| bin.rows == 2));
        assert_eq!(Confidence::pooled(&[&over]), Some(over));
    }
}
