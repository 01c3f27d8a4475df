//! Dates and times as text, as tables have them.

/// What a text says about time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Moment {
    /// A date: days since 1970-01-01.
    Date(f64),
    /// A time of day: seconds since midnight.
    Time(f64),
    /// A point in time: seconds since 1970-01-01, in UTC unless the text says otherwise.
    Point(f64),
    /// A date of which the day could be the month: `03/04/2024`.
    Unclear,
}

const SECONDS_OF_A_DAY: f64 = 86_400.0;

impl Moment {
    /// The date or time that a text is, by ISO 8601 or by a common form of it: `2024-03-01`, `2024/03/01`, `14:05`,
    /// `2024-03-01 14:05:30.5+01:00`.
    pub(crate) fn of(text: &str) -> Option<Self> {
        if !text.is_ascii() || !text.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        if let Some(seconds) = time_of_day(text) {
            return Some(Self::Time(seconds));
        }
        let (date, rest) = match text.find(['T', 't', ' ']) {
            Some(end) => (&text[..end], Some(&text[end + 1..])),
            None => (text, None),
        };
        match (day(date)?, rest) {
            (None, None) => Some(Self::Unclear),
            (None, Some(rest)) => zoned_time(rest).map(|_| Self::Unclear),
            (Some(day), None) => Some(Self::Date(day)),
            (Some(day), Some(rest)) => {
                Some(Self::Point(day * SECONDS_OF_A_DAY + zoned_time(rest)?))
            }
        }
    }

    /// The number that stands for it, as in Parquet and Arrow files.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Self::Date(number) | Self::Time(number) | Self::Point(number) => Some(number),
            Self::Unclear => None,
        }
    }
}

/// Days since 1970-01-01, if the text is a date; none inside if its day could be its month.
#[expect(clippy::option_option, reason = "no date, or one that is unclear")]
fn day(text: &str) -> Option<Option<f64>> {
    let separator = text.find(['-', '/', '.'])?;
    let separator = &text[separator..=separator];
    let parts: Vec<&str> = text.split(separator).collect();
    let &[first, second, third] = parts.as_slice() else {
        return None;
    };
    if first.len() == 4 {
        return civil(number(first, 4)?, number(second, 2)?, number(third, 2)?).map(Some);
    }
    let (day, month, year) = (number(first, 2)?, number(second, 2)?, number(third, 4)?);
    let either = civil(year, month, day).or_else(|| civil(year, day, month));
    (third.len() == 4).then_some(())?;
    either.map(|_| None)
}

/// Days since 1970-01-01 of a date of the Gregorian calendar, if it exists.
fn civil(year: u32, month: u32, day: u32) -> Option<f64> {
    let leap = (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    let lengths = [
        31,
        28 + u32::from(leap),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let length = *lengths.get((month as usize).checked_sub(1)?)?;
    if !(1..=length).contains(&day) {
        return None;
    }
    let before: u32 = lengths[..month as usize - 1].iter().sum();
    let year = i64::from(year);
    let leap_days =
        |years: i64| years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400);
    let years = 365 * (year - 1970) + leap_days(year - 1) - leap_days(1969);
    Some((years + i64::from(before) + i64::from(day) - 1) as f64)
}

/// Seconds since midnight in UTC, of a time with or without a zone.
fn zoned_time(text: &str) -> Option<f64> {
    if let Some(time) = text.strip_suffix(['Z', 'z']) {
        return time_of_day(time);
    }
    let Some(sign) = text.rfind(['+', '-']) else {
        return time_of_day(text);
    };
    let zone = &text[sign + 1..];
    let seconds = match zone.len() {
        2 => f64::from(number(zone, 2)?) * 3600.0,
        4 => f64::from(number(&zone[..2], 2)?) * 3600.0 + f64::from(number(&zone[2..], 2)?) * 60.0,
        _ => time_of_day(zone)?,
    };
    let east = if text.as_bytes()[sign] == b'+' {
        1.0
    } else {
        -1.0
    };
    Some(time_of_day(text[..sign].trim_end())? - east * seconds)
}

/// Seconds since midnight, of `14:05` or `14:05:30.5`.
fn time_of_day(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.split(':').collect();
    let (hours, minutes, seconds) = match *parts.as_slice() {
        [hours, minutes] => (hours, minutes, "0"),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return None,
    };
    let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
    let is_decimal = seconds
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = seconds.parse().ok().filter(|_| is_decimal)?;
    (hours < 24 && minutes < 60 && seconds < 61.0)
        .then(|| f64::from(hours * 3600 + minutes * 60) + seconds)
}

/// A number of at most so many digits, at least one.
fn number(text: &str, digits: usize) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|_| is_number && text.len() <= digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_recognised() {
        let cases = [
            ("1970-01-01", Moment::Date(0.0)),
            ("1969-12-31", Moment::Date(-1.0)),
            ("2000/3/1", Moment::Date(11_017.0)),
            ("2024-02-29", Moment::Date(19_782.0)),
            ("14:05", Moment::Time(50_700.0)),
            ("00:00:01.5", Moment::Time(1.5)),
            ("1970-01-02T00:00:01Z", Moment::Point(86_401.0)),
            ("1970-01-01 02:30+01:30", Moment::Point(3600.0)),
            ("1970-01-01 02:30:00 -0100", Moment::Point(12_600.0)),
            ("03/04/2024", Moment::Unclear),
            ("31.12.2024 10:00", Moment::Unclear),
        ];
        for (text, expected) in cases {
            assert_eq!(Moment::of(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_words_are_not() {
        let words = [
            "",
            "12",
            "1-2",
            "2024-13-01",
            "2023-02-29",
            "1.2.3",
            "24:00",
            "a:b",
            "10-20-30",
            "2024-01-01x",
            "192.168.1.1",
            "2024-01-01 noon",
            "é",
            "32/13/2024",
            "12:30:",
        ];
        for word in words {
            assert_eq!(Moment::of(word), None, "{word}");
        }
    }

    /// Day after day, by the lengths of months as everybody knows them.
    #[test]
    fn days_follow_each_other() {
        let mut expected = civil(1899, 12, 31).unwrap();
        for year in 1900..2110 {
            for month in 1..=12 {
                for day in 1..=31 {
                    if let Some(found) = civil(year, month, day) {
                        expected += 1.0;
                        assert_eq!(found, expected, "{year}-{month}-{day}");
                    }
                }
            }
        }
        assert_eq!(civil(2110, 1, 1).unwrap(), expected + 1.0);
    }
}
