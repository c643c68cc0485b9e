//! Signals that stop the service.

use std::io;
#[cfg(unix)]
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};

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

/// The signals from its creation on.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    terminations: SignalStream,
    #[cfg(unix)]
    interrupts: SignalStream,
}

impl Signals {
    /// Listens for signals. They no longer end the process.
    #[cfg_attr(
        not(unix),
        allow(clippy::unnecessary_wraps, reason = "only Unix can fail")
    )]
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            terminations: signal(SignalKind::terminate())?,
            #[cfg(unix)]
            interrupts: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next signal.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminations.recv() => Signal::Terminate,
            _ = self.interrupts.recv() => Signal::Interrupt,
        }
    }

    /// Waits for the next Ctrl-C.
    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) -> Signal {
        // Without a handler, Ctrl-C ends the process.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}
