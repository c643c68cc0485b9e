//! A progress bar on standard error, if that is a terminal and nothing else is written there.

use crate::terminal::printable;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Shows how much has been done, and how fast.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    read: Arc<AtomicU64>,
}

impl Progress {
    /// A bar for this many bytes. It is not shown where it would stand in the way: when standard
    /// output is the same terminal, and decisions are `written_to_stdout`.
    pub(crate) fn new(bytes: u64, written_to_stdout: bool) -> Self {
        let template = "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
        Self::with_template(template, bytes, written_to_stdout)
    }

    /// A bar for this many sites.
    pub(crate) fn of_sites(sites: u64, written_to_stdout: bool) -> Self {
        let template = "{msg} {wide_bar} {pos}/{len} {per_sec} {eta}";
        Self::with_template(template, sites, written_to_stdout)
    }

    /// A count of files, of which nobody knows how many there are.
    pub(crate) fn of_files(written_to_stdout: bool) -> Self {
        Self::with_template("{msg} {pos} files {per_sec}", 0, written_to_stdout)
    }

    /// A count of bytes, of which nobody knows how many there are: of what is unpacked, for instance.
    pub(crate) fn of_bytes(written_to_stdout: bool) -> Self {
        Self::with_template("{msg} {bytes} {bytes_per_sec}", 0, written_to_stdout)
    }

    fn with_template(template: &str, all: u64, written_to_stdout: bool) -> Self {
        let in_the_way = written_to_stdout && std::io::stdout().is_terminal();
        let target = if std::io::stderr().is_terminal() && !in_the_way {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(all), target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self {
            bar,
            read: Arc::new(AtomicU64::new(0)),
        }
    }

    /// Adds to the count.
    pub(crate) fn add(&self, count: u64) {
        self.read.fetch_add(count, Ordering::Relaxed);
    }

    /// Shows the count, with what is being done.
    pub(crate) fn show(&self, doing: &'static str) {
        if !self.bar.is_hidden() {
            self.bar.set_message(doing);
            self.bar.set_position(self.read.load(Ordering::Relaxed));
        }
    }

    /// Writes a line above the bar.
    pub(crate) fn say(&self, line: &str) {
        let line = printable(line);
        self.bar.suspend(|| anstream::eprintln!("{line}"));
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
