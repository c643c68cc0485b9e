//! What is odd about groups: whom they name, what they lack, and what they hide.

use super::lines::{READING, field_named};
use super::{Diagnostic, DiagnosticKind as Kind, Edit, Fix, Found};
use crate::extension::Extension;
use crate::extension::preference::Preference;
use crate::parse::document::RobotsTxt;
use crate::parse::field::Field;
use crate::parse::line::Line;
use crate::parse::text::trim;
use crate::rules::Rules;
use crate::select::agent::product_token;
use crate::select::directive::Directive;
use crate::select::group::Group;
use crate::target::Target;
use std::collections::HashMap;
use std::ops::Range;

pub(super) fn look(
    robots: &RobotsTxt,
    groups: &[Group<'_>],
    trainers: &[String],
    found: &mut Found,
) {
    let mut named: HashMap<Vec<u8>, usize> = HashMap::new();
    for group in groups {
        let looking = Looking {
            body: robots.body(),
            group,
        };
        looking.names(&mut named, found);
        looking.shape(found);
    }
    let everyone = Said::to_everyone(groups);
    if everyone.is_nothing() {
        return;
    }
    for group in groups {
        if !speaks_to_everyone(group) {
            hidden(robots, group, &everyone, trainers, found);
        }
    }
}

struct Looking<'g> {
    body: &'g [u8],
    group: &'g Group<'g>,
}

impl Looking<'_> {
    /// The values of the `User-agent` lines.
    fn names(&self, named: &mut HashMap<Vec<u8>, usize>, found: &mut Found) {
        for line in self.group.agents() {
            let value = line.value();
            let span = line.value_span();
            if value.is_empty() {
                let span = line.span_of(line.trimmed());
                found.add_at(Kind::EmptyAgent, line.number(), span);
                continue;
            }
            let lower = value.to_ascii_lowercase();
            match named.get(&lower) {
                Some(&before) => found.add(Kind::RepeatedAgent, || {
                    Diagnostic::new(Kind::RepeatedAgent, line.number(), span.clone())
                        .with_related(before)
                }),
                None => {
                    named.insert(lower, line.number());
                }
            }
            token(line, &span, found);
        }
    }

    /// What stands where in the group.
    fn shape(&self, found: &mut Found) {
        let agents = self.group.agents();
        let directives = self.group.directives();
        let Some(last) = agents.last() else { return };
        let rule = directives.iter().find(|directive| directive.is_rule());
        match rule {
            None => found.add_at(Kind::GroupWithoutRules, last.number(), last.value_span()),
            Some(rule) => self.blanks(rule.line(), found),
        }
        // Robots that are named behind another field.
        if let Some(first) = directives
            .first()
            .map(|directive| directive.line().number())
        {
            let behind = agents.iter().filter(|line| line.number() > first);
            for line in behind {
                found.add(Kind::RunOnGroup, || {
                    let span = line.value_span();
                    Diagnostic::new(Kind::RunOnGroup, line.number(), span).with_related(first)
                });
            }
        }
    }

    /// Blank lines between the `User-agent` lines, and before the first rule.
    fn blanks(&self, rule: Line<'_>, found: &mut Found) {
        let agents = self.group.agents();
        let behind = agents.iter().skip(1).copied().chain([rule]);
        for (line, next) in agents.iter().zip(behind) {
            let end = line.offset().saturating_add(line.bytes().len());
            let between = self.body.get(end..next.offset()).unwrap_or_default();
            if has_blank_line(between) {
                let span = line.value_span();
                return found.add(Kind::BlankInGroup, || {
                    Diagnostic::new(Kind::BlankInGroup, line.number(), span)
                        .with_related(next.number())
                });
            }
        }
    }
}

/// Whether the name of a robot is one.
fn token(line: &Line<'_>, span: &Range<usize>, found: &mut Found) {
    let value = line.value();
    if value == b"*" {
        return;
    }
    let mut names = value.split(|&byte| byte == b',').map(trim);
    let is_name = |name: &[u8]| {
        let name = std::str::from_utf8(name).unwrap_or_default();
        !name.is_empty() && (name == "*" || product_token(name) == name)
    };
    if value.contains(&b',') && names.all(is_name) {
        return found.add_at(Kind::AgentList, line.number(), span.clone());
    }
    // Names are bytes; beyond ASCII they count as letters, in whatever encoding.
    let text = String::from_utf8_lossy(value);
    let token = product_token(&text).len().min(value.len());
    let rest = value.get(token..).unwrap_or_default();
    if !rest.is_empty() {
        let start = span.start.saturating_add(token);
        // What a version is, and not a name of two words, nor that of a browser.
        let is_version = token > 0
            && rest.starts_with(b"/")
            && rest
                .iter()
                .all(|byte| !byte.is_ascii_whitespace() && *byte != b'(');
        return found.add(Kind::NotAToken, || {
            let span = start..span.end;
            let fix = is_version.then(|| Fix::new(vec![Edit::new(span.clone(), "")]));
            Diagnostic::new(Kind::NotAToken, line.number(), span).with_fix(fix)
        });
    }
    let odd = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    if let Some(at) = value.iter().position(odd) {
        let start = span.start.saturating_add(at);
        found.add_at(Kind::DigitsInAgent, line.number(), start..span.end);
    }
}

