//! Formatting of external text in messages.

/// Quoted text with control characters escaped, truncated if long.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    format!("'{}'", safe(text, LONGEST))
}

/// Text with control characters escaped, truncated to `longest` characters.
pub fn safe(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == longest {
            shown.push('…');
            break;
        }
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The first few names, and the number of the others.
pub fn first_names(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| excerpt(name)).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_truncated_and_control_characters_are_escaped() {
        assert_eq!(excerpt("a\tb\u{1b}"), "'a\\tb\\u{1b}'");
        assert_eq!(excerpt(&"x".repeat(41)), format!("'{}…'", "x".repeat(40)));
    }
}
