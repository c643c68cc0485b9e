//! The service as a whole: its start, and its end.

use crate::config::{Config, ConfigError};
use crate::front::Front;
use crate::known::{KnownSites, OpenError};
use crate::signal::{Signal, Signals};
use crate::state::AppState;
use crate::{api, listener, log, page};
use prometheus_client::metrics::counter::Counter;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Runtime;

/// The open files of a service next to its connections: those of requests to sites, of the store, and of the program.
const OTHER_FILES: usize = 512;

/// The connections that the system keeps until they are accepted. It may allow fewer (`net.core.somaxconn`).
const QUEUED_CONNECTIONS: u32 = 16_384;

/// How a service ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// All requests were answered.
    Complete,
    /// A signal asked the service to stop, and requests were cut off: they took longer than the time to stop.
    Cut(Signal),
}

/// An error that keeps the service from starting.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ServeError(#[from] Kind);

#[derive(Debug, thiserror::Error)]
enum Kind {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("cannot listen on {address}")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
    #[error(transparent)]
    Sites(#[from] OpenError),
    #[error("cannot start the runtime")]
    Runtime(#[source] io::Error),
}

/// A service that listens, and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    front: Front,
    state: AppState,
    connections: usize,
}

impl Server {
    /// Listens on the address of the configuration. Raises the limit of open files of the process if the connections need it.
    ///
    /// # Errors
    ///
    /// If the address cannot be had, the file of API keys cannot be read, or the store cannot be opened.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime.
    pub async fn bind(config: Config) -> Result<Self, ServeError> {
        Self::start(config, Counter::default()).await
    }

    async fn start(config: Config, dropped_log_lines: Counter) -> Result<Self, ServeError> {
        let connections = limited_by_files(config.limits.connections);
        let failed = |source| Kind::Listen {
            address: config.listen,
            source,
        };
        let listener = listen(config.listen).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        // Opening a store reads a part of its file.
        let settings = config.clone();
        let sites = tokio::task::spawn_blocking(move || KnownSites::open(&settings)).await;
        let sites = sites
            .map_err(|panic| Kind::Runtime(panic.into()))?
            .map_err(Kind::from)?;
        let state = AppState::new(config, sites, dropped_log_lines).map_err(Kind::from)?;
        Ok(Self {
            front: Front::new(api::routes(page::routes()), state.clone(), page::PROBLEMS),
            listener,
            address,
            state,
            connections,
        })
    }

    /// Returns the address. If the configuration has the port 0, the port is one that was free.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `stop` ends, then lets those in flight end within `shutdown-timeout`. Returns whether all have
    /// ended by then.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> bool {
        let state = self.state.clone();
        let is_complete = listener::accept(
            self.listener,
            self.front,
            self.state,
            self.connections,
            stop,
        )
        .await;
        state.sites.close();
        is_complete
    }
}

/// Runs a service until SIGTERM or SIGINT. A second signal ends the process at once, with the exit code of the signal. Log
/// lines of the process go to standard error.
///
/// # Errors
///
/// If the service cannot start.
pub fn run(config: Config) -> Result<Ending, ServeError> {
    let log = log::start(&config);
    let ending = run_logged(config, &log);
    log.flush();
    ending
}

/// Runs a service whose log has begun.
fn run_logged(config: Config, log: &log::Queue) -> Result<Ending, ServeError> {
    let runtime = Runtime::new().map_err(Kind::Runtime)?;
    let ending = runtime.block_on(async {
        // Before the address is taken: a process that listens can be stopped.
        let mut signals = Signals::listen().map_err(Kind::Runtime)?;
        let server = Server::start(config, log.dropped()).await?;
        // With 0, every request is answered.
        tracing::info!(keys = server.state.keys.len(), "API keys");
        tracing::info!(address = %server.address(), "listening");
        let first = Arc::new(OnceLock::new());
        let stop = {
            let first = Arc::clone(&first);
            let log = log.clone();
            async move {
                let signal = signals.next().await;
                tracing::info!(?signal, "stopping");
                // It is set once: here.
                let _ = first.set(signal);
                tokio::spawn(async move {
                    let signal = signals.next().await;
                    log.flush();
                    std::process::exit(signal.exit_code().into());
                });
            }
        };
        let is_complete = server.serve(stop).await;
        Ok(match first.get() {
            Some(signal) if !is_complete => Ending::Cut(*signal),
            _ => Ending::Complete,
        })
    });
    runtime.shutdown_background();
    ending
}

/// Listens on an address, with a queue for many connections at once.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // As the standard library does: a service that is started again need not wait for old connections to time out.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(QUEUED_CONNECTIONS)
}

/// Returns the number of connections that the limit of open files allows, up to the wanted one. Raises the limit if possible.
fn limited_by_files(wanted: usize) -> usize {
    let files = wanted.saturating_add(OTHER_FILES);
    let files = u64::try_from(files).unwrap_or(u64::MAX);
    // If the system does not report its limit, none is assumed.
    let Ok(limit) = rlimit::increase_nofile_limit(files) else {
        return wanted;
    };
    if limit >= files {
        return wanted;
    }
    let limit = usize::try_from(limit).unwrap_or(wanted);
    // At a limit too small for both, connections and other files have half each.
    let possible = limit
        .saturating_sub(OTHER_FILES)
        .max(limit.div_euclid(2))
        .max(1);
    tracing::warn!(
        limit,
        "up to {possible} connections instead of {wanted} (limits.connections): the limit of open files is {limit}"
    );
    possible
}
