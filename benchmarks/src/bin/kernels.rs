//! The hot kernels of the library, whose instructions `tests/instructions.rs` counts: each on an input drawn from a
//! seed, on one thread.
//!
//! Usage: `kernels` lists the kernels; `kernels NAME REPETITIONS` runs one with the given number of repetitions.
//! The instructions of two repetitions minus those of one are the kernel's own, without preparation.

use std::error::Error;
use std::hint::black_box;

use mmoc::code::max_margin::{Algorithm, Problem, Separation, SolverParams};
use mmoc::data::{Dataset, FeaturesView, Labels, Matrix, stratified_folds};
use mmoc::decode::{CoSaMp, Inference, Joint, L1};
use mmoc::learn::logistic::{Classifiers, LogisticParams};
use mmoc::learn::ridge::RidgeParams;
use mmoc::learn::{Basis, PenaltyGrid, VaryingColumns};
use mmoc::linalg::{Factorisation, Rotation, multiply};
use mmoc::{Result, Seed};
use mmoc_benchmarks::preprocessed;
use mmoc_io::{Format, LabelSource, ReadOptions, Twin, read_from, write};

/// A kernel with its input.
type KernelRun = Box<dyn Fn() -> Result<()>>;

/// Draws the input of a kernel.
type Prepare = fn(Seed) -> Result<KernelRun>;

/// All kernels. A changed input changes the counts, which must then be recorded again.
///
/// The separation oracle is not public. The first step of a solver represents it: the oracle takes about two thirds
/// of the work with 6 labels, a third with 60, and nearly all if it is exact.
const KERNELS: &[(&str, Prepare)] = &[
    ("oracle-relaxed-6", |seed| {
        let problem = problem(seed, 1500, 6)?;
        Ok(solve(problem, relaxed(Algorithm::Newton, 1)))
    }),
    ("oracle-relaxed-60", |seed| {
        let problem = problem(seed, 100, 60)?;
        Ok(solve(problem, relaxed(Algorithm::NewtonCg, 1)))
    }),
    ("oracle-exact-14", |seed| {
        // The cost of enumeration does not depend on the metric, so the initial one is enough.
        Ok(solve(problem(seed, 200, 14)?, exact(0)))
    }),
    ("newton-10", |seed| {
        let problem = problem(seed, 200, 10)?;
        Ok(solve(problem, relaxed(Algorithm::Newton, 8)))
    }),
    ("newton-cg-60", |seed| {
        let problem = problem(seed, 20, 60)?;
        Ok(solve(problem, relaxed(Algorithm::NewtonCg, 2)))
    }),
    ("primal-dual-30", |seed| {
        let problem = problem(seed, 150, 30)?;
        Ok(solve(problem, relaxed(Algorithm::PrimalDual, 1)))
    }),
    ("cutting-plane-5", |seed| {
        let problem = problem(seed, 40, 5)?;
        Ok(solve(problem, relaxed(Algorithm::CuttingPlane, 3)))
    }),
    ("logistic-dense", |seed| {
        classify(rows_of(Twin::Emotions, 120, seed)?, seed)
    }),
    ("logistic-sparse", |seed| {
        classify(rows_of(Twin::Medical, 120, seed)?, seed)
    }),
    ("ridge-dense", |seed| {
        Ok(regress(rows_of(Twin::Emotions, 200, seed)?))
    }),
    ("ridge-sparse", |seed| {
        Ok(regress(rows_of(Twin::Medical, 150, seed)?))
    }),
    ("exact-10", |seed| {
        decode_jointly(Coded::draw(seed, 500, (10, 10), NOISY), Inference::Exact)
    }),
    ("exact-10-long-way", |seed| {
        // With so little noise the weights of label sets exceed the exponent range of a double.
        decode_jointly(Coded::draw(seed, 50, (10, 10), CLEAR), Inference::Exact)
    }),
    ("mean-field-159-159", |seed| {
        decode_jointly(
            Coded::draw(seed, 20, (159, 159), NOISY),
            Inference::MeanField,
        )
    }),
    ("mean-field-159-3", |seed| {
        decode_jointly(
            Coded::draw(seed, 200, (159, 3), NOISY),
            Inference::MeanField,
        )
    }),
    ("cosamp-159-60", |seed| {
        let coded = Coded::draw(seed, 100, (159, 60), CLEAR);
        let decoder = CoSaMp::new(&coded.projections, 4)?;
        Ok(work(move || decoder.decode(&coded.codewords)))
    }),
    ("l1-159-60", |seed| {
        let coded = Coded::draw(seed, 100, (159, 60), CLEAR);
        let decoder = L1::new(&coded.projections, 0.1)?;
        Ok(work(move || decoder.decode(&coded.codewords)))
    }),
    ("read-csv", |seed| {
        Ok(parse(
            csv_table(seed, 400, 50),
            LabelSource::Last(3),
            Format::Csv,
        ))
    }),
    ("read-sparse-arff", |seed| {
        let mut text = Vec::new();
        write(&Twin::Medical.generate(seed)?, Format::Arff, &mut text).expect("a vector takes all");
        Ok(parse(text, LabelSource::Auto, Format::Arff))
    }),
];

