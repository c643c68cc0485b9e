//! Policies: decisions for one robot under one profile.

use crate::argument::{
    Content, Count, Headers, Moment, Seconds, Status, Text, Time, unexpected_argument,
};
use crate::decision::Decision;
use crate::error::{self, AlreadyInstalled, InputError, UrlError};
use crate::fork;
use crate::profile::{AnyProfile, Profile};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use robots_answers::typed_url;
use robots_meta::Timestamp;
use robots_policy::origins::{self, has_scheme};
use robots_policy::robots::OutcomeOptions;
use robots_policy::site::{Rsl, RslDocuments, Tdmrep};
use robots_policy::{Page, RobotsFetch, installed};
use std::borrow::Cow;

/// The configuration of decisions for one robot under one profile, with what is known about origins: their robots.txt.
///
/// The robot is given by its name (`ExampleBot`), not by a full User-Agent value. Without a profile, a known robot has that of its
/// operator, and any other the neutral one. Threads can share a policy. With
/// `reasons=False`, decisions have no reasons and warnings, which saves their cost. With `scripting=True`, pages are read as by a
/// browser that runs scripts: NOSCRIPT is skipped. `store_limit` is the size in bytes of
/// the store of origins; a full one forgets origins that were not looked up recently.
///
/// Raises AgentError for an invalid name, and ProfileError for an unknown profile.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct Policy(robots_policy::Policy);

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(signature = (agent, profile=None, *, reasons=true, scripting=false, store_limit=None))]
    fn new(
        agent: Text,
        profile: Option<AnyProfile>,
        reasons: bool,
        scripting: bool,
        store_limit: Option<Count>,
    ) -> PyResult<Self> {
        let policy = match profile {
            Some(profile) => robots_policy::Policy::under(&profile.0, &agent),
            None => robots_policy::Policy::new(&agent),
        };
        let policy = policy.map_err(|error| error::agent(&error))?;
        let mut policy = policy.with_scripting(scripting);
        if !reasons {
            policy = policy.without_reasons();
        }
        if let Some(bytes) = store_limit {
            policy = policy.with_store_limit(bytes.0);
        }
        Ok(Self(policy))
    }

    /// Records the outcome of a request for an origin's robots.txt; `url` is any URL of the origin. A host without a scheme takes
    /// https.
    ///
    /// The outcome is a body (with status 200, unless `status` differs), a status without a body, or `outcome`:
    /// "unreachable" or "too_many_redirects". After redirects, pass the origin of the first request. `fresh_for` is the
    /// number of seconds for which the headers allow the response to be kept. `at` is the time of the request, by which the
    /// profile decides when the outcome is stale; by default that of the call. With None, it never is.
    ///
    /// Raises UrlError if the URL has no origin.
    #[pyo3(signature = (url, body=None, *, status=None, content_type=None, fresh_for=None, outcome=None, at=Moment::now()), text_signature = "($self, url, body=None, *, status=None, content_type=None, fresh_for=None, outcome=None, at='now')")]
    #[allow(clippy::too_many_arguments, reason = "named arguments of Python")]
    fn learn(
        &self,
        py: Python<'_>,
        url: Text,
        body: Option<Content>,
        status: Option<Status>,
        content_type: Option<Text>,
        fresh_for: Option<Seconds>,
        outcome: Option<Text>,
        at: Moment,
    ) -> PyResult<()> {
        let options = OutcomeOptions {
            body: body.as_ref().map(Content::as_bytes),
            status: status.map(|status| status.0),
            content_type: content_type.as_deref(),
            fresh_for: fresh_for.map(|seconds| seconds.0),
            outcome: outcome.as_deref(),
        };
        let fetch = RobotsFetch::try_from(options)
            .map_err(|error| InputError::new_err(error.to_string()))?;
        let url = of_origin(&url);
        fork::detached(py, || match at.0 {
            Some(at) => self.0.learn_at(&url, fetch, at),
            None => self.0.learn(&url, fetch),
        })
        .map_err(|error| url_error(&error))
    }

    /// Records the tdmrep.json of an origin; `url` is any URL of the origin. One that is not known counts as missing.
    ///
    /// Raises UrlError if the URL has no origin, and InputError if the body is not a tdmrep.json. As it may reserve anything, it
    /// is then not known whether models may be trained with pages of the origin, and a warning of decisions says so.
    fn learn_tdmrep(&self, py: Python<'_>, url: Text, body: Content) -> PyResult<()> {
        let tdmrep = Tdmrep::read(body.as_bytes());
        let unread = tdmrep.unread().map(str::to_owned);
        let url = of_origin(&url);
        fork::detached(py, || self.0.learn_tdmrep(&url, tdmrep))
            .map_err(|error| url_error(&error))?;
        unread.map_or(Ok(()), |cause| Err(InputError::new_err(cause)))
    }

    /// Forgets an origin; `url` is any URL of the origin.
    ///
    /// Raises UrlError if the URL has no origin.
    fn forget(&self, py: Python<'_>, url: Text) -> PyResult<()> {
        let url = of_origin(&url);
        fork::detached(py, || self.0.forget(&url)).map_err(|error| url_error(&error))
    }

    /// Returns the time from which the robots.txt of an origin should be requested again, in seconds since 1970. None if
    /// the origin or the time is unknown.
    ///
    /// Raises UrlError if the URL has no origin.
    fn ask_again_at(&self, py: Python<'_>, url: Text) -> PyResult<Option<i64>> {
        let url = of_origin(&url);
        let time = fork::detached(py, || self.0.ask_again_at(&url));
        let time = time.map_err(|error| url_error(&error))?;
        Ok(time.map(Timestamp::as_seconds))
    }

    /// The number of known origins.
    #[getter]
    fn known_origins(&self, py: Python<'_>) -> usize {
        fork::detached(py, || self.0.known_origins())
    }

    /// The name of the robot.
    #[getter]
    fn agent(&self) -> &str {
        self.0.agent()
    }

    /// The profile.
    #[getter]
    fn profile(&self) -> Profile {
        Profile(self.0.profile().clone())
    }

    /// The names of METAs and header prefixes that apply to the robot.
    #[getter]
    fn meta_names(&self) -> Vec<String> {
        self.0.meta_names().to_vec()
    }

    /// Decides about a URL and its response, as far as it is known, by the facts that were learned about its origin.
    ///
    /// Every URL and page is accepted. The arguments:
    ///
    /// * html: the page, as bytes, or as a text that was decoded; None if it was not fetched.
    /// * status: the status of the response. With one other than 200 to 299, the content is not a page.
    /// * headers: a mapping or pairs of names and values, each str or bytes; lines of one name are separate.
    /// * charset: the encoding that the response names, in place of that of its Content-Type.
    /// * at: the time of the decision, as seconds since 1970 or a datetime with a time zone; by default that of the call. With
    ///   None, dates and visit times are reported but not applied, and no robots.txt is stale.
    /// * not_html: the response is not HTML: only its headers count.
    /// * cut_short: the page was cut before its end.
    /// * licenses: a mapping of URLs to licences of RSL, each bytes or str. Those that robots.txt, a header or the page names decide
    ///   about AI.
    /// * captured_at: the time when the page was fetched. The robots.txt of that time applies, whatever `at` is, and is never
    ///   stale.
    #[pyo3(signature = (url, html=None, *, captured_at=None, **response), text_signature = "($self, url, html=None, *, captured_at=None, status=None, headers=None, charset=None, at='now', not_html=False, cut_short=False, licenses=None)")]
    fn decide(
        &self,
        py: Python<'_>,
        url: Text,
        html: Option<Content>,
        captured_at: Option<Time>,
        response: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Decision> {
        let response = Response::new(html, response)?;
        let page = response.page(&url)?;
        Ok(Decision(fork::detached(py, || match captured_at {
            Some(time) => self.0.decide_archived(&page, Some(time.0)),
            None => self.0.decide_page(&page),
        })))
    }

    fn __repr__(&self) -> String {
        format!("<Policy of {} under {}>", self.0.agent(), self.0.profile())
    }
}

