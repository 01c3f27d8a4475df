//! Parameters by name: one list of the parameters of each struct, which the command line sets, the documentation
//! shows and `fit` validates.
//!
//! ```
//! use mmoc::settings::{Setting, Settings};
//!
//! #[derive(Clone)]
//! struct Params {
//!     ridge: f64,
//!     projections: Option<usize>,
//! }
//!
//! impl Settings for Params {
//!     fn settings(&mut self) -> Vec<Setting<'_>> {
//!         vec![
//!             Setting::number("ridge", "weight of the penalty", &mut self.ridge, 0.0..),
//!             Setting::limit("projections", "directions to keep", &mut self.projections, "all"),
//!         ]
//!     }
//! }
//!
//! let mut params = Params { ridge: 0.1, projections: None };
//! params.set("projections", "3")?;
//! assert_eq!(params.projections, Some(3));
//! let refused = params.set("ridge", "-1").unwrap_err().to_string();
//! assert_eq!(refused, "ridge must be a number of at least 0, not '-1'");
//! # Ok::<(), mmoc::Error>(())
//! ```

mod setters;
mod setting;
mod slot;

use std::fmt;

use serde::Serialize;

pub(crate) use setters::setters;
pub use setting::Setting;
pub use slot::POSITIVE;

use crate::{Error, Result};

/// Parameters that can be listed, set by name and validated.
pub trait Settings: Clone {
    /// Every parameter, with a reference to its value.
    fn settings(&mut self) -> Vec<Setting<'_>>;

    /// Every parameter with its current value.
    fn parameters(&self) -> Vec<Parameter> {
        let mut copy = self.clone();
        copy.settings().iter().map(Setting::parameter).collect()
    }

    /// Sets the parameter called `name` from its text form.
    fn set(&mut self, name: &str, text: &str) -> Result<()> {
        let mut settings = self.settings();
        match settings.iter_mut().find(|setting| setting.name() == name) {
            Some(setting) => setting.set(text),
            None => Err(unknown(name, &settings)),
        }
    }

    /// Fails if a parameter is outside its range.
    fn validate(&self) -> Result<()> {
        let mut copy = self.clone();
        copy.settings().iter().try_for_each(Setting::validate)
    }
}

fn unknown(name: &str, settings: &[Setting<'_>]) -> Error {
    let names: Vec<&str> = settings.iter().map(Setting::name).collect();
    let expected = match names.as_slice() {
        [] => "omitted: there are no parameters".into(),
        [only] => format!("'{only}', the only one"),
        _ => format!("one of {}", names.join(", ")),
    };
    Error::Parameter {
        parameter: "the name of a parameter",
        expected,
        found: format!("'{name}'"),
    }
}

/// Values with names that users choose.
pub trait Named: Copy + PartialEq + 'static {
    /// Every value with its name.
    const NAMES: &'static [(Self, &'static str)];

    /// The name of the value.
    fn name(self) -> &'static str {
        let own = Self::NAMES.iter().find(|(value, _)| *value == self);
        own.expect("the table names every value").1
    }

    /// The value with the given name.
    fn from_name(name: &str) -> Option<Self> {
        let named = Self::NAMES.iter().find(|(_, own)| *own == name);
        named.map(|&(value, _)| value)
    }

    /// The value with the name given for a parameter, or an error that lists the names.
    fn chosen_by(parameter: &'static str, name: &str) -> Result<Self> {
        Self::from_name(name).ok_or_else(|| {
            let names: Vec<&str> = Self::NAMES.iter().map(|(_, own)| *own).collect();
            Error::Parameter {
                parameter,
                expected: format!("one of {}", names.join(", ")),
                found: format!("'{name}'"),
            }
        })
    }
}

/// Values that are combinations of names.
pub trait NamedSet: Copy + 'static {
    /// The name of the value.
    fn name(self) -> &'static str;

    /// The value with the given name.
    fn from_name(text: &str) -> Option<Self>;

    /// The allowed values, as the text after "must be".
    fn allowed() -> String;
}

/// Values with a text form that users write.
pub trait TextForm: 'static {
    /// The text form of no value, if there may be none.
    const ABSENT: Option<&'static str>;

    /// The text form of the value.
    fn text(&self) -> String;

    /// The allowed value with the given text form.
    fn from_text(text: &str) -> Option<Self>
    where
        Self: Sized;

    /// Whether the value is allowed.
    fn is_allowed(&self) -> bool;

    /// The allowed values, as the text after "must be".
    fn allowed() -> String;
}

