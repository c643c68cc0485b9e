//! METAs and header lines for robots that no engine reads: under other names, with other attributes, or with quotes that are part
//! of the text.

use super::input::{PageInput, header_text};
use super::location::Spot;
use super::{Collector, PageFinding};
use crate::catalogue::FindingKind as Kind;
use crate::list::robot_name::misspelt_robot;
use crate::list::{ListFinding, findings_in_content, findings_in_header};
use crate::shorten::shortened;
use robots_meta::PageFacts;
use robots_meta::directive::{AgentPrefix, Directive, DirectiveValue, items};
use robots_meta::header::RobotsHeader;
use robots_meta::page::{Departure, Meta, Placement};
use strsim::osa_distance;

/// Finds METAs for robots in BODY, and those that no engine obeys.
pub(super) fn metas(facts: &PageFacts, robots: &[&str], findings: &mut Collector) {
    for meta in facts.metas() {
        let spot = Spot::Page(meta.span());
        if let Some(reason) = unsupported_meta(meta, robots) {
            findings.push(PageFinding::new(Kind::UnsupportedMeta, spot).with_detail(reason));
        } else if meta.departure(robots).is_some() && meta.placement() == Placement::Body {
            let detail = format!("HEAD ended {}", facts.end_place());
            let mut finding = PageFinding::new(Kind::MetaInBody, spot).with_detail(detail);
            if let Some(offset) = facts.end_offset() {
                finding = finding.with_related(Spot::Page(offset..offset + 1), "HEAD ended here");
            }
            findings.push(finding);
        }
    }
}

/// Returns the reason why no engine obeys a META that is meant for robots, such as `` `robot` is perhaps `robots` ``; `None` for
/// any other META. `robots` are the names that engines read.
pub fn unsupported_meta(meta: Meta<'_>, robots: &[&str]) -> Option<String> {
    let Some(departure) = meta.departure(robots) else {
        return unread_name(meta, robots);
    };
    if departure.is_empty() {
        return unread_content(meta).map(str::to_owned);
    }
    let texts: Vec<&str> = departures(departure).map(|(_, text)| text).collect();
    Some(texts.join(", "))
}

/// Returns the ways in which a META departs from `<meta name=robots content=...>`: a name for JSON, and a text for people.
pub fn departures(departure: Departure) -> impl Iterator<Item = (&'static str, &'static str)> {
    let (property, value) = (
        "`property` in place of `name`",
        "`value` in place of `content`",
    );
    let http_equiv = "`http-equiv` in place of a header";
    let all = [
        (Departure::PROPERTY, "property", property),
        (Departure::VALUE, "value", value),
        (Departure::HTTP_EQUIV, "http_equiv", http_equiv),
    ];
    all.into_iter()
        .filter(move |(way, ..)| departure.contains(*way))
        .map(|(_, name, text)| (name, text))
}

/// Returns the reason for a META whose name is not that of a robot.
fn unread_name(meta: Meta<'_>, robots: &[&str]) -> Option<String> {
    let is_listed = |name: &str| robots.iter().any(|robot| robot.eq_ignore_ascii_case(name));
    let http_equiv = meta.attribute("http-equiv");
    if http_equiv.is_some_and(|found| is_listed(found.value().trim_ascii())) {
        return Some("`http-equiv` in place of `name`".to_owned());
    }
    let name = meta.name()?.trim();
    if name.eq_ignore_ascii_case("x-robots-tag") {
        return Some("`X-Robots-Tag` is the name of a header".to_owned());
    }
    if is_listed(name.trim_matches(is_quote)) {
        return Some("quotes are part of the name".to_owned());
    }
    let parts = name.split([',', ';', '|', ' ']).map(str::trim);
    let mut parts = parts.filter(|part| !part.is_empty());
    if parts.next().is_some_and(is_listed) && parts.clone().next().is_some() && parts.all(is_listed)
    {
        return Some("one META for several robots".to_owned());
    }
    let meant = match name {
        _ if name.eq_ignore_ascii_case("robot") => "robots",
        _ => misspelt_robot(name)?,
    };
    // Another META may have such a name, but no directives.
    is_list(&findings_in_content(meta.content()), meta.directives())
        .then(|| format!("`{}` is perhaps `{meant}`", shortened(name)))
}

