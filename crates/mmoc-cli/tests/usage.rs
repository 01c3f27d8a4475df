//! Wrong uses and bad data, each with its exit code and what is essential of its message.

mod common;

use common::{Folder, Outcome};

const RUN_TIME: i32 = 1;
const USAGE: i32 = 2;
const BAD_DATA: i32 = 3;

/// Arguments that spaces separate, and what must stand on standard error.
type Case = (&'static str, &'static str);

/// Files for the cases below. Those whose rows are in order have two features and two labels.
const FILES: &[(&str, &[u8])] = &[
    ("t.csv", b"a,b,l,m\n1,2,0,1\n2,1,1,0\n3,3,1,1\n4,1,0,0\n"),
    ("t.dat", b"a,l\n1,0\n2,1\n"),
    ("t.svm", b"0,1 1:1 2:2\n1 1:2\n"),
    ("empty.arff", b""),
    ("empty.csv", b""),
    ("empty.svm", b""),
    ("empty.txt", b""),
    ("header.csv", b"a,l\n"),
    ("other.csv", b"a,c,l,m\n1,2,0,1\n"),
    ("none-labelled.csv", b"a,l\n1,0\n2,0\n"),
    ("short.csv", b"a,l\n1,0\n2\n"),
    ("word.csv", b"a,l\n1,0\nx,1\n"),
    ("infinite.csv", b"a,l\n1,0\n2,0\n-inf,1\n"),
    ("overflow.csv", b"a,l\n1,0\n1e999,1\n"),
    ("nan.csv", b"a,l\n1,0\nNaN,1\n"),
    ("missing.csv", b"a,b,l\n1,1,0\n1,?,1\n3,1,1\n4,2,0\n"),
    ("missing-label.csv", b"a,l\n1,0\n2,\n"),
    ("label-2.csv", b"a,l\n1,0\n2,2\n"),
    ("latin1.csv", b"a,l\n1,0\n\xE9,1\n"),
    ("quote.csv", b"a,l\n\"1,0\n"),
    (
        "cell.arff",
        b"@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n1,0\nx,1\n",
    ),
    (
        "type.arff",
        b"@relation r\n@attribute a strnig\n@attribute l {0,1}\n@data\n1,0\n",
    ),
    (
        "no-labels.arff",
        b"@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n1,0\n",
    ),
    (
        "unknown.arff",
        b"@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n1,0\n",
    ),
    (
        "unknown.xml",
        b"<labels>\n<label name=\"l\"/>\n<label name=\"k\"/>\n</labels>\n",
    ),
    ("broken.xml", b"<labels>\n<label name=\"l\">\n</labels>\n"),
    ("pair.svm", b"0 1:1\n1 2=3\n"),
    ("order.svm", b"0 2:1 2:1\n"),
    ("index.xc", b"2 2 2\n0 0:1 1:2\n1 2:3\n"),
    ("label.xc", b"2 2 2\n0 0:1 1:2\n2 1:3\n"),
    ("rows.xc", b"3 2 2\n0 0:1 1:2\n1 1:3\n"),
    (
        "damaged.csv.gz",
        b"\x1F\x8B\x08\0\0\0\0\0\0\x03 this is no deflate stream",
    ),
    ("cut.csv.gz", b"\x1F\x8B\x08\0\0"),
];

/// The command line as a whole, before any file is read.
const WRONG_COMMANDS: &[Case] = &[
    ("", "Usage: mmoc [OPTIONS] <COMMAND>"),
    ("nonsense", "unrecognized subcommand 'nonsense'"),
    ("inspec t.csv", "a similar subcommand exists: 'inspect'"),
    ("inspect", "<DATA>..."),
    (
        "inspect t.csv --labels l --wat",
        "unexpected argument '--wat'",
    ),
    (
        "inspect t.csv --labels l --labels m",
        "cannot be used multiple times",
    ),
    (
        "inspect t.csv --labels l --method br",
        "unexpected argument '--method'",
    ),
    (
        "inspect t.csv --labels=",
        "invalid value '' for '--labels <LABELS>'",
    ),
    ("inspect t.csv --labels 0", "a number other than 0"),
    (
        "inspect t.csv --labels l,,m",
        "names with commas between them",
    ),
    (
        "inspect t.csv --labels l --format xls",
        "one of arff, csv, tsv, libsvm, extreme",
    ),
    (
        "inspect t.csv --labels l --missing drop",
        "must be one of refuse, mean, median, indicator",
    ),
    (
        "inspect t.csv --labels l --top-labels x",
        "'--top-labels <K>'",
    ),
    (
        "evaluate t.csv --labels l --method svm",
        "[possible values: br",
    ),
    ("methods svm", "[possible values: br"),
    ("methods --method br", "unexpected argument '--method'"),
];

