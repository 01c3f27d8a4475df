//! MaxMargin: directions that keep label sets apart and can be predicted (section 3), beside the labels
//! themselves, decoded by eq. (15).

use super::coded::{CodedModel, JointParams};
use super::{Model, Recipe};
use crate::Result;
use crate::code::max_margin::MaxMarginParams;
use crate::learn::Training;
use crate::settings::{Setting, Settings};

/// MaxMargin with its parameters, those of [`MaxMarginParams`] and [`JointParams`].
///
/// Without classifiers in the problem (25) there are none in the codeword either, and λ has no meaning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MaxMargin {
    /// The max-margin directions.
    pub code: MaxMarginParams,
    /// The decoding.
    pub decoding: JointParams,
}

impl Settings for MaxMargin {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        let mut settings = self.code.settings();
        settings.extend(self.decoding.settings());
        settings
    }
}

impl Recipe for MaxMargin {
    const NAME: &'static str = "max-margin";
    const TITLE: &'static str = "MaxMargin";
    const SUMMARY: &'static str =
        "labels and directions of maximum margin between label sets, decoded together";

    fn base_models(&self, labels: usize) -> usize {
        let projections = self.code.projections.unwrap_or(labels).min(labels);
        projections + if self.code.classifiers { labels } else { 0 }
    }

    fn fit(&self, training: &Training<'_>) -> Result<Model> {
        self.validate()?;
        let code = self.code.fit(training)?;
        let model = if self.code.classifiers {
            CodedModel::with_labels(training, code, &self.decoding)
        } else {
            CodedModel::without_labels(training, code, self.decoding.inference)
        };
        model.map(Model::from)
    }
}
