//! What would change an answer.

use super::evidence::{Evidence, RobotsEvidence};
use super::places::StatementPlaces;
use robots_policy::Decision;
use robots_policy::decision::{Effect, Field, Reason, Source};
use robots_policy::text::printable;

/// The number of statements that are named next to the one that decides. Others are counted.
const MAX_AGREEING: usize = 4;

/// Returns what would change the answer of a field: nothing if the answer is a yes, or if another field has the same cause.
pub(super) fn change(
    decision: &Decision,
    field: Field,
    evidence: &Evidence,
    places: &StatementPlaces,
) -> Option<String> {
    let value = field.text(decision);
    if matches!(value.as_str(), "yes" | "allow" | "not_applicable") {
        return None;
    }
    let reason = decision.deciding_reason(field)?;
    if field != Field::Fetch && !decision.may_fetch() {
        let fetch = decision.deciding_reason(Field::Fetch);
        let is_same = |fetch: &Reason| fetch.source == reason.source;
        // The page's statements are not read, or the same statement forbids both: the answer follows from that of `fetch`.
        if reason.source == Source::RobotsFetch || fetch.is_some_and(is_same) {
            return None;
        }
    }
    if reason.source == Source::RobotsFetch
        && let RobotsEvidence::Unknown { remedy } = &evidence.robots_txt
    {
        return Some(remedy.clone());
    }
    let mut text = change_of(reason, places);
    // A statement that agrees would decide in its place.
    let agreeing = decision
        .reasons_for(field)
        .filter(|reason| reason.effect == Effect::Agrees);
    let mut agreeing = agreeing.map(|reason| change_of(reason, places));
    for also in agreeing.by_ref().take(MAX_AGREEING) {
        text = format!("{text}; and {also}");
    }
    Some(match agreeing.count() {
        0 => text,
        1 => format!("{text}; and 1 more statement"),
        rest => format!("{text}; and {rest} more statements"),
    })
}

/// Returns what would make a statement void.
fn change_of(reason: &Reason, places: &StatementPlaces) -> String {
    let statement = printable(&reason.text);
    match &reason.source {
        Source::RobotsTxt { line } => {
            format!("remove or narrow line {line} of robots.txt: {statement}")
        }
        Source::RobotsFetch => format!(
            "let robots.txt answer with status 200, or with 404 if there are no rules: {statement}"
        ),
        source @ Source::Meta { .. } => {
            format!("remove from the {}: {statement}", places.text(source))
        }
        source @ (Source::Header { .. } | Source::PageHeader { .. } | Source::Tdmrep { .. }) => {
            format!("remove from {source}: {statement}")
        }
        Source::Status => format!("let the page answer with status 200, not {statement}"),
        source => format!("{source}: {statement}"),
    }
}
