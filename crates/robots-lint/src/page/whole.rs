//! The findings on a page as a whole.

use super::PageDiagnostic;
use super::input::PageInput;
use super::lists::{Statement, quoted};
use super::location::Spot;
use crate::catalogue::DiagnosticKind as Kind;
use robots_meta::directive::{DirectiveValue, contradictions};
use robots_meta::page::{Misspelling, Placement};
use robots_meta::{Directives, PageMeta, Timestamp};
use std::collections::{BTreeMap, HashMap, HashSet};
use url::Url;

/// The robots.txt files that were in force when pages were captured.
pub trait RobotsInForce: Sync {
    /// Returns the reason why a robot was not allowed to fetch a URL at a time; `None` if it was allowed, or if the
    /// robots.txt is not known.
    ///
    /// `agent` is a product token in lower case, or `*` for every robot. Without a time the newest robots.txt counts.
    fn denial(&self, url: &Url, time: Option<Timestamp>, agent: &str) -> Option<String>;
}

/// Finds METAs for robots in BODY, and those that no engine obeys.
pub(super) fn places(meta: &PageMeta, names: &[&str], diagnostics: &mut Vec<PageDiagnostic>) {
    for meta in meta.metas() {
        let Some(misspelling) = meta.departure(names) else {
            continue;
        };
        let spot = Spot::Page(meta.span());
        if !misspelling.is_empty() {
            let names = [
                (Misspelling::PROPERTY, "`property` in place of `name`"),
                (Misspelling::VALUE, "`value` in place of `content`"),
                (Misspelling::HTTP_EQUIV, "`http-equiv` in place of a header"),
            ];
            let names = names.iter().filter(|(flag, _)| misspelling.contains(*flag));
            let names: Vec<&str> = names.map(|(_, text)| *text).collect();
            let finding = PageDiagnostic::new(Kind::UnsupportedMeta, spot);
            diagnostics.push(finding.with_detail(names.join(", ")));
        } else if meta.placement() == Placement::Body {
            diagnostics.push(PageDiagnostic::new(Kind::MetaInBody, spot));
        }
    }
}

