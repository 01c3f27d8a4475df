//! What would fill the memory if sizes were believed.

use std::io::Write;

use super::common::limits::within_memory;
use super::common::{BINARY, Folder, Outcome};
use super::{BAD_DATA, RUN_TIME, assert_fails};

/// Bytes repeated until they are about so many, compressed.
fn bomb(beginning: &str, repeated: &str, megabytes: usize) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(beginning.as_bytes()).unwrap();
    let block = repeated.repeat((1 << 20) / repeated.len());
    for _ in 0..megabytes {
        gzip.write_all(block.as_bytes()).unwrap();
    }
    gzip.finish().unwrap()
}

#[test]
fn a_bomb_of_one_line_is_refused_in_bounded_memory() {
    for (name, options) in [
        ("b.csv.gz", "--labels l"),
        ("b.arff.gz", ""),
        ("b.svm.gz", ""),
    ] {
        let folder = Folder::with(&[(name, bomb("", "0", 300))]);
        let outcome = within_memory(&folder, 1024, &format!("inspect {name} {options}"));
        assert_fails(&outcome, BAD_DATA, "expected ");
    }
}

#[test]
fn a_bomb_of_rows_is_refused_in_bounded_memory() {
    let row = format!("0.{},0\n", "0".repeat(200));
    let folder = Folder::with(&[("b.csv.gz", bomb("a,l\n", &row, 300))]);
    let outcome = within_memory(&folder, 1024, "inspect b.csv.gz --labels l");
    assert_fails(
        &outcome,
        BAD_DATA,
        "(decompress the file first if it is right)",
    );
}

#[test]
fn a_label_file_that_expands_without_end_is_refused_in_bounded_memory() {
    let table = "@relation r\n@attribute a real\n@attribute l {0,1}\n@data\n1,0\n";
    let labels = bomb("<labels>\n", "<label name=\"l\"/>\n", 200);
    let folder = Folder::with(&[("t.arff", table.as_bytes()), ("t.xml", &labels)]);
    let outcome = within_memory(&folder, 1024, "inspect t.arff");
    assert_fails(&outcome, BAD_DATA, "a label file of at most 67108864 bytes");
}

/// The largest sizes that a file can declare, and a row that is long enough for them.
fn largest() -> String {
    let pairs: Vec<String> = (0..80_000).map(|index| format!("{index}:1")).collect();
    format!("1 4194304 4194304\n0 {}\n", pairs.join(" "))
}

#[test]
fn declared_sizes_take_memory_for_names_alone() {
    let cases = [
        ("rows.xc", "4294967295 1 1\n0 0:1\n", "row 2 of 4294967295"),
        (
            "features.xc",
            "1 99999999999 1\n0 0:1\n",
            "the number of features (1 to 4194304)",
        ),
        (
            "labels.xc",
            "1 1 18446744073709551616\n0 0:1\n",
            "the number of labels (1 to 4194304)",
        ),
        ("index.svm", "0 4194304:1\n", "an index from 0 to 4194303"),
        (
            "index.arff",
            "@relation 'r: -C 1'\n@attribute l {0,1}\n@attribute a real\n@data\n{4000000000 1}\n",
            "the index of an attribute (0 to 1)",
        ),
    ];
    for (name, text, message) in cases {
        let folder = Folder::with(&[(name, text)]);
        assert_fails(
            &within_memory(&folder, 512, &format!("inspect {name}")),
            BAD_DATA,
            message,
        );
    }
    // A small file cannot declare so many.
    let folder = Folder::with(&[("t.xc", "1 4194304 4194304\n0 0:1\n")]);
    assert_fails(
        &within_memory(&folder, 512, "inspect t.xc"),
        BAD_DATA,
        "t.xc:1:1: expected at most 1048576 features and labels, or 16 for each of the 6 bytes of rows, found \
         4194304 features and 4194304 labels",
    );
    // The largest sizes there can be have a name for each column and each label.
    for (name, text) in [("t.xc", largest()), ("t.svm", "0 4194303:1\n".to_owned())] {
        let folder = Folder::with(&[(name, text)]);
        within_memory(&folder, 2500, &format!("inspect {name} --json")).succeeded();
    }
    let folder = Folder::with(&[("t.xc", largest())]);
    assert_fails(
        &within_memory(&folder, 800, "inspect t.xc"),
        RUN_TIME,
        "reading 4194304 features and 4194304 labels needs about 1.1 GB of memory, and ",
    );
}

