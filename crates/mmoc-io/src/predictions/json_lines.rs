//! Predictions as a JSON object for each row: `labels`, the names of those that are predicted, and optionally
//! `probabilities`, a number for each label. Other keys are ignored.

use std::collections::HashMap;

use mmoc::Prediction;
use mmoc::data::{Labels, Matrix};
use mmoc::text::excerpt;
use serde::Deserialize;

use crate::lines::{Line, Lines};
use crate::source::Source;
use crate::{Result, json};

#[derive(Deserialize)]
struct Row {
    labels: Vec<String>,
    probabilities: Option<HashMap<String, f64>>,
}

pub(super) fn read(source: Source<'_>, label_names: &[String]) -> Result<Prediction> {
    let mut rows = PredictedRows::new(label_names);
    let mut lines = Lines::new(source);
    while let Some(line) = lines.next_line()? {
        if !line.text.trim_ascii().is_empty() {
            rows.add(line)?;
        }
    }
    if rows.sets.rows() == 0 {
        return Err(lines.error_at_end("at least one row"));
    }
    rows.finish()
}

/// The rows so far.
struct PredictedRows<'n> {
    names: &'n [String],
    by_name: HashMap<&'n str, usize>,
    sets: Labels,
    /// Those of all rows, or none of any.
    probabilities: Vec<f64>,
}

impl<'n> PredictedRows<'n> {
    fn new(names: &'n [String]) -> Self {
        let by_name = names.iter().enumerate();
        Self {
            names,
            by_name: by_name
                .map(|(index, name)| (name.as_str(), index))
                .collect(),
            sets: Labels::empty(names.len()),
            probabilities: Vec::new(),
        }
    }

    fn add(&mut self, line: Line<'_>) -> Result<()> {
        let row: Row = json::parse(line, "an object with the list of its labels")?;
        let set = row.labels.iter().map(|name| self.label(line, name));
        let mut set = set.collect::<Result<Vec<usize>>>()?;
        set.sort_unstable();
        set.dedup();
        let is_first = self.sets.rows() == 0;
        self.sets.push_row(set);
        match row.probabilities {
            Some(found) if is_first || !self.probabilities.is_empty() => {
                self.add_probabilities(line, &found)
            }
            None if self.probabilities.is_empty() => Ok(()),
            Some(_) => Err(line.error(0, "no probabilities, as in the first row", "some")),
            None => Err(line.error(0, "probabilities, as in the first row", "none")),
        }
    }

    fn label(&self, line: Line<'_>, name: &str) -> Result<usize> {
        let found = self.by_name.get(name).copied();
        found.ok_or_else(|| {
            let expected = "the name of a label of the test rows";
            line.error(place_of(line, name), expected, excerpt(name))
        })
    }

    fn add_probabilities(&mut self, line: Line<'_>, found: &HashMap<String, f64>) -> Result<()> {
        for name in self.names {
            let value = found.get(name).copied();
            let is_probability = |value: &f64| (0.0..=1.0).contains(value);
            let value = value.filter(is_probability).ok_or_else(|| {
                let expected = format!("a probability of the label {}", excerpt(name));
                let found = value.map_or_else(|| "none".into(), |value| value.to_string());
                line.error(place_of(line, name), expected, found)
            })?;
            self.probabilities.push(value);
        }
        Ok(())
    }

    fn finish(self) -> Result<Prediction> {
        let (rows, labels) = (self.sets.rows(), self.names.len());
        let probabilities = if self.probabilities.is_empty() {
            None
        } else {
            Some(Matrix::new(rows, labels, self.probabilities)?)
        };
        Ok(Prediction {
            labels: self.sets,
            scores: probabilities.clone(),
            probabilities,
            confidence: None,
        })
    }
}

/// Where a name stands in a line, as far as that can be told.
fn place_of(line: Line<'_>, name: &str) -> usize {
    let quoted = serde_json::to_string(name).unwrap_or_default();
    line.text.rfind(&quoted).unwrap_or(0)
}
