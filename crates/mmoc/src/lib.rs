//! Maximum margin output coding for multi-label classification.
//!
//! A [`data::Dataset`] is split, base models are fitted to the training rows ([`learn`]), a method combines them into a
//! [`Model`] ([`method`], [`train`]), most often by an output code and its decoder ([`code`], [`decode`]), and the
//! predictions are scored ([`metrics`]). Models are kept in files ([`model_file`]).
//!
//! ```
//! use mmoc::method::MaxMargin;
//! use mmoc_io::{Format, LabelSource, ReadOptions, read_from};
//!
//! // `mmoc_io::read("songs.csv", …)` reads a file; here a table in memory takes its place.
//! let table = "tempo,loud,calm,happy\n60,1,1,0\n64,2,1,0\n120,5,0,1\n90,3,1,1\n128,6,0,1\n70,2,1,0\n\
//!              62,1,1,0\n118,4,0,1\n92,3,1,1\n125,6,0,1\n";
//! let options = ReadOptions {
//!     labels: LabelSource::Last(2),
//!     format: Some(Format::Csv),
//!     ..ReadOptions::default()
//! };
//! let songs = read_from(table.as_bytes(), "songs.csv", &options)?.dataset;
//!
//! let (train, test) = songs.split(0.8, 1)?;
//! let model = MaxMargin::default().c(1e3).fit(&train)?;
//! let scores = model.predict(&test)?.score(&test)?;
//! assert_eq!(scores.subset_accuracy(), 1.0);
//! # Ok::<(), mmoc_io::Error>(())
//! ```
//!
//! `crates/mmoc/examples` has longer programs: training and prediction, decoding with a code of your own, cross-validation,
//! solving a max-margin problem, and streaming a large file.
//!
//! Symbols are those of Zhang & Schneider (ICML 2012); `docs/notation.md` maps them to names.

#![forbid(unsafe_code)]

pub mod code;
pub mod data;
pub mod decode;
mod error;
mod evidence;
mod explanation;
pub mod learn;
pub mod linalg;
pub mod memory;
pub mod method;
pub mod metrics;
mod model;
pub mod model_file;
pub mod partitions;
pub mod posterior;
mod prediction;
mod progress;
mod question;
mod seed;
pub mod settings;
mod stop;
pub mod text;
mod threads;
pub mod train;
pub mod whole_file;

pub use error::{Error, ModelRemedy, Result, check_size};
pub use explanation::{Explanation, LabelExplanation, Part, PartKind, WithoutScores};
pub use model::{Model, ModelInput, RowsWithEvidence};
pub use prediction::Prediction;
use progress::Observer;
pub use progress::{Progress, Silent};
pub use question::{Answer, Question};
pub use seed::{Seed, Stream};
use stop::check_stop;
pub use threads::{Job, thread_pool, with_threads};
