//! What rows are called.

/// What a row is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct RowId {
    /// As it stands in the file; empty if it is missing.
    pub text: String,
    /// Whether it is a number in a format that tells numbers from text.
    pub is_number: bool,
}

impl From<&str> for RowId {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            is_number: false,
        }
    }
}
