//! Folds of classifiers are fitted only to choose penalties or for out-of-fold predictions, and change nothing
//! else.

use mmoc::Model;
use mmoc::data::{Csr, Dataset, Features, Labels, Matrix};
use mmoc::learn::{BaseParams, PenaltyGrid, Training};
use mmoc::method::{Method, Preset};
use mmoc::settings::Settings;
use mmoc::train::{Estimates, TrainParams};
use mmoc::{Seed, Silent, with_threads};

const ROWS: usize = 60;
const LABELS: usize = 5;
const FOLDS: usize = 5;

/// Features, half of them zero, dense or sparse, and labels that depend on them, on the previous label and on
/// noise.
fn data(sparse: bool) -> (Features, Labels) {
    let mut stream = Seed::new(11).stream();
    let mut x = Matrix::zeros(ROWS, 7);
    let values = x.values_mut().iter_mut();
    values.for_each(|value| *value = stream.gaussian().max(0.0));
    let noise: Vec<f64> = (0..ROWS * LABELS).map(|_| stream.gaussian()).collect();
    let holds = |i: usize, j: usize| x[(i, j)] + 0.5 * noise[i * LABELS + j] > 0.6;
    let labels = Labels::from_fn(ROWS, LABELS, |i, j| {
        holds(i, j) || (j > 0 && holds(i, j - 1))
    });
    let features = if sparse {
        Features::Sparse(Csr::from(&x))
    } else {
        Features::Dense(x)
    };
    (features, labels)
}

fn given() -> BaseParams {
    let mut base = BaseParams::default();
    base.set("penalty", "1e-3").unwrap();
    base
}

fn bits<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
    values.into_iter().map(|value| value.to_bits()).collect()
}

/// The bits of coefficients and intercepts, and of the out-of-fold log-odds.
fn both(training: &Training<'_>, folds_first: bool) -> [Vec<u64>; 2] {
    if folds_first {
        training.out_of_fold().unwrap();
    }
    let model = training.classifiers().unwrap().model();
    let coefficients = model.coefficients().values().iter();
    [
        bits(coefficients.chain(model.intercepts())),
        bits(training.out_of_fold().unwrap().log_odds().values()),
    ]
}

#[test]
fn classifiers_and_folds_do_not_depend_on_order_or_number_of_threads() {
    for sparse in [false, true] {
        let (x, labels) = data(sparse);
        for base in [given(), BaseParams::default()] {
            let on = |threads, folds_first| {
                let work = || {
                    let training =
                        Training::new(x.view(), &labels, base.clone(), Seed::new(3)).unwrap();
                    both(&training, folds_first)
                };
                with_threads(threads, work).unwrap()
            };
            let expected = on(1, false);
            for (threads, folds_first) in [(1, true), (3, false), (3, true)] {
                assert_eq!(on(threads, folds_first), expected, "sparse: {sparse}");
            }
        }
    }
}

#[test]
fn out_of_fold_log_odds_agree_with_fits_without_the_fold() {
    for sparse in [false, true] {
        let (x, labels) = data(sparse);
        let mut base = BaseParams::default();
        // An absolute penalty, which does not depend on the number of rows, and folds solved to eight digits.
        base.logistic.penalties = PenaltyGrid::absolute(vec![0.5]).unwrap();
        base.logistic.tolerance = 1e-16;
        let training = Training::new(x.view(), &labels, base.clone(), Seed::new(3)).unwrap();
        let found = training.out_of_fold().unwrap().log_odds();
        let folds = training.folds().unwrap();
        base.logistic.tolerance = 1e-10;
        for split in (0..folds.count()).map(|fold| folds.split(fold)) {
            let seen = x.view().select_rows(&split.train);
            let own = labels.select_rows(&split.train);
            let refit = Training::new(seen.view(), &own, base.clone(), Seed::new(1)).unwrap();
            let unseen = x.view().select_rows(&split.test);
            let model = refit.classifiers().unwrap().model();
            let expected = model.predict(unseen.view()).unwrap();
            for (k, &row) in split.test.iter().enumerate() {
                for (a, b) in found.row(row).iter().zip(expected.row(k)) {
                    assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{a} {b}");
                }
            }
        }
    }
}

