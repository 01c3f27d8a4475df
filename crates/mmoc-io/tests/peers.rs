//! Parquet and Arrow files of other libraries, column by column, against what pyarrow reads: those that
//! `fixtures/peers.py` wrote, and those of parquet-testing, whose trials are ignored where it is absent.
//!
//! `fixtures/peers.json` holds a hash of the cells of each column, and the versions of the libraries.

mod common;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use mmoc::data::{Attribute, Features, Schema};
use mmoc_io::{MissingCells, RowStream, StreamOptions, Times};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Files that pyarrow reads and we do not, because the crate `parquet` does not; `docs/dependencies.md` says why.
const NOT_READ: [&str; 1] = ["data/dict-page-offset-zero.parquet"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let text = std::fs::read_to_string(fixtures.join("peers.json")).expect("the fixture is there");
    let known: Value = serde_json::from_str(&text).expect("the fixture is JSON");
    let mut trials = trials(&known["files"], Some(&fixtures.join("peers")));
    let testing = common::real_data().map(|data| data.with_file_name("parquet-testing"));
    let testing = testing.filter(|folder| folder.is_dir());
    trials.extend(self::trials(&known["parquet-testing"], testing.as_deref()));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(files: &Value, folder: Option<&Path>) -> Vec<Trial> {
    let files = files.as_object().into_iter().flatten();
    files
        .map(|(file, known)| {
            let path = folder.unwrap_or(Path::new("")).join(file);
            let known = known.clone();
            Trial::test(file, move || check_file(&path, &known)).with_ignored_flag(folder.is_none())
        })
        .collect()
}

fn check_file(path: &Path, known: &Value) -> Result<(), Failed> {
    let not_read = NOT_READ.iter().any(|file| path.ends_with(file));
    let Some(columns) = known["columns"].as_array().filter(|_| !not_read) else {
        return check_damaged(path, known);
    };
    if known["rows"] == 0 {
        let message = read(path, number("a"), Times::Refuse).err();
        let message = message.unwrap_or_default();
        return expect(message.contains("at least one row"), &message);
    }
    for column in columns {
        let checked = check_column(path, column);
        checked.map_err(|message| format!("{}: {message}", column["name"]))?;
    }
    Ok(())
}

/// A file that pyarrow does not read is not read here either, whatever column is asked for.
fn check_damaged(path: &Path, known: &Value) -> Result<(), Failed> {
    let options = mmoc_io::ReadOptions {
        labels: mmoc_io::LabelSource::Last(1),
        missing: MissingCells::Mean,
        ..mmoc_io::ReadOptions::default()
    };
    let read = mmoc_io::read(path, &options);
    expect(
        read.is_err(),
        &format!("read, though pyarrow says {}", known["error"]),
    )
}

fn check_column(path: &Path, column: &Value) -> Result<(), String> {
    let name = column["name"].as_str().ok_or("no name")?;
    let hash = column["sha256"].as_str();
    let refused = || match read(path, number(name), Times::Refuse) {
        Err(message) if message.contains(&shown(name)) => Ok(()),
        Err(message) => Err(message),
        Ok(_) => Err(format!("read, though it is {}", column["type"])),
    };
    match column["kind"].as_str() {
        Some("numbers") => same(&read(path, number(name), Times::Refuse)?, hash),
        Some("words") => same(
            &read(path, words(name, &column["words"]), Times::Refuse)?,
            hash,
        ),
        Some("times") => {
            refused()?;
            same(&read(path, number(name), Times::Numbers)?, hash)
        }
        Some("refused") => refused(),
        other => Err(format!("an unknown kind {other:?}")),
    }
}

/// The beginning of a name as messages show it.
fn shown(name: &str) -> String {
    name.chars().take(30).collect()
}

fn number(name: &str) -> Attribute {
    Attribute::numeric(name)
}

/// A feature of these words, and of more if they are so few that they would not become a column each.
fn words(name: &str, words: &Value) -> Attribute {
    let words = words.as_array().into_iter().flatten();
    let mut words: Vec<String> = words.filter_map(Value::as_str).map(str::to_owned).collect();
    while words.len() < 3 {
        words.push(format!("no word {}", words.len()));
    }
    Attribute::nominal(name, words).expect("words that differ")
}

/// The cells of a column: its numbers, or the places of its words, NaN where they are missing.
fn read(path: &Path, attribute: Attribute, times: Times) -> Result<Vec<f64>, String> {
    let schema = Schema::new(vec![attribute], vec!["\u{0}".into()], false);
    let schema = schema.map_err(|error| error.to_string())?;
    let options = StreamOptions {
        missing: MissingCells::Mean,
        times,
        batch_rows: 100,
        ..StreamOptions::default()
    };
    let stream = RowStream::open(&[path], &schema, &options);
    let mut stream = stream.map_err(|error| error.to_string())?;
    let mut cells = Vec::new();
    while let Some(batch) = stream.next_batch().map_err(|error| error.to_string())? {
        let Features::Dense(rows) = batch.features else {
            return Err("sparse rows".into());
        };
        for row in 0..rows.rows() {
            cells.push(cell(rows.row(row)));
        }
    }
    Ok(cells)
}

fn cell(row: &[f64]) -> f64 {
    match row {
        [number] => *number,
        [missing, ..] if missing.is_nan() => f64::NAN,
        words => words
            .iter()
            .position(|&word| word == 1.0)
            .map_or(-1.0, |place| place as f64),
    }
}

fn same(cells: &[f64], hash: Option<&str>) -> Result<(), String> {
    let mut digest = Sha256::new();
    for cell in cells {
        let cell = if cell.is_nan() { f64::NAN } else { *cell };
        digest.update(cell.to_le_bytes());
    }
    let hex = |byte: u8| [byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[digit as usize]);
    let found: Vec<u8> = digest.finalize().into_iter().flat_map(hex).collect();
    if Some(found.as_slice()) == hash.map(str::as_bytes) {
        return Ok(());
    }
    Err(format!("other cells: {:?} …", &cells[..cells.len().min(8)]))
}

fn expect(holds: bool, message: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(message.into()) }
}
