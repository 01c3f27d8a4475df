//! Commands that read data, run experiments, or describe the program.

use super::{BAD_DATA, Case, FAILED, USAGE};

pub(crate) const INSPECT: &[Case] = &[
    ("inspect", USAGE, "<DATA>..."),
    (
        "inspect absent.mmoc",
        FAILED,
        "absent.mmoc: No such file or directory",
    ),
    (
        "inspect junk.mmoc",
        BAD_DATA,
        "junk.mmoc: expected a header of at most 100000000 bytes",
    ),
    (
        "inspect cut.mmoc",
        BAD_DATA,
        "expected a whole file, found an end",
    ),
    (
        "inspect m.mmoc t.csv",
        USAGE,
        "m.mmoc is a model, which is inspected by itself",
    ),
    ("inspect t.csv", USAGE, "t.csv: a table needs --labels"),
    (
        "inspect t.csv --labels l,,m",
        USAGE,
        "invalid value 'l,,m' for '--labels <LABELS>': the label option must be FILE.xml, a number other than 0, prefix* or names with commas between them, not 'l,,m'",
    ),
    (
        "inspect t.csv --labels 0",
        USAGE,
        "invalid value '0' for '--labels <LABELS>': the label option must be FILE.xml, a number other than 0, prefix* or names with commas between them, not '0'",
    ),
    (
        "inspect folder",
        USAGE,
        "the file format must be given, or clear from the file name",
    ),
    (
        "inspect cut.mmoc --json",
        BAD_DATA,
        "expected a whole file, found an end",
    ),
];

pub(crate) const CONVERT: &[Case] = &[
    (
        "convert t.csv",
        USAGE,
        "two files are needed: mmoc convert [OPTIONS] <IN>... <OUT>",
    ),
    (
        "convert t.csv x.xlsx",
        USAGE,
        "the file format must be given, or clear from the file name",
    ),
    (
        "convert t.csv x.arff",
        USAGE,
        "t.csv: a table needs --labels",
    ),
    (
        "convert t.csv x.arff --labels k",
        BAD_DATA,
        "t.csv:1:1: expected a column named 'k', found only 'a', 'b', 'l', 'm'",
    ),
    (
        "convert absent.csv x.arff --labels l",
        FAILED,
        "absent.csv: No such file or directory",
    ),
    (
        "convert late.csv x.arff --labels l,m",
        BAD_DATA,
        "late.csv:3:5: expected a finite number, found 'inf'",
    ),
    (
        "convert t.csv t.csv --labels l,m",
        USAGE,
        "t.csv cannot be both read and written: choose another name for the output",
    ),
    (
        "convert t.csv folder --labels l,m",
        USAGE,
        "the file format must be given, or clear from the file name",
    ),
    (
        "convert t.csv absent/x.arff --labels l,m",
        FAILED,
        "absent/x.arff: No such file or directory",
    ),
    (
        "convert missing.csv x.svm --labels l,m --missing mean",
        USAGE,
        "the data set must be one with no missing cell to be written as libsvm, not one that has some",
    ),
    (
        "convert t.csv x.csv --labels l,m --nope",
        USAGE,
        "unexpected argument '--nope' found",
    ),
    (
        "convert m.mmoc x.csv --labels l",
        USAGE,
        "the file format must be given, or clear from the file name",
    ),
    (
        "convert t.csv text.txt --labels l,m",
        USAGE,
        "text.txt exists: --force replaces it",
    ),
    (
        "convert t.csv t.svm --labels l,m",
        USAGE,
        "t.svm exists: --force replaces it",
    ),
    (
        "convert t.csv x.parquet.gz --labels -4",
        BAD_DATA,
        "t.csv:1:1: expected at least one label and fewer than the 4 columns, found 4",
    ),
];

