//! Label files: what one names is named by the one that we write.

use std::path::{Path, PathBuf};

use mmoc::data::Dataset;
use mmoc_io::{Format, LabelSource, MissingCells, mulan_xml as label_file};
use tempfile::TempDir;

use super::readers::{check_error, read_with};

/// Columns whose names are markup, escapes and blanks.
const TABLE: &[u8] = br#"a,b,a b,m\'u,"<&>","""q""",'s',c
1,0,1,0,1,0,1,0.5
"#;

/// The label file of a table with fixed columns.
pub fn mulan_xml(bytes: &[u8]) {
    thread_local! {
        static FOLDER: TempDir = tempfile::tempdir().expect("a temporary folder can be made");
    }
    let path = FOLDER.with(|folder| folder.path().join("labels.xml"));
    match read_beside(&path, bytes) {
        Ok(dataset) => check_again(&path, &dataset),
        Err(error) => check_error(&error),
    }
}

fn check_again(path: &Path, dataset: &Dataset) {
    let text = label_file(dataset.label_names()).expect("the names have no control characters");
    let again = read_beside(path, text.as_bytes()).expect("what was written is read");
    assert_eq!(&again, dataset);
}

fn read_beside(path: &Path, label_file: &[u8]) -> mmoc_io::Result<Dataset> {
    std::fs::write(path, label_file).expect("the folder can be written to");
    let labels = LabelSource::Xml(PathBuf::from(path));
    read_with(TABLE, Format::Csv, &labels, MissingCells::Refuse)
}
