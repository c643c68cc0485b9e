//! What is said of the use of content by AI, as one list of signals.
//!
//! robots.txt, tdmrep.json, headers and METAs become signals in the order in which a robot meets
//! them. A signal says one thing of some uses; whether it counts is settled here, what follows
//! from several is not.

use super::Inputs;
use super::tdm::Tdm;
use crate::answer::AiUse;
use crate::decision::reason::Source;
use crate::observe::statement::Statement;
use crate::profile::{AiEffect, AiRules, Robot, SignalFamilies, Uses};
use crate::site::SiteRules;
use robots_meta::Directives;
use robots_meta::directive::DirectiveValue;
use robots_meta::header::{PageHeader, PageHeaders, Reservation};
use robots_meta::value::Limit;
use robots_txt::extension::Preferences;
use robots_txt::{Rule, Rules, Target};
use robots_usage::Preference;
use robots_usage::content_signal::ContentUse;
use robots_usage::content_usage::UsageCategory;
use smallvec::SmallVec;
use std::fmt;

/// Something that is said of uses, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signal<'a> {
    pub(super) family: SignalFamilies,
    pub(super) uses: Uses,
    /// [`AiUse::Unknown`] where it is said that there is nothing to say (`tdm-reservation: 0`).
    pub(super) says: AiUse,
    pub(super) standing: Standing,
    pub(super) source: Source,
    pub(super) text: Text<'a>,
}

/// Whether a signal counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It does.
    Counts,
    /// A signal of the same kind is put before it.
    Overridden,
    /// It is not heard, or is not about this.
    Ignored,
}

/// What a reason says of a signal. It is made into text only where reasons are asked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Text<'a> {
    /// The statement, as it is written.
    Written(&'a str),
    /// What lines of robots.txt say together of one key: `Content-Usage: train-ai=n`.
    Lines {
        field: &'static str,
        key: &'static str,
        value: &'static str,
        count: usize,
    },
    /// A rule for a token.
    Rule(Rule<'a>),
    /// `tdm-reservation: 1`, wherever it stands.
    Reservation(Reservation),
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
            Self::Reservation(Reservation::NotReserved) => f.write_str("tdm-reservation: 0"),
            Self::Reservation(Reservation::Reserved) => f.write_str("tdm-reservation: 1"),
        }
    }
}

/// Few pages say more; those that do cost an allocation.
type Signals<'a> = SmallVec<[Signal<'a>; 4]>;

/// All signals, in the order in which they are met.
pub(super) fn collect<'a>(
    rules: &AiRules,
    inputs: &Inputs<'a>,
    headers: &PageHeaders<'a>,
    tdm: &Tdm<'a>,
) -> Signals<'a> {
    let mut list = List {
        heard: rules.signals(),
        signals: Signals::new(),
    };
    if let Some(site) = inputs.site {
        if let Some(preferences) = site.preferences() {
            list.add_content_usage(preferences, inputs.target);
            list.add_content_signals(preferences, inputs.target);
            list.add_training(preferences, inputs.target);
        }
        list.add_tokens(site, inputs.target);
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
    list.signals
}

/// Returns whether the robot is one of the profile's own tokens.
fn is_token_of(rules: &AiRules, robot: &Robot) -> bool {
    let mut tokens = rules.tokens().iter();
    tokens.any(|token| token.token().eq_ignore_ascii_case(robot.name()))
}

/// What models do with content.
const BY_MODELS: Uses = Uses::TRAIN.union(Uses::INPUT);

struct List<'a> {
    heard: SignalFamilies,
    signals: Signals<'a>,
}

impl<'a> List<'a> {
    fn add(&mut self, mut signal: Signal<'a>) {
        if !self.heard.contains(signal.family) {
            signal.standing = Standing::Ignored;
        }
        self.signals.push(signal);
    }

    /// `Content-Usage` lines of robots.txt. The longest path has decided (`docs/semantics.md`, section 4.1).
    fn add_content_usage(&mut self, preferences: &Preferences, target: &Target<'_>) {
        let verdict = preferences.content_usage(target);
        let usage = verdict.usage();
        for (key, uses, preference) in [
            ("train-ai", Uses::TRAIN, usage.train_ai()),
            ("search", Uses::SEARCH, usage.search()),
        ] {
            let family = SignalFamilies::CONTENT_USAGE;
            let said = said_in_file(preference, ["y", "n"]);
            self.add_lines(family, uses, verdict.lines(), ("Content-Usage", key), said);
        }
    }

