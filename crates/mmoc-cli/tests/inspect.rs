//! `mmoc inspect` on small data.

mod common;

use std::io::Write;

use common::small::Small;
use common::{BINARY, Folder, Outcome};
use serde_json::{Value, json};

const SONGS: &str = "\
mood_calm,tempo,loud,mood_sad
1,90,0.5,0
0,120,0,0
1,60,0.25,1
1,75,0,0
";

fn songs() -> Folder {
    Folder::with(&[
        ("songs.csv", SONGS),
        (
            "moods.xml",
            "<labels><label name='mood_sad'/><label name='mood_calm'/></labels>",
        ),
    ])
}

#[test]
fn json_has_the_promised_keys_and_right_values() {
    let found = songs().json("inspect songs.csv --labels mood_*");
    let promised = json!({
        "rows": 4,
        "features": 2,
        "labels": 2,
        "cardinality": 1.0,
        "density": 0.5,
        "distinct_label_sets": 3,
        "empty_rows": 1,
        "nonzero_share": 0.75,
        "label_names": ["mood_calm", "mood_sad"],
        "label_counts": [3, 1],
    });
    for (key, value) in promised.as_object().unwrap() {
        assert_eq!(&found[key], value, "{key}");
    }
}

#[test]
fn text_shows_sizes_labels_and_label_sets() {
    let expected = "\
songs

  rows                  4
  features              2 (dense)
  nonzero share         0.7500
  missing cells         0
  labels                2
  cardinality           1.000
  density               0.5000
  distinct label sets   3
  empty rows            1
  imbalance             2.000 on average, 3.000 at most

  label      rows   share  imbalance
  mood_calm     3  0.7500      1.000
  mood_sad      1  0.2500      3.000

  most frequent label sets  rows
  mood_calm                    2
  (none)                       1
  mood_calm, mood_sad          1
";
    assert_eq!(
        songs().output("inspect songs.csv --labels mood_*"),
        expected
    );
}

