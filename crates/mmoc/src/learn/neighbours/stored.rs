//! Kept training rows in model files.
//!
//! | tensor | rows | content |
//! |---|---|---|
//! | `classes`, `origins` | both | class and number of each kept training row |
//! | `unit` | both | the unit of squared distances; empty for sparse rows |
//! | `means`, `rows` | dense | the means of the columns, and the rows minus these |
//! | `column_sizes`, `column_rows`, `column_values` | sparse | the rows of length one, column by column |

use super::classes::RowClasses;
use super::cosines::Cosines;
use super::distances::Distances;
use super::{ComparedRows, NearestSets};
use crate::check_size;
use crate::data::Csr;
use crate::model_file::{Refusal, TensorReader, TensorWriter};

impl NearestSets {
    /// Adds what a model file keeps, under names that begin with `name`.
    pub(crate) fn store<'a>(&'a self, name: &str, file: &mut TensorWriter<'a>) {
        store_integers(file, &tensor(name, "classes"), self.classes.of_rows());
        store_integers(file, &tensor(name, "origins"), self.origins.iter().copied());
        match &self.rows {
            ComparedRows::Dense(distances) => {
                file.vector(&tensor(name, "unit"), vec![distances.unit()]);
                file.vector(&tensor(name, "means"), distances.means());
                file.matrix(&tensor(name, "rows"), distances.rows());
            }
            ComparedRows::Sparse(cosines) => {
                file.vector(&tensor(name, "unit"), Vec::new());
                let index = cosines.index();
                let columns = || (0..index.rows()).map(|column| index.row(column).0);
                let sizes = columns().map(|rows| rows.len() as u32);
                store_integers(file, &tensor(name, "column_sizes"), sizes);
                let rows = columns().flatten().copied();
                store_integers(file, &tensor(name, "column_rows"), rows);
                file.vector(&tensor(name, "column_values"), index.values());
            }
        }
    }

    /// The same from what a model file keeps, for classes below `class_count` and, if it is known, so many columns.
    pub(crate) fn restore(
        name: &str,
        tensors: &mut TensorReader,
        columns: Option<usize>,
        class_count: usize,
    ) -> Result<Self, Refusal> {
        let classes = restore_integers(tensors, &tensor(name, "classes"))?;
        let classes = RowClasses::new(&classes, class_count)?;
        let origins = restore_integers(tensors, &tensor(name, "origins"))?;
        let count = classes.positions().len();
        check_origins(&origins, count)?;
        let rows = match tensors.numbers(&tensor(name, "unit"))?[..] {
            [] => ComparedRows::Sparse(restore_cosines(name, tensors, count)?),
            [unit] if unit > 0.0 => {
                ComparedRows::Dense(restore_distances(name, tensors, count, unit)?)
            }
            ref other => {
                let expected = "no unit of distances, or a positive one";
                return Err(Refusal::not_a_model(expected, format!("{other:?}")));
            }
        };
        let sets = Self {
            rows,
            classes,
            origins,
        };
        let columns = columns.unwrap_or(sets.columns());
        check_size("columns of kept training rows", columns, sets.columns())?;
        Ok(sets)
    }
}

fn tensor(name: &str, part: &str) -> String {
    format!("{name}.{part}")
}

fn restore_distances(
    name: &str,
    tensors: &mut TensorReader,
    rows: usize,
    unit: f64,
) -> Result<Distances, Refusal> {
    let means = tensors.numbers(&tensor(name, "means"))?;
    let rows = tensors.matrix(&tensor(name, "rows"), rows, Some(means.len()))?;
    Ok(Distances::from_parts(means, rows, unit)?)
}

fn restore_cosines(
    name: &str,
    tensors: &mut TensorReader,
    rows: usize,
) -> Result<Cosines, Refusal> {
    let sizes = restore_integers(tensors, &tensor(name, "column_sizes"))?;
    let mut offsets = vec![0];
    for size in sizes {
        offsets.push(offsets[offsets.len() - 1] + size as usize);
    }
    let indices = restore_integers(tensors, &tensor(name, "column_rows"))?;
    let values = tensors.numbers(&tensor(name, "column_values"))?;
    let index = Csr::new(rows, offsets, indices, values)?;
    Ok(Cosines::from_index(index)?)
}

/// No training row can be kept twice.
fn check_origins(origins: &[u32], rows: usize) -> Result<(), Refusal> {
    check_size("numbers of kept training rows", rows, origins.len())?;
    let mut ascending = origins.to_vec();
    ascending.sort_unstable();
    match ascending.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => Err(Refusal::not_a_model(
            "each training row once",
            format!("row {} twice", pair[0]),
        )),
    }
}

fn store_integers(file: &mut TensorWriter<'_>, name: &str, values: impl Iterator<Item = u32>) {
    let numbers: Vec<f64> = values.map(f64::from).collect();
    file.vector(name, numbers);
}

