//! Fetching invented data sets from servers of every kind.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::Duration;

use tempfile::TempDir;

use mmoc::Silent;

use super::invented::{Invented, invented};
use super::server::{Files, Reply, Request, Server};
use super::{CatalogueError, Client, DatasetCache, KnownDataset, digest};

/// What counts as a stall where the server is to stall, and where it is not, however busy the machine.
const IMPATIENT: Duration = Duration::from_millis(200);
const PATIENT: Duration = Duration::from_secs(60);

/// What a server has of the data set.
fn served(set: &Invented) -> Files {
    vec![
        ("/birds/birds.arff".into(), set.rows.clone()),
        ("/birds/birds.xml".into(), set.xml.clone()),
    ]
}

/// A cache in a temporary folder.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join("birds").join(file)
    }

    fn put(&self, file: &str, contents: &[u8]) {
        fs::create_dir_all(self.path("")).unwrap();
        fs::write(self.path(file), contents).unwrap();
    }

    fn get(&self, base: &str, entry: &KnownDataset) -> Result<usize, CatalogueError> {
        self.get_within(PATIENT, base, entry)
    }

    fn get_within(
        &self,
        timeout: Duration,
        base: &str,
        entry: &KnownDataset,
    ) -> Result<usize, CatalogueError> {
        let client = Client::new(timeout, None);
        let cache = DatasetCache {
            folder: self.0.path(),
            client: &client,
            base,
            pause: Duration::from_millis(1),
        };
        Ok(cache.fetch(entry, &Silent)?.files)
    }

    /// The files of the data set, without the lock.
    fn files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path("")) else {
            return Vec::new();
        };
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
        names.retain(|name| name != ".lock");
        names.sort();
        names
    }

    /// All files are there and right, and nothing else is.
    fn assert_complete(&self, set: &Invented) {
        assert_eq!(self.files(), ["birds.arff", "birds.xml"]);
        assert_same(&self.path("birds.arff"), &set.rows);
        assert_same(&self.path("birds.xml"), &set.xml);
    }
}

fn assert_same(path: &Path, expected: &[u8]) {
    assert!(fs::read(path).unwrap() == expected, "{}", path.display());
}

/// A server whose answers for the rows are spoilt, by the number of the request.
fn spoilt(set: &Invented, spoil: impl Fn(usize, Reply) -> Reply + Send + Sync + 'static) -> Server {
    Server::spoilt(served(set), move |number, request: &Request, reply| {
        if request.path == "/birds/birds.arff" {
            spoil(number, reply)
        } else {
            reply
        }
    })
}

/// The message of a `get` that must fail without leaving a file, even a part.
fn failure_without_trace(set: &Invented, server: &Server) -> String {
    let home = Home::new();
    let failure = home.get(&server.url(), &set.entry).unwrap_err();
    assert_eq!(home.files(), Vec::<String>::new(), "{failure:?}");
    assert!(failure.to_string().contains("birds.arff"), "{failure:?}");
    assert!(failure.to_string().contains(&server.url()), "{failure:?}");
    failure.to_string()
}

#[test]
fn all_files_are_fetched_once_and_not_again() {
    let (set, home) = (invented(), Home::new());
    let server = Server::honest(served(&set));
    assert_eq!(home.get(&server.url(), &set.entry).unwrap(), 2);
    home.assert_complete(&set);
    let url = server.url();
    drop(server);
    assert_eq!(home.get(&url, &set.entry).unwrap(), 0);
    home.assert_complete(&set);
}

#[test]
fn a_complete_cache_is_not_written_to() {
    let (set, home) = (invented(), Home::new());
    home.put("birds.arff", &set.rows);
    home.put("birds.xml", &set.xml);
    assert_eq!(home.get("http://127.0.0.1:1", &set.entry).unwrap(), 0);
    assert!(!home.path(".lock").exists());
}

#[test]
fn a_part_left_over_is_completed_by_asking_for_the_rest() {
    let (set, home) = (invented(), Home::new());
    let server = Server::honest(served(&set));
    home.put("birds.arff.part", &set.rows[..40_000]);
    home.get(&server.url(), &set.entry).unwrap();
    home.assert_complete(&set);
    assert_eq!(server.offsets(), [Some(40_000), None]);
}

#[test]
fn a_part_that_is_whole_is_not_asked_for() {
    let (set, home) = (invented(), Home::new());
    let server = Server::honest(served(&set));
    home.put("birds.arff.part", &set.rows);
    home.get(&server.url(), &set.entry).unwrap();
    home.assert_complete(&set);
    assert_eq!(server.requests()[0].path, "/birds/birds.xml");
}

#[test]
fn a_wrong_part_left_over_is_thrown_away_and_the_file_fetched_anew() {
    for length in [40_000, 100_000, 100_001] {
        let (set, home) = (invented(), Home::new());
        let server = Server::honest(served(&set));
        home.put("birds.arff.part", &vec![7; length]);
        home.get(&server.url(), &set.entry).unwrap();
        home.assert_complete(&set);
    }
}

