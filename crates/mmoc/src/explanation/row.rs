//! The explanation of one row.

use super::scores::LabelScores;
use super::{Explanation, LabelExplanation, Part, PartKind};
use crate::data::{FeaturesView, Matrix, MatrixView, Preprocessing};
use crate::decode::Decoder;
use crate::learn::kernel::KernelModel;
use crate::linalg::add_scaled;
use crate::method::{Predictor, PredictorInput, check_finite};
use crate::posterior::{Decision, SetContrast};
use crate::settings::Named;
use crate::{Model, Result};

/// What the model decided in a row.
pub(super) struct Decided {
    /// The predicted set, ascending.
    set: Vec<u32>,
    /// What each label of a set adds by each term of the posterior, with its weight.
    of_terms: Vec<Vec<f64>>,
    contrast: Option<SetContrast>,
}

impl Decided {
    /// The decisions about some rows.
    pub(super) fn of(
        predictor: &Predictor,
        rows: PredictorInput<'_>,
        decision: Option<Decision>,
    ) -> Result<Vec<Self>> {
        let outputs = predictor.finite_outputs(rows)?;
        let sets = match decision {
            Some(decision) => {
                predictor
                    .posterior()?
                    .decode_for(&outputs, decision)?
                    .labels
            }
            None => predictor.decoder().label_sets(outputs.clone())?,
        };
        let (of_terms, mut contrasts) = match predictor.decoder() {
            Decoder::Posterior(posterior) => (
                posterior.evidence_of_terms(&outputs)?,
                posterior.contrasts(&outputs, &sets)?,
            ),
            _ => (Vec::new(), vec![None; sets.rows()]),
        };
        let of_row = |row: usize| Self {
            set: sets.row(row).to_vec(),
            of_terms: of_terms.iter().map(|own| own.row(row).to_vec()).collect(),
            contrast: contrasts[row].take(),
        };
        Ok((0..sets.rows()).map(of_row).collect())
    }

    fn predicts(&self, label: usize) -> bool {
        self.set.binary_search(&(label as u32)).is_ok()
    }
}

/// A column of a row.
struct Cell {
    column: usize,
    /// The value as it came.
    value: f64,
    /// How far the scaled value is from that of the row that contributions are relative to.
    change: f64,
}

/// Radial basis functions whose columns have parts.
struct Radial<'a> {
    kernel: &'a KernelModel,
    /// The scaled row that contributions are relative to.
    reference: Vec<f64>,
    /// What radial terms add to each label there.
    evidence: Vec<f64>,
}

/// Takes the scores of labels apart.
pub(super) struct Explainer<'a> {
    model: &'a Model,
    scores: LabelScores<'a>,
    /// The score of each label in the row that contributions are relative to, without other labels.
    baseline: Vec<f64>,
    radial: Option<Radial<'a>>,
    /// The number of features and of labels that are listed.
    most: usize,
}

impl<'a> Explainer<'a> {
    pub(super) fn new(model: &'a Model, most: usize) -> Result<Self> {
        let scores = LabelScores::of(model.predictor())?;
        let mut explainer = Self {
            model,
            scores,
            baseline: Vec::new(),
            radial: None,
            most,
        };
        explainer.prepare()?;
        Ok(explainer)
    }

    /// What labels have in the row that contributions are relative to.
    fn prepare(&mut self) -> Result<()> {
        let (preprocessing, predictor) = (self.model.preprocessing(), self.model.predictor());
        let columns = 0..preprocessing.columns();
        let reference: Vec<f64> = columns.map(|column| self.reference(column)).collect();
        let reference = MatrixView::new(1, reference.len(), &reference)?;
        let scaled = preprocessing.apply(FeaturesView::Dense(reference))?;
        let linear = self
            .scores
            .to_labels(&predictor.outputs().predict(scaled.view())?);
        let constant = |label| self.scores.constant(label);
        self.baseline = (0..self.scores.labels()).map(constant).collect();
        add_scaled(&mut self.baseline, 1.0, linear.row(0));
        let kernel = predictor.kernel().filter(|kernel| kernel.has_parts());
        if let Some(kernel) = kernel {
            let evidence = self
                .scores
                .radial_to_labels(&kernel.predict(scaled.view())?);
            add_scaled(&mut self.baseline, 1.0, evidence.row(0));
            self.radial = Some(Radial {
                kernel,
                reference: dense_row(scaled.view(), 0),
                evidence: evidence.into_values(),
            });
        }
        Ok(())
    }

