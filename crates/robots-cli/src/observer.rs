//! Observers that show warnings and progress on standard error.

use crate::progress::Progress;
use robots_pipeline::{Observer, Stage, Warning};

/// Returns a warning as a line.
fn line(warning: &Warning) -> String {
    format!("{}: {warning}", warning.severity())
}

/// Shows warnings above the bar.
impl Observer for Progress {
    fn progress(&self, stage: Stage, bytes: u64) {
        self.add(bytes);
        self.show(stage.as_str());
    }

    fn warn(&self, warning: &Warning) {
        self.say(&line(warning));
    }
}

/// An observer that prints warnings, without a bar.
#[derive(Debug)]
pub(crate) struct WarningPrinter;

impl Observer for WarningPrinter {
    fn warn(&self, warning: &Warning) {
        message!("{}", line(warning));
    }
}
