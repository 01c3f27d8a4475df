//! One connection: encrypted or not, with limits on headers and time.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;

use crate::service::Service;

/// Headers that a request may have.
const MOST_HEADERS: usize = 100;
/// Room for the headers of a request, above every limit that gives a reason.
const HEADER_ROOM: usize = 128 << 10;

/// Serves requests until the client is gone or the server stops, in which case the present request is finished.
pub(crate) async fn serve(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    service: Arc<Service>,
    stopping: watch::Receiver<bool>,
) {
    // Answers are written as a whole, and must not wait for more.
    let _ = stream.set_nodelay(true);
    // hyper limits the time to read a request, and not the time to write its answer.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(service.limits.write));
    let stream = Box::pin(stream);
    let Some(tls) = tls else {
        return requests(stream, service, stopping).await;
    };
    if let Ok(Ok(encrypted)) = timeout(service.limits.read, tls.accept(stream)).await {
        requests(encrypted, service, stopping).await;
    }
}

async fn requests(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    service: Arc<Service>,
    mut stopping: watch::Receiver<bool>,
) {
    let limits = service.limits;
    let answer = service_fn(move |request| {
        let service = Arc::clone(&service);
        async move { Ok::<_, Infallible>(service.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.read)
        .max_headers(MOST_HEADERS)
        .max_buf_size(HEADER_ROOM.max(2 * limits.header))
        .half_close(true)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // A broken connection has nobody to be told about it.
        _ = connection.as_mut() => return,
        _ = stopping.wait_for(|stopping| *stopping) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Tells a client that there are too many connections.
pub(crate) async fn turn_away(mut stream: TcpStream) {
    const ANSWER: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
        content-length: 43\r\nretry-after: 1\r\nconnection: close\r\n\r\n\
        {\"error\":\"the server has many connections\"}";
    let told = async {
        stream.write_all(ANSWER).await?;
        stream.shutdown().await?;
        // What the client has sent is read, because closing before that would take the answer away.
        let mut sent = [0; 4096];
        while stream.read(&mut sent).await? > 0 {}
        std::io::Result::Ok(())
    };
    let _ = timeout(Duration::from_secs(1), told).await;
}