#[test]
fn a_damaged_file_is_replaced() {
    let (set, home) = (invented(), Home::new());
    let server = Server::honest(served(&set));
    let mut damaged = set.rows.clone();
    damaged[5] ^= 1;
    for contents in [&damaged[..], &damaged[..10]] {
        home.put("birds.arff", contents);
        home.put("birds.xml", &set.xml);
        assert_eq!(home.get(&server.url(), &set.entry).unwrap(), 1);
        home.assert_complete(&set);
    }
}

#[test]
fn a_connection_that_ends_early_is_continued_where_it_ended() {
    let (set, home) = (invented(), Home::new());
    let server = spoilt(&set, |_, reply| reply.cut_at(30_000));
    home.get(&server.url(), &set.entry).unwrap();
    home.assert_complete(&set);
    let offsets = [None, Some(30_000), Some(60_000), Some(90_000), None];
    assert_eq!(server.offsets(), offsets);
}

/// A server that falls silent after 30 kB of the rows, and later after `more` bytes of the rest.
fn stalling(set: &Invented, more: usize) -> Server {
    Server::spoilt(served(set), move |_, request, reply| {
        match (request.path.as_str(), request.from) {
            ("/birds/birds.arff", None) => reply.cut_at(30_000).stalling(),
            ("/birds/birds.arff", Some(_)) => reply.cut_at(more).stalling(),
            _ => reply,
        }
    })
}

#[test]
fn a_connection_that_stalls_is_continued_where_it_stalled() {
    let (set, home) = (invented(), Home::new());
    let server = stalling(&set, usize::MAX);
    home.get_within(IMPATIENT, &server.url(), &set.entry)
        .unwrap();
    home.assert_complete(&set);
    assert!(server.offsets().contains(&Some(30_000)));
}

#[test]
fn a_server_that_always_stalls_is_given_up_but_its_bytes_are_kept() {
    let (set, home) = (invented(), Home::new());
    let server = stalling(&set, 0);
    let failure = home
        .get_within(IMPATIENT, &server.url(), &set.entry)
        .unwrap_err();
    assert!(failure.to_string().contains("timeout"), "{failure:?}");
    assert_eq!(home.files(), ["birds.arff.part"]);
    assert_same(&home.path("birds.arff.part"), &set.rows[..30_000]);
}

#[test]
fn a_server_that_ignores_offsets_starts_the_file_anew() {
    let (set, home) = (invented(), Home::new());
    let whole = set.rows.clone();
    let server = spoilt(&set, move |_, _| Reply::whole(&whole));
    home.put("birds.arff.part", &vec![7; 40_000]);
    home.get(&server.url(), &set.entry).unwrap();
    home.assert_complete(&set);
    assert_eq!(server.offsets(), [Some(40_000), None]);
}

#[test]
fn a_file_that_is_started_anew_keeps_nothing_of_the_longer_part_before() {
    let (set, home) = (invented(), Home::new());
    let whole = set.rows.clone();
    let server = spoilt(&set, move |number, reply| match number {
        0 => Reply::whole(&whole).cut_at(30_000),
        _ => reply,
    });
    home.put("birds.arff.part", &vec![7; 40_000]);
    home.get(&server.url(), &set.entry).unwrap();
    home.assert_complete(&set);
    assert_eq!(server.offsets(), [Some(40_000), Some(30_000), None]);
}

#[test]
fn a_server_that_ignores_offsets_and_always_ends_early_is_given_up() {
    let (set, home) = (invented(), Home::new());
    let whole = set.rows.clone();
    let server = spoilt(&set, move |_, _| Reply::whole(&whole).cut_at(30_000));
    assert!(home.get(&server.url(), &set.entry).is_err());
    assert_eq!(home.files(), ["birds.arff.part"]);
}

#[test]
fn a_server_that_refuses_the_offset_is_asked_for_the_whole() {
    for refusal in [
        Reply::status(416),
        Reply::part(&vec![7; 100_000], 10),
        Reply::part(&vec![7; 100_000], 40_000).without("Content-Range"),
    ] {
        let (set, home) = (invented(), Home::new());
        let server = spoilt(&set, move |number, reply| match number {
            0 => refusal.clone(),
            _ => reply,
        });
        home.put("birds.arff.part", &set.rows[..40_000]);
        home.get(&server.url(), &set.entry).unwrap();
        home.assert_complete(&set);
        assert_eq!(server.offsets(), [Some(40_000), None, None]);
    }
}

#[test]
fn a_changed_byte_leaves_no_file_and_both_digests_are_told() {
    let set = invented();
    let server = spoilt(&set, |_, mut reply| {
        reply.body[50_000] ^= 1;
        reply
    });
    let message = failure_without_trace(&set, &server);
    let mut changed = set.rows.clone();
    changed[50_000] ^= 1;
    let found = digest::of(&changed[..]).unwrap();
    for sum in [set.entry.arff[0].sha256, &found] {
        assert!(message.contains(sum), "{message}");
    }
}

