//! Finding a known data set: in the user's folder, else in the cache.

use std::path::{Path, PathBuf};

use crate::datasets::catalogue::{self, Entry, KnownFile};
use crate::datasets::places::Places;
use crate::digest;
use crate::failure::Failure;
use crate::output;

/// A copy of a known data set, complete.
#[derive(Debug)]
pub(crate) struct Found {
    /// Its rows, in files to be read one after the other.
    pub(crate) files: Vec<PathBuf>,
    /// The list of its labels.
    pub(crate) labels_xml: PathBuf,
    pub(crate) origin: Origin,
    /// The name and the SHA-256 of each file, rows first.
    pub(crate) sha256: Vec<(String, String)>,
    /// Whether all files are those of the catalogue, byte by byte.
    pub(crate) known: bool,
}

/// Where a copy was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Origin {
    /// The folder of `--data` or `MMOC_DATA`.
    DataFolder,
    /// What `mmoc datasets get` fetched.
    Cache,
}

/// Looks for a data set in `data_dir`, else in the folder of `MMOC_DATA`, then in the cache.
///
/// The user's files are taken as they are; a warning says if they are not the known ones. Files of the
/// cache must be the known ones. A part of the files is an error; none at all is `None`.
pub(crate) fn find(name: &str, data_dir: Option<&Path>) -> Result<Option<Found>, Failure> {
    let entry = Entry::of(name).ok_or_else(|| unknown(name))?;
    let found = find_in(&Places::new(data_dir)?, entry)?;
    if let Some(found) = &found {
        warn_of_other_contents(entry, found);
    }
    Ok(found)
}

/// The same for an entry and places already known, without a word.
pub(crate) fn find_in(places: &Places, entry: &Entry) -> Result<Option<Found>, Failure> {
    if let Some(folder) = &places.data
        && let Some(found) = in_data_folder(folder, entry)?
    {
        return Ok(Some(found));
    }
    match &places.cache {
        Some(cache) => in_cache(cache, entry),
        None => Ok(None),
    }
}

fn unknown(name: &str) -> Failure {
    let names = catalogue::names();
    Failure::wrong_usage(format!(
        "no data set is known as '{name}': expected one of {names}"
    ))
}

/// The files may lie in a folder of the set's own name, or all sets together.
fn in_data_folder(folder: &Path, entry: &Entry) -> Result<Option<Found>, Failure> {
    let layouts = [folder.join(entry.name), folder.to_owned()];
    if let Some(whole) = layouts
        .iter()
        .find(|layout| missing(layout, entry).is_empty())
    {
        return read_sums(whole, entry, Origin::DataFolder).map(Some);
    }
    let in_part = |layout: &&PathBuf| missing(layout, entry).len() < entry.files().count();
    match layouts.iter().find(in_part) {
        Some(layout) => Err(incomplete(layout, entry, "put them there")),
        None => Ok(None),
    }
}

fn in_cache(cache: &Path, entry: &Entry) -> Result<Option<Found>, Failure> {
    let folder = cache.join(entry.name);
    let remedy = format!("run 'mmoc datasets get {}'", entry.name);
    match missing(&folder, entry).len() {
        0 => {}
        all if all == entry.files().count() => return Ok(None),
        _ => return Err(incomplete(&folder, entry, &remedy)),
    }
    let found = read_sums(&folder, entry, Origin::Cache)?;
    if let Some((file, sum)) = differences(entry, &found.sha256).first() {
        return Err(Failure::bad_data(format!(
            "{}: this file of the cache is damaged: expected SHA-256 {}, found {sum}; {remedy}",
            folder.join(file.name).display(),
            file.sha256
        )));
    }
    Ok(Some(found))
}

fn missing(folder: &Path, entry: &Entry) -> Vec<&'static str> {
    let absent = |file: &&KnownFile| !folder.join(file.name).is_file();
    entry.files().filter(absent).map(|file| file.name).collect()
}

fn incomplete(folder: &Path, entry: &Entry, remedy: &str) -> Failure {
    Failure::bad_data(format!(
        "{}: of the data set {} there is no {}; {remedy}",
        folder.display(),
        entry.name,
        missing(folder, entry).join(", no ")
    ))
}

