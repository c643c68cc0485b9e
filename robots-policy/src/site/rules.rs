//! A robots.txt, compiled for one robot: its rules and the other statements that decisions need.

use super::by_url::{MAX_URLS, RulesByUrl};
use crate::decision::WarningKind;
use crate::limits::{MAX_LICENSES, MAX_REQUEST_RATES};
use crate::profile::{Honours, Profile, Robot, SignalFamilies, UsageToken};
use robots_txt::dialect::GroupEnd;
use robots_txt::extension::{Extension, Extensions, Preferences, RequestRate, VisitTime};
use robots_txt::limits::MAX_BODY;
use robots_txt::parse::Field;
use robots_txt::{Agent, Dialect, RobotsTxt, Rules};
use std::cell::LazyCell;
use std::ops::{Deref, RangeFrom};
use std::sync::Arc;

/// The maximum number of [`IneffectiveLine`]s of each kind that are kept for warnings.
const MAX_INEFFECTIVE: usize = 10;

/// A robots.txt, compiled for a robot under a profile. Cheap to clone.
///
/// Statements other than rules, which most files do not have, take additional memory.
#[derive(Debug, Clone)]
pub struct SiteRules {
    rules: Rules,
    others: Option<Arc<OtherStatements>>,
    /// The approximate size in memory, in bytes.
    bytes: u32,
}

/// The statements of a file other than rules, and rules that [`Rules`] alone cannot express.
#[derive(Debug, Default, Clone)]
struct OtherStatements {
    /// The file, if its rules may depend on its URL.
    by_url: Option<RulesByUrl>,
    rates: Vec<RequestRate>,
    visit_time: Option<VisitTime>,
    preferences: Preferences,
    licenses: Vec<SiteLicense>,
    /// The rules of each usage token that groups apply to.
    tokens: Vec<(UsageToken, Rules)>,
    ineffective_lines: Vec<IneffectiveLine>,
}

/// A licence that the file names.
#[derive(Debug, Clone)]
pub(crate) struct SiteLicense {
    pub(crate) line: usize,
    pub(crate) url: String,
}

/// A line that does not apply to the robot, although its author may expect it to.
#[derive(Debug, Clone)]
pub(crate) struct IneffectiveLine {
    /// The reason: another group names the robot, or the line is in no group.
    pub(crate) kind: WarningKind,
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl SiteRules {
    /// Compiles a file that was parsed for the profile's dialect, and maybe for other dialects, too ([`parse`]). Takes time
    /// linear in its bytes, times the number of usage tokens of the profile.
    pub(crate) fn of(robots: &RobotsTxt, robot: &Robot, profile: &Profile) -> Self {
        let dialect = &profile.dialect;
        let rules = robots.rules(robot.agent(), dialect);
        let others = OtherStatements::read(robots, robot, profile);
        let mut bytes = robots.body().len().min(bytes_read([dialect]));
        if others
            .as_ref()
            .is_some_and(|others| others.by_url.is_some())
        {
            // Kept are the rules, the file itself, and the rules at each of the last URLs.
            bytes *= MAX_URLS + 2;
        }
        Self {
            rules,
            others: others.map(Arc::new),
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        }
    }

    /// Returns a file of rules alone, of this length in bytes.
    pub(crate) fn of_rules(rules: Rules, bytes: usize) -> Self {
        Self {
            rules,
            others: None,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        }
    }

    /// Returns whether the file has nothing but rules.
    pub(crate) fn is_rules_alone(&self) -> bool {
        self.others.is_none()
    }

    /// Returns the rules. Under a dialect that accepts absolute URLs in rules ([`Dialect::depends_on_url`]), a rule
    /// with such a URL has no effect here: use the rules of [`at_url`](Self::at_url).
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the file as it applies at its URL (`https://example.com/robots.txt`). Decisions apply it as the
    /// robots.txt of the page's origin.
    ///
    /// Most files have the same rules at every URL. The rules depend on the URL if one is an absolute URL
    /// (`http://example.com/x`, `//example.com/x`) and the dialect accepts that ([`Dialect::depends_on_url`]).
    /// Then the file is compiled for the URL, in linear time; the results for the last 8 URLs are kept.
    ///
    /// ```
    /// use robots_policy::{Policy, Profile};
    /// use robots_policy::robots_txt::Target;
    ///
    /// let policy = Policy::under(&Profile::duckduckgo(), "DuckDuckBot")?;
    /// let file = policy.compile(b"User-agent: *\nDisallow: http://example.com/x\n");
    /// let is_allowed = |url| file.at_url(url).rules().verdict(&Target::new("/x")).is_allowed();
    /// assert!(!is_allowed("http://example.com/robots.txt"));
    /// assert!(is_allowed("http://example.org/robots.txt"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn at_url(&self, url: &str) -> Self {
        match self.by_url() {
            Some(by_url) => by_url.at(url, |robots, agent| self.resolved(robots, agent)),
            None => self.clone(),
        }
    }