#[test]
fn a_longer_file_is_refused_whether_its_length_is_announced_or_not() {
    for announced in [true, false] {
        let set = invented();
        let server = spoilt(&set, move |_, mut reply| {
            reply.body.extend([0; 1000]);
            let reply = Reply::whole(&reply.body);
            if announced {
                reply
            } else {
                reply.without("Content-Length").stalling()
            }
        });
        let message = failure_without_trace(&set, &server);
        assert!(message.contains("longer"), "{message}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn a_longer_file_that_is_announced_is_refused_before_its_bytes_come() {
    let (set, home) = (invented(), Home::new());
    let longer = Reply::whole(&vec![7; 100_001]).cut_at(0).stalling();
    let server = spoilt(&set, move |_, _| longer.clone());
    let failure = home
        .get_within(IMPATIENT, &server.url(), &set.entry)
        .unwrap_err();
    assert!(failure.to_string().contains("longer"), "{failure:?}");
}

#[test]
fn a_length_announced_too_small_is_made_up_by_another_request() {
    let (set, home) = (invented(), Home::new());
    let server = spoilt(&set, |number, reply| match number {
        0 => reply.with("Content-Length", &99_000),
        _ => reply,
    });
    home.get(&server.url(), &set.entry).unwrap();
    home.assert_complete(&set);
    assert_eq!(server.offsets(), [None, Some(99_000), None]);
}

#[test]
fn a_shorter_file_is_given_up_with_the_bytes_that_came() {
    let (set, home) = (invented(), Home::new());
    let short = set.rows[..99_000].to_vec();
    let files = vec![("/birds/birds.arff".into(), short)];
    let server = Server::honest(files);
    let failure = home.get(&server.url(), &set.entry).unwrap_err();
    let expected = "99000 of 100000 bytes";
    assert!(failure.to_string().contains(expected), "{failure:?}");
}

#[test]
fn a_file_without_an_announced_length_is_taken() {
    let (set, home) = (invented(), Home::new());
    let server = spoilt(&set, |_, reply| reply.without("Content-Length"));
    home.get(&server.url(), &set.entry).unwrap();
    home.assert_complete(&set);
}

#[test]
fn a_redirection_is_followed_with_its_offset() {
    let (set, home) = (invented(), Home::new());
    let mut files = served(&set);
    files[0].0 = "/elsewhere".into();
    let server = Server::spoilt(files, |_, request, reply| match request.path.as_str() {
        "/birds/birds.arff" => Reply::status(302).with("Location", &"/elsewhere"),
        _ => reply,
    });
    home.put("birds.arff.part", &set.rows[..40_000]);
    home.get(&server.url(), &set.entry).unwrap();
    home.assert_complete(&set);
    assert_eq!(server.requests()[1].path, "/elsewhere");
    assert_eq!(server.requests()[1].from, Some(40_000));
}

#[test]
fn a_missing_file_is_asked_for_once_and_its_status_told() {
    let set = invented();
    let server = spoilt(&set, |_, _| Reply::status(404));
    let message = failure_without_trace(&set, &server);
    assert!(message.contains("404"), "{message}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn an_error_of_the_server_is_asked_about_again_before_its_status_is_told() {
    let set = invented();
    let server = spoilt(&set, |_, _| Reply::status(503));
    let message = failure_without_trace(&set, &server);
    assert!(message.contains("503"), "{message}");
    assert!(server.requests().len() > 1);

    let home = Home::new();
    let server = spoilt(&set, |number, reply| match number {
        0 => Reply::status(503),
        _ => reply,
    });
    home.get(&server.url(), &set.entry).unwrap();
    home.assert_complete(&set);
}

#[test]
fn a_server_that_does_not_speak_tls_is_a_failure() {
    let set = invented();
    let server = Server::honest(served(&set));
    let url = server.url().replace("http:", "https:");
    let failure = Home::new().get(&url, &set.entry).unwrap_err();
    assert!(failure.to_string().contains(&url), "{failure:?}");
}

#[test]
fn nobody_listening_is_a_failure_that_says_where() {
    let set = invented();
    let server = Server::honest(Vec::new());
    let url = server.url();
    drop(server);
    let home = Home::new();
    let failure = home.get(&url, &set.entry).unwrap_err();
    assert!(failure.to_string().contains(&url), "{failure:?}");
}

#[test]
fn of_several_at_once_one_fetches_and_the_others_wait() {
    let (set, home) = (invented(), Home::new());
    let server = spoilt(&set, |_, reply| reply.cut_at(30_000));
    let start = Barrier::new(4);
    std::thread::scope(|scope| {
        let get = || {
            start.wait();
            home.get(&server.url(), &set.entry).unwrap()
        };
        let gets: Vec<_> = (0..4).map(|_| scope.spawn(get)).collect();
        let mut fetched: Vec<usize> = gets.into_iter().map(|get| get.join().unwrap()).collect();
        fetched.sort_unstable();
        assert_eq!(fetched, [0, 0, 0, 2]);
    });
    home.assert_complete(&set);
    assert_eq!(server.requests().len(), 5);
}
