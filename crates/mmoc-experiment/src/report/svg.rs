//! Shapes of a figure, and the figure itself as part of a page or as a file.

use std::fmt::{Display, Write};

use super::markup::{Element, element, text};

/// The only address in a report, by which SVG is known.
const NAMESPACE: &str = "http://www.w3.org/2000/svg";
const STYLE: &str = include_str!("figure.css");

/// A picture with its finding in words.
#[derive(Debug)]
pub(super) struct Figure {
    /// The name of its file, without ending.
    pub(super) file: String,
    pub(super) title: String,
    /// What is to be seen, for those who cannot see it.
    pub(super) finding: String,
    /// How to read it.
    pub(super) caption: String,
    pub(super) drawing: Drawing,
}

/// Shapes on a surface.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    shapes: Vec<Element>,
}

impl Drawing {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self {
            width,
            height,
            shapes: Vec::new(),
        }
    }

    /// Adds a shape on top of the others.
    pub(super) fn add(&mut self, shape: Element) {
        self.shapes.push(shape);
    }
}

impl Figure {
    /// The drawing within a page.
    pub(super) fn inline(&self) -> Element {
        let label = [&self.file, "-title ", &self.file, "-desc"].concat();
        self.svg()
            .with("aria-labelledby", label)
            .child(text("title", &self.title).with("id", self.id("title")))
            .child(text("desc", &self.finding).with("id", self.id("desc")))
            .children(self.drawing.shapes.iter().cloned())
    }

    /// The drawing as a file, on a light ground.
    pub(super) fn standalone(&self) -> String {
        let ground = rectangle(0.0, 0.0, self.drawing.width, self.drawing.height).class("ground");
        let svg = self
            .svg()
            .with("xmlns", NAMESPACE)
            .child(text("title", &self.title))
            .child(text("desc", &self.finding))
            .child(element("style").verbatim(STYLE))
            .child(ground)
            .children(self.drawing.shapes.iter().cloned());
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{svg}\n")
    }

    fn id(&self, part: &str) -> String {
        format!("{}-{part}", self.file)
    }

    fn svg(&self) -> Element {
        let (width, height) = (number(self.drawing.width), number(self.drawing.height));
        element("svg")
            .with("viewBox", format_args!("0 0 {width} {height}"))
            .with("width", width)
            .with("height", height)
            .with("role", "img")
    }
}

/// A coordinate or a length, to a hundredth.
pub(super) fn number(value: f64) -> String {
    // Adding zero makes −0 a 0.
    let rounded = (value * 100.0).round() / 100.0 + 0.0;
    rounded.to_string()
}

pub(super) fn rectangle(x: f64, y: f64, width: f64, height: f64) -> Element {
    element("rect")
        .with("x", number(x))
        .with("y", number(y))
        .with("width", number(width.max(0.0)))
        .with("height", number(height.max(0.0)))
}

pub(super) fn line(from: (f64, f64), to: (f64, f64)) -> Element {
    element("line")
        .with("x1", number(from.0))
        .with("y1", number(from.1))
        .with("x2", number(to.0))
        .with("y2", number(to.1))
}

pub(super) fn circle(x: f64, y: f64, radius: f64) -> Element {
    element("circle")
        .with("cx", number(x))
        .with("cy", number(y))
        .with("r", number(radius))
}

/// A square on its corner.
pub(super) fn diamond(x: f64, y: f64, radius: f64) -> Element {
    let corners = [
        (x - radius, y),
        (x, y - radius),
        (x + radius, y),
        (x, y + radius),
    ];
    element("polygon").with("points", points(&corners))
}

/// A line through points.
pub(super) fn path(through: &[(f64, f64)]) -> Element {
    element("polyline").with("points", points(through))
}

fn points(points: &[(f64, f64)]) -> String {
    let mut written = String::new();
    for (x, y) in points {
        let separator = if written.is_empty() { "" } else { " " };
        write!(written, "{separator}{},{}", number(*x), number(*y))
            .expect("a string takes any text");
    }
    written
}

/// A text that begins at a place.
pub(super) fn words(x: f64, y: f64, words: impl Display) -> Element {
    text("text", words)
        .with("x", number(x))
        .with("y", number(y))
}

/// What a text does at its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Anchor {
    Middle,
    End,
}

/// A text with its middle or its end at a place.
pub(super) fn words_at(anchor: Anchor, x: f64, y: f64, text: impl Display) -> Element {
    let anchor = match anchor {
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    words(x, y, text).with("text-anchor", anchor)
}

/// Shows a text where the pointer is over the shape.
pub(super) fn hint(shape: Element, words: impl Display) -> Element {
    shape.child(text("title", words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [1.0, 2.504, -0.001, 1.0 / 3.0].map(number),
            ["1", "2.5", "0", "0.33"]
        );
    }

    #[test]
    fn a_file_says_what_it_shows_and_is_well_formed() {
        let mut drawing = Drawing::new(10.0, 20.0);
        drawing.add(words(1.0, 2.0, "a < b & \u{0}"));
        let figure = Figure {
            file: "f".into(),
            title: "T".into(),
            finding: "F".into(),
            caption: String::new(),
            drawing,
        };
        let file = figure.standalone();
        let document = roxmltree::Document::parse(&file).unwrap();
        let found = |name: &str| {
            let mut nodes = document.descendants();
            let node = nodes.find(|node| node.has_tag_name((NAMESPACE, name)));
            node.and_then(|node| node.text()).map(str::to_owned)
        };
        assert_eq!(found("title").as_deref(), Some("T"));
        assert_eq!(found("desc").as_deref(), Some("F"));
        assert_eq!(found("text").as_deref(), Some("a < b & \\u{0}"));
    }
}
