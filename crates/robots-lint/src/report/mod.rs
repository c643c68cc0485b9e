//! Findings as reports show them, with lines and columns.

pub mod annotation;
pub mod gitlab;
pub mod json;
pub mod lines;
pub mod sarif;

use crate::catalogue::FindingKind;
use crate::fix::{Edit, Fix};
use std::borrow::Cow;
use std::ops::Range;

/// A finding with its message and location.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LocatedFinding<'a> {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The message: one clause, in lower case, without a full stop.
    pub message: String,
    /// The location of the finding.
    pub location: Location<'a>,
    /// Another location that concerns the finding, and its label.
    pub related: Option<(Location<'a>, &'static str)>,
    /// The edits that fix it; `None` if a person must decide.
    pub fix: Option<&'a Fix>,
}

/// A part of a line of the body or of a header.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Location<'a> {
    /// True for a header line of the response, false for a line of the body.
    pub is_header: bool,
    /// The 1-based line; header lines are counted without the status line.
    pub line: usize,
    /// The 1-based column of the first character.
    pub column: usize,
    /// The 1-based column after the last character.
    pub end_column: usize,
    /// The offset in the body or in the header line, in bytes from 0.
    pub offset: usize,
    /// The length in bytes.
    pub length: usize,
    /// The text of the line in UTF-8; of a long line, the text near the located part.
    pub text: Cow<'a, [u8]>,
    /// The range of the located part in [`text`](Self::text), in bytes.
    pub part: Range<usize>,
}

/// An edit of a fix, with its place in the body.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LocatedEdit {
    /// The edit.
    pub edit: Edit,
    /// The 1-based line and character at which the replaced text begins.
    pub start: (usize, usize),
    /// The 1-based line and character after the replaced text.
    pub end: (usize, usize),
}
