//! A policy: for which robot to decide, under which profile, and what is known of origins.

use crate::decide;
use crate::decision::Decision;
use crate::input::page::Page;
use crate::input::{Origin, UrlError, origin};
use crate::limits::DEFAULT_STORE_BYTES;
use crate::observe::{View, head};
use crate::origins::{
    KnownOrigin, MemoryStore, OriginChange, OriginStore, RobotsReader, RulesCache,
};
use crate::profile::{Honours, Profile, Robot, SignalFamilies};
use crate::robots::{Cause, History, OutcomeTable, RobotsFetch};
use crate::site::{self, Robots, SiteRules, Tdmrep};
use robots_meta::{Facts, PageMeta, Timestamp, Wanted};
use robots_txt::rules::LoadError;
use robots_txt::select::ProductTokenError;
use robots_txt::{Dialect, ProductToken, RobotsTxt, Rules};
use std::borrow::{Borrow, Cow};
use std::sync::Arc;

/// The first byte of what [`Policy::compile_to_bytes`] makes of a file with more than rules. Compiled
/// rules begin with another one.
const KEPT_BODY: u8 = 0;

/// A policy: decides for one robot, under one [`Profile`].
///
/// Its configuration is immutable. It reads the states of robots.txt from a store of origins, in memory
/// unless [`with_origins`](Self::with_origins) gives it another, and fills it ([`Policy::learn`]). A clone
/// shares the store. Threads share a policy as it is.
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
    /// What is read of a HEAD.
    wanted: Wanted,
    is_explained: bool,
    rules: Arc<RulesCache>,
    origins: Arc<dyn OriginStore>,
}

impl Default for Policy {
    /// Returns the policy of the robot `*`, which no site names, under the neutral profile.
    fn default() -> Self {
        Self::of(Profile::neutral(), Robot::new("*"))
    }
}

