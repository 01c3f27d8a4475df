//! The eigenvalues of the metric, and where the rank is cut.

use super::rows::WIDTH;
use super::{heading, short_number, title};
use crate::experiment::CodePicture;
use crate::report::scale::Scale;
use crate::report::svg::{Anchor, Drawing, Figure, circle, hint, line, words, words_at};
use crate::summary::DatasetSummary;

const HEIGHT: f64 = 240.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 38.0;
/// Eigenvalues that are smaller relative to the largest are rounding errors, and are drawn at the foot.
const LEAST: f64 = 1e-12;

/// None where no eigenvalue is positive.
pub(in crate::report) fn spectrum(
    dataset: &DatasetSummary,
    picture: &CodePicture,
    file: String,
) -> Option<Figure> {
    let values = &picture.eigenvalues;
    let largest = values.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return None;
    }
    let relative: Vec<f64> = values
        .iter()
        .map(|value| (value / largest).max(LEAST))
        .collect();
    let bottom = HEIGHT - BOTTOM;
    let scale = Scale::logarithmic(relative.iter().copied(), (bottom, TOP))?;
    let kept = picture.projections.first().map_or(0, Vec::len);
    let step = (WIDTH - RIGHT - LEFT) / values.len() as f64;
    let x = |index: usize| LEFT + (index as f64 + 0.5) * step;
    let mut drawing = Drawing::new(WIDTH, HEIGHT);
    drawing.add(words(0.0, 14.0, heading(dataset, "Eigenvalues of Q")).class("heading"));
    draw_scale(&mut drawing, &scale);
    draw_numbers(&mut drawing, values.len(), x);
    for (index, value) in relative.iter().enumerate() {
        let (x, y) = (x(index), scale.place(*value));
        drawing.add(line((x, bottom), (x, y)).class("stem"));
        let class = if index < kept { "ours" } else { "hollow" };
        let dot = circle(x, y, (step / 3.0).clamp(1.0, 4.0)).class(class);
        drawing.add(hint(dot, format!("{}: {:.4e}", index + 1, values[index])));
    }
    draw_cut(&mut drawing, kept, LEFT + kept as f64 * step);
    let share: f64 = values.iter().take(kept).sum::<f64>() / values.iter().sum::<f64>();
    Some(Figure {
        file,
        title: title(dataset, "Eigenvalues of the learnt metric"),
        finding: format!(
            "{kept} of {} eigenvalues are kept; they hold {:.2} % of the trace. The largest is {largest:.4e}.",
            values.len(),
            100.0 * share
        ),
        caption: format!(
            "Relative to the largest, {}, in the first run. Filled: kept as directions of the code.",
            short_number(largest)
        ),
        drawing,
    })
}

fn draw_scale(drawing: &mut Drawing, scale: &Scale) {
    for tick in scale.ticks() {
        let ends = ((LEFT, tick.place), (WIDTH - RIGHT, tick.place));
        drawing.add(line(ends.0, ends.1).class("grid"));
        let label = words_at(Anchor::End, LEFT - 6.0, tick.place + 4.0, &tick.label);
        drawing.add(label.class("small"));
    }
}

fn draw_numbers(drawing: &mut Drawing, count: usize, x: impl Fn(usize) -> f64) {
    const WANTED: usize = 12;
    let every = count.div_ceil(WANTED).max(1);
    for index in (0..count).step_by(every) {
        let label = words_at(Anchor::Middle, x(index), HEIGHT - BOTTOM + 16.0, index + 1);
        drawing.add(label.class("small"));
    }
    let label = words_at(
        Anchor::Middle,
        f64::midpoint(LEFT, WIDTH),
        HEIGHT - 6.0,
        "eigenvalue",
    );
    drawing.add(label.class("small"));
}

fn draw_cut(drawing: &mut Drawing, kept: usize, x: f64) {
    drawing.add(line((x, TOP - 8.0), (x, HEIGHT - BOTTOM)).class("cut"));
    let label = format!("rank {kept}");
    let label = if x > WIDTH / 2.0 {
        words_at(Anchor::End, x - 4.0, TOP - 4.0, label)
    } else {
        words(x + 4.0, TOP - 4.0, label)
    };
    drawing.add(label.class("small"));
}
