//! A label set as the text of one cell.

/// What stands between the names of labels.
const SEPARATOR: &str = ";";
/// What stands before a separator that belongs to a name, and before itself.
const ESCAPE: char = '\\';
/// What stands for a name without characters, as no text stands for the set without labels.
const EMPTY_NAME: &str = "\\e";

/// The names of labels with `;` between them. A `;` or `\` of a name has a `\` before it, and an empty name is `\e`:
/// different sets have different texts.
pub(super) fn set_text<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(escaped).collect();
    names.join(SEPARATOR)
}

fn escaped(name: &str) -> String {
    if name.is_empty() {
        return EMPTY_NAME.to_owned();
    }
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        if character == ESCAPE || SEPARATOR.contains(character) {
            text.push(ESCAPE);
        }
        text.push(character);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_joined() {
        assert_eq!(set_text(["sad", "calm"]), "sad;calm");
        assert_eq!(set_text(["a;b", "c\\"]), "a\\;b;c\\\\");
        assert_eq!(set_text([""]), "\\e");
        assert_eq!(set_text([]), "");
    }

    #[test]
    fn different_sets_of_hostile_names_have_different_texts() {
        let names = ["", "a", ";", "\\", "a;", "\\e", "a;\\", "e"];
        let sets = 0..1_usize << names.len();
        let texts: BTreeSet<String> = sets
            .clone()
            .map(|set| {
                let members = (0..names.len()).filter(|&label| set >> label & 1 == 1);
                set_text(members.map(|label| names[label]))
            })
            .collect();
        assert_eq!(texts.len(), sets.len());
    }
}
