//! `mmoc datasets` without the real data: what it lists, what it refuses, and servers that serve it ill.

mod common;

use common::server::{Files, Reply, Server};
use common::{BINARY, Folder, Outcome};
use serde_json::Value;

const NAMES: [&str; 8] = [
    "emotions",
    "scene",
    "medical",
    "yeast",
    "flags",
    "cal500",
    "bibtex",
    "delicious",
];

/// The real size of flags.arff, which is what the binary looks at before the digest.
const FLAGS_SIZE: usize = 11_281;

/// Seconds that count as a stall where the server is to stall, and where it is not.
const IMPATIENT: f64 = 0.2;
const PATIENT: f64 = 3.0;

/// What a server has that was given the size of a file but not its contents.
fn impostor() -> Files {
    vec![("/flags/flags.arff".into(), vec![b'x'; FLAGS_SIZE])]
}

/// Fetches flags, which must fail at run time, in one line that names the file and the address.
fn get_fails(folder: &Folder, url: &str, timeout: f64) -> String {
    let arguments = format!("datasets get flags --timeout {timeout} --base {url}");
    let outcome = folder.run(&arguments);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert_eq!(outcome.stdout, "");
    assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
    let address = format!("error: cannot fetch flags.arff from {url}/flags/flags.arff: ");
    assert!(outcome.stderr.starts_with(&address), "{outcome:?}");
    outcome.stderr
}

/// The files of flags that are in the cache, without the lock.
fn cached(folder: &Folder) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder.path("cache/datasets/flags")) else {
        return Vec::new();
    };
    let name = |entry: std::fs::DirEntry| entry.file_name().into_string().unwrap();
    let names = entries.map(|entry| name(entry.unwrap()));
    names.filter(|name| name != ".lock").collect()
}

fn fill_cache(folder: &Folder, files: &[(&str, &[u8])]) {
    let flags = folder.path("cache/datasets/flags");
    std::fs::create_dir_all(&flags).unwrap();
    for (name, contents) in files {
        std::fs::write(flags.join(name), contents).unwrap();
    }
}

fn state<'a>(listing: &'a Value, name: &str) -> &'a Value {
    let sets = listing["datasets"].as_array().unwrap();
    sets.iter().find(|set| set["name"] == name).unwrap()
}

#[test]
fn every_set_is_listed_and_described() {
    let folder = Folder::empty();
    let listed = folder.output("datasets list");
    let json = folder.json("datasets list");
    for name in NAMES {
        assert!(listed.contains(name), "{listed}");
        let set = state(&json, name);
        assert_eq!(set["found"], Value::Null);
        let info = folder.json(&format!("datasets info {name}"));
        for key in ["rows", "features", "labels", "summary", "found"] {
            assert_eq!(info[key], set[key], "{name} {key}");
        }
        let text = folder.output(&format!("datasets info {name}"));
        for file in info["files"].as_array().unwrap() {
            for key in ["name", "sha256"] {
                assert!(text.contains(file[key].as_str().unwrap()), "{text}");
            }
        }
    }
    assert_eq!(listed.lines().count(), NAMES.len() + 1);
}

#[test]
fn the_preparation_of_the_paper_is_told() {
    let folder = Folder::empty();
    let medical = folder.json("datasets info medical");
    assert_eq!(medical["in_the_paper"]["top_labels"], 10);
    assert_eq!(medical["in_the_paper"]["drop_empty_rows"], true);
    assert_eq!(medical["in_the_paper"]["rows"], 785);
    let scene = folder.output("datasets info scene");
    assert!(scene.contains("all parts together, 2407 rows"), "{scene}");
    let yeast = folder.json("datasets info yeast");
    assert_eq!(yeast["in_the_paper"], Value::Null);
}

#[test]
fn wrong_uses_say_what_is_right() {
    let folder = Folder::with(&[("file", "")]);
    let cases = [
        ("get", "name the data sets to get: emotions, scene"),
        ("get", "paper (the three of the paper) or all"),
        ("get flag", "a similar value exists: 'flags'"),
        ("info", "<NAME>"),
        ("info all", "[possible values: emotions"),
        (
            "get flags --base ftp://x",
            "starts with https:// or http://",
        ),
        ("get flags --timeout 0", "seconds from 0.001 to 3600"),
        ("get flags --timeout -1", "seconds from 0.001 to 3600"),
        ("get flags --timeout nan", "seconds from 0.001 to 3600"),
        (
            "list --data absent",
            "--data: expected a folder, found none at 'absent'",
        ),
        (
            "list --data file",
            "--data: expected a folder, found none at 'file'",
        ),
        ("", "Usage: mmoc datasets [OPTIONS] <COMMAND>"),
    ];
    for (arguments, message) in cases {
        let outcome = folder.run(&format!("datasets {arguments}"));
        assert_eq!(outcome.code, Some(2), "{arguments} {outcome:?}");
        assert!(outcome.stderr.contains(message), "{arguments} {outcome:?}");
    }
}

