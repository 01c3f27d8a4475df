//! The library as a Rust program uses it: setters, `fit`, `predict`, `score`, `split`.

use mmoc::code::Distribution;
use mmoc::code::max_margin::{Algorithm, LogOdds, Regression, Separation};
use mmoc::data::{Dataset, Features, Labels, Matrix, Scaling};
use mmoc::decode::{Inference, ParentEvidence, Votes};
use mmoc::learn::logistic::{ClassWeight, Criterion};
use mmoc::learn::ridge::RidgeSolver;
use mmoc::learn::{BaseParams, FeatureChoice, Training};
use mmoc::method::{
    BinaryRelevance, CalibratedRanking, CodingCca, CodingCs, CodingPca, CodingPcaR, Lead,
    MaxMargin, Method, Recovery, TermKind, Terms, Weights,
};
use mmoc::posterior::{CandidateSets, Decision};
use mmoc::settings::Settings;
use mmoc::train::TrainParams;
use mmoc::{Model, Seed, Silent};

fn names(start: &str, count: usize) -> Vec<String> {
    (0..count).map(|k| format!("{start}{k}")).collect()
}

fn data(rows: usize) -> Dataset {
    let mut stream = Seed::new(3).stream();
    let x = Matrix::from_fn(rows, 4, |_, _| stream.gaussian());
    let labels = Labels::from_fn(rows, 3, |i, j| x[(i, j)] + 0.5 * x[(i, 3)] > 0.0);
    let features = Features::Dense(x);
    Dataset::new("data", features, labels, names("x", 4), names("y", 3)).unwrap()
}

fn bytes(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    model.write(&mut bytes).unwrap();
    bytes
}

/// Every parameter must have another value than by default.
fn assert_all_set(default: &impl Settings, set: &impl Settings) {
    let pairs = default.parameters().into_iter().zip(set.parameters());
    for (before, after) in pairs {
        assert_ne!(before.value, after.value, "{}", before.name);
    }
}

#[test]
fn every_parameter_has_a_setter() {
    let max_margin = MaxMargin::default()
        .projections(2)
        .c(10.0)
        .classifiers(false)
        .separation(Separation::Exact)
        .penalty_factor(2.0)
        .regression(Regression::Canonical)
        .log_odds(LogOdds::InSample)
        .algorithm(Algorithm::CuttingPlane)
        .gap(1e-3)
        .max_iterations(7)
        .rank_tolerance(0.5)
        .lambda(2.0)
        .candidates(CandidateSets::All)
        .terms(Terms::of(&[TermKind::Labels, TermKind::Code]))
        .trees(10)
        .weights(Weights::Fixed)
        .inference(Inference::MeanField)
        .decide(Decision::F1);
    assert_all_set(&MaxMargin::default(), &max_margin);
    let cca = CodingCca::default()
        .projections(1)
        .ridge(0.5)
        .lambda(2.0)
        .candidates(CandidateSets::All)
        .terms(Terms::of(&[TermKind::Labels]))
        .trees(10)
        .weights(Weights::Fixed)
        .inference(Inference::Exact)
        .decide(Decision::Hamming);
    assert_all_set(&CodingCca::default(), &cca);
    let (pca, pca_r) = (CodingPca::default(), CodingPcaR::default());
    let centre = !pca.code.centre;
    assert_all_set(&pca.clone(), &pca.projections(1).centre(centre));
    let pca_r_set = pca_r.clone().projections(1).centre(!pca_r.code.centre);
    let pca_r_set = pca_r_set.lambda(0.0).weights(Weights::Fixed);
    let pca_r_set = pca_r_set
        .candidates(CandidateSets::All)
        .terms("labels+code+frequency".parse::<Terms>().unwrap())
        .trees(10);
    let pca_r_set = pca_r_set.decide(Decision::MacroF1);
    assert_all_set(&pca_r, &pca_r_set.inference(Inference::Exact));
    let br = BinaryRelevance::default().candidates(CandidateSets::Seen);
    assert_all_set(&BinaryRelevance::default(), &br.decide(Decision::MicroF1));
    let cs = CodingCs::default()
        .projections(5)
        .distribution(Distribution::Bernoulli)
        .recovery(Recovery::L1)
        .sparsity(2)
        .penalty(0.2);
    assert_all_set(&CodingCs::default(), &cs);
    let clr = CalibratedRanking::default();
    assert_all_set(&clr.clone(), &clr.votes(Votes::Soft));
    let lead = Lead::default()
        .max_parents(1)
        .evidence(ParentEvidence::Probabilities);
    assert_all_set(&Lead::default(), &lead);
    let base = BaseParams::default()
        .criterion(Criterion::F1)
        .penalty(0.1)
        .ridge_penalty(0.1)
        .ridge_solver(RidgeSolver::Iterative)
        .class_weight(ClassWeight::Balanced)
        .folds(3)
        .features(FeatureChoice::Rbf)
        .landmarks(7);
    assert_all_set(&BaseParams::default(), &base);
}

