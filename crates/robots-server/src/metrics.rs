//! What the service counts, in the text format of `OpenMetrics`, which Prometheus reads.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use std::any::Any;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The media type of the text.
pub(crate) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The upper bounds of the times of answers, in seconds.
const SECONDS: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 60.0,
];

/// The labels of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    /// The path as the API has it, with the names of its parameters.
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LimitLabels {
    limit: &'static str,
}

/// The counters of the last request of a connection: most have one route and one status. To find them by their labels takes locks
/// that all threads share.
#[derive(Debug, Default)]
pub(crate) struct LastCounters(Mutex<Option<RequestCounters>>);

impl Clone for LastCounters {
    /// Returns those of another connection.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The counters of requests with the same labels.
#[derive(Debug)]
struct RequestCounters {
    labels: RequestLabels,
    requests: Counter,
    seconds: Histogram,
}

/// The counters of a service.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram>,
    refused: Family<LimitLabels, Counter>,
    /// Requests that are answered now.
    pub(crate) in_flight: Gauge,
    /// Open connections.
    pub(crate) connections: Gauge,
    /// All connections since the start.
    pub(crate) accepted: Counter,
    /// Panics of handlers.
    pub(crate) panics: Counter,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    /// Returns counters at 0. Log lines that were dropped, and what `others` has, are counted elsewhere.
    pub(crate) fn new(dropped_log_lines: Counter, others: impl Collector) -> Self {
        let mut registry = Registry::with_prefix("robots");
        let histogram: fn() -> Histogram = || Histogram::new(SECONDS);
        let seconds = Family::new_with_constructor(histogram);
        let this = Self {
            requests: Family::default(),
            seconds,
            refused: Family::default(),
            in_flight: Gauge::default(),
            connections: Gauge::default(),
            accepted: Counter::default(),
            panics: Counter::default(),
            registry: Registry::default(),
        };
        registry.register(
            "build",
            "The version of the service",
            Info::new([("version", env!("CARGO_PKG_VERSION"))]),
        );
        let requests = this.requests.clone();
        registry.register("http_requests", "Requests that were answered", requests);
        let seconds = this.seconds.clone();
        registry.register(
            "http_request_seconds",
            "The time from a request's head to the start of the answer",
            seconds,
        );
        let refused = this.refused.clone();
        registry.register(
            "http_refused",
            "Requests and connections over a limit",
            refused,
        );
        let in_flight = this.in_flight.clone();
        registry.register(
            "http_requests_in_flight",
            "Requests that are answered now",
            in_flight,
        );
        let connections = this.connections.clone();
        registry.register("http_connections", "Open connections", connections);
        let accepted = this.accepted.clone();
        registry.register(
            "http_accepted_connections",
            "Connections since the start",
            accepted,
        );
        let panics = this.panics.clone();
        registry.register("http_panics", "Requests that ended with a panic", panics);
        registry.register(
            "log_lines_dropped",
            "Log lines that standard error did not take in time",
            dropped_log_lines,
        );
        registry.register_collector(Box::new(others));
        Self { registry, ..this }
    }

    /// Counts a panic of a handler. Returns its message, which is for the log alone.
    pub(crate) fn add_panic(&self, panic: &(dyn Any + Send)) -> String {
        self.panics.inc();
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref().cloned());
        text.unwrap_or_default()
    }

    /// Counts an answered request. `last` has the counters of the last one of its connection.
    pub(crate) fn add_request(
        &self,
        last: &LastCounters,
        route: &str,
        method: &http::Method,
        status: u16,
        time: Duration,
    ) {
        let method = known_method(method);
        let is_same = |labels: &RequestLabels| {
            labels.status == status && labels.method == method && labels.route == route
        };
        let mut last = last.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counters = match last.take().filter(|last| is_same(&last.labels)) {
            Some(counters) => counters,
            None => self.counters(RequestLabels {
                route: route.to_owned(),
                method,
                status,
            }),
        };
        counters.requests.inc();
        counters.seconds.observe(time.as_secs_f64());
        *last = Some(counters);
    }

    /// Returns the counters of requests with these labels.
    fn counters(&self, labels: RequestLabels) -> RequestCounters {
        let of_route = RouteLabels {
            route: labels.route.clone(),
        };
        RequestCounters {
            requests: self.requests.get_or_create_owned(&labels),
            seconds: self.seconds.get_or_create_owned(&of_route),
            labels,
        }
    }

    /// Counts a request or connection that is over a limit.
    pub(crate) fn add_refused(&self, limit: &'static str) {
        self.refused.get_or_create(&LimitLabels { limit }).inc();
    }

    /// Returns the text of all counters.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// Returns a method as a label. Those that no route has share one, since a client can invent any number of them.
fn known_method(method: &http::Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        _ => "other",
    }
}