/// Options of `evaluate` that no data could make right.
const WRONG_OPTIONS: &[Case] = &[
    ("--runs 3", "--train-size <M>"),
    ("--runs 3 --folds 2", "cannot be used with '--folds <K>'"),
    (
        "--train-size 2 --folds 2",
        "cannot be used with '--folds <K>'",
    ),
    (
        "--train-size 2 --no-stratify",
        "cannot be used with '--no-stratify'",
    ),
    ("--folds -1", "invalid value '-1' for '--folds <K>'"),
    (
        "--train-size -1",
        "invalid value '-1' for '--train-size <M>'",
    ),
    ("--seed -1", "invalid value '-1' for '--seed <S>'"),
    ("--seed 18446744073709551616", "'--seed <S>'"),
    ("--folds 2.5", "invalid value '2.5' for '--folds <K>'"),
    ("--threads 0", "0 is not in 1..=1024"),
    ("--threads 1025", "1025 is not in 1..=1024"),
    ("--scale big", "one of none, standard, auto"),
    (
        "--set projections",
        "invalid value 'projections' for '--set <KEY=VALUE>': expected KEY=VALUE",
    ),
    ("--set", "a value is required for '--set <KEY=VALUE>'"),
];

/// Parameters that a method does not have or cannot take, whatever the data.
const WRONG_PARAMETERS: &[Case] = &[
    (
        "br --set lambda=1",
        "--set lambda=1 for br: the name of a parameter must be one of candidates, decide, not 'lambda'",
    ),
    (
        "coding-pca --set lambda=1",
        "the name of a parameter must be one of projections, centre, not 'lambda'",
    ),
    (
        "coding-pca --set =1",
        "the name of a parameter must be one of projections, centre, not ''",
    ),
    (
        "coding-pca --set centre=",
        "--set centre= for coding-pca: centre must be true or false, not ''",
    ),
    (
        "coding-pca --set projections=0",
        "projections must be all or a count of at least 1, not '0'",
    ),
    (
        "coding-cs --set projections=10001",
        "projections must be a count from 1 to 10000, not '10001'",
    ),
    (
        "coding-cs --set recovery=omp",
        "recovery must be cosamp or l1, not 'omp'",
    ),
    (
        "coding-cca --set ridge=0.1 --set ridge=-1",
        "--set ridge=-1 for coding-cca: ridge must be a number of at least 0, not '-1'",
    ),
    (
        "coding-cca --set lambda=nan",
        "lambda must be a number of at least 0 and at most 1e6, not 'nan'",
    ),
    (
        "coding-cca --set inference=Exact",
        "inference must be auto, mean-field or exact, not 'Exact'",
    ),
];

/// Parameters that are wrong for two labels.
const WRONG_FOR_TWO_LABELS: &[Case] = &[
    (
        "coding-pca --set projections=3",
        "projections must be from 1 to 2, the number of labels, not 3",
    ),
    (
        "coding-cca --set projections=3",
        "projections must be from 1 to 2, the number of labels, not 3",
    ),
    (
        "coding-pca-r --set projections=3",
        "projections must be from 1 to 2, the number of labels, not 3",
    ),
    (
        "max-margin --set projections=3",
        "projections must be from 1 to 2, the number of labels, not 3",
    ),
    (
        "max-margin --set projections=3 --set terms=forest",
        "projections must be from 1 to 2, the number of labels, not 3",
    ),
];

