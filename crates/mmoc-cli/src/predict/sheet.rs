//! What is written of predictions, row by row, in each format.

use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum;

use super::certainty::Certainty;
use super::found::Found;
use super::shown::Shown;
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
    pub(super) fn of_path(path: &Path) -> Result<Self, Failure> {
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
}

/// Predictions of labels of given names, in a format.
#[derive(Debug)]
pub(super) struct Sheet<'a> {
    pub(super) format: SheetFormat,
    pub(super) shown: Shown,
    pub(super) certainty: Certainty,
    pub(super) label_names: &'a [String],
    /// The column of what rows are called, if it is shown.
    pub(super) id: Option<&'a str>,
}

impl Sheet<'_> {
    /// Rows of labels alone have no place for what they are called.
    pub(super) fn check_id(&self) -> Result<(), Failure> {
        if self.id.is_some() && self.format == SheetFormat::Libsvm {
            return Err(Failure::wrong_usage(
                "--id: predictions in LIBSVM rows have no place for it; use csv, tsv, jsonl or arff",
            ));
        }
        Ok(())
    }

    /// Writes what stands before the first row.
    pub(super) fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            SheetFormat::Csv => delimited::begin(self, b',', out),
            SheetFormat::Tsv => delimited::begin(self, b'\t', out),
            SheetFormat::Arff => arff::begin(self, out),
            SheetFormat::Jsonl | SheetFormat::Libsvm => Ok(()),
        }
    }

    /// Writes rows.
    pub(super) fn rows(&self, found: &Found, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            SheetFormat::Csv => delimited::rows(self, b',', found, out),
            SheetFormat::Tsv => delimited::rows(self, b'\t', found, out),
            SheetFormat::Jsonl => json_lines::rows(self, found, out),
            SheetFormat::Arff => arff::rows(self, found, out),
            SheetFormat::Libsvm => libsvm::rows(self, found, out),
        }
    }
}
