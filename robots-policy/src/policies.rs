//! Several policies at once, which share the cost of reading.

use crate::decision::Decision;
use crate::input::page::Content;
use crate::input::{Page, UrlError};
use crate::limits::DEFAULT_STORE_BYTES;
use crate::observe::head::{self, AfterHead};
use crate::origins::known::KnownOrigins;
use crate::origins::{CompiledFiles, FileForm};
use crate::policy::{self, Policy};
use crate::robots::{OutcomeLog, RobotsFetch, RobotsState};
use crate::site::{self, SiteRules, Tdmrep};
use robots_meta::page::HeadEnd;
use robots_meta::{HeadOptions, PageFacts, Timestamp, Wanted};
use robots_txt::Dialect;
use std::borrow::Cow;
use std::cell::LazyCell;
use std::iter;
use std::sync::Arc;

/// Policies that decide about the same pages: a robots.txt is parsed once for all of them, and so is the HEAD of a
/// page.
///
/// Each policy decides as it would alone, by what the whole has learned about origins ([`learn`](Self::learn)): one log of
/// outcomes for each origin, with rules for each robot. The facts that a single policy has learned ([`Policy::learn`]) remain
/// its own. A clone shares what was learned, until [`with_store_limit`](Self::with_store_limit) replaces it.
///
/// ```
/// use robots_policy::{Index, Policies, Policy, Profile, RobotsFetch};
///
/// let policies = Policies::new(vec![
///     Policy::under(&Profile::google(), "Googlebot")?,
///     Policy::under(&Profile::bing(), "bingbot")?,
/// ]);
/// policies.learn("https://example.com/", RobotsFetch::Status(404))?;
/// let html = b"<meta name=bingbot content=noindex>";
/// let decisions = policies.decide("https://example.com/", html);
/// let indexes: Vec<_> = decisions.iter().map(|decision| decision.index).collect();
/// assert_eq!(indexes, [Index::Yes, Index::No]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The steps apart, with a state of robots.txt that the caller keeps:
///
/// ```
/// use robots_policy::{Index, Page, Policies, Policy, Profile, RobotsFetch};
///
/// let policies: Policies = [(Profile::google(), "Googlebot"), (Profile::bing(), "bingbot")]
///     .iter()
///     .map(|(profile, robot)| Policy::under(profile, robot))
///     .collect::<Result<_, _>>()?;
/// let html = b"<meta name=bingbot content=noindex>";
/// let heads = policies.read(html, None);
/// let indexes = policies.iter().zip(heads.iter()).map(|(policy, head)| {
///     let robots = policy.robots(RobotsFetch::Status(404));
///     let page = Page::new("https://example.com/").with_meta(head);
///     policy.decide_under(&robots, &page).index
/// });
/// assert_eq!(indexes.collect::<Vec<_>>(), [Index::Yes, Index::No]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Policies {
    members: Vec<Policy>,
    /// The facts that at least one of them wants.
    wanted: Wanted,
    origins: Arc<KnownOrigins<RulesOfEach>>,
}

/// A robots.txt for each robot, in the order of the policies; `None` if the table of the policy does not read the response.
type RulesOfEach = Arc<[Option<SiteRules>]>;

impl Policies {
    /// Returns the policies in this order, with one store and one cache of compiled files in place of those of each.
    pub fn new(policies: Vec<Policy>) -> Self {
        let deciders = policies.iter();
        let wanted = policy::wanted(deciders.map(|policy| (policy.profile(), policy.robot())));
        Self::with_store(policies, wanted, DEFAULT_STORE_BYTES)
    }

    /// Replaces what was learned about origins by an empty store of this size in bytes; [`DEFAULT_STORE_BYTES`] by default. A
    /// full store evicts origins that were not looked up recently; they are unknown again. In addition, the policies cache
    /// compiled files together, in up to an eighth of the size.
    #[must_use]
    pub fn with_store_limit(self, bytes: u64) -> Self {
        Self::with_store(self.members, self.wanted, bytes)
    }

    fn with_store(policies: Vec<Policy>, wanted: Wanted, bytes: u64) -> Self {
        let files = CompiledFiles::of_store(bytes);
        let policies = policies.into_iter();
        Self {
            members: policies
                .map(|policy| policy.with_compiled_files(&files))
                .collect(),
            wanted,
            origins: Arc::new(KnownOrigins::new(bytes)),
        }
    }

