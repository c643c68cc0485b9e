//! The rules of a robot, and their verdicts.

use crate::argument::{BorrowedText, Bytes, DialectName, Text};
use crate::error::LoadError;
use crate::fork;
use crate::pickle::{self, Reduced};
use crate::word;
use pyo3::prelude::*;
use robots_policy::text::printable;
use robots_txt::extension::Extension;
use robots_txt::rules;
use robots_txt::{Dialect, RobotsTxt, Target};
use std::borrow::Cow;

/// The rules of one file for one robot under one dialect: `RobotsTxt(body).rules(agent)`.
///
/// Rules pickle as a few bytes. They are immutable, and threads can share them.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct Rules {
    rules: robots_txt::Rules,
    visits: VisitsSource,
}

/// When and how often a robot may come.
#[derive(Debug, Clone, Default)]
struct Visits {
    request_rates: Vec<RequestRate>,
    /// The hours: `0600-0845`.
    visit_time: Option<String>,
}

/// Where the visits of a robot come from: compiled rules do not have them.
enum VisitsSource {
    /// The file, which is read when they are asked for.
    File(RobotsTxt, robots_txt::Agent<'static>),
    /// A pickle.
    Loaded(Visits),
}

impl Rules {
    /// Compiles the rules of a robot.
    pub(crate) fn compile(
        robots: &RobotsTxt,
        agent: robots_txt::Agent<'static>,
        dialect: &Dialect,
    ) -> Self {
        Self {
            rules: robots.rules(&agent, dialect),
            visits: VisitsSource::File(robots.clone(), agent),
        }
    }

    fn visits(&self, py: Python<'_>) -> Visits {
        match &self.visits {
            VisitsSource::Loaded(visits) => visits.clone(),
            VisitsSource::File(robots, agent) => fork::detached(py, || {
                let extensions = robots.extensions_for(agent, self.rules.dialect());
                Visits {
                    request_rates: extensions.request_rates().map(RequestRate).collect(),
                    visit_time: extensions
                        .visit_time()
                        .map(|time| time.window().to_string()),
                }
            }),
        }
    }
}

#[pymethods]
impl Rules {
    /// Returns whether a URL, or a path that begins with `/`, may be fetched.
    fn allowed(&self, url: BorrowedText<'_>) -> bool {
        self.rules.verdict(&Target::new(url.0)).is_allowed()
    }

    /// Returns whether a URL, or a path that begins with `/`, may be fetched, and why.
    fn verdict(&self, url: BorrowedText<'_>) -> Verdict {
        Verdict::new(&self.rules.verdict(&Target::new(url.0)))
    }

    /// Returns the rules that match a URL: first the one that decides, then in order each that would decide without the
    /// rules before it.
    fn matching(&self, py: Python<'_>, url: Text) -> Vec<Rule> {
        fork::detached(py, || {
            let target = Target::new(&*url);
            self.rules
                .matching(&target)
                .map(|rule| Rule::new(&rule))
                .collect()
        })
    }

    /// The rules, in file order.
    #[getter]
    fn rules(&self) -> Vec<Rule> {
        self.rules.iter().map(|rule| Rule::new(&rule)).collect()
    }

    /// The dialect under which they were compiled.
    #[getter]
    fn dialect(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::DIALECT.member(py, self.rules.dialect().name())
    }

    /// Whether a group applies to the robot, by name or by `*`.
    #[getter]
    fn has_group(&self) -> bool {
        self.rules.has_group()
    }

    /// The seconds between two requests that the robot's groups ask for: the longest, if there are several.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        let delay = self.rules.crawl_delay()?;
        Some(delay.delay().as_secs_f64())
    }

    /// The first rate at which documents may be requested; `request_rates` has all.
    #[getter]
    fn request_rate(&self, py: Python<'_>) -> Option<RequestRate> {
        self.visits(py).request_rates.into_iter().next()
    }

    /// The rates at which documents may be requested; several may have different hours.
    #[getter]
    fn request_rates(&self, py: Python<'_>) -> Vec<RequestRate> {
        self.visits(py).request_rates
    }

    /// The hours for visits, in UTC (`0600-0845`); None for the whole day.
    #[getter]
    fn visit_time(&self, py: Python<'_>) -> Option<String> {
        self.visits(py).visit_time
    }

    /// Returns the rules as bytes, for `Rules.from_bytes`. Equal rules of one dialect have equal bytes, regardless of
    /// their file. Request rates and visit times are not among them; pickling keeps them.
    fn to_bytes(&self) -> Vec<u8> {
        self.rules.to_bytes()
    }

