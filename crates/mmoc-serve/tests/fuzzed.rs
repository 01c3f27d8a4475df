//! Everything that the fuzz targets keep, through the same functions: their corpora, and each input that once failed.

#[allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "it is a crate of its own, where all of it is used"
)]
#[path = "../../../fuzz/src/lib.rs"]
mod targets;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz");

/// The entries of a folder, if it is there.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Runs every target with its inputs in a folder; how many there were for each.
fn replay(folder: &str) -> Vec<(&'static str, usize)> {
    let run = |&(name, target): &(&'static str, targets::Target)| {
        let inputs = entries(&Path::new(FOLDER).join(folder).join(name));
        for input in &inputs {
            let bytes = std::fs::read(input).unwrap();
            let outcome = std::panic::catch_unwind(|| target(&bytes));
            assert!(outcome.is_ok(), "{}", input.display());
        }
        (name, inputs.len())
    };
    targets::TARGETS.iter().map(run).collect()
}

#[test]
fn every_target_holds_for_its_corpus() {
    for (name, inputs) in replay("corpus") {
        assert!(inputs > 0, "{name} has no corpus");
    }
}

/// Otherwise the target would begin with what is refused at once.
#[test]
fn every_method_has_a_model_in_the_corpus() {
    for method in mmoc::method::Method::all() {
        let seed = Path::new(FOLDER).join("corpus/model").join(method.name());
        let file = targets::put_together(&std::fs::read(seed).unwrap()).unwrap();
        let model = mmoc::Model::read(file.as_slice(), "seed").unwrap();
        assert_eq!(model.params().method.name(), method.name());
    }
}

/// Otherwise the target would begin with refusals alone.
#[test]
fn every_kind_of_request_is_answered_in_the_corpus() {
    let seeds = [
        "json",
        "json_explained",
        "csv",
        "lines",
        "tensors",
        "tensors_columns",
        "bytes",
        "bytes_columns",
        "path_predict",
    ];
    for seed in seeds {
        let path = Path::new(FOLDER).join("corpus/request").join(seed);
        let status = targets::status(&std::fs::read(path).unwrap());
        assert_eq!(status, Some(200), "{seed}");
    }
}

#[test]
fn what_was_found_once_is_not_found_again() {
    let inputs: usize = replay("regressions").iter().map(|(_, count)| count).sum();
    assert!(inputs > 0, "no input that once failed was found");
}

#[test]
fn every_target_is_replayed() {
    let known: BTreeSet<String> = targets::TARGETS
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let names = |folder: &str| -> BTreeSet<String> {
        let paths = entries(&Path::new(FOLDER).join(folder));
        let stem = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
        paths.iter().map(stem).collect()
    };
    assert_eq!(names("fuzz_targets"), known);
    assert_eq!(names("corpus"), known);
    assert!(names("regressions").is_subset(&known));
    assert!(names("dictionaries").is_subset(&known));
}
