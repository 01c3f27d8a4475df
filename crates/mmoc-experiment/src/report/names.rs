//! Names of files that every file system takes, whatever a data set is called; long names made short.

use std::collections::BTreeSet;

use super::markup::visible;

/// Characters of a data set's name in the name of a file.
const LONGEST: usize = 40;

/// Characters at the end of a name that stay when it is shortened.
const KEPT_END: usize = 3;

/// Names of files, no two alike.
#[derive(Debug, Default)]
pub(super) struct FileNames {
    taken: BTreeSet<String>,
}

impl FileNames {
    /// A new name from those of a data set and a figure, without its ending.
    pub(super) fn make(&mut self, dataset: &str, figure: &str) -> String {
        let plain = format!("{}-{figure}", plain(dataset));
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let free = std::iter::once(plain.clone())
            .chain(numbered)
            .find(|name| !self.taken.contains(name))
            .expect("some number is free");
        self.taken.insert(free.clone());
        free
    }
}

/// Small letters and digits, and hyphens between them. File systems that do not tell capitals from small
/// letters must not see two names as one.
fn plain(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut plain = words.join("-").to_ascii_lowercase();
    plain.truncate(LONGEST);
    if plain.is_empty() {
        "data".into()
    } else {
        plain
    }
}

/// A name that takes at most `width` pixels in letters of a size, with an ellipsis for what is missing before its
/// end, since names often differ there. What cannot be seen is written as an escape.
pub(super) fn shortened(name: &str, width: f64, size: f64) -> String {
    let name = visible(name);
    if text_width(&name, size) <= width {
        return name;
    }
    let name = name.trim_end();
    let end = name.char_indices().rev().nth(KEPT_END - 1);
    let (_, end) = name.split_at(end.map_or(0, |(index, _)| index));
    let with_end = format!("…{}", end.trim_start());
    let rest = if 3.0 * text_width(&with_end, size) <= 2.0 * width {
        &with_end
    } else {
        "…"
    };
    let room = width - text_width(rest, size);
    let mut used = 0.0;
    let fitting = name.chars().take_while(|&c| {
        used += size * character_width(c);
        used <= room
    });
    let kept: String = fitting.collect();
    format!("{}{rest}", kept.trim_end())
}

/// About the width of a text, rather too much than too little: nobody knows which fonts a reader has.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    size * text.chars().map(character_width).sum::<f64>()
}

/// The width of a character relative to its height, in the widest of the usual fonts.
fn character_width(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.34,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 1.02,
        '+' | '<' | '>' | '=' | '&' | '#' | '~' => 0.86,
        'A'..='Z' => 0.71,
        c if c.is_ascii() => 0.64,
        c if c < '\u{2e80}' => 0.75,
        _ => 1.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_on_every_file_system() {
        let long = "x".repeat(300);
        let names = [
            "../../x",
            "CON",
            "",
            "a b/c\\d:e",
            "Größe",
            "\u{202e}\0",
            &long,
        ];
        let mut files = FileNames::default();
        let made = names.map(|name| files.make(name, "means"));
        assert_eq!(
            made[..4],
            ["x-means", "con-means", "data-means", "a-b-c-d-e-means"]
        );
        for name in &made {
            let safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(name.chars().all(safe) && name.len() < 60, "{name}");
        }
    }

    #[test]
    fn no_two_names_are_alike() {
        let mut files = FileNames::default();
        let asked = [
            ("A", "f"),
            ("a", "f"),
            ("a", "f-2"),
            ("a!", "f"),
            ("a-f", "2"),
        ];
        let made: BTreeSet<String> = asked.iter().map(|(d, f)| files.make(d, f)).collect();
        assert_eq!(made.len(), asked.len());
    }

    #[test]
    fn long_names_keep_their_beginning_and_their_end() {
        assert_eq!(shortened("größe", 60.0, 12.0), "größe");
        assert_eq!(shortened("label number 45", 80.0, 12.0), "label nu…45");
        assert_eq!(shortened("Class-24-596_54 ", 80.0, 12.0), "Class-…_54");
        assert_eq!(shortened("abcdef", 20.0, 12.0), "a…");
        assert_eq!(shortened("a", 0.0, 12.0), "…");
    }

    #[test]
    fn names_of_methods_are_whole() {
        for method in mmoc::method::Method::all() {
            assert_eq!(shortened(method.title(), 84.0, 12.0), method.title());
        }
    }

    #[test]
    fn shortened_names_fit_whatever_they_are_made_of() {
        for name in [
            "WWWWWWWWWWWWW",
            "iiiiiiiiiiiiiiiiiiiiiiii",
            "漢字漢字漢字漢字",
            "\u{202e}\u{202e}\u{202e}",
        ] {
            let short = shortened(name, 70.0, 11.0);
            assert!(
                text_width(&short, 11.0) <= 70.0 && short.contains('…'),
                "{short}"
            );
        }
    }
}