    /// The value of a column that contributions are relative to: rows that are sparse are compared with zeros.
    fn reference(&self, column: usize) -> f64 {
        if self.model.schema().is_sparse() {
            0.0
        } else {
            self.model.preprocessing().fill()[column]
        }
    }

    pub(super) fn explain(
        &self,
        features: FeaturesView<'_>,
        row: usize,
        decided: Decided,
    ) -> Result<Explanation> {
        let labels = if self.scores.has_labels() {
            self.labels(features, row, &decided)?
        } else {
            Vec::new()
        };
        Ok(Explanation {
            labels,
            contrast: decided.contrast,
        })
    }

    fn labels(
        &self,
        features: FeaturesView<'_>,
        row: usize,
        decided: &Decided,
    ) -> Result<Vec<LabelExplanation>> {
        let cells = self.cells(features, row);
        let mut contributions = self.contributions(&cells);
        let rest = self.add_radial(
            &mut contributions,
            &cells,
            features.rows_in(row..row + 1),
            decided,
        )?;
        check_finite(&contributions)?;
        let of_label = |label| {
            let features: Vec<f64> = contributions.column(label).collect();
            let mut parts = vec![part(PartKind::Baseline, self.baseline[label])];
            parts.extend(self.features(&cells, &features, rest[label]));
            parts.extend(self.terms(label, decided));
            parts.extend(self.pulls(label, decided));
            LabelExplanation {
                label,
                predicted: decided.predicts(label),
                score: parts.iter().map(|part| part.contribution).sum(),
                parts,
            }
        };
        Ok((0..self.scores.labels()).map(of_label).collect())
    }

    /// The cells of a row and its indicators of missing values. Of sparse rows those that are stored, unless zeros
    /// differ from what contributions are relative to.
    fn cells(&self, features: FeaturesView<'_>, row: usize) -> Vec<Cell> {
        let preprocessing = self.model.preprocessing();
        let mut values = Vec::new();
        features.for_each_in_row(row, |column, value| values.push((column, value)));
        if !self.model.schema().is_sparse() {
            values = with_zeros(&values, preprocessing.columns());
        }
        let indicator = |&(column, value): &(usize, f64)| {
            let places = preprocessing.indicators();
            let place = places.binary_search(&(column as u32)).ok();
            place.filter(|_| value.is_nan()).map(|place| Cell {
                column: preprocessing.columns() + place,
                value: 1.0,
                change: 1.0,
            })
        };
        let cell = |&(column, value): &(usize, f64)| Cell {
            column,
            value,
            change: preprocessing.cell(column, value)
                - preprocessing.cell(column, self.reference(column)),
        };
        let indicators = values.iter().filter_map(indicator);
        values.iter().map(cell).chain(indicators).collect()
    }

    /// What each cell adds to each label.
    fn contributions(&self, cells: &[Cell]) -> Matrix {
        let coefficients = self.model.predictor().outputs().coefficients();
        let mut of_outputs = Matrix::zeros(cells.len(), coefficients.columns());
        for (row, cell) in cells.iter().enumerate() {
            let own = coefficients.row(cell.column);
            add_scaled(of_outputs.row_mut(row), cell.change, own);
        }
        self.scores.to_labels(&of_outputs)
    }