/// Whether a line that is blank stands between the end of a line and the start of another.
fn has_blank_line(text: &[u8]) -> bool {
    // The first is the rest of the line before, and the last the start of the line behind.
    let mut lines = text.split(|&byte| byte == b'\n').skip(1).peekable();
    while let Some(line) = lines.next() {
        if lines.peek().is_some() && trim(line).is_empty() {
            return true;
        }
    }
    false
}

fn speaks_to_everyone(group: &Group<'_>) -> bool {
    group.agents().iter().any(|line| line.value() == b"*")
}

/// What is said beyond rules, and is not everybody's by its nature: the fields and their lines.
#[derive(Default)]
struct Said {
    /// The first line of each field.
    fields: Vec<(Field, usize)>,
    /// The line that refuses training.
    no_training: Option<usize>,
    /// Whether a line is about training, whatever it says.
    speaks_of_training: bool,
}

impl Said {
    fn to_everyone(groups: &[Group<'_>]) -> Self {
        let mut said = Self::default();
        for group in groups.iter().filter(|group| speaks_to_everyone(group)) {
            said.add(group);
        }
        said
    }

    fn of(group: &Group<'_>) -> Self {
        let mut said = Self::default();
        said.add(group);
        said
    }

    fn add(&mut self, group: &Group<'_>) {
        for directive in group.directives() {
            let line = directive.line();
            let field = field_named(&line);
            let counts = matches!(
                field,
                Field::CrawlDelay
                    | Field::RequestRate
                    | Field::VisitTime
                    | Field::ContentUsage
                    | Field::ContentSignal
                    | Field::DisallowAiTraining
                    | Field::AllowAiTraining
            );
            if !counts {
                continue;
            }
            if !self.fields.iter().any(|(known, _)| *known == field) {
                self.fields.push((field, line.number()));
            }
            // To Google, `DisallowAITraining` is a rule.
            match training(Extension::read(Directive::new(field, line))) {
                Preference::Disallow => {
                    self.speaks_of_training = true;
                    self.no_training.get_or_insert(line.number());
                }
                Preference::Allow => self.speaks_of_training = true,
                Preference::Unknown => {}
            }
        }
    }

    fn is_nothing(&self) -> bool {
        self.fields.is_empty()
    }
}

/// What a line says of training on every path.
fn training(extension: Option<Extension<'_>>) -> Preference {
    match extension {
        #[cfg(feature = "content-usage")]
        Some(Extension::ContentUsage(usage)) if usage.path().is_none() => usage.usage().train_ai(),
        Some(Extension::ContentSignal(signal)) if signal.path().is_none() => {
            signal.signals().ai_train()
        }
        Some(Extension::AiTraining(training)) if training.path() == b"/" => training.preference(),
        _ => Preference::Unknown,
    }
}

/// What is said to everyone, and not to the robots of this group, which may fetch something.
fn hidden(
    robots: &RobotsTxt,
    group: &Group<'_>,
    everyone: &Said,
    trainers: &[String],
    found: &mut Found,
) {
    let own = Said::of(group);
    let Some(agent) = group.agents().first() else {
        return;
    };
    let rules = Rules::of_directives(robots, group.directives(), &READING);
    if !rules.verdict(&Target::new("/")).is_allowed() {
        return;
    }
    let lacks = |field: &Field| !own.fields.iter().any(|(known, _)| known == field);
    let hidden: Vec<_> = everyone
        .fields
        .iter()
        .filter(|(field, _)| lacks(field))
        .collect();
    if let Some((_, line)) = hidden.first() {
        found.add(Kind::HidesEveryone, || {
            let names: Vec<&str> = hidden.iter().map(|(field, _)| field.name()).collect();
            let span = agent.value_span();
            Diagnostic::new(Kind::HidesEveryone, agent.number(), span)
                .with_detail(names.join(", "))
                .with_related(*line)
        });
    }
    let Some(refusal) = everyone.no_training.filter(|_| !own.speaks_of_training) else {
        return;
    };
    for agent in group.agents() {
        let name = String::from_utf8_lossy(agent.value()).to_ascii_lowercase();
        if trainers.contains(&product_token(&name).to_owned()) {
            found.add(Kind::TrainerAllowed, || {
                let span = agent.value_span();
                Diagnostic::new(Kind::TrainerAllowed, agent.number(), span).with_related(refusal)
            });
        }
    }
}
