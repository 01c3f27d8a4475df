//! Random projections: coding with compressed sensing (section 2.2; Hsu et al. 2009).

use crate::data::Matrix;
use crate::settings::{Named, Setting, Settings};
use crate::{Result, Seed};

use super::{Code, CodeReport};

/// Upper limit on the number of projections.
const MOST_PROJECTIONS: usize = 10_000;

/// Distribution of the entries of random projections, with mean 0 and variance 1/d.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distribution {
    /// Normal distribution.
    Gaussian,
    /// 1/√d or −1/√d with equal probability.
    Bernoulli,
}

impl Named for Distribution {
    const NAMES: &'static [(Self, &'static str)] =
        &[(Self::Gaussian, "gaussian"), (Self::Bernoulli, "bernoulli")];
}

/// Parameters of random projections.
///
/// | name | default | range |
/// |---|---|---|
/// | `projections` | 100 | d from 1 to 10 000; more than labels are allowed and usual |
/// | `distribution` | Gaussian | |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RandomParams {
    /// Number of projections d.
    pub projections: usize,
    /// Distribution of the entries.
    pub distribution: Distribution,
}

impl Default for RandomParams {
    fn default() -> Self {
        Self {
            projections: 100,
            distribution: Distribution::Gaussian,
        }
    }
}

impl Settings for RandomParams {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        vec![
            Setting::count(
                "projections",
                "random directions in label space",
                &mut self.projections,
                1..=MOST_PROJECTIONS,
            ),
            Setting::choice(
                "distribution",
                "distribution of their entries",
                &mut self.distribution,
            ),
        ]
    }
}

impl RandomParams {
    /// Draws directions for q labels, label by label.
    ///
    /// Entries have variance 1/d, so ‖Vᵀy‖² has the mean ‖y‖² and a variance that decreases with d. Signs are kept
    /// as drawn.
    pub fn draw(&self, labels: usize, seed: Seed) -> Result<Code> {
        self.validate()?;
        let scale = (self.projections as f64).sqrt().recip();
        let mut stream = seed.stream();
        let mut projections = Matrix::zeros(labels, self.projections);
        for entry in projections.values_mut() {
            *entry = scale
                * match self.distribution {
                    Distribution::Gaussian => stream.gaussian(),
                    Distribution::Bernoulli => [-1.0, 1.0][stream.below(2)],
                };
        }
        Ok(Code {
            projections,
            origin: vec![0.0; labels],
            report: CodeReport::Random {},
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::multiply_by_transposed;

    fn draw(projections: usize, distribution: Distribution, seed: u64) -> Matrix {
        let params = RandomParams {
            projections,
            distribution,
        };
        params.draw(5, Seed::new(seed)).unwrap().projections
    }

    #[test]
    fn many_projections_are_nearly_an_isometry() {
        for &(distribution, _) in Distribution::NAMES {
            let v = draw(10_000, distribution, 1);
            let gram = multiply_by_transposed(&v, &v);
            for i in 0..5 {
                for j in 0..5 {
                    let expected = f64::from(u8::from(i == j));
                    assert!((gram[(i, j)] - expected).abs() < 0.05, "{distribution:?}");
                }
            }
        }
    }

    #[test]
    fn bernoulli_entries_have_one_magnitude_and_gaussian_ones_many() {
        let entries = |distribution| {
            let mut entries: Vec<f64> = draw(16, distribution, 2).values().to_vec();
            entries.iter_mut().for_each(|entry| *entry = entry.abs());
            entries.sort_by(f64::total_cmp);
            entries.dedup();
            entries
        };
        assert_eq!(entries(Distribution::Bernoulli), [0.25]);
        assert_eq!(entries(Distribution::Gaussian).len(), 80);
    }

    #[test]
    fn a_seed_gives_the_same_directions_and_another_seed_others() {
        let gaussian = Distribution::Gaussian;
        assert_eq!(draw(7, gaussian, 3), draw(7, gaussian, 3));
        assert_ne!(draw(7, gaussian, 3), draw(7, gaussian, 4));
    }

    #[test]
    fn rejects_zero_and_too_many_projections() {
        for projections in [0, MOST_PROJECTIONS + 1] {
            let params = RandomParams {
                projections,
                ..RandomParams::default()
            };
            assert!(params.draw(5, Seed::new(1)).is_err());
        }
    }
}
