//! The directives of a list and its mistakes, with their places.

use robots_lint::list::ListFinding;
use robots_meta::directive::DirectiveValue;
use robots_meta::value::{ImagePreview, Limit};
use robots_meta::{Directive, Timestamp};
use serde::Serialize;

/// A directive, with its place in the page or the header value.
#[derive(Debug, Serialize)]
pub(super) struct DirectiveAnswer<'p> {
    text: &'p str,
    kind: &'static str,
    value: Option<DirectiveValueAnswer>,
    offset: Option<usize>,
    length: usize,
}

/// The value of a directive.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum DirectiveValueAnswer {
    Flags(String),
    Limit(Limit),
    ImagePreview(ImagePreview),
    Time(Timestamp),
}

/// A mistake in a list of directives.
#[derive(Debug, Serialize)]
pub(super) struct FindingAnswer<'p> {
    kind: &'static str,
    #[serde(flatten)]
    text: PlacedText<'p>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meant: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<PlacedText<'p>>,
}

/// A text and its place.
#[derive(Debug, Serialize)]
pub(super) struct PlacedText<'p> {
    text: &'p str,
    offset: Option<usize>,
    length: usize,
}

impl<'p> DirectiveAnswer<'p> {
    /// Returns a directive of a list; `start` is the offset of the list, if it is known.
    pub(super) fn new(directive: Directive<'p>, start: Option<usize>) -> Self {
        let (kind, value) = match directive.value() {
            DirectiveValue::Flags(flags) => (
                "flags",
                Some(DirectiveValueAnswer::Flags(flags.to_string())),
            ),
            DirectiveValue::MaxSnippet(limit) => {
                ("max-snippet", Some(DirectiveValueAnswer::Limit(limit)))
            }
            DirectiveValue::MaxImagePreview(size) => (
                "max-image-preview",
                Some(DirectiveValueAnswer::ImagePreview(size)),
            ),
            DirectiveValue::MaxVideoPreview(limit) => (
                "max-video-preview",
                Some(DirectiveValueAnswer::Limit(limit)),
            ),
            DirectiveValue::UnavailableAfter(time) => {
                ("unavailable_after", Some(DirectiveValueAnswer::Time(time)))
            }
            DirectiveValue::Invalid => ("invalid", None),
            // `DirectiveValue::Unknown`.
            _ => ("unknown", None),
        };
        let PlacedText {
            text,
            offset,
            length,
        } = PlacedText::new(directive.text(), directive.offset(), start);
        Self {
            text,
            kind,
            value,
            offset,
            length,
        }
    }
}

impl<'p> FindingAnswer<'p> {
    /// Returns a finding about a list; `start` is the offset of the list, if it is known.
    pub(super) fn new(finding: &ListFinding<'p>, start: Option<usize>) -> Self {
        let other = finding.other_span().zip(finding.other_text());
        Self {
            kind: finding.name(),
            text: PlacedText::new(finding.text(), finding.span().start, start),
            meant: finding.meant(),
            other: other.map(|(span, text)| PlacedText::new(text, span.start, start)),
        }
    }
}

impl<'p> PlacedText<'p> {
    /// Returns a text at an offset in a list, which is at `start`, if that is known.
    pub(super) fn new(text: &'p str, offset: usize, start: Option<usize>) -> Self {
        Self {
            text,
            offset: start.map(|start| start + offset),
            length: text.len(),
        }
    }
}
