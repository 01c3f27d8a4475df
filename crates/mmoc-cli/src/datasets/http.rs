//! Asking a server for a file, or for the rest of one.

use std::fmt;
use std::io::{self, Read};
use std::time::Duration;

use ureq::http::{HeaderMap, Response, StatusCode};
use ureq::{Agent, Body, Proxy, ProxyProtocol};

use crate::failure::Failure;

/// A client that gives up on a connection over which nothing comes for some time.
#[derive(Debug)]
pub(crate) struct Client(Agent);

/// What a server sends.
pub(crate) struct Answer {
    /// Where in the file the bytes begin.
    pub(crate) offset: u64,
    pub(crate) body: Box<dyn Read>,
    /// How many they are, where the server says so.
    pub(crate) length: Option<u64>,
}

/// Why bytes did not come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It may work the next time.
    Passing(String),
    /// It will not.
    Lasting(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Passing(reason) | Self::Lasting(reason)) = self;
        f.write_str(reason)
    }
}

impl Client {
    /// A client that takes a connection for dead when nothing comes for `timeout`.
    pub(crate) fn new(timeout: Duration, proxy: Option<Proxy>) -> Self {
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

    /// Asks for the bytes from `offset` on. A server that does not have or does not know such a part
    /// answers with the whole file.
    pub(crate) fn ask(&self, address: &str, offset: u64) -> Result<Answer, Fault> {
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
pub(crate) fn proxy_of_environment() -> Result<Option<Proxy>, Failure> {
    let proxy = Proxy::try_from_env();
    let protocol = proxy.as_ref().map(Proxy::protocol);
    match protocol {
        None | Some(ProxyProtocol::Http | ProxyProtocol::Https) => Ok(proxy),
        // It would be passed by without a word, which is not what the user wants of a proxy.
        Some(_) => Err(Failure::failed(
            "the environment (ALL_PROXY, HTTPS_PROXY or HTTP_PROXY) names a SOCKS proxy: \
             only http:// and https:// proxies can be used",
        )),
    }
}

/// The answer, or none if the server sends another part than was asked for.
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

/// Whether the part that comes is the one that was asked for: `Content-Range: bytes 100-199/200`.
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
    format!("the server answers with status {status}")
}

/// A wrong address stays wrong; connections may do better.
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

/// A connection that breaks in the middle of a file.
pub(crate) fn broken(error: &io::Error) -> Fault {
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
