//! Clients that take their time, to send a request or to read its answer, are given up.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

use crate::client::{Server, folder, read_answer};

#[test]
fn slow_requests_are_given_up() {
    let folder = folder();
    let server = Server::start(&folder, "a.mmoc --read-timeout 0.3 --log none");
    let mut slow = server.connect();
    let head = "POST /v1/models/a/predict HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
        content-length: 100\r\n\r\n{";
    slow.write_all(head.as_bytes()).unwrap();
    let answer = read_answer(&mut slow).expect("an answer");
    assert_eq!(answer.status, 408, "{answer:?}");
    assert!(answer.json()["error"].as_str().unwrap().contains("slowly"));
    let mut slower = server.connect();
    slower.write_all(b"GET /v2 HTTP/1.1\r\nhost:").unwrap();
    // The connection ends, with or without an answer.
    let _ = read_answer(&mut slower);
    assert_eq!(server.get("/v2").status, 200);
}

/// The bytes that come, read after a pause before each piece.
fn read_slowly(stream: &mut TcpStream, pause: Duration) -> usize {
    let (mut piece, mut bytes) = (vec![0; 64 << 10], 0);
    loop {
        sleep(pause);
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return bytes,
            Ok(read) => bytes += read,
        }
    }
}

#[test]
fn clients_that_do_not_read_are_given_up() {
    const REQUESTS: usize = 500;
    let folder = folder();
    let server = Server::start(&folder, "a.mmoc --write-timeout 1 --log none");
    // The answers are too large for the buffers of the system. The last request ends the connection.
    let get = "GET /openapi.json HTTP/1.1\r\nhost: x\r\n";
    let requests = format!(
        "{}{get}connection: close\r\n\r\n",
        format!("{get}\r\n").repeat(REQUESTS - 1)
    );
    let least = REQUESTS * server.get("/openapi.json").body.len();
    let [none, short, long] = [0, 4, 4000].map(Duration::from_millis);
    // To read slowly takes longer than the limit as a whole, and each pause is shorter.
    let cases = [
        ("reads at once", none, none, true),
        ("reads slowly", none, short, true),
        ("does not read at first", long, none, false),
    ];
    for (name, before, pause, is_answered) in cases {
        let mut client = server.connect();
        client.write_all(requests.as_bytes()).unwrap();
        sleep(before);
        let bytes = read_slowly(&mut client, pause);
        assert_eq!(bytes > least, is_answered, "{name}: {bytes} of {least}");
    }
}