    /// Returns whether rules may depend on the URL of the file.
    pub(crate) fn depends_on_url(&self) -> bool {
        self.by_url().is_some()
    }

    pub(super) fn by_url(&self) -> Option<&RulesByUrl> {
        self.others.as_ref()?.by_url.as_ref()
    }

    /// Returns the file with the rules that it has at the URL of `robots`.
    fn resolved(&self, robots: &RobotsTxt, agent: &Agent<'_>) -> Self {
        let dialect = self.rules.dialect();
        let mut others = self.others.as_deref().cloned().unwrap_or_default();
        others.by_url = None;
        let tokens = others.tokens.iter().map(|(token, _)| token.agent());
        let all = robots.rules_of_all(tokens, dialect);
        for ((_, rules), resolved) in others.tokens.iter_mut().zip(all.iter()) {
            rules.clone_from(resolved);
        }
        Self {
            rules: robots.rules(agent, dialect),
            others: Some(Arc::new(others)),
            bytes: self.bytes,
        }
    }

    /// Returns the approximate size in memory, in bytes: the length of the file, up to the size limit of the dialect
    /// and one byte. A file whose rules depend on its URL counts ten times, as it is kept with its rules at several
    /// URLs. Rules that were [loaded](crate::Policy::load) count with the length of their bytes.
    pub fn bytes(&self) -> usize {
        usize::try_from(self.bytes).unwrap_or(usize::MAX)
    }

    /// Returns the rates at which documents may be requested, if the profile honours them.
    pub fn request_rates(&self) -> &[RequestRate] {
        self.others.as_ref().map_or(&[], |others| &others.rates)
    }

    /// Returns the hours for visits, if the profile honours them.
    pub fn visit_time(&self) -> Option<VisitTime> {
        self.others.as_ref()?.visit_time
    }

    /// Returns the preferences for the use of content, if the file has any.
    pub fn preferences(&self) -> Option<&Preferences> {
        let others = self.others.as_ref()?;
        (!others.preferences.is_empty()).then_some(&others.preferences)
    }

    /// Returns the URLs of the `License` lines that apply to the robot, as written.
    pub fn license_urls(&self) -> impl Iterator<Item = &str> {
        self.licenses().iter().map(|license| &*license.url)
    }

    pub(crate) fn licenses(&self) -> &[SiteLicense] {
        self.others.as_ref().map_or(&[], |others| &others.licenses)
    }

    /// Returns the rules of each usage token that has a group.
    pub(crate) fn tokens(&self) -> &[(UsageToken, Rules)] {
        self.others.as_ref().map_or(&[], |others| &others.tokens)
    }

    /// Returns lines without effect on the robot, for warnings: up to 10 of each kind.
    pub(crate) fn ineffective_lines(&self) -> &[IneffectiveLine] {
        self.others
            .as_ref()
            .map_or(&[], |others| &others.ineffective_lines)
    }
}

/// Parses a file up to the largest size limit of some dialects.
pub(crate) fn parse<'d>(body: &[u8], dialects: impl IntoIterator<Item = &'d Dialect>) -> RobotsTxt {
    RobotsTxt::parse(&body[..body.len().min(bytes_read(dialects))])
}

