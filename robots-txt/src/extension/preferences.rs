//! The preferences of a file for the use of its content, compiled: the lines of [`Extensions`] that
//! depend on a path, with their patterns read once.
//!
//! Compiling is linear in the bytes of the lines. A lookup is linear in the target and the paths,
//! and returns the same as [`Extensions`], which shares its code.

use super::ai_training;
use super::content_signal::{self, SignalVerdict};
#[cfg(feature = "content-usage")]
use super::content_usage::{self, UsageVerdict};
use super::path::Statement;
use super::set::Extensions;
use crate::dialect::Encoding;
use crate::target::Target;
use robots_usage::Preference;
use robots_usage::content_signal::Signals;
#[cfg(feature = "content-usage")]
use robots_usage::content_usage::Usage;
use std::sync::Arc;

/// The preferences of a file for the use of its content by one robot: its `Content-Usage`,
/// `Content-Signal`, `AllowAITraining` and `DisallowAITraining` lines. See
/// [`Extensions::preferences`].
///
/// It owns its data and is cheap to clone, so it can be kept next to the
/// [`Rules`](crate::Rules). Without any such line it allocates nothing.
///
/// ```
/// use robots_txt::robots_usage::Preference;
/// use robots_txt::{Dialect, RobotsTxt, Target};
///
/// let robots = RobotsTxt::parse(b"\
/// User-agent: *
/// Content-Signal: ai-train=no
/// Content-Signal: /free/ ai-train=yes
/// ");
/// let preferences = robots
///     .extensions_for("ExampleBot", &Dialect::RFC9309)
///     .preferences();
/// drop(robots);
///
/// let verdict = preferences.content_signals(&Target::new("/free/books"));
/// assert_eq!(verdict.signals().ai_train(), Preference::Allow);
/// assert_eq!(verdict.lines(), [3]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Preferences {
    compiled: Option<Arc<Compiled>>,
}

#[derive(Debug)]
struct Compiled {
    encoding: Encoding,
    #[cfg(feature = "content-usage")]
    usage: Box<[Statement<Usage>]>,
    signals: Box<[Statement<Signals>]>,
    training: Box<[Statement<Preference>]>,
}

impl Extensions<'_> {
    /// Returns the preferences for the use of content, compiled for many lookups. Linear in the
    /// bytes of the lines.
    pub fn preferences(&self) -> Preferences {
        let compiled = Compiled {
            encoding: self.dialect.encoding,
            #[cfg(feature = "content-usage")]
            usage: self.usage_statements().map(Statement::into_owned).collect(),
            signals: self
                .signal_statements()
                .map(Statement::into_owned)
                .collect(),
            training: self
                .training_statements()
                .map(Statement::into_owned)
                .collect(),
        };
        let is_empty = compiled.signals.is_empty() && compiled.training.is_empty();
        #[cfg(feature = "content-usage")]
        let is_empty = is_empty && compiled.usage.is_empty();
        Preferences {
            compiled: (!is_empty).then(|| Arc::new(compiled)),
        }
    }
}

impl Preferences {
    /// Returns whether no line applies to any target.
    pub fn is_empty(&self) -> bool {
        self.compiled.is_none()
    }

    /// Returns the preferences of the `Content-Usage` lines for a target. Does not check that the
    /// target may be fetched: a disallowed target has no preference (docs/semantics.md, section
    /// 4.1).
    #[cfg(feature = "content-usage")]
    pub fn content_usage(&self, target: &Target<'_>) -> UsageVerdict {
        let Some(compiled) = &self.compiled else {
            return UsageVerdict::default();
        };
        content_usage::usage_for(compiled.usage.iter(), target, compiled.encoding)
    }

    /// Returns the signals of the `Content-Signal` lines for a target.
    pub fn content_signals(&self, target: &Target<'_>) -> SignalVerdict {
        let Some(compiled) = &self.compiled else {
            return SignalVerdict::default();
        };
        content_signal::signals_for(compiled.signals.iter(), target, compiled.encoding)
    }

