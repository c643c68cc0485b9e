//! Signals that ask the program to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

/// Whether the program is asked to end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    /// The exit code of a run that was asked to end; zero if it was not.
    code: Arc<AtomicU8>,
}

/// The exit code of a run that was interrupted, as shells have it: 128 and the number of the signal, 2.
pub(crate) const INTERRUPTED: u8 = 130;

/// The exit code of a run that was terminated: 128 and 15.
#[cfg(unix)]
const TERMINATED: u8 = 143;

impl Interrupt {
    /// Listens from now on. Who asks a second time does not want to wait: then the program ends at once.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        // Where signals cannot be had, the default is left: the program ends.
        let Ok(runtime) = runtime else {
            return interrupt;
        };
        #[cfg(unix)]
        runtime.spawn(interrupt.clone().wait_for_termination());
        let this = interrupt.clone();
        thread::spawn(move || {
            runtime.block_on(async {
                while tokio::signal::ctrl_c().await.is_ok() {
                    this.ask(INTERRUPTED);
                }
            });
        });
        interrupt
    }

    #[cfg(unix)]
    async fn wait_for_termination(self) {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminations) = signal(SignalKind::terminate()) else {
            return;
        };
        while terminations.recv().await.is_some() {
            self.ask(TERMINATED);
        }
    }

    fn ask(&self, code: u8) {
        if self.code.swap(code, Ordering::Relaxed) != 0 {
            std::process::exit(code.into());
        }
    }

    /// The exit code of a run that is asked to end.
    pub(crate) fn asked(&self) -> Option<u8> {
        let code = self.code.load(Ordering::Relaxed);
        (code != 0).then_some(code)
    }
}
