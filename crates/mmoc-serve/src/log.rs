//! A line for each request on standard error, without bodies and tokens.
//!
//! A thread writes the lines, so that a reader that does not read cannot stop the server: lines that do not fit into the
//! queue are counted and lost.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use mmoc::text::safe;
use serde::Serialize;

use crate::config::LogFormat;
use crate::error::{Error, Result};
use crate::metrics::Metrics;

/// Lines that may wait to be written.
const WAITING: usize = 4096;
/// Characters of a text in a line.
const LONGEST: usize = 300;

/// Where lines go.
#[derive(Clone)]
pub(crate) struct Log {
    format: LogFormat,
    lines: SyncSender<Line>,
    metrics: Arc<Metrics>,
}

/// A request and its answer.
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) method: String,
    pub(crate) route: &'static str,
    pub(crate) status: u16,
    pub(crate) took: Duration,
    pub(crate) rows: usize,
}

enum Line {
    Request(SystemTime, Request),
    Event(SystemTime, &'static str, String, String),
}

#[derive(Serialize)]
struct RequestLine<'a> {
    time: String,
    id: &'a str,
    method: &'a str,
    route: &'static str,
    status: u16,
    ms: f64,
    rows: usize,
}

#[derive(Serialize)]
struct EventLine<'a> {
    time: String,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    detail: &'a str,
}

impl Log {
    /// Starts to write lines, until the last copy of the log is dropped.
    pub(crate) fn start(
        format: LogFormat,
        metrics: Arc<Metrics>,
    ) -> Result<(Self, JoinHandle<()>)> {
        let (lines, waiting) = sync_channel(WAITING);
        let writer = thread::Builder::new().name("log".into());
        let writer = writer
            .spawn(move || write(format, &waiting))
            .map_err(Error::System)?;
        let log = Self {
            format,
            lines,
            metrics,
        };
        Ok((log, writer))
    }

    pub(crate) fn request(&self, request: Request) {
        self.send(Line::Request(SystemTime::now(), request));
    }

    /// Something that happened to a model.
    pub(crate) fn event(&self, event: &'static str, model: &str, detail: &str) {
        let detail = safe(detail, LONGEST);
        self.send(Line::Event(
            SystemTime::now(),
            event,
            model.to_owned(),
            detail,
        ));
    }

    fn send(&self, line: Line) {
        if self.format != LogFormat::None && self.lines.try_send(line).is_err() {
            self.metrics.lost_log_line();
        }
    }
}

fn write(format: LogFormat, lines: &Receiver<Line>) {
    while let Ok(line) = lines.recv() {
        let mut text = String::new();
        for line in std::iter::once(line).chain(lines.try_iter().take(WAITING)) {
            text.push_str(&describe(format, &line));
            text.push('\n');
        }
        // Where nobody reads, there is nobody to tell.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

fn describe(format: LogFormat, line: &Line) -> String {
    match line {
        Line::Request(time, request) => {
            let time = humantime::format_rfc3339_millis(*time).to_string();
            let ms = (request.took.as_secs_f64() * 1e6).round() / 1e3;
            let Request {
                id,
                method,
                route,
                status,
                rows,
                ..
            } = request;
            if format == LogFormat::Text {
                return format!("{time} {status} {method} {route} {ms} ms, {rows} rows, {id}");
            }
            let (status, rows) = (*status, *rows);
            json(&RequestLine {
                time,
                id,
                method,
                route,
                status,
                ms,
                rows,
            })
        }
        Line::Event(time, event, model, detail) => {
            let time = humantime::format_rfc3339_millis(*time).to_string();
            if format == LogFormat::Text {
                return format!("{time} {event} {model} {detail}");
            }
            json(&EventLine {
                time,
                event,
                model: Some(model),
                detail,
            })
        }
    }
}

/// A warning as a line of the log in JSON, for programs that start a server and warn their users.
pub fn warning_line(text: &str) -> String {
    json(&EventLine {
        time: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
        event: "warning",
        model: None,
        detail: text,
    })
}

fn json(line: &impl Serialize) -> String {
    serde_json::to_string(line).unwrap_or_default()
}
