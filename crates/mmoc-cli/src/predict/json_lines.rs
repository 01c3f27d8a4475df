//! Predictions as a JSON object for each row: `labels`, and where asked for `probabilities` by label or the `best` in
//! their order.

use std::io::{self, Write};

use mmoc::Prediction;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::sheet::{Sheet, Shown, best_labels, probability};

#[derive(Serialize)]
struct Row<'a> {
    labels: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<ByLabel<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Vec<Best<'a>>>,
}

#[derive(Serialize)]
struct Best<'a> {
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
}

/// Names and numbers as an object, in the order of the labels.
struct ByLabel<'a>(Vec<(&'a str, f64)>);

impl Serialize for ByLabel<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (label, number) in &self.0 {
            map.serialize_entry(label, number)?;
        }
        map.end()
    }
}

pub(super) fn rows(sheet: &Sheet<'_>, found: &Prediction, out: &mut dyn Write) -> io::Result<()> {
    for row in 0..found.labels.rows() {
        serde_json::to_writer(&mut *out, &describe(sheet, found, row))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn describe<'a>(sheet: &Sheet<'a>, found: &Prediction, row: usize) -> Row<'a> {
    let name = |label: usize| sheet.label_names[label].as_str();
    let labels = found.labels.row(row).iter();
    let mut described = Row {
        labels: labels.map(|&label| name(label as usize)).collect(),
        probabilities: None,
        best: None,
    };
    match sheet.shown {
        Shown::Sets => (),
        Shown::Probabilities => {
            let all = 0..found.labels.count();
            let pairs = all.map(|label| (name(label), probability(found, row, label)));
            described.probabilities = Some(ByLabel(pairs.collect()));
        }
        Shown::Best {
            count,
            probabilities,
        } => {
            let best = best_labels(found, row, count).into_iter();
            let best = best.map(|label| Best {
                label: name(label),
                probability: probabilities.then(|| probability(found, row, label)),
            });
            described.best = Some(best.collect());
        }
    }
    described
}
