//! Memory that is available, and work that is refused because it needs more.
//!
//! A failed allocation ends the process, and the Python interpreter with it. So whoever is about to need much memory asks
//! first. On Linux the least of these is available:
//!
//! | limit | what is left of it |
//! |---|---|
//! | memory of the machine | `MemAvailable` and `SwapFree` of `/proc/meminfo` |
//! | control groups of the process, as containers have them | limit − use, without pages of files that can be dropped |
//! | addresses of the process (`ulimit -v`) | limit − `VmSize` |
//!
//! On other systems nothing is known, and nothing is refused.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Work that may need much memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Reading files that declare so many columns.
    Read {
        /// Number of features.
        features: usize,
        /// Number of labels.
        labels: usize,
    },
    /// Holding a copy of so many numbers.
    Copy {
        /// How many.
        numbers: usize,
    },
    /// Finding the directions of an output code.
    Code {
        /// Number of rows.
        rows: usize,
        /// Number of labels.
        labels: usize,
    },
    /// Solving a max-margin problem.
    Solve {
        /// Number of rows.
        rows: usize,
        /// Number of labels.
        labels: usize,
    },
    /// Predicting labels.
    Predict {
        /// Number of rows.
        rows: usize,
        /// Number of labels.
        labels: usize,
    },
    /// Fitting a method to training rows.
    Fit {
        /// The name of the method.
        method: &'static str,
        /// Number of rows.
        rows: usize,
        /// Number of features.
        features: usize,
        /// Number of labels.
        labels: usize,
    },
}

impl fmt::Display for Work {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { features, labels } => {
                write!(formatter, "reading {features} features and {labels} labels")
            }
            Self::Copy { numbers } => write!(formatter, "copying {numbers} numbers"),
            Self::Code { rows, labels } => write!(
                formatter,
                "finding an output code of {labels} labels in {rows} rows"
            ),
            Self::Solve { rows, labels } => write!(
                formatter,
                "solving the max-margin problem of {labels} labels in {rows} rows"
            ),
            Self::Predict { rows, labels } => {
                write!(formatter, "predicting {labels} labels of {rows} rows")
            }
            Self::Fit {
                method,
                rows,
                features,
                labels,
            } => write!(
                formatter,
                "fitting {method} to {rows} rows of {features} features and {labels} labels"
            ),
        }
    }
}

/// Work that needs fewer bytes is not worth asking the system, which takes as long as predicting some rows.
const NEGLIGIBLE: f64 = (1 << 24) as f64;

/// Fails if some work needs more bytes than are available.
pub fn check_memory(work: Work, needed: f64) -> Result<()> {
    if needed < NEGLIGIBLE {
        return Ok(());
    }
    check(work, needed, System::default().available())
}

/// Bytes that are available, if the system tells.
pub fn available() -> Option<Bytes> {
    System::default()
        .available()
        .map(|bytes| Bytes(bytes as f64))
}

fn check(work: Work, needed: f64, available: Option<u64>) -> Result<()> {
    match available {
        Some(available) if needed > available as f64 => Err(Error::Memory {
            work,
            needed: Bytes(needed),
            available: Bytes(available as f64),
        }),
        _ => Ok(()),
    }
}

/// A number of bytes, shown with two digits and a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bytes(pub f64);

impl fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["MB", "GB", "TB", "PB", "EB", "ZB"];
        let mut size = self.0 / 1e6;
        let mut unit = 0;
        while size >= 999.5 && unit + 1 < UNITS.len() {
            size /= 1e3;
            unit += 1;
        }
        let digits = usize::from(size < 9.95);
        write!(formatter, "{size:.digits$} {}", UNITS[unit])
    }
}

/// The files in which the system tells its limits.
struct System {
    /// Where `/` is.
    root: PathBuf,
}

impl Default for System {
    fn default() -> Self {
        Self { root: "/".into() }
    }
}

impl System {
    /// Bytes that can still be taken; none if nothing is known.
    fn available(&self) -> Option<u64> {
        let limits = [self.of_machine(), self.of_addresses(), self.of_groups()];
        limits.into_iter().flatten().min()
    }

    fn of_machine(&self) -> Option<u64> {
        let memory = self.read("proc/meminfo")?;
        let available = kilobytes(&memory, "MemAvailable:")?;
        Some(available.saturating_add(kilobytes(&memory, "SwapFree:").unwrap_or(0)))
    }

    fn of_addresses(&self) -> Option<u64> {
        let limits = self.read("proc/self/limits")?;
        let limit = limits.lines().find_map(|line| {
            let values = line.strip_prefix("Max address space")?;
            values.split_ascii_whitespace().next()?.parse::<u64>().ok()
        })?;
        let taken = kilobytes(&self.read("proc/self/status")?, "VmSize:")?;
        Some(limit.saturating_sub(taken))
    }

