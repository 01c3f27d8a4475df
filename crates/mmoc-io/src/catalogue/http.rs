//! Requests for a file, or for the rest of one.

use std::fmt;
use std::io::{self, Read};
use std::time::Duration;

use ureq::http::{HeaderMap, Response, StatusCode};
use ureq::{Agent, Body, Proxy, ProxyProtocol};

use super::CatalogueError;

/// A client that closes connections that stall.
#[derive(Debug)]
pub struct Client(Agent);

/// The answer of a server.
pub(super) struct Answer {
    /// Where in the file the bytes begin.
    pub(super) offset: u64,
    pub(super) body: Box<dyn Read>,
    /// Their number, if the server says so.
    pub(super) length: Option<u64>,
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Another attempt may succeed.
    Passing(String),
    /// Another attempt would fail, too.
    Lasting(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Passing(reason) | Self::Lasting(reason)) = self;
        f.write_str(reason)
    }
}

impl Client {
    /// A client that closes a connection when nothing arrives for `timeout`.
    pub fn new(timeout: Duration, proxy: Option<Proxy>) -> Self {
        let config = Agent::config_builder()
            .proxy(proxy)
            .timeout_resolve(Some(timeout))
            .timeout_connect(Some(timeout))
            .timeout_per_read(Some(timeout))
            .timeout_per_write(Some(timeout))
            .http_status_as_error(false)
            .user_agent(concat!("mmoc/", env!("CARGO_PKG_VERSION")))
            // Offsets count the bytes of the file, not of a compressed form of it.
            .accept_encoding("identity")
            .build();
        Self(Agent::new_with_config(config))
    }

    /// Asks for the bytes from `offset` on. A server that does not support ranges answers with the whole file.
    pub(super) fn ask(&self, address: &str, offset: u64) -> Result<Answer, Fault> {
        let mut request = self.0.get(address);
        if offset > 0 {
            request = request.header("Range", format!("bytes={offset}-"));
        }
        let response = request.call().map_err(|error| fault(&error))?;
        match answer(response, offset)? {
            Some(answer) => Ok(answer),
            None => self.ask(address, 0),
        }
    }
}

/// The proxy that the environment names: the first of `ALL_PROXY`, `HTTPS_PROXY` and `HTTP_PROXY`, in
/// upper or lower case, unless `NO_PROXY` excepts the host.
pub fn proxy_of_environment() -> Result<Option<Proxy>, CatalogueError> {
    let proxy = Proxy::try_from_env();
    let protocol = proxy.as_ref().map(Proxy::protocol);
    match protocol {
        None | Some(ProxyProtocol::Http | ProxyProtocol::Https) => Ok(proxy),
        // It would be bypassed silently, which is not what the user wants of a proxy.
        Some(_) => Err(CatalogueError::SocksProxy),
    }
}

/// The answer, or none if the server sends another range than requested.
fn answer(response: Response<Body>, offset: u64) -> Result<Option<Answer>, Fault> {
    let (head, body) = response.into_parts();
    let offset = match head.status {
        StatusCode::OK => 0,
        StatusCode::PARTIAL_CONTENT if offset > 0 && starts_at(&head.headers, offset) => offset,
        StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE if offset > 0 => {
            return Ok(None);
        }
        status if status.is_server_error() => return Err(Fault::Passing(refusal(status))),
        status => return Err(Fault::Lasting(refusal(status))),
    };
    Ok(Some(Answer {
        offset,
        length: body.content_length(),
        body: Box::new(body.into_reader()),
    }))
}

/// Whether the range is the requested one: `Content-Range: bytes 100-199/200`.
fn starts_at(headers: &HeaderMap, offset: u64) -> bool {
    let range = headers
        .get("Content-Range")
        .and_then(|value| value.to_str().ok());
    range
        .and_then(|range| range.strip_prefix("bytes "))
        .and_then(|range| range.split('-').next())
        .and_then(|first| first.parse().ok())
        == Some(offset)
}

fn refusal(status: StatusCode) -> String {
    format!("the server answered with status {status}")
}

/// Connections may work the next time; a wrong address will not.
fn fault(error: &ureq::Error) -> Fault {
    let reason = error.to_string();
    match error {
        ureq::Error::Io(_)
        | ureq::Error::Timeout(_)
        | ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed
        | ureq::Error::Protocol(_) => Fault::Passing(reason),
        _ => Fault::Lasting(reason),
    }
}

/// A connection that breaks within a file.
pub(super) fn broken(error: &io::Error) -> Fault {
    Fault::Passing(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_part_that_was_asked_for_is_taken() {
        let starts = |range: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("Content-Range", range.parse().unwrap());
            starts_at(&headers, 100)
        };
        assert!(starts("bytes 100-199/200"));
        assert!(starts("bytes 100-199/*"));
        for other in ["bytes 0-199/200", "bytes */200", "100-199/200", "bytes", ""] {
            assert!(!starts(other), "{other}");
        }
        assert!(!starts_at(&HeaderMap::new(), 100));
    }
}
