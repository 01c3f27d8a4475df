//! Tables as people have them, through the real binary: columns to leave out, missing cells, words, dates, tags, ids,
//! and what other programs write.

mod common;

use std::fmt::Write as _;

use common::{Folder, Outcome};

/// A table with everything that surprises: an id, a date, words, missing cells, labels in words, and tags.
fn visits() -> String {
    let mut table = "visit,when,ward,age,fever,flu,cold,tags\n".to_owned();
    for row in 0..40 {
        let day = row % 28 + 1;
        let ward = ["east", "west", "north"][row % 3];
        let age = if row % 7 == 3 {
            "NA".to_owned()
        } else {
            (20 + row).to_string()
        };
        let (flu, cold) = (row % 3 == 0, row % 2 == 0);
        let word = |is: bool| if is { "yes" } else { "no" };
        let tags = match (flu, cold) {
            (true, true) => "flu;cold",
            (true, false) => "flu",
            (false, true) => " cold ; cold",
            (false, false) => "",
        };
        let fever = if row == 0 {
            String::new()
        } else {
            f64::from(u8::from(flu)).to_string()
        };
        let (flu, cold) = (word(flu), word(cold));
        writeln!(
            table,
            "v{row:03},2024-03-{day:02},{ward},{age},{fever},{flu},{cold},{tags}"
        )
        .unwrap();
    }
    table
}

const OPTIONS: &str = "--method br --missing mean";

/// The first line that a command writes to standard error.
fn complaint(outcome: &Outcome) -> &str {
    outcome.stderr.lines().next().unwrap_or_default()
}

/// A line for each case: exit code, arguments of `train`, what is essential of the message.
const TRAINED: &str = "
3 | --labels flu,cold                                     | visits.csv:1:1: expected words in 'visit' that occur in several rows, found 40 different words in 40 rows (--ignore visit leaves the column out, --id visit names rows by it)
3 | --labels flu,cold --ignore visit                      | visits.csv:1:7: expected numbers or words in 'when', found dates or times such as '2024-03-01' (--times numbers turns dates and times into numbers, --ignore NAME leaves a column out)
3 | --labels flu,cold --ignore visit,vis*,wen             | expected a column named 'wen', found only 'visit', 'when'
2 | --labels flu,cold --ignore visit,,when                | the list of columns must be names with commas between them, or prefix*, not 'visit,,when'
3 | --labels flu,cold --id name                           | expected a column named 'name', found only 'visit'
0 | --labels flu,cold --ignore visit,when,tags            | note: true and yes count as 1, false and no as 0 in labels (found 'yes')
0 | --labels flu,cold --ignore when,tags --id visit       | note: true and yes count as 1
0 | --labels flu,cold --ignore vis*,tags --times numbers  | note: true and yes count as 1
2 | --labels flu,cold --tags tags                         | the argument '--labels <LABELS>' cannot be used with '--tags <COLUMN>'
3 | --tags marks --ignore visit,when                      | expected a column named 'marks'
3 | --labels ward,flu --ignore visit,when,tags            | visits.csv:2:17: expected 0 or 1 for the label 'ward', found 'east' (--tags NAME makes a label of each word in a column)
";

#[test]
fn columns_that_cannot_be_features_are_refused_with_the_remedy() {
    let folder = Folder::with(&[("visits.csv", visits())]);
    for line in TRAINED.lines().filter(|line| !line.is_empty()) {
        let [code, arguments, message] = line.splitn(3, '|').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let command = format!("train visits.csv {OPTIONS} -o m.mmoc {arguments}");
        let outcome = folder.run(&command);
        assert_eq!(
            outcome.code,
            code.trim().parse().ok(),
            "{command}\n{}",
            outcome.stderr
        );
        let message = message.trim();
        assert!(
            outcome.stderr.contains(message),
            "{command}\n{}\n{message}",
            outcome.stderr
        );
    }
}