#[test]
fn variables_of_the_environment_are_checked_like_options() {
    let folder = Folder::empty();
    let cases = [
        (
            "MMOC_DATA",
            "absent",
            "list",
            2,
            "MMOC_DATA: expected a folder",
        ),
        (
            "MMOC_DATASETS_URL",
            "x",
            "get flags",
            2,
            "MMOC_DATASETS_URL: expected an address",
        ),
        ("ALL_PROXY", "socks5://127.0.0.1:9", "get flags", 1, "SOCKS"),
    ];
    for (variable, value, arguments, code, message) in cases {
        let mut command = folder.command(BINARY);
        command.arg("datasets").args(arguments.split(' '));
        let outcome = Outcome::of(command.env(variable, value));
        assert_eq!(outcome.code, Some(code), "{variable} {outcome:?}");
        assert!(outcome.stderr.contains(message), "{variable} {outcome:?}");
    }
}

#[test]
fn the_servers_status_is_told() {
    for status in [404, 403, 500, 503] {
        let folder = Folder::empty();
        let server = Server::spoilt(impostor(), move |_, _, _| Reply::status(status));
        let message = get_fails(&folder, &server.url(), PATIENT);
        assert!(message.contains(&status.to_string()), "{message}");
        assert!(cached(&folder).is_empty());
    }
}

#[test]
fn wrong_bytes_leave_no_file() {
    let folder = Folder::empty();
    let server = Server::honest(impostor());
    let message = get_fails(&folder, &server.url(), PATIENT);
    assert!(message.contains("expected SHA-256 d3ed8b56"), "{message}");
    assert!(message.contains("found "), "{message}");
    assert!(cached(&folder).is_empty());
}

#[test]
fn a_longer_file_is_cut_off() {
    let folder = Folder::empty();
    let files = vec![("/flags/flags.arff".into(), vec![b'x'; FLAGS_SIZE + 1])];
    let server = Server::honest(files);
    let message = get_fails(&folder, &server.url(), PATIENT);
    assert!(message.contains("longer"), "{message}");
    assert!(cached(&folder).is_empty());
}

#[test]
fn a_stalled_server_is_given_up_and_its_bytes_are_kept() {
    let folder = Folder::empty();
    let server = Server::spoilt(impostor(), |_, request, reply| match request.from {
        None => reply.cut_at(5000).stalling(),
        Some(_) => reply.cut_at(0).stalling(),
    });
    let message = get_fails(&folder, &server.url(), IMPATIENT);
    assert!(message.contains("timeout"), "{message}");
    assert_eq!(cached(&folder), ["flags.arff.part"]);
    assert!(server.offsets().contains(&Some(5000)));
}

#[test]
fn the_address_comes_from_the_option_else_from_the_environment() {
    let folder = Folder::empty();
    let (first, second) = (Server::honest(Vec::new()), Server::honest(Vec::new()));
    let mut get = folder.command(BINARY);
    get.args(["datasets", "get", "flags"])
        .env("MMOC_DATASETS_URL", first.url() + "/mirror/");
    assert_eq!(Outcome::of(&mut get).code, Some(1));
    assert_eq!(first.requests()[0].path, "/mirror/flags/flags.arff");
    Outcome::of(get.args(["--base", &second.url()]));
    assert_eq!(first.requests().len(), 1);
    assert_eq!(second.requests()[0].path, "/flags/flags.arff");
}

#[test]
fn an_incomplete_or_damaged_cache_is_shown_with_the_remedy() {
    let folder = Folder::empty();
    fill_cache(&folder, &[("flags.arff", b"x")]);
    for problem in ["missing flags.xml", "is damaged"] {
        let listed = folder.run("datasets list").succeeded();
        assert!(listed.stdout.contains("unusable"), "{listed:?}");
        for word in [problem, "run 'mmoc datasets get flags'"] {
            assert!(listed.stderr.contains(word), "{listed:?}");
        }
        let info = folder.run("datasets info flags").succeeded();
        assert_eq!(info.stderr, listed.stderr);
        let json = folder.json("datasets list");
        let told = state(&json, "flags")["problem"].as_str().unwrap();
        assert!(told.contains(problem), "{told}");
        assert_eq!(state(&json, "emotions")["problem"], Value::Null);
        fill_cache(&folder, &[("flags.xml", b"x")]);
    }
}

#[test]
fn files_of_the_users_folder_are_taken_whatever_they_contain() {
    let folder = Folder::with(&[("flags.arff", "x"), ("flags.xml", "y")]);
    let json = folder.json("datasets list --data .");
    let flags = state(&json, "flags");
    assert_eq!(flags["found"], "data_folder");
    assert_eq!(flags["known"], false);
    let text = folder.output("datasets list --data .");
    assert!(text.contains("(other contents)"), "{text}");
}

#[test]
fn nothing_is_written_for_a_look() {
    let folder = Folder::empty();
    folder.output("datasets list");
    folder.output("datasets info flags");
    assert!(!folder.path("cache").exists());
}
