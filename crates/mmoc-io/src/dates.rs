//! Dates and times as text, as tables have them.

/// What a text says about time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Moment {
    /// A date or a point in time: days since 1970-01-01, with the part of the day, in UTC unless the text says
    /// otherwise. A time of day: the part of the day since midnight.
    Days(f64),
    /// A date of which the day could be the month, or which does not say its century: `03/04/2024`, `1-Mar-24`.
    Unclear,
}

pub(crate) const SECONDS_OF_A_DAY: f64 = 86_400.0;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// A date, as far as it is clear: days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Date {
    Clear(f64),
    Unclear,
}

impl Moment {
    /// The date or time that a text is, by ISO 8601 or by a common form of it: `2024-03-01`, `2024/03/01`, `14:05`,
    /// `10:01 PM`, `2024-03-01 14:05:30.5+01:00`, `1 Mar 2024`, `Mar 1, 2024`.
    pub(crate) fn of(text: &str) -> Option<Self> {
        if !text.is_ascii() {
            return None;
        }
        if let Some(seconds) = time_of_day(text) {
            return Some(Self::Days(seconds / SECONDS_OF_A_DAY));
        }
        let (date, time) = named_date(text).or_else(|| numeric_date(text))?;
        let seconds = match time {
            "" => 0.0,
            time => zoned_time(time)?,
        };
        Some(match date {
            // Divided once, so that the number is that of the same point in a Parquet file.
            Date::Clear(days) => Self::Days((days * SECONDS_OF_A_DAY + seconds) / SECONDS_OF_A_DAY),
            Date::Unclear => Self::Unclear,
        })
    }

    /// The number that stands for it, as in Parquet and Arrow files.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Self::Days(number) => Some(number),
            Self::Unclear => None,
        }
    }
}

/// A date made of numbers, and the time that follows it.
fn numeric_date(text: &str) -> Option<(Date, &str)> {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, ""),
    };
    // A separator announces a time.
    (date.len() == text.len() || !time.is_empty()).then_some(())?;
    Some((day(date)?, time))
}

/// A date with the name of a month, such as `1 Mar 2024`, `01-Mar-2024` or `Fri, March 1st, 2024`, and the time that
/// follows it.
fn named_date(text: &str) -> Option<(Date, &str)> {
    let (first, rest) = part(text);
    let (first, rest) = if is_name(first, &WEEKDAYS) {
        part(rest)
    } else {
        (first, rest)
    };
    let (second, rest) = part(rest);
    let (month, day) = match month(first) {
        Some(month) => (month, second),
        None => (month(second)?, first),
    };
    let day = day_of_month(day)?;
    let end = rest.find(|end: char| !end.is_ascii_digit());
    let (year, time) = rest.split_at(end.unwrap_or(rest.len()));
    let time = time.trim_start_matches([',', ' ', 'T', 't']);
    let date = match year.len() {
        4 => Date::Clear(civil(number(year, 4)?, month, day)?),
        2 => civil(LEAP_YEAR, month, day).map(|_| Date::Unclear)?,
        _ => return None,
    };
    Some((date, time))
}

/// The letters and digits at the beginning of a text, and what follows the separators after them.
fn part(text: &str) -> (&str, &str) {
    let end = text.find(|end: char| !end.is_ascii_alphanumeric());
    let (part, rest) = text.split_at(end.unwrap_or(text.len()));
    (part, rest.trim_start_matches([' ', '-', '/', '.', ',']))
}

/// The number of a day, such as `1` or `1st`.
fn day_of_month(text: &str) -> Option<u32> {
    let endings = ["st", "nd", "rd", "th"];
    let digits = endings.iter().find_map(|ending| text.strip_suffix(ending));
    number(digits.unwrap_or(text), 2)
}

/// The number of a month by its name or the beginning of it.
fn month(name: &str) -> Option<u32> {
    let place = MONTHS.iter().position(|month| is_short_for(name, month))?;
    u32::try_from(place + 1).ok()
}

fn is_name(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| is_short_for(word, name))
}

