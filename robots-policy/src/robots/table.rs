//! The meaning of outcomes under each standard and engine, as data: the columns of `docs/semantics.md`,
//! section 8.1, and the table of Amazon's robots.
//!
//! The tables omit two outcomes whose meaning is the same everywhere: status 200 with text has rules, and 304
//! confirms the present state. Size limits are part of the dialect. An empty file has rules without groups, which
//! allow everything.

use super::outcome::{OutcomeKind, RobotsFetch};
use std::time::Duration;

/// The number of steps of a failure.
const STEPS: usize = 3;

/// The maximum number of hours to which headers can raise [`OutcomeTable::fresh_hours`]: 30 days, as in
/// `docs/semantics.md`, section 8.1. If the table itself has more hours than that, its hours are the maximum.
const MAX_RAISED_HOURS: u32 = 30 * 24;

/// The meaning of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum OutcomeMeaning {
    /// The body has the rules, whatever the status. A missing body counts as an empty file.
    Rules,
    /// Everything may be fetched.
    AllowAll,
    /// Nothing may be fetched.
    DenyAll,
    /// Nothing may be fetched now; request robots.txt again.
    Defer,
    /// The request failed: the steps of [`OutcomeTable::failing`] apply.
    Fail,
}

/// The state while requests for a robots.txt fail.
///
/// The last good copy (`Cached` in the names) is the last body with rules, of any age. An outcome that allows or
/// denies everything removes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum FailureState {
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

/// The effect of the time for which the headers of a robots.txt response allow it to be kept
/// ([`RobotsResponse::fresh_for`](crate::robots::RobotsResponse::fresh_for)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum MaxAge {
    /// It has no effect.
    Ignored,
    /// It applies if it is shorter than [`OutcomeTable::fresh_hours`].
    Lowers,
    /// It replaces [`OutcomeTable::fresh_hours`]. Its maximum is 30 days, or those hours if they are more.
    Obeyed,
}

/// A step of a failure: the state until a number of hours after the first request that failed.
///
/// ```
/// use robots_policy::robots::{FailureState, OutcomeTable, Step};
///
/// // Wait for an hour; then use the last good copy.
/// let for_ever = Step::new(None, FailureState::CachedOrDenyAll);
/// let table = OutcomeTable::RFC9309
///     .with_failing([Step::new(Some(1), FailureState::Defer), for_ever, for_ever]);
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
    holds: FailureState,
}

impl Step {
    /// Returns a step that ends this number of hours after the first failure; `None` never ends.
    pub const fn new(until_hours: Option<u32>, holds: FailureState) -> Self {
        Self { until_hours, holds }
    }

    /// Returns the hours from the first failure to the end of the step; `None` never ends.
    pub const fn until_hours(self) -> Option<u32> {
        self.until_hours
    }

    /// Returns the state during the step.
    pub const fn state(self) -> FailureState {
        self.holds
    }

    /// Reports whether the step still lasts this number of seconds after the first failure.
    fn lasts(self, seconds: i64) -> bool {
        self.until_hours
            .is_none_or(|hours| seconds < seconds_in(hours))
    }
}

fn seconds_in(hours: u32) -> i64 {
    i64::from(hours) * 3600
}

