//! The lists of directives in METAs and header lines, and the findings in each of them.

use super::input::{PageInput, header_text};
use super::location::Spot;
use super::lost::lost_parts;
use super::{Collector, PageFinding, unread};
use crate::catalogue::FindingKind as Kind;
use crate::invisible::Invisible;
use crate::list::{ListFinding, findings_in_content, findings_in_header};
use crate::shorten::shortened;
use robots_meta::header::RobotsHeader;
use robots_meta::page::Meta;
use robots_meta::{Directive, PageFacts, robots_headers};
use std::collections::HashMap;
use std::ops::Range;

/// A directive, its robot, and its span.
pub(super) struct Statement<'p> {
    /// The index of the robot in [`Statements::agents`].
    pub(super) agent: usize,
    /// The index of its list, among header lines and METAs in order.
    pub(super) list: usize,
    pub(super) directive: Directive<'p>,
    pub(super) spot: Spot,
}

/// The known and valid directives of a page, header lines first.
#[derive(Default)]
pub(super) struct Statements<'p> {
    pub(super) all: Vec<Statement<'p>>,
    /// The names of the robots, in lower case, each once; `robots` is every robot. A name may be as long as a page, so
    /// directives refer to it by its index.
    agents: Vec<String>,
    indices: HashMap<String, usize>,
}

impl<'p> Statements<'p> {
    pub(super) fn of(page: &'p PageInput, facts: &'p PageFacts, names: &'p [&'p str]) -> Self {
        let mut statements = Self::default();
        let mut list = 0;
        for (line, _, name_of_header, value) in robots_lines(page) {
            // The last name of a robot in the line, and its index. The directives after one name share its text: comparing
            // pointers avoids copying a long name for each of them.
            let mut last: Option<(&str, usize)> = None;
            let directives = robots_headers([(name_of_header, value)]);
            for found in directives.filter(|found| unread::is_known_and_valid(found.directive())) {
                let name = found.agent().unwrap_or("robots");
                let agent = match last {
                    Some((last, agent)) if std::ptr::eq(last, name) => agent,
                    _ => statements.agent_index(name),
                };
                last = Some((name, agent));
                let directive = found.directive();
                let span = directive.span();
                statements.all.push(Statement {
                    agent,
                    list,
                    directive,
                    spot: Spot::header(line, name_of_header, span),
                });
            }
            list += 1;
        }
        for meta in facts.robots_metas(names) {
            let agent = statements.agent_index(meta.name().unwrap_or_default().trim());
            let content = ContentSpot::of(page, meta);
            let directives = meta
                .directives()
                .filter(|found| unread::is_known_and_valid(*found));
            statements.all.extend(directives.map(|directive| Statement {
                agent,
                list,
                directive,
                spot: content.part(directive.span()),
            }));
            list += 1;
        }
        statements
    }

    /// Returns the name of a robot.
    pub(super) fn agent(&self, index: usize) -> &str {
        self.agents.get(index).map_or("robots", String::as_str)
    }

    fn agent_index(&mut self, name: &str) -> usize {
        let name = match name.to_ascii_lowercase() {
            // In Robots-Tag a star names every robot.
            star if star == "*" => "robots".to_owned(),
            name => name,
        };
        if let Some(index) = self.indices.get(&name) {
            return *index;
        }
        let index = self.agents.len();
        self.agents.push(name.clone());
        self.indices.insert(name, index);
        index
    }
}

/// Returns the header lines that have directives, with their indices among all header lines.
fn robots_lines(page: &PageInput) -> impl Iterator<Item = (usize, RobotsHeader, &str, &[u8])> {
    let lines = page.headers().iter().enumerate();
    lines.filter_map(|(line, (name, value))| {
        Some((line, RobotsHeader::from_name(name)?, &**name, &**value))
    })
}

