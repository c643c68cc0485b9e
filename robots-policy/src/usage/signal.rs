//! Signals: statements about the use of content by AI, as one list.
//!
//! robots.txt, tdmrep.json, headers and METAs become signals in the order in which a robot reads
//! them. A signal has one answer for some uses. This module decides whether a signal counts; its
//! parent combines them.

use super::Inputs;
use super::tdm::Tdm;
use crate::answer::AiUse;
use crate::decision::reason::Source;
use crate::observe::statement::Statement;
use crate::profile::{AiEffect, AiRules, Robot, SignalFamilies, Uses};
use crate::site::{RslTerm, RslTerms, RslUses, SiteRules};
use robots_meta::Directives;
use robots_meta::directive::DirectiveValue;
use robots_meta::header::{PageHeader, PageHeaders, Reservation};
use robots_meta::value::Limit;
use robots_txt::extension::Preferences;
use robots_txt::{Rule, Rules, Target};
use robots_usage::Preference;
use robots_usage::content_signal::{self, ContentUse};
use robots_usage::content_usage::UsageCategory;
use smallvec::SmallVec;
use std::fmt;

/// A statement about uses, with its source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signal<'a> {
    pub(super) family: SignalFamilies,
    pub(super) uses: Uses,
    /// [`AiUse::Unknown`] for a statement that neither allows nor forbids (`tdm-reservation: 0`).
    pub(super) answer: AiUse,
    pub(super) standing: Standing,
    pub(super) source: Source,
    pub(super) text: Text<'a>,
}

/// Whether a signal counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It counts.
    Counts,
    /// A signal of the same kind takes precedence.
    Overridden,
    /// It does not count: the profile ignores its family, it is informational, or the directive that it follows from is not in
    /// force ([`Inputs::in_force`]). A `tdm-policy` does not count without a reservation.
    Ignored,
}

/// The text of a signal's reason, formatted only if reasons are collected.
#[derive(Debug, Clone, Copy)]
pub(super) enum Text<'a> {
    /// The statement, as it is written.
    Written(&'a str),
    /// The value of one key in lines of robots.txt: `Content-Usage: train-ai=n`.
    Lines {
        field: &'static str,
        key: &'static str,
        value: &'static str,
        count: usize,
    },
    /// A rule for a token.
    Rule(Rule<'a>),
    /// A `tdm-reservation`, 0 or 1, of any carrier.
    Reservation(Reservation),
    /// A term of a licence document.
    Term(RslTerm<'a>),
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written(text) => f.write_str(text),
            Self::Lines {
                field,
                key,
                value,
                count,
            } => {
                write!(f, "{field}: {key}={value}")?;
                if *count > 1 {
                    write!(f, " ({count} lines together)")?;
                }
                Ok(())
            }
            Self::Rule(rule) => write!(f, "{rule}"),
            Self::Term(term) => write!(f, "{term}"),
            Self::Reservation(Reservation::NotReserved) => f.write_str("tdm-reservation: 0"),
            Self::Reservation(Reservation::Reserved) => f.write_str("tdm-reservation: 1"),
        }
    }
}

/// The signals of a page. More than four, which is rare, cost an allocation.
pub(super) type Signals<'a> = SmallVec<[Signal<'a>; 4]>;

/// Collects all signals, in the order in which a robot reads them.
pub(super) fn collect<'a>(
    signals: &mut Signals<'a>,
    rules: &AiRules,
    inputs: &Inputs<'a>,
    headers: &PageHeaders<'a>,
    tdm: &Tdm<'a>,
) {
    let mut list = List {
        families: rules.signals,
        signals,
    };
    if let Some(site) = inputs.site {
        if let Some(preferences) = site.preferences() {
            list.add_content_usage(preferences, inputs.target);
            list.add_content_signals(preferences, inputs.target);
            list.add_training(preferences, inputs.target);
        }
        list.add_tokens(site, inputs.target);
        // A robot that fetches nothing is a token itself. Those of the profile were added above.
        if !inputs.robot.fetches() && !is_token_of(rules, inputs.robot) {
            list.add_objection(site.rules(), inputs.robot.uses(), inputs.target);
        }
    }
    list.add_reservations(rules, tdm);
    list.add_headers(headers);
    let counting = inputs
        .statements
        .iter()
        .filter(|statement| statement.counts);
    let stated = inputs.in_force & counting.map(flags).collect();
    for statement in inputs.statements {
        list.add_statement(rules, statement, inputs.in_force, stated);
    }
}

