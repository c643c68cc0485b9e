//! The findings on a page as a whole.

use super::PageDiagnostic;
use super::input::PageInput;
use super::lists::{Statement, quoted};
use super::location::Spot;
use crate::catalogue::DiagnosticKind as Kind;
use robots_meta::directive::{DirectiveValue, contradictions};
use robots_meta::page::{Misspelling, Placement};
use robots_meta::{Directives, PageMeta, Timestamp, page_headers};
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

/// Returns the canonical link of a page, in its HEAD or else in its headers, if it leads to another page.
pub(super) fn canonical_elsewhere(page: &PageInput, meta: &PageMeta) -> Option<CanonicalElsewhere> {
    let mut own = Url::parse(page.url()?).ok()?;
    let (href, spot) = canonical(page, meta)?;
    let mut target = own.join(&href).ok()?;
    target.set_fragment(None);
    own.set_fragment(None);
    (target != own).then_some(CanonicalElsewhere { spot, target })
}

fn canonical(page: &PageInput, meta: &PageMeta) -> Option<(String, Spot)> {
    if let Some(link) = meta.canonical() {
        let start = link.offset();
        let span = start..start.saturating_add("<link".len());
        return Some((link.href().to_owned(), Spot::Page(span)));
    }
    let lines = page.headers().iter();
    let headers = page_headers(lines.map(|(name, value)| (name.as_str(), value.as_slice())));
    let link = headers.canonical()?;
    let (name, _) = page.headers().get(link.line())?;
    // The `<` of the URL.
    let start = name
        .len()
        .saturating_add(": ".len())
        .saturating_add(link.offset());
    let spot = Spot::Header {
        line: link.line(),
        span: start..start.saturating_add(1),
    };
    Some((link.href().to_owned(), spot))
}

/// Finds `noindex`, for any robot, next to a canonical link to another page.
pub(super) fn noindex_and_canonical(
    canonical: Option<&CanonicalElsewhere>,
    all: &[Statement<'_>],
    diagnostics: &mut Vec<PageDiagnostic>,
) {
    let mut noindex = all
        .iter()
        .filter(|statement| statement.directive.flags().contains(Directives::NOINDEX));
    if let (Some(noindex), Some(canonical)) = (noindex.next(), canonical) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageLinter;

    #[test]
    fn noindex_next_to_a_canonical_link() {
        let found = |headers: &[(&str, &str)], html: &str| -> Vec<(Kind, bool, usize)> {
            let headers = headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
            let page = PageInput::new(html)
                .with_url("https://a.example/page")
                .with_headers(headers);
            let linter = PageLinter::new(&["robots", "googlebot"]);
            let linted = linter.lint(page, Timestamp::from_seconds(0));
            let found = linted.annotations().into_iter().map(|found| {
                let location = found.location;
                (found.kind, location.is_header, location.column)
            });
            found.collect()
        };
        let link = "<link rel=canonical href=/other>";
        let in_head = [(Kind::NoindexAndCanonical, false, 1)];
        let robots = format!("{link}<meta name=robots content=noindex>");
        assert_eq!(found(&[], &robots), in_head);
        // For one robot.
        let google = format!("{link}<meta name=googlebot content=noindex>");
        assert_eq!(found(&[], &google), in_head);
        assert_eq!(found(&[("X-Robots-Tag", "noindex")], link), in_head);
        // The link is in a header.
        let header = ("Link", "</other>; rel=canonical");
        let noindex = "<meta name=robots content=noindex>";
        let in_header = [(Kind::NoindexAndCanonical, true, "Link: <".len())];
        assert_eq!(found(&[header], noindex), in_header);
        assert_eq!(found(&[("Link", "</page>; rel=canonical")], noindex), []);
        assert_eq!(found(&[header], ""), []);
    }
}
