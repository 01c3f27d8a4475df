//! Models are replaced under load without an error, and never by half a file.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Server, folder};

/// Asks until something is so.
fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_model_is_replaced_under_load_without_an_error() {
    let folder = folder();
    let names = first_columns(&folder);
    let server = Server::start(&folder, "a.mmoc --log none");
    let body = names;
    let version = || {
        server.json("/v1/models")["models"][0]["version"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let done = AtomicBool::new(false);
    let asked = std::thread::scope(|scope| {
        let ask = || {
            let mut count = 0;
            while !done.load(Ordering::Relaxed) {
                let answer =
                    server.post("/v1/models/a/predict", "application/json", body.as_bytes());
                assert_eq!(answer.status, 200, "{answer:?}");
                count += 1;
            }
            count
        };
        let workers = [scope.spawn(ask), scope.spawn(ask)];
        for other in ["b.mmoc", "a0.mmoc", "b.mmoc"] {
            let before = version();
            if !folder.path("a0.mmoc").exists() {
                std::fs::copy(folder.path("a.mmoc"), folder.path("a0.mmoc")).unwrap();
            }
            std::fs::copy(folder.path(other), folder.path("next")).unwrap();
            std::fs::rename(folder.path("next"), folder.path("a.mmoc")).unwrap();
            eventually("the other model is served", || version() != before);
        }
        done.store(true, Ordering::Relaxed);
        workers.map(|worker| worker.join().unwrap())
    });
    assert!(asked.iter().all(|&count| count > 0), "{asked:?}");
}

#[test]
fn half_a_file_does_not_replace_a_model() {
    let folder = folder();
    let server = Server::start(&folder, "a.mmoc --log none");
    let before = server.json("/v1/models");
    let other = std::fs::read(folder.path("b.mmoc")).unwrap();
    std::fs::write(folder.path("a.mmoc"), &other[..other.len() / 2]).unwrap();
    eventually("the failed load is counted", || {
        let metrics = String::from_utf8(server.get("/metrics").body).unwrap();
        metrics.contains("mmoc_model_load_failures_total{model=\"a\"}")
    });
    assert_eq!(server.json("/v1/models"), before);
    std::fs::write(folder.path("a.mmoc"), &other).unwrap();
    eventually("the whole file is served", || {
        server.json("/v1/models") != before
    });
}

#[test]
fn a_removed_file_is_logged_and_counted_once_and_its_model_still_served() {
    let folder = folder();
    let server = Server::start(&folder, "a.mmoc");
    let before = server.json("/v1/models");
    let counts = |line: &str| {
        let metrics = String::from_utf8(server.get("/metrics").body).unwrap();
        metrics.lines().any(|found| found == line)
    };
    std::fs::remove_file(folder.path("a.mmoc")).unwrap();
    eventually("the removed file is counted", || {
        counts("mmoc_model_load_failures_total{model=\"a\"} 1")
    });
    assert_eq!(server.json("/v1/models"), before);
    // The file is looked at every second.
    std::thread::sleep(Duration::from_millis(2500));
    assert!(counts("mmoc_model_load_failures_total{model=\"a\"} 1"));
    std::fs::rename(folder.path("b.mmoc"), folder.path("a.mmoc")).unwrap();
    eventually("the new file is served", || {
        server.json("/v1/models") != before
    });
    let versions = |models: &Value| models["models"][0]["version"].clone();
    let info = |version: Value| format!("mmoc_model_info{{model=\"a\",version={version}}} 1");
    assert!(counts(&info(versions(&server.json("/v1/models")))));
    assert!(!counts(&info(versions(&before))));
    let logged = server.logged();
    let failed: Vec<&str> = logged
        .lines()
        .filter(|line| line.contains("load failed"))
        .collect();
    assert!(
        failed.len() == 1 && failed[0].contains("a.mmoc"),
        "{logged}"
    );
}

/// A request for the first row of the test rows.
fn first_columns(folder: &crate::common::Folder) -> String {
    let text = std::fs::read_to_string(folder.path("test.csv")).unwrap();
    let header = text
        .lines()
        .next()
        .unwrap()
        .split(',')
        .filter(|name| !name.starts_with("mood_"));
    let cells: Vec<String> = header.map(|name| format!("\"{name}\":0.5")).collect();
    format!("{{\"rows\":[{{{}}}]}}", cells.join(","))
}
