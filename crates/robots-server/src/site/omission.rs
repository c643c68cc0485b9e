//! Whether the text of a site's robots.txt may be shown.
//!
//! A site may redirect its robots.txt to any page of the web. Whoever owns a site could so read every page through this service,
//! and in its name. So the text is shown only if it is a file of the site itself, or the robots.txt of another one.

use robots_crawl::known::Known;
use robots_crawl::store::SuccessUrl;
use robots_pipeline::robots_url::is_robots;
use robots_policy::origins::Origin;
use robots_policy::robots::Cause;
use robots_policy::robots_txt::RobotsTxt;
use robots_policy::robots_txt::parse::{Field, LineKind};

/// The reason why the text of a robots.txt is not shown. Its rules apply in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Omission {
    /// The media type is not text, or is HTML.
    NotText,
    /// It begins as HTML.
    Html,
    /// The redirects end at another site, and not at its `/robots.txt`.
    Redirected,
    /// Another program stored it without its URL, and it does not look like a robots.txt.
    UnknownUrl,
}

impl Omission {
    /// Returns the reason why the text of the last robots.txt of a site is not shown; nothing if it is, or if there is none.
    pub(crate) fn of(origin: &Origin, known: &Known) -> Option<Self> {
        let body = known.body()?;
        let success = known.record().outcomes.last_success()?;
        if success.cause() == Cause::NotText {
            return Some(Self::NotText);
        }
        let robots = RobotsTxt::parse(body);
        if robots.looks_like_html() {
            return Some(Self::Html);
        }
        match known.success_url() {
            SuccessUrl::OwnRobotsTxt => None,
            SuccessUrl::Redirected(url) => {
                let is_foreign = Origin::of(url).ok().as_ref() != Some(origin) && !is_robots(url);
                is_foreign.then_some(Self::Redirected)
            }
            _ => (!looks_like_robots_txt(&robots)).then_some(Self::UnknownUrl),
        }
    }

    /// Returns the name of the reason in answers of the API.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::NotText => "not_text",
            Self::Html => "html",
            Self::Redirected => "redirected",
            Self::UnknownUrl => "unknown_url",
        }
    }

    /// Returns the reason in a sentence.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::NotText => "The site answers with HTML, or with something else that is not text.",
            Self::Html => "The site answers with a page of HTML in place of a robots.txt.",
            Self::Redirected => {
                "The redirects end at another site, at a file that is not its /robots.txt."
            }
            Self::UnknownUrl => "Its URL is not known, and it does not look like a robots.txt.",
        }
    }
}

/// Returns whether a file is empty, or names a robot and has only comments and directives.
fn looks_like_robots_txt(robots: &RobotsTxt) -> bool {
    let mut has_agent = false;
    let mut has_directive = false;
    for line in robots.lines() {
        match line.kind() {
            LineKind::Directive => {
                has_directive = true;
                has_agent |= line.field() == Field::UserAgent;
            }
            LineKind::Junk => return false,
            _ => {}
        }
    }
    has_agent || (!has_directive && robots.body().trim_ascii().is_empty())
}
