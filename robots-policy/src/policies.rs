//! Several policies at once, which share the cost of reading.

use crate::decision::Decision;
use crate::input::Page;
use crate::observe::head::{self, AfterHead};
use crate::policy::{self, Policy};
use crate::site::{self, SiteRules};
use robots_meta::page::HeadEnd;
use robots_meta::{HeadOptions, PageFacts, Wanted};
use robots_txt::{Dialect, RobotsTxt};
use std::cell::OnceCell;
use std::iter;

/// Policies that decide about the same pages: a robots.txt is parsed once for all of them, and so is the HEAD of a
/// page.
///
/// Each policy decides as it would alone.
///
/// ```
/// use robots_policy::{Index, Policies, Policy, Profile, RobotsFetch};
///
/// let policies = Policies::new(vec![
///     Policy::under(&Profile::google(), "Googlebot")?,
///     Policy::under(&Profile::bing(), "bingbot")?,
/// ]);
/// for policy in policies.iter() {
///     policy.learn("https://example.com/", RobotsFetch::Status(404))?;
/// }
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
    policies: Vec<Policy>,
    /// The facts that at least one of them wants.
    wanted: Wanted,
}

impl Policies {
    /// Returns the policies in this order.
    pub fn new(policies: Vec<Policy>) -> Self {
        let deciders = policies.iter();
        Self {
            wanted: policy::wanted(deciders.map(|policy| (policy.profile(), policy.robot()))),
            policies,
        }
    }

    /// Returns the policies, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Policy> {
        self.policies.iter()
    }

    /// Returns their number.
    pub fn len(&self) -> usize {
        self.policies.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty()
    }

    /// Decides about a page, given its HTML, by the facts that each policy has learned about its origin. Returns the decisions in
    /// the order of the policies. See [`Policy::decide`].
    pub fn decide(&self, url: &str, html: impl AsRef<[u8]>) -> Vec<Decision> {
        let heads = self.read(html.as_ref(), None);
        self.policies
            .iter()
            .zip(heads.iter())
            .map(|(policy, head)| policy.decide_page(&Page::new(url).with_meta(head)))
            .collect()
    }

    /// Compiles a robots.txt for each robot, in the order of the policies. See [`Policy::compile`].
    pub fn compile(&self, body: &[u8]) -> Vec<SiteRules> {
        let parsed: OnceCell<RobotsTxt> = OnceCell::new();
        self.policies
            .iter()
            .map(|policy| {
                policy.compile_parsed(body, || {
                    parsed.get_or_init(|| site::parse(body, self.dialects()))
                })
            })
            .collect()
    }

    /// Returns the number of bytes of a robots.txt that its compilation reads: the largest size limit of the dialects, and one
    /// byte that shows that there was more. A file and its first bytes up to this number compile to the same rules.
    pub fn bytes_read(&self) -> usize {
        site::bytes_read(self.dialects())
    }

    fn dialects(&self) -> impl Iterator<Item = &Dialect> {
        self.policies
            .iter()
            .map(|policy| policy.profile().dialect())
    }

    /// Reads the facts of a page that each decision needs. See [`Policy::read`].
    pub fn read(&self, html: &[u8], charset: Option<&str>) -> Heads {
        let has_scripting = self.policies.first().is_some_and(Policy::has_scripting);
        let differs = |policy: &Policy| policy.has_scripting() != has_scripting;
        if self.policies.iter().any(differs) {
            return self.read_alone(html, charset);
        }
        let options = HeadOptions::from(self.wanted.clone()).with_scripting(has_scripting);
        let after_head = |policy: &Policy| policy.context().after_head();
        let most = self.policies.iter().map(after_head).max();
        let most = most.unwrap_or(AfterHead::Ignored);
        let reading = head::read(html, charset, options, most);
        let is_limited = |meta: &PageFacts| matches!(meta.end(), HeadEnd::Limit(_));
        if self.policies.len() > 1
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
            .policies
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
        let alone = self.policies.iter();
        Heads {
            facts: alone.map(|policy| policy.read(html, charset)).collect(),
            indexes: (0..self.policies.len()).collect(),
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
    use crate::{Index, Profile, RobotsFetch};

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
