//! Statements: the directives of headers and METAs that apply to one robot.

use super::DecisionContext;
use crate::decision::reason::{Source, WarningKind};
use crate::input::page::Page;
use crate::limits::MAX_STATEMENTS;
use crate::profile::{Honours, Precedence, Profile};
use robots_meta::header::RobotsHeader;
use robots_meta::page::{Meta, Placement};
use robots_meta::{Directive, Directives, PageFacts, robots_headers};
use smallvec::SmallVec;

/// The directives of a page. More than six, which is rare, cost an allocation.
pub(crate) type Statements<'a> = SmallVec<[Statement<'a>; 6]>;

/// A directive that applies to the robot, and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement<'a> {
    pub(crate) source: Source,
    pub(crate) directive: Directive<'a>,
    /// The flags of the directive, with those that it implies under the profile.
    pub(crate) flags: Directives,
    /// Whether it names the robot, rather than applying to every robot.
    pub(crate) is_named: bool,
    /// Whether it counts: it is not ignored, the profile honours statements in its place (a header, or a META), and no
    /// other statement takes precedence.
    pub(crate) counts: bool,
    /// Whether its directives about AI count: as if the profile honoured headers of every kind (`docs/semantics.md`, section 8.6).
    pub(crate) counts_for_ai: bool,
    /// The reason why the engine ignores it because of its name or its offset; `None` if it does not.
    pub(crate) ignored: Option<WarningKind>,
}

impl Statement<'_> {
    pub(crate) fn is_in_header(&self) -> bool {
        matches!(self.source, Source::Header { .. })
    }
}

/// Collects the directives that apply to the robot: headers first, then METAs. Linear in the header lines and METAs.
pub(crate) fn collect<'a>(
    statements: &mut Statements<'a>,
    context: DecisionContext<'a>,
    page: &'a Page<'a>,
    meta: Option<&'a PageFacts>,
) {
    // Few pages have a header with directives. The others save the cost of the iterator, which is large.
    let mut names = page.headers.iter().map(|(name, _)| name);
    if names.any(|name| RobotsHeader::from_name(name).is_some()) {
        statements.extend(in_headers(context, page).take(MAX_STATEMENTS));
    }
    let room = MAX_STATEMENTS.saturating_sub(statements.len());
    statements.extend(in_metas(context, meta).take(room));
    let precedence = context.profile.precedence;
    apply_precedence(statements, precedence, |statement| &mut statement.counts);
    apply_precedence(statements, precedence, |statement| {
        &mut statement.counts_for_ai
    });
}

fn in_headers<'a>(
    context: DecisionContext<'a>,
    page: &'a Page<'a>,
) -> impl Iterator<Item = Statement<'a>> {
    let names = context.robot.meta_names();
    let ignored_names = context.robot.ignored_meta_names();
    let ignores_robots = ignored_names
        .iter()
        .any(|name| name.eq_ignore_ascii_case("robots"));
    robots_headers(page.headers.iter().copied()).filter_map(move |statement| {
        // Without a name it applies to every robot, as under `robots`.
        let is_for_all = statement.agent().is_none();
        let ignored = if statement.is_for(names) {
            (is_for_all && ignores_robots).then_some(WarningKind::IgnoredName)
        } else if statement.is_for(ignored_names) {
            Some(WarningKind::IgnoredName)
        } else {
            return None;
        };
        let is_honoured = context.profile.honours.contains(match statement.header() {
            RobotsHeader::RobotsTag => Honours::ROBOTS_TAG,
            _ => Honours::X_ROBOTS_TAG,
        });
        Some(Statement {
            source: Source::Header {
                name: statement.header(),
                header: statement.header_index(),
                offset: statement.directive().offset(),
            },
            directive: statement.directive(),
            flags: flags(statement.directive(), context.profile),
            is_named: statement.agent().is_some_and(names_one_robot),
            counts: ignored.is_none() && is_honoured,
            counts_for_ai: ignored.is_none(),
            ignored,
        })
    })
}

fn in_metas<'a>(
    context: DecisionContext<'a>,
    meta: Option<&'a PageFacts>,
) -> impl Iterator<Item = Statement<'a>> {
    let profile = context.profile;
    let names = context.robot.meta_names();
    let ignored_names = context.robot.ignored_meta_names();
    let limit = profile.page_limit.unwrap_or(u64::MAX);
    let of_meta = move |meta: Meta<'a>| {
        let has_name = |names: &[String]| names.iter().any(|name| meta.is_named(name));
        let ignored = if has_name(names) {
            // A tag that the limit cuts does not count.
            (meta.span().end as u64 > limit).then_some(WarningKind::BeyondPageLimit)
        } else if has_name(ignored_names) {
            Some(WarningKind::IgnoredName)
        } else {
            return None;
        };
        let statements = meta.directives().map(move |directive| Statement {
            source: Source::Meta {
                offset: meta.offset(),
            },
            directive,
            flags: flags(directive, profile),
            is_named: meta.name().is_some_and(names_one_robot),
            counts: ignored.is_none(),
            counts_for_ai: ignored.is_none(),
            ignored,
        });
        Some(statements)
    };
    let is_read = move |meta: &Meta<'a>| {
        meta.placement() == Placement::Head || profile.honours.contains(Honours::BODY_METAS)
    };
    meta.into_iter()
        .flat_map(PageFacts::metas)
        .filter(is_read)
        .filter_map(of_meta)
        .flatten()
}

/// Returns the flags of a directive, with those that it implies under a profile.
fn flags(directive: Directive<'_>, profile: &Profile) -> Directives {
    match directive.flags() {
        // Only the directive `none` has both flags, NOINDEX and NOFOLLOW.
        Directives::NONE if profile.honours.contains(Honours::NONE_IS_NOSNIPPET) => {
            Directives::NONE | Directives::NOSNIPPET
        }
        flags => flags,
    }
}

/// Returns whether the name of a META or in a header is that of one robot, not of every robot.
fn names_one_robot(name: &str) -> bool {
    let name = name.trim_ascii();
    !name.eq_ignore_ascii_case("robots") && name != "*"
}

/// Decides for each statement whether it counts. `counts` is the field that says so.
fn apply_precedence(
    statements: &mut [Statement<'_>],
    precedence: Precedence,
    counts: impl for<'s> Fn(&'s mut Statement<'_>) -> &'s mut bool,
) {
    let keep = |statements: &mut [Statement<'_>], is_kept: &dyn Fn(&Statement<'_>) -> bool| {
        for statement in statements {
            let is_kept = is_kept(statement);
            *counts(statement) &= is_kept;
        }
    };
    // The place of the first statement that counts and meets a condition.
    let mut first = |is_meant: &dyn Fn(&Statement<'_>) -> bool| {
        statements.iter_mut().find_map(|statement| {
            let is_meant = is_meant(statement);
            (is_meant && *counts(statement)).then_some(statement.source)
        })
    };
    match precedence {
        Precedence::Together => {}
        Precedence::SpecificOverrides => {
            if first(&|statement| statement.is_named).is_some() {
                keep(statements, &|statement| statement.is_named);
            }
        }
        Precedence::FirstMetaOnly => {
            // The first META for every robot.
            let meta = first(&|statement| !statement.is_in_header() && !statement.is_named);
            keep(statements, &|statement| {
                let is_header_or_first_meta =
                    statement.is_in_header() || Some(statement.source) == meta;
                is_header_or_first_meta && !statement.is_named
            });
        }
        Precedence::HtmlOverHeader => {
            if first(&|statement| !statement.is_in_header()).is_some() {
                keep(statements, &|statement| !statement.is_in_header());
            }
        }
    }
}
