//! The words for directives, findings and encodings, for people and for JSON.

use robots_lint::FindingKind;
use robots_lint::list::ListFinding;
use robots_meta::directive::DirectiveValue;
use robots_meta::page::EncodingSource;
use robots_meta::value::{ImagePreview, Limit};
use robots_meta::{Directive, Directives, PageFacts};
use robots_policy::text::{printable, shortened};

/// The maximum length of a quoted text, in characters.
const MAX_QUOTED: usize = 60;

/// The meaning of each directive without a value.
const MEANINGS: [(Directives, &str); 19] = [
    (Directives::INDEX, "may be indexed"),
    (Directives::NOINDEX, "do not index"),
    (Directives::FOLLOW, "links may be followed"),
    (Directives::NOFOLLOW, "do not follow links"),
    (Directives::ARCHIVE, "a copy may be kept and shown"),
    (Directives::NOARCHIVE, "do not show a copy"),
    (Directives::NOSNIPPET, "do not show text of the page"),
    (Directives::NOIMAGEINDEX, "do not index images"),
    (Directives::NOTRANSLATE, "do not offer a translation"),
    (Directives::NOCACHE, "do not show a copy"),
    (
        Directives::INDEXIFEMBEDDED,
        "index as part of a page that embeds it, despite noindex",
    ),
    (
        Directives::NOSITELINKSSEARCHBOX,
        "no search box in results (unused)",
    ),
    (
        Directives::NOODP,
        "no description from the Open Directory (closed)",
    ),
    (
        Directives::NOYDIR,
        "no description from Yahoo's directory (closed)",
    ),
    (
        Directives::NOYACA,
        "no description from Yandex' directory (closed)",
    ),
    (Directives::NOAI, "do not use for AI training or AI input"),
    (
        Directives::NOIMAGEAI,
        "do not use images for AI training or AI input",
    ),
    (
        Directives::DISALLOW_AI_TRAINING,
        "do not use for AI training",
    ),
    (Directives::ALLOW_AI_TRAINING, "may be used for AI training"),
];

/// Returns a text of the page in backquotes, printable and short enough for a line.
pub fn quoted(text: &str) -> String {
    format!("`{}`", printable(&shortened(text, MAX_QUOTED)))
}

/// Returns a directive with its meaning: `noindex: do not index`.
pub fn meaning(directive: Directive<'_>) -> String {
    match directive.value() {
        DirectiveValue::Flags(flags) => {
            let meanings: Vec<&str> = MEANINGS
                .iter()
                .filter(|(flag, _)| flags.contains(*flag))
                .map(|(_, meaning)| *meaning)
                .collect();
            format!("{flags}: {}", meanings.join("; "))
        }
        DirectiveValue::MaxSnippet(limit) => {
            format!("max-snippet: {}", limited("a snippet", limit, "character"))
        }
        DirectiveValue::MaxImagePreview(size) => {
            let image = match size {
                ImagePreview::None => "no preview image",
                ImagePreview::Standard => "a preview image of the default size",
                ImagePreview::Large => "a large preview image",
                _ => "a preview image",
            };
            format!("max-image-preview: {image}")
        }
        DirectiveValue::MaxVideoPreview(limit) => {
            let video = limited("a video preview", limit, "second");
            format!("max-video-preview: {video}")
        }
        DirectiveValue::UnavailableAfter(moment) => {
            format!("unavailable_after: do not show after {moment}")
        }
        DirectiveValue::Invalid => "ignored: invalid value".to_owned(),
        _ => "ignored: not a known directive".to_owned(),
    }
}

/// Returns a limit in words: `a snippet of at most 20 characters`.
fn limited(subject: &str, limit: Limit, unit: &str) -> String {
    match limit {
        Limit::AtMost(1) => format!("{subject} of at most 1 {unit}"),
        Limit::AtMost(most) => format!("{subject} of at most {most} {unit}s"),
        Limit::Unlimited => format!("{subject} of any length"),
    }
}

/// Returns a finding in words, after the text that it is about.
pub fn finding(finding: &ListFinding<'_>) -> String {
    let about = finding.about();
    if finding.kind() == FindingKind::EmptyList {
        return about.into_owned();
    }
    let text = quoted(finding.text());
    match finding.other_text() {
        Some(other) => format!("{text}: {about}: {}", quoted(other)),
        None => format!("{text}: {about}"),
    }
}

/// Returns the encoding of a page, and how it was found.
pub fn encoding(page: &PageFacts) -> String {
    let source = match page.encoding_source() {
        EncodingSource::ByteOrderMark => "by its byte order mark",
        EncodingSource::Transport => "named by the server",
        EncodingSource::Prescan => "named by a META",
        EncodingSource::XmlDeclaration => "by its XML declaration",
        EncodingSource::Fallback => "not named",
        EncodingSource::LateMeta => "named by a late META",
        _ => "from another source",
    };
    format!("{} ({source})", page.encoding())
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_lint::list::findings_in_content;
    use robots_meta::HeadReader;

    fn meanings(content: &str) -> Vec<String> {
        let html = format!("<meta name=robots content='{content}'>");
        HeadReader::read(html.as_bytes())
            .directives(&["robots"])
            .map(meaning)
            .collect()
    }

    #[test]
    fn directives_have_meanings() {
        for flag in Directives::all() {
            assert!(MEANINGS.iter().any(|(known, _)| *known == flag), "{flag}");
        }
        assert_eq!(
            meanings("none, max-snippet:1, max-video-preview:20, max-image-preview:large"),
            [
                "noindex, nofollow: do not index; do not follow links",
                "max-snippet: a snippet of at most 1 character",
                "max-video-preview: a video preview of at most 20 seconds",
                "max-image-preview: a large preview image",
            ]
        );
        assert_eq!(
            meanings("max-snippet:-1, max-snippet:x, noopd"),
            [
                "max-snippet: a snippet of any length",
                "ignored: invalid value",
                "ignored: not a known directive",
            ]
        );
    }

    #[test]
    fn findings_have_words() {
        let findings = findings_in_content("noopd, index, noindex");
        let texts: Vec<String> = findings.iter().map(finding).collect();
        assert_eq!(
            texts,
            [
                "`noopd`: not a known directive; perhaps `noodp` is meant",
                "`noindex`: contradicts another directive: `index`",
            ]
        );
    }

    #[test]
    fn quoted_texts_are_short_and_printable() {
        assert_eq!(quoted("a\u{7}"), "`a\\u{7}`");
        let longest = "é".repeat(MAX_QUOTED);
        assert_eq!(quoted(&longest), format!("`{longest}`"));
        assert_eq!(
            quoted(&format!("{longest}é")).chars().count(),
            MAX_QUOTED + 2
        );
    }
}
