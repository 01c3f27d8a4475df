//! The header of an ARFF file: its relation and its attributes.

use std::collections::HashSet;

use super::tokens::Tokens;
use crate::columns::{CellKind, FileColumn, FileHeader};
use crate::label_source::{LabelSource, from_signed};
use crate::lines::{Line, Lines};
use crate::{Nominal, Result, TextPlace};

/// Everything before the rows.
pub(super) struct ArffHeader {
    /// The relation.
    pub(super) relation: Relation,
    /// The attributes, at least one; errors about all of them point to where the rows begin.
    pub(super) columns: FileHeader,
}

/// What an ARFF file calls its table.
pub(super) struct Relation {
    /// The name, which may hold options.
    pub(super) name: String,
    /// Where it stands.
    pub(super) place: TextPlace,
}

impl ArffHeader {
    /// Reads the header up to `@data`.
    pub(super) fn read(lines: &mut Lines<'_>) -> Result<Self> {
        let mut reader = HeaderReader::default();
        while let Some(line) = lines.next_line()? {
            if let Some(header) = reader.read_line(line)? {
                return Ok(header);
            }
        }
        Err(lines.error_at_end(reader.expected()))
    }
}

impl Relation {
    /// Which attributes are labels by MEKA's option `-C N` in the relation's name, if it is there:
    /// the first N, or the last if N is negative.
    ///
    /// Options follow the first colon of the name, as in `'Music: -C 6'`.
    pub(super) fn meka_labels(&self) -> Option<LabelSource> {
        let (_, options) = self.name.split_once(':')?;
        let mut words = options.split_whitespace();
        words.find(|&word| word == "-C")?;
        from_signed(words.next()?.parse().ok()?)
    }
}

#[derive(Default)]
struct HeaderReader {
    relation: Option<Relation>,
    attributes: Vec<FileColumn>,
    names: HashSet<String>,
}

impl HeaderReader {
    /// Reads one line; the header is complete with the line `@data`.
    fn read_line(&mut self, line: Line<'_>) -> Result<Option<ArffHeader>> {
        let mut tokens = Tokens::new(line);
        if tokens.peek().is_none() {
            return Ok(None);
        }
        let Some(keyword) = tokens.word()? else {
            return Err(tokens.unexpected(self.expected()));
        };
        let lower = keyword.text.to_ascii_lowercase();
        match (lower.as_str(), self.relation.is_some()) {
            ("@relation", false) => self.read_relation(&mut tokens)?,
            ("@attribute", true) => self.read_attribute(&mut tokens)?,
            ("@data", true) if !self.attributes.is_empty() => {
                expect_end(&mut tokens)?;
                return Ok(self.finish(line, line.place(keyword.start)));
            }
            _ => return Err(tokens.wrong(&keyword, self.expected())),
        }
        Ok(None)
    }

    fn expected(&self) -> &'static str {
        match (&self.relation, self.attributes.is_empty()) {
            (None, _) => "@relation",
            (Some(_), true) => "@attribute",
            (Some(_), false) => "@attribute or @data",
        }
    }

    /// A relation's name in quotes, or the rest of the line.
    fn read_relation(&mut self, tokens: &mut Tokens<'_>) -> Result<()> {
        let quoted = match tokens.peek() {
            None => return Err(tokens.unexpected("the name of the relation")),
            Some(byte) => byte == b'\'' || byte == b'"',
        };
        let place = tokens.place();
        let name = match quoted.then(|| tokens.word()).transpose()?.flatten() {
            Some(word) => word.text.into_owned(),
            None => tokens.rest().to_owned(),
        };
        expect_end(tokens)?;
        self.relation = Some(Relation { name, place });
        Ok(())
    }

    fn read_attribute(&mut self, tokens: &mut Tokens<'_>) -> Result<()> {
        tokens.peek();
        let place = tokens.place();
        let Some(word) = tokens.word()? else {
            return Err(tokens.unexpected("the name of an attribute"));
        };
        if !self.names.insert(word.text.clone().into_owned()) {
            return Err(tokens.wrong(&word, "a name that no other attribute has"));
        }
        let kind = read_kind(tokens)?;
        expect_end(tokens)?;
        let column = FileColumn::new(word.text, Some(place), kind);
        self.attributes.push(column);
        Ok(())
    }

    fn finish(&mut self, line: Line<'_>, data_place: TextPlace) -> Option<ArffHeader> {
        Some(ArffHeader {
            relation: self.relation.take()?,
            columns: FileHeader {
                file: line.file.to_owned(),
                place: Some(data_place),
                end: Some(data_place),
                columns: std::mem::take(&mut self.attributes),
                sparse: false,
            },
        })
    }
}

