//! `mmoc convert`, and data from standard input.

mod common;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use common::small::Small;
use common::{BINARY, Folder, Outcome};

const FORMATS: [(&str, &str); 6] = [
    ("arff", "arff"),
    ("csv", "csv"),
    ("tsv", "tsv"),
    ("libsvm", "svm"),
    ("extreme", "xc"),
    ("parquet", "parquet"),
];

fn songs() -> Folder {
    Folder::with(&[("songs.csv", Small::new(30, 4, 3).table(","))])
}

/// The options that say which columns of a table are labels.
fn labels(format: &str) -> &'static str {
    match format {
        "csv" | "tsv" => "--labels -3",
        _ => "",
    }
}

/// Runs the binary with a file as its standard input; standard output as bytes.
fn piped(folder: &Folder, input: &str, arguments: &str) -> Vec<u8> {
    let mut command = folder.command(BINARY);
    command.args(arguments.split_ascii_whitespace());
    command.stdin(File::open(folder.path(input)).unwrap());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments}: {output:?}");
    output.stdout
}

fn names_in(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path(".")).unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn every_format_becomes_every_other_and_nothing_is_lost() {
    let folder = songs();
    for (_, end) in FORMATS {
        folder
            .run(&format!("convert songs.csv --labels mood_* a.{end}"))
            .succeeded();
    }
    // From each through each to the same table of numbers.
    for (from, end) in FORMATS {
        for (to, other) in FORMATS {
            let there = format!("convert a.{end} {} b.{other} --force", labels(from));
            folder.run(&there).succeeded();
            let back = format!("convert b.{other} {} c.svm --force", labels(to));
            folder.run(&back).succeeded();
            let same = std::fs::read(folder.path("c.svm")).unwrap();
            let expected = std::fs::read(folder.path("a.svm")).unwrap();
            assert_eq!(same, expected, "{from} to {to}");
        }
    }
}

#[test]
fn it_says_what_was_written_and_what_the_format_cannot_hold() {
    let folder = songs();
    let run = |arguments: &str| {
        let outcome = folder.run(arguments).succeeded();
        assert_eq!(outcome.stdout, "");
        outcome.stderr
    };
    let sizes = "30 rows, 4 features, 3 labels\n";
    assert_eq!(
        run("convert songs.csv --labels mood_* a.parquet"),
        format!("wrote: a.parquet: {sizes}")
    );
    let lost = "note: the names of features and labels are not kept, because";
    for (format, end) in [("libsvm", "svm"), ("extreme", "xc")] {
        assert_eq!(
            run(&format!("convert a.parquet a.{end}")),
            format!("wrote: a.{end}: {sizes}{lost} {format} files have none\n")
        );
    }
    assert_eq!(run("convert a.svm b.xc"), format!("wrote: b.xc: {sizes}"));
    assert_eq!(
        run("convert a.xc a.arff --xml"),
        format!("wrote: a.arff: {sizes}wrote: a.xml\n")
    );
}

#[test]
fn words_become_columns_of_numbers() {
    let table = "colour,size,l\nred,1,0\nblue,2,1\ngreen,,1\n";
    let folder = Folder::with(&[("t.csv", table)]);
    let outcome = folder.run("convert t.csv --labels l - --to csv --missing mean");
    let expected = "\"colour=blue\",\"colour=green\",\"colour=red\",\"size\",\"l\"\n\
                    0,0,1,1,0\n1,0,0,2,1\n0,1,0,,1\n";
    assert_eq!(outcome.stdout, expected);
    assert_eq!(
        outcome.stderr,
        "wrote: standard output: 3 rows, 2 features in 4 columns, 1 label\n"
    );
}

#[test]
fn a_name_that_ends_in_gz_or_bz2_is_compressed() {
    let folder = songs();
    let contents = |name: &str| {
        let file = File::open(folder.path(name)).unwrap();
        let mut text = String::new();
        match Path::new(name).extension().unwrap().to_str().unwrap() {
            "gz" => flate2::read::GzDecoder::new(file).read_to_string(&mut text),
            "bz2" => bzip2::read::BzDecoder::new(file).read_to_string(&mut text),
            _ => (&file).read_to_string(&mut text),
        }
        .unwrap();
        text
    };
    for name in ["a.csv", "a.csv.gz", "a.csv.bz2"] {
        folder
            .run(&format!("convert songs.csv --labels mood_* {name}"))
            .succeeded();
        assert_eq!(contents(name), contents("a.csv"), "{name}");
    }
    folder
        .run("convert a.csv.gz --labels -3 b.parquet.gz")
        .succeeded();
    folder.run("convert b.parquet.gz b.csv").succeeded();
    assert_eq!(contents("b.csv"), contents("a.csv"));
}

