//! A parsed robots.txt.

use crate::agent::AnyAgent;
use crate::argument::{Content, Count, DialectName, Text};
use crate::error::InputError;
use crate::fork;
use crate::pickle::{self, Reduced};
use crate::profile::AnyProfile;
use crate::rules::Rules;
use pyo3::prelude::*;
use robots_policy::Profile;
use robots_txt::Dialect;

/// A parsed robots.txt file: `RobotsTxt(body)`.
///
/// The body is bytes, or a text, whose bytes are UTF-8. Every body is accepted; unreadable lines have no effect. One
/// parse serves every robot and dialect. `url` is the URL of the file: only the dialect `www-robotrules` uses it.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct RobotsTxt(pub(crate) robots_txt::RobotsTxt);

impl RobotsTxt {
    /// Parses a body without the interpreter.
    pub(crate) fn parse(py: Python<'_>, body: &Content) -> Self {
        fork::detached(py, || Self(robots_txt::RobotsTxt::parse(body.as_bytes())))
    }
}

#[pymethods]
impl RobotsTxt {
    #[new]
    #[pyo3(signature = (body, *, url=None))]
    fn new(py: Python<'_>, body: Content, url: Option<Text>) -> Self {
        let parsed = Self::parse(py, &body);
        match url {
            Some(url) => Self(parsed.0.with_url(&url)),
            None => parsed,
        }
    }

    /// Returns the compiled rules of a robot under a dialect, or as a profile reads the file; without one, as its operator does
    /// (RFC 9309 for others).
    ///
    /// The robot is a name, such as `ExampleBot`, or an Agent. A name has the groups that its vendor documents; `Agent(name)` has those
    /// of the name alone. Raises AgentError for an invalid name, such as a full User-Agent value: `Agent.from_user_agent` finds the
    /// name in it.
    #[pyo3(signature = (agent, dialect=None, *, profile=None))]
    fn rules(
        &self,
        py: Python<'_>,
        agent: AnyAgent,
        dialect: Option<DialectName>,
        profile: Option<AnyProfile>,
    ) -> PyResult<Rules> {
        let dialect = match (dialect, profile) {
            (Some(_), Some(_)) => {
                return Err(InputError::new_err(
                    "dialect and profile are both given: pass one of them",
                ));
            }
            (Some(dialect), None) => dialect.0,
            (None, Some(profile)) => *profile.0.dialect(),
            (None, None) => *Profile::of_robot(agent.0.name()).dialect(),
        };
        Ok(fork::detached(py, || {
            Rules::compile(&self.0, agent.0, &dialect)
        }))
    }

    /// The URLs of the sitemaps that the file names, in order, as written. Bytes that are not UTF-8 are replaced.
    #[getter]
    fn sitemaps(&self) -> Vec<String> {
        self.sitemaps_under(DialectName(Dialect::RFC9309))
    }

    /// Returns the URLs of the sitemaps that the file names under a dialect: `Site-map` is one under `google`.
    fn sitemaps_under(&self, dialect: DialectName) -> Vec<String> {
        let sitemaps = self.0.sitemaps_under(&dialect.0);
        sitemaps.map(|sitemap| sitemap.to_string()).collect()
    }

    /// The values of the file's `Host` lines, the preferred names of the site, in order. Yandex ignores them since
    /// 2018. Bytes that are not UTF-8 are replaced.
    #[getter]
    fn hosts(&self) -> Vec<String> {
        self.0.hosts().map(|host| host.to_string()).collect()
    }

    /// The bytes that were parsed: up to 16 MiB of the body.
    #[getter]
    fn body(&self) -> &[u8] {
        self.0.body()
    }

    /// The URL that the file was read from, if it was set.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.0.url()
    }

    /// Whether the body begins like an HTML page, such as an error page.
    #[getter]
    fn looks_like_html(&self) -> bool {
        self.0.looks_like_html()
    }

    /// Returns the text of a line by its number from 1, without its line end; None if there is no such line. Bytes that
    /// are not UTF-8 are replaced.
    fn line_text(&self, number: Count) -> Option<String> {
        let text = self.0.line_text(number.size())?;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    #[staticmethod]
    #[pyo3(name = "_load")]
    fn load(py: Python<'_>, body: Content, url: Option<Text>) -> Self {
        Self::new(py, body, url)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, State<'_>>> {
        pickle::reduced::<Self, _>(py, (self.0.body(), self.0.url()))
    }

    fn __repr__(&self) -> String {
        format!("<RobotsTxt of {} bytes>", self.0.body().len())
    }
}

/// The state of a pickled file: its body and URL.
type State<'a> = (&'a [u8], Option<&'a str>);
