//! Findings on preferences about AI: pairs that contradict each other, and preferences that rules contradict.

use super::audience::Audience;
use super::ignore::Collector;
use super::known::KnownRobots;
use super::lines::field_named;
use crate::catalogue::FindingKind as Kind;
use robots_policy::profile::{KnownAgent, Purpose};
use robots_txt::extension::Extension;
use robots_txt::parse::{Field, Line};
use robots_txt::robots_usage::Preference;
use robots_txt::robots_usage::content_usage::{Usage, UsageCategory};
use robots_txt::select::Directive;
use std::collections::{HashMap, HashSet};

/// Examines the preferences for each audience: the robots that share groups. Then compares what the group of `*` allows
/// with the groups of other robots that close every path.
pub(super) fn examine(
    audiences: &[Audience<'_, '_>],
    known: &KnownRobots,
    findings: &mut Collector,
) {
    // The lines that have a finding. A line has only one, even if it is in groups of several audiences.
    let mut reported = HashSet::new();
    let mut star_allows = Vec::new();
    for audience in audiences {
        let stated = statements(audience);
        disagreements(&stated, &mut reported, findings);
        if audience.is_closed() {
            signals_in_closed_groups(&stated, &mut reported, findings);
        } else if audience.is_star() {
            // Only of an open group: the signals of a closed one are findings themselves.
            star_allows = stated;
        }
    }
    star_allows
        .retain(|statement| statement.path.is_none() && statement.preference == Preference::Allow);
    if star_allows.is_empty() {
        return;
    }
    for audience in audiences.iter().filter(|audience| audience.is_closed()) {
        closed_answer_robots(audience, &star_allows, known, findings);
    }
}

/// A preference about one use, with its place.
pub(super) struct Statement<'b> {
    line: usize,
    span: std::ops::Range<usize>,
    /// `None` for every path.
    pub(super) path: Option<&'b [u8]>,
    pub(super) usage: UsageCategory,
    pub(super) preference: Preference,
    /// Whether it is in a `Content-Signal`.
    is_signal: bool,
}

/// Returns the preferences for some robots, in order.
fn statements<'b>(audience: &Audience<'_, 'b>) -> Vec<Statement<'b>> {
    let directives = audience.directives();
    directives
        .flat_map(|directive| statements_of(directive.line()))
        .collect()
}

/// Returns the preferences that a line states.
pub(super) fn statements_of(line: Line<'_>) -> Vec<Statement<'_>> {
    // Fields are read by their written names: `AllowAITraining` is not Google's `Allow`.
    let field = field_named(&line);
    if matches!(field, Field::Allow | Field::Disallow) {
        return Vec::new();
    }
    let all = |usage: Usage| -> Vec<_> {
        let categories = UsageCategory::ALL.into_iter().rev();
        let uses = categories.map(|category| (category, usage.preference(category)));
        uses.collect()
    };
    let (path, uses, is_signal) = match Extension::read(Directive::new(field, line)) {
        Some(Extension::ContentSignal(signal)) => {
            (signal.path(), all(signal.value().usage()), true)
        }
        Some(Extension::ContentUsage(stated)) => (
            stated.path(),
            all(stated.value().unwrap_or_default()),
            false,
        ),
        Some(Extension::AiTraining(training)) => {
            let uses = vec![(UsageCategory::TrainAi, training.value())];
            (training.path(), uses, false)
        }
        _ => return Vec::new(),
    };
    let stated = uses.into_iter();
    let stated = stated.filter(|(_, preference)| *preference != Preference::Unknown);
    stated
        .map(|(usage, preference)| Statement {
            line: line.number(),
            span: line.value_span(),
            path: path.filter(|path| *path != b"/"),
            usage,
            preference,
            is_signal,
        })
        .collect()
}

/// Finds a preference that is the opposite of an earlier one for the same path and use.
fn disagreements(
    stated: &[Statement<'_>],
    reported: &mut HashSet<usize>,
    findings: &mut Collector,
) {
    let mut first: HashMap<(Option<&[u8]>, UsageCategory), &Statement<'_>> = HashMap::new();
    for later in stated {
        let earlier = *first.entry((later.path, later.usage)).or_insert(later);
        if earlier.preference != later.preference && reported.insert(later.line) {
            findings.add(
                Kind::PreferencesDisagree,
                later.line,
                later.span.clone(),
                |found| found.with_related(earlier.line),
            );
        }
    }
}

/// Finds a `Content-Signal` that allows a use in a group that closes every path.
fn signals_in_closed_groups(
    stated: &[Statement<'_>],
    reported: &mut HashSet<usize>,
    findings: &mut Collector,
) {
    let allows = |statement: &&Statement<'_>| {
        statement.is_signal && statement.preference == Preference::Allow
    };
    for signal in stated.iter().filter(allows) {
        if reported.insert(signal.line) {
            findings.add(
                Kind::SignalAndClosed,
                signal.line,
                signal.span.clone(),
                |found| found.with_detail("the group closes every path".to_owned()),
            );
        }
    }
}

/// Finds robots that fetch for answers by AI and are not allowed to, although a `Content-Signal` in the group of `*` allows
/// search or `ai-input`.
fn closed_answer_robots(
    audience: &Audience<'_, '_>,
    star_allows: &[Statement<'_>],
    known: &KnownRobots,
    findings: &mut Collector,
) {
    // It fetches for answers by AI, and not for training.
    let answers = |robot: &&KnownAgent| robot.has_purpose(&[Purpose::AiSearch]) && !robot.trains();
    for agent in audience.names() {
        let Some(robot) = known.get(agent.value()).filter(answers) else {
            continue;
        };
        // A robot that fetches at the request of a person does not build a search index.
        let concerns = |statement: &&Statement<'_>| match statement.usage {
            UsageCategory::Search => statement.is_signal && !robot.has_purpose(&[Purpose::User]),
            UsageCategory::AiUse => statement.is_signal,
            _ => false,
        };
        if let Some(signal) = star_allows.iter().find(concerns) {
            findings.add_on_value(Kind::SignalAndClosed, agent, |found| {
                found
                    .with_detail(format!("`{}=yes`", signal.usage.signal_key()))
                    .with_related(signal.line)
                    .with_robots([agent])
            });
        }
    }
}
