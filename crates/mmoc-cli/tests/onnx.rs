//! `mmoc convert` of a model to ONNX: what is written, and what is refused by name.

mod common;

use common::Folder;
use common::small::Small;
use sha2::{Digest, Sha256};

/// A folder with a table and a model of each kind that is asked for: a name and the options of its training.
fn with_models(models: &[(&str, &str)]) -> Folder {
    let folder = Folder::with(&[("songs.csv", Small::new(60, 4, 3).table(","))]);
    for (name, options) in models {
        let train = format!("train songs.csv --labels mood_* {options} -o {name}");
        folder.run(&train).succeeded();
    }
    folder
}

fn bytes(folder: &Folder, name: &str) -> Vec<u8> {
    std::fs::read(folder.path(name)).unwrap()
}

fn contains(file: &[u8], text: &str) -> bool {
    file.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Runs a command that must fail with an exit code, and gives its message.
fn refused(folder: &Folder, arguments: &str, code: i32) -> String {
    let outcome = folder.run(arguments);
    assert_eq!(outcome.code, Some(code), "{arguments}: {outcome:?}");
    assert_eq!(outcome.stdout, "");
    assert!(!folder.path("new.onnx").exists(), "{arguments}");
    outcome.stderr
}

const LINEAR: &str = "--set terms=labels+code+frequency --set base.features=linear";

#[test]
fn a_model_becomes_an_onnx_file_that_names_its_columns_labels_and_digest() {
    let folder = with_models(&[("songs.mmoc", LINEAR)]);
    let outcome = folder.run("convert songs.mmoc songs.onnx").succeeded();
    assert_eq!(outcome.stdout, "");
    assert_eq!(outcome.stderr, "wrote: songs.onnx: 4 columns, 3 labels\n");
    let file = bytes(&folder, "songs.onnx");
    let model = Sha256::digest(bytes(&folder, "songs.mmoc"));
    let digits = model.iter().map(|byte| format!("{byte:02x}"));
    let digest = digits.collect::<Vec<_>>().concat();
    for text in [
        "mmoc.model_sha256",
        &digest,
        "mmoc.labels",
        "mood_",
        "mmoc.columns",
    ] {
        assert!(contains(&file, text), "{text}");
    }
    folder.run("convert songs.mmoc again.onnx").succeeded();
    assert_eq!(bytes(&folder, "again.onnx"), file);
}

#[test]
fn another_decision_is_another_graph() {
    let folder = with_models(&[("songs.mmoc", LINEAR), ("br.mmoc", "--method br")]);
    folder.run("convert songs.mmoc a.onnx").succeeded();
    folder
        .run("convert songs.mmoc b.onnx --decide f1")
        .succeeded();
    assert!(!contains(&bytes(&folder, "a.onnx"), "TopK"));
    assert!(contains(&bytes(&folder, "b.onnx"), "TopK"));
    let message = refused(&folder, "convert br.mmoc new.onnx --decide f1", 2);
    assert!(
        message.contains("--decide: this model has no posterior"),
        "{message}"
    );
}

#[test]
fn a_file_that_exists_is_replaced_only_if_that_was_asked_for() {
    let folder = with_models(&[("br.mmoc", "--method br")]);
    std::fs::write(folder.path("a.onnx"), "mine").unwrap();
    let outcome = folder.run("convert br.mmoc a.onnx");
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome
            .stderr
            .contains("a.onnx exists: --force replaces it"),
        "{outcome:?}"
    );
    assert_eq!(bytes(&folder, "a.onnx"), b"mine");
    folder.run("convert br.mmoc a.onnx --force").succeeded();
    assert_ne!(bytes(&folder, "a.onnx"), b"mine");
    // A model is not lost to its own graph.
    std::fs::copy(folder.path("br.mmoc"), folder.path("model.onnx")).unwrap();
    let outcome = folder.run("convert model.onnx model.onnx --force");
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("cannot be both read and written"),
        "{outcome:?}"
    );
}

#[test]
fn what_cannot_be_exported_is_refused_by_name_with_what_can_be_done() {
    let models = [
        ("forest.mmoc", "--set terms=labels+forest"),
        ("near.mmoc", "--set terms=labels+neighbours+forest"),
        ("cs.mmoc", "--method coding-cs"),
        ("paper.mmoc", "--preset paper --set inference=mean-field"),
    ];
    let folder = with_models(&models);
    let remedy = "train with --set terms=labels+code+frequency";
    let cases = [
        ("forest.mmoc", "the term 'forest'", remedy),
        ("near.mmoc", "the terms 'neighbours', 'forest'", remedy),
        ("cs.mmoc", "the decoder cosamp", "--method max-margin"),
        (
            "paper.mmoc",
            "mean-field inference",
            "--set inference=exact",
        ),
    ];
    for (model, what, remedy) in cases {
        let message = refused(&folder, &format!("convert {model} new.onnx"), 3);
        assert!(
            message.contains(what) && message.contains(remedy),
            "{model}: {message}"
        );
    }
}

#[test]
fn only_a_model_and_nothing_else_becomes_an_onnx_file() {
    let folder = with_models(&[("br.mmoc", "--method br")]);
    std::fs::write(
        folder.path("broken.mmoc"),
        &bytes(&folder, "br.mmoc")[..200],
    )
    .unwrap();
    let cases = [
        ("convert songs.csv new.onnx", 3, "songs.csv: expected"),
        ("convert broken.mmoc new.onnx", 3, "broken.mmoc: expected"),
        ("convert none.mmoc new.onnx", 1, "none.mmoc"),
        (
            "convert br.mmoc br.mmoc new.onnx",
            2,
            "one model, not of several files",
        ),
        (
            "convert br.mmoc new.onnx --labels mood_*",
            2,
            "--labels has no meaning for a model",
        ),
        (
            "convert br.mmoc new.onnx --xml",
            2,
            "--xml has no meaning for a model",
        ),
        (
            "convert br.mmoc nowhere/new.onnx",
            1,
            "there is no folder nowhere",
        ),
        (
            "convert br.mmoc new.csv",
            2,
            "br.mmoc is a model: it becomes an ONNX file",
        ),
        (
            "convert songs.csv new.svm --labels mood_* --decide f1",
            2,
            "--decide has no meaning for a data set",
        ),
    ];
    for (arguments, code, what) in cases {
        let message = refused(&folder, arguments, code);
        assert!(message.contains(what), "{arguments}: {message}");
    }
}
