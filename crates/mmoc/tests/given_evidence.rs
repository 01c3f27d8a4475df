//! Evidence from outside of the model as terms of the posterior.

use std::collections::BTreeMap;

use mmoc::data::{Dataset, Features, FeaturesView, Labels, Matrix};
use mmoc::learn::{BaseParams, Training};
use mmoc::method::{Method, PredictorInput};
use mmoc::posterior::{GivenEvidence, GivenKind, LikelySet};
use mmoc::settings::Settings;
use mmoc::train::TrainParams;
use mmoc::{Model, Result, RowsWithEvidence, Seed, Silent};

const LABELS: usize = 3;
const SETS: usize = 1 << LABELS;

fn method(name: &str, settings: &[&str]) -> Method {
    let mut method: Method = name.parse().unwrap();
    for setting in settings {
        let (key, value) = setting.split_once('=').unwrap();
        method.set(key, value).unwrap();
    }
    method
}

fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
    let mut stream = Seed::new(seed).stream();
    Matrix::from_fn(rows, columns, |_, _| stream.gaussian())
}

/// Features that say little, and label sets that a score determines up to noise.
fn data(rows: usize) -> (Dataset, Matrix) {
    let (x, score, noise) = (
        random(rows, 4, 1),
        random(rows, LABELS, 2),
        random(rows, LABELS, 3),
    );
    let labels = Labels::from_fn(rows, LABELS, |i, j| {
        2.0 * score[(i, j)] + 0.3 * x[(i, j)] + 0.5 * noise[(i, j)] > 0.3
    });
    let names = |start: &str, count| (0..count).map(|k| format!("{start}{k}")).collect();
    let (features, own) = (names("x", 4), names("y", LABELS));
    let dataset = Dataset::new("rows", Features::Dense(x), labels, features, own).unwrap();
    (dataset, score)
}

fn params(method: Method) -> TrainParams {
    TrainParams::of(method).base(BaseParams::default().folds(3))
}

fn train(method: Method, dataset: &Dataset, given: &[GivenEvidence]) -> Result<Model> {
    params(method).train_with(dataset.view(), given, &Silent)
}

fn odds(name: &str, numbers: &Matrix) -> GivenEvidence {
    GivenEvidence::new(name, GivenKind::LogOdds, numbers.clone()).unwrap()
}

fn regression(name: &str, numbers: &Matrix) -> GivenEvidence {
    GivenEvidence::new(name, GivenKind::Regression, numbers.clone()).unwrap()
}

fn with<'a>(rows: &'a Dataset, evidence: &'a [GivenEvidence]) -> RowsWithEvidence<'a, &'a Dataset> {
    RowsWithEvidence { rows, evidence }
}

fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("not refused"),
        Err(error) => error.to_string(),
    }
}

/// The logarithm of the probability of each set in a row.
fn logarithms(row: &[LikelySet]) -> BTreeMap<Vec<u32>, f64> {
    assert_eq!(row.len(), SETS);
    let pairs = row
        .iter()
        .map(|set| (set.labels.clone(), set.probability.ln()));
    pairs.collect()
}

/// What the evidence adds to the score of a set, relative to the empty set, by comparison with a model without it.
fn added(given: &GivenEvidence) -> Vec<BTreeMap<Vec<u32>, f64>> {
    let (dataset, _) = data(60);
    // With fixed weights, all sets and another decision than that of the paper nothing but the term differs.
    let fixed = || {
        method(
            "coding-cca",
            &["weights=fixed", "candidates=all", "decide=f1"],
        )
    };
    let given = std::slice::from_ref(given);
    let model = train(fixed(), &dataset, given).unwrap();
    let plain = train(fixed(), &dataset, &[]).unwrap();
    let found = model.likeliest_sets(with(&dataset, given), SETS).unwrap();
    let without = plain.likeliest_sets(&dataset, SETS).unwrap();
    let rows = found.iter().zip(&without).map(|(found, without)| {
        let (found, without) = (logarithms(found), logarithms(without));
        let empty = found[&vec![]] - without[&vec![]];
        let differences = found
            .into_iter()
            .map(|(set, value)| (set.clone(), value - without[&set] - empty));
        differences.collect()
    });
    rows.collect()
}

