//! How accurate the most confident predictions are, by how many of them there are.

use mmoc::metrics::Bin;

use super::plot::{ACROSS, draw_legend, draw_scales, upwards};
use super::rows::WIDTH;
use super::{heading, of_runs, score, title};
use crate::report::scale::Scale;
use crate::report::svg::{Drawing, Figure, circle, hint, path, words};
use crate::summary::{DatasetSummary, MethodSummary};

const HEIGHT: f64 = 320.0;
const LEGEND: [(&str, &str); 2] = [
    ("ours-line strong", "right"),
    ("other-line dashed", "promised"),
];
const CAPTION: &str = "Subset accuracy if only the most confident predictions are given and the other rows are left to \
    somebody else. Dashed: their mean confidence.";

/// None where predictions have no confidence.
pub(in crate::report) fn answered(
    dataset: &DatasetSummary,
    method: &MethodSummary,
    file: String,
) -> Option<Figure> {
    let pooled = &method.confidence.as_ref()?.pooled;
    let runs = method.records.iter();
    let runs = runs.filter_map(|record| record.results.confidence.as_ref());
    let runs: Vec<&[f64]> = runs.map(|run| run.answered.as_slice()).collect();
    let (right, promised) = (&pooled.answered, promised(&pooled.bins));
    let values = right.iter().chain(&promised);
    let values = values.chain(runs.iter().copied().flatten());
    let scale = Scale::around(values.copied(), upwards(HEIGHT));
    let shares = Scale::linear((0.0, 100.0), ACROSS);
    let points = |values: &[f64]| -> Vec<(f64, f64)> {
        let values = values.iter().enumerate();
        values
            .map(|(index, value)| {
                let x = shares.place(percent(index, right.len()));
                (x, scale.place(*value))
            })
            .collect()
    };
    let mut drawing = Drawing::new(WIDTH, HEIGHT);
    drawing.add(words(0.0, 14.0, heading(dataset, "Accuracy of rows answered")).class("heading"));
    draw_legend(&mut drawing, LEGEND);
    draw_scales(
        &mut drawing,
        (&shares, &scale),
        "most confident rows answered, %",
    );
    if runs.len() > 1 {
        for run in &runs {
            drawing.add(path(&points(run)).class("ours-line faint"));
        }
    }
    drawing.add(path(&points(&promised)).class(LEGEND[1].0));
    drawing.add(path(&points(right)).class(LEGEND[0].0));
    for (index, (x, y)) in points(right).into_iter().enumerate() {
        let dot = circle(x, y, 3.5).class("ours");
        let share = percent(index, right.len());
        let said = format!("{share:.0} %: {}", score(right[index]));
        drawing.add(hint(dot, said));
    }
    Some(Figure {
        file,
        title: title(dataset, "Subset accuracy by share of rows answered"),
        finding: finding(right),
        caption: [CAPTION, of_runs(runs.len())].concat(),
        drawing,
    })
}

/// The mean confidence of the rows that are answered, in the order of the curve.
fn promised(bins: &[Bin]) -> Vec<f64> {
    let least = (0..bins.len()).rev();
    least
        .map(|least| Bin::together(&bins[least..]).confidence)
        .collect()
}

/// The rows answered at a point of the curve.
fn percent(index: usize, points: usize) -> f64 {
    100.0 * (index + 1) as f64 / points as f64
}

fn finding(right: &[f64]) -> String {
    let said = right.iter().enumerate().map(|(index, value)| {
        let share = percent(index, right.len());
        format!("{} of {share:.0} %", score(*value))
    });
    let said: Vec<String> = said.collect();
    format!(
        "Subset accuracy of the most confident rows: {}.",
        said.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_promised_is_the_mean_of_the_rows_answered() {
        let bin = |rows, confidence| Bin {
            rows,
            confidence,
            right: 0.0,
        };
        assert_eq!(promised(&[bin(1, 0.25), bin(3, 0.75)]), [0.75, 0.625]);
        assert_eq!(
            [0, 4, 9].map(|index| percent(index, 10)),
            [10.0, 50.0, 100.0]
        );
    }
}
