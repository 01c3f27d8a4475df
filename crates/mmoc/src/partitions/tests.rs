//! Rows in partitions against rows in memory, which is the same algorithm on the same folds.

use super::*;
use crate::code::CodeReport;
use crate::data::{
    Attribute, Csr, DatasetView, Features, FeaturesView, Folds, Labels, Matrix, Missing, Scaling,
    Schema, Targets,
};
use crate::method::{
    BinaryRelevance, CodingCca, CodingCs, CodingPca, CodingPcaR, MaxMargin, Method, Predictor,
};
use crate::train::TrainParams;
use crate::{Model, Seed, Silent};

const ROWS: usize = 240;
const COLUMNS: usize = 9;
const LABELS: usize = 4;

/// Rows whose labels depend on the features.
struct Example {
    x: Features,
    labels: Labels,
    weights: Option<Vec<f64>>,
    schema: Schema,
}

impl Example {
    fn new(sparse: bool, weighted: bool) -> Self {
        let mut stream = Seed::new(5).stream();
        let mut x = Matrix::from_fn(ROWS, COLUMNS, |_, _| stream.gaussian() + 0.3);
        if sparse {
            x.values_mut()
                .iter_mut()
                .for_each(|v| *v = (*v - 0.5).max(0.0));
        } else {
            // A column of its own unit.
            (0..ROWS).for_each(|row| x[(row, 2)] = 50.0 + 9.0 * x[(row, 2)]);
        }
        let noise = Matrix::from_fn(ROWS, LABELS, |_, _| stream.gaussian());
        let labels = Labels::from_fn(ROWS, LABELS, |i, j| {
            let common = x[(i, 3)] - 0.5;
            x[(i, j)] * f64::from(u8::from(j != 2)) + common + noise[(i, j)] > 0.6
        });
        let names = |start: &str, count: usize| -> Vec<String> {
            (0..count).map(|k| format!("{start}{k}")).collect()
        };
        let attributes = names("x", COLUMNS).into_iter().map(Attribute::numeric);
        let weights = weighted.then(|| (0..ROWS).map(|row| 0.5 + (row % 5) as f64).collect());
        Self {
            schema: Schema::new(attributes.collect(), names("y", LABELS), sparse).unwrap(),
            x: if sparse {
                Features::Sparse(Csr::from(&x))
            } else {
                Features::Dense(x)
            },
            labels,
            weights,
        }
    }

    fn partition(&self, rows: std::ops::Range<usize>) -> Partition {
        let rows: Vec<usize> = rows.collect();
        let weights = self.weights.as_ref();
        Partition::new(
            self.x.view().select_rows(&rows),
            self.labels.select_rows(&rows),
            weights.map(|weights| rows.iter().map(|&row| weights[row]).collect()),
        )
        .unwrap()
    }

    /// Partitions that end before the given rows.
    fn partitions(&self, ends: &[usize]) -> InMemory {
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let ends = ends.iter().copied().chain([ROWS]);
        InMemory::new(
            starts
                .zip(ends)
                .map(|(a, b)| self.partition(a..b))
                .collect(),
        )
    }

    fn distributed(&self, params: &TrainParams, ends: &[usize]) -> Model {
        let rows = Box::new(self.partitions(ends));
        let data = PartitionedData::new("rows", rows, &self.schema);
        params.train_on_partitions(data, &Silent).unwrap()
    }

    fn local(&self, params: &TrainParams) -> Model {
        let folds = self
            .partition(0..ROWS)
            .folds(params.base.logistic.folds, params.seed);
        let targets = Targets::new(&self.labels)
            .with_weights(self.weights.as_deref())
            .unwrap();
        let dataset = DatasetView::new("rows", self.x.view(), targets, &self.schema).unwrap();
        let folds = Folds::new(folds).unwrap();
        params.train_in_folds(dataset, folds, &[], &Silent).unwrap()
    }
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected
        .iter()
        .fold(0.0f64, |largest, v| largest.max(v.abs()));
    for (a, b) in found.iter().zip(expected) {
        assert!(
            (a - b).abs() <= tolerance * largest.max(1e-300),
            "{what}: {a} is not {b}"
        );
    }
}

