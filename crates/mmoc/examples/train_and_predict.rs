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

    let alone = BinaryRelevance.fit(&train)?.predict(&test)?.score(&test)?;
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

/// Songs that are calm or wild, happy or sad: of each pair a song is one or the other.
fn songs(rows: usize) -> mmoc::Result<Dataset> {
    let mut stream = Seed::new(1).stream();
    let features = Matrix::from_fn(rows, 4, |_, _| stream.gaussian());
    let noise = Matrix::from_fn(rows, 2, |_, _| stream.gaussian());
    let labels = Labels::from_fn(rows, 4, |i, label| {
        let pair = label / 2;
        let holds = features[(i, pair)] + features[(i, 2)] + noise[(i, pair)] > 0.0;
        holds == (label % 2 == 0)
    });
    let columns = ["tempo", "key", "loudness", "length"].map(String::from);
    let names = ["wild", "calm", "happy", "sad"].map(String::from);
    Dataset::new(
        "songs",
        Features::Dense(features),
        labels,
        columns.into(),
        names.into(),
    )
}

#[test]
fn runs_without_an_error() {
    main().unwrap();
}
