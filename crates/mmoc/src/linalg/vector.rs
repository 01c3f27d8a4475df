//! Vector operations of the iterative solvers.
//!
//! Sums use eight partial sums for any register width, so they are bitwise equal on different processors.

/// Runs a loop compiled for the widest registers of the processor.
///
/// A short closure is enough. The compiler may not inline a long one into the specialised code; that takes a struct
/// whose `call` is marked `#[inline(always)]`, or `with_simd` for explicit registers.
pub(crate) fn vectorised<W: pulp::WithSimd>(work: W) -> W::Output {
    pulp::Arch::new().dispatch(work)
}

/// The inner product aᵀb.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    vectorised(|| inlined_dot(a, b))
}

/// The inner product aᵀb inside a larger [`vectorised`] loop.
#[inline(always)]
pub(super) fn inlined_dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    if a_blocks.is_empty() {
        return rest;
    }
    sums.iter().sum::<f64>() + rest
}

/// The squared distance ‖a − b‖².
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    vectorised(|| {
        let (a_blocks, a_rest) = a.as_chunks::<8>();
        let (b_blocks, b_rest) = b.as_chunks::<8>();
        let mut sums = [0.0; 8];
        for (x, y) in a_blocks.iter().zip(b_blocks) {
            for lane in 0..8 {
                let difference = x[lane] - y[lane];
                sums[lane] += difference * difference;
            }
        }
        let rest = a_rest.iter().zip(b_rest).map(|(x, y)| (x - y) * (x - y));
        sums.iter().sum::<f64>() + rest.sum::<f64>()
    })
}

/// The sum of all entries.
pub(crate) fn sum(a: &[f64]) -> f64 {
    vectorised(|| {
        let (blocks, rest) = a.as_chunks::<8>();
        let mut sums = [0.0; 8];
        for block in blocks {
            for lane in 0..8 {
                sums[lane] += block[lane];
            }
        }
        sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
    })
}

/// Adds `scale · a` to `sum`.
pub(crate) fn add_scaled(sum: &mut [f64], scale: f64, a: &[f64]) {
    vectorised(|| {
        for (s, x) in sum.iter_mut().zip(a) {
            *s += scale * x;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_include_every_entry_for_any_length() {
        for length in 0..20 {
            let a: Vec<f64> = (0..length).map(f64::from).collect();
            let squares: f64 = a.iter().map(|x| x * x).sum();
            assert!((dot(&a, &a) - squares).abs() < 1e-12);
            let shifted: Vec<f64> = a.iter().map(|x| 3.0 * x + 1.0).collect();
            let distances: f64 = a.iter().map(|x| (2.0 * x + 1.0).powi(2)).sum();
            assert!((squared_distance(&a, &shifted) - distances).abs() < 1e-12);
            assert!((sum(&a) - a.iter().sum::<f64>()).abs() < 1e-12);
        }
    }

    #[test]
    fn add_scaled_adds_in_place() {
        let mut sum = vec![1.0, 2.0];
        add_scaled(&mut sum, 3.0, &[10.0, 20.0]);
        assert_eq!(sum, [31.0, 62.0]);
    }
}
