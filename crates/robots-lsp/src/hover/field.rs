//! The descriptions of fields, with the standards and engines that know them.

use robots_lint::catalogue::Citation::{self, Rfc, Semantics};
use robots_policy::Profile;
use robots_policy::profile::Honours;
use robots_txt::parse::Field;

/// Returns the description of a field as Markdown; `None` for an unknown one.
pub(super) fn describe(field: Field) -> Option<String> {
    let (meaning, known_by, source) = description(field)?;
    let mut paragraphs = vec![
        format!("**{field}**: {meaning}."),
        format!("Known by: {known_by}."),
    ];
    // These statements are honoured under some profiles, and not under others.
    let statement = match field {
        Field::CrawlDelay => Some(Honours::CRAWL_DELAY),
        Field::RequestRate => Some(Honours::REQUEST_RATE),
        Field::VisitTime => Some(Honours::VISIT_TIME),
        _ => None,
    };
    if let Some(statement) = statement {
        let honouring: Vec<String> = Profile::all()
            .filter(|profile| profile.honours().contains(statement))
            .map(|profile| profile.name().to_owned())
            .collect();
        let list = if honouring.is_empty() {
            "none".to_owned()
        } else {
            honouring.join(", ")
        };
        paragraphs.push(format!("Honoured under the profiles: {list}."));
    }
    paragraphs.push(format!("[{source}]({})", source.url()));
    Some(paragraphs.join("\n\n"))
}

/// Returns the meaning of a field as a clause; empty for an unknown one.
pub(crate) fn meaning(field: Field) -> &'static str {
    description(field).map_or("", |(meaning, ..)| meaning)
}

/// Returns the meaning of a field as a clause, the standards and engines that know it, and the source.
fn description(field: Field) -> Option<(&'static str, &'static str, Citation)> {
    Some(match field {
        Field::UserAgent => (
            "the product token of a robot that the rules below apply to, or `*` for every other robot",
            "every standard and every engine",
            Rfc(9309, "2.2.1"),
        ),
        Field::Allow => (
            "the start of paths that the robots of the group may fetch, though a shorter rule disallows them",
            "RFC 9309, draft-koster-robots-00, Conner's standard and every engine; not the standard of 1994",
            Rfc(9309, "2.2.2"),
        ),
        Field::Disallow => (
            "the start of paths that the robots of the group may not fetch; without a path, nothing is disallowed",
            "every standard and every engine",
            Rfc(9309, "2.2.2"),
        ),
        Field::Sitemap => (
            "the absolute URL of a sitemap; it belongs to the file, not to a group",
            "sitemaps.org and most search engines; RFC 9309 names it as a record that parsers may read",
            Rfc(9309, "2.2.4"),
        ),
        Field::CrawlDelay => (
            "the seconds between two requests of a robot of the group",
            "engines alone, and no standard",
            Semantics("2.4"),
        ),
        Field::RequestRate => (
            "a number of documents in a period, such as `1/10s`",
            "Conner's standard and Seznam",
            Semantics("3.3"),
        ),
        Field::VisitTime => (
            "the hours for visits, in UTC, such as `0600-0845`",
            "Conner's standard",
            Semantics("3.3"),
        ),
        Field::Host => (
            "the main host of a site",
            "Yandex, where it has no effect since March 2018",
            Semantics("2.5"),
        ),
        Field::CleanParam => (
            "query parameters that do not change the page, and the start of their paths",
            "Yandex; it belongs to the file, not to a group",
            Semantics("2.5"),
        ),
        Field::Noindex => (
            "paths that should not be indexed; write `noindex` in a META or a header instead",
            "no engine since September 2019",
            Semantics("10"),
        ),
        Field::ContentUsage => (
            "preferences about the use of content, such as `train-ai=n`, for all paths or after a path",
            "the drafts of the IETF working group AIPREF",
            Semantics("4.1"),
        ),
        Field::ContentSignal => (
            "preferences about the use of content, such as `ai-train=no`, for all paths or after a path",
            "Cloudflare's Content Signals; Google ignores it",
            Semantics("4.5"),
        ),
        Field::License => (
            "the absolute URL of a licence: of the group, or of the file outside of groups",
            "RSL 1.0",
            Semantics("4.7"),
        ),
        Field::DisallowAiTraining => (
            "the start of paths on which models may not be trained",
            "an expired draft by Microsoft; Google reads it as `Disallow`",
            Semantics("4.4"),
        ),
        Field::AllowAiTraining => (
            "the start of paths on which models may be trained",
            "an expired draft by Microsoft; Google reads it as `Allow`",
            Semantics("4.4"),
        ),
        Field::Comment => (
            "a message to the author of the robot",
            "Conner's standard",
            Semantics("3.3"),
        ),
        Field::RobotVersion => (
            "the version of the standard that the group uses, on the line after User-agent",
            "Conner's standard",
            Semantics("3.3"),
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_described() {
        for field in Field::NAMED {
            let text = describe(*field).unwrap_or_default();
            assert!(
                text.starts_with(&format!("**{field}**: ")),
                "{field}: {text}"
            );
            assert!(!meaning(*field).ends_with('.'), "{field}");
        }
        assert_eq!(describe(Field::Other), None);
        let delay = describe(Field::CrawlDelay).unwrap_or_default();
        assert!(delay.contains("bing"), "{delay}");
    }
}
