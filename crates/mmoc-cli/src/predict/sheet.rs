//! What is written of predictions, row by row, in each format.

use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum;
use mmoc::Prediction;

use super::{arff, delimited, json_lines, libsvm};
use crate::failure::Failure;

/// A format for predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SheetFormat {
    /// A table with a column for each label
    Csv,
    /// The same, separated by tabs
    Tsv,
    /// A JSON object for each row
    Jsonl,
    /// ARFF with an attribute for each label
    Arff,
    /// The numbers of the labels of each row
    Libsvm,
}

impl SheetFormat {
    /// The format that a file's name stands for.
    pub(crate) fn of_path(path: &Path) -> Result<Self, Failure> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let lower = extension.map(str::to_ascii_lowercase);
        match lower.as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("tsv") => Ok(Self::Tsv),
            Some("jsonl" | "ndjson") => Ok(Self::Jsonl),
            Some("arff") => Ok(Self::Arff),
            Some("libsvm" | "svm") => Ok(Self::Libsvm),
            _ => Err(Failure::wrong_usage(format!(
                "{}: the format of predictions is not clear from the name (.csv, .tsv, .jsonl, .arff, .libsvm); \
                 give it by --format",
                path.display()
            ))),
        }
    }

    /// Whether the format has room for the best labels in their order.
    fn holds_ranks(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv | Self::Jsonl)
    }
}

/// What is shown of each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Its label set.
    Sets,
    /// The probability of each label.
    Probabilities,
    /// The labels of highest score in their order, with or without their probabilities.
    Best { count: usize, probabilities: bool },
}

impl Shown {
    /// What was asked for, if the format and the number of labels allow it.
    pub(crate) fn new(
        probabilities: bool,
        best: Option<usize>,
        format: SheetFormat,
        labels: usize,
    ) -> Result<Self, Failure> {
        match best {
            None if probabilities => Ok(Self::Probabilities),
            None => Ok(Self::Sets),
            Some(_) if !format.holds_ranks() => Err(Failure::wrong_usage(
                "--top-k has a place in csv, tsv and jsonl only",
            )),
            Some(count) if (1..=labels).contains(&count) => Ok(Self::Best {
                count,
                probabilities,
            }),
            Some(count) => Err(Failure::wrong_usage(format!(
                "--top-k must be from 1 to {labels}, the number of labels of the model, not {count}"
            ))),
        }
    }

    /// Whether probabilities are shown.
    pub(crate) fn needs_probabilities(self) -> bool {
        match self {
            Self::Sets => false,
            Self::Probabilities => true,
            Self::Best { probabilities, .. } => probabilities,
        }
    }
}

/// Predictions of labels of given names, in a format.
#[derive(Debug)]
pub(crate) struct Sheet<'a> {
    pub(crate) format: SheetFormat,
    pub(crate) shown: Shown,
    pub(crate) label_names: &'a [String],
}

impl Sheet<'_> {
    /// Writes what stands before the first row.
    pub(crate) fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            SheetFormat::Csv => delimited::begin(self, b',', out),
            SheetFormat::Tsv => delimited::begin(self, b'\t', out),
            SheetFormat::Arff => arff::begin(self, out),
            SheetFormat::Jsonl | SheetFormat::Libsvm => Ok(()),
        }
    }

    /// Writes rows.
    pub(crate) fn rows(&self, found: &Prediction, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            SheetFormat::Csv => delimited::rows(self, b',', found, out),
            SheetFormat::Tsv => delimited::rows(self, b'\t', found, out),
            SheetFormat::Jsonl => json_lines::rows(self, found, out),
            SheetFormat::Arff => arff::rows(self, found, out),
            SheetFormat::Libsvm => libsvm::rows(self, found, out),
        }
    }
}

/// The `count` labels of highest score of a row, of equal ones the first; without scores those predicted come first.
pub(super) fn best_labels(found: &Prediction, row: usize, count: usize) -> Vec<usize> {
    let score = |label: usize| match &found.scores {
        Some(scores) => scores[(row, label)],
        None => f64::from(u8::from(found.labels.contains(row, label))),
    };
    let mut order: Vec<usize> = (0..found.labels.count()).collect();
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    order.truncate(count);
    order
}

/// The probability of a label, which must be there.
pub(super) fn probability(found: &Prediction, row: usize, label: usize) -> f64 {
    let all = found.probabilities.as_ref();
    all.expect("checked before any row was read")[(row, label)]
}
