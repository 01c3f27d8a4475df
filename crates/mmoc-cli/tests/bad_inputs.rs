//! Bad inputs to every command: each is answered with its exit code and a message, and nothing is written.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;

use common::listing::listing;
use common::small::Small;
use common::{BINARY, Folder, Outcome};

/// A line for each case: exit code (1 failed, 2 wrong usage, 3 bad data), arguments, what is essential of the message.
const CASES: &str = "
2 | train                                                         | <DATA>...
2 | train songs.arff --method br                                  | --out <MODEL>
2 | train songs.arff --method svm -o m.mmoc                       | [possible values: br,
2 | train songs.csv --method br -o m.mmoc                         | songs.csv: a table needs --labels
2 | train songs.arff --method br -o m.mmoc --folds 3              | unexpected argument '--folds'
2 | train songs.arff --method br -o m.mmoc --preset good          | [possible values: paper, default]
2 | train songs.arff --method br -o m.mmoc --scale big            | one of none, standard, auto, not 'big'
2 | train songs.arff --method br -o m.mmoc --threads 0            | 0 is not in 1..=1024
2 | train songs.arff --method br -o m.mmoc --seed -1              | invalid value '-1' for '--seed <S>'
2 | train songs.arff --method br -o m.mmoc --set c=1              | --set c=1 for br: the name of a parameter must be one of candidates, decide, not 'c'
2 | train songs.arff --method br -o m.mmoc --set base.folds=1     | folds must be a count from 2 to 1000, not '1'
2 | train songs.arff --method br -o m.mmoc --set base.nothing=1   | one of criterion, penalty, ridge-penalty, ridge-solver, class-weight, folds, features, landmarks, not 'nothing'
2 | train songs.arff --method max-margin -o m.mmoc --set c        | expected KEY=VALUE
2 | train songs.arff --method max-margin -o m.mmoc --set c=0      | c must be a number of at least 1e-12
2 | train songs.arff --method max-margin -o m.mmoc --set lead.c=1 | the name of a parameter must be one of projections, c,
2 | train songs.arff --method max-margin -o m.mmoc --set projections=9 | projections must be from 1 to 2, the number of labels, not 9
2 | train songs.arff --method br -o m.mmoc --top-labels 9         | the number of labels to keep must be from 1 to 2, not 9
2 | train songs.arff songs.svm --method br -o m.mmoc              | the format of all files must be the same, arff, not libsvm
2 | train songs.arff --method br -o - --json                      | --json has no place
2 | train - --method br -o m.mmoc                                 | standard input, which needs --format
2 | train - songs.arff --format arff --method br -o m.mmoc        | must be the only DATA
2 | train br.mmoc --method br -o m.mmoc                           | clear from the file name
2 | train songs.arff --method br -o songs.xml/                    | songs.xml/: is a folder, where the output must be a file
2 | train songs.arff --method br -o ..                            | ..: is a folder, where the output must be a file
2 | train songs.arff --method br -o folder                        | folder: is a folder, where the output must be a file
2 | train songs.arff --method br -o notes.txt                     | notes.txt is there already and is no model
2 | train songs.arff --method br -o cut-early.mmoc                | cut-early.mmoc is there already and is no model
2 | train link.arff --labels songs.xml --method br -o songs.arff  | songs.arff cannot be both read and written
1 | train songs.arff --method br -o none/m.mmoc                   | none/m.mmoc: there is no folder none: make it
1 | train songs.arff --method br -o notes.txt/m.mmoc              | there is no folder notes.txt
1 | train absent.arff --method br -o m.mmoc                       | absent.arff: No such file
3 | train - --format csv --labels 1 --method br -o m.mmoc         | standard input:1:1: expected a line with the names
3 | train new.csv --labels mood_* --method br -o m.mmoc           | expected a column whose name begins with 'mood_'
3 | train label-2.csv --labels mood_* --method br -o m.mmoc       | expected 0 or 1 for the label 'mood_2', found '2'
3 | train hole.csv --labels mood_* --method br -o m.mmoc          | found an empty cell (--missing mean fills in missing cells)
3 | train one-row.csv --labels l --method br -o m.mmoc            | expected at least two training rows, found 1
3 | train all.csv --labels l,m --method br -o m.mmoc              | expected a column that is no label, found none
3 | train unlabelled.csv --labels l --drop-empty-rows --method br -o m.mmoc | --drop-empty-rows leaves no row

2 | predict                                     | <MODEL>
2 | predict br.mmoc                             | <DATA>...
1 | predict absent.mmoc new.csv                 | absent.mmoc: No such file
1 | predict folder new.csv                      | folder: Is a directory
3 | predict empty.mmoc new.csv                  | expected a whole file, found an end 8 bytes too early (copy the file again
3 | predict cut-early.mmoc new.csv              | found an end 3 bytes too early (copy the file again
3 | predict cut.mmoc new.csv -o out.csv         | found an end 100 bytes too early (copy the file again
3 | predict long.mmoc new.csv                   | more bytes after its end (copy the file again
3 | predict altered.mmoc new.csv -o out.csv     | by their SHA-256, found others (copy the file again
3 | predict later.mmoc new.csv                  | version 3, written by a later version of mmoc (use that version
3 | predict other.mmoc new.csv                  | found none (give a model that was written by 'mmoc train'
3 | predict text.mmoc new.csv                   | text.mmoc: expected a model, found something else (give a model
3 | predict songs.parquet new.csv               | songs.parquet: expected a model, found something else
3 | predict - new.csv                           | standard input: expected a whole file
1 | predict br.mmoc absent.csv -o out.csv       | absent.csv: No such file
1 | predict br.mmoc folder --from csv           | folder: Is a directory
3 | predict br.mmoc empty.csv                   | empty.csv:1:1: expected a line with the names of the columns
3 | predict br.mmoc lacks.csv -o out.csv        | the feature 'x2' of the model, found no column of that name (--missing mean fills in missing cells)
3 | predict br.mmoc twice.csv -o out.csv        | twice.csv:1:7: expected a name that no other column has
3 | predict br.mmoc nan.csv -o out.csv          | nan.csv:3:5: expected a value of 'x2' in row 2, found 'nan' (--missing mean
3 | predict br.mmoc inf.csv -o out.csv          | inf.csv:2:5: expected a finite number in 'x2', found '-inf'
3 | predict br.mmoc short.csv -o out.csv        | short.csv:3:8: expected 3 fields as in the header, found 2
3 | predict br.mmoc long.csv -o out.csv         | long.csv:2:13: expected 3 fields as in the header, found 4
3 | predict br.mmoc big.csv -o out.csv          | big.csv:2:5: expected a finite number in 'x2', found 'big'
3 | predict br.mmoc new.csv big.csv -o out.csv  | big.csv:2:5: expected a finite number in 'x2', found 'big'
3 | predict br.mmoc gap.csv -o out.csv          | a value of 'x2' in row 1, found an empty cell (--missing mean fills in missing cells)
3 | predict br.mmoc latin1.csv -o out.csv       | latin1.csv:2:5: expected UTF-8 text, found the byte 0xE9
3 | predict br.mmoc cut.csv.gz -o out.csv       | expected intact gzip data
3 | predict words.mmoc pink.csv --unknown refuse -o out.csv | expected a value of 'colour' {'blue', 'red'}, found 'pink'
3 | predict words.mmoc songs.svm -o out.csv     | expected an index from 1 to 2, found '3'
3 | predict svm.mmoc beyond.svm -o out.csv      | beyond.svm:1:7: expected an index from 1 to 3, found '9'
3 | predict svm.mmoc zero.svm -o out.csv        | zero.svm:1:3: expected an index from 1 on, found 0
3 | predict svm.mmoc order.svm -o out.csv       | order.svm:1:7: expected each index once, found 2 again
3 | predict svm.mmoc wide.xc -o out.csv         | wide.xc:2:3: expected an index from 0 to 2, found '8'
3 | predict svm.mmoc rows.xc -o out.csv         | rows.xc:3:1: expected row 2 of 3, found the end of the file
3 | predict br.mmoc new.csv --from parquet      | new.csv: expected a Parquet file
3 | predict br.mmoc songs.parquet --from csv    | expected UTF-8 text
2 | predict br.mmoc new.csv songs.svm -o out.csv | the format of all files must be the same, csv, not libsvm
2 | predict br.mmoc br.mmoc                     | the file format must be clear from the file name
2 | predict br.mmoc -                           | standard input, which needs --from
2 | predict br.mmoc - - --from csv              | must be the only DATA
2 | predict br.mmoc - new.csv --from csv        | must be the only DATA
2 | predict - - --from csv                      | either the model or the rows can come from there, not both
2 | predict br.mmoc new.csv --top-k 0           | --top-k must be from 1 to 2, the number of labels of the model, not 0
2 | predict br.mmoc new.csv --top-k 3           | --top-k must be from 1 to 2, the number of labels of the model, not 3
2 | predict br.mmoc new.csv --top-k -1          | invalid value '-1' for '--top-k <K>'
2 | predict br.mmoc new.csv --top-k 1 --format arff | --top-k has a place in csv, tsv and jsonl only
2 | predict mm.mmoc new.csv --sets 0            | --sets must be from 1 to 4, the number of label sets of the model, not 0
2 | predict mm.mmoc new.csv --sets 5            | --sets must be from 1 to 4, the number of label sets of the model, not 5
2 | predict mm.mmoc new.csv --sets -1           | invalid value '-1' for '--sets <K>'
2 | predict mm.mmoc new.csv --sets 1 --format arff   | --sets has a place in csv, tsv and jsonl only
2 | predict mm.mmoc new.csv --sets 1 --format libsvm | --sets has a place in csv, tsv and jsonl only
2 | predict mm.mmoc new.csv --sets 1 --proba    | cannot be used with '--proba'
2 | predict mm.mmoc new.csv --sets 1 --top-k 1  | cannot be used with '--top-k <K>'
2 | predict mm.mmoc new.csv --confidence --format libsvm | --confidence has a place in csv, tsv, jsonl and arff only
2 | predict mm.mmoc new.csv --min-confidence 0.5 --format libsvm | --min-confidence has a place in csv, tsv, jsonl and arff only
2 | predict mm.mmoc new.csv --min-confidence 1.5 | expected a number from 0 to 1
2 | predict mm.mmoc new.csv --min-confidence -1 | expected a number from 0 to 1
2 | predict mm.mmoc new.csv --min-confidence nan | expected a number from 0 to 1
2 | predict mm.mmoc new.csv --min-confidence 0.5 --sets 1 | which only jsonl shows together with --proba, --top-k or --sets
2 | predict mm.mmoc new.csv --decide accuracy   | [possible values: subset, f1, hamming, micro-f1, macro-f1]
2 | predict br.mmoc new.csv --decide f1         | --decide: this model has no posterior over label sets
2 | predict br.mmoc new.csv --sets 1            | --sets: this model has no posterior over label sets
2 | predict br.mmoc new.csv --confidence -o out.csv | --confidence: this model has no posterior over label sets
2 | predict cs.mmoc new.csv --min-confidence 0.5 | --min-confidence: this model has no posterior over label sets
2 | predict cs.mmoc new.csv --proba             | CodingCS predicts no probabilities; --top-k ranks labels by its scores
2 | predict br.mmoc new.csv -o out              | the format of predictions is not clear from the name
2 | predict br.mmoc new.csv -o out.parquet      | (.csv, .tsv, .jsonl, .arff, .libsvm); give it by --format
2 | predict br.mmoc new.csv --format parquet    | [possible values: csv, tsv, jsonl, arff, libsvm]
2 | predict br.mmoc link.csv -o new.csv         | new.csv cannot be both read and written
2 | predict br.mmoc new.csv -o svm.mmoc --format csv | svm.mmoc is a model: choose another name
2 | predict br.mmoc new.csv --missing zero      | must be one of refuse, mean, median, indicator, not 'zero'
2 | predict br.mmoc new.csv --labels mood_1     | unexpected argument '--labels'
1 | predict br.mmoc new.csv -o none/out.csv     | none/out.csv: there is no folder none: make it
2 | predict br.mmoc new.csv -o folder --format csv | folder: is a folder, where the output must be a file
2 | predict br.mmoc new.csv -o out/ --format csv   | out/: is a folder, where the output must be a file

2 | serve                                 | <MODEL>...
1 | serve absent.mmoc                     | absent.mmoc: No such file
3 | serve text.mmoc                       | text.mmoc: expected a model
3 | serve altered.mmoc                    | copy the file again, or train the model again
2 | serve br.mmoc br=br.mmoc              | two models are called 'br'
2 | serve br.mmoc --listen nowhere        | invalid value 'nowhere' for '--listen <ADDRESS>': expected an IP address and a port
2 | serve br.mmoc --listen 127.0.0.1      | such as 127.0.0.1:8080, or localhost:8080
2 | serve br.mmoc --listen localhost      | such as 127.0.0.1:8080, or localhost:8080
2 | serve br.mmoc --max-body 0            | invalid value '0' for '--max-body <BYTES>': expected a whole number of at least 1
2 | serve br.mmoc --max-rows 0            | for '--max-rows <N>': expected a whole number of at least 1
2 | serve br.mmoc --max-header 0          | for '--max-header <BYTES>': expected a whole number of at least 1
2 | serve br.mmoc --max-connections 0     | for '--max-connections <N>': expected a whole number of at least 1
2 | serve br.mmoc --queue 0               | for '--queue <N>': expected a whole number of at least 1
2 | serve br.mmoc --answer-timeout 0      | expected from 0.001 to 86400 seconds
2 | serve br.mmoc --tls-cert cert.pem     | --tls-key <FILE>
1 | serve br.mmoc --tls-cert absent.pem --tls-key new.csv | absent.pem: No such file
1 | serve br.mmoc --tls-cert new.csv --tls-key absent.pem | absent.pem: No such file
3 | serve br.mmoc --tls-cert new.csv --tls-key new.csv    | new.csv: expected a private key in PEM
2 | serve br.mmoc --grace soon            | expected a number of seconds
3 | serve br.mmoc --token-file empty.csv  | expected a token of at least 16 visible ASCII characters
2 | score br.mmoc                         | <DATA>...
1 | score absent.mmoc songs.csv           | absent.mmoc: No such file
1 | score br.mmoc absent.csv              | absent.csv: No such file
3 | score text.mmoc songs.csv             | text.mmoc: expected a model
3 | score altered.mmoc songs.csv          | copy the file again, or train the model again
3 | score br.mmoc new.csv                 | expected the labels 'mood_1', 'mood_2' of the model, found no columns
3 | score br.mmoc half.csv                | expected the label 'mood_2' of the model, found no column of that name
3 | score br.mmoc label-2.csv             | expected 0 or 1 for the label 'mood_2', found '2'
3 | score br.mmoc label-gap.csv           | expected 0 or 1 for the label 'mood_2', found an empty cell
3 | score br.mmoc songs.csv label-2.csv   | label-2.csv:2:15: expected 0 or 1
3 | score svm.mmoc label-9.svm            | label-9.svm:1:1: expected a label: a whole number from 0 to 1, found '9'
2 | score br.mmoc songs.csv --decide f1   | --decide: this model has no posterior over label sets
2 | score mm.mmoc songs.csv --decide best | [possible values: subset, f1, hamming, micro-f1, macro-f1]
2 | score --predictions songs.csv songs.csv --decide f1 | cannot be used with '--decide <MEASURE>'
2 | score br.mmoc songs.csv songs.svm     | the format of all files must be the same
2 | score br.mmoc songs.csv --from xls    | one of arff, csv, tsv, libsvm, extreme, parquet, arrow, jsonl, not 'xls'
2 | score br.mmoc -                       | standard input, which needs --from
2 | score - - --from csv                  | either the model or the rows can come from there, not both
2 | score br.mmoc songs.csv -o out.csv    | unexpected argument '-o'
2 | score br.mmoc songs.csv --threads 1025 | 1025 is not in 1..=1024

1 | inspect absent.mmoc                   | absent.mmoc: No such file
1 | inspect folder.mmoc                   | folder.mmoc: Is a directory
3 | inspect empty.mmoc                    | found an end 8 bytes too early (copy the file again
3 | inspect cut.mmoc                      | found an end 100 bytes too early (copy the file again
3 | inspect altered.mmoc --json           | by their SHA-256, found others
3 | inspect later.mmoc                    | written by a later version of mmoc (use that version
3 | inspect other.mmoc                    | give a model that was written by 'mmoc train'
3 | inspect text.mmoc                     | text.mmoc: expected a model, found something else
2 | inspect br.mmoc svm.mmoc              | br.mmoc is a model, which is inspected by itself
2 | inspect songs.csv br.mmoc --labels 1  | br.mmoc is a model, which is inspected by itself
2 | inspect br.mmoc --labels 1            | --labels says how data is read, and br.mmoc is a model
2 | inspect br.mmoc --top-labels 1        | --top-labels says how data is read, and br.mmoc is a model

2 | convert songs.arff                              | two files are needed: mmoc convert
2 | convert br.mmoc out.csv                         | br.mmoc is a model: it becomes an ONNX file, OUT.onnx
2 | convert songs.arff out.mmoc                     | clear from the file name
2 | convert songs.arff songs.svm out.csv            | the format of all files must be the same
2 | convert songs.arff out.csv --seed 3             | unexpected argument '--seed'
2 | convert songs.arff svm.mmoc --to csv            | svm.mmoc exists: --force replaces it
1 | convert songs.arff notes.txt/out.csv            | there is no folder notes.txt
1 | convert songs.arff none/out.arff --xml          | none/out.arff: there is no folder none
2 | convert br.mmoc out.csv --from csv --labels 1   | br.mmoc is a model: it becomes an ONNX file, OUT.onnx
3 | convert rows.xc out.csv                         | rows.xc:3:1: expected row 2 of 3
3 | convert label-2.csv --labels mood_* out.parquet | expected 0 or 1 for the label 'mood_2', found '2'

2 | completions                 | <SHELL>
2 | completions basch           | a similar value exists: 'bash'
2 | completions bash zsh        | unexpected argument 'zsh'
2 | completions bash --out x    | unexpected argument '--out'

2 | man nonsense                | 'nonsense' is no command: expected one of train, predict,
2 | man train more              | 'more' is no command: expected nothing after 'train'
2 | man datasets nothing        | expected one of list, get, info
2 | man train --out man1        | cannot be used with '--out <DIR>'
2 | man --out notes.txt         | notes.txt: is a file, where --out must be a folder
1 | man --out notes.txt/man1    | notes.txt/man1: Not a directory

2 | methods BR                  | [possible values: br,
2 | methods br svm              | invalid value 'svm'
2 | methods br --set c=1        | unexpected argument '--set'

2 | evaluate br.mmoc --method br                            | clear from the file name
2 | evaluate songs.arff --method br --method lead           | cannot be used multiple times
2 | evaluate songs.arff --method br --out x                 | unexpected argument '--out'
2 | evaluate songs.arff --method br --preset worst          | [possible values: paper, default]
2 | evaluate songs.arff --method br --repeats 0             | the number of repeats must be from 1 to 1000000, not 0
2 | evaluate songs.arff --method br --set base.penalty=-1   | --set base.penalty=-1 for br: penalty must be
2 | evaluate one-row.csv --labels l --method br             | the number of rows must be at least 4 to cross-validate, not 1
3 | evaluate label-2.csv --labels mood_* --method br        | expected 0 or 1 for the label 'mood_2', found '2'

2 | compare                                                 | <DATA>...
2 | compare songs.csv --out out                             | songs.csv: a table needs --labels
2 | compare songs.arff --method svm --out out               | [possible values: br,
2 | compare songs.arff --method br --preset worst --out out | [possible values: paper, default]
2 | compare songs.arff --method br --set c=1 --out out      | expected METHOD.KEY=VALUE
2 | compare songs.arff --method br --shard 0/2 --out out    | expected I/N, with I from 1 to N
2 | compare songs.arff --method br --folds 41 --out out     | the number of folds must be from 2 to 40
2 | compare songs.arff --method br --folds 2 --out notes.txt | notes.txt: is a file, not a folder (--out must be a folder)
2 | compare songs.arff --method br --folds 2 --seed 9 --out e | e: holds another experiment, which differs in seed (choose another folder
2 | compare songs.arff --method br --folds 2 --out loose    | loose: has results but no experiment.json
1 | compare songs.arff --method br --folds 2 --out notes.txt/x | notes.txt/x: Not a directory
1 | compare absent.arff --method br --out out               | absent.arff: No such file
3 | compare songs.csv words.csv --each --labels mood_* --method br --out out | words.csv:1:1: expected a column whose name begins with
3 | compare inf.csv --labels x3 --method br --out out       | inf.csv:2:5: expected a finite number in 'x2', found '-inf'

2 | reproduce songs.arff                                            | unexpected argument 'songs.arff'
2 | reproduce --preset paper --method mmoc --out out                | run only without --preset
2 | reproduce --method svm --out out                                | [possible values: br,
2 | compare songs.arff --method mmoc --out out                      | [possible values: br,
2 | reproduce --dataset yeast --out out                             | [possible values: scene, medical, emotions]
2 | reproduce --synthetic --dataset emotions --runs 0 --out out     | the number of runs must be from 1 to 1000000, not 0
2 | reproduce --synthetic --dataset emotions --train-size 593 --out out | from 2 to 592 for 593 rows, not 593
2 | reproduce --synthetic --data folder --out out                   | cannot be used with '--data <DIR>'
2 | reproduce --dataset emotions --data absent --out out            | --data: expected a folder, found none at 'absent'
2 | reproduce --synthetic --dataset emotions --method svm --out out | [possible values: br,
2 | reproduce --synthetic --dataset emotions --preset none --out out | [possible values: paper, default]
2 | reproduce --synthetic --dataset emotions --set base.folds=0 --out out | --set base.folds=0: folds must be a count
2 | reproduce --synthetic --dataset emotions --method br --reference lead --out out | --reference lead: unknown method 'lead': expected one of br
2 | reproduce --synthetic --dataset emotions --shard 3/2 --out out  | expected I/N, with I from 1 to N
2 | reproduce --synthetic --dataset emotions --seed x --out out     | invalid value 'x' for '--seed <S>'
2 | reproduce --synthetic --dataset emotions --method br --out e    | e: holds another experiment, which differs in command
2 | reproduce --synthetic --dataset emotions --method br --out notes.txt | notes.txt: is a file, not a folder (--out must be a folder)
3 | reproduce --dataset emotions --data part --out out              | the data set emotions is incomplete: missing emotions.xml

2 | report                      | <DIR>...
2 | report e --seed 1           | unexpected argument '--seed'
2 | report e f --out merged     | f: holds another experiment, which differs in seed
2 | report e --out f            | f: holds another experiment, which differs in seed
2 | report e --out loose        | loose: has results but no experiment.json
2 | report e --out notes.txt    | notes.txt: is a file, not a folder (--out must be a folder)
1 | report e --out notes.txt/x  | notes.txt/x: Not a directory
3 | report absent               | absent: not the folder of an experiment
3 | report folder --out merged  | folder: not the folder of an experiment
3 | report songs.csv            | songs.csv: not the folder of an experiment
3 | report begun                | begun: no run has finished yet

2 | datasets                                | Usage: mmoc datasets [OPTIONS] <COMMAND>
2 | datasets nonsense                       | unrecognized subcommand 'nonsense'
2 | datasets list emotions                  | unexpected argument 'emotions'
2 | datasets list --data notes.txt          | --data: expected a folder, found none at 'notes.txt'
2 | datasets info                           | <NAME>
2 | datasets info emotion                   | a similar value exists: 'emotions'
2 | datasets get                            | name the data sets to get: emotions,
2 | datasets get emotions --base ftp://here | expected an address that starts with https:// or http://
2 | datasets get emotions --timeout 0       | expected seconds from 0.001 to 3600
1 | datasets get emotions --base http://127.0.0.1:1 | cannot fetch emotions.arff from http://127.0.0.1:1/
";

struct Case {
    code: i32,
    arguments: &'static str,
    message: &'static str,
}

impl Case {
    fn of(line: &'static str) -> Self {
        let cells: Vec<&str> = line.splitn(3, '|').map(str::trim).collect();
        Self {
            code: cells[0].parse().expect("a line begins with an exit code"),
            arguments: cells[1],
            message: cells[2],
        }
    }

    fn command(&self) -> &'static str {
        self.arguments.split(' ').next().unwrap()
    }

    /// What is wrong with an outcome, if anything is.
    fn complaint(&self, outcome: &Outcome) -> Option<&'static str> {
        let stderr = &outcome.stderr;
        // The argument parser says more than one line, and where to find help.
        let is_error = stderr.starts_with("error: ") || stderr.starts_with("{\"error\":");
        let is_brief = is_error && stderr.lines().count() == 1;
        let points_to_help = self.code == 2 && stderr.contains("--help");
        if outcome.code != Some(self.code) {
            Some("another exit code")
        } else if !stderr.contains(self.message) {
            Some("another message")
        } else if !outcome.stdout.is_empty() || stderr.contains('\u{1b}') {
            Some("something else is written")
        } else if !is_brief && !points_to_help {
            Some("neither one line nor a pointer to help")
        } else {
            None
        }
    }
}

fn cases() -> impl Iterator<Item = Case> {
    CASES.lines().filter(|line| !line.is_empty()).map(Case::of)
}

/// Rows that are not as a model of `x1`, `x2` and `x3`, or a reader, wants them.
const ROWS: &[(&str, &[u8])] = &[
    ("new.csv", b"x1,x2,x3\n0.1,0.2,0.3\n"),
    ("lacks.csv", b"x1,x3\n0.1,0.2\n"),
    ("twice.csv", b"x1,x2,x2,x3\n0.1,1,2,0.3\n"),
    ("nan.csv", b"x1,x2,x3\n0.1,0.2,0.3\n0.1,nan,0.3\n"),
    ("inf.csv", b"x1,x2,x3\n0.1,-inf,1\n"),
    ("short.csv", b"x1,x2,x3\n0.1,0.2,0.3\n0.1,0.2\n"),
    ("long.csv", b"x1,x2,x3\n0.1,0.2,0.3,0.4\n"),
    ("big.csv", b"x1,x2,x3\n0.1,big,0.3\n"),
    ("gap.csv", b"x1,x2,x3\n0.1,,0.3\n"),
    ("latin1.csv", b"x1,x2,x3\n0.1,\xE9,0.3\n"),
    ("cut.csv.gz", b"\x1F\x8B\x08\0\0"),
    ("empty.csv", b""),
    ("half.csv", b"x1,x2,x3,mood_1\n0.1,0.2,0.3,1\n"),
    ("hole.csv", b"x1,mood_1\n1,0\n,1\n"),
    ("label-2.csv", b"x1,x2,x3,mood_1,mood_2\n0.1,0.2,0.3,1,2\n"),
    ("label-gap.csv", b"x1,x2,x3,mood_1,mood_2\n0.1,0.2,0.3,1,\n"),
    ("label-9.svm", b"9 1:1\n"),
    ("beyond.svm", b"0 1:1 9:1\n"),
    ("zero.svm", b"0 0:1\n"),
    ("order.svm", b"0 2:1 2:1\n"),
    ("rows.xc", b"3 3 2\n0 0:1\n"),
    ("wide.xc", b"1 9 2\n0 8:1\n"),
    ("pink.csv", b"size,colour\n1,pink\n"),
    (
        "words.csv",
        b"size,colour,l\n1,red,0\n2,blue,1\n3,red,0\n4,blue,1\n",
    ),
    ("one-row.csv", b"a,l\n1,1\n"),
    ("all.csv", b"l,m\n1,0\n0,1\n"),
    ("unlabelled.csv", b"a,l\n1,0\n2,0\n"),
    ("notes.txt", b"my notes\n"),
    ("empty.mmoc", b""),
    ("text.mmoc", b"this is no model\n"),
];

/// All that the cases name.
fn folder() -> Folder {
    let folder = Folder::with(ROWS);
    let songs = Small::new(40, 3, 2);
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path(name), bytes).unwrap();
    write("songs.csv", songs.table(",").as_bytes());
    write("songs.arff", songs.arff().as_bytes());
    write("songs.xml", songs.xml().as_bytes());
    write("songs.svm", songs.libsvm().as_bytes());
    for arguments in [
        "convert songs.arff songs.parquet",
        "train songs.arff --method br -o br.mmoc",
        "train songs.arff --method coding-cs -o cs.mmoc",
        "train songs.arff -o mm.mmoc",
        "train songs.svm --method br -o svm.mmoc",
        "train words.csv --labels l --method br -o words.mmoc",
        "compare songs.arff --method br --folds 2 --out e",
        "compare songs.arff --method br --folds 2 --seed 1 --out f",
    ] {
        folder.run(arguments).succeeded();
    }
    damage_models(&folder);
    for name in ["folder", "folder.mmoc", "loose", "begun", "part"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    write("loose/results.jsonl", b"my results\n");
    write("part/emotions.arff", b"");
    fs::copy(
        folder.path("e/experiment.json"),
        folder.path("begun/experiment.json"),
    )
    .unwrap();
    symlink("new.csv", folder.path("link.csv")).unwrap();
    symlink("songs.arff", folder.path("link.arff")).unwrap();
    folder
}

/// Copies of a model that are none any more, and a file of tensors that never was one.
fn damage_models(folder: &Folder) {
    let whole = fs::read(folder.path("br.mmoc")).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path(name), bytes).unwrap();
    write("cut-early.mmoc", &whole[..5]);
    write("cut.mmoc", &whole[..whole.len() - 100]);
    write("long.mmoc", &[&whole[..], b"x"].concat());
    let mut altered = whole.clone();
    altered[whole.len() - 60] ^= 1;
    write("altered.mmoc", &altered);
    let version = br#"\"format\":"#;
    let place = whole
        .windows(version.len())
        .position(|bytes| bytes == version);
    let mut later = whole;
    later[place.expect("the header has a version") + version.len()] = b'3';
    write("later.mmoc", &later);
    let header = br#"{"weights":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}}"#;
    let length = (header.len() as u64).to_le_bytes();
    write("other.mmoc", &[&length[..], header, &[0; 16]].concat());
}

#[test]
fn every_bad_input_is_answered_and_nothing_is_written() {
    let folder = folder();
    // Downloads may leave a lock in the cache, which is nobody's result.
    let cache = Folder::empty();
    let before = listing(&folder.path(""));
    let mut wrong = Vec::new();
    for case in cases() {
        let mut command = folder.command(BINARY);
        command.env("MMOC_CACHE", cache.path("cache"));
        let outcome = Outcome::of(command.args(case.arguments.split_ascii_whitespace()));
        if let Some(complaint) = case.complaint(&outcome) {
            let Case {
                arguments,
                code,
                message,
            } = case;
            wrong.push(format!(
                "mmoc {arguments}\n{complaint}: expected {code}, {message}\n{outcome:#?}"
            ));
        }
        assert!(
            listing(&folder.path("")) == before,
            "mmoc {} has written",
            case.arguments
        );
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
}

#[test]
fn every_command_has_its_bad_inputs() {
    let help = Folder::empty().output("--help");
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| line.starts_with("  "));
    let names = commands.map(|line| line.trim().split(' ').next().unwrap());
    let mut counts: BTreeMap<&str, usize> = names.map(|name| (name, 0)).collect();
    counts.remove("help");
    for case in cases() {
        *counts
            .get_mut(case.command())
            .expect("a case names a command") += 1;
    }
    println!("{counts:?}");
    assert!(counts.values().all(|count| *count >= 3), "{counts:?}");
    assert!(counts.values().sum::<usize>() >= 80, "{counts:?}");
}

#[test]
fn the_same_case_is_not_counted_twice() {
    let arguments: Vec<&str> = cases().map(|case| case.arguments).collect();
    let distinct: std::collections::BTreeSet<&&str> = arguments.iter().collect();
    assert_eq!(distinct.len(), arguments.len());
}

#[test]
fn a_label_that_never_varies_is_learnt_with_a_warning() {
    let rows = |labels: &[&str]| {
        let row = |i: usize| format!("{i},{}\n", labels[i % 2]);
        let rows: String = (0..10).map(row).collect();
        format!("a,l,m,n\n{rows}")
    };
    let folder = Folder::with(&[
        ("one.csv", rows(&["0,1,0", "1,0,0"])),
        ("two.csv", rows(&["0,1,0", "1,1,0"])),
    ]);
    let train = |name: &str| {
        let arguments = format!("train {name} --labels l,m,n --method coding-pca -o m.mmoc");
        folder.run(&arguments).succeeded().stderr
    };
    let warning =
        "warning: the label 'n' is the same in all rows: nothing can be learnt about it\n";
    assert!(train("one.csv").contains(warning));
    let warning = "warning: 2 of 3 labels, 'm' the first, are the same in all rows: nothing can";
    assert!(train("two.csv").contains(warning));
}
