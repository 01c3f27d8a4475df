//! The feature spaces of linear models: the scaled features, radial basis functions of them, or both.

use super::fitted::Fitted;
use super::forms::Form;
use crate::data::{Matrix, Targets};
use crate::evidence::{FeatureSpace, LearntTerm};
use crate::learn::kernel::{KernelChoice, KernelFit, KernelMap, KernelModel};
use crate::learn::{FeatureChoice, LinearModel, Training};
use crate::posterior::FeaturesRecord;
use crate::{Error, Result};

/// Products of rows, centres, labels and fits up to which radial basis functions are tried without being asked for. Yeast
/// has 2·10⁸, and its classifiers took three seconds on two cores.
const MOST_WORK: f64 = 2e9;

/// The most that the leave-one-out error on radial basis functions may be, as a share of that on the features, for them to be
/// tried without being asked for: twice the terms are not worth a difference within chance.
const LOWER: f64 = 0.98;

/// Which feature spaces are tried, and why.
pub(super) struct FeatureSpaces {
    pub(super) has_linear: bool,
    /// What ridge regressions in both spaces said, if they were asked.
    choice: Option<KernelChoice>,
    kernel: Option<KernelFit>,
}

impl FeatureSpaces {
    /// The spaces that were asked for. If training rows decide, radial basis functions are tried if ridge regressions of the
    /// labels on them have clearly lower leave-one-out errors than on the features themselves.
    pub(super) fn choose(training: &Training<'_>, asked: FeatureChoice) -> Result<Self> {
        let linear = Self {
            has_linear: true,
            choice: None,
            kernel: None,
        };
        if asked == FeatureChoice::Linear
            || asked == FeatureChoice::Auto && !is_affordable(training)
        {
            return Ok(linear);
        }
        training.stage("choosing radial basis functions");
        let params = training.params().kernel();
        let (x, labels, seed) = (training.features(), training.labels(), training.seed());
        let targets = Targets::new(labels).with_weights(training.weights())?;
        let choice = KernelMap::choose(x, targets, &params, seed)?;
        let has_linear = asked == FeatureChoice::Auto;
        if has_linear && choice.error > LOWER * choice.linear_error {
            return Ok(Self {
                choice: Some(choice),
                ..linear
            });
        }
        Ok(Self {
            has_linear,
            kernel: Some(KernelMap::fit(x, choice.clone(), &params, seed)?),
            choice: Some(choice),
        })
    }

    /// The training rows in the space of radial basis functions, if it is tried.
    pub(super) fn mapped<'a>(&'a self, training: &'a Training<'_>) -> Result<Option<Training<'a>>> {
        let kernel = self.kernel.as_ref();
        kernel
            .map(|kernel| training.with_features(kernel.features.view()))
            .transpose()
    }

    /// The outputs of a form: linear functions of the features, and of radial basis functions.
    pub(super) fn models(
        &self,
        columns: usize,
        terms: &[LearntTerm],
        form: &Form,
    ) -> Result<(LinearModel, Option<KernelModel>)> {
        let of_space = |space, columns: usize| {
            let nothing = LinearModel::new(Matrix::zeros(columns, 0), Vec::new())?;
            let own = form.terms.iter().map(|&term| &terms[term]);
            let own = own.filter(|term| term.space == space);
            let models = own.filter_map(|term| term.model.as_ref());
            LinearModel::concatenated(&[&nothing].into_iter().chain(models).collect::<Vec<_>>())
        };
        let linear = of_space(FeatureSpace::Linear, columns)?;
        let Some(kernel) = &self.kernel else {
            return Ok((linear, None));
        };
        let mapped = of_space(FeatureSpace::Kernel, kernel.features.columns())?;
        let is_used = !mapped.intercepts().is_empty();
        let composed = is_used.then(|| kernel.map.compose(&mapped));
        Ok((linear, composed.transpose()?))
    }

    /// What was decided, if training rows were asked.
    pub(super) fn record(&self, form: &Form) -> Option<FeaturesRecord> {
        let choice = self.choice.as_ref()?;
        let chosen = match (&self.kernel, form.spaces.as_slice()) {
            (Some(_), [_, _]) => "both",
            (Some(_), [space]) if !self.has_linear || *space == 1 => "rbf",
            _ => "linear",
        };
        Some(FeaturesRecord {
            chosen: chosen.into(),
            linear_error: choice.linear_error,
            rbf_error: choice.error,
            centres: self.kernel.as_ref().map_or(0, |own| own.map.centres()),
        })
    }
}

/// Fits a method that knows nothing of feature spaces in that of radial basis functions.
pub(super) fn fit_mapped(
    training: &Training<'_>,
    fit: impl Fn(&Training<'_>) -> Result<Fitted>,
) -> Result<Fitted> {
    let spaces = FeatureSpaces::choose(training, FeatureChoice::Rbf)?;
    let (Some(mapped), Some(kernel)) = (spaces.mapped(training)?, &spaces.kernel) else {
        return Err(Error::Parameter {
            parameter: "features",
            expected: "rbf".into(),
            found: "no radial basis functions".into(),
        });
    };
    fit(&mapped)?.composed(&mapped, &kernel.map)
}

/// Whether radial basis functions cost little enough to be tried.
pub(super) fn is_affordable(training: &Training<'_>) -> bool {
    let params = training.params();
    let rows = training.features().rows();
    let centres = params.kernel().centres(rows);
    let fits = training.labels().count() * (params.logistic.folds + 1);
    rows as f64 * centres as f64 * fits as f64 <= MOST_WORK
}
