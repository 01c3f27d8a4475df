//! Model files: loading restores a saved model bitwise, and rejects everything else.

mod altered;
mod damage;
mod kept;
mod missing;
mod opened;
mod round_trip;

use mmoc::Model;
use mmoc::Silent;
use mmoc::data::{Csr, Dataset, Features, Labels, Matrix, Scaling};
use mmoc::learn::BaseParams;
use mmoc::method::Method;
use mmoc::posterior::{GivenEvidence, GivenKind};
use mmoc::settings::Settings;
use mmoc::train::TrainParams;
use mmoc::{Prediction, Seed};

/// Every method in every variant that affects its file.
const VARIANTS: [(&str, &[&str]); 28] = [
    ("br", &[]),
    ("br", &["candidates=seen"]),
    ("coding-cs", &["projections=8"]),
    ("coding-cs", &["distribution=bernoulli", "sparsity=1"]),
    ("coding-cs", &["recovery=l1", "penalty=0.02"]),
    ("coding-pca", &[]),
    ("coding-pca", &["centre=true", "projections=1"]),
    ("coding-pca-r", &[]),
    (
        "coding-pca-r",
        &[
            "inference=mean-field",
            "lambda=0.3",
            "candidates=all",
            "weights=fixed",
        ],
    ),
    ("coding-cca", &["candidates=all", "weights=fixed"]),
    (
        "coding-cca",
        &[
            "lambda=0",
            "inference=exact",
            "candidates=all",
            "weights=fixed",
        ],
    ),
    ("coding-cca", &["candidates=all", "decide=f1"]),
    (
        "coding-cca",
        &["terms=labels+code+frequency", "decide=micro-f1"],
    ),
    ("clr", &[]),
    ("clr", &["votes=soft"]),
    ("lead", &[]),
    ("lead", &["evidence=probabilities"]),
    ("lead", &["max-parents=0"]),
    ("max-margin", &[]),
    ("max-margin", &["classifiers=false"]),
    ("max-margin", &["regression=canonical"]),
    ("max-margin", &["regression=canonical", "terms=labels+code"]),
    (
        "max-margin",
        &[
            "terms=labels+code+frequency+neighbours+forest",
            "trees=5",
            "base.features=rbf",
        ],
    ),
    ("max-margin", &["terms=forest", "trees=3"]),
    ("coding-pca", &["base.features=rbf"]),
    ("lead", &["base.features=rbf"]),
    ("max-margin", &["c=1e-6"]),
    ("max-margin", &["algorithm=cutting-plane", "gap=1e-2"]),
];

fn params((name, settings): (&str, &[&str])) -> TrainParams {
    let mut method: Method = name.parse().unwrap();
    let mut base = quick();
    for setting in settings {
        let (key, value) = setting.split_once('=').unwrap();
        match key.strip_prefix("base.") {
            Some(key) => base.set(key, value).unwrap(),
            None => method.set(key, value).unwrap(),
        }
    }
    TrainParams {
        base,
        seed: 3,
        ..TrainParams::of(method)
    }
}

/// Base learners with few folds.
fn quick() -> BaseParams {
    let mut base = BaseParams::default();
    base.set("folds", "3").unwrap();
    base
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|k| format!("{prefix} {k}")).collect()
}

/// Rows with labels that depend on the features, on the previous label, and on noise. Half of the feature values
/// are zero; with `sparse` they are stored as sparse features.
fn data(rows: usize, columns: usize, labels: usize, sparse: bool, seed: u64) -> Dataset {
    let mut stream = Seed::new(seed).stream();
    let mut x = Matrix::zeros(rows, columns);
    x.values_mut()
        .iter_mut()
        .for_each(|value| *value = 2.0 * stream.gaussian().max(0.0));
    let mut carried = Matrix::zeros(rows, labels);
    for i in 0..rows {
        for j in 0..labels {
            let before = if j > 0 { carried[(i, j - 1)] } else { 0.0 };
            let holds = x[(i, j % columns)] - 1.2 * before + stream.gaussian() > 0.5;
            carried[(i, j)] = f64::from(u8::from(holds));
        }
    }
    let sets = Labels::from_fn(rows, labels, |i, j| carried[(i, j)] > 0.0);
    let features = if sparse {
        Features::Sparse(Csr::from(&x))
    } else {
        Features::Dense(x)
    };
    let (features_named, labels_named) = (names("feature", columns), names("label", labels));
    Dataset::new("data", features, sets, features_named, labels_named).unwrap()
}

fn train(params: &TrainParams, dataset: &Dataset) -> Model {
    params.train(dataset.view(), &Silent).unwrap()
}

fn bytes(trained: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    trained.write(&mut bytes).unwrap();
    bytes
}

/// A model with terms from outside, and their evidence.
fn with_given(dataset: &Dataset) -> (Model, [GivenEvidence; 2]) {
    let truth = dataset.labels().to_matrix();
    let mut stream = Seed::new(6).stream();
    let mut noisy = || {
        let noise = |i, j| truth[(i, j)] + 0.4 * stream.gaussian();
        Matrix::from_fn(truth.rows(), truth.columns(), noise)
    };
    let given = [
        GivenEvidence::new("boosting", GivenKind::LogOdds, noisy()).unwrap(),
        GivenEvidence::new("trees", GivenKind::Regression, noisy()).unwrap(),
    ];
    let params = params(("max-margin", &["terms=labels"]));
    let model = params.train_with(dataset.view(), &given, &Silent).unwrap();
    (model, given)
}

/// The bits of all values of a prediction.
fn bits(prediction: &Prediction) -> (Labels, Vec<u64>) {
    let parts = [&prediction.scores, &prediction.probabilities];
    let numbers = parts.into_iter().flatten().flat_map(Matrix::values);
    (
        prediction.labels.clone(),
        numbers.map(|value| value.to_bits()).collect(),
    )
}

/// A file of moderate size: six labels, thirty features.
fn moderate() -> Vec<u8> {
    let params = TrainParams {
        scaling: Scaling::Standard,
        ..params(("max-margin", &[]))
    };
    bytes(&train(&params, &data(60, 30, 6, false, 1)))
}
