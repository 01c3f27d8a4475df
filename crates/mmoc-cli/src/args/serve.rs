//! The arguments of `mmoc serve`.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mmoc_serve::{LogFormat, ModelFile};

use super::ThreadArgs;

pub(super) const EXAMPLES: &str = "\
Examples:
  mmoc serve scene.mmoc
  mmoc serve scene.mmoc moods=songs.mmoc --listen 127.0.0.1:9000
  mmoc serve scene.mmoc --threads 1 --max-rows 100 --log text

The first line of standard output is the address. The page to try a model is at /, the endpoints are
described at /openapi.json. curl sends rows:

  curl localhost:8080/v1/models/scene/predict -H 'Content-Type: text/csv' --data-binary @rows.csv

A model is loaded again when its file changes. SIGTERM stops the server
after its requests are answered.";

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Models that `mmoc train` made, served under the names of their files, or under NAME as NAME=FILE
    #[arg(required = true, value_name = "MODEL")]
    pub(crate) models: Vec<ModelFile>,

    /// The address to listen on, as IP:PORT; PORT or localhost:PORT for this machine alone; port 0 is any free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", value_parser = address)]
    pub(crate) listen: SocketAddr,

    /// A file with a token that requests must bear, except for health, the page and the description
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// The certificate chain of the server, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// The private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,

    /// How requests are logged on standard error: json, text or none
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    pub(crate) log: LogFormat,

    /// Largest body of a request, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20, value_parser = positive)]
    pub(crate) max_body: usize,

    /// Most rows of a request
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = positive)]
    pub(crate) max_rows: usize,

    /// Largest path and headers of a request, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 10, value_parser = positive)]
    pub(crate) max_header: usize,

    /// Most connections at a time
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = positive)]
    pub(crate) max_connections: usize,

    /// Most requests that wait for the predictions of a model
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = positive)]
    pub(crate) queue: usize,

    /// Seconds to read the headers of a request, and again to read its body
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) read_timeout: Duration,

    /// Seconds to answer a request after it was read
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) answer_timeout: Duration,

    /// Seconds that an answer waits for a client that reads none of it
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) write_timeout: Duration,

    /// Seconds that requests may take to finish after SIGTERM
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) grace: Duration,

    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

/// An address with its port. No name but that of this machine is looked up.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").unwrap_or(text);
    if let Ok(port) = port.parse::<u16>() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let expected = "expected an IP address and a port, such as 127.0.0.1:8080, or localhost:8080";
    text.parse::<SocketAddr>().map_err(|_| expected.into())
}

/// A limit under which something can be answered.
fn positive(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok().filter(|&number| number > 0);
    number.ok_or_else(|| "expected a whole number of at least 1".into())
}

/// A time of at most a day.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds")?;
    if !(0.001..=86_400.0).contains(&seconds) {
        return Err("expected from 0.001 to 86400 seconds".into());
    }
    Ok(Duration::from_secs_f64(seconds))
}