#[test]
fn fit_gives_the_model_of_training_with_the_same_parameters() {
    let data = data(40);
    let mut method: Method = "max-margin".parse().unwrap();
    method.set("c", "1e3").unwrap();
    let mut params = TrainParams::of(method);
    params.base.set("folds", "3").unwrap();
    params.seed = 5;
    params.scaling = Scaling::None;
    let trained = params.train(data.view(), &Silent).unwrap();
    let fitted = MaxMargin::default()
        .c(1e3)
        .base(BaseParams::default().folds(3))
        .seed(5)
        .scaling(Scaling::None)
        .fit(&data)
        .unwrap();
    assert_eq!(bytes(&fitted), bytes(&trained));
    let defaults = TrainParams::of("lead".parse().unwrap());
    let trained = defaults.train(data.view(), &Silent).unwrap();
    let fitted = Lead::default().fit(&data).unwrap();
    assert_eq!(bytes(&fitted), bytes(&trained));
}

#[test]
fn a_split_has_every_row_once_and_depends_on_the_seed_alone() {
    let data = data(50);
    let (train, test) = data.split(0.7, 1).unwrap();
    assert_eq!((train.rows(), test.rows()), (35, 15));
    let mut values: Vec<f64> = [&train, &test]
        .iter()
        .flat_map(|part| part.features().view().stored_values().to_vec())
        .collect();
    let mut expected = data.features().view().stored_values().to_vec();
    values.sort_by(f64::total_cmp);
    expected.sort_by(f64::total_cmp);
    assert_eq!(values, expected);
    assert_eq!(data.split(0.7, 1).unwrap(), (train.clone(), test));
    assert_ne!(data.split(0.7, 2).unwrap().0, train);
    for bad in [-0.1, 0.0, 1.0, 1.1, f64::NAN] {
        assert!(data.split(bad, 1).is_err(), "{bad}");
    }
}

#[test]
fn data_sets_with_other_columns_or_labels_are_refused() {
    let data = data(30);
    let model = CodingCca::default().fit(&data).unwrap();
    let named = |columns: Vec<String>, labels: Vec<String>| {
        let (features, sets) = (data.features().clone(), data.labels().clone());
        Dataset::new("other", features, sets, columns, labels).unwrap()
    };
    let scores = model.predict(&named(names("x", 4), names("y", 3)));
    assert!(scores.unwrap().score(&data).unwrap().subset_accuracy() > 0.3);
    let swapped = ["y1", "y0", "y2"].map(String::from).to_vec();
    for (columns, labels, expected) in [
        (names("z", 4), names("y", 3), "'x0' as column 1, found 'z0'"),
        (names("x", 4), swapped, "'y0' as label 1, found 'y1'"),
    ] {
        let message = model
            .predict(&named(columns, labels))
            .unwrap_err()
            .to_string();
        assert!(message.contains(expected), "{message}");
    }
    let fewer = data.keep_frequent_labels(2).unwrap();
    assert!(model.predict(&fewer).is_err());
    assert!(model.predict(fewer.features()).is_ok());
}

#[test]
fn classifiers_are_dropped_for_lambda_zero_only_where_it_is_fixed() {
    let data = data(40);
    for (weights, kept) in [(Weights::Fixed, false), (Weights::Fitted, true)] {
        let method = CodingCca::default().candidates(CandidateSets::All);
        let method = method.lambda(0.0).weights(weights);
        let model = method.clone().fit(&data).unwrap();
        let classifiers = &model.record().penalties.classifiers;
        assert_eq!(!classifiers.is_empty(), kept, "{weights:?}");
        // The parameter has no influence on weights that are fitted.
        let other = method.lambda(3.0).fit(&data).unwrap();
        let sets = |model: &Model| model.label_sets(&data).unwrap();
        assert!(!kept || sets(&model) == sets(&other), "{weights:?}");
    }
}

#[test]
fn each_method_has_a_ridge_record_of_its_own() {
    let data = data(40);
    let base = BaseParams::default().ridge_solver(RidgeSolver::Iterative);
    let features = data.features().view();
    let alone = |name: &str| {
        let own = Training::new(features, data.labels(), base.clone(), Seed::new(1)).unwrap();
        name.parse::<Method>().unwrap().fit_on(&own).unwrap();
        own.settle_usage().ridge
    };
    let shared = Training::new(features, data.labels(), base.clone(), Seed::new(1)).unwrap();
    for name in [
        "br",
        "coding-pca",
        "max-margin",
        "coding-pca-r",
        "br",
        "max-margin",
    ] {
        name.parse::<Method>().unwrap().fit_on(&shared).unwrap();
        let found = shared.settle_usage().ridge;
        assert_eq!(found, alone(name), "{name}");
        assert_eq!(found.is_some(), name != "br");
    }
}