#[test]
fn a_cell_that_is_missing_at_first_does_not_decide_about_its_column() {
    let table = "a,b,c,l\n,NaN,?,1\nNA,null,,0\n3,red,<NA>,1\n4,blue,n/a,0\n5,red,nan,1\n";
    let folder = Folder::with(&[("t.csv", table)]);
    folder
        .run("convert t.csv out.csv --labels l --missing mean")
        .succeeded();
    let written = std::fs::read_to_string(folder.path("out.csv")).unwrap();
    let expected = ["a,b=red,c,l", ",,,1", ",,,0", "3,1,,1", "4,0,,0", "5,1,,1"];
    assert_eq!(
        written.replace('"', "").lines().collect::<Vec<_>>(),
        expected
    );
    let mixed = "a,l\n,1\n3,0\nx,1\n";
    let folder = Folder::with(&[("t.csv", mixed)]);
    let outcome = folder.run("inspect t.csv --labels l --missing mean");
    let expected = "error: t.csv:4:1: expected a finite number in 'a', found 'x' (--ignore NAME leaves a column out)";
    assert_eq!(complaint(&outcome), expected);
    let mixed = "a,l\n,1\nx,0\n3,1\n";
    let folder = Folder::with(&[("t.csv", mixed)]);
    let outcome = folder.run("inspect t.csv --labels l --missing mean");
    let expected = "error: t.csv:4:1: expected a word in 'a', as in the first row, found '3' (--ignore NAME leaves a column out)";
    assert_eq!(complaint(&outcome), expected);
}

#[test]
fn tags_are_the_labels_that_columns_would_be() {
    let folder = Folder::with(&[("visits.csv", visits())]);
    let train = |labels: &str, model: &str| {
        let command = format!("train visits.csv {OPTIONS} -o {model} {labels}");
        folder.run(&command).succeeded();
    };
    train("--labels flu,cold --ignore visit,when,tags", "columns.mmoc");
    train("--tags tags --ignore visit,when,flu,cold", "tags.mmoc");
    let score = |arguments: &str| folder.json(&format!("score {arguments} --missing mean"));
    let by_columns = score("columns.mmoc visits.csv");
    let by_tags = score("tags.mmoc visits.csv --tags tags");
    assert_eq!(
        by_columns["metrics"]["subset_accuracy"],
        by_tags["metrics"]["subset_accuracy"]
    );
    assert_eq!(
        by_columns["metrics"]["macro_f1"],
        by_tags["metrics"]["macro_f1"]
    );
    let other = visits()
        .replace("flu;cold", "flu/cold")
        .replace(" cold ; cold", "cold");
    let folder = Folder::with(&[("other.csv", other)]);
    let shown = folder.output(
        "inspect other.csv --tags tags --tag-separator / --ignore visit,when --missing mean",
    );
    assert!(
        shown.contains("cold") && !shown.contains("flu/cold"),
        "{shown}"
    );
}

