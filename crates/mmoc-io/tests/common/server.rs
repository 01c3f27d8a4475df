//! A server on this machine that can be told to misbehave.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// The first byte of the part that was asked for, where one was.
    pub(crate) from: Option<usize>,
}

/// What is answered; a well-behaved answer is handed to the test, which may spoil it.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Whether the connection is held open without another byte once the body is sent.
    pub(crate) stalls: bool,
}

impl Reply {
    /// The whole of some bytes.
    pub(crate) fn whole(body: &[u8]) -> Self {
        let reply = Self {
            status: 200,
            headers: Vec::new(),
            body: body.to_owned(),
            stalls: false,
        };
        reply.with("Content-Length", &body.len())
    }

    /// A status without a body.
    pub(crate) fn status(status: u16) -> Self {
        Self {
            status,
            ..Self::whole(b"")
        }
    }

    /// The same with a header, which replaces one of its name.
    pub(crate) fn with(mut self, name: &str, value: &impl ToString) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    /// The same without a header.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self
    }

    /// The same, but only so many bytes of it are sent.
    pub(crate) fn cut_at(mut self, length: usize) -> Self {
        self.body.truncate(length);
        self
    }

    /// The same, but the connection stays open in silence.
    pub(crate) fn stalling(mut self) -> Self {
        self.stalls = true;
        self
    }

    /// The bytes from an offset on, or the answer that there are none.
    pub(crate) fn part(whole: &[u8], from: usize) -> Self {
        let (last, length) = (whole.len().saturating_sub(1), whole.len());
        if from > last {
            return Self::status(416).with("Content-Range", &format!("bytes */{length}"));
        }
        let mut reply = Self::whole(&whole[from..]);
        reply.status = 206;
        reply.with("Content-Range", &format!("bytes {from}-{last}/{length}"))
    }
}

/// Serves files until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stopped: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
}

/// Paths and what is there.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

impl Server {
    /// Serves the files as a server should.
    pub(crate) fn honest(files: Files) -> Self {
        Self::spoilt(files, |_, _, reply| reply)
    }

    /// Serves the files, but each answer goes through `spoil`, with the number of the request (from 0)
    /// and the request itself.
    pub(crate) fn spoilt(
        files: Files,
        spoil: impl Fn(usize, &Request, Reply) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stopped = Arc::new(AtomicBool::new(false));
        let (log, stop, count) = (requests.clone(), stopped.clone(), AtomicUsize::new(0));
        let answer = Arc::new(move |mut stream: TcpStream| {
            let Some(request) = read(&stream) else { return };
            log.lock()
                .expect("no test panics here")
                .push(request.clone());
            let number = count.fetch_add(1, Ordering::SeqCst);
            let reply = spoil(number, &request, proper(&files, &request));
            send(&mut stream, &reply);
        });
        let listening = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let answer = answer.clone();
                thread::spawn(move || answer(stream));
            }
        });
        Self {
            address,
            requests,
            stopped,
            listening: Some(listening),
        }
    }

    /// Its address, without a slash at the end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked for until now.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no test panics here").clone()
    }

    /// The first bytes of the parts that were asked for until now.
    pub(crate) fn offsets(&self) -> Vec<Option<usize>> {
        self.requests().iter().map(|request| request.from).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // The listener waits for a connection: this is the last one.
        let _ = TcpStream::connect(self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next()?.ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut from = None;
    for line in lines {
        let line = line.ok()?.to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(range) = line.strip_prefix("range: bytes=") {
            from = range.strip_suffix('-')?.parse().ok();
        }
    }
    Some(Request { path, from })
}

fn proper(files: &Files, request: &Request) -> Reply {
    match files.iter().find(|(path, _)| *path == request.path) {
        None => Reply::status(404),
        Some((_, bytes)) => match request.from {
            None => Reply::whole(bytes),
            Some(from) => Reply::part(bytes, from),
        },
    }
}

/// A client that hangs up is no concern of the server's.
fn send(stream: &mut TcpStream, reply: &Reply) {
    let line = |(name, value): &(String, String)| format!("{name}: {value}\r\n");
    let headers: String = reply.headers.iter().map(line).collect();
    let status = reply.status;
    let head = format!("HTTP/1.1 {status} Said\r\nConnection: close\r\n{headers}\r\n");
    let sent = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(&reply.body))
        .and_then(|()| stream.flush());
    if sent.is_ok() && reply.stalls {
        // Until the client has had enough.
        let _ = stream.read(&mut [0]);
    }
}
