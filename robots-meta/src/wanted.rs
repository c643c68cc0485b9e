//! The facts that a reader keeps.

use bitflags::bitflags;
use std::sync::Arc;

bitflags! {
    /// A set of kinds of facts that a page can have. They are in HEAD, if nothing else is said.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Facts: u16 {
        /// METAs for the robots that [`Wanted`] names, those with a
        /// [`Departure`](crate::page::Departure) included.
        const ROBOTS = 1;
        /// The META named `description`.
        const DESCRIPTION = 1 << 1;
        /// The META named `keywords`.
        const KEYWORDS = 1 << 2;
        /// METAs named `revisit-after` or `revisit` (docs/semantics.md, section 5.8).
        const REVISIT_AFTER = 1 << 3;
        /// The text of TITLE.
        const TITLE = 1 << 4;
        /// The link with `rel=canonical`.
        const CANONICAL = 1 << 5;
        /// METAs with `http-equiv`, such as `refresh` or `content-language`.
        const HTTP_EQUIV = 1 << 6;
        /// METAs that name an encoding.
        const CHARSET = 1 << 7;
        /// METAs whose `property` or `name` begins with `og:`.
        const OPEN_GRAPH = 1 << 8;
        /// METAs whose `name` or `property` begins with `twitter:`.
        const TWITTER = 1 << 9;
        /// Every META.
        const METAS = 1 << 10;
        /// Links, with the tokens of their `rel` for robots. They are in BODY: they are found only
        /// when all of the document is read ([`DocumentReader`](crate::DocumentReader)).
        const LINKS = 1 << 11;
        /// Elements with `data-nosnippet`, whose text is not to be shown in results. They are in BODY,
        /// as links are.
        const NO_SNIPPETS = 1 << 12;
        /// METAs named `tdm-reservation` or `tdm-policy` (docs/semantics.md, section 4.6).
        const TDM = 1 << 13;
        /// The links to licences of RSL (docs/semantics.md, section 4.7).
        const LICENSES = 1 << 14;
    }
}

impl Facts {
    /// The facts that most indexers need: robots, description, keywords, revisit-after, title and
    /// canonical link.
    pub const INDEXING: Self = Self::ROBOTS
        .union(Self::DESCRIPTION)
        .union(Self::KEYWORDS)
        .union(Self::REVISIT_AFTER)
        .union(Self::TITLE)
        .union(Self::CANONICAL);
}

/// The facts that a reader keeps; others are skipped. Cheap to clone: make one and use it for every
/// page.
///
/// ```
/// use robots_meta::{Facts, HeadOptions, Wanted};
///
/// let wanted = Wanted::facts(Facts::ROBOTS | Facts::TITLE).for_robots(["robots", "googlebot"]);
/// let page = HeadOptions::new().with_wanted(wanted).read(
///     b"<title>A</title><meta name=author content=B><meta name=googlebot content=noindex>",
/// );
/// assert_eq!(page.metas().len(), 1);
/// assert_eq!(page.title().as_deref(), Some("A"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub(crate) facts: Facts,
    robots: Arc<[Box<str>]>,
    /// A bit for each byte for which [`may_begin`](Self::may_begin) is true.
    firsts: [u64; 4],
}

impl Wanted {
    /// Keeps all facts: every META, the title, the canonical link and those to licences; of a whole document also its
    /// links and its elements with `data-nosnippet`.
    pub fn everything() -> Self {
        Self::facts(Facts::all())
    }

    /// Keeps these facts. METAs for robots are those named `robots`, until
    /// [`for_robots`](Self::for_robots) sets other names.
    pub fn facts(facts: Facts) -> Self {
        Self {
            facts,
            robots: Arc::new([Box::from("robots")]),
            firsts: [0; 4],
        }
        .with_firsts()
    }

    /// Sets the names of METAs for robots, in place of `robots`: the names of one robot or several
    /// (`robots`, `googlebot`), in ASCII. Case does not matter.
    #[must_use]
    pub fn for_robots(mut self, names: impl IntoIterator<Item: AsRef<str>>) -> Self {
        self.robots = names
            .into_iter()
            .map(|name| Box::from(name.as_ref()))
            .collect();
        self.with_firsts()
    }

    /// Returns false if no META with these attributes is wanted, whatever their character references resolve to. This is so for nearly
    /// all METAs that are not kept, and costs a look at two bytes.
    #[inline]
    pub(crate) fn may_want(&self, keys: &Keys<'_>) -> bool {
        let may_begin = |value: Option<&[u8]>| {
            let first = value.and_then(|value| value.first());
            first.is_some_and(|&first| self.may_begin(first))
        };
        may_begin(keys.name)
            || may_begin(keys.property)
            || keys.http_equiv.is_some()
            || keys.charset.is_some()
            || self.facts.contains(Facts::METAS)
    }

    /// Returns whether to keep a META with these attributes.
    #[inline]
    pub(crate) fn wants(&self, keys: &Keys<'_>) -> bool {
        self.facts.contains(Facts::METAS)
            || keys.name.is_some_and(|name| self.wants_name(name))
            || keys.property.is_some_and(|name| self.wants_property(name))
            || self.facts.contains(Facts::HTTP_EQUIV) && keys.http_equiv.is_some()
            || self.facts.contains(Facts::ROBOTS) && keys.replaces_header()
            || self.facts.contains(Facts::CHARSET) && keys.names_encoding()
    }

