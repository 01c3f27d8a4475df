//! Which attributes of an ARFF file are labels.

use std::path::{Path, PathBuf};

use super::header::Relation;
use crate::columns::FileHeader;
use crate::error::Expected;
use crate::format::{stem, strip_part};
use crate::inference::Inference;
use crate::label_source::{ChosenLabels, LabelSource};
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
    relation: &Relation,
    columns: &mut FileHeader,
    source: &Source<'_>,
    inference: &mut Inference<'_>,
) -> Result<ChosenLabels> {
    let meka = relation.meka_labels();
    let declared = find(source, meka.as_ref());
    let wanted = &inference.options.labels;
    if *wanted != LabelSource::Auto {
        let is_label = wanted.choose(columns)?;
        let is_declared = declared.and_then(|declared| declared.choose(columns).ok());
        return Ok(ChosenLabels::among(is_label, is_declared));
    }
    let found = declared.ok_or_else(|| unknown(relation, source))?;
    let data_place = columns.place.replace(relation.place);
    let chosen = found.choose(columns)?;
    // Whoever names the label file knows which labels are meant; here nobody did.
    if let (LabelSource::Xml(path), Some(meka)) = (&found, meka) {
        let by_option = meka.choose(columns);
        if by_option.ok().as_ref() != Some(&chosen) {
            inference.warnings.push(Warning::StaleRelation {
                file: source.name.clone(),
                option: format!("-C {meka}"),
                label_file: path.clone(),
            });
        }
    }
    columns.place = data_place;
    Ok(ChosenLabels::undeclared(chosen))
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
    let mut stems = vec![stem.as_str()];
    while let Some(shorter) = strip_part(stems[stems.len() - 1]) {
        stems.push(shorter);
    }
    let beside = |stem: &str| path.with_file_name(format!("{stem}.xml"));
    stems.into_iter().map(beside).collect()
}

fn unknown(relation: &Relation, source: &Source<'_>) -> Error {
    let files = source.path.as_deref().map(label_files).unwrap_or_default();
    let files = files.iter();
    let mut places: Vec<String> = files
        .map(|file| format!("in a label file {}", file.display()))
        .collect();
    places.push("by '-C N' after a colon in the relation's name".to_owned());
    let expected = format!("labels that are named {}", places.join(" or "));
    let expected = Expected::or(expected, Remedy::ChooseLabels);
    let found = excerpt(&relation.name);
    relation.place.error(&source.name, expected, found)
}