    /// `Content-Signal` lines of robots.txt. The longest path has decided (`docs/semantics.md`, section 4.5).
    fn add_content_signals(&mut self, preferences: &Preferences, target: &Target<'_>) {
        let verdict = preferences.content_signals(target);
        let (signals, lines) = (verdict.signals(), verdict.lines());
        let family = SignalFamilies::CONTENT_SIGNAL;
        for (key, uses, preference) in [
            ("ai-train", Uses::TRAIN, signals.ai_train()),
            ("ai-input", Uses::INPUT, signals.ai_input()),
            ("search", Uses::SEARCH, signals.search()),
        ] {
            let said = said_in_file(preference, ["yes", "no"]);
            self.add_lines(family, uses, lines, ("Content-Signal", key), said);
        }
        let content_use = signals.content_use().map(ContentUse::as_str);
        // It informs, and neither allows nor forbids (docs/semantics.md, section 8.6).
        let said = content_use.map(|value| (AiUse::Unknown, value));
        self.add_lines(family, BY_MODELS, lines, ("Content-Signal", "use"), said);
    }

    /// What lines say together of one key, if they say something.
    fn add_lines(
        &mut self,
        family: SignalFamilies,
        uses: Uses,
        lines: &[usize],
        (field, key): (&'static str, &'static str),
        said: Option<(AiUse, &'static str)>,
    ) {
        let (Some(&line), Some((says, value))) = (lines.first(), said) else {
            return;
        };
        let standing = match says {
            AiUse::Unknown => Standing::Ignored,
            _ => Standing::Counts,
        };
        let count = lines.len();
        self.add(Signal {
            family,
            uses,
            says,
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

    /// `DisallowAITraining` and `AllowAITraining` lines of robots.txt (`docs/semantics.md`, section 4.4).
    fn add_training(&mut self, preferences: &Preferences, target: &Target<'_>) {
        let Some((line, preference)) = preferences.ai_training(target) else {
            return;
        };
        let names = ["AllowAITraining", "DisallowAITraining"];
        if let Some((says, name)) = said_in_file(preference, names) {
            self.add(Signal {
                family: SignalFamilies::AI_TRAINING,
                uses: Uses::TRAIN,
                says,
                standing: Standing::Counts,
                source: Source::RobotsTxt { line },
                text: Text::Written(name),
            });
        }
    }

    /// A token that may not fetch the page is an objection to its uses. That it may is no consent
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
                says: AiUse::Disallow,
                standing: Standing::Counts,
                source: Source::RobotsTxt { line: rule.line() },
                text: Text::Rule(rule),
            });
        }
    }

    /// `tdm-reservation`, of each carrier. That nothing is reserved leaves the question open, unless
    /// the profile takes it for consent (`docs/semantics.md`, section 8.6).
    fn add_reservations(&mut self, rules: &AiRules, tdm: &Tdm<'_>) {
        for (source, reservation, standing) in tdm.reservations() {
            let says = match reservation {
                Reservation::Reserved => AiUse::Disallow,
                Reservation::NotReserved if rules.unreserved_allows() => AiUse::Allow,
                Reservation::NotReserved => AiUse::Unknown,
            };
            self.add(Signal {
                family: SignalFamilies::TDMREP,
                uses: Uses::TRAIN,
                says,
                standing,
                source,
                text: Text::Reservation(reservation),
            });
        }
    }

    /// `Content-Usage` and `Content-Signal` headers (`docs/semantics.md`, sections 4.1, 4.5).
    fn add_headers(&mut self, headers: &PageHeaders<'a>) {
        for (category, uses) in [
            (UsageCategory::TrainAi, Uses::TRAIN),
            (UsageCategory::Search, Uses::SEARCH),
        ] {
            let usage = headers.content_usage();
            if let Some(found) = usage.and_then(|usage| usage.statement(category))
                && let Some(says) = said_in_header(found.preference())
            {
                let source = Source::PageHeader {
                    name: PageHeader::ContentUsage,
                    line: found.line(),
                    offset: found.offset(),
                };
                self.add(Signal {
                    family: SignalFamilies::CONTENT_USAGE,
                    uses,
                    says,
                    standing: Standing::Counts,
                    source,
                    text: Text::Written(found.text()),
                });
            }
        }
        for found in headers.content_signals() {
            let (uses, says) = match found.signal() {
                robots_usage::content_signal::Signal::AiTrain(said) => {
                    (Uses::TRAIN, said_in_header(said))
                }
                robots_usage::content_signal::Signal::AiInput(said) => {
                    (Uses::INPUT, said_in_header(said))
                }
                robots_usage::content_signal::Signal::Search(said) => {
                    (Uses::SEARCH, said_in_header(said))
                }
                robots_usage::content_signal::Signal::Use(_) => (BY_MODELS, None),
                _ => continue,
            };
            self.add(Signal {
                family: SignalFamilies::CONTENT_SIGNAL,
                uses,
                says: says.unwrap_or(AiUse::Unknown),
                standing: match says {
                    Some(_) => Standing::Counts,
                    None => Standing::Ignored,
                },
                source: Source::PageHeader {
                    name: PageHeader::ContentSignal,
                    line: found.line(),
                    offset: found.offset(),
                },
                text: Text::Written(found.text()),
            });
        }
    }

