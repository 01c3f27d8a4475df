//! References to parameter values, with their ranges.

use std::fmt;
use std::ops::{Bound, RangeBounds, RangeInclusive};

use super::{Named, NamedSet, TextForm, Value, shortest};

/// All positive numbers.
pub const POSITIVE: (Bound<f64>, Bound<f64>) = (Bound::Excluded(0.0), Bound::Unbounded);

/// A reference to a value of one of a few types.
#[derive(Debug)]
pub(super) enum Slot<'a> {
    Number {
        value: &'a mut f64,
        range: (Bound<f64>, Bound<f64>),
    },
    OptionalNumber {
        value: &'a mut Option<f64>,
        range: (Bound<f64>, Bound<f64>),
        none: &'static str,
    },
    Count {
        value: &'a mut usize,
        range: RangeInclusive<usize>,
    },
    Limit {
        value: &'a mut Option<usize>,
        none: &'static str,
    },
    Flag(&'a mut bool),
    Choice(NamedChoice<'a>),
    Set(SetChoice<'a>),
    Text(TextValue<'a>),
}

/// A reference to a named value of any type.
pub(super) struct NamedChoice<'a> {
    names: Vec<&'static str>,
    chosen: usize,
    choose: Box<dyn FnMut(usize) + 'a>,
}

impl<'a> NamedChoice<'a> {
    pub(super) fn new<T: Named>(value: &'a mut T) -> Self {
        let chosen = T::NAMES.iter().position(|(named, _)| named == value);
        Self {
            names: T::NAMES.iter().map(|(_, name)| *name).collect(),
            chosen: chosen.expect("the table names every value"),
            choose: Box::new(move |index| *value = T::NAMES[index].0),
        }
    }
}

impl fmt::Debug for NamedChoice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names[self.chosen])
    }
}

/// A reference to a combination of names of any type.
pub(super) struct SetChoice<'a> {
    name: &'static str,
    allowed: String,
    choose: Box<ChooseByName<'a>>,
}

/// Sets the value of a name, and returns the name in its usual form; none if there is no such value.
type ChooseByName<'a> = dyn FnMut(&str) -> Option<&'static str> + 'a;

impl<'a> SetChoice<'a> {
    pub(super) fn new<T: NamedSet>(value: &'a mut T) -> Self {
        Self {
            name: value.name(),
            allowed: T::allowed(),
            choose: Box::new(move |text| {
                *value = T::from_name(text)?;
                Some(value.name())
            }),
        }
    }
}

impl fmt::Debug for SetChoice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A reference to a value of any type that has a text form.
pub(super) struct TextValue<'a> {
    text: String,
    absent: Option<&'static str>,
    is_allowed: bool,
    allowed: String,
    choose: Box<ChooseByText<'a>>,
}

/// Sets the value of a text, and returns its text in its usual form; none if there is no such value.
type ChooseByText<'a> = dyn FnMut(&str) -> Option<String> + 'a;

impl<'a> TextValue<'a> {
    pub(super) fn new<T: TextForm>(value: &'a mut T) -> Self {
        Self {
            text: value.text(),
            absent: T::ABSENT,
            is_allowed: value.is_allowed(),
            allowed: T::allowed(),
            choose: Box::new(move |text| {
                *value = T::from_text(text)?;
                Some(value.text())
            }),
        }
    }

    fn set(&mut self, text: &str) -> bool {
        let is_set = replace(&mut self.text, (self.choose)(text));
        self.is_allowed |= is_set;
        is_set
    }
}

