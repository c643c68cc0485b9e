//! Compilation of a file to the rules of a robot.

use super::entry::{Entry, FORM_HEAD, NewEntries, NewEntry, Precedence, Texts};
use super::index::Index;
use super::{Compiled, GroupName, RuleKind, Rules};
use crate::dialect::{DelayScope, Dialect, EmptyPattern, PatternSyntax};
use crate::extension::crawl_delay::CrawlDelay;
use crate::parse::document::RobotsTxt;
use crate::parse::field::Field;
use crate::parse::text::range_in;
use crate::pattern::quoted::is_blank;
use crate::pattern::{self, PatternContext, Reading, folder_of_index_page, with_literal_dollar};
use crate::select::agent::Agent;
use crate::select::directive::Directive;
use crate::select::group::{self, ObeyedGroups};
use crate::select::view::ViewLine;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

impl RobotsTxt {
    /// Compiles the rules for a robot, under a dialect.
    ///
    /// The robot is named by its product token, such as `Googlebot`; `*` is a robot that no group
    /// names; an [`Agent`] may have several names. Linear in the bytes of the file. If there are many rules,
    /// a later verdict sorts them ([`Rules::verdict`]). The name is not checked; [`ProductToken`](crate::ProductToken) checks
    /// names.
    pub fn rules<'n>(&self, agent: impl Into<Agent<'n>>, dialect: &Dialect) -> Rules {
        Rules::compile(self, &agent.into(), dialect)
    }
}

impl Rules {
    fn compile(robots: &RobotsTxt, agent: &Agent<'_>, dialect: &Dialect) -> Self {
        let mut builder = RulesBuilder::new(dialect, robots.url());
        group::read_obeyed(
            robots.view(dialect),
            agent,
            &mut CompiledGroups {
                body: robots.body(),
                builder: &mut builder,
                agent_line: None,
                has_rule: false,
            },
        );
        if builder.crawl_delay.is_none()
            && dialect.delay_scope == DelayScope::GroupOrDefault
            && agent.obeys_star()
        {
            let lines = group::lines_except_rules(robots.view(dialect), &Agent::new("*"));
            let delays = lines.iter();
            builder.crawl_delay =
                delays.fold(None, |delay, line| longer(delay, robots.body(), line));
        }
        builder.finish(Arc::clone(robots.shared_body()))
    }

    /// Compiles the rules among some directives of a file ([`RobotsTxt::directives`]), for any robots; their groups
    /// have no effect, nor the versions that these state. The directives may be those of another file: their rules keep
    /// copies of their patterns. Linear in the directives.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt, Rules};
    /// use robots_txt::analysis::Restriction;
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: a\nUser-agent: b\nDisallow: /");
    /// let groups = robots.groups(&Dialect::RFC9309);
    /// let rules = Rules::of_directives(&robots, groups[0].directives(), &Dialect::RFC9309);
    /// assert_eq!(rules.restriction(), Restriction::All);
    /// ```
    pub fn of_directives<'d, 'b: 'd>(
        robots: &RobotsTxt,
        directives: impl IntoIterator<Item = &'d Directive<'b>>,
        dialect: &Dialect,
    ) -> Self {
        let mut builder = RulesBuilder::new(dialect, robots.url());
        // The rules count as those of a group that applies to the robot: a verdict never has `Reason::NoGroup`.
        builder.has_group = true;
        builder.add_directives(robots.body(), directives);
        builder.finish(Arc::clone(robots.shared_body()))
    }
}

/// Returns the longer of a delay and that of a line: a robot that waits for it obeys both.
pub(super) fn longer(
    delay: Option<CrawlDelay>,
    body: &[u8],
    line: &ViewLine,
) -> Option<CrawlDelay> {
    if line.field != Some(Field::CrawlDelay) {
        return delay;
    }
    delay
        .into_iter()
        .chain(CrawlDelay::read(line.number(), line.value(body)))
        .reduce(|a, b| if b.delay() > a.delay() { b } else { a })
}

/// The groups of a robot, which are compiled while they are read.
struct CompiledGroups<'b, 'd> {
    body: &'b [u8],
    builder: &'b mut RulesBuilder<'d>,
    /// The line that names the robot in the current group.
    agent_line: Option<ViewLine>,
    /// Whether the current group has a rule so far.
    has_rule: bool,
}

impl ObeyedGroups for CompiledGroups<'_, '_> {
    fn clear(&mut self) {
        self.builder.clear();
    }

    fn begin(&mut self, agent_line: Option<ViewLine>) {
        self.builder.has_group = true;
        self.agent_line = agent_line;
        self.has_rule = false;
    }

    #[inline]
    fn add(&mut self, line: ViewLine, is_version_2: bool) {
        if !matches!(line.field, Some(Field::Allow | Field::Disallow)) {
            self.builder.crawl_delay = longer(self.builder.crawl_delay, self.body, &line);
            return;
        }
        if !self.has_rule {
            self.has_rule = true;
            let name = GroupName::new(self.body, &line, self.agent_line);
            self.builder.groups.push(name);
        }
        self.builder.add_line(self.body, &line, is_version_2);
    }