/// Collects the terms of licence documents (`docs/semantics.md`, section 4.7).
pub(super) fn collect_terms<'a>(
    signals: &mut Signals<'a>,
    rules: &AiRules,
    terms: &[RslTerms<'a>],
) {
    let mut list = List {
        families: rules.signals,
        signals,
    };
    for terms in terms {
        for (uses, of_rsl) in [
            (Uses::TRAIN, RslUses::AI_TRAIN),
            (Uses::INPUT, RslUses::AI_INPUT),
            (Uses::SEARCH, RslUses::SEARCH),
        ] {
            if let Some(term) = terms.of(of_rsl) {
                list.add(Signal {
                    family: SignalFamilies::RSL,
                    uses,
                    answer: term.answer(),
                    standing: Standing::Counts,
                    source: Source::Rsl {
                        line: Some(term.line()),
                    },
                    text: Text::Term(term),
                });
            }
        }
    }
}

/// Returns whether the robot is one of the profile's own tokens.
fn is_token_of(rules: &AiRules, robot: &Robot) -> bool {
    let mut tokens = rules.tokens.iter();
    tokens.any(|token| token.token().eq_ignore_ascii_case(robot.name()))
}

/// The uses of content by models.
const BY_MODELS: Uses = Uses::TRAIN.union(Uses::INPUT);

/// Returns the use that a category of AIPREF decides.
fn uses_of(category: UsageCategory) -> Uses {
    match category {
        UsageCategory::TrainAi => Uses::TRAIN,
        UsageCategory::AiUse => Uses::INPUT,
        UsageCategory::Search => Uses::SEARCH,
        _ => Uses::empty(),
    }
}

/// The signals so far.
struct List<'l, 'a> {
    /// The families that count.
    families: SignalFamilies,
    signals: &'l mut Signals<'a>,
}

