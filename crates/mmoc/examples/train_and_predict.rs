//! Train a model, score it on rows it has not seen, keep it in a file and use it again.
//!
//! Run it with `cargo run -p mmoc --example train_and_predict`.

use mmoc::data::{Dataset, Features, Labels, Matrix};
use mmoc::learn::BaseParams;
use mmoc::method::{BinaryRelevance, MaxMargin};
use mmoc::{Model, Seed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let songs = songs(300)?;
    let (train, test) = songs.split(0.8, 1)?;

    // Setters of the method come first, then base learners and seed.
    let model = MaxMargin::default()
        .c(1e3)
        .base(BaseParams::default().folds(5))
        .seed(7)
        .fit(&train)?;
    let scores = model.predict(&test)?.score(&test)?;
    println!(
        "max-margin: subset accuracy {:.3}",
        scores.subset_accuracy()
    );

    let alone = BinaryRelevance::default()
        .fit(&train)?
        .predict(&test)?
        .score(&test)?;
    println!("one classifier per label: {:.3}", alone.subset_accuracy());

    let path = std::env::temp_dir().join(format!("songs-{}.mmoc", std::process::id()));
    model.save(&path)?;
    let again = Model::load(&path)?;
    std::fs::remove_file(&path)?;

    // New rows need no labels: features in the columns of the training set are enough.
    let names = again.schema().label_names();
    let prediction = again.predict(test.features())?;
    for row in prediction.labels.iter().take(3) {
        let set: Vec<&str> = row
            .iter()
            .map(|&label| names[label as usize].as_str())
            .collect();
        println!("{set:?}");
    }
    Ok(())
}

/// Songs, each of which has exactly one of three moods, and may be loud.
fn songs(rows: usize) -> mmoc::Result<Dataset> {
    let mut stream = Seed::new(1).stream();
    let features = Matrix::from_fn(rows, 4, |_, _| stream.gaussian());
    let noise = Matrix::from_fn(rows, 4, |_, _| 0.7 * stream.gaussian());
    let labels = Labels::from_fn(rows, 4, |i, label| {
        let score = |k: usize| features[(i, k)] + noise[(i, k)];
        match label {
            3 => score(3) > 0.0,
            mood => (0..3).all(|other| score(other) <= score(mood)),
        }
    });
    let columns = ["tempo", "key", "rhythm", "volume"].map(String::from);
    let names = ["calm", "happy", "sad", "loud"].map(String::from);
    let features = Features::Dense(features);
    Dataset::new("songs", features, labels, columns.into(), names.into())
}

#[test]
fn runs_without_an_error() {
    main().unwrap();
}
