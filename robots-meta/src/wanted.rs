//! What a reader is to keep of a HEAD.

use bitflags::bitflags;
use std::sync::Arc;

bitflags! {
    /// Kinds of facts that a HEAD can hold.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Facts: u16 {
        /// METAs that speak to robots, by the names that [`Wanted`] has; also those that write
        /// `property` for `name` (SEMANTICS 5.7).
        const ROBOTS = 1;
        /// The META named `description`.
        const DESCRIPTION = 1 << 1;
        /// The META named `keywords`.
        const KEYWORDS = 1 << 2;
        /// METAs named `revisit-after` or `revisit` (SEMANTICS 5.8).
        const REVISIT_AFTER = 1 << 3;
        /// The text of TITLE.
        const TITLE = 1 << 4;
        /// The link with `rel=canonical`.
        const CANONICAL = 1 << 5;
        /// METAs with `http-equiv`: `refresh`, `content-language`, `X-Robots-Tag`.
        const HTTP_EQUIV = 1 << 6;
        /// METAs that name an encoding.
        const CHARSET = 1 << 7;
        /// METAs whose `property` or `name` begins with `og:`.
        const OPEN_GRAPH = 1 << 8;
        /// METAs whose `name` or `property` begins with `twitter:`.
        const TWITTER = 1 << 9;
        /// Every META, whatever it says.
        const METAS = 1 << 10;
    }
}

impl Facts {
    /// What an indexer asks for by rule: robots, description, keywords, revisit-after, title and
    /// canonical link.
    pub const INDEXING: Self = Self::ROBOTS
        .union(Self::DESCRIPTION)
        .union(Self::KEYWORDS)
        .union(Self::REVISIT_AFTER)
        .union(Self::TITLE)
        .union(Self::CANONICAL);
}

/// What a reader keeps. What is not wanted is passed over and costs next to nothing; it is not in
/// the answer either. Cheap to clone: make one and use it for every page.
///
/// ```
/// use robots_meta::{Facts, HeadReader, Wanted};
///
/// let wanted = Wanted::facts(Facts::ROBOTS | Facts::TITLE).for_robots(["robots", "googlebot"]);
/// let page = HeadReader::wanting(&wanted).read_page(
///     b"<title>A</title><meta name=author content=B><meta name=googlebot content=noindex>",
/// );
/// assert_eq!(page.metas().len(), 1);
/// assert_eq!(page.title().as_deref(), Some("A"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub(crate) facts: Facts,
    pub(crate) robots: Arc<[Box<str>]>,
}

impl Wanted {
    /// Everything: every META, the title and the canonical link.
    pub fn everything() -> Self {
        Self::facts(Facts::all())
    }

    /// These facts; the robots, if they are among them, are those that go by `robots`.
    pub fn facts(facts: Facts) -> Self {
        Self {
            facts,
            robots: Arc::new([Box::from("robots")]),
        }
    }

    /// With these names of METAs that speak to robots, in place of `robots`: the names that one robot
    /// or several go by (`robots`, `googlebot`). ASCII case does not matter.
    #[must_use]
    pub fn for_robots(mut self, names: impl IntoIterator<Item: AsRef<str>>) -> Self {
        self.robots = names
            .into_iter()
            .map(|name| Box::from(name.as_ref()))
            .collect();
        self
    }

    /// Whether a META is to be kept, by its attributes.
    #[inline]
    pub(crate) fn wants(&self, keys: &Keys<'_>) -> bool {
        if self.facts.contains(Facts::METAS) {
            return true;
        }
        let has = |fact| self.facts.contains(fact);
        let by_name = |name: &[u8], is_property: bool| {
            let name = name.trim_ascii();
            let is = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
            let begins = |prefix: &str| {
                name.get(..prefix.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
            };
            if has(Facts::ROBOTS) && self.robots.iter().any(|robot| is(robot)) {
                return true;
            }
            let by_prefix = has(Facts::OPEN_GRAPH) && begins("og:")
                || has(Facts::TWITTER) && begins("twitter:");
            by_prefix
                || !is_property
                    && (has(Facts::DESCRIPTION) && is("description")
                        || has(Facts::KEYWORDS) && is("keywords")
                        || has(Facts::REVISIT_AFTER) && (is("revisit-after") || is("revisit")))
        };
        keys.name.is_some_and(|name| by_name(name, false))
            || keys.property.is_some_and(|name| by_name(name, true))
            || has(Facts::HTTP_EQUIV) && keys.http_equiv.is_some()
            || has(Facts::CHARSET) && keys.names_encoding()
    }
}

/// The attributes by which a META is known: their values, as the page has them but for character
/// references.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Keys<'a> {
    pub(crate) name: Option<&'a [u8]>,
    pub(crate) property: Option<&'a [u8]>,
    pub(crate) http_equiv: Option<&'a [u8]>,
    pub(crate) charset: Option<&'a [u8]>,
    pub(crate) content: Option<&'a [u8]>,
}

impl Keys<'_> {
    /// Whether the META may name the page's encoding.
    pub(crate) fn names_encoding(&self) -> bool {
        self.charset.is_some()
            || self
                .http_equiv
                .is_some_and(|value| value.eq_ignore_ascii_case(b"content-type"))
    }
}
