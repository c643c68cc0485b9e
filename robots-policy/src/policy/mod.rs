//! The policy: decisions for one robot under one profile, by the known facts about origins.

mod learn;

use crate::decide;
use crate::decision::Decision;
use crate::input::page::Page;
use crate::limits::DEFAULT_STORE_BYTES;
use crate::observe::DecisionContext;
use crate::origins::known::{KnownOrigin, KnownOrigins};
use crate::origins::{CompiledFiles, FileForm, RulesCache};
use crate::profile::{Profile, Robot, SignalFamilies, of_crawlers};
use crate::robots::{OutcomeLog, RobotsFetch, RobotsState};
use crate::site::{self, SiteRules};
use robots_meta::{Facts, HeadOptions, PageFacts, Timestamp, Wanted};
use robots_txt::rules::LoadError;
use robots_txt::select::ProductTokenError;
use robots_txt::{Dialect, ProductToken, RobotsTxt, Rules};
use std::borrow::Borrow;
use std::iter;
use std::sync::Arc;

/// The first byte of the output of [`Policy::compile_to_bytes`] if it is a body. Compiled rules begin
/// with another byte.
const KEPT_BODY: u8 = 0;

/// The configuration of decisions for one robot under one [`Profile`], with a handle to what was learned about origins.
///
/// A clone has a configuration of its own, which the `with_` methods change. It shares what was learned until
/// [`with_store_limit`](Self::with_store_limit) replaces it: both policies decide by the outcomes that either learns
/// ([`Policy::learn`]).
///
/// ```
/// use robots_policy::{Fetch, Index, Policy, RobotsFetch};
///
/// let policy = Policy::new("ExampleBot")?;
/// policy.learn(
///     "https://example.com/",
///     RobotsFetch::Body(b"User-agent: *\nDisallow: /private"),
/// )?;
/// let decision = policy.decide("https://example.com/", b"<meta name=robots content=noindex>");
/// assert_eq!(decision.fetch, Fetch::Allow);
/// assert_eq!(decision.index, Index::No);
///
/// let decision = policy.decide("https://example.com/private", b"");
/// assert_eq!(decision.index, Index::UrlOnly);
/// assert_eq!(decision.reasons[0].text, "Disallow: /private (group of *)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Policy {
    profile: Profile,
    robot: Robot,
    /// The facts of a HEAD that are read.
    wanted: Wanted,
    has_scripting: bool,
    is_explained: bool,
    rules: Arc<RulesCache>,
    origins: Arc<KnownOrigins<SiteRules>>,
}

impl Default for Policy {
    /// Returns the policy of the robot `*` under the neutral profile. Only groups of `*` apply to it.
    fn default() -> Self {
        Self::of(Profile::neutral(), Robot::new("*"))
    }
}

impl Policy {
    /// Returns the policy of a robot, given by its name (`ExampleBot`). A robot that is known is read as its operator reads,
    /// any other one under the neutral profile: RFC 9309, and the most restrictive directive counts
    /// ([`Profile::of_robot`]). METAs named `robots` and METAs with the
    /// robot's name apply to it; in robots.txt it obeys the groups of
    /// [`Agent::known`](robots_txt::Agent::known). Of a name such as `Sogou web spider`, the token at its start counts
    /// ([`Robot::new`]), as in the lines of robots.txt (RFC 9309, section 2.2.1): `Yahoo! Slurp` is `Yahoo`, but Yahoo's groups
    /// are those of `Slurp`.
    ///
    /// ```
    /// use robots_policy::Policy;
    /// use robots_policy::robots_txt::Agent;
    ///
    /// assert!(Policy::new("ExampleBot").is_ok());
    /// // A full User-Agent value is not a name.
    /// let error = Policy::new("Mozilla/5.0 (compatible; ExampleBot/1.0)").unwrap_err();
    /// assert!(error.to_string().contains("pass the name alone"));
    /// ```
    ///
    /// # Errors
    ///
    /// If the name is not a product token, see [`ProductToken::parse`].
    pub fn new(agent: &str) -> Result<Self, ProductTokenError> {
        Self::under(Profile::of_robot(agent), agent)
    }

    /// Returns the policy of a robot under a profile. The robot may be one of the profile's, or any
    /// other ([`Profile::robot`]).
    ///
    /// ```
    /// use robots_policy::{Policy, Profile};
    ///
    /// let policy = Policy::under(&Profile::google(), "Googlebot-News")?;
    /// assert_eq!(policy.meta_names(), ["robots", "Googlebot-News", "googlebot"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the name is not a product token, see [`ProductToken::parse`].
    pub fn under(profile: &Profile, agent: &str) -> Result<Self, ProductTokenError> {
        let name = ProductToken::parse(agent)?;
        Ok(Self::for_robot(profile, profile.robot(name.as_str())))
    }

