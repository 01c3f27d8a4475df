//! Tensors in JSON: their elements in one list, or in lists inside of lists that have the shape.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

/// An element of a tensor.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Element {
    Number(f64),
    Word(String),
    Missing,
}

/// The elements of a tensor of a shape.
pub(super) fn elements(json: &str, shape: &[usize]) -> Result<Vec<Element>, serde_json::Error> {
    let mut elements = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    let level = Level {
        shape,
        depth: 0,
        elements: &mut elements,
    };
    match level.deserialize(&mut reader)? {
        Kind::List => Ok(elements),
        Kind::Element => Err(serde_json::Error::custom("expected a list of elements")),
    }
}

/// A list at some depth, or an element.
struct Level<'a> {
    shape: &'a [usize],
    depth: usize,
    elements: &'a mut Vec<Element>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    List,
    Element,
}

impl Level<'_> {
    fn push(self, element: Element) -> Kind {
        self.elements.push(element);
        Kind::Element
    }
}

impl<'de> DeserializeSeed<'de> for Level<'_> {
    type Value = Kind;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Kind, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = Kind;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number, a string, true, false, null or a list of these")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Kind, E> {
        Ok(self.push(Element::Number(f64::from(u8::from(value)))))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Kind, E> {
        Ok(self.push(Element::Number(value as f64)))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Kind, E> {
        Ok(self.push(Element::Number(value as f64)))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Kind, E> {
        Ok(self.push(Element::Number(value)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Kind, E> {
        Ok(self.push(Element::Word(value.to_owned())))
    }

    fn visit_unit<E: Error>(self) -> Result<Kind, E> {
        Ok(self.push(Element::Missing))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Kind, A::Error> {
        if self.depth == self.shape.len() {
            return Err(A::Error::custom(
                "lists are nested deeper than the shape says",
            ));
        }
        let (mut count, mut of_all) = (0, None);
        loop {
            let level = Level {
                shape: self.shape,
                depth: self.depth + 1,
                elements: &mut *self.elements,
            };
            let Some(kind) = list.next_element_seed(level)? else {
                break;
            };
            if *of_all.get_or_insert(kind) != kind {
                return Err(A::Error::custom("lists and elements are mixed"));
            }
            count += 1;
        }
        // The outermost list may have all elements.
        let is_flat = self.depth == 0 && of_all == Some(Kind::Element);
        let is_innermost = self.depth + 1 == self.shape.len();
        let is_nested = of_all == Some(Kind::List) || (is_innermost && self.depth > 0);
        if count > 0 && !is_flat && !(is_nested && count == self.shape[self.depth]) {
            return Err(A::Error::custom(
                "the lists do not have the lengths of the shape",
            ));
        }
        Ok(Kind::List)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_and_nested_lists_are_the_same_tensor() {
        let numbers = |json: &str| {
            let read = elements(json, &[2, 3]).map_err(|error| error.to_string())?;
            let number = |element| match element {
                Element::Number(number) => number,
                _ => f64::NAN,
            };
            Ok::<_, String>(read.into_iter().map(number).collect::<Vec<f64>>())
        };
        let expected = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(numbers("[1,2,3,4,5,6]"), Ok(expected.clone()));
        assert_eq!(numbers("[[1,2,3],[4,5,6]]"), Ok(expected));
        for bad in [
            "[[1,2],[3,4],[5,6]]",
            "[[1,2,3],[4,5]]",
            "[1,[2]]",
            "[[[1]]]",
            "1",
            "{}",
            "[[1,2,3]]",
            "[1",
        ] {
            assert!(numbers(bad).is_err(), "{bad}");
        }
    }
}
