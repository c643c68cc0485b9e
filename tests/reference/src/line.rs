//! The lines of a body, cut step by step.

use crate::protego;
use robots_txt::Dialect;
use robots_txt::dialect::{
    AllowRules, ByteOrderMark, FieldNames, LineEnd, NulByte, OverLimit, Separator,
};

/// A directive or a blank line.
pub(crate) struct Line<'a> {
    /// The number of the line, from 1.
    pub(crate) number: usize,
    pub(crate) content: Content<'a>,
}

pub(crate) enum Content<'a> {
    /// White space, or nothing at all.
    Blank {
        is_empty: bool,
    },
    Directive(Name, &'a [u8]),
}

/// The name of a field, as far as this module distinguishes names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    UserAgent,
    Allow,
    Disallow,
    RobotVersion,
    /// `Crawl-delay` or `Request-rate`.
    Rate,
    /// `Sitemap` or `Host`: of the whole site.
    OfSite,
    /// Another field that this crate knows.
    Known,
    Unknown,
}

/// Returns the directives and the blank lines of a body under a dialect.
pub(crate) fn lines<'a>(body: &'a [u8], dialect: &Dialect) -> Vec<Line<'a>> {
    let mut read = whole_lines(body, dialect.line_end());
    if let Some(limit) = dialect.size_limit()
        && body.len() > limit
    {
        match dialect.over_limit() {
            OverLimit::IgnoreFile => return Vec::new(),
            // RFC 9309, 2.5: a parsing limit. A line counts if its line end begins within the limit.
            _ => read.retain(|(start, line)| start + line.len() < limit),
        }
    }
    (1..)
        .zip(read)
        .filter_map(|(number, (_, line))| {
            let content = content(line, number == 1, dialect)?;
            Some(Line { number, content })
        })
        .collect()
}

/// Returns every line without its line end, and the offset of its first byte.
fn whole_lines(body: &[u8], line_end: LineEnd) -> Vec<(usize, &[u8])> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < body.len() {
        let is_crlf = body[at..].starts_with(b"\r\n");
        let length = match body[at] {
            b'\n' => 1,
            b'\r' if line_end == LineEnd::Any && is_crlf => 2,
            b'\r' if line_end == LineEnd::Any => 1,
            _ => 0,
        };
        if length == 0 {
            at += 1;
        } else {
            lines.push((start, &body[start..at]));
            at += length;
            start = at;
        }
    }
    lines.push((start, &body[start..]));
    lines
}

/// Returns the content of a line; `None` for a comment, and for a line without a field name or separator.
fn content<'a>(line: &'a [u8], is_first: bool, dialect: &Dialect) -> Option<Content<'a>> {
    // 1. A byte order mark: the bytes EF BB BF at the start of the body, or the first of them.
    let mark = if is_first {
        let pairs = line.iter().zip([0xEF, 0xBB, 0xBF]);
        pairs.take_while(|(byte, mark)| *byte == mark).count()
    } else {
        0
    };
    let skipped = match dialect.byte_order_mark() {
        ByteOrderMark::Keep => 0,
        ByteOrderMark::Skip if mark < 3 => 0,
        _ => mark,
    };
    let mut text = &line[skipped..];
    // 2. The limit of a line, and a NUL where it ends strings.
    if let Some(limit) = dialect.line_limit() {
        text = &text[..text.len().min(limit)];
    }
    if dialect.nul_byte() == NulByte::EndsText {
        text = before(text, b'\0');
    }
    // 3. A comment begins at the first `#`; white space around the rest has no meaning.
    let has_comment = text.contains(&b'#');
    let is_empty = text.is_empty();
    let text = without_space(before(text, b'#'));
    if text.is_empty() {
        return (!has_comment).then_some(Content::Blank { is_empty });
    }
    // 4. The name ends at the first colon; or, if the dialect accepts it, at white space between exactly
    //    two words.
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let words = || text.split(is_blank).filter(|word| !word.is_empty()).count();
    let colon = text.iter().position(|byte| *byte == b':');
    let separator = match (colon, dialect.separator()) {
        (_, Separator::ColonOrWords) => return by_words(text, colon, dialect),
        (Some(at), _) => at,
        (None, Separator::ColonOrSpace) if words() == 2 => text.iter().position(is_blank)?,
        (None, _) => return None,
    };
    let key = without_space(&text[..separator]);
    let value = without_space(&text[separator + 1..]);
    (!key.is_empty()).then(|| Content::Directive(name(key, dialect), value))
}

