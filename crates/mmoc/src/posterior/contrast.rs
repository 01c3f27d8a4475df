//! One label set against another: what each term says.

use super::{LikelySet, Posterior, WeightedTerm};
use crate::Result;
use crate::data::{Labels, Matrix};
use crate::decode::Outputs;

/// Why a label set y is likelier than another one y′: the parts of log p_S(y|x) − log p_S(y′|x) by term.
#[derive(Debug, Clone, PartialEq)]
pub struct SetContrast {
    /// The labels of y′, the likeliest other candidate, ascending.
    pub against: Vec<u32>,
    /// The name of each term, and what it adds for y less what it adds for y′.
    pub terms: Vec<(String, f64)>,
}

impl Posterior {
    /// Compares a label set of each row with the likeliest other candidate. None for sets that are no candidates.
    pub(crate) fn contrasts(
        &self,
        outputs: &Outputs,
        sets: &Labels,
    ) -> Result<Vec<Option<SetContrast>>> {
        let of_labels = self.evidence_of_terms(outputs)?;
        let likeliest = self.likeliest_sets(outputs, 2)?;
        let rows = sets.iter().zip(likeliest).enumerate();
        let of_row = |(row, (set, likeliest)): (usize, (&[u32], Vec<LikelySet>))| {
            let mut others = likeliest.into_iter().map(|own| own.labels);
            let against = others.find(|other| other != set)?;
            let own = self.by_term(outputs, &of_labels, row, set)?;
            let other = self.by_term(outputs, &of_labels, row, &against)?;
            let names = self.terms.iter().map(|own| own.term.name().to_owned());
            let differences = own.iter().zip(other).map(|(own, other)| own - other);
            Some(SetContrast {
                against,
                terms: names.zip(differences).collect(),
            })
        };
        Ok(rows.map(of_row).collect())
    }

    /// w_k·f_k(x, y) of each term, up to a constant of the row; none if the set is no candidate.
    fn by_term(
        &self,
        outputs: &Outputs,
        of_labels: &[Matrix],
        row: usize,
        set: &[u32],
    ) -> Option<Vec<f64>> {
        let position = self.candidates.position(set)?;
        let count = self.candidates.counts()[position];
        let mut of_sets = outputs.of_sets.iter();
        let of_term = |(own, of_labels): (&WeightedTerm, &Matrix)| {
            let labels: f64 = set
                .iter()
                .map(|&label| of_labels[(row, label as usize)])
                .sum();
            let in_row = own.term.size().and_then(|_| of_sets.next());
            let mut entries = in_row.into_iter().flat_map(|own| own.view().entries(row));
            let in_row = entries.find(|&(candidate, _)| candidate == position);
            let of_set = own.term.of_set(set, count) + in_row.map_or(0.0, |(_, value)| value);
            labels + own.weight * of_set
        };
        Some(self.terms.iter().zip(of_labels).map(of_term).collect())
    }
}
