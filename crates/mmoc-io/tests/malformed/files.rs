//! Compression, encodings, names of files, and files that do not fit together.

use std::io::Write;

use mmoc_io::{Format, MissingCells, ReadOptions, read_files};

use super::arff::HEADER;
use super::{case, check, compare, message_of, options};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compression() {
    let text = format!("{HEADER}1,0,red,1\n");
    let gz = gzip(text.as_bytes());
    let bz2 = bzip2(text.as_bytes());
    let mut damaged_gz = gz.clone();
    let end = damaged_gz.len() - 6;
    damaged_gz[end] ^= 0xFF;
    let mut damaged_bz2 = bz2.clone();
    damaged_bz2[20] ^= 0xFF;
    check(&[
        case(
            "a.arff.gz",
            "l",
            &gz[..gz.len() - 12],
            "a.arff.gz:7:1: expected intact gzip data, found its end too early",
        ),
        case(
            "a.arff.gz",
            "l",
            &gz[..2],
            "a.arff.gz:1:1: expected intact gzip data, found its end too early",
        ),
        case(
            "a.arff.gz",
            "l",
            damaged_gz,
            "a.arff.gz:8:1: expected intact gzip data, found damage (corrupt gzip stream does not have a matching checksum)",
        ),
        case(
            "a.arff.gz",
            "l",
            [&gz[..], b"more"].concat(),
            "a.arff.gz:8:1: expected intact gzip data, found its end too early",
        ),
        case(
            "a.arff.bz2",
            "l",
            &bz2[..bz2.len() - 12],
            "a.arff.bz2:1:1: expected intact bzip2 data, found its end too early",
        ),
        case(
            "a.arff.bz2",
            "l",
            damaged_bz2,
            "a.arff.bz2:1:1: expected intact bzip2 data, found damage (bzip2: invalid data)",
        ),
        case(
            "a.arff.gz",
            "l",
            gzip(b"@relation"),
            "a.arff.gz:1:10: expected the name of the relation, found the end of the line",
        ),
    ]);
}

#[test]
fn encodings() {
    check(&[
        case(
            "a.arff",
            "l",
            &b"@relation r\n% caf\xE9\n"[..],
            "a.arff:2:6: expected UTF-8 text, found the byte 0xE9",
        ),
        case(
            "a.csv",
            "l",
            &b"\xEF\xBB\xBFgr\xC3\xB6\xDFe,l\n"[..],
            "a.csv:1:4: expected UTF-8 text, found the byte 0xDF",
        ),
        case(
            "a.csv",
            "l",
            &b"\xFF\xFEa\0,\0l\0\n\0"[..],
            "a.csv:1:1: expected UTF-8 text, found UTF-16 text (convert it with iconv -f UTF-16 -t UTF-8)",
        ),
        case(
            "a.arff",
            "l",
            &b"\xFE\xFF\0@\0r"[..],
            "a.arff:1:1: expected UTF-8 text, found UTF-16 text (convert it with iconv -f UTF-16 -t UTF-8)",
        ),
        case(
            "a.csv",
            "l",
            &b"a,l\n\xFF\xFE,1\n"[..],
            "a.csv:2:1: expected UTF-8 text, found the byte 0xFF",
        ),
        case(
            "a.svm",
            "",
            &b"1 1:1\n\x00\x01\n"[..],
            "a.svm:2:1: expected a label: a whole number from 0, found '\\u{0}\\u{1}'",
        ),
        case(
            "a.txt",
            "",
            &b"1 1 1\r\n0 0:1 \xC3"[..],
            "a.txt:2:7: expected UTF-8 text, found the byte 0xC3",
        ),
    ]);
}

