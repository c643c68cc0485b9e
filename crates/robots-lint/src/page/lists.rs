//! The lists of directives in METAs and header lines, and the findings in each of them.

use super::PageDiagnostic;
use super::input::{PageInput, header_text};
use super::location::Spot;
use crate::catalogue::DiagnosticKind as Kind;
use robots_meta::directive::{Finding, FindingKind, findings_in_content, findings_in_header};
use robots_meta::header::RobotsHeader;
use robots_meta::page::Meta;
use robots_meta::{Directive, PageMeta, robots_headers};
use std::borrow::Cow;

/// A directive, its robot, and its span.
pub(super) struct Statement<'p> {
    /// The name of the robot, in lower case; `robots` is every robot.
    pub(super) agent: String,
    /// The index of its list, among header lines and METAs in order.
    pub(super) list: usize,
    pub(super) directive: Directive<'p>,
    pub(super) spot: Spot,
}

/// Returns every directive of header lines and METAs, in order.
pub(super) fn statements<'p>(
    page: &'p PageInput,
    meta: &'p PageMeta,
    names: &'p [&'p str],
) -> Vec<Statement<'p>> {
    let mut all = Vec::new();
    let mut list = 0_usize;
    for (line, header, name, value) in robots_lines(page) {
        for found in robots_headers([(name, value)]) {
            let agent = found.agent().unwrap_or("robots").to_ascii_lowercase();
            let directive = found.directive();
            let start = directive.offset();
            all.push(Statement {
                // In Robots-Tag a star names every robot.
                agent: if agent == "*" {
                    "robots".to_owned()
                } else {
                    agent
                },
                list,
                directive,
                spot: Spot::header(
                    line,
                    header,
                    start..start.saturating_add(directive.text().len()),
                ),
            });
        }
        list = list.saturating_add(1);
    }
    for meta in meta.robots_metas(names) {
        for directive in meta.directives() {
            all.push(Statement {
                agent: meta.name().unwrap_or_default().trim().to_ascii_lowercase(),
                list,
                directive,
                spot: spot_in(page, meta, directive.offset(), directive.text()),
            });
        }
        list = list.saturating_add(1);
    }
    all
}

/// Returns the header lines that have directives, with their indices among all header lines.
fn robots_lines(page: &PageInput) -> impl Iterator<Item = (usize, RobotsHeader, &str, &[u8])> {
    let lines = page.headers().iter().enumerate();
    lines.filter_map(|(line, (name, value))| {
        Some((line, RobotsHeader::from_name(name)?, &**name, &**value))
    })
}

/// Returns the findings in each list alone.
pub(super) fn diagnostics(
    page: &PageInput,
    meta: &PageMeta,
    names: &[&str],
) -> Vec<PageDiagnostic> {
    let mut all = Vec::new();
    for (line, header, _, value) in robots_lines(page) {
        if header == RobotsHeader::XRobotsTag {
            for found in findings_in_header(&header_text(value)) {
                let other = found.other_span();
                let other = other.map(|other| Spot::header(line, header, other));
                let spot = Spot::header(line, header, found.span());
                all.extend(diagnostic(&found, spot, other));
            }
        }
    }
    for meta in meta.robots_metas(names) {
        for found in findings_in_content(meta.content()) {
            let other = found.other_span().zip(found.other_text());
            let other = other.map(|(span, text)| spot_in(page, meta, span.start, text));
            let spot = spot_in(page, meta, found.span().start, found.text());
            all.extend(diagnostic(&found, spot, other));
        }
    }
    all
}

fn diagnostic(found: &Finding<'_>, spot: Spot, other: Option<Spot>) -> Option<PageDiagnostic> {
    let kind = kind_of(found.kind())?;
    let detail = match found.kind() {
        FindingKind::Misspelt { meant } => {
            Some(format!("`{}` is perhaps `{meant}`", quoted(found.text())))
        }
        FindingKind::Empty => None,
        _ => match found.other_text() {
            Some(other) => Some(format!(
                "`{}` and `{}`",
                quoted(found.text()),
                quoted(other)
            )),
            None => Some(format!("`{}`", quoted(found.text()))),
        },
    };
    Some(PageDiagnostic {
        kind,
        detail,
        spot,
        related: other.map(|other| (other, "this has to do with it")),
    })
}

/// Returns the kind of a finding in a list; `None` if the catalogue does not have it.
fn kind_of(kind: FindingKind) -> Option<Kind> {
    Some(match kind {
        FindingKind::Conflict => Kind::ConflictingDirectives,
        FindingKind::Repeated => Kind::RepeatedDirective,
        FindingKind::Unknown => Kind::UnknownDirective,
        FindingKind::Misspelt { .. } => Kind::MisspeltDirective,
        FindingKind::Invalid => Kind::InvalidValue,
        FindingKind::Empty => Kind::EmptyList,
        FindingKind::ValueOnFlag => Kind::ValueOnFlag,
        FindingKind::WithoutEffect => Kind::WithoutEffect,
        FindingKind::MissingComma => Kind::MissingComma,
        FindingKind::PrefixLeak => Kind::PrefixLeak,
        FindingKind::NoZone => Kind::NoZone,
        FindingKind::UnknownZone => Kind::UnknownZone,
        _ => return None,
    })
}

/// Returns the span of a part of a META's content; the span of the tag if that is not known.
fn spot_in(page: &PageInput, meta: Meta<'_>, offset: usize, text: &str) -> Spot {
    match meta.content_start_in(page.html()) {
        Some(start) => {
            let from = start.saturating_add(offset);
            Spot::Page(from..from.saturating_add(text.len()))
        }
        None => Spot::Page(meta.span()),
    }
}

/// Returns the first 60 characters of a text; an ellipsis marks a cut.
pub(super) fn quoted(text: &str) -> Cow<'_, str> {
    /// In characters, with the ellipsis.
    const LONGEST: usize = 60;
    if text.char_indices().nth(LONGEST).is_none() {
        return Cow::Borrowed(text);
    }
    let end = text.char_indices().nth(LONGEST.saturating_sub(1));
    let start = end.and_then(|(end, _)| text.get(..end));
    Cow::Owned(format!("{}…", start.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_after_their_limit() {
        let text = "é".repeat(60);
        assert_eq!(quoted(&text), text);
        assert_eq!(quoted(&"é".repeat(61)), format!("{}…", "é".repeat(59)));
    }
}
