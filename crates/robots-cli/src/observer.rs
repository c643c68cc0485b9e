//! Observers that show warnings and progress on standard error.

use crate::progress::Progress;
use crate::terminal::{counted, is_quiet, is_verbose};
use robots_pipeline::{Observer, Warning, WarningCounts};
use std::sync::{Mutex, PoisonError};

/// The warnings of this process.
static WARNINGS: Mutex<Warnings> = Mutex::new(Warnings::new());

/// The numbers of warnings, by their groups.
#[derive(Debug)]
struct Warnings {
    counts: WarningCounts,
    lost: LostParts,
}

impl Warnings {
    const fn new() -> Self {
        Self {
            counts: WarningCounts::new(),
            lost: LostParts {
                broken_places: 0,
                unread_paths: 0,
            },
        }
    }

    /// Counts a warning of a group, and returns whether it is to be shown.
    fn add(&mut self, group: &'static str) -> bool {
        self.counts.add(group) || is_verbose()
    }

    /// Returns a line for each group of which warnings were not shown.
    fn hidden(&self) -> impl Iterator<Item = String> {
        let hidden = self.counts.hidden().filter(|_| !is_verbose());
        hidden.map(|(group, hidden)| {
            let hidden = counted(hidden, "more warning");
            format!("warning: {hidden} about {group}; --verbose shows them")
        })
    }
}

/// Reports how many warnings were not shown.
pub(crate) fn report_hidden_warnings() {
    let warnings = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    for line in warnings.hidden() {
        message!("{line}");
    }
}

/// Counts a warning of a group, named like those of [`Warning::group`], and returns whether it is to be shown. With `--quiet`, none is counted or shown.
pub(crate) fn is_shown(group: &'static str) -> bool {
    let warnings = || WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    !is_quiet() && warnings().add(group)
}

/// The parts of the inputs that commands have not read, and the user was warned of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use]
pub(crate) struct LostParts {
    /// The number of damaged places of archives.
    broken_places: u64,
    /// The number of files and folders that were found in folders and cannot be read.
    unread_paths: u64,
}

impl LostParts {
    /// Returns the parts that this process has not read so far.
    pub(crate) fn of_process() -> Self {
        let warnings = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.lost
    }

    /// Returns whether files or folders were left out. That is an error, as it is for other inputs. Damage is not: the rest of the
    /// archive was read.
    pub(crate) fn has_unread_paths(self) -> bool {
        self.unread_paths > 0
    }

    /// Reports the numbers on standard error.
    pub(crate) fn report(self) {
        if self.broken_places > 0 {
            let places = counted(self.broken_places, "broken place");
            notice!("{places} in the inputs");
        }
        if self.unread_paths > 0 {
            let paths = counted(self.unread_paths, "path");
            message!("error: {paths} could not be read");
        }
    }

    fn add(&mut self, warning: &Warning) {
        match warning {
            Warning::Unreadable { .. } => self.unread_paths += 1,
            _ if warning.is_damage() => self.broken_places += 1,
            _ => {}
        }
    }
}

/// Counts a warning. Returns it as a line, unless enough of its group were shown. Warnings that are errors are shown with `--quiet`,
/// too.
fn counted_line(warning: &Warning) -> Option<String> {
    let is_error = warning.is_error();
    let mut warnings = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    warnings.lost.add(warning);
    let is_shown = (is_error || !is_quiet()) && warnings.add(warning.group());
    let severity = if is_error { "error" } else { "warning" };
    is_shown.then(|| format!("{severity}: {warning}"))
}

/// Shows warnings above the bar.
impl Observer for Progress {
    fn progress(&self, stage: &'static str, bytes: u64) {
        self.add(bytes);
        self.show(stage);
    }

    fn warn(&self, warning: &Warning) {
        if let Some(line) = counted_line(warning) {
            self.say(&line);
        }
    }
}

/// An observer that prints warnings, without a bar.
#[derive(Debug)]
pub(crate) struct WarningPrinter;

impl Observer for WarningPrinter {
    fn warn(&self, warning: &Warning) {
        if let Some(line) = counted_line(warning) {
            message!("{line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_archive::Damage;

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
        }
    }

    #[test]
    fn lost_parts_are_counted_by_their_kinds() {
        let mut lost = LostParts::default();
        let file = || "a.warc".to_owned();
        lost.add(&Warning::Damage {
            file: file(),
            damage: Damage::of_record(1, "lost"),
        });
        lost.add(&Warning::NoRecord {
            file: file(),
            offset: 7,
        });
        lost.add(&Warning::NotInIndex { file: file() });
        assert!(!lost.has_unread_paths());
        lost.add(&Warning::Unreadable {
            path: file().into(),
            error: "gone".to_owned(),
        });
        assert!(lost.has_unread_paths());
        let (broken_places, unread_paths) = (2, 1);
        let expected = LostParts {
            broken_places,
            unread_paths,
        };
        assert_eq!(lost, expected);
    }
}
