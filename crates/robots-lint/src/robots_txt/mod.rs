//! Findings on robots.txt files.
//!
//! The name of the file, if it is known, is compared with `robots.txt` (`file_name`). The file is examined in three passes: its bytes and lines (`lines`), with the values of fields other than rules
//! (`values`); its groups (`groups`); and their rules (`rules`). Then the groups of each robot are joined (`audience`), and
//! their rules are compared with
//!
//! * the rules of `*` (`star`),
//! * the preferences about AI (`preferences`),
//! * the paths of style sheets and scripts (`resources`),
//! * the sitemaps of the file (`sitemaps`),
//! * rules for other parameters of URLs (`parameters`),
//! * and, if a service manages a block of the file, the rules outside of this block (`managed`).
//!
//! Comments of the file may ignore findings (`ignore`). Each finding is a [`Finding`]; [`locate()`] adds lines and columns.
//!
//! Files are read as Google reads them. Google accepts most misspelt lines, so a misspelling is one finding: it does not cause
//! others, such as a group without rules. Only the search for rules without effect within a group (`rules`) compares them as
//! in RFC 9309.
//!
//! The cost is linear in the file, except for groups whose rules may hide each other: their patterns are compared up to the
//! limits of [`Rules::shadows`](robots_txt::Rules::shadows).

mod audience;
mod cause;
mod file_name;
mod finding;
mod groups;
mod ignore;
mod joined_star;
mod known;
mod line_breaks;
mod lines;
mod locate;
mod managed;
mod notation;
mod parameters;
mod preferences;
mod resources;
mod rules;
mod sitemaps;
mod star;
mod values;

pub use cause::{SharedCause, by_cause};
pub use file_name::is_misnamed;
pub use finding::{Finding, Findings};
pub use ignore::{MAX_IGNORED_KINDS, ignore_comment};
pub(crate) use known::KnownRobots;
pub use known::is_misspelling;
pub use locate::{locate, locate_edits};

use crate::catalogue::FindingKind;
use crate::collector::MAX_PER_KIND;
use ignore::{Collector, IgnoreComments};
use robots_policy::profile::AgentTable;
use robots_txt::RobotsTxt;

/// A linter of robots.txt files.
///
/// ```
/// use robots_lint::{FindingKind, RobotsTxtLinter, apply_fixes};
/// use robots_txt::RobotsTxt;
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisalow: /private\n");
/// let findings = RobotsTxtLinter::new().lint(&robots);
/// let found = findings.iter().next().unwrap();
/// assert_eq!(found.kind(), FindingKind::MisspeltField);
/// assert_eq!(found.kind().code(), "R012");
/// assert_eq!(&robots.body()[found.span()], b"Disalow");
/// let fixed = apply_fixes(robots.body(), found.fix());
/// assert_eq!(fixed.body, b"User-agent: *\nDisallow: /private\n");
/// ```
#[derive(Debug, Clone)]
pub struct RobotsTxtLinter {
    limit: usize,
    known: KnownRobots,
}

impl Default for RobotsTxtLinter {
    fn default() -> Self {
        Self::new()
    }
}

impl RobotsTxtLinter {
    /// Creates a linter with an empty table of known robots, which keeps [`MAX_PER_KIND`] findings of each kind.
    pub fn new() -> Self {
        Self {
            limit: MAX_PER_KIND,
            known: KnownRobots::default(),
        }
    }

    /// Sets the number of findings of one kind to keep.
    #[must_use]
    pub fn with_limit(self, per_kind: usize) -> Self {
        Self {
            limit: per_kind,
            ..self
        }
    }

    /// Sets the table of known robots. Findings on misspelt names, on robots to which `*` does not apply, and on robots
    /// that fetch for search, for answers by AI, or for training depend on it.
    #[must_use]
    pub fn with_known_robots(self, table: &AgentTable) -> Self {
        Self {
            known: KnownRobots::of(table),
            ..self
        }
    }

    /// Returns the findings on a file, without those that its comments ignore (crates/robots-lint/lints.md).
    pub fn lint(&self, robots: &RobotsTxt) -> Findings {
        self.lint_file(robots, None)
    }

