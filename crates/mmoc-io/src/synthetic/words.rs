//! Sparse features: which words a short report has.

use std::collections::BTreeSet;

use super::census::Census;
use super::draw::{Topic, geometric};
use crate::{Csr, Features};
use mmoc::{Result, Stream};

/// A model of reports: each label of a row leaves its name with some probability, and the other words are
/// drawn from the topic of the label set, of one of its labels, or of the language, until there are enough.
///
/// Names make rows easy to a linear model; rows that lack theirs must be told by words that are each a weak hint,
/// and by which labels go together.
pub(super) struct WordModel {
    /// Number of words there are, p.
    pub(super) columns: usize,
    /// Words of the topic of a label or a label set; the language has all.
    pub(super) topic: usize,
    /// Probability that a label leaves the first word of its topic.
    pub(super) named: f64,
    /// Share of words drawn from the topic of the label set.
    pub(super) from_set: f64,
    /// Share of words drawn from the topics of its labels.
    pub(super) from_labels: f64,
    /// Least, mean and greatest number of words of a row.
    pub(super) length: (usize, f64, usize),
}

/// The topics of a language.
struct Topics {
    language: Topic,
    labels: Vec<Topic>,
    sets: Vec<Topic>,
}

impl WordModel {
    /// The features of rows with the given label sets, and their number of columns.
    pub(super) fn draw(
        &self,
        census: &Census,
        rows: &[usize],
        stream: &mut Stream,
    ) -> Result<(usize, Features)> {
        let sets: Vec<Vec<usize>> = census.sets().collect();
        let topics = self.topics(census.names.len(), sets.len(), stream);
        let mut offsets = vec![0];
        let mut words: Vec<u32> = Vec::new();
        for &set in rows {
            words.extend(self.report(&topics, set, &sets[set], stream));
            offsets.push(words.len());
        }
        let ones = vec![1.0; words.len()];
        let matrix = Csr::new(self.columns, offsets, words, ones)?;
        Ok((self.columns, Features::Sparse(matrix)))
    }

    fn topics(&self, labels: usize, sets: usize, stream: &mut Stream) -> Topics {
        let mut topics = |count: usize, size: usize| -> Vec<Topic> {
            let topic = |_| Topic::new(size, self.columns, stream);
            (0..count).map(topic).collect()
        };
        Topics {
            labels: topics(labels, self.topic),
            sets: topics(sets, self.topic),
            language: Topic::new(self.columns, self.columns, stream),
        }
    }

    /// The words of one row, ascending.
    fn report(
        &self,
        topics: &Topics,
        set: usize,
        labels: &[usize],
        stream: &mut Stream,
    ) -> BTreeSet<u32> {
        let length = self.row_length(stream);
        let mut words = BTreeSet::new();
        for &label in labels {
            if stream.uniform() < self.named {
                words.insert(topics.labels[label].first());
            }
        }
        while words.len() < length {
            words.insert(self.word(topics, set, labels, stream));
        }
        words
    }

    /// The least number of words and two geometric numbers, which spread as much as those of real reports.
    fn row_length(&self, stream: &mut Stream) -> usize {
        let (least, mean, most) = self.length;
        let each = (mean - least as f64) / 2.0;
        (least + geometric(each, stream) + geometric(each, stream)).min(most)
    }

    fn word(&self, topics: &Topics, set: usize, labels: &[usize], stream: &mut Stream) -> u32 {
        let choice = stream.uniform();
        let topic = if choice < self.from_set {
            &topics.sets[set]
        } else if choice < self.from_set + self.from_labels {
            &topics.labels[labels[stream.below(labels.len())]]
        } else {
            &topics.language
        };
        topic.draw(stream)
    }
}
