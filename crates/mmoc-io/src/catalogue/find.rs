//! Finding a known data set: in the folder of the user, else in the cache.

use std::path::{Path, PathBuf};

use super::{CatalogueError, KnownDataset, KnownFile, Places, sha256_of_file};
use crate::{LabelSource, Loaded, ReadOptions, read_files};

/// A complete copy of a known data set.
#[derive(Debug)]
pub struct FoundDataset {
    /// The data set.
    pub dataset: &'static str,
    /// Its rows, in files to be read one after the other.
    pub files: Vec<PathBuf>,
    /// The list of its labels.
    pub labels_xml: PathBuf,
    /// Where it was found.
    pub place: FoundIn,
    /// The name and the SHA-256 of each file, rows first.
    pub sha256: Vec<(String, String)>,
    /// The files that do not have the known contents.
    pub differing: Vec<KnownFile>,
}

/// Where a copy was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundIn {
    /// The folder of the user.
    DataFolder,
    /// The cache.
    Cache,
}

impl FoundDataset {
    /// Reads the copy.
    pub fn read(&self) -> crate::Result<Loaded> {
        let options = ReadOptions {
            labels: LabelSource::Xml(self.labels_xml.clone()),
            ..ReadOptions::default()
        };
        read_files(&self.files, &options)
    }

    /// Name, known SHA-256 and SHA-256 of the files that do not have the known contents.
    pub fn differences(&self) -> impl Iterator<Item = (&'static str, &'static str, &str)> {
        let sum = |name: &str| {
            let found = self.sha256.iter().find(|(own, _)| own == name);
            found.map_or("", |(_, sum)| sum)
        };
        self.differing
            .iter()
            .map(move |file| (file.name, file.sha256, sum(file.name)))
    }
}

impl Places {
    /// Looks for a data set in the folder of the user, then in the cache.
    ///
    /// Files of the user are used as they are, see [`FoundDataset::differing`]. Files of the cache must have the known
    /// contents. If some files are there and others are missing, that is an error; if all are missing, the result is
    /// `None`.
    pub fn find(&self, entry: &KnownDataset) -> Result<Option<FoundDataset>, CatalogueError> {
        if let Some(folder) = &self.data
            && let Some(found) = in_data_folder(folder, entry)?
        {
            return Ok(Some(found));
        }
        match &self.cache {
            Some(cache) => in_cache(cache, entry),
            None => Ok(None),
        }
    }
}

/// The files may be in a folder with the name of the data set, or those of all data sets together.
fn in_data_folder(
    folder: &Path,
    entry: &KnownDataset,
) -> Result<Option<FoundDataset>, CatalogueError> {
    let layouts = [folder.join(entry.name), folder.to_owned()];
    let files = entry.files().count();
    let complete = layouts
        .iter()
        .find(|layout| missing(layout, entry).is_empty());
    if let Some(layout) = complete {
        return found(layout, entry, FoundIn::DataFolder).map(Some);
    }
    match layouts
        .iter()
        .find(|layout| missing(layout, entry).len() < files)
    {
        Some(layout) => Err(incomplete(layout, entry, FoundIn::DataFolder)),
        None => Ok(None),
    }
}

fn in_cache(cache: &Path, entry: &KnownDataset) -> Result<Option<FoundDataset>, CatalogueError> {
    let folder = cache.join(entry.name);
    match missing(&folder, entry).len() {
        0 => {}
        all if all == entry.files().count() => return Ok(None),
        _ => return Err(incomplete(&folder, entry, FoundIn::Cache)),
    }
    let found = found(&folder, entry, FoundIn::Cache)?;
    if let Some((name, expected, sum)) = found.differences().next() {
        return Err(CatalogueError::Damaged {
            path: folder.join(name),
            dataset: entry.name,
            expected,
            found: sum.to_owned(),
        });
    }
    Ok(Some(found))
}

fn missing(folder: &Path, entry: &KnownDataset) -> Vec<&'static str> {
    let absent = |file: &&KnownFile| !folder.join(file.name).is_file();
    entry.files().filter(absent).map(|file| file.name).collect()
}

fn incomplete(folder: &Path, entry: &KnownDataset, place: FoundIn) -> CatalogueError {
    CatalogueError::Incomplete {
        folder: folder.to_owned(),
        dataset: entry.name,
        missing: missing(folder, entry),
        place,
    }
}

