//! Observers that show warnings and progress on standard error.

use crate::progress::Progress;
use crate::terminal::{counted, is_quiet};
use robots_pipeline::{Observer, Severity, Stage, Warning, WarningCounts};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Groups of the warnings of commands that read records without [`Observer`]: names like those of [`Warning::group`].
pub(crate) const NOT_HTTP: &str = "responses that are not HTTP";
pub(crate) const UNREADABLE_BODY: &str = "bodies that cannot be read";
pub(crate) const OTHER_BODY: &str = "bodies that differ from their headers";
pub(crate) const INCOMPLETE: &str = "records that are not whole";
pub(crate) const NOT_SITE: &str = "lines that are not sites";
pub(crate) const ROBOTS_ERROR: &str = "errors in robots.txt";

/// The warnings of this process.
static WARNINGS: Mutex<Warnings> = Mutex::new(Warnings::new());

/// The number of damaged places of archives in this process.
static BROKEN_PLACES: AtomicU64 = AtomicU64::new(0);

/// The number of files that were found in folders and could not be read.
static UNREAD_FILES: AtomicU64 = AtomicU64::new(0);

/// The numbers of warnings, by their groups.
#[derive(Debug)]
struct Warnings {
    shows_all: bool,
    counts: WarningCounts,
}

impl Warnings {
    const fn new() -> Self {
        Self {
            shows_all: false,
            counts: WarningCounts::new(),
        }
    }

    /// Counts a warning of a group, and returns whether it is to be shown.
    fn add(&mut self, group: &'static str) -> bool {
        self.counts.add(group) || self.shows_all
    }

    /// Returns a line for each group of which warnings were not shown.
    fn hidden(&self) -> impl Iterator<Item = String> {
        let hidden = self.counts.hidden().filter(|_| !self.shows_all);
        hidden.map(|(group, hidden)| {
            let hidden = counted(hidden, "more warning");
            format!("warning: {hidden} about {group}; --verbose shows them")
        })
    }
}

/// Shows all warnings from here on.
pub(crate) fn show_all_warnings() {
    let mut warnings = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    warnings.shows_all = true;
}

/// Reports how many warnings were not shown.
pub(crate) fn report_hidden_warnings() {
    let warnings = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    for line in warnings.hidden() {
        message!("{line}");
    }
}

/// Counts a warning of a group, and returns whether it is to be shown. With `--quiet`, none is counted or shown.
pub(crate) fn is_shown(group: &'static str) -> bool {
    !is_quiet() && count(group)
}

/// Counts a warning or an error of a group, and returns whether it is to be shown.
fn count(group: &'static str) -> bool {
    let mut warnings = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    warnings.add(group)
}

/// Reports how many places of archives are damaged, and how many files of folders could not be read, for a command whose result is for
/// all of its inputs. A warning about each came before. Returns whether there are such files: as other inputs that cannot be read,
/// they are an error, and damage is not, because the rest of the archive was read.
pub(crate) fn report_lost_parts() -> bool {
    let [places, files] =
        [&BROKEN_PLACES, &UNREAD_FILES].map(|count| count.load(Ordering::Relaxed));
    if places > 0 {
        notice!("{} in the inputs", counted(places, "broken place"));
    }
    if files > 0 {
        message!("error: {} could not be read", counted(files, "file"));
    }
    files > 0
}

/// Notes a warning. Returns it as a line, unless enough of its group were shown. Warnings that are errors are shown with `--quiet`, too.
fn line(warning: &Warning) -> Option<String> {
    match warning {
        Warning::Damage { .. } => BROKEN_PLACES.fetch_add(1, Ordering::Relaxed),
        Warning::Unreadable { .. } => UNREAD_FILES.fetch_add(1, Ordering::Relaxed),
        _ => 0,
    };
    let (group, severity) = (warning.group(), warning.severity());
    let is_shown = match severity {
        Severity::Error => count(group),
        _ => is_shown(group),
    };
    is_shown.then(|| format!("{severity}: {warning}"))
}

/// Shows warnings above the bar.
impl Observer for Progress {
    fn progress(&self, stage: Stage, bytes: u64) {
        self.add(bytes);
        self.show(stage.name());
    }

    fn warn(&self, warning: &Warning) {
        if let Some(line) = line(warning) {
            self.say(&line);
        }
    }
}

/// An observer that prints warnings, without a bar.
#[derive(Debug)]
pub(crate) struct WarningPrinter;

impl Observer for WarningPrinter {
    fn warn(&self, warning: &Warning) {
        if let Some(line) = line(warning) {
            message!("{line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: u64 = WarningCounts::SHOWN;

    #[test]
    fn warnings_past_the_first_of_a_group_are_counted() {
        for (count, hidden) in [(SHOWN - 1, 0), (SHOWN, 0), (SHOWN + 1, 1), (SHOWN + 2, 2)] {
            let mut warnings = Warnings::new();
            let shown = (0..count).filter(|_| warnings.add("damaged records"));
            assert_eq!(shown.count() as u64, count - hidden);
            assert!(warnings.add("wrong digests"), "groups are apart");
            let lines: Vec<String> = warnings.hidden().collect();
            let line = format!(
                "warning: {hidden} more warning{} about damaged records; --verbose shows them",
                if hidden == 1 { "" } else { "s" }
            );
            assert_eq!(lines, if hidden > 0 { vec![line] } else { vec![] });
            warnings.shows_all = true;
            assert!(warnings.add("damaged records"));
            assert_eq!(warnings.hidden().count(), 0);
        }
    }
}
