//! Tables and options that contradict themselves or each other, through the real binary: refused with the reason and
//! the remedy, never read as something else.

mod common;

use std::fmt::Write as _;

use common::Folder;

/// A line for each case: exit code, arguments, what is essential of the message.
fn check(folder: &Folder, cases: &str) {
    for line in cases.lines().filter(|line| !line.is_empty()) {
        let [code, command, message] = line.splitn(3, '|').map(str::trim).collect::<Vec<_>>()[..]
        else {
            panic!("{line}");
        };
        let outcome = folder.run(command);
        assert_eq!(
            outcome.code,
            code.parse().ok(),
            "{command}\n{}",
            outcome.stderr
        );
        let text = format!("{}{}", outcome.stderr, outcome.stdout);
        assert!(text.contains(message), "{command}\n{text}\n{message}");
    }
}

const TABLE: &str = "a,tags,l_sea,l_sun\n1,x;y,0,1\n2,y,1,0\n3,,1,1\n4,x,0,0\n";

#[test]
fn a_column_has_one_purpose() {
    let folder = Folder::with(&[("t.csv", TABLE)]);
    check(
        &folder,
        "
3 | inspect t.csv --labels -2 --ignore l_sea,tags       | t.csv:1:8: expected one purpose of the column 'l_sea', found 2: a label, a column to ignore
3 | inspect t.csv --labels l_sea --ignore l_*,tags      | t.csv:1:8: expected one purpose of the column 'l_sea', found 2: a label, a column to ignore
3 | inspect t.csv --tags tags --ignore tags             | t.csv:1:3: expected one purpose of the column 'tags', found 2: the column of tags, a column to ignore
3 | inspect t.csv --tags tags --id tags                 | t.csv:1:3: expected one purpose of the column 'tags', found 2: the column of tags, the column of what rows are called
3 | inspect t.csv --labels l_sea --id l_sea             | t.csv:1:8: expected one purpose of the column 'l_sea', found 2: a label, the column of what rows are called
3 | inspect t.csv --labels l_* --weight a --ignore a,tags | t.csv:1:1: expected one purpose of the column 'a', found 2: the column of weights, a column to ignore
0 | inspect t.csv --labels l_* --ignore l_sea,tags      | note: t.csv: 'l_sea' is a label in the file, not chosen, and left out
3 | inspect t.csv --labels l_* --ignore no*             | expected a column whose name begins with 'no', found only 'a'
",
    );
}

#[test]
fn missing_tags_are_missing_labels() {
    let cases = [
        ("t.csv", "a,b,tags\n1,2,x;y\n2,1,NA\n3,1,y\n4,2,\n"),
        ("q.csv", "a,b,tags\n1,2,x;y\n2,1,?\n3,1,y\n4,2,\n"),
        (
            "t.jsonl",
            "{\"a\":1,\"b\":2,\"tags\":\"x;y\"}\n{\"a\":2,\"b\":1,\"tags\":null}\n{\"a\":3,\"b\":1,\"tags\":\"y\"}\n{\"a\":4,\"b\":2,\"tags\":[]}\n",
        ),
    ];
    let folder = Folder::with(&cases);
    for (name, _) in cases {
        let refused = folder.run(&format!("train {name} --tags tags --method br -o m.mmoc"));
        assert_eq!(refused.code, Some(3), "{refused:?}");
        assert!(
            refused.stderr.contains("expected tags in 'tags', found"),
            "{}",
            refused.stderr
        );
        let remedy = "(an empty cell means no tags, but ? and NA mean that they are missing; --missing-labels ignore \
                      leaves such rows out)";
        assert!(refused.stderr.contains(remedy), "{}", refused.stderr);
        let json = folder.json(&format!(
            "inspect {name} --tags tags --missing-labels ignore"
        ));
        assert_eq!(json["rows"], 3, "{name}");
    }
}

#[test]
fn decimal_commas_are_refused_and_not_read_as_words() {
    let folder = Folder::with(&[
        ("first.csv", "a;b;l\n1,5;2;0\n2,5;3;1\n"),
        ("later.csv", "a;b;l\n1;2;0\n2,5;3;1\n"),
        ("missing.csv", "a;b;l\n;2;0\n2,5;3;1\n"),
        ("lists.csv", "a;b;l\n1,2,3;2;0\n1,2,4;3;1\n"),
    ]);
    check(
        &folder,
        "
3 | inspect first.csv --labels l                  | first.csv:2:1: expected a finite number in 'a' with a decimal point, found '1,5' (write 1.5, not 1,5)
3 | inspect later.csv --labels l                  | later.csv:3:1: expected a finite number in 'a' with a decimal point, found '2,5' (write 1.5, not 1,5)
3 | inspect missing.csv --labels l --missing mean | missing.csv:3:1: expected a finite number in 'a' with a decimal point, found '2,5' (write 1.5, not 1,5)
0 | inspect lists.csv --labels l                  | labels
",
    );
}

fn dates(write: impl Fn(usize) -> String) -> String {
    let mut table = "when,ward,l,m\n".to_owned();
    for row in 0..24 {
        let ward = ["east", "west"][row % 2];
        writeln!(
            table,
            "{},{ward},{},{}",
            write(row % 20 + 1),
            row % 2,
            row % 3 / 2
        )
        .unwrap();
    }
    table
}

#[test]
fn remedies_against_dates_are_those_that_help() {
    let folder = Folder::with(&[
        ("clear.csv", dates(|day| format!("2024-03-{day:02}"))),
        ("unclear.csv", dates(|day| format!("{day:02}/03/2024"))),
    ]);
    folder
        .run("train clear.csv --labels l,m --times numbers --method br -o m.mmoc")
        .succeeded();
    check(
        &folder,
        "
3 | inspect unclear.csv --labels l,m                 | unclear.csv:1:1: expected numbers or words in 'when', or dates such as 2024-03-01, found '01/03/2024', whose day, month and year are not clear (--ignore NAME leaves a column out)
3 | inspect unclear.csv --labels l,m --times numbers | unclear.csv:1:1: expected numbers or words in 'when', or dates such as 2024-03-01, found '01/03/2024', whose day, month and year are not clear (--ignore NAME leaves a column out)
3 | predict m.mmoc clear.csv                         | clear.csv:2:1: expected a finite number in 'when', found '2024-03-01' (--times numbers turns dates and times into numbers)
3 | predict m.mmoc unclear.csv --times numbers       | unclear.csv:2:1: expected a date such as 2024-03-01 in 'when', found '01/03/2024'
",
    );
}

#[test]
fn files_without_names_of_columns_say_so() {
    let folder = Folder::with(&[("t.svm", "0 1:1 2:2\n1 1:2\n")]);
    check(
        &folder,
        "
2 | inspect t.svm --weight w | the column of weights must be left out for libsvm and extreme files, whose columns have no names, not 'w'
2 | inspect t.svm --tags x   | the column of tags must be left out for libsvm and extreme files, whose columns have no names, not 'x'
2 | inspect t.svm --id x     | the column of what rows are called must be left out for libsvm and extreme files
",
    );
}

#[test]
fn of_two_values_of_a_label_the_second_is_the_label() {
    let two = "@relation 'v: -C 1'\n@attribute c {1,2}\n@attribute a numeric\n@data\n1,1\n2,2\n1,3\n2,4\n";
    let folder = Folder::with(&[("v.arff", two)]);
    check(
        &folder,
        "
0 | inspect v.arff | note: v.arff: 'c' has other values than 0 and 1, and the second of the two values is a label
",
    );
}
