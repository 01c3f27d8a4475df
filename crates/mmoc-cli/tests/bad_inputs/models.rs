//! Commands that make and use models.

use super::{BAD_DATA, Case, FAILED, USAGE};

pub(crate) const TRAIN: &[Case] = &[
    (
        "train t.csv --labels l,m --method br",
        USAGE,
        "--out <MODEL>",
    ),
    (
        "train t.csv --labels l,m -o x.mmoc",
        USAGE,
        "--method <NAME>",
    ),
    ("train --method br -o x.mmoc", USAGE, "<DATA>..."),
    (
        "train t.csv --labels l,m --method nope -o x.mmoc",
        USAGE,
        "invalid value 'nope' for '--method <NAME>'",
    ),
    (
        "train t.csv --labels l,m --method br --set nope=1 -o x.mmoc",
        USAGE,
        "--set nope=1 for br: the name of a parameter must be left out, as there are none to set, not 'nope'",
    ),
    (
        "train t.csv --labels l,m --method br --set base.folds=1 -o x.mmoc",
        USAGE,
        "--set base.folds=1 for br: folds must be a count from 2 to 1000, not '1'",
    ),
    (
        "train t.csv --labels l,m --method br --set folds -o x.mmoc",
        USAGE,
        "invalid value 'folds' for '--set <KEY=VALUE>': expected KEY=VALUE",
    ),
    (
        "train t.csv --labels l,m --method max-margin --set c=-1 -o x.mmoc",
        USAGE,
        "--set c=-1 for max-margin: c must be a number of at least 1e-12 and at most 1e15, not '-1'",
    ),
    (
        "train t.csv --labels l,m --method max-margin --set gap=nan -o x.mmoc",
        USAGE,
        "--set gap=nan for max-margin: gap must be auto or a number of at least 1e-12 and at most 0.5, not 'nan'",
    ),
    (
        "train t.csv --labels l,m --method br --preset nope -o x.mmoc",
        USAGE,
        "invalid value 'nope' for '--preset <PRESET>'",
    ),
    (
        "train t.csv --labels l,m --method br --scale nope -o x.mmoc",
        USAGE,
        "invalid value 'nope' for '--scale <SCALING>': the scaling must be one of none, standard, auto, not 'nope'",
    ),
    (
        "train t.csv --labels l,m --method br --seed -1 -o x.mmoc",
        USAGE,
        "invalid value '-1' for '--seed <S>': invalid digit found in string",
    ),
    (
        "train t.csv --labels l,m --method br --threads 0 -o x.mmoc",
        USAGE,
        "invalid value '0' for '--threads <T>': 0 is not in 1..=1024",
    ),
    (
        "train t.csv --labels l,m --method br --missing median -o x.mmoc",
        USAGE,
        "invalid value 'median' for '--missing <refuse|mean>': the treatment of missing cells must be refuse or mean, not 'median'",
    ),
    (
        "train t.csv --labels l,m --method br --top-labels 3 -o x.mmoc",
        USAGE,
        "the number of labels to keep must be from 1 to 2, not 3",
    ),
    (
        "train t.csv --labels l,m --method br --top-labels 0 -o x.mmoc",
        USAGE,
        "the number of labels to keep must be from 1 to 2, not 0",
    ),
    (
        "train t.csv --labels l,m --method br -o t.csv",
        USAGE,
        "t.csv cannot be both read and written: choose another name for the output",
    ),
    (
        "train t.csv --labels l,m --method br -o text.txt",
        USAGE,
        "text.txt is there already and is no model: choose another name, or remove it first",
    ),
    (
        "train t.csv --labels l,m --method br -o folder",
        USAGE,
        "folder is there already and is no model: choose another name, or remove it first",
    ),
    (
        "train t.csv --labels l,m --method br -o absent/x.mmoc",
        FAILED,
        "absent/x.mmoc: No such file or directory",
    ),
    (
        "train t.csv --labels l,m --method br -o text.txt/x.mmoc",
        FAILED,
        "text.txt/x.mmoc: Not a directory",
    ),
    (
        "train t.csv --labels l,k --method br -o x.mmoc",
        BAD_DATA,
        "t.csv:1:1: expected a column named 'k', found only 'a', 'b', 'l', 'm'",
    ),
    (
        "train t.csv --labels z* --method br -o x.mmoc",
        BAD_DATA,
        "t.csv:1:1: expected a column whose name begins with 'z', found only 'a', 'b', 'l', 'm'",
    ),
    (
        "train t.csv --labels 4 --method br -o x.mmoc",
        BAD_DATA,
        "t.csv:1:1: expected at least one label and fewer than the 4 columns, found 4",
    ),
    (
        "train t.csv --labels absent.xml --method br -o x.mmoc",
        FAILED,
        "absent.xml: No such file or directory",
    ),
    (
        "train t.csv --method br -o x.mmoc",
        USAGE,
        "t.csv: a table needs --labels",
    ),
    (
        "train absent.csv --labels l --method br -o x.mmoc",
        FAILED,
        "absent.csv: No such file or directory",
    ),
    (
        "train empty.csv --labels l --method br -o x.mmoc",
        BAD_DATA,
        "empty.csv:1:1: expected a line with the names of the columns, found the end of the file",
    ),
    (
        "train word.csv --labels a --method br -o x.mmoc",
        BAD_DATA,
        "word.csv:2:1: expected 0 or 1 for the label 'a', found '0.5'",
    ),
    (
        "train late.csv --labels l,m --method br -o x.mmoc",
        BAD_DATA,
        "late.csv:3:5: expected a finite number, found 'inf'",
    ),
    (
        "train label2.csv --labels l,m --method br -o x.mmoc",
        BAD_DATA,
        "label2.csv:2:9: expected 0 or 1 for the label 'l', found '2'",
    ),
    (
        "train missing.csv --labels l,m --method br -o x.mmoc",
        BAD_DATA,
        "missing.csv:2:5: expected a value of 'b' in row 1",
    ),
    (
        "train m.mmoc --method br -o x.mmoc",
        USAGE,
        "the file format must be given, or clear from the file name",
    ),
    (
        "train t.csv t.svm --labels l --method br -o x.mmoc",
        USAGE,
        "the format of all files must be the same, csv, not libsvm",
    ),
    (
        "train t.csv --format parquet --labels l --method br -o x.mmoc",
        BAD_DATA,
        "t.csv: expected a Parquet file, found something else",
    ),
    (
        "train t.csv --format xlsx --labels l --method br -o x.mmoc",
        USAGE,
        "invalid value 'xlsx' for '--format <FORMAT>': the file format must be one of arff, csv, tsv, libsvm, extreme, parquet, not 'xlsx'",
    ),
    (
        "train t.svm --labels l --method br -o x.mmoc",
        USAGE,
        "the label option must be left out for libsvm and extreme files, whose rows name their labels, not 'l'",
    ),
    (
        "train t.csv --labels l,m --method br -o m.mmoc --set c=1",
        USAGE,
        "--set c=1 for br: the name of a parameter must be left out, as there are none to set, not 'c'",
    ),
];