#[test]
fn standard_input_and_output_are_read_and_written_as_files_are() {
    let folder = songs();
    for (format, end) in FORMATS {
        let name = format!("a.{end}");
        folder
            .run(&format!("convert songs.csv --labels mood_* {name}"))
            .succeeded();
        let arguments = format!(
            "convert - - --from {format} --to {format} {}",
            labels(format)
        );
        let found = piped(&folder, &name, &arguments);
        let mut expected = std::fs::read(folder.path(&name)).unwrap();
        if format == "arff" {
            // The data set is called after its file.
            let text = String::from_utf8(expected).unwrap();
            expected = text
                .replacen("'songs: ", "'standard input: ", 1)
                .into_bytes();
        }
        assert!(found == expected, "{format}");
        let inspect = format!("inspect - --format {format} --json {}", labels(format));
        let found: serde_json::Value =
            serde_json::from_slice(&piped(&folder, &name, &inspect)).unwrap();
        assert_eq!(found["rows"], 30, "{format}");
        assert_eq!(found["name"], "standard input");
    }
    let arguments = "evaluate - --format csv --labels mood_* --method br --folds 3 --json";
    let found: serde_json::Value =
        serde_json::from_slice(&piped(&folder, "songs.csv", arguments)).unwrap();
    assert_eq!(found["datasets"][0]["rows"], 30);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    // More than the buffers and the pipe hold, so that the reader is gone before all is written.
    let folder = Folder::with(&[("songs.csv", Small::new(20_000, 4, 2).table(","))]);
    folder
        .run("train songs.csv --labels mood_* --method br -o m.mmoc")
        .succeeded();
    for command in [
        "convert songs.csv --labels mood_* - --to csv",
        "convert songs.csv --labels mood_* - --to arff",
        "predict m.mmoc songs.csv --proba",
        "predict m.mmoc songs.csv --proba --format jsonl",
    ] {
        let mut shell = folder.command("sh");
        // The shell tells the exit code of the last command of a pipe, which is not ours.
        let line = format!("{{ {BINARY} {command}; echo code $? >&2; }} | head -n 1");
        let outcome = Outcome::of(shell.args(["-c", &line]));
        // Nothing claims that all was written.
        assert_eq!(outcome.stderr, "code 0\n", "{outcome:?}");
        assert_eq!(outcome.stdout.lines().count(), 1, "{outcome:?}");
    }
    let mut command = folder.command(BINARY);
    command.args("train songs.csv --labels mood_* --method br -o -".split(' '));
    command.stdout(std::io::pipe().unwrap().1);
    assert_eq!(Outcome::of(&mut command).succeeded().stderr, "");
}

#[test]
fn labels_and_rows_are_chosen_as_for_other_commands() {
    let folder = songs();
    folder
        .run("convert songs.csv --labels mood_* a.parquet --top-labels 2 --drop-empty-rows")
        .succeeded();
    let summary = folder.json("inspect a.parquet");
    assert_eq!(summary["labels"], 2);
    assert_eq!(summary["empty_rows"], 0);
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    let folder = songs();
    std::fs::write(folder.path("old.csv"), "old").unwrap();
    std::fs::write(folder.path("new.xml"), "old").unwrap();
    let convert = "convert songs.csv --labels mood_*";
    for arguments in ["old.csv", "new.arff --xml"] {
        let outcome = folder.run(&format!("{convert} {arguments}"));
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains("exists: --force replaces it"));
    }
    assert_eq!(names_in(&folder), ["new.xml", "old.csv", "songs.csv"]);
    assert_eq!(std::fs::read(folder.path("old.csv")).unwrap(), b"old");
    folder
        .run(&format!("{convert} old.csv --force"))
        .succeeded();
    assert!(std::fs::read(folder.path("old.csv")).unwrap().len() > 3);
}

