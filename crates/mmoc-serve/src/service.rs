//! From a request to its answer.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;
use std::thread::JoinHandle;
use std::time::Instant;

use bytes::Bytes;
use hyper::body::Body;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, StatusCode};
use serde::Serialize;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::auth::Token;
use crate::batching::{self, Job, Queues};
use crate::body::{self, Room};
use crate::config::{self, Config, Limits};
use crate::error::Error;
use crate::log::{self, Log};
use crate::metrics::Metrics;
use crate::models::{Models, Served, Slot};
use crate::protocol::{Answered, Call, InferCall, Options, RowsCall, RowsFormat, metadata};
use crate::refusal::Refusal;
use crate::reply::{self, HEADER_LENGTH, Reply};
use crate::route::{Named, Route};
use crate::{openapi, page};

/// The longest path with its query.
const LONGEST_URI: usize = 8 << 10;
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The longest name that a client may give to a request.
const LONGEST_ID: usize = 64;

/// What all requests share.
pub(crate) struct Service {
    pub(crate) models: Arc<Models>,
    pub(crate) queues: Arc<Queues>,
    pub(crate) limits: Limits,
    pub(crate) room: Room,
    pub(crate) token: Option<Token>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Log,
    /// Whether the server is about to stop.
    pub(crate) stopping: AtomicBool,
    pub(crate) count: AtomicU64,
}

/// What is listed at `/v2`.
#[derive(Serialize)]
struct ServerMetadata {
    name: &'static str,
    version: &'static str,
    extensions: [&'static str; 1],
}

#[derive(Serialize)]
struct Live {
    live: bool,
}

#[derive(Serialize)]
struct Ready<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    ready: bool,
}

impl Service {
    /// Loads the models. Nothing is predicted before there are workers. The thread that logs ends after the service.
    pub(crate) fn new(config: &Config) -> Result<(Self, JoinHandle<()>), Error> {
        config::check(config)?;
        let token = config.token.as_deref().map(Token::read).transpose()?;
        let models = Arc::new(Models::load(&config.models)?);
        let metrics = Arc::new(Metrics::new());
        for slot in models.iter() {
            metrics.loaded(&slot.served());
        }
        let (log, log_writer) = Log::start(config.log, Arc::clone(&metrics))?;
        let queues = Queues::new(
            config.models.len(),
            config.limits.queue,
            config.workers(),
            Arc::clone(&metrics),
        );
        let service = Self {
            models,
            queues: Arc::new(queues),
            limits: config.limits,
            room: Room::new(&config.limits),
            token,
            metrics,
            log,
            stopping: AtomicBool::new(false),
            count: AtomicU64::new(1),
        };
        Ok((service, log_writer))
    }

    /// Starts the threads that predict, which end when the queues are closed.
    pub(crate) fn start_workers(&self, config: &Config) -> Result<Vec<JoinHandle<()>>, Error> {
        batching::start(&self.queues, self.limits, &self.metrics, config.workers())
    }

    /// Answers a request, counts it and logs it.
    pub(crate) async fn answer(&self, request: Request<impl Body<Data = Bytes> + Unpin>) -> Reply {
        let start = Instant::now();
        let (parts, body) = request.into_parts();
        let route = Route::of(parts.uri.path());
        let id = self.id(&parts.headers);
        let (mut reply, rows) = match unpanicked(self.handle(&parts, route, body)).await {
            Ok(answer) => answer,
            Err(refusal) => (reply::refused(&refusal), 0),
        };
        let headers = reply.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if let Ok(id) = HeaderValue::from_str(&id) {
            headers.insert(REQUEST_ID, id);
        }
        let template = route.map_or("other", Route::template);
        let (status, took) = (reply.status().as_u16(), start.elapsed());
        self.metrics.answered(template, status, took);
        self.log.request(log::Request {
            id,
            method: method_name(&parts.method).to_owned(),
            route: template,
            status,
            took,
            rows,
        });
        reply
    }