    /// Returns the policies, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Policy> {
        self.members.iter()
    }

    /// Returns their number.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Records the outcome of a request for an origin's robots.txt for all robots. See [`Policy::learn`].
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn learn(&self, url: &str, fetch: RobotsFetch<'_>) -> Result<(), UrlError> {
        let compile = || self.compile_outcome(&fetch);
        self.origins.learn(url, &fetch, None, compile)
    }

    /// Records the outcome of a request for an origin's robots.txt for all robots, with its time. See [`Policy::learn_at`].
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn learn_at(
        &self,
        url: &str,
        fetch: RobotsFetch<'_>,
        at: Timestamp,
    ) -> Result<(), UrlError> {
        let compile = || self.compile_outcome(&fetch);
        self.origins.learn(url, &fetch, Some(at), compile)
    }

    /// Records the tdmrep.json of an origin; `url` is any URL of the origin.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn learn_tdmrep(&self, url: &str, tdmrep: Tdmrep) -> Result<(), UrlError> {
        self.origins.learn_tdmrep(url, tdmrep)
    }

    /// Forgets an origin; `url` is any URL of the origin.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn forget(&self, url: &str) -> Result<(), UrlError> {
        self.origins.forget(url)
    }

    /// Returns the number of known origins in memory.
    pub fn known_origins(&self) -> usize {
        self.origins.len()
    }

    /// Returns the first time at which one of the policies needs a new robots.txt of an origin. See [`Policy::ask_again_at`].
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn ask_again_at(&self, url: &str) -> Result<Option<Timestamp>, UrlError> {
        let Some(known) = self.origins.get(url)? else {
            return Ok(None);
        };
        let tables = self.members.iter().map(|policy| &policy.profile().outcomes);
        Ok(tables
            .filter_map(|table| known.outcomes.ask_again_at(table))
            .min())
    }

    /// Decides about a page, given its HTML, by what was [learned](Self::learn) about its origin. Returns the decisions in the
    /// order of the policies. See [`Policy::decide`].
    pub fn decide(&self, url: &str, html: impl AsRef<[u8]>) -> Vec<Decision> {
        self.decide_page(&Page::new(url).with_html(html.as_ref()))
    }

    /// Decides about a URL and its response, as far as it is known, by what was [learned](Self::learn) about its origin. Returns the
    /// decisions in the order of the policies. See [`Policy::decide_page`].
    pub fn decide_page(&self, page: &Page<'_>) -> Vec<Decision> {
        let known = self.origins.of_page(page);
        let page = match &known {
            Ok(known) => known.complete(page),
            Err(_) => Cow::Borrowed(page),
        };
        let robots = match &known {
            Ok(known) => self.states(&known.outcomes, page.now, page.site_is_available()),
            Err(cause) => vec![RobotsState::Unknown(*cause); self.members.len()],
        };
        let deciders = self.members.iter().zip(&robots);
        let Content::Html(html) = page.content else {
            let decide = |(policy, robots): (&Policy, _)| policy.decide_under(robots, &page);
            return deciders.map(decide).collect();
        };
        let heads = self.read(html, page.encoding_label());
        let mut page = page.into_owned();
        let decide = |((policy, robots), head): ((&Policy, _), _)| {
            page.content = Content::Read(head);
            policy.decide_under(robots, &page)
        };
        deciders.zip(heads.iter()).map(decide).collect()
    }

    /// Returns the state of an origin right after its first request for robots.txt for each robot, in the order of the policies.
    /// See [`Policy::robots`].
    pub fn robots(&self, fetch: RobotsFetch<'_>) -> Vec<RobotsState<SiteRules>> {
        let mut log = OutcomeLog::new();
        log.record(&fetch, None, |_| self.compile_outcome(&fetch));
        self.states(&log, None, None)
    }

    /// Returns the state of a log for each robot. See [`Policy::state`].
    fn states(
        &self,
        log: &OutcomeLog<RulesOfEach>,
        now: Option<Timestamp>,
        site_is_available: Option<bool>,
    ) -> Vec<RobotsState<SiteRules>> {
        let state = |(index, policy): (usize, &Policy)| {
            let state = log.state(&policy.profile().outcomes, now, site_is_available);
            state.map(|each| policy.rules_of(each.and_then(|each| each.get(index)?.as_ref())))
        };
        self.members.iter().enumerate().map(state).collect()
    }

    /// Compiles a robots.txt for each robot, in the order of the policies. See [`Policy::compile`].
    pub fn compile(&self, body: &[u8]) -> Vec<SiteRules> {
        self.compile_each(FileForm::Plain, body, || body)
    }

    /// Compiles a robots.txt that the caller keeps in another form for each robot, in the order of the policies. See
    /// [`Policy::compile_packed`].
    pub fn compile_packed<B: AsRef<[u8]>>(
        &self,
        packed: &[u8],
        unpack: impl FnOnce() -> B,
    ) -> Vec<SiteRules> {
        self.compile_each(FileForm::Packed, packed, unpack)
    }

    fn compile_each<B: AsRef<[u8]>>(
        &self,
        form: FileForm,
        bytes: &[u8],
        unpack: impl FnOnce() -> B,
    ) -> Vec<SiteRules> {
        let parsed = LazyCell::new(|| site::parse(unpack().as_ref(), self.dialects()));
        let compile = |policy: &Policy| policy.compile_parsed(form, bytes, || &*parsed);
        self.members.iter().map(compile).collect()
    }

    /// Compiles the response of an outcome for each robot whose profile reads it.
    fn compile_outcome(&self, fetch: &RobotsFetch<'_>) -> Option<RulesOfEach> {
        let response = fetch.response()?;
        let body = response.body();
        let parsed = LazyCell::new(|| site::parse(body, self.dialects()));
        let compile = |policy: &Policy| {
            let reads = policy.profile().outcomes.reads(fetch);
            reads.then(|| policy.compile_parsed(FileForm::Plain, body, || &*parsed))
        };
        Some(self.members.iter().map(compile).collect())
    }

    /// Returns the number of bytes of a robots.txt that its compilation reads: the largest size limit of the dialects, and one
    /// byte that shows that there was more. A file and its first bytes up to this number compile to the same rules.
    pub fn bytes_read(&self) -> usize {
        site::bytes_read(self.dialects())
    }

    fn dialects(&self) -> impl Iterator<Item = &Dialect> {
        self.members.iter().map(|policy| policy.profile().dialect())
    }

    /// Reads the facts of a page that each decision needs. See [`Policy::read`].
    pub fn read(&self, html: &[u8], charset: Option<&str>) -> Heads {
        let has_scripting = self.members.first().is_some_and(Policy::has_scripting);
        let differs = |policy: &Policy| policy.has_scripting() != has_scripting;
        if self.members.iter().any(differs) {
            return self.read_alone(html, charset);
        }
        let options = HeadOptions::from(self.wanted.clone()).with_scripting(has_scripting);
        let after_head = |policy: &Policy| policy.context().after_head();
        let most = self.members.iter().map(after_head).max();
        let most = most.unwrap_or(AfterHead::Ignored);
        let reading = head::read(html, charset, options, most);
        let is_limited = |meta: &PageFacts| matches!(meta.end(), HeadEnd::Limit(_));
        if self.members.len() > 1
            && iter::once(&reading.head)
                .chain(&reading.document)
                .any(is_limited)
        {
            // The facts that other policies want may have reached the limit.
            return self.read_alone(html, charset);
        }
        // The facts of the HEAD are at 0; those of the document, if it was read, at 1.
        let has_document = reading.document.is_some();
        let indexes = self
            .members
            .iter()
            .map(|policy| usize::from(has_document && after_head(policy) != AfterHead::Ignored))
            .collect();
        Heads {
            facts: iter::once(reading.head).chain(reading.document).collect(),
            indexes,
        }
    }

    /// Reads the page once for each policy.
    fn read_alone(&self, html: &[u8], charset: Option<&str>) -> Heads {
        let alone = self.members.iter();
        Heads {
            facts: alone.map(|policy| policy.read(html, charset)).collect(),
            indexes: (0..self.members.len()).collect(),
        }
    }
}