/// Returns the reason why no engine reads the content of a META with the name of a robot.
fn unread_content(meta: Meta<'_>) -> Option<&'static str> {
    let content = meta.content().trim_start();
    let start = content.get(.."<meta".len()).unwrap_or_default();
    let reason = if start.eq_ignore_ascii_case("<meta") {
        "a META in its content"
    } else if content.starts_with(is_quote) {
        "quotes are part of the content"
    } else {
        return None;
    };
    // A directive in the middle is read.
    let is_read = meta.directives().any(is_known_and_valid);
    (!is_read).then_some(reason)
}

/// Returns whether a text has directives, perhaps misspelt ones.
fn is_list<'a>(
    findings: &[ListFinding<'_>],
    mut directives: impl Iterator<Item = Directive<'a>>,
) -> bool {
    let kinds = [
        Kind::MisspeltDirective,
        Kind::WrongSeparator,
        Kind::NameInList,
    ];
    directives.any(is_known_and_valid) || findings.iter().any(|found| kinds.contains(&found.kind()))
}

/// Returns whether a directive is known and valid.
pub(super) fn is_known_and_valid(directive: Directive<'_>) -> bool {
    !matches!(
        directive.value(),
        DirectiveValue::Invalid | DirectiveValue::Unknown
    )
}

/// Returns whether a character is a quotation mark, or one of those that a typographic mark becomes if UTF-8 is read as
/// windows-1252, or the other way round.
fn is_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '`' | '\\' | '\u{ab}' | '\u{b4}' | '\u{bb}' | '\u{2018}'
            ..='\u{201f}'
                | '\u{2032}'
                | '\u{2033}'
                | '\u{e2}'
                | '\u{20ac}'
                | '\u{153}'
                | '\u{9d}'
                | '\u{fffd}'
    )
}

/// Finds header lines with directives under names that no engine reads: `X-Robots-Tags`, `Robots`.
pub(super) fn headers(page: &PageInput, findings: &mut Collector) {
    for (line, (name, value)) in page.headers().iter().enumerate() {
        if !resembles_header(name) {
            continue;
        }
        let value = header_text(value);
        let directives = items(&value, AgentPrefix::Accepted).map(|item| item.directive);
        if is_list(&findings_in_header(&value), directives) {
            let span = 0..name.len();
            let finding = PageFinding::new(Kind::UnsupportedHeader, Spot::Header { line, span });
            findings.push(finding.with_detail(format!("`{name}`")));
        }
    }
}

