//! Decode label sets with projections and predictions of your own, without any of the library's learners.
//!
//! A code says what is predicted of a label set y: its codeword Vᵀy. Here V comes from us, and so do the predicted
//! codewords and the log-odds of the labels; in practice they come from a neural network or any other regressor.
//!
//! Run it with `cargo run -p mmoc --example own_code`.

use mmoc::Seed;
use mmoc::code::{Code, CodeReport};
use mmoc::data::{Labels, Matrix};
use mmoc::decode::{CoSaMp, Inference, Joint};

fn main() -> mmoc::Result<()> {
    // Three directions: how many labels there are, and two differences.
    let projections = Matrix::new(
        4,
        3,
        vec![
            1.0, 1.0, 0.0, //
            1.0, -1.0, 0.0, //
            1.0, 0.0, 1.0, //
            1.0, 0.0, -1.0,
        ],
    )?;
    let code = Code {
        projections,
        origin: vec![0.0; 4],
        report: CodeReport::Random {},
    };
    let truth = Labels::from_fn(200, 4, |i, label| {
        (i % 2 == 0) == (label % 2 == 0) && label < 2 + i % 3
    });

    // What a regressor might say: codewords and log-odds with noise.
    let mut stream = Seed::new(2).stream();
    let mut codewords = code.encode(&truth)?;
    let noise = 0.3;
    codewords
        .values_mut()
        .iter_mut()
        .for_each(|z| *z += noise * stream.gaussian());
    let log_odds = Matrix::from_fn(200, 4, |i, label| {
        let sign = if truth.contains(i, label) { 1.0 } else { -1.0 };
        1.5 * sign + 2.0 * stream.gaussian()
    });

    // Joint decoding (eq. 15) weighs each direction by the variance of its errors.
    let joint = Joint::new(&code.projections, &[noise * noise; 3], 1.0, Inference::Auto)?;
    let both = joint.decode(&codewords, &log_odds)?;
    println!(
        "codewords and log-odds: {:.3}",
        both.score(&truth)?.subset_accuracy()
    );

    let labels_alone = Labels::from_fn(200, 4, |i, label| log_odds[(i, label)] > 0.0);
    let right = (0..200)
        .filter(|&row| labels_alone.row(row) == truth.row(row))
        .count();
    println!("log-odds alone: {:.3}", right as f64 / 200.0);

    // Sparse recovery needs codewords only.
    let sparse = CoSaMp::new(&code.projections, 2)?.decode(&codewords)?;
    println!(
        "codewords alone, at most 2 labels: {:.3}",
        sparse.score(&truth)?.subset_accuracy()
    );
    Ok(())
}

#[test]
fn runs_without_an_error() {
    main().unwrap();
}
