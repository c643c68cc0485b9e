//! A policy: for which robot to decide, how its robots.txt is read, and what is known of origins.

use crate::answer::{Fetch, Index, PageLayer, Permission};
use crate::decision::Decision;
use crate::error::UrlError;
use crate::merge::{self, Heard, Statement};
use crate::origin::{self, Origin};
use crate::outcome::{Cause, Robots, RobotsFetch};
use crate::page::{Content, Page};
use crate::reason::{Effect, Field, Source, WarningKind};
use crate::store::Store;
use robots_meta::{Facts, HeadEnd, Limit, PageMeta, Wanted, robots_headers};
use robots_txt::{Dialect, RobotsTxt, Target};

/// How many directives of a page are heard. Of a page that says more, only what it forbids is decided.
pub const MAX_STATEMENTS: usize = 10_000;

/// Decides for one robot.
///
/// A policy knows the robot's name, the [`Dialect`] by which it reads robots.txt, the names of the
/// METAs and headers that speak to it, and what became of each origin's robots.txt
/// ([`Policy::learn`]). It is shared between threads as it is.
///
/// ```
/// use robots_policy::{Fetch, Index, Policy, RobotsFetch};
///
/// let policy = Policy::new("ExampleBot");
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
/// # Ok::<(), robots_policy::UrlError>(())
/// ```
#[derive(Debug)]
pub struct Policy {
    agent: String,
    names: Vec<String>,
    /// What is read of a HEAD.
    wanted: Wanted,
    dialect: Dialect,
    store: Store,
}

impl Default for Policy {
    /// The policy of the robot `*`: what holds for robots that nobody names.
    fn default() -> Self {
        Self::new("*")
    }
}

impl Policy {
    /// The policy of a robot, given by its product token (`Googlebot`), under RFC 9309. METAs
    /// named `robots` or as the robot speak to it.
    pub fn new(agent: &str) -> Self {
        let mut names = vec!["robots".to_owned()];
        if agent != "*" {
            names.push(agent.to_owned());
        }
        Self {
            agent: agent.to_owned(),
            wanted: wanted(&names),
            names,
            dialect: Dialect::RFC9309,
            store: Store::default(),
        }
    }

