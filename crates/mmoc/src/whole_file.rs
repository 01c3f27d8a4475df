//! Files that are there as a whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Result};

/// What files end with while they are written.
const PART: &str = ".part";

/// Writes a file beside its target and renames it into place.
///
/// Whatever fails, the target is as it was before and nothing else remains. What a killed process left beside this
/// target is removed: whoever writes holds a lock on the part, so that one without is nobody's.
///
/// A device or a pipe is refused ([`is_replaceable`]): a file in its place would be the end of it.
pub fn replace_file(
    path: impl AsRef<Path>,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<()> {
    let path = path.as_ref();
    replace(path, fill).map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })
}

fn replace(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let target = Target::new(path)?;
    let (part, file) = target.begin()?;
    let written = complete(file, fill).and_then(|file| {
        fs::rename(&part, path)?;
        drop(file);
        Ok(())
    });
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&part);
    }
    target.remove_abandoned();
    written
}

/// Whether a file can take the place of what is there: nothing, a file, a folder (which will refuse by itself), or a
/// link that is not one of the system's, as `/dev/stdout` is.
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

/// Fills the file and makes sure that it is on the disk. The file stays open, and with it its lock.
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

/// A file to be written, and how its parts are called: `.NAME.PROCESS-COUNT.part`.
struct Target<'a> {
    path: &'a Path,
    name: &'a OsStr,
}

impl<'a> Target<'a> {
    fn new(path: &'a Path) -> io::Result<Self> {
        let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file");
        let name = path.file_name().ok_or_else(no_name)?;
        if !is_replaceable(path) {
            let what = "a device or a pipe, where a file cannot be";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        Ok(Self { path, name })
    }

    /// A new part that is ours alone.
    fn begin(&self) -> io::Result<(PathBuf, File)> {
        loop {
            let part = self.part();
            let made = OpenOptions::new().write(true).create_new(true).open(&part);
            let file = match made {
                // A process of our number, in another container or before this one, was killed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            };
            // Between its making and its lock a part may be taken for abandoned, and be gone.
            let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if !taken && part.exists() {
                self.keep_permissions(&file);
                return Ok((part, file));
            }
        }
    }

    /// What only its owner may read stays so. Where permissions cannot be set, those of new files stand.
    fn keep_permissions(&self, part: &File) {
        if let Ok(old) = fs::metadata(self.path) {
            let _ = part.set_permissions(old.permissions());
        }
    }

    /// A name beside the target that no other thread or process uses.
    fn part(&self) -> PathBuf {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut part = OsString::from(".");
        part.push(self.name);
        part.push(format!(".{}-{count}{PART}", std::process::id()));
        self.path.with_file_name(part)
    }

    /// Removes parts of this target that nobody writes any more. What cannot be removed does no harm.
    fn remove_abandoned(&self) {
        let folder = match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| self.is_part(&entry.file_name())) {
            // Without following a link, which a part is not.
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            let opened = is_file.then(|| OpenOptions::new().write(true).open(entry.path()));
            if let Some(Ok(file)) = opened
                && file.try_lock().is_ok()
            {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn is_part(&self, name: &OsStr) -> bool {
        let rest = name
            .as_encoded_bytes()
            .strip_prefix(b".")
            .and_then(|rest| rest.strip_prefix(self.name.as_encoded_bytes()))
            .and_then(|rest| rest.strip_prefix(b"."))
            .and_then(|rest| rest.strip_suffix(PART.as_bytes()));
        let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        rest.is_some_and(|rest| {
            let mut numbers = rest.split(|&byte| byte == b'-');
            numbers.clone().count() == 2 && numbers.all(is_number)
        })
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
    fn a_failure_leaves_the_old_file_and_nothing_else() {
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
    fn whoever_reads_the_old_file_reads_it_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, "old").unwrap();
        let mut reader = File::open(&path).unwrap();
        replace_file(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(io::read_to_string(&mut reader).unwrap(), "old");
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_target_that_is_a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("folder");
        fs::create_dir(&target).unwrap();
        assert!(replace_file(&target, |_| Ok(())).is_err());
        assert!(replace_file("/", |_| Ok(())).is_err());
        assert_eq!(names_in(folder.path()), ["folder"]);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let kept = [
            ".f.part",
            ".f.1-x.part",
            ".g.1-2.part",
            "f.1-2.part",
            ".f.1-2",
        ];
        for name in kept.iter().chain(&[".f.1-2.part", ".f.77-0.part"]) {
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
    fn what_a_killed_process_of_our_own_number_left_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        // Other tests count on meanwhile, but not that far.
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
    fn devices_and_links_of_the_system_are_not_replaced() {
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

    #[test]
    fn a_part_that_someone_writes_is_left_alone() {
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
