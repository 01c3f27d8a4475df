//! Reading the body of a request, within limits of size and time.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body;
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING};
use hyper::{HeaderMap, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::config::Limits;
use crate::refusal::Refusal;

/// Bodies are counted in pieces of this many bytes.
const PIECE: usize = 1 << 10;

/// The bytes that all bodies may have together.
pub(crate) struct Room(Arc<Semaphore>);

/// The body of a request. Its bytes are counted until it is dropped.
pub(crate) struct ReadBody {
    pub(crate) bytes: Bytes,
    _room: Vec<OwnedSemaphorePermit>,
}

impl Room {
    pub(crate) fn new(limits: &Limits) -> Self {
        let pieces = limits.bodies.div_ceil(PIECE).min(Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(pieces)))
    }

    fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Refusal> {
        let pieces = u32::try_from(bytes.div_ceil(PIECE)).unwrap_or(u32::MAX);
        let permit = Arc::clone(&self.0).try_acquire_many_owned(pieces);
        permit.map_err(|_| Refusal::unavailable("too many large requests are being read"))
    }
}

/// Reads a body that has a length, or comes in chunks.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: impl Body<Data = Bytes> + Unpin,
    limits: &Limits,
    room: &Room,
) -> Result<ReadBody, Refusal> {
    check(headers, &body, limits)?;
    match timeout(limits.read, collect(body, limits, room)).await {
        Ok(read) => read,
        Err(_) => Err(Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body of the request came too slowly",
        )),
    }
}

fn check(headers: &HeaderMap, body: &impl Body, limits: &Limits) -> Result<(), Refusal> {
    if !headers.contains_key(CONTENT_LENGTH) && !headers.contains_key(TRANSFER_ENCODING) {
        let message = "the request needs a Content-Length, or chunks";
        return Err(Refusal::new(StatusCode::LENGTH_REQUIRED, message));
    }
    if headers
        .get(CONTENT_ENCODING)
        .is_some_and(|encoding| encoding != "identity")
    {
        let message = "the body must not have a Content-Encoding";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    if body.size_hint().lower() > limits.body as u64 {
        return Err(too_large(limits));
    }
    Ok(())
}

async fn collect(
    mut body: impl Body<Data = Bytes> + Unpin,
    limits: &Limits,
    room: &Room,
) -> Result<ReadBody, Refusal> {
    let declared = body.size_hint().exact().map_or(0, |size| size as usize);
    let mut taken = vec![room.take(declared)?];
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::malformed("the body of the request is broken"))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if all.len() + data.len() > limits.body {
            return Err(too_large(limits));
        }
        if declared == 0 {
            taken.push(room.take(data.len())?);
        }
        all.extend_from_slice(&data);
    }
    Ok(ReadBody {
        bytes: all.freeze(),
        _room: taken,
    })
}

fn too_large(limits: &Limits) -> Refusal {
    let message = format!(
        "the body of a request may have at most {} bytes",
        limits.body
    );
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}