fn found(
    folder: &Path,
    entry: &KnownDataset,
    place: FoundIn,
) -> Result<FoundDataset, CatalogueError> {
    let mut sha256 = Vec::new();
    let mut differing = Vec::new();
    for file in entry.files() {
        let path = folder.join(file.name);
        let sum = sha256_of_file(&path).map_err(|source| CatalogueError::io(&path, source))?;
        if sum != file.sha256 {
            differing.push(*file);
        }
        sha256.push((file.name.to_owned(), sum));
    }
    let rows = entry.arff.iter();
    Ok(FoundDataset {
        dataset: entry.name,
        files: rows.map(|file| folder.join(file.name)).collect(),
        labels_xml: folder.join(entry.xml.name),
        place,
        sha256,
        differing,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::catalogue::digest;
    use crate::catalogue::invented::{Invented, invented};

    /// A data folder and a cache, both empty.
    struct World {
        set: Invented,
        home: TempDir,
        places: Places,
    }

    impl World {
        fn new() -> Self {
            let home = tempfile::tempdir().unwrap();
            let places = Places {
                data: Some(home.path().join("data")),
                cache: Some(home.path().join("cache")),
            };
            let set = invented();
            Self { set, home, places }
        }

        /// Puts both files into a folder.
        fn put(&self, folder: &str) {
            self.put_file(&format!("{folder}/birds.arff"), &self.set.rows);
            self.put_file(&format!("{folder}/birds.xml"), &self.set.xml);
        }

        fn put_file(&self, path: &str, contents: &[u8]) {
            let path = self.home.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents).unwrap();
        }

        fn find(&self) -> Result<Option<FoundDataset>, CatalogueError> {
            self.places.find(&self.set.entry)
        }

        /// What is found must lie in this folder.
        fn assert_found_in(&self, folder: &str, place: FoundIn) -> FoundDataset {
            let found = self.find().unwrap().expect("it is found");
            let folder = self.home.path().join(folder);
            assert_eq!(found.files, [folder.join("birds.arff")]);
            assert_eq!(found.labels_xml, folder.join("birds.xml"));
            assert_eq!(found.place, place);
            found
        }

        /// The message of the failure, which must hold all these words.
        fn assert_fails_with(&self, words: &[&str]) {
            let message = self.find().unwrap_err().to_string();
            for word in words {
                assert!(message.contains(word), "{message}");
            }
        }
    }

    #[test]
    fn places_come_in_their_order() {
        let world = World::new();
        assert!(world.find().unwrap().is_none());
        world.put("cache/birds");
        world.assert_found_in("cache/birds", FoundIn::Cache);
        world.put("data");
        world.assert_found_in("data", FoundIn::DataFolder);
        world.put("data/birds");
        world.assert_found_in("data/birds", FoundIn::DataFolder);
    }

    #[test]
    fn without_places_nothing_is_found() {
        let mut world = World::new();
        world.put("data");
        world.put("cache/birds");
        world.places.data = None;
        world.places.cache = None;
        assert!(world.find().unwrap().is_none());
    }

    #[test]
    fn digests_are_told_in_the_order_of_the_files() {
        let world = World::new();
        world.put("data");
        let found = world.assert_found_in("data", FoundIn::DataFolder);
        let known = |file: &KnownFile| (file.name.to_owned(), file.sha256.to_owned());
        let expected: Vec<_> = world.set.entry.files().map(known).collect();
        assert_eq!(found.sha256, expected);
        assert!(found.differing.is_empty());
    }

    #[test]
    fn other_contents_are_used_from_the_users_folder() {
        let world = World::new();
        world.put("data");
        world.put_file("data/birds.arff", b"other");
        let found = world.assert_found_in("data", FoundIn::DataFolder);
        let digest = digest::of(&b"other"[..]).unwrap();
        let known = world.set.entry.arff[0].sha256;
        let differences: Vec<_> = found.differences().collect();
        assert_eq!(differences, [("birds.arff", known, digest.as_str())]);
    }

    #[test]
    fn other_contents_in_the_cache_are_refused() {
        let world = World::new();
        world.put("cache/birds");
        let mut damaged = world.set.rows.clone();
        damaged[99_999] ^= 1;
        world.put_file("cache/birds/birds.arff", &damaged);
        world.assert_fails_with(&["birds.arff", "damaged", "cache"]);
    }

    #[test]
    fn a_part_of_the_files_is_an_error_that_names_the_others() {
        let world = World::new();
        world.put_file("cache/birds/birds.arff", &world.set.rows);
        world.assert_fails_with(&["missing birds.xml", "cache"]);
        world.put_file("data/birds.xml", &world.set.xml);
        world.assert_fails_with(&["data", "missing birds.arff"]);
        world.put_file("data/birds.arff", &world.set.rows);
        world.assert_found_in("data", FoundIn::DataFolder);
    }

    #[test]
    fn a_download_under_way_is_not_a_copy() {
        let world = World::new();
        world.put_file("cache/birds/birds.arff.part", &world.set.rows);
        world.put_file("cache/birds/.lock", b"");
        assert!(world.find().unwrap().is_none());
    }
}