/// Returns the number of bytes that [`parse`] reads.
pub(crate) fn bytes_read<'d>(dialects: impl IntoIterator<Item = &'d Dialect>) -> usize {
    let limits = dialects.into_iter().map(Dialect::size_limit);
    // The parser has a limit, too.
    let limits = limits.map(|limit| limit.map_or(MAX_BODY, |limit| limit.min(MAX_BODY)));
    // One byte past the limit shows that the file was longer.
    limits.max().unwrap_or(0) + 1
}

impl OtherStatements {
    /// Reads the statements of a file beyond its rules; `None` if there are none.
    fn read(robots: &RobotsTxt, robot: &Robot, profile: &Profile) -> Option<Self> {
        let dialect = &profile.dialect;
        let mut others = Self {
            by_url: RulesByUrl::of(robots, robot.agent(), dialect),
            ..Self::default()
        };
        let mut is_any = others.by_url.is_some();
        // Selecting extensions for the robot costs as much as compiling its rules. Most files do not need it: they have none
        // to keep next to the rules, and none to warn about.
        let mut extensions = robots.extensions(dialect);
        let delays_in_groups = LazyCell::new(|| delays_in_groups(robots, dialect));
        if extensions
            .any(|extension| is_kept(&extension) || is_delay_outside(&delays_in_groups, &extension))
        {
            let extensions = robots.extensions_for(robot.agent(), dialect);
            if profile.honours.contains(Honours::REQUEST_RATE) {
                others.rates = extensions.request_rates().take(MAX_REQUEST_RATES).collect();
            }
            if profile.honours.contains(Honours::VISIT_TIME) {
                others.visit_time = extensions.visit_time();
            }
            others.preferences = extensions.preferences();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            // One more than is read shows that there are more.
            others.licenses = extensions
                .licenses()
                .iter()
                .take(MAX_LICENSES + 1)
                .map(|license| SiteLicense {
                    line: license.line(),
                    url: text(license.text()),
                })
                .collect();
            others.ineffective_lines = lines_hidden_by_group(robots, robot, dialect);
            others
                .ineffective_lines
                .extend(lines_outside_groups(robots, &extensions));
            is_any |= !(others.rates.is_empty()
                && others.visit_time.is_none()
                && others.preferences.is_empty()
                && others.licenses.is_empty()
                && others.ineffective_lines.is_empty());
        }
        if profile.ai.signals.contains(SignalFamilies::TOKENS) {
            others.tokens = rules_of_tokens(robots, &profile.ai.tokens, dialect);
        }
        (is_any || !others.tokens.is_empty()).then_some(others)
    }
}

/// Returns the rules of each usage token that groups apply to. Of tokens with the same groups and uses, only the
/// first is kept.
fn rules_of_tokens(
    robots: &RobotsTxt,
    tokens: &[UsageToken],
    dialect: &Dialect,
) -> Vec<(UsageToken, Rules)> {
    let all = robots.rules_of_all(tokens.iter().map(UsageToken::agent), dialect);
    let mut kept: Vec<(&UsageToken, &Rules)> = Vec::new();
    for (token, rules) in tokens.iter().zip(all.iter()) {
        // Tokens with the same groups share their rules.
        let is_equal = |(other, rules_of_other): &(&UsageToken, &Rules)| {
            other.uses() == token.uses() && std::ptr::eq(*rules_of_other, rules)
        };
        if rules.has_group() && !kept.iter().any(is_equal) {
            kept.push((token, rules));
        }
    }
    kept.into_iter()
        .map(|(token, rules)| (token.clone(), rules.clone()))
        .collect()
}

/// Returns whether an extension is kept next to the rules.
fn is_kept(extension: &Extension<'_>) -> bool {
    is_preference(extension)
        || matches!(
            extension,
            Extension::RequestRate(_) | Extension::VisitTime(_) | Extension::License(_)
        )
}

/// Returns the lines of which a `Crawl-delay` is certainly in a group: those after the first `User-agent` line, unless a blank line
/// ends a group, too.
fn delays_in_groups(robots: &RobotsTxt, dialect: &Dialect) -> RangeFrom<usize> {
    let mut lines = robots.lines_under(dialect);
    let first = lines.find(|line| line.field() == Field::UserAgent);
    let first = first.filter(|_| dialect.with_group_end(GroupEnd::Agent) == *dialect);
    first.map_or(usize::MAX, |line| line.number())..
}