fn assert_added(given: &GivenEvidence, expected: impl Fn(usize, &[f64]) -> f64) {
    for (row, sets) in added(given).into_iter().enumerate() {
        let none = expected(row, &[0.0; LABELS]);
        for (set, found) in sets {
            let mut carried = [0.0; LABELS];
            set.iter().for_each(|&label| carried[label as usize] = 1.0);
            let expected = expected(row, &carried) - none;
            let close = (found - expected).abs() < 1e-6 * (1.0 + expected.abs());
            assert!(close, "row {row}, {set:?}: {found} {expected}");
        }
    }
}

#[test]
fn log_odds_add_themselves_for_each_label_of_a_set() {
    let numbers = random(60, LABELS, 7);
    assert_added(&odds("mine", &numbers), |row, set| {
        set.iter().zip(numbers.row(row)).map(|(y, l)| y * l).sum()
    });
}

#[test]
fn regressions_add_the_gaussian_logarithm_of_their_errors() {
    let rows = 60;
    let (dataset, _) = data(rows);
    let truth = dataset.labels().to_matrix();
    let noise = random(rows, 2, 8);
    // Errors of the first two labels are dependent.
    let error = |i: usize, j: usize| {
        0.4 * noise[(i, j.min(1))] + if j == 1 { 0.4 * noise[(i, 0)] } else { 0.0 }
    };
    let numbers = Matrix::from_fn(rows, LABELS, |i, j| truth[(i, j)] - error(i, j));
    // The covariance, with entries off its diagonal lower by two hundredths.
    let mut covariance = Matrix::from_fn(LABELS, LABELS, |j, k| {
        let products: f64 = (0..rows).map(|i| error(i, j) * error(i, k)).sum();
        products / rows as f64 * if j == k { 1.0 } else { 0.98 }
    });
    let inverse = inverse(&mut covariance);
    assert_added(&regression("mine", &numbers), |row, set| {
        let error: Vec<f64> = set
            .iter()
            .zip(numbers.row(row))
            .map(|(y, m)| y - m)
            .collect();
        let products = (0..LABELS).flat_map(|j| (0..LABELS).map(move |k| (j, k)));
        -0.5 * products
            .map(|(j, k)| error[j] * inverse[(j, k)] * error[k])
            .sum::<f64>()
    });
}

/// The inverse by Gauss and Jordan.
fn inverse(matrix: &mut Matrix) -> Matrix {
    let size = matrix.rows();
    let mut inverse = Matrix::from_fn(size, size, |j, k| f64::from(u8::from(j == k)));
    for pivot in 0..size {
        let scale = matrix[(pivot, pivot)];
        for k in 0..size {
            matrix[(pivot, k)] /= scale;
            inverse[(pivot, k)] /= scale;
        }
        for j in (0..size).filter(|&j| j != pivot) {
            let factor = matrix[(j, pivot)];
            for k in 0..size {
                let (own, other) = (matrix[(pivot, k)], inverse[(pivot, k)]);
                matrix[(j, k)] -= factor * own;
                inverse[(j, k)] -= factor * other;
            }
        }
    }
    inverse
}

