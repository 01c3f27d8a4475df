//! Synthetic twins of the data sets of the paper, for where no copy of those is at hand.
//!
//! A twin has the rows, columns and labels of its original, the same label names, and exactly as many rows of
//! each label set. Its features are drawn from a model that is only made to be hard in the same way: labels are
//! poorly predicted one by one, while whole label sets lie apart. So a twin exercises every method at the true
//! sizes, but is no evidence about the original. `docs/synthetic-twins.md` has the measurements.
//!
//! Only sums, products, quotients and square roots are used, which are the same bits on every machine.

mod census;
mod dense;
mod draw;
mod words;

use super::Dataset;
use dense::DenseModel;
use mmoc::{Result, Seed};
use words::WordModel;

/// A data set of the paper that has a twin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Twin {
    /// 593 pieces of music: 72 features, 6 labels.
    Emotions,
    /// 2407 pictures: 294 features in [0, 1], 6 labels of which most rows carry one.
    Scene,
    /// 785 radiology reports: which of 1449 words they have; the 10 most frequent labels, and the rows that carry
    /// one of those.
    Medical,
}

impl Twin {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Emotions, Self::Scene, Self::Medical];

    /// The name of the original; the data set generated is called that with `-twin` after it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Emotions => "emotions",
            Self::Scene => "scene",
            Self::Medical => "medical",
        }
    }

    /// Draws the twin: the same bytes for the same seed, on every machine.
    ///
    /// ```
    /// use mmoc::Seed;
    /// use mmoc_io::Twin;
    ///
    /// let music = Twin::Emotions.generate(Seed::new(1))?;
    /// assert_eq!(music.name(), "emotions-twin");
    /// assert_eq!((music.rows(), music.columns(), music.labels().count()), (593, 72, 6));
    /// # Ok::<(), mmoc::Error>(())
    /// ```
    pub fn generate(self, seed: Seed) -> Result<Dataset> {
        let seed = seed.named("twin").named(self.name());
        let census = self.census();
        let rows = census.rows(&mut seed.named("rows").stream());
        let mut stream = seed.named("features").stream();
        let (columns, features) = match self {
            Self::Emotions => EMOTIONS.draw(&census, &rows, &mut stream),
            Self::Scene => SCENE.draw(&census, &rows, &mut stream),
            Self::Medical => MEDICAL.draw(&census, &rows, &mut stream)?,
        };
        Dataset::new(
            format!("{}-twin", self.name()),
            features,
            census.labels(&rows),
            (1..=columns).map(|column| format!("x{column}")).collect(),
            census.names.iter().map(|&name| name.to_owned()).collect(),
        )
    }
}

const EMOTIONS: DenseModel = DenseModel {
    columns: 72,
    joint: 0.3,
    hidden_noise: 4.0,
    own_noise: 0.5,
    unit: None,
};

const SCENE: DenseModel = DenseModel {
    columns: 294,
    joint: 0.5,
    hidden_noise: 2.7,
    own_noise: 1.0,
    unit: Some(0.09),
};

const MEDICAL: WordModel = WordModel {
    columns: 1449,
    topic: 25,
    named: 0.65,
    from_set: 0.12,
    from_labels: 0.25,
    length: (2, 13.67, 57),
};

#[cfg(test)]
mod tests {
    use super::*;

    /// A checksum of all bits of the features and of where they are.
    fn checksum(dataset: &Dataset) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        dataset
            .features()
            .view()
            .for_each_stored(|row, column, value| {
                for word in [row as u64, column as u64, value.to_bits()] {
                    hash = (hash.rotate_left(23) ^ word).wrapping_mul(0x0000_0100_0000_01b3);
                }
            });
        hash
    }

    #[test]
    fn twins_have_the_sizes_of_their_originals() {
        let sizes = Twin::ALL.map(|twin| {
            let twin = twin.generate(Seed::new(1)).unwrap();
            (twin.rows(), twin.columns(), twin.labels().count())
        });
        assert_eq!(sizes, [(593, 72, 6), (2407, 294, 6), (785, 1449, 10)]);
    }

    #[test]
    fn label_sets_differ_from_each_other_and_descend() {
        for twin in Twin::ALL {
            let sets: Vec<Vec<usize>> = twin.census().sets().collect();
            let different: std::collections::HashSet<&Vec<usize>> = sets.iter().collect();
            assert_eq!(different.len(), sets.len());
            let rows = twin.census().rows(&mut Seed::new(1).stream());
            let count = |set: usize| rows.iter().filter(|&&row| row == set).count();
            assert!((0..sets.len()).map(count).is_sorted_by(|a, b| a >= b));
        }
    }

    #[test]
    fn a_seed_gives_the_same_bytes_on_every_machine() {
        let sums = Twin::ALL.map(|twin| checksum(&twin.generate(Seed::new(1)).unwrap()));
        // Another model is other data: change these together with docs/synthetic-twins.md.
        let expected = [
            3_854_524_666_414_369_402,
            15_464_495_542_892_974_457,
            14_193_822_386_784_544_905,
        ];
        assert_eq!(sums, expected);
    }

    #[test]
    fn another_seed_gives_other_features_and_the_same_label_sets() {
        for twin in Twin::ALL {
            let (a, b) = (twin.generate(Seed::new(1)), twin.generate(Seed::new(2)));
            let (a, b) = (a.unwrap(), b.unwrap());
            assert_ne!(checksum(&a), checksum(&b));
            assert_ne!(a.labels(), b.labels());
            let sorted = |dataset: &Dataset| {
                let mut sets: Vec<Vec<u32>> =
                    dataset.labels().iter().map(<[u32]>::to_vec).collect();
                sets.sort();
                sets
            };
            assert_eq!(sorted(&a), sorted(&b));
        }
    }

    #[test]
    fn scene_lies_within_the_unit_interval_and_is_seldom_cut_off() {
        let scene = Twin::Scene.generate(Seed::new(3)).unwrap();
        let values = scene.features().view().stored_values();
        assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
        let cut = values.iter().filter(|&&value| value == 0.0 || value == 1.0);
        let share = cut.count() as f64 / values.len() as f64;
        assert!(share < 0.1, "{share}");
    }

    #[test]
    fn medical_has_as_many_words_a_row_as_the_real_reports() {
        let medical = Twin::Medical.generate(Seed::new(4)).unwrap();
        let view = medical.features().view();
        assert!(view.stored_values().iter().all(|&value| value == 1.0));
        let mean = view.stored_values().len() as f64 / medical.rows() as f64;
        assert!((mean - 13.67).abs() < 1.0, "{mean}");
        for row in 0..medical.rows() {
            let mut words = 0;
            view.for_each_in_row(row, |_, _| words += 1);
            assert!((2..=57).contains(&words), "{words}");
        }
    }
}
