//! A limit to how many numbers a small file becomes: words become a column each, and rows may leave out words.

/// So many numbers may be made of any file.
const FREE: usize = 1 << 27;
/// More may be made only up to so many for each byte of the file, or for each cell of a table. Numbers take two bytes at
/// least, so that this is about words alone.
const FACTOR: usize = 32;

/// What was expected of a file of which so many numbers are made, if they are too many for its size.
pub(super) fn too_many(numbers: usize, size: usize) -> Option<String> {
    (numbers > FREE && numbers / FACTOR > size).then(|| {
        format!(
            "words that become at most {FREE} numbers, or {FACTOR} for each cell (leave out features of many words)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_many_numbers_of_a_small_file_are_too_many() {
        assert_eq!(too_many(FREE, 1), None);
        assert_eq!(too_many(10 * FREE, 10 * FREE / FACTOR), None);
        assert!(too_many(10 * FREE, 10 * FREE / FACTOR - 1).is_some());
    }
}
