//! Multi-label methods, all set, fitted and used the same way, and the one table that lists them.
//!
//! ```
//! use mmoc::method::Method;
//! use mmoc::settings::Settings;
//!
//! let mut method: Method = "coding-pca".parse()?;
//! method.set("projections", "3")?;
//! assert_eq!(method.base_models(6), 3);
//! # Ok::<(), mmoc::Error>(())
//! ```

mod binary_relevance;
mod calibrated_ranking;
mod coded;
mod codewords;
mod coding_cca;
mod coding_cs;
mod coding_pca;
mod coding_pca_r;
mod lead;
mod max_margin;
mod recipe;
mod registry;

use std::fmt;
use std::str::FromStr;

pub use binary_relevance::{BinaryRelevance, BinaryRelevanceModel};
pub use calibrated_ranking::{CalibratedRanking, CalibratedRankingModel, Votes};
pub use coded::{CodedModel, JointParams, Weights};
pub use coding_cca::CodingCca;
pub use coding_cs::{CodingCs, Recovery};
pub use coding_pca::CodingPca;
pub use coding_pca_r::CodingPcaR;
pub use lead::{Evidence, Lead, LeadModel};
pub use max_margin::MaxMargin;
pub use recipe::Recipe;

use crate::code::max_margin::SolverReport;
use crate::code::{Code, CodeReport};
use crate::data::FeaturesView;
use crate::learn::Training;
use crate::learn::logistic::LogisticRecord;
use crate::settings::{Setting, Settings};
use crate::{Error, Prediction, Result};

registry::methods! {
    /// One classifier per label, each by itself.
    BinaryRelevance,
    /// Random projections and sparse recovery.
    CodingCs,
    /// Principal components, projected back.
    CodingPca,
    /// Labels and principal components, decoded together.
    CodingPcaR,
    /// Labels and canonical directions, decoded together.
    CodingCca,
    /// Votes between each pair of labels and a virtual one.
    CalibratedRanking,
    /// A network of the classifiers' errors.
    Lead,
    /// Labels and max-margin directions, decoded together.
    MaxMargin,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    /// The method of the given name, its parameters at their defaults.
    fn from_str(name: &str) -> Result<Self> {
        let all = Self::all();
        let names: Vec<&str> = all.iter().map(Self::name).collect();
        let expected = format!("one of {}", names.join(", "));
        let found = all.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| Error::Parameter {
            parameter: "method",
            expected,
            found: format!("'{name}'"),
        })
    }
}

/// A fitted method.
#[derive(Debug, Clone)]
pub enum Model {
    /// One classifier per label, each by itself.
    BinaryRelevance(BinaryRelevanceModel),
    /// A code, its base learners and a decoder.
    Coded(Box<CodedModel>),
    /// Classifiers of pairs of labels, which vote.
    CalibratedRanking(CalibratedRankingModel),
    /// Classifiers with parents among the labels.
    Lead(LeadModel),
}

impl From<CodedModel> for Model {
    fn from(model: CodedModel) -> Self {
        Self::Coded(Box::new(model))
    }
}

impl Model {
    /// Predicts the label set of every row.
    pub fn predict(&self, x: FeaturesView<'_>) -> Result<Prediction> {
        match self {
            Self::BinaryRelevance(model) => model.predict(x),
            Self::Coded(model) => model.predict(x),
            Self::CalibratedRanking(model) => model.predict(x),
            Self::Lead(model) => model.predict(x),
        }
    }

    /// The output code with its projections, if the method has one.
    pub fn code(&self) -> Option<&Code> {
        match self {
            Self::Coded(model) => Some(model.code()),
            _ => None,
        }
    }

    /// How the regressions were solved that the method does not share with others, if it has any.
    pub fn logistic_record(&self) -> Option<&LogisticRecord> {
        match self {
            Self::BinaryRelevance(_) | Self::Coded(_) => None,
            Self::CalibratedRanking(model) => Some(model.record()),
            Self::Lead(model) => Some(model.record()),
        }
    }

    /// How the code was found, if the method has one.
    pub fn code_report(&self) -> Option<&CodeReport> {
        self.code().map(|code| &code.report)
    }

    /// How the max-margin problem was solved, if the method has one.
    pub fn solver_report(&self) -> Option<&SolverReport> {
        match self.code_report() {
            Some(CodeReport::MaxMargin { solver, .. }) => Some(solver),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_method_is_found_by_its_name_and_no_name_is_used_twice() {
        let mut names = HashSet::new();
        for method in Method::all() {
            assert_eq!(method.name().parse::<Method>().unwrap(), method);
            assert!(names.insert(method.name()), "{method}");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let message = "no-such".parse::<Method>().unwrap_err().to_string();
        let known = "br, coding-cs, coding-pca, coding-pca-r, coding-cca, clr, lead, max-margin";
        let expected = format!("method must be one of {known}, not 'no-such'");
        assert_eq!(message, expected);
    }

    #[test]
    fn parameters_have_different_names_and_default_values_that_are_allowed() {
        for mut method in Method::all() {
            method.validate().unwrap();
            let before = method.clone();
            let mut names = HashSet::new();
            for parameter in method.parameters() {
                assert!(names.insert(parameter.name), "{method}: {parameter:?}");
                let value = parameter.value.to_string();
                method.set(parameter.name, &value).unwrap();
            }
            assert_eq!(method, before);
        }
    }

    #[test]
    fn base_models_are_counted_as_in_the_tables_of_the_paper() {
        let counts = |labels| -> Vec<usize> {
            let methods = Method::all().into_iter();
            methods.map(|method| method.base_models(labels)).collect()
        };
        assert_eq!(counts(6), [6, 100, 6, 12, 12, 21, 6, 12]);
        assert_eq!(counts(10), [10, 100, 10, 20, 20, 55, 10, 20]);
    }
}
