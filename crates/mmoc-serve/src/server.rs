//! A server from start to stop.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::metrics::Metrics;
use crate::models;
use crate::service::Service;
use crate::shutdown::{Stop, signals};
use crate::{connection, tls};

/// Clients that are told at the same time that there are too many.
const TURNED_AWAY: usize = 64;

/// Serves until SIGTERM or SIGINT. `started` is told the address once requests are accepted.
pub fn run(config: &Config, started: impl FnOnce(SocketAddr)) -> Result<()> {
    runtime()?.block_on(async {
        let stop = signals().map_err(Error::System)?;
        accept(config, started, stop).await
    })
}

/// Serves until a future ends.
pub fn serve(
    config: &Config,
    started: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<()> {
    runtime()?.block_on(accept(config, started, stop))
}

pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.map_err(Error::System)
}

async fn accept(
    config: &Config,
    started: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<()> {
    let tls = config.tls.as_ref().map(tls::acceptor).transpose()?;
    let (service, log_writer) = Service::new(config)?;
    let failed = |source| Error::Listen {
        address: config.listen,
        source,
    };
    let listener = TcpListener::bind(config.listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let workers = service.start_workers(config)?;
    let ended = Arc::new(Stop::default());
    let watcher = watch_files(&service, config.reload, &ended)?;
    let service = Arc::new(service);
    started(address);
    let (stopping, stopped) = watch::channel(false);
    tokio::select! {
        () = connections(&listener, tls, &service, &stopped) => (),
        () = stop => (),
    }
    service.stopping.store(true, Ordering::Relaxed);
    drop(listener);
    stopping.send_replace(true);
    let _ = timeout(config.grace, all_closed(&service.metrics)).await;
    service.queues.close();
    ended.raise();
    // A request that outlives the grace period may keep a worker; the process does not wait for it.
    let is_idle = service.metrics.open_connections() == 0;
    if is_idle {
        workers.into_iter().for_each(|worker| drop(worker.join()));
        drop(watcher.join());
        drop(service);
        drop(log_writer.join());
    }
    Ok(())
}

/// Starts the thread that replaces models whose files have changed, until it is told to end.
fn watch_files(service: &Service, every: Duration, ended: &Arc<Stop>) -> Result<JoinHandle<()>> {
    let (models, metrics) = (Arc::clone(&service.models), Arc::clone(&service.metrics));
    let (log, ended) = (service.log.clone(), Arc::clone(ended));
    let watch = move || models::watch(&models, &metrics, &log, every, &ended);
    let thread = thread::Builder::new().name("reload".into());
    thread.spawn(watch).map_err(Error::System)
}

/// Accepts connections for ever.
async fn connections(
    listener: &TcpListener,
    tls: Option<TlsAcceptor>,
    service: &Arc<Service>,
    stopped: &watch::Receiver<bool>,
) {
    let free = Arc::new(Semaphore::new(service.limits.connections));
    let turned_away = Arc::new(Semaphore::new(TURNED_AWAY));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // The process has too many open files, which passes.
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        let Ok(place) = Arc::clone(&free).try_acquire_owned() else {
            if let Ok(place) = Arc::clone(&turned_away).try_acquire_owned() {
                tokio::spawn(async move {
                    connection::turn_away(stream).await;
                    drop(place);
                });
            }
            continue;
        };
        let (tls, service, stopped) = (tls.clone(), Arc::clone(service), stopped.clone());
        tokio::spawn(async move {
            service.metrics.opened();
            connection::serve(stream, tls, Arc::clone(&service), stopped).await;
            service.metrics.closed();
            drop(place);
        });
    }
}

async fn all_closed(metrics: &Metrics) {
    while metrics.open_connections() > 0 {
        sleep(Duration::from_millis(5)).await;
    }
}
