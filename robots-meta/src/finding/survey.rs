//! A walk over a list of directives that notes what is odd.

use super::conflict::{conflicts, repeated};
use super::spelling::{nearest, nearest_parameter, same_letters};
use super::{Finding, FindingKind, MAX_COMPARED_DIRECTIVES, MAX_FINDINGS, Span};
use crate::date::{Timestamp, Zone};
use crate::directives::{Directive, DirectiveValue, Directives};
use crate::grammar::{AgentPrefix, Item, items, offset_in, parameter_names};

/// What is odd about a list, in the order of the text.
pub(super) fn findings(list: &str, prefix: AgentPrefix) -> Vec<Finding<'_>> {
    let mut survey = Survey::new(list);
    let mut ahead = items(list, prefix).peekable();
    let mut before = None;
    while let Some(item) = ahead.next() {
        survey.separation(before, item.directive);
        survey.prefix(&item);
        survey.value(&item, ahead.peek().map(|next| next.directive));
        before = Some(item.directive);
        if survey.findings.len() >= MAX_FINDINGS {
            survey.is_whole = false;
            break;
        }
    }
    if before.is_none() {
        survey.find(FindingKind::Empty, Span::new(0, list), None);
    }
    survey.without_effect();
    let mut findings = survey.findings;
    findings.sort_by_key(|finding| finding.span.start);
    findings.truncate(MAX_FINDINGS);
    findings
}

/// A directive that is compared with those behind it.
#[derive(Debug, Clone, Copy)]
struct Compared<'a> {
    /// The index of the robot's name; `None` for every robot.
    agent: Option<usize>,
    directive: Directive<'a>,
}

/// A list, as far as it is read.
#[derive(Debug)]
struct Survey<'a> {
    list: &'a str,
    findings: Vec<Finding<'a>>,
    compared: Vec<Compared<'a>>,
    /// The names of robots, each once.
    agents: Vec<&'a str>,
    /// The name that held last for a directive that is compared: where it begins, and its index.
    last_agent: Option<(usize, usize)>,
    /// Where the name that holds begins.
    prefix: Option<usize>,
    /// Whether a leak of that name is found already.
    is_leaked: bool,
    /// Where a directive begins that is the latter part of a misspelt one.
    latter_part: Option<usize>,
    /// Whether all directives up to here are compared.
    is_whole: bool,
}

impl<'a> Survey<'a> {
    fn new(list: &'a str) -> Self {
        Self {
            list,
            findings: Vec::new(),
            compared: Vec::new(),
            agents: Vec::new(),
            last_agent: None,
            prefix: None,
            is_leaked: false,
            latter_part: None,
            is_whole: true,
        }
    }

    fn find(&mut self, kind: FindingKind, span: Span, other: Option<Span>) {
        self.findings.push(Finding {
            kind,
            list: self.list,
            span,
            other,
        });
    }

