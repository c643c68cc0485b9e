//! The lists of directives of a page and its headers, and what is odd in each for itself.

use super::place::At;
use super::read::PageInput;
use super::{PageFinding, PageKind};
use crate::meta::{ROBOTS, content_start};
use crate::terminal::shortened;
use robots_meta::{
    DirectiveValue, Directives, Finding, FindingKind, Meta, PageMeta, RobotsHeader,
    findings_in_content, findings_in_header, robots_headers,
};
use std::borrow::Cow;

/// A directive, for whom it is, and where it stands.
pub(super) struct Said<'p> {
    /// The name of the robot, in lower case; `robots` is everyone.
    pub(super) agent: String,
    /// The list that it is in: of METAs and header lines, in order.
    pub(super) list: usize,
    pub(super) text: &'p str,
    pub(super) value: DirectiveValue,
    pub(super) flags: Directives,
    pub(super) at: At,
}

/// Every directive of METAs and headers, in order.
pub(super) fn all<'p>(page: &'p PageInput, said: &'p PageMeta) -> Vec<Said<'p>> {
    let mut all = Vec::new();
    let mut list = 0_usize;
    for (line, header, name, value) in robots_lines(page) {
        for found in robots_headers([(name, value)]) {
            let agent = found.agent().unwrap_or("robots").to_ascii_lowercase();
            let directive = found.directive();
            let start = directive.offset();
            all.push(Said {
                // Robots-Tag has a star for everyone.
                agent: if agent == "*" {
                    "robots".to_owned()
                } else {
                    agent
                },
                list,
                text: directive.text(),
                value: directive.value(),
                flags: directive.flags(),
                at: At::header(
                    line,
                    header,
                    start..start.saturating_add(directive.text().len()),
                ),
            });
        }
        list = list.saturating_add(1);
    }
    for meta in said.robots_metas(&ROBOTS) {
        for directive in meta.directives() {
            all.push(Said {
                agent: meta.name().unwrap_or_default().trim().to_ascii_lowercase(),
                list,
                text: directive.text(),
                value: directive.value(),
                flags: directive.flags(),
                at: at_in(page, meta, directive.offset(), directive.text()),
            });
        }
        list = list.saturating_add(1);
    }
    all
}

/// The header lines that have directives, with their numbers among all.
fn robots_lines(page: &PageInput) -> impl Iterator<Item = (usize, RobotsHeader, &str, &str)> {
    let lines = page.headers.iter().enumerate();
    lines.filter_map(|(line, (name, value))| {
        Some((line, RobotsHeader::from_name(name)?, &**name, &**value))
    })
}

/// What is odd in each list.
pub(super) fn findings(page: &PageInput, said: &PageMeta) -> Vec<PageFinding> {
    let mut all = Vec::new();
    for (line, header, _, value) in robots_lines(page) {
        if header == RobotsHeader::XRobotsTag {
            for found in findings_in_header(value) {
                let other = found.other_span();
                let other = other.map(|other| At::header(line, header, other));
                add(
                    &found,
                    At::header(line, header, found.span()),
                    other,
                    &mut all,
                );
            }
        }
    }
    for meta in said.robots_metas(&ROBOTS) {
        for found in findings_in_content(meta.content()) {
            let other = found.other_span().zip(found.other_text());
            let other = other.map(|(span, text)| at_in(page, meta, span.start, text));
            let at = at_in(page, meta, found.span().start, found.text());
            add(&found, at, other, &mut all);
        }
    }
    all
}

fn add(found: &Finding<'_>, at: At, other: Option<At>, all: &mut Vec<PageFinding>) {
    let Some(kind) = PageKind::of_list(found.kind()) else {
        return;
    };
    let mut finding = PageFinding::new(kind, at);
    finding.detail = match found.kind() {
        FindingKind::Misspelt { meant } => {
            Some(format!("`{}` is perhaps `{meant}`", shown(found.text())))
        }
        FindingKind::Empty => None,
        _ => match found.other_text() {
            Some(other) => Some(format!("`{}` and `{}`", shown(found.text()), shown(other))),
            None => Some(format!("`{}`", shown(found.text()))),
        },
    };
    finding.related = other.map(|other| (other, "this has to do with it"));
    all.push(finding);
}

/// A part of a META's content: its place if it is known, else the tag.
fn at_in(page: &PageInput, meta: Meta<'_>, offset: usize, text: &str) -> At {
    match content_start(&page.html, meta) {
        Some(start) => {
            let from = start.saturating_add(offset);
            At::Page(from..from.saturating_add(text.len()))
        }
        None => At::Page(meta.span()),
    }
}

/// The start of a text, as much as is told.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    /// In characters.
    const LONGEST: usize = 60;
    shortened(text, LONGEST)
}
