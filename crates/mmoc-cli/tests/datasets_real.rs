//! `mmoc datasets` with the public data sets, served from the copy that is found; otherwise every trial
//! is ignored, by name.

mod common;

use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use common::server::{Files, Reply, Request, Server};
use common::{BINARY, Folder, Outcome, real_data};
use libtest_mimic::{Arguments, Trial};
use serde_json::Value;

/// What is tested, by its name.
type Check = (&'static str, fn(&Path));

const CHECKS: &[Check] = &[
    ("the_copy_is_the_known_one", the_copy_is_the_known_one),
    (
        "sizes_are_those_that_inspect_counts",
        sizes_are_those_that_inspect_counts,
    ),
    (
        "the_paper_has_as_many_rows_as_the_preparation_leaves",
        the_preparation_leaves_so_many_rows,
    ),
    (
        "get_fetches_once_and_then_needs_no_network",
        get_fetches_once,
    ),
    (
        "a_killed_get_is_completed_by_the_next",
        a_killed_get_is_completed,
    ),
    (
        "gets_at_the_same_time_fetch_each_file_once",
        gets_at_the_same_time,
    ),
    ("a_damaged_cache_is_mended", a_damaged_cache_is_mended),
    ("redirections_are_followed", redirections_are_followed),
    (
        "the_examples_of_get_do_what_they_say",
        the_examples_of_get_succeed,
    ),
];

/// Seconds that count as a stall; pauses between attempts are a small part of it.
const TIMEOUT: &str = "6";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = CHECKS.iter().map(|&(name, check)| match real_data() {
        Some(data) => Trial::test(name, move || {
            check(&data);
            Ok(())
        }),
        None => Trial::test(name, || Ok(())).with_ignored_flag(true),
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// All sets as `info` describes them.
fn infos(folder: &Folder) -> Vec<Value> {
    let listing = folder.json("datasets list");
    let sets = listing["datasets"].as_array().expect("a list");
    let name = |set: &Value| set["name"].as_str().expect("a name").to_owned();
    let info = |set| folder.json(&format!("datasets info {}", name(set)));
    sets.iter().map(info).collect()
}

/// The files of all sets at the paths at which they are asked for.
fn served(data: &Path) -> Files {
    let mut files = Files::new();
    for info in infos(&Folder::empty()) {
        let set = info["name"].as_str().expect("a name");
        for file in info["files"].as_array().expect("a list") {
            let name = file["name"].as_str().expect("a name");
            let contents = std::fs::read(data.join(name)).expect("the copy is complete");
            files.push((format!("/{set}/{name}"), contents));
        }
    }
    files
}

fn get(folder: &Folder, names: &str, url: &str) -> Outcome {
    folder.run(&format!(
        "datasets get {names} --timeout {TIMEOUT} --base {url}"
    ))
}

/// The files of a set are in the cache, as they are in the copy, and nothing else is but the lock.
fn assert_cached(folder: &Folder, data: &Path, set: &str, files: &[&str]) {
    let cache = folder.path(&format!("cache/datasets/{set}"));
    let entries = std::fs::read_dir(&cache).expect("the cache has the set");
    assert_eq!(entries.count(), files.len() + 1);
    for file in files {
        let found = std::fs::read(cache.join(file)).expect("the file is in the cache");
        let expected = std::fs::read(data.join(file)).expect("the file is in the copy");
        assert!(found == expected, "{file}");
    }
}

fn the_copy_is_the_known_one(data: &Path) {
    let folder = Folder::empty();
    let listing = folder.json(&format!("datasets list --data {}", data.display()));
    for set in listing["datasets"].as_array().expect("a list") {
        assert_eq!(set["known"], true, "{set}");
        assert_eq!(set["found"], "data_folder", "{set}");
    }
}

/// What `inspect` says of the files of a set.
fn inspect(folder: &Folder, data: &Path, info: &Value, options: &str) -> Value {
    let names = info["files"].as_array().expect("a list");
    let names = names.iter().filter_map(|file| file["name"].as_str());
    let paths = names
        .filter(|name| name.ends_with("arff"))
        .map(|name| data.join(name).display().to_string());
    let paths: Vec<String> = paths.collect();
    folder.json(&format!("inspect {} {options}", paths.join(" ")))
}

fn sizes_are_those_that_inspect_counts(data: &Path) {
    let folder = Folder::empty();
    for info in infos(&folder) {
        let counted = inspect(&folder, data, &info, "");
        for key in ["rows", "features", "labels"] {
            assert_eq!(counted[key], info[key], "{} {key}", info["name"]);
        }
    }
}

fn the_preparation_leaves_so_many_rows(data: &Path) {
    let folder = Folder::empty();
    for info in infos(&folder) {
        let preparation = &info["in_the_paper"];
        if preparation.is_null() {
            continue;
        }
        let top = preparation["top_labels"].as_u64();
        let top = top.map(|count| format!("--top-labels {count}"));
        let drop = (preparation["drop_empty_rows"] == true).then_some("--drop-empty-rows");
        let options = [top.as_deref(), drop]
            .map(Option::unwrap_or_default)
            .join(" ");
        let counted = inspect(&folder, data, &info, &options);
        assert_eq!(counted["rows"], preparation["rows"], "{}", info["name"]);
    }
}

fn get_fetches_once(data: &Path) {
    let folder = Folder::empty();
    let server = Server::honest(served(data));
    let url = server.url();
    let first = get(&folder, "flags emotions flags", &url).succeeded();
    assert_eq!(first.stdout.matches("2 files fetched").count(), 2);
    assert_eq!(server.requests().len(), 4);
    drop(server);
    let second = get(&folder, "emotions flags", &url).succeeded();
    assert_eq!(second.stdout.matches("already in").count(), 2);
    assert_eq!(second.stderr, "");
    assert_cached(&folder, data, "flags", &["flags.arff", "flags.xml"]);
    let files = ["emotions.arff", "emotions.xml"];
    assert_cached(&folder, data, "emotions", &files);
    let listing = folder.json("datasets list");
    assert_eq!(listing["datasets"][0]["found"], "cache");
}

/// Starts a `get` of emotions that nobody waits for.
fn start_get(folder: &Folder, url: &str) -> Child {
    let mut command = folder.command(BINARY);
    command.args([
        "datasets",
        "get",
        "emotions",
        "--base",
        url,
        "--timeout",
        TIMEOUT,
    ]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the binary starts")
}

fn running(child: &mut Child) -> bool {
    child.try_wait().expect("it can be asked").is_none()
}

fn a_killed_get_is_completed(data: &Path) {
    const BEFORE_SILENCE: usize = 200_000;
    let folder = Folder::empty();
    let server = Server::spoilt(served(data), |number, _, reply| match number {
        0 => reply.cut_at(BEFORE_SILENCE).stalling(),
        _ => reply,
    });
    let mut child = start_get(&folder, &server.url());
    let part = folder.path("cache/datasets/emotions/emotions.arff.part");
    let length = || std::fs::metadata(&part).map_or(0, |metadata| metadata.len());
    while length() < BEFORE_SILENCE as u64 && running(&mut child) {
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it has ended");
    assert!(
        !part.with_extension("").exists(),
        "no file before it is whole"
    );
    get(&folder, "emotions", &server.url()).succeeded();
    let files = ["emotions.arff", "emotions.xml"];
    assert_cached(&folder, data, "emotions", &files);
    assert_eq!(server.offsets(), [None, Some(BEFORE_SILENCE), None]);
}

fn gets_at_the_same_time(data: &Path) {
    let folder = Folder::empty();
    // Short pieces, so that the processes are there together.
    let server = Server::spoilt(served(data), |_, _, reply| reply.cut_at(100_000));
    let gets = (0..4).map(|_| start_get(&folder, &server.url()));
    let mut gets: Vec<Child> = gets.collect();
    for get in &mut gets {
        assert!(get.wait().expect("it ends").success());
    }
    let files = ["emotions.arff", "emotions.xml"];
    assert_cached(&folder, data, "emotions", &files);
    let pieces = [None, Some(100_000), Some(200_000), Some(300_000), None];
    assert_eq!(server.offsets(), pieces);
}

fn a_damaged_cache_is_mended(data: &Path) {
    let folder = Folder::empty();
    let server = Server::honest(served(data));
    get(&folder, "flags", &server.url()).succeeded();
    let file = folder.path("cache/datasets/flags/flags.arff");
    let mut contents = std::fs::read(&file).expect("it was fetched");
    contents[100] ^= 1;
    std::fs::write(&file, contents).expect("it can be written to");
    let told = folder.run("datasets info flags").succeeded();
    assert!(told.stderr.contains("damaged"), "{told:?}");
    get(&folder, "flags", &server.url()).succeeded();
    assert_cached(&folder, data, "flags", &["flags.arff", "flags.xml"]);
    assert_eq!(server.requests().len(), 3, "only the damaged file again");
}

fn redirections_are_followed(data: &Path) {
    let folder = Folder::empty();
    let elsewhere = Server::honest(served(data));
    let there = elsewhere.url();
    let server = Server::spoilt(Files::new(), move |_, request: &Request, _| {
        Reply::status(301).with("Location", &format!("{there}{}", request.path))
    });
    get(&folder, "flags", &server.url()).succeeded();
    assert_cached(&folder, data, "flags", &["flags.arff", "flags.xml"]);
}

fn the_examples_of_get_succeed(data: &Path) {
    let folder = Folder::empty();
    let server = Server::honest(served(data));
    let help = folder.output("datasets get --help");
    let (_, examples) = help.split_once("Examples:\n").expect("examples");
    assert!(examples.lines().count() >= 2, "{examples}");
    for line in examples.lines() {
        let mut command = folder.command(BINARY);
        command.args(line.split_ascii_whitespace().skip(1));
        let outcome = Outcome::of(command.env("MMOC_DATASETS_URL", server.url())).succeeded();
        assert_eq!(outcome.stderr, "", "{line}");
    }
}
