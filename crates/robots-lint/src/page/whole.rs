//! The findings on a page as a whole.
//!
//! A list is the directives of one META or of one header line (`lists`).

use super::input::PageInput;
use super::lists::{Statement, Statements};
use super::location::Spot;
use super::{Collector, PageFinding};
use crate::catalogue::FindingKind as Kind;
use crate::list::conflict::contradictions;
use crate::shorten::shortened;
use memchr::memmem;
use robots_meta::directive::DirectiveValue;
use robots_meta::{Directives, Facts, HeadOptions, PageFacts, Timestamp, Wanted, page_headers};
use robots_policy::Profile;
use robots_policy::profile::AgentTable;
use robots_txt::{RobotsTxt, Target};
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

/// Returns the verdict by which a robots.txt does not allow a robot to fetch a URL; `None` if it does. `agent` is as for [`RobotsInForce`], and
/// each robot reads as its operator does.
pub fn denial(file: &RobotsTxt, table: &AgentTable, url: &Url, agent: &str) -> Option<String> {
    let rules = file.rules(table.agent(agent), Profile::of_robot(agent).dialect());
    let target = Target::new(url.as_str());
    let verdict = rules.verdict(&target);
    (!verdict.is_allowed()).then(|| verdict.to_string())
}

/// Finds directives for the same robot in different lists that would contradict each other in one list.
pub(super) fn disagreements(statements: &Statements<'_>, findings: &mut Collector) {
    let mut by_agent: BTreeMap<usize, Vec<&Statement<'_>>> = BTreeMap::new();
    for statement in &statements.all {
        by_agent.entry(statement.agent).or_default().push(statement);
    }
    for (agent, all) in by_agent {
        // Contradictions within one list have a finding of their own (`ConflictingDirectives`).
        let is_one_list = all.windows(2).all(|pair| match pair {
            [one, two] => one.list == two.list,
            _ => true,
        });
        if is_one_list {
            continue;
        }
        let directives = all.iter().map(|one| one.directive);
        for (earlier, later) in contradictions(directives) {
            let (earlier, later) = (all[earlier], all[later]);
            if later.list == earlier.list {
                continue;
            }
            let robot = match statements.agent(agent) {
                "robots" => "every robot",
                name => name,
            };
            let detail = format!(
                "{}: `{}` and `{}`",
                shortened(robot),
                shortened(earlier.directive.text()),
                shortened(later.directive.text())
            );
            findings.push(
                PageFinding::new(Kind::ListsDisagree, later.spot.clone())
                    .with_detail(detail)
                    .with_related(earlier.spot.clone(), "the first is here"),
            );
        }
    }
}

/// Finds the first date of `unavailable_after` before `now`, for each robot of each list.
pub(super) fn passed_dates(
    statements: &Statements<'_>,
    now: Option<Timestamp>,
    findings: &mut Collector,
) {
    let mut seen: HashSet<(usize, usize)> = HashSet::new();
    for statement in &statements.all {
        if let DirectiveValue::UnavailableAfter(date) = statement.directive.value()
            && now.is_some_and(|now| date < now)
            && seen.insert((statement.agent, statement.list))
        {
            findings.push(
                PageFinding::new(Kind::DateHasPassed, statement.spot.clone())
                    .with_detail(date.to_string()),
            );
        }
    }
}

/// Finds the first `noarchive` for every robot or for Google.
pub(super) fn noarchive(statements: &Statements<'_>, findings: &mut Collector) {
    let first = statements.all.iter().find(|statement| {
        statement.directive.flags().contains(Directives::NOARCHIVE)
            && matches!(statements.agent(statement.agent), "robots" | "googlebot")
    });
    if let Some(statement) = first {
        let spot = statement.spot.clone();
        findings.push(PageFinding::new(Kind::NoarchiveAtGoogle, spot));
    }
}

/// A canonical link to another page.
pub(super) struct CanonicalElsewhere {
    spot: Spot,
    target: Url,
}

