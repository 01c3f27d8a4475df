//! The mmoc side of `decoders.py`: draws the inputs of a case, decodes them, and writes inputs, results and times.
//!
//! Label sets have about a sixth of the labels each, at most two with many labels. Projections are Gaussian with
//! columns of length about one. The noise of projection k is 0.02 to 0.2; codewords are those of the label sets
//! with noise of that variance. Log-odds are ±2 by the label plus Gaussian noise of standard deviation 2.
//!
//! Usage: `decoders CASE OUT_FOLDER REPETITIONS`

use std::error::Error;
use std::path::Path;

use mmoc::data::{Labels, Matrix};
use mmoc::decode::{Inference, Joint};
use mmoc::{Seed, Stream};
use mmoc_benchmarks::{quickest, write_numbers};
use serde_json::json;

struct Case {
    name: &'static str,
    rows: usize,
    labels: usize,
    projections: usize,
    inference: Inference,
}

const fn case(
    name: &'static str,
    rows: usize,
    labels: usize,
    projections: usize,
    inference: Inference,
) -> Case {
    Case {
        name,
        rows,
        labels,
        projections,
        inference,
    }
}

const CASES: [Case; 6] = [
    case("exact-6", 20_000, 6, 6, Inference::Exact),
    case("exact-10", 10_000, 10, 10, Inference::Exact),
    case("exact-14", 5_000, 14, 14, Inference::Exact),
    case("exact-16", 2_000, 16, 16, Inference::Exact),
    case("mean-field-159-159", 2_500, 159, 159, Inference::MeanField),
    case("mean-field-159-3", 2_500, 159, 3, Inference::MeanField),
];

/// The inputs of a decoder.
struct Inputs {
    projections: Matrix,
    noise: Vec<f64>,
    codewords: Matrix,
    log_odds: Matrix,
}

impl Inputs {
    fn draw(case: &Case) -> Self {
        let mut stream = Seed::new(0).named(case.name).stream();
        let (n, q, d) = (case.rows, case.labels, case.projections);
        let projections = gaussian(q, d, (q as f64).sqrt().recip(), &mut stream);
        let noise: Vec<f64> = (0..d).map(|_| 0.02 + 0.18 * stream.uniform()).collect();
        let share = 0.17_f64.min(2.0 / q as f64);
        let mut y = Matrix::zeros(n, q);
        y.values_mut()
            .iter_mut()
            .for_each(|y| *y = f64::from(u8::from(stream.uniform() < share)));
        let errors = gaussian(n, d, 1.0, &mut stream);
        let mut codewords = mmoc::linalg::multiply(y.view(), projections.view());
        let mut log_odds = gaussian(n, q, 2.0, &mut stream);
        for row in 0..n {
            for (k, z) in codewords.row_mut(row).iter_mut().enumerate() {
                *z += noise[k].sqrt() * errors[(row, k)];
            }
            for (l, y) in log_odds.row_mut(row).iter_mut().zip(y.row(row)) {
                *l += 4.0 * y - 2.0;
            }
        }
        Self {
            projections,
            noise,
            codewords,
            log_odds,
        }
    }
}

fn gaussian(rows: usize, columns: usize, deviation: f64, stream: &mut Stream) -> Matrix {
    let mut matrix = Matrix::zeros(rows, columns);
    for value in matrix.values_mut() {
        // Box–Muller transform.
        let radius = (-2.0 * (1.0 - stream.uniform()).ln()).sqrt();
        *value = deviation * radius * (std::f64::consts::TAU * stream.uniform()).cos();
    }
    matrix
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, out, repetitions] = arguments.as_slice() else {
        return Err("usage: decoders CASE OUT_FOLDER REPETITIONS".into());
    };
    let case = CASES
        .iter()
        .find(|case| case.name == name)
        .ok_or_else(|| format!("no case '{name}'"))?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build_global()?;
    let repetitions: usize = repetitions.parse()?;
    let inputs = Inputs::draw(case);
    let joint = Joint::new(&inputs.projections, &inputs.noise, 1.0, case.inference)?;
    let (codewords, log_odds) = (&inputs.codewords, &inputs.log_odds);

    let prepare_seconds = quickest(repetitions, || {
        Joint::new(&inputs.projections, &inputs.noise, 1.0, case.inference)
    });
    let labels_seconds = quickest(repetitions, || joint.label_sets(codewords, log_odds));
    let decode_seconds = quickest(repetitions, || joint.decode(codewords, log_odds));
    let found = joint.decode(codewords, log_odds)?;

    let out = Path::new(out);
    write(&out.join("projections"), &inputs.projections)?;
    write_numbers(&out.join("noise"), inputs.noise.iter().copied())?;
    write(&out.join("codewords"), codewords)?;
    write(&out.join("log_odds"), log_odds)?;
    write(&out.join("labels"), &dense(&found.labels))?;
    write(
        &out.join("marginals"),
        &found.probabilities.unwrap_or_default(),
    )?;
    let about = json!({
        "rows": case.rows,
        "labels": case.labels,
        "projections": case.projections,
        "prepare_seconds": prepare_seconds,
        "labels_seconds": labels_seconds,
        "decode_seconds": decode_seconds,
    });
    println!("{about}");
    Ok(())
}

fn write(path: &Path, matrix: &Matrix) -> std::io::Result<()> {
    write_numbers(path, matrix.values().iter().copied())
}

fn dense(labels: &Labels) -> Matrix {
    Matrix::from_fn(labels.rows(), labels.count(), |i, j| {
        f64::from(u8::from(labels.contains(i, j)))
    })
}
