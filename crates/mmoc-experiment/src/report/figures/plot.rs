//! The frame of figures with two axes: numbers to the left and below.

use super::rows::WIDTH;
use crate::report::scale::Scale;
use crate::report::svg::{Anchor, Drawing, line, words, words_at};

const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 38.0;
/// The middle of the legend.
const LEGEND_Y: f64 = 32.0;

/// From left to right within the frame.
pub(super) const ACROSS: (f64, f64) = (LEFT, WIDTH - RIGHT);

/// From the foot of the frame to its top, in a drawing of a height.
pub(super) fn upwards(height: f64) -> (f64, f64) {
    (height - BOTTOM, TOP)
}

/// Numbers and lines of the axes, and what is measured to the right.
pub(super) fn draw_scales(drawing: &mut Drawing, (x, y): (&Scale, &Scale), what: &str) {
    for tick in y.ticks() {
        drawing.add(line((LEFT, tick.place), (WIDTH - RIGHT, tick.place)).class("grid"));
        let label = words_at(Anchor::End, LEFT - 6.0, tick.place + 4.0, &tick.label);
        drawing.add(label.class("small"));
    }
    let height = drawing.height;
    for tick in x.ticks() {
        let place = (tick.place, height - BOTTOM + 16.0);
        let label = words_at(Anchor::Middle, place.0, place.1, &tick.label);
        drawing.add(label.class("small"));
    }
    let middle = f64::midpoint(LEFT, WIDTH);
    let label = words_at(Anchor::Middle, middle, height - 6.0, what);
    drawing.add(label.class("small"));
}

/// Two kinds of lines, by their classes, and what they are.
pub(super) fn draw_legend(drawing: &mut Drawing, lines: [(&'static str, &str); 2]) {
    for ((class, what), x) in lines.into_iter().zip([0.0, WIDTH / 2.0]) {
        drawing.add(line((x, LEGEND_Y), (x + 24.0, LEGEND_Y)).class(class));
        drawing.add(words(x + 30.0, LEGEND_Y + 4.0, what).class("small"));
    }
}
