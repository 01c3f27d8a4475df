//! Whether a difference between methods is more than chance.
//!
//! Two methods on the same runs are compared pair by pair ([`paired_differences`]), several methods on several
//! data sets by their ranks ([`Ranking`]). The tests are those that Demšar (JMLR 2006) and Bouckaert & Frank
//! (PAKDD 2004) recommend for comparing learners.

mod check;
mod distributions;
mod friedman;
mod mean;
mod nemenyi;
mod paired;
mod ranking;
mod ranks;
mod resampled_t;
mod wilcoxon;

pub use friedman::{Friedman, ImanDavenport};
pub use mean::Mean;
pub use nemenyi::critical_difference;
pub use paired::{PairedDifference, paired_differences};
pub use ranking::Ranking;
pub use resampled_t::ResampledT;
pub use wilcoxon::Wilcoxon;
