//! Principal components of the labels (section 2.3; Tai & Lin 2010).
//!
//! The projections are the right singular vectors of Y (eq. 12), computed as eigenvectors of YᵀY, which is q×q and
//! comes from the label sets, or of YYᵀ if there are fewer rows than labels. The singular values are the square roots of its eigenvalues.

use super::label_gram::{means, scatter};
use super::{Code, CodeReport, fix_signs, projections_of};
use crate::Result;
use crate::data::{Matrix, Targets};
use crate::settings::{Setting, Settings};

/// Parameters of principal components.
///
/// | name | default | range |
/// |---|---|---|
/// | `projections` | all | d from 1 to q; at most the rank of Y |
/// | `centre` | false | whether to subtract the mean label vector first |
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PcaParams {
    /// Number of projections; `None` for as many as labels.
    pub projections: Option<usize>,
    /// Whether to subtract the mean label vector first.
    pub centre: bool,
}

impl Settings for PcaParams {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        vec![
            Setting::limit(
                "projections",
                "principal components to keep",
                &mut self.projections,
                "all",
            ),
            Setting::flag(
                "centre",
                "subtract the mean label vector first",
                &mut self.centre,
            ),
        ]
    }
}

impl PcaParams {
    /// Finds the directions of largest scatter. O(q³ + Σ_i |y_i|²).
    pub fn fit<'a>(&self, targets: impl Into<Targets<'a>>) -> Result<Code> {
        let targets = targets.into();
        let labels = targets.labels();
        let count = projections_of(self.projections, labels.count())?;
        let scatter = scatter(targets, self.centre)?;
        let count = count.min(scatter.values.len());
        let mut projections =
            Matrix::from_fn(labels.count(), count, |j, k| scatter.directions[(j, k)]);
        fix_signs(&mut projections);
        let values = scatter.values[..count].iter();
        Ok(Code {
            projections,
            origin: if self.centre {
                means(targets)
            } else {
                vec![0.0; labels.count()]
            },
            report: CodeReport::Pca {
                singular_values: values.map(|value| value.sqrt()).collect(),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::data::Labels;
    use crate::linalg::{multiply, multiply_by_transposed, multiply_transposed};

    fn labels(rows: usize, count: usize) -> Labels {
        let mut stream = Seed::new(9).stream();
        let draws: Vec<f64> = (0..rows * count).map(|_| stream.uniform()).collect();
        Labels::from_fn(rows, count, |i, j| draws[i * count + j] < 0.35)
    }

    /// The labels, centred as the code has them.
    fn centred(labels: &Labels, code: &Code) -> Matrix {
        let y = labels.to_matrix();
        Matrix::from_fn(y.rows(), y.columns(), |i, j| y[(i, j)] - code.origin[j])
    }

    fn singular_values(code: &Code) -> &[f64] {
        match &code.report {
            CodeReport::Pca { singular_values } => singular_values,
            other => panic!("{other:?}"),
        }
    }

    fn fit(labels: &Labels, projections: Option<usize>, centre: bool) -> Code {
        let params = PcaParams {
            projections,
            centre,
        };
        params.fit(labels).unwrap()
    }

    fn assert_close(a: &Matrix, b: &Matrix) {
        assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
        for (x, y) in a.values().iter().zip(b.values()) {
            assert!((x - y).abs() < 1e-12, "{x}, {y}");
        }
    }

    #[test]
    fn directions_are_orthonormal_with_the_returned_singular_values() {
        let labels = labels(50, 7);
        for centre in [false, true] {
            let code = fit(&labels, None, centre);
            let v = &code.projections;
            let identity = Matrix::from_fn(7, 7, |i, j| f64::from(u8::from(i == j)));
            assert_close(&multiply_transposed(v.view(), v.view()), &identity);
            let z = multiply(centred(&labels, &code).view(), v.view());
            let scatter = multiply_transposed(z.view(), z.view());
            let values = singular_values(&code);
            let squares = Matrix::from_fn(
                7,
                7,
                |i, j| {
                    if i == j { values[i] * values[i] } else { 0.0 }
                },
            );
            for (x, y) in scatter.values().iter().zip(squares.values()) {
                assert!((x - y).abs() < 1e-10, "{x}, {y}");
            }
            assert!(values.is_sorted_by(|a, b| a >= b));
        }
    }

    #[test]
    fn all_directions_reconstruct_the_labels() {
        let labels = labels(50, 7);
        for centre in [false, true] {
            let code = fit(&labels, None, centre);
            let (y, v) = (centred(&labels, &code), &code.projections);
            let back = multiply_by_transposed(&multiply(y.view(), v.view()), v);
            assert_close(&back, &y);
        }
    }

    #[test]
    fn fewer_directions_are_the_leading_ones() {
        let labels = labels(50, 7);
        let (all, few) = (fit(&labels, None, true), fit(&labels, Some(3), true));
        let first = Matrix::from_fn(7, 3, |j, k| all.projections[(j, k)]);
        assert_eq!(few.projections, first);
        assert_eq!(singular_values(&few), &singular_values(&all)[..3]);
    }

    #[test]
    fn there_are_as_many_directions_as_the_labels_have_rank() {
        // Label 1 repeats label 0, label 2 never occurs, label 3 always does.
        let base = labels(30, 2);
        let labels = Labels::from_fn(30, 5, |i, j| match j {
            2 => false,
            3 => true,
            4 => base.contains(i, 1),
            _ => base.contains(i, 0),
        });
        assert_eq!(fit(&labels, None, false).projections.columns(), 3);
        assert_eq!(fit(&labels, Some(5), true).projections.columns(), 2);
        let nothing = Labels::from_fn(30, 3, |_, _| false);
        assert_eq!(fit(&nothing, None, false).projections.columns(), 0);
    }

    #[test]
    fn the_number_of_projections_must_be_from_one_to_q() {
        for projections in [Some(0), Some(8)] {
            let params = PcaParams {
                projections,
                centre: false,
            };
            assert!(params.fit(&labels(20, 7)).is_err());
        }
    }
}