/// Options about data that are wrong for these files.
const WRONG_VALUES: &[Case] = &[
    (
        "inspect t.csv --labels l,m --top-labels 0",
        "the number of labels to keep must be from 1 to 2",
    ),
    (
        "inspect t.csv --labels l,m --top-labels 3",
        "the number of labels to keep must be from 1 to 2",
    ),
    ("inspect t.csv", "t.csv: a table needs --labels"),
    (
        "inspect t.dat --format tsv",
        "t.dat: a table needs --labels",
    ),
    (
        "inspect t.svm --labels 1",
        "left out for libsvm and extreme files",
    ),
    (
        "inspect t.dat --labels l",
        "(.arff, .csv, .tsv, .svm, .libsvm, .xc, .txt, .parquet, .pq, .arrow, .feather, .ipc, .jsonl, .ndjson), not 't.dat'",
    ),
    (
        "inspect t.csv t.svm --labels l",
        "the format of all files must be the same, csv, not libsvm",
    ),
];

/// Options of `evaluate` that are wrong for a file of four rows.
const WRONG_SPLITS: &[Case] = &[
    ("--folds 0", "the number of folds must be from 2 to 4"),
    ("--folds 1", "the number of folds must be from 2 to 4"),
    ("--folds 5", "the number of folds must be from 2 to 4"),
    (
        "--folds 5 --no-stratify",
        "the number of folds must be from 2 to 4",
    ),
    (
        "--train-size 0",
        "the number of training rows must be from 2 to 3 for 4 rows",
    ),
    (
        "--train-size 4",
        "the number of training rows must be from 2 to 3 for 4 rows",
    ),
    (
        "--train-size 2 --runs 0",
        "the number of runs must be from 1 to 1000000",
    ),
];

/// Files whose content is not what it should be, with the place.
const BAD_FILES: &[Case] = &[
    ("inspect empty.arff", "empty.arff:1:1: expected @relation"),
    ("inspect empty.csv --labels l", "empty.csv:1:1: "),
    (
        "inspect empty.svm",
        "empty.svm:1:1: expected at least one row",
    ),
    ("inspect empty.txt", "empty.txt:1:1: "),
    (
        "inspect header.csv --labels l",
        "header.csv:2:1: expected at least one row",
    ),
    (
        "inspect t.csv --labels mood_*",
        "t.csv:1:1: expected a column whose name begins with 'mood_'",
    ),
    (
        "inspect t.csv --labels l,k",
        "t.csv:1:1: expected a column named 'k'",
    ),
    (
        "inspect t.csv --labels 4",
        "t.csv:1:1: expected at least one label and fewer than the 4 columns",
    ),
    (
        "inspect t.csv --labels -9",
        "t.csv:1:1: expected at least one label and fewer than the 4 columns",
    ),
    ("inspect t.csv --labels broken.xml", "broken.xml:3:"),
    (
        "inspect t.csv other.csv --labels l",
        "other.csv:1:3: expected the column 'b', as in t.csv",
    ),
    (
        "inspect t.csv --format arff",
        "t.csv:1:1: expected @relation",
    ),
    (
        "inspect none-labelled.csv --labels l --drop-empty-rows",
        "--drop-empty-rows leaves no row",
    ),
    (
        "inspect short.csv --labels l",
        "short.csv:3:2: expected 2 fields",
    ),
    (
        "inspect word.csv --labels l",
        "word.csv:3:1: expected a finite number in 'a', found 'x'",
    ),
    (
        "inspect infinite.csv --labels l",
        "infinite.csv:4:1: expected a finite number in 'a', found '-inf'",
    ),
    (
        "inspect overflow.csv --labels l",
        "overflow.csv:3:1: expected a finite number in 'a', found '1e999'",
    ),
    (
        "inspect nan.csv --labels l",
        "nan.csv:3:1: expected a value of 'a' in row 2, found 'NaN'",
    ),
    (
        "inspect missing.csv --labels l",
        "missing.csv:3:3: expected a value of 'b' in row 2",
    ),
    (
        "evaluate missing.csv --labels l --method br",
        "missing.csv:3:3: expected a value of 'b' in row 2",
    ),
    (
        "inspect missing-label.csv --labels l --missing mean",
        "missing-label.csv:3:3: expected 0 or 1 for the label 'l'",
    ),
    (
        "inspect label-2.csv --labels l",
        "label-2.csv:3:3: expected 0 or 1 for the label 'l', found '2'",
    ),
    (
        "inspect latin1.csv --labels l",
        "latin1.csv:3:1: expected UTF-8 text, found the byte 0xE9",
    ),
    (
        "inspect quote.csv --labels l",
        "quote.csv:2:1: expected a closing quote",
    ),
    (
        "inspect cell.arff --labels l",
        "cell.arff:6:1: expected a finite number, found 'x'",
    ),
    (
        "inspect type.arff --labels l",
        "type.arff:2:14: expected a type",
    ),
    (
        "inspect no-labels.arff",
        "no-labels.arff:1:11: expected labels that are named in a label file",
    ),
    (
        "inspect unknown.arff",
        "unknown.xml:3:14: expected the name of a column of unknown.arff, found 'k'",
    ),
    (
        "inspect pair.svm",
        "pair.svm:2:3: expected index:value, found '2=3'",
    ),
    (
        "inspect order.svm",
        "order.svm:1:7: expected each index once, found 2 again",
    ),
    (
        "inspect index.xc",
        "index.xc:3:3: expected an index from 0 to 1, found '2'",
    ),
    (
        "inspect label.xc",
        "label.xc:3:1: expected a label: a whole number from 0 to 1, found '2'",
    ),
    ("inspect rows.xc", "rows.xc:4:1: expected row 3 of 3"),
    (
        "inspect damaged.csv.gz --labels l",
        "damaged.csv.gz:1:1: expected intact gzip data, found damage",
    ),
    (
        "inspect cut.csv.gz --labels l",
        "cut.csv.gz:1:1: expected intact gzip data, found its end too early",
    ),
];

