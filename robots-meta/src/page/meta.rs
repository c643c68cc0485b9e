//! A META element, and its attributes.

use super::PageFacts;
use super::end::Placement;
use super::record::{MetaRecord, Span};
use crate::directive::{AgentPrefix, Directive, items};
use bitflags::bitflags;
use std::fmt;
use std::ops::Range;

bitflags! {
    /// The departures of a META from `<meta name=robots content=...>`: forms that no engine documents (docs/semantics.md, section
    /// 5.7).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct Departure: u8 {
        /// `property` instead of `name`.
        const PROPERTY = 1;
        /// `value` instead of `content`.
        const VALUE = 1 << 1;
        /// `http-equiv=X-Robots-Tag` instead of `name=robots`: a header that was written into the
        /// page. It may name robots.
        const HTTP_EQUIV = 1 << 2;
    }
}

/// An attribute of a META.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'p> {
    name: &'p str,
    value: &'p str,
    source: Option<Span>,
}

impl<'p> Attribute<'p> {
    /// Returns the name, in lower case.
    pub fn name(&self) -> &'p str {
        self.name
    }

    /// Returns the value, with its character references resolved.
    pub fn value(&self) -> &'p str {
        self.value
    }

    /// Returns the range of the value in the bytes of the page, without quotes. `None` if it is not
    /// known (UTF-16, ISO-2022-JP).
    pub fn value_span(&self) -> Option<Range<usize>> {
        self.source.map(Span::range)
    }
}

/// A META element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Meta<'p> {
    pub(crate) page: &'p PageFacts,
    pub(crate) record: &'p MetaRecord,
}

impl<'p> Meta<'p> {
    /// Returns the offset of its `<` in the bytes of the page.
    pub fn offset(&self) -> usize {
        self.record.source.start as usize
    }

    /// Returns the range of its tag in the bytes of the page, from `<` to `>`; empty if it is not
    /// known (UTF-16, ISO-2022-JP).
    pub fn span(&self) -> Range<usize> {
        self.record.source.range()
    }

    /// Returns its placement: in HEAD or after it.
    pub fn placement(&self) -> Placement {
        self.record.placement
    }

    /// Returns its attributes in order; of several with one name, the first (the standard drops the
    /// others).
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = Attribute<'p>> + Clone + use<'p> {
        let page = self.page;
        page.records
            .attributes
            .get(self.record.attributes.range())
            .unwrap_or_default()
            .iter()
            .map(|record| Attribute {
                name: page.text(record.name),
                value: page.text(record.value),
                source: record.source,
            })
    }

    /// Returns an attribute; `name` in lower case.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'p>> {
        self.attributes().find(|attribute| attribute.name == name)
    }

    /// Returns the value of `name`.
    pub fn name(&self) -> Option<&'p str> {
        self.record.name.map(|name| self.page.text(name))
    }

    /// Returns the value of `content`; empty if there is none.
    pub fn content(&self) -> &'p str {
        self.record
            .content
            .map(|content| self.page.text(content))
            .unwrap_or_default()
    }

    /// Returns the offset of `content` in `html`, the bytes of the page. An offset in the content can be
    /// added to it. `None` if the bytes differ from the content, as with character references or in an
    /// encoding other than UTF-8.
    pub fn content_start_in(&self, html: &[u8]) -> Option<usize> {
        let content = self.attribute("content")?;
        let span = content.value_span()?;
        let bytes = html.get(span.clone())?;
        (bytes == content.value().as_bytes()).then_some(span.start)
    }

    /// Returns whether its `name` is this one; ASCII case and white space around it are ignored.
    pub fn is_named(&self, name: &str) -> bool {
        self.name()
            .is_some_and(|found| found.trim_ascii().eq_ignore_ascii_case(name))
    }

    /// Returns the departures of a META for a robot with one of these names; `None` if it is not for
    /// that robot. A META with `http-equiv=X-Robots-Tag` is taken to be for any robot, although its
    /// directives may all name others.
    ///
    /// ```
    /// use robots_meta::HeadReader;
    /// use robots_meta::page::Departure;
    ///
    /// let page = HeadReader::read(b"<meta property=robots value=noindex>");
    /// let departure = page.metas().next().and_then(|meta| meta.departure(&["robots"]));
    /// assert_eq!(departure, Some(Departure::PROPERTY | Departure::VALUE));
    /// ```
    pub fn departure(&self, names: &[impl AsRef<str>]) -> Option<Departure> {
        let is_listed = |found: &str| {
            let found = found.trim_ascii();
            names
                .iter()
                .any(|name| found.eq_ignore_ascii_case(name.as_ref()))
        };
        let value_of = |name: &str| self.attribute(name).map(|found| found.value());
        let mut departure = if self.name().is_some_and(is_listed) {
            Departure::empty()
        } else if value_of("property").is_some_and(is_listed) {
            Departure::PROPERTY
        } else if value_of("http-equiv")
            .is_some_and(|found| found.trim_ascii().eq_ignore_ascii_case("x-robots-tag"))
        {
            Departure::HTTP_EQUIV
        } else {
            return None;
        };
        if value_of("content").is_none() && value_of("value").is_some() {
            departure |= Departure::VALUE;
        }
        Some(departure)
    }

    /// Returns its content as a list of directives.
    pub fn directives(&self) -> impl Iterator<Item = Directive<'p>> + use<'p> {
        items(self.content(), AgentPrefix::None).map(|item| item.directive)
    }
}

impl fmt::Debug for Meta<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meta")
            .field("offset", &self.offset())
            .field("attributes", &self.attributes().collect::<Vec<_>>())
            .finish()
    }
}
