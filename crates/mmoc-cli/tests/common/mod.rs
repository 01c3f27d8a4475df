//! What the tests of the binary share: a folder to run it in, what came of it, and small data.

#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod browser;
pub(crate) mod hostile;
pub(crate) mod limits;
pub(crate) mod listing;
#[path = "../../../mmoc-io/tests/common/server.rs"]
pub(crate) mod server;
pub(crate) mod small;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_mmoc");

/// The methods, in the order of the paper's tables.
pub(crate) const METHODS: [&str; 8] = [
    "br",
    "coding-cs",
    "coding-pca",
    "coding-pca-r",
    "coding-cca",
    "clr",
    "lead",
    "max-margin",
];

/// Variables of the environment that would change what the binary does.
const SURROUNDINGS: &[&str] = &[
    "COLUMNS",
    "MMOC_DATA",
    "MMOC_DATASETS_URL",
    "ALL_PROXY",
    "all_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
];

/// The folder of the real data sets, where there is one: `MMOC_DATA`, else `../shared/data`, both
/// as seen from the root of the repository, wherever the tests are run.
pub(crate) fn real_data() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let given = std::env::var_os("MMOC_DATA").unwrap_or_else(|| "../shared/data".into());
    let folder = root.join(given);
    folder.is_dir().then_some(folder)
}

/// A temporary folder in which the binary runs.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// A folder with the given files.
    pub(crate) fn with<C: AsRef<[u8]>>(files: &[(&str, C)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder can be made"));
        for (name, contents) in files {
            std::fs::write(folder.path(name), contents).expect("it can be written to");
        }
        folder
    }

    /// An empty folder.
    pub(crate) fn empty() -> Self {
        Self::with::<&str>(&[])
    }

    /// Where a file of the folder is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A command in this folder, without a terminal and without what the environment says of data.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).stdin(Stdio::null());
        for variable in SURROUNDINGS {
            command.env_remove(variable);
        }
        command.env("MMOC_CACHE", self.path("cache"));
        command
    }

    /// Runs the binary with arguments that spaces separate.
    pub(crate) fn run(&self, arguments: &str) -> Outcome {
        self.run_with(arguments.split_ascii_whitespace())
    }

    /// Runs the binary.
    pub(crate) fn run_with<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Outcome {
        Outcome::of(self.command(BINARY).args(arguments))
    }

    /// Runs the binary, which must succeed without a word on standard error.
    pub(crate) fn output(&self, arguments: &str) -> String {
        let outcome = self.run(arguments).succeeded();
        assert_eq!(outcome.stderr, "", "{arguments}");
        outcome.stdout
    }

    /// Runs the binary, which must succeed and write JSON.
    pub(crate) fn json(&self, arguments: &str) -> Value {
        self.run(&format!("{arguments} --json")).succeeded().json()
    }
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Its exit code; none if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// Waits for a command to end. Whatever else it may do, it must not panic.
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().expect("the binary starts");
        let text = |bytes| String::from_utf8(bytes).expect("all output is UTF-8");
        let outcome = Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(
            !outcome.stderr.contains("panicked"),
            "{command:?}\n{outcome:?}"
        );
        outcome
    }

    /// The outcome, which must be a success.
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).expect("standard output is JSON")
    }
}

/// The lines of an evaluation's JSON without its timings, which alone may differ between two runs.
pub(crate) fn without_timings(json: &str) -> String {
    let mut in_timing = false;
    let kept = json.lines().filter(|line| {
        in_timing |= line.ends_with("_seconds\": {");
        let keep = !in_timing;
        in_timing &= !line.trim_start().starts_with('}');
        keep
    });
    let kept: Vec<&str> = kept.collect();
    let timings = json.matches("_seconds\": {").count();
    assert_eq!(
        kept.len() + 3 * timings,
        json.lines().count(),
        "a timing takes three lines"
    );
    assert!(timings > 0, "there are timings");
    kept.join("\n")
}

/// The tables of an experiment without those of times, which alone may differ between two runs.
pub(crate) fn without_times(stdout: &str) -> String {
    let mut in_times = false;
    let kept = stdout.lines().filter(|line| {
        if line.starts_with("Seconds") {
            in_times = true;
        } else if line.is_empty() {
            in_times = false;
        }
        !in_times
    });
    kept.collect::<Vec<_>>().join("\n")
}
