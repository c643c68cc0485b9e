//! The difference between two texts, line by line.

use crate::terminal::printable;
use similar::TextDiff;
use std::fmt::Write;
use std::time::Duration;

/// The maximum time to search for the shortest difference. After it, a longer one is accepted.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the difference between two texts with these names, in the unified form.
pub(crate) fn difference(names: [&str; 2], texts: [&[u8]; 2]) -> String {
    let [old, new] = texts.map(String::from_utf8_lossy);
    // Lines end with LF alone: the difference is printed, and has one line for each.
    let [old, new] = [&old, &new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let [old_name, new_name] = names.map(printable);
    let diff = TextDiff::configure()
        .timeout(TIMEOUT)
        .diff_slices(&old, &new);
    let mut text = String::new();
    for hunk in diff.unified_diff().iter_hunks() {
        if text.is_empty() {
            text = format!("--- {old_name}\n+++ {new_name}\n");
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", hunk.header());
        for change in hunk.iter_changes() {
            let (line, end) = match change.value().strip_suffix('\n') {
                Some(line) => (line, ""),
                None => (change.value(), "\\ No newline at end of file\n"),
            };
            let _ = write!(text, "{}{}\n{end}", change.tag(), printable(line));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_a_text_is_one_of_the_difference() {
        let diff = |old: &str, new: &str| difference(["a", "b"], [old, new].map(str::as_bytes));
        let head = "--- a\n+++ b\n";
        for (old, new, expected) in [
            (
                "x\ny\rz\n",
                "x\ny\nz\n",
                "@@ -1,2 +1,3 @@\n x\n-y\\rz\n+y\n+z\n",
            ),
            (
                "x\r\ny",
                "x\ny\n",
                "@@ -1,2 +1,2 @@\n-x\\r\n-y\n\\ No newline at end of file\n+x\n+y\n",
            ),
            (
                "x\ry\r",
                "x\ny\n",
                "@@ -1 +1,2 @@\n-x\\ry\\r\n\\ No newline at end of file\n+x\n+y\n",
            ),
        ] {
            assert_eq!(diff(old, new), format!("{head}{expected}"));
        }
        assert_eq!(diff("x\n", "x\n"), "");
    }
}