    /// Returns the number, from 1, of the `AllowAITraining` or `DisallowAITraining` line that
    /// decides about a target, and its preference; never [`Preference::Unknown`].
    pub fn ai_training(&self, target: &Target<'_>) -> Option<(usize, Preference)> {
        let compiled = self.compiled.as_ref()?;
        ai_training::training_for(compiled.training.iter(), target, compiled.encoding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, RobotsTxt, reference};
    use Preference::{Allow, Disallow, Unknown};
    use proptest::prelude::*;

    fn preferences(body: &str, agent: &str) -> Preferences {
        RobotsTxt::parse(body.as_bytes())
            .extensions_for(agent, &Dialect::RFC9309)
            .preferences()
    }

    /// Asserts that [`Preferences`] and [`Extensions`] return the same for a URL.
    fn check(body: &str, dialect: &Dialect, url: &str) {
        let robots = RobotsTxt::parse(body.as_bytes());
        let extensions = robots.extensions_for("ExampleBot", dialect);
        let preferences = extensions.preferences();
        let target = Target::new(url);
        let name = dialect.name();
        #[cfg(feature = "content-usage")]
        assert_eq!(
            preferences.content_usage(&target),
            extensions.content_usage(&target),
            "{name} on {url}: {body}"
        );
        assert_eq!(
            preferences.content_signals(&target),
            extensions.content_signals(&target),
            "{name} on {url}: {body}"
        );
        let training = extensions.ai_training(&target);
        assert_eq!(
            preferences.ai_training(&target),
            training.map(|rule| (rule.line(), rule.preference())),
            "{name} on {url}: {body}"
        );
    }

    #[cfg(feature = "content-usage")]
    #[test]
    fn the_example_of_the_draft() {
        let body = "User-agent: *\n\
            Allow: /\n\
            Disallow: /never/\n\
            Content-Usage: train-ai=n\n\
            Content-Usage: /ai-ok/ train-ai=y\n";
        let preferences = preferences(body, "ExampleBot");
        let usage_of = |url: &str| {
            let verdict = preferences.content_usage(&Target::new(url));
            (verdict.usage().train_ai(), verdict.lines().to_vec())
        };
        assert_eq!(usage_of("/test"), (Disallow, vec![4]));
        assert_eq!(usage_of("/ai-ok/test"), (Allow, vec![5]));
        // Permission to fetch is up to the caller.
        assert_eq!(usage_of("/never/test"), (Disallow, vec![4]));
    }

    #[test]
    fn each_kind_of_line_answers_for_itself() {
        let body = "User-agent: *\n\
            Content-Signal: search=yes, ai-train=no\n\
            Content-Signal: /blog/ use=reference\n\
            DisallowAITraining: /\n\
            AllowAITraining: /%62log/*.txt$\n\
            User-agent: GPTBot\n\
            Disallow: /x\n";
        let everyone = preferences(body, "ExampleBot");
        assert!(!everyone.is_empty());
        let target = Target::new("https://a.example/blog/a.txt");
        let signals = everyone.content_signals(&target);
        assert_eq!(signals.lines(), [3]);
        assert_eq!(signals.signals().ai_train(), Unknown);
        assert_eq!(everyone.ai_training(&target), Some((5, Allow)));
        assert_eq!(
            everyone.ai_training(&Target::new("/a")),
            Some((4, Disallow))
        );
        #[cfg(feature = "content-usage")]
        assert_eq!(everyone.content_usage(&target), UsageVerdict::default());
        // The default group does not apply to a robot with a group of its own.
        assert!(preferences(body, "GPTBot").is_empty());
    }

    #[test]
    fn a_file_without_such_lines_has_no_preferences() {
        let target = Target::new("/a");
        for body in ["", "User-agent: *\nDisallow: /\nCrawl-delay: 1"] {
            assert!(preferences(body, "ExampleBot").is_empty());
        }
        let empty = Preferences::default();
        assert!(empty.is_empty());
        #[cfg(feature = "content-usage")]
        assert_eq!(empty.content_usage(&target), UsageVerdict::default());
        assert_eq!(empty.content_signals(&target), SignalVerdict::default());
        assert_eq!(empty.ai_training(&target), None);
    }

    #[cfg(feature = "content-usage")]
    #[test]
    fn an_invalid_dictionary_replaces_those_of_shorter_paths() {
        let target = Target::new("/a");
        // `Train-AI` is not a key of a Dictionary.
        let body = "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a Train-AI=n";
        let preferences = preferences(body, "ExampleBot");
        let invalid = preferences.content_usage(&target);
        assert_eq!(invalid.usage(), Usage::default());
        assert_eq!(invalid.lines(), [3]);
        let shorter = preferences.content_usage(&Target::new("/b"));
        assert_eq!(shorter.usage().train_ai(), Disallow);
        assert_eq!(shorter.lines(), [2]);
    }

    #[test]
    fn a_pattern_without_effect_is_omitted() {
        // WWW::RobotRules ignores a URL of another origin.
        let robots = RobotsTxt::parse(b"User-agent: *\nDisallowAITraining: http://b.example/");
        let dialect = Dialect::WWW_ROBOT_RULES;
        let extensions = robots.extensions_for("ExampleBot", &dialect);
        assert!(extensions.preferences().is_empty());
        assert_eq!(extensions.ai_training(&Target::new("/")), None);
    }

    #[test]
    fn answers_are_those_of_the_extensions() {
        let files = [
            "",
            "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a train-ai=y\n",
            "User-agent: *\nContent-Usage: /a train-ai=n\nContent-Usage: /%61 search=y\n",
            "User-agent: *\nContent-Usage: /a Train-AI=n\nContent-Usage: /a*c$ train-ai=y\n",
            "User-agent: *\nContent-Signal: ai-train=no\nContent-Signal: /a/*.pdf$ search=yes\n",
            "User-agent: *\nDisallowAITraining: /\nAllowAITraining: a\nAllowAITraining: /~b\n",
            "User-agent: *\nDisallowAITraining: /é\nAllowAITraining: /%C3%A9\n\n\
             User-agent: ExampleBot\nAllowAITraining: /a?b=c:d\nDisallowAITraining: /a?b=c%3Ad\n",
        ];
        let urls = [
            "/",
            "/a",
            "/abc",
            "/a/b.pdf",
            "/a/b.pdf?c",
            "/%7Eb",
            "/é",
            "/%c3%a9/b",
            "https://a.example/%61?b=c:d",
        ];
        for body in files {
            for dialect in Dialect::ALL {
                for url in urls {
                    check(body, dialect, url);
                }
            }
        }
    }

    /// A line that states a preference; in some Dictionaries of `Content-Usage`, a key is invalid (`Search`).
    const LINE: &str = "(Content-Usage: (/[ab*]{0,3}\\$? )?(train-ai=[yn]|search=[yn]|Search=y)\
        |Content-Signal: (/[ab*]{0,3}\\$? )?(search|ai-input|ai-train)=(yes|no)\
        |(Allow|Disallow)AITraining: /[ab*]{0,3}\\$?)";

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_lines_answer_as_the_extensions_do(
            lines in prop::collection::vec(LINE, 0..8),
            dialect in prop::sample::select(Dialect::ALL),
            url in "/[ab]{0,4}",
        ) {
            let body = format!("User-agent: *\n{}", lines.join("\n"));
            check(&body, &dialect, &url);
        }

        #[test]
        fn training_is_decided_as_fetching_is(
            lines in prop::collection::vec(LINE, 0..8),
            url in "/[ab]{0,4}",
        ) {
            let body = format!("User-agent: *\n{}", lines.join("\n"));
            let target = Target::new(&url);
            let found = preferences(&body, "ExampleBot").ai_training(&target);
            // The same paths, in `Allow` and `Disallow`.
            let rules = RobotsTxt::parse(body.replace("AITraining", "").as_bytes());
            let expected = reference::verdict(&rules, "ExampleBot", &Dialect::RFC9309, &url);
            prop_assert_eq!(found.map(|(line, _)| line), expected.line);
            let is_allowed = found.is_none_or(|(_, preference)| preference == Allow);
            prop_assert_eq!(is_allowed, expected.is_allowed);
        }
    }
}
