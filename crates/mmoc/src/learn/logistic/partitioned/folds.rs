//! Cross-validation on the rows of the sample: the penalty of each label, and held-out predictions.

use serde::{Deserialize, Serialize};

use super::super::cross_validation::FoldFit;
use super::super::label_fit::Start;
use super::super::path::PenaltyPath;
use super::super::record::LogisticRecord;
use super::super::regression::{FitSettings, LogisticFit};
use super::super::scalar::{log_loss, smoothed_log_odds};
use super::super::{Criterion, OutOfFold};
use super::Shared;
use super::rounds::{Block, PartitionedPath, follow};
use crate::Result;
use crate::data::Matrix;
use crate::learn::partitioned::numbers_of;
use crate::linalg::{add_scaled, multiply_features};
use crate::partitions::{Bulk, PackedMatrix, Partition, Reply, Share};

/// Rows that models of folds are applied to at a time.
const CHUNK: usize = 256;
/// Sums over held-out rows for each model: of losses, of errors, of hits, and of positives and predicted positives.
const MEASURES: usize = 4;

/// How much the rows of each fold count, and of these those of each label.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FoldMasses {
    folds: usize,
    seed: u64,
    labels: usize,
}

impl FoldMasses {
    /// All rows as one fold.
    pub(crate) fn all(labels: usize) -> Self {
        Self {
            folds: 1,
            seed: 0,
            labels,
        }
    }
}

impl Share for FoldMasses {
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let width = self.labels + 1;
        let mut sums = vec![0.0; self.folds * width];
        let rows = partition.folds(self.folds, self.seed).into_iter();
        for (row, (fold, members)) in rows.zip(partition.labels().iter()).enumerate() {
            let (own, weight) = (&mut sums[fold * width..][..width], partition.weight(row));
            own[0] += weight;
            members
                .iter()
                .for_each(|&label| own[1 + label as usize] += weight);
        }
        Ok(Reply::sums(sums))
    }
}

/// The models that each fold holds out its rows from, one matrix for each fold, p×m, with intercepts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FoldModels {
    seed: u64,
    models: Vec<(PackedMatrix, Bulk<f64>)>,
}

impl FoldModels {
    fn apply(&self, partition: &Partition, mut visit: impl FnMut(usize, &[f64])) -> Result<()> {
        let folds = partition.folds(self.models.len(), self.seed);
        for (fold, (coefficients, intercepts)) in self.models.iter().enumerate() {
            let coefficients = coefficients.clone().unpack()?;
            let rows: Vec<usize> = (0..folds.len()).filter(|&row| folds[row] == fold).collect();
            for rows in rows.chunks(CHUNK) {
                let x = partition.features().select_rows(rows);
                let mut values = multiply_features(x.view(), coefficients.view());
                for (i, &row) in rows.iter().enumerate() {
                    add_scaled(values.row_mut(i), 1.0, intercepts);
                    visit(row, values.row(i));
                }
            }
        }
        Ok(())
    }
}

impl Share for FoldModels {
    /// The log-odds of each row by the models of its fold, n×m.
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let columns = self.models.first().map_or(0, |(_, own)| own.len());
        let mut log_odds = Matrix::zeros(partition.rows(), columns);
        self.apply(partition, |row, own| {
            log_odds.row_mut(row).copy_from_slice(own);
        })?;
        Ok(Reply::numbers(log_odds))
    }
}

/// What the criteria of penalties are made of, summed over held-out rows: for each label and penalty [`MEASURES`] numbers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FoldLosses {
    models: FoldModels,
    /// The label of each model.
    labels: Vec<u32>,
    factors: Bulk<f64>,
}

impl Share for FoldLosses {
    fn share(&self, partition: &Partition) -> Result<Reply> {
        let mut sums = vec![0.0; MEASURES * self.labels.len()];
        let bit = |holds: bool| f64::from(u8::from(holds));
        self.models.apply(partition, |row, log_odds| {
            let (members, weight) = (partition.labels().row(row), partition.weight(row));
            let models = self.labels.iter().zip(log_odds);
            for ((&label, &odds), sums) in models.zip(sums.chunks_exact_mut(MEASURES)) {
                let has = members.binary_search(&label).is_ok();
                let predicted = odds > 0.0;
                let count = weight * self.factors[2 * label as usize + usize::from(has)];
                sums[0] += count * log_loss(odds, bit(has));
                sums[1] += count * bit(predicted != has);
                sums[2] += count * bit(predicted && has);
                sums[3] += count * (bit(predicted) + bit(has));
            }
        })?;
        Ok(Reply::sums(sums))
    }
}

