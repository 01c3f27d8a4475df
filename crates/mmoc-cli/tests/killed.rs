//! Killed at random moments: what was to be written is not there, as it was before, or complete, and a later run comes
//! out as if nothing had happened.

#![cfg(unix)]

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use common::listing::{Entry, listing};
use common::small::Small;
use common::{BINARY, Folder};
use serde_json::Value;

/// Kills of each command; 200 in all. As many times more as the other signals say it is asked to end.
const TRAIN_KILLS: usize = 80;
const PREDICT_KILLS: usize = 80;
const REPRODUCE_KILLS: usize = 40;
const OTHER_SIGNALS: [&str; 6] = ["TERM", "INT", "TERM", "INT", "TERM", "INT"];

/// The tests take turns, so that moments fall into the time that was measured.
static TURN: Mutex<()> = Mutex::new(());

/// How a process is ended, and when.
struct Blow {
    signal: &'static str,
    after: Duration,
}

impl Blow {
    /// Ends a process, unless it has ended by itself; whether it hit.
    fn strike(&self, mut child: Child) -> bool {
        std::thread::sleep(self.after);
        if self.signal == "KILL" {
            child.kill().unwrap();
        } else {
            let line = format!("kill -{} {}", self.signal, child.id());
            let sent = std::process::Command::new("sh")
                .args(["-c", &line])
                .status();
            assert!(sent.unwrap().success());
        }
        let status = child.wait().unwrap();
        assert!(status.success() || status.code().is_none(), "{status}");
        !status.success()
    }
}

/// Moments drawn evenly from a time, the same shares of it whenever the tests run (Marsaglia's xorshift).
fn blows(kills: usize, time: Duration, seed: u64) -> Vec<Blow> {
    let mut state = seed;
    let mut share = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let signals = std::iter::repeat_n("KILL", kills).chain(OTHER_SIGNALS);
    signals
        .map(|signal| Blow {
            signal,
            after: time.mul_f64(share()),
        })
        .collect()
}

/// What came of all blows.
#[derive(Debug, Default)]
struct Tally {
    blows: usize,
    /// Those that found the process alive.
    hits: usize,
    /// Those that left a file half written under another name.
    parts: usize,
}

impl Tally {
    fn add(&mut self, hit: bool, left_a_part: bool) {
        self.blows += 1;
        self.hits += usize::from(hit);
        self.parts += usize::from(left_a_part);
    }

    /// Enough moments must have been in the midst of the work for the rest to mean anything.
    fn check(&self, work: &str, time: Duration) {
        println!("{work}: {self:?}, {time:?} undisturbed");
        assert!(3 * self.hits >= self.blows, "{work}: {self:?}");
    }
}

fn start(folder: &Folder, arguments: &str) -> Child {
    let mut command = folder.command(BINARY);
    command.args(arguments.split_ascii_whitespace());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// How long a command takes, in the middle of three times.
fn measure(folder: &Folder, arguments: &str, reset: impl Fn()) -> Duration {
    let mut times = [(); 3].map(|()| {
        reset();
        let start = Instant::now();
        folder.run(arguments).succeeded();
        start.elapsed()
    });
    times.sort();
    times[1]
}

/// Files that a process was writing when it was killed.
fn parts(folder: &Path) -> Vec<PathBuf> {
    let paths = listing(folder).into_keys();
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "part"))
        .collect()
}

/// A command that writes one file.
struct Work<'a> {
    arguments: &'a str,
    target: &'a str,
    /// What it may find in its place.
    old: Vec<u8>,
    /// Whether what it has written is complete, judged by the file alone.
    is_complete: &'a dyn Fn(&Folder) -> bool,
}