impl Policy {
    /// Returns the policy of a robot, given by its name (`ExampleBot`), under the neutral profile:
    /// RFC 9309, and the most restrictive directive counts. METAs named `robots` and METAs with the
    /// robot's name apply to it; in robots.txt it obeys the groups of
    /// [`Agent::known`](robots_txt::Agent::known).
    ///
    /// ```
    /// use robots_policy::Policy;
    /// use robots_policy::robots_txt::Agent;
    ///
    /// assert!(Policy::new("ExampleBot").is_ok());
    /// // A full User-Agent value is not a name: Agent::from_user_agent finds the name in it.
    /// let error = Policy::new("Mozilla/5.0 (compatible; ExampleBot/1.0)").unwrap_err();
    /// assert!(error.to_string().contains("Agent::from_user_agent"));
    /// ```
    ///
    /// # Errors
    ///
    /// If the name is not a product token, see [`ProductToken::parse`].
    pub fn new(agent: &str) -> Result<Self, ProductTokenError> {
        Self::under(&Profile::neutral(), agent)
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

    /// Returns the policy of a robot that is described in full, under a profile.
    pub fn for_robot(profile: &Profile, robot: Robot) -> Self {
        Self::of(profile.clone(), robot)
    }

    fn of(profile: Profile, robot: Robot) -> Self {
        Self {
            wanted: wanted(&profile, &robot),
            profile,
            robot,
            is_explained: true,
            rules: Arc::new(RulesCache::of_store(DEFAULT_STORE_BYTES)),
            origins: Arc::new(MemoryStore::default()),
        }
    }

    /// With another reading of robots.txt. What was learned before keeps its reading.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        if dialect != self.profile.dialect {
            self.profile.name = format!("{} ({})", self.profile.name, dialect.name());
            self.profile.dialect = dialect;
        }
        self
    }

    /// With these names of METAs and header prefixes that speak to the robot, in place of all others
    /// (`robots` too), ASCII case ignored: `["robots", "googlebot", "googlebot-news"]`.
    #[must_use]
    pub fn with_meta_names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.robot = self.robot.with_meta_names(names);
        self.wanted = wanted(&self.profile, &self.robot);
        self
    }

    /// Decides without saying why: [`Decision::reasons`] and [`Decision::warnings`] stay empty, and
    /// cost nothing.
    #[must_use]
    pub fn without_reasons(mut self) -> Self {
        self.is_explained = false;
        self
    }

    /// With room for so many bytes of what is known of origins, in place of
    /// [`DEFAULT_STORE_BYTES`]; what was learned before is forgotten. When it
    /// is full, the origins go that were not asked for: what is known of them is unknown again.
    #[must_use]
    pub fn with_store_limit(mut self, bytes: u64) -> Self {
        self.rules = Arc::new(RulesCache::of_store(bytes));
        self.origins = Arc::new(MemoryStore::new(bytes));
        self
    }

    /// Keeps what is known of origins in this store, in place of one in memory. Policies of the same
    /// robot and profile may share a store.
    #[must_use]
    pub fn with_origins(mut self, origins: Arc<dyn OriginStore>) -> Self {
        self.origins = origins;
        self
    }

    /// Returns the number of origins of which something is known in memory.
    pub fn known_origins(&self) -> usize {
        self.origins.known_origins()
    }

    /// The robot.
    pub fn agent(&self) -> &str {
        self.robot.name()
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The names of METAs and header prefixes that speak to the robot.
    pub fn meta_names(&self) -> &[String] {
        self.robot.meta_names()
    }

    /// Returns what a decision needs of the policy.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            profile: &self.profile,
            robot: &self.robot,
            wanted: &self.wanted,
            is_explained: self.is_explained,
        }
    }

    /// What a decision needs of a HEAD: for who reads it himself
    /// ([`Page::with_meta`](crate::Page::with_meta)), with
    /// [`HeadOptions::with_wanted`](robots_meta::HeadOptions::with_wanted).
    pub fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    /// Whether a decision hears METAs in BODY ([`Honours::BODY_METAS`]): then no page is read before its end.
    pub fn reads_body(&self) -> bool {
        self.profile.honours.contains(Honours::BODY_METAS)
    }

    /// Reads of a page what a decision needs of it: its HEAD, and where the profile honours METAs in
    /// BODY ([`Honours::BODY_METAS`]) and there may be one, all of it. `charset` is the encoding
    /// that the response names.
    pub fn read(&self, html: &[u8], charset: Option<&str>) -> PageMeta {
        head::read_whole(html, charset, &self.wanted, self.reads_body())
    }

    /// What a request for a robots.txt means for the robot, by the profile's table: at that moment,
    /// and with nothing known before.
    pub fn robots(&self, fetch: RobotsFetch<'_>) -> Robots {
        let mut history = History::new();
        self.record(&mut history, fetch, None);
        self.state(&history, None, None)
    }

    /// What the bytes of a robots.txt say to the robot, compiled: for who keeps a history himself
    /// ([`History::record`]) and reads files ahead. Equal files share what is compiled, as long as the policy
    /// remembers. Linear in the bytes, of which no more are read than the dialect does.
    pub fn compile(&self, body: &[u8]) -> SiteRules {
        self.compile_parsed(body, || site::parse(body, [&self.profile.dialect]))
    }

    /// Compiles a robots.txt into bytes to keep, for [`load`](Self::load): for users of a database who do
    /// not want to keep bodies.
    ///
    /// The bytes are the compiled rules. Only if the file has more that a decision needs, such as
    /// preferences for AI or request rates, they are its body. Equal rules have equal bytes.
    ///
    /// ```
    /// use robots_policy::{Fetch, Page, Policy};
    /// use robots_policy::site::Robots;
    ///
    /// let policy = Policy::new("ExampleBot")?;
    /// let kept: Vec<u8> = policy.compile_to_bytes(b"User-agent: *\nDisallow: /private");
    ///
    /// let robots = Robots::Rules(policy.load(&kept)?);
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

    /// Loads what [`compile_to_bytes`](Self::compile_to_bytes) of a policy of the same robot and
    /// profile has made.
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

    /// As [`compile`](Self::compile), of a file that is parsed if it has to be.
    pub(crate) fn compile_parsed<T: Borrow<RobotsTxt>>(
        &self,
        body: &[u8],
        parsed: impl FnOnce() -> T,
    ) -> SiteRules {
        let dialect = &self.profile.dialect;
        self.rules.rules(dialect, body, || {
            SiteRules::of(parsed().borrow(), &self.robot, &self.profile)
        })
    }

    /// Remembers what came of asking an origin for its robots.txt, for as long as nothing else is
    /// learned; `url` is any URL of the origin. After redirects it is the origin that was asked
    /// first: its robots.txt is what the last one answered (RFC 9309, 2.3.1.2). Status 304 leaves
    /// what is known as it is.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn learn(&self, url: &str, fetch: RobotsFetch<'_>) -> Result<(), UrlError> {
        self.change(url, &OriginChange::Robots { fetch, at: None })
    }

    /// Remembers what came of asking an origin for its robots.txt at a time. For a page with a time
    /// ([`Page::at`]), it gets stale, and a failure lasts, as the profile's table says.
    ///
    /// ```
    /// use robots_policy::robots_meta::Timestamp;
    /// use robots_policy::{Fetch, Page, Policy, Profile, RobotsFetch};
    ///
    /// let google = Policy::under(&Profile::google(), "Googlebot")?;
    /// let (url, hour) = ("https://example.com/x", 3600);
    /// let at = Timestamp::from_seconds;
    /// google.learn_at(url, RobotsFetch::Status(503), at(0))?;
    /// let fetch = |time| google.decide_page(&Page::new(url).at(time)).fetch;
    /// assert_eq!(fetch(at(11 * hour)), Fetch::Defer);
    /// assert_eq!(fetch(at(13 * hour)), Fetch::Allow);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
        let at = Some(at);
        self.change(url, &OriginChange::Robots { fetch, at })
    }

    fn change(&self, url: &str, change: &OriginChange<'_>) -> Result<(), UrlError> {
        self.origins.change(&Origin::of(url)?, change, self);
        Ok(())
    }

    /// Remembers the tdmrep.json of an origin; `url` is any URL of the origin.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn learn_tdmrep(&self, url: &str, tdmrep: Tdmrep) -> Result<(), UrlError> {
        self.change(url, &OriginChange::Tdmrep(tdmrep))
    }

    /// Records what came of a request in a history that the caller keeps, by the profile's table.
    pub fn record(
        &self,
        history: &mut History<SiteRules>,
        fetch: RobotsFetch<'_>,
        at: Option<Timestamp>,
    ) {
        history.record(&self.profile.outcomes, &fetch, at, |body| {
            self.compile(body)
        });
    }

    /// What such a history means at a time. See [`History::state`].
    pub fn state(
        &self,
        history: &History<SiteRules>,
        now: Option<Timestamp>,
        site_is_available: Option<bool>,
    ) -> Robots {
        history
            .state(&self.profile.outcomes, now, site_is_available)
            .into()
    }

    /// What such a history meant when an archive captured a page: as [`state`](Self::state), but nothing gets stale, as
    /// the archive has nothing newer.
    pub fn archived_state(
        &self,
        history: &History<SiteRules>,
        captured: Option<Timestamp>,
    ) -> Robots {
        match self.state(history, captured, None) {
            Robots::Unknown(Cause::Stale) => self.state(history, None, None),
            robots => robots,
        }
    }

    /// Forgets what is known of an origin, in memory and on disk; `url` is any URL of the origin.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn forget(&self, url: &str) -> Result<(), UrlError> {
        self.origins.forget(&Origin::of(url)?);
        Ok(())
    }

    /// When the robots.txt of an origin is to be asked for again: when what is known of it gets stale;
    /// while requests fail, the time of the last one. `None` if nothing is known, or no time.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn ask_again_at(&self, url: &str) -> Result<Option<Timestamp>, UrlError> {
        let origin = Origin::of(url)?.to_string();
        let known = self.origins.get(&origin, self);
        Ok(known.and_then(|known| known.history().ask_again_at(&self.profile.outcomes)))
    }

    /// Decides about a page whose HTML is at hand, by what was learned of its origin.
    pub fn decide(&self, url: &str, html: impl AsRef<[u8]>) -> Decision {
        self.decide_page(&Page::new(url).with_html(html.as_ref()))
    }

    /// Decides about a URL and what is known of its response, by what was learned of its origin.
    ///
    /// A tdmrep.json that was not learned is taken for none. A page that was answered with a status below
    /// 500, other than 429, shows that its site is available, where the profile's table asks for that
    /// (Google, after 30 days: `docs/semantics.md`, section 8.1); [`Page::with_site_available`] says so otherwise.
    pub fn decide_page(&self, page: &Page<'_>) -> Decision {
        self.decide_by(page, |known| {
            self.state(known.history(), page.now, page.site_is_available())
        })
    }

    /// Decides about a page that an archive captured at a time, by what was learned of its origin: as
    /// [`decide_page`](Self::decide_page), but what robots.txt says is of that time
    /// ([`archived_state`](Self::archived_state)), whatever the time is for which it is decided ([`Page::at`]).
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
        self.decide_by(page, |known| self.archived_state(known.history(), captured))
    }

    fn decide_by(&self, page: &Page<'_>, robots: impl FnOnce(&KnownOrigin) -> Robots) -> Decision {
        let parsed;
        let origin = if let Some(origin) = origin::plain(page.url) {
            origin
        } else {
            let Ok(origin) = Origin::of(page.url) else {
                return decide::decide(self.view(), &Robots::Unknown(Cause::NoOrigin), page);
            };
            parsed = origin.to_string();
            &parsed
        };
        let known = self.origins.get(origin, self);
        let robots = match &known {
            Some(known) => robots(known),
            None => Robots::Unknown(Cause::NotFetched),
        };
        let mut page = Cow::Borrowed(page);
        if page.tdmrep.is_none()
            && let Some(tdmrep) = known.as_ref().and_then(|known| known.tdmrep())
        {
            page.to_mut().tdmrep = Some(tdmrep);
        }
        decide::decide(self.view(), &robots, &page)
    }

    /// Decides about a URL and what is known of its response, under a robots.txt state that the
    /// caller keeps ([`Policy::robots`], [`Policy::state`]) and has of a policy of the same profile. Of a
    /// tdmrep.json nothing is heard but what the page brings ([`Page::with_tdmrep`]).
    pub fn decide_under(&self, robots: &Robots, page: &Page<'_>) -> Decision {
        decide::decide(self.view(), robots, page)
    }
}

impl RobotsReader for Policy {
    fn outcomes(&self) -> &OutcomeTable {
        &self.profile.outcomes
    }

    fn compile(&self, body: &[u8]) -> SiteRules {
        Self::compile(self, body)
    }
}

fn wanted(profile: &Profile, robot: &Robot) -> Wanted {
    Wanted::facts(facts(profile)).for_robots(robot.meta_names())
}

/// The facts of a HEAD that decide under a profile.
pub(crate) fn facts(profile: &Profile) -> Facts {
    let mut facts = Facts::ROBOTS | Facts::REVISIT_AFTER;
    if profile.ai.signals.contains(SignalFamilies::TDMREP) {
        facts |= Facts::TDM;
    }
    facts
}
