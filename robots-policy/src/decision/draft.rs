//! A decision that is not complete yet.

use super::Decision;
use super::reason::{Effect, Field, Reason, Source, Warning, WarningKind};
use crate::limits::{MAX_REASONS, MAX_TEXT_BYTES, MAX_WARNINGS};
use crate::text::prefix;

/// A decision that is not complete yet. It collects reasons and warnings within their limits.
#[derive(Debug)]
pub(crate) struct Draft<'d> {
    pub(crate) decision: &'d mut Decision,
    /// Whether to collect reasons and warnings.
    pub(crate) is_explained: bool,
}

impl Draft<'_> {
    /// Adds a reason if reasons are collected; `text` is called only then. A reason that decides a field is added past
    /// the limit, too.
    pub(crate) fn add_reason(
        &mut self,
        field: Field,
        source: Source,
        text: impl FnOnce() -> String,
        effect: Effect,
    ) {
        let reasons = &mut self.decision.reasons;
        if self.is_explained && (reasons.len() < MAX_REASONS || effect == Effect::Decides) {
            reasons.push(Reason {
                field,
                source,
                text: shortened(text()),
                effect,
            });
        }
    }

    /// Adds a warning if warnings are collected.
    pub(crate) fn warn(&mut self, kind: WarningKind, source: Source, text: &str) {
        let warnings = &mut self.decision.warnings;
        if self.is_explained && warnings.len() < MAX_WARNINGS {
            warnings.push(Warning {
                kind,
                source,
                text: shortened(text.to_owned()),
            });
        }
    }
}

/// Returns the first [`MAX_TEXT_BYTES`] of a text, and an ellipsis if that is not all.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_TEXT_BYTES {
        text.truncate(prefix(&text, MAX_TEXT_BYTES).len());
        text.push('\u{2026}');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        let text = |length: usize| shortened("\u{e9}".repeat(length));
        assert_eq!(text(MAX_TEXT_BYTES / 2).len(), MAX_TEXT_BYTES);
        let cut = text(MAX_TEXT_BYTES / 2 + 1);
        assert_eq!(cut.len(), MAX_TEXT_BYTES + '\u{2026}'.len_utf8());
        assert!(cut.ends_with('\u{2026}'));
        assert!(shortened(format!("a{}", text(MAX_TEXT_BYTES / 2))).ends_with('\u{2026}'));
    }
}