    /// Returns the rules that `to_bytes` wrote under the same dialect, or for a robot whose operator has it.
    ///
    /// Raises LoadError if the bytes have another version or dialect, or cannot be read as rules. There is no checksum: damage
    /// that still reads as rules, such as another letter in a path, is not detected.
    #[staticmethod]
    #[pyo3(signature = (data, dialect=None))]
    fn from_bytes(data: Bytes, dialect: Option<DialectName>) -> PyResult<Self> {
        let dialect = dialect.map_or(Dialect::RFC9309, |dialect| dialect.0);
        Self::load(&data, &dialect, Visits::default())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, State)> {
        let load = py.import("robots_policy._native")?.getattr("_load_rules")?;
        let visits = self.visits(py);
        let rates = visits.request_rates.iter();
        let rates = rates.map(RequestRate::state).collect();
        let dialect = self.rules.dialect().name();
        Ok((load, (self.to_bytes(), dialect, rates, visits.visit_time)))
    }

    fn __repr__(&self) -> String {
        let count = self.rules.iter().len();
        format!("<Rules: {count} under {}>", self.rules.dialect().name())
    }
}

/// The state of pickled rules: their bytes, the name of their dialect, the request rates with their lines, and the hours
/// for visits.
type State = (Vec<u8>, &'static str, Vec<RateState>, Option<String>);

/// Loads pickled rules.
#[pyfunction]
#[pyo3(name = "_load_rules")]
pub(crate) fn load_rules(
    data: Bytes,
    dialect: DialectName,
    request_rates: Vec<(usize, Text)>,
    visit_time: Option<Text>,
) -> PyResult<Rules> {
    let rates = request_rates
        .iter()
        .map(|(line, text)| RequestRate::load(*line, text));
    let visits = Visits {
        request_rates: rates.collect::<PyResult<_>>()?,
        visit_time: visit_time.map(|text| text.to_owned()),
    };
    Rules::load(&data, &dialect.0, visits)
}

impl Rules {
    /// Loads rules under the dialect, or under that of a profile with the same name.
    fn load(data: &Bytes, dialect: &Dialect, visits: Visits) -> PyResult<Self> {
        let load = |dialect: &Dialect| robots_txt::Rules::from_bytes(&data.0, dialect);
        let mut loaded = load(dialect);
        if let Err(of_dialect) = loaded {
            let profiles = robots_policy::Profile::all();
            let of_profiles = profiles
                .filter(|profile| profile.dialect().name() == dialect.name())
                .map(|profile| load(profile.dialect()));
            // The dialect of the bytes is that under which the most is read.
            let read = |loaded: &Result<_, rules::LoadError>| {
                loaded
                    .as_ref()
                    .map_or_else(rules::LoadError::offset, |_| usize::MAX)
            };
            loaded = of_profiles
                .chain([Err(of_dialect)])
                .max_by_key(read)
                .unwrap_or(loaded);
        }
        let rules = loaded.map_err(|error| LoadError::new_err(error.to_string()))?;
        Ok(Self {
            rules,
            visits: VisitsSource::Loaded(visits),
        })
    }
}

/// A verdict: whether a URL may be fetched, with the reason. It is true if the URL may be fetched.
#[pyclass(frozen, eq, hash, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Verdict {
    /// Whether the URL may be fetched.
    #[pyo3(get, name = "allowed")]
    is_allowed: bool,
    /// Owned if it was loaded from a pickle.
    reason: Cow<'static, str>,
    /// The rule that decided, if one did.
    #[pyo3(get)]
    rule: Option<Rule>,
    text: String,
}

impl Verdict {
    fn new(verdict: &robots_txt::Verdict<'_>) -> Self {
        Self {
            is_allowed: verdict.is_allowed(),
            reason: verdict.reason().name().into(),
            rule: verdict.rule().map(|rule| Rule::new(&rule)),
            text: printable(&verdict.to_string()).into_owned(),
        }
    }
}

#[pymethods]
impl Verdict {
    /// The kind of the reason.
    #[getter]
    fn reason(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::VERDICT_REASON.member(py, &*self.reason)
    }

    /// The number of the line that decided, from 1, if one did.
    #[getter]
    fn line(&self) -> Option<usize> {
        self.rule.as_ref().map(|rule| rule.line)
    }

    /// The rule that decided, as text: `Disallow: /private`. None if no rule did.
    #[getter]
    fn text(&self) -> Option<String> {
        let rule = self.rule.as_ref()?;
        Some(format!("{}: {}", rule.kind, rule.text))
    }

