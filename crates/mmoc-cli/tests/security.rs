//! What `docs/security.md` promises, against the real binary. Memory is asserted, never time.

#![cfg(target_os = "linux")]

mod common;

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use common::limits::{within_blocks, within_memory};
use common::listing::listing;
use common::small::Small;
use common::{BINARY, Folder, Outcome};

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

fn songs() -> Folder {
    let small = Small::new(60, 4, 2);
    Folder::with(&[("songs.csv", small.table(","))])
}

const TRAIN: &str = "train songs.csv --labels mood_* --method br -o m.mmoc";

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

#[test]
fn entities_are_not_expanded_and_name_no_file() {
    let table = "@relation r\n@attribute a real\n@attribute l {0,1}\n@data\n1,0\n";
    let laugh = |k: usize| format!("<!ENTITY l{k} \"{}\">", format!("&l{};", k - 1).repeat(10));
    let laughs = (1..10).map(laugh).collect::<Vec<_>>().concat();
    let documents = [
        format!(
            "<!DOCTYPE labels [<!ENTITY l0 \"ha\">{laughs}]><labels><label name=\"&l9;\"/></labels>"
        ),
        "<!DOCTYPE labels [<!ENTITY e SYSTEM \"t.arff\">]><labels><label name=\"&e;\"/></labels>"
            .into(),
        "<!DOCTYPE labels SYSTEM \"other.dtd\"><labels><label name=\"l\"/></labels>".into(),
    ];
    for document in documents {
        let folder = Folder::with(&[("t.arff", table), ("t.xml", &document)]);
        let outcome = within_memory(&folder, 512, "inspect t.arff");
        assert_fails(
            &outcome,
            BAD_DATA,
            "t.xml:1:1: expected well-formed XML, found an error (",
        );
    }
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
        ("index.svm", "0 4194305:1\n", "an index from 1 to 4194304"),
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
    // The largest sizes there can be have a name for each column and each label.
    for (name, text) in [
        ("t.xc", "1 4194304 4194304\n0 0:1\n"),
        ("t.svm", "0 4194304:1\n"),
    ] {
        let folder = Folder::with(&[(name, text)]);
        within_memory(&folder, 2500, &format!("inspect {name} --json")).succeeded();
    }
}

