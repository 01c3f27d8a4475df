//! Every example of the help texts does what it says.

mod common;

use std::path::Path;

use common::small::Small;
use common::{BINARY, Folder, Outcome};

/// The files that the examples name.
fn folder() -> Folder {
    let (emotions, scene) = (Small::new(593, 8, 6), Small::new(80, 5, 3));
    let (songs, medical) = (Small::new(60, 4, 3), Small::new(400, 12, 11));
    let flags = Small::new(90, 5, 4);
    let (train, test) = scene.split(50);
    Folder::with(&[
        ("emotions.arff", emotions.arff()),
        ("emotions.xml", emotions.xml()),
        ("scene-train.arff", train.arff()),
        ("scene-test.arff", test.arff()),
        ("scene.xml", train.xml()),
        ("theirs.csv", test.label_table(",")),
        ("flags.arff", flags.arff()),
        ("flags.xml", flags.xml()),
        ("songs.csv", songs.table(",")),
        ("new-songs.csv", songs.table(",")),
        ("medical.arff", medical.arff()),
        ("medical.xml", medical.xml()),
    ])
}

/// The indented lines of a section of a help text.
fn section(help: &str, title: &str) -> Vec<String> {
    let after = help.lines().skip_while(|line| *line != title).skip(1);
    let lines = after.take_while(|line| line.starts_with("  "));
    lines.map(|line| line.trim().to_owned()).collect()
}

fn commands(folder: &Folder) -> Vec<String> {
    let lines = section(&folder.output("--help"), "Commands:");
    let names = lines.iter().filter_map(|line| line.split(' ').next());
    names
        .filter(|&name| name != "help")
        .map(String::from)
        .collect()
}

/// Runs a line as a shell would where the binary is installed.
fn run_line(folder: &Folder, line: &str) -> Outcome {
    let own = Path::new(BINARY).parent().expect("the binary has a folder");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = [own.to_owned()]
        .into_iter()
        .chain(std::env::split_paths(&others));
    let path = std::env::join_paths(folders).expect("the folders have plain names");
    let mut shell = folder.command("sh");
    Outcome::of(shell.args(["-c", line]).env("PATH", path))
}

/// Starts a server, shows its first line and stops it.
fn until_it_listens(line: &str) -> String {
    format!(
        "{line} > address & server=$!; for _ in $(seq 100); do [ -s address ] || sleep 0.1; done; \
         cat address; rm address; kill $server; wait $server"
    )
}

#[test]
fn there_are_commands_and_each_has_examples() {
    let folder = Folder::empty();
    let commands = commands(&folder);
    assert!(commands.len() >= 2, "{commands:?}");
    for command in commands {
        for option in ["-h", "--help"] {
            let help = folder.output(&format!("{command} {option}"));
            assert!(section(&help, "Examples:").len() >= 2, "{help}");
        }
    }
}

#[test]
fn every_example_succeeds() {
    let folder = folder();
    for command in commands(&folder) {
        let help = folder.output(&format!("{command} --help"));
        for line in section(&help, "Examples:") {
            let start = format!("mmoc {command} ");
            assert!(
                format!("{line} ").contains(&start),
                "a whole command on one line: {line}"
            );
            let outcome = match command.as_str() {
                "serve" => run_line(&folder, &until_it_listens(&line)),
                _ => run_line(&folder, &line),
            };
            assert_eq!(outcome.code, Some(0), "{line}\n{outcome:?}");
            assert!(only_notes(&outcome.stderr), "{line}\n{}", outcome.stderr);
            let elsewhere = ["part: ", "wrote: "]
                .iter()
                .any(|kind| outcome.stderr.contains(kind));
            let shown = elsewhere || line.contains('>') || !outcome.stdout.is_empty();
            assert!(shown, "{line}");
        }
    }
}

/// Whether messages only say what was used and where results are.
fn only_notes(stderr: &str) -> bool {
    let kinds = ["note: ", "part: ", "report: ", "wrote: "];
    let is_note = |line: &str| kinds.iter().any(|kind| line.starts_with(kind));
    stderr.lines().all(is_note)
}

#[test]
fn the_general_help_lists_the_exit_codes() {
    let help = Folder::empty().output("--help");
    for code in [
        "0 done",
        "1 failed at run time",
        "2 wrong usage",
        "3 bad data",
    ] {
        assert!(help.contains(code), "{help}");
    }
}
