//! The extensions of a file that apply to one robot: those of the groups that the robot obeys, and
//! those of the whole file.

use super::Extension;
use super::clean_param;
use super::request_rate::RequestRate;
use super::text::Text;
use super::visit_time::VisitTime;
use crate::dialect::Dialect;
use crate::parse::document::RobotsTxt;
use crate::parse::field::Field;
use crate::select::agent::Agent;
use crate::select::group::{self, Grouping, Membership};
use std::borrow::Cow;

/// The extensions of one kind, as an iterator.
macro_rules! each {
    ($extensions:expr, $kind:ident) => {
        $extensions.iter().filter_map(|extension| match extension {
            Extension::$kind(found) => Some(*found),
            _ => None,
        })
    };
}

/// The extensions of a file that apply to one robot. See [`RobotsTxt::extensions_for`].
#[derive(Debug, Clone)]
pub struct Extensions<'a> {
    /// The extensions of the file.
    file: Vec<Extension<'a>>,
    /// The extensions of the groups that the robot obeys.
    groups: Vec<Extension<'a>>,
    /// The extensions that need a group and are in none.
    outside: Vec<Extension<'a>>,
    pub(super) dialect: Dialect,
}

impl RobotsTxt {
    /// Returns every extension of the file, in order, for every robot: the directives that are neither
    /// `User-agent` nor a rule.
    pub fn extensions<'a>(
        &'a self,
        dialect: &'a Dialect,
    ) -> impl Iterator<Item = Extension<'a>> + use<'a> {
        self.directives_except_rules(dialect)
            .filter_map(Extension::read)
    }

    /// Returns the extensions that apply to a robot. Linear in the file.
    ///
    /// ```
    /// use robots_txt::robots_usage::Preference;
    /// use robots_txt::{Dialect, RobotsTxt, Target};
    ///
    /// let robots = RobotsTxt::parse(b"\
    /// User-agent: *
    /// Content-Signal: ai-train=no
    /// Content-Signal: /free/ ai-train=yes
    /// Request-rate: 1/10 2200-0400
    /// ");
    /// let extensions = robots.extensions_for("ExampleBot", &Dialect::RFC9309);
    /// let signals = extensions.preferences().content_signals(&Target::new("/free/books"));
    /// assert_eq!(signals.value().ai_train(), Preference::Allow);
    /// assert_eq!(signals.lines(), [3]);
    /// let rate = extensions.request_rates().next().unwrap();
    /// assert_eq!(rate.interval().as_secs(), 10);
    /// ```
    pub fn extensions_for<'a, 'n>(
        &'a self,
        agent: impl Into<Agent<'n>>,
        dialect: &'a Dialect,
    ) -> Extensions<'a> {
        let body = self.body();
        let view = self.view(dialect);
        let mut grouping = Grouping::new(dialect);
        let (mut file, mut outside) = (Vec::new(), Vec::new());
        let records = view.records();
        for line in view.clone().for_groups(records.as_deref()) {
            let membership = grouping.assign(line.field);
            // Most lines are these, and no extensions: they are not read again.
            if matches!(
                line.field,
                None | Some(Field::UserAgent | Field::Allow | Field::Disallow)
            ) {
                continue;
            }
            let directive = line.directive(body, dialect);
            let extension = directive.and_then(Extension::read);
            // A licence outside every group is the file's (docs/semantics.md, section 4.7).
            let is_global_license = matches!(extension, Some(Extension::License(_)));
            let is_of_file = line.field.is_some_and(Field::is_of_file);
            if is_of_file || membership == Membership::None && is_global_license {
                file.extend(extension);
            } else if membership == Membership::None {
                outside.extend(extension);
            }
        }
        let agent = agent.into();
        let groups = group::lines_except_rules(view, &agent)
            .iter()
            .filter(|line| !line.field.is_some_and(Field::is_of_file))
            .filter_map(|line| line.directive(body, dialect).and_then(Extension::read))
            .collect();
        Extensions {
            file,
            groups,
            outside,
            dialect: *dialect,
        }
    }
}

impl<'a> Extensions<'a> {
    /// Returns the extensions of the whole file, in order.
    pub fn of_file(&self) -> &[Extension<'a>] {
        &self.file
    }

    /// Returns the extensions of the groups that the robot obeys, in order.
    pub fn of_groups(&self) -> &[Extension<'a>] {
        &self.groups
    }

