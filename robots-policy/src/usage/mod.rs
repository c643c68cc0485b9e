//! The merge of preferences for AI into `ai_train`, `ai_input`, `ai_search` and `may_train`, and the list of
//! licences (`docs/semantics.md`, section 8.6).
//!
//! * [`signal`]: the statements of robots.txt, tdmrep.json, headers and METAs, as one list.
//! * [`tdm`]: the carriers of `TDMRep`; a later one overrides an earlier one.
//! * [`license`]: the URLs of terms of use.
//!
//! The most restrictive signal decides each use: any that forbids, else any that limits, else any that
//! allows. Every signal becomes a reason. Linear in the number of statements; a page without statements
//! allocates nothing.

mod license;
mod signal;
mod tdm;

use crate::answer::{AiUse, Fetch, Permission};
use crate::decision::draft::Draft;
use crate::decision::reason::{Effect, Field, NOT_FETCHED, Source};
use crate::observe::Completeness;
use crate::observe::statement::Statement;
use crate::profile::{AiRules, Robot, Uses};
use crate::site::SiteRules;
use crate::site::tdmrep::Tdmrep;
use robots_meta::{Directives, PageFacts, page_headers};
use robots_txt::Target;
use signal::{Signal, Standing};
use std::mem;
use tdm::Tdm;

/// The facts about a page and its site.
pub(crate) struct Inputs<'a> {
    pub(crate) target: &'a Target<'a>,
    /// robots.txt, if there is one.
    pub(crate) site: Option<&'a SiteRules>,
    pub(crate) robot: &'a Robot,
    pub(crate) statements: &'a [Statement<'a>],
    /// The directives that the profile honours, except those that another statement overruled in the decision about
    /// search. An overruled directive has no effect on AI either.
    pub(crate) in_force: Directives,
    pub(crate) headers: &'a [(&'a [u8], &'a [u8])],
    pub(crate) meta: Option<&'a PageFacts>,
    pub(crate) tdmrep: Option<&'a Tdmrep>,
    /// Whether the page was read completely.
    pub(crate) completeness: Completeness,
    /// Whether the preferences in robots.txt are known. If everything may be fetched, as after status 404, it is known
    /// that there are none. If nothing may be fetched, as while requests fail, they are not known.
    pub(crate) is_robots_text_known: bool,
    /// Whether METAs and headers were read.
    pub(crate) is_page_known: bool,
}

/// Decides how AI may use a page, and lists its licences.
pub(crate) fn decide(draft: &mut Draft<'_>, rules: &AiRules, inputs: &Inputs<'_>) {
    let headers = page_headers(inputs.headers.iter().copied());
    let tdm = Tdm::of(inputs, &headers);
    license::list(draft, rules, inputs, &headers, &tdm);
    if draft.decision.fetch == Fetch::Disallow {
        decide_without_page(draft, inputs.robot.uses());
        return;
    }
    let mut signals = signal::Signals::new();
    signal::collect(&mut signals, rules, inputs, &headers, &tdm);
    let merge = SignalMerge {
        signals: &signals,
        default_answer: rules.unknown_is,
        unread: unread_source(inputs),
    };
    draft.decision.ai_train = merge.answer(draft, Field::AiTrain, Uses::TRAIN);
    draft.decision.ai_input = merge.answer(draft, Field::AiInput, Uses::INPUT);
    draft.decision.ai_search = merge.answer(draft, Field::AiSearch, Uses::SEARCH);
    draft.decision.may_train = match draft.decision.ai_train {
        AiUse::Limited | AiUse::Disallow => Permission::No,
        // A source that was not read may be stricter than a limit, and cannot lift it.
        AiUse::Unknown if merge.strictest(Uses::TRAIN) == AiUse::Limited => Permission::No,
        AiUse::Unknown if merge.unread.is_some() => Permission::Unknown,
        // robots.txt and the page were read, and no statement objects: `may_train` does not need an explicit permission.
        AiUse::Allow | AiUse::Unknown => Permission::Yes,
    };
}

