//! The server stops when it is told to, after its requests; and however it ends, no answer is half of one.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::client::{Server, folder, post, read_answer};

/// The test rows many times over, so that the answer takes some time.
fn large_table(folder: &crate::common::Folder) -> Vec<u8> {
    let text = std::fs::read_to_string(folder.path("test.csv")).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    format!("{header}\n{}", rows.repeat(300)).into_bytes()
}

#[test]
fn requests_in_flight_are_answered_after_sigterm() {
    let folder = folder();
    let mut server = Server::start(&folder, "a.mmoc --log none");
    let table = large_table(&folder);
    let request = post(
        "/v1/models/a/predict?probabilities=true",
        "text/csv",
        &table,
    );
    let (first, last) = request.split_at(request.len() - 10);
    let mut streams: Vec<TcpStream> = (0..3).map(|_| server.connect()).collect();
    for stream in &mut streams {
        stream.write_all(first).unwrap();
    }
    // The server has begun to read all of them once it answers another request.
    assert_eq!(server.get("/v2/health/live").status, 200);
    server.signal("-TERM");
    while TcpStream::connect(&server.address).is_ok() {
        std::thread::sleep(Duration::from_millis(5));
    }
    for stream in &mut streams {
        stream.write_all(last).unwrap();
    }
    for stream in &mut streams {
        let answer = read_answer(stream).expect("an answer");
        assert_eq!(answer.status, 200);
        assert_eq!(answer.json()["predictions"].as_array().unwrap().len(), 9000);
    }
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn what_arrives_of_a_killed_server_is_right_or_no_json() {
    let folder = folder();
    let table = large_table(&folder);
    let request = post(
        "/v1/models/a/predict?probabilities=true",
        "text/csv",
        &table,
    );
    let whole = {
        let server = Server::start(&folder, "a.mmoc --log none");
        server.send(&request).unwrap().json()
    };
    let (mut cut, mut complete) = (0, 0);
    for round in 0..6 {
        let mut server = Server::start(&folder, "a.mmoc --log none");
        let mut streams: Vec<TcpStream> = (0..3).map(|_| server.connect()).collect();
        for stream in &mut streams {
            stream.write_all(&request).unwrap();
        }
        let mut received = vec![Vec::new(); streams.len()];
        // Some of the answer is read before the server is killed.
        let mut some = vec![0; 1 + 30_000 * round];
        if round > 0 {
            let count = streams[0].read(&mut some).unwrap_or(0);
            received[0].extend_from_slice(&some[..count]);
        }
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        for (stream, bytes) in streams.iter_mut().zip(&mut received) {
            let _ = stream.read_to_end(bytes);
            let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
            let body = end.map_or(&[][..], |end| &bytes[end + 4..]);
            match serde_json::from_slice::<Value>(body) {
                Ok(answer) => {
                    assert_eq!(answer, whole);
                    complete += 1;
                }
                Err(_) => cut += 1,
            }
        }
    }
    assert!(cut > 0, "{cut} and {complete}");
    let server = Server::start(&folder, "a.mmoc --log none");
    assert_eq!(server.send(&request).unwrap().json(), whole);
}