/// Finds directives for the same robot, in different lists, that contradict each other as they would in one list.
pub(super) fn disagreements(all: &[Statement<'_>], diagnostics: &mut Vec<PageDiagnostic>) {
    let mut by_agent: BTreeMap<&str, Vec<&Statement<'_>>> = BTreeMap::new();
    for statement in all {
        let agent = by_agent.entry(&statement.agent);
        agent.or_default().push(statement);
    }
    for (agent, statements) in by_agent {
        let is_one_list = statements.windows(2).all(|pair| match pair {
            [one, two] => one.list == two.list,
            _ => true,
        });
        if is_one_list {
            continue;
        }
        let directives: Vec<_> = statements.iter().map(|one| one.directive).collect();
        for found in contradictions(&directives) {
            let later = statements.get(found.later());
            let earlier = statements.get(found.earlier());
            let (Some(later), Some(earlier)) = (later, earlier) else {
                continue;
            };
            if later.list == earlier.list {
                continue;
            }
            let robot = if agent == "robots" {
                "every robot"
            } else {
                agent
            };
            let detail = format!(
                "{}: `{}` and `{}`",
                robot,
                quoted(earlier.directive.text()),
                quoted(later.directive.text())
            );
            let mut finding = PageDiagnostic::new(Kind::ListsDisagree, later.spot.clone());
            finding.related = Some((earlier.spot.clone(), "first here"));
            diagnostics.push(finding.with_detail(detail));
        }
    }
}

/// Finds dates of `unavailable_after` up to `now`.
pub(super) fn passed_dates(
    all: &[Statement<'_>],
    now: Timestamp,
    diagnostics: &mut Vec<PageDiagnostic>,
) {
    for statement in all {
        if let DirectiveValue::UnavailableAfter(date) = statement.directive.value()
            && date <= now
        {
            let finding = PageDiagnostic::new(Kind::DateHasPassed, statement.spot.clone());
            diagnostics.push(finding.with_detail(date.to_string()));
        }
    }
}

/// Finds the first `noarchive` for every robot or for Google.
pub(super) fn noarchive(all: &[Statement<'_>], diagnostics: &mut Vec<PageDiagnostic>) {
    let found = all.iter().find(|statement| {
        statement.directive.flags().contains(Directives::NOARCHIVE)
            && matches!(&*statement.agent, "robots" | "googlebot")
    });
    if let Some(statement) = found {
        diagnostics.push(PageDiagnostic::new(
            Kind::NoarchiveAtGoogle,
            statement.spot.clone(),
        ));
    }
}

/// A canonical link to another page.
pub(super) struct CanonicalElsewhere {
    spot: Spot,
    target: Url,
}

/// Returns the canonical link of a page, if it leads to another page.
pub(super) fn canonical_elsewhere(page: &PageInput, meta: &PageMeta) -> Option<CanonicalElsewhere> {
    let canonical = meta.canonical()?;
    let mut own = Url::parse(page.url()?).ok()?;
    let mut target = own.join(canonical.href()).ok()?;
    target.set_fragment(None);
    own.set_fragment(None);
    let start = canonical.offset();
    (target != own).then(|| CanonicalElsewhere {
        spot: Spot::Page(start..start.saturating_add("<link".len())),
        target,
    })
}

/// Finds `noindex` next to a canonical link to another page.
pub(super) fn noindex_and_canonical(
    canonical: Option<&CanonicalElsewhere>,
    all: &[Statement<'_>],
    diagnostics: &mut Vec<PageDiagnostic>,
) {
    let noindex = all.iter().find(|statement| {
        statement.agent == "robots" && statement.directive.flags().contains(Directives::NOINDEX)
    });
    if let (Some(noindex), Some(canonical)) = (noindex, canonical) {
        let kind = Kind::NoindexAndCanonical;
        let mut diagnostic = PageDiagnostic::new(kind, canonical.spot.clone());
        diagnostic.related = Some((noindex.spot.clone(), "noindex here"));
        let target = quoted(canonical.target.as_str()).into_owned();
        diagnostics.push(diagnostic.with_detail(target));
    }
}

/// The number of lists of a page up to which robots.txt is asked about them: rules are compiled for each robot.
const MAX_LISTS_CHECKED: usize = 100;

/// Finds `noindex` and canonical links on a page that robots.txt does not allow to fetch.
pub(super) fn hidden(
    page: &PageInput,
    canonical: Option<&CanonicalElsewhere>,
    all: &[Statement<'_>],
    robots: &dyn RobotsInForce,
    diagnostics: &mut Vec<PageDiagnostic>,
) {
    let Some(url) = page.url().and_then(|url| Url::parse(url).ok()) else {
        return;
    };
    let mut denials: HashMap<String, Option<String>> = HashMap::new();
    let mut denial = |agent: &str| {
        let denial = denials.entry(agent.to_owned()).or_insert_with(|| {
            let agent = if agent == "robots" { "*" } else { agent };
            robots.denial(&url, page.capture_time(), agent)
        });
        denial.clone()
    };
    let mut lists: HashSet<(&str, usize)> = HashSet::new();
    for statement in all {
        let is_first = statement.directive.flags().contains(Directives::NOINDEX)
            && lists.len() < MAX_LISTS_CHECKED
            && lists.insert((statement.agent.as_str(), statement.list));
        if is_first && let Some(rule) = denial(&statement.agent) {
            let spot = statement.spot.clone();
            diagnostics.push(PageDiagnostic::new(Kind::HiddenNoindex, spot).with_detail(rule));
        }
    }
    if let Some(canonical) = canonical
        && let Some(rule) = denial("robots")
    {
        let spot = canonical.spot.clone();
        diagnostics.push(PageDiagnostic::new(Kind::UnseenCanonical, spot).with_detail(rule));
    }
}
