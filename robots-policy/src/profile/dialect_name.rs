//! The names of dialects.

use crate::text::UnknownName;
use robots_txt::Dialect;
use robots_txt::dialect::{AgentList, AgentMatch, ByteOrderMark, Encoding, FieldNames};
use robots_txt::limits::RFC9309_SIZE_LIMIT;

/// Returns the dialect of a name.
///
/// # Errors
///
/// If no dialect has the name.
///
/// ```
/// use robots_policy::profile::dialect_of_name;
/// use robots_txt::Dialect;
///
/// assert_eq!(dialect_of_name("google"), Ok(Dialect::GOOGLE));
/// let unknown = dialect_of_name("gogle").unwrap_err();
/// assert_eq!(unknown.to_string(), "unknown dialect \"gogle\"; did you mean \"google\"?");
/// ```
pub fn dialect_of_name(name: &str) -> Result<Dialect, UnknownName> {
    let names = Dialect::ALL.iter().map(Dialect::name);
    Dialect::by_name(name).ok_or_else(|| UnknownName::new("dialect", name, names))
}

/// Returns the dialect of a name that switches may follow, such as `rfc9309+commas`.
///
/// # Errors
///
/// If the dialect or a [switch](dialect_switches) is unknown.
pub fn dialect_with_switches(name: &str) -> Result<Dialect, UnknownName> {
    let (base, switches) = name
        .split_once('+')
        .map_or((name, None), |(base, rest)| (base, Some(rest.split('+'))));
    let mut switches = switches.into_iter().flatten();
    switches.try_fold(dialect_of_name(base)?, |dialect, part| {
        let known = SWITCHES.iter().find(|switch| switch.name == part);
        let names = SWITCHES.iter().map(|switch| switch.name);
        let switch = known.ok_or_else(|| UnknownName::new("switch", part, names))?;
        Ok((switch.set)(dialect))
    })
}

/// Returns the switches that may follow the name of a dialect: the name of each, and its effect.
pub fn dialect_switches() -> impl Iterator<Item = (&'static str, &'static str)> {
    SWITCHES.iter().map(|switch| (switch.name, switch.effect))
}

/// A switch of a dialect.
struct Switch {
    name: &'static str,
    /// Its effect on the reading of robots.txt, for people.
    effect: &'static str,
    set: fn(Dialect) -> Dialect,
}

/// The switches that may follow a dialect's name.
const SWITCHES: [Switch; 6] = [
    Switch {
        name: "commas",
        effect: "split a User-agent line into names at commas",
        set: |dialect| dialect.with_agent_list(AgentList::Commas),
    },
    Switch {
        name: "rfc-tokens",
        effect: "compare only the leading letters, - and _ of names",
        set: |dialect| dialect.with_agent_match(AgentMatch::RfcToken),
    },
    Switch {
        name: "rfc-table",
        effect: "encode characters as in the table of RFC 9309",
        set: |dialect| dialect.with_encoding(Encoding::RfcTable),
    },
    Switch {
        name: "keep-bom",
        effect: "read a byte order mark as a part of the first line",
        set: |dialect| dialect.with_byte_order_mark(ByteOrderMark::Keep),
    },
    Switch {
        name: "typos",
        effect: "accept misspelt field names",
        set: |dialect| dialect.with_field_names(FieldNames::PrefixesAndTypos),
    },
    Switch {
        name: "500kib",
        effect: "ignore bytes past the first 500 KiB",
        set: |dialect| dialect.with_size_limit(Some(RFC9309_SIZE_LIMIT)),
    },
];

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_has_the_nearest_known_one_or_all() {
        assert_eq!(dialect_with_switches("rfc9309").unwrap(), Dialect::RFC9309);
        let both = dialect_with_switches("Google+typos+500kib").unwrap();
        assert_ne!(both, Dialect::GOOGLE);
        let message = |name: &str| dialect_with_switches(name).unwrap_err().to_string();
        let switches = ": expected one of commas, rfc-tokens, rfc-table, keep-bom, typos, 500kib";
        for (name, part, suggestion) in [
            ("rfc9309+comma", "comma", "; did you mean \"commas\"?"),
            ("google+typo+commas", "typo", "; did you mean \"typos\"?"),
            (
                "google+commas+KEEP-BOMB",
                "KEEP-BOMB",
                "; did you mean \"keep-bom\"?",
            ),
            ("rfc9309+semicolons", "semicolons", switches),
            ("rfc9309+", "", switches),
        ] {
            assert_eq!(
                message(name),
                format!("unknown switch {part:?}{suggestion}")
            );
        }
        let unknown = message("gogle+nonsense");
        assert_eq!(
            unknown,
            "unknown dialect \"gogle\"; did you mean \"google\"?"
        );
        assert!(message("").starts_with("unknown dialect \"\": expected one of rfc9309, google, "));
    }
}
