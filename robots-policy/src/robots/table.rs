//! The meaning of outcomes to each standard and engine, as data: `docs/semantics.md`, section 8.1, column by
//! column.
//!
//! The table leaves out the points on which all agree: status 200 with text is read, and 304 confirms
//! the known state. It also leaves out the size limits, which are up to the dialect. An empty file has
//! rules without groups, which allow everything.

use super::outcome::Outcome;
use std::time::Duration;

/// The number of steps of a failure.
const STEPS: usize = 3;

/// The maximum time, in hours, for which headers can keep a response fresh: 30 days. After that the
/// steps of `docs/semantics.md`, section 8.1, treat a robots.txt as lost.
const MAX_RAISED_HOURS: u32 = 30 * 24;

/// The meaning of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Then {
    /// The body has the rules, whatever the status. A missing body counts as an empty file.
    Rules,
    /// Everything may be fetched.
    AllowAll,
    /// Nothing may be fetched.
    DenyAll,
    /// Nothing may be fetched now; request robots.txt again.
    Defer,
    /// It is a failure: the steps of [`OutcomeTable::failing`] apply.
    Fail,
}

/// The state while requests for a robots.txt fail.
///
/// The last good copy is the last body that was read, of any age. Another outcome, such as 404, removes
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Failing {
    /// Nothing may be fetched.
    DenyAll,
    /// Everything may be fetched.
    AllowAll,
    /// Nothing may be fetched now.
    Defer,
    /// The last good copy; without one, everything may be fetched.
    CachedOrAllowAll,
    /// The last good copy; without one, nothing may be fetched.
    CachedOrDenyAll,
    /// The last good copy; without one, nothing may be fetched now.
    CachedOrDefer,
    /// Everything may be fetched if the rest of the site is available; otherwise nothing may be fetched now.
    AllowAllIfAvailable,
}

/// The effect of the time for which the headers of a response allow it to be kept
/// ([`RobotsResponse::fresh_for`](crate::robots::RobotsResponse::fresh_for)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum MaxAge {
    /// It has no effect.
    Ignored,
    /// It applies if it is shorter than the table's.
    Lowers,
    /// It replaces the table's, up to 30 days or the table's if that is longer.
    Obeyed,
}

/// A step of a failure: the state until a number of hours after the first request that failed.
///
/// ```
/// use robots_policy::robots::{Failing, OutcomeTable, Step};
///
/// // Wait for an hour; then use the last good copy.
/// let for_ever = Step::new(None, Failing::CachedOrDenyAll);
/// let table = OutcomeTable::RFC9309
///     .with_failing([Step::new(Some(1), Failing::Defer), for_ever, for_ever]);
/// # let _ = table;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub struct Step {
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    until_hours: Option<u32>,
    holds: Failing,
}

impl Step {
    /// Returns a step that ends this number of hours after the first failure; `None` never ends.
    pub const fn new(until_hours: Option<u32>, holds: Failing) -> Self {
        Self { until_hours, holds }
    }

    /// Returns the hours from the first failure to the end of the step; `None` never ends.
    pub const fn until_hours(self) -> Option<u32> {
        self.until_hours
    }

    /// Returns the state during the step.
    pub const fn holds(self) -> Failing {
        self.holds
    }

    /// Reports whether the step still lasts this number of seconds after the first failure.
    fn lasts(self, seconds: i64) -> bool {
        self.until_hours
            .is_none_or(|hours| seconds < seconds_in(hours))
    }
}

fn seconds_in(hours: u32) -> i64 {
    i64::from(hours).saturating_mul(3600)
}

