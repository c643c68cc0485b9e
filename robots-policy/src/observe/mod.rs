//! The observations that a decision is made from: directives of headers and METAs that apply to one
//! robot, and the parts of the page that were read.
//!
//! A [`Page`] becomes [`Observations`] under a [`DecisionContext`] of a policy. The only decision made here is
//! which statements count under the profile's precedence.

pub(crate) mod head;
pub(crate) mod statement;

use crate::input::page::Page;
use crate::observe::head::AfterHead;
use crate::profile::{Honours, Profile, Robot};
use crate::robots::RobotsState;
use crate::site::SiteRules;
use robots_meta::{HeadOptions, PageFacts, Wanted};
use robots_txt::Target;
use statement::Statement;

/// The parts of a policy that a decision needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DecisionContext<'p> {
    pub(crate) profile: &'p Profile,
    pub(crate) robot: &'p Robot,
    /// The facts to read in a HEAD.
    pub(crate) wanted: &'p Wanted,
    /// Whether pages are read as by a browser that runs scripts.
    pub(crate) has_scripting: bool,
    /// Whether decisions carry reasons and warnings.
    pub(crate) is_explained: bool,
}

impl DecisionContext<'_> {
    /// Returns whether METAs in BODY count.
    pub(crate) fn reads_body(self) -> bool {
        self.profile.honours.contains(Honours::BODY_METAS)
    }

    /// Returns what METAs after HEAD are read for.
    pub(crate) fn after_head(self) -> AfterHead {
        match (self.reads_body(), self.is_explained) {
            (true, _) => AfterHead::Counts,
            (false, true) => AfterHead::Reported,
            (false, false) => AfterHead::Ignored,
        }
    }

    /// Returns the options of reading a page.
    pub(crate) fn head_options(self) -> HeadOptions {
        HeadOptions::from(self.wanted.clone()).with_scripting(self.has_scripting)
    }

    /// Reads as much of a page as a decision and its warnings need: the document, or only its HEAD if METAs after HEAD do not
    /// matter or none is wanted. `charset` is the encoding that the response names.
    pub(crate) fn read(self, html: &[u8], charset: Option<&str>) -> PageFacts {
        let reading = head::read(html, charset, self.head_options(), self.after_head());
        reading.document.unwrap_or(reading.head)
    }
}

/// How completely the statements about a page are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completeness {
    /// All are known.
    Whole,
    /// Some may be unread. Known prohibitions apply; an unread statement may forbid anything else.
    Partial,
}

/// The observations about one page.
#[derive(Debug)]
pub(crate) struct Observations<'a> {
    /// The URL as a client would request it.
    pub(crate) target: Target<'a>,
    /// The state of the site's robots.txt.
    pub(crate) robots: &'a RobotsState<SiteRules>,
    pub(crate) page: &'a Page<'a>,
    /// The METAs, where the page is HTML.
    pub(crate) meta: Option<&'a PageFacts>,
    /// The directives that apply to the robot, headers before METAs.
    pub(crate) statements: &'a [Statement<'a>],
}
