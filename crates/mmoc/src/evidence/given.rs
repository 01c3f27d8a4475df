//! Evidence that the caller brings: one number for each label in each row, from any classifier or regressor.
//!
//! | kind | f(x, y) |
//! |---|---|
//! | log-odds l of the labels | Σ_j y_j·l_j(x), as for the classifiers of the model ([`LabelOdds`]) |
//! | regressions ŷ of the labels | −½‖Bᵀ(y − ŷ(x))‖², B whitens the held-out errors ([`CodeError`]) |
//!
//! The model cannot compute these numbers: the caller brings them for new rows too. A model file has the name of such a
//! term and B.

use super::{CodeError, Evidence, LabelOdds, LearntTerm, Term};
use crate::data::{Matrix, Targets};
use crate::linalg::{add_scaled, multiply};
use crate::model_file::{Refusal, StoredParts, TensorWriter};
use crate::settings::Named;
use crate::text::excerpt;
use crate::{Error, Result, check_size};

/// Names of given terms have at most so many characters.
const LONGEST_NAME: usize = 100;

/// What the numbers of given evidence are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenKind {
    /// The log-odds of each label, as classifiers have them. They are also taken for log-odds of independent labels.
    LogOdds,
    /// A regression of each label, near 0 or 1.
    Regression,
}

impl Named for GivenKind {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::LogOdds, "log-odds"),
        (Self::Regression, "regression"),
    ];
}

/// Evidence about the labels of some rows that comes from outside of the model.
///
/// In training, the numbers of a row must come from a fit that left the row out, such as cross-validation: the weight of
/// the term is fitted to them.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenEvidence {
    name: String,
    kind: GivenKind,
    numbers: Matrix,
}

impl GivenEvidence {
    /// Evidence with a name and its numbers, n×q.
    ///
    /// Fails unless the numbers are finite and the name has 1 to 100 characters, neither control characters nor `+`, and
    /// is not that of a term of the library.
    pub fn new(name: impl Into<String>, kind: GivenKind, numbers: Matrix) -> Result<Self> {
        let name = name.into();
        check_name(&name)?;
        if numbers.values().iter().any(|value| !value.is_finite()) {
            return Err(Error::Dataset {
                expected: format!("finite numbers as the evidence {}", excerpt(&name)),
                found: "NaN or infinite values".into(),
            });
        }
        Ok(Self {
            name,
            kind,
            numbers,
        })
    }

    /// Its name, under which the posterior lists it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the numbers are.
    pub fn kind(&self) -> GivenKind {
        self.kind
    }

    /// The numbers, n×q.
    pub fn numbers(&self) -> &Matrix {
        &self.numbers
    }

    /// Fails unless there is a number for each label in each row.
    pub(crate) fn check_sizes(&self, rows: usize, labels: usize) -> Result<()> {
        check_size("rows of given evidence", rows, self.numbers.rows())?;
        check_size("labels of given evidence", labels, self.numbers.columns())
    }

    /// The same for the given rows, in the given order.
    pub(crate) fn select_rows(&self, rows: &[usize]) -> Self {
        let number = |row: usize, label| self.numbers[(rows[row], label)];
        Self {
            numbers: Matrix::from_fn(rows.len(), self.numbers.columns(), number),
            ..self.clone()
        }
    }

    /// The term for training rows with these label sets.
    pub(crate) fn learn(&self, targets: Targets<'_>) -> Result<LearntTerm> {
        let labels = targets.labels();
        let (name, numbers) = (self.name.clone(), self.numbers.clone());
        let term = match self.kind {
            GivenKind::LogOdds => Term::GivenOdds(GivenOdds::new(name, labels.count())),
            GivenKind::Regression => {
                let mut errors = labels.to_matrix();
                add_scaled(errors.values_mut(), -1.0, numbers.values());
                let errors = CodeError::whitened(&errors, targets.weights())?;
                Term::GivenRegression(GivenRegression { name, errors })
            }
        };
        Ok(LearntTerm::linear(term, None, numbers))
    }
}

