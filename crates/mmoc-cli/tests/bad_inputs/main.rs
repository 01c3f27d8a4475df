//! Bad inputs of every command: the exit code, what is essential of the message, and nothing written.

#[path = "../common/mod.rs"]
mod common;
mod models;
mod others;

use std::fmt::Write;

use common::listing::listing;
use common::{Folder, Outcome};

pub(crate) const FAILED: i32 = 1;
pub(crate) const USAGE: i32 = 2;
pub(crate) const BAD_DATA: i32 = 3;

/// Arguments that spaces separate, the exit code, and what must stand on standard error.
pub(crate) type Case = (&'static str, i32, &'static str);

const FILES: &[(&str, &str)] = &[
    ("only-features.csv", "a,b\n0.5,0.5\n0.25,0.75\n"),
    ("lacks.csv", "a,l,m\n1,0,1\n"),
    ("word.csv", "a,b,l,m\n0.5,x,0,1\n"),
    ("late.csv", "a,b,l,m\n0.5,0.5,0,1\n0.5,inf,0,1\n"),
    ("label2.csv", "a,b,l,m\n0.5,0.5,2,1\n"),
    ("missing.csv", "a,b,l,m\n0.5,?,0,1\n"),
    ("empty.csv", ""),
    ("junk.mmoc", "no model at all\n"),
    ("text.txt", "text"),
    ("t.svm", "0 1:1 2:2\n1 1:0.5\n0,1 2:1\n"),
];

/// A table of two features, in [0, 1), and two labels.
fn table() -> String {
    let mut table = String::from("a,b,l,m\n");
    for row in 0..40 {
        let (a, b) = (row * 7 % 40, row * 11 % 40);
        let (l, m) = (u8::from(a > 20), u8::from(b > 16));
        writeln!(
            table,
            "{},{},{l},{m}",
            f64::from(a) / 40.0,
            f64::from(b) / 40.0
        )
        .unwrap();
    }
    table
}

/// A folder with data, two models, one that was cut off, and an experiment.
fn folder() -> Folder {
    let folder = Folder::with(FILES);
    std::fs::write(folder.path("t.csv"), table()).unwrap();
    std::fs::create_dir(folder.path("folder")).unwrap();
    for (method, model) in [("br", "m.mmoc"), ("coding-pca", "pca.mmoc")] {
        let arguments = format!("train t.csv --labels l,m --method {method} -o {model}");
        folder.run(&arguments).succeeded();
    }
    let model = std::fs::read(folder.path("m.mmoc")).unwrap();
    std::fs::write(folder.path("cut.mmoc"), &model[..500]).unwrap();
    folder
        .run("compare t.csv --labels l,m --method br --folds 2 --out exp")
        .succeeded();
    folder
}

/// What is wrong with an outcome, if anything is.
fn fault(outcome: &Outcome, code: i32, message: &str) -> Option<&'static str> {
    let is_short = outcome.stderr.lines().count() == 1 || outcome.stderr.contains("--help");
    let is_safe = |text: &str| !text.contains(|c: char| c.is_control() && c != '\n');
    if outcome.code != Some(code) {
        Some("the exit code")
    } else if !outcome.stdout.is_empty() {
        Some("standard output, which must be empty")
    } else if !outcome.stderr.contains(message) {
        Some("the message")
    } else if !is_short || !is_safe(&outcome.stderr) {
        Some("the form of the message")
    } else {
        None
    }
}

#[test]
fn bad_inputs_fail_with_their_message_and_write_nothing() {
    let folder = folder();
    let before = listing(&folder.path(""));
    let tables = [
        models::TRAIN,
        models::PREDICT,
        models::SCORE,
        others::INSPECT,
        others::CONVERT,
        others::EXPERIMENTS,
        others::OTHERS,
    ];
    let cases = tables.concat();
    assert!(cases.len() >= 80);
    let mut wrong = Vec::new();
    for (arguments, code, message) in cases {
        let outcome = folder.run(arguments);
        if let Some(fault) = fault(&outcome, code, message) {
            wrong.push(format!(
                "mmoc {arguments}\nwrong: {fault}\nexpected code {code} and: {message}\nfound {outcome:#?}"
            ));
        }
        assert_eq!(listing(&folder.path("")), before, "mmoc {arguments}");
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
}
