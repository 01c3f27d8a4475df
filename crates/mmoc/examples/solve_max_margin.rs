//! Solve a max-margin problem (eq. 31) by itself, by each algorithm, and compare the certified bounds.
//!
//! Run it with `cargo run -p mmoc --example solve_max_margin`.

use mmoc::Seed;
use mmoc::code::max_margin::{Algorithm, Problem, SolverParams};
use mmoc::data::{Labels, Matrix};

fn main() -> mmoc::Result<()> {
    // Labels, and regressions of them with errors: ŷ of eq. 19.
    let (rows, labels) = (120, 4);
    let mut stream = Seed::new(5).stream();
    let draws = Matrix::from_fn(rows, labels, |_, _| stream.uniform());
    let truth = Labels::from_fn(rows, labels, |i, j| draws[(i, j)] < 0.4);
    let predictions = Matrix::from_fn(rows, labels, |i, j| {
        0.2 + 0.5 * f64::from(u8::from(truth.contains(i, j))) + 0.2 * stream.gaussian()
    });

    // Without log-odds it is problem (25), with them (31).
    let problem = Problem::new(predictions, &truth, None, 1e3)?;
    for algorithm in [
        Algorithm::Newton,
        Algorithm::NewtonCg,
        Algorithm::CuttingPlane,
    ] {
        let params = SolverParams {
            algorithm,
            ..SolverParams::default()
        };
        let solution = params.solve(&problem)?;
        let report = &solution.report;
        println!(
            "{algorithm:?}: between {:.6} and {:.6} after {} iterations, rank {}",
            report.lower_bound, report.objective, report.iterations, report.rank
        );
    }
    Ok(())
}

#[test]
fn runs_without_an_error() {
    main().unwrap();
}
