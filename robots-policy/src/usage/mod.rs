//! What is said of the use of content by AI becomes three answers and a list of licences
//! (`docs/semantics.md`, section 8.6).
//!
//! * [`signal`]: what robots.txt, tdmrep.json, headers and METAs say, as one list.
//! * [`tdm`]: the carriers of `TDMRep`, of which one overrides the other.
//! * [`license`]: where the terms of use are.
//!
//! Of each use the most restrictive signal decides: any that forbids, else any that limits, else
//! any that allows. Every signal becomes a reason. Linear in what is said; where nothing is,
//! nothing is allocated.

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
use robots_meta::{Directives, PageMeta, page_headers};
use robots_txt::Target;
use signal::{Signal, Standing};
use std::mem;
use tdm::Tdm;

/// What is known of a page and its site.
pub(crate) struct Inputs<'a> {
    pub(crate) target: &'a Target<'a>,
    /// robots.txt, if there is one.
    pub(crate) site: Option<&'a SiteRules>,
    pub(crate) robot: &'a Robot,
    pub(crate) statements: &'a [Statement<'a>],
    /// The directives that the profile honours, less those that others have overruled: what is not
    /// so for search is not so for AI.
    pub(crate) in_force: Directives,
    pub(crate) headers: &'a [(&'a [u8], &'a [u8])],
    pub(crate) meta: Option<&'a PageMeta>,
    pub(crate) tdmrep: Option<&'a Tdmrep>,
    /// Whether the page was read completely.
    pub(crate) completeness: Completeness,
    /// Whether it is known what became of robots.txt.
    pub(crate) is_robots_known: bool,
    /// Whether METAs and headers were read.
    pub(crate) is_page_known: bool,
}

/// Decides how AI may use a page, and lists its licences.
pub(crate) fn decide(draft: &mut Draft, rules: &AiRules, inputs: &Inputs<'_>) {
    let headers = page_headers(inputs.headers.iter().copied());
    let tdm = Tdm::of(inputs, &headers);
    license::list(draft, rules, inputs, &headers, &tdm);
    if draft.decision.fetch == Fetch::Disallow {
        decide_without_page(draft, inputs.robot.uses());
        return;
    }
    let signals = signal::collect(rules, inputs, &headers, &tdm);
    let said = Said {
        signals: &signals,
        unknown_is: rules.unknown_is(),
        unheard: unheard(inputs),
    };
    draft.decision.ai_train = said.answer(draft, Field::AiTrain, Uses::TRAIN);
    draft.decision.ai_input = said.answer(draft, Field::AiInput, Uses::INPUT);
    draft.decision.ai_search = said.answer(draft, Field::AiSearch, Uses::SEARCH);
    draft.decision.may_train = match draft.decision.ai_train {
        AiUse::Allow => Permission::Yes,
        AiUse::Limited | AiUse::Disallow => Permission::No,
        AiUse::Unknown if said.unheard.is_some() => Permission::Unknown,
        AiUse::Unknown => Permission::Yes,
    };
}

/// Decides for a page that must not be fetched. It has no preferences (`docs/semantics.md`, sections 4.1,
/// 8.6), and not even the profile's default applies; but a robot may not use a page for that which it may
/// not fetch it for.
fn decide_without_page(draft: &mut Draft, purposes: Uses) {
    for field in [Field::AiTrain, Field::AiInput, Field::AiSearch] {
        let text = || NOT_FETCHED.to_owned();
        draft.add_reason(field, Source::RobotsFetch, text, Effect::Decides);
    }
    let answer = |use_of_it| {
        if purposes.contains(use_of_it) {
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

/// What could forbid a use and was not heard, if anything was not.
fn unheard(inputs: &Inputs<'_>) -> Option<(Source, &'static str)> {
    if !inputs.is_robots_known {
        Some((Source::RobotsFetch, "robots.txt is not known"))
    } else if !inputs.is_page_known {
        Some((Source::Page, "not read"))
    } else if inputs.completeness == Completeness::Partial {
        Some((Source::Page, "not all of it was heard"))
    } else {
        None
    }
}

/// All that is said of uses, and what holds where it does not settle one.
struct Said<'s> {
    signals: &'s [Signal<'s>],
    unknown_is: AiUse,
    unheard: Option<(Source, &'static str)>,
}

impl<'s> Said<'s> {
    fn about(&self, uses: Uses) -> impl Iterator<Item = &'s Signal<'s>> + use<'s> {
        self.signals
            .iter()
            .filter(move |signal| signal.uses.intersects(uses))
    }

    /// The answer for one use, with the signals that speak of it as its reasons.
    fn answer(&self, draft: &mut Draft, field: Field, uses: Uses) -> AiUse {
        let strictest = self
            .about(uses)
            .filter(|signal| signal.standing == Standing::Counts)
            .map(|signal| signal.says)
            .max_by_key(|says| strictness(*says))
            .unwrap_or(AiUse::Unknown);
        let answer = match strictest {
            AiUse::Unknown => self.unknown_is,
            said => said,
        };
        // What was not heard can forbid what is allowed, and cannot allow what is forbidden.
        let answer = match answer {
            AiUse::Disallow => AiUse::Disallow,
            _ if self.unheard.is_some() => AiUse::Unknown,
            answer => answer,
        };
        let is_settled = answer == strictest;
        self.add_reasons(draft, field, uses, is_settled.then_some(answer));
        if let Some((source, text)) = self.unheard
            && !is_settled
            && strictest != AiUse::Unknown
        {
            draft.add_reason(field, source, || text.to_owned(), Effect::Decides);
        }
        answer
    }

    /// `settled` is the answer, if the signals say it.
    fn add_reasons(&self, draft: &mut Draft, field: Field, uses: Uses, settled: Option<AiUse>) {
        let mut effect_of_equal = Effect::Decides;
        for signal in self.about(uses) {
            let effect = match signal.standing {
                Standing::Ignored => Effect::Ignored,
                Standing::Counts if Some(signal.says) == settled => {
                    mem::replace(&mut effect_of_equal, Effect::Agrees)
                }
                Standing::Counts | Standing::Overridden => Effect::Overruled,
            };
            draft.add_reason(field, signal.source, || signal.text.to_string(), effect);
        }
    }
}

/// How restrictive an answer is.
fn strictness(says: AiUse) -> u8 {
    match says {
        AiUse::Unknown => 0,
        AiUse::Allow => 1,
        AiUse::Limited => 2,
        AiUse::Disallow => 3,
    }
}