/// Defines the struct, with two methods for each column.
macro_rules! columns {
    ($($(#[$doc:meta])* $column:ident $with:ident: $type:ty;)*) => {
        /// The meanings of the outcomes of requests for robots.txt, how long each applies, and the steps
        /// of a failure.
        ///
        /// The constants are the columns of `docs/semantics.md`, section 8.1, and [`AMAZON`](Self::AMAZON). A dash in a
        /// column means that its source does not cover the outcome, so RFC 9309 applies. The `with_` methods change a
        /// table:
        ///
        /// ```
        /// use robots_policy::robots::{OutcomeMeaning, OutcomeTable};
        ///
        /// let table = OutcomeTable::RFC9309.with_unauthorized(OutcomeMeaning::DenyAll);
        /// assert_eq!(table.unauthorized(), OutcomeMeaning::DenyAll);
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
    not_text with_not_text: OutcomeMeaning;
    /// Returns the meaning of text with a 2xx other than 200.
    other_success with_other_success: OutcomeMeaning;
    /// Returns the meaning of too many redirects, or of one without a valid target.
    redirects with_redirects: OutcomeMeaning;
    /// Returns the meaning of 401 and 403.
    unauthorized with_unauthorized: OutcomeMeaning;
    /// Returns the meaning of 404 and any other 4xx except 401, 403 and 429.
    client_error with_client_error: OutcomeMeaning;
    /// Returns the meaning of 429.
    too_many_requests with_too_many_requests: OutcomeMeaning;
    /// Returns the meaning of 5xx.
    server_error with_server_error: OutcomeMeaning;
    /// Returns the meaning of a missing response: a failed look-up or connection, a timeout, invalid HTTP.
    unreachable with_unreachable: OutcomeMeaning;
    /// Returns the hours for which a response that is not a failure is fresh.
    fresh_hours with_fresh_hours: u32;
    /// Returns the effect of the time that headers allow.
    max_age with_max_age: MaxAge;
}

impl OutcomeTable {
    /// RFC 9309, 2.3.1 and 2.4 (`docs/semantics.md`, sections 1.7, 1.8).
    ///
    /// An unreachable robots.txt forbids everything for 30 days. Then, after "a reasonably long period of
    /// time (for example, 30 days)", the RFC permits two ways. Crawlers may treat robots.txt as unavailable,
    /// which allows everything, or continue with a copy. This table uses the copy if there is one. A copy is
    /// fresh for 24 hours, and headers can only shorten that.
    pub const RFC9309: Self = Self {
        // "Parse leniently": docs/semantics.md, section 8.1; the RFC does not cover other types.
        not_text: OutcomeMeaning::Rules,
        other_success: OutcomeMeaning::Rules,
        // After more than five redirects, crawlers MAY assume that robots.txt is unavailable.
        redirects: OutcomeMeaning::AllowAll,
        unauthorized: OutcomeMeaning::AllowAll,
        client_error: OutcomeMeaning::AllowAll,
        // As for any other 4xx.
        too_many_requests: OutcomeMeaning::AllowAll,
        server_error: OutcomeMeaning::Fail,
        unreachable: OutcomeMeaning::Fail,
        fresh_hours: 24,
        max_age: MaxAge::Lowers,
        failing: [
            Step::new(Some(30 * 24), FailureState::DenyAll),
            Step::new(None, FailureState::CachedOrAllowAll),
            Step::new(None, FailureState::CachedOrAllowAll),
        ],
    };

    /// Google (`docs/semantics.md`, section 2.1): 429, 5xx and a missing response are failures. For 12 hours
    /// nothing is fetched. Up to 30 days the last good copy applies; without one, everything may be fetched.
    /// Then it depends on whether the site is available. Headers can lengthen or shorten the 24 hours for
    /// which a copy is fresh.
    pub const GOOGLE: Self = Self {
        too_many_requests: OutcomeMeaning::Fail,
        max_age: MaxAge::Obeyed,
        failing: [
            Step::new(Some(12), FailureState::Defer),
            Step::new(Some(30 * 24), FailureState::CachedOrAllowAll),
            Step::new(None, FailureState::AllowAllIfAvailable),
        ],
        ..Self::RFC9309
    };

    /// A file with the terms of an owner, a tdmrep.json or a licence of RSL (`docs/semantics.md`, sections 4.6, 4.7): one that is not
    /// there reserves nothing. One that was refused or could not be read may reserve anything: it is not known, or is as the last
    /// copy says.
    pub const TERMS: Self = Self {
        redirects: OutcomeMeaning::Fail,
        unauthorized: OutcomeMeaning::Fail,
        too_many_requests: OutcomeMeaning::Fail,
        failing: [Step::new(None, FailureState::CachedOrDenyAll); STEPS],
        ..Self::RFC9309
    };

    /// Bing: RFC 9309, but 429 defers. Bing does not document this; it is our choice
    /// (`docs/semantics.md`, sections 2.12, 8.1).
    pub const BING: Self = Self {
        too_many_requests: OutcomeMeaning::Defer,
        // 5xx and a missing response: "DENY or DEFER". We deny, by the steps of RFC 9309, because Bing's steps
        // are not known.
        // `redirects`, `not_text`: a dash.
        ..Self::RFC9309
    };

    /// Yandex (`docs/semantics.md`, section 2.5): everything may be fetched unless the response is "200 OK" with
    /// text. [`Dialect::YANDEX`](robots_txt::Dialect::YANDEX) ignores a file over 500 KB.
    pub const YANDEX: Self = Self {
        not_text: OutcomeMeaning::AllowAll,
        other_success: OutcomeMeaning::AllowAll,
        // Our choice: "not 200" covers it.
        redirects: OutcomeMeaning::AllowAll,
        unauthorized: OutcomeMeaning::AllowAll,
        client_error: OutcomeMeaning::AllowAll,
        too_many_requests: OutcomeMeaning::AllowAll,
        server_error: OutcomeMeaning::AllowAll,
        // Our choice: "not 200" covers it.
        unreachable: OutcomeMeaning::AllowAll,
        // Freshness is not documented. No outcome is a failure, so no step applies.
        ..Self::RFC9309
    };

    /// Baidu: RFC 9309. Baidu documents only 2xx and 404, both as in the RFC; the rest is a dash
    /// (our choice, `docs/semantics.md`, section 2.6).
    pub const BAIDU: Self = Self::RFC9309;

    /// draft-koster-robots-00 of 1996 (`docs/semantics.md`, section 3.2): 401 and 403 deny everything, and
    /// temporary failures defer visits. Headers set how long a response is fresh; without them it is 7 days.
    pub const KOSTER_1996: Self = Self {
        unauthorized: OutcomeMeaning::DenyAll,
        // Our choice: a "temporary failure"; the status did not exist in 1996.
        too_many_requests: OutcomeMeaning::Defer,
        server_error: OutcomeMeaning::Defer,
        unreachable: OutcomeMeaning::Defer,
        fresh_hours: 7 * 24,
        max_age: MaxAge::Obeyed,
        // `redirects`, `not_text`: a dash. No outcome is a failure.
        ..Self::RFC9309
    };

    /// `WWW::RobotRules` and the standard of 1994 (`docs/semantics.md`, section 3.4): 404 allows everything,
    /// and a response is fresh for 365 days unless its headers differ. The rest is a dash.
    pub const WWW_ROBOT_RULES: Self = Self {
        fresh_hours: 365 * 24,
        // Our choice: the 365 days are a default, so headers take precedence.
        max_age: MaxAge::Obeyed,
        ..Self::RFC9309
    };

    /// Amazon (`docs/semantics.md`, section 2.11): every response that is not a success is a failure,
    /// and so is a missing response. For 30 days the last good copy applies; without one, everything may be fetched.
    pub const AMAZON: Self = Self {
        redirects: OutcomeMeaning::Fail,
        unauthorized: OutcomeMeaning::Fail,
        client_error: OutcomeMeaning::Fail,
        too_many_requests: OutcomeMeaning::Fail,
        server_error: OutcomeMeaning::Fail,
        unreachable: OutcomeMeaning::Fail,
        // Our choice: Amazon counts the 30 days from the fetch of the copy. We count from the first failure, which
        // may be a day later.
        // Freshness: RFC 9309; Amazon's page named 24 hours until it was rewritten.
        failing: [
            Step::new(Some(30 * 24), FailureState::CachedOrAllowAll),
            Step::new(None, FailureState::AllowAll),
            Step::new(None, FailureState::AllowAll),
        ],
        ..Self::RFC9309
    };

    /// Apache Nutch (`docs/semantics.md`, section 8.1): 429 and 5xx defer visits, and a missing response means
    /// empty rules.
    pub const NUTCH: Self = Self {
        // 403 depends on the configuration; that it allows by default is not verified.
        unauthorized: OutcomeMeaning::AllowAll,
        too_many_requests: OutcomeMeaning::Defer,
        server_error: OutcomeMeaning::Defer,
        unreachable: OutcomeMeaning::AllowAll,
        // `redirects`: a question mark, treated as a dash. `not_text`, freshness: a dash. No outcome is
        // a failure, so no step applies.
        ..Self::RFC9309
    };

    /// The tables by name: the columns of `docs/semantics.md`, section 8.1, and Amazon's.
    pub const NAMED: [(&'static str, Self); 9] = [
        ("rfc9309", Self::RFC9309),
        ("google", Self::GOOGLE),
        ("bing", Self::BING),
        ("yandex", Self::YANDEX),
        ("baidu", Self::BAIDU),
        ("koster1996", Self::KOSTER_1996),
        ("www-robotrules", Self::WWW_ROBOT_RULES),
        ("nutch", Self::NUTCH),
        ("amazon", Self::AMAZON),
    ];

    /// Returns the steps of a failure, in order. Their hours count from the first request that failed. The last
    /// step never ends, whatever its hours.
    pub const fn failing(&self) -> &[Step; STEPS] {
        &self.failing
    }

    /// Sets the steps of a failure. For fewer steps, repeat the last one.
    #[must_use]
    pub const fn with_failing(self, failing: [Step; STEPS]) -> Self {
        Self { failing, ..self }
    }

    /// Returns the meaning of a kind of outcome; `None` if it depends on earlier outcomes.
    pub(super) fn meaning(&self, kind: OutcomeKind) -> Option<OutcomeMeaning> {
        match kind {
            OutcomeKind::Success => Some(OutcomeMeaning::Rules),
            OutcomeKind::OtherSuccess => Some(self.other_success),
            OutcomeKind::NotText => Some(self.not_text),
            OutcomeKind::TooManyRedirects => Some(self.redirects),
            OutcomeKind::Unauthorized => Some(self.unauthorized),
            OutcomeKind::ClientError => Some(self.client_error),
            OutcomeKind::TooManyRequests => Some(self.too_many_requests),
            OutcomeKind::ServerError => Some(self.server_error),
            OutcomeKind::Unreachable => Some(self.unreachable),
            OutcomeKind::NoBody | OutcomeKind::NotModified | OutcomeKind::NotFetched => None,
        }
    }

    /// Returns whether the body of a response has rules.
    pub(crate) fn reads(&self, fetch: &RobotsFetch<'_>) -> bool {
        self.meaning(fetch.kind().0) == Some(OutcomeMeaning::Rules)
    }

    /// Returns the state this number of seconds after the first failure.
    pub(super) fn failing_after(&self, seconds: i64) -> FailureState {
        let [first, second, last] = self.failing;
        [first, second]
            .into_iter()
            .find(|step| step.lasts(seconds))
            .unwrap_or(last)
            .holds
    }

    /// Returns the seconds for which a response is fresh. `allowed` is the time for which its headers allow it to be kept;
    /// `None` if they state no time.
    pub(crate) fn fresh_seconds(&self, allowed: Option<Duration>) -> i64 {
        let by_table = seconds_in(self.fresh_hours);
        let Some(allowed) = allowed else {
            return by_table;
        };
        let allowed = i64::try_from(allowed.as_secs()).unwrap_or(i64::MAX);
        match self.max_age {
            MaxAge::Ignored => by_table,
            MaxAge::Lowers => allowed.min(by_table),
            MaxAge::Obeyed => allowed.min(by_table.max(seconds_in(MAX_RAISED_HOURS))),
        }
    }
}

impl Default for OutcomeTable {
    /// Returns [`OutcomeTable::RFC9309`].
    fn default() -> Self {
        Self::RFC9309
    }
}

/// The serialised form of steps: one to three, up to the first that never ends.
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
        let count = endless.map_or(STEPS, |endless| endless + 1);
        serializer.collect_seq(steps.iter().take(count))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[Step; STEPS], D::Error> {
        let steps = Vec::<Step>::deserialize(deserializer)?;
        for (number, (before, step)) in (2..).zip(steps.iter().zip(steps.iter().skip(1))) {
            let applies = before
                .until_hours
                .is_some_and(|hours| step.until_hours.is_none_or(|until| until > hours));
            if !applies {
                let hours = "the steps before it end earlier";
                return Err(D::Error::custom(format!(
                    "step {number} of `failing` never applies: expected `until-hours` so that {hours}"
                )));
            }
        }
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
    use crate::robots::{OutcomeLog, RobotsFetch, RobotsResponse};
    use robots_meta::Timestamp;

    #[test]
    fn every_setting_applies_to_its_outcome() {
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
        let html = |status| {
            RobotsFetch::Response(RobotsResponse::new(status, b"").with_content_type("text/html"))
        };
        let statuses = (0..=999).filter(|status| !(200..=299).contains(status) && *status != 304);
        let fetches: Vec<_> = statuses
            .map(RobotsFetch::Status)
            // Status 204 means an empty body; for other statuses of success, the body must be known.
            .chain([204].map(RobotsFetch::Status))
            .chain((200..=299).map(html))
            .chain([RobotsFetch::TooManyRedirects, RobotsFetch::Unreachable])
            .collect();
        for fetch in fetches {
            let (outcome, _) = fetch.kind();
            for (then, expected, after_31_days) in [
                (OutcomeMeaning::Rules, "Rules", "Unknown"),
                (OutcomeMeaning::AllowAll, "AllowAll", "Unknown"),
                (OutcomeMeaning::DenyAll, "DenyAll", "Unknown"),
                (OutcomeMeaning::Defer, "Defer", "Unknown"),
                (OutcomeMeaning::Fail, "DenyAll", "AllowAll"),
            ] {
                let table = every(then);
                assert_eq!(table.meaning(outcome), Some(then));
                let mut log = OutcomeLog::new();
                let begin = Some(Timestamp::from_seconds(0));
                log.record(&fetch, begin, |body| Some(body.len()));
                for (days, expected) in [(0, expected), (31, after_31_days)] {
                    let now = Some(Timestamp::from_seconds(days * 24 * 3600));
                    let state = format!("{:?}", log.state(&table, now, Some(true)));
                    assert!(state.starts_with(expected), "{outcome:?} {then:?}: {state}");
                }
            }
        }
        // No setting applies to a success.
        let success = RobotsFetch::Body(b"").kind().0;
        assert_eq!(
            every(OutcomeMeaning::DenyAll).meaning(success),
            Some(OutcomeMeaning::Rules)
        );
    }

    #[test]
    fn a_step_has_its_hours_and_its_state() {
        let [first, ..] = *OutcomeTable::GOOGLE.failing();
        let step = (first.until_hours(), first.state());
        assert_eq!(step, (Some(12), FailureState::Defer));
    }

    #[test]
    fn without_headers_a_response_is_fresh_for_the_hours_of_the_table() {
        for (column, table) in OutcomeTable::NAMED {
            let by_table = i64::from(table.fresh_hours()) * 3600;
            assert_eq!(table.fresh_seconds(None), by_table, "{column}");
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn serialised_tables_are_read_back() {
        for (column, table) in OutcomeTable::NAMED {
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
    fn one_to_three_steps_are_valid() {
        let read = |hours: &[Option<u32>]| {
            let steps = hours.iter().map(|hours| match hours {
                Some(hours) => format!(r#"{{"until-hours": {hours}, "holds": "defer"}}"#),
                None => r#"{"holds": "defer"}"#.to_owned(),
            });
            let steps = steps.collect::<Vec<_>>().join(",");
            serde_json::from_str::<OutcomeTable>(&format!(r#"{{"failing": [{steps}]}}"#))
        };
        let step = |hours| Step::new(hours, FailureState::Defer);
        let [one, two, three, rest] = [Some(1), Some(2), Some(3), None];
        for (hours, steps) in [
            (&[one][..], [one, rest, rest]),
            (&[one, two], [one, two, rest]),
            (&[one, two, three], [one, two, three]),
            (&[one, rest], [one, rest, rest]),
            (&[rest], [rest; 3]),
        ] {
            assert_eq!(
                *read(hours).unwrap().failing(),
                steps.map(step),
                "{hours:?}"
            );
        }
        // None, too many, and some that never apply.
        for hours in [
            &[][..],
            &[one, two, three, rest],
            &[one, one],
            &[two, one],
            &[one, three, two],
            &[rest, one],
            &[one, rest, rest],
        ] {
            assert!(read(hours).is_err(), "{hours:?}");
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn misspelt_keys_and_values_are_errors() {
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