pub(crate) const PREDICT: &[Case] = &[
    ("predict m.mmoc", USAGE, "<DATA>..."),
    ("predict", USAGE, "<MODEL>"),
    (
        "predict absent.mmoc t.csv",
        FAILED,
        "absent.mmoc: No such file or directory",
    ),
    (
        "predict junk.mmoc t.csv -o x.csv",
        BAD_DATA,
        "junk.mmoc: expected a header of at most 100000000 bytes",
    ),
    (
        "predict cut.mmoc t.csv -o x.csv",
        BAD_DATA,
        "expected a whole file, found an end",
    ),
    (
        "predict t.csv t.csv -o x.csv",
        BAD_DATA,
        "t.csv: expected a header of at most 100000000 bytes",
    ),
    (
        "predict folder t.csv -o x.csv",
        FAILED,
        "folder: Is a directory",
    ),
    (
        "predict m.mmoc absent.csv -o x.csv",
        FAILED,
        "absent.csv: No such file or directory",
    ),
    (
        "predict m.mmoc folder -o x.csv",
        USAGE,
        "the file format must be given, or clear from the file name",
    ),
    (
        "predict m.mmoc text.txt -o x.csv",
        BAD_DATA,
        "text.txt:1:1: expected the number of rows (1 to 4294967295), found 'text'",
    ),
    (
        "predict m.mmoc lacks.csv -o x.csv",
        BAD_DATA,
        "lacks.csv:1:1: expected the feature 'b' of the model",
    ),
    (
        "predict m.mmoc word.csv -o x.csv",
        BAD_DATA,
        "word.csv:2:5: expected a finite number, found 'x'",
    ),
    (
        "predict m.mmoc late.csv -o x.csv",
        BAD_DATA,
        "late.csv:3:5: expected a finite number, found 'inf'",
    ),
    (
        "predict m.mmoc missing.csv -o x.csv",
        BAD_DATA,
        "missing.csv:2:5: expected a value of 'b' in row 1",
    ),
    (
        "predict m.mmoc empty.csv -o x.csv",
        BAD_DATA,
        "empty.csv:1:1: expected a line with the names of the columns, found the end of the file",
    ),
    (
        "predict m.mmoc t.csv -o x.xlsx",
        USAGE,
        "x.xlsx: the format of predictions is not clear from the name",
    ),
    (
        "predict m.mmoc t.csv -o t.csv",
        USAGE,
        "t.csv cannot be both read and written: choose another name for the output",
    ),
    (
        "predict m.mmoc t.csv -o m.mmoc",
        USAGE,
        "m.mmoc: the format of predictions is not clear from the name",
    ),
    (
        "predict m.mmoc t.csv -o folder --format csv",
        FAILED,
        "folder: Is a directory",
    ),
    (
        "predict m.mmoc t.csv -o absent/x.csv",
        FAILED,
        "absent/x.csv: No such file or directory",
    ),
    (
        "predict m.mmoc t.csv --format xlsx",
        USAGE,
        "invalid value 'xlsx' for '--format <FORMAT>'",
    ),
    (
        "predict m.mmoc t.csv --top-k 0",
        USAGE,
        "--top-k must be from 1 to 2, the number of labels of the model, not 0",
    ),
    (
        "predict m.mmoc t.csv --top-k 3",
        USAGE,
        "--top-k must be from 1 to 2, the number of labels of the model, not 3",
    ),
    (
        "predict m.mmoc t.csv --format arff --top-k 1",
        USAGE,
        "--top-k has a place in csv, tsv and jsonl only",
    ),
    (
        "predict pca.mmoc t.csv --proba",
        USAGE,
        "--proba: CodingPCA predicts no probabilities; --top-k ranks labels by its scores",
    ),
    (
        "predict m.mmoc t.csv --threads -1",
        USAGE,
        "invalid value '-1' for '--threads <T>': -1 is not in 1..=1024",
    ),
    (
        "predict m.mmoc t.csv --missing nope",
        USAGE,
        "invalid value 'nope' for '--missing <refuse|mean>': the treatment of missing cells must be refuse or mean, not 'nope'",
    ),
    (
        "predict m.mmoc - -o x.csv",
        USAGE,
        "the file format must be given, or clear from the file name",
    ),
    (
        "predict m.mmoc - --from csv -o x.csv",
        BAD_DATA,
        "standard input:1:1: expected a line with the names of the columns, found the end of the file",
    ),
    (
        "predict - - --from csv",
        BAD_DATA,
        "expected a whole file, found an end",
    ),
    (
        "predict m.mmoc t.csv t.svm",
        USAGE,
        "the format of all files must be the same, csv, not libsvm",
    ),
    (
        "predict m.mmoc t.csv --from libsvm -o x.csv",
        BAD_DATA,
        "t.csv:1:1: expected a label: a whole number from 0, found 'a'",
    ),
    (
        "predict m.mmoc t.csv --format csv -o m.mmoc",
        USAGE,
        "m.mmoc cannot be both read and written: choose another name for the output",
    ),
    (
        "predict m.mmoc m.mmoc --from csv -o x.csv",
        BAD_DATA,
        "m.mmoc:1:1: expected UTF-8 text, found the byte 0x90",
    ),
];

