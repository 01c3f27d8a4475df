//! Draws from distributions, made of uniform numbers by operations that every machine rounds alike.

use crate::Stream;

/// A number of mean 0 and variance 1 whose density looks like a bell: √3 times the sum of four uniform numbers
/// less their mean. The normal distribution would take a logarithm, which machines round differently.
pub(super) fn bell(stream: &mut Stream) -> f64 {
    let sum: f64 = (0..4).map(|_| stream.uniform()).sum();
    (sum - 2.0) * 3.0f64.sqrt()
}

/// A vector of such numbers.
pub(super) fn bells(length: usize, stream: &mut Stream) -> Vec<f64> {
    (0..length).map(|_| bell(stream)).collect()
}

/// How many throws fail before one succeeds, where `failures` do on average.
pub(super) fn geometric(failures: f64, stream: &mut Stream) -> usize {
    let success = 1.0 / (1.0 + failures);
    let mut failed = 0;
    while stream.uniform() >= success {
        failed += 1;
    }
    failed
}

/// Some words of a vocabulary, of which the first is drawn twice as often as the second, three times as often
/// as the third and so on (Zipf's law).
pub(super) struct Topic {
    words: Vec<u32>,
    /// The sums 1, 1 + 1/2, 1 + 1/2 + 1/3, …
    sums: Vec<f64>,
}

impl Topic {
    /// A topic of `size` different words out of `vocabulary`.
    pub(super) fn new(size: usize, vocabulary: usize, stream: &mut Stream) -> Self {
        let mut words: Vec<u32> = (0..vocabulary as u32).collect();
        stream.shuffle(&mut words);
        words.truncate(size);
        let mut sum = 0.0;
        let mut add = |place: usize| {
            sum += 1.0 / place as f64;
            sum
        };
        let sums = (1..=words.len()).map(&mut add).collect();
        Self { words, sums }
    }

    /// The most frequent word.
    pub(super) fn first(&self) -> u32 {
        self.words[0]
    }

    /// A word, drawn by its frequency.
    pub(super) fn draw(&self, stream: &mut Stream) -> u32 {
        let total = self.sums[self.sums.len() - 1];
        let point = stream.uniform() * total;
        let place = self.sums.partition_point(|&sum| sum <= point);
        self.words[place.min(self.words.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mmoc::Seed;

    const DRAWS: usize = 60_000;

    #[test]
    fn bells_have_mean_zero_and_variance_one() {
        let drawn = bells(DRAWS, &mut Seed::new(1).stream());
        let mean = drawn.iter().sum::<f64>() / DRAWS as f64;
        let square = drawn.iter().map(|x| x * x).sum::<f64>() / DRAWS as f64;
        assert!(mean.abs() < 0.02, "{mean}");
        assert!((square - 1.0).abs() < 0.03, "{square}");
    }

    #[test]
    fn geometric_numbers_have_their_mean() {
        let mut stream = Seed::new(2).stream();
        let total: usize = (0..DRAWS).map(|_| geometric(4.0, &mut stream)).sum();
        let mean = total as f64 / DRAWS as f64;
        assert!((mean - 4.0).abs() < 0.1, "{mean}");
    }

    #[test]
    fn words_are_as_frequent_as_their_place_says() {
        let mut stream = Seed::new(3).stream();
        let topic = Topic::new(4, 10, &mut stream);
        let mut counts = [0usize; 10];
        for _ in 0..DRAWS {
            counts[topic.draw(&mut stream) as usize] += 1;
        }
        let harmonic = 25.0 / 12.0;
        for (place, &word) in topic.words.iter().enumerate() {
            let expected = DRAWS as f64 / harmonic / (place + 1) as f64;
            let found = counts[word as usize] as f64;
            assert!((found / expected - 1.0).abs() < 0.05, "{found}, {expected}");
        }
        assert_eq!(topic.first(), topic.words[0]);
        assert_eq!(counts.iter().filter(|&&count| count > 0).count(), 4);
    }
}
