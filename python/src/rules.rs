//! The rules of a robot, and their verdicts.

use crate::argument::{BorrowedText, Bytes, DialectName, Text};
use crate::error::LoadError;
use crate::word;
use pyo3::prelude::*;
use robots_policy::text::printable;
use robots_txt::extension::Extension;
use robots_txt::{Dialect, RobotsTxt, Target};

/// The rules of one file for one robot under one dialect: `RobotsTxt(body).rules(agent)`.
///
/// Rules pickle as a few bytes. They are immutable, and threads can share them.
#[pyclass(frozen, module = "robots_policy")]
#[derive(Debug)]
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
#[derive(Debug)]
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
            VisitsSource::File(robots, agent) => py.detach(|| {
                let extensions = robots.extensions_for(agent, self.rules.dialect());
                Visits {
                    request_rates: extensions.request_rates().map(RequestRate::new).collect(),
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
        py.detach(|| {
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

    /// Returns the rules that `to_bytes` wrote under the same dialect.
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
        let rates = rates.map(|rate| (rate.line, rate.__str__())).collect();
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
type State = (Vec<u8>, &'static str, Vec<(usize, String)>, Option<String>);

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
        .map(|(line, text)| RequestRate::parse(*line, text));
    let visits = Visits {
        request_rates: rates.collect::<PyResult<_>>()?,
        visit_time: visit_time.map(|text| text.to_owned()),
    };
    Rules::load(&data, &dialect.0, visits)
}

impl Rules {
    fn load(data: &Bytes, dialect: &Dialect, visits: Visits) -> PyResult<Self> {
        let rules = robots_txt::Rules::from_bytes(&data.0, dialect)
            .map_err(|error| LoadError::new_err(error.to_string()))?;
        Ok(Self {
            rules,
            visits: VisitsSource::Loaded(visits),
        })
    }
}

/// A verdict: whether a URL may be fetched, with the reason. It is true if the URL may be fetched.
#[pyclass(frozen, eq, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Whether the URL may be fetched.
    #[pyo3(get, name = "allowed")]
    is_allowed: bool,
    reason: &'static str,
    /// The rule that decided, if one did.
    #[pyo3(get)]
    rule: Option<Rule>,
    text: String,
}

impl Verdict {
    fn new(verdict: &robots_txt::Verdict<'_>) -> Self {
        Self {
            is_allowed: verdict.is_allowed(),
            reason: verdict.reason().name(),
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
        word::VERDICT_REASON.member(py, self.reason)
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

    fn __repr__(&self) -> String {
        format!("<Verdict: {}>", self.text)
    }
}

/// A rule: a line of the file that allows or disallows. Bytes that are not UTF-8 are replaced in its texts.
#[pyclass(frozen, eq, module = "robots_policy")]
#[derive(Debug, Clone, PartialEq, Eq)]
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
        word::RULE_KIND.member(py, self.kind.to_string().to_lowercase())
    }

    fn __str__(&self) -> String {
        let text = format!("{}: {} (group of {})", self.kind, self.text, self.agent);
        printable(&text).into_owned()
    }

    fn __repr__(&self) -> String {
        format!("<Rule in line {}: {}>", self.line, self.__str__())
    }
}

/// A rate of requests: a number of documents in a period, and the hours in which it applies.
#[pyclass(frozen, eq, module = "robots_policy")]
#[derive(Debug, Clone)]
pub(crate) struct RequestRate {
    /// The number of the line, from 1.
    #[pyo3(get)]
    line: usize,
    /// If it was loaded from a pickle, its `line()` is 1, as its text was read alone; the field `line` has the right one.
    rate: robots_txt::extension::RequestRate,
}

impl PartialEq for RequestRate {
    fn eq(&self, other: &Self) -> bool {
        let facts = |rate: &Self| {
            (
                rate.line,
                rate.documents(),
                rate.period(),
                rate.rate.window(),
            )
        };
        facts(self) == facts(other)
    }
}

impl RequestRate {
    pub(crate) fn new(rate: robots_txt::extension::RequestRate) -> Self {
        Self {
            line: rate.line(),
            rate,
        }
    }

    /// Reads the text of a rate, for loading.
    fn parse(line: usize, text: &str) -> PyResult<Self> {
        let robots = RobotsTxt::parse(format!("Request-rate: {text}"));
        let read = |extension| match extension {
            Extension::RequestRate(rate) => Some(Self { line, rate }),
            _ => None,
        };
        let rate = robots.extensions(&Dialect::RFC9309).find_map(read);
        rate.ok_or_else(|| LoadError::new_err(format!("invalid request rate {text:?}")))
    }
}

#[pymethods]
impl RequestRate {
    /// The number of documents that may be fetched in a period.
    #[getter]
    fn documents(&self) -> u32 {
        self.rate.documents().get()
    }

    /// The period, in seconds.
    #[getter]
    fn period(&self) -> u64 {
        self.rate.period().as_secs()
    }

    /// The seconds between two documents at an even pace.
    #[getter]
    fn interval(&self) -> f64 {
        self.rate.interval().as_secs_f64()
    }

    /// The hours in which the rate applies, in UTC (`0800-1600`); None for the whole day.
    #[getter]
    fn window(&self) -> Option<String> {
        self.rate.window().map(|window| window.to_string())
    }

    fn __str__(&self) -> String {
        self.rate.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<RequestRate {}>", self.rate)
    }
}