    fn __bool__(&self) -> bool {
        self.is_allowed
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    #[staticmethod]
    #[pyo3(name = "_load")]
    fn load(
        py: Python<'_>,
        is_allowed: bool,
        reason: Text,
        rule: Option<PyRef<'_, Rule>>,
        text: Text,
    ) -> PyResult<Self> {
        // Raises ValueError for another text.
        word::VERDICT_REASON.member(py, &*reason)?;
        Ok(Self {
            is_allowed,
            reason: reason.to_owned().into(),
            rule: rule.map(|rule| rule.clone()),
            text: text.to_owned(),
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, VerdictState<'_>>> {
        let state = (
            self.is_allowed,
            &*self.reason,
            self.rule.clone(),
            &*self.text,
        );
        pickle::reduced::<Self, _>(py, state)
    }

    fn __repr__(&self) -> String {
        format!("<Verdict: {}>", self.text)
    }
}

/// The state of a pickled verdict: whether it allows, the name of the reason, the rule and the text.
type VerdictState<'a> = (bool, &'a str, Option<Rule>, &'a str);

/// A rule: a line of the file that allows or disallows. Bytes that are not UTF-8 are replaced in its texts.
#[pyclass(frozen, eq, hash, module = "robots_policy")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Rule {
    kind: robots_txt::RuleKind,
    /// The number of its line, from 1.
    #[pyo3(get)]
    line: usize,
    /// Its pattern, as written.
    #[pyo3(get)]
    text: String,
    /// The name in its group that matched the robot, as written: `*` or a robot's name.
    #[pyo3(get)]
    agent: String,
    /// The number of the line with that name, from 1; None if the rule is before the first User-agent line.
    #[pyo3(get)]
    agent_line: Option<usize>,
}

impl Rule {
    fn new(rule: &robots_txt::Rule<'_>) -> Self {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Self {
            kind: rule.kind(),
            line: rule.line(),
            text: text(rule.text()),
            agent: text(rule.agent()),
            agent_line: rule.agent_line(),
        }
    }
}

#[pymethods]
impl Rule {
    /// The effect of the rule: it allows or disallows.
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::RULE_KIND.member(py, self.kind.name())
    }

    fn __str__(&self) -> String {
        let text = format!("{}: {} (group of {})", self.kind, self.text, self.agent);
        printable(&text).into_owned()
    }

    #[staticmethod]
    #[pyo3(name = "_load")]
    fn load(
        is_allow: bool,
        line: usize,
        text: Text,
        agent: Text,
        agent_line: Option<usize>,
    ) -> Self {
        Self {
            kind: if is_allow {
                robots_txt::RuleKind::Allow
            } else {
                robots_txt::RuleKind::Disallow
            },
            line,
            text: text.to_owned(),
            agent: agent.to_owned(),
            agent_line,
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, RuleState<'_>>> {
        let state = (
            self.kind == robots_txt::RuleKind::Allow,
            self.line,
            &*self.text,
            &*self.agent,
            self.agent_line,
        );
        pickle::reduced::<Self, _>(py, state)
    }

    fn __repr__(&self) -> String {
        format!("<Rule in line {}: {}>", self.line, self.__str__())
    }
}

/// The state of a pickled rule: whether it allows, its line, its pattern, the name of its group, and the line of that name.
type RuleState<'a> = (bool, usize, &'a str, &'a str, Option<usize>);

/// A rate of requests: a number of documents in a period, and the hours in which it applies.
#[pyclass(frozen, eq, hash, str = "{0}", module = "robots_policy")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RequestRate(pub(crate) robots_txt::extension::RequestRate);

/// The state of a pickled rate: its line and its text.
pub(crate) type RateState = (usize, String);

impl RequestRate {
    pub(crate) fn state(&self) -> RateState {
        (self.0.line(), self.0.to_string())
    }

    /// Reads the state of a rate.
    pub(crate) fn load(line: usize, text: &str) -> PyResult<Self> {
        let robots = RobotsTxt::parse(format!("Request-rate: {text}"));
        let read = |extension| match extension {
            Extension::RequestRate(rate) => Some(Self(rate.in_line(line))),
            _ => None,
        };
        let rate = robots.extensions(&Dialect::RFC9309).find_map(read);
        rate.ok_or_else(|| LoadError::new_err(format!("invalid request rate {text:?}")))
    }
}

#[pymethods]
impl RequestRate {
    /// The number of the line, from 1.
    #[getter]
    fn line(&self) -> usize {
        self.0.line()
    }

    /// The number of documents that may be fetched in a period.
    #[getter]
    fn documents(&self) -> u32 {
        self.0.documents().get()
    }

    /// The period, in seconds.
    #[getter]
    fn period(&self) -> u64 {
        self.0.period().as_secs()
    }

    /// The seconds between two documents at an even pace.
    #[getter]
    fn interval(&self) -> f64 {
        self.0.interval().as_secs_f64()
    }

    /// The hours in which the rate applies, in UTC (`0800-1600`); None for the whole day.
    #[getter]
    fn window(&self) -> Option<String> {
        self.0.window().map(|window| window.to_string())
    }

    #[staticmethod]
    #[pyo3(name = "_load")]
    fn loaded(line: usize, text: Text) -> PyResult<Self> {
        Self::load(line, &text)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, RateState>> {
        pickle::reduced::<Self, _>(py, self.state())
    }

    fn __repr__(&self) -> String {
        format!("<RequestRate {}>", self.0)
    }
}
