//! Findings that follow from another one in the same line. Only the cause is reported.

use crate::catalogue::FindingKind as Kind;

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
