//! The causes of findings. Of findings that follow from another one in the same line, only the cause is reported. Findings that share a
//! cause elsewhere are one for people.

use super::finding::Finding;
use crate::catalogue::FindingKind as Kind;
use std::collections::HashMap;

/// Findings with one cause.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedCause<'f> {
    /// The first finding.
    pub first: &'f Finding,
    /// The others, which have the same kind and message.
    pub others: Vec<&'f Finding>,
}

/// Joins findings that share their cause, such as those on each robot that does not obey the rules of `*`: in the order of the first
/// finding of each. Linear.
pub fn by_cause<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Vec<SharedCause<'f>> {
    let mut indexes = HashMap::new();
    let mut causes: Vec<SharedCause<'f>> = Vec::new();
    for finding in findings {
        let next = causes.len();
        let index = match finding.cause() {
            Some(line) => *indexes
                .entry((finding.kind(), finding.detail(), line))
                .or_insert(next),
            None => next,
        };
        match causes.get_mut(index) {
            Some(cause) => cause.others.push(finding),
            None => causes.push(SharedCause {
                first: finding,
                others: Vec::new(),
            }),
        }
    }
    causes
}

/// The kinds that cause others.
pub(super) const CAUSES: [Kind; 7] = [
    Kind::MissingLineBreak,
    Kind::UnreachableSitemap,
    Kind::InvisibleCharacter,
    Kind::JoinedStar,
    Kind::RegularExpression,
    Kind::SeveralValues,
    Kind::NotUtf8,
];

/// Returns whether a finding follows from a cause in its line.
pub(super) fn follows(kind: Kind, cause: Kind) -> bool {
    match cause {
        // No part of the line is what it seems. Findings on the whole file are in its first line.
        Kind::MissingLineBreak => kind >= Kind::Junk || kind == Kind::LongLine,
        Kind::UnreachableSitemap => kind == Kind::RelativeSitemap,
        Kind::InvisibleCharacter => matches!(
            kind,
            Kind::NotAToken
                | Kind::NoSlash
                | Kind::SpaceInPath
                | Kind::NonAscii
                | Kind::RelativeSitemap
                | Kind::BadDelay
                | Kind::UnreadableValue
                | Kind::BadUsage
                | Kind::UnknownSignal
        ),
        // The rule that closes the site is meant for the named robot.
        Kind::JoinedStar => kind == Kind::ClosedSite,
        Kind::RegularExpression => matches!(
            kind,
            Kind::NoSlash
                | Kind::SpaceInPath
                | Kind::NonAscii
                | Kind::TrailingStar
                | Kind::InnerDollar
                | Kind::BadEscape
                | Kind::SeveralValues
        ),
        Kind::SeveralValues => matches!(
            kind,
            Kind::SpaceInPath | Kind::TrailingStar | Kind::InnerDollar | Kind::RelativeSitemap
        ),
        Kind::NotUtf8 => kind == Kind::NonAscii,
        _ => false,
    }
}
