//! Metrics of rankings are those of the numbers that users can get: the probabilities that `predict --proba` writes.

mod common;

use common::small::Small;
use common::{Folder, METHODS};
use serde_json::Value;

/// The numbers of a table with a header.
fn numbers(table: &str) -> Vec<Vec<f64>> {
    let row = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    table.lines().skip(1).map(row).collect()
}

/// The share of pairs of a positive and a negative that are in order; a tie counts half.
fn auc(cells: &[(bool, f64)]) -> f64 {
    let of = |wanted: bool| {
        cells
            .iter()
            .filter(move |(truth, _)| *truth == wanted)
            .map(|cell| cell.1)
    };
    let pairs = of(true).flat_map(|high| of(false).map(move |low| (high, low)));
    let (mut right, mut all) = (0.0, 0.0);
    for (high, low) in pairs {
        right += if high > low {
            1.0
        } else if high == low {
            0.5
        } else {
            0.0
        };
        all += 1.0;
    }
    right / all
}

/// The mean over labels.
fn macro_auc(truth: &[Vec<f64>], found: &[Vec<f64>]) -> f64 {
    let labels = truth[0].len();
    let of_label = |label: usize| {
        let cells = truth
            .iter()
            .zip(found)
            .map(|(y, p)| (y[label] > 0.5, p[label]));
        auc(&cells.collect::<Vec<_>>())
    };
    (0..labels).map(of_label).sum::<f64>() / labels as f64
}

/// The area of all cells as one label.
fn micro_auc(truth: &[Vec<f64>], found: &[Vec<f64>]) -> f64 {
    let cells = truth
        .iter()
        .flatten()
        .map(|&y| y > 0.5)
        .zip(found.iter().flatten().copied());
    auc(&cells.collect::<Vec<_>>())
}

/// The depth at which all labels of a row are covered.
fn coverage(truth: &[Vec<f64>], found: &[Vec<f64>]) -> f64 {
    let depth = |(y, p): (&Vec<f64>, &Vec<f64>)| {
        let relevant = y.iter().zip(p).filter(|(y, _)| **y > 0.5).map(|(_, p)| *p);
        let lowest = relevant.fold(f64::INFINITY, f64::min);
        p.iter().filter(|other| **other >= lowest).count() as f64
    };
    truth.iter().zip(found).map(depth).sum::<f64>() / truth.len() as f64
}

/// The metrics of a ranking.
fn metrics(truth: &[Vec<f64>], found: &[Vec<f64>]) -> [(&'static str, f64); 3] {
    [
        ("macro_auc", macro_auc(truth, found)),
        ("micro_auc", micro_auc(truth, found)),
        ("coverage", coverage(truth, found)),
    ]
}

fn assert_close(value: &Value, expected: f64, place: &str) {
    let found = value.as_f64().unwrap();
    assert!(
        (found - expected).abs() < 1e-12,
        "{place}: {found}, {expected}"
    );
}

/// Training and test rows in a folder, and the labels of the test rows.
fn rows() -> (Folder, Vec<Vec<f64>>) {
    let (train, test) = Small::new(300, 5, 4).split(150);
    let truth = numbers(&test.label_table(","));
    let files = [
        ("train.csv", train.table(",")),
        ("test.csv", test.table(",")),
    ];
    (Folder::with(&files), truth)
}

#[test]
fn rankings_are_those_of_the_probabilities_that_are_written() {
    let (folder, truth) = rows();
    let mut compared = 0;
    for method in METHODS {
        let train = format!("train train.csv --labels mood_* --method {method} -o m.mmoc");
        folder.run(&train).succeeded();
        let written = folder.run("predict m.mmoc test.csv --proba");
        if written.code != Some(0) {
            assert!(
                written.stderr.contains("predicts no probabilities"),
                "{written:?}"
            );
            continue;
        }
        compared += 1;
        let scored = folder.json("score m.mmoc test.csv");
        for (metric, expected) in metrics(&truth, &numbers(&written.stdout)) {
            assert_close(
                &scored["metrics"][metric],
                expected,
                &format!("{method} {metric}"),
            );
        }
    }
    assert_eq!(
        compared, 6,
        "all methods but coding-cs and coding-pca have probabilities"
    );
}

#[test]
fn evaluations_rank_by_the_same_probabilities() {
    let (folder, truth) = rows();
    // With a given penalty nothing depends on folds, which differ between the two commands.
    let options = "train.csv --labels mood_* --method clr --set base.penalty=0.001";
    folder
        .run(&format!("train {options} -o m.mmoc"))
        .succeeded();
    let written = folder.output("predict m.mmoc test.csv --proba");
    let report = folder.json(&format!("evaluate {options} --test test.csv"));
    let found = &report["datasets"][0]["methods"][0]["metrics"];
    for (metric, expected) in metrics(&truth, &numbers(&written)) {
        assert_close(&found[metric]["mean"], expected, metric);
    }
}