fn assert_same_model(found: &Model, expected: &Model, x: FeaturesView<'_>) {
    let name = expected.params().method.name();
    let (own, other) = (found.preprocessing(), expected.preprocessing());
    assert_close(own.scale(), other.scale(), 1e-12, "scale");
    assert_close(own.fill(), other.fill(), 1e-12, "fill");
    let (own, other) = (found.record(), expected.record());
    assert_close(
        &own.penalties.classifiers,
        &other.penalties.classifiers,
        1e-12,
        "penalties",
    );
    assert_close(
        &own.penalties.codewords,
        &other.penalties.codewords,
        1e-12,
        "penalties",
    );
    let (own, other) = (found.predictor(), expected.predictor());
    if own.posterior().is_ok() {
        // Directions of a code have any basis of their span; what they say about labels does not depend on it.
        let says = |model: &Model| {
            let scaled = model.preprocessing().apply(x).unwrap();
            model.predictor().evidence_of_terms(scaled.view()).unwrap()
        };
        for (own, other) in says(found).iter().zip(&says(expected)) {
            assert_close(own.values(), other.values(), 1e-9, "terms");
        }
    } else {
        let coefficients = |own: &Predictor| own.outputs().coefficients().values().to_vec();
        assert_close(&coefficients(own), &coefficients(other), 1e-9, name);
        let intercepts = |own: &Predictor| own.outputs().intercepts().to_vec();
        assert_close(&intercepts(own), &intercepts(other), 1e-9, name);
    }
    if let (Some(own), Some(other)) = (own.code(), other.code()) {
        assert_close(
            own.projections.values(),
            other.projections.values(),
            1e-8,
            name,
        );
        if let (
            CodeReport::MaxMargin { metric: own, .. },
            CodeReport::MaxMargin { metric: other, .. },
        ) = (&own.report, &other.report)
        {
            assert_close(own.values(), other.values(), 1e-9, "metric");
        }
    }
    let (own, other) = (found.record(), expected.record());
    assert_eq!(own.scaling, other.scaling);
    assert_eq!(own.rows, other.rows);
    for (metric, value) in &other.estimates {
        assert!((own.estimates[metric] - value).abs() < 1e-9, "{metric:?}");
    }
    let (own, other) = (found.predict(x).unwrap(), expected.predict(x).unwrap());
    assert_eq!(own.labels, other.labels, "{name}");
    if let (Some(own), Some(other)) = (own.probabilities, other.probabilities) {
        assert_close(own.values(), other.values(), 1e-9, name);
    }
}

fn linear(mut method: Method) -> TrainParams {
    use crate::settings::Settings;
    if method.decoding().is_some() {
        method.set("terms", "labels+code+frequency").unwrap();
    }
    let mut params = TrainParams::of(method);
    params.base.features = crate::learn::FeatureChoice::Linear;
    params
}

fn methods() -> Vec<Method> {
    vec![
        BinaryRelevance::default().into(),
        CodingCs::default().into(),
        CodingPca::default().into(),
        CodingPcaR::default().into(),
        CodingCca::default().into(),
        MaxMargin::default().into(),
    ]
}

#[test]
fn models_are_those_of_rows_in_memory() {
    for (sparse, weighted) in [(false, false), (true, false), (false, true), (true, true)] {
        let example = Example::new(sparse, weighted);
        for method in methods() {
            let params = linear(method);
            let expected = example.local(&params);
            let found = example.distributed(&params, &[70, 70, 193]);
            assert_same_model(&found, &expected, example.x.view());
        }
    }
}

#[test]
fn partitionings_do_not_matter() {
    for sparse in [false, true] {
        let example = Example::new(sparse, false);
        let params = linear(MaxMargin::default().into());
        let expected = example.local(&params);
        for ends in [vec![], vec![1, 2, 3], vec![0, 120, ROWS]] {
            let found = example.distributed(&params, &ends);
            assert_same_model(&found, &expected, example.x.view());
            assert_eq!(
                found.record().fingerprint,
                example.distributed(&params, &[40]).record().fingerprint
            );
        }
    }
}

#[test]
fn neither_threads_nor_messages_change_a_bit() {
    let example = Example::new(true, true);
    let params = linear(MaxMargin::default().into());
    let train = || {
        let mut bytes = Vec::new();
        example
            .distributed(&params, &[31, 150])
            .write(&mut bytes)
            .unwrap();
        bytes
    };
    let expected = crate::with_threads(1, train).unwrap();
    assert_eq!(crate::with_threads(3, train).unwrap(), expected);
    let partition = example.partition(3..90);
    let again = Partition::from_bytes(&partition.to_bytes()).unwrap();
    assert_eq!(again.features(), partition.features());
    assert_eq!(again.labels(), partition.labels());
    assert_eq!(again.folds(7, 1), partition.folds(7, 1));
    assert!(Partition::from_bytes(&partition.to_bytes()[..100]).is_err());
}