/// Arguments, exit code, and what must stand on standard error.
const BAD: &[(&str, i32, &str)] = &[
    ("convert songs.csv", 2, "<OUT>"),
    (
        "convert songs.csv --labels mood_* songs.csv --force",
        2,
        "cannot be both read and written",
    ),
    (
        "convert songs.csv --labels mood_* ./songs.csv --force",
        2,
        "cannot be both read and written",
    ),
    (
        "convert songs.csv --labels mood_* link.csv --force",
        2,
        "cannot be both read and written",
    ),
    (
        "convert songs.csv --labels mood_* out.xyz",
        2,
        "clear from the file name",
    ),
    (
        "convert songs.csv --labels mood_* out",
        2,
        "clear from the file name",
    ),
    (
        "convert songs.csv --labels mood_* out.csv --to xls",
        2,
        "one of arff, csv, tsv, libsvm, extreme, parquet, arrow",
    ),
    (
        "convert songs.csv --labels mood_* -",
        2,
        "standard output needs --to",
    ),
    (
        "convert - out.csv --labels mood_*",
        2,
        "standard input, which needs --format",
    ),
    (
        "convert - songs.csv out.csv --from csv --labels 1",
        2,
        "standard input and must be the only DATA",
    ),
    (
        "convert - - out.csv --from csv --labels 1",
        2,
        "standard input and must be the only DATA",
    ),
    ("convert songs.csv out.csv", 2, "a table needs --labels"),
    (
        "convert songs.csv --labels mood_* out.csv --xml",
        2,
        "OUT is none",
    ),
    (
        "convert songs.csv --labels mood_* - --to arff --xml",
        2,
        "OUT is none",
    ),
    (
        "convert songs.csv --labels mood_* out.csv --top-labels 9",
        2,
        "from 1 to 3",
    ),
    (
        "convert songs.csv --labels nobody out.csv",
        3,
        "a column named 'nobody'",
    ),
    ("convert none.csv --labels 1 out.csv", 1, "none.csv: "),
    (
        "convert songs.csv --labels mood_* none/out.csv",
        1,
        "none/out.csv: ",
    ),
    (
        "convert songs.csv --labels mood_* folder.csv --force",
        2,
        "folder.csv: is a folder, where the output must be a file",
    ),
    (
        "convert missing.csv --labels l out.csv",
        3,
        "--missing mean fills in missing cells",
    ),
    (
        "convert missing.csv --labels l out.svm --missing mean",
        2,
        "no missing cell",
    ),
    (
        "convert songs.csv --from parquet --labels 1 out.csv",
        3,
        "songs.csv: expected a Parquet file",
    ),
    (
        "convert empty.parquet out.csv",
        3,
        "empty.parquet: expected a Parquet file",
    ),
    (
        "convert cut.parquet out.csv",
        3,
        "cut.parquet: expected a Parquet file",
    ),
    ("convert damaged.parquet out.csv", 3, "damaged.parquet: "),
    (
        "convert folder.csv --from parquet --labels 1 out.csv",
        1,
        "folder.csv: ",
    ),
    (
        "inspect - --labels 1",
        2,
        "standard input, which needs --format",
    ),
    (
        "inspect - - --format csv --labels 1",
        2,
        "standard input and must be the only DATA",
    ),
    (
        "inspect - --format csv --labels 1",
        3,
        "standard input:1:1: expected a line with the names",
    ),
    (
        "inspect - --format parquet",
        3,
        "standard input: expected a Parquet file",
    ),
    (
        "evaluate - --method br --labels 1",
        2,
        "standard input, which needs --format",
    ),
    (
        "compare - --format csv --labels 1",
        2,
        "standard input (-) does not have",
    ),
];

#[test]
fn bad_inputs_are_named_and_nothing_is_written() {
    let folder = songs();
    folder
        .run("convert songs.csv --labels mood_* good.parquet")
        .succeeded();
    let mut bytes = std::fs::read(folder.path("good.parquet")).unwrap();
    let half = bytes.len() / 2;
    std::fs::write(folder.path("cut.parquet"), &bytes[..half]).unwrap();
    bytes[20] ^= 0xFF;
    std::fs::write(folder.path("damaged.parquet"), &bytes).unwrap();
    std::fs::write(folder.path("empty.parquet"), "").unwrap();
    std::fs::write(folder.path("missing.csv"), "a,l\n1,0\n,1\n").unwrap();
    std::fs::create_dir(folder.path("folder.csv")).unwrap();
    std::os::unix::fs::symlink("songs.csv", folder.path("link.csv")).unwrap();
    let before = names_in(&folder);
    let songs = std::fs::read(folder.path("songs.csv")).unwrap();
    for (arguments, code, message) in BAD {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, Some(*code), "{arguments}\n{outcome:?}");
        assert!(outcome.stderr.contains(message), "{arguments}\n{outcome:?}");
        assert_eq!(outcome.stdout, "", "{arguments}");
        assert_eq!(names_in(&folder), before, "{arguments}");
    }
    assert_eq!(std::fs::read(folder.path("songs.csv")).unwrap(), songs);
}
