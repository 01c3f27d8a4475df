//! Files of version 1, which are loaded for ever.
//!
//! `tests/models/v1` has a model of every kind, written once, and what each predicts for a few rows in `expected.json`.
//! They must not change. While no version of the program has been released that writes version 1, they may be made
//! again, by the test that makes others like them and a folder for these:
//!
//! ```text
//! MMOC_KEPT_MODELS=tests/models/v1 cargo test -p mmoc --test model_file models_made_anew
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mmoc::Model;
use mmoc::Prediction;
use mmoc::data::{Attribute, Csr, Dataset, Features, Matrix};
use serde::{Deserialize, Serialize};

use super::{data, params, train};

/// Every kind of decoder and of tensors. The first word is the method; those that end in `sparse` were trained on sparse
/// features.
const KEPT: [(&str, &[&str]); 16] = [
    ("br", &[]),
    ("br sparse", &[]),
    ("coding-cs", &["projections=6"]),
    ("coding-cs l1", &["projections=6", "recovery=l1"]),
    ("coding-pca", &["centre=true"]),
    ("coding-pca-r", &["inference=mean-field"]),
    ("coding-cca", &["projections=2"]),
    ("coding-cca likelihood", &["weights=likelihood"]),
    ("coding-cca held-out", &["weights=held-out"]),
    ("coding-cca alone", &["lambda=0"]),
    ("clr", &[]),
    ("clr soft", &["votes=soft"]),
    ("lead", &[]),
    ("lead probabilities", &["evidence=probabilities"]),
    ("max-margin", &[]),
    ("max-margin canonical sparse", &["regression=canonical"]),
];

/// What a model says about the rows.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    labels: Vec<Vec<u32>>,
    scores: Vec<f64>,
    probabilities: Option<Vec<f64>>,
}

/// The rows, in which null is a missing cell, and what each model says about them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    rows: Vec<Vec<Option<f64>>>,
    models: BTreeMap<String, Expected>,
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{}.mmoc", name.replace(' ', "-")))
}

fn rows(kept: &Kept) -> Matrix {
    let columns = kept.rows[0].len();
    Matrix::from_fn(kept.rows.len(), columns, |i, j| {
        kept.rows[i][j].unwrap_or(f64::NAN)
    })
}

fn features(trained: &Model, rows: &Matrix) -> Features {
    if trained.schema().is_sparse() {
        Features::Sparse(Csr::from(rows))
    } else {
        Features::Dense(rows.clone())
    }
}

fn expected(prediction: &Prediction) -> Expected {
    let numbers = |matrix: &Matrix| matrix.values().to_vec();
    Expected {
        labels: prediction.labels.iter().map(<[u32]>::to_vec).collect(),
        scores: prediction.scores.as_ref().map(numbers).unwrap(),
        probabilities: prediction.probabilities.as_ref().map(numbers),
    }
}

/// Processors differ in their last bits.
fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{what}: {a} {b}");
    }
}

#[test]
fn files_of_version_1_predict_what_they_always_did() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/v1"));
}

#[test]
fn models_made_anew_are_kept_the_same_way() {
    let temporary = tempfile::tempdir().unwrap();
    let given = std::env::var_os("MMOC_KEPT_MODELS");
    let folder = given.map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    keep(&folder);
    check(&folder);
}

/// Every model of a folder predicts what is written beside it.
fn check(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("expected.json")).unwrap();
    let kept: Kept = serde_json::from_str(&text).unwrap();
    assert_eq!(kept.models.len(), KEPT.len());
    let rows = rows(&kept);
    for (name, before) in &kept.models {
        let trained = Model::load(file(folder, name)).unwrap();
        let found = trained.predict(features(&trained, &rows).view()).unwrap();
        let found = expected(&found);
        assert_eq!(found.labels, before.labels, "{name}");
        assert_close(&found.scores, &before.scores, name);
        match (&found.probabilities, &before.probabilities) {
            (Some(found), Some(before)) => assert_close(found, before, name),
            (None, None) => {}
            _ => panic!("{name}"),
        }
        let method = name.split(' ').next().unwrap();
        assert_eq!(trained.params().method.name(), method);
        assert_eq!(trained.schema().attributes()[1], colour());
    }
}

/// A feature of words.
fn colour() -> Attribute {
    let words = ["blue", "green", "red"].map(str::to_owned);
    Attribute::nominal("colour", words.to_vec()).unwrap()
}

/// Eighty rows of a number, a colour and two more numbers, with four labels.
fn kept_data(sparse: bool) -> Dataset {
    let base = data(80, 6, 4, sparse, 11);
    let numbers = ["size", "weight", "age"].map(Attribute::numeric);
    let [size, weight, age] = numbers;
    let labels = base.label_names().to_vec();
    let (features, sets) = (base.features().clone(), base.labels().clone());
    Dataset::from_attributes(
        "kept",
        features,
        sets,
        vec![size, colour(), weight, age],
        labels,
    )
    .unwrap()
}

/// Writes models, rows and what is predicted for them into a folder.
fn keep(folder: &Path) {
    let new = data(6, 6, 4, false, 12);
    let Features::Dense(rows) = new.features() else {
        panic!("{:?}", new.features())
    };
    let mut rows = rows.clone();
    rows[(2, 0)] = f64::NAN;
    rows[(4, 5)] = f64::NAN;
    let cell = |value: &f64| Some(*value).filter(|value| !value.is_nan());
    let mut kept = Kept {
        rows: (0..6)
            .map(|i| rows.row(i).iter().map(cell).collect())
            .collect(),
        models: BTreeMap::new(),
    };
    for (name, settings) in KEPT {
        let words: Vec<&str> = name.split(' ').collect();
        let dataset = kept_data(words.last() == Some(&"sparse"));
        let trained = train(&params((words[0], settings)), &dataset);
        trained.save(file(folder, name)).unwrap();
        let found = trained.predict(features(&trained, &rows).view()).unwrap();
        kept.models.insert(name.to_owned(), expected(&found));
    }
    let mut text = serde_json::to_string_pretty(&kept).unwrap();
    text.push('\n');
    std::fs::write(folder.join("expected.json"), text).unwrap();
}
