//! Matrices as coloured cells: the learnt metric Q, its directions V, and which labels come together.

use super::{heading, short_number, title};
use crate::experiment::CodePicture;
use crate::report::names::{shortened, text_width};
use crate::report::svg::{Anchor, Drawing, Figure, hint, rectangle, words, words_at};
use crate::summary::DatasetSummary;

/// The names of rows.
const LEFT: f64 = 100.0;
/// The size of their letters.
const LETTERS: f64 = 11.0;
const TOP: f64 = 26.0;
const LEGEND: f64 = 48.0;
/// The least width of a drawing, which its heading needs.
const LEAST_WIDTH: f64 = 340.0;
/// Cells share this width unless they would become too small or too large.
const WIDTH_OF_CELLS: f64 = 240.0;
const CELL: (f64, f64) = (14.0, 30.0);

/// Paler negative cells carry no sign.
const LEAST_SIGNED: f64 = 0.1;

/// A matrix of numbers with a name for each row and each column.
struct Map<'a> {
    heading: String,
    rows: Vec<&'a str>,
    columns: Vec<&'a str>,
    values: &'a [Vec<f64>],
    /// The value of the strongest colour.
    strongest: f64,
    /// What a cell says under the pointer.
    hint: &'a dyn Fn(usize, usize) -> String,
    /// Whether there are colours for both signs.
    is_signed: bool,
}

impl Map<'_> {
    /// How deep the colour of a value is, from 0 to 1. With signs it goes with the square root, so that one large
    /// entry does not hide all others.
    fn depth(&self, value: f64) -> f64 {
        if self.strongest <= 0.0 {
            return 0.0;
        }
        let share = (value.abs() / self.strongest).min(1.0);
        if self.is_signed { share.sqrt() } else { share }
    }
}

/// Q = VVᵀ (eq. 23).
pub(in crate::report) fn metric_map(
    dataset: &DatasetSummary,
    picture: &CodePicture,
    file: String,
) -> Option<Figure> {
    let names = shown_names(dataset);
    let values = &picture.metric;
    if !has_shape(values, names.len(), names.len()) {
        return None;
    }
    let map = Map {
        heading: heading(dataset, "Metric Q"),
        rows: names.clone(),
        columns: names.clone(),
        values,
        strongest: strongest(values)?,
        hint: &|row, column| {
            format!(
                "{} × {}: {:.4}",
                names[row], names[column], values[row][column]
            )
        },
        is_signed: true,
    };
    let finding = strongest_pair(values).map_or_else(
        || "The metric of the first run has one label only.".into(),
        |(row, column)| {
            let value = values[row][column];
            format!(
                "The metric of the first run. The largest entry off the diagonal, {value:.4}, couples {} and {}.",
                names[row], names[column]
            )
        },
    );
    Some(Figure {
        file,
        title: title(dataset, "The learnt metric Q"),
        finding,
        caption: "Q of the first run: the price of getting two labels wrong together. Where it is positive, \
                  errors of the same direction cost more; where it is negative, less. Colours deepen with the square root."
            .into(),
        drawing: draw(&map),
    })
}

/// V, a direction in each column.
pub(in crate::report) fn projection_map(
    dataset: &DatasetSummary,
    picture: &CodePicture,
    file: String,
) -> Option<Figure> {
    let names = shown_names(dataset);
    let values = &picture.projections;
    let count = values.first().map_or(0, Vec::len);
    if !has_shape(values, names.len(), count) {
        return None;
    }
    let numbers: Vec<String> = (1..=count).map(|number| format!("v{number}")).collect();
    let map = Map {
        heading: heading(dataset, "Directions V"),
        rows: names.clone(),
        columns: numbers.iter().map(String::as_str).collect(),
        values,
        strongest: strongest(values)?,
        hint: &|row, column| {
            format!(
                "{}, {}: {:.4}",
                names[row], numbers[column], values[row][column]
            )
        },
        is_signed: true,
    };
    let leading =
        (0..names.len()).max_by(|&a, &b| values[a][0].abs().total_cmp(&values[b][0].abs()))?;
    Some(Figure {
        file,
        title: title(dataset, "The encoding directions V"),
        finding: format!(
            "{count} directions of the first run. In the first, {} has the largest weight, {:.4}.",
            names[leading], values[leading][0]
        ),
        caption: "V of the first run: each column is a direction in label space that the code adds to the labels, \
                  the most important first. Colours deepen with the square root."
            .into(),
        drawing: draw(&map),
    })
}