    fn end(&mut self, is_version_2: bool) {
        self.builder.is_version_2 |= is_version_2;
    }
}

/// A builder of [`Rules`].
pub(super) struct RulesBuilder<'d> {
    dialect: &'d Dialect,
    /// The URL of the file, if it is known: some dialects resolve patterns with it.
    own_url: Option<&'d str>,
    entries: NewEntries,
    /// The forms of patterns that differ from their texts: [`Texts::forms`].
    forms: Vec<u8>,
    /// The patterns that the body does not have: those of another file. They follow it.
    foreign: Vec<u8>,
    /// The groups that have a rule, in file order.
    pub(super) groups: SmallVec<[GroupName; 1]>,
    /// Whether a group applies to the robot, with or without rules.
    pub(super) has_group: bool,
    /// True if a group states version 2.0 or later of Conner's standard.
    pub(super) is_version_2: bool,
    pub(super) crawl_delay: Option<CrawlDelay>,
    /// True if the texts are loaded bytes, false if they are the body of a file.
    pub(super) is_loaded: bool,
    /// The rules of large groups that other robots share.
    pub(super) shared: Vec<Arc<Compiled>>,
}

impl<'d> RulesBuilder<'d> {
    pub(super) fn new(dialect: &'d Dialect, own_url: Option<&'d str>) -> Self {
        Self {
            dialect,
            own_url,
            entries: NewEntries::default(),
            forms: Vec::new(),
            foreign: Vec::new(),
            groups: SmallVec::new(),
            has_group: false,
            is_version_2: false,
            crawl_delay: None,
            is_loaded: false,
            shared: Vec::new(),
        }
    }

    /// Forgets all groups so far. `has_group` stays, as the next group sets it.
    fn clear(&mut self) {
        self.entries = NewEntries::default();
        self.forms.clear();
        self.groups.clear();
        self.is_version_2 = false;
        self.crawl_delay = None;
    }

