//! Elements of HTML and SVG. Text and attribute values are escaped when they are written, so that there is no
//! way to forget it; the only text that is not is known when the program is compiled.

use std::fmt::{self, Display, Write};

/// Elements of HTML that have no contents and no closing tag.
const VOID: [&str; 3] = ["br", "link", "meta"];
/// Elements between whose children a line break changes nothing.
const BLOCKS: [&str; 17] = [
    "html", "head", "body", "header", "main", "nav", "section", "div", "figure", "details", "ul",
    "dl", "table", "thead", "tbody", "tr", "svg",
];

/// An element of HTML or SVG.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Element(Element),
    Text(String),
    /// Written as it is: style sheets.
    Verbatim(&'static str),
}

/// An element without attributes and contents.
pub(super) fn element(name: &'static str) -> Element {
    Element {
        name,
        attributes: Vec::new(),
        children: Vec::new(),
    }
}

/// An element that contains a text.
pub(super) fn text(name: &'static str, text: impl Display) -> Element {
    element(name).text(text)
}

impl Element {
    /// Adds an attribute.
    pub(super) fn with(mut self, name: &'static str, value: impl Display) -> Self {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// Adds the attribute `class`.
    pub(super) fn class(self, class: &'static str) -> Self {
        self.with("class", class)
    }

    /// Adds text.
    pub(super) fn text(mut self, text: impl Display) -> Self {
        self.children.push(Node::Text(text.to_string()));
        self
    }

    /// Adds an element.
    pub(super) fn child(mut self, child: Element) -> Self {
        self.children.push(Node::Element(child));
        self
    }

    /// Adds elements.
    pub(super) fn children(mut self, children: impl IntoIterator<Item = Element>) -> Self {
        let children = children.into_iter().map(Node::Element);
        self.children.extend(children);
        self
    }

    /// Adds text that is part of the program and needs no escaping where it stands.
    pub(super) fn verbatim(mut self, text: &'static str) -> Self {
        self.children.push(Node::Verbatim(text));
        self
    }

    fn is_block(&self) -> bool {
        BLOCKS.contains(&self.name) && !self.children.is_empty()
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}", self.name)?;
        for (name, value) in &self.attributes {
            write!(f, " {name}=\"{}\"", Escaped(value))?;
        }
        f.write_char('>')?;
        if VOID.contains(&self.name) {
            return Ok(());
        }
        let separator = if self.is_block() { "\n" } else { "" };
        f.write_str(separator)?;
        for child in &self.children {
            match child {
                Node::Element(element) => write!(f, "{element}")?,
                Node::Text(text) => write!(f, "{}", Escaped(text))?,
                Node::Verbatim(text) => f.write_str(text)?,
            }
            f.write_str(separator)?;
        }
        write!(f, "</{}>", self.name)
    }
}

/// Text in which nothing is markup, nothing is forbidden in XML, and nothing changes the direction of the text
/// around it.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c if is_unprintable(c) => write!(f, "{}", c.escape_unicode())?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A text in which characters that cannot be seen are escapes, as they are written.
pub(super) fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unprintable(c) {
            visible.extend(c.escape_unicode());
        } else {
            visible.push(c);
        }
    }
    visible
}

/// Control characters, marks and overrides of direction, and what XML knows as no character at all.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        )
        || matches!(c, '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_escaped() {
        let hostile = "<script>\"'&\u{1b}\u{202e}\u{fffe}";
        let written = text("p", hostile).with("title", hostile).to_string();
        let safe = "&lt;script&gt;&quot;&#39;&amp;\\u{1b}\\u{202e}\\u{fffe}";
        assert_eq!(written, format!("<p title=\"{safe}\">{safe}</p>"));
    }

    #[test]
    fn lines_are_broken_between_elements_but_not_within_text() {
        let list = element("ul").children(["a", "b"].map(|item| text("li", item)));
        assert_eq!(list.to_string(), "<ul>\n<li>a</li>\n<li>b</li>\n</ul>");
        let mixed = text("p", "a ").child(text("b", "c")).text(" d");
        assert_eq!(mixed.to_string(), "<p>a <b>c</b> d</p>");
    }

    #[test]
    fn only_elements_that_may_have_no_contents_are_left_open() {
        assert_eq!(element("td").to_string(), "<td></td>");
        assert_eq!(element("br").to_string(), "<br>");
    }
}