impl Work<'_> {
    /// Kills it many times, half of them with an old file in place.
    fn survives(&self, folder: &Folder, kills: usize) -> Tally {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let target = folder.path(self.target);
        let time = measure(folder, self.arguments, || ());
        let whole = fs::read(&target).unwrap();
        assert!((self.is_complete)(folder) && whole != self.old);
        let mut tally = Tally::default();
        for (turn, blow) in blows(kills, time, 0x5EED).iter().enumerate() {
            let before = (turn % 2 == 1).then_some(&self.old);
            match before {
                Some(old) => fs::write(&target, old).unwrap(),
                None => fs::remove_file(&target).unwrap_or_default(),
            }
            let parts_before = parts(&folder.path("")).len();
            let hit = blow.strike(start(folder, self.arguments));
            let after = fs::read(&target).ok();
            let is_new = after.as_ref() == Some(&whole);
            let place = format!("{} {} after {:?}", blow.signal, self.arguments, blow.after);
            assert!(is_new || (hit && after.as_ref() == before), "{place}");
            assert!(!is_new || (self.is_complete)(folder), "{place}");
            tally.add(hit, parts(&folder.path("")).len() > parts_before);
        }
        tally.check(self.arguments, time);
        folder.run(self.arguments).succeeded();
        assert!(fs::read(&target).unwrap() == whole);
        assert_eq!(parts(&folder.path("")), [] as [PathBuf; 0]);
        tally
    }
}

#[test]
fn a_killed_training_leaves_the_old_model_or_the_new_one() {
    // Many numbers to write, and little to compute.
    let folder = Folder::with(&[("rows.svm", Small::new(60, 3000, 60).libsvm())]);
    let train = "train rows.svm --preset default --method coding-pca -o m.mmoc";
    folder
        .run(&format!("{train} --set projections=3"))
        .succeeded();
    let work = Work {
        arguments: train,
        target: "m.mmoc",
        old: fs::read(folder.path("m.mmoc")).unwrap(),
        is_complete: &|folder| folder.run("inspect m.mmoc").code == Some(0),
    };
    work.survives(&folder, TRAIN_KILLS);
}

#[test]
fn a_killed_prediction_leaves_the_old_file_or_all_rows() {
    const ROWS: usize = 20_000;
    let folder = Folder::with(&[
        ("rows.csv", Small::new(100, 5, 3).table(",")),
        ("many.csv", Small::new(ROWS, 5, 3).table(",")),
    ]);
    folder
        .run("train rows.csv --labels mood_* --method max-margin -o m.mmoc")
        .succeeded();
    let work = Work {
        arguments: "predict m.mmoc many.csv --proba -o out.csv",
        target: "out.csv",
        old: b"what was predicted before\n".into(),
        is_complete: &|folder| {
            let text = fs::read_to_string(folder.path("out.csv")).unwrap();
            text.lines().count() == ROWS + 1 && text.ends_with('\n')
        },
    };
    work.survives(&folder, PREDICT_KILLS);
}

