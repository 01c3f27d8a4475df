//! Maximum margin output coding for multi-label classification.
//!
//! The library follows one straight line: a file becomes a [`data::Dataset`], the data set is split,
//! base models are fitted to the training rows ([`learn`]), a method turns them into a model that
//! predicts label sets ([`method`]), and the predictions are scored ([`metrics`], [`evaluate`]).
//!
//! Symbols are those of Zhang & Schneider (ICML 2012); `docs/notation.md` maps them to names.

pub mod data;
mod error;
pub mod evaluate;
pub mod learn;
pub mod linalg;
pub mod method;
pub mod metrics;
mod progress;
mod seed;

use error::check_size;
pub use error::{DataError, Error, Result};
pub use progress::{Progress, Silent};
pub use seed::{Seed, Stream};