    /// A directive of a header or META: those that are about AI, and those that the profile says are
    /// about AI too. `stated` is every directive of the page that is in force.
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
        let in_force = flags & in_force;
        let signal = |by: Directives, family, uses, says| Signal {
            family,
            uses,
            says,
            standing: if statement.counts && in_force.intersects(by) {
                Standing::Counts
            } else {
                Standing::Ignored
            },
            source: statement.source,
            text: Text::Written(statement.directive.text()),
        };
        let noai = Directives::NOAI;
        if flags.intersects(noai) {
            let family = SignalFamilies::NOAI;
            self.add(signal(noai, family, BY_MODELS, AiUse::Disallow));
        }
        let noimageai = Directives::NOIMAGEAI;
        if flags.intersects(noimageai) {
            // It is about the images of the page, of which there is no decision.
            self.add(Signal {
                standing: Standing::Ignored,
                ..signal(noimageai, SignalFamilies::NOAI, BY_MODELS, AiUse::Disallow)
            });
        }
        for (training, says) in [
            (Directives::DISALLOW_AI_TRAINING, AiUse::Disallow),
            (Directives::ALLOW_AI_TRAINING, AiUse::Allow),
        ] {
            if flags.intersects(training) {
                let family = SignalFamilies::AI_TRAINING;
                self.add(signal(training, family, Uses::TRAIN, says));
            }
        }
        let effects = rules.effects().iter();
        let effects = effects.filter(|effect| flags.intersects(effect.directives()));
        let (dropped, effects): (SmallVec<[&AiEffect; 4]>, SmallVec<_>) =
            effects.partition(|effect| stated.intersects(effect.exceptions()));
        for effect in dropped {
            let family = SignalFamilies::DIRECTIVES;
            let mut dropped = signal(effect.directives(), family, effect.uses(), effect.says());
            if dropped.standing == Standing::Counts {
                dropped.standing = Standing::Overridden;
            }
            self.add(dropped);
        }
        // Several effects of one directive are one signal for each use, the strictest.
        let mut settled = Uses::empty();
        for says in [AiUse::Disallow, AiUse::Limited, AiUse::Allow] {
            let mut uses = Uses::empty();
            let mut by = Directives::empty();
            for effect in &effects {
                if effect.says() == says {
                    uses |= effect.uses();
                    by |= effect.directives();
                }
            }
            let uses = uses.difference(settled);
            if !uses.is_empty() {
                self.add(signal(by, SignalFamilies::DIRECTIVES, uses, says));
            }
            settled |= uses;
        }
    }
}

/// Returns the flags of a statement; `max-snippet:0` is `nosnippet` (`docs/semantics.md`, section
/// 5.1).
fn flags(statement: &Statement<'_>) -> Directives {
    match statement.directive.value() {
        DirectiveValue::MaxSnippet(Limit::AtMost(0)) => Directives::NOSNIPPET,
        _ => statement.flags,
    }
}

/// What a preference of robots.txt says, with the word for it: the first allows. `None` if it is
/// unknown, which adds nothing.
fn said_in_file(
    preference: Preference,
    [allow, disallow]: [&'static str; 2],
) -> Option<(AiUse, &'static str)> {
    match preference {
        Preference::Allow => Some((AiUse::Allow, allow)),
        Preference::Disallow => Some((AiUse::Disallow, disallow)),
        Preference::Unknown => None,
    }
}

/// What a preference of a header says; `None` if it is unknown, which adds nothing.
fn said_in_header(preference: Preference) -> Option<AiUse> {
    match preference {
        Preference::Allow => Some(AiUse::Allow),
        Preference::Disallow => Some(AiUse::Disallow),
        Preference::Unknown => None,
    }
}
