//! The names of dialects in cases.

use robots_txt::Dialect;
use robots_txt::dialect::{AgentList, AgentMatch, ByteOrderMark, Encoding, FieldNames};
use robots_txt::limits::RFC9309_SIZE_LIMIT;

/// Returns the dialect of a name such as `rfc9309+commas`.
#[must_use]
pub fn dialect(name: &str) -> Option<Dialect> {
    let mut parts = name.split('+');
    let dialect = Dialect::by_name(parts.next()?)?;
    parts.try_fold(dialect, |dialect, name| {
        let (_, set) = SWITCHES.iter().find(|(switch, _)| *switch == name)?;
        Some(set(dialect))
    })
}

/// Returns the names of the switches that may follow a dialect's name.
pub fn switches() -> impl Iterator<Item = &'static str> {
    SWITCHES.into_iter().map(|(name, _)| name)
}

/// A switch: its name, and the change of the dialect.
type Switch = (&'static str, fn(Dialect) -> Dialect);

/// The switches that may follow a dialect's name.
pub(crate) const SWITCHES: [Switch; 6] = [
    ("commas", |dialect| {
        dialect.with_agent_list(AgentList::Commas)
    }),
    ("rfc-tokens", |dialect| {
        dialect.with_agent_match(AgentMatch::RfcToken)
    }),
    ("rfc-table", |dialect| {
        dialect.with_encoding(Encoding::RfcTable)
    }),
    ("keep-bom", |dialect| {
        dialect.with_byte_order_mark(ByteOrderMark::Keep)
    }),
    ("typos", |dialect| {
        dialect.with_field_names(FieldNames::PrefixesAndTypos)
    }),
    ("500kib", |dialect| {
        dialect.with_size_limit(Some(RFC9309_SIZE_LIMIT))
    }),
];
