//! Different words, numbered as they are found.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// Different words with a code each.
#[derive(Debug, Clone)]
pub(crate) struct Vocabulary<K> {
    codes: HashMap<K, u32>,
    most: usize,
}

/// There would be more different words than there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyWords;

impl<K: Hash + Eq + Ord + Clone> Vocabulary<K> {
    /// No words yet, and never more than `most`.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            codes: HashMap::new(),
            most,
        }
    }

    /// Number of different words.
    pub(crate) fn len(&self) -> usize {
        self.codes.len()
    }

    /// Some word, if there are any and all of them are of a kind.
    pub(crate) fn all(&self, is: impl Fn(&K) -> bool) -> Option<&K> {
        let some = self.codes.keys().min();
        some.filter(|some| is(some) && self.codes.keys().all(is))
    }

    /// The first word of a kind, in their order.
    pub(crate) fn first(&self, is: impl Fn(&K) -> bool) -> Option<&K> {
        self.codes.keys().filter(|word| is(word)).min()
    }

    /// The code of a word, which is new or known.
    pub(crate) fn code<Q>(&mut self, word: &Q) -> Result<u32, TooManyWords>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(&code) = self.codes.get(word) {
            return Ok(code);
        }
        if self.codes.len() == self.most {
            return Err(TooManyWords);
        }
        let code = self.codes.len() as u32;
        self.codes.insert(word.to_owned(), code);
        Ok(code)
    }

    /// Adds the words of another vocabulary, all or none; for each code there, the code here.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<Vec<u32>, TooManyWords> {
        let is_new = |word: &&K| !self.codes.contains_key(*word);
        if other.codes.keys().filter(is_new).count() > self.most - self.len() {
            return Err(TooManyWords);
        }
        let mut codes = vec![0; other.len()];
        for (word, &code) in &other.codes {
            codes[code as usize] = self.code(word)?;
        }
        Ok(codes)
    }

    /// The words in their order, and for each code the place of its word among them.
    pub(crate) fn sorted(self) -> (Vec<K>, Vec<u32>) {
        let mut words: Vec<(K, u32)> = self.codes.into_iter().collect();
        words.sort_unstable();
        let mut ranks = vec![0; words.len()];
        for (rank, (_, code)) in words.iter().enumerate() {
            ranks[*code as usize] = rank as u32;
        }
        (words.into_iter().map(|(word, _)| word).collect(), ranks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Vocabulary<String> {
        let mut vocabulary = Vocabulary::new(4);
        for &word in words {
            vocabulary.code(word).unwrap();
        }
        vocabulary
    }

    #[test]
    fn words_are_ranked_in_their_order() {
        let (words, ranks) = of(&["red", "blue", "red", "green"]).sorted();
        assert_eq!(words, ["blue", "green", "red"]);
        assert_eq!(ranks, [2, 0, 1]);
    }

    #[test]
    fn merged_words_keep_the_codes_of_the_first() {
        let mut first = of(&["a", "b"]);
        assert_eq!(first.merge(&of(&["c", "a"])).unwrap(), [2, 0]);
        assert_eq!(first.len(), 3);
    }

    #[test]
    fn words_do_not_grow_without_limit() {
        let mut full = of(&["a", "b", "c", "d"]);
        assert!(full.code("a").is_ok());
        assert_eq!(full.code("e"), Err(TooManyWords));
        assert_eq!(full.merge(&of(&["e"])), Err(TooManyWords));
    }
}
