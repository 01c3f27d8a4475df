//! Multi-label methods, all configured, fitted and used the same way, and the one table that lists them.
//!
//! ```
//! use mmoc::method::MaxMargin;
//! # use mmoc::data::{Dataset, Features, Labels, Matrix};
//! # let features = Features::Dense(Matrix::from_fn(40, 3, |i, j| ((7 * i + 3 * j) % 11) as f64));
//! # let labels = Labels::from_fn(40, 2, |i, j| (7 * i + 3 * j) % 11 > 5);
//! # let names = |start: &str, count| (0..count).map(|k| format!("{start}{k}")).collect();
//! # let songs = Dataset::new("songs", features, labels, names("x", 3), names("y", 2))?;
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("songs.mmoc");
//!
//! let (train, test) = songs.split(0.8, 1)?;
//! let model = MaxMargin::default().c(1e3).fit(&train)?;
//! println!("{}", model.predict(&test)?.score(&test)?.subset_accuracy());
//! model.save(&path)?;
//! # assert_eq!(mmoc::Model::load(&path)?.predict(&test)?, model.predict(&test)?);
//! # Ok::<(), mmoc::Error>(())
//! ```
//!
//! Setters of the method come first, then those of the training: `MaxMargin::default().c(1e3).seed(7).fit(&train)`.
//! Methods and parameters also have names:
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
mod decoding;
mod feature_space;
mod fitted;
mod forms;
mod lead;
mod max_margin;
mod need;
mod predictor;
mod preset;
mod recipe;
mod registry;
mod terms;
mod with_posterior;

use std::fmt;
use std::str::FromStr;

pub use binary_relevance::BinaryRelevance;
pub use calibrated_ranking::CalibratedRanking;
pub use coding_cca::CodingCca;
pub use coding_cs::{CodingCs, Recovery};
pub use coding_pca::CodingPca;
pub use coding_pca_r::CodingPcaR;
pub use decoding::{DecodingParams, Weights};
pub use fitted::{Fitted, Penalties};
pub use lead::Lead;
pub use max_margin::MaxMargin;
pub(crate) use predictor::check_finite;
pub use predictor::{Predictor, PredictorInput};
pub use preset::Preset;
pub use recipe::Recipe;
pub use terms::{TermKind, Terms};

use self::feature_space::fit_mapped;
use crate::data::{Dataset, Missing, Scaling};
use crate::learn::{BaseParams, FeatureChoice, Training};
use crate::posterior::GivenEvidence;
use crate::settings::{Setting, Settings};
use crate::text::first_names;
use crate::train::TrainParams;
use crate::{Error, Model, Result};

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

impl Method {
    /// The parameters of decoding, if the method may have a posterior of several terms.
    pub(crate) fn decoding(&self) -> Option<&DecodingParams> {
        match self {
            Self::CodingPcaR(own) => Some(&own.decoding),
            Self::CodingCca(own) => Some(&own.decoding),
            Self::MaxMargin(own) => Some(&own.decoding),
            _ => None,
        }
    }

    /// Bytes that a fit is expected to need at its peak, beyond the training rows. Fits that need more than there is are
    /// refused ([`Error::Memory`]).
    pub fn expected_memory(&self, training: &Training<'_>) -> f64 {
        need::bytes(self, training)
    }

    /// Fails if there is evidence from outside of the model and the method has no posterior that could use it.
    pub fn check_takes_evidence(&self, names: &[&str]) -> Result<()> {
        if names.is_empty() || self.has_posterior() {
            return Ok(());
        }
        let evidence = first_names(names);
        Err(Error::Parameter {
            parameter: "the method",
            expected: format!(
                "one with a posterior over label sets, as the evidence {evidence} is a term of it"
            ),
            found: format!("{self} with these parameters"),
        })
    }
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