/// Adds the findings that concern one list each.
pub(super) fn examine(
    page: &PageInput,
    facts: &PageFacts,
    names: &[&str],
    findings: &mut Collector,
) {
    for (line, header, name, value) in robots_lines(page) {
        // The lists of `Robots-Tag` have another syntax, whose mistakes the catalogue does not have.
        if header == RobotsHeader::XRobotsTag {
            let text = header_text(value);
            if let Some(invisible) = Invisible::first_in(text.as_bytes()) {
                let end = invisible.offset + invisible.len();
                let spot = Spot::header(line, name, invisible.offset..end);
                add_invisible(invisible, spot, findings);
            }
            for finding in findings_in_header(&text) {
                let other = finding.other_span();
                let other = other.map(|other| Spot::header(line, name, other));
                let spot = Spot::header(line, name, finding.span());
                add(&finding, spot, other, findings);
            }
        }
    }
    for meta in facts.robots_metas(names) {
        if unread::unsupported_meta(meta, names).is_some() {
            // No engine reads the list, which is a finding of its own.
            continue;
        }
        let lost = lost_parts(page, facts, meta);
        let has_lost = lost.is_some();
        if let Some(lost) = lost {
            let finding = PageFinding::new(Kind::LostDirective, Spot::Page(meta.span()));
            findings.push(finding.with_detail(lost));
        }
        let content = ContentSpot::of(page, meta);
        if let Some(invisible) = Invisible::first_in(meta.content().as_bytes()) {
            add_invisible(invisible, content.part(invisible.span_from(0)), findings);
        }
        for finding in findings_in_content(meta.content()) {
            if has_lost && finding.kind() == Kind::EmptyList {
                continue;
            }
            let other = finding.other_span().map(|span| content.part(span));
            let spot = content.part(finding.span());
            add(&finding, spot, other, findings);
        }
    }
}

fn add_invisible(invisible: Invisible, spot: Spot, findings: &mut Collector) {
    findings.push(PageFinding::new(Kind::InvisibleInList, spot).with_detail(invisible.name()));
}

fn add(finding: &ListFinding<'_>, spot: Spot, other: Option<Spot>, findings: &mut Collector) {
    let is_unreadable = matches!(
        finding.kind(),
        Kind::UnknownDirective | Kind::MisspeltDirective | Kind::InvalidValue
    );
    if is_unreadable && Invisible::first_in(finding.text().as_bytes()).is_some() {
        // The invisible character is the cause, and has its own finding.
        return;
    }
    findings.add(finding.kind(), || PageFinding {
        kind: finding.kind(),
        detail: detail(finding),
        spot,
        related: other.map(|other| (other, "see also this part")),
    });
}

fn detail(finding: &ListFinding<'_>) -> Option<String> {
    let text = shortened(finding.text());
    if let Some(meant) = finding.meant() {
        return Some(format!("`{text}` is perhaps `{meant}`"));
    }
    if finding.kind() == Kind::EmptyList {
        return None;
    }
    Some(match finding.other_text() {
        Some(other) => format!("`{text}` and `{}`", shortened(other)),
        None => format!("`{text}`"),
    })
}

/// The span of a META's content in the page.
pub(super) enum ContentSpot {
    /// The content is in the page as it is, from this offset.
    Start(usize),
    /// The page has the content in another spelling, such as with character references. The span of the whole tag stands
    /// for each part.
    Tag(Range<usize>),
}

impl ContentSpot {
    /// Finds the content of a META in the page. Linear in the content.
    pub(super) fn of(page: &PageInput, meta: Meta<'_>) -> Self {
        match meta.content_start_in(page.html()) {
            Some(start) => Self::Start(start),
            None => Self::Tag(meta.span()),
        }
    }

    /// Returns the span of a part of the content; the span of the tag if the page has the content in another
    /// spelling.
    pub(super) fn part(&self, span: Range<usize>) -> Spot {
        Spot::Page(match self {
            Self::Start(start) => start + span.start..start + span.end,
            Self::Tag(tag) => tag.clone(),
        })
    }
}
