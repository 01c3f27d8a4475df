//! What numbers must satisfy to be compared.

use mmoc::{Error, Result, check_size};

/// Every number must be finite.
pub(super) fn check_finite(parameter: &'static str, numbers: &[f64]) -> Result<()> {
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(()),
        Some(place) => Err(Error::Parameter {
            parameter,
            expected: "finite numbers".into(),
            found: format!("{} at place {}", numbers[place], place + 1),
        }),
    }
}

/// There must be at least `least` of something.
pub(super) fn check_least(parameter: &'static str, least: usize, found: usize) -> Result<()> {
    if found >= least {
        return Ok(());
    }
    Err(Error::Parameter {
        parameter,
        expected: format!("at least {least}"),
        found: found.to_string(),
    })
}

/// Pairs of scores must be pairs, at least one, and finite.
pub(super) fn check_pairs(ours: &[f64], reference: &[f64]) -> Result<()> {
    check_size("scores of the reference", ours.len(), reference.len())?;
    check_least("the number of pairs", 1, ours.len())?;
    check_finite("our scores", ours)?;
    check_finite("the reference's scores", reference)
}
