//! Features that are too large to factorise, and agreement of both ridge backends where both are possible.

use mmoc::Seed;
use mmoc::data::{Csr, Features, Labels, Matrix};
use mmoc::learn::ridge::RidgeSolver;
use mmoc::learn::{BaseParams, LabelTargets, Training};
use mmoc::method::Method;
use mmoc::settings::Settings;

const IN_ROW: usize = 20;

/// Ones in uniformly drawn columns; the first columns of a row determine its labels.
fn draw(rows: usize, columns: usize, labels: usize) -> (Features, Labels) {
    let mut stream = Seed::new(3).stream();
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    let mut members = vec![vec![false; labels]; rows];
    for row in &mut members {
        let mut chosen: Vec<u32> = (0..IN_ROW)
            .map(|_| u32::try_from(stream.below(columns)).unwrap())
            .collect();
        chosen.sort_unstable();
        chosen.dedup();
        for &column in &chosen {
            row[column as usize % labels] ^= (column as usize / labels).is_multiple_of(7);
        }
        indices.extend(chosen);
        offsets.push(indices.len());
    }
    let values = vec![1.0; indices.len()];
    let x = Csr::new(columns, offsets, indices, values).unwrap();
    let labels = Labels::from_fn(rows, labels, |i, j| members[i][j]);
    (Features::Sparse(x), labels)
}

fn solved_by(solver: RidgeSolver) -> BaseParams {
    let mut params = BaseParams::default();
    params.ridge.solver = solver;
    params
}

/// The peak memory of this process in MiB, if the system reports it.
fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes / 1024)
}

#[test]
fn codes_are_trained_on_many_sparse_columns_within_bounded_memory() {
    let (x, labels) = draw(20_000, 10_000, 5);
    let mut params = BaseParams::default();
    // A single penalty for the classifiers, which are not tested here.
    params.set("penalty", "1e-4").unwrap();
    params.set("folds", "2").unwrap();
    let training = Training::new(x.view(), &labels, params, Seed::new(1)).unwrap();
    for method in ["max-margin", "coding-cca"] {
        let method: Method = method.parse().unwrap();
        let fitted = method.fit_on(&training).unwrap();
        assert_eq!(fitted.predictor.labels(), 5);
    }
    let record = training
        .settle_usage()
        .ridge
        .expect("regressions were iterated");
    assert!(record.all_converged(), "{record:?}");
    // XᵀX alone would be 763 MiB, and a dense copy of the features 1.5 GiB.
    if let Some(peak) = peak_memory() {
        assert!(peak < 500, "{peak} MiB");
    }
}

#[test]
fn both_backends_find_the_same_regressions_and_canonical_directions() {
    let (x, labels) = draw(600, 200, 4);
    let by = |solver| Training::new(x.view(), &labels, solved_by(solver), Seed::new(1)).unwrap();
    let [exact, iterated] = [RidgeSolver::Factorisation, RidgeSolver::Iterative].map(by);
    assert!(
        (exact.total_scatter().unwrap() / iterated.total_scatter().unwrap() - 1.0).abs() < 1e-12
    );
    let penalties = [0.5, 5.0, 50.0, 500.0];
    let fits = |training: &Training<'_>| {
        training
            .fitted(&LabelTargets::labels(), &penalties)
            .unwrap()
    };
    assert_close(&fits(&exact), &fits(&iterated), 1e-6);
    assert!(exact.settle_usage().ridge.is_none());
    assert!(iterated.settle_usage().ridge.unwrap().worst_gradient <= 1e-8);
    // The out-of-fold noise agrees with leave-one-out up to the difference in training rows.
    let noise = |training: &Training<'_>| training.label_ridge().unwrap().noise().to_vec();
    for (a, b) in noise(&exact).iter().zip(noise(&iterated)) {
        assert!((a / b - 1.0).abs() < 0.1, "{a} {b}");
    }
    let directions = |training: &Training<'_>| {
        let code = mmoc::code::CcaParams::default().fit(training).unwrap();
        code.projections
    };
    assert_close(&directions(&exact), &directions(&iterated), 1e-5);
}

#[test]
fn iterated_regressions_are_the_same_for_any_number_of_threads() {
    let (x, labels) = draw(400, 300, 7);
    let coefficients = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let params = solved_by(RidgeSolver::Iterative);
            let training = Training::new(x.view(), &labels, params, Seed::new(1)).unwrap();
            let ridge = training.label_ridge().unwrap();
            let all = [ridge.model().coefficients(), ridge.held_out()];
            all.map(|matrix| matrix.values().to_vec()).concat()
        })
    };
    assert_eq!(coefficients(1), coefficients(3));
}

#[test]
fn every_method_with_regressions_works_with_both_backends() {
    let (x, labels) = draw(120, 60, 4);
    for name in [
        "max-margin",
        "coding-cca",
        "coding-pca",
        "coding-pca-r",
        "coding-cs",
    ] {
        let params = solved_by(RidgeSolver::Iterative);
        let training = Training::new(x.view(), &labels, params, Seed::new(1)).unwrap();
        let method: Method = name.parse().unwrap();
        let mut fitted = method.fit_on(&training).unwrap();
        assert!(training.settle_usage().ridge.is_some(), "{name}");
        let held_out = fitted.held_out(&training).unwrap();
        assert!(
            held_out.values().iter().all(|value| value.is_finite()),
            "{name}"
        );
    }
}

fn assert_close(a: &Matrix, b: &Matrix, tolerance: f64) {
    assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
    for (x, y) in a.values().iter().zip(b.values()) {
        assert!((x - y).abs() < tolerance, "{x} is not {y}");
    }
}