#[test]
fn text_shows_the_25_most_frequent_labels_and_counts_the_others() {
    let small = Small::new(50, 3, 27);
    let folder = Folder::with(&[("a.svm", small.libsvm())]);
    let text = folder.output("inspect a.svm");
    assert!(
        text.contains("\n  … and 2 rarer ones (--json lists all)\n"),
        "{text}"
    );
    let listed = folder.json("inspect a.svm")["label_names"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(listed, 27);
}

#[test]
fn labels_of_a_table_are_chosen_in_every_way() {
    let (calm, sad) = ("mood_calm", "mood_sad");
    let cases = [
        ("mood_*", vec![calm, sad]),
        ("mood_sad,mood_calm", vec![calm, sad]),
        ("mood_calm", vec![calm]),
        ("-1", vec![sad]),
        ("1", vec![calm]),
        ("moods.xml", vec![calm, sad]),
    ];
    let folder = songs();
    for (labels, names) in cases {
        let found = folder.json(&format!("inspect songs.csv --labels {labels}"));
        assert_eq!(found["label_names"], json!(names), "{labels}");
        assert_eq!(found["features"], 4 - names.len(), "{labels}");
    }
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(text: &str) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_same_data_in_every_format_has_the_same_summary() {
    let small = Small::new(40, 5, 3);
    let folder = Folder::with(&[
        ("small.arff", small.arff().into_bytes()),
        ("small.xml", small.xml().into_bytes()),
        ("small.csv", small.table(",").into_bytes()),
        ("small.tsv", small.table("\t").into_bytes()),
        ("small.svm", small.libsvm().into_bytes()),
        ("small.txt", small.extreme().into_bytes()),
        ("small.data", small.libsvm().into_bytes()),
        ("small.arff.gz", gzip(&small.arff())),
        ("small.csv.bz2", bzip2(&small.table(","))),
    ]);
    let cases = [
        "small.arff",
        "small.csv --labels -3",
        "small.tsv --labels mood_*",
        "small.svm",
        "small.txt",
        "small.data --format libsvm",
        "small.arff.gz",
        "small.csv.bz2 --labels small.xml",
    ];
    let expected = folder.json("inspect small.arff");
    assert_eq!(expected["label_counts"], json!(small.label_counts()));
    assert_eq!(expected["empty_rows"], small.empty_rows());
    for case in cases {
        let found = folder.json(&format!("inspect {case}"));
        for key in [
            "rows",
            "features",
            "labels",
            "cardinality",
            "distinct_label_sets",
            "empty_rows",
            "nonzero_share",
            "label_counts",
        ] {
            assert_eq!(found[key], expected[key], "{case}: {key}");
        }
    }
}

#[test]
fn several_files_are_read_one_after_the_other() {
    let whole = Small::new(30, 3, 2);
    let whole_table = whole.table(",");
    let (train, test) = whole.split(18);
    let folder = Folder::with(&[
        ("whole.csv", whole_table),
        ("part-train.csv", train.table(",")),
        ("part-test.csv", test.table(",")),
    ]);
    let mut whole = folder.json("inspect whole.csv --labels mood_*");
    let parts = folder.json("inspect part-train.csv part-test.csv --labels mood_*");
    whole["name"] = Value::from("part");
    assert_eq!(parts, whole);
}

#[test]
fn the_label_file_beside_an_arff_file_is_found_for_its_parts_too() {
    let small = Small::new(10, 3, 2);
    let (arff, xml) = (small.arff(), small.xml());
    let folder = Folder::with(&[("a.arff", &arff), ("a-train.arff", &arff), ("a.xml", &xml)]);
    for file in ["a.arff", "a-train.arff"] {
        let found = folder.json(&format!("inspect {file}"));
        assert_eq!(found["label_names"], json!(["mood_1", "mood_2"]), "{file}");
        assert_eq!(found["name"], "a");
    }
}

#[test]
fn warnings_go_to_standard_error_only() {
    let small = Small::new(10, 3, 2);
    let stale = small.arff().replace("small", "'small: -C 2'");
    let folder = Folder::with(&[("a.arff", stale), ("a.xml", small.xml())]);
    let outcome = folder.run("inspect a.arff --json").succeeded();
    let warning = "warning: a.arff: the labels are those of a.xml, not those of '-C 2'";
    assert!(outcome.stderr.starts_with(warning), "{outcome:?}");
    assert_eq!(outcome.stderr.lines().count(), 1);
    assert_eq!(outcome.json()["label_names"], json!(["mood_1", "mood_2"]));
    // Whoever names the label file knows.
    let named = folder
        .run("inspect a.arff --labels a.xml --json")
        .succeeded();
    assert_eq!(named.stderr, "");
    assert_eq!(named.json(), outcome.json());
}

#[test]
fn missing_cells_are_counted_where_they_are_allowed() {
    let folder = Folder::with(&[("a.csv", "a,b,l\n1,?,0\n,2,1\n3,4,1\n")]);
    let found = folder.json("inspect a.csv --labels l --missing mean");
    assert_eq!(found["missing_cells"], 2);
}

#[test]
fn rare_labels_and_then_empty_rows_are_left_out() {
    let table = "x,a,b,c\n1,1,0,0\n2,1,0,1\n3,0,1,0\n4,0,0,1\n5,0,0,0\n";
    let folder = Folder::with(&[("t.csv", table)]);
    let cases = [
        ("", 5, json!(["a", "b", "c"]), 1),
        ("--top-labels 2", 5, json!(["a", "c"]), 2),
        ("--drop-empty-rows", 4, json!(["a", "b", "c"]), 0),
        ("--top-labels 2 --drop-empty-rows", 3, json!(["a", "c"]), 0),
    ];
    for (options, rows, names, empty) in cases {
        let found = folder.json(&format!("inspect t.csv --labels -3 {options}"));
        let facts = (&found["rows"], &found["label_names"], &found["empty_rows"]);
        assert_eq!(facts, (&json!(rows), &names, &json!(empty)), "{options}");
    }
}

#[test]
fn control_characters_are_escaped_in_text_and_kept_in_json() {
    let name = "red\u{1b}[31m";
    let table = format!("x,{name}\n1,1\n2,0\n");
    let folder = Folder::with(&[("t.csv", &table)]);
    let text = folder.output("inspect t.csv --labels -1");
    assert_eq!(text.matches(r"red\u{1b}[31m").count(), 2, "{text}");
    assert!(!text.contains('\u{1b}'));
    let found = folder.json("inspect t.csv --labels -1");
    assert_eq!(found["label_names"], json!([name]));
}

#[test]
fn control_characters_are_escaped_in_messages() {
    let outcome = Folder::empty().run_with(["inspect", "a\u{1b}[31m.csv", "--labels", "l"]);
    assert_eq!(outcome.code, Some(1));
    assert!(
        outcome.stderr.starts_with(r"error: a\u{1b}[31m.csv: "),
        "{outcome:?}"
    );
}

/// The end of a pipe whose other end nobody reads.
fn nobody() -> std::io::PipeWriter {
    std::io::pipe().expect("the system has pipes").1
}

#[test]
fn a_reader_that_closed_standard_output_is_no_failure() {
    let folder = songs();
    for options in ["", " --json"] {
        let arguments = format!("inspect songs.csv --labels mood_*{options}");
        let mut command = folder.command(BINARY);
        command.args(arguments.split(' ')).stdout(nobody());
        let outcome = Outcome::of(&mut command).succeeded();
        assert_eq!(outcome.stderr, "");
    }
}

#[test]
fn a_reader_that_closed_standard_error_changes_no_exit_code() {
    let folder = songs();
    let cases = [
        ("inspect absent.arff", 1),
        ("inspect", 2),
        ("inspect songs.csv --labels k", 3),
    ];
    for (arguments, code) in cases {
        let mut command = folder.command(BINARY);
        command.args(arguments.split(' ')).stderr(nobody());
        assert_eq!(Outcome::of(&mut command).code, Some(code), "{arguments}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure_at_run_time() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let folder = songs();
    let mut command = folder.command(BINARY);
    command
        .args(["inspect", "songs.csv", "--labels", "-1"])
        .stdout(full);
    let outcome = Outcome::of(&mut command);
    assert_eq!(outcome.code, Some(1));
    assert!(
        outcome
            .stderr
            .starts_with("error: standard output: No space left on device"),
        "{outcome:?}"
    );
}