pub(crate) const SCORE: &[Case] = &[
    ("score m.mmoc", USAGE, "<DATA>..."),
    (
        "score absent.mmoc t.csv",
        FAILED,
        "absent.mmoc: No such file or directory",
    ),
    (
        "score junk.mmoc t.csv",
        BAD_DATA,
        "junk.mmoc: expected a header of at most 100000000 bytes",
    ),
    (
        "score m.mmoc only-features.csv",
        BAD_DATA,
        "only-features.csv:1:1: expected the labels 'l', 'm' of the model, found no columns of these names",
    ),
    (
        "score m.mmoc label2.csv",
        BAD_DATA,
        "label2.csv:2:9: expected 0 or 1 for the label 'l', found '2'",
    ),
    (
        "score m.mmoc late.csv",
        BAD_DATA,
        "late.csv:3:5: expected a finite number, found 'inf'",
    ),
    (
        "score m.mmoc empty.csv",
        BAD_DATA,
        "empty.csv:1:1: expected a line with the names of the columns, found the end of the file",
    ),
    (
        "score m.mmoc t.csv --from nope",
        USAGE,
        "invalid value 'nope' for '--from <FORMAT>': the file format must be one of arff, csv, tsv, libsvm, extreme, parquet, not 'nope'",
    ),
    (
        "score m.mmoc t.csv --top-k 1",
        USAGE,
        "unexpected argument '--top-k' found",
    ),
    (
        "score cut.mmoc t.csv --json",
        BAD_DATA,
        "expected a whole file, found an end",
    ),
    (
        "score m.mmoc lacks.csv --json",
        BAD_DATA,
        "lacks.csv:1:1: expected the feature 'b' of the model",
    ),
];
