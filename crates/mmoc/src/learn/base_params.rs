//! Parameters of the base learners.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::FeatureChoice;
use super::kernel::KernelParams;
use super::logistic::{ClassWeight, Criterion, LogisticParams};
use super::ridge::{RidgeParams, RidgeSolver};
use crate::settings::{Setting, Settings, setters};

/// Parameters of the base learners, the same for every method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseParams {
    /// Ridge regression.
    pub ridge: RidgeParams,
    /// Logistic regression.
    pub logistic: LogisticParams,
    /// Which features linear models are functions of.
    pub features: FeatureChoice,
    /// Most centres of radial basis functions where training rows are many.
    pub landmarks: usize,
}

impl Default for BaseParams {
    fn default() -> Self {
        Self {
            ridge: RidgeParams::default(),
            logistic: LogisticParams::default(),
            features: FeatureChoice::default(),
            landmarks: KernelParams::default().landmarks,
        }
    }
}

impl BaseParams {
    /// The parameters of radial basis functions.
    pub(crate) fn kernel(&self) -> KernelParams {
        KernelParams {
            landmarks: self.landmarks,
            ..KernelParams::default()
        }
    }
}

/// Weaker ones are hidden by rounding, stronger ones leave nothing.
const PENALTIES: RangeInclusive<f64> = 1e-12..=1e12;

setters!(BaseParams {
    /// What the penalties of the classifiers are chosen by.
    criterion: Criterion = logistic.criterion;
    /// How much rows with a label count in its classifier against rows without it. Weights above one for rare labels
    /// move their log-odds up.
    class_weight: ClassWeight = logistic.class_weight;
    /// The penalty of the classifiers, as a share of the scatter of the features; chosen by default.
    penalty: f64 = logistic.penalty;
    /// The penalty of the regressions, as a share of the scatter of the features; chosen by default.
    ridge_penalty: f64 = ridge.penalty;
    /// How regressions are solved.
    ridge_solver: RidgeSolver = ridge.solver;
    /// The number of folds by which penalties are chosen.
    folds: usize = logistic.folds;
    /// Which features linear models are functions of.
    features: FeatureChoice = features;
    /// Most centres of radial basis functions where training rows are many.
    landmarks: usize = landmarks;
});

impl Settings for BaseParams {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        vec![
            Setting::choice(
                "criterion",
                "what the penalties of the classifiers are chosen by",
                &mut self.logistic.criterion,
            ),
            Setting::optional_number(
                "penalty",
                "of the classifiers, as a share of the scatter of the features",
                &mut self.logistic.penalty,
                PENALTIES,
                "chosen",
            ),
            Setting::optional_number(
                "ridge-penalty",
                "of the regressions, as a share of the scatter of the features",
                &mut self.ridge.penalty,
                PENALTIES,
                "chosen",
            ),
            Setting::choice(
                "ridge-solver",
                "how regressions are solved; auto is what costs less",
                &mut self.ridge.solver,
            ),
            Setting::text(
                "class-weight",
                "weight of rows that have the label; balanced favours rare labels",
                &mut self.logistic.class_weight,
            ),
            Setting::count(
                "folds",
                "folds of the choice of penalties",
                &mut self.logistic.folds,
                2..=1000,
            ),
            Setting::choice(
                "features",
                "what models are linear in; auto: linear, rbf or both, as rows decide",
                &mut self.features,
            ),
            Setting::count(
                "landmarks",
                "centres of radial basis functions, if training rows are many",
                &mut self.landmarks,
                2..=100_000,
            ),
        ]
    }
}