/// Fails unless given evidence may have these names: each is valid, and none occurs twice.
pub fn check_given_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut known: Vec<&str> = Vec::new();
    for name in names {
        check_name(name)?;
        if known.contains(&name) {
            return Err(refused("used once", name));
        }
        known.push(name);
    }
    Ok(())
}

fn check_name(name: &str) -> Result<()> {
    if Term::NAMES.contains(&name) || name == "auto" {
        return Err(refused("other than those of the library", name));
    }
    let is_plain = |character: char| !character.is_control() && character != '+';
    if (1..=LONGEST_NAME).contains(&name.chars().count()) && name.chars().all(is_plain) {
        return Ok(());
    }
    let expected = format!("1 to {LONGEST_NAME} characters, without '+' and control characters");
    Err(refused(&expected, name))
}

fn refused(expected: &str, name: &str) -> Error {
    Error::Parameter {
        parameter: "the name of given evidence",
        expected: expected.into(),
        found: excerpt(name),
    }
}

/// The name of a given term from that in a model file, `KIND:NAME`.
fn restored_name(stored: &str) -> Result<String, Refusal> {
    let name = stored.split_once(':').map_or("", |(_, name)| name);
    check_name(name)?;
    Ok(name.into())
}

/// Given log-odds of the labels.
#[derive(Debug, Clone)]
pub(crate) struct GivenOdds {
    name: String,
    odds: LabelOdds,
}

impl GivenOdds {
    pub(crate) fn new(name: String, labels: usize) -> Self {
        let odds = LabelOdds::new(labels);
        Self { name, odds }
    }
}

impl Evidence for GivenOdds {
    fn outputs(&self) -> usize {
        self.odds.outputs()
    }

    fn of_labels(&self, outputs: Matrix) -> Option<Matrix> {
        self.odds.of_labels(outputs)
    }

    fn has_classifiers(&self) -> bool {
        true
    }

    fn given(&self) -> Option<(&str, GivenKind)> {
        Some((&self.name, GivenKind::LogOdds))
    }

    fn restore(name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        Ok(Self::new(restored_name(name)?, parts.labels))
    }
}

/// Given regressions of the labels.
#[derive(Debug, Clone)]
pub(crate) struct GivenRegression {
    name: String,
    /// The errors of all labels, B q×q.
    errors: CodeError,
}

impl Evidence for GivenRegression {
    fn outputs(&self) -> usize {
        self.errors.directions().rows()
    }

    fn of_labels(&self, outputs: Matrix) -> Option<Matrix> {
        let directions = self.errors.directions();
        self.errors
            .of_labels(multiply(outputs.view(), directions.view()))
    }

    fn of_set(&self, set: &[u32], count: usize) -> f64 {
        self.errors.of_set(set, count)
    }

    fn coupling(&self) -> Option<&Matrix> {
        self.errors.coupling()
    }

    fn given(&self) -> Option<(&str, GivenKind)> {
        Some((&self.name, GivenKind::Regression))
    }

