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

/// The counters of a service.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram>,
    refused: Family<LimitLabels, Counter>,
    /// Requests that are answered now.
    in_flight: Gauge,
    /// Open connections.
    pub(crate) connections: Gauge,
    /// All connections since the start.
    pub(crate) accepted: Counter,
    /// Panics of handlers.
    pub(crate) panics: Counter,
}

impl Metrics {
    /// Returns counters at 0. What `others` has is counted elsewhere.
    pub(crate) fn new(others: impl Collector) -> Self {
        let mut registry = Registry::with_prefix("robots");
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        let histogram: fn() -> Histogram = || Histogram::new(SECONDS);
        let requests = Family::default();
        let seconds = Family::new_with_constructor(histogram);
        let refused = Family::default();
        let (in_flight, connections) = (Gauge::default(), Gauge::default());
        let (accepted, panics) = (Counter::default(), Counter::default());
        registry.register("build", "The version of the service", version);
        let help = "Requests that were answered";
        registry.register("http_requests", help, requests.clone());
        let help = "The time from a request's head to the start of the answer";
        registry.register("http_request_seconds", help, seconds.clone());
        let help = "Requests and connections over a limit";
        registry.register("http_refused", help, refused.clone());
        let help = "Requests that are answered now";
        registry.register("http_requests_in_flight", help, in_flight.clone());
        registry.register("http_connections", "Open connections", connections.clone());
        let help = "Connections since the start";
        registry.register("http_accepted_connections", help, accepted.clone());
        let help = "Requests that ended with a panic";
        registry.register("http_panics", help, panics.clone());
        registry.register_collector(Box::new(others));
        Self {
            registry,
            requests,
            seconds,
            refused,
            in_flight,
            connections,
            accepted,
            panics,
        }
    }

    /// Counts a request that is answered now, until the returned value is dropped.
    pub(crate) fn begin_request(&self) -> InFlight {
        self.in_flight.inc();
        InFlight(self.in_flight.clone())
    }

    /// Counts an answered request.
    pub(crate) fn add_request(
        &self,
        route: &str,
        method: &http::Method,
        status: u16,
        time: Duration,
    ) {
        let route = route.to_owned();
        let labels = RequestLabels {
            route: route.clone(),
            method: known_method(method),
            status,
        };
        self.requests.get_or_create(&labels).inc();
        let seconds = self.seconds.get_or_create(&RouteLabels { route });
        seconds.observe(time.as_secs_f64());
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

/// A request that is answered now.
pub(crate) struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
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
