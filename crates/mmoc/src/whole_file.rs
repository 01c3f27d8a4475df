//! Files that are written completely or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Result};

/// Suffix of incomplete files.
const TEMPORARY_SUFFIX: &str = ".part";

/// Writes a temporary file in the folder of the target and renames it.
///
/// On any failure the target is unchanged and no temporary file remains. On Linux the temporary file has no name until it
/// is complete, so that nothing remains of a killed process either. Where a file system has no such files, the
/// temporary file has a name of its own. A writer holds a lock on it, so that an unlocked one is abandoned; those in the
/// folder are removed before the next file is written there.
///
/// Devices and pipes are rejected ([`is_replaceable`]), since renaming a file over them would destroy them.
pub fn replace_file(
    path: impl AsRef<Path>,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<()> {
    let path = path.as_ref();
    replace(path, begin, fill).map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })
}

fn replace(
    path: &Path,
    begin: impl FnOnce(&TargetFile<'_>) -> io::Result<PartFile>,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let target = TargetFile::new(path)?;
    target.remove_abandoned();
    let PartFile { name, file } = begin(&target)?;
    let written = complete(file, fill).and_then(|file| match &name {
        Some(part) => fs::rename(part, path),
        None => target.name_and_rename(&file),
    });
    if let (Err(_), Some(part)) = (&written, &name) {
        // Report the first error.
        let _ = fs::remove_file(part);
    }
    written
}

/// A file that is being written, locked while it is open.
struct PartFile {
    /// Its temporary name, unless it has none.
    name: Option<PathBuf>,
    file: File,
}

/// Whether a file can replace what is at the path: nothing, a file, a folder (for which the rename fails), or a
/// link that is not one of the system's, such as `/dev/stdout`.
pub fn is_replaceable(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    let system = |link: PathBuf| {
        ["/dev", "/proc"]
            .iter()
            .any(|folder| link.starts_with(folder))
    };
    let is_special = |found: fs::Metadata| !found.is_file() && !found.is_dir();
    !fs::metadata(path).is_ok_and(is_special) && !fs::read_link(path).is_ok_and(system)
}

/// Writes the file and flushes it to disk. The file stays open, and locked.
fn complete(
    file: File,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<File> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    fill(&mut out)?;
    out.flush()?;
    out.get_ref().sync_all()?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

/// A target with the names of its temporary files, `.NAME.PROCESS-COUNT.part`.
struct TargetFile<'a> {
    path: &'a Path,
    name: &'a OsStr,
}

impl<'a> TargetFile<'a> {
    fn new(path: &'a Path) -> io::Result<Self> {
        let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "not a file name");
        let name = path.file_name().ok_or_else(no_name)?;
        if !is_replaceable(path) {
            let what = "a device or a pipe, not a regular file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        Ok(Self { path, name })
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }

    /// Gives a complete file without a name that of the target. A link cannot replace a file, so it has a temporary name
    /// in between.
    fn name_and_rename(&self, file: &File) -> io::Result<()> {
        let part = loop {
            let part = self.part();
            match unnamed::link(file, &part) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                linked => {
                    linked?;
                    break part;
                }
            }
        };
        fs::rename(&part, self.path).inspect_err(|_| {
            let _ = fs::remove_file(&part);
        })
    }

    /// Keeps the permissions of an existing target. Where they cannot be set, those of new files apply.
    fn keep_permissions(&self, part: &File) {
        if let Ok(old) = fs::metadata(self.path) {
            let _ = part.set_permissions(old.permissions());
        }
    }

    /// A temporary name that no other thread or process uses.
    fn part(&self) -> PathBuf {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut part = OsString::from(".");
        part.push(self.name);
        part.push(format!(".{}-{count}{TEMPORARY_SUFFIX}", std::process::id()));
        self.path.with_file_name(part)
    }

    /// Removes abandoned temporary files of any target in the folder. Failures are harmless and ignored.
    fn remove_abandoned(&self) {
        let entries = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| is_part(&entry.file_name())) {
            // Does not follow links, which temporary files never are.
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            let opened = is_file.then(|| OpenOptions::new().write(true).open(entry.path()));
            if let Some(Ok(file)) = opened
                && file.try_lock().is_ok()
            {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Creates a locked temporary file, without a name if possible.
fn begin(target: &TargetFile<'_>) -> io::Result<PartFile> {
    match unnamed::create_in(target.folder()) {
        Some(file) => {
            target.keep_permissions(&file);
            Ok(PartFile { name: None, file })
        }
        None => begin_named(target),
    }
}

/// Creates a locked temporary file with a name.
fn begin_named(target: &TargetFile<'_>) -> io::Result<PartFile> {
    loop {
        let part = target.part();
        let made = OpenOptions::new().write(true).create_new(true).open(&part);
        let file = match made {
            // A process with the same number, in another container or earlier, was killed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made?,
        };
        // Between creation and locking, another process may remove the file as abandoned.
        let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if !taken && part.exists() {
            target.keep_permissions(&file);
            let name = Some(part);
            return Ok(PartFile { name, file });
        }
    }
}

/// Whether a name is that of a temporary file, `.NAME.PROCESS-COUNT.part`.
fn is_part(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let inner = name
        .strip_prefix(b".")
        .and_then(|rest| rest.strip_suffix(TEMPORARY_SUFFIX.as_bytes()));
    let Some(inner) = inner else {
        return false;
    };
    let Some(end_of_name) = inner.iter().rposition(|&byte| byte == b'.') else {
        return false;
    };
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let mut numbers = inner[end_of_name + 1..].split(|&byte| byte == b'-');
    end_of_name > 0 && numbers.clone().count() == 2 && numbers.all(is_number)
}

/// Files that have no name until they are complete.
#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

    /// A locked file in a folder; none if the file system has no such files, or no way to name them later.
    pub(super) fn create_in(folder: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
        let is_locked = file.try_lock().is_ok();
        (is_locked && by_descriptor(&file).exists()).then_some(file)
    }

    /// Gives the file a name, which must be new.
    pub(super) fn link(file: &File, name: &Path) -> io::Result<()> {
        let follow = AtFlags::SYMLINK_FOLLOW;
        Ok(linkat(CWD, by_descriptor(file), CWD, name, follow)?)
    }

    /// A link of the system to an open file.
    fn by_descriptor(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }
}

#[cfg(not(target_os = "linux"))]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn create_in(_folder: &Path) -> Option<File> {
        None
    }

    pub(super) fn link(_file: &File, _name: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_failure_leaves_only_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        replace_file(&path, |out| out.write_all(b"old")).unwrap();
        let failed = replace_file(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("no"))
        });
        assert!(failed.unwrap_err().to_string().ends_with("f: no"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names_in(folder.path()), ["f"]);
    }

    #[test]
    fn open_readers_keep_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, "old").unwrap();
        let mut reader = File::open(&path).unwrap();
        replace_file(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(io::read_to_string(&mut reader).unwrap(), "old");
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn rejects_a_folder_as_target() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("folder");
        fs::create_dir(&target).unwrap();
        assert!(replace_file(&target, |_| Ok(())).is_err());
        assert!(replace_file("/", |_| Ok(())).is_err());
        assert_eq!(names_in(folder.path()), ["folder"]);
    }

    #[test]
    fn abandoned_files_of_killed_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let kept = [
            ".f.part",
            ".f.1-x.part",
            "f.1-2.part",
            ".f.1-2",
            "..1-2.part",
            ".1-2.part",
        ];
        for name in kept.iter().chain(&[".f.1-2.part", ".g.h.77-0.part"]) {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        replace_file(folder.path().join("f"), |out| out.write_all(b"whole")).unwrap();
        let mut names = names_in(folder.path());
        names.sort_unstable();
        let mut expected: Vec<String> = kept.iter().map(ToString::to_string).collect();
        expected.push("f".into());
        expected.sort_unstable();
        assert_eq!(names, expected);
    }

    #[test]
    fn abandoned_files_with_our_process_number_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        // Other tests increase the counter meanwhile, but not that far.
        for count in 0..1000 {
            let part = format!(".f.{}-{count}.part", std::process::id());
            fs::write(folder.path().join(part), "half").unwrap();
        }
        replace_file(&path, |out| out.write_all(b"whole")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(names_in(folder.path()), ["f"]);
    }

    #[cfg(unix)]
    #[test]
    fn rejects_devices_and_system_links() {
        use std::os::unix::fs::symlink;
        use std::os::unix::net::UnixListener;
        let folder = tempfile::tempdir().unwrap();
        let (socket, output) = (folder.path().join("socket"), folder.path().join("output"));
        let _listening = UnixListener::bind(&socket).unwrap();
        symlink("/proc/self/fd/1", &output).unwrap();
        for path in [&socket, &output] {
            let failed = replace_file(path, |out| out.write_all(b"new"));
            assert!(
                failed
                    .unwrap_err()
                    .to_string()
                    .contains("a device or a pipe")
            );
            assert!(!fs::symlink_metadata(path).unwrap().is_file());
        }
        assert!(is_replaceable(folder.path().join("nothing")));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, "secret").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        replace_file(&path, |out| out.write_all(b"new")).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_has_no_name_before_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        replace_file(folder.path().join("f"), |out| {
            out.write_all(b"half")?;
            out.flush()?;
            assert_eq!(names_in(folder.path()), [] as [String; 0]);
            Ok(())
        })
        .unwrap();
        assert_eq!(names_in(folder.path()), ["f"]);
    }

    #[test]
    fn file_systems_without_unnamed_files_have_temporary_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let write = |text: &str, fails: bool| {
            replace(&path, begin_named, |out| {
                out.write_all(text.as_bytes())?;
                assert!(
                    names_in(folder.path())
                        .iter()
                        .any(|name| is_part(name.as_ref()))
                );
                // Parts of living processes are kept.
                replace_file(folder.path().join("g"), |out| out.write_all(b"other")).unwrap();
                if fails {
                    Err(io::Error::other("no"))
                } else {
                    Ok(())
                }
            })
        };
        write("whole", false).unwrap();
        write("half", true).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        let mut names = names_in(folder.path());
        names.sort_unstable();
        assert_eq!(names, ["f", "g"]);
    }

    #[test]
    fn locked_temporary_files_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        replace_file(&path, |out| {
            out.write_all(b"outer")?;
            replace_file(&path, |out| out.write_all(b"inner")).map_err(io::Error::other)?;
            assert_eq!(fs::read(&path)?, b"inner");
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"outer");
        assert_eq!(names_in(folder.path()), ["f"]);
    }
}
