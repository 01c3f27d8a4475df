//! Killed at any moment: target files are as they were, or whole, and the next run succeeds with the same bytes.

mod common;

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::listing::{Entry, listing};
use common::small::Small;
use common::{BINARY, Folder, without_times};

/// Moments spread over the time that an undisturbed run takes, one at random in each of `count` equal parts.
struct Moments {
    whole: Duration,
    count: u32,
    chance: u32,
}

impl Moments {
    /// Of the middle one of three runs.
    fn of(count: u32, run: impl Fn()) -> Self {
        let mut times = [(); 3].map(|()| {
            let start = Instant::now();
            run();
            start.elapsed()
        });
        times.sort();
        Self {
            whole: times[1],
            count,
            chance: 0x5EED,
        }
    }

    fn moment(&mut self, index: u32) -> Duration {
        self.chance = self
            .chance
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        let share = f64::from(self.chance) / f64::from(u32::MAX);
        self.whole
            .mul_f64((f64::from(index) + share) / f64::from(self.count))
    }

    /// Calls `check` after each kill; how many of them found the process still running.
    fn kill(&mut self, folder: &Folder, arguments: &str, mut check: impl FnMut(u32)) -> u32 {
        let mut found = 0;
        for index in 0..self.count {
            let moment = self.moment(index);
            let mut command = folder.command(BINARY);
            command.args(arguments.split(' '));
            let mut child = command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(moment);
            child.kill().unwrap();
            found += u32::from(child.wait().unwrap().code().is_none());
            check(index);
        }
        found
    }
}

/// Kills a command that writes one file, half of the times over an old one; the file is never anything but absent, old
/// or new, and a run after each kill makes it new and leaves nothing else.
fn kill_writer(folder: &Folder, count: u32, target: &str, arguments: &str, old: &[u8]) {
    let path = folder.path(target);
    folder.run(arguments).succeeded();
    let new = std::fs::read(&path).unwrap();
    assert_ne!(new, old);
    let whole = listing(&folder.path(""));
    let mut moments = Moments::of(count, || drop(folder.run(arguments).succeeded()));
    let prepare = |index: u32| match index % 2 {
        0 => std::fs::remove_file(&path).unwrap(),
        _ => std::fs::write(&path, old).unwrap(),
    };
    prepare(0);
    let found = moments.kill(folder, arguments, |index| {
        match std::fs::read(&path) {
            Ok(bytes) if bytes == new => (),
            Ok(bytes) => assert!(index % 2 == 1 && bytes == old, "{} bytes", bytes.len()),
            Err(_) => assert_eq!(index % 2, 0, "the old file is gone"),
        }
        folder.run(arguments).succeeded();
        assert!(listing(&folder.path("")) == whole, "after kill {index}");
        prepare(index + 1);
    });
    assert!(
        found >= count / 4,
        "only {found} of {count} kills came in time"
    );
}

#[test]
fn training_killed_at_any_moment_leaves_a_whole_model_or_the_old_one() {
    let small = Small::new(150, 8, 4);
    let folder = Folder::with(&[("t.csv", small.table(","))]);
    let train = |method: &str| format!("train t.csv --labels mood_* --method {method} -o m.mmoc");
    folder.run(&train("br")).succeeded();
    let old = std::fs::read(folder.path("m.mmoc")).unwrap();
    kill_writer(&folder, 80, "m.mmoc", &train("max-margin"), &old);
}

#[test]
fn prediction_killed_at_any_moment_leaves_whole_files() {
    let small = Small::new(3000, 8, 4);
    let folder = Folder::with(&[("t.csv", small.table(","))]);
    folder
        .run("train t.csv --labels mood_* --method br -o m.mmoc")
        .succeeded();
    kill_writer(
        &folder,
        80,
        "p.jsonl",
        "predict m.mmoc t.csv --proba -o p.jsonl",
        b"old",
    );
}

#[test]
fn an_experiment_killed_at_any_moment_loses_nothing() {
    const REPRODUCE: &str =
        "reproduce --synthetic --dataset emotions --method br --method coding-pca --runs 2";
    let folder = Folder::empty();
    let run = |out: &str| {
        let outcome = folder.run(&format!("{REPRODUCE} --out {out}")).succeeded();
        without_times(&outcome.stdout)
    };
    let whole = run("whole");
    let names = |out: &str| -> Vec<_> {
        let root = folder.path(out);
        let paths = listing(&root).into_keys();
        paths
            .map(|path| path.strip_prefix(&root).unwrap().to_owned())
            .collect()
    };
    let expected = names("whole");
    let clear = |out: &str| {
        if folder.path(out).exists() {
            std::fs::remove_dir_all(folder.path(out)).unwrap();
        }
    };
    let mut moments = Moments::of(40, || {
        clear("timed");
        run("timed");
    });
    let arguments = format!("{REPRODUCE} --out out");
    let found = moments.kill(&folder, &arguments, |index| {
        check_parts(&folder.path("out"));
        // Half of the times the next kill meets what is left, otherwise it is continued and begun anew.
        if index % 2 == 1 {
            assert_eq!(run("out"), whole, "after kill {index}");
            assert_eq!(names("out"), expected, "after kill {index}");
            clear("out");
        }
    });
    assert!(found >= 10, "only {found} of 40 kills came in time");
}

/// Whatever is there under its name is whole, save the last line of the results.
fn check_parts(out: &Path) {
    if !out.exists() {
        return;
    }
    for (path, entry) in listing(out) {
        let Entry::File(bytes) = entry else {
            continue;
        };
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = || std::str::from_utf8(&bytes).unwrap();
        let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
        if name.starts_with('.') {
            continue;
        }
        let is_whole = match name.rsplit_once('.').unwrap().1 {
            "json" => is_json(text()),
            "jsonl" => {
                let whole = text().rfind('\n').map_or("", |end| &text()[..end]);
                whole.lines().all(is_json)
            }
            "html" => text().trim_end().ends_with("</html>"),
            "svg" => text().trim_end().ends_with("</svg>"),
            other => panic!("what is a file .{other}?"),
        };
        assert!(is_whole, "{}", path.display());
    }
}
