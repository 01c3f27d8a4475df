//! What each row says about its labels: the sum of all terms of a posterior.

use mmoc::posterior::{LARGEST_LOG_ODDS, Posterior, TermInput, TermView};

use crate::error::{Error, Result};
use crate::graph::{Graph, Value};

/// What rows say about their labels.
pub(crate) struct LabelEvidence {
    /// Σ_k w_k times what each label of a set adds, n×q.
    pub(crate) evidence: Value,
    /// The log-odds of independent labels, n×q.
    pub(crate) log_odds: Value,
}

/// Fails if a term cannot be a part of a graph.
pub(crate) fn check_terms(posterior: &Posterior) -> Result<()> {
    let named = |input: TermInput| -> Vec<String> {
        let own = posterior.terms().filter(|term| term.input == input);
        own.map(|term| term.name.to_owned()).collect()
    };
    let given = named(TermInput::Given);
    if !given.is_empty() {
        return Err(Error::GivenEvidence(given));
    }
    let others = named(TermInput::Features);
    if others.is_empty() {
        Ok(())
    } else {
        Err(Error::Terms(others))
    }
}

impl LabelEvidence {
    /// The evidence of outputs, n×m, if there are any. `zeros` is n×1.
    pub(crate) fn new(
        graph: &mut Graph,
        posterior: &Posterior,
        outputs: Option<Value>,
        zeros: Value,
    ) -> Self {
        let labels = posterior.labels();
        let nothing = graph.numbers(&[1, labels], &vec![0.0; labels]);
        let mut evidence = graph.add(zeros, nothing);
        let mut odds = Vec::new();
        let mut first = 0;
        for term in posterior.terms() {
            let end = first + term.outputs;
            let Some(outputs) = outputs.filter(|_| end > first) else {
                continue;
            };
            let own = graph.columns(outputs, first, end);
            first = end;
            let of_labels = of_labels(graph, &term, labels, own);
            let weighted = graph.scale(of_labels, term.weight);
            evidence = graph.add(evidence, weighted);
            if term.has_classifiers {
                odds.push(of_labels);
            }
        }
        Self {
            evidence,
            log_odds: log_odds(graph, posterior, &odds, zeros),
        }
    }
}

/// What each label of a set adds by a term before its weight, n×q.
fn of_labels(graph: &mut Graph, term: &TermView<'_>, labels: usize, outputs: Value) -> Value {
    match term.coupling {
        Some(directions) => {
            let directions = graph.numbers(&[labels, term.outputs], directions.values());
            graph.product_with_transposed(outputs, directions)
        }
        None => graph.clip(outputs, -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS),
    }
}

/// The fixed log-odds of independent labels, or the mean of those of all classifiers.
fn log_odds(graph: &mut Graph, posterior: &Posterior, odds: &[Value], zeros: Value) -> Value {
    if let Some(fixed) = posterior.fixed_log_odds() {
        let fixed = graph.numbers(&[1, fixed.len()], fixed);
        return graph.add(zeros, fixed);
    }
    let sum = odds.iter().copied().reduce(|a, b| graph.add(a, b));
    let sum = sum.unwrap_or(zeros);
    graph.scale(sum, 1.0 / odds.len().max(1) as f64)
}