/// Decides about a page under the default policy of the process.
///
/// The arguments are those of `Policy.decide`, but for `captured_at`. Until a policy is installed, the decision is for the robot `*`, and no robots.txt is
/// known: only what the page forbids is.
#[pyfunction]
#[pyo3(signature = (url, html=None, **response), text_signature = "(url, html=None, *, status=None, headers=None, charset=None, at='now', not_html=False, cut_short=False, licenses=None)")]
pub(crate) fn decide(
    py: Python<'_>,
    url: Text,
    html: Option<Content>,
    response: Option<&Bound<'_, PyDict>>,
) -> PyResult<Decision> {
    let response = Response::new(html, response)?;
    let page = response.page(&url)?;
    Ok(Decision(fork::detached(py, || {
        installed::policy().decide_page(&page)
    })))
}

/// Installs the default policy of the process, for `decide`. A program calls it once when it starts. What the policy
/// learns later counts too.
///
/// Raises AlreadyInstalled if there is one.
#[pyfunction]
pub(crate) fn install(policy: &Policy) -> PyResult<()> {
    robots_policy::install(policy.0.clone())
        .map_err(|error| AlreadyInstalled::new_err(error.to_string()))
}

/// A response, as far as it is known: the arguments of decisions.
pub(crate) struct Response {
    html: Option<Content>,
    status: Option<Status>,
    headers: Option<Headers>,
    charset: Option<Text>,
    at: Moment,
    not_html: bool,
    cut_short: bool,
    licenses: RslDocuments,
}

