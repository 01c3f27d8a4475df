//! Candidate label sets as classes of the training rows, for learners that tell whole sets apart.

/// The class of each training row: the position of its label set among the candidates.
#[derive(Debug, Clone)]
pub(crate) struct SetClasses {
    pub(crate) of_rows: Vec<u32>,
    /// Number of candidates.
    pub(crate) count: usize,
}
