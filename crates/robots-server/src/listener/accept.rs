//! Accepts connections, within their limits, until the service is asked to stop.

use super::connection::{refuse, serve};
use crate::front::Front;
use crate::limit::client::Client;
use crate::limit::share::Share;
use crate::problem::{OVERLOAD_PAUSE, Problem, ProblemKind};
use crate::state::AppState;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// The most connections over the limit that are told so at once; further ones are only closed.
const REFUSALS_AT_ONCE: usize = 256;

/// The pause after a connection that could not be accepted, as when there are too many open files.
const ERROR_PAUSE: Duration = Duration::from_millis(50);

/// What a connection takes from the limits, until it is dropped.
#[derive(Debug)]
struct ConnectionPermits {
    state: AppState,
    _of_all: OwnedSemaphorePermit,
    _of_client: Share,
}

impl Drop for ConnectionPermits {
    fn drop(&mut self) {
        self.state.metrics.connections.dec();
    }
}

/// Accepts connections until `stop` ends, then lets their requests end within the time of the configuration. Returns whether all
/// have ended by then; the others are cut off.
pub(crate) async fn accept(
    listener: TcpListener,
    front: Front,
    state: AppState,
    connections: usize,
    stop: impl Future<Output = ()>,
) -> bool {
    let of_all = Arc::new(Semaphore::new(connections.min(Semaphore::MAX_PERMITS)));
    let refusals = Arc::new(Semaphore::new(REFUSALS_AT_ONCE));
    let (stopping, is_stopping) = watch::channel(false);
    let mut tasks = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (socket, peer) = tokio::select! {
            () = &mut stop => break,
            // Tasks that have ended are kept until they are joined.
            Some(_) = tasks.join_next() => continue,
            accepted = listener.accept() => match accepted {
                Ok((socket, peer)) => (socket, peer.ip()),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(ERROR_PAUSE).await;
                    continue;
                }
            },
        };
        // A short answer must not wait for more bytes. Without the option, the answers come all the same.
        let _ = socket.set_nodelay(true);
        state.metrics.accepted.inc();
        match admit(&state, &of_all, connections, peer) {
            Ok(permits) => {
                let (front, state) = (front.clone(), state.clone());
                let is_stopping = is_stopping.clone();
                tasks.spawn(async move {
                    serve(socket, peer, front, state, is_stopping).await;
                    drop(permits);
                });
            }
            Err(problem) => refuse_some(&state, &refusals, &mut tasks, socket, problem),
        }
    }
    state.stop();
    drop(listener);
    stopping.send_replace(true);
    let mut end = std::pin::pin!(sleep(state.config.shutdown_timeout));
    loop {
        tokio::select! {
            joined = tasks.join_next() => if joined.is_none() {
                return true;
            },
            () = &mut end => {
                tracing::warn!(connections = tasks.len(), "requests were cut off");
                return false;
            }
        }
    }
}

/// Counts a connection, unless there are too many.
fn admit(
    state: &AppState,
    of_all: &Arc<Semaphore>,
    connections: usize,
    peer: IpAddr,
) -> Result<ConnectionPermits, Problem> {
    let limits = &state.config.limits;
    let of_client = if state.senders.may_connect_often(peer) {
        Share::unlimited()
    } else {
        let client = Client::of(peer);
        state.connections.add(client).ok_or_else(|| {
            let max = limits.connections_per_client;
            Problem::new(
                ProblemKind::TooManyRequests,
                format!("client {client} has {max} connections"),
            )
            .with_limit("limits.connections-per-client", max)
            .with_retry_after(OVERLOAD_PAUSE)
        })?
    };
    let of_all = of_all.clone().try_acquire_owned().map_err(|_| {
        Problem::new(
            ProblemKind::Overloaded,
            format!("the service has {connections} connections"),
        )
        .with_limit("limits.connections", connections)
        .with_retry_after(OVERLOAD_PAUSE)
    })?;
    state.metrics.connections.inc();
    Ok(ConnectionPermits {
        state: state.clone(),
        _of_all: of_all,
        _of_client: of_client,
    })
}

/// Tells a client why its connection ends, unless that is being told to many.
fn refuse_some(
    state: &AppState,
    refusals: &Arc<Semaphore>,
    tasks: &mut JoinSet<()>,
    socket: TcpStream,
    problem: Problem,
) {
    if let Some(limit) = problem.limit_name() {
        state.metrics.add_refused(limit);
    }
    let Ok(permit) = refusals.clone().try_acquire_owned() else {
        return;
    };
    let id = state.next_id();
    tasks.spawn(async move {
        refuse(socket, problem, id).await;
        drop(permit);
    });
}
