//! Instruction counts of the hot kernels, compared with the record in `instructions.txt`.
//!
//! Callgrind counts the instructions, independently of the load of the machine. They are those of the dev profile,
//! in which tests run, and of 256-bit registers, the widest that valgrind supports. Without valgrind, on another
//! processor, or with another compiler than that of the record, every counting trial is reported as ignored.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

const BINARY: &str = env!("CARGO_BIN_EXE_kernels");

/// If set, counts are recorded instead of compared.
const RECORDING: &str = "MMOC_RECORD_INSTRUCTIONS";

const HOW_TO_RECORD: &str =
    "MMOC_RECORD_INSTRUCTIONS=1 cargo test -p mmoc-benchmarks --test instructions";

/// What to do about a rejected count.
const ADVICE: &str = "if this is intended, record again: ";

/// Largest relative difference from the record. Lower counts are rejected like higher ones: with a recorded count
/// that is too high the next regression would go unnoticed.
const TOLERANCE: f64 = 0.05;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    if std::env::var_os(RECORDING).is_some() && !arguments.list {
        return record();
    }
    let trials = match kernels() {
        Ok(kernels) => trials(&kernels),
        Err(failure) => vec![Trial::test("the_kernels_are_listed", || Err(failure))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// One trial for each kernel, and those that do not need valgrind.
fn trials(kernels: &[String]) -> Vec<Trial> {
    let obstacle = obstacle().or_else(other_versions);
    if let Some(obstacle) = obstacle {
        eprintln!("instructions are not counted: {obstacle}");
    }
    let counting = kernels.iter().cloned().map(|kernel| {
        let name = format!(
            "{}_takes_the_recorded_instructions",
            kernel.replace('-', "_")
        );
        Trial::test(name, move || is_as_recorded(&kernel))
            .with_kind("valgrind")
            .with_ignored_flag(obstacle.is_some())
    });
    let listed = kernels.to_vec();
    let others = [
        Trial::test("all_kernels_and_no_others_are_recorded", move || {
            all_kernels_and_no_others_are_recorded(&listed)
        }),
        Trial::test(
            "rejects_counts_far_from_the_record",
            rejects_counts_far_from_the_record,
        ),
    ];
    counting.chain(others).collect()
}

/// Whether the compiler or valgrind differ from those of the record; another compiler generates other code.
fn other_versions() -> Option<&'static str> {
    let is_other = Recorded::read().is_ok_and(|recorded| recorded.versions != versions());
    is_other.then_some("the record is of another compiler or another valgrind")
}

/// Why instructions cannot be counted on this machine.
fn obstacle() -> Option<&'static str> {
    let obstacles = [
        (
            !is_compiled_as_usual(),
            "this is not the dev profile with incremental compilation",
        ),
        (
            !has_registers_of_256_bits(),
            "the processor lacks AVX2 or FMA",
        ),
        (version_of("valgrind").is_err(), "valgrind is not installed"),
    ];
    let mut present = obstacles.into_iter().filter(|(is_present, _)| *is_present);
    present.next().map(|(_, obstacle)| obstacle)
}

/// Whether this is the dev profile with incremental compilation. Otherwise other functions are inlined, and some
/// kernels take a sixth more instructions.
fn is_compiled_as_usual() -> bool {
    let incremental = std::env::var("CARGO_INCREMENTAL");
    cfg!(debug_assertions) && incremental.as_deref() != Ok("0")
}

#[cfg(target_arch = "x86_64")]
fn has_registers_of_256_bits() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_registers_of_256_bits() -> bool {
    false
}

fn is_as_recorded(kernel: &str) -> Result<(), Failed> {
    let recorded = Recorded::read()?;
    compare(kernel, recorded.count(kernel), count(kernel)?)
        .map_err(|complaint| format!("{complaint}\n{ADVICE}{HOW_TO_RECORD}").into())
}

/// The reason to reject a count, if any.
fn compare(kernel: &str, recorded: Option<u64>, found: u64) -> Result<(), String> {
    let Some(recorded) = recorded else {
        return Err(format!("{kernel}: {found} instructions, no record"));
    };
    let ratio = found as f64 / recorded as f64;
    if (ratio - 1.0).abs() <= TOLERANCE {
        return Ok(());
    }
    let judgement = if ratio > 1.0 { "slower" } else { "faster" };
    Err(format!(
        "{kernel} became {judgement}: {found} instructions, recorded {recorded}, ratio {ratio:.3}"
    ))
}

fn rejects_counts_far_from_the_record() -> Result<(), Failed> {
    for found in [1_049, 1_000, 951] {
        compare("a", Some(1_000), found)?;
    }
    let refused = [
        (Some(1_000), 1_051, "a became slower"),
        (Some(1_000), 949, "a became faster"),
        (None, 1_000, "no record"),
    ];
    for (recorded, found, expected) in refused {
        let complaint = compare("a", recorded, found).err().unwrap_or_default();
        if !complaint.contains(expected) {
            return Err(format!("{found}: expected '{expected}', found '{complaint}'").into());
        }
    }
    Ok(())
}

