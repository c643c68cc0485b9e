//! The rules of many sites in one object, with the interface of Perl's `WWW::RobotRules` (libwww-perl),
//! for programs that are ported from it (`docs/semantics.md`, sections 0.4, 3.4).
//!
//! Files are read under [`Dialect::WWW_ROBOT_RULES`]; URLs are compared as written. [`RobotRules`]
//! lists the differences from the Perl module. The expected values of the tests were checked with its
//! version 6.02 on 2026-11-21; comments in the tests mark where it answers differently.
//!
//! [`RobotRules::allowed`] costs one hash of the site and one verdict: linear in the bytes of the URL.

use crate::answer::answers;
use crate::input::{UrlError, origin};
use robots_meta::Timestamp;
use robots_txt::{Dialect, RobotsTxt, Rules, Target};
use std::collections::HashMap;
use url::Url;

/// The default lifetime of rules, in seconds: 365 days (`docs/semantics.md`, sections 3.4, 8.1).
const LIFETIME: i64 = 365 * 24 * 60 * 60;

/// The rules of many sites for one robot, with the interface of Perl's `WWW::RobotRules`
/// (`docs/semantics.md`, section 3.4).
///
/// ```
/// use robots_policy::RobotRules;
/// use robots_policy::robot_rules::Allowed;
///
/// let mut rules = RobotRules::new("ExampleBot/1.0");
/// let text = b"User-agent: *\nDisallow: /private/\n";
/// rules.parse("http://example.com/robots.txt", text, None)?;
///
/// assert_eq!(rules.allowed("http://example.com/offers"), Allowed::Yes);
/// assert_eq!(rules.allowed("http://example.com/private/x"), Allowed::No);
/// // That site's robots.txt must be fetched first.
/// assert_eq!(rules.allowed("http://example.org/"), Allowed::Unknown);
/// # Ok::<(), robots_policy::origins::UrlError>(())
/// ```
///
/// A site is a host and a port, with any scheme: `http://example.com:443` is the site of
/// `https://example.com`. The number of sites is not limited: the rules of a site stay in memory until
/// other rules replace them or the object is dropped.
///
/// Differences from the Perl module:
///
/// * It reads no clock: [`set_now`](Self::set_now) sets the time.
/// * An invalid URL is [`Allowed::Unknown`]. The Perl module allows it, as it has no scheme.
/// * A URL without a path has the path `/` (`docs/semantics.md`, section 8.3). The Perl module compares
///   an empty text, so that `Disallow: /` leaves `http://example.com` allowed.
/// * Host names are compared in lower case and in Punycode (`docs/semantics.md`, section 8.1). To the
///   Perl module, `Example.com` and `example.com` are two sites.
/// * It does not count visits.
///
/// [`Policy`](crate::Policy) applies RFC 9309 and gives reasons.
#[derive(Debug, Clone)]
pub struct RobotRules {
    agent: String,
    now: Option<Timestamp>,
    /// By host and port.
    sites: HashMap<String, Site>,
}

/// The rules of a site.
#[derive(Debug, Clone)]
struct Site {
    rules: Rules,
    /// The last second in which the rules hold; `None` if they never expire.
    fresh_until: Option<Timestamp>,
}

impl RobotRules {
    /// Creates an object without rules, for the robot named by the first word of `name` up to a `/`:
    /// `FooBot/1.2 (mail@example.com)` is `FooBot` (`docs/semantics.md`, section 3.4).
    pub fn new(name: &str) -> Self {
        let word = name.split_whitespace().next().unwrap_or_default();
        let agent = word.split('/').next().unwrap_or_default();
        Self {
            agent: agent.to_owned(),
            now: None,
            sites: HashMap::new(),
        }
    }

    /// Returns the robot's name, without a version.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// Sets the current time, by which rules expire. Without it, rules never expire.
    pub fn set_now(&mut self, now: impl Into<Option<Timestamp>>) {
        self.now = now.into();
    }