#[test]
fn words_of_a_small_file_do_not_fill_the_memory() {
    const WORDS: usize = 1000;
    const FEATURES: usize = 140;
    let names: Vec<String> = (0..FEATURES).map(|feature| format!("f{feature}")).collect();
    let row = |word: usize| format!("{}{}\n", format!("w{word},").repeat(FEATURES), word % 2);
    let rows: String = (0..WORDS).map(row).collect();
    let table = format!("{},l\n{rows}", names.join(","));
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
fn numbers_that_are_none_are_refused_in_every_format() {
    for number in [
        "nan", "NaN", "inf", "-inf", "Infinity", "1e999", "-1e999", "0x10", "1_0", "١",
    ] {
        let files = [
            ("t.csv", format!("a,l\n1,0\n{number},1\n")),
            ("t.tsv", format!("a\tl\n1\t0\n{number}\t1\n")),
            (
                "t.arff",
                format!(
                    "@relation r\n@attribute a real\n@attribute l {{0,1}}\n@data\n1,0\n{number},1\n"
                ),
            ),
            ("t.svm", format!("0 1:1\n1 1:{number}\n")),
            ("t.xc", format!("2 1 2\n0 0:1\n1 0:{number}\n")),
        ];
        for (name, text) in files {
            let has_names = !matches!(name, "t.svm" | "t.xc");
            let options = if has_names { "--labels l" } else { "" };
            let folder = Folder::with(&[(name, text)]);
            let outcome = folder.run(&format!("inspect {name} {options}"));
            assert_fails(&outcome, BAD_DATA, "expected a finite number, found");
        }
    }
}

#[test]
fn numbers_that_overflow_in_a_model_are_refused() {
    let folder = songs();
    let row = "1.7e308,-1.7e308,1.7e308,-1.7e308";
    std::fs::write(folder.path("huge.csv"), format!("x1,x2,x3,x4\n{row}\n")).unwrap();
    for method in [
        "br",
        "clr",
        "coding-pca",
        "coding-cca",
        "max-margin",
        "lead",
    ] {
        let train = format!(
            "train songs.csv --labels mood_* --scale none --method {method} -o {method}.mmoc"
        );
        folder.run(&train).succeeded();
        let before = listing(&folder.path(""));
        let outcome = folder.run(&format!("predict {method}.mmoc huge.csv -o p.csv"));
        assert_fails(&outcome, BAD_DATA, "found numbers that are too large");
        assert_eq!(listing(&folder.path("")), before, "{method}");
    }
}

#[test]
fn line_ends_and_byte_order_marks_change_nothing() {
    let small = Small::new(12, 3, 2);
    let files = [
        ("csv", small.table(","), "--labels mood_*"),
        ("arff", small.arff(), "--labels mood_*"),
        ("svm", small.libsvm(), ""),
        ("xc", small.extreme(), ""),
    ];
    for (extension, text, options) in files {
        let windows = text.replace('\n', "\r\n");
        let mixed: String = text
            .split_inclusive('\n')
            .enumerate()
            .map(|(line, text)| {
                if line % 2 == 0 {
                    text.replace('\n', "\r\n")
                } else {
                    text.to_owned()
                }
            })
            .collect();
        let marked = format!("\u{FEFF}{windows}");
        let unended = text.trim_end().to_owned();
        let summary = |text: &str| {
            let name = format!("t.{extension}");
            let folder = Folder::with(&[(name.as_str(), text)]);
            folder.json(&format!("inspect {name} {options}"))
        };
        let expected = summary(&text);
        for variant in [windows, mixed, marked, unended] {
            assert_eq!(summary(&variant), expected, "{extension}");
        }
    }
}

#[test]
fn other_encodings_are_named() {
    let utf16: Vec<u8> = "\u{FEFF}a,l\n1,0\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let folder = Folder::with(&[
        ("utf16.csv", utf16.as_slice()),
        ("latin1.csv", b"gr\xF6\xDFe,l\n1,0\n"),
    ]);
    let outcome = folder.run("inspect utf16.csv --labels l");
    assert_fails(
        &outcome,
        BAD_DATA,
        "found UTF-16 text (convert it with iconv -f UTF-16 -t UTF-8)",
    );
    let outcome = folder.run("inspect latin1.csv --labels l");
    assert_fails(
        &outcome,
        BAD_DATA,
        "latin1.csv:1:3: expected UTF-8 text, found the byte 0xF6",
    );
}

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
        "train songs.csv --labels mood_* --method clr -o m.mmoc",
        "train songs.csv --labels mood_* --method clr -o new.mmoc",
        "predict m.mmoc songs.csv --proba -o p.csv",
        "predict m.mmoc songs.csv --proba -o new.jsonl",
    ];
    for arguments in commands {
        let outcome = within_blocks(&folder, 1, arguments);
        assert_fails(&outcome, RUN_TIME, "File too large");
        assert_eq!(listing(&folder.path("")), before, "{arguments}");
    }
    for arguments in [
        "predict m.mmoc songs.csv",
        "score m.mmoc songs.csv",
        "inspect m.mmoc",
        "man train",
        "completions zsh",
    ] {
        let mut command = folder.command("sh");
        command.args(["-c", "exec \"$0\" \"$@\" > /dev/full", BINARY]);
        let outcome = Outcome::of(command.args(arguments.split(' ')));
        assert_fails(&outcome, RUN_TIME, "No space left on device");
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

/// Names that would be paths, commands or markup if they were taken for more than names.
const FRAGMENTS: [&str; 6] = [
    "../../outside",
    "/tmp/outside",
    "$(touch outside)",
    "`touch outside`; touch outside",
    "<script>touch('outside')</script>",
    "CON\\..\\outside|nul",
];

#[test]
fn names_are_never_paths_or_commands() {
    let mut table = Small::new(60, 4, FRAGMENTS.len()).table(",");
    for (index, name) in FRAGMENTS.iter().enumerate() {
        table = table.replacen(&format!("mood_{}", index + 1), &format!("\"{name}\""), 1);
    }
    let inner = "$(touch outside); ..";
    let name = format!("{inner}.csv");
    let folder = Folder::with::<&str>(&[]);
    std::fs::create_dir(folder.path("inner")).unwrap();
    std::fs::write(folder.path("inner").join(&name), table).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = folder.command(BINARY);
        command.current_dir(folder.path("inner"));
        Outcome::of(command.args(arguments)).succeeded()
    };
    run(&[
        "compare",
        &name,
        "--labels",
        "-6",
        "--method",
        "br",
        "--method",
        "coding-pca",
        "--train-size",
        "40",
        "--runs",
        "2",
        "--out",
        "../report",
    ]);
    run(&[
        "train",
        &name,
        "--labels",
        "-6",
        "--method",
        "coding-pca",
        "-o",
        "../m.mmoc",
    ]);
    for format in ["csv", "jsonl", "arff", "libsvm"] {
        let out = format!("../p.{format}");
        run(&[
            "predict",
            "../m.mmoc",
            &name,
            "--format",
            format,
            "-o",
            &out,
        ]);
    }
    run(&["score", "../m.mmoc", &name, "--per-label"]);
    run(&["inspect", "../m.mmoc"]);
    let top: Vec<_> = std::fs::read_dir(folder.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(top.len(), 7, "{top:?}");
    assert_eq!(std::fs::read_dir(folder.path("inner")).unwrap().count(), 1);
    for path in listing(&folder.path("report")).keys() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        assert!(name.bytes().all(plain), "{name}");
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

#[test]
fn an_experiment_folder_of_nonsense_is_refused() {
    let folder = songs();
    folder
        .run("compare songs.csv --labels mood_* --method br --folds 2 --out e")
        .succeeded();
    let manifest = std::fs::read_to_string(folder.path("e/experiment.json")).unwrap();
    let deep = "[".repeat(1_000_000);
    let nonsense = [
        "",
        "null",
        "[]",
        "{}",
        "\u{0}",
        &deep,
        &manifest[..manifest.len() / 2],
        &manifest.replace(':', ":1e999,"),
    ];
    for text in nonsense {
        std::fs::write(folder.path("e/experiment.json"), text).unwrap();
        let before = listing(&folder.path(""));
        let outcome = within_memory(&folder, 1024, "report e --out r");
        assert_fails(&outcome, BAD_DATA, "experiment.json");
        assert_eq!(listing(&folder.path("")), before);
    }
}

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
