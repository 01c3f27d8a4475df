//! How often predictions are right, by the probability that they are.

use mmoc::metrics::Bin;

use super::plot::{ACROSS, draw_scales, upwards};
use super::rows::WIDTH;
use super::{heading, of_runs, score, title};
use crate::report::scale::Scale;
use crate::report::svg::{Drawing, Figure, circle, hint, line, path, words};
use crate::summary::{DatasetSummary, MethodSummary};
use crate::text::counted;

const HEIGHT: f64 = 320.0;
/// The radius of the point of most predictions, and the least of any.
const LARGEST: f64 = 5.5;
const SMALLEST: f64 = 2.4;
/// The radius of the points of single runs.
const OF_RUN: f64 = 1.5;

/// Bins of a kind of prediction.
struct Bins<'a> {
    /// Those of all runs together.
    pooled: &'a [Bin],
    /// Those of each run.
    runs: Vec<&'a [Bin]>,
}

/// The words of a figure.
struct Words {
    title: &'static str,
    heading: &'static str,
    /// What is measured to the right.
    axis: &'static str,
    caption: &'static str,
}

const OF_SETS: Words = Words {
    title: "Reliability of predicted label sets",
    heading: "Label sets that are right",
    axis: "probability that the label set is right",
    caption: "Share of predicted label sets that are right, in ten bins of equally many test rows. On the dashed line it \
              is as large as promised, below it the method is too confident.",
};

const OF_LABELS: Words = Words {
    title: "Reliability of label probabilities",
    heading: "Labels that occur",
    axis: "probability of the label",
    caption: "Share of the rows that have a label, in bins of its probability; larger points hold more predictions. \
              On the dashed line it is as large as promised.",
};

/// Whole label sets; none where predictions have no confidence.
pub(in crate::report) fn set_reliability(
    dataset: &DatasetSummary,
    method: &MethodSummary,
    file: String,
) -> Option<Figure> {
    let pooled = &method.confidence.as_ref()?.pooled;
    let runs = method.records.iter();
    let runs = runs.filter_map(|record| record.results.confidence.as_ref());
    let bins = Bins {
        pooled: &pooled.bins,
        runs: runs.map(|run| run.bins.as_slice()).collect(),
    };
    let error = pooled.calibration_error;
    Some(figure(dataset, &OF_SETS, &bins, error, file))
}

/// Single labels; none where they have no probabilities.
pub(in crate::report) fn label_reliability(
    dataset: &DatasetSummary,
    method: &MethodSummary,
    file: String,
) -> Option<Figure> {
    let pooled = method.confidence.as_ref()?.pooled.labels.as_ref()?;
    let runs = method.records.iter();
    let runs = runs.filter_map(|record| record.results.confidence.as_ref()?.labels.as_ref());
    let bins = Bins {
        pooled: &pooled.bins,
        runs: runs.map(|run| run.bins.as_slice()).collect(),
    };
    let error = pooled.calibration_error;
    Some(figure(dataset, &OF_LABELS, &bins, error, file))
}

fn figure(
    dataset: &DatasetSummary,
    said: &Words,
    bins: &Bins<'_>,
    error: f64,
    file: String,
) -> Figure {
    let scales = (
        Scale::linear((0.0, 1.0), ACROSS),
        Scale::linear((0.0, 1.0), upwards(HEIGHT)),
    );
    let mut drawing = Drawing::new(WIDTH, HEIGHT);
    drawing.add(words(0.0, 14.0, heading(dataset, said.heading)).class("heading"));
    let label = format!("calibration error {}", score(error));
    drawing.add(words(0.0, 36.0, label).class("small"));
    draw_scales(&mut drawing, (&scales.0, &scales.1), said.axis);
    let place = |bin: &Bin| (scales.0.place(bin.confidence), scales.1.place(bin.right));
    let [low, high] = [0.0, 1.0].map(|end| (scales.0.place(end), scales.1.place(end)));
    drawing.add(line(low, high).class("cut"));
    if bins.runs.len() > 1 {
        for bin in bins.runs.iter().flat_map(|run| filled(run)) {
            let (x, y) = place(bin);
            drawing.add(circle(x, y, OF_RUN).class("ours faint"));
        }
    }
    draw_pooled(&mut drawing, bins.pooled, place);
    Figure {
        file,
        title: title(dataset, said.title),
        finding: finding(bins.pooled, error),
        caption: [said.caption, of_runs(bins.runs.len())].concat(),
        drawing,
    }
}

/// The bins that have predictions.
fn filled(bins: &[Bin]) -> impl Iterator<Item = &Bin> {
    bins.iter().filter(|bin| bin.rows > 0)
}

/// Points whose areas are as the numbers of their predictions, and a line through them.
fn draw_pooled(drawing: &mut Drawing, bins: &[Bin], place: impl Fn(&Bin) -> (f64, f64)) {
    let points: Vec<(f64, f64)> = filled(bins).map(&place).collect();
    drawing.add(path(&points).class("ours-line"));
    let most = bins.iter().map(|bin| bin.rows).max().unwrap_or(1).max(1);
    for bin in filled(bins) {
        let (x, y) = place(bin);
        let radius = LARGEST * (bin.rows as f64 / most as f64).sqrt();
        let dot = circle(x, y, radius.max(SMALLEST)).class("ours");
        let predictions = counted(bin.rows, "prediction");
        drawing.add(hint(dot, format!("{predictions}: {}", described(bin))));
    }
}

fn described(bin: &Bin) -> String {
    format!(
        "promised {}, found {}",
        score(bin.confidence),
        score(bin.right)
    )
}

fn finding(bins: &[Bin], error: f64) -> String {
    let all = Bin::together(bins);
    let each: Vec<String> = filled(bins).map(described).collect();
    format!(
        "Over {}: {}. The calibration error is {}. Bin by bin: {}.",
        counted(all.rows, "prediction"),
        described(&all),
        score(error),
        each.join("; ")
    )
}