impl<'a> List<'_, 'a> {
    fn add(&mut self, mut signal: Signal<'a>) {
        if !self.families.contains(signal.family) {
            signal.standing = Standing::Ignored;
        }
        self.signals.push(signal);
    }

    /// Adds the `Content-Usage` lines of robots.txt. The longest path decides (`docs/semantics.md`, section 4.1).
    fn add_content_usage(&mut self, preferences: &Preferences, target: &Target<'_>) {
        let verdict = preferences.content_usage(target);
        let usage = verdict.value();
        for category in UsageCategory::ALL {
            let family = SignalFamilies::CONTENT_USAGE;
            let answer = answer_in_file(usage.preference(category), ["y", "n"]);
            let key = ("Content-Usage", category.label());
            self.add_lines(family, uses_of(category), verdict.lines(), key, answer);
        }
    }

    /// Adds the `Content-Signal` lines of robots.txt. The longest path decides (`docs/semantics.md`, section 4.5).
    fn add_content_signals(&mut self, preferences: &Preferences, target: &Target<'_>) {
        let verdict = preferences.content_signals(target);
        let (signals, lines) = (verdict.value(), verdict.lines());
        let family = SignalFamilies::CONTENT_SIGNAL;
        for category in UsageCategory::ALL {
            let answer = answer_in_file(signals.usage().preference(category), ["yes", "no"]);
            let key = ("Content-Signal", category.signal_key());
            self.add_lines(family, uses_of(category), lines, key, answer);
        }
        let content_use = signals.content_use().map(ContentUse::name);
        // Informational: it neither allows nor forbids (docs/semantics.md, section 8.6).
        let answer = content_use.map(|value| (AiUse::Unknown, value));
        self.add_lines(family, BY_MODELS, lines, ("Content-Signal", "use"), answer);
    }

    /// Adds the value of one key in lines of robots.txt, if it has one.
    fn add_lines(
        &mut self,
        family: SignalFamilies,
        uses: Uses,
        lines: &[usize],
        (field, key): (&'static str, &'static str),
        answer: Option<(AiUse, &'static str)>,
    ) {
        let (Some(&line), Some((answer, value))) = (lines.first(), answer) else {
            return;
        };
        let standing = match answer {
            AiUse::Unknown => Standing::Ignored,
            _ => Standing::Counts,
        };
        let count = lines.len();
        self.add(Signal {
            family,
            uses,
            answer,
            standing,
            source: Source::RobotsTxt { line },
            text: Text::Lines {
                field,
                key,
                value,
                count,
            },
        });
    }

    /// Adds the `DisallowAITraining` and `AllowAITraining` lines of robots.txt (`docs/semantics.md`, section 4.4).
    fn add_training(&mut self, preferences: &Preferences, target: &Target<'_>) {
        let Some((line, preference)) = preferences.ai_training(target) else {
            return;
        };
        let names = ["AllowAITraining", "DisallowAITraining"];
        if let Some((answer, name)) = answer_in_file(preference, names) {
            self.add(Signal {
                family: SignalFamilies::AI_TRAINING,
                uses: Uses::TRAIN,
                answer,
                standing: Standing::Counts,
                source: Source::RobotsTxt { line },
                text: Text::Written(name),
            });
        }
    }

    /// Adds an objection for each token that may not fetch the page. That a token may fetch the page is not a consent
    /// (`docs/semantics.md`, section 8.6).
    fn add_tokens(&mut self, site: &'a SiteRules, target: &Target<'_>) {
        for (token, token_rules) in site.tokens() {
            self.add_objection(token_rules, token.uses(), target);
        }
    }

    /// Adds the rule that forbids a page to a token, if one does.
    fn add_objection(&mut self, rules: &'a Rules, uses: Uses, target: &Target<'_>) {
        let verdict = rules.verdict(target);
        if let Some(rule) = verdict.rule().filter(|_| !verdict.is_allowed()) {
            self.add(Signal {
                family: SignalFamilies::TOKENS,
                uses,
                answer: AiUse::Disallow,
                standing: Standing::Counts,
                source: Source::RobotsTxt { line: rule.line() },
                text: Text::Rule(rule),
            });
        }
    }

    /// Adds the `tdm-reservation` of each carrier. `0` neither allows nor forbids, unless the profile
    /// reads it as consent (`docs/semantics.md`, section 8.6).
    fn add_reservations(&mut self, rules: &AiRules, tdm: &Tdm<'_>) {
        for (source, reservation, standing) in tdm.reservations() {
            let answer = match reservation {
                Reservation::Reserved => AiUse::Disallow,
                Reservation::NotReserved if rules.unreserved_allows => AiUse::Allow,
                Reservation::NotReserved => AiUse::Unknown,
            };
            self.add(Signal {
                family: SignalFamilies::TDMREP,
                uses: Uses::TRAIN,
                answer,
                standing,
                source,
                text: Text::Reservation(reservation),
            });
        }
    }

    /// Adds the `Content-Usage` and `Content-Signal` headers (`docs/semantics.md`, sections 4.1, 4.5).
    fn add_headers(&mut self, headers: &PageHeaders<'a>) {
        for category in UsageCategory::ALL {
            let usage = headers.content_usage();
            if let Some(found) = usage.and_then(|usage| usage.statement(category))
                && let Some(answer) = answer_of(found.meaning())
            {
                let source = Source::PageHeader {
                    name: PageHeader::ContentUsage,
                    header: found.header_index(),
                    offset: found.offset(),
                };
                self.add(Signal {
                    family: SignalFamilies::CONTENT_USAGE,
                    uses: uses_of(category),
                    answer,
                    standing: Standing::Counts,
                    source,
                    text: Text::Written(found.text()),
                });
            }
        }
        for found in headers.content_signals() {
            let (uses, answer) = match found.meaning() {
                content_signal::Signal::Preference(category, answer) => (uses_of(category), answer),
                // Informational, as in robots.txt.
                content_signal::Signal::Use(_) => (BY_MODELS, Preference::Unknown),
                _ => continue,
            };
            let answer = answer_of(answer);
            self.add(Signal {
                family: SignalFamilies::CONTENT_SIGNAL,
                uses,
                answer: answer.unwrap_or(AiUse::Unknown),
                standing: match answer {
                    Some(_) => Standing::Counts,
                    None => Standing::Ignored,
                },
                source: Source::PageHeader {
                    name: PageHeader::ContentSignal,
                    header: found.header_index(),
                    offset: found.offset(),
                },
                text: Text::Written(found.text()),
            });
        }
    }

    /// Adds the signals of a directive in a header or META: a directive about AI, or one to which the profile gives
    /// an effect on AI. `in_force` are the directives that the profile honours and no other statement overrules
    /// ([`Inputs::in_force`]); `stated` are those of them that the page has.
    fn add_statement(
        &mut self,
        rules: &AiRules,
        statement: &Statement<'a>,
        in_force: Directives,
        stated: Directives,
    ) {
        let flags = flags(statement);
        if flags.is_empty() {
            return;
        }
        let flags_in_force = flags & in_force;
        let signal_if = |counts: bool, directives: Directives, family, uses, answer| Signal {
            family,
            uses,
            answer,
            standing: if counts && flags_in_force.intersects(directives) {
                Standing::Counts
            } else {
                Standing::Ignored
            },
            source: statement.source,
            text: Text::Written(statement.directive.text()),
        };
        let signal = |directives, family, uses, answer| {
            signal_if(statement.counts, directives, family, uses, answer)
        };
        // The directives about AI are the owner's statements, so they count in headers that the engine does not read, too
        // (`docs/semantics.md`, section 8.6).
        let counts = statement.counts_for_ai;
        self.add_directives_about_ai(flags, |directives, family, uses, answer| {
            signal_if(counts, directives, family, uses, answer)
        });
        let effects = rules.effects.iter();
        let effects = effects.filter(|effect| flags.intersects(effect.directives));
        // An effect is cancelled if the page also has one of its exceptions.
        let (cancelled, effects): (SmallVec<[&AiEffect; 4]>, SmallVec<[&AiEffect; 4]>) =
            effects.partition(|effect| stated.intersects(effect.unless));
        let family = SignalFamilies::DIRECTIVES;
        for effect in cancelled {
            let mut signal = signal(effect.directives, family, effect.uses, effect.says);
            if signal.standing == Standing::Counts {
                signal.standing = Standing::Overridden;
            }
            self.add(signal);
        }
        for (directives, uses, answer) in strictest_for_each_use(&effects) {
            self.add(signal(directives, family, uses, answer));
        }
    }

    /// Adds the signals of the directives about AI among `flags`. `signal` returns the signal of some directives.
    fn add_directives_about_ai(
        &mut self,
        flags: Directives,
        signal: impl Fn(Directives, SignalFamilies, Uses, AiUse) -> Signal<'a>,
    ) {
        let noai = Directives::NOAI;
        if flags.intersects(noai) {
            let family = SignalFamilies::NOAI;
            self.add(signal(noai, family, BY_MODELS, AiUse::Disallow));
        }
        let noimageai = Directives::NOIMAGEAI;
        if flags.intersects(noimageai) {
            // It is about the images of the page, for which there is no decision.
            self.add(Signal {
                standing: Standing::Ignored,
                ..signal(noimageai, SignalFamilies::NOAI, BY_MODELS, AiUse::Disallow)
            });
        }
        for (training, answer) in [
            (Directives::DISALLOW_AI_TRAINING, AiUse::Disallow),
            (Directives::ALLOW_AI_TRAINING, AiUse::Allow),
        ] {
            if flags.intersects(training) {
                let family = SignalFamilies::AI_TRAINING;
                self.add(signal(training, family, Uses::TRAIN, answer));
            }
        }
    }
}