    /// Adds the rules among directives of a file.
    fn add_directives<'b: 'i, 'i>(
        &mut self,
        body: &[u8],
        directives: impl IntoIterator<Item = &'i Directive<'b>>,
    ) {
        let context = PatternContext {
            is_version_2: false,
            own_url: self.own_url,
            is_resolved: false,
        };
        for directive in directives {
            let kind = match directive.field() {
                Field::Allow => RuleKind::Allow,
                Field::Disallow => RuleKind::Disallow,
                _ => continue,
            };
            let line = directive.line();
            let (text, span) = (line.value(), line.value_span());
            let at = if body.get(span.clone()) == Some(text) {
                span.start
            } else {
                let at = body.len() + self.foreign.len();
                self.foreign.extend_from_slice(text);
                at
            };
            self.add_rule(kind, line.number(), text, at, &context);
        }
    }

    /// Adds a rule of a group.
    pub(super) fn add_line(&mut self, body: &[u8], rule: &ViewLine, is_version_2: bool) {
        let kind = match rule.field {
            Some(Field::Allow) => RuleKind::Allow,
            _ => RuleKind::Disallow,
        };
        // The fast path finds the end of the value and its form in one pass.
        let open = rule.open_value(body).filter(|_| !is_version_2);
        if let Some(path) = open.and_then(|rest| pattern::plain_pattern(rest, self.dialect)) {
            let text = range_in(body, path);
            self.add(&NewEntry {
                start: text.start,
                length: path.len(),
                in_forms: false,
                reading: Reading::PLAIN,
                kind,
                allows: kind == RuleKind::Allow,
                line: rule.number(),
            });
            self.add_others(kind, path, rule.number(), text, is_version_2);
            return;
        }
        let value = rule.value(body);
        let at = range_in(body, value).start;
        let context = PatternContext {
            is_version_2,
            own_url: self.own_url,
            is_resolved: false,
        };
        self.add_rule(kind, rule.number(), value, at, &context);
    }

    /// Adds a rule whose pattern is `text`, at the offset `at` in the body. Adds nothing if the dialect
    /// ignores the pattern.
    pub(super) fn add_rule(
        &mut self,
        kind: RuleKind,
        line: usize,
        text: &[u8],
        at: usize,
        context: &PatternContext<'_>,
    ) {
        let Some((form, reading)) = pattern::read(text, self.dialect, context) else {
            return;
        };
        if form.is_empty() && self.dialect.empty_pattern == EmptyPattern::Ignored {
            return;
        }
        // A borrowed form is the text, or a part of it: the path of an absolute URL.
        let in_forms = matches!(form, Cow::Owned(_)) || form.len() != text.len();
        let start = if in_forms {
            self.add_form(&form, at, text.len())
        } else {
            at
        };
        let new = NewEntry {
            start,
            length: form.len(),
            in_forms,
            reading,
            kind,
            // An empty `Disallow` allows everything (explicit in 1994, in effect under RFC 9309 and
            // Google: docs/semantics.md, section 1.4).
            allows: kind == RuleKind::Allow
                || form.is_empty()
                    && (self.dialect.empty_pattern != EmptyPattern::AllowsAsWritten
                        || is_blank(text)),
            line,
        };
        self.add(&new);
        let text = at..at + text.len();
        self.add_others(kind, &form, line, text, context.is_version_2);
    }

    /// Adds the other patterns of a rule, which are rules of the same line: the folder of an allowed index page, and the
    /// pattern whose final `$` is a character.
    fn add_others(
        &mut self,
        kind: RuleKind,
        form: &[u8],
        line: usize,
        text: Range<usize>,
        is_version_2: bool,
    ) {
        let folder = match kind {
            RuleKind::Allow => folder_of_index_page(form, self.dialect.index_page),
            RuleKind::Disallow => None,
        };
        let dollar = with_literal_dollar(form, self.dialect);
        for form in folder.into_iter().chain(dollar) {
            let reading = Reading::of(&form, self.dialect.pattern_syntax, is_version_2);
            let start = self.add_form(&form, text.start, text.len());
            self.add(&NewEntry {
                start,
                length: form.len(),
                in_forms: true,
                reading,
                kind,
                allows: kind == RuleKind::Allow,
                line,
            });
        }
    }

    /// Adds an entry, unless one of its numbers is too large to be stored.
    #[inline]
    fn add(&mut self, new: &NewEntry) {
        if let Some(entry) = Entry::new(new) {
            self.entries.push(entry);
        }
    }

    /// Stores a form that differs from its text, and returns its offset in `forms`. The offset and length of
    /// the text come before it, so that [`Texts::text`] finds the pattern as written.
    fn add_form(&mut self, form: &[u8], text_start: usize, text_length: usize) -> usize {
        for number in [text_start, text_length] {
            let number = u32::try_from(number).unwrap_or_default();
            self.forms.extend(number.to_le_bytes());
        }
        let start = self.forms.len();
        self.forms.extend(form);
        start
    }

    pub(super) fn finish(self, body: Arc<[u8]>) -> Rules {
        let is_typed = self.dialect.pattern_syntax == PatternSyntax::Typed;
        let precedence = if is_typed && self.is_version_2 {
            Precedence::ByType
        } else {
            Precedence::By(self.dialect.rule_order)
        };
        let has_foreign = !self.foreign.is_empty();
        let body = if has_foreign {
            [&*body, &self.foreign].concat().into()
        } else {
            body
        };
        let texts = Texts {
            body,
            forms: self.forms.into_boxed_slice(),
        };
        Rules {
            compiled: Arc::new(Compiled {
                dialect: *self.dialect,
                texts,
                index: Index::new(self.entries, precedence),
                shared: self.shared,
                groups: self.groups,
                has_group: self.has_group,
                crawl_delay: self.crawl_delay,
                is_loaded: self.is_loaded || has_foreign,
            }),
            per_robot: None,
        }
    }
}

// `RulesBuilder::add_form` writes two numbers before each form, which `Texts::text` reads.
const _: () = assert!(FORM_HEAD == 2 * size_of::<u32>());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    #[test]
    fn directives_of_another_file_keep_their_patterns() {
        let body = "User-agent: a\nDisallow: /x\nAllow: /x/\u{e9}\n";
        let padding = "#".repeat(100);
        for other in [body.to_owned(), format!("{padding}\n{body}")] {
            let (robots, other) = (RobotsTxt::parse(body), RobotsTxt::parse(&other));
            let dialect = &Dialect::RFC9309;
            let directives: Vec<_> = other.directives(dialect).collect();
            let rules = Rules::of_directives(&robots, &directives, dialect);
            for (path, pattern) in [("/x", "/x"), ("/x/%C3%A9", "/x/\u{e9}")] {
                let verdict = rules.verdict(&Target::new(path));
                assert_eq!(verdict.is_allowed(), path != "/x");
                let rule = verdict.rule().unwrap();
                assert_eq!(rule.text(), pattern.as_bytes());
            }
            assert!(rules.verdict(&Target::new("/y")).is_allowed());
        }
    }

    #[test]
    fn rules_of_directives_know_the_url_of_the_file() {
        let body = "User-agent: a\nDisallow: http://a.example/x\n";
        let robots = RobotsTxt::parse(body).with_url("http://a.example/robots.txt");
        let dialect = &Dialect::WWW_ROBOT_RULES;
        let directives: Vec<_> = robots.directives(dialect).collect();
        let rules = Rules::of_directives(&robots, &directives, dialect);
        assert!(!rules.verdict(&Target::new("/x")).is_allowed());
        assert!(rules.verdict(&Target::new("/y")).is_allowed());
    }
}