fn all_kernels_and_no_others_are_recorded(kernels: &[String]) -> Result<(), Failed> {
    let recorded = Recorded::read()?;
    let names: Vec<&String> = recorded.counts.iter().map(|(name, _)| name).collect();
    if names == kernels.iter().collect::<Vec<_>>() {
        return Ok(());
    }
    Err(
        format!("the kernels are {kernels:?}, the record has {names:?}\n{ADVICE}{HOW_TO_RECORD}")
            .into(),
    )
}

/// The content of `instructions.txt`.
struct Recorded {
    /// The versions of the compiler and of valgrind.
    versions: Vec<String>,
    counts: Vec<(String, u64)>,
}

impl Recorded {
    fn path() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.txt")
    }

    fn read() -> Result<Self, Failed> {
        let path = Self::path();
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}\n{HOW_TO_RECORD}", path.display()))?;
        let (comments, lines): (Vec<&str>, Vec<&str>) = text
            .lines()
            .filter(|line| !line.is_empty())
            .partition(|line| line.starts_with('#'));
        let versions = comments
            .iter()
            .filter_map(|comment| comment.strip_prefix("# with: "));
        let counts = lines.iter().map(|line| parse(line));
        Ok(Self {
            versions: versions.map(str::to_owned).collect(),
            counts: counts.collect::<Result<_, _>>()?,
        })
    }

    fn write(&self) -> std::io::Result<()> {
        let mut text = format!(
            "# Instructions of each kernel of src/bin/kernels.rs in the dev profile, counted by callgrind.\n\
             # tests/instructions.rs compares them with the current counts. To record them again:\n\
             # {HOW_TO_RECORD}\n"
        );
        for version in &self.versions {
            let _ = writeln!(text, "# with: {version}");
        }
        for (name, count) in &self.counts {
            let _ = writeln!(text, "{name} {count}");
        }
        std::fs::write(Self::path(), text)
    }

    fn count(&self, kernel: &str) -> Option<u64> {
        let line = self.counts.iter().find(|(name, _)| name == kernel);
        line.map(|&(_, count)| count)
    }
}

fn parse(line: &str) -> Result<(String, u64), Failed> {
    let parsed = line.split_once(' ').and_then(|(name, count)| {
        let count = count.parse().ok()?;
        Some((name.to_owned(), count))
    });
    parsed.ok_or_else(|| {
        format!("instructions.txt: expected a name and a number, found '{line}'").into()
    })
}

fn record() -> ExitCode {
    let recorded = match obstacle() {
        Some(obstacle) => Err(obstacle.into()),
        None => count_all().and_then(|recorded| Ok(recorded.write()?)),
    };
    let Err(failure) = recorded else {
        return ExitCode::SUCCESS;
    };
    eprintln!(
        "nothing was recorded: {}",
        failure.message().unwrap_or_default()
    );
    ExitCode::FAILURE
}

fn count_all() -> Result<Recorded, Failed> {
    let mut counts = Vec::new();
    for kernel in kernels()? {
        let count = count(&kernel)?;
        println!("{kernel} {count}");
        counts.push((kernel, count));
    }
    Ok(Recorded {
        versions: versions(),
        counts,
    })
}

/// The names of all kernels, as the binary lists them.
fn kernels() -> Result<Vec<String>, Failed> {
    let listed = output(&mut Command::new(BINARY))?;
    Ok(listed.lines().map(str::to_owned).collect())
}

/// The instructions of a kernel, without preparation and one-time initialisation.
fn count(kernel: &str) -> Result<u64, Failed> {
    let (once, twice) = (count_run(kernel, 1)?, count_run(kernel, 2)?);
    let difference = twice.checked_sub(once);
    difference.ok_or_else(|| format!("{kernel}: two repetitions took less than one").into())
}

/// The instructions of a whole run with the given number of repetitions.
fn count_run(kernel: &str, repetitions: usize) -> Result<u64, Failed> {
    let folder = tempfile::tempdir()?;
    let profile = folder.path().join("callgrind.out");
    output(
        Command::new("valgrind")
            .arg("--tool=callgrind")
            .arg(format!("--callgrind-out-file={}", profile.display()))
            .args([BINARY, kernel, &repetitions.to_string()]),
    )?;
    let text = std::fs::read_to_string(&profile)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    let total = total.and_then(|total| total.trim().parse().ok());
    total.ok_or_else(|| format!("{kernel}: callgrind wrote no total").into())
}

/// The versions of the compiler and of valgrind.
fn versions() -> Vec<String> {
    let versions = ["rustc", "valgrind"].map(|program| {
        let version = version_of(program);
        version.unwrap_or_else(|_| format!("{program} of an unknown version"))
    });
    versions.into()
}

fn version_of(program: &str) -> Result<String, Failed> {
    let version = output(Command::new(program).arg("--version"))?;
    Ok(version.trim().to_owned())
}

/// The standard output of a command, which must succeed.
fn output(command: &mut Command) -> Result<String, Failed> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {}\n{complaint}", output.status).into())
}