#[test]
fn parameters_of_base_learners_reach_partitions() {
    use crate::settings::Settings;
    let example = Example::new(false, false);
    for (key, value) in [
        ("criterion", "f1"),
        ("criterion", "error"),
        ("penalty", "0.01"),
        ("ridge-penalty", "0.02"),
        ("class-weight", "balanced"),
        ("class-weight", "1+2+3+0.5"),
        ("folds", "3"),
    ] {
        let mut params = linear(MaxMargin::default().into());
        params.base.set(key, value).unwrap();
        let expected = example.local(&params);
        let found = example.distributed(&params, &[100]);
        assert_same_model(&found, &expected, example.x.view());
    }
    for (key, value) in [
        ("log-odds", "in-sample"),
        ("regression", "canonical"),
        ("weights", "fixed"),
    ] {
        let mut params = linear(MaxMargin::default().into());
        params.method.set(key, value).unwrap();
        let expected = example.local(&params);
        let found = example.distributed(&params, &[100]);
        assert_same_model(&found, &expected, example.x.view());
    }
}

#[test]
fn missing_cells_and_scaling_are_those_of_rows_in_memory() {
    let mut example = Example::new(false, true);
    if let Features::Dense(x) = &mut example.x {
        for row in (0..ROWS).step_by(7) {
            x[(row, row % COLUMNS)] = f64::NAN;
        }
    }
    for missing in [Missing::Mean, Missing::Indicator] {
        for scaling in [Scaling::None, Scaling::Standard] {
            let params = linear(BinaryRelevance::default().into());
            let params = params.missing(missing).scaling(scaling);
            let expected = example.local(&params);
            let found = example.distributed(&params, &[100, 101]);
            assert_same_model(&found, &expected, example.x.view());
            assert_eq!(
                found.preprocessing().indicators(),
                expected.preprocessing().indicators()
            );
        }
    }
    let params = linear(BinaryRelevance::default().into()).missing(Missing::Median);
    let rows = Box::new(example.partitions(&[]));
    let data = PartitionedData::new("rows", rows, &example.schema);
    assert!(params.train_on_partitions(data, &Silent).is_err());
}

#[test]
fn a_sample_learns_nearly_the_same_and_does_not_depend_on_partitions() {
    let example = Example::new(false, false);
    let params = linear(MaxMargin::default().into());
    let sampled = |ends: &[usize]| {
        let rows = Box::new(example.partitions(ends));
        let data = PartitionedData::new("rows", rows, &example.schema).sample_rows(150);
        params.train_on_partitions(data, &Silent).unwrap()
    };
    let (found, again) = (sampled(&[100]), sampled(&[20, 180]));
    assert_same_model(&found, &again, example.x.view());
    // Classifiers are those of all rows at the penalties that were chosen.
    let expected = example.local(&params);
    let x = example.x.view();
    let (own, other) = (found.predict(x).unwrap(), expected.predict(x).unwrap());
    let same = own
        .labels
        .iter()
        .zip(other.labels.iter())
        .filter(|(a, b)| a == b);
    assert!(same.count() > ROWS * 3 / 4);
    assert_eq!(found.record().rows, ROWS);
}

#[test]
fn what_is_no_sum_over_rows_is_refused() {
    use crate::settings::Settings;
    let refused = |params: &TrainParams| params.check_partitioned().unwrap_err().to_string();
    for name in ["clr", "lead"] {
        let text = refused(&TrainParams::of(name.parse().unwrap()));
        assert!(text.contains(name), "{text}");
    }
    let mut params = TrainParams::from(MaxMargin::default());
    params.method.set("terms", "labels+forest").unwrap();
    assert!(refused(&params).contains("not forest"));
    let mut params = TrainParams::from(MaxMargin::default());
    params.base.set("features", "rbf").unwrap();
    assert!(refused(&params).contains("not rbf"));
}

#[test]
fn labels_that_never_vary_and_folds_without_them_are_ordinary() {
    let mut example = Example::new(false, false);
    let labels = &example.labels;
    example.labels = Labels::from_fn(ROWS, LABELS, |i, j| match j {
        0 => true,
        1 => i == 17,
        _ => labels.contains(i, j),
    });
    for method in methods() {
        let params = linear(method);
        let expected = example.local(&params);
        let found = example.distributed(&params, &[100]);
        assert_same_model(&found, &expected, example.x.view());
    }
}

#[test]
fn partitions_that_differ_and_too_few_rows_are_refused() {
    let example = Example::new(false, false);
    let params = linear(BinaryRelevance::default().into());
    let train = |partitions: Vec<Partition>| {
        let rows = Box::new(InMemory::new(partitions));
        let data = PartitionedData::new("rows", rows, &example.schema);
        params.train_on_partitions(data, &Silent)
    };
    assert!(train(vec![]).is_err());
    assert!(train(vec![example.partition(0..0)]).is_err());
    assert!(train(vec![example.partition(0..1)]).is_err());
    let other = Features::Dense(Matrix::zeros(3, COLUMNS + 1));
    let other = Partition::new(other, example.labels.select_rows(&[0, 1, 2]), None).unwrap();
    assert!(train(vec![example.partition(0..50), other]).is_err());
}
