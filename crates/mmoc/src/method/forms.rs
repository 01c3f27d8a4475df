//! The terms of a posterior by their positions, and the combinations of them that may be chosen.

use std::ops::Range;

use super::with_posterior::CodeTerms;
use super::{TermKind, Terms};
use crate::code::Code;
use crate::evidence::LearntTerm;

/// The terms of linear models in one feature space.
pub(super) struct SpaceTerms {
    pub(super) labels: Option<LearntTerm>,
    pub(super) codes: Vec<CodeTerms>,
}

/// Where the terms of one feature space are.
pub(super) struct SpacePlaces {
    labels: Option<usize>,
    codes: Vec<CodePlace>,
    /// Which code forms have.
    pub(super) chosen: usize,
}

struct CodePlace {
    terms: Range<usize>,
    code: Code,
    penalties: Vec<f64>,
}

/// All terms that were learnt.
#[derive(Default)]
pub(super) struct TermTable {
    pub(super) terms: Vec<LearntTerm>,
    pub(super) spaces: Vec<SpacePlaces>,
    pub(super) frequency: Option<usize>,
    pub(super) neighbours: Option<usize>,
    pub(super) forest: Option<usize>,
    /// Evidence from outside of the model.
    pub(super) given: Vec<usize>,
}

/// A combination of terms by their positions.
pub(super) struct Form {
    pub(super) terms: Vec<usize>,
    /// The feature spaces of its linear models.
    pub(super) spaces: Vec<usize>,
}

impl TermTable {
    /// Adds a term, and returns its position.
    pub(super) fn add(&mut self, term: LearntTerm) -> usize {
        self.terms.push(term);
        self.terms.len() - 1
    }

    pub(super) fn add_space(&mut self, own: SpaceTerms) {
        let labels = own.labels.map(|term| self.add(term));
        let mut codes = Vec::with_capacity(own.codes.len());
        for code in own.codes {
            let first = self.terms.len();
            self.terms.extend(code.terms);
            codes.push(CodePlace {
                terms: first..self.terms.len(),
                code: code.code,
                penalties: code.penalties,
            });
        }
        self.spaces.push(SpacePlaces {
            labels,
            codes,
            chosen: 0,
        });
    }

    /// Classifiers, one of the codes of a space, and frequencies, for each of the codes.
    pub(super) fn code_forms(&self, space: usize) -> Vec<Vec<usize>> {
        let SpacePlaces { labels, codes, .. } = &self.spaces[space];
        let of_code = |code: &CodePlace| -> Vec<usize> {
            let terms = labels.iter().copied().chain(code.terms.clone());
            terms.chain(self.frequency).collect()
        };
        codes.iter().map(of_code).collect()
    }

    /// The combinations to choose from, the simplest first: terms that are asked for, or, if they are to be chosen, one
    /// kind of term after the other, in each feature space and in all together. Given evidence is asked for by being
    /// given; if terms are to be chosen, it is the last kind.
    pub(super) fn forms(&self, asked: Terms) -> Vec<Form> {
        let kinds: Vec<TermKind> = TermKind::ALL.iter().map(|(kind, _)| *kind).collect();
        let kinds: Vec<TermKind> = kinds
            .into_iter()
            .filter(|kind| asked.allow(*kind))
            .collect();
        let fewest = if asked.are_chosen() { 1 } else { kinds.len() };
        let mut forms: Vec<Form> = Vec::new();
        for spaces in self.combinations_of_spaces() {
            let of_kinds = (fewest..=kinds.len()).map(|count| {
                let mut terms = self.positions(&spaces, &kinds[..count]);
                if !asked.are_chosen() {
                    terms.extend(&self.given);
                }
                terms
            });
            let mut everything = self.positions(&spaces, &kinds);
            everything.extend(&self.given);
            for terms in of_kinds.chain([everything]) {
                if !terms.is_empty() && forms.iter().all(|form| form.terms != terms) {
                    let spaces = spaces.clone();
                    forms.push(Form { terms, spaces });
                }
            }
        }
        if forms.is_empty() {
            // Nothing that was asked for could be learnt: how often sets occur is always known.
            forms.push(Form {
                terms: self.frequency.into_iter().collect(),
                spaces: Vec::new(),
            });
        }
        forms.sort_by_key(|form| form.terms.len());
        forms
    }

    /// Each feature space, and all of them if there are several.
    fn combinations_of_spaces(&self) -> Vec<Vec<usize>> {
        let count = self.spaces.len();
        let mut combinations: Vec<Vec<usize>> = (0..count).map(|space| vec![space]).collect();
        if count > 1 {
            combinations.push((0..count).collect());
        }
        combinations
    }

    /// The terms of some kinds, those of linear models in some spaces, in the order of the table.
    fn positions(&self, spaces: &[usize], kinds: &[TermKind]) -> Vec<usize> {
        let mut positions = Vec::new();
        for &space in spaces {
            let own = &self.spaces[space];
            for kind in kinds {
                match kind {
                    TermKind::Labels => positions.extend(own.labels),
                    TermKind::Code => {
                        let code = own.code().into_iter();
                        positions.extend(code.flat_map(|code| code.terms.clone()));
                    }
                    _ => {}
                }
            }
        }
        for kind in kinds {
            positions.extend(match kind {
                TermKind::Labels | TermKind::Code => None,
                TermKind::Frequency => self.frequency,
                TermKind::Neighbours => self.neighbours,
                TermKind::Forest => self.forest,
            });
        }
        positions
    }

    /// The code of a form with the penalties of its regressions. A posterior that left the code out still tells how it was
    /// found.
    pub(super) fn code_of(&self, form: &Form) -> Option<(Code, Vec<f64>)> {
        let space = form.spaces.first().copied().unwrap_or(0);
        let place = self.spaces.get(space)?.code()?;
        Some((place.code.clone(), place.penalties.clone()))
    }
}

impl SpacePlaces {
    fn code(&self) -> Option<&CodePlace> {
        self.codes.get(self.chosen)
    }
}
