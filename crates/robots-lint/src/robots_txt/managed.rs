//! Findings on robots that the groups of a managed block close and the owner's groups open, or the reverse.
//!
//! A managed block is the part that a service adds to the owner's file. It is between two comments such as
//! `# BEGIN Cloudflare Managed content` and `# END Cloudflare Managed Content` (docs/semantics.md, section 4.5).

use super::audience::{Audience, allows, rules_of};
use super::ignore::Collector;
use crate::catalogue::FindingKind as Kind;
use memchr::memchr2_iter;
use robots_txt::RobotsTxt;
use robots_txt::parse::LineKind;
use robots_txt::select::Group;
use std::ops::Range;

/// The word of both comments, in lower case; case is ignored.
const WORD: &str = "managed";

pub(super) fn examine(
    robots: &RobotsTxt,
    audiences: &[Audience<'_, '_>],
    findings: &mut Collector,
) {
    // Most files have no such block.
    if !has_word(robots.body(), WORD.as_bytes()) {
        return;
    }
    let blocks = blocks(robots);
    if blocks.is_empty() {
        return;
    }
    let is_managed = |group: &&Group<'_>| {
        let first = group.agents().first();
        first.is_some_and(|agent| {
            // Blocks are in order, and do not overlap.
            let after = blocks.partition_point(|block| block.start <= agent.number());
            let block = after.checked_sub(1).and_then(|at| blocks.get(at));
            block.is_some_and(|block| block.contains(&agent.number()))
        })
    };
    for audience in audiences {
        let (managed, owned): (Vec<&Group<'_>>, Vec<_>) =
            audience.groups.iter().partition(|group| is_managed(group));
        let (Some(managed_agent), Some(owned_agent)) = (first_agent(&managed), first_agent(&owned))
        else {
            // All groups of these robots are managed, or all are the owner's.
            continue;
        };
        let is_open = |groups: &[&Group<'_>]| allows(&rules_of(robots, groups), "/");
        if is_open(&managed) == is_open(&owned) {
            continue;
        }
        findings.add_on_value(Kind::ManagedBlock, owned_agent, |found| {
            let effect = if audience.allows("/") {
                "allow"
            } else {
                "disallow"
            };
            found
                .with_detail(format!("together, the groups {effect} `/`"))
                .with_related(managed_agent.number())
                .with_robots(audience.names())
        });
    }
}

/// Returns whether a body has a word, which is in lower case; case is ignored.
fn has_word(body: &[u8], word: &[u8]) -> bool {
    let [first, ..] = word else { return true };
    memchr2_iter(*first, first.to_ascii_uppercase(), body).any(|at| {
        let end = at + word.len();
        body.get(at..end)
            .is_some_and(|found| found.eq_ignore_ascii_case(word))
    })
}

fn first_agent<'g, 'b>(groups: &[&'g Group<'b>]) -> Option<&'g robots_txt::parse::Line<'b>> {
    groups.first()?.agents().first()
}

/// Returns the 1-based lines of managed blocks. A block without an end extends to the end of the file.
fn blocks(robots: &RobotsTxt) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = None;
    for line in robots.lines() {
        if line.kind() != LineKind::Comment {
            continue;
        }
        let text = String::from_utf8_lossy(line.trimmed()).to_ascii_lowercase();
        let text = text.trim_start_matches(['#', ' ', '\t']);
        if !text.contains(WORD) {
            continue;
        }
        if text.starts_with("begin ") {
            start.get_or_insert(line.number());
        } else if text.starts_with("end ")
            && let Some(start) = start.take()
        {
            blocks.push(start..line.number());
        }
    }
    blocks.extend(start.map(|start| start..usize::MAX));
    blocks
}
