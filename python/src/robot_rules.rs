//! The rules of many sites, with the interface of Perl's `WWW::RobotRules`.

use crate::argument::{Content, Moment, Text, Time};
use crate::fork;
use crate::policy::url_error;
use crate::word;
use pyo3::prelude::*;
use robots_meta::Timestamp;
use std::sync::{PoisonError, RwLock};
use std::time::SystemTime;

/// The rules of many sites for one robot, with the interface of Perl's WWW::RobotRules.
///
/// The robot is named by the first word of `agent` up to a `/`: `FooBot/1.2 (mail@example.com)` is FooBot. Files are read
/// as the Perl module reads them (dialect `www-robotrules`). Rules of a site hold until `fresh_until`, compared with the
/// time of each call, or with that of `set_now`. Policy applies RFC 9309 and gives reasons.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct RobotRules(RwLock<ClockedRules>);

struct ClockedRules {
    rules: robots_policy::RobotRules,
    /// Whether the current time is that of each call.
    has_clock: bool,
}

impl RobotRules {
    /// Changes the rules, at the time of the call unless `set_now` has set another.
    fn change<T>(&self, change: impl FnOnce(&mut robots_policy::RobotRules) -> T) -> T {
        let mut clocked = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if clocked.has_clock {
            clocked.rules.set_now(Timestamp::from(SystemTime::now()));
        }
        change(&mut clocked.rules)
    }

    fn read<T>(&self, read: impl FnOnce(&robots_policy::RobotRules) -> T) -> T {
        let clocked = self.0.read().unwrap_or_else(PoisonError::into_inner);
        read(&clocked.rules)
    }
}

#[pymethods]
impl RobotRules {
    #[new]
    fn new(agent: Text) -> Self {
        Self(RwLock::new(ClockedRules {
            rules: robots_policy::RobotRules::new(&agent),
            has_clock: true,
        }))
    }

    /// The robot's name, without a version.
    #[getter]
    fn agent(&self, py: Python<'_>) -> String {
        fork::detached(py, || self.read(|rules| rules.agent().to_owned()))
    }

    /// Sets the current time, by which rules expire. With None they never do; with "now" it is that of each call, as before
    /// the first `set_now`.
    fn set_now(&self, py: Python<'_>, now: Bound<'_, PyAny>) -> PyResult<()> {
        let is_clock = now.extract::<&str>().is_ok();
        let Moment(now) = now.extract()?;
        fork::detached(py, || {
            let mut clocked = self.0.write().unwrap_or_else(PoisonError::into_inner);
            clocked.has_clock = is_clock;
            clocked.rules.set_now(now);
        });
        Ok(())
    }

    /// Reads the robots.txt of a site, which replaces an earlier one. `url` is the URL of the request.
    ///
    /// The rules hold up to and including `fresh_until`. Without it they hold for 365 days from the current time, or
    /// forever after `set_now(None)`.
    ///
    /// Raises UrlError if the URL is invalid or has no host. Every body is accepted.
    #[pyo3(signature = (url, text, fresh_until=None))]
    fn parse(
        &self,
        py: Python<'_>,
        url: Text,
        text: Content,
        fresh_until: Option<Time>,
    ) -> PyResult<()> {
        let fresh_until = fresh_until.map(|time| time.0);
        fork::detached(py, || {
            self.change(|rules| rules.parse(&url, text.as_bytes(), fresh_until))
        })
        .map_err(|error| url_error(&error))
    }

    /// Returns whether the robot may fetch a URL: Allowed.YES, NO, or UNKNOWN if the robots.txt of the site must be
    /// fetched first. They are the numbers 1, 0 and -1 of the Perl module, so UNKNOWN is true.
    fn allowed(&self, py: Python<'_>, url: Text) -> PyResult<Py<PyAny>> {
        let allowed = fork::detached(py, || self.change(|rules| rules.allowed(&url)));
        word::ALLOWED.member(py, allowed.as_i8())
    }

    /// Returns the last second in which the rules of a URL's site hold, in seconds since 1970. None if the site has no
    /// rules, or if they never expire.
    fn fresh_until(&self, py: Python<'_>, url: Text) -> Option<i64> {
        let time = fork::detached(py, || self.read(|rules| rules.fresh_until(&url)));
        time.map(Timestamp::as_seconds)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<RobotRules of {}>", self.agent(py))
    }
}