impl FromIterator<Policy> for Policies {
    fn from_iter<I: IntoIterator<Item = Policy>>(policies: I) -> Self {
        Self::new(policies.into_iter().collect())
    }
}

/// The facts of a page ([`PageFacts`]) for each of several policies ([`Policies::read`]).
///
/// With the feature `serde`, they can be kept for a later step instead of the page, as [`PageFacts`] can: the same version
/// of this crate, with the same policies, reads them back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Heads {
    /// The distinct facts: policies that need the same share them.
    facts: Vec<PageFacts>,
    /// For each policy, the index of its facts in `facts`.
    indexes: Vec<usize>,
}

impl Heads {
    /// Returns the facts for each policy, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &PageFacts> {
        self.indexes.iter().filter_map(|&at| self.facts.get(at))
    }

    /// Returns the distinct facts: policies that need the same share them.
    pub fn distinct(&self) -> &[PageFacts] {
        &self.facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::AiUse;
    use crate::robots::RobotsResponse;
    use crate::{Fetch, Index, Profile};

    /// Returns the decisions of each policy, with the others and alone.
    fn decide(policies: &Policies, robots_txt: &[u8], html: &[u8]) -> [Vec<Decision>; 2] {
        let url = "https://example.com/x";
        let compiled = policies.compile(robots_txt);
        let heads = policies.read(html, None);
        let together = policies.iter().zip(compiled).zip(heads.iter());
        let together = together.map(|((policy, rules), head)| {
            let page = Page::new(url).with_meta(head);
            policy.decide_under(&crate::robots::RobotsState::Rules(rules), &page)
        });
        let alone = policies.iter().map(|policy| {
            let robots = policy.robots(RobotsFetch::Body(robots_txt));
            policy.decide_under(&robots, &Page::new(url).with_html(html))
        });
        [together.collect(), alone.collect()]
    }

    fn policies() -> Policies {
        Policies::new(vec![
            Policy::under(&Profile::google(), "Googlebot").unwrap(),
            Policy::under(&Profile::bing(), "bingbot").unwrap(),
            // Names in METAs have no effect on these, which is reported.
            Policy::under(&Profile::google(), "AdsBot-Google").unwrap(),
            Policy::under(&Profile::google(), "GoogleOther").unwrap(),
            Policy::new("ExampleBot").unwrap(),
            Policy::new("Other").unwrap(),
            Policy::under(&Profile::yandex(), "YandexBot")
                .unwrap()
                .without_reasons(),
        ])
    }

    #[test]
    fn each_decides_as_it_would_alone() {
        let robots_txt =
            b"User-agent: *\nDisallow: /x\nCrawl-delay: 3\n\nUser-agent: other\nDisallow:";
        for html in [
            "<meta name=robots content=noarchive><meta name=ExampleBot content=noindex>",
            // Google reads METAs in BODY; the others do not.
            "<title>x</title><body><meta name=robots content=noindex><meta name=revisit-after content='2 days'>",
            "<body><p>",
            "",
        ] {
            let [together, alone] = decide(&policies(), robots_txt, html.as_bytes());
            assert_eq!(together, alone, "{html}");
        }
    }

    #[test]
    fn directives_for_other_robots_do_not_count_towards_a_limit() {
        let others = "<meta name=other content=noindex>".repeat(robots_meta::head::MAX_METAS + 1);
        let html = format!("{others}<meta name=ExampleBot content=noindex>");
        let [together, alone] = decide(&policies(), b"", html.as_bytes());
        assert_eq!(together, alone);
    }

    /// The outcomes of all kinds: some tables read a body that others do not.
    #[test]
    fn each_decides_as_if_it_had_learned_alone() {
        let robots_txt = b"User-agent: *\nDisallow: /x\n\nUser-agent: other\nDisallow: /y";
        let html = RobotsResponse::new(200, robots_txt).with_content_type("text/html");
        let outcomes = [
            RobotsFetch::Body(robots_txt),
            RobotsFetch::Body(b""),
            RobotsFetch::Response(html),
            RobotsFetch::Response(RobotsResponse::new(206, robots_txt)),
            RobotsFetch::Response(RobotsResponse::new(404, robots_txt)),
            RobotsFetch::Status(200),
            RobotsFetch::Status(304),
            RobotsFetch::Status(401),
            RobotsFetch::Status(503),
            RobotsFetch::TooManyRedirects,
            RobotsFetch::Unreachable,
            RobotsFetch::NotFetched,
        ];
        let hour = |hours: i64| Timestamp::from_seconds(hours * 3600);
        for (first, second) in outcomes
            .iter()
            .flat_map(|first| outcomes.iter().map(move |second| (*first, *second)))
        {
            let together = policies();
            let alone: Vec<Policy> = policies().iter().cloned().collect();
            let url = "https://example.com/x";
            for (outcome, at) in [(first, hour(0)), (second, hour(20))] {
                together.learn_at(url, outcome, at).unwrap();
                for policy in &alone {
                    policy.learn_at(url, outcome, at).unwrap();
                }
            }
            let page = Page::new(url);
            for (robots, policy) in together.robots(first).iter().zip(&alone) {
                let expected = policy.decide_under(&policy.robots(first), &page);
                assert_eq!(policy.decide_under(robots, &page), expected, "{first:?}");
            }
            let asks = alone.iter().map(|policy| policy.ask_again_at(url).unwrap());
            assert_eq!(together.ask_again_at(url).unwrap(), asks.flatten().min());
            for (path, now) in [("x", 21), ("y", 21), ("x", 40), ("x", 1_000)] {
                let url = format!("https://example.com/{path}");
                let page = Page::new(&url).at(hour(now));
                let pages = [
                    page.clone(),
                    page.clone().not_html(),
                    page.clone().with_status(503).with_html(b""),
                    page.with_html(b"<meta name=ExampleBot content=noindex>"),
                ];
                for page in pages {
                    let decisions: Vec<_> = alone
                        .iter()
                        .map(|policy| policy.decide_page(&page))
                        .collect();
                    assert_eq!(
                        together.decide_page(&page),
                        decisions,
                        "{first:?}, {second:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_facts_about_an_origin_are_shared_and_can_be_forgotten() {
        let together = policies();
        let url = "https://example.com/x";
        let tdmrep = br#"[{"location": "/*", "tdm-reservation": 1}]"#;
        together.learn(url, RobotsFetch::Status(404)).unwrap();
        together
            .learn_tdmrep(url, Tdmrep::parse(tdmrep).unwrap())
            .unwrap();
        assert_eq!(together.known_origins(), 1);
        let trains = |policies: &Policies| policies.decide(url, "")[0].ai_train;
        assert_eq!(trains(&together.clone()), AiUse::Disallow);
        let other = together.clone().with_store_limit(1 << 20);
        assert_eq!((other.known_origins(), together.known_origins()), (0, 1));

        together.forget("https://example.com:443/").unwrap();
        let fetch = |policies: &Policies, url| policies.decide(url, "")[0].fetch;
        assert_eq!(fetch(&together, url), Fetch::Unknown);
        assert_eq!(together.ask_again_at(url), Ok(None));
        // What one policy learns remains its own.
        let one = together.iter().next().unwrap();
        one.learn(url, RobotsFetch::Status(404)).unwrap();
        assert_eq!(fetch(&together, url), Fetch::Unknown);
        assert!(
            together
                .learn("mailto:a@b", RobotsFetch::Status(404))
                .is_err()
        );
        assert_eq!(fetch(&together, "mailto:a@b"), Fetch::Unknown);
        let none = Policies::new(Vec::new());
        assert!(none.is_empty() && none.decide(url, "").is_empty());
    }

    #[test]
    fn a_full_store_forgets_and_does_not_grow() {
        let together = policies().with_store_limit(100_000);
        let body = format!("User-agent: *\nDisallow: /x\n#{}", "x".repeat(500));
        for site in 0..1_000 {
            let url = format!("https://s{site}.example/x");
            together
                .learn(&url, RobotsFetch::Body(body.as_bytes()))
                .unwrap();
        }
        // Each origin has a file of more than 500 bytes for each of seven robots.
        let kept = together.known_origins();
        assert!((2..=28).contains(&kept), "{kept}");
    }

    #[test]
    fn each_policy_reads_noscript_as_it_would_alone() {
        let html = b"<head><noscript><img></noscript><meta name=robots content=noindex></head>";
        let policy = |has_scripting| Policy::default().with_scripting(has_scripting);
        for scripting in [[false, true], [true, false], [true, true]] {
            let together = Policies::new(scripting.map(policy).to_vec());
            let decisions = together.decide("https://example.com/", html);
            let is_noindex = decisions.iter().map(|decision| decision.index == Index::No);
            assert_eq!(is_noindex.collect::<Vec<_>>(), scripting);
        }
    }
}
