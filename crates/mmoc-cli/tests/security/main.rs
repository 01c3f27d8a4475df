//! What `docs/security.md` promises, against the real binary. Memory is asserted, never time.

#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
mod common;
mod contents;
mod files;
mod memory;
mod sizes;

use std::process::Command;

use common::limits::within_memory;
use common::small::Small;
use common::{Folder, Outcome};

const RUN_TIME: i32 = 1;
const USAGE: i32 = 2;
const BAD_DATA: i32 = 3;

/// A command that fails with a code, one line on standard error that says this, and nothing on standard output.
#[track_caller]
fn assert_fails(outcome: &Outcome, code: i32, message: &str) {
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    assert_eq!(outcome.stdout, "", "{outcome:?}");
    assert!(outcome.stderr.contains(message), "{outcome:?}");
    assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
}

fn songs() -> Folder {
    let small = Small::new(60, 4, 2);
    Folder::with(&[("songs.csv", small.table(","))])
}

const TRAIN: &str = "train songs.csv --labels mood_* --method br -o m.mmoc";

/// Every line of the threat model names a test that is there.
#[test]
fn every_threat_has_its_test() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = std::fs::read_to_string(format!("{root}/docs/security.md")).unwrap();
    let mut rows = 0;
    for line in page
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains(".rs`"))
    {
        let tests = line.rsplit('|').nth(1).unwrap();
        let mut file = "";
        for name in tests.split('`').skip(1).step_by(2) {
            if name.contains('/') {
                file = name;
                continue;
            }
            let source = std::fs::read_to_string(format!("{root}/{file}"))
                .unwrap_or_else(|_| panic!("no {file}"));
            assert!(
                source.contains(&format!("fn {name}(")),
                "no {name} in {file}"
            );
            rows += 1;
        }
    }
    assert!(rows >= 30, "only {rows} tests are named");
}

/// What the shell, too, must be able to do for these tests to mean anything.
#[test]
fn limits_can_be_set_here() {
    let status = Command::new("sh")
        .args(["-c", "ulimit -v 100000 && ulimit -f 10"])
        .status();
    assert!(status.unwrap().success());
    // The binary needs more than this.
    assert_ne!(within_memory(&songs(), 3, "methods").code, Some(0));
    assert_eq!(within_memory(&songs(), 1000, "methods").code, Some(0));
}