impl fmt::Debug for TextValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Slot<'_> {
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Number { value, .. } => Value::Number(**value),
            Self::OptionalNumber { value, none, .. } => {
                value.map_or(Value::Name(none), Value::Number)
            }
            Self::Count { value, .. } => Value::Count(**value),
            Self::Limit { value, none } => value.map_or(Value::Name(none), Value::Count),
            Self::Flag(value) => Value::Flag(**value),
            Self::Choice(choice) => Value::Name(choice.names[choice.chosen]),
            Self::Set(choice) => Value::Name(choice.name),
            Self::Text(value) => Value::Text(value.text.clone()),
        }
    }

    /// The name of the absent value, if it is optional.
    pub(super) fn absent(&self) -> Option<&'static str> {
        match self {
            Self::OptionalNumber { none, .. } | Self::Limit { none, .. } => Some(none),
            Self::Text(value) => value.absent,
            _ => None,
        }
    }

    /// The allowed values, as the text after "must be".
    pub(super) fn allowed(&self) -> String {
        match self {
            Self::Number { range, .. } => format!("a number{}", bounds(range)),
            Self::OptionalNumber { range, none, .. } => {
                format!("{none} or a number{}", bounds(range))
            }
            Self::Count { range, .. } => {
                format!("a count from {} to {}", range.start(), range.end())
            }
            Self::Limit { none, .. } => format!("{none} or a count of at least 1"),
            Self::Flag(_) => "true or false".into(),
            Self::Choice(choice) => alternatives(&choice.names),
            Self::Set(choice) => choice.allowed.clone(),
            Self::Text(value) => value.allowed.clone(),
        }
    }

    /// Whether the current value is allowed.
    pub(super) fn allows_current(&self) -> bool {
        match self {
            Self::Number { value, range } => is_within(**value, range),
            Self::OptionalNumber { value, range, .. } => {
                value.is_none_or(|number| is_within(number, range))
            }
            Self::Count { value, range } => range.contains(*value),
            Self::Limit { value, .. } => **value != Some(0),
            Self::Flag(_) | Self::Choice(_) | Self::Set(_) => true,
            Self::Text(value) => value.is_allowed,
        }
    }

    /// Sets the value from its text form; returns false if it is not allowed.
    pub(super) fn set(&mut self, text: &str) -> bool {
        match self {
            Self::Number { value, range } => replace(
                *value,
                text.parse().ok().filter(|&number| is_within(number, range)),
            ),
            Self::OptionalNumber { value, none, .. } if text == *none => {
                replace(*value, Some(None))
            }
            Self::OptionalNumber { value, range, .. } => {
                let number = text.parse().ok().filter(|&number| is_within(number, range));
                replace(*value, number.map(Some))
            }
            Self::Count { value, range } => replace(
                *value,
                text.parse().ok().filter(|count| range.contains(count)),
            ),
            Self::Limit { value, none } if text == *none => replace(*value, Some(None)),
            Self::Limit { value, .. } => replace(
                *value,
                text.parse().ok().filter(|&count| count > 0).map(Some),
            ),
            Self::Flag(value) => replace(*value, text.parse().ok()),
            Self::Choice(choice) => {
                let chosen = choice.names.iter().position(|name| *name == text);
                if let Some(index) = chosen {
                    (choice.choose)(index);
                }
                replace(&mut choice.chosen, chosen)
            }
            Self::Set(choice) => replace(&mut choice.name, (choice.choose)(text)),
            Self::Text(value) => value.set(text),
        }
    }
}

fn replace<T>(value: &mut T, new: Option<T>) -> bool {
    let Some(new) = new else { return false };
    *value = new;
    true
}

fn is_within(number: f64, range: &(Bound<f64>, Bound<f64>)) -> bool {
    number.is_finite() && range.contains(&number)
}

/// The bounds of a range, as the text after "a number".
fn bounds((low, high): &(Bound<f64>, Bound<f64>)) -> String {
    let low = match low {
        Bound::Included(low) => Some(format!(" of at least {}", shortest(*low))),
        Bound::Excluded(low) => Some(format!(" above {}", shortest(*low))),
        Bound::Unbounded => None,
    };
    let high = match high {
        Bound::Included(high) => Some(format!(" at most {}", shortest(*high))),
        Bound::Excluded(high) => Some(format!(" below {}", shortest(*high))),
        Bound::Unbounded => None,
    };
    let clauses: Vec<String> = [low, high].into_iter().flatten().collect();
    clauses.join(" and")
}

/// `a`, `a or b`, `a, b or c`.
fn alternatives(names: &[&str]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}