/// What the operating system refuses.
const UNREADABLE: &[Case] = &[
    ("inspect absent.csv --labels l", "error: absent.csv: "),
    ("evaluate absent.arff --method br", "error: absent.arff: "),
    ("inspect t.csv absent.csv --labels l", "error: absent.csv: "),
    ("inspect t.csv --labels absent.xml", "error: absent.xml: "),
    ("inspect folder.csv --labels l", "error: folder.csv: "),
];

/// What precedes the options of `evaluate` in the tables.
const EVALUATE: &str = "evaluate t.csv --labels l --method br";

/// Runs all cases and shows all that are wrong together.
fn check(start: &str, cases: &[Case], code: i32, is_right: fn(&str) -> bool) {
    let folder = Folder::with(FILES);
    std::fs::create_dir(folder.path("folder.csv")).unwrap();
    let mut wrong = Vec::new();
    for (arguments, message) in cases {
        let arguments = format!("{start} {arguments}");
        let outcome = folder.run(&arguments);
        if !fails_so(&outcome, code, message) || !is_right(&outcome.stderr) {
            wrong.push(format!(
                "mmoc {arguments}\nexpected code {code} and: {message}\nfound {outcome:#?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
}

/// Whether the command failed with the code and the message, and wrote nothing else.
fn fails_so(outcome: &Outcome, code: i32, message: &str) -> bool {
    outcome.code == Some(code)
        && outcome.stdout.is_empty()
        && outcome.stderr.contains(message)
        && !outcome.stderr.contains('\u{1b}')
}

/// Our own messages are one line.
fn is_one_line(stderr: &str) -> bool {
    stderr.starts_with("error: ") && stderr.lines().count() == 1
}

/// Those of the argument parser show the usage or where to find it.
fn points_to_help(stderr: &str) -> bool {
    stderr.contains("--help")
}

#[test]
fn wrong_commands_are_wrong_usage() {
    check("", WRONG_COMMANDS, USAGE, points_to_help);
    check(EVALUATE, WRONG_OPTIONS, USAGE, points_to_help);
}

#[test]
fn values_that_do_not_fit_the_data_are_wrong_usage() {
    check("", WRONG_VALUES, USAGE, is_one_line);
    check(EVALUATE, WRONG_SPLITS, USAGE, is_one_line);
}

#[test]
fn parameters_that_a_method_cannot_take_are_wrong_usage() {
    // The file is not even looked for.
    let start = "evaluate absent.arff --method";
    check(start, WRONG_PARAMETERS, USAGE, is_one_line);
    let start = "evaluate t.csv --labels l,m --folds 2 --method";
    check(start, WRONG_FOR_TWO_LABELS, USAGE, is_one_line);
}

#[test]
fn bad_files_are_bad_data_with_the_place() {
    check("", BAD_FILES, BAD_DATA, is_one_line);
}

#[test]
fn what_cannot_be_read_is_a_failure_at_run_time() {
    check("", UNREADABLE, RUN_TIME, is_one_line);
}
