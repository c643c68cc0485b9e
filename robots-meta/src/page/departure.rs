//! METAs for robots in forms that no engine documents (docs/semantics.md, section 5.7).

use super::meta::Meta;
use bitflags::bitflags;

bitflags! {
    /// The departures of a META from `<meta name=robots content=...>`.
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

impl<'p> Meta<'p> {
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
}