    /// Reads the robots.txt of a site, which replaces an earlier one. `url` is the URL of the request, and identifies the
    /// site. A rule that is an absolute URL counts only if its URL is of the same site.
    ///
    /// The rules hold up to and including `fresh_until`. Without it they hold for 365 days from the
    /// current time, or forever if no time is set.
    ///
    /// # Errors
    ///
    /// If the URL is invalid or has no host. Every body is accepted.
    pub fn parse(
        &mut self,
        url: &str,
        body: &[u8],
        fresh_until: Option<Timestamp>,
    ) -> Result<(), UrlError> {
        let parsed = origin::parse(url)?;
        let netloc = netloc(&parsed).ok_or_else(|| UrlError::without_host(url))?;
        let rules = RobotsTxt::parse(body)
            .with_url(parsed.as_str())
            .rules(&self.agent, &Dialect::WWW_ROBOT_RULES);
        let fresh_until = fresh_until.or_else(|| self.now.map(default_expiry));
        self.sites.insert(netloc, Site { rules, fresh_until });
        Ok(())
    }

    /// Returns whether the robot may fetch a URL.
    ///
    /// robots.txt applies to `http` and `https` alone: a URL with another scheme is allowed. Path and
    /// query are compared as written, without the fragment; nothing is decoded and `..` is not
    /// resolved (`docs/semantics.md`, section 3.4). If the client normalises URLs before requests, pass
    /// the normalised URL. `/robots.txt` is a path like any other.
    pub fn allowed(&self, url: &str) -> Allowed {
        let Ok(parsed) = origin::parse(url) else {
            return Allowed::Unknown;
        };
        if !matches!(parsed.scheme(), "http" | "https") {
            return Allowed::Yes;
        }
        let fresh = self.site(&parsed).filter(|site| !self.is_stale(site));
        let Some(site) = fresh else {
            return Allowed::Unknown;
        };
        let target = Target::new(comparable(url, &parsed));
        if site.rules.verdict(&target).is_allowed() {
            Allowed::Yes
        } else {
            Allowed::No
        }
    }

    /// Returns the last second in which the rules of a URL's site hold, even if it has passed. `None` if the
    /// site has no rules, or if they never expire: they were read without a time of expiry, and no current
    /// time was set.
    pub fn fresh_until(&self, url: &str) -> Option<Timestamp> {
        self.site(&origin::parse(url).ok()?)?.fresh_until
    }

    fn site(&self, url: &Url) -> Option<&Site> {
        self.sites.get(&netloc(url)?)
    }

    /// Returns whether rules have expired. In the last second they still apply.
    fn is_stale(&self, site: &Site) -> bool {
        let times = site.fresh_until.zip(self.now);
        times.is_some_and(|(fresh_until, now)| fresh_until < now)
    }
}

answers! {
    /// The answers of `WWW::RobotRules` on whether a robot may fetch a URL (`docs/semantics.md`, section 3.4).
    Allowed {
        /// It may.
        Yes = "yes",
        /// It may not.
        No = "no",
        /// The robots.txt of the site must be fetched first: it is missing or has expired.
        Unknown = "unknown",
    }
}

impl Allowed {
    /// Returns the number of Perl's `allowed`: 1, 0, or -1 for unknown.
    ///
    /// In Perl, -1 is true: `if ($rules->allowed($url))` fetches URLs of unknown sites.
    pub fn as_i8(self) -> i8 {
        match self {
            Self::Yes => 1,
            Self::No => 0,
            Self::Unknown => -1,
        }
    }
}

