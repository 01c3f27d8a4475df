//! The memory that fits are expected to need, against what they take.
//!
//! Each fit runs in a process of its own, this test again, because an allocator keeps what earlier fits have freed.

#![cfg(target_os = "linux")]

use std::process::Command;

use mmoc::data::{Csr, Features, FeaturesView, Labels, Matrix};
use mmoc::learn::{BaseParams, FeatureChoice, Training};
use mmoc::method::Method;
use mmoc::{Seed, Stream};

/// Estimates may be so many times too low or too high, as the documentation of the cost model says.
const LOWEST: f64 = 0.5;
const HIGHEST: f64 = 3.0;

/// The variable that names the fit of a process.
const FIT: &str = "MMOC_MEMORY_FIT";

/// Method, rows, columns, stored values of a row (0 if dense), labels.
const FITS: [(&str, usize, usize, usize, usize); 9] = [
    ("br", 2500, 400, 0, 8),
    ("br", 2000, 300, 10, 160),
    ("clr", 1000, 3000, 20, 20),
    ("lead", 1500, 600, 0, 8),
    ("coding-cs", 1500, 800, 0, 40),
    ("coding-pca", 600, 200, 10, 1400),
    ("coding-pca-r", 1000, 800, 20, 30),
    ("coding-cca", 1000, 800, 20, 60),
    ("max-margin", 1500, 500, 20, 30),
];

/// A number of `/proc/self/status` in bytes.
fn status(name: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    let kilobytes: f64 = line
        .split_ascii_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    1024.0 * kilobytes
}

fn features(stream: &mut Stream, rows: usize, columns: usize, stored: usize) -> Features {
    if stored == 0 {
        let mut x = Matrix::zeros(rows, columns);
        x.values_mut()
            .iter_mut()
            .for_each(|value| *value = stream.gaussian());
        return Features::Dense(x);
    }
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for index in 0..rows {
        let column = |k: usize| ((index * stored + k) * 48_271 % columns) as u32;
        let mut row: Vec<u32> = (0..stored).map(column).collect();
        row.sort_unstable();
        row.dedup();
        indices.extend(row);
        offsets.push(indices.len());
    }
    let values = vec![1.0; indices.len()];
    Features::Sparse(Csr::new(columns, offsets, indices, values).unwrap())
}

/// Labels that depend on a few features, about two in each row.
fn labels(x: FeaturesView<'_>, stream: &mut Stream, count: usize) -> Labels {
    let rows = x.rows();
    let mut numbers = vec![0.0; rows];
    x.for_each_stored(|row, column, value| numbers[row] += value * (1.0 + (column % 7) as f64));
    let noise: Vec<f64> = (0..rows * count).map(|_| stream.uniform()).collect();
    let share = (2.0 / count as f64).min(0.5);
    Labels::from_fn(rows, count, |i, j| {
        let tendency = 1.0 + 0.5 * (numbers[i] * (j + 1) as f64).sin();
        noise[i * count + j] < share * tendency
    })
}

/// Fits what the variable says and prints what was expected and what it took; a test for other processes.
#[test]
fn one_fit_in_a_process() {
    let Ok(index) = std::env::var(FIT) else {
        return;
    };
    let (name, rows, columns, stored, count) = FITS[index.parse::<usize>().unwrap()];
    let mut stream = Seed::new(5).stream();
    let x = features(&mut stream, rows, columns, stored);
    let y = labels(x.view(), &mut stream, count);
    let method: Method = name.parse().unwrap();
    let base = BaseParams {
        features: FeatureChoice::Linear,
        ..BaseParams::default()
    };
    let (expected, taken) = mmoc::with_threads(2, || {
        let training = Training::new(x.view(), &y, base, Seed::new(1)).unwrap();
        let expected = method.expected_memory(&training);
        let before = status("VmRSS:");
        let mut fitted = method.fit_on(&training).unwrap();
        fitted.held_out_prediction(&training).unwrap();
        (expected, status("VmHWM:") - before)
    })
    .unwrap();
    println!("expected {expected} taken {taken}");
}

#[test]
fn expected_memory_is_close_to_what_fits_take() {
    let mut wrong = Vec::new();
    for (index, fit) in FITS.iter().enumerate() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "one_fit_in_a_process", "--nocapture"]);
        let output = command.env(FIT, index.to_string()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find_map(|line| line.split_once("expected "));
        let (_, numbers) = line.unwrap_or_else(|| panic!("{fit:?}: {text}"));
        let numbers: Vec<f64> = numbers
            .split(" taken ")
            .map(|number| number.parse().unwrap())
            .collect();
        let (expected, taken) = (numbers[0], numbers[1]);
        let ratio = expected / taken;
        println!(
            "{fit:?}: expected {:.0} MB, took {:.0} MB, ratio {ratio:.2}",
            expected / 1e6,
            taken / 1e6
        );
        if !(LOWEST..=HIGHEST).contains(&ratio) || taken < 20e6 {
            wrong.push((fit, expected, taken));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