/// Returns whether the name of a header is similar to those of headers for robots, and is none of them.
fn resembles_header(name: &str) -> bool {
    /// The maximum length in bytes of a name that is compared.
    const MAX_COMPARED: usize = 20;
    if name.len() > MAX_COMPARED || RobotsHeader::from_name(name).is_some() {
        return false;
    }
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let letters = letters.to_ascii_lowercase();
    ["robots", "robot", "xrobots", "xrobot"].contains(&letters.as_str())
        || osa_distance(&letters, "xrobotstag") <= 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageLinter;
    use robots_meta::Timestamp;

    /// Returns the kinds and details of all findings.
    fn found(page: PageInput) -> Vec<(Kind, String)> {
        let linter = PageLinter::new(&["robots", "googlebot"]);
        let linted = linter.lint(page.with_charset("utf-8"), Timestamp::from_seconds(0));
        let found = linted.findings().into_iter().map(|found| {
            let prefix = format!("{}: ", found.kind);
            let detail = found.message.strip_prefix(&prefix).unwrap_or_default();
            (found.kind, detail.to_owned())
        });
        found.collect()
    }

    #[test]
    fn metas_under_other_names() {
        for (meta, detail) in [
            (
                "property=robots content=noindex",
                "`property` in place of `name`",
            ),
            ("name=robots value=noindex", "`value` in place of `content`"),
            (
                "http-equiv=X-Robots-Tag content=noindex",
                "`http-equiv` in place of a header",
            ),
            (
                "http-equiv=robots content=noindex",
                "`http-equiv` in place of `name`",
            ),
            (
                "name=x-robots-tag content=noindex",
                "`X-Robots-Tag` is the name of a header",
            ),
            (
                "name=\u{201c}robots\u{201d} content=\u{201c}noindex, nofollow\u{201d}",
                "quotes are part of the name",
            ),
            (
                "name=\\\"robots\\\" content=noindex",
                "quotes are part of the name",
            ),
            (
                "name=robots content=\u{201c}noindex, nofollow\u{201d}",
                "quotes are part of the content",
            ),
            (
                "name=robots content='&quot;noindex&quot;'",
                "quotes are part of the content",
            ),
            (
                "name=robots content=\"<meta name='robots' content='noindex'>\"",
                "a META in its content",
            ),
            (
                "name='robots, googlebot' content=noindex",
                "one META for several robots",
            ),
            ("name=ROBOT content=noindex", "`ROBOT` is perhaps `robots`"),
            (
                "name=robot content='no-index, no-follow'",
                "`robot` is perhaps `robots`",
            ),
            (
                "name=googlebots content='noindex, nofolow'",
                "`googlebots` is perhaps `googlebot`",
            ),
            (
                "name=googelbot content=none",
                "`googelbot` is perhaps `googlebot`",
            ),
        ] {
            let page = PageInput::new(format!("<meta {meta}>"));
            let expected = [(Kind::UnsupportedMeta, detail.to_owned())];
            assert_eq!(found(page), expected, "{meta}");
        }
        // Read by another engine, without directives, or not for robots.
        for meta in [
            "name=otherbot content=noindex",
            "name=robot content='R. Daneel Olivaw'",
            "name=googlebots content=''",
            "name='robots, keywords' content=none",
            "name=gptbot content=noindex",
            "http-equiv=refresh content=index",
            "name='' content=noindex",
        ] {
            assert_eq!(
                found(PageInput::new(format!("<meta {meta}>"))),
                [],
                "{meta}"
            );
        }
        // The directive in the middle is read.
        let middle = "<meta name=robots content='\u{201c}noindex, nofollow, noarchive\u{201d}'>";
        let kinds: Vec<Kind> = found(PageInput::new(middle))
            .iter()
            .map(|found| found.0)
            .collect();
        assert_eq!(kinds, [Kind::MisspeltDirective; 2]);
        // In windows-1252.
        let page = PageInput::new(&b"<meta name=\x93robots\x94 content=noindex>"[..]);
        let linted = PageLinter::new(&["robots"]).lint(page, None);
        assert_eq!(linted.findings()[0].kind, Kind::UnsupportedMeta);
    }

    #[test]
    fn headers_under_other_names() {
        let kinds = |name: &str, value: &str| -> Vec<(Kind, String)> {
            found(PageInput::new("").with_headers([(name, value)]))
        };
        for name in [
            "X-Robots-Tags",
            "X-Robot-Tag",
            "X_Robots_Tag",
            "x-robotstag",
            "Robots",
            "X-Robots",
            "Robot-Tag",
        ] {
            let expected = [(Kind::UnsupportedHeader, format!("`{name}`"))];
            assert_eq!(kinds(name, "noindex, nofolow"), expected, "{name}");
            assert_eq!(kinds(name, "no-index"), expected, "{name}");
            assert_eq!(kinds(name, "yes"), [], "{name}");
        }
        for name in [
            "X-Robots-Tag",
            "Robots-Tag",
            "X-Robots-Policy",
            "Server",
            "é",
        ] {
            assert_eq!(kinds(name, "noindex"), [], "{name}");
        }
    }
}
