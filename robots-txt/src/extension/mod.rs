//! Fields beyond `User-agent`, `Allow` and `Disallow`: one module for each, and [`Extension`], which is
//! any of them.
//!
//! A directive becomes a typed value with the number of its line. An unknown field or an unreadable
//! value becomes an extension with the line as written. Reading is linear in the value.

pub(crate) mod ai_training;
pub(crate) mod clean_param;
pub(crate) mod comment;
pub(crate) mod content_signal;
#[cfg(feature = "content-usage")]
pub(crate) mod content_usage;
pub(crate) mod crawl_delay;
pub(crate) mod host;
pub(crate) mod license;
pub(crate) mod noindex;
pub(crate) mod path;
pub(crate) mod path_pattern;
pub(crate) mod preferences;
pub(crate) mod request_rate;
pub(crate) mod set;
pub(crate) mod sitemap;
pub(crate) mod visit_time;

pub use crate::select::robot_version::RobotVersion;
pub use ai_training::AiTraining;
pub use clean_param::CleanParam;
pub use comment::Comment;
pub use content_signal::{ContentSignal, SignalVerdict};
#[cfg(feature = "content-usage")]
pub use content_usage::{ContentUsage, UsageVerdict};
pub use crawl_delay::CrawlDelay;
pub use host::Host;
pub use license::License;
pub use noindex::Noindex;
pub use path_pattern::PathPattern;
pub use preferences::Preferences;
pub use request_rate::RequestRate;
pub use set::Extensions;
pub use sitemap::Sitemap;
pub use visit_time::{VisitTime, Window};

use crate::parse::field::Field;
use crate::parse::line::Line;
use crate::select::directive::Directive;
use robots_usage::Preference;

