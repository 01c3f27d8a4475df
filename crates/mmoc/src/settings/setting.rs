//! One parameter with a reference to its value.

use std::ops::{RangeBounds, RangeInclusive};

use super::slot::{NamedChoice, SetChoice, Slot, TextValue};
use super::{Named, NamedSet, Parameter, TextForm, Value};
use crate::{Error, Result};

/// A parameter: its name, description, range, and a reference to its value.
#[derive(Debug)]
pub struct Setting<'a> {
    name: &'static str,
    summary: &'static str,
    slot: Slot<'a>,
}

impl<'a> Setting<'a> {
    /// A number within a range.
    pub fn number(
        name: &'static str,
        summary: &'static str,
        value: &'a mut f64,
        range: impl RangeBounds<f64>,
    ) -> Self {
        let range = (range.start_bound().cloned(), range.end_bound().cloned());
        Self::new(name, summary, Slot::Number { value, range })
    }

    /// An optional number within a range; `none` names the absent value.
    pub fn optional_number(
        name: &'static str,
        summary: &'static str,
        value: &'a mut Option<f64>,
        range: impl RangeBounds<f64>,
        none: &'static str,
    ) -> Self {
        let range = (range.start_bound().cloned(), range.end_bound().cloned());
        Self::new(name, summary, Slot::OptionalNumber { value, range, none })
    }

    /// An integer within a range.
    pub fn count(
        name: &'static str,
        summary: &'static str,
        value: &'a mut usize,
        range: RangeInclusive<usize>,
    ) -> Self {
        Self::new(name, summary, Slot::Count { value, range })
    }

    /// An optional integer of at least one; `none` names the absent value.
    pub fn limit(
        name: &'static str,
        summary: &'static str,
        value: &'a mut Option<usize>,
        none: &'static str,
    ) -> Self {
        Self::new(name, summary, Slot::Limit { value, none })
    }

    /// A Boolean.
    pub fn flag(name: &'static str, summary: &'static str, value: &'a mut bool) -> Self {
        Self::new(name, summary, Slot::Flag(value))
    }

    /// One of several named values.
    pub fn choice<T: Named>(name: &'static str, summary: &'static str, value: &'a mut T) -> Self {
        Self::new(name, summary, Slot::Choice(NamedChoice::new(value)))
    }

    /// A combination of names.
    pub fn combination<T: NamedSet>(
        name: &'static str,
        summary: &'static str,
        value: &'a mut T,
    ) -> Self {
        Self::new(name, summary, Slot::Set(SetChoice::new(value)))
    }

    /// A value with a text form.
    pub fn text<T: TextForm>(name: &'static str, summary: &'static str, value: &'a mut T) -> Self {
        Self::new(name, summary, Slot::Text(TextValue::new(value)))
    }

    fn new(name: &'static str, summary: &'static str, slot: Slot<'a>) -> Self {
        Self {
            name,
            summary,
            slot,
        }
    }

    /// The name by which users set it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The parameter with its current value.
    pub(super) fn parameter(&self) -> Parameter {
        Parameter {
            name: self.name,
            summary: self.summary,
            allowed: self.slot.allowed(),
            absent: self.slot.absent(),
            value: self.slot.value(),
        }
    }

    /// Sets the value from its text form, if allowed.
    pub(super) fn set(&mut self, text: &str) -> Result<()> {
        if self.slot.set(text) {
            return Ok(());
        }
        Err(self.refusal(format!("'{text}'")))
    }

    /// Fails if the current value is not allowed.
    pub(super) fn validate(&self) -> Result<()> {
        let value: Value = self.slot.value();
        if self.slot.allows_current() {
            return Ok(());
        }
        Err(self.refusal(value.to_string()))
    }

    fn refusal(&self, found: String) -> Error {
        Error::Parameter {
            parameter: self.name,
            expected: self.slot.allowed(),
            found,
        }
    }
}
