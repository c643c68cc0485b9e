//! METAs for robots in forms that no engine documents (docs/semantics.md, section 5.7).

use super::PageFacts;
use super::meta::Meta;
use crate::directive::{AgentPrefix, Directive, items};
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

    /// Returns the directives for a robot with one of these names, in a META with any departures or
    /// none. They are in its `content`, or without one in its `value`. If the META has
    /// `http-equiv=X-Robots-Tag`, its directives may name robots; those for others are left out.
    pub fn directives_with_departures<'a, N: AsRef<str>>(
        &self,
        names: &'a [N],
    ) -> impl Iterator<Item = Directive<'p>> + use<'a, 'p, N> {
        let departure = self.departure(names);
        let is_header = departure.is_some_and(|found| found.contains(Departure::HTTP_EQUIV));
        let content = self
            .attribute("content")
            .or_else(|| self.attribute("value"))
            .filter(|_| departure.is_some());
        let prefix = if is_header {
            AgentPrefix::Accepted
        } else {
            AgentPrefix::None
        };
        let content = content.map(|content| content.value()).unwrap_or_default();
        items(content, prefix)
            .filter(move |item| {
                item.agent.is_none_or(|agent| {
                    names
                        .iter()
                        .any(|name| agent.eq_ignore_ascii_case(name.as_ref()))
                })
            })
            .map(|item| item.directive)
    }
}

impl PageFacts {
    /// Returns the METAs for a robot with one of these names, in order: those without departures, and
    /// those whose departures are all allowed. No engine is known to honour a META with a departure.
    pub fn robots_metas_with<'a>(
        &'a self,
        names: &'a [impl AsRef<str>],
        allowed: Departure,
    ) -> impl Iterator<Item = Meta<'a>> {
        self.metas().filter(move |meta| {
            meta.departure(names)
                .is_some_and(|departure| allowed.contains(departure))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Facts, HeadOptions, HeadReader, Wanted};

    const PAGE: &[u8] =
        b"<meta name=robots content=noindex><meta property=ROBOTS content=nofollow>\
        <meta name=robots value=none><meta http-equiv=' X&#45;Robots-Tag' content='noarchive, other: none'>\
        <meta name=x value=none>";

    #[test]
    fn departures_are_obeyed_on_request_only() {
        let wanted = Wanted::facts(Facts::ROBOTS);
        for page in [
            HeadReader::read(PAGE),
            HeadOptions::new().with_wanted(wanted).read(PAGE),
        ] {
            let directives = |allowed| -> Vec<String> {
                page.robots_metas_with(&["robots"], allowed)
                    .flat_map(|meta| meta.directives_with_departures(&["robots"]))
                    .map(|directive| directive.text().to_owned())
                    .collect()
            };
            assert_eq!(directives(Departure::empty()), ["noindex"]);
            assert_eq!(directives(Departure::PROPERTY), ["noindex", "nofollow"]);
            assert_eq!(directives(Departure::VALUE), ["noindex", "none"]);
            assert_eq!(directives(Departure::all()).len(), 4);
            assert_eq!(page.directives(&["robots"]).count(), 1);
        }
    }
}
