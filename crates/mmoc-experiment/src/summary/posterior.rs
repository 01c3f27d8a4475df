//! How the posteriors over label sets were fitted in all runs.

use mmoc::posterior::{Decision, PosteriorRecord, TermRecord};
use serde::Serialize;

/// The worst gap, and the means over runs of everything else.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PosteriorSummary {
    /// The measure that predicted label sets are to be best in.
    #[serde(skip)]
    pub decide: Decision,
    /// Which label sets are candidates: `all` or `seen`.
    pub candidates: String,
    /// Mean number of candidates.
    pub sets: f64,
    /// Mean probability that a new row has a set that is no candidate.
    pub unseen_mass: f64,
    /// Largest bound on what other weights would gain.
    pub gap: f64,
    /// Number of runs.
    pub runs: usize,
    /// The terms that entered in any run.
    pub terms: Vec<TermSummary>,
}

/// A term of the posterior, over the runs in which it entered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TermSummary {
    /// Its name.
    pub name: String,
    /// Mean weight.
    pub weight: f64,
    /// Mean log-likelihood of a row that is lost without it; none if weights were given.
    pub worth: Option<f64>,
    /// Number of runs in which it entered.
    pub runs: usize,
}

impl PosteriorSummary {
    /// Sums up the records of runs; none if there are none.
    pub(super) fn of<'a>(records: impl Iterator<Item = &'a PosteriorRecord>) -> Option<Self> {
        let records: Vec<&PosteriorRecord> = records.collect();
        let first = records.first()?;
        let gaps = records.iter().map(|record| record.gap);
        Some(Self {
            decide: first.decide,
            candidates: first.candidates.clone(),
            sets: mean(&records, |record| record.sets as f64)?,
            unseen_mass: mean(&records, |record| record.unseen_mass)?,
            gap: gaps.fold(0.0, f64::max),
            runs: records.len(),
            terms: names(&records)
                .into_iter()
                .filter_map(|name| TermSummary::of(name, &records))
                .collect(),
        })
    }

    /// What the posterior is over and what its terms are worth, in words.
    pub fn describe(&self) -> String {
        let sets = match self.candidates.as_str() {
            "seen" => format!("the {:.0} label sets of the training rows", self.sets),
            _ => format!("all {:.0} label sets", self.sets),
        };
        let over = match self.runs {
            1 => String::new(),
            runs => format!(" (means over {runs} runs)"),
        };
        format!(
            "{} is the measure that label sets are chosen for. The posterior is over {sets}; it leaves a probability \
             of {:.4} to all others{over}. {}",
            self.decide.metric().title(),
            self.unseen_mass,
            self.most_worth()
        )
    }

    fn most_worth(&self) -> String {
        let known = self
            .terms
            .iter()
            .filter_map(|term| Some((term, term.worth?)));
        let most = known.reduce(|most, next| if next.1 > most.1 { next } else { most });
        let Some((term, worth)) = most else {
            return "The weights of the terms were given.".into();
        };
        format!(
            "The term “{}” is worth most: without it, and with the other weights fitted again, the log-likelihood of \
             a training row is lower by {worth:.4}. No weights are better than those found by more than {:.0e}.",
            term.name, self.gap
        )
    }
}

impl TermSummary {
    fn of(name: &str, records: &[&PosteriorRecord]) -> Option<Self> {
        let found = records.iter().filter_map(|record| {
            let term = record.terms.iter().find(|term| term.name == name)?;
            Some((term, record.rows > 0))
        });
        let (found, fitted): (Vec<&TermRecord>, Vec<bool>) = found.unzip();
        let fitted = fitted.contains(&true);
        Some(Self {
            name: name.to_owned(),
            weight: mean(&found, |term| term.weight)?,
            worth: mean(&found, |term| term.worth).filter(|_| fitted),
            runs: found.len(),
        })
    }
}

/// The names of all terms, in the order in which they are first met.
fn names<'a>(records: &[&'a PosteriorRecord]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for term in records.iter().flat_map(|record| &record.terms) {
        if !names.contains(&term.name.as_str()) {
            names.push(&term.name);
        }
    }
    names
}

fn mean<T>(of: &[&T], value: fn(&T) -> f64) -> Option<f64> {
    let sum: f64 = of.iter().map(|own| value(own)).sum();
    (!of.is_empty()).then(|| sum / of.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(gap: f64, rows: usize, terms: &[(&str, f64)]) -> PosteriorRecord {
        let terms = terms.iter().map(|&(name, weight)| TermRecord {
            name: name.into(),
            weight,
            worth: weight / 2.0,
        });
        PosteriorRecord {
            decide: Decision::F1,
            candidates: "seen".into(),
            sets: 8,
            unseen_mass: gap / 2.0,
            independent_share: 0.5,
            terms: terms.collect(),
            rows,
            log_likelihood: -1.0,
            gap,
            forms: Vec::new(),
            features: None,
        }
    }

    #[test]
    fn the_summary_has_the_worst_gap_and_the_means() {
        let records = [
            record(0.25, 30, &[("labels", 1.0)]),
            record(0.75, 30, &[("labels", 2.0), ("code", 4.0)]),
        ];
        let summary = PosteriorSummary::of(records.iter()).unwrap();
        assert_eq!((summary.decide, summary.runs), (Decision::F1, 2));
        assert_eq!((summary.gap, summary.unseen_mass), (0.75, 0.25));
        let term = |name: &str, weight, runs| TermSummary {
            name: name.into(),
            weight,
            worth: Some(weight / 2.0),
            runs,
        };
        let expected = [term("labels", 1.5, 2), term("code", 4.0, 1)];
        assert_eq!(summary.terms, expected);
        let words = "Example F1 is the measure that label sets are chosen for. The posterior is over the 8 label sets \
                     of the training rows; it leaves a probability of 0.2500 to all others (means over 2 runs). The \
                     term “code” is worth most: without it, and with the other weights fitted again, the \
                     log-likelihood of a training row is lower by 2.0000. No weights are better than those found by \
                     more than 8e-1.";
        assert_eq!(summary.describe(), words);
    }

    #[test]
    fn terms_of_given_weights_have_no_known_worth() {
        let records = [record(0.0, 0, &[("labels", 1.0)])];
        let summary = PosteriorSummary::of(records.iter()).unwrap();
        assert_eq!(summary.terms[0].worth, None);
        let given = "The weights of the terms were given.";
        assert!(summary.describe().ends_with(given));
        assert_eq!(PosteriorSummary::of(std::iter::empty()), None);
    }
}
