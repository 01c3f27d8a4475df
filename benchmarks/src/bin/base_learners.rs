//! The mmoc side of `base_learners.py`: prepares the training rows of a data set, fits the base learners, and
//! writes rows, folds, coefficients and times.
//!
//! Usage: `base_learners DATA_FOLDER SET OUT_FOLDER REPETITIONS`

use std::error::Error;
use std::path::Path;

use mmoc::Seed;
use mmoc::data::{FeaturesView, Folds, Labels, Matrix, stratified_folds};
use mmoc::learn::logistic::{Classifiers, LogisticParams};
use mmoc::learn::ridge::{Ridge, RidgeParams};
use mmoc::learn::{Basis, PenaltyGrid, VaryingColumns};
use mmoc::linalg::{Factorisation, Rotation};
use mmoc_benchmarks::{paper_set, quickest, training_rows, write_numbers};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, name, out, repetitions] = arguments.as_slice() else {
        return Err("usage: base_learners DATA_FOLDER SET OUT_FOLDER REPETITIONS".into());
    };
    let repetitions: usize = repetitions.parse()?;
    let rows = training_rows(&paper_set(Path::new(folder), name)?, Seed::new(0))?;
    let (x, labels) = (rows.features().view(), rows.labels());
    let folds = stratified_folds(labels, 5, Seed::new(0))?;
    let total_scatter = Factorisation::new(x)?.total_scatter();

    let logistic = LogisticParams {
        penalties: PenaltyGrid::decades(0.0, -6.0, 7)?,
        ..LogisticParams::default()
    };
    let ridge = RidgeParams::default();
    let targets = labels.to_matrix();
    let logistic_seconds = quickest(repetitions, || classify(&logistic, x, labels, &folds));
    let ridge_seconds = quickest(10 * repetitions, || regress(&ridge, x, &targets));
    let fit = classify(&logistic, x, labels, &folds)?;

    let out = Path::new(out);
    write_numbers(&out.join("x"), dense(x).values().iter().copied())?;
    write_numbers(&out.join("y"), targets.values().iter().copied())?;
    write_numbers(
        &out.join("folds"),
        folds.of_row().iter().map(|&fold| fold as f64),
    )?;
    let of_folds = fit.out_of_fold().expect("folds chose the penalties");
    let losses = of_folds.losses().values().iter().copied();
    write_numbers(&out.join("losses"), losses)?;
    let penalties = logistic.penalties.resolve(total_scatter);
    let mut coefficients = Vec::new();
    for &penalty in &penalties {
        let one = LogisticParams {
            penalties: PenaltyGrid::absolute(vec![penalty])?,
            ..logistic.clone()
        };
        let model = classify(&one, x, labels, &folds)?.model().clone();
        coefficients.extend_from_slice(model.coefficients().values());
        coefficients.extend_from_slice(model.intercepts());
    }
    write_numbers(&out.join("coefficients"), coefficients)?;
    let about = json!({
        "rows": labels.rows(),
        "columns": x.columns(),
        "labels": labels.count(),
        "logistic_penalties": penalties,
        "ridge_penalties": ridge.penalties.resolve(total_scatter),
        "logistic_seconds": logistic_seconds,
        "ridge_seconds": ridge_seconds,
        "chosen": fit.penalties(),
        "ridge_chosen": regress(&ridge, x, &targets)?.penalties(),
        "record": fit.record(),
    });
    println!("{about}");
    Ok(())
}

/// From features to classifiers, as a method does it.
fn classify(
    params: &LogisticParams,
    x: FeaturesView<'_>,
    labels: &Labels,
    folds: &Folds,
) -> mmoc::Result<Classifiers> {
    let FeaturesView::Sparse(sparse) = x else {
        let factorisation = Factorisation::new(x)?;
        let rotation = Rotation::new(&factorisation)?;
        return params.fit(&Basis::Rotated(&rotation), labels, folds);
    };
    params.fit(&Basis::Varying(VaryingColumns::new(sparse)?), labels, folds)
}

/// From features to ridge regressions on the original features.
fn regress(params: &RidgeParams, x: FeaturesView<'_>, targets: &Matrix) -> mmoc::Result<Ridge> {
    let factorisation = Factorisation::new(x)?;
    params.prepare(&factorisation)?.fit(targets)
}

fn dense(x: FeaturesView<'_>) -> Matrix {
    let mut matrix = Matrix::zeros(x.rows(), x.columns());
    x.for_each_stored(|row, column, value| matrix[(row, column)] = value);
    matrix
}
