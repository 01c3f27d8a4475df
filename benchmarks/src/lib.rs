//! Functions shared by the benchmark binaries.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use mmoc::Seed;
use mmoc::data::{Dataset, Missing, Preprocessing, Scaling, random_split};
use mmoc_io::{ReadOptions, Result, read, read_files};

/// Training rows of the paper's protocol.
pub const TRAIN_SIZE: usize = 300;

/// A data set of the paper, with the paper's selection of labels and rows.
pub fn paper_set(folder: &Path, name: &str) -> Result<Dataset> {
    let files: &[&str] = match name {
        "scene" => &["scene-train.arff", "scene-test.arff"],
        "medical" => &["medical.arff"],
        _ => &["emotions.arff"],
    };
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    let dataset = read_files(&paths, &ReadOptions::default())?.dataset;
    if name == "medical" {
        return Ok(dataset.keep_frequent_labels(10)?.drop_empty_rows()?);
    }
    Ok(dataset)
}

/// The training rows of a data set with a published split.
pub fn standard_set(folder: &Path, name: &str) -> Result<Dataset> {
    let file = folder.join(format!("{name}-train.arff"));
    read(file, ReadOptions::default())
}

/// The preprocessed training rows of the first run.
pub fn training_rows(dataset: &Dataset, seed: Seed) -> mmoc::Result<Dataset> {
    let split = random_split(dataset.rows(), TRAIN_SIZE, seed)?;
    preprocessed(&dataset.select_rows(&split.train)?)
}

/// The same rows with features preprocessed as by `mmoc evaluate`.
pub fn preprocessed(rows: &Dataset) -> mmoc::Result<Dataset> {
    let preprocessing =
        Preprocessing::fit(rows.features().view(), Scaling::Auto, Missing::Mean, None)?;
    let features = preprocessing.apply(rows.features().view())?;
    let all: Vec<usize> = (0..rows.rows()).collect();
    Dataset::new(
        rows.name(),
        features.view().select_rows(&all),
        rows.labels().clone(),
        rows.feature_names().to_vec(),
        rows.label_names().to_vec(),
    )
}

/// The peak memory of this process in KiB, as reported by Linux.
pub fn peak_memory() -> std::io::Result<Option<u64>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    Ok(line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()))
}

/// Seconds of the fastest of several repetitions.
pub fn quickest<T>(repetitions: usize, mut work: impl FnMut() -> T) -> f64 {
    let seconds = (0..repetitions).map(|_| {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed().as_secs_f64()
    });
    seconds.fold(f64::INFINITY, f64::min)
}

/// Writes values in the format of NumPy's `fromfile`.
pub fn write_numbers(path: &Path, numbers: impl IntoIterator<Item = f64>) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for number in numbers {
        file.write_all(&number.to_le_bytes())?;
    }
    file.flush()
}