#[test]
fn given_log_odds_of_the_models_own_classifiers_are_as_good_as_its_classifiers() {
    let (dataset, _) = data(150);
    let x = dataset.features().view();
    let training = |given| {
        let base = BaseParams::default().folds(3);
        let training = Training::new(x, dataset.labels(), base, Seed::new(5)).unwrap();
        training.with_evidence(given).unwrap()
    };
    let own = training(&[]);
    let held_out = [odds("mine", own.out_of_fold().unwrap().log_odds())];
    let alone = method("coding-cca", &["terms=labels+frequency"]);
    let alone = alone.fit_on(&own).unwrap();
    let brought = method("coding-cca", &["terms=frequency"]);
    let brought = brought.fit_on(&training(&held_out)).unwrap();
    let weights = |fitted: &mmoc::method::Fitted| -> BTreeMap<String, f64> {
        let posterior = fitted.predictor.posterior().unwrap();
        let pairs = posterior.weights();
        pairs
            .map(|(name, weight)| (name.replace("mine", "labels"), weight))
            .collect()
    };
    for (name, weight) in weights(&alone) {
        assert!((weights(&brought)[&name] - weight).abs() < 1e-4, "{name}");
    }
    let new = random(200, 4, 9);
    let features = FeaturesView::Dense(new.view());
    let given = own
        .classifiers()
        .unwrap()
        .model()
        .predict(features)
        .unwrap();
    let input = PredictorInput {
        features,
        given: Some(&given),
    };
    let expected = alone.predictor.predict(features).unwrap();
    let found = brought.predictor.predict(input).unwrap();
    assert_eq!(found.labels, expected.labels);
    assert_eq!(
        brought.predictor.label_sets(input).unwrap(),
        expected.labels
    );
    let probabilities = |found: mmoc::Prediction| found.probabilities.unwrap().into_values();
    for (a, b) in probabilities(found)
        .into_iter()
        .zip(probabilities(expected))
    {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
}

#[test]
fn training_rows_decide_whether_evidence_enters() {
    let (dataset, score) = data(200);
    let auto = || method("coding-cca", &["trees=20"]);
    let good = Matrix::from_fn(200, LABELS, |i, j| 6.0 * score[(i, j)] - 1.0);
    let found = train(auto(), &dataset, &[odds("good", &good)]).unwrap();
    assert_eq!(found.given_evidence(), [("good", GivenKind::LogOdds)]);
    let record = found.record().posterior.as_ref().unwrap();
    let term = record.terms.last().unwrap();
    assert_eq!(term.name, "good");
    assert!(term.weight > 0.2 && term.worth > 0.2, "{term:?}");
    // A form has the evidence exactly if it has everything else in its feature space.
    let forms = record.forms.iter();
    let with_given = forms.filter(|form| form.terms.contains(&"good".into()));
    assert!(with_given.clone().count() > 0);
    for form in with_given {
        assert_eq!(form.terms.last().unwrap(), "good");
        assert!(form.terms.contains(&"forest".into()), "{form:?}");
    }

    let useless = [odds("noise", &random(200, LABELS, 10))];
    let found = train(auto(), &dataset, &useless).unwrap();
    assert!(found.given_evidence().is_empty());
    let names = |model: &Model| -> Vec<String> {
        let terms = &model.record().posterior.as_ref().unwrap().terms;
        terms.iter().map(|term| term.name.clone()).collect()
    };
    // It may be brought, as the caller cannot know what was chosen.
    let expected = found.predict(&dataset).unwrap();
    assert_eq!(found.predict(with(&dataset, &useless)).unwrap(), expected);

    let asked = method("coding-cca", &["terms=labels+code"]);
    let both = [useless[0].clone(), regression("good", &good)];
    let found = train(asked, &dataset, &both).unwrap();
    assert_eq!(names(&found), ["labels", "code", "noise", "good"]);
    // Evidence is found by name.
    let turned = [both[1].clone(), both[0].clone()];
    let expected = found.predict(with(&dataset, &both)).unwrap();
    assert_eq!(found.predict(with(&dataset, &turned)).unwrap(), expected);
}

#[test]
fn radial_basis_functions_come_before_given_evidence() {
    let (dataset, score) = data(80);
    let given = [odds("mine", &score)];
    let mut params = params(method("max-margin", &["terms=labels+code"]));
    params.base.set("features", "rbf").unwrap();
    let model = params.train_with(dataset.view(), &given, &Silent).unwrap();
    let terms = model.record().posterior.clone().unwrap().terms;
    assert_eq!(terms[0].name, "labels-rbf");
    assert_eq!(terms.last().unwrap().name, "mine");
    let found = model.predict(with(&dataset, &given)).unwrap();
    // Outputs in another order would be worse than the score by itself.
    assert!(found.score(&dataset).unwrap().subset_accuracy() > 0.7);
}

#[test]
fn batches_have_the_evidence_of_their_rows() {
    let (dataset, score) = data(60);
    let given = [odds("mine", &score)];
    let model = train(method("coding-cca", &["terms=labels"]), &dataset, &given).unwrap();
    // More rows than a batch has.
    let rows: Vec<usize> = (0..5000).map(|row| row % 60).collect();
    let many = dataset.select_rows(&rows).unwrap();
    let evidence = [odds("mine", &score.view().select_rows(&rows))];
    let found = model.label_sets(with(&many, &evidence)).unwrap();
    let expected = model.label_sets(with(&dataset, &given)).unwrap();
    assert_eq!(found, expected.select_rows(&rows));
}

#[test]
fn evidence_that_does_not_fit_is_refused() {
    let (dataset, score) = data(60);
    let labels = || method("coding-cca", &["terms=labels"]);
    let short = odds("mine", &Matrix::zeros(59, LABELS));
    let found = message(train(labels(), &dataset, std::slice::from_ref(&short)));
    assert_eq!(found, "rows of given evidence: expected 60, found 59");
    let narrow = odds("mine", &Matrix::zeros(60, 2));
    let found = message(train(labels(), &dataset, &[narrow]));
    assert_eq!(found, "labels of given evidence: expected 3, found 2");
    let given = odds("mine", &score);
    let found = message(train(labels(), &dataset, &[given.clone(), given.clone()]));
    assert_eq!(
        found,
        "the name of given evidence must be used once, not 'mine'"
    );

    let both = [given.clone(), odds("other", &score)];
    let model = train(labels(), &dataset, &both).unwrap();
    let missing = "the model needs the evidence 'mine', 'other', which comes from outside of the model and was not given";
    assert_eq!(message(model.predict(&dataset)), missing);
    assert_eq!(message(model.label_sets(&dataset)), missing);
    assert_eq!(message(model.likeliest_sets(&dataset, 2)), missing);
    assert_eq!(
        message(model.predictor().predict(dataset.features().view())),
        missing
    );
    let found = message(model.predict(with(&dataset, &both[..1])));
    assert!(found.contains("the evidence 'other', which"), "{found}");
    let found = message(model.predict(with(&dataset, &[short, both[1].clone()])));
    assert_eq!(found, "rows of given evidence: expected 60, found 59");
    let wrong = [regression("mine", &score), both[1].clone()];
    let found = message(model.predict(with(&dataset, &wrong)));
    assert_eq!(
        found,
        "not valid: expected log-odds as the evidence 'mine', found regression"
    );
}

#[test]
fn methods_without_a_posterior_refuse_evidence() {
    let (dataset, score) = data(60);
    let given = [odds("mine", &score)];
    let published: &[&str] = &["weights=fixed", "candidates=all"];
    let without = [
        ("br", &[][..]),
        ("clr", &[]),
        ("lead", &[]),
        ("coding-pca", &[]),
        ("coding-cs", &[]),
        ("max-margin", published),
    ];
    for (name, settings) in without {
        let found = message(train(method(name, settings), &dataset, &given));
        let expected = format!(
            "the method must be one with a posterior over label sets, as the evidence 'mine' is a term of it, not \
             {name} with these parameters"
        );
        assert_eq!(found, expected);
    }
    for (name, settings) in [("br", &["candidates=seen"][..]), ("coding-pca-r", &[])] {
        let model = train(method(name, settings), &dataset, &given).unwrap();
        assert_eq!(model.given_evidence().len(), 1, "{name}");
        model.predict(with(&dataset, &given)).unwrap();
    }
}