    /// Returns the extensions that need a group and are in none, in order. They do not apply to any
    /// robot. Unknown fields are among them.
    pub fn outside_groups(&self) -> &[Extension<'a>] {
        &self.outside
    }

    /// Returns the rates at which documents may be requested; several may have different hours.
    pub fn request_rates(&self) -> impl Iterator<Item = RequestRate> {
        each!(self.groups, RequestRate)
    }

    /// Returns the hours for visits: the first such line, as there should be only one
    /// (docs/semantics.md, section 3.3).
    pub fn visit_time(&self) -> Option<VisitTime> {
        each!(self.groups, VisitTime).next()
    }

    /// Returns the licences: those of the groups; without any, those of the file (docs/semantics.md,
    /// section 4.7).
    pub fn licenses(&self) -> Vec<Text<'a>> {
        let own: Vec<_> = each!(self.groups, License).collect();
        if own.is_empty() {
            each!(self.file, License).collect()
        } else {
            own
        }
    }

    /// Returns a URL without the query parameters that the file's `Clean-param` lines declare
    /// insignificant.
    pub fn without_clean_params<'u, U: AsRef<[u8]> + ?Sized>(&self, url: &'u U) -> Cow<'u, [u8]> {
        let rules = each!(self.file, CleanParam);
        clean_param::clean(rules, url.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;
    use robots_usage::Preference;

    /// A directive other than a rule applies to the `User-agent` lines above it, even if these have an effect only later.
    #[test]
    fn a_preference_applies_to_the_names_above_it() {
        for dialect in [Dialect::RFC9309, Dialect::PYTHON_ROBOTPARSER] {
            for (last, names) in [("b", &["a"][..]), ("*", &["a", "b", "c"])] {
                let body = format!(
                    "User-agent: a\nContent-Signal: ai-train=no\nUser-agent: {last}\nDisallow: /x\n"
                );
                let robots = RobotsTxt::parse(&body);
                let asked = ["a", "b", "c"].into_iter().filter(|robot| {
                    let extensions = robots.extensions_for(*robot, &dialect);
                    let signals = extensions
                        .preferences()
                        .content_signals(&Target::new("/"))
                        .value();
                    signals.ai_train() == Preference::Disallow
                });
                // A record of robotparser with `*` has no other names, and applies to all robots.
                let is_of_python = dialect == Dialect::PYTHON_ROBOTPARSER;
                let expected = if is_of_python { names } else { &["a"] };
                assert_eq!(asked.collect::<Vec<_>>(), expected, "{body}");
            }
        }
    }

    #[test]
    fn a_robot_has_the_extensions_of_its_groups_and_the_file() {
        let robots = RobotsTxt::parse(
            b"License: https://a.example/all\n\
            User-agent: GPTBot\n\
            Disallow: /x\n\
            Clean-param: ref&sid /forum/*.php\n\
            User-agent: *\n\
            Content-Signal: ai-train=no\n\
            Visit-time: 2200-0400\n\
            Crawl-delay: 2\n\
            License: https://a.example/some\n\
            DisallowAITraining: /\n",
        );
        let target = Target::new("/a");
        let everyone = robots.extensions_for("ExampleBot", &Dialect::RFC9309);
        assert_eq!(everyone.of_file().len(), 2);
        assert_eq!(everyone.of_groups().len(), 5);
        let signals = everyone.preferences().content_signals(&target).value();
        assert_eq!(signals.ai_train(), Preference::Disallow);
        assert_eq!(everyone.licenses()[0].text(), b"https://a.example/some");
        assert!(
            everyone
                .visit_time()
                .is_some_and(|time| time.window().contains(0))
        );
        let training = everyone.preferences().ai_training(&target);
        assert_eq!(training, Some((10, Preference::Disallow)));
        // The default group does not apply to a robot with a group of its own.
        let named = robots.extensions_for("GPTBot", &Dialect::RFC9309);
        let signals = named.preferences().content_signals(&target).value();
        assert_eq!(signals.ai_train(), Preference::Unknown);
        assert_eq!(named.licenses()[0].text(), b"https://a.example/all");
        assert!(named.of_groups().is_empty());
        let url = b"https://a.example/forum/show.php?ref=1&id=2&sid=3";
        assert_eq!(
            *named.without_clean_params(url),
            *b"https://a.example/forum/show.php?id=2"
        );
    }
}
