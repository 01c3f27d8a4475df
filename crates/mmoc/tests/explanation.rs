//! Explanations add up to what models decide by.

use mmoc::data::{Dataset, Features, Labels, Matrix};
use mmoc::learn::BaseParams;
use mmoc::method::Method;
use mmoc::posterior::LikelySet;
use mmoc::settings::Settings;
use mmoc::train::TrainParams;
use mmoc::{Error, Explanation, Model, PartKind, Seed, Silent, WithoutScores};

const LABELS: usize = 4;

/// Label sets that depend on the features and on each other.
fn data() -> Dataset {
    let (rows, columns) = (90, 5);
    let mut stream = Seed::new(3).stream();
    let x = Matrix::from_fn(rows, columns, |_, column| {
        stream.gaussian() * (1.0 + column as f64) + 2.0
    });
    let mut labels = Labels::empty(LABELS);
    for row in x.values().chunks(columns) {
        let first = row[0] + 0.5 * stream.gaussian() > 2.0;
        let flags = [first, row[1] > row[2], !first && row[3] > 0.0, row[4] > 1.0];
        labels.push_row((0..LABELS).filter(|&label| flags[label]));
    }
    let names = |start: &str, count| (0..count).map(|k| format!("{start}{k}")).collect();
    let (features, own) = (names("x", columns), names("y", LABELS));
    Dataset::new("rows", Features::Dense(x), labels, features, own).unwrap()
}

fn model(name: &str, settings: &[(&str, &str)]) -> Model {
    let mut method: Method = name.parse().unwrap();
    let (of_base, of_method): (Vec<_>, Vec<_>) =
        settings.iter().partition(|(key, _)| *key == "features");
    for (key, value) in of_method {
        method.set(key, value).unwrap();
    }
    let mut base = BaseParams::default().folds(3);
    for (key, value) in of_base {
        base.set(key, value).unwrap();
    }
    let params = TrainParams::of(method).base(base);
    params.train(data().view(), &Silent).unwrap()
}

fn explained(model: &Model, most: usize) -> Vec<Explanation> {
    let found = model.explain(&data(), None, most).unwrap();
    for own in found.iter().flat_map(|row| &row.labels) {
        let sum: f64 = own.parts.iter().map(|part| part.contribution).sum();
        assert!((sum - own.score).abs() < 1e-9, "{own:?}");
        let features = |part: &&mmoc::Part| part.kind == PartKind::Feature;
        assert!(own.parts.iter().filter(features).count() <= most);
    }
    found
}