    /// With another reading of robots.txt. What was learned before keeps its reading.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// With these names of METAs and header prefixes that speak to the robot, in place of all others
    /// (`robots` too), ASCII case ignored: `["robots", "googlebot", "googlebot-news"]`.
    #[must_use]
    pub fn with_meta_names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        self.wanted = wanted(&self.names);
        self
    }

    /// The robot.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The names of METAs and header prefixes that speak to the robot.
    pub fn meta_names(&self) -> &[String] {
        &self.names
    }

    /// What a decision needs of a HEAD: for who reads it himself
    /// ([`Page::with_meta`](crate::Page::with_meta)), with
    /// [`HeadReader::wanting`](robots_meta::HeadReader::wanting).
    pub fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    /// What a request for a robots.txt means for the robot, by RFC 9309, 2.3.1.
    pub fn robots(&self, fetch: RobotsFetch<'_>) -> Robots {
        Robots::rfc9309(fetch, |body| {
            // What is behind the dialect's limit is not kept; one byte more tells that there was
            // more.
            let limit = self.dialect.size_limit().unwrap_or(usize::MAX);
            let body = body.get(..limit.saturating_add(1)).unwrap_or(body);
            RobotsTxt::parse(body).rules(&self.agent, &self.dialect)
        })
    }

    /// Remembers what came of asking an origin for its robots.txt; `url` is any URL of the
    /// origin. After redirects it is the origin that was asked first: its robots.txt is what
    /// the last one answered (RFC 9309, 2.3.1.2). Status 304 leaves what is known as it is.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn learn(&self, url: &str, fetch: RobotsFetch<'_>) -> Result<(), UrlError> {
        let origin = Origin::of(url)?;
        let keeps = fetch == RobotsFetch::Status(304) && self.store.robots(&origin).is_known();
        if !keeps {
            self.store.insert(origin, self.robots(fetch));
        }
        Ok(())
    }

    /// Decides about a page whose HTML is at hand, by what was learned of its origin.
    pub fn decide(&self, url: &str, html: impl AsRef<[u8]>) -> Decision {
        self.decide_page(&Page::new(url).with_html(html.as_ref()))
    }

    /// Decides about a URL and what is known of its response, by what was learned of its origin.
    pub fn decide_page(&self, page: &Page<'_>) -> Decision {
        let robots = match Origin::of(page.url) {
            Ok(origin) => self.store.robots(&origin),
            Err(_) => Robots::Unknown(Cause::NoOrigin),
        };
        self.decide_under(&robots, page)
    }

    /// Decides about a URL and what is known of its response, under a robots.txt state that the
    /// caller keeps.
    pub fn decide_under(&self, robots: &Robots, page: &Page<'_>) -> Decision {
        let mut decision = Decision::unknown(page.url, &self.agent);
        decide_fetch(&mut decision, robots, page.url);
        decide_layer(&mut decision, page);
        let meta = page.meta(&self.wanted);
        let statements = self.statements(page, meta.as_deref());
        let mut heard = Heard::All;
        if statements.len() >= MAX_STATEMENTS {
            heard = Heard::Part;
            decision.warn(
                WarningKind::TooManyDirectives,
                Source::Page,
                &format!("more than {MAX_STATEMENTS} directives"),
            );
        }
        match decision.page_layer {
            PageLayer::Seen => {
                if let Some(meta) = &meta {
                    decide_from_page(&mut decision, meta);
                    let is_cut = page.is_cut && *meta.end() == HeadEnd::EndOfPage;
                    if is_cut {
                        decision.warn(WarningKind::HeadIncomplete, Source::Page, "HEAD (cut)");
                    }
                    if is_cut || matches!(meta.end(), HeadEnd::Limit(_)) {
                        heard = Heard::Part;
                    }
                }
                merge::merge(&mut decision, &statements, page.now, heard);
            }
            PageLayer::Absent if is_page(page) => {
                // Nothing was said: everything may be done.
                merge::merge(&mut decision, &[], page.now, heard);
            }
            // Of a page that was not read, the headers are known.
            PageLayer::Unknown if page.is_answered() => {
                merge::merge(&mut decision, &statements, page.now, Heard::Part);
            }
            PageLayer::Unseen if decision.fetch == Fetch::Disallow => {
                decide_without_page(&mut decision);
                if let Some(hidden) = merge::noindex(&statements) {
                    decision.warn(
                        WarningKind::NoindexHidden,
                        hidden.source,
                        hidden.directive.text(),
                    );
                }
            }
            _ => {}
        }
        decision
    }

    /// The directives that concern the robot: headers first, then METAs.
    fn statements<'a>(&self, page: &Page<'a>, meta: Option<&'a PageMeta>) -> Vec<Statement<'a>> {
        let headers = robots_headers(page.headers.iter().copied())
            .filter(|found| found.is_for(&self.names))
            .map(|found| Statement {
                source: Source::Header {
                    name: found.header(),
                    line: found.line(),
                    offset: found.directive().offset(),
                },
                directive: found.directive(),
            });
        let metas = meta
            .into_iter()
            .flat_map(PageMeta::metas)
            .filter(|meta| self.names.iter().any(|name| meta.is_named(name)))
            .flat_map(|meta| {
                meta.directives().map(move |directive| Statement {
                    source: Source::Meta {
                        offset: meta.offset(),
                    },
                    directive,
                })
            });
        headers.chain(metas).take(MAX_STATEMENTS).collect()
    }
}

fn wanted(names: &[String]) -> Wanted {
    Wanted::facts(Facts::ROBOTS | Facts::REVISIT_AFTER).for_robots(names)
}

/// Whether the response, as far as it is known, is one that can be indexed.
fn is_page(page: &Page<'_>) -> bool {
    page.status
        .is_none_or(|status| (200..=299).contains(&status))
}