    /// The name that the client gave to the request, or else a number.
    fn id(&self, headers: &HeaderMap) -> String {
        let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
        let is_usable = |id: &&str| {
            (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
        };
        match given.filter(is_usable) {
            Some(id) => id.to_owned(),
            None => self.count.fetch_add(1, Ordering::Relaxed).to_string(),
        }
    }

    /// The answer, and the number of rows that were predicted for it.
    async fn handle(
        &self,
        parts: &Parts,
        route: Option<Route<'_>>,
        body: impl Body<Data = Bytes> + Unpin,
    ) -> Result<(Reply, usize), Refusal> {
        self.check_sizes(parts)?;
        let route = route.ok_or_else(|| Refusal::not_found("there is nothing at this path"))?;
        if parts.method == Method::OPTIONS {
            return Ok((reply::options(route.allow()), 0));
        }
        let is_read = parts.method == Method::GET || parts.method == Method::HEAD;
        if (route.asks() && parts.method != Method::POST) || (!route.asks() && !is_read) {
            return Err(Refusal::other_method(route.allow()));
        }
        if let Some(token) = self.token.as_ref().filter(|_| !route.is_free()) {
            token.check(&parts.headers)?;
        }
        check_accept(&parts.headers, route)?;
        match route {
            Route::Predict(name) => {
                let slot = self.models.slot(name)?;
                let format = rows_format(&parts.headers)?;
                let options = Options::of_query(parts.uri.query())?;
                let read = body::read(&parts.headers, body, &self.limits, &self.room).await?;
                let call = Call::Rows(RowsCall {
                    format,
                    body: read.bytes.clone(),
                    options,
                });
                self.predict(slot, slot.served(), call).await
            }
            Route::Infer(named) => {
                let (slot, served) = self.models.find(named)?;
                let header_length = header_length(&parts.headers)?;
                check_infer_type(&parts.headers)?;
                let read = body::read(&parts.headers, body, &self.limits, &self.room).await?;
                let call = Call::Infer(InferCall {
                    body: read.bytes.clone(),
                    header_length,
                });
                self.predict(slot, served, call).await
            }
            other => Ok((self.look_up(other)?, 0)),
        }
    }

    fn check_sizes(&self, parts: &Parts) -> Result<(), Refusal> {
        let uri = parts
            .uri
            .path_and_query()
            .map_or(0, |path| path.as_str().len());
        if uri > LONGEST_URI {
            let message = format!("a path may have at most {LONGEST_URI} bytes");
            return Err(Refusal::new(StatusCode::URI_TOO_LONG, message));
        }
        let headers = parts.headers.iter();
        let bytes: usize = headers
            .map(|(name, value)| name.as_str().len() + value.len() + 4)
            .sum();
        if uri + bytes > self.limits.header {
            let message = format!("the headers may have at most {} bytes", self.limits.header);
            return Err(Refusal::new(
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                message,
            ));
        }
        Ok(())
    }

    /// Hands a request to the workers and waits for its answer.
    async fn predict(
        &self,
        slot: &Slot,
        served: Arc<Served>,
        call: Call,
    ) -> Result<(Reply, usize), Refusal> {
        let (reply, answer) = oneshot::channel();
        self.queues.push(
            slot.index,
            Job {
                served,
                call,
                reply,
            },
        )?;
        let answered = match timeout(self.limits.answer, answer).await {
            Ok(Ok(answered)) => answered?,
            Ok(Err(_)) => return Err(Refusal::internal()),
            Err(_) => return Err(Refusal::unavailable("the answer took too long")),
        };
        Ok((written(&answered), answered.rows))
    }

    /// What is known without a prediction.
    fn look_up(&self, route: Route<'_>) -> Result<Reply, Refusal> {
        Ok(match route {
            Route::Page => page::page(),
            Route::Asset(name) => page::asset(name)
                .ok_or_else(|| Refusal::not_found("there is nothing at this path"))?,
            Route::OpenApi => openapi::description(),
            Route::Metrics => self.metrics.text(),
            Route::Models => self.list(),
            Route::Model(name) => {
                let served = self.models.slot(name)?.served();
                reply::json_bytes(served.description.clone())
            }
            Route::Server => reply::json(&ServerMetadata {
                name: "mmoc",
                version: env!("CARGO_PKG_VERSION"),
                extensions: ["binary_tensor_data"],
            }),
            Route::Live => reply::json(&Live { live: true }),
            Route::Ready => self.ready(None)?,
            Route::Metadata(named) => metadata(&self.models.find(named)?.1),
            Route::ModelReady(named) => {
                self.models.find(named)?;
                self.ready(Some(named))?
            }
            Route::Predict(_) | Route::Infer(_) => {
                return Err(Refusal::other_method(route.allow()));
            }
        })
    }

    fn list(&self) -> Reply {
        let all: Vec<Arc<Served>> = self.models.iter().map(Slot::served).collect();
        let listed: Vec<_> = all.iter().map(|served| served.listed()).collect();
        reply::json(&std::collections::BTreeMap::from([("models", listed)]))
    }

    fn ready(&self, model: Option<Named<'_>>) -> Result<Reply, Refusal> {
        if self.stopping.load(Ordering::Relaxed) {
            return Err(Refusal::unavailable("the server is about to stop"));
        }
        Ok(reply::json(&Ready {
            name: model.map(|named| named.name),
            ready: true,
        }))
    }
}

fn written(answered: &Answered) -> Reply {
    let body = answered.body.clone();
    let Some(length) = answered.header_length else {
        return reply::json_bytes(body);
    };
    let mut reply = reply::content("application/octet-stream", body);
    reply.headers_mut().insert(HEADER_LENGTH, length.into());
    reply
}

/// The methods that are known by name; what else comes is not logged as it comes.
fn method_name(method: &Method) -> &str {
    match *method {
        Method::GET | Method::HEAD | Method::POST | Method::OPTIONS | Method::PUT => {
            method.as_str()
        }
        Method::DELETE | Method::PATCH | Method::TRACE | Method::CONNECT => method.as_str(),
        _ => "other",
    }
}

/// Fails unless the client accepts what the route answers with.
fn check_accept(headers: &HeaderMap, route: Route<'_>) -> Result<(), Refusal> {
    let own = route.media_type();
    let group = own.split('/').next().unwrap_or_default();
    let accepts = |value: &HeaderValue| {
        let text = value.to_str().unwrap_or("*/*").to_ascii_lowercase();
        text.split(',').any(|one| {
            let mut parts = one.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default();
            let is_refused =
                parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
            let is_binary = matches!(route, Route::Infer(_)) && kind == "application/octet-stream";
            let is_plain = matches!(route, Route::Metrics) && kind == "text/plain";
            let is_own = kind == own || kind == "*/*" || kind.strip_suffix("/*") == Some(group);
            !is_refused && (is_own || is_binary || is_plain)
        })
    };
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    if values.peek().is_none() || values.any(accepts) {
        return Ok(());
    }
    let message = format!("this path answers with {own}, which Accept does not allow");
    Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, message))
}