/// The cross-validation of all labels.
pub(super) struct CrossValidation {
    pub(super) starts: Vec<Start>,
    pub(super) out_of_fold: OutOfFold,
}

/// The fit of a label without one fold.
enum Fit {
    /// All targets are equal: the log-odds of the smoothed base rate.
    Constant(f64),
    /// The position of its path.
    Path(usize),
}

/// The paths of a group of labels, fold by fold.
struct GroupFits<'p, 'a> {
    labels: &'p [usize],
    fits: Vec<Vec<Fit>>,
    paths: &'p [PartitionedPath<'a>],
}

impl CrossValidation {
    pub(super) fn of(shared: &Shared<'_>) -> Result<Self> {
        let labels: Vec<usize> = (0..shared.rows.label_weights.len()).collect();
        let folds = shared.params.folds;
        let request = FoldMasses {
            folds,
            seed: shared.rows.seed,
            labels: labels.len(),
        };
        let sums = shared.rows.sample().sum(&request.into())?.only_sums()?;
        let masses: Vec<&[f64]> = sums.chunks_exact(labels.len() + 1).collect();
        let (mut starts, mut fits) = (Vec::new(), Vec::new());
        for group in labels.chunks(shared.regressions_at_once(folds)) {
            for (start, fit) in shared.cross_validate(group, &masses)? {
                starts.push(start);
                fits.push(fit);
            }
        }
        let rows = fits.first().map_or(0, |fit| fit.out_of_fold.len());
        Ok(Self {
            starts,
            out_of_fold: OutOfFold::new(rows, &fits),
        })
    }
}

