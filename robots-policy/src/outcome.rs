//! What came of asking for robots.txt, and what that means (SEMANTICS 8.1).
//!
//! "Unknown" is a value: a robots.txt that nobody asked for is not one that allows everything.

use robots_txt::Rules;
use std::fmt;

/// What came of a request for /robots.txt, redirects followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotsFetch<'a> {
    /// A status of 200 to 299, with this body.
    Body(&'a [u8]),
    /// Any other status.
    Status(u16),
    /// More redirects than the robot follows (at least five: RFC 9309, 2.3.1.2), or a redirect to
    /// nowhere.
    TooManyRedirects,
    /// No answer: the name did not resolve, the connection failed or broke, time ran out.
    Unreachable,
    /// No request was made.
    NotFetched,
}

/// Why the state of a robots.txt is what it is, where no rules are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cause {
    /// The request was answered with this status.
    Status(u16),
    /// Too many redirects, or one to nowhere.
    TooManyRedirects,
    /// No answer.
    Unreachable,
    /// No request was made, or nothing is known of one.
    NotFetched,
    /// The page's URL has no origin, so it has no robots.txt.
    NoOrigin,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "robots.txt was answered with status {status}"),
            Self::TooManyRedirects => f.write_str("robots.txt redirects without end"),
            Self::Unreachable => f.write_str("robots.txt cannot be reached"),
            Self::NotFetched => f.write_str("robots.txt is not known"),
            Self::NoOrigin => f.write_str("the URL has no origin"),
        }
    }
}

/// What is known of an origin's robots.txt, for one robot.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Robots {
    /// There are rules.
    Rules(Rules),
    /// Everything may be fetched.
    AllowAll(Cause),
    /// Nothing may be fetched.
    DenyAll(Cause),
    /// Nothing may be fetched now; the answer will come later.
    Defer(Cause),
    /// Nothing is known.
    Unknown(Cause),
}

impl Robots {
    /// What RFC 9309, 2.3.1 (SEMANTICS 1.7) makes of a request; `rules` compiles a body.
    ///
    /// 2xx: the rules. 4xx, 429 among them, and endless redirects: everything is allowed. 5xx and
    /// no answer: nothing is. A redirect that leads nowhere counts as endless, a status that HTTP does
    /// not have as no answer, and 304 tells nothing by itself (decided here; the RFC is silent).
    pub(crate) fn rfc9309(fetch: RobotsFetch<'_>, rules: impl FnOnce(&[u8]) -> Rules) -> Self {
        match fetch {
            RobotsFetch::Body(body) => Self::Rules(rules(body)),
            RobotsFetch::Status(status) => {
                let cause = Cause::Status(status);
                match status {
                    // A 2xx without a body at hand is an empty file.
                    200..=299 => Self::Rules(rules(b"")),
                    304 => Self::Unknown(cause),
                    300..=499 => Self::AllowAll(cause),
                    _ => Self::DenyAll(cause),
                }
            }
            RobotsFetch::TooManyRedirects => Self::AllowAll(Cause::TooManyRedirects),
            RobotsFetch::Unreachable => Self::DenyAll(Cause::Unreachable),
            RobotsFetch::NotFetched => Self::Unknown(Cause::NotFetched),
        }
    }

    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_txt::{Dialect, RobotsTxt};

    #[test]
    fn the_table_of_rfc_9309() {
        let state = |fetch| {
            let robots = Robots::rfc9309(fetch, |body| {
                RobotsTxt::parse(body).rules("a", &Dialect::RFC9309)
            });
            match robots {
                Robots::Rules(_) => "rules",
                Robots::AllowAll(_) => "allow all",
                Robots::DenyAll(_) => "deny all",
                Robots::Defer(_) => "defer",
                Robots::Unknown(_) => "unknown",
            }
        };
        assert_eq!(state(RobotsFetch::Body(b"")), "rules");
        for status in [200, 204, 299] {
            assert_eq!(state(RobotsFetch::Status(status)), "rules", "{status}");
        }
        for status in [301, 400, 401, 403, 404, 410, 429, 451, 499] {
            assert_eq!(state(RobotsFetch::Status(status)), "allow all", "{status}");
        }
        for status in [500, 503, 599, 0, 100, 600, u16::MAX] {
            assert_eq!(state(RobotsFetch::Status(status)), "deny all", "{status}");
        }
        assert_eq!(state(RobotsFetch::Status(304)), "unknown");
        assert_eq!(state(RobotsFetch::TooManyRedirects), "allow all");
        assert_eq!(state(RobotsFetch::Unreachable), "deny all");
        assert_eq!(state(RobotsFetch::NotFetched), "unknown");
    }
}
