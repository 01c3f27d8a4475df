//! Every run of every method, with the box of its quartiles.

use mmoc::metrics::Metric;

use super::rows::Rows;
use super::{heading, score, title};
use crate::report::scale::Scale;
use crate::report::svg::{Drawing, Figure, circle, hint, line, rectangle, words};
use crate::summary::DatasetSummary;

const ROW: f64 = 24.0;
/// Half the height of a box, and of the band in which points are spread.
const HALF: f64 = 7.0;

/// None where no method has two runs: a single run has no distribution.
pub(in crate::report) fn distributions(
    dataset: &DatasetSummary,
    metric: Metric,
    file: String,
) -> Option<Figure> {
    let methods = dataset.methods.iter();
    let values = methods.map(|method| method.metric(metric).map_or(&[][..], |own| &own.values));
    let values: Vec<&[f64]> = values.collect();
    values.iter().find(|values| values.len() > 1)?;
    let all = values.iter().flat_map(|values| values.iter().copied());
    let scale = Scale::around(all, Rows::range());
    let mut rows = Rows::with_legend(&heading(dataset, metric.title()), values.len(), ROW);
    rows.draw_scale(&scale);
    let from = Rows::range().0;
    rows.drawing.add(
        words(
            from,
            Rows::LEGEND_Y + 4.0,
            "each run, quartiles; median to the right",
        )
        .class("small"),
    );
    let best = dataset.best(metric);
    for (index, (method, values)) in dataset.methods.iter().zip(&values).enumerate() {
        let is_best = best.contains(&index);
        rows.draw_name(index, method.title(), is_best);
        let y = rows.middle(index);
        if let Some(quartiles) = quartiles(values) {
            draw_box(&mut rows.drawing, &scale, y, quartiles);
            rows.draw_value(index, &score(quartiles[1]), is_best);
        }
        draw_runs(&mut rows.drawing, &scale, y, values);
    }
    Some(Figure {
        file,
        title: title(dataset, &format!("{}: runs", metric.title())),
        finding: finding(dataset, &values),
        caption:
            "Each point is a run. Boxes hold the middle half of the runs, thick lines mark medians."
                .into(),
        drawing: rows.drawing,
    })
}

fn draw_box(drawing: &mut Drawing, scale: &Scale, y: f64, quartiles: [f64; 3]) {
    let [low, median, high] = quartiles.map(|value| scale.place(value));
    drawing.add(rectangle(low, y - HALF, high - low, 2.0 * HALF).class("box"));
    drawing.add(line((median, y - HALF), (median, y + HALF)).class("median"));
}

fn draw_runs(drawing: &mut Drawing, scale: &Scale, y: f64, values: &[f64]) {
    for (run, &value) in values.iter().enumerate() {
        let dot = circle(scale.place(value), y + spread(run), 2.2).class("run");
        drawing.add(hint(dot, format!("run {}: {}", run + 1, score(value))));
    }
}

/// Places within the band that keep neighbouring runs apart: multiples of the golden ratio.
fn spread(run: usize) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    ((run as f64 + 0.5) * GOLDEN).fract().mul_add(2.0, -1.0) * (HALF - 2.0)
}

/// Lower quartile, median and upper quartile, on lines between neighbouring values.
fn quartiles(values: &[f64]) -> Option<[f64; 3]> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some([1, 2, 3].map(|quarter| {
        let (below, rest) = (quarter * last / 4, quarter * last % 4);
        let above = below + usize::from(rest > 0);
        sorted[below] + rest as f64 / 4.0 * (sorted[above] - sorted[below])
    }))
}

fn finding(dataset: &DatasetSummary, values: &[&[f64]]) -> String {
    let methods = dataset.methods.iter().zip(values);
    let said = methods.filter_map(|(method, values)| {
        let [low, median, high] = quartiles(values)?.map(score);
        Some(format!("{} {median} ({low} to {high})", method.title()))
    });
    let said: Vec<String> = said.collect();
    format!("Medians and quartiles over runs: {}.", said.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_between_the_values() {
        assert_eq!(quartiles(&[]), None);
        assert_eq!(quartiles(&[2.0]), Some([2.0; 3]));
        assert_eq!(quartiles(&[4.0, 0.0, 2.0]), Some([1.0, 2.0, 3.0]));
        assert_eq!(quartiles(&[0.0, 1.0, 2.0, 3.0, 4.0]), Some([1.0, 2.0, 3.0]));
    }

    #[test]
    fn points_stay_within_their_row() {
        assert!((0..200).all(|run| spread(run).abs() <= HALF));
    }
}