/// Returns the host and port of a URL, which identify its site; `None` if it has no host.
fn netloc(url: &Url) -> Option<String> {
    let host = url.host_str().filter(|host| !host.is_empty())?;
    Some(match url.port_or_known_default() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

fn default_expiry(now: Timestamp) -> Timestamp {
    Timestamp::from_seconds(now.as_seconds().saturating_add(LIFETIME))
}

/// Returns the URL whose path and query are compared: the written one, as parsing resolves `..` and
/// encodes differently from Perl's `URI`.
///
/// The host comes from the parsed URL. In a written URL with unusual characters, another part may look like the host:
/// parsing accepts `\` for `/` and any number of slashes after the scheme, and removes tabs and line ends. The path after
/// that part would be a wrong one. So for such a URL, returns the parsed one.
fn comparable<'u>(written: &'u str, parsed: &'u Url) -> &'u str {
    // Parsing removes spaces and control characters at both ends.
    let written = written.trim_matches(|c: char| c <= ' ');
    let is_plain = written.split_once("://").is_some_and(|(scheme, rest)| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        scheme.eq_ignore_ascii_case(parsed.scheme())
            && !authority.is_empty()
            && authority.bytes().all(|byte| byte > b' ' && byte != b'\\')
    });
    if is_plain { written } else { parsed.as_str() }
}

#[cfg(test)]
mod tests {
    use super::Allowed::{No, Unknown, Yes};
    use super::*;

    const URL: &str = "http://a.example/robots.txt";

    /// Returns the rules of one file.
    fn read(name: &str, text: &str) -> RobotRules {
        let mut rules = RobotRules::new(name);
        rules.parse(URL, text.as_bytes(), None).unwrap();
        rules
    }

    /// Returns Perl's answers for paths of the site.
    fn numbers<const N: usize>(rules: &RobotRules, paths: [&str; N]) -> [i8; N] {
        paths.map(|path| rules.allowed(&format!("http://a.example{path}")).as_i8())
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    #[test]
    fn a_robot_is_the_first_word_of_its_name_without_the_version() {
        let cases = [
            ("FigTree", "FigTree"),
            ("FigTree/0.9", "FigTree"),
            (
                "FigTree/0.9 [http://fig.example; fig@fig.example]",
                "FigTree",
            ),
            (" Fig Tree/0.9", "Fig"),
            ("*", "*"),
            ("/1.0", ""),
            ("", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(RobotRules::new(name).agent(), expected, "{name:?}");
        }
    }

    #[test]
    fn paths_are_compared_as_written() {
        let text = "User-agent: *\nDisallow: /%7Ejoe\nDisallow: /p\nDisallow: /cgi?x\n\
                    Disallow: /a b\nDisallow: /robots.txt\n";
        let cases = [
            ("/%7Ejoe", 0),
            ("/%7ejoe", 1),
            ("/~joe", 1),
            ("/p#x", 0),
            ("/x#/p", 1),
            ("/x?u=http://a.example/p", 1),
            ("/x/../p", 1),
            ("/./p", 1),
            ("/cgi?xy", 0),
            ("/cgi?y", 1),
            // Characters that a URL must not have are encoded on both sides.
            ("/a b", 0),
            ("/a%20b", 0),
            ("/robots.txt", 0),
        ];
        let rules = read("Oak", text);
        for (path, expected) in cases {
            assert_eq!(numbers(&rules, [path]), [expected], "{path}");
        }
        assert_eq!(rules.allowed("  http://a.example/p\n"), No);
    }

    #[test]
    fn a_path_belongs_to_the_host_of_the_parsed_url() {
        let rules = read("Oak", "User-agent: *\nDisallow: /x\n");
        // To the Perl module these are not URLs of the site; it does not return 0 for them.
        for url in [
            "http://a.example\\x/y",
            "http://a.example\\@b.example/../x",
            "http:/a.example/x",
            "http:a.example/x?u=http://b.example/",
            "http:///a.example/x",
            "http://\ta.example/x",
            "ht\ntp://a.example/x",
        ] {
            assert_eq!(rules.allowed(url), No, "{url:?}");
        }
    }

    #[test]
    fn a_url_without_a_path_has_a_slash() {
        // The Perl module allows the first two.
        let rules = read("Oak", "User-agent: *\nDisallow: /\n");
        assert_eq!(numbers(&rules, ["", "?x", "/"]), [0, 0, 0]);
    }

    #[test]
    fn a_site_is_a_host_and_a_port() {
        let rules = read("Oak", "User-agent: *\nDisallow: /\n");
        assert_eq!(rules.allowed("http://u:p@a.example:80/"), No);
        // The Perl module does not know the host in capitals.
        assert_eq!(rules.allowed("http://A.EXAMPLE/"), No);
        for url in [
            "http://a.example:8080/",
            "http://a.example:443/",
            "https://a.example/",
            "http://b.example/",
            "http://sub.a.example/",
        ] {
            assert_eq!(rules.allowed(url), Unknown, "{url}");
        }

        let mut rules = RobotRules::new("Oak");
        let text = b"User-agent: *\nDisallow: https://a.example/x\n";
        rules
            .parse("https://a.example/robots.txt", text, None)
            .unwrap();
        assert_eq!(rules.allowed("https://a.example/x"), No);
        assert_eq!(rules.allowed("http://a.example:443/x"), No);
        assert_eq!(rules.allowed("http://a.example/x"), Unknown);
    }

    #[test]
    fn other_schemes_are_allowed_and_invalid_urls_are_unknown() {
        let rules = read("Oak", "User-agent: *\nDisallow: /\n");
        for url in [
            "ftp://a.example/",
            "mailto:x@a.example",
            "file:///etc/hosts",
            "a.example:80/",
        ] {
            assert_eq!(rules.allowed(url), Yes, "{url}");
        }
        // The Perl module allows the first three.
        for url in ["", "/", "a.example/", "http://", "http://a.example:99999/"] {
            assert_eq!(rules.allowed(url), Unknown, "{url}");
        }
    }

    #[test]
    fn a_file_replaces_the_earlier_one() {
        let mut rules = read("Oak", "User-agent: *\nDisallow: /a\n");
        rules
            .parse("http://b.example/robots.txt", b"Disallow: /a\n", None)
            .unwrap();
        rules
            .parse(URL, b"User-agent: *\nDisallow: /b\n", None)
            .unwrap();
        assert_eq!(numbers(&rules, ["/a", "/b"]), [1, 0]);
        assert_eq!(rules.allowed("http://b.example/a"), No);
    }

    #[test]
    fn a_file_needs_a_host() {
        let mut rules = RobotRules::new("Oak");
        let mut error = |url| rules.parse(url, b"", None).unwrap_err().to_string();
        assert_eq!(error("robots.txt"), "cannot read \"robots.txt\" as a URL");
        assert_eq!(error("mailto:a@b"), "\"mailto:a@b\" has no host");
    }

    #[test]
    fn rules_hold_up_to_their_last_second() {
        let mut rules = RobotRules::new("Oak");
        let text = b"User-agent: *\nDisallow: /\n";
        rules.parse(URL, text, Some(at(2000))).unwrap();
        // No time is set.
        assert_eq!(rules.allowed(URL), No);
        for (now, expected) in [(1999, No), (2000, No), (2001, Unknown)] {
            rules.set_now(at(now));
            assert_eq!(rules.allowed(URL), expected, "{now}");
        }
        assert_eq!(rules.fresh_until("http://a.example/x"), Some(at(2000)));
        assert_eq!(rules.allowed("ftp://a.example/"), Yes);
        // Read again, they hold again.
        rules.parse(URL, text, Some(at(3000))).unwrap();
        assert_eq!(rules.allowed(URL), No);
    }

    #[test]
    fn rules_hold_for_365_days_by_default() {
        let mut rules = RobotRules::new("Oak");
        let text = b"User-agent: *\nDisallow: /\n";
        rules.set_now(at(1000));
        rules.parse(URL, text, None).unwrap();
        let last = 1000 + 365 * 86_400;
        assert_eq!(rules.fresh_until(URL), Some(at(last)));
        for (now, expected) in [(last - 1, No), (last, No), (last + 1, Unknown)] {
            rules.set_now(at(now));
            assert_eq!(rules.allowed(URL), expected, "{now}");
        }
        rules.set_now(at(i64::MAX));
        rules.parse(URL, text, None).unwrap();
        assert_eq!(rules.fresh_until(URL), Some(at(i64::MAX)));
        assert_eq!(rules.allowed(URL), No);
    }

    #[test]
    fn rules_without_a_time_never_expire() {
        let mut rules = read("Oak", "User-agent: *\nDisallow: /\n");
        rules.set_now(at(i64::MAX));
        assert_eq!(rules.allowed(URL), No);
        assert_eq!(rules.fresh_until(URL), None);
        assert_eq!(rules.fresh_until("http://b.example/"), None);
        assert_eq!(rules.fresh_until("b"), None);
    }

    #[test]
    fn the_answers_have_numbers_and_words() {
        let answers = [Yes, No, Unknown];
        assert_eq!(answers.map(Allowed::as_i8), [1, 0, -1]);
        let words = answers.map(|answer| answer.to_string());
        assert_eq!(words, ["yes", "no", "unknown"]);
    }
}