/// robots.txt decides whether the URL may be fetched (SEMANTICS 8.1 to 8.3).
fn decide_fetch(decision: &mut Decision, robots: &Robots, url: &str) {
    let (fetch, source, text) = match robots {
        Robots::Rules(rules) => {
            // The target is the URL as a client would ask for it.
            let parsed = origin::parse(url);
            let target = Target::new(parsed.as_ref().map_or(url, |url| url.as_str()));
            let verdict = rules.verdict(&target);
            let fetch = if verdict.is_allowed() {
                Fetch::Allow
            } else {
                Fetch::Disallow
            };
            match verdict.rule() {
                Some(rule) => (
                    fetch,
                    Source::RobotsTxt { line: rule.line() },
                    rule.to_string(),
                ),
                None => (fetch, Source::RobotsFetch, verdict.reason().to_string()),
            }
        }
        Robots::AllowAll(cause) => (Fetch::Allow, Source::RobotsFetch, cause.to_string()),
        Robots::DenyAll(cause) => (Fetch::Disallow, Source::RobotsFetch, cause.to_string()),
        Robots::Defer(cause) => (Fetch::Defer, Source::RobotsFetch, cause.to_string()),
        Robots::Unknown(cause) => {
            if *cause == Cause::NoOrigin {
                decision.warn(WarningKind::NoOrigin, Source::Url, url);
            }
            (Fetch::Unknown, Source::RobotsFetch, cause.to_string())
        }
    };
    decision.fetch = fetch;
    decision.give_reason(Field::Fetch, source, text, Effect::Decides);
    if let Robots::Rules(rules) = robots
        && let Some(delay) = rules.crawl_delay()
    {
        decision.crawl_delay = Some(delay.delay());
        decision.give_reason(
            Field::CrawlDelay,
            Source::RobotsTxt { line: delay.line() },
            format!("Crawl-delay: {}", delay.delay().as_secs_f64()),
            Effect::Decides,
        );
    }
}

/// Whether the page's own word was heard (SEMANTICS 5.10, 8.5).
fn decide_layer(decision: &mut Decision, page: &Page<'_>) {
    let (layer, reason) = match page.content {
        _ if decision.fetch == Fetch::Disallow => (
            PageLayer::Unseen,
            Some((Source::RobotsFetch, "not to be fetched".to_owned())),
        ),
        Content::Unfetched if !page.is_answered() => match decision.fetch {
            Fetch::Allow => (PageLayer::Unknown, None),
            _ => (PageLayer::Unseen, None),
        },
        _ if !is_page(page) => {
            let status = page.status.unwrap_or_default();
            (
                PageLayer::Absent,
                Some((Source::Status, status.to_string())),
            )
        }
        Content::Unfetched if !page.has_other_type() => (PageLayer::Unknown, None),
        Content::Unfetched | Content::NotHtml
            if robots_headers(page.headers.iter().copied())
                .next()
                .is_none() =>
        {
            (
                PageLayer::Absent,
                Some((
                    Source::Page,
                    "neither HTML nor a header for robots".to_owned(),
                )),
            )
        }
        _ => (PageLayer::Seen, None),
    };
    decision.page_layer = layer;
    if let Some((source, text)) = reason {
        decision.give_reason(Field::PageLayer, source, text, Effect::Decides);
    }
}

/// What is not to be fetched has a URL and no content (SEMANTICS 8.5).
fn decide_without_page(decision: &mut Decision) {
    decision.index = Index::UrlOnly;
    decision.archive = Permission::No;
    decision.snippet = Some(Limit::AtMost(0));
    for field in [Field::Index, Field::Archive, Field::Snippet] {
        decision.give_reason(
            field,
            Source::RobotsFetch,
            "not to be fetched".to_owned(),
            Effect::Decides,
        );
    }
}

/// What the HEAD says beside directives.
fn decide_from_page(decision: &mut Decision, meta: &PageMeta) {
    if let Some((revisit, said)) = meta.revisit_after() {
        decision.revisit_after = Some(revisit);
        decision.give_reason(
            Field::RevisitAfter,
            Source::Meta {
                offset: said.offset(),
            },
            said.content().to_owned(),
            Effect::Decides,
        );
    }
    if let HeadEnd::Limit(limit) = meta.end() {
        decision.warn(
            WarningKind::HeadIncomplete,
            Source::Page,
            &format!("HEAD ({limit})"),
        );
    }
}
