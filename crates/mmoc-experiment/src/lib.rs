//! Experiments with multi-label methods: repeated splits, scores with standard errors, tests of differences,
//! and reports.
//!
//! A [`Design`] says which entrants are compared and how data sets are split. An [`Experiment`] runs it on data sets in
//! memory. Its [`Results`] are summed up ([`ExperimentSummary`]) and written as a report ([`write_report`]) or as text
//! ([`text`]):
//!
//! ```
//! use mmoc::Silent;
//! use mmoc::data::{Dataset, Features, Labels, Matrix};
//! use mmoc::metrics::Metric;
//! use mmoc_experiment::{Design, Experiment, InputDataset, Protocol, text, write_report};
//!
//! # let folder = std::env::temp_dir().join(format!("mmoc-experiment-{}", std::process::id()));
//! let features = Matrix::from_fn(40, 2, |i, j| f64::from(((i * (j + 3)) % 11) as u8));
//! let labels = Labels::from_fn(40, 2, |i, j| features[(i, j)] > 5.0);
//! let names = |names: [&str; 2]| names.map(String::from).to_vec();
//! let songs = Dataset::new(
//!     "songs",
//!     Features::Dense(features),
//!     labels,
//!     names(["tempo", "loudness"]),
//!     names(["happy", "calm"]),
//! )?;
//!
//! let methods = vec!["br".parse()?, "max-margin".parse()?];
//! let design = Design::new(methods, Protocol::cross_validation(5));
//! let experiment = Experiment::new(design, vec![InputDataset::new(songs)])?;
//! let results = experiment.run(&Silent)?;
//!
//! let summary = results.summary()?;
//! for method in &summary.datasets[0].methods {
//!     let accuracy = method.metric(Metric::SubsetAccuracy).expect("it is always defined");
//!     println!("{}: {:.3}", method.title(), accuracy.mean.mean);
//! }
//! println!("{}", text::comparison(&summary, text::Emphasis::Plain));
//! write_report(&summary, &folder)?;
//! # assert!(folder.join("report.html").exists());
//! # std::fs::remove_dir_all(folder).expect("the folder was made above");
//! # Ok::<(), mmoc_experiment::Error>(())
//! ```
//!
//! [`Experiment::run_in`] keeps results in a folder, resumes after an interruption and runs a part of an experiment;
//! [`Results::merge`] puts parts together.

#![forbid(unsafe_code)]

mod confidence;
mod error;
mod experiment;
pub mod paper;
mod protocol;
mod report;
mod run;
mod statistics;
mod summary;
mod tables;
pub mod text;
mod workers;

pub use confidence::{Confidence, LabelConfidence};
pub use error::{Error, Result};
pub use experiment::{
    BASE, CodePicture, Collection, DatasetEntry, Design, Entrant, EntrantKind, Experiment,
    ExternalPrediction, FileEntry, InputDataset, Manifest, MethodEntry, Provenance, Record,
    RecordKey, Results, RunPrediction, Shard, TestEntry, TestRows,
};
pub use protocol::{Protocol, RunSize};
pub use report::{REPORT_FILE, write_report};
pub use run::{Run, RunParams, Runs, Seconds};
pub use statistics::{
    Friedman, ImanDavenport, Mean, PairedDifference, Ranking, ResampledT, Wilcoxon,
    critical_difference, paired_differences,
};
pub use summary::{
    ConfidenceSummary, DatasetSummary, ExperimentSummary, Fits, LabelSummary, MethodSummary,
    MetricSummary, PosteriorSummary, RankingSummary, SolverSummary, TermSummary,
};
pub use tables::{tables, write_tables};
pub use workers::run_jobs;