/// The media type of a body, without its parameters.
fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let kind = value.split(';').next().unwrap_or_default();
    Some(kind.trim().to_ascii_lowercase())
}

fn rows_format(headers: &HeaderMap) -> Result<RowsFormat, Refusal> {
    match media_type(headers).as_deref() {
        Some("application/json") => Ok(RowsFormat::Json),
        Some("text/csv") => Ok(RowsFormat::Csv),
        Some("application/x-ndjson" | "application/jsonl") => Ok(RowsFormat::JsonLines),
        _ => Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the Content-Type must be application/json, text/csv or application/x-ndjson",
        )),
    }
}

/// Clients of the protocol send no type, or that of bytes where bytes follow the JSON.
fn check_infer_type(headers: &HeaderMap) -> Result<(), Refusal> {
    match media_type(headers).as_deref() {
        None | Some("application/json" | "application/octet-stream") => Ok(()),
        Some(_) => Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the Content-Type must be application/json or application/octet-stream",
        )),
    }
}

fn header_length(headers: &HeaderMap) -> Result<Option<usize>, Refusal> {
    let Some(value) = headers.get(HEADER_LENGTH) else {
        return Ok(None);
    };
    let length = value.to_str().ok().and_then(|text| text.parse().ok());
    match length {
        Some(length) => Ok(Some(length)),
        None => Err(Refusal::malformed(
            "Inference-Header-Content-Length must be a number",
        )),
    }
}

/// A panic becomes an answer, and not the end of a connection.
async fn unpanicked<T>(work: impl Future<Output = Result<T, Refusal>>) -> Result<T, Refusal> {
    let mut work = pin!(work);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        polled.unwrap_or_else(|_| Poll::Ready(Err(Refusal::internal())))
    })
    .await
}
