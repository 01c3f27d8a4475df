//! What can be asked beside label sets, the same in every protocol.

use std::str::FromStr;

use mmoc::Question;
use mmoc::posterior::Decision;
use mmoc::settings::Named;
use mmoc::text::excerpt;

use crate::models::Served;
use crate::refusal::Refusal;

/// More likeliest sets than this are not asked for by people.
const MOST_SETS: usize = 1000;
/// More contributions to the score of a label than this are not read by people.
const MOST_PARTS: usize = 100;

/// What can be asked beside label sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) decide: Option<String>,
    pub(crate) sets: Option<usize>,
    pub(crate) probabilities: Option<bool>,
    pub(crate) explain: Option<usize>,
}

impl Options {
    /// The options of a query, `decide=f1&sets=5&probabilities=true`.
    pub(crate) fn of_query(query: Option<&str>) -> Result<Self, Refusal> {
        let mut options = Self::default();
        let pairs = query.unwrap_or_default().split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let is_new = match key {
                "decide" => options.decide.replace(value.to_owned()).is_none(),
                "sets" => options.sets.replace(parsed(key, value)?).is_none(),
                "explain" => options.explain.replace(parsed(key, value)?).is_none(),
                "probabilities" => {
                    let value = parsed(key, value)?;
                    options.probabilities.replace(value).is_none()
                }
                _ => {
                    let known = "known are decide, sets, probabilities and explain";
                    let message = format!("there is no parameter {}; {known}", excerpt(key));
                    return Err(Refusal::malformed(message));
                }
            };
            if !is_new {
                let message = format!("the parameter {} is given twice", excerpt(key));
                return Err(Refusal::malformed(message));
            }
        }
        Ok(options)
    }

    /// The question to a model, if it can answer it.
    pub(crate) fn question(&self, served: &Served) -> Result<Question, Refusal> {
        let decision = self.decide.as_deref().map(decision).transpose()?;
        let sets = self.sets.unwrap_or(0);
        if sets > MOST_SETS {
            let message = format!("sets must be at most {MOST_SETS}, not {sets}");
            return Err(Refusal::unusable(message));
        }
        let explain = self.explain.unwrap_or(0);
        if explain > MOST_PARTS {
            let message = format!("explain must be at most {MOST_PARTS}, not {explain}");
            return Err(Refusal::unusable(message));
        }
        if (decision.is_some() || sets > 0) && served.posterior().is_none() {
            let message = "this model has no posterior over label sets: it knows neither other decisions nor the \
                           likeliest sets";
            return Err(Refusal::unusable(message));
        }
        if self.probabilities == Some(true) && !has_probabilities(served) {
            return Err(Refusal::unusable("this model has no probabilities"));
        }
        Ok(Question { decision, sets })
    }
}

/// Whether a model knows the probabilities of labels.
pub(super) fn has_probabilities(served: &Served) -> bool {
    served.model.predictor().decoder().has_probabilities()
}

fn decision(name: &str) -> Result<Decision, Refusal> {
    Decision::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Decision::NAMES.iter().map(|&(_, name)| name).collect();
        let names = names.join(", ");
        Refusal::unusable(format!(
            "decide must be one of {names}, not {}",
            excerpt(name)
        ))
    })
}

fn parsed<T: FromStr>(key: &str, value: &str) -> Result<T, Refusal> {
    value.parse().map_err(|_| {
        let message = format!("the parameter {key} cannot be {}", excerpt(value));
        Refusal::malformed(message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_or_refused() {
        let read = |query| Options::of_query(Some(query));
        let expected = Options {
            decide: Some("f1".into()),
            sets: Some(5),
            probabilities: Some(true),
            explain: Some(3),
        };
        assert_eq!(
            read("decide=f1&sets=5&probabilities=true&explain=3"),
            Ok(expected)
        );
        assert_eq!(read(""), Ok(Options::default()));
        for bad in [
            "sets=-1",
            "sets=x",
            "explain=all",
            "sets=1&sets=2",
            "probabilities=1",
            "explode=1",
            "sets",
        ] {
            assert_eq!(read(bad).unwrap_err().status.as_u16(), 400, "{bad}");
        }
    }
}
