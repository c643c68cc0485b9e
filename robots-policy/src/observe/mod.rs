//! The observations that a decision is made from: directives of headers and METAs that apply to one
//! robot, and the parts of the page that were read.
//!
//! A [`Page`] becomes [`Observations`] under a [`DecisionContext`] of a policy. The only decision made here is
//! which statements count under the profile's precedence.

pub(crate) mod head;
pub(crate) mod statement;

use crate::input::origin;
use crate::input::page::Page;
use crate::profile::{Honours, Profile, Robot};
use crate::site::RobotsState;
use robots_meta::{PageFacts, Wanted};
use robots_txt::Target;
use statement::Statements;
use std::borrow::Cow;

/// The parts of a policy that a decision needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DecisionContext<'p> {
    pub(crate) profile: &'p Profile,
    pub(crate) robot: &'p Robot,
    /// The facts to read in a HEAD.
    pub(crate) wanted: &'p Wanted,
    /// Whether decisions carry reasons and warnings.
    pub(crate) is_explained: bool,
}

impl DecisionContext<'_> {
    /// Returns whether METAs in BODY count.
    pub(crate) fn reads_body(self) -> bool {
        self.profile.honours.contains(Honours::BODY_METAS)
    }

    /// Returns the METAs of a page. Reads them unless the caller has done so.
    pub(crate) fn read<'a>(self, page: &Page<'a>) -> Option<Cow<'a, PageFacts>> {
        head::of_page(page, self.wanted, self.reads_body())
    }
}

/// How completely the statements of a page are known.
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
    pub(crate) robots: &'a RobotsState,
    pub(crate) page: &'a Page<'a>,
    /// The METAs, where the page is HTML.
    pub(crate) meta: Option<&'a PageFacts>,
    /// The directives that apply to the robot, headers before METAs.
    pub(crate) statements: Statements<'a>,
}

impl<'a> Observations<'a> {
    /// Collects the observations about a page. Linear in its header lines and METAs.
    pub(crate) fn of(
        context: DecisionContext<'a>,
        robots: &'a RobotsState,
        page: &'a Page<'a>,
        meta: Option<&'a PageFacts>,
    ) -> Self {
        let mut statements = statement::collect(context, page, meta);
        statement::apply_precedence(&mut statements, context.profile.merge.precedence());
        Self {
            target: origin::target(page.url),
            robots,
            page,
            meta,
            statements,
        }
    }
}