/// Whether processes that are started from here end by a signal. In the background of a shell or under nohup they ignore
/// some.
fn is_heeded(signal: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_none_or(|mask| mask >> (signal - 1) & 1 == 0)
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_prediction_leaves_nothing_behind() {
    let rows = Small::new(20_000, 5, 3).table(",");
    let folder = Folder::with(&[("rows.csv", Small::new(100, 5, 3).table(","))]);
    folder
        .run("train rows.csv --labels mood_* --method br -o m.mmoc")
        .succeeded();
    let before = listing(&folder.path(""));
    let mut command = folder.command(BINARY);
    let arguments = "predict m.mmoc - --from csv --proba -o out.csv";
    command.args(arguments.split(' '));
    command.stdin(Stdio::piped()).stderr(Stdio::null());
    let signals = [("KILL", 9), ("TERM", 15), ("INT", 2), ("HUP", 1)];
    for (signal, _) in signals.into_iter().filter(|&(_, number)| is_heeded(number)) {
        let mut child = command.spawn().unwrap();
        // What comes in while standard input stays open has been predicted, but for less than the pipe and a batch hold.
        let mut input = child.stdin.take().unwrap();
        input.write_all(rows.as_bytes()).unwrap();
        assert_eq!(listing(&folder.path("")), before, "while it writes");
        let blow = Blow {
            signal,
            after: Duration::ZERO,
        };
        assert!(blow.strike(child), "{signal}");
        assert_eq!(listing(&folder.path("")), before, "{signal}");
    }
}

#[test]
fn what_killed_processes_left_is_removed_before_the_next_file_is_written() {
    let folder = Folder::with(&[("rows.csv", Small::new(100, 5, 3).table(","))]);
    folder
        .run("train rows.csv --labels mood_* --method br -o m.mmoc")
        .succeeded();
    let (stale, held) = (
        folder.path(".old.csv.7-0.part"),
        folder.path(".held.csv.8-1.part"),
    );
    fs::write(&stale, "half").unwrap();
    fs::write(&held, "half").unwrap();
    let living = fs::File::open(&held).unwrap();
    living.lock().unwrap();
    // Even a command that fails later removes what is abandoned, and leaves what others are writing.
    let outcome = folder.run("predict m.mmoc absent.csv -o new.csv");
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(!stale.exists() && held.exists());
}

const REPRODUCE: &str = "reproduce --synthetic --dataset emotions --method br --method max-margin \
                         --runs 3 --train-size 60 --out out";

/// The whole lines of results, without their timings.
fn results(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap_or_default();
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let record = |line: &str| {
        let mut record: Value = serde_json::from_str(line).expect("a whole line is a result");
        for timing in ["fit_seconds", "own_seconds", "predict_seconds"] {
            assert!(record[timing].take().as_f64().unwrap() >= 0.0);
        }
        record
    };
    text[..whole].lines().map(record).collect()
}

/// Every file is what it is in the end, as far as that does not depend on time, or not there.
fn check_experiment(folder: &Path, whole: &Folder) {
    let expected = results(&whole.path("out"));
    for record in results(folder) {
        assert!(expected.contains(&record), "{record}");
    }
    for (path, entry) in listing(folder) {
        let name = path.strip_prefix(folder).unwrap();
        let Entry::File(bytes) = entry else {
            continue;
        };
        let is_complete = match path.extension().and_then(|end| end.to_str()) {
            Some("json") => fs::read(whole.path("out").join(name)).unwrap() == bytes,
            Some("html") => bytes.trim_ascii_end().ends_with(b"</html>"),
            Some("svg") => bytes.trim_ascii_end().ends_with(b"</svg>"),
            // Lines are added to the results as they come, and the lock is empty.
            Some("jsonl" | "part") => true,
            other => other.is_none() && bytes.is_empty(),
        };
        assert!(is_complete, "{}", name.display());
    }
}

#[test]
fn a_killed_reproduction_goes_on_where_it_was() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (whole, folder) = (Folder::empty(), Folder::empty());
    let remove = |folder: &Folder| fs::remove_dir_all(folder.path("out")).unwrap_or_default();
    let time = measure(&whole, REPRODUCE, || remove(&whole));
    let expected = results(&whole.path("out"));
    let names = |folder: &Folder| {
        let root = folder.path("");
        let paths = listing(&root).into_keys();
        let names = paths.map(|path| path.strip_prefix(&root).unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let mut tally = Tally::default();
    // Two blows to each experiment, the second while it goes on.
    for pair in blows(REPRODUCE_KILLS, time, 0xB10).chunks(2) {
        remove(&folder);
        for blow in pair {
            let hit = blow.strike(start(&folder, REPRODUCE));
            if folder.path("out").exists() {
                check_experiment(&folder.path("out"), &whole);
            }
            tally.add(hit, !parts(&folder.path("")).is_empty());
        }
        folder.run(REPRODUCE).succeeded();
        assert_eq!(results(&folder.path("out")), expected);
        assert_eq!(names(&folder), names(&whole));
    }
    tally.check(REPRODUCE, time);
}
