//! The memory that a fit needs at its peak, beyond the data and its scaled copy.
//!
//! With n rows, p columns, s stored values, q labels, r = min(n, p) for dense features and p for sparse ones, K folds
//! and T threads, the parts of a fit need about so many numbers of eight bytes:
//!
//! | part | numbers |
//! |---|---|
//! | logistic regressions that are solved at a time | K·min(8T, q)·(10n + 18r) |
//! | their features | dense: n·r + p·r + 4r²; sparse: 3s |
//! | their coefficients and held-out predictions | q·(8n + 4p) |
//! | ridge regressions of t targets | those of the [cost model](crate::learn), and t·(4n + 2p) |
//! | pairs of labels | q²/2·3p, and 6 for each label of a row and other label |
//! | scatter of k labels that occur | 4·min(n, k)², and 3·k·min(n, k) for the directions |
//! | a max-margin problem of v labels that vary | 15·n·v + 10·v² + n·min(v, 8c)²/2 with c labels of a row, 3·q² |
//! | a forest of B trees | 10·B·n |
//! | m radial basis functions | 3·n·m + 4·m², and all of the above with them as dense features |
//!
//! Parts follow one another, so the largest counts, and what earlier ones leave behind. The factors were found by
//! measuring: estimates are from half to three times the peak where it is above 20 MB (`crates/mmoc/tests/memory.rs`).
//! Radial basis functions and forests count wherever training rows may decide for them.

use super::feature_space::is_affordable;
use super::with_posterior::is_forest_affordable;
use super::{Method, TermKind};
use crate::Result;
use crate::code::need::{LabelSize, NUMBER};
use crate::data::FeaturesView;
use crate::learn::{FeatureChoice, Training};
use crate::memory::{Work, check_memory};

/// Labels that each thread fits at a time.
const LABELS_AT_ONCE: usize = 8;

/// Fails if the fit needs more memory than is available.
pub(super) fn check(method: &Method, training: &Training<'_>) -> Result<()> {
    if training.is_partitioned() {
        // Partitions are small, and so is the sample of their rows.
        return Ok(());
    }
    let work = Work::Fit {
        method: method.name(),
        rows: training.labels().rows(),
        features: training.features().columns(),
        labels: training.labels().count(),
    };
    check_memory(work, bytes(method, training))
}

/// Bytes at the peak of a fit.
pub(super) fn bytes(method: &Method, training: &Training<'_>) -> f64 {
    let linear = Size::of(training);
    let asked = training.params().features;
    let maps = asked == FeatureChoice::Rbf
        || asked == FeatureChoice::Auto && method.has_posterior() && is_affordable(training);
    let mut numbers = forest(method, training);
    if asked != FeatureChoice::Rbf {
        numbers += linear.numbers(method, training);
    }
    if maps {
        let mapped = linear.mapped(training);
        let (n, m) = (mapped.rows, mapped.columns);
        numbers += 3.0 * n * m + 4.0 * m * m + mapped.numbers(method, training);
    }
    NUMBER * numbers
}

/// Numbers of the forest of a posterior, if it may have one.
fn forest(method: &Method, training: &Training<'_>) -> f64 {
    let Some(params) = method.decoding() else {
        return 0.0;
    };
    let may_grow = method.has_posterior() && params.terms.allow(TermKind::Forest);
    if may_grow && is_forest_affordable(training, params.trees) {
        10.0 * params.trees as f64 * training.labels().rows() as f64
    } else {
        0.0
    }
}

/// What memory depends on.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// n.
    rows: f64,
    /// p.
    columns: f64,
    /// s.
    stored: f64,
    dense: bool,
    /// q.
    labels: f64,
    of_labels: LabelSize,
    /// K·min(8T, q).
    fits_at_once: f64,
}

impl Size {
    fn of(training: &Training<'_>) -> Self {
        let (x, labels) = (training.features(), training.labels());
        let (rows, count) = (labels.rows(), labels.count());
        let at_once = count.min(LABELS_AT_ONCE * rayon::current_num_threads());
        Self {
            rows: rows as f64,
            columns: x.columns() as f64,
            stored: x.stored_values().len() as f64,
            dense: matches!(x, FeaturesView::Dense(_)),
            labels: count as f64,
            of_labels: LabelSize::of(labels),
            fits_at_once: (training.params().logistic.folds * at_once) as f64,
        }
    }

    /// The same rows with radial basis functions as features.
    fn mapped(self, training: &Training<'_>) -> Self {
        let centres = training.params().kernel().centres(training.labels().rows()) as f64;
        Self {
            columns: centres,
            stored: self.rows * centres,
            dense: true,
            ..self
        }
    }

    fn numbers(self, method: &Method, training: &Training<'_>) -> f64 {
        let (n, q) = (self.rows, self.labels);
        let ridge = |targets: f64| self.ridge(training, targets);
        let classifiers = self.classifiers();
        let (of_labels, rank) = (self.of_labels, self.of_labels.rank());
        // Held-out predictions of all labels, with scores and probabilities.
        let predicted = 4.0 * n * q;
        match method {
            Method::BinaryRelevance(_) => classifiers,
            Method::CalibratedRanking(_) => classifiers + self.pairs(),
            Method::Lead(_) => {
                classifiers + 3.0 * n * q + 4.0 * of_labels.varying * of_labels.varying
            }
            Method::CodingCs(own) => {
                let projections = own.code.projections as f64;
                predicted + ridge(projections) + 3.0 * q * projections
            }
            Method::CodingPca(own) => {
                let kept = own
                    .code
                    .projections
                    .map_or(rank, |count| rank.min(count as f64));
                predicted + of_labels.scatter().max(ridge(kept) + 3.0 * q * kept)
            }
            Method::CodingPcaR(_) | Method::CodingCca(_) => {
                classifiers.max(self.kept() + of_labels.scatter().max(ridge(rank)))
            }
            Method::MaxMargin(_) => {
                let problem = of_labels.problem();
                classifiers.max(self.kept() + ridge(q).max(problem)) + of_labels.pairs()
            }
        }
    }

    /// Coordinates in which the classifiers are fitted.
    fn coordinates(self) -> f64 {
        if self.dense {
            self.rows.min(self.columns)
        } else {
            self.columns
        }
    }

    fn classifiers(self) -> f64 {
        let (n, p, r) = (self.rows, self.columns, self.coordinates());
        let features = if self.dense {
            n * r + p * r + 4.0 * r * r
        } else {
            3.0 * self.stored
        };
        features + self.fits_at_once * (10.0 * n + 18.0 * r) + self.labels * (8.0 * n + 4.0 * p)
    }

    /// What the classifiers leave behind.
    fn kept(self) -> f64 {
        let features = if self.dense {
            self.rows * self.coordinates()
        } else {
            3.0 * self.stored
        };
        features + self.labels * (2.0 * self.rows + 2.0 * self.columns)
    }

    fn ridge(self, training: &Training<'_>, targets: f64) -> f64 {
        let (n, p) = (self.rows, self.columns);
        training.ridge_numbers(p, self.stored, self.dense, targets) + targets * (4.0 * n + 2.0 * p)
    }

    fn pairs(self) -> f64 {
        let of_labels = 3.0 * self.columns * self.labels * (self.labels - 1.0) / 2.0;
        of_labels + 6.0 * self.of_labels.total * self.labels
    }
}