#[test]
fn scores_of_binary_relevance_are_its_log_odds_whatever_is_listed() {
    let model = model("br", &[]);
    let scores = model.predict(&data()).unwrap().scores.unwrap();
    for most in [0, 2, 100] {
        for (row, own) in explained(&model, most).iter().enumerate() {
            assert!(own.contrast.is_none());
            for label in &own.labels {
                assert!((label.score - scores[(row, label.label)]).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn the_largest_contributions_come_first_with_the_values_of_the_row() {
    let (model, rows) = (model("br", &[]), data());
    for (row, own) in explained(&model, 3).iter().enumerate() {
        let features = own.labels[1].parts.iter();
        let features: Vec<_> = features
            .filter(|part| part.kind == PartKind::Feature)
            .collect();
        let sizes: Vec<f64> = features
            .iter()
            .map(|part| part.contribution.abs())
            .collect();
        assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
        for part in features {
            let column = rows
                .feature_names()
                .iter()
                .position(|name| *name == part.name);
            let mut value = None;
            rows.features().view().for_each_in_row(row, |place, own| {
                value = value.or((Some(place) == column).then_some(own));
            });
            assert_eq!(part.value, value);
        }
    }
}

/// log p(y|x) of all label sets in a row.
fn log_probability(sets: &[LikelySet], wanted: &[u32]) -> f64 {
    let found = sets.iter().find(|own| own.labels == wanted);
    found.expect("all sets are candidates").probability.ln()
}

#[test]
fn scores_and_contrasts_are_differences_of_log_probabilities() {
    for features in ["linear", "rbf"] {
        check_differences(features);
    }
}

fn check_differences(features: &str) {
    let settings = [
        ("candidates", "all"),
        ("terms", "labels+code"),
        ("features", features),
    ];
    let model = model("max-margin", &settings);
    let all = model.likeliest_sets(&data(), 1 << LABELS).unwrap();
    for (own, sets) in explained(&model, 2).iter().zip(&all) {
        let has = |label: &u32| own.labels[*label as usize].predicted;
        let predicted: Vec<u32> = (0..LABELS as u32).filter(has).collect();
        assert_eq!(predicted, sets[0].labels);
        for label in &own.labels {
            let number = label.label as u32;
            let mut with: Vec<u32> = predicted.clone();
            with.retain(|&other| other != number);
            let without = log_probability(sets, &with);
            with.push(number);
            with.sort_unstable();
            let expected = log_probability(sets, &with) - without;
            assert!((label.score - expected).abs() < 1e-6, "{label:?}");
        }
        let contrast = own.contrast.as_ref().unwrap();
        assert_eq!(contrast.against, sets[1].labels);
        let sum: f64 = contrast.terms.iter().map(|(_, own)| own).sum();
        let expected = (sets[0].probability / sets[1].probability).ln();
        assert!((sum - expected).abs() < 1e-6, "{contrast:?}");
    }
}

/// The gradient of a score that is nearly linear along a short way is a difference quotient.
#[test]
fn radial_contributions_of_a_row_near_the_average_are_differences_of_scores() {
    let settings = [
        ("candidates", "all"),
        ("terms", "labels"),
        ("features", "rbf"),
    ];
    let model = model("max-margin", &settings);
    let means = model.preprocessing().fill().to_vec();
    let score = |row: Vec<f64>| {
        let rows = Features::Dense(Matrix::new(1, row.len(), row).unwrap());
        model
            .explain(&rows, None, 9)
            .unwrap()
            .remove(0)
            .labels
            .remove(1)
    };
    for column in 0..means.len() {
        let mut near = means.clone();
        near[column] += 1e-3;
        let (at_means, own) = (score(means.clone()), score(near));
        let features = |part: &&mmoc::Part| part.kind == PartKind::Feature;
        let found: Vec<_> = own.parts.iter().filter(features).collect();
        assert_eq!(found.len(), 1, "{own:?}");
        assert_eq!(found[0].name, format!("x{column}"));
        let expected = own.score - at_means.score;
        let error = (found[0].contribution - expected).abs();
        assert!(error <= 1e-6 * expected.abs() + 1e-12, "{own:?} {expected}");
    }
}

#[test]
fn what_the_integral_leaves_out_is_small() {
    let settings = [
        ("candidates", "all"),
        ("terms", "labels+code"),
        ("features", "rbf"),
    ];
    for own in explained(&model("max-margin", &settings), 100) {
        for label in own.labels {
            let sizes = label.parts.iter().map(|part| part.contribution.abs());
            let largest = sizes.fold(0.0, f64::max);
            let rest = label
                .parts
                .iter()
                .find(|part| part.kind == PartKind::OtherFeatures);
            let rest = rest.map_or(0.0, |part| part.contribution.abs());
            assert!(rest < 1e-3 * largest, "{label:?}");
            assert!(label.parts.iter().all(|part| part.kind != PartKind::Term));
        }
    }
}

#[test]
fn terms_about_whole_sets_count_in_contrasts() {
    let settings = [
        ("candidates", "all"),
        ("terms", "frequency+neighbours+forest"),
        ("trees", "10"),
    ];
    let model = model("max-margin", &settings);
    let all = model.likeliest_sets(&data(), 2).unwrap();
    for (own, sets) in explained(&model, 2).iter().zip(&all) {
        assert!(own.labels.is_empty());
        let terms = &own.contrast.as_ref().unwrap().terms;
        let sum: f64 = terms.iter().map(|(_, own)| own).sum();
        let expected = (sets[0].probability / sets[1].probability).ln();
        assert!((sum - expected).abs() < 1e-6, "{sum} {expected}");
    }
}

#[test]
fn methods_without_scores_say_why() {
    let cases = [
        ("clr", WithoutScores::Votes),
        ("lead", WithoutScores::Network),
        ("coding-cs", WithoutScores::SparseRecovery),
    ];
    for (name, expected) in cases {
        let refused = model(name, &[]).explain(&data(), None, 3);
        assert!(
            matches!(refused, Err(Error::WithoutScores(reason)) if reason == expected),
            "{name}: {refused:?}"
        );
    }
}
