//! Which attributes of an ARFF file are labels.

use std::path::{Path, PathBuf};

use super::header::Header;
use crate::TextPlace;
use crate::error::Expected;
use crate::format::{stem, strip_part};
use crate::label_source::{Columns, LabelSource};
use crate::read::Warning;
use crate::source::Source;
use crate::{Error, Remedy, Result};
use mmoc::text::excerpt;

/// For each attribute, whether it is a label.
///
/// What the caller asks for comes first, then a label file beside the file, then the option in the
/// relation's name. A label file beside the file that contradicts that option wins, with a warning:
/// filters that move attributes leave the option as it was.
pub(super) fn choose(
    header: &Header,
    source: &Source<'_>,
    wanted: &LabelSource,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<bool>> {
    let meka = header.meka_labels();
    let found = match wanted {
        LabelSource::Auto => find(source, meka.as_ref()).ok_or_else(|| unknown(header, source))?,
        wanted => wanted.clone(),
    };
    let place = match wanted {
        LabelSource::Auto => header.relation_place,
        _ => header.data_place,
    };
    let chosen = found.choose(&columns(header, source, place))?;
    // Whoever names the label file knows which labels are meant.
    if let (LabelSource::Auto, LabelSource::Xml(path), Some(meka)) = (wanted, &found, meka) {
        let by_option = meka.choose(&columns(header, source, place));
        if by_option.ok().as_ref() != Some(&chosen) {
            warnings.push(Warning::StaleRelation {
                file: source.name.clone(),
                option: format!("-C {meka}"),
                label_file: path.clone(),
            });
        }
    }
    check_kinds(header, source, &chosen)?;
    Ok(chosen)
}

/// What a file says about its labels by itself.
fn find(source: &Source<'_>, meka: Option<&LabelSource>) -> Option<LabelSource> {
    let beside = source.path.as_deref().and_then(label_file_beside);
    beside.map(LabelSource::Xml).or_else(|| meka.cloned())
}

fn label_file_beside(path: &Path) -> Option<PathBuf> {
    label_files(path).into_iter().find(|file| file.is_file())
}

/// Where a label file would lie: under the file's own stem, or that of the whole data set.
fn label_files(path: &Path) -> Vec<PathBuf> {
    let stem = stem(path);
    let mut stems = vec![stem.as_str(), strip_part(&stem)];
    stems.dedup();
    let beside = |stem: &str| path.with_file_name(format!("{stem}.xml"));
    stems.into_iter().map(beside).collect()
}

fn unknown(header: &Header, source: &Source<'_>) -> Error {
    let files = source.path.as_deref().map(label_files).unwrap_or_default();
    let files = files.iter();
    let mut places: Vec<String> = files
        .map(|file| format!("in a label file {}", file.display()))
        .collect();
    places.push("by '-C N' after a colon in the relation's name".to_owned());
    let expected = format!("labels that are named {}", places.join(" or "));
    let found = excerpt(&header.relation);
    header.relation_place.error(
        &source.name,
        Expected::or(expected, Remedy::ChooseLabels),
        found,
    )
}

fn columns<'a>(header: &'a Header, source: &'a Source<'_>, place: TextPlace) -> Columns<'a> {
    let names = header.attributes.iter().map(|one| one.attribute.name());
    Columns {
        file: &source.name,
        place: Some(place),
        names: names.collect(),
    }
}

fn check_kinds(header: &Header, source: &Source<'_>, chosen: &[bool]) -> Result<()> {
    let labels = header
        .attributes
        .iter()
        .zip(chosen)
        .filter(|(_, label)| **label);
    for (declared, _) in labels {
        if !declared.attribute.can_be_label() {
            let expected = "a label to be numeric or one of {0,1}";
            let found = declared.attribute.to_string();
            return Err(declared.place.error(&source.name, expected, found));
        }
    }
    Ok(())
}
