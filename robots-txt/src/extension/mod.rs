//! Fields beyond `User-agent`, `Allow` and `Disallow`: [`Extension`] is any of them, and [`Extension::read`] the table from
//! field to value.
//!
//! A directive becomes a typed value with the number of its line. An unknown field or an unreadable
//! value becomes an extension with the line as written. Reading is linear in the value.

pub(crate) mod clean_param;
pub(crate) mod crawl_delay;
mod path_pattern;
mod request_rate;
mod set;
mod statement;
mod text;
mod visit_time;

pub use crate::select::robot_version::RobotVersion;
pub use clean_param::CleanParam;
pub use crawl_delay::CrawlDelay;
pub use path_pattern::PathPattern;
pub use request_rate::RequestRate;
pub use set::Extensions;
pub use statement::{Preferences, Stated, Statement};
pub use text::Text;
pub use visit_time::{VisitTime, Window};

use crate::parse::field::Field;
use crate::parse::line::Line;
use crate::select::directive::Directive;
use robots_usage::Preference;
use robots_usage::content_signal::Signals;
use robots_usage::content_usage::Usage;

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
    /// `Sitemap`: the URL of a sitemap. It applies to the file, wherever it is.
    Sitemap(Text<'a>),
    /// `Host`: the preferred one of a site's names: a host, perhaps with a scheme or a port. It applies to the file. Yandex
    /// dropped it in March 2018 in favour of redirects (docs/semantics.md, section 2.5).
    Host(Text<'a>),
    /// `Clean-param`: query parameters that do not change the content of a page. It applies to the file.
    CleanParam(CleanParam<'a>),
    /// `Noindex`: a path pattern to keep out of an index. No standard defines it, and Google has ignored it since 2019-09-01
    /// (docs/semantics.md, section 10). Callers may report it; no decision takes it into account.
    Noindex(Text<'a>),
    /// `Content-Usage`: preferences of the AIPREF vocabulary; `None` if they are not a Dictionary. This is not
    /// [`Unreadable`](Self::Unreadable): it has an effect, as it replaces the preferences of shorter paths
    /// (docs/semantics.md, section 4.1, taken literally).
    ContentUsage(Statement<'a, Option<Usage>>),
    /// `Content-Signal`: Cloudflare's Content Signals. A key that a line repeats is combined ([`Signals::combine`]).
    ContentSignal(Statement<'a, Signals>),
    /// `License`: the URI of the terms of use, RSL 1.0 (docs/semantics.md, section 4.7). It changes no verdict. Outside
    /// every group, it applies to each robot whose groups have no `License`.
    License(Text<'a>),
    /// `DisallowAITraining` or `AllowAITraining`: a path pattern, and whether AI may be trained with the
    /// pages that it matches; never [`Preference::Unknown`].
    AiTraining(Statement<'a, Preference>),
    /// `Comment`: a message that a robot is to send to its author (Conner, docs/semantics.md, section 3.3). It is not the
    /// text after a `#`.
    Comment(Text<'a>),
    /// `Robot-version`: the version of the exclusion standard that a group is written in.
    RobotVersion(RobotVersion),
    /// One of the fields above with a value that cannot be read: it has no effect.
    Unreadable(Line<'a>),
    /// A field that is none of the above.
    Unknown(Line<'a>),
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
            Field::Sitemap => Text::read(number, value).map(Self::Sitemap),
            Field::Host => Text::read(number, value).map(Self::Host),
            Field::CleanParam => CleanParam::read(number, value).map(Self::CleanParam),
            Field::Noindex => Text::read(number, value).map(Self::Noindex),
            Field::ContentUsage => Statement::usage(number, value).map(Self::ContentUsage),
            Field::ContentSignal => Statement::signals(number, value).map(Self::ContentSignal),
            Field::License => Text::read(number, value).map(Self::License),
            Field::DisallowAiTraining => {
                Statement::training(number, value, Preference::Disallow).map(Self::AiTraining)
            }
            Field::AllowAiTraining => {
                Statement::training(number, value, Preference::Allow).map(Self::AiTraining)
            }
            Field::Comment => Text::read(number, value).map(Self::Comment),
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
            Self::Sitemap(found)
            | Self::Host(found)
            | Self::Noindex(found)
            | Self::License(found)
            | Self::Comment(found) => found.line(),
            Self::CleanParam(found) => found.line(),
            Self::ContentUsage(found) => found.line(),
            Self::ContentSignal(found) => found.line(),
            Self::AiTraining(found) => found.line(),
            Self::RobotVersion(found) => found.line(),
            Self::Unreadable(line) | Self::Unknown(line) => line.number(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, RobotsTxt};

    /// Returns the name and the line of each extension of a file, and whether it applies to the file.
    fn extensions(body: &str) -> Vec<(String, usize, bool)> {
        let robots = RobotsTxt::parse(body.as_bytes());
        let of_robot = robots.extensions_for("a", &Dialect::RFC9309);
        let of_file = of_robot.of_file();
        robots
            .extensions(&Dialect::RFC9309)
            .map(|extension| {
                let debug = format!("{extension:?}");
                let name = debug.split('(').next().unwrap().to_owned();
                (name, extension.line(), of_file.contains(&extension))
            })
            .collect()
    }

    #[test]
    fn each_field_becomes_its_extension() {
        let cases = [
            ("Crawl-delay: 1", "CrawlDelay", false),
            ("Request-rate: 1/10", "RequestRate", false),
            ("Visit-time: 0400-0845", "VisitTime", false),
            ("Sitemap: /s", "Sitemap", true),
            ("Host: a.example", "Host", true),
            ("Clean-param: ref /a", "CleanParam", true),
            ("Noindex: /a", "Noindex", false),
            ("Content-Usage: train-ai=n", "ContentUsage", false),
            ("Content-Usage: Train-AI=n", "ContentUsage", false),
            ("Content-Signal: ai-train=no", "ContentSignal", false),
            ("License: https://a.example/l", "License", false),
            ("DisallowAITraining: /", "AiTraining", false),
            ("AllowAITraining: /a", "AiTraining", false),
            ("Comment: hello", "Comment", false),
            ("Robot-version: 2.0", "RobotVersion", false),
            ("Cache-delay: 2", "Unknown", false),
        ];
        for (line, name, is_of_file) in cases {
            let expected = [(name.to_owned(), 2, is_of_file)];
            let body = format!("User-agent: *\n{line}");
            assert_eq!(extensions(&body), expected, "{line}");
        }
    }

    #[test]
    fn a_value_that_cannot_be_read_keeps_its_line() {
        let cases = [
            ("Crawl-delay: ten", false),
            ("Request-rate: 0/10", false),
            ("Visit-time: always", false),
            ("Sitemap:", true),
            ("Host:", true),
            ("Clean-param: /a", true),
            ("Noindex:", false),
            ("Content-Usage:", false),
            ("Content-Signal: /a", false),
            ("License:", false),
            ("DisallowAITraining:", false),
            ("AllowAITraining:", false),
            ("Comment:", false),
            ("Robot-version: two", false),
        ];
        for (line, is_of_file) in cases {
            let expected = [("Unreadable".to_owned(), 2, is_of_file)];
            let body = format!("User-agent: *\n{line}");
            assert_eq!(extensions(&body), expected, "{line}");
        }
    }

    #[test]
    fn rules_and_names_are_not_extensions() {
        assert_eq!(extensions("User-agent: *\nAllow: /\nDisallow: /"), []);
    }
}