#[test]
fn a_tag_that_a_model_does_not_know_is_no_label() {
    let folder = Folder::with(&[
        ("visits.csv", visits()),
        ("new.csv", visits().replace("flu;cold", "flu;gout")),
    ]);
    let train =
        format!("train visits.csv {OPTIONS} -o m.mmoc --tags tags --ignore visit,when,flu,cold");
    folder.run(&train).succeeded();
    let outcome = folder.run("score m.mmoc new.csv --tags tags --missing mean");
    assert_eq!(outcome.code, Some(3));
    assert!(
        outcome
            .stderr
            .contains("expected tags in 'tags' that are known as labels, not 'gout'"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn ids_are_carried_into_the_predictions() {
    let folder = Folder::with(&[("visits.csv", visits())]);
    let train = format!(
        "train visits.csv {OPTIONS} -o m.mmoc --labels flu,cold --id visit --ignore when,tags"
    );
    folder.run(&train).succeeded();
    let predict = |rest: &str| {
        let command = format!("predict m.mmoc visits.csv --missing mean --id visit {rest}");
        folder.run(&command)
    };
    let table = predict("").succeeded().stdout;
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("\"visit\",\"flu\",\"cold\""));
    assert!(lines.next().unwrap().starts_with("v000,"));
    assert!(lines.next_back().unwrap().starts_with("v039,"));
    let json = predict("--format jsonl").succeeded().stdout;
    assert!(json.starts_with("{\"id\":\"v000\",\"labels\":["), "{json}");
    let arff = predict("--format arff").succeeded().stdout;
    assert!(
        arff.contains("@attribute visit string\n") && arff.contains("\nv039,"),
        "{arff}"
    );
    let refused = predict("--format libsvm");
    assert_eq!(
        (refused.code, complaint(&refused)),
        (
            Some(2),
            "error: --id: predictions in LIBSVM rows have no place for it; use csv, tsv, jsonl or arff"
        )
    );
    let refused = folder.run("predict m.mmoc visits.csv --missing mean --id ward");
    assert_eq!(
        complaint(&refused),
        "error: visits.csv:1:1: expected 'ward' to be no feature, found one of the model's features"
    );
}

#[test]
fn words_that_did_not_occur_in_training_are_noted() {
    let table = |word: &str| {
        let mut table = "colour,size,l,m\n".to_owned();
        for row in 0..12 {
            let colour = ["red", "green", word][row % 3];
            writeln!(table, "{colour},{row},{},{}", row % 2, row % 3 / 2).unwrap();
        }
        table
    };
    let folder = Folder::with(&[("train.csv", table("blue")), ("test.csv", table("mauve"))]);
    folder
        .run("train train.csv --labels l,m --method br -o m.mmoc")
        .succeeded();
    let outcome = folder.run("predict m.mmoc test.csv").succeeded();
    let expected = "note: 'colour' has words in 4 rows that did not occur in training, such as 'mauve'; they count as none of the known values";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    assert_eq!(outcome.stderr.matches("mauve").count(), 1);
    let refused = folder.run("predict m.mmoc test.csv --unknown refuse");
    let expected = "error: test.csv:4:1: expected a value of 'colour' {'blue', 'green', 'red'}, found 'mauve' (--unknown ignore counts such words as none of the known values)";
    assert_eq!((refused.code, complaint(&refused)), (Some(3), expected));
    let evaluated = folder
        .run("evaluate train.csv --labels l,m --method br --test test.csv")
        .succeeded();
    assert!(evaluated.stderr.contains("'mauve'"), "{}", evaluated.stderr);
}

const RELATION: &str = "@relation r\n@attribute a numeric\n@attribute l {0,1}\n@attribute m {0,1}\n@attribute n {0,1}\n@data\n1,0,1,1\n2,1,0,1\n3,1,1,0\n4,0,0,1\n";
const XML: &str = "<labels xmlns=\"http://mulan.sourceforge.net/labels\"><label name=\"l\"/><label name=\"m\"/><label name=\"n\"/></labels>";

#[test]
fn labels_that_are_not_chosen_are_no_features() {
    let folder = Folder::with(&[("r-train-sparse.arff", RELATION), ("r.xml", XML)]);
    let names = |arguments: &str| {
        let outcome = folder
            .run(&format!("inspect r-train-sparse.arff --json {arguments}"))
            .succeeded();
        let json = outcome.json();
        (
            json["columns"].as_u64().unwrap(),
            json["labels"].as_u64().unwrap(),
            outcome.stderr,
        )
    };
    let (columns, labels, note) = names("");
    assert_eq!((columns, labels, note.as_str()), (1, 3, ""));
    let (columns, labels, note) = names("--labels l");
    assert_eq!((columns, labels), (1, 1));
    assert_eq!(
        note,
        "note: r-train-sparse.arff: 'm', 'n' are labels in the file, not chosen, and left out\n"
    );
    let (columns, labels, note) = names("--labels l --labels-as-features");
    assert_eq!((columns, labels, note.as_str()), (3, 1, ""));
}

#[test]
fn each_value_of_a_label_is_a_label() {
    let flare = "@relation 'flare: -C 2'\n@attribute c {0,1,2}\n@attribute m {no,yes}\n@attribute a numeric\n@data\n0,no,1\n1,yes,2\n2,no,3\n0,yes,4\n1,no,5\n2,yes,6\n";
    let folder = Folder::with(&[("flare.arff", flare)]);
    let outcome = folder
        .run("train flare.arff --method br -o m.mmoc")
        .succeeded();
    let note = "note: flare.arff: 'c' has other values than 0 and 1, and each value is a label";
    assert!(outcome.stderr.contains(note), "{}", outcome.stderr);
    let predicted = folder.output("predict m.mmoc flare.arff");
    assert_eq!(
        predicted.lines().next(),
        Some("\"c=0\",\"c=1\",\"c=2\",\"m\"")
    );
    folder.run("score m.mmoc flare.arff").succeeded();
}

#[test]
fn strings_and_dates_of_arff_files_are_left_out_by_name() {
    let text = "@relation r\n@attribute name string\n@attribute when date 'yyyy-MM-dd'\n@attribute a INTEGER [0,9]\n@attribute l {0,1}\n@data\n'x y','2024-01-02',1,0\nz,'2024-01-03',2,1\n'','2024-01-03',3,1\n";
    let folder = Folder::with(&[("r.arff", text)]);
    let refused = folder.run("inspect r.arff --labels l");
    let expected = "error: r.arff:2:12: expected numbers or a list of values in 'name', found strings (--ignore NAME leaves a column out)";
    assert_eq!((refused.code, complaint(&refused)), (Some(3), expected));
    let json = folder.json("inspect r.arff --labels l --ignore name,when");
    assert_eq!(json["columns"], 1);
    folder
        .run("train r.arff --labels l --ignore name,when --method br -o m.mmoc")
        .succeeded();
    let predicted = folder
        .run("predict m.mmoc r.arff --id name")
        .succeeded()
        .stdout;
    assert!(predicted.starts_with("\"name\",\"l\"\nx y,"), "{predicted}");
}

/// Files that other programs write: name, contents, options, columns and rows that they have.
const FOREIGN: &[(&str, &str, &str, u64, u64)] = &[
    ("zero.svm", "0 0:1 2:3\n1 1:2\n0,1 0:1\n", "", 3, 3),
    ("one.svm", "0 1:1 3:3\n1 2:2\n0,1 1:1\n", "", 3, 3),
    (
        "query.svm",
        "+1 qid:3 1:1\n2.0 qid:4 2:1\n1 3:1 1:2\n",
        "",
        3,
        3,
    ),
    ("empty.xc", "3 2 2\n0 0:1\n\n1 1:1\n", "", 2, 3),
    (
        "spread.csv",
        "a;b;l\n1;2;0\n2;3;1\n3;4;0\n",
        "--labels l",
        2,
        3,
    ),
    (
        "quoted.csv",
        "\"a\";\"b;c\";\"l\"\n1;2;0\n2;3;1\n3;4;0\n",
        "--labels l",
        2,
        3,
    ),
    (
        "tabs.csv",
        "a\tb\tl\n1\t2\t0\n2\t3\t1\n3\t4\t0\n",
        "--labels l",
        2,
        3,
    ),
    (
        "index.csv",
        ",a,b,l\n0,1,2,0\n1,2,3,1\n2,3,4,0\n",
        "--labels l",
        2,
        3,
    ),
    (
        "first.csv",
        ",l,a,b\n0,0,1,2\n1,1,2,3\n2,0,3,4\n",
        "--labels 1",
        2,
        3,
    ),
    ("mac.csv", "a,b,l\r1,2,0\r2,3,1\r3,4,0", "--labels l", 2, 3),
];

#[test]
fn what_other_programs_write_is_read() {
    for (name, contents, options, columns, rows) in FOREIGN {
        let folder = Folder::with(&[(*name, *contents)]);
        let json = folder.json(&format!("inspect {name} {options}"));
        assert_eq!(
            (&json["columns"], &json["rows"]),
            (&(*columns).into(), &(*rows).into()),
            "{name}: {json}"
        );
        folder
            .run(&format!("train {name} {options} --method br -o m.mmoc"))
            .succeeded();
        let predicted = folder
            .run(&format!("predict m.mmoc {name}"))
            .succeeded()
            .stdout;
        assert_eq!(predicted.lines().count() as u64, rows + 1, "{name}");
    }
}

#[test]
fn rows_that_count_from_zero_do_not_fit_a_model_that_counts_from_one() {
    let folder = Folder::with(&[
        ("one.svm", "0 1:1\n1 2:2\n0 2:1\n"),
        ("zero.svm", "0 0:1\n1 1:2\n"),
    ]);
    folder
        .run("train one.svm --method br -o m.mmoc")
        .succeeded();
    let outcome = folder.run("predict m.mmoc zero.svm");
    assert_eq!(
        (outcome.code, complaint(&outcome)),
        (
            Some(3),
            "error: zero.svm:1:3: expected an index from 1 on, found 0"
        )
    );
}

#[test]
fn a_table_with_everything_is_trained_on_with_one_command() {
    let folder = Folder::with(&[("visits.csv", visits())]);
    let train = "train visits.csv --tags tags --id visit --ignore flu,cold --times numbers --missing mean -o m.mmoc";
    folder.run(train).succeeded();
    let predicted = folder
        .run("predict m.mmoc visits.csv --id visit --times numbers --missing mean")
        .succeeded();
    assert_eq!(predicted.stdout.lines().count(), 41);
    let again = folder.run("convert visits.csv visits.parquet --tags tags --ignore visit,flu,cold --times numbers --missing mean");
    again.succeeded();
    let json = folder.json("inspect visits.parquet --missing mean");
    assert_eq!((&json["rows"], &json["labels"]), (&40.into(), &2.into()));
}
