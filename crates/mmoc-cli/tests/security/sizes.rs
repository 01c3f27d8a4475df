//! Features so small or so large that their squares are not numbers.

use super::common::small::Small;
use super::common::{Folder, METHODS};
use super::{BAD_DATA, assert_fails};

/// A table with some features multiplied by a power of two, which changes no digit.
fn table(small: &Small, exponent: i32, of_columns: impl Fn(usize) -> bool) -> String {
    let text = small.table(",");
    let (header, rows) = text.split_once('\n').unwrap();
    let features = header.matches('x').count();
    let cell = |(column, cell): (usize, &str)| match cell.parse::<f64>() {
        Ok(number) if column < features && of_columns(column) => {
            format!("{:e}", number * 2f64.powi(exponent))
        }
        _ => cell.to_owned(),
    };
    let row = |line: &str| {
        line.split(',')
            .enumerate()
            .map(cell)
            .collect::<Vec<_>>()
            .join(",")
    };
    let rows: Vec<String> = rows.lines().map(row).collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

/// What a model of a table predicts for its own rows.
fn predicted(folder: &Folder, table: &str, options: &str) -> String {
    std::fs::write(folder.path("t.csv"), table).unwrap();
    let train = format!("train t.csv --labels mood_* --estimates never -o m.mmoc {options}");
    folder.run(&train).succeeded();
    folder.output("predict m.mmoc t.csv")
}

#[test]
fn the_unit_of_features_makes_no_difference_if_they_are_standardised() {
    let small = Small::new(80, 4, 3);
    let folder = Folder::empty();
    for method in METHODS {
        let options = format!("--method {method} --scale standard");
        let expected = predicted(&folder, &table(&small, 0, |_| true), &options);
        assert!(expected.contains('1'), "{method} predicts no label");
        for exponent in [-1000, -500, 500, 1000] {
            for all in [true, false] {
                let other = table(&small, exponent, |column| all || column == 1);
                let found = predicted(&folder, &other, &options);
                assert_eq!(found, expected, "{method}, 2^{exponent}, all: {all}");
            }
        }
    }
}

#[test]
fn tiny_features_are_standardised_by_default() {
    let small = Small::new(80, 4, 3);
    let folder = Folder::empty();
    let standard = predicted(
        &folder,
        &table(&small, 0, |_| true),
        "--method br --scale standard",
    );
    for all in [true, false] {
        let tiny = table(&small, -997, |column| all || column == 1);
        assert_eq!(
            predicted(&folder, &tiny, "--method br"),
            standard,
            "all: {all}"
        );
    }
}

#[test]
fn features_that_cannot_be_used_unscaled_are_refused() {
    let small = Small::new(80, 4, 3);
    let folder = Folder::empty();
    for exponent in [-1000, 1000] {
        std::fs::write(
            folder.path("t.csv"),
            table(&small, exponent, |column| column == 1),
        )
        .unwrap();
        for command in [
            "train t.csv --method br -o m.mmoc",
            "evaluate t.csv --method br --folds 2",
        ] {
            let outcome = folder.run(&format!("{command} --labels mood_* --scale none"));
            assert_fails(&outcome, BAD_DATA, "the largest magnitude in column 2 is ");
            let rest = "; without scaling it must be from 1e-60 to 1e60 (--scale auto and --scale standard scale \
                        columns)";
            assert!(outcome.stderr.contains(rest), "{outcome:?}");
        }
    }
    // Within these bounds unscaled features give the same predictions in any unit.
    let options = "--method br --scale none --set base.features=linear";
    let expected = predicted(&folder, &table(&small, 0, |_| true), options);
    for exponent in [-190, 190] {
        let found = predicted(&folder, &table(&small, exponent, |_| true), options);
        assert_eq!(found, expected, "2^{exponent}");
    }
}
