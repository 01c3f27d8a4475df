//! What methods make of the synthetic twins.

use mmoc::Seed;
use mmoc::data::{Dataset, Missing, Preprocessing, Scaling, random_split};
use mmoc::learn::{BaseParams, Training};
use mmoc::method::Method;
use mmoc::metrics::{Evaluation, Metric};
use mmoc_io::Twin;

/// The subset accuracies of methods that are trained on the same 300 rows and tested on the others.
fn subset_accuracies(twin: &Dataset, methods: &[&str], seed: Seed) -> Vec<f64> {
    let split = random_split(twin.rows(), 300, seed).unwrap();
    let train = twin.select_rows(&split.train).unwrap();
    let test = twin.select_rows(&split.test).unwrap();
    let scaling =
        Preprocessing::fit(train.features().view(), Scaling::Auto, Missing::Mean, None).unwrap();
    let features = scaling.apply(train.features().view()).unwrap();
    let unseen = scaling.apply(test.features().view()).unwrap();
    let base = BaseParams::default();
    let training = Training::new(features.view(), train.labels(), base, seed).unwrap();
    let accuracy = |name: &&str| {
        let fitted = name.parse::<Method>().unwrap().fit_on(&training).unwrap();
        let found = fitted.predictor.predict(unseen.view()).unwrap();
        let scores = Evaluation::of(test.labels(), &found.labels, None, None).unwrap();
        scores.get(Metric::SubsetAccuracy).unwrap()
    };
    methods.iter().map(accuracy).collect()
}

#[test]
fn codes_find_more_label_sets_than_binary_relevance() {
    for twin in Twin::ALL {
        for seed in 1..=2 {
            let seed = Seed::new(seed);
            let dataset = twin.generate(seed).unwrap();
            let methods = ["br", "coding-cca", "max-margin"];
            let found = subset_accuracies(&dataset, &methods, seed);
            let (alone, cca, max_margin) = (found[0], found[1], found[2]);
            assert!(alone < cca && alone < max_margin, "{twin:?}: {found:?}");
        }
    }
}

#[test]
fn twins_are_about_as_hard_as_their_originals() {
    // Binary relevance on the originals, 30 splits: .25, .46, .77.
    let bounds = [(0.15, 0.35), (0.36, 0.56), (0.67, 0.87)];
    for (twin, (least, most)) in Twin::ALL.into_iter().zip(bounds) {
        let dataset = twin.generate(Seed::new(1)).unwrap();
        let found = subset_accuracies(&dataset, &["br"], Seed::new(1))[0];
        assert!(least < found && found < most, "{twin:?}: {found}");
    }
}