#[test]
fn words_of_a_small_file_do_not_fill_the_memory() {
    const WORDS: usize = 1000;
    const FEATURES: usize = 140;
    let names: Vec<String> = (0..FEATURES).map(|feature| format!("f{feature}")).collect();
    let row = |word: usize| format!("{}{}\n", format!("w{word},").repeat(FEATURES), word % 2);
    let rows: String = (0..WORDS).map(row).collect();
    // Words that occur once are refused for another reason.
    let table = format!("{},l\n{rows}{rows}", names.join(","));
    let words: Vec<String> = (0..WORDS).map(|word| format!("w{word}")).collect();
    let attribute = |name: &String| format!("@attribute {name} {{{}}}\n", words.join(","));
    let attributes: String = names.iter().map(attribute).collect();
    let header = format!("@relation 'r: -C -1'\n{attributes}@attribute l {{0,1}}\n@data\n");
    let dense = format!("{header}{rows}");
    let sparse = format!("{header}{}", "{}\n".repeat(1 << 20));
    let folder = Folder::with(&[("t.csv", table), ("d.arff", dense), ("s.arff", sparse)]);
    for (megabytes, arguments) in [
        (512, "inspect t.csv --labels l"),
        (3500, "inspect d.arff"),
        (5500, "inspect s.arff"),
    ] {
        let outcome = within_memory(&folder, megabytes, arguments);
        assert_fails(
            &outcome,
            BAD_DATA,
            "words that become at most 134217728 numbers",
        );
    }
}

#[test]
fn a_million_columns_are_read() {
    const COLUMNS: usize = 1_000_000;
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("c{column}")).collect();
    let row = |flag: &str| format!("{}{flag}\n", "0,".repeat(COLUMNS));
    let table = format!("{},l\n{}{}", names.join(","), row("0"), row("1"));
    let pairs = format!("2 {COLUMNS} 2\n0 0:1\n1 {}:1\n", COLUMNS - 1);
    let folder = Folder::with(&[("t.csv", table), ("t.xc", pairs)]);
    for arguments in ["inspect t.csv --labels l --json", "inspect t.xc --json"] {
        let summary = within_memory(&folder, 1500, arguments).succeeded().json();
        assert_eq!(summary["features"], COLUMNS, "{arguments}");
    }
}

#[test]
fn a_model_that_declares_much_takes_no_memory() {
    let header = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let tensor = r#"{"__metadata__":{"mmoc":"{\"version\":1}"},"outputs.coefficients":{"dtype":"F64","shape":[4000000000,100],"data_offsets":[0,3200000000000]},"sha256":{"dtype":"U8","shape":[32],"data_offsets":[3200000000000,3200000000032]}}"#;
    let deep = format!("{{\"__metadata__\":{}", "[".repeat(200_000));
    let files = [
        ("length.mmoc", u64::MAX.to_le_bytes().to_vec()),
        ("tensor.mmoc", header(tensor)),
        ("deep.mmoc", header(&deep)),
        ("table.mmoc", b"a,l\n1,0\n2,1\n3,1\n".to_vec()),
    ];
    let folder = Folder::with(&files);
    std::fs::write(folder.path("t.csv"), "a\n1\n").unwrap();
    for (name, bytes) in &files {
        let outcome = within_memory(&folder, 512, &format!("predict {name} t.csv"));
        assert_fails(&outcome, BAD_DATA, &format!("{name}: "));
        // From a stream nobody knows how many bytes there are.
        let mut command = folder.command("sh");
        command.args([
            "-c",
            "ulimit -v 524288 && exec \"$0\" predict - t.csv < \"$1\"",
            BINARY,
            name,
        ]);
        assert_fails(&Outcome::of(&mut command), BAD_DATA, "standard input: ");
        assert!(!bytes.is_empty());
    }
}