impl Response {
    /// Reads the named arguments of a decision.
    pub(crate) fn new(
        html: Option<Content>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut response = Self {
            html,
            status: None,
            headers: None,
            charset: None,
            at: Moment::now(),
            not_html: false,
            cut_short: false,
            licenses: RslDocuments::default(),
        };
        for (name, value) in arguments.into_iter().flat_map(PyDictMethods::iter) {
            match name.extract::<&str>()? {
                "status" => response.status = value.extract()?,
                "headers" => response.headers = value.extract()?,
                "charset" => response.charset = value.extract()?,
                "at" => response.at = value.extract()?,
                "not_html" => response.not_html = value.extract()?,
                "cut_short" => response.cut_short = value.extract()?,
                "licenses" => response.licenses = licenses(&value)?,
                other => return Err(unexpected_argument(other)),
            }
        }
        Ok(response)
    }

    pub(crate) fn page<'a>(&'a self, url: &'a str) -> PyResult<Page<'a>> {
        let mut page = Page::new(url).at(self.at.0).with_rsl(&self.licenses);
        let mut charset = self.charset.as_deref();
        if let Some(html) = &self.html {
            if self.not_html {
                return Err(InputError::new_err(
                    "html is given, and marked as not HTML: pass one of them",
                ));
            }
            charset = html.charset(charset)?;
            page = page.with_html(html.as_bytes());
        } else if self.not_html {
            page = page.not_html();
        }
        if let Some(label) = charset {
            page = page.with_charset(label);
        }
        if let Some(status) = &self.status {
            page = page.with_status(status.0);
        }
        if let Some(headers) = &self.headers {
            page = page.with_headers(headers.lines());
        }
        if self.cut_short {
            page = page.cut_short();
        }
        Ok(page)
    }
}

/// Reads licences of RSL by their URLs.
fn licenses(value: &Bound<'_, PyAny>) -> PyResult<RslDocuments> {
    let mut licenses = RslDocuments::default();
    if value.is_none() {
        return Ok(licenses);
    }
    for item in value.cast::<PyMapping>()?.items()? {
        let (url, document): (Text, Content) = item.extract()?;
        let inserted = licenses.insert(&url, Rsl::read(document.as_bytes()));
        inserted.map_err(|error| {
            UrlError::new_err(format!("invalid URL of a licence {:?}: {error}", &*url))
        })?;
    }
    Ok(licenses)
}

/// A policy as an argument. It shares what the policy learns.
pub(crate) struct AnyPolicy(pub(crate) robots_policy::Policy);

impl<'py> FromPyObject<'_, 'py> for AnyPolicy {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let policy = object.cast::<Policy>()?;
        Ok(Self(policy.get().0.clone()))
    }
}

/// Returns the URL of an origin. A host without a scheme takes `https`, as in the program.
fn of_origin(url: &str) -> Cow<'_, str> {
    if has_scheme(url) {
        return url.into();
    }
    // The error for another text is that of a URL without an origin.
    typed_url(url).map_or(url.into(), Into::into)
}

/// Returns the exception for a URL without an origin.
pub(crate) fn url_error(error: &origins::UrlError) -> PyErr {
    UrlError::new_err(error.to_string())
}
