//! Methods that must agree in theory.

use mmoc::code::max_margin::MaxMarginParams;
use mmoc::code::{CcaParams, Code, PcaParams};
use mmoc::data::{Features, Labels, Matrix};
use mmoc::learn::ridge::RidgeParams;
use mmoc::learn::{BaseParams, PenaltyGrid, Training};
use mmoc::method::{Method, Predictor};
use mmoc::settings::Settings;
use mmoc::{Prediction, Seed};

const ROWS: usize = 120;
const LABELS: usize = 5;

/// Features, and labels that depend on them, on each other and on noise.
fn data(seed: u64) -> (Features, Labels) {
    let mut stream = Seed::new(seed).stream();
    let mut x = Matrix::zeros(ROWS, 8);
    x.values_mut()
        .iter_mut()
        .for_each(|value| *value = stream.gaussian());
    let noise: Vec<f64> = (0..ROWS * LABELS).map(|_| stream.gaussian()).collect();
    let labels = Labels::from_fn(ROWS, LABELS, |i, j| {
        x[(i, j)] + 0.8 * x[(i, 7)] + 0.7 * noise[i * LABELS + j] > 0.4
    });
    (Features::Dense(x), labels)
}

/// A method by name with settings `key=value`.
fn method(name: &str, settings: &[&str]) -> Method {
    let mut method: Method = name.parse().unwrap();
    for setting in settings {
        let (key, value) = setting.split_once('=').unwrap();
        method.set(key, value).unwrap();
    }
    method
}

fn fit(
    x: &Features,
    labels: &Labels,
    base: BaseParams,
    method: &Method,
) -> mmoc::Result<Predictor> {
    let training = Training::new(x.view(), labels, base, Seed::new(5))?;
    Ok(method.fit_on(&training)?.predictor)
}

/// The prediction of a method for new rows.
fn predict(base: &BaseParams, name: &str, settings: &[&str]) -> Prediction {
    let (x, labels) = data(1);
    let model = fit(&x, &labels, base.clone(), &method(name, settings)).unwrap();
    model.predict(data(2).0.view()).unwrap()
}

#[test]
fn full_rank_codes_at_one_penalty_equal_regressions_of_the_labels() {
    // With a common penalty a ridge regression is linear in its targets, so decoding a codeword of full rank gives
    // the regressions of the labels.
    let base = BaseParams {
        ridge: RidgeParams {
            penalties: PenaltyGrid::relative(vec![0.01]).unwrap(),
            ..RidgeParams::default()
        },
        ..BaseParams::default()
    };
    let (x, labels) = data(1);
    let training = Training::new(x.view(), &labels, base.clone(), Seed::new(5)).unwrap();
    let regressions = training.label_ridge().unwrap().model();
    let expected = regressions.predict(data(2).0.view()).unwrap();
    let rounded = Labels::from_fn(ROWS, LABELS, |i, j| expected[(i, j)] > 0.5);
    let codes: [(&str, &[&str]); 5] = [
        ("coding-pca", &[]),
        ("coding-pca", &["centre=true"]),
        ("coding-cs", &["projections=20", "sparsity=5"]),
        (
            "coding-cs",
            &["projections=5", "sparsity=5", "distribution=gaussian"],
        ),
        ("coding-cs", &["projections=20", "recovery=l1", "penalty=0"]),
    ];
    for (name, settings) in codes {
        let found = predict(&base, name, settings);
        let scores = found.scores.unwrap();
        for (a, b) in scores.values().iter().zip(expected.values()) {
            assert!((a - b).abs() < 1e-5, "{name} {settings:?}: {a}, {b}");
        }
        assert_eq!(found.labels, rounded, "{name} {settings:?}");
    }
}

/// The label set of minimum energy (eq. 15) of each new row, by enumeration.
fn minimum_energy(training: &Training<'_>, code: &Code, lambda: f64, x: &Features) -> Labels {
    let ridge = training.regress(&code.targets()).unwrap();
    let codewords = ridge.model().predict(x.view()).unwrap();
    let log_odds = training
        .classifiers()
        .unwrap()
        .model()
        .predict(x.view())
        .unwrap();
    let energy = |row: usize, set: usize| -> f64 {
        let carried = |label: usize| f64::from(u8::from(set >> label & 1 == 1));
        let from_codeword = (0..code.projections.columns()).map(|k| {
            let projected: f64 = (0..LABELS)
                .map(|j| code.projections[(j, k)] * carried(j))
                .sum();
            0.5 * (projected - codewords[(row, k)]).powi(2) / ridge.noise()[k]
        });
        let from_labels = (0..LABELS).map(|j| -lambda * carried(j) * log_odds[(row, j)]);
        from_codeword.sum::<f64>() + from_labels.sum::<f64>()
    };
    let best = |row: usize| {
        (0..1 << LABELS)
            .min_by(|&a, &b| energy(row, a).total_cmp(&energy(row, b)))
            .unwrap()
    };
    let sets: Vec<usize> = (0..x.view().rows()).map(best).collect();
    Labels::from_fn(sets.len(), LABELS, |row, label| sets[row] >> label & 1 == 1)
}

