//! The answers of a server without a network, for programs that embed one and for tests.

use std::thread::JoinHandle;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{CONTENT_LENGTH, HeaderValue};
use hyper::{Method, Request, Response};
use tokio::runtime::Runtime;

use crate::config::Config;
use crate::error::Result;
use crate::server::runtime;
use crate::service::Service;

/// Answers requests as a server does that listens.
///
/// The address, TLS and connections of the configuration mean nothing here, and models are not loaded again.
pub struct Local {
    service: Service,
    workers: Vec<JoinHandle<()>>,
    runtime: Runtime,
}

impl Local {
    /// Loads the models and starts the threads that predict.
    pub fn start(config: &Config) -> Result<Self> {
        let runtime = runtime()?;
        // It ends when the service is dropped.
        let (service, _log_writer) = Service::new(config)?;
        let workers = service.start_workers(config)?;
        Ok(Self {
            service,
            workers,
            runtime,
        })
    }

    /// The answer to a request. The length of its body is known, whatever its headers say.
    ///
    /// # Panics
    ///
    /// If it is called by a task of Tokio, which must not wait.
    pub fn answer(&self, request: Request<impl Into<Bytes>>) -> Response<Bytes> {
        let (mut parts, body) = request.into_parts();
        let (is_head, body) = (parts.method == Method::HEAD, body.into());
        let length = HeaderValue::from(body.len());
        parts.headers.insert(CONTENT_LENGTH, length);
        let request = Request::from_parts(parts, Full::new(body));
        let (parts, body) = self.runtime.block_on(async {
            let (parts, body) = self.service.answer(request).await.into_parts();
            let Ok(body) = body.collect().await;
            (parts, body.to_bytes())
        });
        Response::from_parts(parts, if is_head { Bytes::new() } else { body })
    }
}

impl Drop for Local {
    /// Waits for the threads that predict.
    fn drop(&mut self) {
        self.service.queues.close();
        self.workers
            .drain(..)
            .for_each(|worker| drop(worker.join()));
    }
}