/// Returns the canonical link of a page, in its HEAD or else in its headers, if it leads to another page.
pub(super) fn canonical_elsewhere(
    page: &PageInput,
    facts: &PageFacts,
) -> Option<CanonicalElsewhere> {
    let url = Url::parse(page.url()?).ok()?;
    let (href, spot) = canonical(page, facts)?;
    let target = other_page(&url, &href)?;
    Some(CanonicalElsewhere { spot, target })
}

/// Returns the target of a link, without its fragment, if it is another page than that of a URL.
pub fn other_page(url: &Url, link: &str) -> Option<Url> {
    let without_fragment = |mut url: Url| {
        url.set_fragment(None);
        url
    };
    let target = without_fragment(url.join(link.trim()).ok()?);
    (target != without_fragment(url.clone())).then_some(target)
}

fn canonical(page: &PageInput, facts: &PageFacts) -> Option<(String, Spot)> {
    if let Some(link) = facts.canonical() {
        let start = link.offset();
        let span = start..start + "<link".len();
        return Some((link.href().to_owned(), Spot::Page(span)));
    }
    let lines = page.headers().iter();
    let headers = page_headers(lines.map(|(name, value)| (name.as_str(), value.as_slice())));
    let link = headers.canonical()?;
    let (name, _) = page.headers().get(link.header_index())?;
    // The `<` of the URL.
    let span = link.offset()..link.offset() + 1;
    let spot = Spot::header(link.header_index(), name, span);
    Some((link.href().to_owned(), spot))
}

/// Finds `noindex`, for any robot, next to a canonical link to another page.
pub(super) fn noindex_and_canonical(
    canonical: Option<&CanonicalElsewhere>,
    statements: &Statements<'_>,
    findings: &mut Collector,
) {
    let mut noindex = statements
        .all
        .iter()
        .filter(|statement| statement.directive.flags().contains(Directives::NOINDEX));
    if let (Some(noindex), Some(canonical)) = (noindex.next(), canonical) {
        findings.push(
            PageFinding::new(Kind::NoindexAndCanonical, canonical.spot.clone())
                .with_detail(shortened(canonical.target.as_str()).into_owned())
                .with_related(noindex.spot.clone(), "noindex here"),
        );
    }
}

/// The maximum number of pairs of a list with `noindex` and a robot for which robots.txt is asked. Each may need the rules of
/// another robot, which must be compiled.
const MAX_LISTS_CHECKED: usize = 100;

/// Finds `noindex` and canonical links on a page that robots.txt does not allow to fetch.
pub(super) fn hidden(
    page: &PageInput,
    canonical: Option<&CanonicalElsewhere>,
    statements: &Statements<'_>,
    robots: &dyn RobotsInForce,
    findings: &mut Collector,
) {
    let Some(url) = page.url().and_then(|url| Url::parse(url).ok()) else {
        return;
    };
    let denial = |agent: &str| robots.denial(&url, page.capture_time(), agent);
    let mut denials: HashMap<usize, Option<String>> = HashMap::new();
    let mut lists: HashSet<(usize, usize)> = HashSet::new();
    for statement in &statements.all {
        // The first `noindex` for a robot in a list.
        let is_first = statement.directive.flags().contains(Directives::NOINDEX)
            && lists.len() < MAX_LISTS_CHECKED
            && lists.insert((statement.agent, statement.list));
        if !is_first {
            continue;
        }
        let reason = denials.entry(statement.agent).or_insert_with(|| {
            match statements.agent(statement.agent) {
                "robots" => denial("*"),
                name => denial(name),
            }
        });
        if let Some(reason) = reason {
            findings.push(
                PageFinding::new(Kind::HiddenNoindex, statement.spot.clone())
                    .with_detail(reason.clone()),
            );
        }
    }
    if let Some(canonical) = canonical
        && let Some(reason) = denial("*")
    {
        let spot = canonical.spot.clone();
        findings.push(PageFinding::new(Kind::UnseenCanonical, spot).with_detail(reason));
    }
}

