//! Open documents: their text, its changes, and its findings.

use crate::position::{Encoding, line_span};
use gen_lsp_types::{Range as TextRange, Uri};
use robots_lint::catalogue::Selection;
use robots_lint::project::{Config, find};
use robots_lint::{Finding, Findings, RobotsTxtLinter};
use robots_txt::RobotsTxt;
use robots_txt::limits::MAX_BODY;
use ropey::Rope;
use serde::Deserialize;
use std::cell::OnceCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use url::Url;

/// The maximum length of a page that is read, in bytes.
pub const MAX_PAGE: usize = MAX_BODY;

/// The maximum length of a robots.txt that is read, in bytes: 4 MiB. No engine reads as much. The search for findings takes up to 40 times
/// the memory of the file.
pub const MAX_ROBOTS_TXT: usize = 4 << 20;

/// The form of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    RobotsTxt,
    Html,
    /// A text that is not about robots.
    Other,
}

impl DocumentKind {
    /// Returns the kind of a document by its language and its URI. A robots.txt has no agreed language. Without one of its
    /// names, a document is a robots.txt if the name of its file ends with `robots.txt`, in any case.
    pub(crate) fn of(language: &str, uri: &str) -> Self {
        let is_named = uri.to_ascii_lowercase().ends_with("robots.txt");
        match language.to_ascii_lowercase().as_str() {
            "html" | "xhtml" => Self::Html,
            "robots" | "robotstxt" | "robots.txt" | "robots-txt" | "robots_txt" => Self::RobotsTxt,
            _ if is_named => Self::RobotsTxt,
            _ => Self::Other,
        }
    }
}

/// A change of a document.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Change {
    /// The changed part; `None` for the whole document.
    #[serde(default)]
    range: Option<TextRange>,
    text: String,
}

/// An open document.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) kind: DocumentKind,
    pub(crate) text: Rope,
    linted: OnceCell<Linted>,
}

/// A robots.txt with its findings.
#[derive(Debug)]
pub(crate) struct Linted {
    pub(crate) robots: RobotsTxt,
    pub(crate) findings: Findings,
}

/// The settings of a document: the defaults of its project.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) selection: Selection,
    /// The path of the `robots.toml`.
    pub(crate) file: Option<PathBuf>,
    /// The reason why the `robots.toml` does not count, with its path.
    pub(crate) error: Option<String>,
}

impl Linted {
    /// Returns the selected findings, in order.
    pub(crate) fn selected(&self, selection: &Selection) -> impl Iterator<Item = &Finding> {
        let findings = self.findings.iter();
        findings.filter(|finding| selection.contains(finding.kind()))
    }
}

impl Document {
    pub(crate) fn new(uri: Uri, kind: DocumentKind, version: i32, text: &str) -> Self {
        Self {
            uri,
            version,
            kind,
            text: Rope::from_str(text),
            linted: OnceCell::new(),
        }
    }

    /// Applies changes, in order. Logarithmic in the text for each, and linear in the new texts.
    pub(crate) fn change(&mut self, version: i32, changes: &[Change], encoding: Encoding) {
        self.version = version;
        self.linted = OnceCell::new();
        for change in changes {
            let Some(range) = change.range else {
                self.text = Rope::from_str(&change.text);
                continue;
            };
            let span = encoding.span(&self.text, range);
            let start = self.text.byte_to_char(span.start);
            self.text.remove(start..self.text.byte_to_char(span.end));
            self.text.insert(start, &change.text);
        }
    }

    /// Returns the maximum length of a document of this kind that is read.
    pub(crate) fn max_length(&self) -> usize {
        match self.kind {
            DocumentKind::Html => MAX_PAGE,
            _ => MAX_ROBOTS_TXT,
        }
    }

    /// Returns whether the document is longer than what is read.
    pub(crate) fn is_too_long(&self) -> bool {
        self.text.len_bytes() > self.max_length()
    }

