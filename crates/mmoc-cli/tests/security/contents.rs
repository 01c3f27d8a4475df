//! Numbers, text and names that try to be more.

use super::common::limits::within_memory;
use super::common::listing::listing;
use super::common::small::Small;
use super::common::{BINARY, Folder, Outcome};
use super::{BAD_DATA, assert_fails, songs};

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
            let is_missing =
                matches!(name, "t.csv" | "t.tsv") && number.eq_ignore_ascii_case("nan");
            let message = if is_missing {
                "expected a value of 'a' in row 2, found"
            } else {
                "expected a finite number"
            };
            assert_fails(&outcome, BAD_DATA, message);
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