    fn store<'a>(&'a self, name: &str, file: &mut TensorWriter<'a>) {
        self.errors.store(name, file);
    }

    fn restore(name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        let errors = CodeError::restore(name, parts)?;
        let found = errors.directions().columns();
        check_size("directions of given regressions", parts.labels, found)?;
        Ok(Self {
            name: restored_name(name)?,
            errors,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;
    use crate::linalg::{multiply_transposed, symmetric_eigen};
    use crate::{Result, Seed};

    fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
        result.unwrap_err().to_string()
    }

    fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
        let mut stream = Seed::new(seed).stream();
        Matrix::from_fn(rows, columns, |_, _| stream.gaussian())
    }

    #[test]
    fn names_that_could_be_confused_are_refused() {
        let given = |name: &str| GivenEvidence::new(name, GivenKind::LogOdds, Matrix::zeros(1, 1));
        for taken in Term::NAMES.iter().chain(&["auto"]) {
            let expected = format!(
                "the name of given evidence must be other than those of the library, not '{taken}'"
            );
            assert_eq!(message(given(taken)), expected);
        }
        for wrong in ["", "labels+x", "a\nb", &"x".repeat(101)] {
            let found = message(given(wrong));
            let expected = "must be 1 to 100 characters, without '+' and control characters, not '";
            assert!(found.contains(expected), "{found}");
        }
        assert_eq!(given("my boosting").unwrap().name(), "my boosting");
        check_given_names(["a", "b"]).unwrap();
        let twice = message(check_given_names(["a", "b", "a"]));
        assert_eq!(
            twice,
            "the name of given evidence must be used once, not 'a'"
        );
    }

    #[test]
    fn numbers_must_be_finite_and_there_is_one_for_each_label_in_each_row() {
        for wrong in [f64::NAN, f64::INFINITY] {
            let numbers = Matrix::from_fn(2, 2, |i, j| if i > j { wrong } else { 0.0 });
            let found = message(GivenEvidence::new("a", GivenKind::Regression, numbers));
            let expected = "not valid: expected finite numbers as the evidence 'a', found NaN or infinite values";
            assert_eq!(found, expected);
        }
        let numbers = Matrix::zeros(3, 2);
        let given = GivenEvidence::new("a", GivenKind::Regression, numbers).unwrap();
        given.check_sizes(3, 2).unwrap();
        let rows = message(given.check_sizes(4, 2));
        assert_eq!(rows, "rows of given evidence: expected 4, found 3");
        let labels = message(given.check_sizes(3, 5));
        assert_eq!(labels, "labels of given evidence: expected 5, found 2");
    }

    #[test]
    fn regressions_score_the_whitened_error_up_to_a_constant_of_the_row() {
        let (rows, count) = (200, 3);
        let noise = multiply(
            random(rows, count, 1).view(),
            random(count, count, 2).view(),
        );
        let labels = Labels::from_fn(rows, count, |i, j| noise[(i, j)] > 0.0);
        let truth = labels.to_matrix();
        let numbers = Matrix::from_fn(rows, count, |i, j| truth[(i, j)] - 0.3 * noise[(i, j)]);
        let given = GivenEvidence::new("a", GivenKind::Regression, numbers.clone()).unwrap();
        let learnt = given.learn((&labels).into()).unwrap();
        let Term::GivenRegression(term) = &learnt.term else {
            panic!("regressions make a term of regressions");
        };
        let whitening = term.errors.directions();
        let mut errors = truth;
        add_scaled(errors.values_mut(), -1.0, numbers.values());
        let white = multiply(errors.view(), whitening.view());
        let spread = symmetric_eigen(multiply_transposed(white.view(), white.view())).unwrap();
        // Shrunk by 2 %, errors of dependent labels have nearly unit covariance.
        for variance in spread.values {
            assert!((variance / rows as f64 - 1.0).abs() < 0.3, "{variance}");
        }
        let of_labels = term.of_labels(numbers.clone()).unwrap();
        for row in 0..5 {
            let squared = |set: &[u32]| -> f64 {
                let error = Matrix::from_fn(1, count, |_, j| {
                    f64::from(u8::from(set.contains(&(j as u32)))) - numbers[(row, j)]
                });
                let white = multiply(error.view(), whitening.view());
                white.values().iter().map(|value| value * value).sum()
            };
            let found = |set: &[u32]| -> f64 {
                let labels: f64 = set.iter().map(|&j| of_labels[(row, j as usize)]).sum();
                labels + term.of_set(set, 1)
            };
            for set in [&[0][..], &[1, 2], &[0, 1, 2]] {
                let expected = -0.5 * (squared(set) - squared(&[]));
                assert!((found(set) - expected).abs() < 1e-9 * (1.0 + expected.abs()));
            }
        }
    }
}