/// Writes the struct, with two methods for each column.
macro_rules! columns {
    ($($(#[$doc:meta])* $column:ident $with:ident: $type:ty;)*) => {
        /// The meanings of the outcomes of requests for robots.txt, how long each applies, and the steps
        /// of a failure.
        ///
        /// The constants are the columns of `docs/semantics.md`, section 8.1. A dash in a column means that its
        /// source is silent and RFC 9309 applies. The `with_` methods change a table:
        ///
        /// ```
        /// use robots_policy::robots::{OutcomeTable, Then};
        ///
        /// let table = OutcomeTable::RFC9309.with_unauthorized(Then::DenyAll);
        /// assert_eq!(table.unauthorized(), Then::DenyAll);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(
            feature = "serde",
            serde(rename_all = "kebab-case", default, deny_unknown_fields)
        )]
        pub struct OutcomeTable {
            $($column: $type,)*
            #[cfg_attr(feature = "serde", serde(with = "steps"))]
            failing: [Step; STEPS],
        }

        impl OutcomeTable {
            $(
                $(#[$doc])*
                pub const fn $column(&self) -> $type {
                    self.$column
                }

                #[doc = concat!(
                    "Sets [`", stringify!($column), "`](Self::", stringify!($column), ").",
                )]
                #[must_use]
                pub const fn $with(self, $column: $type) -> Self {
                    Self { $column, ..self }
                }
            )*
        }
    };
}

columns! {
    /// Returns the meaning of a 2xx with HTML or with content that is not text.
    not_text with_not_text: Then;
    /// Returns the meaning of text with a 2xx other than 200.
    other_success with_other_success: Then;
    /// Returns the meaning of too many redirects, or of one without a target.
    redirects with_redirects: Then;
    /// Returns the meaning of 401 and 403.
    unauthorized with_unauthorized: Then;
    /// Returns the meaning of 404 and any other 4xx except 401, 403 and 429.
    client_error with_client_error: Then;
    /// Returns the meaning of 429.
    too_many_requests with_too_many_requests: Then;
    /// Returns the meaning of 5xx.
    server_error with_server_error: Then;
    /// Returns the meaning of a missing response: a failed look-up or connection, a timeout, invalid HTTP.
    unreachable with_unreachable: Then;
    /// Returns the hours for which a response that is not a failure is fresh.
    fresh_hours with_fresh_hours: u32;
    /// Returns the effect of the time that headers allow.
    max_age with_max_age: MaxAge;
}

impl OutcomeTable {
    /// RFC 9309, 2.3.1 and 2.4 (`docs/semantics.md`, sections 1.7, 1.8).
    ///
    /// An unreachable robots.txt forbids everything for 30 days. After "a reasonably long period of
    /// time (for example, 30 days)" the RFC permits to treat robots.txt as unavailable, which allows
    /// everything, or to continue with a copy. This table uses the copy if there is one. A copy is fresh for
    /// 24 hours, and headers can only shorten that.
    pub const RFC9309: Self = Self {
        // "Parse leniently": docs/semantics.md, section 8.1; the RFC says nothing of other types.
        not_text: Then::Rules,
        other_success: Then::Rules,
        // MAY.
        redirects: Then::AllowAll,
        unauthorized: Then::AllowAll,
        client_error: Then::AllowAll,
        // A 4xx.
        too_many_requests: Then::AllowAll,
        server_error: Then::Fail,
        unreachable: Then::Fail,
        fresh_hours: 24,
        max_age: MaxAge::Lowers,
        failing: [
            Step::new(Some(30 * 24), Failing::DenyAll),
            Step::new(None, Failing::CachedOrAllowAll),
            Step::new(None, Failing::CachedOrAllowAll),
        ],
    };

    /// Google (`docs/semantics.md`, section 2.1): 429, 5xx and a missing response are failures. For 12 hours
    /// nothing is fetched. Up to 30 days the last good copy applies; without one, everything may be fetched.
    /// Then it depends on whether the site is available. Headers can lengthen or shorten the 24 hours for
    /// which a copy is fresh.
    pub const GOOGLE: Self = Self {
        too_many_requests: Then::Fail,
        max_age: MaxAge::Obeyed,
        failing: [
            Step::new(Some(12), Failing::Defer),
            Step::new(Some(30 * 24), Failing::CachedOrAllowAll),
            Step::new(None, Failing::AllowAllIfAvailable),
        ],
        ..Self::RFC9309
    };

    /// Bing: RFC 9309, but 429 defers. Bing documents none of it; it is our choice
    /// (`docs/semantics.md`, section 8.1).
    pub const BING: Self = Self {
        // [D]
        too_many_requests: Then::Defer,
        // 5xx and a missing response: "DENY/DEFER". We deny, by the steps of RFC 9309, as Bing's are not
        // known.
        // `redirects`, `not_text`: a dash.
        ..Self::RFC9309
    };