    /// What lies between two directives.
    fn between(&self, before: Directive<'a>, behind: Directive<'a>) -> &'a str {
        self.list
            .get(Span::from(before).end..behind.offset)
            .unwrap_or_default()
    }

    /// Is there a comma, or what is read as one?
    fn separation(&mut self, before: Option<Directive<'a>>, directive: Directive<'a>) {
        if let Some(before) = before
            && self.latter_part != Some(directive.offset)
            && !self.between(before, directive).contains([',', ';'])
        {
            self.find(
                FindingKind::MissingComma,
                directive.into(),
                Some(before.into()),
            );
        }
    }

    /// Is the robot's name one, and is it this line's?
    fn prefix(&mut self, item: &Item<'a>) {
        let name = item.agent.unwrap_or_default();
        let start = item.agent.map(|name| offset_in(self.list, name));
        let span = start.map(|start| Span::new(start, name));
        if start != self.prefix {
            self.prefix = start;
            self.is_leaked = false;
            // `unavailble_after: 2027-12-31`. Tokens are too short to be told from names.
            if let (Some(span), Some(meant)) = (span, nearest_parameter(name)) {
                self.find(FindingKind::Misspelt { meant }, span, None);
            }
        }
        if !self.is_leaked && item.may_have_leaked(self.list) {
            self.is_leaked = true;
            self.find(FindingKind::PrefixLeak, item.directive.into(), span);
        }
    }

    /// What the directive says, by itself and with those before it.
    fn value(&mut self, item: &Item<'a>, next: Option<Directive<'a>>) {
        let directive = item.directive;
        match directive.value {
            DirectiveValue::Invalid => self.find(FindingKind::Invalid, directive.into(), None),
            DirectiveValue::Unknown => self.unknown(directive, next),
            DirectiveValue::Flags(_) => {
                if directive.text.contains(':') {
                    self.find(FindingKind::ValueOnFlag, directive.into(), None);
                }
                self.compare(item);
            }
            DirectiveValue::UnavailableAfter(_) => {
                let date = directive.text.split_once(':').map(|(_, date)| date);
                match date.and_then(Timestamp::zone) {
                    Some(Zone::Missing) => {
                        self.find(FindingKind::NoZone, directive.into(), None);
                    }
                    Some(Zone::Unknown) => {
                        self.find(FindingKind::UnknownZone, directive.into(), None);
                    }
                    Some(Zone::Known) | None => {}
                }
                self.compare(item);
            }
            DirectiveValue::MaxSnippet(_)
            | DirectiveValue::MaxImagePreview(_)
            | DirectiveValue::MaxVideoPreview(_) => self.compare(item),
        }
    }

    /// A directive that is not known: which is meant?
    fn unknown(&mut self, directive: Directive<'a>, next: Option<Directive<'a>>) {
        let span = Span::from(directive);
        // `no index no follow`, which is read as four.
        if let Some(next) = next
            && self.between(directive, next).trim().is_empty()
        {
            let both = Span {
                end: Span::from(next).end,
                ..span
            };
            if let Some(meant) = same_letters(both.of(self.list)) {
                self.latter_part = Some(next.offset);
                self.find(FindingKind::Misspelt { meant }, both, None);
                return;
            }
        }
        let is_end = |c: char| c == ':' || c == '=';
        let key = directive.text.split(is_end).next().unwrap_or_default();
        let word = key.split_whitespace().next().unwrap_or_default();
        let kind = if parameter_names().any(|name| name.eq_ignore_ascii_case(word)) {
            // `max-snippet`, `max-snippet=20`, `max-snippet 20`.
            FindingKind::Invalid
        } else {
            nearest(key).map_or(FindingKind::Unknown, |meant| FindingKind::Misspelt {
                meant,
            })
        };
        self.find(kind, span, None);
    }

    /// Compares a directive with those for the same robot before it.
    fn compare(&mut self, item: &Item<'a>) {
        if self.compared.len() >= MAX_COMPARED_DIRECTIVES {
            self.is_whole = false;
            return;
        }
        let agent = self.agent(item.agent);
        let directive = item.directive;
        let before: Vec<_> = self
            .compared
            .iter()
            .filter(|compared| compared.agent == agent)
            .map(|compared| compared.directive)
            .collect();
        self.compared.push(Compared { agent, directive });
        if let Some(repeated) = repeated(&before, directive.value) {
            self.find(
                FindingKind::Repeated,
                directive.into(),
                Some(repeated.into()),
            );
            return;
        }
        for other in conflicts(&before, directive.value) {
            self.find(FindingKind::Conflict, directive.into(), Some(other.into()));
        }
    }

    /// The index of a robot's name. A name that still holds is not looked up again: it may be long.
    fn agent(&mut self, name: Option<&'a str>) -> Option<usize> {
        let name = name?;
        let start = offset_in(self.list, name);
        if let Some((last, index)) = self.last_agent
            && last == start
        {
            return Some(index);
        }
        let known = self
            .agents
            .iter()
            .position(|known| known.eq_ignore_ascii_case(name));
        let index = known.unwrap_or(self.agents.len());
        if known.is_none() {
            self.agents.push(name);
        }
        self.last_agent = Some((start, index));
        Some(index)
    }

    /// Whether there is something for `indexifembedded` to lift. A `noindex` for every robot is one
    /// for each, and one for a robot is lifted by what is said to every robot.
    fn without_effect(&mut self) {
        if !self.is_whole {
            return;
        }
        let says = |compared: &&Compared<'a>, flag| compared.directive.flags().contains(flag);
        let all = std::mem::take(&mut self.compared);
        for embedded in all
            .iter()
            .filter(|compared| says(compared, Directives::INDEXIFEMBEDDED))
        {
            let is_noindex = all
                .iter()
                .filter(|compared| says(compared, Directives::NOINDEX))
                .any(|other| {
                    other.agent.is_none()
                        || embedded.agent.is_none()
                        || other.agent == embedded.agent
                });
            if !is_noindex {
                self.find(FindingKind::WithoutEffect, embedded.directive.into(), None);
            }
        }
    }
}
