//! Groups, names and forms as in Python's urllib.robotparser (docs/semantics.md, section 3.5).

use crate::form::{Part, escape, is_unreserved, parts};
use crate::line::{Content, Line, Name, without_space as without_ascii_space};
use crate::{Group, agent};
use robots_txt::Dialect;

/// Returns the groups that have an effect.
pub(crate) fn groups<'a>(lines: Vec<Line<'a>>, dialect: &Dialect) -> Vec<Group<'a>> {
    let mut groups = Vec::new();
    // The group of the current line, if there is one, and whether it has an effect.
    let mut current: Option<Group<'a>> = None;
    let mut has_effect = false;
    for line in lines {
        let (name, value) = match line.content {
            Content::Blank { is_empty: false } => continue,
            // 1. An empty line ends the group. Without an effect, the group counts for nothing.
            Content::Blank { is_empty: true } => {
                groups.extend(current.take().filter(|_| has_effect));
                has_effect = false;
                continue;
            }
            Content::Directive(name, value) => (name, value),
        };
        // 2. A `User-agent` line begins a group if the last one has an effect.
        if name == Name::UserAgent {
            if has_effect {
                groups.extend(current.take());
                has_effect = false;
            }
            current.get_or_insert_default().agents.push(value);
            continue;
        }
        let Some(group) = &mut current else { continue };
        // 3. Rules and rates are effects, whatever their values are.
        has_effect |= matches!(name, Name::Allow | Name::Disallow | Name::Rate);
        group.add(name, line.number, value);
    }
    groups.extend(current.filter(|_| has_effect));
    // 4. A group that names `*` is a default group alone.
    for group in &mut groups {
        if group
            .agents
            .iter()
            .any(|value| agent::has_star(value, dialect))
        {
            group.agents.retain(|value| agent::has_star(value, dialect));
        }
    }
    groups
}

/// Returns the name in a `User-agent` line.
pub(crate) fn name_of_line(value: &[u8]) -> String {
    String::from_utf8_lossy(&unquoted(&without_space(value))).into_owned()
}

/// Returns a value without white space of Unicode, and without the separators of ASCII, at both ends.
pub(crate) fn without_space(value: &[u8]) -> Vec<u8> {
    let is_space =
        |character: char| character.is_whitespace() || (28..=31).contains(&u32::from(character));
    match std::str::from_utf8(value) {
        Ok(text) => text.trim_matches(is_space).as_bytes().to_vec(),
        Err(_) => without_ascii_space(value).to_vec(),
    }
}

/// Returns a text with its escapes decoded. Octets that are not UTF-8 become U+FFFD; a character beyond ASCII
/// stays, and separates the octets before it from those after it.
fn unquoted(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::new();
    let mut octets = Vec::new();
    for part in parts(text) {
        match part {
            Part::Byte(byte) if !byte.is_ascii() => {
                decoded.extend(String::from_utf8_lossy(&octets).bytes());
                octets.clear();
                decoded.push(byte);
            }
            Part::Byte(octet) | Part::Escape(octet, _) => octets.push(octet),
        }
    }
    decoded.extend(String::from_utf8_lossy(&octets).bytes());
    decoded
}

/// Returns a text with all bytes encoded but letters, digits, `-._~` and `/`.
fn quoted(text: &[u8]) -> Vec<u8> {
    let bytes = text.iter().map(|&byte| {
        if is_unreserved(byte) || byte == b'/' {
            vec![byte]
        } else {
            escape(byte)
        }
    });
    bytes.flatten().collect()
}

/// Returns the form of a pattern.
pub(crate) fn pattern(text: &[u8]) -> Vec<u8> {
    let mut text = unquoted(&without_space(text));
    while text.first().is_some_and(|first| *first <= b' ') {
        text.remove(0);
    }
    text.retain(|byte| !b"\t\r\n".contains(byte));
    // An authority is not a part of the path; an empty one is left out with its slashes.
    let mut authority = Vec::new();
    if text.starts_with(b"//") {
        let end = (2..text.len()).find(|at| b"/?#".contains(&text[*at]));
        let rest = text.split_off(end.unwrap_or(text.len()));
        if text.len() > 2 {
            authority = text;
        }
        text = rest;
    }
    quoted(&[authority, without_empty_parts(&text)].concat())
}

/// Returns the form of path and query of a URL.
pub(crate) fn path(text: &[u8]) -> Vec<u8> {
    let mut text = unquoted(text);
    text.retain(|byte| !b"\t\r\n".contains(byte));
    quoted(&without_empty_parts(&text))
}

/// Leaves out a `#`, `?` or `;` with nothing after it in its part of the URL.
fn without_empty_parts(text: &[u8]) -> Vec<u8> {
    let split = |text: &[u8], mark: u8, from: usize| {
        let at = (from..text.len()).find(|at| text[*at] == mark);
        let (start, part) = text.split_at(at.unwrap_or(text.len()));
        let part = if part.len() == 1 { &[] } else { part };
        (start.to_vec(), part.to_vec())
    };
    let (text, fragment) = split(text, b'#', 0);
    let (path, query) = split(&text, b'?', 0);
    // Parameters belong to the last segment of a path.
    let segment = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    let (path, parameters) = split(&path, b';', segment);
    [path, parameters, query, fragment].concat()
}
