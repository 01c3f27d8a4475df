//! Weights of rows against repeated rows, and labels that are not known.

use mmoc::code::{CanonicalRegression, CcaParams, PcaParams};
use mmoc::data::{Dataset, Features, Labels, Matrix, Scaling, Targets};
use mmoc::learn::{BaseParams, Training};
use mmoc::method::Method;
use mmoc::metrics::Metric;
use mmoc::train::TrainParams;
use mmoc::{Prediction, Seed};

const ROWS: usize = 60;
const LABELS: usize = 3;

fn features(rows: usize, seed: u64) -> Matrix {
    let mut stream = Seed::new(seed).stream();
    Matrix::from_fn(rows, 4, |_, _| stream.gaussian())
}

/// Labels that depend on the features, the last also on the first label.
fn labels(x: &Matrix) -> Labels {
    Labels::from_fn(x.rows(), LABELS, |i, j| match j {
        2 => x[(i, 0)] + x[(i, 2)] > 0.3,
        _ => x[(i, j)] + 0.5 * x[(i, 3)] > 0.1,
    })
}

fn dataset(x: Matrix, labels: Labels) -> Dataset {
    let names = |letter: &str, count| (0..count).map(|k| format!("{letter}{k}")).collect();
    let columns = x.columns();
    Dataset::new(
        "rows",
        Features::Dense(x),
        labels,
        names("x", columns),
        names("l", LABELS),
    )
    .unwrap()
}

/// Weights 0 to 3, and the rows that they stand for, in another order.
fn counted() -> (Dataset, Dataset) {
    let x = features(ROWS, 1);
    let rows = dataset(x.clone(), labels(&x));
    let counts: Vec<usize> = (0..ROWS).map(|row| row * 7 % 4).collect();
    let mut repeated: Vec<usize> = (0..ROWS).flat_map(|row| vec![row; counts[row]]).collect();
    repeated.reverse();
    let weights = counts.iter().map(|&count| count as f64).collect();
    let repeated = rows.select_rows(&repeated).unwrap();
    (rows.with_weights(weights).unwrap(), repeated)
}

fn predictions(method: Method, rows: &Dataset, new: &Dataset) -> Prediction {
    let model = TrainParams::of(method).fit(rows).unwrap();
    model.predict(new).unwrap()
}

fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{x} {y}");
    }
}

#[test]
fn weights_that_count_rows_give_the_model_of_repeated_rows_in_every_method() {
    let (weighted, repeated) = counted();
    let x = features(40, 2);
    let new = dataset(x.clone(), labels(&x));
    for method in Method::all() {
        let name = method.to_string();
        let found = predictions(method.clone(), &weighted, &new);
        assert_eq!(found, predictions(method, &repeated, &new), "{name}");
    }
}

#[test]
fn copies_of_measurements_do_not_give_labels_away() {
    let noise = features(80, 21);
    let noise = Labels::from_fn(80, LABELS, |row, label| noise[(row, label)] > 0.0);
    let rows = dataset(features(80, 20), noise);
    let rows = rows.with_weights(vec![3.0; 80]).unwrap();
    for method in ["br", "max-margin"] {
        let model = TrainParams::of(method.parse().unwrap()).fit(&rows).unwrap();
        let loss = model.record().estimates[&Metric::HammingLoss];
        assert!((0.35..0.65).contains(&loss), "{method}: {loss}");
    }
}

#[test]
fn copies_in_a_small_table_are_observations() {
    // One label is the exclusive or of two columns, which only rows that were seen can tell.
    let bit = |row: usize, column: usize| row >> column & 1 == 1;
    let x = Matrix::from_fn(32, 5, |row, column| f64::from(u8::from(bit(row, column))));
    let labels = Labels::from_fn(32, LABELS, |row, label| {
        bit(row, label) != bit(row, label + 1)
    });
    let rows = dataset(x, labels);
    let weighted = rows.clone().with_weights(vec![8.0; 32]).unwrap();
    let found = predictions("max-margin".parse().unwrap(), &weighted, &rows);
    assert_eq!(found.score(&rows).unwrap().subset_accuracy(), 1.0);
}

#[test]
fn a_common_factor_of_relative_weights_changes_nothing() {
    let x = features(ROWS, 3);
    let rows = dataset(x.clone(), labels(&x));
    let mut stream = Seed::new(4).stream();
    let weights: Vec<f64> = (0..ROWS).map(|_| 0.1 + stream.uniform()).collect();
    for method in Method::all() {
        let name = method.to_string();
        let of_factor = |factor: f64| {
            let weights = weights.iter().map(|weight| factor * weight).collect();
            let rows = rows.clone().with_weights(weights).unwrap();
            predictions(method.clone(), &rows, &rows)
        };
        let (once, often) = (of_factor(1.0), of_factor(1e6));
        assert_eq!(once.labels, often.labels, "{name}");
        if let (Some(a), Some(b)) = (&once.probabilities, &often.probabilities) {
            assert_close(a.values(), b.values(), 1e-5);
        }
    }
}