/// The typed value of a directive that is neither `User-agent` nor `Allow` nor `Disallow`.
///
/// Crawlers may interpret such records or ignore them (RFC 9309, 2.2.4). They do not change which URLs
/// may be fetched, with one exception: `Robot-version` changes the reading of patterns under
/// [`Dialect::CONNER_1996`](crate::Dialect::CONNER_1996).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extension<'a> {
    /// `Crawl-delay`: the time between two requests.
    CrawlDelay(CrawlDelay),
    /// `Request-rate`: a number of documents in a period.
    RequestRate(RequestRate),
    /// `Visit-time`: the part of the day for visits.
    VisitTime(VisitTime),
    /// `Sitemap`: the URL of a sitemap.
    Sitemap(Sitemap<'a>),
    /// `Host`: the preferred one of a site's names.
    Host(Host<'a>),
    /// `Clean-param`: query parameters that do not change the content of a page.
    CleanParam(CleanParam<'a>),
    /// `Noindex`: a path pattern to keep out of an index.
    Noindex(Noindex<'a>),
    /// `Content-Usage`: preferences of the AIPREF vocabulary. An invalid Dictionary
    /// ([`ContentUsage::is_dictionary`]) is not [`Unreadable`](Self::Unreadable): it has an effect, as
    /// it replaces the preferences of shorter paths.
    #[cfg(feature = "content-usage")]
    ContentUsage(ContentUsage<'a>),
    /// `Content-Signal`: Cloudflare's Content Signals.
    ContentSignal(ContentSignal<'a>),
    /// `License`: the URL of the terms of use.
    License(License<'a>),
    /// `DisallowAITraining` or `AllowAITraining`: a path pattern, and whether AI may be trained with the
    /// pages that it matches.
    AiTraining(AiTraining<'a>),
    /// `Comment`: a message to the author of the robot.
    Comment(Comment<'a>),
    /// `Robot-version`: the version of the exclusion standard that a group is written in.
    RobotVersion(RobotVersion),
    /// One of the fields above with a value that cannot be read: it has no effect.
    Unreadable(Line<'a>),
    /// A field that is none of the above; also `Content-Usage` without the feature
    /// `content-usage`.
    Unknown(Line<'a>),
}

/// The scope of an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// The whole file, wherever the line is.
    File,
    /// The group that the line is in.
    Group,
}

impl<'a> Extension<'a> {
    /// Reads a directive, such as one of a group ([`RobotsTxt::groups`](crate::RobotsTxt::groups));
    /// `None` for `User-agent`, `Allow` and `Disallow`.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt};
    /// use robots_txt::extension::Extension;
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nCrawl-delay: 3\n");
    /// let groups = robots.groups(&Dialect::RFC9309);
    /// let extension = Extension::read(groups[0].directives()[0]);
    /// assert!(matches!(extension, Some(Extension::CrawlDelay(delay)) if delay.delay().as_secs() == 3));
    /// ```
    pub fn read(directive: Directive<'a>) -> Option<Self> {
        let line = directive.line();
        let (number, value) = (line.number(), line.value());
        let extension = match directive.field() {
            Field::UserAgent | Field::Allow | Field::Disallow => return None,
            Field::Other => return Some(Self::Unknown(line)),
            Field::CrawlDelay => CrawlDelay::read(number, value).map(Self::CrawlDelay),
            Field::RequestRate => RequestRate::read(number, value).map(Self::RequestRate),
            Field::VisitTime => VisitTime::read(number, value).map(Self::VisitTime),
            Field::Sitemap => Sitemap::read(number, value).map(Self::Sitemap),
            Field::Host => Host::read(number, value).map(Self::Host),
            Field::CleanParam => CleanParam::read(number, value).map(Self::CleanParam),
            Field::Noindex => Noindex::read(number, value).map(Self::Noindex),
            #[cfg(not(feature = "content-usage"))]
            Field::ContentUsage => return Some(Self::Unknown(line)),
            #[cfg(feature = "content-usage")]
            Field::ContentUsage => ContentUsage::read(number, value).map(Self::ContentUsage),
            Field::ContentSignal => ContentSignal::read(number, value).map(Self::ContentSignal),
            Field::License => License::read(number, value).map(Self::License),
            Field::DisallowAiTraining => {
                AiTraining::read(number, value, Preference::Disallow).map(Self::AiTraining)
            }
            Field::AllowAiTraining => {
                AiTraining::read(number, value, Preference::Allow).map(Self::AiTraining)
            }
            Field::Comment => Comment::read(number, value).map(Self::Comment),
            Field::RobotVersion => RobotVersion::read(number, value).map(Self::RobotVersion),
        };
        Some(extension.unwrap_or(Self::Unreadable(line)))
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        match self {
            Self::CrawlDelay(found) => found.line(),
            Self::RequestRate(found) => found.line(),
            Self::VisitTime(found) => found.line(),
            Self::Sitemap(found) => found.line(),
            Self::Host(found) => found.line(),
            Self::CleanParam(found) => found.line(),
            Self::Noindex(found) => found.line(),
            #[cfg(feature = "content-usage")]
            Self::ContentUsage(found) => found.line(),
            Self::ContentSignal(found) => found.line(),
            Self::License(found) => found.line(),
            Self::AiTraining(found) => found.line(),
            Self::Comment(found) => found.line(),
            Self::RobotVersion(found) => found.line(),
            Self::Unreadable(line) | Self::Unknown(line) => line.number(),
        }
    }

    /// Returns the scope of the line: `Sitemap` (RFC 9309, 2.2.4; docs/semantics.md, section 2.1),
    /// `Host` and `Clean-param` (docs/semantics.md, section 2.5) apply to the file, all others to
    /// the group that contains them.
    ///
    /// An extension does not record its group. Outside every group, a line with [`Scope::Group`]
    /// never applies to a robot. The exception is `License`: outside every group, it applies to each
    /// robot whose groups have no `License` (docs/semantics.md, section 4.7).
    /// [`RobotsTxt::extensions_for`](crate::RobotsTxt::extensions_for) takes this into account.
    pub fn scope(&self) -> Scope {
        let is_of_file = match self {
            Self::Sitemap(_) | Self::Host(_) | Self::CleanParam(_) => true,
            Self::Unreadable(line) => matches!(
                line.field(),
                Field::Sitemap | Field::Host | Field::CleanParam
            ),
            _ => false,
        };
        if is_of_file {
            Scope::File
        } else {
            Scope::Group
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, RobotsTxt};

    /// Returns the name of each extension of a file, its line and its scope.
    fn extensions(body: &str) -> Vec<(String, usize, Scope)> {
        let robots = RobotsTxt::parse(body.as_bytes());
        robots
            .directives(&Dialect::RFC9309)
            .filter_map(Extension::read)
            .map(|extension| {
                let debug = format!("{extension:?}");
                let name = debug.split('(').next().unwrap().to_owned();
                (name, extension.line(), extension.scope())
            })
            .collect()
    }

    #[test]
    fn each_field_becomes_its_extension() {
        let cases = [
            ("Crawl-delay: 1", "CrawlDelay", Scope::Group),
            ("Request-rate: 1/10", "RequestRate", Scope::Group),
            ("Visit-time: 0400-0845", "VisitTime", Scope::Group),
            ("Sitemap: /s", "Sitemap", Scope::File),
            ("Host: a.example", "Host", Scope::File),
            ("Clean-param: ref /a", "CleanParam", Scope::File),
            ("Noindex: /a", "Noindex", Scope::Group),
            #[cfg(feature = "content-usage")]
            ("Content-Usage: train-ai=n", "ContentUsage", Scope::Group),
            #[cfg(feature = "content-usage")]
            ("Content-Usage: Train-AI=n", "ContentUsage", Scope::Group),
            ("Content-Signal: ai-train=no", "ContentSignal", Scope::Group),
            ("License: https://a.example/l", "License", Scope::Group),
            ("DisallowAITraining: /", "AiTraining", Scope::Group),
            ("AllowAITraining: /a", "AiTraining", Scope::Group),
            ("Comment: hello", "Comment", Scope::Group),
            ("Robot-version: 2.0", "RobotVersion", Scope::Group),
            ("Cache-delay: 2", "Unknown", Scope::Group),
        ];
        for (line, name, scope) in cases {
            let expected = [(name.to_owned(), 2, scope)];
            let body = format!("User-agent: *\n{line}");
            assert_eq!(extensions(&body), expected, "{line}");
        }
    }

    #[test]
    fn a_value_that_cannot_be_read_keeps_its_line() {
        let cases = [
            ("Crawl-delay: ten", Scope::Group),
            ("Request-rate: 0/10", Scope::Group),
            ("Visit-time: always", Scope::Group),
            ("Sitemap:", Scope::File),
            ("Host:", Scope::File),
            ("Clean-param: /a", Scope::File),
            ("Noindex:", Scope::Group),
            #[cfg(feature = "content-usage")]
            ("Content-Usage:", Scope::Group),
            ("Content-Signal: /a", Scope::Group),
            ("License:", Scope::Group),
            ("DisallowAITraining:", Scope::Group),
            ("AllowAITraining:", Scope::Group),
            ("Comment:", Scope::Group),
            ("Robot-version: two", Scope::Group),
        ];
        for (line, scope) in cases {
            let expected = [("Unreadable".to_owned(), 1, scope)];
            assert_eq!(extensions(line), expected, "{line}");
        }
    }

    #[test]
    fn rules_and_names_are_not_extensions() {
        assert_eq!(extensions("User-agent: *\nAllow: /\nDisallow: /"), []);
    }

    #[test]
    fn training_is_allowed_or_disallowed_by_its_field() {
        let robots = RobotsTxt::parse(b"DisallowAITraining: /\nAllowAITraining: /a");
        let preferences: Vec<_> = robots
            .directives(&Dialect::RFC9309)
            .filter_map(Extension::read)
            .filter_map(|extension| match extension {
                Extension::AiTraining(rule) => Some(rule.preference()),
                _ => None,
            })
            .collect();
        assert_eq!(preferences, [Preference::Disallow, Preference::Allow]);
    }
}