    /// Returns the findings on a file at this path or URL, if it is known. Its name may be one of them
    /// ([`FindingKind::MisnamedFile`]).
    pub fn lint_file(&self, robots: &RobotsTxt, path: Option<&str>) -> Findings {
        let mut found = Collector::new(self.limit, IgnoreComments::read(robots));
        if let Some(path) = path.filter(|path| is_misnamed(path)) {
            found.add(FindingKind::MisnamedFile, 1, 0..0, |found| {
                found.with_detail(file_name::name_in(path).to_owned())
            });
        }
        if lines::is_utf16(robots.body()) {
            // Every line would be a finding that follows from this one. Its place is the first unit of two bytes.
            found.add_at(FindingKind::Utf16, 1, 0..robots.body().len().min(2));
            return found.finish();
        }
        if robots.body().starts_with(lines::GZIP) {
            found.add_at(FindingKind::Gzip, 1, 0..lines::GZIP.len());
            return found.finish();
        }
        lines::examine(robots, &mut found);
        let groups = robots.groups(&lines::LINT_DIALECT);
        groups::examine(robots, &groups, &self.known, &mut found);
        rules::examine(robots, &groups, &mut found);
        let audiences = audience::audiences(robots, &groups);
        star::examine(&audiences, &self.known, &mut found);
        preferences::examine(&audiences, &self.known, &mut found);
        resources::examine(&audiences, &self.known, &mut found);
        sitemaps::examine(robots, &audiences, &mut found);
        parameters::examine(&audiences, &mut found);
        managed::examine(robots, &audiences, &mut found);
        found.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply_fixes;
    use crate::catalogue::FindingKind as Kind;
    use robots_txt::limits::{LONG_LINE, RFC9309_SIZE_LIMIT};
    use robots_txt::{Dialect, Target};

    fn lint(body: &[u8]) -> Findings {
        RobotsTxtLinter::new().lint(&RobotsTxt::parse(body))
    }

    /// Returns the findings on a body: line, kind, and text.
    fn found(body: &str) -> Vec<(usize, Kind, String)> {
        let robots = RobotsTxt::parse(body.as_bytes());
        let linter = RobotsTxtLinter::new().with_known_robots(AgentTable::built_in());
        linter
            .lint(&robots)
            .iter()
            .map(|found| {
                let text = robots.body().get(found.span()).unwrap();
                let text = String::from_utf8_lossy(text).into_owned();
                (found.line(), found.kind(), text)
            })
            .collect()
    }

    /// Returns the number of kinds of findings on a file that was read from a URL.
    fn kinds_at(robots: &RobotsTxt, url: &str) -> usize {
        let linter = RobotsTxtLinter::new();
        linter.lint(&robots.clone().with_url(url)).counts().count()
    }

    /// Returns what [`found`] returns for one finding.
    fn one(line: usize, kind: Kind, text: &str) -> Vec<(usize, Kind, String)> {
        vec![(line, kind, text.to_owned())]
    }

    /// Returns the findings on a group of `*`.
    fn in_group(lines: &str) -> Vec<(usize, Kind, String)> {
        found(&format!("User-agent: *\n{lines}"))
    }

    #[test]
    fn a_good_file_has_no_findings() {
        let body = "# hello\nUser-agent: *\nDisallow: /a # no\nDisallow: /*.pdf$\n\n\
            Crawl-delay: 3\nSitemap: https://a.example/s.xml\n\n\
            User-agent: Googlebot\nUser-agent: bingbot\nDisallow:\nCrawl-delay: 2\n";
        assert_eq!(found(body), []);
    }

    #[test]
    fn each_mistake_of_a_whole_body_is_found() {
        assert_eq!(found("\n <!DOCTYPE html>\n")[0].1, Kind::HtmlBody);
        assert_eq!(found(""), one(1, Kind::EmptyFile, ""));
        assert_eq!(found("# nothing\n\n"), one(1, Kind::EmptyFile, ""));
        assert_eq!(
            found("\u{feff}User-agent: *\nDisallow:\n"),
            one(1, Kind::ByteOrderMark, "\u{feff}")
        );
        assert_eq!(
            found("User-agent: *\rDisallow: /a\r"),
            one(1, Kind::BareCr, "\r")
        );
        assert_eq!(found("User-agent: *\r\nDisallow: /a\r\n"), []);
    }

    #[test]
    fn each_mistake_in_a_line_is_one_finding() {
        assert_eq!(in_group("Disallow: /b\0c"), one(2, Kind::NulByte, "\0"));
        assert_eq!(
            in_group("hello world out there\nDisallow:"),
            one(2, Kind::Junk, "hello world out there")
        );
        assert_eq!(
            in_group("foo bar\nDisallow:"),
            one(2, Kind::Junk, "foo bar")
        );
        assert_eq!(
            in_group("Disallow /a"),
            one(2, Kind::MissingColon, "Disallow")
        );
        assert_eq!(
            in_group("Disallow:\nSitemap https://a.example/s"),
            one(3, Kind::MissingColon, "Sitemap")
        );
        assert_eq!(
            in_group("Disalow: /b"),
            one(2, Kind::MisspeltField, "Disalow")
        );
        assert_eq!(
            in_group("Disallow:\nCrawl_delay: 3"),
            one(3, Kind::NearField, "Crawl_delay")
        );
        assert_eq!(
            in_group("Disallow:\nLove: 3"),
            one(3, Kind::UnknownField, "Love")
        );
        assert_eq!(
            found("Disallow: /x\nUser-agent: *\nDisallow:"),
            one(1, Kind::RuleWithoutGroup, "Disallow: /x")
        );
        assert_eq!(
            found("Disallow: /x"),
            one(1, Kind::RuleWithoutGroup, "Disallow: /x")
        );
        assert_eq!(in_group(" Disallow: /b"), one(2, Kind::LeadingSpace, " "));
        assert_eq!(in_group("Disallow: /b#c"), one(2, Kind::CutByHash, "#c"));
        assert_eq!(in_group("Disallow: /b# c"), []);
    }

    #[test]
    fn each_mistake_in_a_group_is_one_finding() {
        assert_eq!(
            found("User-agent:\nDisallow: /"),
            one(1, Kind::EmptyAgent, "User-agent:")
        );
        assert_eq!(
            found("User-agent: *\nDisallow: /\nUser-agent: a\n"),
            one(3, Kind::GroupWithoutRules, "a")
        );
        assert_eq!(
            found("User-agent: a\nDisallow: /\nUser-agent: A\nDisallow: /b"),
            one(3, Kind::RepeatedAgent, "A")
        );
        assert_eq!(
            found("User-agent: Bot/1.2\nDisallow: /"),
            one(1, Kind::NotAToken, "/1.2")
        );
        assert_eq!(
            found("User-agent: a, b\nDisallow: /"),
            one(1, Kind::AgentList, "a, b")
        );
        assert_eq!(
            found("User-agent: a\n\nDisallow: /"),
            one(1, Kind::BlankInGroup, "a")
        );
        assert_eq!(
            found("User-agent: a\n\nUser-agent: b\nDisallow: /"),
            one(1, Kind::BlankInGroup, "a")
        );
        assert_eq!(
            found("User-agent: a1\nDisallow: /"),
            one(1, Kind::DigitsInAgent, "1")
        );
        assert_eq!(
            found("User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /"),
            one(3, Kind::RunOnGroup, "b")
        );
        assert_eq!(
            found("User-agent: *\nCrawl-delay: 1\nDisallow:\nUser-agent: b\nDisallow: /x"),
            one(4, Kind::HidesStar, "b")
        );
        // The first letter is Cyrillic.
        assert_eq!(
            found("User-agent: \u{421}CBot\nDisallow: /"),
            one(1, Kind::NotAToken, "\u{421}CBot")
        );
        // The group of `*` hides no other group.
        assert_eq!(found("User-agent: *\nContent-Signal: ai-train=no"), []);
        assert_eq!(
            found("User-agent: *\nUser-agent: b\nContent-Signal: ai-train=no"),
            one(2, Kind::GroupWithoutRules, "b")
        );
        assert_eq!(
            found("User-agent: a\nCrawl-delay: 1"),
            one(1, Kind::GroupWithoutRules, "a")
        );
        // In ISO-8859-1, where a letter is not UTF-8.
        let body = b"User-agent: B\xe9\xe9t/1.2\nDisallow: /";
        let linted = lint(body);
        let spans: Vec<_> = linted.iter().map(|one| (one.kind(), one.span())).collect();
        assert_eq!(spans, [(Kind::NotUtf8, 13..14), (Kind::NotAToken, 16..20)]);
        // A robot that may fetch nothing needs no delay.
        assert_eq!(
            found("User-agent: *\nCrawl-delay: 1\nDisallow:\nUser-agent: b\nDisallow: /"),
            []
        );
        let signals = "User-agent: *\nContent-Signal: ai-train=no\nDisallow:\n";
        let kinds = |rules: &str| -> Vec<Kind> {
            let body = format!("{signals}User-agent: GPTBot\n{rules}");
            found(&body).into_iter().map(|(_, kind, _)| kind).collect()
        };
        // A robot that may fetch nothing has no finding. Others have one if their group omits the field of `*`, and one if it
        // states nothing about training, which `*` refuses.
        assert_eq!(kinds("Disallow: /"), []);
        assert_eq!(kinds("Disallow:"), [Kind::HidesStar, Kind::TrainerAllowed]);
        assert_eq!(kinds("Disallow:\nContent-Signal: ai-train=no"), []);
        assert_eq!(kinds("Disallow:\nContent-Signal: ai-train=yes"), []);
        assert_eq!(kinds("Disallow:\nContent-Signal: / ai-train=no"), []);
        assert_eq!(
            kinds("Disallow:\nContent-Signal: search=yes"),
            [Kind::TrainerAllowed]
        );
    }

    #[test]
    fn each_mistake_in_a_rule_is_one_finding() {
        assert_eq!(
            in_group("Disallow: private"),
            one(2, Kind::NoSlash, "private")
        );
        assert_eq!(
            in_group("Disallow: https://a.example/x"),
            one(2, Kind::AbsoluteUrl, "https://a.example/x")
        );
        assert_eq!(in_group("Disallow: /a /b"), one(2, Kind::SpaceInPath, " "));
        assert_eq!(
            in_group("Disallow: /\u{e9}"),
            one(2, Kind::NonAscii, "\u{e9}")
        );
        assert_eq!(in_group("Disallow: /a*"), one(2, Kind::TrailingStar, "*"));
        // Without the star, `$` would be the end of the URL.
        assert_eq!(in_group("Disallow: /a$*"), one(2, Kind::InnerDollar, "$"));
        assert_eq!(in_group("Disallow: *"), one(2, Kind::ClosedSite, "*"));
        assert_eq!(in_group("Disallow: /a$b"), one(2, Kind::InnerDollar, "$"));
        assert_eq!(in_group("Disallow: /a%zz"), one(2, Kind::BadEscape, "%"));
        assert_eq!(
            in_group("Disallow: /a\nDisallow: /b\nDisallow: /a"),
            one(4, Kind::DuplicateRule, "/a")
        );
        // A second rule with the same effect is harmless.
        assert_eq!(
            in_group("Disallow: /a\nDisallow: /a*"),
            one(3, Kind::TrailingStar, "*")
        );
        // An escape that the end or a star cuts matches all escapes that begin so.
        assert_eq!(in_group("Disallow: /a%E2%8"), []);
        assert_eq!(in_group("Disallow: /a%*b"), []);
        assert_eq!(
            in_group("Disallow: /a\nAllow: /a"),
            one(2, Kind::ShadowedRule, "/a")
        );
        assert_eq!(
            in_group("Disallow: /robots.txt$"),
            one(2, Kind::NeverMatches, "/robots.txt$")
        );
    }

    #[test]
    fn each_mistake_in_another_directive_is_one_finding() {
        let after_rule = |line: &str| in_group(&format!("Disallow:\n{line}"));
        let one = |kind, text| one(3, kind, text);
        assert_eq!(
            after_rule("Sitemap: /s.xml"),
            one(Kind::RelativeSitemap, "/s.xml")
        );
        assert_eq!(
            after_rule("Noindex: /a"),
            one(Kind::NoindexField, "Noindex")
        );
        assert_eq!(after_rule("Crawl-delay: ten"), one(Kind::BadDelay, "ten"));
        assert_eq!(after_rule("Crawl-delay: 30"), []);
        assert_eq!(after_rule("Crawl-delay: 31"), one(Kind::LongDelay, "31"));
        for time in ["2592000", "99999999999999999999", "1e9"] {
            let line = format!("Crawl-delay: {time}");
            assert_eq!(after_rule(&line), one(Kind::LongestTime, time));
        }
        assert_eq!(
            after_rule("Crawl-delay: 2591999"),
            one(Kind::LongDelay, "2591999")
        );
        assert_eq!(
            after_rule("Request-rate: 1/60d"),
            one(Kind::LongestTime, "1/60d")
        );
        assert_eq!(after_rule("Request-rate: 1/29d"), []);
        assert_eq!(after_rule("Host: a.example"), one(Kind::HostField, "Host"));
        assert_eq!(
            after_rule("Visit-time: noon"),
            one(Kind::UnreadableValue, "noon")
        );
        assert_eq!(
            after_rule("Content-Usage: Train-AI=n"),
            one(Kind::BadUsage, "Train-AI=n")
        );
        assert_eq!(
            after_rule("License: /l.xml"),
            one(Kind::RelativeLicense, "/l.xml")
        );
        assert_eq!(
            after_rule("Content-Usage: train-ai=no"),
            one(Kind::UnknownSignal, "train-ai=no")
        );
        assert_eq!(
            after_rule("Content-Usage: /a train-ai=n, serach=n"),
            one(Kind::UnknownSignal, "serach=n")
        );
        assert_eq!(
            after_rule("Content-Usage: /a"),
            one(Kind::UnknownSignal, "/a")
        );
        assert_eq!(
            after_rule("DisallowAITraining: /"),
            one(Kind::TrainingField, "DisallowAITraining")
        );
        assert_eq!(
            after_rule("Content-Signal: search=yes, ai-training=no"),
            one(Kind::UnknownSignal, "ai-training=no")
        );
    }

    #[test]
    fn robots_that_lose_the_rules_of_star() {
        let star = "User-agent: *\nDisallow: /a/\nDisallow: /b$\n";
        let kinds = |group: &str| -> Vec<Kind> {
            let body = format!("{star}User-agent: {group}");
            found(&body).into_iter().map(|(_, kind, _)| kind).collect()
        };
        assert_eq!(kinds("Googlebot\nAllow: /"), [Kind::LosesRules]);
        assert_eq!(kinds("Examplebot\nDisallow: /c"), [Kind::LosesRules]);
        // Other patterns of the group close the same paths.
        assert_eq!(kinds("Examplebot\nDisallow: /a\nDisallow: /b"), []);
        assert_eq!(kinds("Examplebot\nDisallow: /"), []);
        // The group states that everything is allowed.
        assert_eq!(kinds("Googlebot\nDisallow:"), []);
        // Some rules are repeated, the root is closed, or the robot makes previews: this may be intended.
        assert_eq!(kinds("Examplebot\nDisallow: /a/"), [Kind::HidesStar]);
        assert_eq!(
            kinds("Examplebot\nDisallow: /\nAllow: /a/"),
            [Kind::HidesStar]
        );
        assert_eq!(kinds("Twitterbot\nAllow: /"), [Kind::HidesStar]);
        for group in [
            "Twitterbot\nUser-agent: Googlebot\nAllow: /",
            "Googlebot\nUser-agent: Twitterbot\nAllow: /",
        ] {
            assert_eq!(kinds(group), [Kind::LosesRules], "{group}");
        }
        // The rules of `*` never apply to it.
        assert_eq!(kinds("Mediapartners-Google\nAllow: /"), []);
        // A second group of the robot has the rules.
        let repeated =
            "Examplebot\nAllow: /c\nUser-agent: Examplebot\nDisallow: /a/\nDisallow: /b$";
        assert_eq!(kinds(repeated), [Kind::RepeatedAgent]);
        // A list of the robots that may fetch.
        assert_eq!(
            found("User-agent: *\nDisallow: /\nUser-agent: Googlebot\nAllow: /"),
            []
        );
        let body = format!("{star}User-agent: a\nAllow: /");
        let robots = RobotsTxt::parse(body.as_bytes());
        let found = RobotsTxtLinter::new().lint(&robots);
        let found = found.iter().next().unwrap();
        assert_eq!(found.detail(), Some("Disallow `/a/`, `/b$`"));
        assert_eq!(found.related(), Some(2));
    }

    #[test]
    fn paths_in_a_message_are_limited() {
        let detail = |rules: usize| {
            let star: String = (0..rules)
                .flat_map(|at| ["Disallow: /".to_owned(), at.to_string(), "/\n".to_owned()])
                .collect();
            let body = format!("User-agent: *\n{star}User-agent: a\nAllow: /");
            let found = lint(body.as_bytes());
            found.iter().next().unwrap().detail().unwrap().to_owned()
        };
        assert_eq!(detail(3), "Disallow `/0/`, `/1/`, `/2/`");
        assert_eq!(detail(4), "Disallow `/0/`, `/1/`, `/2/` and 1 more");
        // Only the first 100 rules of `*` are compared.
        assert!(detail(100).ends_with("and 97 more"));
        assert!(detail(101).ends_with("and 97 more"));
    }

    #[test]
    fn fields_of_groups_before_a_group_are_findings() {
        for field in [
            "Content-Signal: ai-train=no",
            "Content-Usage: train-ai=n",
            "Crawl-delay: 1",
            "Request-rate: 1/10",
            "Visit-time: 0400-0845",
        ] {
            let body = format!("{field}\nUser-agent: *\nDisallow: /a");
            let (name, _) = field.split_once(':').unwrap();
            assert_eq!(found(&body), one(1, Kind::FieldWithoutGroup, name));
        }
        let body = "DisallowAITraining: /\nUser-agent: *\nDisallow: /a";
        let kinds: Vec<_> = found(body).into_iter().map(|(_, kind, _)| kind).collect();
        assert_eq!(kinds, [Kind::FieldWithoutGroup, Kind::TrainingField]);
        // These belong to the file.
        let sitemap = "Sitemap: https://a.example/s\nUser-agent: *\nDisallow: /a";
        assert_eq!(found(sitemap), []);
        for field in ["Agentmap", "SCHEMAMAP", "LLMs", "LLM-Policy"] {
            let line = format!("{field}: https://a.example/x");
            assert_eq!(
                found(&format!("{line}\nUser-agent: *\nDisallow: /a")),
                one(1, Kind::IgnoredField, field)
            );
        }
    }

    #[test]
    fn misspelt_names_of_known_robots_are_findings() {
        let near = |name: &str| {
            let body = format!("User-agent: {name}\nDisallow: /");
            let robots = RobotsTxt::parse(body.as_bytes());
            let linter = RobotsTxtLinter::new().with_known_robots(AgentTable::built_in());
            let found = linter.lint(&robots);
            let mut found = found.iter().filter(|one| one.kind() == Kind::MisspeltRobot);
            found.next().and_then(|one| one.detail().map(str::to_owned))
        };
        assert_eq!(near("Googelbot").as_deref(), Some("`Googlebot` is similar"));
        assert_eq!(
            near("Googlbot/2.1").as_deref(),
            Some("`Googlebot` is similar")
        );
        assert_eq!(near("bignbot").as_deref(), Some("`bingbot` is similar"));
        assert_eq!(near("GPTBots").as_deref(), Some("`GPTBot` is similar"));
        // Other robots, or known ones.
        for name in [
            "Roverbot",
            "crcbot",
            "aipbot",
            "Yet",
            "GPTBot",
            "*",
            "Examplebot",
        ] {
            assert_eq!(near(name), None, "{name}");
        }
    }

    #[test]
    fn each_line_with_invisible_characters_is_a_finding() {
        let kinds = |body| -> Vec<(usize, Kind)> {
            found(body)
                .into_iter()
                .map(|(line, kind, _)| (line, kind))
                .collect()
        };
        let here = |line| (line, Kind::InvisibleCharacter);
        assert_eq!(
            kinds("User-agent: Googlebot\u{200b}\nDisallow: /a"),
            [here(1)]
        );
        assert_eq!(
            kinds("User-agent: *\n\u{feff}Disallow: /a\nDisallow: /b"),
            [here(2)]
        );
        assert_eq!(kinds("User-agent: *\nDisallow: /\u{202e}a"), [here(2)]);
        assert_eq!(
            kinds("User-agent: *\nDisallow: /a # \u{202e}\n# \u{200b}"),
            []
        );
        assert_eq!(
            // Persian words have the zero-width non-joiner.
            kinds("User-agent: *\nDisallow: /\u{645}\u{200c}\u{62e}"),
            [(2, Kind::NonAscii)]
        );
    }

    #[test]
    fn wide_spaces_are_findings() {
        let here = |line, text: &str| one(line, Kind::InvisibleCharacter, text);
        for space in ['\u{a0}', '\u{2002}', '\u{3000}'] {
            let text = space.to_string();
            assert_eq!(in_group(&format!("Disallow:{space}/a")), here(2, &text));
            assert_eq!(in_group(&format!("Disallow: /a{space}")), here(2, &text));
            let name = format!("User-agent: Example{space}bot\nDisallow: /a");
            assert_eq!(found(&name), here(1, &text));
            // Google reads the field, which a fix corrects; the other field it does not.
            for (line, fixed) in [
                (format!("Disallow{space}: /a"), Some("Disallow")),
                (format!("{space}Disallow: /a"), None),
            ] {
                assert_eq!(in_group(&line), here(2, &text), "{line}");
                let linted = lint(format!("User-agent: *\n{line}").as_bytes());
                let fix = linted
                    .iter()
                    .find_map(Finding::fix)
                    .map(|fix| fix.edits().next());
                let fix = fix.flatten().map(|edit| edit.replacement().to_vec());
                assert_eq!(fix.as_deref(), fixed.map(str::as_bytes), "{line}");
            }
            // Prose, and comments.
            let prose = format!("Disallow: /a\nNote{space}: x{space}y\nAllow: /b #{space}c");
            assert_eq!(
                in_group(&prose),
                one(3, Kind::UnknownField, &format!("Note{space}"))
            );
        }
    }

    #[test]
    fn a_lost_line_break_is_one_finding() {
        let of = |line, text: &str| one(line, Kind::MissingLineBreak, text);
        assert_eq!(
            found("User-agent: * Disallow: /a Allow: /"),
            of(1, "Disallow: /a Allow: /")
        );
        assert_eq!(
            found(r"User-agent: *\nDisallow: /a b"),
            of(1, "Disallow: /a b")
        );
        assert_eq!(
            in_group("Disallow: /a\nSitemap: https://a.example/s.xmlUser-agent: GPTBot"),
            of(3, "User-agent: GPTBot")
        );
        assert_eq!(
            in_group("Disallow: /a\nSitemap: /1.xml Sitemap: /2.xml"),
            of(3, "Sitemap: /2.xml")
        );
    }

    #[test]
    fn other_notations_are_one_finding() {
        let regular = |text: &str| one(2, Kind::RegularExpression, text);
        assert_eq!(in_group("Disallow: /news/.*"), regular(".*"));
        assert_eq!(in_group("Disallow: ^/a b/.*"), regular("^"));
        assert_eq!(in_group(r"Disallow: /a\?x"), regular(r"\?"));
        assert_eq!(in_group("Disallow: /(a|/b)$x"), regular("(a|/b)"));
        let several = |line, text: &str| one(line, Kind::SeveralValues, text);
        assert_eq!(in_group("Disallow: /a, /b*"), several(2, ", /b*"));
        assert_eq!(
            in_group("Disallow:\nSitemap: https://a.example/1, https://a.example/2"),
            several(3, ", https://a.example/2")
        );
    }

    #[test]
    fn urls_of_the_site_after_a_slash_are_findings() {
        let rule = "Disallow: //https://www.a.example/x";
        let sitemap = "Sitemap: https://a.example/s.xml";
        let expected = one(2, Kind::AbsoluteUrl, "//https://www.a.example/x");
        assert_eq!(in_group(&format!("{rule}\n{sitemap}")), expected);
        // Of another site, or of one that is not known.
        assert_eq!(in_group(rule), []);
        assert_eq!(
            in_group(&format!("Disallow: /https://b.example/\n{sitemap}")),
            []
        );
        let robots = RobotsTxt::parse(format!("User-agent: *\n{rule}\n{sitemap}"));
        assert_eq!(kinds_at(&robots, "https://a.example/robots.txt"), 1);
        assert_eq!(kinds_at(&robots, "https://b.example/robots.txt"), 0);
    }

    #[test]
    fn a_star_that_is_joined_with_a_robot_is_one_finding() {
        let star = |line| one(line, Kind::JoinedStar, "*");
        let closed = "User-agent: *\n\nUser-agent: SemrushBot\nDisallow: /\n";
        assert_eq!(found(closed), star(1));
        let detail = |body: &str| {
            let linted = lint(body.as_bytes());
            let mut found = linted
                .iter()
                .filter(|found| found.kind() == Kind::JoinedStar);
            let found = found.next().unwrap();
            (found.detail().map(str::to_owned), found.related())
        };
        let everybody = Some("the whole site is closed to every robot".to_owned());
        assert_eq!(detail(closed), (everybody.clone(), Some(3)));
        // A group of `*` opens a path, or closes the site in a group of its own.
        assert_eq!(
            detail(&format!("{closed}User-agent: *\nAllow: /a")),
            (None, Some(3))
        );
        let own = "User-agent: *\nDisallow: /\nUser-agent: b\n\nUser-agent: *\nDisallow: /a";
        assert!(found(own).contains(&(5, Kind::JoinedStar, "*".to_owned())));
        assert_eq!(detail(own), (None, Some(3)));
        for between in [
            "Crawl-delay: 1",
            "Sitemap: https://a.example/s",
            "# bad robots",
        ] {
            assert_eq!(
                found(&closed.replace("*\n", &format!("*\n{between}"))),
                star(1)
            );
        }
        assert_eq!(
            found("User-agent: b\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /a"),
            star(4)
        );
        assert_eq!(found("User-agent: *\nUser-agent: b\nDisallow: /"), star(1));
        for intended in [
            "User-agent: *\nUser-agent: b\nDisallow: /a",
            "User-agent: b\nUser-agent: *\nDisallow: /",
            "User-agent: *\nUser-agent: Mediapartners-Google\nDisallow: /",
            "User-agent: *\n# It does not obey `*`.\nUser-agent: Mediapartners-Google\nDisallow: /a",
            "User-agent: *\n# again\nUser-agent: *\nDisallow: /a",
        ] {
            let kinds = found(intended);
            assert!(
                !kinds.iter().any(|(_, kind, _)| *kind == Kind::JoinedStar),
                "{kinds:?}"
            );
        }
    }

    #[test]
    fn robots_after_one_separation_are_one_finding() {
        assert_eq!(
            found("User-agent: a\nCrawl-delay: 1\nUser-agent: b\nUser-agent: c\nDisallow: /"),
            one(3, Kind::RunOnGroup, "b")
        );
    }

    #[test]
    fn findings_on_sitemaps() {
        let line = |url: &str| in_group(&format!("Disallow: /a\nSitemap: {url}"));
        for url in [
            "http://localhost/s.xml",
            "https://www.example.com/s.xml",
            "undefined/s.xml",
        ] {
            assert_eq!(line(url), one(3, Kind::UnreachableSitemap, url));
        }
        let closed = |rule: &str, url: &str| in_group(&format!("{rule}\nSitemap: {url}"));
        let own = "https://a.example/maps/sitemap.xml";
        assert_eq!(
            closed("Disallow: /*sitemap.xml", own),
            one(3, Kind::ClosedSitemap, own)
        );
        assert_eq!(closed("Disallow: /maps", own), []);
        assert_eq!(closed("Disallow: /maps\nAllow: /maps/sitemap", own), []);
        // The URL of the file says where it is.
        let robots = RobotsTxt::parse(format!("User-agent: *\nDisallow: /maps\nSitemap: {own}"));
        assert_eq!(kinds_at(&robots, "https://a.example/robots.txt"), 1);
        assert_eq!(kinds_at(&robots, "https://b.example/robots.txt"), 0);
    }

    #[test]
    fn parameters_that_only_the_first_place_closes() {
        let both = "Disallow: /*?sort=\nDisallow: /*&sort=\n";
        let first = |rule: &str| one(4, Kind::FirstParameterOnly, rule);
        assert_eq!(
            in_group(&format!("{both}Disallow: /*?page=")),
            first("/*?page=")
        );
        // Another rule closes it, the path is closed, or the file has no such pair.
        assert_eq!(
            in_group(&format!("{both}Disallow: /*?page=\nDisallow: /*page=")),
            []
        );
        assert_eq!(
            in_group(&format!("{both}Disallow: /*?page=\nDisallow: /*?a")),
            []
        );
        assert_eq!(in_group("Disallow: /*?sort=\nDisallow: /*?page="), []);
        let inner = "Disallow: *cat*?sort=\nDisallow: *cat*&sort=\n";
        assert_eq!(
            in_group(&format!("{inner}Disallow: *cat*?page=")),
            first("*cat*?page=")
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_are_one_finding() {
        let kinds = |body: &[u8]| lint(body).counts().collect::<Vec<_>>();
        let body = b"# caf\xe9\nUser-agent: *\nDisallow: /caf\xe9\nDisallow: /th\xe9";
        assert_eq!(kinds(body), [(Kind::NotUtf8, 1)]);
        assert_eq!(lint(body).iter().next().unwrap().line(), 3);
        assert_eq!(kinds(b"# caf\xe9\nUser-agent: *\nDisallow: /a"), []);
    }

    #[test]
    fn doubled_cr_is_one_finding_with_a_fix() {
        let fixed = |body: &str| {
            let linted = lint(body.as_bytes());
            let kinds: Vec<_> = linted.counts().collect();
            let fixed = apply_fixes(body.as_bytes(), linted.iter().filter_map(Finding::fix)).body;
            (kinds, String::from_utf8(fixed).unwrap())
        };
        assert_eq!(
            fixed("User-agent: *\r\r\nDisallow: /a\r\r\n"),
            (
                vec![(Kind::DoubledCr, 1)],
                "User-agent: *\r\nDisallow: /a\r\n".to_owned()
            )
        );
        assert_eq!(
            fixed("User-agent: *\rDisallow: /a\r\r\nDisallow: /b\r\n").0,
            [(Kind::BareCr, 1), (Kind::DoubledCr, 1)]
        );
    }

    #[test]
    fn utf16_is_one_finding() {
        let text = "User-agent: *\nDisallow: /a\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for body in [
            little.clone(),
            big.clone(),
            [b"\xFF\xFE", &little[..]].concat(),
            [b"\xFE\xFF", &big[..]].concat(),
        ] {
            let kinds: Vec<_> = lint(&body).counts().collect();
            assert_eq!(kinds, [(Kind::Utf16, 1)]);
        }
        let is_utf16 = |body: &[u8]| lint(body).counts().any(|(kind, _)| kind == Kind::Utf16);
        // Two units are too few to recognise UTF-16 by its NULs.
        assert!(!is_utf16(b"a\0b\0"));
        assert!(!is_utf16(text.as_bytes()));
        assert!(!is_utf16(b""));
    }

    #[test]
    fn gzip_is_one_finding() {
        let kinds = |body: &[u8]| lint(body).counts().collect::<Vec<_>>();
        assert_eq!(
            kinds(b"\x1F\x8B\x08\0\0\nUser-agent: *\nx"),
            [(Kind::Gzip, 1)]
        );
        assert_ne!(kinds(b"\x1F\x8B\nUser-agent: *\n"), [(Kind::Gzip, 1)]);
    }

    #[test]
    fn a_path_of_one_or_two_letters_is_a_finding_beside_folders() {
        assert_eq!(
            in_group("Disallow: /b/\nDisallow: /c\nAllow: /d\nDisallow: /communities"),
            one(3, Kind::ShortPath, "/c")
        );
        for rules in [
            "Disallow: /c",
            "Disallow: /c\nAllow: /b/",
            "Disallow: /b/\nDisallow: /c$",
            "Disallow: /b/\nDisallow: /cat",
            "Disallow: /b/\nDisallow: /c/",
            "Disallow: /b/\nDisallow: /2",
        ] {
            assert_eq!(in_group(rules), [], "{rules}");
        }
    }

    #[test]
    fn the_name_of_a_file_is_a_finding() {
        let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /cart\n");
        let found = RobotsTxtLinter::new().lint_file(&robots, Some("a/robot.txt"));
        let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found.iter().next().unwrap().kind(), Kind::MisnamedFile);
        assert!(texts[0].ends_with(": robot.txt"), "{texts:?}");
        assert_eq!(texts.len(), 1);
        let named = RobotsTxtLinter::new().lint_file(&robots, Some("robots.txt"));
        assert_eq!(named.iter().count(), 0);
    }

    #[test]
    fn findings_on_closed_paths() {
        assert_eq!(in_group("Disallow: /"), one(2, Kind::ClosedSite, "/"));
        assert_eq!(in_group("Disallow: /\nAllow: /a"), []);
        assert_eq!(
            in_group("Disallow: /robots.txt"),
            one(2, Kind::ClosesItself, "/robots.txt")
        );
        assert_eq!(in_group("Allow: /robots.txt"), []);
        for closed in [
            "/css/",
            "/js",
            "/*.js$",
            "*.css",
            "/wp-includes/",
            "/blog/wp-content/",
            "/_next/",
            "/_nuxt/",
            "/_astro",
            "/_app/",
            "/static/js/",
        ] {
            let body = format!("Disallow: {closed}");
            assert_eq!(in_group(&body), one(2, Kind::ClosedResources, closed));
            // Not the robot of a search engine.
            let body = format!("User-agent: GPTBot\n{body}");
            assert_eq!(found(&body), []);
        }
        let open = "Disallow: /wp-includes/\nAllow: /wp-includes/*.css\nAllow: /wp-includes/*.js";
        assert_eq!(in_group(open), []);
        assert_eq!(in_group("Disallow: /_next/\nAllow: /_next/static/"), []);
        for intended in [
            "/_next/data/",
            "/static/",
            "/a/track.js",
            "/cdn/*.js",
            "/a/css/",
            "/cssgallery",
            "/js/x",
        ] {
            assert_eq!(in_group(&format!("Disallow: {intended}")), [], "{intended}");
        }
    }

    #[test]
    fn findings_on_preferences_about_ai() {
        let kinds = |body: &str| -> Vec<(usize, Kind)> {
            found(body)
                .into_iter()
                .map(|(line, kind, _)| (line, kind))
                // Kinds on preferences, and on closed sites and resources.
                .filter(|(_, kind)| kind.code() > "R050")
                .collect()
        };
        let star = |signal: &str, robot: &str| {
            kinds(&format!(
                "User-agent: *\nContent-Signal: {signal}\nAllow: /\nUser-agent: {robot}\nDisallow: /"
            ))
        };
        let closed = [(4, Kind::SignalAndClosed)];
        assert_eq!(star("search=yes", "OAI-SearchBot"), closed);
        assert_eq!(star("ai-input=yes", "ChatGPT-User"), closed);
        assert_eq!(star("search=yes", "ChatGPT-User"), []);
        assert_eq!(star("search=no", "OAI-SearchBot"), []);
        // Robots that train are another use, as in the block that Cloudflare manages.
        assert_eq!(star("search=yes, ai-train=no", "GPTBot"), []);
        assert_eq!(star("search=yes, ai-train=no", "Google-Extended"), []);
        assert_eq!(
            kinds("User-agent: *\nContent-Signal: search=yes\nDisallow: /"),
            [(2, Kind::SignalAndClosed), (3, Kind::ClosedSite)]
        );
        let pair = |one: &str, two: &str| kinds(&format!("User-agent: *\n{one}\n{two}\nAllow: /"));
        let disagree = [(3, Kind::PreferencesDisagree)];
        assert_eq!(
            pair("Content-Signal: ai-train=yes", "Content-Usage: train-ai=n"),
            disagree
        );
        assert_eq!(
            pair("Content-Signal: ai-train=no", "Content-Usage: train-ai=y"),
            disagree
        );
        assert_eq!(
            pair(
                "Content-Signal: ai-train=no",
                "Content-Signal: ai-train=yes"
            ),
            disagree
        );
        assert_eq!(
            pair("Content-Signal: search=yes", "Content-Usage: search=n"),
            disagree
        );
        assert_eq!(
            pair("Content-Signal: ai-train=no", "Content-Usage: train-ai=n"),
            []
        );
        assert_eq!(
            pair(
                "Content-Signal: ai-train=no",
                "Content-Usage: /a train-ai=y"
            ),
            []
        );
    }

    #[test]
    fn findings_on_a_managed_block() {
        let block = |group: &str| {
            format!(
                "# BEGIN Cloudflare Managed content\n{group}\n# END Cloudflare Managed Content\n"
            )
        };
        let kinds = |body: &str| -> Vec<(usize, Kind)> {
            let found = found(body).into_iter();
            found
                .map(|(line, kind, _)| (line, kind))
                .filter(|(_, kind)| *kind == Kind::ManagedBlock)
                .collect()
        };
        let closes = block("User-agent: GPTBot\nDisallow: /");
        let opens = "User-agent: gptbot\nAllow: /\n";
        assert_eq!(
            kinds(&format!("{closes}{opens}")),
            [(5, Kind::ManagedBlock)]
        );
        assert_eq!(
            kinds(&format!("{opens}{closes}")),
            [(1, Kind::ManagedBlock)]
        );
        // The comments are read in any case.
        for cased in [str::to_ascii_uppercase, str::to_ascii_lowercase] {
            let closes = cased(&closes);
            assert_eq!(
                kinds(&format!("{closes}{opens}")),
                [(5, Kind::ManagedBlock)]
            );
        }
        // Groups of several blocks.
        let other = block("User-agent: a\nDisallow: /x");
        assert_eq!(
            kinds(&format!("{other}{closes}{other}{opens}")),
            [(13, Kind::ManagedBlock)]
        );
        // The whole site is opened again.
        let star = block("User-agent: *\nAllow: /");
        assert_eq!(
            kinds(&format!("{star}User-agent: *\nDisallow: /")),
            [(5, Kind::ManagedBlock)]
        );
        // Both groups of `*` allow the root. No group of the owner names GPTBot. `# managed` does not begin a block.
        assert_eq!(kinds(&format!("{star}User-agent: *\nDisallow: /a")), []);
        assert_eq!(kinds(&format!("{closes}User-agent: *\nDisallow: /a")), []);
        assert_eq!(
            kinds("# managed\nUser-agent: a\nAllow: /\nUser-agent: a\nDisallow: /"),
            []
        );
    }

    /// A rule that only Google reads does not replace a rule that every robot reads.
    #[test]
    fn the_rule_that_every_robot_reads_is_kept() {
        for first in [
            "Disalow: /x",
            "Disallow /x",
            " Disallow: /x",
            "Disallow-paths: /x",
        ] {
            let body = format!("User-agent: *\n{first}\nDisallow: /x\n");
            let lint = lint(body.as_bytes());
            let duplicate = lint
                .iter()
                .find(|found| found.kind() == Kind::DuplicateRule);
            assert!(
                duplicate.is_some_and(|found| found.fix().is_none()),
                "{first}"
            );
            let fixed = apply_fixes(body.as_bytes(), lint.iter().filter_map(Finding::fix));
            let rules = RobotsTxt::parse(&fixed.body).rules("a", &Dialect::RFC9309);
            let verdict = rules.verdict(&Target::new("/x"));
            assert!(!verdict.is_allowed(), "{first}");
        }
    }

    #[test]
    fn findings_of_one_kind_are_limited_and_counted() {
        let junk = |lines: usize| {
            let body = "User-agent: *\nDisallow:\n".to_owned() + &"junk\n".repeat(lines);
            let lint = lint(body.as_bytes());
            assert_eq!(lint.counts().collect::<Vec<_>>(), [(Kind::Junk, lines)]);
            lint.iter().len()
        };
        assert_eq!(junk(MAX_PER_KIND - 1), MAX_PER_KIND - 1);
        assert_eq!(junk(MAX_PER_KIND), MAX_PER_KIND);
        assert_eq!(junk(MAX_PER_KIND + 1), MAX_PER_KIND);
    }

    #[test]
    fn size_and_length_have_exact_limits() {
        let kinds = |body: String| -> Vec<(Kind, usize)> {
            let lint = lint(body.as_bytes());
            lint.iter()
                .map(|found| (found.kind(), found.line()))
                .collect()
        };
        let filled = |size: usize| {
            let start = "User-agent: *\nDisallow:\n";
            start.to_owned() + &"#\n".repeat(RFC9309_SIZE_LIMIT)[..size - start.len()]
        };
        assert_eq!(kinds(filled(RFC9309_SIZE_LIMIT - 1)), []);
        assert_eq!(kinds(filled(RFC9309_SIZE_LIMIT)), []);
        let over = kinds(filled(RFC9309_SIZE_LIMIT + 1));
        let lines = filled(RFC9309_SIZE_LIMIT).lines().count();
        // The next line is the first that is cut.
        assert_eq!(over, [(Kind::OverSizeLimit, lines + 1)]);
        let line = |length: usize| {
            kinds(format!(
                "User-agent: *\nDisallow: /{}",
                "a".repeat(length - "Disallow: /".len())
            ))
        };
        assert_eq!(line(LONG_LINE), []);
        assert_eq!(line(LONG_LINE + 1), [(Kind::LongLine, 2)]);
    }
}
