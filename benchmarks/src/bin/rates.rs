//! Throughput of the hot kernels on one core: floating-point operations and bytes per second, relative to the peak
//! rates of a loop of multiplications and additions in registers, and of a sum over more memory than the caches
//! hold.
//!
//! Usage: `rates DATA_FOLDER` prints a table. One thread; each figure is the best of several repetitions, with the
//! kernels in turn, since the machine may be busy in between.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use mmoc::data::{Features, FeaturesView, Matrix};
use mmoc::linalg::{
    Factorisation, multiply, multiply_features, multiply_transposed, symmetric_eigen,
};
use mmoc_benchmarks::standard_set;
use pulp::{Arch, Simd, WithSimd};

const REPETITIONS: usize = 7;
/// Values summed for the memory rate: 256 MB.
const LONG: usize = 1 << 25;
/// Vectors in the sparse product: eight labels of five folds.
const VECTORS: usize = 40;

/// A kernel with the operations and bytes of one run.
struct Kernel<'a> {
    name: &'static str,
    operations: f64,
    /// Bytes that must be read from or written to memory at least once.
    bytes: f64,
    run: Box<dyn Fn() + 'a>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("expected the folder of the data sets")?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    let bibtex = standard_set(Path::new(&folder), "bibtex")?;
    let kernels = kernels(bibtex.features());
    let mut best = vec![f64::INFINITY; kernels.len()];
    for _ in 0..REPETITIONS {
        for (kernel, best) in kernels.iter().zip(&mut best) {
            let start = Instant::now();
            (kernel.run)();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    print(&kernels, &best);
    Ok(())
}

fn print(kernels: &[Kernel<'_>], seconds: &[f64]) {
    let rate = |amount: f64, seconds: f64| amount / seconds / 1e9;
    let (flops, bytes) = (
        rate(kernels[0].operations, seconds[0]),
        rate(kernels[1].bytes, seconds[1]),
    );
    println!("| kernel | Gflop/s | of the peak | GB/s | of the peak |");
    println!("|---|---|---|---|---|");
    for (kernel, &seconds) in kernels.iter().zip(seconds) {
        let (f, b) = (
            rate(kernel.operations, seconds),
            rate(kernel.bytes, seconds),
        );
        println!(
            "| {} | {f:.1} | {:.0} % | {b:.1} | {:.0} % |",
            kernel.name,
            100.0 * f / flops,
            100.0 * b / bytes
        );
    }
}

/// All kernels, the two peak rates first.
fn kernels(sparse: &Features) -> Vec<Kernel<'_>> {
    let mut kernels = vec![registers(), memory()];
    kernels.extend([dense_product(), gram(), eigen()]);
    kernels.extend([sparse_product(sparse.view()), factorisation(sparse.view())]);
    kernels
}

fn registers() -> Kernel<'static> {
    const ROUNDS: usize = 20_000_000;
    Kernel {
        name: "multiply and add in registers",
        operations: (2 * ROUNDS * ACCUMULATORS * lanes()) as f64,
        bytes: 0.0,
        run: Box::new(|| {
            black_box(Arch::new().dispatch(MultiplyAdd { rounds: ROUNDS }));
        }),
    }
}

/// Independent sums, enough to hide the latency of an operation.
const ACCUMULATORS: usize = 12;

struct MultiplyAdd {
    rounds: usize,
}

impl WithSimd for MultiplyAdd {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let factor = simd.splat_f64s(black_box(0.999_999));
        let mut sums = [simd.splat_f64s(black_box(1.0)); ACCUMULATORS];
        for _ in 0..self.rounds {
            for sum in &mut sums {
                *sum = simd.mul_add_f64s(*sum, factor, factor);
            }
        }
        sums.iter().map(|&sum| simd.reduce_sum_f64s(sum)).sum()
    }
}

struct LaneCount;

impl WithSimd for LaneCount {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> usize {
        S::F64_LANES
    }
}

fn lanes() -> usize {
    Arch::new().dispatch(LaneCount)
}

fn memory() -> Kernel<'static> {
    let numbers = vec![1.0f64; LONG];
    Kernel {
        name: "sum over an array in memory",
        operations: LONG as f64,
        bytes: (8 * LONG) as f64,
        run: Box::new(move || {
            black_box(Arch::new().dispatch(|| {
                let mut sums = [0.0; 64];
                for block in numbers.as_chunks::<64>().0 {
                    for (sum, value) in sums.iter_mut().zip(block) {
                        *sum += value;
                    }
                }
                sums.iter().sum::<f64>()
            }));
        }),
    }
}

fn filled(rows: usize, columns: usize) -> Matrix {
    Matrix::from_fn(rows, columns, |i, j| {
        ((i * 31 + j * 17) % 101) as f64 / 101.0
    })
}

fn dense_product() -> Kernel<'static> {
    let (a, b) = (filled(1000, 1000), filled(1000, 1000));
    Kernel {
        name: "product of dense matrices, 1000 cubed",
        operations: 2e9,
        bytes: 3.0 * 8e6,
        run: Box::new(move || {
            black_box(multiply(a.view(), b.view()));
        }),
    }
}

/// The shape of a max-margin problem of bibtex.
fn gram() -> Kernel<'static> {
    let a = filled(4880, 159);
    let (rows, columns) = (a.rows() as f64, a.columns() as f64);
    Kernel {
        name: "product of a tall matrix with itself, 4880 × 159",
        operations: 2.0 * rows * columns * columns,
        bytes: 8.0 * rows * columns,
        run: Box::new(move || {
            black_box(multiply_transposed(a.view(), a.view()));
        }),
    }
}

fn eigen() -> Kernel<'static> {
    let a = filled(600, 500);
    let square = multiply_transposed(a.view(), a.view());
    Kernel {
        name: "eigendecomposition, 500 × 500 (4/3·q³ and 2·q³ counted)",
        operations: (4.0 / 3.0 + 2.0) * 500f64.powi(3),
        bytes: 8.0 * 2.0 * 500.0 * 500.0,
        run: Box::new(move || {
            black_box(symmetric_eigen(square.clone()).is_ok());
        }),
    }
}

/// The dominant operation of logistic regressions on sparse features.
fn sparse_product(x: FeaturesView<'_>) -> Kernel<'_> {
    let b = filled(x.columns(), VECTORS);
    let entries = x.stored_values().len() as f64;
    let (rows, columns, width) = (x.rows() as f64, x.columns() as f64, VECTORS as f64);
    Kernel {
        name: "sparse product of bibtex with 40 vectors",
        operations: 2.0 * entries * width,
        bytes: 12.0 * entries + 8.0 * width * (rows + columns),
        run: Box::new(move || {
            black_box(multiply_features(x, b.view()));
        }),
    }
}

fn factorisation(x: FeaturesView<'_>) -> Kernel<'_> {
    let size = x.columns().min(x.rows()) as f64;
    Kernel {
        name: "factorisation of bibtex for ridge (4/3·p³ counted)",
        operations: 4.0 / 3.0 * size.powi(3),
        bytes: 8.0 * size * size,
        run: Box::new(move || {
            black_box(Factorisation::new(x).is_ok());
        }),
    }
}