#[test]
fn folds_are_fitted_to_choose_penalties_or_on_demand() {
    let (x, labels) = data(false);
    let training = |base| Training::new(x.view(), &labels, base, Seed::new(3)).unwrap();
    let one = training(given());
    assert!(!one.has_out_of_fold());
    let record = one.classifiers().unwrap().record();
    assert_eq!(record.regressions, LABELS);
    let usage = one.settle_usage();
    assert!(usage.classifiers && !usage.out_of_fold);
    assert_eq!(one.logistic_record(usage).as_ref(), Some(record));
    let folds = one.out_of_fold().unwrap().record().regressions;
    assert_eq!(folds, LABELS * FOLDS);
    assert!(one.has_out_of_fold());
    let usage = one.settle_usage();
    assert!(!usage.classifiers && usage.out_of_fold);
    assert_eq!(one.logistic_record(usage).unwrap().regressions, folds);

    let many = training(BaseParams::default());
    assert!(many.has_out_of_fold());
    let kept = many.out_of_fold().unwrap().record().regressions;
    assert_eq!(kept, 13 * LABELS * FOLDS);
    let usage = many.settle_usage();
    assert!(usage.classifiers && !usage.out_of_fold);
    let all = many.logistic_record(usage).unwrap().regressions;
    assert_eq!(all, kept + LABELS);
}

fn train(method: &Method, base: &BaseParams, estimates: Estimates, sparse: bool) -> Model {
    let (x, labels) = data(sparse);
    let names = |prefix: &str, count: usize| (0..count).map(|k| format!("{prefix}{k}")).collect();
    let dataset = Dataset::new("data", x, labels, names("x", 7), names("y", LABELS)).unwrap();
    let params = TrainParams {
        base: base.clone(),
        estimates,
        ..TrainParams::of(method.clone())
    };
    params.train(dataset.view(), &Silent).unwrap()
}

/// The bytes of the model file without estimates and the regressions made for them.
fn rest_of(trained: &Model) -> (Vec<u8>, String) {
    let mut bytes = Vec::new();
    trained.write(&mut bytes).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap());
    let (header, tensors) = bytes[8..].split_at(usize::try_from(length).unwrap());
    let header: serde_json::Value = serde_json::from_slice(header).unwrap();
    let description = header["__metadata__"]["mmoc"].as_str().unwrap();
    let mut description: serde_json::Value = serde_json::from_str(description).unwrap();
    description["record"]["estimates"].take();
    description["record"]["logistic"].take();
    // The last 32 bytes are the digest of all others.
    let tensors = tensors[..tensors.len() - 32].to_vec();
    (tensors, description.to_string())
}

#[test]
fn estimates_change_only_the_record_of_a_model_file() {
    for method in Method::all() {
        for (base, sparse) in [
            (given(), false),
            (given(), true),
            (BaseParams::default(), true),
        ] {
            let [auto, always, never] =
                Estimates::ALL.map(|answer| train(&method, &base, answer, sparse));
            assert_eq!(rest_of(&always), rest_of(&never), "{method}");
            assert_eq!(rest_of(&always), rest_of(&auto), "{method}");
            assert!(never.record().estimates.is_empty(), "{method}");
            assert!(always.record().estimates.len() > 5, "{method}");
            let made = &auto.record().estimates;
            assert!(made.is_empty() || *made == always.record().estimates);
        }
    }
}

#[test]
fn auto_estimates_where_no_additional_fold_is_needed() {
    let has = |name: &str, settings: &[(&str, &str)], base: &BaseParams| {
        let mut method: Method = name.parse().unwrap();
        for (key, value) in settings {
            method.set(key, value).unwrap();
        }
        let trained = train(&method, base, Estimates::Auto, false);
        !trained.record().estimates.is_empty()
    };
    for method in Method::all() {
        assert!(has(method.name(), &[], &BaseParams::default()), "{method}");
    }
    let base = given();
    assert!(!has("br", &[], &base) && !has("clr", &[], &base) && !has("lead", &[], &base));
    let paper = |settings: &[(&'static str, &'static str)]| {
        [&[("candidates", "all"), ("weights", "fixed")], settings].concat()
    };
    assert!(has("coding-cca", &[], &base) && !has("coding-cca", &paper(&[]), &base));
    assert!(has("coding-cca", &paper(&[("lambda", "0")]), &base));
    assert!(has("coding-pca", &[], &base) && has("coding-cs", &[], &base));
    assert!(has(
        "max-margin",
        &paper(&[("log-odds", "out-of-fold")]),
        &base
    ));
    assert!(!has(
        "max-margin",
        &paper(&[("log-odds", "in-sample")]),
        &base
    ));
}

#[test]
fn fitted_folds_count_as_regressions() {
    let regressions = |name: &str, estimates| {
        let mut method: Method = name.parse().unwrap();
        Preset::Paper.apply(&mut method);
        let trained = train(&method, &given(), estimates, false);
        trained.record().logistic.unwrap().regressions
    };
    for name in ["br", "clr", "coding-cca"] {
        let alone = regressions(name, Estimates::Never);
        assert_eq!(regressions(name, Estimates::Always), (1 + FOLDS) * alone);
    }
    // The errors of LEAD are out-of-fold; its children have folds only for estimates.
    assert!(regressions("lead", Estimates::Never) >= (1 + FOLDS) * LABELS);
}