    /// Returns the policy of a described robot under a profile.
    pub fn for_robot(profile: &Profile, robot: Robot) -> Self {
        Self::of(profile.clone(), robot)
    }

    fn of(profile: Profile, robot: Robot) -> Self {
        Self {
            wanted: wanted(iter::once((&profile, &robot))),
            profile,
            robot,
            has_scripting: false,
            is_explained: true,
            rules: Arc::new(CompiledFiles::of_store(DEFAULT_STORE_BYTES).of_policy()),
            origins: Arc::new(KnownOrigins::new(DEFAULT_STORE_BYTES)),
        }
    }

    /// Sets the dialect of robots.txt. The path `/robots.txt` is allowed, whether the dialect does so or not. Files learned
    /// before keep the rules of the former dialect.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        let dialect = of_crawlers(dialect);
        if dialect != self.profile.dialect {
            // The profile is no longer the one of this name.
            self.profile.name = format!("{} ({})", self.profile.name, dialect.name());
            self.profile.dialect = dialect;
        }
        self
    }

    /// Leaves [`Decision::reasons`] and [`Decision::warnings`] empty, which saves their cost.
    #[must_use]
    pub fn without_reasons(mut self) -> Self {
        self.is_explained = false;
        self
    }

    /// Reads pages as a browser that runs scripts does
    /// ([`HeadOptions::with_scripting`](robots_meta::HeadOptions::with_scripting)), if `has_scripting`: an element in NOSCRIPT
    /// does not end HEAD.
    ///
    /// ```
    /// use robots_policy::{Index, Policy, RobotsFetch};
    ///
    /// let html = "<head><noscript><img></noscript><meta name=robots content=noindex></head>";
    /// let policy = Policy::new("ExampleBot")?;
    /// policy.learn("https://example.com/", RobotsFetch::Status(404))?;
    /// assert_eq!(policy.decide("https://example.com/", html).index, Index::Yes);
    /// let policy = policy.with_scripting(true);
    /// assert_eq!(policy.decide("https://example.com/", html).index, Index::No);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_scripting(mut self, has_scripting: bool) -> Self {
        self.has_scripting = has_scripting;
        self
    }

    /// Replaces what was learned about origins by an empty store of this size in bytes;
    /// [`DEFAULT_STORE_BYTES`] by default. A full store evicts origins that were not looked up recently;
    /// they are unknown again. In addition, compiled files are cached in up to an eighth of the size.
    #[must_use]
    pub fn with_store_limit(mut self, bytes: u64) -> Self {
        self.rules = Arc::new(CompiledFiles::of_store(bytes).of_policy());
        self.origins = Arc::new(KnownOrigins::new(bytes));
        self
    }

    /// Keeps compiled files together with those of other policies, in place of a cache of its own.
    #[must_use]
    pub fn with_compiled_files(mut self, files: &CompiledFiles) -> Self {
        self.rules = Arc::new(files.of_policy());
        self
    }

    /// Returns the name of the robot.
    pub fn agent(&self) -> &str {
        self.robot.name()
    }

    /// Returns the robot.
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// Returns the profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Returns the names of METAs and header prefixes that apply to the robot.
    pub fn meta_names(&self) -> &[String] {
        self.robot.meta_names()
    }

    /// Returns the parts of the policy that a decision needs.
    pub(crate) fn context(&self) -> DecisionContext<'_> {
        DecisionContext {
            profile: &self.profile,
            robot: &self.robot,
            wanted: &self.wanted,
            has_scripting: self.has_scripting,
            is_explained: self.is_explained,
        }
    }

    /// Returns whether pages are read as by a browser that runs scripts ([`with_scripting`](Self::with_scripting)).
    pub fn has_scripting(&self) -> bool {
        self.has_scripting
    }

    /// Returns the options with which pages are read, for callers who read them themselves ([`Page::with_meta`]): the facts that a
    /// decision needs, and whether scripts run.
    pub fn head_options(&self) -> HeadOptions {
        self.context().head_options()
    }

    /// Returns whether METAs in BODY count ([`Honours::BODY_METAS`](crate::profile::Honours::BODY_METAS)). If so, a page must be read to its end.
    pub fn reads_body(&self) -> bool {
        self.context().reads_body()
    }

    /// Reads the facts of a page that a decision needs. It reads the HEAD. If the page may have METAs after it, and they count
    /// ([`Honours::BODY_METAS`](crate::profile::Honours::BODY_METAS)) or a warning reports them (not with
    /// [`without_reasons`](Self::without_reasons)), it reads the whole page. `charset` is the encoding that the response names.
    pub fn read(&self, html: &[u8], charset: Option<&str>) -> PageFacts {
        self.context().read(html, charset)
    }

    /// Returns the state of an origin right after its first request for robots.txt, by the profile's table
    /// of outcomes.
    pub fn robots(&self, fetch: RobotsFetch<'_>) -> RobotsState<SiteRules> {
        let mut log = OutcomeLog::new();
        log.record(&fetch, None, |_| self.rules_in(&fetch));
        self.state(&log, None, None)
    }

    /// Compiles a robots.txt for the robot, for callers who keep a log themselves ([`OutcomeLog::record`]).
    ///
    /// Equal files share their compiled rules while these are cached. Linear in the bytes, up to the size
    /// limit of the dialect.
    pub fn compile(&self, body: &[u8]) -> SiteRules {
        self.compile_parsed(FileForm::Plain, body, || {
            site::parse(body, [&self.profile.dialect])
        })
    }

    /// Compiles a robots.txt into bytes that [`load`](Self::load) reads, for databases that do not keep
    /// bodies.
    ///
    /// The bytes are the compiled rules; files with equal rules and no other statements have equal bytes. If a decision
    /// needs more of the file than its rules, the bytes are the body: preferences for AI, licences, request rates,
    /// visit times, or rules that depend on the URL of the file ([`SiteRules::at_url`]).
    ///
    /// ```
    /// use robots_policy::{Fetch, Page, Policy};
    /// use robots_policy::robots::RobotsState;
    ///
    /// let policy = Policy::new("ExampleBot")?;
    /// let kept: Vec<u8> = policy.compile_to_bytes(b"User-agent: *\nDisallow: /private");
    ///
    /// let robots = RobotsState::Rules(policy.load(&kept)?);
    /// let page = Page::new("https://example.com/private/x");
    /// assert_eq!(policy.decide_under(&robots, &page).fetch, Fetch::Disallow);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compile_to_bytes(&self, body: &[u8]) -> Vec<u8> {
        let parsed = site::parse(body, [&self.profile.dialect]);
        let site = SiteRules::of(&parsed, &self.robot, &self.profile);
        if site.is_rules_alone() {
            return site.rules().to_bytes();
        }
        [&[KEPT_BODY], parsed.body()].concat()
    }

    /// Loads the output of [`compile_to_bytes`](Self::compile_to_bytes) of a policy with the same robot and
    /// profile.
    ///
    /// # Errors
    ///
    /// If the bytes are of another version or another dialect, or damaged. Bytes of another robot or
    /// profile are not detected.
    pub fn load(&self, bytes: &[u8]) -> Result<SiteRules, LoadError> {
        match bytes.split_first() {
            Some((&KEPT_BODY, body)) => Ok(self.compile(body)),
            _ => Rules::from_bytes(bytes, &self.profile.dialect)
                .map(|rules| SiteRules::of_rules(rules, bytes.len())),
        }
    }

    /// Compiles a robots.txt, which is parsed only if its rules are not cached. `bytes` are those by which it is known.
    pub(crate) fn compile_parsed<T: Borrow<RobotsTxt>>(
        &self,
        form: FileForm,
        bytes: &[u8],
        parsed: impl FnOnce() -> T,
    ) -> SiteRules {
        let dialect = &self.profile.dialect;
        self.rules.rules(dialect, form, bytes, || {
            SiteRules::of(parsed().borrow(), &self.robot, &self.profile)
        })
    }

    /// Compiles a robots.txt that the caller keeps in another form, such as compressed. `packed` is the file in this form, or a digest
    /// of it. `unpack` returns its body; it is called only if the rules of an equal file in this form are not cached. Equal bytes must
    /// be of equal files.
    pub fn compile_packed<B: AsRef<[u8]>>(
        &self,
        packed: &[u8],
        unpack: impl FnOnce() -> B,
    ) -> SiteRules {
        self.compile_parsed(FileForm::Packed, packed, || {
            site::parse(unpack().as_ref(), [&self.profile.dialect])
        })
    }

    /// Decides about a page, given its HTML, by the facts that were learned about its origin.
    ///
    /// If robots.txt is not known, it may forbid the page: only what the page itself forbids is known. To decide by the page
    /// alone, let its site have no robots.txt:
    ///
    /// ```
    /// use robots_policy::{Index, Page, Permission, Policy, RobotsFetch};
    ///
    /// let policy = Policy::default();
    /// let html = b"<meta name=robots content='index, nofollow'>";
    /// let decision = policy.decide("https://example.com/", html);
    /// assert_eq!((decision.index, decision.follow), (Index::Unknown, Permission::No));
    ///
    /// let none = policy.robots(RobotsFetch::Status(404));
    /// let page = Page::new("https://example.com/").with_html(html);
    /// let decision = policy.decide_under(&none, &page);
    /// assert_eq!((decision.index, decision.follow), (Index::Yes, Permission::No));
    /// ```
    pub fn decide(&self, url: &str, html: impl AsRef<[u8]>) -> Decision {
        self.decide_page(&Page::new(url).with_html(html.as_ref()))
    }

    /// Decides about a URL and its response, as far as it is known, by the facts that were learned about its
    /// origin.
    ///
    /// An unknown tdmrep.json counts as missing. Some tables depend on whether the site is available
    /// (Google's, after 30 days: `docs/semantics.md`, section 8.1). A status below 500, other than 429, shows
    /// that it is.
    pub fn decide_page(&self, page: &Page<'_>) -> Decision {
        self.decide_by(page, |known| {
            self.state(&known.outcomes, page.now, page.site_is_available())
        })
    }

    /// Decides about a page that an archive captured. Unlike [`decide_page`](Self::decide_page), it applies the
    /// robots.txt of the time of capture ([`archived_state`](Self::archived_state)), whatever
    /// [`Page::at`] is.
    ///
    /// ```
    /// use robots_policy::robots_meta::Timestamp;
    /// use robots_policy::{Fetch, Page, Policy, RobotsFetch};
    ///
    /// let policy = Policy::new("ExampleBot")?;
    /// let day = |number: i64| Timestamp::from_seconds(number * 86_400);
    /// let url = "https://example.com/x";
    /// policy.learn_at(url, RobotsFetch::Body(b"User-agent: *\nDisallow: /x"), day(1))?;
    ///
    /// let page = Page::new(url).at(day(300));
    /// assert_eq!(policy.decide_page(&page).fetch, Fetch::Unknown);
    /// assert_eq!(policy.decide_archived(&page, Some(day(2))).fetch, Fetch::Disallow);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decide_archived(&self, page: &Page<'_>, captured: Option<Timestamp>) -> Decision {
        self.decide_by(page, |known| self.archived_state(&known.outcomes, captured))
    }

    /// Decides by the facts that were learned about the page's origin. `state_of` returns the state of its
    /// robots.txt.
    fn decide_by(
        &self,
        page: &Page<'_>,
        state_of: impl FnOnce(&KnownOrigin<SiteRules>) -> RobotsState<SiteRules>,
    ) -> Decision {
        match self.origins.of_page(page) {
            Ok(known) => self.decide_under(&state_of(&known), &known.complete(page)),
            Err(cause) => self.decide_under(&RobotsState::Unknown(cause), page),
        }
    }

    /// Decides about a URL and its response under a robots.txt state that the caller keeps. The state comes
    /// from [`Policy::robots`] or [`Policy::state`] of a policy with the same robot and profile: its rules are those of
    /// that robot, which is not checked. The only tdmrep.json that counts is that of the page ([`Page::with_tdmrep`]).
    pub fn decide_under(&self, robots: &RobotsState<SiteRules>, page: &Page<'_>) -> Decision {
        decide::decide(self.context(), robots, page)
    }
}

/// Returns the facts of a HEAD that decisions for some robots under some profiles need. Directives under ignored names have no
/// effect, but are reported. So they are read, too.
pub(crate) fn wanted<'p>(
    deciders: impl Iterator<Item = (&'p Profile, &'p Robot)> + Clone,
) -> Wanted {
    let facts = deciders.clone().map(|(profile, _)| facts(profile));
    let names = deciders.flat_map(|(_, robot)| [robot.meta_names(), robot.ignored_meta_names()]);
    let mut distinct: Vec<&str> = Vec::new();
    for name in names.flatten() {
        if !distinct
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name))
        {
            distinct.push(name);
        }
    }
    Wanted::facts(facts.collect()).for_robots(distinct)
}

fn facts(profile: &Profile) -> Facts {
    let mut facts = Facts::ROBOTS | Facts::REVISIT_AFTER | Facts::LICENSES;
    if profile.ai.signals.contains(SignalFamilies::TDMREP) {
        facts |= Facts::TDM;
    }
    facts
}
