//! The frame of figures with a row for each method or label: names to the left, a scale below.

use crate::report::names::shortened;
use crate::report::scale::Scale;
use crate::report::svg::{Anchor, Drawing, hint, line, words, words_at};

/// The width of figures that stand beside each other on a wide screen and fill a narrow one.
pub(super) const WIDTH: f64 = 360.0;
const LEFT: f64 = 94.0;
const RIGHT: f64 = 48.0;
/// Where rows begin, under the heading, and what a legend needs above them.
const TOP: f64 = 24.0;
const LEGEND: f64 = 20.0;
const BOTTOM: f64 = 24.0;

/// A drawing with rows.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) drawing: Drawing,
    top: f64,
    row: f64,
}

impl Rows {
    /// Rows of a height, under a heading.
    pub(super) fn new(heading: &str, count: usize, row: f64) -> Self {
        Self::below(TOP, heading, count, row)
    }

    /// Rows with room for a legend above them, whose middle is at [`Self::LEGEND_Y`].
    pub(super) fn with_legend(heading: &str, count: usize, row: f64) -> Self {
        Self::below(TOP + LEGEND, heading, count, row)
    }

    /// The middle of the legend.
    pub(super) const LEGEND_Y: f64 = 30.0;

    fn below(top: f64, heading: &str, count: usize, row: f64) -> Self {
        let height = top + count as f64 * row + BOTTOM;
        let mut drawing = Drawing::new(WIDTH, height);
        drawing.add(words(0.0, 14.0, heading).class("heading"));
        Self { drawing, top, row }
    }

    /// From the names to where values are written.
    pub(super) fn range() -> (f64, f64) {
        (LEFT, WIDTH - RIGHT)
    }

    /// The middle of a row.
    pub(super) fn middle(&self, index: usize) -> f64 {
        self.top + (index as f64 + 0.5) * self.row
    }

    /// Lines and numbers of a scale.
    pub(super) fn draw_scale(&mut self, scale: &Scale) {
        let bottom = self.drawing.height - BOTTOM + 2.0;
        for tick in scale.ticks() {
            let (top, foot) = ((tick.place, self.top), (tick.place, bottom));
            self.drawing.add(line(top, foot).class("grid"));
            let label = words_at(Anchor::Middle, tick.place, bottom + 14.0, &tick.label);
            self.drawing.add(label.class("small"));
        }
    }

    /// The name of a row, shortened where it is long.
    pub(super) fn draw_name(&mut self, index: usize, name: &str, is_best: bool) {
        let y = self.middle(index) + 4.0;
        let label = words_at(
            Anchor::End,
            LEFT - 10.0,
            y,
            shortened(name, LEFT - 10.0, 12.0),
        );
        let label = if is_best { label.class("best") } else { label };
        self.drawing.add(hint(label, name));
    }

    /// A value at the right end of a row.
    pub(super) fn draw_value(&mut self, index: usize, value: &str, is_best: bool) {
        let y = self.middle(index) + 4.0;
        let class = if is_best { "value best" } else { "value" };
        let label = words_at(Anchor::End, WIDTH, y, value);
        self.drawing.add(label.class(class));
    }
}
