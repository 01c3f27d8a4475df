//! The max-margin problems of the public data sets, if a copy is found; otherwise every trial is reported as
//! ignored.

mod common;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use mmoc::Seed;
use mmoc::code::max_margin::{
    Algorithm, MaxMarginParams, Problem, SolverParams, SolverReport, Termination,
};
use mmoc::data::{Dataset, Missing, Preprocessing, Scaling, random_split};
use mmoc::learn::logistic::LogisticParams;
use mmoc::learn::{BaseParams, PenaltyGrid, Training};
use mmoc_io::{ReadOptions, read_files};

/// Splits of the paper's protocol, and training rows of each.
const SPLITS: usize = 30;
const TRAIN_SIZE: usize = 300;

/// A test on the folder of data sets.
type Check = fn(&Path) -> Result<(), Failed>;

const CHECKS: &[(&str, Check)] = &[
    ("emotions_is_solved_on_every_split", |folder| {
        is_solved_on_every_split(&load(folder, &["emotions.arff"])?)
    }),
    ("scene_is_solved_on_every_split", |folder| {
        is_solved_on_every_split(&load(folder, &["scene-train.arff", "scene-test.arff"])?)
    }),
    ("medical_is_solved_on_every_split", |folder| {
        let frequent = load(folder, &["medical.arff"])?.keep_frequent_labels(10)?;
        is_solved_on_every_split(&frequent.drop_empty_rows()?)
    }),
    ("yeast_is_solved", |folder| {
        is_solved(&load(folder, &["yeast-train.arff"])?, 1e-6)
    }),
    ("bibtex_is_solved", |folder| {
        is_solved(&load(folder, &["bibtex-train.arff"])?, 1e-3)
    }),
];

fn main() -> ExitCode {
    let folder = common::real_data();
    let trials = CHECKS.iter().map(|&(name, check)| {
        let folder: PathBuf = folder.clone().unwrap_or_default();
        Trial::test(name, move || check(&folder)).with_ignored_flag(common::real_data().is_none())
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn load(folder: &Path, files: &[&str]) -> Result<Dataset, Failed> {
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    Ok(read_files(&paths, &ReadOptions::default())?.dataset)
}

/// The problem of a training set with fast classifiers: one penalty and two folds.
fn problem(train: &Dataset) -> Result<Problem, Failed> {
    let preprocessing =
        Preprocessing::fit(train.features().view(), Scaling::Auto, Missing::Mean, None)?;
    let features = preprocessing.apply(train.features().view())?;
    let base = BaseParams {
        logistic: LogisticParams {
            penalties: PenaltyGrid::decades(-3.0, -3.0, 1)?,
            folds: 2,
            ..LogisticParams::default()
        },
        ..BaseParams::default()
    };
    let training = Training::new(features.view(), train.labels(), base, Seed::new(0))?;
    Ok(MaxMarginParams::default().problem(&training)?)
}

fn solve(problem: &Problem, algorithm: Algorithm, gap: f64) -> Result<SolverReport, Failed> {
    let params = SolverParams {
        algorithm,
        gap: Some(gap),
        ..SolverParams::default()
    };
    let report = params.solve(problem)?.report;
    assert_eq!(report.termination, Termination::Converged, "{report:?}");
    assert!(report.relative_gap <= gap, "{report:?}");
    Ok(report)
}

fn is_solved(train: &Dataset, gap: f64) -> Result<(), Failed> {
    solve(&problem(train)?, Algorithm::Auto, gap).map(|_| ())
}

fn is_solved_on_every_split(dataset: &Dataset) -> Result<(), Failed> {
    for run in 0..SPLITS {
        let seed = Seed::new(0).named("split").numbered(run);
        let rows = random_split(dataset.rows(), TRAIN_SIZE, seed)?.train;
        let problem = problem(&dataset.select_rows(&rows)?)?;
        let newton = solve(&problem, Algorithm::Newton, 1e-6)?;
        let planes = solve(&problem, Algorithm::CuttingPlane, 1e-5)?;
        assert!(newton.lower_bound <= planes.objective, "run {run}");
        assert!(planes.lower_bound <= newton.objective, "run {run}");
    }
    Ok(())
}