fn expect_end(tokens: &mut Tokens<'_>) -> Result<()> {
    match tokens.peek() {
        None => Ok(()),
        Some(_) => Err(tokens.unexpected("the end of the line")),
    }
}

/// What the cells of an attribute are: numbers, values of a list, or what cannot be used.
fn read_kind(tokens: &mut Tokens<'_>) -> Result<CellKind> {
    const EXPECTED: &str = "a type: numeric, real, integer, string, date or values in braces";
    if tokens.take(b'{') {
        return Ok(CellKind::List(Box::new(read_values(tokens)?)));
    }
    let Some(word) = tokens.word()? else {
        return Err(tokens.unexpected(EXPECTED));
    };
    match word.text.to_ascii_lowercase().as_str() {
        _ if word.quoted => (),
        "numeric" | "real" | "integer" => {
            skip_range(tokens)?;
            return Ok(CellKind::Numbers);
        }
        "string" => return Ok(CellKind::Unusable("strings")),
        "date" => {
            // The form of the dates may follow, in quotes.
            tokens.word()?;
            return Ok(CellKind::Unusable("dates"));
        }
        _ => (),
    }
    Err(tokens.wrong(&word, EXPECTED))
}

/// A range such as `[0,9]` may follow the name of a numeric type.
fn skip_range(tokens: &mut Tokens<'_>) -> Result<()> {
    let is_range = matches!(tokens.peek(), Some(b'[' | b'('));
    if is_range && !tokens.rest().ends_with([']', ')']) {
        return Err(tokens.unexpected("a range that ends in ']'"));
    }
    Ok(())
}

/// The values of a list, after its opening brace.
fn read_values(tokens: &mut Tokens<'_>) -> Result<Nominal> {
    let mut words = Vec::new();
    loop {
        let Some(word) = tokens.word()? else {
            return Err(tokens.unexpected("a value of the list"));
        };
        words.push(word);
        if tokens.take(b'}') {
            break;
        }
        if !tokens.take(b',') {
            return Err(tokens.unexpected("',' or '}' after a value of the list"));
        }
    }
    let values = words.iter().map(|word| word.text.clone().into_owned());
    Nominal::new(values.collect())
        .map_err(|position| tokens.wrong(&words[position], "a value not listed before"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn header(text: &str) -> ArffHeader {
        let source = Source::new("f", text.as_bytes()).unwrap();
        ArffHeader::read(&mut Lines::new(source)).unwrap()
    }

    #[test]
    fn keywords_have_no_case_and_comments_are_passed_over() {
        let text =
            "% c\n\n@RELATION r % c\n@Attribute\ta\tREAL%c\n@attribute 'b c' {x, 'y z'}\n@DATA\n";
        let header = header(text);
        assert_eq!(header.relation.name, "r");
        let columns = header.columns.columns.iter();
        let shown: Vec<String> = columns.map(|one| one.attribute().to_string()).collect();
        assert_eq!(shown, ["'a' numeric", "'b c' {'x', 'y z'}"]);
        let data = TextPlace { line: 6, column: 1 };
        assert_eq!(header.columns.place, Some(data));
    }

    #[test]
    fn the_option_of_meka_follows_a_colon() {
        let labels = |relation: &str| {
            let text = format!("@relation {relation}\n@attribute a real\n@data\n");
            header(&text).relation.meka_labels()
        };
        assert_eq!(labels("'Music: -C 6'"), Some(LabelSource::First(6)));
        assert_eq!(labels("Music: -split 5 -C -6"), Some(LabelSource::Last(6)));
        for none in ["Music", "'Music -C 6'", "'M: -C'", "'M: -C x'", "'M: -C 0'"] {
            assert_eq!(labels(none), None, "{none}");
        }
    }
}
