//! Names of files that every file system takes, whatever a data set is called; long names made short.

use std::collections::BTreeSet;

/// Characters of a data set's name in the name of a file.
const LONGEST: usize = 40;

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

/// A name of at most `longest` characters, the last an ellipsis if some are missing.
pub(super) fn shortened(name: &str, longest: usize) -> String {
    if name.chars().count() <= longest {
        return name.into();
    }
    let kept: String = name.chars().take(longest.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
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
    fn long_names_end_in_an_ellipsis() {
        assert_eq!(shortened("größe", 5), "größe");
        assert_eq!(shortened("größer", 5), "größ…");
        assert_eq!(shortened("a bcdef", 3), "a…");
    }
}