    /// Returns whether a wanted META has this value of `name`.
    #[inline]
    fn wants_name(&self, name: &[u8]) -> bool {
        let name = name.trim_ascii();
        let is_wanted = |(fact, wanted): &(Facts, &str)| {
            self.facts.contains(*fact) && name.eq_ignore_ascii_case(wanted.as_bytes())
        };
        self.wants_property(name)
            || name.first().is_some_and(|&first| self.may_begin(first))
                && NAMES.iter().any(is_wanted)
    }

    /// Returns whether a wanted META has this value of `property`.
    #[inline]
    fn wants_property(&self, property: &[u8]) -> bool {
        let property = property.trim_ascii();
        if !property.first().is_some_and(|&first| self.may_begin(first)) {
            return false;
        }
        let is = |wanted: &str| property.eq_ignore_ascii_case(wanted.as_bytes());
        let begins = |prefix: &str| {
            property
                .get(..prefix.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
        };
        self.facts.contains(Facts::ROBOTS) && self.robots.iter().any(|robot| is(robot))
            || PREFIXES
                .iter()
                .any(|(fact, prefix)| self.facts.contains(*fact) && begins(prefix))
    }

    /// Returns whether the value of a wanted META's `name` or `property` may begin with this byte, as
    /// written in the page. White space is skipped, and `&` may begin any name as a character
    /// reference, so both may.
    #[inline]
    pub(crate) fn may_begin(&self, first: u8) -> bool {
        self.firsts
            .get(usize::from(first / 64))
            .is_some_and(|bits| bits >> (first % 64) & 1 == 1)
    }

    /// Sets the bytes for which [`may_begin`](Self::may_begin) is true.
    fn with_firsts(mut self) -> Self {
        self.firsts = [0; 4];
        let has = |fact: &Facts| self.facts.contains(*fact);
        let robots = self.robots.iter().map(|name| &**name);
        let robots = robots.filter(|_| has(&Facts::ROBOTS));
        let others = NAMES.iter().chain(&PREFIXES);
        let others = others.filter(|(fact, _)| has(fact)).map(|(_, name)| *name);
        let mut firsts = self.firsts;
        let firsts_of_names = robots
            .chain(others)
            .filter_map(|name| name.as_bytes().first().copied())
            .flat_map(|first| [first.to_ascii_lowercase(), first.to_ascii_uppercase()]);
        for first in firsts_of_names.chain(*b"&\t\n\x0C\r ") {
            if let Some(bits) = firsts.get_mut(usize::from(first / 64)) {
                *bits |= 1 << (first % 64);
            }
        }
        self.firsts = firsts;
        self
    }
}

/// The names of METAs that hold facts.
const NAMES: [(Facts, &str); 6] = [
    (Facts::DESCRIPTION, "description"),
    (Facts::KEYWORDS, "keywords"),
    (Facts::REVISIT_AFTER, "revisit-after"),
    (Facts::REVISIT_AFTER, "revisit"),
    (Facts::TDM, "tdm-reservation"),
    (Facts::TDM, "tdm-policy"),
];

/// The prefixes of names that hold facts.
const PREFIXES: [(Facts, &str); 2] = [(Facts::OPEN_GRAPH, "og:"), (Facts::TWITTER, "twitter:")];

/// The values of the attributes that identify a META, as written in the page. The collector compares them with
/// their character references resolved, too.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Keys<'a> {
    pub(crate) name: Option<&'a [u8]>,
    pub(crate) property: Option<&'a [u8]>,
    pub(crate) http_equiv: Option<&'a [u8]>,
    pub(crate) charset: Option<&'a [u8]>,
    pub(crate) content: Option<&'a [u8]>,
}

impl<'a> Keys<'a> {
    /// Takes an attribute; of several with one name, the first counts.
    #[inline]
    pub(crate) fn note(&mut self, name: &[u8], value: &'a [u8]) {
        // Nearly all pages write the names in lower case, which is the fast case.
        let key = match name {
            b"name" => &mut self.name,
            b"content" => &mut self.content,
            b"property" => &mut self.property,
            _ => return self.note_any(name, value),
        };
        key.get_or_insert(value);
    }

    fn note_any(&mut self, name: &[u8], value: &'a [u8]) {
        let key = match name.len() {
            4 if name.eq_ignore_ascii_case(b"name") => &mut self.name,
            7 if name.eq_ignore_ascii_case(b"content") => &mut self.content,
            7 if name.eq_ignore_ascii_case(b"charset") => &mut self.charset,
            8 if name.eq_ignore_ascii_case(b"property") => &mut self.property,
            10 if name.eq_ignore_ascii_case(b"http-equiv") => &mut self.http_equiv,
            _ => return,
        };
        key.get_or_insert(value);
    }

    /// Returns whether the META has `http-equiv=X-Robots-Tag`, in place of that header.
    fn replaces_header(&self) -> bool {
        self.http_equiv
            .is_some_and(|value| value.trim_ascii().eq_ignore_ascii_case(b"x-robots-tag"))
    }

    /// Returns whether the META may name the page's encoding. An `http-equiv` that is written with
    /// character references is not recognized.
    pub(crate) fn names_encoding(&self) -> bool {
        self.charset.is_some()
            || self
                .http_equiv
                .is_some_and(|value| value.eq_ignore_ascii_case(b"content-type"))
    }
}
