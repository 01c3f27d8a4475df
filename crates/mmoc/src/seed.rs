//! One 64-bit seed from which all random streams are derived by name.
//!
//! A stream depends only on the path of names that leads to it, so the number of threads, the order of work and the
//! presence of other methods do not change it.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A seed, or one derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// The root seed of a program run.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The seed of the component called `name`.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self(
            name.bytes()
                .fold(mix(self.0), |state, byte| mix(state ^ u64::from(byte))),
        )
    }

    /// The seed of the component numbered `index`.
    #[must_use]
    pub fn numbered(self, index: usize) -> Self {
        // Names and numbers are mixed differently from the same seed.
        Self(mix(!mix(self.0) ^ index as u64))
    }

    /// The stream of random numbers of this seed.
    pub fn stream(self) -> Stream {
        Stream(ChaCha8Rng::seed_from_u64(self.0))
    }
}

/// The finaliser of `SplitMix64`: a bijection in which every input bit flips half of the output bits on average.
fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A stream of random numbers.
///
/// The few distributions needed are implemented here, not taken from `rand`, so that seeds stay valid when that
/// crate changes its algorithms.
#[derive(Debug, Clone)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// An integer drawn uniformly from `0..bound`.
    ///
    /// Multiplies a 64-bit draw into the range and rejects the few draws that would cause bias (Lemire 2019).
    ///
    /// # Panics
    /// If `bound` is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a range must not be empty");
        let bound = bound as u64;
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(bound);
            if product as u64 >= threshold {
                return (product >> 64) as usize;
            }
        }
    }

    /// A number drawn uniformly from [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number drawn from the standard normal distribution.
    ///
    /// The polar method of Marsaglia: a point (u, v) drawn uniformly from the unit disc without its centre has a
    /// direction that is independent of s = u² + v², which is uniform in (0, 1), so u/√s·√(−2 ln s) is normal. The
    /// second number, with v in place of u, is dropped, so that a stream has no state besides its position.
    pub fn gaussian(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * s.ln() / s).sqrt();
            }
        }
    }

    /// Shuffles `items` uniformly (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_only_on_its_path() {
        let first = Seed::new(7).named("split").numbered(3).stream().uniform();
        let again = Seed::new(7).named("split").numbered(3).stream().uniform();
        assert_eq!(first.to_bits(), again.to_bits());
    }

    #[test]
    fn different_paths_give_different_streams() {
        let root = Seed::new(7);
        let seeds = [
            root,
            Seed::new(8),
            root.named("a"),
            root.named("b"),
            root.named("ab"),
            root.named("a").named("b").named("c"),
            root.numbered(0),
            root.numbered(1),
            root.numbered(0).numbered(0),
            root.numbered(usize::from(b'a')),
        ];
        for (i, a) in seeds.iter().enumerate() {
            assert!(seeds[i + 1..].iter().all(|b| a != b), "{a:?} repeats");
        }
    }

    #[test]
    fn below_is_uniform_and_in_range() {
        let mut stream = Seed::new(1).stream();
        let mut counts = [0usize; 7];
        for _ in 0..70_000 {
            counts[stream.below(7)] += 1;
        }
        assert!(
            counts.iter().all(|&c| (9_500..10_500).contains(&c)),
            "{counts:?}"
        );
    }

    /// The mean of a function of standard normal draws.
    fn gaussian_mean(function: impl Fn(f64) -> f64) -> f64 {
        const DRAWS: usize = 200_000;
        let mut stream = Seed::new(3).stream();
        (0..DRAWS).map(|_| function(stream.gaussian())).sum::<f64>() / DRAWS as f64
    }

    #[test]
    fn gaussian_has_the_moments_of_the_normal_distribution() {
        // Four standard errors of the mean of xᵏ, whose variance is E x²ᵏ − (E xᵏ)².
        let within = |power: i32, expected: f64, variance: f64| {
            let found = gaussian_mean(|x| x.powi(power));
            let allowed = 4.0 * (variance / 200_000.0).sqrt();
            assert!((found - expected).abs() < allowed, "{power}: {found}");
        };
        within(1, 0.0, 1.0);
        within(2, 1.0, 2.0);
        within(3, 0.0, 15.0);
        within(4, 3.0, 96.0);
    }

    #[test]
    fn gaussian_has_the_tails_of_the_normal_distribution() {
        for (bound, probability) in [(0.0, 0.5), (1.0, 0.158_655), (2.0, 0.022_750)] {
            let found = gaussian_mean(|x| f64::from(u8::from(x > bound)));
            assert!((found - probability).abs() < 0.005, "{bound}: {found}");
        }
    }

    #[test]
    fn successive_gaussian_numbers_are_not_correlated() {
        let mut stream = Seed::new(4).stream();
        let draws: Vec<f64> = (0..50_000).map(|_| stream.gaussian()).collect();
        let products: f64 = draws.windows(2).map(|pair| pair[0] * pair[1]).sum();
        assert!((products / 50_000.0).abs() < 0.02);
    }

    #[test]
    fn shuffle_keeps_every_item() {
        let mut items: Vec<usize> = (0..100).collect();
        Seed::new(2).stream().shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