fn is_short_for(word: &str, name: &str) -> bool {
    word.len() >= 3
        && name
            .get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// A year with every date that some year has.
const LEAP_YEAR: u32 = 2000;

/// The date that three numbers are.
fn day(text: &str) -> Option<Date> {
    let separator = text.find(['-', '/', '.'])?;
    let separator = &text[separator..=separator];
    let parts: Vec<&str> = text.split(separator).collect();
    let &[first, second, third] = parts.as_slice() else {
        return None;
    };
    if first.len() == 4 {
        return civil(number(first, 4)?, number(second, 2)?, number(third, 2)?).map(Date::Clear);
    }
    let (first, second, last) = (number(first, 2)?, number(second, 2)?, number(third, 4)?);
    let either = |year| civil(year, second, first).or_else(|| civil(year, first, second));
    let found = match third.len() {
        4 => either(last),
        // `03/01/24`, `01.03.24` and `24/03/01`, but not `10-20-30` or `1.2.34`.
        2 if separator == "/" || (separator == "." && text.len() == 8) => {
            either(LEAP_YEAR).or_else(|| civil(LEAP_YEAR, second, last))
        }
        _ => None,
    };
    found.map(|_| Date::Unclear)
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
    for utc in ["Z", "UTC", "GMT"] {
        if let Some(time) = without_suffix(text, utc) {
            return time_of_day(time);
        }
    }
    let Some(sign) = text.rfind(['+', '-']) else {
        return time_of_day(text);
    };
    let zone = &text[sign + 1..];
    let seconds = match zone.len() {
        2 => f64::from(number(zone, 2)?) * SECONDS_OF_AN_HOUR,
        4 => f64::from(number(&zone[..2], 2)? * 3600 + number(&zone[2..], 2)? * 60),
        _ => time_of_day(zone)?,
    };
    let east = if text.as_bytes()[sign] == b'+' {
        1.0
    } else {
        -1.0
    };
    Some(time_of_day(text[..sign].trim_end())? - east * seconds)
}

/// Seconds since midnight, of `14:05`, `14:05:30.5`, `10:01 PM` or `10 p.m.`.
fn time_of_day(text: &str) -> Option<f64> {
    let halves = [
        ("AM", 0.0),
        ("A.M.", 0.0),
        ("PM", HALF_A_DAY),
        ("P.M.", HALF_A_DAY),
    ];
    for (suffix, start) in halves {
        if let Some(time) = without_suffix(text, suffix) {
            let seconds = if time.contains(':') {
                clock(time)?
            } else {
                f64::from(number(time, 2)?) * SECONDS_OF_AN_HOUR
            };
            let is_half = (SECONDS_OF_AN_HOUR..13.0 * SECONDS_OF_AN_HOUR).contains(&seconds);
            return is_half.then_some(seconds % HALF_A_DAY + start);
        }
    }
    clock(text)
}

const SECONDS_OF_AN_HOUR: f64 = 3600.0;
const HALF_A_DAY: f64 = SECONDS_OF_A_DAY / 2.0;

/// A text without a suffix in any case of letters, and without blanks before it.
fn without_suffix<'t>(text: &'t str, suffix: &str) -> Option<&'t str> {
    let start = text.len().checked_sub(suffix.len())?;
    let (text, end) = text.split_at(start);
    end.eq_ignore_ascii_case(suffix).then_some(text.trim_end())
}

/// Seconds since midnight, of `14:05` or `14:05:30.5`.
fn clock(text: &str) -> Option<f64> {
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
        let seconds = |seconds: f64| Moment::Days(seconds / SECONDS_OF_A_DAY);
        let cases = [
            ("1970-01-01", Moment::Days(0.0)),
            ("1969-12-31", Moment::Days(-1.0)),
            ("2000/3/1", Moment::Days(11_017.0)),
            ("2024-02-29", Moment::Days(19_782.0)),
            ("14:05", seconds(50_700.0)),
            ("00:00:01.5", seconds(1.5)),
            ("10:01 PM", seconds(79_260.0)),
            ("10:01pm", seconds(79_260.0)),
            ("12:00:30 a.m.", seconds(30.0)),
            ("12 PM", Moment::Days(0.5)),
            ("1970-01-02T00:00:01Z", seconds(86_401.0)),
            ("1970-01-02T12:00z", Moment::Days(1.5)),
            ("1970-01-02T12:00:00.000000Z", Moment::Days(1.5)),
            ("1970-01-02 12:00 UTC", Moment::Days(1.5)),
            ("1970-01-02 06:00 PM", Moment::Days(1.75)),
            ("1970-01-01 02:30+01:30", seconds(3600.0)),
            ("1970-01-01 02:30:00 -0100", seconds(12_600.0)),
            ("2 Jan 1970", Moment::Days(1.0)),
            ("02-JAN-1970", Moment::Days(1.0)),
            ("2 January 1970 12:00", Moment::Days(1.5)),
            ("Jan 2, 1970", Moment::Days(1.0)),
            ("January 2nd 1970, 6:00 pm", Moment::Days(1.75)),
            ("Fri, 02 Jan 1970 12:00:00 GMT", Moment::Days(1.5)),
            ("Sept 1, 1970", Moment::Days(243.0)),
            ("03/04/2024", Moment::Unclear),
            ("31.12.2024 10:00", Moment::Unclear),
            ("03/01/24", Moment::Unclear),
            ("3/14/24 10:00", Moment::Unclear),
            ("24/03/31", Moment::Unclear),
            ("01.03.24", Moment::Unclear),
            ("1-Mar-24", Moment::Unclear),
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
            "99/98/97",
            "1.2.34",
            "13 PM",
            "0:30 AM",
            "PM",
            "Mar 1",
            "may",
            "1 May",
            "31 Feb 2024",
            "Mar 1, 2024 and later",
            "2024-03-01T",
            "1 Mars 2024",
            "1x Mar 2024",
            "Mon",
            "Fri 13",
            "march hare 2024",
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