    /// Returns the bytes of the text.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.text.bytes().collect()
    }

    /// Returns the robots.txt with its findings, which are searched once for each version. `None` for a page, and for a
    /// document that is too long.
    pub(crate) fn linted(&self, linter: &RobotsTxtLinter) -> Option<&Linted> {
        if self.kind != DocumentKind::RobotsTxt || self.is_too_long() {
            return None;
        }
        Some(self.linted.get_or_init(|| {
            let robots = RobotsTxt::parse(self.bytes());
            let findings = linter.lint_file(&robots, Some(&self.uri.0));
            Linted { robots, findings }
        }))
    }

    /// Reads the `robots.toml` in the folder of the document, or in the next one above it. A document that is not a file has the
    /// defaults of `robots lint`. It is read again for each answer, so that a change counts at once, whether or not the client
    /// reports it.
    pub(crate) fn settings(&self) -> Settings {
        let path = Url::parse(&self.uri.0).ok();
        let path = path.and_then(|url| url.to_file_path().ok());
        let file = path.as_deref().and_then(Path::parent).and_then(find);
        let load = |file: &Path| {
            Config::load(file).map_err(|error| format!("{}: {error}", file.display()))
        };
        let (config, error) = match file.as_deref().map(load).transpose() {
            Ok(config) => (config.unwrap_or_default(), None),
            Err(error) => (Config::default(), Some(error)),
        };
        Settings {
            selection: config.selection(),
            file,
            error,
        }
    }

    /// Returns the text of a span. Its ends must be ends of characters.
    pub(crate) fn slice(&self, span: Range<usize>) -> String {
        let slice = self.text.get_byte_slice(span);
        slice.map(|slice| slice.to_string()).unwrap_or_default()
    }

    /// Returns the span of a 1-based line, without white space around it.
    pub(crate) fn trimmed_line(&self, number: usize) -> Range<usize> {
        let span = line_span(&self.text, number - 1);
        let text = self.slice(span.clone());
        let start = span.start + text.len() - text.trim_start().len();
        start..start + text.trim().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_lsp_types::Position;
    use proptest::prelude::*;

    fn document(text: &str) -> Document {
        Document::new(
            Uri("file:///robots.txt".to_owned()),
            DocumentKind::RobotsTxt,
            1,
            text,
        )
    }

    fn partial(range: [u32; 4], text: &str) -> Change {
        let [line, character, end_line, end_character] = range;
        let range = TextRange {
            start: Position { line, character },
            end: Position {
                line: end_line,
                character: end_character,
            },
        };
        Change {
            range: Some(range),
            text: text.to_owned(),
        }
    }

    #[test]
    fn changes_apply_in_order() {
        let mut document = document("a\u{1f916}b\r\nsecond\n");
        let changes = vec![
            // The robot has two units of UTF-16.
            partial([0, 3, 0, 4], "c"),
            partial([1, 0, 1, 6], "2nd"),
            partial([9, 0, 9, 9], "end"),
            // The end is before the start.
            partial([1, 2, 0, 0], "!"),
        ];
        document.change(2, &changes, Encoding::Utf16);
        assert_eq!(document.text.to_string(), "a\u{1f916}c\r\n2n!d\nend");
        let whole = Change {
            range: None,
            text: "new".to_owned(),
        };
        document.change(3, &[whole, partial([0, 1, 0, 1], "\r")], Encoding::Utf8);
        // CR and LF of two changes are one line end.
        document.change(
            4,
            &[partial([0, 1, 0, 1], ""), partial([1, 0, 1, 0], "\n")],
            Encoding::Utf8,
        );
        assert_eq!(document.text.to_string(), "n\r\new");
        assert_eq!(document.text.len_lines(), 2);
        assert_eq!(document.version, 4);
    }

    #[test]
    fn the_language_and_the_name_decide_what_a_document_is() {
        for (language, uri, kind) in [
            ("robots", "untitled:1", DocumentKind::RobotsTxt),
            ("plaintext", "file:///a/robots.txt", DocumentKind::RobotsTxt),
            (
                "plaintext",
                "file:///a/example.com-Robots.TXT",
                DocumentKind::RobotsTxt,
            ),
            ("plaintext", "file:///a/notes.txt", DocumentKind::Other),
            ("plaintext", "x", DocumentKind::Other),
            ("Robots.txt", "x", DocumentKind::RobotsTxt),
            ("robots-txt", "x", DocumentKind::RobotsTxt),
            ("toml", "file:///a/robots.toml", DocumentKind::Other),
            ("python", "untitled:1", DocumentKind::Other),
            ("", "file:///a/robots.txt", DocumentKind::RobotsTxt),
            ("html", "file:///a/index.html", DocumentKind::Html),
        ] {
            assert_eq!(DocumentKind::of(language, uri), kind, "{language} {uri}");
        }
    }

    #[test]
    fn a_document_has_a_limit() {
        let linter = RobotsTxtLinter::new();
        for (length, is_read) in [
            (MAX_ROBOTS_TXT - 1, true),
            (MAX_ROBOTS_TXT, true),
            (MAX_ROBOTS_TXT + 1, false),
        ] {
            let document = document(&"#".repeat(length));
            assert_eq!(document.linted(&linter).is_some(), is_read, "{length}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn changes_equal_those_of_a_text(
            text in "[a\r\n\u{1f916}]{0,12}",
            range in [0_u32..5, 0..5, 0..5, 0..5],
            new in "[b\r\n]{0,3}",
        ) {
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let mut document = document(&text);
                let change = partial(range, &new);
                let span = encoding.span(&document.text, change.range.unwrap_or_default());
                let mut expected = text.clone();
                expected.replace_range(span, &new);
                document.change(2, &[change], encoding);
                prop_assert_eq!(document.text.to_string(), expected);
            }
        }
    }
}
