//! What is counted, in the text format of Prometheus.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::models::Served;
use crate::reply::{Reply, content};

const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const SECONDS: [f64; 13] = [
    0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0,
];
const ROWS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0, 1024.0, 4096.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Asked {
    route: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRoute {
    route: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfModel {
    model: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfVersion {
    model: String,
    version: String,
}

/// What is counted.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Asked, Counter>,
    latency: Family<OfRoute, Histogram, fn() -> Histogram>,
    rows: Family<OfModel, Counter>,
    batches: Family<OfModel, Histogram, fn() -> Histogram>,
    queued: Family<OfModel, Gauge<i64, AtomicI64>>,
    versions: Family<OfVersion, Gauge<i64, AtomicI64>>,
    loads: Family<OfModel, Counter>,
    failed_loads: Family<OfModel, Counter>,
    connections: Gauge<i64, AtomicI64>,
    lost_log_lines: Counter,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("mmoc"),
            requests: Family::default(),
            latency: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            rows: Family::default(),
            batches: Family::new_with_constructor(|| Histogram::new(ROWS)),
            queued: Family::default(),
            versions: Family::default(),
            loads: Family::default(),
            failed_loads: Family::default(),
            connections: Gauge::default(),
            lost_log_lines: Counter::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "requests",
            "Requests by route and status",
            self.requests.clone(),
        );
        registry.register(
            "request_seconds",
            "Time from the headers of a request to its answer",
            self.latency.clone(),
        );
        registry.register("rows", "Rows that were predicted", self.rows.clone());
        registry.register(
            "batch_rows",
            "Rows that were predicted together",
            self.batches.clone(),
        );
        registry.register(
            "queue_depth",
            "Requests that wait for a prediction",
            self.queued.clone(),
        );
        registry.register(
            "model_info",
            "The version of each model that is served",
            self.versions.clone(),
        );
        registry.register("model_loads", "Models that were loaded", self.loads.clone());
        registry.register(
            "model_load_failures",
            "Files that changed and did not load, or were removed",
            self.failed_loads.clone(),
        );
        registry.register("connections", "Open connections", self.connections.clone());
        registry.register(
            "lost_log_lines",
            "Lines that were not logged because nobody read them",
            self.lost_log_lines.clone(),
        );
        let up: Gauge<i64, AtomicI64> = Gauge::default();
        up.set(1);
        registry.register("up", "Whether the server runs", up);
    }

    /// Counts a request that was answered.
    pub(crate) fn answered(&self, route: &'static str, status: u16, took: Duration) {
        self.requests.get_or_create(&Asked { route, status }).inc();
        let latency = self.latency.get_or_create(&OfRoute { route });
        latency.observe(took.as_secs_f64());
    }

    /// Counts rows that were predicted together.
    pub(crate) fn predicted(&self, model: &str, rows: usize) {
        let model = of(model);
        self.rows.get_or_create(&model).inc_by(rows as u64);
        self.batches.get_or_create(&model).observe(rows as f64);
    }

    /// The number of requests that wait for a model now.
    pub(crate) fn waiting(&self, model: &str, requests: usize) {
        let requests = i64::try_from(requests).unwrap_or(i64::MAX);
        self.queued.get_or_create(&of(model)).set(requests);
    }

    pub(crate) fn loaded(&self, served: &Served) {
        self.loads.get_or_create(&of(&served.name)).inc();
        self.versions.get_or_create(&of_version(served)).set(1);
    }

    /// The model has another version now.
    pub(crate) fn replaced(&self, old: &Served) {
        self.versions.remove(&of_version(old));
    }

    pub(crate) fn load_failed(&self, model: &str) {
        self.failed_loads.get_or_create(&of(model)).inc();
    }

    pub(crate) fn opened(&self) {
        self.connections.inc();
    }

    pub(crate) fn closed(&self) {
        self.connections.dec();
    }

    pub(crate) fn lost_log_line(&self) {
        self.lost_log_lines.inc();
    }

    /// Connections that are open.
    pub(crate) fn open_connections(&self) -> i64 {
        self.connections.inner().load(Ordering::Relaxed)
    }

    /// All of it as text.
    pub(crate) fn text(&self) -> Reply {
        let mut text = String::new();
        text::encode(&mut text, &self.registry).expect("a string takes any text");
        content(CONTENT_TYPE, text)
    }
}

fn of(model: &str) -> OfModel {
    OfModel {
        model: model.to_owned(),
    }
}

fn of_version(served: &Served) -> OfVersion {
    OfVersion {
        model: served.name.clone(),
        version: served.version.clone(),
    }
}
