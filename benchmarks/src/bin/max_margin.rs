//! The mmoc side of `max_margin.py`: sets up the max-margin problem of a training set, solves it with every
//! algorithm, and writes the problem, times and certified gaps.
//!
//! Usage: `max_margin DATA_FOLDER SET OUT_FOLDER REPETITIONS`
//!
//! The paper's sets are solved to a gap of 10⁻⁵; yeast and bibtex, whole training sets, with the automatic
//! algorithm to several gaps.

use std::error::Error;
use std::path::Path;

use mmoc::Seed;
use mmoc::code::max_margin::{Algorithm, MaxMarginParams, Problem, SolverParams};
use mmoc::data::{Dataset, Matrix};
use mmoc::learn::{BaseParams, Training};
use mmoc::settings::Named;
use mmoc_benchmarks::{
    paper_set, peak_memory, preprocessed, quickest, standard_set, training_rows, write_numbers,
};
use serde_json::{Map, Value, json};

const GAP: f64 = 1e-5;
/// The algorithms that reach this gap: the primal-dual method is for hundreds of labels and gaps of one to three
/// digits.
const ALGORITHMS: [Algorithm; 3] = [
    Algorithm::Newton,
    Algorithm::NewtonCg,
    Algorithm::CuttingPlane,
];
const GAPS_OF_LARGE_SETS: [f64; 3] = [1e-2, 1e-3, 1e-6];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, name, out, repetitions] = arguments.as_slice() else {
        return Err("usage: max_margin DATA_FOLDER SET OUT_FOLDER REPETITIONS".into());
    };
    let (folder, repetitions) = (Path::new(folder), repetitions.parse()?);
    let is_large = ["yeast", "bibtex"].contains(&name.as_str());
    let rows = if is_large {
        preprocessed(&standard_set(folder, name)?)?
    } else {
        training_rows(&paper_set(folder, name)?, Seed::new(0))?
    };
    let (problem, log_odds) = pose(&rows)?;
    let mut solvers = Map::new();
    if is_large {
        for gap in GAPS_OF_LARGE_SETS {
            let solved = solve(&problem, Algorithm::Auto, gap, repetitions)?;
            solvers.insert(format!("{gap:e}"), solved);
        }
    } else {
        write_problem(Path::new(out), &rows, &problem, &log_odds)?;
        for algorithm in ALGORITHMS {
            let solved = solve(&problem, algorithm, GAP, repetitions)?;
            solvers.insert(algorithm.name().into(), solved);
        }
    }
    let about = json!({
        "rows": problem.rows(),
        "labels": problem.labels(),
        "c": problem.c(),
        "gap": GAP,
        "solvers": solvers,
        "peak_kib": peak_memory()?,
    });
    println!("{about}");
    Ok(())
}

/// The problem of all labels, as the method sets it up, and its log-odds.
fn pose(rows: &Dataset) -> mmoc::Result<(Problem, Matrix)> {
    let training = Training::new(
        rows.features().view(),
        rows.labels(),
        BaseParams::default(),
        Seed::new(0),
    )?;
    let problem = MaxMarginParams::default().problem(&training)?;
    Ok((problem, training.out_of_fold()?.log_odds().clone()))
}

fn solve(
    problem: &Problem,
    algorithm: Algorithm,
    gap: f64,
    repetitions: usize,
) -> mmoc::Result<Value> {
    let params = SolverParams {
        algorithm,
        gap: Some(gap),
        ..SolverParams::default()
    };
    let report = params.solve(problem)?.report;
    let seconds = quickest(repetitions, || params.solve(problem));
    Ok(json!({
        "algorithm": report.algorithm,
        "seconds": seconds,
        "objective": report.objective,
        "lower_bound": report.lower_bound,
        "relative_gap": report.relative_gap,
        "iterations": report.iterations,
        "rank": report.rank,
    }))
}

fn write_problem(
    out: &Path,
    rows: &Dataset,
    problem: &Problem,
    log_odds: &Matrix,
) -> std::io::Result<()> {
    let labels = rows.labels().to_matrix();
    for (name, matrix) in [
        ("predictions", problem.predictions()),
        ("labels", &labels),
        ("log_odds", log_odds),
    ] {
        write_numbers(&out.join(name), matrix.values().iter().copied())?;
    }
    Ok(())
}
