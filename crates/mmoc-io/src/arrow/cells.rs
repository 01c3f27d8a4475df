//! The cells of Arrow arrays as numbers and words.

use std::fmt::Display;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::{DataType, TimeUnit};

use super::fault::{Fault, Found};
use super::kind::{Kind, per_second};
use crate::dates::SECONDS_OF_A_DAY;
use crate::sink::TypedCell;

/// Powers of ten up to this one, and integers up to 2⁵³, are exact as floating-point numbers.
const LARGEST_EXACT_POWER: i8 = 22;
const LARGEST_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Some cells of a column.
pub(super) enum Cells<'a> {
    Numbers(Vec<f64>),
    Words(Vec<Option<&'a str>>),
    Texts(Vec<Option<String>>),
}

impl<'a> Cells<'a> {
    /// The cells of an array.
    pub(super) fn of(array: &'a dyn Array, kind: Kind) -> Found<Self> {
        match kind {
            Kind::Numbers => numbers(array).map(Self::Numbers),
            Kind::Words => words(array).map(Self::Words),
            Kind::Texts => texts(array).map(Self::Texts),
        }
    }

    /// A cell.
    pub(super) fn cell(&self, index: usize) -> TypedCell<'_> {
        match self {
            Self::Numbers(cells) => TypedCell::Number(cells[index]),
            Self::Words(cells) => cells[index].map_or(TypedCell::Missing, TypedCell::Word),
            Self::Texts(cells) => {
                let text = cells[index].as_deref();
                text.map_or(TypedCell::Missing, TypedCell::Word)
            }
        }
    }
}

/// The cells of an array that is read as numbers; missing ones are NaN.
///
/// Dates and points in time are days since 1970-01-01, and times of day are parts of a day, whatever unit the file has.
pub(super) fn numbers(array: &dyn Array) -> Found<Vec<f64>> {
    let days = |unit| move |value: i64| value as f64 / per_second(unit) / SECONDS_OF_A_DAY;
    let short_days = |unit| move |value: i32| days(unit)(value.into());
    Ok(match array.data_type() {
        DataType::Boolean => flags(array),
        DataType::Int8 => each::<Int8Type>(array, f64::from),
        DataType::Int16 => each::<Int16Type>(array, f64::from),
        DataType::Int32 => each::<Int32Type>(array, f64::from),
        DataType::Int64 => each::<Int64Type>(array, |value| value as f64),
        DataType::UInt8 => each::<UInt8Type>(array, f64::from),
        DataType::UInt16 => each::<UInt16Type>(array, f64::from),
        DataType::UInt32 => each::<UInt32Type>(array, f64::from),
        DataType::UInt64 => each::<UInt64Type>(array, |value| value as f64),
        DataType::Float16 => each::<Float16Type>(array, f64::from),
        DataType::Float32 => each::<Float32Type>(array, f64::from),
        DataType::Float64 => each::<Float64Type>(array, |value| value),
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(array, *scale),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(array, *scale),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(array, *scale),
        DataType::Decimal256(_, scale) => decimals::<Decimal256Type>(array, *scale),
        DataType::Date32 => each::<Date32Type>(array, f64::from),
        DataType::Date64 => each::<Date64Type>(array, days(TimeUnit::Millisecond)),
        DataType::Time32(unit @ TimeUnit::Second) => {
            each::<Time32SecondType>(array, short_days(*unit))
        }
        DataType::Time32(unit) => each::<Time32MillisecondType>(array, short_days(*unit)),
        DataType::Time64(unit @ TimeUnit::Microsecond) => {
            each::<Time64MicrosecondType>(array, days(*unit))
        }
        DataType::Time64(unit) => each::<Time64NanosecondType>(array, days(*unit)),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => each::<TimestampSecondType>(array, days(*unit)),
            TimeUnit::Millisecond => each::<TimestampMillisecondType>(array, days(*unit)),
            TimeUnit::Microsecond => each::<TimestampMicrosecondType>(array, days(*unit)),
            TimeUnit::Nanosecond => each::<TimestampNanosecondType>(array, days(*unit)),
        },
        DataType::Dictionary(..) => {
            let values = numbers(array.as_any_dictionary().values())?;
            let places = places(array).into_iter();
            places
                .map(|place| place.map_or(f64::NAN, |place| values[place]))
                .collect()
        }
        other => return Err(Fault::new("numbers", other.to_string())),
    })
}