/// Which share of the rows with one label carries another one too.
pub(in crate::report) fn cooccurrence(dataset: &DatasetSummary, file: String) -> Option<Figure> {
    let names = shown_names(dataset);
    let counts = &dataset.entry.cooccurrence;
    let share = |row: usize, column: usize| {
        let whole = counts[row][row].max(1) as f64;
        if row == column {
            0.0
        } else {
            counts[row][column] as f64 / whole
        }
    };
    let shares: Vec<Vec<f64>> = (0..names.len())
        .map(|row| (0..names.len()).map(|column| share(row, column)).collect())
        .collect();
    let (row, column) = strongest_pair(&shares)?;
    let map = Map {
        heading: heading(dataset, "Labels together"),
        rows: names.clone(),
        columns: names.clone(),
        values: &shares,
        strongest: shares[row][column],
        hint: &|row, column| {
            let (both, whole) = (counts[row][column], counts[row][row]);
            format!(
                "{both} of {whole} rows with {} carry {}",
                names[row], names[column]
            )
        },
        is_signed: false,
    };
    Some(Figure {
        file,
        title: title(dataset, "Labels that come together"),
        finding: format!(
            "Most often, {:.0} % of the rows with {} carry {} too.",
            100.0 * shares[row][column],
            names[row],
            names[column]
        ),
        caption:
            "Of the rows with the label to the left, the share that carries the label above too."
                .into(),
        drawing: draw(&map),
    })
}

/// The names of the labels that heat maps show.
fn shown_names<'a>(dataset: &DatasetSummary<'a>) -> Vec<&'a str> {
    let entry = &dataset.entry;
    let shown = entry.shown_labels.iter();
    shown
        .map(|&label| entry.label_names[label].as_str())
        .collect()
}

/// The largest absolute value; none if there are no values.
fn strongest(values: &[Vec<f64>]) -> Option<f64> {
    let sizes = values.iter().flatten().map(|value| value.abs());
    sizes.reduce(f64::max)
}

/// Whether there are so many rows and columns: a line of results is a file that anyone may have changed.
fn has_shape(values: &[Vec<f64>], rows: usize, columns: usize) -> bool {
    values.len() == rows && values.iter().all(|row| row.len() == columns)
}

/// The place of the largest absolute value off the diagonal, if there is one.
fn strongest_pair(values: &[Vec<f64>]) -> Option<(usize, usize)> {
    let size = |&(row, column): &(usize, usize)| values[row][column].abs();
    let places =
        (0..values.len()).flat_map(|row| (0..values[row].len()).map(move |column| (row, column)));
    let pairs = places.filter(|(row, column)| row != column);
    pairs.reduce(|best, next| {
        if size(&next) > size(&best) {
            next
        } else {
            best
        }
    })
}

fn draw(map: &Map<'_>) -> Drawing {
    let count = map.columns.len().max(map.rows.len()).max(1) as f64;
    let cell = (WIDTH_OF_CELLS / count).clamp(CELL.0, CELL.1);
    let (left, top) = (LEFT, TOP + names_height(map));
    let width = left + cell * map.columns.len() as f64 + 8.0;
    let height = top + cell * map.rows.len() as f64 + LEGEND;
    let mut drawing = Drawing::new(width.max(LEAST_WIDTH), height);
    drawing.add(words(0.0, 14.0, &map.heading).class("heading"));
    draw_names(&mut drawing, map, cell, (left, top));
    for (row, values) in map.values.iter().enumerate() {
        for (column, &value) in values.iter().enumerate() {
            let place = (left + cell * column as f64, top + cell * row as f64);
            draw_cell(
                &mut drawing,
                map,
                place,
                cell,
                value,
                &(map.hint)(row, column),
            );
        }
    }
    draw_legend(&mut drawing, map, (left, height - 33.0));
    drawing
}