/// A parameter with its current value.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name by which users set it.
    pub name: &'static str,
    /// A one-line description.
    pub summary: &'static str,
    /// The allowed values.
    pub allowed: String,
    /// The name of the absent value, if it is optional.
    pub absent: Option<&'static str>,
    /// Its value.
    pub value: Value,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A floating-point number.
    Number(f64),
    /// An integer.
    Count(usize),
    /// A Boolean.
    Flag(bool),
    /// One of several names.
    Name(&'static str),
    /// The text form of another value.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.write_str(&shortest(*number)),
            Self::Count(count) => count.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Name(name) => f.write_str(name),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The shortest decimal form of a number: 0.5, but 1e-6.
pub(crate) fn shortest(number: f64) -> String {
    let (plain, exponent) = (number.to_string(), format!("{number:e}"));
    if exponent.len() < plain.len() {
        exponent
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Colour {
        Red,
        DarkBlue,
    }

    #[derive(Clone, Debug, PartialEq)]
    struct Params {
        ridge: f64,
        factor: f64,
        count: usize,
        limit: Option<usize>,
        flag: bool,
        colour: Colour,
        gap: Option<f64>,
    }

    impl Named for Colour {
        const NAMES: &'static [(Self, &'static str)] =
            &[(Self::Red, "red"), (Self::DarkBlue, "dark-blue")];
    }

    impl Settings for Params {
        fn settings(&mut self) -> Vec<Setting<'_>> {
            vec![
                Setting::number("ridge", "a", &mut self.ridge, 0.0..=2.0),
                Setting::number("factor", "b", &mut self.factor, POSITIVE),
                Setting::count("count", "c", &mut self.count, 1..=100),
                Setting::limit("limit", "d", &mut self.limit, "all"),
                Setting::flag("flag", "e", &mut self.flag),
                Setting::choice("colour", "f", &mut self.colour),
                Setting::optional_number("gap", "g", &mut self.gap, 0.1..=0.5, "auto"),
            ]
        }
    }

    fn params() -> Params {
        Params {
            ridge: 0.5,
            factor: 1e6,
            count: 7,
            limit: None,
            flag: true,
            colour: Colour::Red,
            gap: None,
        }
    }

    #[test]
    fn every_displayed_value_can_be_set_without_change() {
        let mut again = params();
        for parameter in params().parameters() {
            again
                .set(parameter.name, &parameter.value.to_string())
                .unwrap();
        }
        assert_eq!(again, params());
    }

    #[test]
    fn values_have_short_forms() {
        let shown = params()
            .parameters()
            .into_iter()
            .map(|p| p.value.to_string());
        assert_eq!(
            shown.collect::<Vec<_>>(),
            ["0.5", "1e6", "7", "all", "true", "red", "auto"]
        );
    }

    #[test]
    fn each_parameter_is_set_by_its_name() {
        let mut found = params();
        let values = [
            ("ridge", "1e-3"),
            ("factor", "5"),
            ("count", "100"),
            ("limit", "3"),
            ("flag", "false"),
            ("colour", "dark-blue"),
            ("gap", "0.2"),
        ];
        for (name, text) in values {
            found.set(name, text).unwrap();
        }
        let expected = Params {
            ridge: 1e-3,
            factor: 5.0,
            count: 100,
            limit: Some(3),
            flag: false,
            colour: Colour::DarkBlue,
            gap: Some(0.2),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn invalid_values_are_rejected_without_change() {
        let cases = [
            (
                "ridge",
                "2.1",
                "ridge must be a number of at least 0 and at most 2, not '2.1'",
            ),
            (
                "ridge",
                "NaN",
                "ridge must be a number of at least 0 and at most 2, not 'NaN'",
            ),
            (
                "gap",
                "0.6",
                "gap must be auto or a number of at least 0.1 and at most 0.5, not '0.6'",
            ),
            ("factor", "0", "factor must be a number above 0, not '0'"),
            (
                "factor",
                "inf",
                "factor must be a number above 0, not 'inf'",
            ),
            (
                "factor",
                "much",
                "factor must be a number above 0, not 'much'",
            ),
            ("count", "0", "count must be a count from 1 to 100, not '0'"),
            (
                "count",
                "101",
                "count must be a count from 1 to 100, not '101'",
            ),
            (
                "count",
                "1.5",
                "count must be a count from 1 to 100, not '1.5'",
            ),
            (
                "limit",
                "0",
                "limit must be all or a count of at least 1, not '0'",
            ),
            (
                "limit",
                "-1",
                "limit must be all or a count of at least 1, not '-1'",
            ),
            ("flag", "yes", "flag must be true or false, not 'yes'"),
            (
                "colour",
                "Red",
                "colour must be red or dark-blue, not 'Red'",
            ),
            (
                "size",
                "1",
                "the name of a parameter must be one of ridge, factor, count, limit, flag, colour, gap, not 'size'",
            ),
        ];
        for (name, text, message) in cases {
            let mut found = params();
            assert_eq!(found.set(name, text).unwrap_err().to_string(), message);
            assert_eq!(found, params());
        }
    }

    #[test]
    fn optional_parameters_name_their_absent_value() {
        let parameters = params().parameters().into_iter();
        let absent = parameters.filter_map(|p| p.absent.map(|word| (p.name, word)));
        assert_eq!(
            absent.collect::<Vec<_>>(),
            [("limit", "all"), ("gap", "auto")]
        );
    }

    #[test]
    fn fields_set_directly_are_validated() {
        assert!(params().validate().is_ok());
        let bad: [fn(&mut Params); 5] = [
            |p| p.ridge = -1.0,
            |p| p.ridge = f64::NAN,
            |p| p.factor = f64::INFINITY,
            |p| p.count = 101,
            |p| p.limit = Some(0),
        ];
        for change in bad {
            let mut params = params();
            change(&mut params);
            assert!(params.validate().is_err(), "{params:?}");
        }
    }
}
