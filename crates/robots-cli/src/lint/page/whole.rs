//! What is odd about a page as a whole.

use super::lists::{Said, shown};
use super::place::At;
use super::read::PageInput;
use super::{PageFinding, PageKind};
use crate::meta::ROBOTS;
use crate::robots_in_force::{Histories, InForce, host_of};
use robots_meta::{
    DirectiveValue, Directives, FindingKind, Misspelling, PageMeta, Place, Timestamp,
    findings_in_content,
};
use robots_policy::AgentTable;
use robots_txt::{Dialect, Target};
use std::collections::{BTreeMap, HashMap, HashSet};
use url::Url;

/// METAs for robots in BODY, and those that nobody hears.
pub(super) fn places(said: &PageMeta, findings: &mut Vec<PageFinding>) {
    for meta in said.metas() {
        let Some(departure) = meta.speaks_to(&ROBOTS) else {
            continue;
        };
        let at = At::Page(meta.span());
        if !departure.is_empty() {
            let ways = [
                (Misspelling::PROPERTY, "`property` in place of `name`"),
                (Misspelling::VALUE, "`value` in place of `content`"),
                (Misspelling::HTTP_EQUIV, "`http-equiv` in place of a header"),
            ];
            let ways = ways.iter().filter(|(way, _)| departure.contains(*way));
            let ways: Vec<&str> = ways.map(|(_, text)| *text).collect();
            let finding = PageFinding::new(PageKind::UnheardMeta, at);
            findings.push(finding.with_detail(ways.join(", ")));
        } else if meta.place() == Place::Body {
            findings.push(PageFinding::new(PageKind::MetaInBody, at));
        }
    }
}

/// Directives for the same robot, in different lists, that contradict each other as they would in one: what
/// conflicts is known of lists, so the directives are made one.
pub(super) fn disagreements(all: &[Said<'_>], findings: &mut Vec<PageFinding>) {
    let mut by_agent: BTreeMap<&str, Vec<&Said<'_>>> = BTreeMap::new();
    for said in all {
        by_agent.entry(&said.agent).or_default().push(said);
    }
    for (agent, said) in by_agent {
        let is_one_list = said.windows(2).all(|pair| match pair {
            [one, two] => one.list == two.list,
            _ => true,
        });
        if is_one_list {
            continue;
        }
        let mut list = String::new();
        let mut starts = Vec::with_capacity(said.len());
        for said in &said {
            starts.push(list.len());
            list.push_str(said.text);
            list.push_str(", ");
        }
        let of = |offset: usize| {
            let place = starts.partition_point(|start| *start <= offset);
            said.get(place.checked_sub(1)?).copied()
        };
        for found in findings_in_content(&list) {
            let other = found.other_span().and_then(|span| of(span.start));
            let (Some(one), Some(other)) = (of(found.span().start), other) else {
                continue;
            };
            if found.kind() != FindingKind::Conflict || one.list == other.list {
                continue;
            }
            let to = if agent == "robots" {
                "every robot"
            } else {
                agent
            };
            let detail = format!("{}: `{}` and `{}`", to, shown(other.text), shown(one.text));
            let mut finding = PageFinding::new(PageKind::ListsDisagree, one.at.clone());
            finding.related = Some((other.at.clone(), "said here before"));
            findings.push(finding.with_detail(detail));
        }
    }
}

/// Dates of `unavailable_after` that have passed.
pub(super) fn dates(all: &[Said<'_>], now: Timestamp, findings: &mut Vec<PageFinding>) {
    for said in all {
        if let DirectiveValue::UnavailableAfter(date) = said.value
            && date <= now
        {
            let finding = PageFinding::new(PageKind::DateHasPassed, said.at.clone());
            findings.push(finding.with_detail(date.to_string()));
        }
    }
}

/// `noarchive` for everyone or Google, once.
pub(super) fn noarchive(all: &[Said<'_>], findings: &mut Vec<PageFinding>) {
    let found = all.iter().find(|said| {
        said.flags.contains(Directives::NOARCHIVE) && matches!(&*said.agent, "robots" | "googlebot")
    });
    if let Some(said) = found {
        findings.push(PageFinding::new(
            PageKind::NoarchiveAtGoogle,
            said.at.clone(),
        ));
    }
}

/// The canonical link of the page, if it leads elsewhere: where it stands, and where to.
fn canonical_elsewhere(page: &PageInput, said: &PageMeta) -> Option<(At, Url)> {
    let canonical = said.canonical()?;
    let own = Url::parse(page.url.as_deref()?).ok()?;
    let mut target = own.join(canonical.href()).ok()?;
    target.set_fragment(None);
    let mut plain = own;
    plain.set_fragment(None);
    let start = canonical.offset();
    (target != plain).then(|| (At::Page(start..start.saturating_add(5)), target))
}

/// `noindex` beside a canonical link to another page.
pub(super) fn canonical(
    page: &PageInput,
    said: &PageMeta,
    all: &[Said<'_>],
    findings: &mut Vec<PageFinding>,
) {
    let noindex = all
        .iter()
        .find(|said| said.agent == "robots" && said.flags.contains(Directives::NOINDEX));
    if let (Some(noindex), Some((at, target))) = (noindex, canonical_elsewhere(page, said)) {
        let mut finding = PageFinding::new(PageKind::NoindexAndCanonical, at);
        finding.related = Some((noindex.at.clone(), "noindex here"));
        findings.push(finding.with_detail(shown(target.as_str()).into_owned()));
    }
}

/// For how many lists of a page it is looked whether robots.txt hides them: rules are compiled for each robot.
const MOST_ASKED: usize = 100;

/// What a robots.txt hides that forbids to fetch the page.
pub(super) fn hidden(
    page: &PageInput,
    said: &PageMeta,
    all: &[Said<'_>],
    (histories, table): (&Histories, &AgentTable),
    findings: &mut Vec<PageFinding>,
) {
    let Some(url) = page.url.as_deref().and_then(|url| Url::parse(url).ok()) else {
        return;
    };
    let host = host_of(&url);
    let time = page
        .date
        .map_or(i64::MAX, |date| date.as_seconds().saturating_mul(1_000));
    let Some(versions) = histories.in_force(host.as_deref(), time, 0) else {
        return;
    };
    let InForce::File(file) = versions.current else {
        return;
    };
    let Some(robots) = histories.file(file) else {
        return;
    };
    let target = Target::new(url.as_str());
    let mut verdicts: HashMap<String, Option<String>> = HashMap::new();
    let mut forbids = |agent: &str| {
        let verdict = verdicts.entry(agent.to_owned()).or_insert_with(|| {
            let agent = if agent == "robots" { "*" } else { agent };
            let rules = robots.rules(table.agent(agent), &Dialect::RFC9309);
            let verdict = rules.verdict(&target);
            (!verdict.is_allowed()).then(|| verdict.to_string())
        });
        verdict.clone()
    };
    let mut lists: HashSet<(&str, usize)> = HashSet::new();
    for said in all {
        let is_first = said.flags.contains(Directives::NOINDEX)
            && lists.len() < MOST_ASKED
            && lists.insert((said.agent.as_str(), said.list));
        if is_first && let Some(rule) = forbids(&said.agent) {
            let finding = PageFinding::new(PageKind::HiddenNoindex, said.at.clone());
            findings.push(finding.with_detail(rule));
        }
    }
    if let Some((at, _)) = canonical_elsewhere(page, said)
        && let Some(rule) = forbids("robots")
    {
        let finding = PageFinding::new(PageKind::UnseenCanonical, at);
        findings.push(finding.with_detail(rule));
    }
}