/// Decides for a page that must not be fetched. The page has no preferences (`docs/semantics.md`, sections 4.1, 8.6),
/// and the profile's default does not apply. The uses that the robot fetches pages for are forbidden; others are
/// unknown.
fn decide_without_page(draft: &mut Draft<'_>, robot_uses: Uses) {
    for field in [Field::AiTrain, Field::AiInput, Field::AiSearch] {
        let text = || NOT_FETCHED.to_owned();
        draft.add_reason(field, Source::RobotsFetch, text, Effect::Decides);
    }
    let answer = |usage| {
        if robot_uses.contains(usage) {
            AiUse::Disallow
        } else {
            AiUse::Unknown
        }
    };
    draft.decision.ai_train = answer(Uses::TRAIN);
    draft.decision.ai_input = answer(Uses::INPUT);
    draft.decision.ai_search = answer(Uses::SEARCH);
    draft.decision.may_train = Permission::No;
}

/// Returns a source that was not read and could still forbid a use, with the reason, if there is one.
fn unread_source(inputs: &Inputs<'_>) -> Option<(Source, &'static str)> {
    if !inputs.is_robots_text_known {
        Some((Source::RobotsFetch, "its text is not known"))
    } else if !inputs.is_page_known {
        Some((Source::Page, "not read"))
    } else if inputs.completeness == Completeness::Partial {
        Some((Source::Page, "not read completely"))
    } else {
        None
    }
}

/// The signals about uses, the answer for a use without a signal, and a source that was not read.
struct SignalMerge<'s> {
    signals: &'s [Signal<'s>],
    default_answer: AiUse,
    unread: Option<(Source, &'static str)>,
}

impl<'s> SignalMerge<'s> {
    fn about(&self, uses: Uses) -> impl Iterator<Item = &'s Signal<'s>> + use<'s> {
        self.signals
            .iter()
            .filter(move |signal| signal.uses.intersects(uses))
    }

    /// Returns the strictest answer of the signals that count.
    fn strictest(&self, uses: Uses) -> AiUse {
        self.about(uses)
            .filter(|signal| signal.standing == Standing::Counts)
            .map(|signal| signal.answer)
            .max_by_key(|answer| strictness(*answer))
            .unwrap_or(AiUse::Unknown)
    }

    /// Returns the answer for one use; its reasons are the signals about it.
    fn answer(&self, draft: &mut Draft<'_>, field: Field, uses: Uses) -> AiUse {
        let strictest = self.strictest(uses);
        let answer = match strictest {
            AiUse::Unknown => self.default_answer,
            answer => answer,
        };
        // A source that was not read may still forbid a use, but cannot lift a prohibition.
        let answer = match answer {
            AiUse::Disallow => AiUse::Disallow,
            _ if self.unread.is_some() => AiUse::Unknown,
            answer => answer,
        };
        let is_of_signal = answer == strictest;
        self.add_reasons(draft, field, uses, is_of_signal.then_some(answer));
        // The source that was not read decides if it replaced the answer of a signal.
        if let Some((source, text)) = self.unread
            && !is_of_signal
            && strictest != AiUse::Unknown
        {
            draft.add_reason(field, source, || text.to_owned(), Effect::Decides);
        }
        answer
    }

    /// Adds the signals about a use as reasons. `answer` is the answer for the use, or `None` if it does not follow
    /// from a signal: then no signal decides.
    fn add_reasons(&self, draft: &mut Draft<'_>, field: Field, uses: Uses, answer: Option<AiUse>) {
        // The first signal with the answer decides; the others with it agree.
        let mut effect_of_equal = Effect::Decides;
        for signal in self.about(uses) {
            let effect = match signal.standing {
                Standing::Ignored => Effect::Ignored,
                Standing::Counts if Some(signal.answer) == answer => {
                    mem::replace(&mut effect_of_equal, Effect::Agrees)
                }
                Standing::Counts | Standing::Overridden => Effect::Overruled,
            };
            draft.add_reason(field, signal.source, || signal.text.to_string(), effect);
        }
    }
}

/// Returns the rank of an answer: a stricter one is higher.
fn strictness(answer: AiUse) -> u8 {
    match answer {
        AiUse::Unknown => 0,
        AiUse::Allow => 1,
        AiUse::Limited => 2,
        AiUse::Disallow => 3,
    }
}