/// The mean noise of typical codewords, and of nearly exact ones.
const NOISY: f64 = 0.1;
const CLEAR: f64 = 0.001;

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, repetitions) = match arguments.as_slice() {
        [name, repetitions] => (name, repetitions.parse()?),
        [] => {
            KERNELS.iter().for_each(|(name, _)| println!("{name}"));
            return Ok(());
        }
        _ => return Err("usage: kernels [NAME REPETITIONS]".into()),
    };
    let (_, prepare) = KERNELS
        .iter()
        .find(|(kernel, _)| kernel == name)
        .ok_or_else(|| format!("no kernel '{name}'"))?;
    // A pool of this thread alone: the waiting of other threads would be counted, and varies.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build_global()?;
    let kernel = prepare(Seed::new(0).named(name))?;
    (0..repetitions).try_for_each(|_| kernel())?;
    Ok(())
}

/// A kernel whose result is discarded.
fn work<T>(kernel: impl Fn() -> Result<T> + 'static) -> KernelRun {
    Box::new(move || {
        black_box(kernel()?);
        Ok(())
    })
}

fn relaxed(algorithm: Algorithm, steps: usize) -> SolverParams {
    SolverParams {
        algorithm,
        separation: Separation::Relaxed,
        // So small that all steps are taken: the number of steps to a larger gap would depend on rounding errors.
        gap: Some(1e-12),
        max_iterations: steps,
        ..SolverParams::default()
    }
}

fn exact(steps: usize) -> SolverParams {
    SolverParams {
        separation: Separation::Exact,
        ..relaxed(Algorithm::CuttingPlane, steps)
    }
}

/// The first steps of a solver.
fn solve(problem: Problem, params: SolverParams) -> KernelRun {
    work(move || {
        let solution = params.solve(&problem)?;
        let steps = solution.report.iterations;
        assert_eq!(steps, params.max_iterations, "the solver stopped early");
        Ok(solution)
    })
}

/// Label sets from a few topics, each with its own labels; regressions with errors correlated within a topic;
/// log-odds that correlate with them.
fn problem(seed: Seed, rows: usize, count: usize) -> Result<Problem> {
    const TOPICS: usize = 4;
    let mut stream = seed.stream();
    let mut labels = Labels::empty(count);
    let mut predictions = Matrix::zeros(rows, count);
    let mut log_odds = Matrix::zeros(rows, count);
    for row in 0..rows {
        let topic = stream.below(TOPICS);
        let common = 0.2 * stream.gaussian();
        let shares = (0..count).map(|label| if label % TOPICS == topic { 0.5 } else { 0.05 });
        let carried: Vec<bool> = shares.map(|share| stream.uniform() < share).collect();
        labels.push_row((0..count).filter(|&label| carried[label]));
        for (label, &carried) in carried.iter().enumerate() {
            let y = f64::from(u8::from(carried));
            let shared = if label % TOPICS == topic { common } else { 0.0 };
            predictions[(row, label)] = 0.1 + 0.6 * y + shared + 0.2 * stream.gaussian();
            log_odds[(row, label)] = 2.0 * y - 1.0 + stream.gaussian();
        }
    }
    Problem::new(predictions, &labels, Some(&log_odds), 100.0)
}

/// The first rows of a synthetic twin, preprocessed, with its three most frequent labels.
fn rows_of(twin: Twin, rows: usize, seed: Seed) -> Result<Dataset> {
    let all = twin.generate(seed)?.keep_frequent_labels(3)?;
    let first: Vec<usize> = (0..rows).collect();
    preprocessed(&all.select_rows(&first)?)
}

