//! Which rows and labels of test files are used, also of predictions that were made for them.

use std::collections::HashSet;
use std::path::Path;

use mmoc::Prediction;
use mmoc::data::{Dataset, Labels, Matrix};
use mmoc_experiment::text::counted;
use mmoc_io::read_predictions;

use crate::args::ReadArgs;
use crate::failure::Failure;
use crate::{load, output};

/// The rows and labels that are used.
#[derive(Debug)]
pub(crate) struct Kept {
    /// The rows by their numbers in the data set.
    rows: Vec<usize>,
    /// The same rows by their numbers in the files.
    file_rows: Vec<usize>,
    labels: Vec<usize>,
    /// Number of rows in the files.
    all_rows: usize,
    /// Names of all labels of the files.
    all_labels: Vec<String>,
}

impl Kept {
    /// The labels of these names, and of the rows those that were asked for. Rows of the files that are not in the
    /// data set are left out.
    pub(crate) fn of(
        whole: &Dataset,
        left_out: &[usize],
        label_names: &[String],
        args: &ReadArgs,
    ) -> Result<Self, Failure> {
        let wanted: HashSet<&String> = label_names.iter().collect();
        let names = whole.label_names();
        let all = 0..names.len();
        let labels: Vec<usize> = all
            .filter(|&label| wanted.contains(&names[label]))
            .collect();
        let sets = whole.labels().select_labels(&labels);
        let unknown = whole.unknown();
        let unknown = unknown.map(|unknown| unknown.select_labels(&labels));
        let is_known = |row: usize| {
            let unknown = unknown.as_ref();
            unknown.is_none_or(|unknown| unknown.row(row).len() < labels.len())
        };
        let is_wanted =
            |row: &usize| is_known(*row) && !(args.drop_empty_rows && sets.row(*row).is_empty());
        let rows: Vec<usize> = (0..whole.rows()).filter(is_wanted).collect();
        if rows.is_empty() {
            return Err(match args.drop_empty_rows {
                true => load::no_row_left(),
                false => Failure::bad_data("no row of the test files has a known label"),
            });
        }
        let all_rows = whole.rows() + left_out.len();
        let left_out: HashSet<&usize> = left_out.iter().collect();
        let in_files: Vec<usize> = (0..all_rows)
            .filter(|row| !left_out.contains(row))
            .collect();
        Ok(Self {
            file_rows: rows.iter().map(|&row| in_files[row]).collect(),
            rows,
            labels,
            all_rows,
            all_labels: names.to_vec(),
        })
    }

    /// What is used of the data set.
    pub(crate) fn rows_of(&self, whole: &Dataset) -> Result<Dataset, Failure> {
        let names = self.labels.iter();
        let names = names.map(|&label| whole.label_names()[label].clone());
        let select = |sets: &Labels| sets.select_labels(&self.labels).select_rows(&self.rows);
        let mut kept = Dataset::from_attributes(
            whole.name(),
            whole.features().view().select_rows(&self.rows),
            select(whole.labels()),
            whole.attributes().to_vec(),
            names.collect(),
        )?;
        if let Some(unknown) = whole.unknown() {
            kept = kept.with_unknown(select(unknown))?;
        }
        if let Some(weights) = whole.weights() {
            let own = self.rows.iter().map(|&row| weights[row]);
            kept = kept.with_weights(own.collect())?;
        }
        Ok(kept)
    }

    /// What was predicted for the rows and labels that are used, from a file with a row for each row of the files.
    pub(crate) fn predictions(&self, path: &Path) -> Result<Prediction, Failure> {
        if output::is_standard(path) {
            return Err(Failure::wrong_usage(
                "predictions must be in a file, whose name tells its format: - has none",
            ));
        }
        let read = read_predictions(path, &self.all_labels)?;
        load::note(&read.notes);
        let found = read.prediction;
        if found.labels.rows() != self.all_rows {
            return Err(Failure::bad_data(format!(
                "{}: expected {}, one for each row of the test files, found {}",
                path.display(),
                counted(self.all_rows, "row"),
                found.labels.rows()
            )));
        }
        let matrix = |whole: &Matrix| {
            let cell = |i: usize, j: usize| whole[(self.file_rows[i], self.labels[j])];
            Matrix::from_fn(self.rows.len(), self.labels.len(), cell)
        };
        Ok(Prediction {
            labels: found
                .labels
                .select_labels(&self.labels)
                .select_rows(&self.file_rows),
            scores: found.scores.as_ref().map(matrix),
            probabilities: found.probabilities.as_ref().map(matrix),
            confidence: None,
        })
    }
}