/// What the longest name of a column needs.
fn names_height(map: &Map<'_>) -> f64 {
    let widths = map
        .columns
        .iter()
        .map(|name| text_width(&short_name(name), LETTERS));
    widths.fold(0.0, f64::max) + 12.0
}

fn short_name(name: &str) -> String {
    shortened(name, LEFT - 6.0, LETTERS)
}

fn draw_names(drawing: &mut Drawing, map: &Map<'_>, cell: f64, (left, top): (f64, f64)) {
    let middle = |index: usize| (index as f64 + 0.5) * cell + 4.0;
    for (index, name) in map.rows.iter().enumerate() {
        let label = words_at(
            Anchor::End,
            left - 6.0,
            top + middle(index),
            short_name(name),
        );
        drawing.add(hint(label.class("value"), name));
    }
    for (index, name) in map.columns.iter().enumerate() {
        let (x, y) = (left + middle(index), top - 6.0);
        let label = words(x, y, short_name(name)).class("value");
        let turned = label.with("transform", format_args!("rotate(-90 {x:.2} {y:.2})"));
        drawing.add(hint(turned, name));
    }
}

/// Colours are seen through to the ground, so that zero is the ground, light or dark.
fn draw_cell(
    drawing: &mut Drawing,
    map: &Map<'_>,
    place: (f64, f64),
    cell: f64,
    value: f64,
    words: &str,
) {
    let share = map.depth(value);
    let class = if value < 0.0 { "negative" } else { "positive" };
    let colour = rectangle(place.0, place.1, cell, cell)
        .class(class)
        .with("fill-opacity", format_args!("{share:.3}"));
    drawing.add(hint(colour, words));
    drawing.add(rectangle(place.0, place.1, cell, cell).class("cell"));
    if map.is_signed && value < 0.0 && share > LEAST_SIGNED {
        draw_minus(drawing, place, cell);
    }
}

/// Negative cells carry a sign, for those who do not see the difference of colours.
fn draw_minus(drawing: &mut Drawing, place: (f64, f64), cell: f64) {
    let (x, y) = (place.0 + cell / 2.0, place.1 + cell / 2.0 + 4.0);
    drawing.add(words_at(Anchor::Middle, x, y, "−").class("minus"));
}

fn draw_legend(drawing: &mut Drawing, map: &Map<'_>, (left, top): (f64, f64)) {
    const STEPS: i32 = 4;
    const STEP: f64 = 18.0;
    let first = if map.is_signed { -STEPS } else { 0 };
    for step in first..=STEPS {
        let value = map.strongest * f64::from(step) / f64::from(STEPS);
        let x = left + f64::from(step - first) * STEP;
        draw_cell(
            drawing,
            map,
            (x, top),
            STEP,
            value,
            &legend_value(map, value),
        );
    }
    let width = f64::from(STEPS - first + 1) * STEP;
    let end = |share: f64| left + STEP / 2.0 + share * (width - STEP);
    let low = if map.is_signed { -map.strongest } else { 0.0 };
    for (share, value) in [(0.0, low), (1.0, map.strongest)] {
        let label = words_at(
            Anchor::Middle,
            end(share),
            top + STEP + 10.0,
            legend_value(map, value),
        );
        drawing.add(label.class("tiny"));
    }
}

fn legend_value(map: &Map<'_>, value: f64) -> String {
    if map.is_signed {
        short_number(value)
    } else {
        format!("{:.0} %", 100.0 * value)
    }
}