/// From features to classifiers with penalties chosen by cross-validation.
fn classify(rows: Dataset, seed: Seed) -> Result<KernelRun> {
    let params = LogisticParams {
        penalties: PenaltyGrid::decades(0.0, -6.0, 5)?,
        ..LogisticParams::default()
    };
    let folds = stratified_folds(rows.labels(), params.folds, seed)?;
    Ok(work(move || -> Result<Classifiers> {
        let (x, labels) = (rows.features().view(), rows.labels());
        let FeaturesView::Sparse(sparse) = x else {
            let factorisation = Factorisation::new(x)?;
            let rotation = Rotation::new(&factorisation)?;
            return params.fit(&Basis::Rotated(&rotation), labels, &folds);
        };
        let columns = VaryingColumns::new(sparse)?;
        params.fit(&Basis::Varying(columns), labels, &folds)
    }))
}

/// From features to ridge regressions with penalties chosen by leave-one-out.
fn regress(rows: Dataset) -> KernelRun {
    let params = RidgeParams::default();
    let targets = rows.labels().to_matrix();
    work(move || {
        let factorisation = Factorisation::new(rows.features().view())?;
        let system = params.prepare(&factorisation)?;
        system.fit(&targets)
    })
}

/// Inputs of decoders: noisy codewords of Gaussian projections with columns of length about one, and log-odds.
struct Coded {
    projections: Matrix,
    /// The noise variance of each projection.
    noise: Vec<f64>,
    codewords: Matrix,
    log_odds: Matrix,
}

impl Coded {
    /// Draws label sets with about a sixth of the labels each, about two with many labels.
    fn draw(
        seed: Seed,
        rows: usize,
        (labels, projections): (usize, usize),
        mean_noise: f64,
    ) -> Self {
        let mut stream = seed.stream();
        let scale = (labels as f64).sqrt().recip();
        let share = 0.17_f64.min(2.0 / labels as f64);
        let noise: Vec<f64> = (0..projections)
            .map(|_| mean_noise * (0.2 + 1.6 * stream.uniform()))
            .collect();
        let projections = matrix(labels, projections, || scale * stream.gaussian());
        let y = matrix(rows, labels, || {
            f64::from(u8::from(stream.uniform() < share))
        });
        let mut codewords = multiply(y.view(), projections.view());
        for row in 0..rows {
            for (z, noise) in codewords.row_mut(row).iter_mut().zip(&noise) {
                *z += noise.sqrt() * stream.gaussian();
            }
        }
        let mut log_odds = y;
        for value in log_odds.values_mut() {
            *value = 4.0 * *value - 2.0 + 2.0 * stream.gaussian();
        }
        Self {
            projections,
            noise,
            codewords,
            log_odds,
        }
    }
}

fn matrix(rows: usize, columns: usize, mut number: impl FnMut() -> f64) -> Matrix {
    Matrix::from_fn(rows, columns, |_, _| number())
}

/// Label sets and marginals.
fn decode_jointly(coded: Coded, inference: Inference) -> Result<KernelRun> {
    let joint = Joint::new(&coded.projections, &coded.noise, 1.0, inference)?;
    Ok(work(move || {
        joint.decode(&coded.codewords, &coded.log_odds)
    }))
}

fn parse(text: Vec<u8>, labels: LabelSource, format: Format) -> KernelRun {
    let options = ReadOptions {
        labels,
        format: Some(format),
        ..ReadOptions::default()
    };
    work(move || Ok(read_from(text.as_slice(), "table", &options).expect("a table of ours")))
}

/// A table of values with six decimal places, and three labels.
fn csv_table(seed: Seed, rows: usize, columns: usize) -> Vec<u8> {
    let mut stream = seed.stream();
    let mut names: Vec<String> = (1..=columns).map(|column| format!("x{column}")).collect();
    names.extend(["a", "b", "c"].map(String::from));
    let mut text = names.join(",");
    for _ in 0..rows {
        let mut cells: Vec<String> = (0..columns)
            .map(|_| format!("{:.6}", stream.gaussian()))
            .collect();
        cells.extend((0..3).map(|_| stream.below(2).to_string()));
        text.push('\n');
        text.push_str(&cells.join(","));
    }
    text.into_bytes()
}