/// Finds `data-nosnippet` where Google ignores it: on other elements than `span`, `div` and `section`, on an element without an
/// end tag, and under another name (docs/semantics.md, section 5.1). A finding is at the name of the tag.
pub(super) fn no_snippets(page: &PageInput, facts: &PageFacts, findings: &mut Collector) {
    let mut report = |offset: usize, detail: Option<&str>| {
        let start = offset + "<".len();
        let tag = &page.html()[start..];
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        let length = tag.iter().take_while(|byte| is_name(byte)).count();
        let spot = Spot::Page(start..start + length);
        findings.push(PageFinding {
            detail: detail.map(str::to_owned),
            ..PageFinding::new(Kind::NoSnippetElement, spot)
        });
    };
    for offset in facts.no_snippets_on_other_elements() {
        report(offset, None);
    }
    for offset in facts.unclosed_no_snippets() {
        report(offset, Some("it has no end tag"));
    }
    for offset in misspelt_no_snippets(page, facts) {
        report(
            offset,
            Some("`data-no-snippet` is perhaps `data-nosnippet`"),
        );
    }
}

/// Returns the offsets of the elements with `data-no-snippet`.
fn misspelt_no_snippets(page: &PageInput, facts: &PageFacts) -> Vec<usize> {
    const MISSPELT: &[u8] = b"data-no-snippet";
    // As long as the misspelt name, so that offsets stay the same.
    const CORRECT: &[u8] = b"data-nosnippet ";
    let mut html = page.html().to_ascii_lowercase();
    let places: Vec<usize> = memmem::find_iter(&html, MISSPELT).collect();
    if places.is_empty() {
        return Vec::new();
    }
    html.copy_from_slice(page.html());
    for place in places {
        html[place..place + CORRECT.len()].copy_from_slice(CORRECT);
    }
    // Only the parser knows whether the text is an attribute: it reads the page as if the name were right.
    let corrected = HeadOptions::new()
        .with_charset(facts.encoding())
        .with_wanted(Wanted::facts(Facts::NO_SNIPPETS))
        .read_document(&html);
    let known: HashSet<usize> = no_snippets_of(facts).collect();
    let mut found: Vec<usize> = no_snippets_of(&corrected)
        .filter(|offset| !known.contains(offset))
        .collect();
    found.sort_unstable();
    found
}

fn no_snippets_of(facts: &PageFacts) -> impl Iterator<Item = usize> {
    facts
        .no_snippets()
        .chain(facts.no_snippets_on_other_elements())
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
            let found = linted.findings().into_iter().map(|found| {
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

    #[test]
    fn an_element_where_google_ignores_the_attribute() {
        let columns = |html: &str| -> Vec<(Kind, usize)> {
            let linter = PageLinter::new(&["robots"]);
            let linted = linter.lint(PageInput::new(html), Timestamp::from_seconds(0));
            let found = linted.findings().into_iter();
            found
                .map(|found| (found.kind, found.location.column))
                .collect()
        };
        let found = |column| vec![(Kind::NoSnippetElement, column)];
        assert_eq!(columns("<body><p data-nosnippet>x"), found(8));
        assert_eq!(columns("<B DATA-NOSNIPPET=false>x"), found(2));
        assert_eq!(columns("<x-note data-nosnippet>x"), found(2));
        for honoured in ["span", "div", "SECTION"] {
            let html = format!("<p><{honoured} data-nosnippet>x</{honoured}>");
            assert_eq!(columns(&html), []);
        }
        // Without an end tag, or under another name.
        assert_eq!(columns("<p><span data-nosnippet>x</p>"), found(5));
        assert_eq!(columns("<span DATA-NO-SNIPPET='x'>x</span>"), found(2));
        assert_eq!(columns("<span data-no-snippet>x"), found(2));
        assert_eq!(columns("<p title=data-no-snippet>data-no-snippet"), []);
        // Not in the document.
        assert_eq!(columns("<template><p data-nosnippet></template>x"), []);
        assert_eq!(columns("<!-- <p data-nosnippet> -->x"), []);
    }
}
