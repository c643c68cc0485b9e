//! The service as a whole: its start, and its end.

use crate::api::mcp;
use crate::config::{Config, ConfigError, Limits, LogLevel, LogStyle};
use crate::connections;
use crate::known::{KnownSites, OpenError};
use crate::state::AppState;
use futures_util::TryFutureExt;
use futures_util::future::{Either, select};
use std::error::Error;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
#[cfg(unix)]
use tokio::signal::unix::{Signal as UnixSignals, SignalKind, signal};
use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;

/// The open files of a service next to its connections: those of requests to sites, of the store, and of the program.
const OTHER_FILES: u64 = 512;

/// The log lines that wait for standard error. Further ones are dropped and counted.
const QUEUED_LINES: usize = 8_192;

/// How a service ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// All requests were answered.
    Complete,
    /// A signal asked the service to stop, and requests were cut off: they took longer than the time to stop.
    Cut(Signal),
}

/// A signal that asks the service to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal {
    /// SIGINT, as from Ctrl-C.
    Interrupt,
    /// SIGTERM, as from systemd.
    Terminate,
}

impl Signal {
    /// Returns the exit code of a process that the signal ended, by the convention of shells.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
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
    #[error("cannot begin the session")]
    Session(#[source] Box<dyn Error + Send + Sync>),
}

/// A service that listens, and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: AppState,
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
        Self::start(config, None).await
    }

    async fn start(
        mut config: Config,
        dropped_log_lines: Option<ErrorCounter>,
    ) -> Result<Self, ServeError> {
        let wanted = config.limits.connections;
        let files = (wanted as u64).saturating_add(OTHER_FILES);
        // If the system does not report its limit, none is assumed.
        if let Ok(limit) = rlimit::increase_nofile_limit(files) {
            config.limits.connections = connections_of_files(limit, wanted);
        }
        let connections = config.limits.connections;
        if connections < wanted {
            let about = "the limit of open files is too low for limits.connections";
            // The default is for large systems: only a setting of one's own is not met.
            if wanted == Limits::default().connections {
                tracing::info!(connections, wanted, "{about}");
            } else {
                tracing::warn!(connections, wanted, "{about}");
            }
        }
        let address = config.listen;
        let failed = |source| Kind::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self {
            listener,
            address,
            state: state(config, dropped_log_lines).await?,
        })
    }

    /// Returns the address. If the configuration has the port 0, the port is one that was free.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `stop` ends, then lets those in flight end within `shutdown-timeout`. Returns whether all have
    /// ended by then.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> bool {
        connections::serve(self.listener, self.state, stop).await
    }
}

/// Returns the state of a service, with the store of the configuration.
async fn state(config: Config, dropped_log_lines: Option<ErrorCounter>) -> Result<AppState, Kind> {
    // Opening a store reads a part of its file.
    let settings = config.clone();
    let sites = tokio::task::spawn_blocking(move || KnownSites::open(&settings)).await;
    let sites = sites.map_err(|panic| Kind::Runtime(panic.into()))?;
    Ok(AppState::new(config, sites?, dropped_log_lines)?)
}

/// Returns the number of connections that a limit of open files allows, up to the wanted one. A limit too small for both leaves
/// half of the files to the others.
fn connections_of_files(limit: u64, wanted: usize) -> usize {
    let possible = limit.saturating_sub(OTHER_FILES).max(limit / 2).max(1);
    usize::try_from(possible).map_or(wanted, |possible| wanted.min(possible))
}

