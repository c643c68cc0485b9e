//! Values that have another directive, because a line break was lost, or `\n` as two characters. Linear in the value.

use crate::shorten::shortened;
use memchr::memchr_iter;
use robots_txt::parse::{Field, Line, is_space, trim};

/// A place in a value at which a line was meant to end.
pub(super) struct LostBreak<'a> {
    /// The text that was meant to be another line.
    pub(super) text: &'a [u8],
    pub(super) detail: String,
}

/// Fields that no URL is likely to contain, in lower case.
const CERTAIN_NAMES: [&[u8]; 7] = [
    b"user-agent",
    b"disallow",
    b"crawl-delay",
    b"clean-param",
    b"request-rate",
    b"content-signal",
    b"content-usage",
];

/// Line breaks that a program wrote as escapes.
const ESCAPED_BREAKS: [&[u8]; 2] = [br"\n", br"\r"];

/// Returns whether robots may read the value of a line: the values of other fields are prose, or not known.
pub(super) fn is_compared(line: &Line<'_>) -> bool {
    !matches!(line.field(), Field::Other | Field::Comment)
}

/// Finds the first lost line break in the value of a line.
pub(super) fn lost_break<'a>(line: &Line<'a>) -> Option<LostBreak<'a>> {
    if !is_compared(line) {
        return None;
    }
    let value = line.value();
    let start = memchr_iter(b':', value).find_map(|colon| field_before(value, colon));
    if let Some(text) = start.and_then(|at| value.get(at..)) {
        let quoted = String::from_utf8_lossy(text);
        return Some(LostBreak {
            text,
            detail: format!("`{}` is read as a part of it", shortened(&quoted)),
        });
    }
    let escape = ESCAPED_BREAKS
        .into_iter()
        .find(|escape| value.len() > escape.len() && value.ends_with(escape))?;
    Some(LostBreak {
        text: value.get(value.len() - escape.len()..)?,
        detail: format!(
            "`{}` is two characters here",
            escape.escape_ascii().to_string().replace(r"\\", r"\")
        ),
    })
}

/// Returns the start of the name of a field that ends before a colon.
fn field_before(value: &[u8], colon: usize) -> Option<usize> {
    let (before, after) = value.split_at_checked(colon)?;
    let end = before.iter().rposition(|byte| !is_space(*byte))? + 1;
    let before = before.get(..end)?;
    let after = trim(after.get(1..)?);
    let start_of = |name: &[u8]| {
        let start = before.len().checked_sub(name.len())?;
        let is_same = before.get(start..)?.eq_ignore_ascii_case(name);
        // A parameter of a URL may have the name of a field.
        let is_parameter = matches!(before.get(..start)?.last(), Some(b'?' | b'&' | b'='));
        (is_same && !is_parameter).then_some(start)
    };
    if let Some(start) = CERTAIN_NAMES.iter().find_map(|name| start_of(name)) {
        return Some(start);
    }
    // These words are in some paths. They are fields if the value that follows is one of the field.
    let is_capital = |start: usize| before.get(start).is_some_and(u8::is_ascii_uppercase);
    let is_first = |start: usize| {
        start
            .checked_sub(1)
            .is_none_or(|at| before.get(at).is_some_and(|byte| is_space(*byte)))
    };
    if let Some(start) = start_of(b"sitemap") {
        let is_url = after
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case(b"http"));
        return (is_url || is_first(start)).then_some(start);
    }
    if let Some(start) = start_of(b"allow") {
        let is_path = matches!(after.first(), Some(b'/' | b'*'));
        return (is_path && (is_capital(start) || is_first(start))).then_some(start);
    }
    let start = start_of(b"host")?;
    let is_in_path = matches!(before.get(..start)?.last(), Some(b'/' | b'-' | b'_'));
    (is_capital(start) && !is_in_path && !after.is_empty()).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_txt::RobotsTxt;

    #[test]
    fn lost_line_breaks_are_found() {
        let text = |line: &str| {
            let robots = RobotsTxt::parse(line);
            let line = robots.lines().next()?;
            lost_break(&line).map(|lost| String::from_utf8_lossy(lost.text).into_owned())
        };
        for (line, expected) in [
            (
                "Sitemap: https://a.example/s.xmlUser-agent: GPTBot",
                "User-agent: GPTBot",
            ),
            (
                "Sitemap: https://a.example/1.xmlSitemap: https://a.example/2.xml",
                "Sitemap: https://a.example/2.xml",
            ),
            (
                "User-agent: * Disallow : /a Allow: /b",
                "Disallow : /a Allow: /b",
            ),
            ("Disallow: /User-agent: *", "User-agent: *"),
            (r"User-agent: *\nDisallow: /a", "Disallow: /a"),
            ("Disallow: /aAllow: /b", "Allow: /b"),
            ("Allow: Sitemap:", "Sitemap:"),
            (
                "Sitemap: https://a.example/s.xmlHost: a.example",
                "Host: a.example",
            ),
            (r"Disallow: /a\n", r"\n"),
        ] {
            assert_eq!(text(line).as_deref(), Some(expected), "{line}");
        }
        for line in [
            "Disallow: /wiki/User:Sitemap",
            "Disallow: /*?allow:/x",
            "Disallow: /*&user-agent:x",
            "Disallow: /sitemap:old",
            "Disallow: /host:8080/",
            "Disallow: /X-Forwarded-Host:a",
            "Sitemap: https://a.example:8080/sitemap.xml",
            "Comment: write User-agent: *",
            "Note: Disallow: /",
            r"Disallow: \n",
            "Disallow:",
        ] {
            assert_eq!(text(line), None, "{line}");
        }
    }
}
