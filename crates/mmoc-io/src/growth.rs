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

/// So many features and labels may be declared by any file.
const FREE_NAMES: usize = 1 << 20;
/// More may be declared only up to so many for each byte of the file.
const NAMES_OF_BYTE: usize = 16;

/// What was expected of a file that declares so many features and labels, if they are too many for its rows.
pub(super) fn too_many_declared(names: usize, bytes: usize) -> Option<String> {
    (names > FREE_NAMES && names / NAMES_OF_BYTE > bytes).then(|| {
        format!(
            "at most {FREE_NAMES} features and labels, or {NAMES_OF_BYTE} for each of the {bytes} bytes of rows"
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

    #[test]
    fn only_many_names_of_a_small_file_are_too_many() {
        assert_eq!(too_many_declared(FREE_NAMES, 1), None);
        assert_eq!(
            too_many_declared(2 * FREE_NAMES, 2 * FREE_NAMES / NAMES_OF_BYTE),
            None
        );
        assert!(too_many_declared(2 * FREE_NAMES, 2 * FREE_NAMES / NAMES_OF_BYTE - 1).is_some());
    }
}
