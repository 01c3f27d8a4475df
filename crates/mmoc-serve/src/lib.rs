//! Models behind an HTTP server: the Open Inference Protocol, and rows as JSON, CSV or JSON lines.
//!
//! One thread reads and writes connections. Requests for predictions wait in a bounded queue for each model. Worker
//! threads take all that waits, parse it, predict it together and write the answers. A thread watches the files of the
//! models and replaces a model when its file has changed and loads.
//!
//! | file | what it is |
//! |---|---|
//! | `config` | what is served, where, and within which limits |
//! | `server`, `connection`, `shutdown` | from start to stop; one connection; the end |
//! | `local` | the same answers without a network |
//! | `route`, `service`, `body`, `auth`, `tls` | from a request to the handler that answers it |
//! | `reply`, `refusal` | answers, and answers that say no |
//! | `models` | loading models, describing them, replacing them |
//! | `batching` | queues, workers, and requests that are predicted together |
//! | `protocol` | what requests ask and how answers are written |
//! | `metrics`, `log` | what operators see |
//! | `page`, `openapi` | what is served as it is |

#![forbid(unsafe_code)]

mod auth;
mod batching;
mod body;
mod config;
mod connection;
mod error;
mod local;
mod log;
mod metrics;
mod models;
mod openapi;
mod page;
mod protocol;
mod refusal;
mod reply;
mod route;
mod server;
mod service;
mod shutdown;
mod tls;

pub use config::{Config, Limits, LogFormat, ModelFile, TlsFiles};
pub use error::{Error, Result};
pub use local::Local;
pub use log::warning_line;
pub use server::{run, serve};