impl Shared<'_> {
    /// How much of all rows the sample has.
    fn sample_share(&self) -> f64 {
        if self.rows.is_sampled() {
            self.rows.sample_weight / self.rows.total_weight
        } else {
            1.0
        }
    }

    fn cross_validate(&self, labels: &[usize], masses: &[&[f64]]) -> Result<Vec<(Start, FoldFit)>> {
        let share = self.sample_share();
        let scaled = |values: &[f64]| -> Vec<f64> { values.iter().map(|v| share * v).collect() };
        let (scatters, penalties) = (scaled(self.space.scatters()), scaled(&self.penalties));
        // Regressions that choose a penalty and predict held-out rows need less precision than coefficients that are kept.
        let settings = FitSettings {
            scatters: &scatters,
            total_weight: self.rows.sample_weight,
            head: self.space.head(),
            tolerance: self.params.tolerance.sqrt(),
            max_steps: self.params.max_steps,
        };
        let mut paths = Vec::new();
        let mut fits = Vec::with_capacity(labels.len());
        for &label in labels {
            let of_folds = (0..masses.len()).map(|fold| {
                let others = masses
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != fold);
                let sum = |place: usize| others.clone().map(|(_, own)| own[place]).sum();
                let mass = self.mass(label, sum(1 + label), sum(0));
                if !mass.varies() {
                    return Fit::Constant(smoothed_log_odds(mass.ones, mass.total));
                }
                let regression = LogisticFit::new(settings, mass, penalties[0]);
                let path = PenaltyPath::new(regression, &penalties);
                paths.push(PartitionedPath::new(path, label, Some(fold)));
                Fit::Path(paths.len() - 1)
            });
            fits.push(of_folds.collect::<Vec<Fit>>());
        }
        let block = Block {
            rows: self.rows.sample(),
            space: self.space,
            factors: &self.factors,
            folds: masses.len(),
            seed: self.rows.seed,
        };
        follow(&block, &mut paths)?;
        let group = GroupFits {
            labels,
            fits,
            paths: &paths,
        };
        self.choose(&group, masses)
    }

    /// The penalty of each label, and what folds say about the rows that they hold out.
    fn choose(
        &self,
        group: &GroupFits<'_, '_>,
        masses: &[&[f64]],
    ) -> Result<Vec<(Start, FoldFit)>> {
        let penalties = self.penalties.len();
        let of_labels = (0..group.labels.len()).flat_map(|j| (0..penalties).map(move |k| (j, k)));
        let of_labels: Vec<(usize, usize)> = of_labels.collect();
        let sums = self.fold_losses(group, &of_labels)?;
        let sums: Vec<&[f64]> = sums.chunks_exact(MEASURES).collect();
        let mut chosen = Vec::with_capacity(group.labels.len());
        for (j, &label) in group.labels.iter().enumerate() {
            let sum = |place: usize| masses.iter().map(|own| own[place]).sum();
            let total = self.mass(label, sum(1 + label), sum(0)).total;
            let own = &sums[j * penalties..][..penalties];
            let losses: Vec<f64> = own.iter().map(|sums| mean(sums[0], total)).collect();
            let values: Vec<f64> = own
                .iter()
                .map(|sums| self.params.criterion.of_sums(sums, total))
                .collect();
            let best = (0..penalties).reduce(|best, next| {
                let order = values[next].total_cmp(&values[best]);
                let order = order.then(losses[next].total_cmp(&losses[best]));
                if order.is_lt() { next } else { best }
            });
            chosen.push((best.unwrap_or(0), losses));
        }
        let best: Vec<(usize, usize)> = (0..).zip(&chosen).map(|(j, own)| (j, own.0)).collect();
        let models = self.fold_models(group, &best)?;
        let log_odds = numbers_of(self.rows.sample(), &models.into())?;
        let found = chosen
            .into_iter()
            .enumerate()
            .map(|(j, (penalty, losses))| {
                let start = Start {
                    penalty,
                    point: Some(self.mean_of_folds(group, j, penalty)),
                };
                let fit = FoldFit {
                    out_of_fold: log_odds.column(j).collect(),
                    losses,
                    record: group.record(j),
                };
                (start, fit)
            });
        Ok(found.collect())
    }

    fn fold_losses(
        &self,
        group: &GroupFits<'_, '_>,
        of_labels: &[(usize, usize)],
    ) -> Result<Vec<f64>> {
        let at_once = self.regressions_at_once(self.params.folds);
        let mut sums = Vec::with_capacity(MEASURES * of_labels.len());
        for some in of_labels.chunks(at_once) {
            let request = FoldLosses {
                models: self.fold_models(group, some)?,
                labels: some.iter().map(|&(j, _)| group.labels[j] as u32).collect(),
                factors: Bulk(self.factors.clone()),
            };
            let answer = self.rows.sample().sum(&request.into())?;
            sums.extend(answer.only_sums()?);
        }
        Ok(sums)
    }

    /// The models of each fold for some labels of a group and penalties.
    fn fold_models(
        &self,
        group: &GroupFits<'_, '_>,
        of_labels: &[(usize, usize)],
    ) -> Result<FoldModels> {
        let nothing = vec![0.0; self.space.scatters().len()];
        let of_fold = |fold: usize| {
            let mut intercepts = Vec::with_capacity(of_labels.len());
            let mut vectors: Vec<&[f64]> = Vec::with_capacity(of_labels.len());
            for &(j, penalty) in of_labels {
                match &group.fits[j][fold] {
                    Fit::Constant(base) => {
                        vectors.push(&nothing);
                        intercepts.push(*base);
                    }
                    Fit::Path(path) => {
                        let solution = &group.paths[*path].path().solutions()[penalty];
                        vectors.push(&solution.coefficients);
                        intercepts.push(solution.intercept);
                    }
                }
            }
            Ok((self.space.original(&vectors)?.into(), Bulk(intercepts)))
        };
        Ok(FoldModels {
            seed: self.rows.seed,
            models: (0..self.params.folds).map(of_fold).collect::<Result<_>>()?,
        })
    }

    fn mean_of_folds(
        &self,
        group: &GroupFits<'_, '_>,
        label: usize,
        penalty: usize,
    ) -> (Vec<f64>, f64) {
        let solutions: Vec<_> = group
            .paths_of(label)
            .map(|path| &path.solutions()[penalty])
            .collect();
        let share = 1.0 / solutions.len().max(1) as f64;
        let mut coefficients = vec![0.0; self.space.scatters().len()];
        for solution in &solutions {
            add_scaled(&mut coefficients, share, &solution.coefficients);
        }
        let intercepts = solutions.iter().map(|solution| share * solution.intercept);
        (coefficients, intercepts.sum())
    }
}

impl<'a> GroupFits<'_, 'a> {
    fn paths_of(&self, label: usize) -> impl Iterator<Item = &PenaltyPath<'a>> {
        self.fits[label].iter().filter_map(|fit| match fit {
            Fit::Constant(_) => None,
            Fit::Path(path) => Some(self.paths[*path].path()),
        })
    }

    fn record(&self, label: usize) -> LogisticRecord {
        let mut record = LogisticRecord::default();
        self.paths_of(label).for_each(|path| record.add(path));
        record
    }
}

impl Criterion {
    /// The value to minimise, given sums over held-out rows.
    fn of_sums(self, sums: &[f64], total: f64) -> f64 {
        match self {
            Self::LogLoss => mean(sums[0], total),
            Self::Error => mean(sums[1], total),
            Self::F1 if sums[3] > 0.0 => 1.0 - 2.0 * sums[2] / sums[3],
            Self::F1 => 1.0,
        }
    }
}

fn mean(sum: f64, total: f64) -> f64 {
    if total > 0.0 { sum / total } else { 0.0 }
}
