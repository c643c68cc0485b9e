//! Connections, within their limits, until the service is asked to stop.

use crate::client::Client;
use crate::front::{self, Peer};
use crate::places::Places;
use crate::state::AppState;
use axum::body::Body;
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

/// The pause after a connection that could not be accepted, as when there are too many open files.
const ERROR_PAUSE: Duration = Duration::from_millis(50);

/// Serves connections until `stop` ends, then lets the requests whose heads have arrived end within the time of the configuration.
/// Returns whether all have ended by then; the others are cut off. Connections over the limits are closed.
pub(crate) async fn serve(
    listener: TcpListener,
    state: AppState,
    stop: impl Future<Output = ()>,
) -> bool {
    let limits = &state.config.limits;
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout.0)
        // The date of the library panics after the year 9999.
        .auto_date_header(false)
        .max_buf_size(limits.head_bytes.0)
        // The buffer may grow past its limit in one read.
        .max_header_size(limits.head_bytes.0)
        .max_headers(limits.header_lines);
    let names = ["limits.connections", "limits.connections-per-client"];
    let places = Places::new(names, limits.connections, limits.connections_per_client);
    let router = front::service(&state);
    let mut tasks = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = match select(stop.as_mut(), pin!(listener.accept())).await {
            Either::Left(_) => break,
            Either::Right((accepted, _)) => accepted,
        };
        let (socket, peer) = match accepted {
            Ok((socket, peer)) => (socket, peer.ip()),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ERROR_PAUSE).await;
                continue;
            }
        };
        // A task that has ended is kept until it is joined.
        while tasks.try_join_next().is_some() {}
        state.metrics.accepted.inc();
        let client = (!state.senders.may_connect_often(peer)).then(|| Client::of(peer));
        let place = match places.take(client) {
            Ok(place) => place,
            Err(problem) => {
                problem
                    .limit_name()
                    .inspect(|limit| state.metrics.add_refused(limit));
                continue;
            }
        };
        // A short answer must not wait for more bytes. Without the option, the answers come all the same.
        let _ = socket.set_nodelay(true);
        let mut socket = TimeoutStream::new(socket);
        socket.set_write_timeout(Some(limits.write_timeout.0));
        let router = router.clone();
        let has_request = Arc::new(AtomicBool::new(false));
        let begun = Arc::clone(&has_request);
        let service = hyper::service::service_fn(move |request: http::Request<Incoming>| {
            begun.store(true, Ordering::Relaxed);
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Peer(peer));
            router.clone().oneshot(request)
        });
        let connection = http.serve_connection(TokioIo::new(Box::pin(socket)), service);
        let state = state.clone();
        state.metrics.connections.inc();
        tasks.spawn(async move {
            let mut connection = pin!(connection);
            // An error of a connection is its client's.
            let stopping = pin!(state.stopping.cancelled());
            if let Either::Right(_) = select(connection.as_mut(), stopping).await {
                connection.as_mut().graceful_shutdown();
                // A first head that has begun would have the whole time of a head; the library ends the other idle connections.
                let is_over = connection.as_mut().now_or_never().is_some();
                if !is_over && has_request.load(Ordering::Relaxed) {
                    let _ = connection.await;
                }
            }
            state.metrics.connections.dec();
            drop(place);
        });
    }
    drop(listener);
    state.stopping.cancel();
    let mut is_complete = false;
    let ending = async {
        while tasks.join_next().await.is_some() {}
        is_complete = true;
        state.sites.robots.flush().await;
    };
    let ended = timeout(state.config.shutdown_timeout.0, ending).await;
    if !is_complete {
        tracing::warn!(connections = tasks.len(), "requests were cut off");
        tasks.shutdown().await;
    } else if ended.is_err() {
        tracing::warn!("the store lacks the last answers");
    }
    is_complete
}
