//! Short decimal numbers, as tables are full of them, read faster than numbers in general.

/// 10⁰ to 10¹⁵, each exact.
const POWERS: [f64; 16] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// The number that at most 15 digits stand for, with a minus before and a point among them or
/// neither; `None` for all other text, be it a number or not.
///
/// The digits as a whole number m are below 2⁵³ and so is the power of ten that divides them: both
/// are exact, and the quotient is the number nearest to the decimal, as IEEE 754 rounds it
/// (Clinger 1990). It is the same number that the standard library reads, in a third of the time.
pub(super) fn short_decimal(text: &str) -> Option<f64> {
    let negative = text.as_bytes().first() == Some(&b'-');
    let digits = &text.as_bytes()[usize::from(negative)..];
    if digits.len() > POWERS.len() {
        return None;
    }
    let mut whole = 0_u64;
    let mut point = None;
    for (place, &byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => whole = whole * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(place),
            _ => return None,
        }
    }
    let places = point.map_or(0, |place| digits.len() - place - 1);
    let count = digits.len() - usize::from(point.is_some());
    if !(1..POWERS.len()).contains(&count) {
        return None;
    }
    // Signs are often random, so a branch on them would be guessed wrong half of the time.
    let sign = [1.0, -1.0][usize::from(negative)];
    Some(sign * (whole as f64 / POWERS[places]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_plain_decimals_are_short() {
        for text in [
            "", "-", ".", "-.", "+1", "1e3", "1.2.3", " 1", "1 ", "--1", "inf", "٣",
        ] {
            assert_eq!(short_decimal(text), None, "{text}");
        }
        assert_eq!(
            short_decimal("999999999999999"),
            Some(999_999_999_999_999.0)
        );
        assert_eq!(short_decimal("1000000000000000"), None);
        assert_eq!(short_decimal("5."), Some(5.0));
        assert_eq!(short_decimal("-.5"), Some(-0.5));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_number_is_that_of_the_standard_library(text in "-?[0-9]{0,9}\\.?[0-9]{0,9}") {
            if let Some(value) = short_decimal(&text) {
                let expected: f64 = text.parse().unwrap();
                prop_assert_eq!(value.to_bits(), expected.to_bits(), "{}", text);
            }
        }
    }
}
