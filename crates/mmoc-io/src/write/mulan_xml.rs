//! Mulan label files.

use crate::{Error, Result};
use mmoc::text::excerpt;

/// The text of a Mulan label file for labels of these names, to lie beside an ARFF file.
///
/// Fails if a label's name has a character that XML cannot hold.
pub fn mulan_xml(label_names: &[String]) -> Result<String> {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    text.push_str("<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n");
    for name in label_names {
        text.push_str("<label name=\"");
        for character in name.chars() {
            push_escaped(&mut text, character).ok_or_else(|| refused(name))?;
        }
        text.push_str("\"></label>\n");
    }
    text.push_str("</labels>\n");
    Ok(text)
}

fn push_escaped(text: &mut String, character: char) -> Option<()> {
    match character {
        '&' => text.push_str("&amp;"),
        '<' => text.push_str("&lt;"),
        '"' => text.push_str("&quot;"),
        // In an attribute these would be read as blanks.
        '\t' => text.push_str("&#9;"),
        '\n' => text.push_str("&#10;"),
        '\r' => text.push_str("&#13;"),
        '\0'..' ' | '\u{FFFE}' | '\u{FFFF}' => return None,
        other => text.push(other),
    }
    Some(())
}

fn refused(name: &str) -> Error {
    Error::request(
        "the name of a label",
        "without control characters to be written as XML",
        excerpt(name),
    )
}