/// Returns whether an extension is a `Crawl-delay` that may be in no group. Then it applies to no robot, which a warning reports. (A
/// delay in a group is part of the [`Rules`].)
fn is_delay_outside(
    delays_in_groups: &impl Deref<Target = RangeFrom<usize>>,
    extension: &Extension<'_>,
) -> bool {
    matches!(extension, Extension::CrawlDelay(_)) && !delays_in_groups.contains(&extension.line())
}

/// Returns the lines about the use of content and the pace of robots that are in no group.
fn lines_outside_groups<'a>(
    robots: &'a RobotsTxt,
    extensions: &'a Extensions<'_>,
) -> impl Iterator<Item = IneffectiveLine> + use<'a> {
    extensions
        .outside_groups()
        .iter()
        .filter(|extension| {
            is_preference(extension)
                || matches!(
                    extension,
                    Extension::CrawlDelay(_) | Extension::RequestRate(_) | Extension::VisitTime(_)
                )
        })
        .take(MAX_INEFFECTIVE)
        .map(|extension| ineffective_line(robots, extension, WarningKind::OutsideGroups))
}

fn ineffective_line(
    robots: &RobotsTxt,
    extension: &Extension<'_>,
    kind: WarningKind,
) -> IneffectiveLine {
    let line = extension.line();
    let text = robots.line_text(line).unwrap_or_default();
    IneffectiveLine {
        kind,
        line,
        text: String::from_utf8_lossy(text).trim().to_owned(),
    }
}

/// Returns whether an extension is about the use of content.
fn is_preference(extension: &Extension<'_>) -> bool {
    matches!(
        extension,
        Extension::ContentSignal(_) | Extension::ContentUsage(_) | Extension::AiTraining(_)
    )
}

