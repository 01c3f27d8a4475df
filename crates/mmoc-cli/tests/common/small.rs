//! Small data sets that can be learnt, the same whenever they are made, in every format.

use std::fmt::Write;

/// Rows of numbers and flags.
pub(crate) struct Small {
    rows: Vec<(Vec<f64>, Vec<bool>)>,
}

impl Small {
    /// Features between -1 and 1, some of which are zero. Each label depends on two of them and on
    /// chance; every tenth row carries none.
    pub(crate) fn new(rows: usize, features: usize, labels: usize) -> Self {
        let mut chance = Chance(0x5EED);
        let row = |index: usize| {
            let x: Vec<f64> = (0..features).map(|_| chance.feature()).collect();
            let label = |j: usize| {
                let score = x[j % features] - x[(j + 1) % features] + 0.7 * chance.uniform();
                !index.is_multiple_of(10) && score > 0.3
            };
            let y = (0..labels).map(label).collect();
            (x, y)
        };
        Self {
            rows: (0..rows).map(row).collect(),
        }
    }

    /// The same with every feature a hundred times as large.
    pub(crate) fn enlarged(mut self) -> Self {
        let numbers = self.rows.iter_mut().flat_map(|(x, _)| x);
        numbers.for_each(|number| *number *= 100.0);
        self
    }

    /// Two parts: the first so many rows and the others.
    pub(crate) fn split(mut self, first: usize) -> (Self, Self) {
        let rest = self.rows.split_off(first);
        (self, Self { rows: rest })
    }

    /// Number of rows that carry each label.
    pub(crate) fn label_counts(&self) -> Vec<usize> {
        let count = |j: usize| self.rows.iter().filter(|(_, y)| y[j]).count();
        (0..self.rows[0].1.len()).map(count).collect()
    }

    /// Number of rows that carry no label.
    pub(crate) fn empty_rows(&self) -> usize {
        let empty = |(_, y): &&(Vec<f64>, Vec<bool>)| !y.contains(&true);
        self.rows.iter().filter(empty).count()
    }

    /// Names of features and labels: `x1`, `x2`, …, `mood_1`, `mood_2`, …
    fn names(&self) -> (Vec<String>, Vec<String>) {
        let (x, y) = &self.rows[0];
        let named = |prefix: &str, count: usize| {
            let name = |index| format!("{prefix}{index}");
            (1..=count).map(name).collect()
        };
        (named("x", x.len()), named("mood_", y.len()))
    }

    /// A table with a header, the labels last.
    pub(crate) fn table(&self, separator: &str) -> String {
        let (features, labels) = self.names();
        let header = [features, labels].concat().join(separator);
        format!("{header}\n{}", self.lines(separator))
    }

    /// A table of the labels alone.
    pub(crate) fn label_table(&self, separator: &str) -> String {
        let line = |(_, y): &(Vec<f64>, Vec<bool>)| {
            let flags: Vec<String> = y.iter().map(|&flag| u8::from(flag).to_string()).collect();
            flags.join(separator) + "\n"
        };
        let header = self.names().1.join(separator);
        format!(
            "{header}\n{}",
            self.rows.iter().map(line).collect::<String>()
        )
    }

    fn lines(&self, separator: &str) -> String {
        let line = |(x, y): &(Vec<f64>, Vec<bool>)| {
            let numbers = x.iter().map(ToString::to_string);
            let flags = y.iter().map(|&flag| u8::from(flag).to_string());
            let cells: Vec<String> = numbers.chain(flags).collect();
            cells.join(separator) + "\n"
        };
        self.rows.iter().map(line).collect()
    }

    /// An ARFF file, the labels last.
    pub(crate) fn arff(&self) -> String {
        let (features, labels) = self.names();
        let mut text = String::from("@relation small\n");
        for name in features {
            writeln!(text, "@attribute {name} numeric").unwrap();
        }
        for name in labels {
            writeln!(text, "@attribute {name} {{0,1}}").unwrap();
        }
        text + "@data\n" + &self.lines(",")
    }

    /// The Mulan label file for [`Small::arff`].
    pub(crate) fn xml(&self) -> String {
        let label = |name: String| format!("<label name=\"{name}\"/>\n");
        let labels: String = self.names().1.into_iter().map(label).collect();
        format!("<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n{labels}</labels>\n")
    }

    /// A LIBSVM file, with indices from one and labels from zero.
    pub(crate) fn libsvm(&self) -> String {
        self.pairs(1)
    }

    /// A file of the extreme classification repository.
    pub(crate) fn extreme(&self) -> String {
        let (x, y) = &self.rows[0];
        let sizes = format!("{} {} {}\n", self.rows.len(), x.len(), y.len());
        sizes + &self.pairs(0)
    }

    fn pairs(&self, first_index: usize) -> String {
        let line = |(x, y): &(Vec<f64>, Vec<bool>)| {
            let labels = y.iter().enumerate().filter(|(_, flag)| **flag);
            let labels: Vec<String> = labels.map(|(j, _)| j.to_string()).collect();
            let stored = x.iter().enumerate().filter(|(_, value)| **value != 0.0);
            let pairs = stored.map(|(j, value)| format!("{}:{value}", j + first_index));
            let pairs: Vec<String> = pairs.collect();
            format!("{} {}\n", labels.join(","), pairs.join(" "))
        };
        self.rows.iter().map(line).collect()
    }
}

/// Numbers that look random (Marsaglia's xorshift).
struct Chance(u64);

impl Chance {
    /// A number from 0 to 1.
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from -1 to 1 with three decimals; zero one time in five.
    fn feature(&mut self) -> f64 {
        let (zero, value) = (self.uniform() < 0.2, self.uniform());
        if zero {
            0.0
        } else {
            (value * 2000.0).round() / 1000.0 - 1.0
        }
    }
}
