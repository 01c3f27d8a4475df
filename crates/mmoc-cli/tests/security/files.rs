//! Files that are no plain files, may not be read, or cannot be written.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use super::common::limits::within_blocks;
use super::common::listing::listing;
use super::common::{BINARY, Outcome};
use super::{BAD_DATA, RUN_TIME, TRAIN, USAGE, assert_fails, songs};

#[test]
fn what_is_no_plain_file_is_told() {
    let folder = songs();
    folder.run(TRAIN).succeeded();
    std::fs::create_dir(folder.path("folder.csv")).unwrap();
    std::fs::write(folder.path("empty.csv"), "").unwrap();
    std::fs::write(folder.path("empty.mmoc"), "").unwrap();
    symlink("nowhere", folder.path("loose.csv")).unwrap();
    symlink("round.csv", folder.path("round.csv")).unwrap();
    let cases = [
        ("inspect folder.csv --labels l", RUN_TIME, "folder.csv: "),
        ("inspect loose.csv --labels l", RUN_TIME, "loose.csv: "),
        ("inspect round.csv --labels l", RUN_TIME, "round.csv: "),
        (
            "inspect /proc/self/mem --format csv --labels l",
            RUN_TIME,
            "/proc/self/mem: ",
        ),
        (
            "inspect empty.csv --labels l",
            BAD_DATA,
            "a line with the names of the columns",
        ),
        ("predict folder.csv songs.csv", RUN_TIME, "folder.csv: "),
        ("predict empty.mmoc songs.csv", BAD_DATA, "empty.mmoc: "),
        ("predict m.mmoc folder.csv", RUN_TIME, "folder.csv: "),
    ];
    for (arguments, code, message) in cases {
        assert_fails(&folder.run(arguments), code, message);
    }
    assert_fails(
        &folder.run("train songs.csv --labels mood_* --method br -o folder.csv"),
        USAGE,
        "folder.csv",
    );
}

#[test]
fn a_device_or_a_pipe_is_not_replaced_and_not_waited_for() {
    let folder = songs();
    folder.run(TRAIN).succeeded();
    let pipe = folder.path("pipe.csv");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    symlink("/dev/null", folder.path("null.csv")).unwrap();
    symlink("/proc/self/fd/1", folder.path("out.csv")).unwrap();
    for name in ["pipe.csv", "null.csv", "out.csv"] {
        for command in [
            format!("predict m.mmoc songs.csv -o {name}"),
            format!("convert songs.csv --labels mood_* {name} --force"),
        ] {
            assert_fails(&folder.run(&command), USAGE, "is a device or a pipe");
            assert!(!folder.path(name).symlink_metadata().unwrap().is_file());
        }
    }
}

/// The user that may do least, for tests that run as root, for whom permissions mean nothing.
const NOBODY: &[&str] = &["--reuid=65534", "--regid=65534", "--clear-groups"];

#[test]
fn a_file_that_may_not_be_read_is_told() {
    let folder = songs();
    let path = folder.path("songs.csv");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    let arguments = ["inspect", "songs.csv", "--labels", "mood_*"];
    let outcome = if std::fs::File::open(&path).is_err() {
        folder.run_with(arguments)
    } else {
        std::fs::set_permissions(folder.path(""), std::fs::Permissions::from_mode(0o755)).unwrap();
        let as_nobody = |program: &str| {
            let mut command = folder.command("setpriv");
            command.args(NOBODY).arg(program);
            command
        };
        let can_start = as_nobody(BINARY).arg("methods").output();
        if !can_start.is_ok_and(|output| output.status.success()) {
            eprintln!(
                "not tested: root reads every file, and setpriv cannot start the binary as another user"
            );
            return;
        }
        Outcome::of(as_nobody(BINARY).args(arguments))
    };
    assert_fails(&outcome, RUN_TIME, "songs.csv: Permission denied");
}

#[test]
fn a_full_disk_leaves_the_old_files_and_nothing_else() {
    let folder = songs();
    folder.run(TRAIN).succeeded();
    folder.run("predict m.mmoc songs.csv -o p.csv").succeeded();
    folder.run("inspect m.mmoc").succeeded();
    let before = listing(&folder.path(""));
    let commands = [
        (
            "train songs.csv --labels mood_* --method clr -o m.mmoc",
            "m.mmoc",
        ),
        (
            "train songs.csv --labels mood_* --method clr -o new.mmoc",
            "new.mmoc",
        ),
        ("predict m.mmoc songs.csv --proba -o p.csv", "p.csv"),
        ("predict m.mmoc songs.csv --proba -o new.jsonl", "new.jsonl"),
        ("convert songs.csv --labels mood_* new.arff", "new.arff"),
        ("convert songs.csv --labels mood_* new.csv.gz", "new.csv.gz"),
        (
            "convert songs.csv --labels mood_* new.parquet",
            "new.parquet",
        ),
    ];
    for (arguments, name) in commands {
        let outcome = within_blocks(&folder, 1, arguments);
        assert_fails(
            &outcome,
            RUN_TIME,
            &format!("error: {name}: File too large"),
        );
        assert_eq!(listing(&folder.path("")), before, "{arguments}");
    }
    for arguments in [
        "predict m.mmoc songs.csv",
        "score m.mmoc songs.csv",
        "inspect m.mmoc",
        "man train",
        "completions zsh",
        "convert songs.csv --labels mood_* - --to arff",
        "train songs.csv --labels mood_* --method br -o -",
    ] {
        let mut command = folder.command("sh");
        command.args(["-c", "exec \"$0\" \"$@\" > /dev/full", BINARY]);
        let outcome = Outcome::of(command.args(arguments.split(' ')));
        let message = "error: standard output: No space left on device";
        assert_fails(&outcome, RUN_TIME, message);
    }
}

#[test]
fn an_experiment_on_a_full_disk_names_its_file() {
    let folder = songs();
    let arguments =
        "compare songs.csv --labels mood_* --method br --method lead --folds 2 --out out";
    for (blocks, name) in [
        (1, "out/experiment.json"),
        (8, "out/results.jsonl"),
        (64, "out/report.html"),
    ] {
        let outcome = within_blocks(&folder, blocks, arguments);
        assert_fails(
            &outcome,
            RUN_TIME,
            &format!("error: {name}: File too large"),
        );
    }
}

#[test]
fn a_link_is_replaced_and_not_followed() {
    let folder = songs();
    folder.run(TRAIN).succeeded();
    std::fs::write(folder.path("precious.txt"), "precious").unwrap();
    symlink("precious.txt", folder.path("link.csv")).unwrap();
    symlink("precious.txt", folder.path("link.mmoc")).unwrap();
    folder
        .run("predict m.mmoc songs.csv -o link.csv")
        .succeeded();
    assert!(!folder.path("link.csv").is_symlink());
    let outcome = folder.run("train songs.csv --labels mood_* --method br -o link.mmoc");
    assert_fails(
        &outcome,
        USAGE,
        "link.mmoc is there already and is no model",
    );
    assert_eq!(
        std::fs::read_to_string(folder.path("precious.txt")).unwrap(),
        "precious"
    );
}
