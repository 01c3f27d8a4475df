//! Our side of the side-by-side benchmarks: what the binaries of this crate share.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use mmoc::data::{Dataset, Preprocessing, ReadOptions, Scaling, random_split, read};
use mmoc::{Result, Seed};

/// Training rows of the paper's protocol.
pub const TRAIN_SIZE: usize = 300;

/// The data sets of the paper, prepared as the paper has them.
pub fn paper_set(folder: &Path, name: &str) -> Result<Dataset> {
    let files: &[&str] = match name {
        "scene" => &["scene-train.arff", "scene-test.arff"],
        "medical" => &["medical.arff"],
        _ => &["emotions.arff"],
    };
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    let dataset = read(&paths, &ReadOptions::default())?.dataset;
    if name == "medical" {
        return dataset.keep_frequent_labels(10)?.drop_empty_rows();
    }
    Ok(dataset)
}

/// The preprocessed training rows of the first run.
pub fn training_rows(dataset: &Dataset, seed: Seed) -> Result<Dataset> {
    let split = random_split(dataset.rows(), TRAIN_SIZE, seed)?;
    let train = dataset.select_rows(&split.train)?;
    let preprocessing = Preprocessing::fit(train.features().view(), Scaling::Auto)?;
    let features = preprocessing.apply(train.features().view())?;
    let all: Vec<usize> = (0..train.rows()).collect();
    Dataset::new(
        dataset.name(),
        features.view().select_rows(&all),
        train.labels().clone(),
        train.feature_names().to_vec(),
        train.label_names().to_vec(),
    )
}

/// Seconds of the quickest of several repetitions.
pub fn quickest<T>(repetitions: usize, mut work: impl FnMut() -> T) -> f64 {
    let seconds = (0..repetitions).map(|_| {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed().as_secs_f64()
    });
    seconds.fold(f64::INFINITY, f64::min)
}

/// Writes numbers as NumPy reads them with `fromfile`.
pub fn write_numbers(path: &Path, numbers: impl IntoIterator<Item = f64>) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for number in numbers {
        file.write_all(&number.to_le_bytes())?;
    }
    file.flush()
}