fn read_sums(folder: &Path, entry: &Entry, origin: Origin) -> Result<Found, Failure> {
    let sum = |file: &KnownFile| {
        let path = folder.join(file.name);
        match digest::of_file(&path) {
            Ok(sum) => Ok((file.name.to_owned(), sum)),
            Err(source) => Err(mmoc::Error::Io { path, source }),
        }
    };
    let sha256 = entry.files().map(sum).collect::<Result<Vec<_>, _>>()?;
    Ok(Found {
        files: entry
            .arff
            .iter()
            .map(|file| folder.join(file.name))
            .collect(),
        labels_xml: folder.join(entry.xml.name),
        origin,
        known: differences(entry, &sha256).is_empty(),
        sha256,
    })
}

/// The files whose contents are not the known ones, with the SHA-256 that they have.
fn differences<'a>(
    entry: &'a Entry,
    sha256: &'a [(String, String)],
) -> Vec<(&'a KnownFile, &'a str)> {
    let sums = sha256.iter().map(|(_, sum)| sum.as_str());
    let pairs = entry.files().zip(sums);
    pairs.filter(|(file, sum)| file.sha256 != *sum).collect()
}

fn warn_of_other_contents(entry: &Entry, found: &Found) {
    for (file, sum) in differences(entry, &found.sha256) {
        let (name, expected) = (file.name, file.sha256);
        output::message(
            "warning",
            &format!(
                "{name} is not the known file of {}: its SHA-256 is {sum}, not {expected}; \
                 it is used as it is",
                entry.name
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::datasets::invented::{Invented, invented};

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

        fn find(&self) -> Result<Option<Found>, Failure> {
            find_in(&self.places, &self.set.entry)
        }

        /// What is found must lie in this folder.
        fn assert_found_in(&self, folder: &str, origin: Origin) -> Found {
            let found = self.find().unwrap().expect("it is found");
            let folder = self.home.path().join(folder);
            assert_eq!(found.files, [folder.join("birds.arff")]);
            assert_eq!(found.labels_xml, folder.join("birds.xml"));
            assert_eq!(found.origin, origin);
            found
        }

        /// The message of the failure, which must hold all these words.
        fn assert_fails_with(&self, words: &[&str]) {
            let failure = self.find().unwrap_err();
            for word in words {
                assert!(failure.message().contains(word), "{failure:?}");
            }
        }
    }

    #[test]
    fn places_come_in_their_order() {
        let world = World::new();
        assert!(world.find().unwrap().is_none());
        world.put("cache/birds");
        world.assert_found_in("cache/birds", Origin::Cache);
        world.put("data");
        world.assert_found_in("data", Origin::DataFolder);
        world.put("data/birds");
        world.assert_found_in("data/birds", Origin::DataFolder);
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
        let found = world.assert_found_in("data", Origin::DataFolder);
        let known = |file: &KnownFile| (file.name.to_owned(), file.sha256.to_owned());
        let expected: Vec<_> = world.set.entry.files().map(known).collect();
        assert_eq!(found.sha256, expected);
        assert!(found.known);
    }

    #[test]
    fn other_contents_are_used_from_the_users_folder() {
        let world = World::new();
        world.put("data");
        world.put_file("data/birds.arff", b"other");
        let found = world.assert_found_in("data", Origin::DataFolder);
        assert!(!found.known);
        assert_eq!(found.sha256[0].1, digest::of(&b"other"[..]).unwrap());
    }

    #[test]
    fn other_contents_in_the_cache_are_refused_with_the_remedy() {
        let world = World::new();
        world.put("cache/birds");
        let mut damaged = world.set.rows.clone();
        damaged[99_999] ^= 1;
        world.put_file("cache/birds/birds.arff", &damaged);
        world.assert_fails_with(&["birds.arff", "damaged", "mmoc datasets get birds"]);
    }

    #[test]
    fn a_part_of_the_files_is_an_error_that_names_the_others() {
        let world = World::new();
        world.put_file("cache/birds/birds.arff", &world.set.rows);
        world.assert_fails_with(&["no birds.xml", "mmoc datasets get birds"]);
        world.put_file("data/birds.xml", &world.set.xml);
        world.assert_fails_with(&["data", "no birds.arff"]);
        world.put_file("data/birds.arff", &world.set.rows);
        world.assert_found_in("data", Origin::DataFolder);
    }

    #[test]
    fn a_download_under_way_is_not_a_copy() {
        let world = World::new();
        world.put_file("cache/birds/birds.arff.part", &world.set.rows);
        world.put_file("cache/birds/.lock", b"");
        assert!(world.find().unwrap().is_none());
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let failure = find("birds", None).unwrap_err();
        assert!(failure.message().contains("emotions, scene"), "{failure:?}");
    }
}
