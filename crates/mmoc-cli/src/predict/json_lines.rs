//! Predictions as a JSON object for each row: `labels`, and where asked for `id`, `confidence`, `probabilities` by label,
//! the `best` labels or the likeliest `sets` in their order.

use std::io::{self, Write};

use mmoc::posterior::LikelySet;
use mmoc_io::RowId;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::found::Found;
use super::sheet::Sheet;
use super::shown::Shown;

#[derive(Serialize)]
struct Row<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id<'a>>,
    /// `null` if the row is undecided.
    labels: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<ByLabel<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Vec<Best<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sets: Option<Vec<Likely<'a>>>,
}

/// What a row is called, a number if the file has one there.
#[derive(Serialize)]
#[serde(untagged)]
enum Id<'a> {
    Number(&'a RawValue),
    Text(&'a str),
}

impl<'a> Id<'a> {
    fn of(id: &'a RowId) -> Self {
        match serde_json::from_str(&id.text) {
            Ok(number) if id.is_number => Self::Number(number),
            _ => Self::Text(&id.text),
        }
    }
}

#[derive(Serialize)]
struct Best<'a> {
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
}

#[derive(Serialize)]
struct Likely<'a> {
    labels: Vec<&'a str>,
    probability: f64,
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

pub(super) fn rows(sheet: &Sheet<'_>, found: &Found, out: &mut dyn Write) -> io::Result<()> {
    for row in 0..found.rows() {
        serde_json::to_writer(&mut *out, &describe(sheet, found, row))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn describe<'a>(sheet: &Sheet<'a>, found: &'a Found, row: usize) -> Row<'a> {
    let name = |label: usize| sheet.label_names[label].as_str();
    let names = |set: &[u32]| set.iter().map(|&label| name(label as usize)).collect();
    let mut described = Row {
        id: found.id(row).map(Id::of),
        labels: found.set(row).map(names),
        confidence: sheet.certainty.is_shown.then(|| found.confidence(row)),
        probabilities: None,
        best: None,
        sets: None,
    };
    match sheet.shown {
        Shown::Sets => (),
        Shown::Probabilities => {
            let all = 0..found.labels();
            let pairs = all.map(|label| (name(label), found.probability(row, label)));
            described.probabilities = Some(ByLabel(pairs.collect()));
        }
        Shown::Best {
            count,
            probabilities,
        } => {
            let best = found.best_labels(row, count).into_iter();
            let best = best.map(|label| Best {
                label: name(label),
                probability: probabilities.then(|| found.probability(row, label)),
            });
            described.best = Some(best.collect());
        }
        Shown::Likeliest { .. } => {
            let likely = |set: &LikelySet| Likely {
                labels: names(&set.labels),
                probability: set.probability,
            };
            described.sets = Some(found.likeliest[row].iter().map(likely).collect());
        }
    }
    described
}