#[test]
fn names_of_files() {
    check(&[
        case(
            "a.xlsx",
            "l",
            "",
            "the file format must be clear from the file name (.arff, .csv, .tsv, .svm, .libsvm, .xc, .txt, .parquet, .pq, .arrow, .feather, .ipc, .jsonl, .ndjson), not 'a.xlsx'",
        ),
        case(
            "data",
            "l",
            "",
            "the file format must be clear from the file name (.arff, .csv, .tsv, .svm, .libsvm, .xc, .txt, .parquet, .pq, .arrow, .feather, .ipc, .jsonl, .ndjson), not 'data'",
        ),
        case(
            "-",
            "l",
            "",
            "the file format must be clear from the file name (.arff, .csv, .tsv, .svm, .libsvm, .xc, .txt, .parquet, .pq, .arrow, .feather, .ipc, .jsonl, .ndjson), not '-'",
        ),
    ]);
    assert_eq!(
        "xlsx".parse::<Format>().unwrap_err().to_string(),
        "the file format must be one of arff, csv, tsv, libsvm, extreme, parquet, arrow, jsonl, not 'xlsx'"
    );
    assert_eq!(
        "median".parse::<MissingCells>().unwrap_err().to_string(),
        "the treatment of missing cells must be refuse or mean, not 'median'"
    );
    assert_eq!(
        message_of(read_files::<&str>(&[], &ReadOptions::default())),
        "the list of files must be at least one, not none"
    );
    assert_eq!(
        message_of(read_files(&["a.arff", "b.csv"], &ReadOptions::default())),
        "the format of all files must be the same, arff, not csv"
    );
}

/// The message for two files read together, without their folder.
fn message_for_two(extension: &str, labels: &str, first: &str, second: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["one", "two"].map(|stem| folder.path().join(format!("{stem}.{extension}")));
    for (path, text) in paths.iter().zip([first, second]) {
        std::fs::write(path, text).unwrap();
    }
    let message = message_of(read_files(&paths, &options(labels)));
    message.replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn files_that_do_not_fit_together() {
    let arff = |attributes: &str| {
        let attributes = attributes.replace(';', "\n@attribute ");
        format!("@relation r\n@attribute {attributes}\n@data\n1,0\n")
    };
    let first = arff("a real;l {0,1}");
    let cases = [
        (
            "arff",
            "-1",
            first.clone(),
            arff("b real;l {0,1}"),
            "two.arff:2:12: expected the feature 'a' numeric, as in one.arff, found the feature 'b' numeric",
        ),
        (
            "arff",
            "-1",
            first.clone(),
            arff("a {0,1};l {0,1}"),
            "two.arff:2:12: expected the feature 'a' numeric, as in one.arff, found the feature 'a' {'0', '1'}",
        ),
        (
            "arff",
            "-1",
            first.clone(),
            arff("a real;l {0,1};m {0,1}"),
            "two.arff:3:12: expected the label 'l' {'0', '1'}, as in one.arff, found the feature 'l' {'0', '1'}",
        ),
        (
            "arff",
            "l",
            arff("a real;l real;b real").replace("1,0", "1,0,2"),
            arff("a real;l real"),
            "two.arff:4:1: expected the feature 'b' numeric, as in one.arff, found no more columns",
        ),
        (
            "csv",
            "l",
            "a,l\n1,0\n".into(),
            "l,a\n0,1\n".into(),
            "two.csv:1:1: expected the column 'a', as in one.csv, found the column 'l'",
        ),
        (
            "csv",
            "l",
            "a,l\n1,0\n".into(),
            "a,l,b\n0,1,1\n".into(),
            "two.csv:1:5: expected no more columns, as in one.csv, found the column 'b'",
        ),
        (
            "csv",
            "l",
            "a,l,b\n1,0,2\n".into(),
            "a,l\n0,1\n".into(),
            "two.csv:1:4: expected the column 'b', as in one.csv, found no more columns",
        ),
        (
            "csv",
            "l",
            "a,l\n1,0\n2,0\n".into(),
            "a,l\n3,0\n,0\n".into(),
            "two.csv:3:1: expected a value of 'a' in row 2, found an empty cell",
        ),
        (
            "arff",
            "-1",
            first.clone(),
            arff("a real;l {0,1}").replace("1,0", "1,0\n?,0"),
            "two.arff:6:1: expected a value of 'a' in row 2, found '?'",
        ),
        (
            "xc",
            "",
            "1 2 2\n0 1:1\n".into(),
            "1 3 2\n0 1:1\n".into(),
            "two.xc:1:1: expected 2 features and 2 labels, as in one.xc, found 3 features and 2 labels",
        ),
    ];
    compare(cases.map(|(extension, labels, first, second, message)| {
        let found = message_for_two(extension, labels, &first, &second);
        (message, found)
    }));
}
