//! The file formats, and what file names say about them.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::{Error, Remedy, Result};

/// A file format for data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Attribute-relation files of Weka, Mulan and MEKA, with dense or sparse rows.
    Arff,
    /// A table with a header, its fields separated by commas.
    Csv,
    /// A table with a header, its fields separated by tabs.
    Tsv,
    /// Multi-label LIBSVM rows, `label,label index:value …`, with indices from one.
    LibSvm,
    /// Files of the extreme classification repository: a line of sizes, then rows as in LIBSVM
    /// with indices from zero.
    Extreme,
    /// Parquet files of flat tables; they are read and written where the crate is built with its feature
    /// `parquet`.
    Parquet,
    /// Arrow IPC files (Feather version 2) and streams of flat tables, with the same feature.
    Arrow,
    /// A JSON object in each line, its cells by the names of their columns.
    JsonLines,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 8] = [
        Self::Arff,
        Self::Csv,
        Self::Tsv,
        Self::LibSvm,
        Self::Extreme,
        Self::Parquet,
        Self::Arrow,
        Self::JsonLines,
    ];

    /// The format's short name, as options give it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arff => "arff",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::LibSvm => "libsvm",
            Self::Extreme => "extreme",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::JsonLines => "jsonl",
        }
    }

    /// Whether rows are lines of text, which can be read one by one as they come.
    pub fn has_lines(self) -> bool {
        !matches!(self, Self::Parquet | Self::Arrow)
    }

    /// The extensions of file names that stand for the format.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Arff => &["arff"],
            Self::Csv => &["csv"],
            Self::Tsv => &["tsv"],
            Self::LibSvm => &["svm", "libsvm"],
            Self::Extreme => &["xc", "txt"],
            Self::Parquet => &["parquet", "pq"],
            Self::Arrow => &["arrow", "feather", "ipc"],
            Self::JsonLines => &["jsonl", "ndjson"],
        }
    }

    /// The error that Parquet and Arrow were left out of this build.
    #[cfg(not(feature = "parquet"))]
    pub(super) fn left_out(self) -> Error {
        Error::request(
            "the file format",
            "one that this build has (Parquet and Arrow come with the cargo feature `parquet`)",
            self.to_string(),
        )
    }

    /// The format that a file's name stands for; `.gz` and `.bz2` at its end do not matter.
    pub fn of_path(path: impl AsRef<Path>) -> Result<Self> {
        let name = file_name(path.as_ref());
        match split_extension(strip_compression(&name)) {
            Some((_, format)) => Ok(format),
            None => Err(Error::Request {
                what: "the file format",
                expected: format!("clear from the file name ({})", known_extensions()),
                found: format!("'{name}'"),
                remedy: Some(Remedy::NameFormat),
            }),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wanted = Self::ALL.into_iter().find(|format| format.name() == text);
        wanted.ok_or_else(|| {
            Error::request(
                "the file format",
                format!("one of {}", Self::ALL.map(Self::name).join(", ")),
                format!("'{text}'"),
            )
        })
    }
}

/// What a data set from this file is called: the file's name without extensions and without
/// `-train` or `-test`.
pub(super) fn dataset_name(path: &Path) -> String {
    let stem = stem(path);
    let mut name = stem.as_str();
    while let Some(shorter) = strip_part(name) {
        name = shorter;
    }
    name.to_owned()
}

/// The file's name without the extensions of format and compression.
pub(super) fn stem(path: &Path) -> String {
    let name = file_name(path);
    let name = strip_compression(&name);
    split_extension(name)
        .map_or(name, |(stem, _)| stem)
        .to_owned()
}

/// A stem without the word at its end that marks a part or a form of a data set, if there is one.
pub(super) fn strip_part(stem: &str) -> Option<&str> {
    let mut parts = ["-train", "-test", "-sparse", "-dense"].iter();
    parts.find_map(|part| stem.strip_suffix(part).filter(|rest| !rest.is_empty()))
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn strip_compression(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((rest, last))
            if ["gz", "bz2"]
                .iter()
                .any(|known| last.eq_ignore_ascii_case(known)) =>
        {
            rest
        }
        _ => name,
    }
}

/// The name before a known extension, and the format it stands for.
fn split_extension(name: &str) -> Option<(&str, Format)> {
    let (stem, extension) = name.rsplit_once('.')?;
    let stands_for = |format: &Format| {
        let mut known = format.extensions().iter();
        known.any(|known| extension.eq_ignore_ascii_case(known))
    };
    Format::ALL
        .into_iter()
        .find(stands_for)
        .map(|format| (stem, format))
}

fn known_extensions() -> String {
    let extensions = Format::ALL.iter().flat_map(|format| format.extensions());
    let extensions: Vec<String> = extensions.map(|known| format!(".{known}")).collect();
    extensions.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_formats_are_inverse() {
        for format in Format::ALL {
            assert_eq!(format.name().parse::<Format>().unwrap(), format);
        }
    }

    #[test]
    fn the_format_follows_from_the_extension() {
        let cases = [
            ("a/scene.arff", Format::Arff),
            ("scene.ARFF.GZ", Format::Arff),
            ("table.csv.bz2", Format::Csv),
            ("table.tsv", Format::Tsv),
            ("rcv1.svm", Format::LibSvm),
            ("rcv1.libsvm", Format::LibSvm),
            ("eurlex.xc", Format::Extreme),
            ("eurlex.txt", Format::Extreme),
            ("table.parquet", Format::Parquet),
            ("table.PQ", Format::Parquet),
            ("table.arrow", Format::Arrow),
            ("table.feather.gz", Format::Arrow),
            ("rows.jsonl", Format::JsonLines),
            ("rows.NDJSON.gz", Format::JsonLines),
        ];
        for (path, format) in cases {
            assert_eq!(Format::of_path(path).unwrap(), format, "{path}");
        }
    }

    #[test]
    fn data_sets_are_called_after_their_files() {
        let cases = [
            ("a/scene-train.arff", "scene"),
            ("scene-test.arff.gz", "scene"),
            ("Corel5k-train-sparse.arff", "Corel5k"),
            ("-test.csv", "-test"),
            ("music-meka.arff", "music-meka"),
            ("my.data.csv", "my.data"),
            ("plain", "plain"),
            ("notes.md", "notes.md"),
        ];
        for (path, name) in cases {
            assert_eq!(dataset_name(Path::new(path)), name);
        }
    }
}