    /// Yandex (`docs/semantics.md`, section 2.5): everything may be fetched unless the response is "200 OK" with
    /// text. [`Dialect::YANDEX`](robots_txt::Dialect::YANDEX) ignores a file over 500 KB.
    pub const YANDEX: Self = Self {
        not_text: Then::AllowAll,
        other_success: Then::AllowAll,
        // [D]: "not 200".
        redirects: Then::AllowAll,
        unauthorized: Then::AllowAll,
        client_error: Then::AllowAll,
        too_many_requests: Then::AllowAll,
        server_error: Then::AllowAll,
        // [S]: "not 200".
        unreachable: Then::AllowAll,
        // Freshness is not documented. No outcome is a failure, so no step applies.
        ..Self::RFC9309
    };

    /// Baidu: RFC 9309. Baidu documents 2xx and 404 alone, both as in the RFC; the rest is a dash
    /// (our choice, `docs/semantics.md`, section 2.6).
    pub const BAIDU: Self = Self::RFC9309;

    /// draft-koster-robots-00 of 1996 (`docs/semantics.md`, section 3.2): 401 and 403 deny everything, and
    /// temporary failures defer visits. Headers set how long a response is fresh; without them it is 7 days.
    pub const KOSTER_1996: Self = Self {
        unauthorized: Then::DenyAll,
        // [D]: a "temporary failure"; there was no such status then.
        too_many_requests: Then::Defer,
        server_error: Then::Defer,
        unreachable: Then::Defer,
        fresh_hours: 7 * 24,
        max_age: MaxAge::Obeyed,
        // `redirects`, `not_text`: a dash. No outcome is a failure.
        ..Self::RFC9309
    };

    /// `WWW::RobotRules` and the standard of 1994 (`docs/semantics.md`, section 3.4): 404 allows everything,
    /// and a response is fresh for 365 days unless its headers differ. The rest is a dash.
    pub const WWW_ROBOT_RULES: Self = Self {
        fresh_hours: 365 * 24,
        // [D]: the 365 days are a default, so headers take precedence.
        max_age: MaxAge::Obeyed,
        ..Self::RFC9309
    };

    /// Apache Nutch (`docs/semantics.md`, section 8.1): 429 and 5xx defer visits, and a missing response means empty rules.
    pub const NUTCH: Self = Self {
        // [M]: 403 depends on its configuration, which allows by default.
        unauthorized: Then::AllowAll,
        too_many_requests: Then::Defer,
        server_error: Then::Defer,
        unreachable: Then::AllowAll,
        // `redirects`: a question mark, treated as a dash. `not_text`, freshness: a dash. No outcome is
        // a failure.
        ..Self::RFC9309
    };

    /// Returns the steps of a failure, in order. Their hours count from the first request that failed; the last
    /// step never ends.
    pub const fn failing(&self) -> &[Step; STEPS] {
        &self.failing
    }

    /// Sets the steps of a failure. For fewer steps, repeat the last one.
    #[must_use]
    pub const fn with_failing(self, failing: [Step; STEPS]) -> Self {
        Self { failing, ..self }
    }

    /// Returns the meaning of an outcome; `None` if it has none by itself.
    pub(super) fn then(&self, outcome: Outcome) -> Option<Then> {
        match outcome {
            Outcome::Success => Some(Then::Rules),
            Outcome::OtherSuccess => Some(self.other_success),
            Outcome::NotText => Some(self.not_text),
            Outcome::TooManyRedirects => Some(self.redirects),
            Outcome::Unauthorized => Some(self.unauthorized),
            Outcome::ClientError => Some(self.client_error),
            Outcome::TooManyRequests => Some(self.too_many_requests),
            Outcome::ServerError => Some(self.server_error),
            Outcome::Unreachable => Some(self.unreachable),
            Outcome::NoBody | Outcome::NotModified | Outcome::NotFetched => None,
        }
    }

    /// Returns the state this number of seconds after the first failure.
    pub(super) fn failing_after(&self, seconds: i64) -> Failing {
        let [first, second, last] = self.failing;
        [first, second]
            .into_iter()
            .find(|step| step.lasts(seconds))
            .unwrap_or(last)
            .holds
    }

