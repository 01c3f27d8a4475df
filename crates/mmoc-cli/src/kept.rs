//! Which rows and labels of test files are used.

use std::collections::HashSet;

use mmoc::data::Dataset;

use crate::args::ReadArgs;
use crate::failure::Failure;
use crate::load;

/// The rows and labels that are used, by their numbers in the files.
#[derive(Debug)]
pub(crate) struct Kept {
    rows: Vec<usize>,
    labels: Vec<usize>,
}

impl Kept {
    /// The labels of these names, and of the rows those that were asked for.
    pub(crate) fn of(
        whole: &Dataset,
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
        let is_wanted = |row: &usize| !args.drop_empty_rows || !sets.row(*row).is_empty();
        let rows: Vec<usize> = (0..whole.rows()).filter(is_wanted).collect();
        if rows.is_empty() {
            return Err(load::no_row_left());
        }
        Ok(Self { rows, labels })
    }

    /// What is used of the data set.
    pub(crate) fn rows_of(&self, whole: &Dataset) -> Result<Dataset, Failure> {
        let names = self.labels.iter();
        let names = names.map(|&label| whole.label_names()[label].clone());
        let labels = whole.labels().select_labels(&self.labels);
        Ok(Dataset::from_attributes(
            whole.name(),
            whole.features().view().select_rows(&self.rows),
            labels.select_rows(&self.rows),
            whole.attributes().to_vec(),
            names.collect(),
        )?)
    }
}
