//! Signals that stop the program.

use crate::fetcher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

/// The state of requests to stop the program.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    /// The exit code of a run that was stopped; zero while there was no signal.
    code: Arc<AtomicU8>,
}

/// The exit code of a run that was interrupted, by the convention of shells: 128 plus the number of the signal, 2.
const INTERRUPTED: u8 = 130;

/// The exit code of a run that was terminated: 128 plus 15.
#[cfg(unix)]
const TERMINATED: u8 = 143;

impl Interrupt {
    /// Listens for signals from now on. A second signal ends the program at once.
    pub(crate) fn listen() -> Self {
        Self::listen_with(|| {})
    }

    /// Listens for signals from now on, and calls `act` for the first, in a runtime. A second signal ends the program at once.
    pub(crate) fn listen_with(act: impl Fn() + Clone + Send + 'static) -> Self {
        let interrupt = Self::default();
        // Without a handler, a signal ends the program.
        let Ok(runtime) = fetcher::runtime() else {
            return interrupt;
        };
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let (this, act) = (interrupt.clone(), act.clone());
            runtime.spawn(async move {
                if let Ok(mut terminations) = signal(SignalKind::terminate()) {
                    while terminations.recv().await.is_some() {
                        this.stop(TERMINATED);
                        act();
                    }
                }
            });
        }
        let this = interrupt.clone();
        // As without a runtime: if the thread is refused, a signal ends the program.
        let _ = thread::Builder::new().spawn(move || {
            runtime.block_on(async {
                while tokio::signal::ctrl_c().await.is_ok() {
                    this.stop(INTERRUPTED);
                    act();
                }
            });
        });
        interrupt
    }

    /// Requests the run to stop with this exit code. If a signal came before, ends the program at once.
    fn stop(&self, code: u8) {
        if self.code.swap(code, Ordering::Relaxed) != 0 {
            std::process::exit(code.into());
        }
    }

    /// Returns the exit code of the run if a signal stopped it.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        let code = self.code.load(Ordering::Relaxed);
        (code != 0).then_some(code)
    }
}