fn restore_integers(tensors: &mut TensorReader, name: &str) -> Result<Vec<u32>, Refusal> {
    let most = f64::from(u32::MAX);
    let integer = |value: f64| {
        let is_integer = (0.0..=most).contains(&value) && value.fract() == 0.0;
        let refusal = || Refusal::not_a_model(format!("integers in '{name}'"), value.to_string());
        #[allow(clippy::cast_sign_loss, reason = "it was found to be an integer")]
        is_integer.then_some(value as u32).ok_or_else(refusal)
    };
    tensors.numbers(name)?.into_iter().map(integer).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Seed;
    use crate::data::{Features, Matrix};
    use crate::model_file::read_back;

    type Change = fn(&mut Vec<f64>);

    /// Forty rows of five columns and nine classes, which are also asked for.
    fn rows(sparse: bool) -> Features {
        let mut stream = Seed::new(6).stream();
        let value = |_, _| match stream.below(3) {
            0 => stream.gaussian(),
            _ => 0.0,
        };
        let rows = Matrix::from_fn(40, 5, value);
        if sparse {
            Features::Sparse(Csr::from(&rows))
        } else {
            Features::Dense(rows)
        }
    }

    fn example(sparse: bool) -> (Features, NearestSets) {
        let (x, classes) = (rows(sparse), (0..40).map(|row| row * 7 % 9));
        let classes: Vec<u32> = classes.collect();
        let sets = NearestSets::new(x.view(), &classes, 9, Seed::new(0)).unwrap();
        (x, sets)
    }

    fn written(sets: &NearestSets) -> TensorReader {
        let mut file = TensorWriter::default();
        sets.store("near", &mut file);
        read_back(file)
    }

    /// The sets of a file in which the tensors were changed.
    fn reread(
        sets: &NearestSets,
        change: impl FnMut(&str, &mut Vec<usize>, &mut Vec<f64>),
    ) -> Result<NearestSets, Refusal> {
        NearestSets::restore("near", written(sets).damage(change), Some(5), 9)
    }

    #[test]
    fn stored_rows_give_the_same_bits() {
        for sparse in [false, true] {
            let (x, sets) = example(sparse);
            let again = reread(&sets, |_, _, _| ()).unwrap();
            assert_eq!((again.columns(), again.rows_kept()), (5, 40));
            let found = again.of_rows(x.view()).unwrap();
            assert_eq!(found, sets.of_rows(x.view()).unwrap());
            let found = again.held_out(x.view()).unwrap();
            assert_eq!(found, sets.held_out(x.view()).unwrap());
        }
    }

    #[test]
    fn rows_that_do_not_fit_the_model_are_refused() {
        for sparse in [false, true] {
            let (_, sets) = example(sparse);
            for (columns, class_count, fits) in [
                (Some(5), 9, true),
                (None, 9, true),
                (None, 10, true),
                (Some(4), 9, false),
                (Some(6), 9, false),
                (Some(5), 8, false),
                (Some(5), 0, false),
            ] {
                let mut tensors = written(&sets);
                let again = NearestSets::restore("near", &mut tensors, columns, class_count);
                assert_eq!(again.is_ok(), fits, "{columns:?} {class_count}");
            }
        }
    }

    #[test]
    fn tensors_that_training_cannot_write_are_refused() {
        let cases: [(bool, &str, Change); 17] = [
            (true, "classes", |values| values.clear()),
            (true, "classes", |values| values[39] = 9.0),
            (true, "classes", |values| values.reverse()),
            (true, "classes", |values| values[3] = 0.5),
            (true, "classes", |values| values[0] = -1.0),
            (false, "origins", |values| values[3] = values[4]),
            (false, "origins", |values| values[3] = 4_294_967_296.0),
            (false, "origins", |values| values.truncate(39)),
            (false, "unit", |values| values[0] = 0.0),
            (false, "unit", |values| values.push(1.0)),
            (false, "unit", |values| values.clear()),
            (false, "means", |values| values.push(1.0)),
            (false, "rows", |values| values[3] = 1e200),
            (true, "column_sizes", |values| values[0] += 1.0),
            (true, "column_rows", |values| values.swap(0, 1)),
            (true, "column_rows", |values| values[0] = 40.0),
            (true, "column_values", |values| values[0] *= 1.1),
        ];
        for (sparse, tensor, change) in cases {
            let (_, sets) = example(sparse);
            let again = reread(&sets, |name, shape, values| {
                if name == format!("near.{tensor}") {
                    change(values);
                    if shape.len() == 1 {
                        shape[0] = values.len();
                    }
                }
            });
            assert!(again.is_err(), "{tensor}");
        }
    }

    proptest! {
        /// What is not refused can be used.
        #[test]
        fn damaged_tensors_are_refused_or_harmless(
            sparse: bool,
            tensor in 0..6_usize,
            place: prop::sample::Index,
            damage in 0..5_usize,
            value in prop::sample::select(vec![
                f64::NAN, f64::INFINITY, -1.0, 0.0, 0.3, 1.0, 7.0, 41.0, 1e9, 1e19, 1e149, 1e308, -1e308, 5e-324,
            ]),
        ) {
            let (x, sets) = example(sparse);
            let mut number = 0..;
            let again = reread(&sets, |_, shape, values| {
                let position = place.index(values.len() + 1);
                if number.next() != Some(tensor) {
                    return;
                }
                match damage {
                    0 => values.truncate(position),
                    1 => values.insert(position, value),
                    2 => values.rotate_left(position),
                    3 => shape.push(1),
                    _ => if let Some(own) = values.get_mut(position) {
                        *own = value;
                    }
                }
                if shape.len() == 1 {
                    shape[0] = values.len();
                }
            });
            if let Ok(sets) = again {
                for found in [sets.of_rows(x.view()), sets.held_out(x.view())] {
                    let fine = |value: &f64| value.is_finite() && *value > 0.0;
                    prop_assert!(found.is_err() || found.unwrap().view().values().iter().all(fine));
                }
            }
        }
    }
}
