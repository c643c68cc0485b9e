//! The difference between two texts, line by line.

use crate::terminal::printable;
use similar::TextDiff;
use std::time::Duration;

/// The maximum time to search for the shortest difference. After it, a longer one is accepted.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the difference between two texts with these names, in the unified form.
pub(crate) fn difference(names: [&str; 2], texts: [&[u8]; 2]) -> String {
    let [old, new] = texts.map(String::from_utf8_lossy);
    let [old_name, new_name] = names.map(printable);
    let diff = TextDiff::configure()
        .timeout(TIMEOUT)
        .diff_lines(old.as_ref(), new.as_ref())
        .unified_diff()
        .header(&old_name, &new_name)
        .to_string();
    let lines: Vec<_> = diff.split('\n').map(printable).collect();
    lines.join("\n")
}