/// Returns the content of a line in which white space may separate after a name that the dialect accepts.
fn by_words<'a>(text: &'a [u8], colon: Option<usize>, dialect: &Dialect) -> Option<Content<'a>> {
    let by_colon = colon.map(|at| (without_space(&text[..at]), &text[at + 1..]));
    if let Some((key, value)) = by_colon {
        let found = name(key, dialect);
        let is_separator = value.first().is_none_or(|byte| is_space(*byte));
        if found != Name::Unknown || is_separator && !key.is_empty() {
            return Some(Content::Directive(found, without_space(value)));
        }
        if is_separator {
            return None;
        }
    }
    let end_of_word = |from: usize| {
        let start = (from..text.len()).find(|at| !is_space(text[*at]))?;
        let end = (start..text.len()).find(|at| is_space(text[*at]));
        Some(start..end.unwrap_or(text.len()))
    };
    let first = end_of_word(0)?;
    let second = end_of_word(first.end);
    let two = second.map(|second| {
        let words = [&text[first.clone()], b" ", &text[second.clone()]].concat();
        (words, second.end)
    });
    let one = (text[first.clone()].to_vec(), first.end);
    for (words, end) in std::iter::once(one).chain(two) {
        let found = name(&words, dialect);
        if found != Name::Unknown {
            return Some(Content::Directive(found, without_space(&text[end..])));
        }
    }
    let (key, value) = by_colon?;
    (!key.is_empty()).then(|| Content::Directive(Name::Unknown, without_space(value)))
}

fn before(text: &[u8], end: u8) -> &[u8] {
    text.split(|byte| *byte == end).next().unwrap_or_default()
}

/// Removes white space at both ends, as google/robotstxt does.
pub(crate) fn without_space(mut text: &[u8]) -> &[u8] {
    while text.first().is_some_and(|byte| is_space(*byte)) {
        text = &text[1..];
    }
    while text.last().is_some_and(|byte| is_space(*byte)) {
        text = &text[..text.len() - 1];
    }
    text
}

pub(crate) fn is_space(byte: u8) -> bool {
    [b' ', b'\t', b'\n', 0x0B, 0x0C, b'\r'].contains(&byte)
}

fn name(key: &[u8], dialect: &Dialect) -> Name {
    const OTHERS: [&str; 9] = [
        "visit-time",
        "clean-param",
        "noindex",
        "content-usage",
        "content-signal",
        "license",
        "disallowaitraining",
        "allowaitraining",
        "comment",
    ];
    // Names compare without case (RFC 9309, 2.2). google/robotstxt compares only their starts, and
    // accepts some misspellings (docs/semantics.md, section 2.2).
    let key = key.to_ascii_lowercase();
    let begins = |names: &[&str]| names.iter().any(|name| key.starts_with(name.as_bytes()));
    let has_typos = dialect.field_names() == FieldNames::Typos;
    let is = |name: &str| key == name.as_bytes() || has_typos && protego::is_misspelt(&key, name);
    let is_lenient = dialect.field_names() == FieldNames::PrefixesAndTypos;
    let found = if is("user-agent") {
        Name::UserAgent
    } else if is("allow") {
        Name::Allow
    } else if is("disallow") {
        Name::Disallow
    } else if is("robot-version") {
        Name::RobotVersion
    } else if is("crawl-delay") || is("request-rate") {
        Name::Rate
    } else if is_lenient && begins(&["user-agent", "useragent", "user agent"]) {
        Name::UserAgent
    } else if is_lenient && begins(&["allow"]) {
        Name::Allow
    } else if is_lenient
        && begins(&[
            "disallow",
            "dissallow",
            "dissalow",
            "disalow",
            "diasllow",
            "disallaw",
        ])
    {
        Name::Disallow
    } else if is("sitemap") || is("host") || is_lenient && begins(&["sitemap", "site-map"]) {
        Name::OfSite
    } else if OTHERS.iter().any(|name| is(name)) {
        Name::Known
    } else {
        Name::Unknown
    };
    if found == Name::Allow && dialect.allow_rules() == AllowRules::Ignored {
        Name::Unknown
    } else {
        found
    }
}
