//! A server that runs, and requests to it byte by byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::small::Small;
use crate::common::{BINARY, Folder};

/// Long enough on any machine.
const LONG: Duration = Duration::from_secs(60);

/// A server that is killed at the end of a test.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
    pub(crate) stderr: PathBuf,
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// A folder with rows, and two models `a` and `b` of the same columns.
pub(crate) fn folder() -> Folder {
    let (train, test) = Small::new(90, 4, 3).split(60);
    let files = [
        ("train.csv", train.table(",")),
        ("test.csv", test.table(",")),
    ];
    let folder = Folder::with(&files);
    for (model, seed) in [("a", 1), ("b", 2)] {
        let train = format!("train train.csv --labels mood_* --seed {seed} -q -o {model}.mmoc");
        folder.run(&train).succeeded();
    }
    folder
}

impl Server {
    /// Starts a server in a folder and waits until it listens, on any free port unless the arguments say where.
    pub(crate) fn start(folder: &Folder, arguments: &str) -> Self {
        let stderr = folder.path("stderr.log");
        let log = std::fs::File::create(&stderr).unwrap();
        let listen: &[&str] = if arguments.contains("--listen") {
            &[]
        } else {
            &["--listen", "127.0.0.1:0"]
        };
        let mut child = folder
            .command(BINARY)
            .arg("serve")
            .args(listen)
            .args(arguments.split_ascii_whitespace())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let address = line.trim().rsplit('/').next().unwrap().to_owned();
        assert!(line.starts_with("listening on http"), "{line:?}");
        Self {
            child,
            address,
            stderr,
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    /// Sends bytes as they are, and reads one answer.
    pub(crate) fn send(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = self.connect();
        // A server that has refused a request need not read the rest of it.
        let _ = stream.write_all(bytes);
        read_answer(&mut stream)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        self.send(request.as_bytes()).expect("an answer")
    }

    pub(crate) fn post(&self, path: &str, kind: &str, body: &[u8]) -> Answer {
        self.send(&post(path, kind, body)).expect("an answer")
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    /// Everything that the server has logged.
    pub(crate) fn logged(&self) -> String {
        std::fs::read_to_string(&self.stderr).unwrap()
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &pid]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Whether the answer says a header, in lower case.
    pub(crate) fn says(&self, header: &str) -> bool {
        self.head
            .to_ascii_lowercase()
            .lines()
            .any(|line| line == header)
    }
}

pub(crate) fn post(path: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// Reads one answer; none if the connection ends before its headers do.
pub(crate) fn read_answer(stream: &mut TcpStream) -> Option<Answer> {
    let mut all = Vec::new();
    let mut piece = [0; 4096];
    let end = loop {
        if let Some(end) = all.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(read) => all.extend_from_slice(&piece[..read]),
        }
    };
    let head = String::from_utf8(all[..end].to_vec()).unwrap();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().unwrap())
    });
    let wanted = end + length.unwrap_or(0);
    while all.len() < wanted {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(read) => all.extend_from_slice(&piece[..read]),
        }
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = all[end..].to_vec();
    Some(Answer { status, head, body })
}
