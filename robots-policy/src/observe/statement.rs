//! Statements: the directives of headers and METAs that apply to one robot.

use super::DecisionContext;
use crate::decision::reason::{Source, WarningKind};
use crate::input::page::Page;
use crate::limits::MAX_STATEMENTS;
use crate::profile::{Honours, Precedence};
use robots_meta::header::RobotsHeader;
use robots_meta::page::Placement;
use robots_meta::{Directive, Directives, PageFacts, robots_headers};
use smallvec::SmallVec;

/// The directives of a page. More than six, which is rare, cost an allocation.
pub(crate) type Statements<'a> = SmallVec<[Statement<'a>; 6]>;

/// A directive that applies to the robot, and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement<'a> {
    pub(crate) source: Source,
    pub(crate) directive: Directive<'a>,
    /// The bits of the directive, with those that it implies under the profile.
    pub(crate) flags: Directives,
    /// Whether it names the robot, rather than applying to every robot.
    pub(crate) is_named: bool,
    /// Whether it counts under the profile's precedence.
    pub(crate) counts: bool,
    /// The reason why the engine ignores it, whatever its directive.
    pub(crate) ignored: Option<WarningKind>,
}

impl Statement<'_> {
    pub(crate) fn is_in_header(&self) -> bool {
        matches!(self.source, Source::Header { .. })
    }
}

/// Collects the directives that apply to the robot: headers first, then METAs.
pub(super) fn collect<'a>(
    view: DecisionContext<'a>,
    page: &'a Page<'a>,
    meta: Option<&'a PageFacts>,
) -> Statements<'a> {
    let honours = |flags| view.profile.honours.contains(flags);
    // Only the directive `none` has both flags, NOINDEX and NOFOLLOW.
    let flags = |directive: Directive<'_>| match directive.flags() {
        Directives::NONE if honours(Honours::NONE_IS_NOSNIPPET) => {
            Directives::NONE | Directives::NOSNIPPET
        }
        flags => flags,
    };
    let names = view.robot.meta_names();
    let ignored_names = view.robot.ignored_meta_names();
    let ignores_robots = ignored_names
        .iter()
        .any(|name| name.eq_ignore_ascii_case("robots"));
    let limit = view.profile.page_limit.unwrap_or(u64::MAX);
    let is_named = |name: &str| {
        let name = name.trim_ascii();
        !name.eq_ignore_ascii_case("robots") && name != "*"
    };
    let headers = robots_headers(page.headers.iter().copied())
        .filter_map(|statement| {
            // Without a name it applies to every robot, as under `robots`.
            let ignored = match statement.is_for(names) {
                true if statement.agent().is_none() && ignores_robots => {
                    Some(WarningKind::IgnoredName)
                }
                true => None,
                false if statement.is_for(ignored_names) => Some(WarningKind::IgnoredName),
                false => return None,
            };
            Some((statement, ignored))
        })
        .map(|(statement, ignored)| Statement {
            source: Source::Header {
                name: statement.header(),
                header: statement.header_index(),
                offset: statement.directive().offset(),
            },
            directive: statement.directive(),
            flags: flags(statement.directive()),
            is_named: statement.agent().is_some_and(is_named),
            counts: ignored.is_none()
                && honours(match statement.header() {
                    RobotsHeader::RobotsTag => Honours::ROBOTS_TAG,
                    _ => Honours::X_ROBOTS_TAG,
                }),
            ignored,
        });
    let metas = meta
        .into_iter()
        .flat_map(PageFacts::metas)
        .filter_map(|meta| {
            let is_any = |names: &[String]| names.iter().any(|name| meta.is_named(name));
            let ignored = match is_any(names) {
                true if meta.offset() as u64 >= limit => Some(WarningKind::BeyondPageLimit),
                true => None,
                false if is_any(ignored_names) => Some(WarningKind::IgnoredName),
                false => return None,
            };
            Some((meta, ignored))
        })
        .flat_map(move |(meta, ignored)| {
            meta.directives().map(move |directive| Statement {
                source: Source::Meta {
                    offset: meta.offset(),
                },
                directive,
                flags: flags(directive),
                is_named: meta.name().is_some_and(is_named),
                counts: ignored.is_none()
                    && (meta.placement() != Placement::Body || honours(Honours::BODY_METAS)),
                ignored,
            })
        });
    headers.chain(metas).take(MAX_STATEMENTS).collect()
}

/// Decides for each statement whether it counts.
pub(super) fn apply_precedence(statements: &mut [Statement<'_>], precedence: Precedence) {
    match precedence {
        Precedence::Together => {}
        Precedence::SpecificOverrides => {
            if statements
                .iter()
                .any(|statement| statement.counts && statement.is_named)
            {
                for statement in statements {
                    statement.counts &= statement.is_named;
                }
            }
        }
        Precedence::FirstMetaOnly => {
            let first = statements
                .iter()
                .find(|statement| {
                    statement.counts && !statement.is_in_header() && !statement.is_named
                })
                .map(|statement| statement.source);
            for statement in statements {
                let is_first = statement.is_in_header() || Some(statement.source) == first;
                statement.counts &= is_first && !statement.is_named;
            }
        }
        Precedence::HtmlOverHeader => {
            if statements
                .iter()
                .any(|statement| statement.counts && !statement.is_in_header())
            {
                for statement in statements {
                    statement.counts &= !statement.is_in_header();
                }
            }
        }
    }
}
