//! A progress bar on standard error, if that is a terminal without other output and `--quiet` is not used.

use crate::terminal::{is_quiet, print_message, printable};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};

/// A bar that shows progress and speed.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    /// The count to show: of bytes, sites or files.
    count: AtomicU64,
}

impl Progress {
    /// Returns a bar for this number of bytes. It is hidden if rows go to standard output (`written_to_stdout`) and
    /// that is a terminal.
    pub(crate) fn new(bytes: u64, written_to_stdout: bool) -> Self {
        let template = "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
        Self::with_template(template, bytes, written_to_stdout)
    }

    /// Returns a bar for this number of sites.
    pub(crate) fn of_sites(sites: u64, written_to_stdout: bool) -> Self {
        let template = "{msg} {wide_bar} {pos}/{len} {per_sec} {eta}";
        Self::with_template(template, sites, written_to_stdout)
    }

    /// Returns a count of files whose total is not known.
    pub(crate) fn of_files(written_to_stdout: bool) -> Self {
        Self::with_template("{msg} {pos} files {per_sec}", 0, written_to_stdout)
    }

    /// Returns a count of bytes whose total is not known, such as that of unpacked bytes.
    pub(crate) fn of_bytes(written_to_stdout: bool) -> Self {
        Self::with_template("{msg} {bytes} {bytes_per_sec}", 0, written_to_stdout)
    }

    fn with_template(template: &str, all: u64, written_to_stdout: bool) -> Self {
        let would_mix = written_to_stdout && std::io::stdout().is_terminal();
        let target = if std::io::stderr().is_terminal() && !would_mix && !is_quiet() {
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
            count: AtomicU64::new(0),
        }
    }

    /// Adds to the count. [`Progress::show`] shows it.
    pub(crate) fn add(&self, count: u64) {
        self.count.fetch_add(count, Ordering::Relaxed);
    }

    /// Shows the count, with the name of the activity.
    pub(crate) fn show(&self, activity: &'static str) {
        if !self.bar.is_hidden() {
            self.bar.set_message(activity);
            self.bar.set_position(self.count.load(Ordering::Relaxed));
        }
    }

    /// Writes a line above the bar.
    pub(crate) fn say(&self, line: &str) {
        let line = printable(line);
        self.bar.suspend(|| print_message(&line));
    }

    /// Writes a line that is not an error above the bar, unless `--quiet` is used.
    pub(crate) fn notice(&self, line: &str) {
        if !is_quiet() {
            self.say(line);
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