    /// Adds what each cell adds to each label by radial basis functions. Returns what the rounding of the integral leaves
    /// out.
    fn add_radial(
        &self,
        contributions: &mut Matrix,
        cells: &[Cell],
        row: FeaturesView<'_>,
        decided: &Decided,
    ) -> Result<Vec<f64>> {
        let mut rest = vec![0.0; self.scores.labels()];
        let Some(radial) = &self.radial else {
            return Ok(rest);
        };
        let scaled = dense_row(self.model.preprocessing().apply(row)?.view(), 0);
        let Some(parts) = radial.kernel.parts(&radial.reference, &scaled)? else {
            return Ok(rest);
        };
        let of_labels = self.scores.radial_to_labels(&parts);
        for position in self.scores.radial_positions() {
            add_scaled(&mut rest, 1.0, &decided.of_terms[position]);
        }
        add_scaled(&mut rest, -1.0, &radial.evidence);
        for (place, cell) in cells.iter().enumerate() {
            let own = of_labels.row(cell.column);
            add_scaled(contributions.row_mut(place), 1.0, own);
            add_scaled(&mut rest, -1.0, own);
        }
        Ok(rest)
    }

    /// The largest contributions, and those of all other features with what rounding left out.
    fn features(&self, cells: &[Cell], contributions: &[f64], rest: f64) -> Vec<Part> {
        let listed = |place: usize| Part {
            kind: PartKind::Feature,
            name: self.column_name(cells[place].column),
            value: Some(cells[place].value),
            contribution: contributions[place],
        };
        self.largest(contributions, listed, PartKind::OtherFeatures, rest)
    }

    fn column_name(&self, column: usize) -> String {
        let (preprocessing, names) = (
            self.model.preprocessing(),
            self.model.schema().feature_names(),
        );
        match column.checked_sub(preprocessing.columns()) {
            None => names[column].clone(),
            Some(place) => {
                Preprocessing::indicator_name(&names[preprocessing.indicators()[place] as usize])
            }
        }
    }

    fn terms<'b>(&'b self, label: usize, decided: &'b Decided) -> impl Iterator<Item = Part> + 'b {
        let terms = self.scores.others.iter();
        terms.map(move |&(name, position)| Part {
            name: name.to_owned(),
            ..part(PartKind::Term, decided.of_terms[position][label])
        })
    }

    /// What the other predicted labels add.
    fn pulls(&self, label: usize, decided: &Decided) -> Vec<Part> {
        if !self.scores.couples() {
            return Vec::new();
        }
        let others = decided.set.iter().map(|&other| other as usize);
        let others: Vec<usize> = others.filter(|&other| other != label).collect();
        let pull = |&other: &usize| -self.scores.coupling(label, other);
        let pulls: Vec<f64> = others.iter().map(pull).collect();
        let listed = |place: usize| Part {
            name: self.model.schema().label_names()[others[place]].clone(),
            ..part(PartKind::Label, pulls[place])
        };
        self.largest(&pulls, listed, PartKind::OtherLabels, 0.0)
    }

    /// The largest contributions by magnitude, without zeros, and what all others add together.
    fn largest(
        &self,
        contributions: &[f64],
        listed: impl Fn(usize) -> Part,
        others: PartKind,
        rest: f64,
    ) -> Vec<Part> {
        let magnitude = |place: &usize| contributions[*place].abs();
        let mut order: Vec<usize> = (0..contributions.len())
            .filter(|place| magnitude(place) > 0.0)
            .collect();
        order.sort_by(|a, b| magnitude(b).total_cmp(&magnitude(a)));
        let unlisted = order.split_off(self.most.min(order.len()));
        let has_rest = !unlisted.is_empty() || rest.abs() > 0.0;
        let unlisted = unlisted.iter().map(|&place| contributions[place]);
        let rest = has_rest.then(|| part(others, rest + unlisted.sum::<f64>()));
        order.into_iter().map(listed).chain(rest).collect()
    }
}

/// A part that is called as its kind.
fn part(kind: PartKind, contribution: f64) -> Part {
    Part {
        kind,
        name: kind.name().into(),
        value: None,
        contribution,
    }
}

fn with_zeros(stored: &[(usize, f64)], columns: usize) -> Vec<(usize, f64)> {
    let mut all: Vec<(usize, f64)> = (0..columns).map(|column| (column, 0.0)).collect();
    for &(column, value) in stored {
        all[column].1 = value;
    }
    all
}

fn dense_row(features: FeaturesView<'_>, row: usize) -> Vec<f64> {
    let mut values = vec![0.0; features.columns()];
    features.for_each_in_row(row, |column, value| values[column] = value);
    values
}
