//! The names of character references.
//!
//! The table is a text that is searched as it is: 30 KB, without pointers. html5ever's table also has each prefix of a name,
//! and a pointer for each entry, which is relocated when a program starts: half a megabyte of a shared library.

use std::cmp::Ordering;

/// The table (HTML standard, 13.5, read 2026-11-24): in each line a name, with its semicolon unless it is also valid without
/// one, a space, and its one or two characters in hexadecimal. Lines are sorted.
///
/// `UPDATE=1 cargo test -p robots-meta named_references` writes it.
const TABLE: &str = include_str!("named_references.txt");

/// For each byte of ASCII, the offset of the first line that begins with it or a later byte; then the end.
static STARTS: [usize; 129] = starts();

#[allow(clippy::indexing_slicing, reason = "the compiler evaluates it")]
const fn starts() -> [usize; 129] {
    let table = TABLE.as_bytes();
    let mut starts = [table.len(); 129];
    let mut at = table.len();
    while at > 0 {
        at -= 1;
        if at == 0 || table[at - 1] == b'\n' {
            starts[table[at] as usize] = at;
        }
    }
    let mut byte = 128;
    while byte > 0 {
        byte -= 1;
        if starts[byte] == table.len() {
            starts[byte] = starts[byte + 1];
        }
    }
    starts
}

/// Returns the one or two characters of a name, given without its ampersand.
pub(super) fn characters_of(name: &str) -> Option<impl Iterator<Item = char>> {
    let first = usize::from(*name.as_bytes().first()?);
    let (start, end) = (STARTS.get(first)?, STARTS.get(first.saturating_add(1))?);
    let mut lines = TABLE.get(*start..*end)?;
    while !lines.is_empty() {
        let (half, _) = lines.split_at_checked(lines.len() / 2)?;
        let start = half.rfind('\n').map_or(0, |at| at.saturating_add(1));
        let (before, rest) = lines.split_at_checked(start)?;
        let (line, after) = rest.split_once('\n')?;
        let (found, characters) = line.split_once(' ')?;
        lines = match name.cmp(found) {
            Ordering::Less => before,
            Ordering::Greater => after,
            Ordering::Equal => return Some(characters.split(' ').filter_map(character)),
        };
    }
    None
}

/// Returns the character of a hexadecimal number.
fn character(number: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(number, 16).ok()?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use html5ever::data::NAMED_ENTITIES;
    use std::fmt::Write;

    #[test]
    fn the_table_is_that_of_html5ever() {
        let mut lines: Vec<String> = Vec::new();
        for (name, &(first, second)) in NAMED_ENTITIES.entries() {
            // There, the characters of a prefix are NUL, and so is the second of a name with one.
            if first == 0 {
                continue;
            }
            let mut line = format!("{name} {first:X}");
            if second != 0 {
                write!(line, " {second:X}").unwrap();
            }
            lines.push(line + "\n");
        }
        lines.sort_unstable();
        let expected = lines.concat();
        if std::env::var_os("UPDATE").is_some() {
            let file = concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/src/head/text/named_references.txt"
            );
            std::fs::write(file, &expected).unwrap();
        }
        assert!(expected == TABLE, "UPDATE=1 writes the table");
    }

    #[test]
    fn every_name_is_found_and_no_other() {
        for (name, &(first, second)) in NAMED_ENTITIES.entries() {
            let found: Option<Vec<u32>> =
                characters_of(name).map(|all| all.map(u32::from).collect());
            let expected = match (first, second) {
                (0, _) => None,
                (first, 0) => Some(vec![first]),
                (first, second) => Some(vec![first, second]),
            };
            assert_eq!(found, expected, "{name}");
            for other in [
                format!("{name};"),
                format!("{name}z"),
                format!("0{name}"),
                format!("\u{7f}{name}"),
            ] {
                if !NAMED_ENTITIES.contains_key(other.as_str()) {
                    assert!(characters_of(&other).is_none(), "{other}");
                }
            }
        }
        for other in [
            "", " ", "\n", "amp ", "amp; 26", "\u{7f}", "\u{e9}", "A", "zz",
        ] {
            assert!(characters_of(other).is_none(), "{other:?}");
        }
    }
}
