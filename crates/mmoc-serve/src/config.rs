//! What is served, where, and within which limits.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::error::{Error, Result};

/// The longest name of a model.
const LONGEST_NAME: usize = 100;

/// What a server does.
#[derive(Debug, Clone)]
pub struct Config {
    /// The models, with different names.
    pub models: Vec<ModelFile>,
    /// The address to listen on; port 0 is any free port.
    pub listen: SocketAddr,
    /// What requests may take.
    pub limits: Limits,
    /// Threads that predict.
    pub threads: usize,
    /// How requests are logged, on standard error.
    pub log: LogFormat,
    /// How long requests may take to finish after the server was asked to stop.
    pub grace: Duration,
    /// How often the files of models are looked at.
    pub reload: Duration,
    /// The file of a token that requests must bear.
    pub token: Option<PathBuf>,
    /// The files of a certificate and its key.
    pub tls: Option<TlsFiles>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            models: Vec::new(),
            listen: (Ipv4Addr::LOCALHOST, 8080).into(),
            limits: Limits::default(),
            threads: 1,
            log: LogFormat::default(),
            grace: Duration::from_secs(20),
            reload: Duration::from_secs(1),
            token: None,
            tls: None,
        }
    }
}

impl Config {
    /// Threads that predict, at least one.
    pub(crate) fn workers(&self) -> usize {
        self.threads.max(1)
    }
}

/// The files of a certificate chain and its private key, in PEM.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The certificate, followed by those that vouch for it.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// What requests may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of a body.
    pub body: usize,
    /// Bytes of all bodies that are being read or wait for a prediction.
    pub bodies: usize,
    /// Rows of a request.
    pub rows: usize,
    /// Bytes of the request line and the headers.
    pub header: usize,
    /// Connections at a time.
    pub connections: usize,
    /// Requests that wait for the predictions of a model.
    pub queue: usize,
    /// The time to read the headers of a request, and again to read its body.
    pub read: Duration,
    /// The time to answer a request after it was read.
    pub answer: Duration,
    /// The time that an answer may wait for a client that reads none of it.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 16 << 20,
            bodies: 256 << 20,
            rows: 10_000,
            header: 16 << 10,
            connections: 512,
            queue: 256,
            read: Duration::from_secs(10),
            answer: Duration::from_secs(30),
            write: Duration::from_secs(30),
        }
    }
}

impl Limits {
    /// A limit under which no request could be answered.
    fn zero(&self) -> Option<&'static str> {
        let limits = [
            ("body", self.body == 0),
            ("bodies", self.bodies == 0),
            ("rows", self.rows == 0),
            ("header", self.header == 0),
            ("connections", self.connections == 0),
            ("queue", self.queue == 0),
            ("read", self.read.is_zero()),
            ("answer", self.answer.is_zero()),
            ("write", self.write.is_zero()),
        ];
        let zero = limits.into_iter().find(|&(_, is_zero)| is_zero);
        zero.map(|(name, _)| name)
    }
}

/// How requests are logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// An object in each line.
    #[default]
    Json,
    /// A line for people.
    Text,
    /// Not at all.
    None,
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "json" => Ok(Self::Json),
            "text" => Ok(Self::Text),
            "none" => Ok(Self::None),
            _ => Err("expected json, text or none".into()),
        }
    }
}

/// A model and the name it is served under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFile {
    /// The name, a segment of a path.
    pub name: String,
    /// The file.
    pub path: PathBuf,
}

impl FromStr for ModelFile {
    type Err = String;

    /// `FILE`, which is served under its name without the extension, or `NAME=FILE`.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (name, path) = match text.split_once('=') {
            Some((name, path)) if is_name(name) => (Some(name.to_owned()), PathBuf::from(path)),
            _ => (None, PathBuf::from(text)),
        };
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        match name.or_else(|| stem.map(str::to_owned)) {
            Some(name) if is_name(&name) => Ok(Self { name, path }),
            _ => Err(format!(
                "a model is served under a name of at most {LONGEST_NAME} letters, digits, '.', '-' and '_': \
                 give it one as NAME=FILE"
            )),
        }
    }
}

/// Whether a name needs no escapes in a path and cannot be taken for another path.
fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(allowed)
}

/// Fails unless there are models, all with different names, and requests can be answered within the limits.
pub(crate) fn check(config: &Config) -> Result<()> {
    if let Some(limit) = config.limits.zero() {
        return Err(Error::ZeroLimit(limit));
    }
    let mut names: Vec<&str> = config.models.iter().map(|one| one.name.as_str()).collect();
    names.sort_unstable();
    if names.is_empty() {
        return Err(Error::NoModel);
    }
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::SameName(pair[0].to_owned())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_called_like_its_file_unless_it_has_a_name() {
        let read = |text: &str| ModelFile::from_str(text).map(|one| (one.name, one.path));
        assert_eq!(read("a/b.mmoc"), Ok(("b".into(), "a/b.mmoc".into())));
        assert_eq!(read("c=a/b.mmoc"), Ok(("c".into(), "a/b.mmoc".into())));
        assert_eq!(read("x/y=z.mmoc"), Err(read("x/y=z.mmoc").unwrap_err()));
        for bad in ["", "..", "a b.mmoc", "ü.mmoc", "=x.mmoc"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn models_have_different_names() {
        let models = |names: &[&str]| Config {
            models: names.iter().map(|name| name.parse().unwrap()).collect(),
            ..Config::default()
        };
        assert!(check(&models(&["a", "b"])).is_ok());
        assert!(
            matches!(check(&models(&["a", "b", "x/a"])), Err(Error::SameName(name)) if name == "a")
        );
        assert!(matches!(check(&models(&[])), Err(Error::NoModel)));
    }

    #[test]
    fn no_limit_is_zero() {
        type Damage = fn(&mut Limits);
        let damages: [(&str, Damage); 9] = [
            ("body", |limits| limits.body = 0),
            ("bodies", |limits| limits.bodies = 0),
            ("rows", |limits| limits.rows = 0),
            ("header", |limits| limits.header = 0),
            ("connections", |limits| limits.connections = 0),
            ("queue", |limits| limits.queue = 0),
            ("read", |limits| limits.read = Duration::ZERO),
            ("answer", |limits| limits.answer = Duration::ZERO),
            ("write", |limits| limits.write = Duration::ZERO),
        ];
        for (name, damage) in damages {
            let mut config = Config {
                models: vec!["a".parse().unwrap()],
                ..Config::default()
            };
            assert!(check(&config).is_ok());
            damage(&mut config.limits);
            let refused = check(&config);
            assert!(
                matches!(refused, Err(Error::ZeroLimit(limit)) if limit == name),
                "{name}"
            );
        }
    }
}