#[test]
fn codes_with_labels_predict_the_label_set_of_minimum_energy() {
    let ((x, labels), new) = (data(1), data(2).0);
    let training = Training::new(x.view(), &labels, BaseParams::default(), Seed::new(5)).unwrap();
    let codes = [
        ("coding-pca-r", PcaParams::default().fit(&labels).unwrap()),
        ("coding-cca", CcaParams::default().fit(&training).unwrap()),
        (
            "max-margin",
            MaxMarginParams::default().fit(&training).unwrap(),
        ),
    ];
    for (name, code) in codes {
        for lambda in ["0", "0.3", "1"] {
            let expected = minimum_energy(&training, &code, lambda.parse().unwrap(), &new);
            let lambda_set = format!("lambda={lambda}");
            let method = method(name, &["candidates=all", "weights=fixed", &lambda_set]);
            let model = method.fit_on(&training).unwrap().predictor;
            let found = model.predict(new.view()).unwrap().labels;
            assert_eq!(found, expected, "{name}, lambda {lambda}");
        }
    }
}

#[test]
fn codes_with_weight_on_classifiers_only_equal_binary_relevance() {
    let base = BaseParams::default();
    let expected = predict(&base, "br", &[]).labels;
    for name in ["coding-pca-r", "coding-cca", "max-margin"] {
        for inference in ["inference=exact", "inference=mean-field"] {
            let published = ["candidates=all", "weights=fixed", inference];
            let found = predict(&base, name, &[&published[..], &["lambda=1e6"]].concat());
            assert_eq!(found.labels, expected, "{name}, {inference}");
            let usual = predict(&base, name, &published);
            assert_ne!(usual.labels, expected, "{name}, {inference}");
        }
    }
}

#[test]
fn a_model_keeps_the_report_of_its_code() {
    let (x, labels) = data(1);
    for method in Method::all() {
        let model = fit(&x, &labels, BaseParams::default(), &method).unwrap();
        let has = (model.code().is_some(), model.solver_report().is_some());
        let coded = !["br", "clr", "lead"].contains(&method.name());
        assert_eq!(has, (coded, method.name() == "max-margin"), "{method}");
    }
}

#[test]
fn rejects_wrong_feature_counts_and_too_many_projections() {
    let (x, labels) = data(1);
    let narrow = Features::Dense(Matrix::zeros(3, 7));
    for method in Method::all() {
        let model = fit(&x, &labels, BaseParams::default(), &method).unwrap();
        assert!(model.predict(narrow.view()).is_err(), "{method}");
    }
    for name in ["coding-pca", "coding-pca-r", "coding-cca", "max-margin"] {
        let method = method(name, &["projections=6"]);
        let refused = fit(&x, &labels, BaseParams::default(), &method).unwrap_err();
        let expected = "projections must be from 1 to 5, the number of labels, not 6";
        assert_eq!(refused.to_string(), expected, "{name}");
    }
}

#[test]
fn constant_labels_are_predicted_with_and_without_classifiers() {
    let (x, labels) = data(1);
    let constant = Labels::from_fn(ROWS, LABELS, |i, j| match j {
        0 => true,
        1 => false,
        _ => labels.contains(i, j),
    });
    for settings in [&[][..], &["classifiers=false"], &["lambda=0"]] {
        let method = method("max-margin", settings);
        let model = fit(&x, &constant, BaseParams::default(), &method).unwrap();
        let found = model.predict(data(2).0.view()).unwrap();
        let probabilities = found.probabilities.unwrap();
        for i in 0..ROWS {
            assert!(found.labels.contains(i, 0) && !found.labels.contains(i, 1));
            assert!(probabilities[(i, 0)] > 0.9 && probabilities[(i, 1)] < 0.1);
        }
    }
}