    /// What is left in the control group of the process and in those that contain it, of either version.
    fn of_groups(&self) -> Option<u64> {
        let groups = self.read("proc/self/cgroup")?;
        let of_line = |line: &str| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, path) = (fields.next()?, fields.next()?);
            match controllers {
                "" => self.of_group("sys/fs/cgroup", path, &SECOND_VERSION),
                own if own.split(',').any(|one| one == "memory") => {
                    self.of_group("sys/fs/cgroup/memory", path, &FIRST_VERSION)
                }
                _ => None,
            }
        };
        groups.lines().filter_map(of_line).min()
    }

    /// What is left in a group and in those that contain it. Inside a container the files may be those of its own group,
    /// whatever the path says.
    fn of_group(&self, mount: &str, path: &str, names: &GroupFiles) -> Option<u64> {
        let path = Path::new(path.trim_start_matches('/'));
        let left = |group: &Path| {
            let file = |name: &str| self.read(&format!("{mount}/{}/{name}", group.display()));
            let limit: u64 = file(names.limit)?.trim().parse().ok()?;
            let used: u64 = file(names.used)?.trim().parse().ok()?;
            let statistics = file("memory.stat").unwrap_or_default();
            let droppable = number(&statistics, names.droppable).unwrap_or(0);
            Some(limit.saturating_sub(used.saturating_sub(droppable)))
        };
        path.ancestors().filter_map(left).min()
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }
}

/// The names of the files of a control group, and of the pages of files that can be dropped.
struct GroupFiles {
    limit: &'static str,
    used: &'static str,
    droppable: &'static str,
}

const FIRST_VERSION: GroupFiles = GroupFiles {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    droppable: "total_inactive_file",
};

const SECOND_VERSION: GroupFiles = GroupFiles {
    limit: "memory.max",
    used: "memory.current",
    droppable: "inactive_file",
};

/// The number after a word at the beginning of a line.
fn number(text: &str, word: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace();
        (words.next()? == word).then(|| words.next()?.parse().ok())?
    })
}

/// The same in bytes, where it is told in kilobytes.
fn kilobytes(text: &str, word: &str) -> Option<u64> {
    number(text, word)?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and contents.
    type Files<'a> = &'a [(&'a str, &'a str)];

    /// A system whose files have these contents.
    fn system(files: Files<'_>) -> (tempfile::TempDir, System) {
        let folder = tempfile::tempdir().unwrap();
        for (name, contents) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents).unwrap();
        }
        let root = folder.path().to_owned();
        (folder, System { root })
    }

    const MEMORY: (&str, &str) = (
        "proc/meminfo",
        "MemTotal: 9000 kB\nMemAvailable:    4000 kB\nSwapFree: 96 kB\n",
    );

    #[test]
    fn the_least_limit_counts() {
        let addresses =
            "Limit  Soft Limit  Hard Limit  Units\nMax address space  3072000  unlimited  bytes\n";
        let unlimited = "Max address space  unlimited  unlimited  bytes\n";
        let status = ("proc/self/status", "Name: mmoc\nVmSize:\t 1000 kB\n");
        let cases: [(Files<'_>, Option<u64>); 7] = [
            (&[], None),
            (&[MEMORY], Some(4096 * 1024)),
            (
                &[MEMORY, ("proc/self/limits", addresses), status],
                Some(2000 * 1024),
            ),
            (
                &[MEMORY, ("proc/self/limits", unlimited), status],
                Some(4096 * 1024),
            ),
            (
                &[
                    MEMORY,
                    ("proc/self/cgroup", "0::/a/b\n"),
                    ("sys/fs/cgroup/a/memory.max", "900000\n"),
                    ("sys/fs/cgroup/a/memory.current", "500000\n"),
                    (
                        "sys/fs/cgroup/a/memory.stat",
                        "anon 3\ninactive_file 100000\n",
                    ),
                    ("sys/fs/cgroup/a/b/memory.max", "max\n"),
                    ("sys/fs/cgroup/a/b/memory.current", "1\n"),
                ],
                Some(500_000),
            ),
            (
                &[
                    ("proc/self/cgroup", "5:cpu:/x\n4:memory:/docker/y\n"),
                    ("sys/fs/cgroup/memory/memory.limit_in_bytes", "700\n"),
                    ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n"),
                ],
                Some(0),
            ),
            (
                &[
                    ("proc/self/cgroup", "nonsense\n0::/\n"),
                    ("proc/meminfo", "?\n"),
                ],
                None,
            ),
        ];
        for (files, expected) in cases {
            let (_folder, system) = system(files);
            assert_eq!(system.available(), expected, "{files:?}");
        }
    }

    #[test]
    fn what_needs_more_than_is_available_is_refused() {
        let work = Work::Read {
            features: 3,
            labels: 2,
        };
        assert!(check(work, 1e30, None).is_ok());
        assert!(check(work, 1000.0, Some(1000)).is_ok());
        let message = check(work, 8e10, Some(19_500_000_000))
            .unwrap_err()
            .to_string();
        let expected =
            "reading 3 features and 2 labels needs about 80 GB of memory, and 20 GB is available";
        assert_eq!(message, expected);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_tells_its_memory() {
        assert!(System::default().available().is_some_and(|bytes| bytes > 0));
    }

    #[test]
    fn bytes_have_two_digits_and_a_unit() {
        let cases = [
            (0.0, "0.0 MB"),
            (1.54e6, "1.5 MB"),
            (9.96e6, "10 MB"),
            (999.6e6, "1.0 GB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
    }
}