/// Returns the answers of some effects, the strictest first. Each item has an answer, the directives with this answer, and the
/// uses for which no directive has a stricter one. So each use has one answer. Answers without uses are left out.
fn strictest_for_each_use(effects: &[&AiEffect]) -> SmallVec<[(Directives, Uses, AiUse); 3]> {
    let mut answers = SmallVec::new();
    let mut answered = Uses::empty();
    for answer in [AiUse::Disallow, AiUse::Limited, AiUse::Allow] {
        let mut uses = Uses::empty();
        let mut directives = Directives::empty();
        for effect in effects.iter().filter(|effect| effect.says == answer) {
            uses |= effect.uses;
            directives |= effect.directives;
        }
        let uses = uses.difference(answered);
        if !uses.is_empty() {
            answers.push((directives, uses, answer));
        }
        answered |= uses;
    }
    answers
}

/// Returns the flags of a statement; `max-snippet:0` is `nosnippet` (`docs/semantics.md`, section
/// 5.1).
fn flags(statement: &Statement<'_>) -> Directives {
    match statement.directive.value() {
        DirectiveValue::MaxSnippet(Limit::AtMost(0)) => Directives::NOSNIPPET,
        _ => statement.flags,
    }
}

/// Returns the answer of a preference in robots.txt, and the word that states it: `allow` or `disallow`. `None` if
/// the preference is unknown.
fn answer_in_file(
    preference: Preference,
    [allow, disallow]: [&'static str; 2],
) -> Option<(AiUse, &'static str)> {
    let word = match preference {
        Preference::Allow => allow,
        _ => disallow,
    };
    Some((answer_of(preference)?, word))
}

/// Returns the answer of a preference; `None` if it is unknown.
fn answer_of(preference: Preference) -> Option<AiUse> {
    match preference {
        Preference::Allow => Some(AiUse::Allow),
        Preference::Disallow => Some(AiUse::Disallow),
        Preference::Unknown => None,
    }
}