/// Runs a service until SIGTERM or SIGINT. A second signal ends the process at once, with the exit code of the signal. Log
/// lines of the process go to standard error.
///
/// # Errors
///
/// If the service cannot start.
pub fn run(config: Config) -> Result<Ending, ServeError> {
    // At the end, it waits for the last lines for up to a second.
    let (_log, dropped) = start_log(&config);
    let runtime = Runtime::new().map_err(Kind::Runtime)?;
    let ending = runtime.block_on(async {
        // Before the address is taken: a process that listens can be stopped.
        let mut signals = Signals::listen().map_err(Kind::Runtime)?;
        let server = Server::start(config, Some(dropped)).await?;
        // With 0, every request is answered.
        tracing::info!(keys = server.state.keys.len(), "API keys");
        tracing::info!(address = %server.address(), "listening");
        let first = Arc::new(OnceLock::new());
        let stopped = Arc::clone(&first);
        let stop = async move {
            let signal = signals.next().await;
            tracing::info!(?signal, "stopping");
            // It is set once: here.
            let _ = stopped.set(signal);
            tokio::spawn(async move {
                std::process::exit(signals.next().await.exit_code().into());
            });
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

/// Answers the tools of the Model Context Protocol on standard input and output, until the input ends or a signal comes. `block` writes
/// the groups of the tool `block`. Log lines of the process go to standard error.
///
/// # Errors
///
/// If the tools cannot start, or the client does not begin a session.
pub fn run_mcp(config: Config, block: mcp::Block) -> Result<(), ServeError> {
    let (_log, dropped) = start_log(&config);
    let runtime = Runtime::new().map_err(Kind::Runtime)?;
    let ending = runtime.block_on(async {
        let mut signals = Signals::listen().map_err(Kind::Runtime)?;
        let state = state(config, Some(dropped)).await?;
        let session = mcp::serve(state, block).map_err(Kind::Session);
        match select(pin!(session), pin!(signals.next())).await {
            Either::Left((ending, _)) => ending,
            Either::Right(_) => Ok(()),
        }
    });
    // A thread may wait for standard input.
    runtime.shutdown_background();
    ending.map_err(ServeError)
}

/// Writes log lines of the whole process to standard error from here on, unless something else does so already. Lines wait for the
/// thread that writes them, so that a log that is not read delays no request. Returns what writes the last lines when it is
/// dropped, and the number of dropped lines.
fn start_log(config: &Config) -> (WorkerGuard, ErrorCounter) {
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(QUEUED_LINES)
        .finish(io::stderr());
    let dropped = writer.error_counter();
    let level = match config.log_level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    // The information of a library, about each session, is a detail for users of this program.
    let of_library = if level == LevelFilter::INFO {
        LevelFilter::WARN
    } else {
        level
    };
    let targets = Targets::new()
        .with_default(level)
        .with_target("rmcp", of_library);
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_target(false)
        .with_writer(writer);
    // If something else logs, that continues.
    let _ = match config.log_format {
        LogStyle::Text => {
            tracing::subscriber::set_global_default(subscriber.finish().with(targets))
        }
        LogStyle::Json => {
            let subscriber = subscriber
                .json()
                .flatten_event(true)
                .with_current_span(false);
            tracing::subscriber::set_global_default(subscriber.finish().with(targets))
        }
    };
    (guard, dropped)
}

/// The signals from its creation on.
#[derive(Debug)]
struct Signals {
    #[cfg(unix)]
    terminations: UnixSignals,
    #[cfg(unix)]
    interrupts: UnixSignals,
}

impl Signals {
    /// Listens for signals. They no longer end the process.
    #[cfg_attr(
        not(unix),
        allow(clippy::unnecessary_wraps, reason = "only Unix can fail")
    )]
    fn listen() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            terminations: signal(SignalKind::terminate())?,
            #[cfg(unix)]
            interrupts: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next signal.
    #[cfg(unix)]
    async fn next(&mut self) -> Signal {
        let (terminated, interrupted) = (self.terminations.recv(), self.interrupts.recv());
        match select(pin!(terminated), pin!(interrupted)).await {
            Either::Left(_) => Signal::Terminate,
            Either::Right(_) => Signal::Interrupt,
        }
    }

    /// Waits for the next Ctrl-C.
    #[cfg(not(unix))]
    async fn next(&mut self) -> Signal {
        // Without a handler, Ctrl-C ends the process.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}

#[cfg(test)]
mod tests {
    use super::connections_of_files;

    #[test]
    fn connections_fit_the_limit_of_open_files() {
        for (limit, wanted, expected) in [
            (u64::MAX, 20_000, 20_000),
            (20_512, 20_000, 20_000),
            (20_511, 20_000, 19_999),
            (1024, 20_000, 512),
            (1000, 20_000, 500),
            (256, 20_000, 128),
            (256, 100, 100),
            (0, 20_000, 1),
        ] {
            assert_eq!(connections_of_files(limit, wanted), expected, "{limit}");
        }
    }
}
