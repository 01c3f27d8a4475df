//! From values to places: linear and logarithmic axes, and the round numbers on them.

/// About so many numbers stand on an axis.
const WANTED_TICKS: f64 = 5.0;
/// Digits after the point, where a scale is so short.
const MOST_DECIMALS: i32 = 12;
/// No more decades than this are numbered.
const MOST_DECADES: i32 = 6;

/// An axis from one place to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// Least and largest value, or their logarithms to base 10.
    domain: (f64, f64),
    range: (f64, f64),
    is_logarithmic: bool,
}

/// A number on an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) place: f64,
    pub(super) label: String,
}

impl Scale {
    /// A linear axis that shows all of the values, with some room beside them.
    pub(super) fn around(values: impl Iterator<Item = f64>, range: (f64, f64)) -> Self {
        const ROOM: f64 = 0.06;
        let (low, high) = extremes(values).unwrap_or((0.0, 1.0));
        let room = ROOM * (high - low);
        Self::linear((low - room, high + room), range)
    }

    /// A linear axis. A domain of a single value is widened.
    pub(super) fn linear(domain: (f64, f64), range: (f64, f64)) -> Self {
        let (low, high) = domain;
        let least = 1e-9 * low.abs().max(high.abs()).max(1e-3);
        let widened = if high - low > least {
            domain
        } else {
            let middle = f64::midpoint(low, high);
            let half = (0.1 * middle.abs()).max(0.05);
            (middle - half, middle + half)
        };
        Self {
            domain: widened,
            range,
            is_logarithmic: false,
        }
    }

    /// A logarithmic axis of whole decades around all positive values; none if there are none.
    pub(super) fn logarithmic(
        values: impl Iterator<Item = f64>,
        range: (f64, f64),
    ) -> Option<Self> {
        let (low, high) = extremes(values.filter(|value| *value > 0.0))?;
        let (first, last) = (low.log10().floor(), high.log10().ceil());
        Some(Self {
            domain: (first, last.max(first + 1.0)),
            range,
            is_logarithmic: true,
        })
    }

    /// Where a value is. What is beyond the ends of the axis is put there.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = if self.is_logarithmic {
            value.max(f64::MIN_POSITIVE).log10()
        } else {
            value
        };
        self.at(value)
    }

    fn at(&self, value: f64) -> f64 {
        let (low, high) = self.domain;
        let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
        self.range.0 + share * (self.range.1 - self.range.0)
    }

    /// Round numbers along the axis.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        if self.is_logarithmic {
            self.decades()
        } else {
            self.round_numbers()
        }
    }

    fn decades(&self) -> Vec<Tick> {
        let (first, last) = (self.domain.0 as i32, self.domain.1 as i32);
        let every = (last - first).div_euclid(MOST_DECADES) + 1;
        let powers = (first..=last).filter(|power| power.rem_euclid(every) == 0);
        powers
            .map(|power| Tick {
                place: self.at(f64::from(power)),
                label: power_of_ten(power),
            })
            .collect()
    }

    fn round_numbers(&self) -> Vec<Tick> {
        let (low, high) = self.domain;
        let step = round_step((high - low) / WANTED_TICKS);
        if !step.is_finite() || step <= 0.0 {
            return Vec::new();
        }
        let power = step.log10().floor() as i32;
        let decimals = (-power).clamp(0, MOST_DECIMALS).unsigned_abs() as usize;
        let first = (low / step).ceil();
        let count = ((high / step).floor() - first).clamp(0.0, 3.0 * WANTED_TICKS) as i32;
        let values = (0..=count).map(|index| (first + f64::from(index)) * step);
        values
            .map(|value| Tick {
                place: self.at(value),
                // Adding zero makes −0 a 0.
                label: format!("{:.decimals$}", value + 0.0),
            })
            .collect()
    }
}

/// The least of 1, 2, 5 times a power of ten that is at least `step`.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0];
    // A step that is one of them up to rounding is that one.
    let fits = times
        .iter()
        .find(|times| *times * power >= step * (1.0 - 1e-9));
    fits.unwrap_or(&10.0) * power
}

/// Powers between a thousandth and a thousand are written out.
fn power_of_ten(power: i32) -> String {
    match power {
        -3..=-1 => format!("{:.*}", power.unsigned_abs() as usize, 10_f64.powi(power)),
        0..=3 => format!("{}", 10_u32.pow(power.unsigned_abs())),
        _ => format!("1e{power}"),
    }
}

/// The least and the largest of the finite values.
pub(super) fn extremes(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |ends, value| {
        let (low, high) = ends.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<String> {
        scale.ticks().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_numbers_within_the_axis() {
        let scale = Scale::linear((0.21, 0.34), (0.0, 100.0));
        assert_eq!(labels(&scale), ["0.25", "0.30"]);
        let scale = Scale::linear((-0.1, 0.1), (0.0, 100.0));
        assert_eq!(labels(&scale), ["-0.10", "-0.05", "0.00", "0.05", "0.10"]);
        for tick in scale.ticks() {
            assert!((0.0..=100.0).contains(&tick.place));
        }
    }

    #[test]
    fn places_run_from_one_end_to_the_other() {
        let scale = Scale::linear((1.0, 3.0), (10.0, 20.0));
        assert_eq!(
            [1.0, 2.0, 3.0].map(|value| scale.place(value)),
            [10.0, 15.0, 20.0]
        );
        assert_eq!([0.0, 9.0].map(|value| scale.place(value)), [10.0, 20.0]);
        let scale = Scale::logarithmic([0.02, 50.0].into_iter(), (0.0, 4.0)).unwrap();
        assert_eq!(scale.place(1.0), 2.0);
        assert_eq!(labels(&scale), ["0.01", "0.1", "1", "10", "100"]);
    }

    #[test]
    fn any_values_have_an_axis() {
        let extremes = [
            f64::MIN,
            f64::MAX,
            f64::NAN,
            f64::INFINITY,
            f64::MIN_POSITIVE,
        ];
        for values in [&[][..], &[0.0], &[0.3, 0.3], &extremes, &[1e-300, 1e300]] {
            let scale = Scale::around(values.iter().copied(), (0.0, 100.0));
            assert!(scale.ticks().len() <= 20, "{values:?}");
            let decades = Scale::logarithmic(values.iter().copied(), (0.0, 100.0));
            assert!(decades.is_none_or(|scale| scale.ticks().len() <= 20));
        }
        assert_eq!(Scale::logarithmic([0.0].into_iter(), (0.0, 1.0)), None);
    }
}
