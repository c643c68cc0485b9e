//! Text for the terminal: messages, and text that is shortened, wrapped and grouped.

pub(crate) use robots_answers::grouped;
pub(crate) use robots_pipeline::text::{counted, printable};
pub(crate) use robots_policy::text::shortened;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use unicode_width::UnicodeWidthStr;

/// Prints a message to standard error. Text that it quotes cannot control the terminal, or look like another message.
macro_rules! message {
    ($($part:tt)*) => {
        $crate::terminal::print_message(&$crate::terminal::message_lines(&format!($($part)*)))
    };
}

/// Prints a message that is not an error: a warning, a note or a count. With `--quiet`, prints nothing.
macro_rules! notice {
    ($($part:tt)*) => {
        if !$crate::terminal::is_quiet() {
            message!($($part)*);
        }
    };
}

/// Whether only errors are printed to standard error.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Whether lists are shown whole, and every warning.
static IS_VERBOSE: AtomicBool = AtomicBool::new(false);

/// The number of entries of a long list that are shown without `--verbose`.
const MAX_LISTED: usize = 10;

/// Shows lists whole and every warning from here on.
pub(crate) fn be_verbose() {
    IS_VERBOSE.store(true, Ordering::Relaxed);
}

/// Returns whether lists are shown whole, and every warning.
pub(crate) fn is_verbose() -> bool {
    IS_VERBOSE.load(Ordering::Relaxed)
}

/// Returns the maximum number of entries of a list that are shown.
pub(crate) fn max_listed() -> usize {
    if is_verbose() { usize::MAX } else { MAX_LISTED }
}

/// Returns the entries of a list, or the first 10 of a longer one with the number of the others, which `--verbose` shows.
pub(crate) fn cut_list(entries: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    let mut entries = entries.into_iter();
    let mut list: Vec<String> = entries
        .by_ref()
        .take(max_listed())
        .map(Into::into)
        .collect();
    let others = entries.count();
    if others > 0 {
        list.push(format!("and {others} more (--verbose)"));
    }
    list
}

/// Returns the numbers of lines. A long list is cut, with the number of the others.
pub(crate) fn line_list(lines: &BTreeSet<usize>) -> String {
    robots_policy::text::line_list(lines, max_listed())
}

/// Prints only errors to standard error from here on.
pub(crate) fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Prints a line to standard error. It is dropped if it cannot be written: the results and the exit code do not depend on it.
pub(crate) fn print_message(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Returns whether only errors are printed to standard error.
pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Returns a message with its unprintable characters escaped. Lines after the first are indented.
pub(crate) fn message_lines(text: &str) -> String {
    let lines: Vec<_> = text.trim_end().split('\n').map(printable).collect();
    lines.join("\n  ")
}

/// Returns whether an output is a terminal: a device, or without a path standard output.
pub(crate) fn is_terminal(path: Option<&Path>) -> bool {
    let Some(path) = path else {
        return io::stdout().is_terminal();
    };
    // To open a pipe would wait for its other end.
    #[cfg(unix)]
    let is_device = |metadata: &fs::Metadata| {
        std::os::unix::fs::FileTypeExt::is_char_device(&metadata.file_type())
    };
    #[cfg(not(unix))]
    let is_device = |_: &fs::Metadata| false;
    let is_device = fs::metadata(path).is_ok_and(|metadata| is_device(&metadata));
    is_device && File::open(path).is_ok_and(|device| device.is_terminal())
}

/// The width of text that is not written to a terminal, in columns, and that at which lists are wrapped.
pub(crate) const WIDTH: usize = 80;

/// The maximum width of text, in columns: longer lines are hard to read.
const MAX_TEXT_WIDTH: usize = 100;

/// Returns the width of the terminal to which standard output is connected, in columns. `None` without a terminal.
pub(crate) fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0))
}

/// Returns the width of text on standard output, in columns: that of the terminal up to a maximum, or 80 without a terminal.
pub(crate) fn text_width() -> usize {
    width().map_or(WIDTH, |width| width.min(MAX_TEXT_WIDTH))
}

/// Returns whether standard output shows styles: by `--color`, the environment (`NO_COLOR`), and whether it is a terminal.
pub(crate) fn has_styles() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Returns words in lines of up to `width` columns. The first line begins with `first`, the others with `indent`. A longer word has a
/// line of its own.
pub(crate) fn filled(
    words: impl IntoIterator<Item = String>,
    width: usize,
    first: &str,
    indent: &str,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in words {
        if !is_empty && line.width() + 1 + word.width() > width {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(&word);
        is_empty = false;
    }
    lines.extend((!is_empty).then_some(line));
    lines
}

/// Returns names as printable text, each but the last with a comma.
pub(crate) fn with_commas(names: &[impl AsRef<str>]) -> impl Iterator<Item = String> {
    let last = names.len().saturating_sub(1);
    names.iter().enumerate().map(move |(index, name)| {
        let comma = if index < last { "," } else { "" };
        format!("{}{comma}", printable(name.as_ref()))
    })
}

/// Returns names with commas between them, in lines of up to 80 columns that are indented by `indent`.
pub(crate) fn wrapped(names: &[String], indent: usize) -> String {
    let indent = " ".repeat(indent);
    filled(with_commas(names), WIDTH, &indent, &indent).join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_wrapped_at_the_width() {
        let names: Vec<String> = (10..40).map(|number| format!("robot-{number}")).collect();
        let text = wrapped(&names, 4);
        assert!(
            text.lines()
                .all(|line| line.len() <= WIDTH && line.starts_with("    r"))
        );
        assert_eq!(text.split_whitespace().count(), 30);
        let long = ["a".repeat(100), "b".to_owned()];
        assert_eq!(wrapped(&long, 2), format!("  {},\n  b\n", long[0]));
    }

    #[test]
    fn messages_have_no_control_characters_except_line_ends() {
        assert_eq!(message_lines("a\n\u{202e}b\rc\n"), "a\n  \\u{202e}b\\rc");
    }

    #[test]
    fn texts_are_shortened_beyond_their_limit() {
        assert_eq!(shortened("caf\u{e9}", 4), "caf\u{e9}");
        assert_eq!(shortened("caf\u{e9}s", 4), "caf\u{2026}");
        assert_eq!(shortened("", 0), "");
    }
}
