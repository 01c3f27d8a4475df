//! The folders in which data sets are looked for, and the cache for those that were fetched.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::CatalogueError;

/// Where to look, in this order.
#[derive(Debug)]
pub struct Places {
    /// A folder of the user: the one given, else the one that `MMOC_DATA` names.
    pub data: Option<PathBuf>,
    /// The cache; none if the system has no folder for caches.
    pub cache: Option<PathBuf>,
}

impl Places {
    /// The given folder and those that the environment names.
    pub fn new(data_dir: Option<&Path>) -> Result<Self, CatalogueError> {
        Ok(Self {
            data: data_folder(data_dir, variable)?,
            cache: cache(std::env::consts::OS, variable),
        })
    }
}

/// The folder of the cache.
pub fn cache_folder() -> Result<PathBuf, CatalogueError> {
    cache(std::env::consts::OS, variable).ok_or(CatalogueError::NoCacheFolder)
}

/// A variable of the environment. An empty one counts as not set, as usual for folders.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn data_folder(
    given: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<PathBuf>, CatalogueError> {
    let from_variable = given.is_none();
    let folder = given
        .map(Path::to_owned)
        .or_else(|| Some(variable("MMOC_DATA")?.into()));
    match folder {
        Some(folder) if !folder.is_dir() => Err(CatalogueError::NoDataFolder {
            folder,
            from_variable,
        }),
        folder => Ok(folder),
    }
}

/// `MMOC_CACHE`, else `mmoc` in the folder that the system has for caches; in it `datasets`.
fn cache(os: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let own = match variable("MMOC_CACHE") {
        Some(folder) => PathBuf::from(folder),
        None => system_cache(os, variable)?.join("mmoc"),
    };
    Some(own.join("datasets"))
}

fn system_cache(os: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = |below: &str| Some(PathBuf::from(variable("HOME")?).join(below));
    match os {
        "windows" => variable("LOCALAPPDATA").map(PathBuf::from),
        "macos" => home("Library/Caches"),
        _ => variable("XDG_CACHE_HOME")
            .map(PathBuf::from)
            // The XDG specification: a relative path is invalid and to be ignored.
            .filter(|folder| folder.is_absolute())
            .or_else(|| home(".cache")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment<'a>(
        variables: &'a [(&str, &str)],
    ) -> impl Fn(&str) -> Option<OsString> + use<'a> {
        |wanted| {
            let found = variables.iter().find(|(name, _)| *name == wanted)?;
            Some(found.1.into())
        }
    }

    #[test]
    fn each_system_has_its_folder_for_caches() {
        let variables = &[
            ("HOME", "/home/x"),
            ("XDG_CACHE_HOME", "/xdg"),
            ("LOCALAPPDATA", "/local"),
        ];
        let cache = |os| cache(os, environment(variables)).unwrap();
        assert_eq!(cache("linux"), Path::new("/xdg/mmoc/datasets"));
        assert_eq!(cache("freebsd"), Path::new("/xdg/mmoc/datasets"));
        let mac = Path::new("/home/x/Library/Caches/mmoc/datasets");
        assert_eq!(cache("macos"), mac);
        assert_eq!(cache("windows"), Path::new("/local/mmoc/datasets"));
    }

    #[test]
    fn a_folder_given_for_the_cache_comes_before_the_systems() {
        let variables = &[("HOME", "/home/x"), ("MMOC_CACHE", "mine")];
        for os in ["linux", "macos", "windows"] {
            let found = cache(os, environment(variables)).unwrap();
            assert_eq!(found, Path::new("mine/datasets"));
        }
    }

    #[test]
    fn a_relative_xdg_folder_is_ignored() {
        let variables = &[("HOME", "/home/x"), ("XDG_CACHE_HOME", "relative")];
        let found = cache("linux", environment(variables)).unwrap();
        assert_eq!(found, Path::new("/home/x/.cache/mmoc/datasets"));
    }

    #[test]
    fn without_a_home_there_is_no_cache() {
        for os in ["linux", "macos", "windows"] {
            assert_eq!(cache(os, environment(&[])), None);
        }
    }

    #[test]
    fn the_option_comes_before_the_variable_and_both_must_be_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let right = [("MMOC_DATA", path)];
        let wrong = [("MMOC_DATA", "/no/such/folder")];
        let data = |given, variables| data_folder(given, environment(variables));
        assert_eq!(data(None, &[]).unwrap(), None);
        assert_eq!(data(None, &right).unwrap().unwrap(), folder.path());
        let given = Some(folder.path());
        assert_eq!(data(given, &wrong).unwrap().unwrap(), folder.path());
        let message = data(None, &wrong).unwrap_err().to_string();
        assert!(message.contains("MMOC_DATA"), "{message}");
        let message = data(Some(Path::new("/no/such/folder")), &right)
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("/no/such/folder") && !message.contains("MMOC_DATA"),
            "{message}"
        );
    }
}