    /// Returns the seconds for which a response is fresh if its headers allow this time.
    pub(super) fn fresh_seconds(&self, allowed: Option<Duration>) -> i64 {
        let own = seconds_in(self.fresh_hours);
        let Some(allowed) = allowed else {
            return own;
        };
        let allowed = i64::try_from(allowed.as_secs()).unwrap_or(i64::MAX);
        match self.max_age {
            MaxAge::Ignored => own,
            MaxAge::Lowers => allowed.min(own),
            MaxAge::Obeyed => allowed.min(own.max(seconds_in(MAX_RAISED_HOURS))),
        }
    }
}

impl Default for OutcomeTable {
    /// Returns [`OutcomeTable::RFC9309`].
    fn default() -> Self {
        Self::RFC9309
    }
}

/// The serialised form of steps, which ends with the first that never ends. One to three are read.
#[cfg(feature = "serde")]
mod steps {
    use super::{STEPS, Step};
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        steps: &[Step; STEPS],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let endless = steps.iter().position(|step| step.until_hours.is_none());
        let count = endless.map_or(STEPS, |endless| endless.saturating_add(1));
        serializer.collect_seq(steps.iter().take(count))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[Step; STEPS], D::Error> {
        let steps = Vec::<Step>::deserialize(deserializer)?;
        match steps.last() {
            Some(last) if steps.len() <= STEPS => {
                let mut all = [Step::new(None, last.holds); STEPS];
                for (place, step) in all.iter_mut().zip(&steps) {
                    *place = *step;
                }
                Ok(all)
            }
            _ => Err(D::Error::invalid_length(steps.len(), &"one to three steps")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::{History, RobotsFetch, RobotsResponse, State};
    use robots_meta::Timestamp;

    const COLUMNS: [(&str, OutcomeTable); 8] = [
        ("rfc9309", OutcomeTable::RFC9309),
        ("google", OutcomeTable::GOOGLE),
        ("bing", OutcomeTable::BING),
        ("yandex", OutcomeTable::YANDEX),
        ("baidu", OutcomeTable::BAIDU),
        ("koster96", OutcomeTable::KOSTER_1996),
        ("robotrules", OutcomeTable::WWW_ROBOT_RULES),
        ("nutch", OutcomeTable::NUTCH),
    ];

    /// A row of `docs/semantics.md`, section 8.1: a cell for each of the columns. A cell is what holds at once, and
    /// after 31 days of no other answer if that is not the same, and what there is to say of it.
    struct Row {
        name: &'static str,
        fetches: &'static [RobotsFetch<'static>],
        cells: [(&'static str, &'static str); 8],
    }

    const DASH: &str = "a dash: as rfc9309";
    const AS_RFC: &str = "[D]: as rfc9309";
    const SAID: &str = "said";

    const BODY: &[u8] = b"User-agent: *\nDisallow: /";
    static LONG_BODY: [u8; 512_001] = [b'#'; 512_001];

    const fn response(status: u16, content_type: &'static str) -> RobotsFetch<'static> {
        RobotsFetch::Response(RobotsResponse::new(status, BODY).with_content_type(content_type))
    }

    const ROWS: &[Row] = &[
        Row {
            name: "success 2xx: 200",
            fetches: &[
                RobotsFetch::Body(BODY),
                response(200, "text/plain"),
                response(200, ""),
            ],
            cells: [
                ("rules", SAID),
                ("rules", SAID),
                ("rules", AS_RFC),
                ("rules", "said, of 200 and text"),
                ("rules", "[D]"),
                ("rules", SAID),
                ("rules", SAID),
                ("rules", SAID),
            ],
        },
        Row {
            name: "success 2xx: others",
            fetches: &[RobotsFetch::Status(204), response(203, "text/plain")],
            cells: [
                ("rules", SAID),
                ("rules", SAID),
                ("rules", AS_RFC),
                ("allow all", "said: 200 only"),
                ("rules", "[D]"),
                ("rules", SAID),
                ("rules", SAID),
                ("rules", SAID),
            ],
        },
        Row {
            name: "redirects, at most five, resolved",
            fetches: &[RobotsFetch::Body(BODY)],
            cells: [
                ("rules", "said; the origin is the caller's to keep"),
                ("rules", "said: same"),
                ("rules", AS_RFC),
                ("rules", SAID),
                ("rules", DASH),
                ("rules", SAID),
                ("rules", SAID),
                ("rules", SAID),
            ],
        },
        Row {
            name: "more than five redirects, or a loop",
            fetches: &[
                RobotsFetch::TooManyRedirects,
                RobotsFetch::Status(301),
                RobotsFetch::Status(300),
                RobotsFetch::Status(399),
            ],
            cells: [
                ("allow all", "said: MAY"),
                ("allow all", "said: as 404"),
                ("allow all", DASH),
                ("allow all", "[D]: not 200"),
                ("allow all", DASH),
                ("allow all", DASH),
                ("allow all", DASH),
                ("allow all", "?: the outcome was not checked; as rfc9309"),
            ],
        },
        Row {
            name: "401, 403",
            fetches: &[RobotsFetch::Status(401), RobotsFetch::Status(403)],
            cells: [
                ("allow all", SAID),
                ("allow all", SAID),
                ("allow all", AS_RFC),
                ("allow all", SAID),
                ("allow all", DASH),
                ("deny all", SAID),
                ("allow all", DASH),
                ("allow all", "[M]: configured (403); its default allows"),
            ],
        },
        Row {
            name: "404, 410, other 4xx",
            fetches: &[
                RobotsFetch::Status(404),
                RobotsFetch::Status(410),
                RobotsFetch::Status(400),
                RobotsFetch::Status(451),
                RobotsFetch::Status(499),
                response(404, "text/html"),
            ],
            cells: [
                ("allow all", SAID),
                ("allow all", SAID),
                ("allow all", AS_RFC),
                ("allow all", SAID),
                ("allow all", "[D]"),
                ("allow all", "said of 404"),
                ("allow all", SAID),
                ("allow all", SAID),
            ],
        },
        Row {
            name: "429",
            fetches: &[RobotsFetch::Status(429)],
            cells: [
                ("allow all", "said: a 4xx"),
                ("defer, then allow all", "said: a server error"),
                ("defer", "[D]"),
                ("allow all", SAID),
                ("allow all", DASH),
                ("defer", "[D]: a temporary failure"),
                ("allow all", DASH),
                ("defer", SAID),
            ],
        },
        Row {
            name: "5xx",
            fetches: &[
                RobotsFetch::Status(500),
                RobotsFetch::Status(503),
                RobotsFetch::Status(599),
            ],
            cells: [
                (
                    "deny all, then allow all",
                    "said; with a copy, then the copy",
                ),
                ("defer, then allow all", SAID),
                ("deny all, then allow all", "[D]: of DENY/DEFER, the first"),
                ("allow all", SAID),
                ("deny all, then allow all", DASH),
                ("defer", SAID),
                ("deny all, then allow all", DASH),
                ("defer", SAID),
            ],
        },
        Row {
            name: "network, DNS, timeout, reset",
            fetches: &[
                RobotsFetch::Unreachable,
                RobotsFetch::Status(0),
                RobotsFetch::Status(199),
                RobotsFetch::Status(600),
            ],
            cells: [
                ("deny all, then allow all", "said: as 5xx"),
                ("defer, then allow all", SAID),
                ("deny all, then allow all", "[D]: as 5xx"),
                ("allow all", "[S]: not 200"),
                ("deny all, then allow all", DASH),
                ("defer", SAID),
                ("deny all, then allow all", DASH),
                ("allow all", "said: empty rules"),
            ],
        },
        Row {
            name: "2xx with HTML or no text",
            fetches: &[
                response(200, "text/html; charset=utf-8"),
                response(200, "application/xhtml+xml"),
                response(200, "image/png"),
                response(204, "text/html"),
            ],
            cells: [
                ("rules", "said: parse leniently"),
                ("rules", "said: scan"),
                ("rules", DASH),
                ("allow all", SAID),
                ("rules", DASH),
                ("rules", DASH),
                ("rules", DASH),
                ("rules", DASH),
            ],
        },
        Row {
            name: "empty body",
            fetches: &[RobotsFetch::Body(b"")],
            // Everywhere ALLOW_ALL, which is what rules without groups say.
            cells: [
                ("rules", SAID),
                ("rules", "said: same"),
                ("rules", AS_RFC),
                ("rules", "said: same"),
                ("rules", "[D]: same"),
                ("rules", "said: same"),
                ("rules", "said: same"),
                ("rules", "said: same"),
            ],
        },
        Row {
            name: "over the size limit",
            fetches: &[RobotsFetch::Body(&LONG_BODY)],
            cells: [
                ("rules", "said: what the dialect reads of it"),
                ("rules", "said: what is cut before the dialect"),
                ("rules", DASH),
                ("rules", "said: ALLOW_ALL, by the dialect"),
                ("rules", DASH),
                ("rules", DASH),
                ("rules", DASH),
                ("rules", DASH),
            ],
        },
    ];

    fn word<R>(state: &State<'_, R>) -> &'static str {
        match state {
            State::Rules(_) => "rules",
            State::AllowAll(_) => "allow all",
            State::DenyAll(_) => "deny all",
            State::Defer(_) => "defer",
            State::Unknown(_) => "unknown",
        }
    }

    /// What holds after one outcome, at once and after 31 days on a site that can be had.
    fn told(table: &OutcomeTable, fetch: &RobotsFetch<'_>) -> String {
        let mut history = History::new();
        let begin = Some(Timestamp::from_seconds(0));
        history.record(table, fetch, begin, <[u8]>::len);
        let at = |days: i64| {
            let now = Some(Timestamp::from_seconds(days * 24 * 3600));
            word(&history.state(table, now, Some(true)))
        };
        match (at(0), at(31)) {
            (first, later) if later == first || later == "unknown" => first.to_owned(),
            (first, later) => format!("{first}, then {later}"),
        }
    }

    #[test]
    fn every_cell() {
        for row in ROWS {
            for fetch in row.fetches {
                for ((column, table), (expected, note)) in COLUMNS.iter().zip(&row.cells) {
                    let outcome = fetch.outcome();
                    assert_eq!(
                        told(table, fetch),
                        *expected,
                        "{} under {column} ({note}): {outcome:?}",
                        row.name
                    );
                }
            }
        }
    }

    #[test]
    fn what_says_nothing_is_unknown_everywhere() {
        for (column, table) in COLUMNS {
            for fetch in [RobotsFetch::Status(304), RobotsFetch::NotFetched] {
                assert_eq!(told(&table, &fetch), "unknown", "{column}: {fetch:?}");
            }
        }
    }

    #[test]
    fn every_switch_is_read() {
        let every = |then| {
            OutcomeTable::RFC9309
                .with_not_text(then)
                .with_other_success(then)
                .with_redirects(then)
                .with_unauthorized(then)
                .with_client_error(then)
                .with_too_many_requests(then)
                .with_server_error(then)
                .with_unreachable(then)
        };
        for row in ROWS {
            for fetch in row.fetches {
                let (outcome, _) = fetch.outcome();
                let is_fixed = outcome == Outcome::Success;
                for (then, expected) in [
                    (Then::Rules, "rules"),
                    (Then::AllowAll, "allow all"),
                    (Then::DenyAll, "deny all"),
                    (Then::Defer, "defer"),
                    (Then::Fail, "deny all, then allow all"),
                ] {
                    let expected = if is_fixed { "rules" } else { expected };
                    assert_eq!(told(&every(then), fetch), expected, "{outcome:?}");
                }
            }
        }
    }

    #[test]
    fn steps_follow_one_another() {
        let table = OutcomeTable::RFC9309.with_failing([
            Step::new(Some(1), Failing::Defer),
            Step::new(Some(2), Failing::DenyAll),
            Step::new(Some(3), Failing::AllowAll),
        ]);
        for (seconds, expected) in [
            (0, Failing::Defer),
            (3599, Failing::Defer),
            (3600, Failing::DenyAll),
            (7199, Failing::DenyAll),
            (7200, Failing::AllowAll),
            // The last one never ends.
            (3 * 3600, Failing::AllowAll),
            (i64::MAX, Failing::AllowAll),
        ] {
            assert_eq!(table.failing_after(seconds), expected, "{seconds}");
        }
        let [first, ..] = *table.failing();
        assert_eq!(
            (first.until_hours(), first.holds()),
            (Some(1), Failing::Defer)
        );
    }

    #[test]
    fn steps_that_never_end_or_never_come() {
        let table = OutcomeTable::RFC9309.with_failing([
            Step::new(Some(u32::MAX), Failing::Defer),
            Step::new(Some(0), Failing::DenyAll),
            Step::new(None, Failing::AllowAll),
        ]);
        let end = i64::from(u32::MAX) * 3600;
        assert_eq!(table.failing_after(end - 1), Failing::Defer);
        assert_eq!(table.failing_after(end), Failing::AllowAll);
    }

    #[test]
    fn headers_and_freshness() {
        let day = 24 * 3600;
        let fresh =
            |table: OutcomeTable, allowed| table.fresh_seconds(Some(Duration::from_secs(allowed)));
        let ignoring = OutcomeTable::RFC9309.with_max_age(MaxAge::Ignored);
        for (allowed, lowered, obeyed) in [
            (0, 0, 0),
            (1, 1, 1),
            (24 * 3600 - 1, day - 1, day - 1),
            (24 * 3600 + 1, day, day + 1),
            (30 * 24 * 3600 - 1, day, 30 * day - 1),
            (30 * 24 * 3600, day, 30 * day),
            (30 * 24 * 3600 + 1, day, 30 * day),
            (u64::MAX, day, 30 * day),
        ] {
            assert_eq!(fresh(ignoring, allowed), day, "{allowed}");
            assert_eq!(fresh(OutcomeTable::RFC9309, allowed), lowered, "{allowed}");
            assert_eq!(fresh(OutcomeTable::GOOGLE, allowed), obeyed, "{allowed}");
        }
        // What is fresh for longer by itself is not cut to 30 days.
        let perl = OutcomeTable::WWW_ROBOT_RULES;
        assert_eq!(fresh(perl, 60 * 24 * 3600), 60 * day);
        assert_eq!(fresh(perl, u64::MAX), 365 * day);
        for (column, table) in COLUMNS {
            let own = i64::from(table.fresh_hours()) * 3600;
            assert_eq!(table.fresh_seconds(None), own, "{column}");
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn tables_are_written_and_read() {
        for (column, table) in COLUMNS {
            let text = serde_json::to_string(&table).unwrap();
            let read: OutcomeTable = serde_json::from_str(&text).unwrap();
            assert_eq!(read, table, "{column}: {text}");
        }
        let google = r#"{
            "too-many-requests": "fail",
            "max-age": "obeyed",
            "failing": [
                {"until-hours": 12, "holds": "defer"},
                {"until-hours": 720, "holds": "cached-or-allow-all"},
                {"holds": "allow-all-if-available"}
            ]
        }"#;
        let read: OutcomeTable = serde_json::from_str(google).unwrap();
        assert_eq!(read, OutcomeTable::GOOGLE);
        let read: OutcomeTable = serde_json::from_str("{}").unwrap();
        assert_eq!(read, OutcomeTable::RFC9309);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn one_to_three_steps_are_read() {
        let read = |count| {
            let steps = vec![r#"{"until-hours": 1, "holds": "defer"}"#; count].join(",");
            serde_json::from_str::<OutcomeTable>(&format!(r#"{{"failing": [{steps}]}}"#))
        };
        let step = Step::new(Some(1), Failing::Defer);
        let rest = Step::new(None, Failing::Defer);
        assert!(read(0).is_err());
        assert_eq!(*read(1).unwrap().failing(), [step, rest, rest]);
        assert_eq!(*read(2).unwrap().failing(), [step, step, rest]);
        assert_eq!(*read(3).unwrap().failing(), [step; 3]);
        assert!(read(4).is_err());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn what_is_misspelt_is_refused() {
        for text in [
            r#"{"client_error": "allow-all"}"#,
            r#"{"client-error": "AllowAll"}"#,
            r#"{"fresh-hours": -1}"#,
            r#"{"failing": [{"hold": "defer"}]}"#,
            r#"{"failing": [{"holds": "defer", "until": 1}]}"#,
        ] {
            assert!(
                serde_json::from_str::<OutcomeTable>(text).is_err(),
                "{text}"
            );
        }
    }
}
