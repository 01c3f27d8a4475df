//! Requests that can be predicted together: of the same model, with the same decision, and all with or all without the
//! likeliest label sets.

use std::sync::Arc;

use mmoc::{Answer, Question};

use super::queue::Job;
use super::stack::stack;
use crate::protocol::Asked;
use crate::refusal::Refusal;

/// A request that was parsed.
pub(super) struct Parsed {
    pub(super) job: Job,
    pub(super) asked: Asked,
}

impl Parsed {
    fn goes_with(&self, other: &Self) -> bool {
        let (own, its) = (self.asked.question, other.asked.question);
        Arc::ptr_eq(&self.job.served, &other.job.served)
            && own.decision == its.decision
            && (own.sets > 0) == (its.sets > 0)
    }

    pub(super) fn rows(&self) -> usize {
        self.asked.features.view().rows()
    }
}

/// Cuts requests into groups that fit into a batch, a longer request being a group by itself.
pub(super) fn groups(parsed: Vec<Parsed>) -> Vec<Vec<Parsed>> {
    let mut groups: Vec<Vec<Parsed>> = Vec::new();
    for one in parsed {
        let most = one.job.served.model.batch_rows();
        let fits = |group: &&mut Vec<Parsed>| {
            let rows: usize = group.iter().map(Parsed::rows).sum();
            group[0].goes_with(&one) && rows + one.rows() <= most
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// Predicts the rows of all requests of a group at once.
pub(super) fn predict(group: &[Parsed]) -> Result<Answer, Refusal> {
    let model = &group[0].job.served.model;
    let question = Question {
        sets: group
            .iter()
            .map(|one| one.asked.question.sets)
            .max()
            .unwrap_or(0),
        ..group[0].asked.question
    };
    if let [only] = group {
        return Ok(model.answer(&only.asked.features, question)?);
    }
    let parts = group.iter().map(|one| one.asked.features.clone());
    let features = stack(model.schema().columns(), parts.collect())?;
    Ok(model.answer(&features, question)?)
}