pub(crate) const EXPERIMENTS: &[Case] = &[
    ("evaluate t.csv --labels l", USAGE, "--method <NAME>"),
    (
        "evaluate t.csv --labels l,m --method br --folds 1",
        USAGE,
        "the number of folds must be from 2 to 40 for this number of rows, not 1",
    ),
    (
        "evaluate t.csv --labels l,m --method br --folds 41",
        USAGE,
        "the number of folds must be from 2 to 40 for this number of rows, not 41",
    ),
    (
        "evaluate t.csv --labels l,m --method br --train-size 40",
        USAGE,
        "the number of training rows must be from 2 to 39 for 40 rows, not 40",
    ),
    (
        "evaluate m.mmoc --method br",
        USAGE,
        "the file format must be given, or clear from the file name",
    ),
    (
        "evaluate late.csv --labels l,m --method br --folds 2 --json",
        BAD_DATA,
        "late.csv:3:5: expected a finite number, found 'inf'",
    ),
    (
        "compare t.csv --labels l,m --out text.txt",
        USAGE,
        "text.txt: is a file, where --out must be a folder",
    ),
    (
        "compare t.csv --labels l,m --method br --folds 3 --out exp",
        USAGE,
        "exp: holds an experiment with another protocol; choose another folder with --out, or remove this one",
    ),
    (
        "compare absent.csv --labels l --out x",
        FAILED,
        "absent.csv: No such file or directory",
    ),
    (
        "compare late.csv --labels l,m --out x",
        BAD_DATA,
        "late.csv:3:5: expected a finite number, found 'inf'",
    ),
    (
        "compare t.csv t.svm --each --labels l --out x",
        USAGE,
        "the label option must be left out for libsvm and extreme files, whose rows name their labels, not 'l'",
    ),
    (
        "reproduce --dataset nope",
        USAGE,
        "invalid value 'nope' for '--dataset <NAME>'",
    ),
    (
        "reproduce --synthetic --method br --runs 0 --out x",
        USAGE,
        "the number of runs must be from 1 to 1000000, not 0",
    ),
    (
        "reproduce --data absent --out x",
        USAGE,
        "--data: expected a folder, found none at 'absent'",
    ),
    (
        "reproduce --synthetic --out text.txt",
        USAGE,
        "text.txt: is a file, where --out must be a folder",
    ),
    (
        "reproduce --synthetic --set br.nope=1 --out x",
        USAGE,
        "--set br.nope=1: the name of a parameter must be left out, as there are none to set, not 'nope'",
    ),
    (
        "reproduce --synthetic --shard 3/2 --out x",
        USAGE,
        "invalid value '3/2' for '--shard <I/N>': expected I/N, with I from 1 to N",
    ),
    ("report", USAGE, "<DIR>..."),
    (
        "report absent",
        BAD_DATA,
        "absent: not the folder of an experiment: it has no experiment.json",
    ),
    (
        "report folder",
        BAD_DATA,
        "folder: not the folder of an experiment: it has no experiment.json",
    ),
    (
        "report text.txt",
        FAILED,
        "text.txt/experiment.json: Not a directory",
    ),
    (
        "report t.csv",
        FAILED,
        "t.csv/experiment.json: Not a directory",
    ),
    (
        "report exp --out text.txt",
        USAGE,
        "text.txt: is a file, where --out must be a folder",
    ),
    (
        "report exp folder",
        BAD_DATA,
        "folder: not the folder of an experiment: it has no experiment.json",
    ),
];

pub(crate) const OTHERS: &[Case] = &[
    ("completions", USAGE, "<SHELL>"),
    (
        "completions tcsh",
        USAGE,
        "invalid value 'tcsh' for '<SHELL>'",
    ),
    (
        "man nope",
        USAGE,
        "'nope' is no command: expected one of train",
    ),
    (
        "man train nope",
        USAGE,
        "'nope' is no command: expected nothing after 'train'",
    ),
    ("man --out text.txt", FAILED, "text.txt: File exists"),
    (
        "man --out text.txt/deep",
        FAILED,
        "text.txt/deep: Not a directory",
    ),
    (
        "methods nope",
        USAGE,
        "invalid value 'nope' for '[NAME]...'",
    ),
    (
        "methods --nope",
        USAGE,
        "unexpected argument '--nope' found",
    ),
    ("datasets", USAGE, "Usage: mmoc datasets <COMMAND>"),
    (
        "datasets info nope",
        USAGE,
        "invalid value 'nope' for '<NAME>'",
    ),
    (
        "datasets get nope",
        USAGE,
        "invalid value 'nope' for '[NAME]...'",
    ),
    (
        "datasets get",
        USAGE,
        "name the data sets to get: emotions, scene, medical, yeast, flags, cal500, bibtex, delicious, paper",
    ),
    (
        "datasets list --data absent",
        USAGE,
        "--data: expected a folder, found none at 'absent'",
    ),
    ("nope", USAGE, "unrecognized subcommand 'nope'"),
];
