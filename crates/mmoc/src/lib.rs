//! Maximum margin output coding for multi-label classification.
//!
//! The library follows one straight line: a file becomes a [`data::Dataset`], the data set is split,
//! base models are fitted to the training rows ([`learn`]), a method turns them into a model that
//! predicts label sets ([`method`]), most often by an output code and its decoder ([`code`], [`decode`]),
//! and the predictions are scored ([`metrics`]). A model for use is trained on all rows ([`train`]) and kept in
//! a file ([`model_file`]).
//!
//! ```
//! use mmoc::Seed;
//! use mmoc::data::{Preprocessing, Scaling};
//! use mmoc_io::{Format, LabelSource, ReadOptions, read_from};
//! use mmoc::learn::{BaseParams, Training};
//! use mmoc::method::Method;
//! use mmoc::metrics::{Evaluation, Metric};
//!
//! let table = "tempo,loud,calm,happy\n60,1,1,0\n64,2,1,0\n120,5,0,1\n90,3,1,1\n128,6,0,1\n70,2,1,0\n";
//! let options = ReadOptions {
//!     labels: LabelSource::Last(2),
//!     format: Some(Format::Csv),
//!     ..ReadOptions::default()
//! };
//! let songs = read_from(table.as_bytes(), "songs.csv", &options)?.dataset;
//!
//! let scaling = Preprocessing::fit(songs.features().view(), Scaling::Auto)?;
//! let features = scaling.apply(songs.features().view())?;
//! let training = Training::new(features.view(), songs.labels(), BaseParams::default(), Seed::new(1))?;
//! let model = "br".parse::<Method>()?.fit_on(&training)?.predictor;
//!
//! let found = model.predict(features.view())?;
//! let scores = Evaluation::of(songs.labels(), &found.labels, found.scores.as_ref(), None)?;
//! assert_eq!(scores.get(Metric::MacroAuc), Some(1.0));
//! assert!(training.classifiers()?.record().all_converged());
//! # Ok::<(), mmoc_io::Error>(())
//! ```
//!
//! Symbols are those of Zhang & Schneider (ICML 2012); `docs/notation.md` maps them to names.

#![forbid(unsafe_code)]

pub mod code;
pub mod data;
pub mod decode;
mod error;
pub mod learn;
pub mod linalg;
pub mod method;
pub mod metrics;
mod model;
pub mod model_file;
mod prediction;
mod progress;
mod seed;
pub mod settings;
mod stop;
pub mod text;
mod threads;
pub mod train;
pub mod whole_file;

pub use error::{Error, ModelRemedy, Result, check_size};
pub use model::{Model, ModelInput};
pub use prediction::Prediction;
pub use progress::{Progress, Silent};
pub use seed::{Seed, Stream};
use stop::check_stop;
pub use threads::{Job, thread_pool, with_threads};