/// The cells of an array as text: integers to the last digit, which numbers do not keep.
fn texts(array: &dyn Array) -> Found<Vec<Option<String>>> {
    let exact = match array.data_type() {
        DataType::Int64 => Some(each_text::<Int64Type>(array)),
        DataType::UInt64 => Some(each_text::<UInt64Type>(array)),
        _ => None,
    };
    if let Some(exact) = exact {
        return Ok(exact);
    }
    if let Ok(words) = words(array) {
        return Ok(words.iter().map(|word| word.map(str::to_owned)).collect());
    }
    let numbers = numbers(array)?;
    let text = |number: &f64| (!number.is_nan()).then(|| number.to_string());
    Ok(numbers.iter().map(text).collect())
}

fn each_text<T: ArrowPrimitiveType<Native: Display>>(array: &dyn Array) -> Vec<Option<String>> {
    let cells = array.as_primitive::<T>().iter();
    cells
        .map(|cell| cell.map(|value| value.to_string()))
        .collect()
}

/// The cells of an array that is read as words.
pub(super) fn words(array: &dyn Array) -> Found<Vec<Option<&str>>> {
    Ok(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().collect(),
        DataType::Utf8View => array.as_string_view().iter().collect(),
        DataType::Dictionary(..) => {
            let values = words(array.as_any_dictionary().values())?;
            let places = places(array).into_iter();
            places
                .map(|place| place.and_then(|place| values[place]))
                .collect()
        }
        other => return Err(Fault::new("words", other.to_string())),
    })
}

fn each<T: ArrowPrimitiveType>(array: &dyn Array, number: impl Fn(T::Native) -> f64) -> Vec<f64> {
    let array = array.as_primitive::<T>();
    if array.null_count() == 0 {
        return array.values().iter().map(|&value| number(value)).collect();
    }
    let cells = array.iter();
    cells.map(|cell| cell.map_or(f64::NAN, &number)).collect()
}

fn flags(array: &dyn Array) -> Vec<f64> {
    let cells = array.as_boolean().iter();
    cells
        .map(|cell| cell.map_or(f64::NAN, |flag| f64::from(u8::from(flag))))
        .collect()
}

fn decimals<T: ArrowPrimitiveType<Native: Display>>(array: &dyn Array, scale: i8) -> Vec<f64> {
    each::<T>(array, |value| decimal(&value.to_string(), scale))
}

/// The number nearest to `digits`·10⁻ˢᶜᵃˡᵉ.
fn decimal(digits: &str, scale: i8) -> f64 {
    let whole: f64 = digits.parse().unwrap_or(f64::NAN);
    if whole.abs() <= LARGEST_EXACT_INTEGER && (0..=LARGEST_EXACT_POWER).contains(&scale) {
        return whole / 10_f64.powi(scale.into());
    }
    let text = format!("{digits}e{}", -i16::from(scale));
    text.parse().unwrap_or(f64::NAN)
}

/// For each cell of a dictionary-encoded array its place among the values.
fn places(array: &dyn Array) -> Vec<Option<usize>> {
    let dictionary = array.as_any_dictionary();
    if dictionary.values().is_empty() {
        return vec![None; array.len()];
    }
    let keys = dictionary.keys();
    let places = dictionary.normalized_keys().into_iter().enumerate();
    places
        .map(|(cell, place)| keys.is_valid(cell).then_some(place))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_once() {
        let cases = [
            ("12345", 2, 123.45),
            ("-1", 3, -0.001),
            (
                "123456789012345678901234567890",
                10,
                12_345_678_901_234_567_890.123_456_789,
            ),
            ("7", -2, 700.0),
            ("3", 30, 3e-30),
        ];
        for (digits, scale, expected) in cases {
            assert_eq!(decimal(digits, scale), expected, "{digits}");
        }
    }
}