/// Whatever is read when memory runs out, the program says so and ends by itself.
#[test]
fn files_that_do_not_fit_into_memory_are_an_error() {
    const ROWS: usize = 60_000;
    let row = |i: usize| format!("{}{}\n", format!("0.{i},").repeat(60), i % 2);
    let names: Vec<String> = (0..60).map(|column| format!("c{column}")).collect();
    let rows: String = (0..ROWS).map(row).collect();
    let folder = Folder::with(&[("t.csv", format!("{},l\n{rows}", names.join(",")))]);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    for (command, beginning) in [
        ("train t.csv --labels l --method br -o n.mmoc", "error: "),
        (
            "train t.csv --labels l --method br -o n.mmoc --json",
            "{\"error\":\"",
        ),
        ("inspect t.csv --labels l", "error: "),
    ] {
        let said = |megabytes: &usize| {
            // Each thread has a stack.
            let outcome = within_memory(&folder, megabytes + 4 * threads, command);
            let code = outcome.code.filter(|code| [0, RUN_TIME].contains(code));
            assert!(code.is_some(), "{command}, {megabytes}: {outcome:?}");
            let message = format!("{beginning}out of memory: ");
            outcome.stderr.contains(&message) && outcome.stderr.contains(" is available (")
        };
        assert!([60, 70, 80].iter().any(said), "{command}");
    }
}

/// Six rows of an extreme classification file that declares so many labels; row i has those with the remainder i.
fn six_rows(declared: usize, occurring: usize) -> String {
    let row = |i: usize| {
        let labels: Vec<String> = (i..occurring)
            .step_by(6)
            .map(|label| label.to_string())
            .collect();
        format!("{} {}:{}\n", labels.join(","), i % 4, i + 1)
    };
    format!("6 4 {declared}\n{}", (0..6).map(row).collect::<String>())
}

#[test]
fn declared_labels_make_no_matrix_of_their_pairs() {
    let folder = Folder::with(&[
        ("declared.xc", six_rows(100_000, 6)),
        ("many.xc", six_rows(17_000, 17_000)),
    ]);
    for name in ["declared.xc", "many.xc"] {
        for method in [
            "coding-cs",
            "coding-pca",
            "coding-pca-r",
            "coding-cca",
            "max-margin",
        ] {
            for preset in ["default", "paper"] {
                let train = format!("train {name} --method {method} --preset {preset} -o m.mmoc");
                let outcome = within_memory(&folder, 1000, &train);
                let (code, message) = match method {
                    // A model has the metric of all pairs.
                    "max-margin" => (RUN_TIME, "labels needs about "),
                    _ => (BAD_DATA, "at most 16384 labels for an output code"),
                };
                assert_fails(&outcome, code, message);
            }
        }
    }
}

#[test]
fn labels_without_rows_and_more_labels_than_rows_take_little_memory() {
    // All pairs of these labels would take 2 GB.
    let folder = Folder::with(&[
        ("declared.xc", six_rows(16_000, 6)),
        ("many.xc", six_rows(16_000, 16_000)),
    ]);
    for name in ["declared.xc", "many.xc"] {
        let train = format!("train {name} --method coding-pca --estimates never -o m.mmoc");
        within_memory(&folder, 1000, &train).succeeded();
    }
    let train = "train declared.xc --method coding-cca --preset paper --estimates never -o m.mmoc";
    within_memory(&folder, 1000, train).succeeded();
}

#[test]
fn a_fit_that_needs_more_memory_than_there_is_is_refused() {
    let row = |i: usize| format!("{},{} {}:1 {}:1\n", i % 300, 300 + i % 100, i % 7, 7 + i);
    let rows: String = (0..2000).map(row).collect();
    let folder = Folder::with(&[("wide.xc", format!("2000 200000 400\n{rows}"))]);
    for method in ["br", "lead", "max-margin"] {
        for (command, rows) in [
            ("train wide.xc -o m.mmoc", 2000),
            ("evaluate wide.xc --folds 2", 1000),
        ] {
            let outcome = within_memory(&folder, 900, &format!("{command} --method {method}"));
            let message = format!(
                "fitting {method} to {rows} rows of 200000 features and 400 labels needs about "
            );
            assert_fails(&outcome, RUN_TIME, &message);
            // What is in use already is no advice.
            let others = match method {
                "br" => "--threads 1 and --set base.features=linear",
                _ => "--threads 1, --set base.features=linear and --method br",
            };
            let told = format!(
                "MB is available (--top-labels keeps the most frequent labels; {others} need less)"
            );
            assert!(outcome.stderr.contains(&told), "{outcome:?}");
        }
    }
    // What fits is fitted.
    within_memory(
        &folder,
        900,
        "train wide.xc --method br --top-labels 2 -o m.mmoc",
    )
    .succeeded();
}
