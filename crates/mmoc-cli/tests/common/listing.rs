//! Everything in a folder, to see that nothing has changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What an entry of a folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    Folder,
    Link(PathBuf),
    File(Vec<u8>),
    /// A pipe or a device.
    Other,
}

/// Every entry of a folder and of the folders within it, by its path.
pub(crate) fn listing(folder: &Path) -> BTreeMap<PathBuf, Entry> {
    let mut all = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap().file_type();
            let entry = if kind.is_dir() {
                waiting.push(path.clone());
                Entry::Folder
            } else if kind.is_symlink() {
                Entry::Link(std::fs::read_link(&path).unwrap())
            } else if kind.is_file() {
                Entry::File(std::fs::read(&path).unwrap())
            } else {
                Entry::Other
            };
            all.insert(path, entry);
        }
    }
    all
}
