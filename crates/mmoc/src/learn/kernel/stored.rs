//! Functions of kernel values in model files.

use std::sync::Arc;

use super::KernelModel;
use super::centres::Centres;
use super::preparation::{LARGEST, Preparation};
use super::radial_basis::RadialBasis;
use crate::data::{Csr, CsrView, Features};
use crate::learn::LinearModel;
use crate::model_file::{Refusal, TensorReader, TensorWriter};

/// How much the rounded length of a sparse centre may exceed one.
const ROUNDING: f64 = 1e-9;

/// The names of the tensors, all after a common one.
struct Names<'a>(&'a str);

impl Names<'_> {
    fn of(&self, part: &str) -> String {
        format!("{}.{part}", self.0)
    }
}

impl KernelModel {
    /// Adds the tensors `name.*` to a file.
    pub(crate) fn store<'a>(&'a self, name: &str, file: &mut TensorWriter<'a>) {
        let (names, centres) = (Names(name), &self.kernel.centres);
        file.vector(&names.of("gamma"), vec![self.kernel.gamma]);
        file.matrix(&names.of("coefficients"), self.outputs.coefficients());
        file.vector(&names.of("intercepts"), self.outputs.intercepts());
        if let Preparation::Standardised { shift, scale } = centres.preparation() {
            file.vector(&names.of("shift"), shift);
            file.vector(&names.of("scale"), scale);
        }
        match centres.rows() {
            Features::Dense(rows) => file.matrix(&names.of("centres"), rows),
            Features::Sparse(rows) => store_sparse(&names, rows.view(), file),
        }
    }

    /// Takes the tensors `name.*` of a file, for rows with so many columns.
    pub(crate) fn restore(
        name: &str,
        tensors: &mut TensorReader,
        columns: usize,
    ) -> Result<Self, Refusal> {
        let names = Names(name);
        let gamma = tensors.vector(&names.of("gamma"), 1)?[0];
        if gamma <= 0.0 {
            let expected = format!("'{}' to be positive", names.of("gamma"));
            return Err(Refusal::not_a_model(expected, gamma.to_string()));
        }
        let centres = if tensors.has(&names.of("centres")) {
            restore_dense(&names, tensors, columns)?
        } else {
            restore_sparse(&names, tensors, columns)?
        };
        let intercepts = tensors.numbers(&names.of("intercepts"))?;
        let size = (centres.count(), Some(intercepts.len()));
        let coefficients = tensors.matrix(&names.of("coefficients"), size.0, size.1)?;
        let outputs = LinearModel::new(coefficients, intercepts)?;
        let kernel = Arc::new(RadialBasis { centres, gamma });
        Ok(Self::new(kernel, outputs)?)
    }
}

fn restore_dense(
    names: &Names<'_>,
    tensors: &mut TensorReader,
    columns: usize,
) -> Result<Centres, Refusal> {
    let shift = tensors.vector(&names.of("shift"), columns)?;
    let scale = tensors.vector(&names.of("scale"), columns)?;
    if let Some(negative) = scale.iter().find(|scale| **scale < 0.0) {
        let expected = format!("'{}' not to be negative", names.of("scale"));
        return Err(Refusal::not_a_model(expected, negative.to_string()));
    }
    let rows = tensors.rows(&names.of("centres"), columns)?;
    if let Some(value) = rows.values().iter().find(|value| value.abs() > LARGEST) {
        let expected = format!("standardised values in '{}'", names.of("centres"));
        return Err(Refusal::not_a_model(expected, value.to_string()));
    }
    let preparation = Preparation::Standardised { shift, scale };
    Ok(Centres::of_prepared(preparation, Features::Dense(rows)))
}

/// Rows in compressed format, as [`Csr::new`] takes them.
fn store_sparse<'a>(names: &Names<'_>, rows: CsrView<'a>, file: &mut TensorWriter<'a>) {
    let all = || (0..rows.rows()).map(|row| rows.row(row).0);
    let ends = all().scan(0, |end, indices| {
        *end += indices.len();
        Some(*end as u32)
    });
    let offsets = std::iter::once(0).chain(ends).collect();
    let indices = all().flatten().copied().collect();
    store_integers(&names.of("offsets"), offsets, file);
    store_integers(&names.of("indices"), indices, file);
    file.vector(&names.of("values"), rows.values());
}

fn restore_sparse(
    names: &Names<'_>,
    tensors: &mut TensorReader,
    columns: usize,
) -> Result<Centres, Refusal> {
    let offsets = restore_integers(&names.of("offsets"), tensors)?;
    let offsets = offsets.into_iter().map(|offset| offset as usize).collect();
    let indices = restore_integers(&names.of("indices"), tensors)?;
    let values = tensors.numbers(&names.of("values"))?;
    let rows = Csr::new(columns, offsets, indices, values)?;
    for row in 0..rows.view().rows() {
        let square: f64 = rows
            .view()
            .row(row)
            .1
            .iter()
            .map(|value| value * value)
            .sum();
        if square > 1.0 + ROUNDING {
            let expected = format!("rows of length one in '{}'", names.of("values"));
            return Err(Refusal::not_a_model(expected, square.sqrt().to_string()));
        }
    }
    let preparation = Preparation::UnitLength { columns };
    Ok(Centres::of_prepared(preparation, Features::Sparse(rows)))
}

/// Integers are stored as numbers.
fn store_integers(name: &str, integers: Vec<u32>, file: &mut TensorWriter<'_>) {
    let numbers: Vec<f64> = integers.into_iter().map(f64::from).collect();
    file.vector(name, numbers);
}

fn restore_integers(name: &str, tensors: &mut TensorReader) -> Result<Vec<u32>, Refusal> {
    let integer = |value: f64| {
        let is_integer = (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0;
        let refusal = || Refusal::not_a_model(format!("integers in '{name}'"), value.to_string());
        #[allow(clippy::cast_sign_loss, reason = "it was found to be an integer")]
        is_integer.then_some(value as u32).ok_or_else(refusal)
    };
    tensors.numbers(name)?.into_iter().map(integer).collect()
}
