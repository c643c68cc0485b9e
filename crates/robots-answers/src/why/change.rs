//! What would change an answer.

use super::answers::deciding;
use super::evidence::{Evidence, PageEvidence, RobotsEvidence};
use robots_policy::Decision;
use robots_policy::decision::{Field, Reason, Source};
use robots_policy::text::printable;

/// Returns what would change the answer of a field: nothing if the answer is a yes, or if another field has the same cause.
pub(super) fn change(decision: &Decision, field: Field, evidence: &Evidence) -> Option<String> {
    let value = field.text(decision);
    if matches!(value.as_str(), "yes" | "allow" | "not_applicable") {
        return None;
    }
    let reason = deciding(decision, field)?;
    if field != Field::Fetch && !decision.may_fetch() {
        let fetch = deciding(decision, Field::Fetch);
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
    let statement = printable(&reason.text);
    Some(match &reason.source {
        Source::RobotsTxt { line } => {
            format!("remove or narrow line {line} of robots.txt: {statement}")
        }
        Source::RobotsFetch => format!(
            "let robots.txt answer with status 200, or with 404 if there are no rules: {statement}"
        ),
        Source::Meta { offset } => {
            let line = line_of(evidence, *offset);
            format!("remove from the META at byte {offset}{line}: {statement}")
        }
        source @ (Source::Header { .. } | Source::PageHeader { .. } | Source::Tdmrep { .. }) => {
            format!("remove from {source}: {statement}")
        }
        Source::Status => format!("let the page answer with status 200, not {statement}"),
        source => format!("{source}: {statement}"),
    })
}

/// Returns the 1-based line of an offset in the page as text, if the page is known.
fn line_of(evidence: &Evidence, offset: usize) -> String {
    let PageEvidence::Known(page) = &evidence.page else {
        return String::new();
    };
    let before = page.body.get(..offset).unwrap_or(&page.body);
    let line = memchr::memchr_iter(b'\n', before).count().saturating_add(1);
    format!(" (line {line})")
}
