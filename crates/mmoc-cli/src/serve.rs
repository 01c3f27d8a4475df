//! `mmoc serve`: models over HTTP.

use std::net::SocketAddr;

use mmoc_serve::{Config, Error, Limits, LogFormat, TlsFiles, warning_line};

use crate::args::ServeArgs;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(args: &ServeArgs) -> Result<(), Failure> {
    let config = config(args);
    warn(&config);
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let tell = |address: SocketAddr| {
        // Where nobody reads the address, it is known.
        let _ = output::text(&format!("listening on {scheme}://{address}\n"));
    };
    Ok(mmoc_serve::run(&config, tell)?)
}

fn config(args: &ServeArgs) -> Config {
    let tls = args.tls_cert.clone().zip(args.tls_key.clone());
    Config {
        models: args.models.clone(),
        listen: args.listen,
        limits: Limits {
            body: args.max_body,
            rows: args.max_rows,
            header: args.max_header,
            connections: args.max_connections,
            queue: args.queue,
            read: args.read_timeout,
            answer: args.answer_timeout,
            write: args.write_timeout,
            ..Limits::default()
        },
        threads: args.threads.count(),
        log: args.log,
        grace: args.grace,
        token: args.token_file.clone(),
        tls: tls.map(|(certificate, key)| TlsFiles { certificate, key }),
        ..Config::default()
    }
}

/// Other machines can reach the server.
fn warn(config: &Config) {
    if config.listen.ip().is_loopback() {
        return;
    }
    let warn = |text| match config.log {
        LogFormat::Json => output::log_line(&warning_line(text)),
        LogFormat::Text | LogFormat::None => output::message("warning", text),
    };
    if config.token.is_none() {
        warn("whoever reaches this address can ask the models: --token-file prevents it");
    }
    if config.tls.is_none() {
        warn("requests are not encrypted: --tls-cert and --tls-key change it");
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Model(error) => error.into(),
            Error::NoModel | Error::SameName(_) | Error::ZeroLimit(_) => {
                Self::wrong_usage(error.to_string())
            }
            Error::Content { .. } | Error::Tls(_) => Self::bad_data(error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}