#[test]
fn relative_weights_move_predictions_towards_heavy_rows() {
    let x = Matrix::from_fn(200, 1, |i, _| (i % 2) as f64);
    // Half of the rows with each feature have the label.
    let labels = Labels::from_fn(200, 1, |i, _| i % 4 < 2);
    let names = |name: &str| vec![name.to_owned()];
    let rows = Dataset::new(
        "rows",
        Features::Dense(x),
        labels.clone(),
        names("x"),
        names("l"),
    );
    let weight = |row: usize| if labels.contains(row, 0) { 1.75 } else { 0.25 };
    let weighted = rows.unwrap().with_weights((0..200).map(weight).collect());
    let weighted = weighted.unwrap();
    let found = predictions("br".parse().unwrap(), &weighted, &weighted);
    let probabilities = found.probabilities.unwrap();
    assert!(
        probabilities
            .values()
            .iter()
            .all(|p| (p - 0.875).abs() < 0.02)
    );
}

/// Codes of weighted rows and of repeated ones: the same scatter up to a factor, so the same directions.
#[test]
fn codes_count_rows_by_their_weights() {
    let x = features(ROWS, 5);
    let y = labels(&x);
    let counts: Vec<usize> = (0..ROWS).map(|row| 1 + row % 3).collect();
    let repeated: Vec<usize> = (0..ROWS).flat_map(|row| vec![row; counts[row]]).collect();
    let weights: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
    let targets = Targets::new(&y).with_weights(Some(&weights)).unwrap();
    let (more_x, more_y) = (
        Features::Dense(x.clone()).view().select_rows(&repeated),
        y.select_rows(&repeated),
    );
    let x = Features::Dense(x);
    let params = BaseParams::default().ridge_penalty(0.01);
    let weighted = Training::new(x.view(), targets, params.clone(), Seed::new(1)).unwrap();
    let written_out = Training::new(more_x.view(), &more_y, params, Seed::new(1)).unwrap();

    for centre in [false, true] {
        let params = PcaParams {
            projections: None,
            centre,
        };
        let (a, b) = (params.fit(targets).unwrap(), params.fit(&more_y).unwrap());
        assert_close(a.projections.values(), b.projections.values(), 1e-9);
        assert_close(&a.origin, &b.origin, 1e-12);
    }
    let cca = |training| CcaParams::default().fit(training).unwrap();
    let (a, b) = (cca(&weighted), cca(&written_out));
    assert_close(a.projections.values(), b.projections.values(), 1e-7);

    let canonical = |training| CanonicalRegression::fit(training).unwrap();
    let (a, b) = (canonical(&weighted), canonical(&written_out));
    let fitted = a.fitted_labels(&weighted, 5.0).unwrap();
    let of_copies = b.fitted_labels(&written_out, 5.0).unwrap();
    for (copy, &row) in repeated.iter().enumerate() {
        assert_close(of_copies.row(copy), fitted.row(row), 1e-7);
    }
}

fn with_holes(rows: &Dataset, share: f64, seed: u64) -> Dataset {
    let mut stream = Seed::new(seed).stream();
    let drawn = Matrix::from_fn(rows.rows(), LABELS, |_, _| stream.uniform());
    let unknown = Labels::from_fn(rows.rows(), LABELS, |i, j| drawn[(i, j)] < share);
    let known = Labels::from_fn(rows.rows(), LABELS, |i, j| {
        rows.labels().contains(i, j) && !unknown.contains(i, j)
    });
    let Features::Dense(x) = rows.features() else {
        panic!("the rows are dense");
    };
    dataset(x.clone(), known).with_unknown(unknown).unwrap()
}

#[test]
fn every_method_learns_from_rows_with_unknown_labels() {
    let x = features(240, 6);
    let rows = dataset(x.clone(), labels(&x));
    let holes = with_holes(&rows, 0.3, 7);
    let new_x = features(400, 8);
    let new = dataset(new_x.clone(), labels(&new_x));
    for method in Method::all() {
        let accuracy = |rows: &Dataset| {
            let found = predictions(method.clone(), rows, &new);
            1.0 - found.score(&new).unwrap().hamming_loss()
        };
        let (complete, partly) = (accuracy(&rows), accuracy(&holes));
        assert!(partly > complete - 0.05, "{method}: {partly} {complete}");
    }
}

#[test]
fn classifiers_leave_unknown_labels_out() {
    let x = features(120, 9);
    let rows = dataset(x.clone(), labels(&x));
    let holes = with_holes(&rows, 0.4, 10);
    let params = BaseParams::default().penalty(0.01);
    let classifiers = |rows: &Dataset| {
        let training = Training::new(rows.features().view(), rows, params.clone(), Seed::new(1));
        training.unwrap().classifiers().unwrap().clone()
    };
    let found = classifiers(&holes);
    // Whatever the unknown labels are, the classifiers do not change.
    let other = Labels::from_fn(120, LABELS, |i, j| {
        holes.labels().contains(i, j) || holes.unknown().unwrap().contains(i, j)
    });
    let targets = Targets::new(&other).with_unknown(holes.unknown()).unwrap();
    let training = Training::new(
        holes.features().view(),
        targets,
        params.clone(),
        Seed::new(1),
    );
    let again = training.unwrap().classifiers().unwrap().clone();
    assert_close(
        found.model().coefficients().values(),
        again.model().coefficients().values(),
        1e-9,
    );
}

#[test]
fn estimates_count_known_labels_only() {
    let x = features(150, 11);
    let rows = with_holes(&dataset(x.clone(), labels(&x)), 0.3, 12);
    let model = TrainParams::of("br".parse().unwrap())
        .scaling(Scaling::None)
        .fit(&rows)
        .unwrap();
    let loss = model.record().estimates[&Metric::HammingLoss];
    let all_wrong_where_unknown = 0.15;
    assert!(loss < all_wrong_where_unknown, "{loss}");
}