/// Returns the lines about the use of content that only the groups of `*` have, if a group names the
/// robot (`docs/semantics.md`, section 4.5, 10).
fn lines_hidden_by_group(
    robots: &RobotsTxt,
    robot: &Robot,
    dialect: &Dialect,
) -> Vec<IneffectiveLine> {
    let by_name = robot.agent().clone().without_star();
    if !robots.rules(&by_name, dialect).has_group() {
        return Vec::new();
    }
    let own = robots.extensions_for(robot.agent(), dialect);
    if own.of_groups().iter().any(is_preference) {
        return Vec::new();
    }
    let everyone = robots.extensions_for("*", dialect);
    let lines = everyone
        .of_groups()
        .iter()
        .filter(|extension| is_preference(extension));
    lines
        .take(MAX_INEFFECTIVE)
        .map(|extension| ineffective_line(robots, extension, WarningKind::HiddenByGroup))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str, agent: &str, profile: &Profile) -> SiteRules {
        let parsed = parse(body.as_bytes(), [profile.dialect()]);
        SiteRules::of(&parsed, &profile.robot(agent), profile)
    }

    #[test]
    fn a_file_of_rules_keeps_rules() {
        let body = "User-agent: *\nDisallow: /x\nCrawl-delay: 3\nSitemap: https://a.example/s";
        let site = read(body, "a", &Profile::neutral());
        assert!(site.others.is_none());
        assert!(site.preferences().is_none());
    }

    #[test]
    fn a_licence_of_the_group_replaces_that_of_the_file() {
        let body = "License: /all\nUser-agent: a\nLicense: /a\nUser-agent: b\nLicense: /b";
        for (agent, url) in [("a", "/a"), ("c", "/all")] {
            let site = read(body, agent, &Profile::neutral());
            assert_eq!(site.license_urls().collect::<Vec<_>>(), [url]);
        }
    }

    #[test]
    fn a_delay_before_the_first_group_of_the_dialect_is_kept_for_a_warning() {
        let lines = |body, profile: &Profile| {
            let lines = read(body, "a", profile).others.clone();
            let lines = lines.map(|others| others.ineffective_lines.clone());
            let lines = lines.unwrap_or_default();
            lines.iter().map(|line| line.line).collect::<Vec<_>>()
        };
        let before = "Crawl-delay: 1\nUser-agent: *\nCrawl-delay: 2";
        assert_eq!(lines(before, &Profile::neutral()), [1]);
        assert_eq!(lines("Crawl-delay: 1", &Profile::neutral()), [1]);
        // Google takes it for a group, RFC 9309 for an unknown line.
        let misspelled = "useragent: *\nCrawl-delay: 1\nUser-agent: *\nDisallow: /";
        assert_eq!(lines(misspelled, &Profile::neutral()), [2]);
        assert!(lines(misspelled, &Profile::google()).is_empty());
        // The first group is looked for once: else this file takes as many steps as it has lines, times its delays, which
        // only the duration of this test shows.
        let delays = "Crawl-delay: 1\n".repeat(15_000);
        let many = format!("{}User-agent: *\n{delays}", "\n".repeat(250_000));
        assert!(lines(&many, &Profile::neutral()).is_empty());
    }

    #[test]
    fn google_reads_the_start_of_a_long_file() {
        let limit = robots_txt::limits::RFC9309_SIZE_LIMIT;
        for (before, is_allowed) in [(limit - 20, false), (limit, true)] {
            let padding = "#".repeat(before - "User-agent: *\n\n".len());
            let body = format!("User-agent: *\n{padding}\nDisallow: /x\n");
            let site = read(&body, "Googlebot", &Profile::google());
            let verdict = site.rules().verdict(&robots_txt::Target::new("/x"));
            assert_eq!(verdict.is_allowed(), is_allowed, "{before}");
        }
    }

    #[test]
    fn rates_and_hours_are_kept_where_they_are_honoured() {
        let body = "User-agent: *\nRequest-rate: 1/10\nVisit-time: 0400-0845";
        let site = read(body, "a", &Profile::neutral());
        assert_eq!(site.request_rates().len(), 1);
        assert_eq!(site.visit_time().map(|hours| hours.line()), Some(3));
        assert!(site.preferences().is_none());
        assert!(read(body, "Googlebot", &Profile::google()).others.is_none());
        let seznam = read(body, "SeznamBot", &Profile::seznam());
        assert_eq!(seznam.request_rates().len(), 1);
        assert!(seznam.visit_time().is_none());
    }

    #[test]
    fn a_token_is_kept_if_a_group_names_it() {
        let google = Profile::google();
        let star = read("User-agent: *\nDisallow: /", "Googlebot", &google);
        assert!(star.tokens().is_empty());
        let named = read(
            "User-agent: google-extended\nDisallow: /",
            "Googlebot",
            &google,
        );
        assert_eq!(named.tokens().len(), 1);
    }

    #[test]
    fn a_group_of_its_own_hides_the_signals_in_groups_of_star() {
        let body =
            "User-agent: *\nDisallow:\nContent-Signal: ai-train=no\n\nUser-agent: a\nDisallow: /x";
        let lines = |agent| -> Vec<(usize, String)> {
            let site = read(body, agent, &Profile::neutral());
            let hidden = site.ineffective_lines().iter();
            hidden
                .map(|hidden| (hidden.line, hidden.text.clone()))
                .collect()
        };
        assert_eq!(lines("a"), [(3, "Content-Signal: ai-train=no".to_owned())]);
        assert!(lines("b").is_empty());
    }

    #[test]
    fn the_number_of_rates_is_limited() {
        let rates = |count| {
            let body = format!("User-agent: *\n{}", "Request-rate: 1/9\n".repeat(count));
            read(&body, "a", &Profile::neutral()).request_rates().len()
        };
        assert_eq!(rates(MAX_REQUEST_RATES - 1), MAX_REQUEST_RATES - 1);
        assert_eq!(rates(MAX_REQUEST_RATES), MAX_REQUEST_RATES);
        assert_eq!(rates(MAX_REQUEST_RATES + 1), MAX_REQUEST_RATES);
    }

    #[test]
    fn a_group_hides_nothing_from_a_robot_that_no_group_names() {
        let body = "User-agent: *\nDisallow:\nContent-Signal: ai-train=no";
        // `*` does not apply to AdsBot, and no group names it.
        let site = read(body, "AdsBot-Google", &Profile::google());
        assert!(site.ineffective_lines().is_empty());
    }
}
