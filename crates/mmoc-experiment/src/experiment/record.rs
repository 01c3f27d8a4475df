//! One line of `results.jsonl`: the results of one entrant in one run on one data set.

use serde::{Deserialize, Serialize};

use super::code_picture::CodePicture;
use crate::{Run, RunSize};

/// Which run of which entrant on which data set, by the names of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecordKey {
    /// Name of the data set.
    pub dataset: String,
    /// Number of the run, from zero.
    pub run: usize,
    /// Name of the entrant.
    pub method: String,
}

/// The results of one entrant in one run on one data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What the results are of.
    #[serde(flatten)]
    pub key: RecordKey,
    /// Rows of the run.
    pub size: RunSize,
    /// The results.
    #[serde(flatten)]
    pub results: Run,
    /// The learnt code, in the first run of a max-margin method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<CodePicture>,
}
