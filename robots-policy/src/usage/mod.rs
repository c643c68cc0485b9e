//! The merge of preferences for AI into `ai_train`, `ai_input`, `ai_search` and `may_train`, and the list of
//! licences (`docs/semantics.md`, section 8.6).
//!
//! * [`signal`]: the statements of robots.txt, tdmrep.json, headers and METAs, as one list.
//! * [`tdm`]: the carriers of `TDMRep`; a later one overrides an earlier one.
//! * [`license`]: the URLs of terms of use, and the documents of RSL among them.
//!
//! The most restrictive signal decides each use: any that forbids, else any that limits, else any that
//! allows. Every signal becomes a reason. Linear in the number of statements; a page without statements
//! allocates nothing.

mod license;
mod signal;
mod tdm;

use crate::answer::{AiUse, Fetch, Permission};
use crate::decision::draft::Draft;
use crate::decision::reason::{Effect, Field, NOT_FETCHED, Source, WarningKind};
use crate::observe::Completeness;
use crate::observe::statement::Statement;
use crate::profile::{AiRules, Robot, SignalFamilies, Uses};
use crate::site::tdmrep::Tdmrep;
use crate::site::{RslLookup, SiteRules};
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
    /// Whether METAs in BODY count.
    pub(crate) counts_body: bool,
    pub(crate) tdmrep: Option<&'a Tdmrep>,
    /// The URL of the page, to which its links are relative.
    pub(crate) url: &'a str,
    /// The known licence documents.
    pub(crate) rsl: Option<&'a dyn RslLookup>,
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
    let licenses = license::list(draft, rules, inputs, &headers, &tdm);
    if draft.decision.fetch == Fetch::Disallow {
        decide_without_page(draft, inputs.robot.uses());
        return;
    }
    let mut signals = signal::Signals::new();
    signal::collect(&mut signals, rules, inputs, &headers, &tdm);
    let terms = licenses.terms(inputs.url);
    signal::collect_terms(&mut signals, rules, &terms);
    let unread = tdmrep_unread(rules, inputs, &tdm);
    if let Some(cause) = unread {
        let source = Source::Tdmrep { entry: None };
        draft.warn(WarningKind::TdmrepUnread, source, cause);
    }
    let counts_rsl = rules.signals.contains(SignalFamilies::RSL);
    let unread_license = licenses.unread(&terms).filter(|_| counts_rsl);
    if let Some(cause) = &unread_license {
        let source = Source::Rsl { line: None };
        draft.warn(WarningKind::RslUnread, source, cause);
    }
    let merge = SignalMerge {
        signals: &signals,
        default_answer: rules.unknown_is,
        is_unread: is_unread(inputs) || unread_license.is_some(),
        is_reservation_unread: unread.is_some(),
    };
    draft.decision.ai_train = merge.answer(draft, Field::AiTrain, Uses::TRAIN);
    draft.decision.ai_input = merge.answer(draft, Field::AiInput, Uses::INPUT);
    draft.decision.ai_search = merge.answer(draft, Field::AiSearch, Uses::SEARCH);
    draft.decision.may_train = merge.may_train(draft);
}

/// Decides for a page that must not be fetched. The page has no preferences (`docs/semantics.md`, sections 4.1, 8.6),
/// and the profile's default does not apply. The uses that the robot fetches pages for are forbidden; others are
/// unknown. A page that must not be fetched cannot train a model.
fn decide_without_page(draft: &mut Draft<'_>, robot_uses: Uses) {
    let mut answer = |field, usage| {
        if !robot_uses.contains(usage) {
            return AiUse::Unknown;
        }
        add_not_fetched(draft, field);
        AiUse::Disallow
    };
    let train = answer(Field::AiTrain, Uses::TRAIN);
    let input = answer(Field::AiInput, Uses::INPUT);
    let search = answer(Field::AiSearch, Uses::SEARCH);
    add_not_fetched(draft, Field::MayTrain);
    let decision = &mut *draft.decision;
    (decision.ai_train, decision.ai_input, decision.ai_search) = (train, input, search);
    decision.may_train = Permission::No;
}

fn add_not_fetched(draft: &mut Draft<'_>, field: Field) {
    let text = || NOT_FETCHED.to_owned();
    draft.add_reason(field, Source::RobotsFetch, text, Effect::Decides);
}

/// Returns whether robots.txt, or a part of the page that could still forbid a use, was not read. The decision reports which:
/// in `fetch`, in `page_layer`, or as a warning.
fn is_unread(inputs: &Inputs<'_>) -> bool {
    !inputs.is_robots_text_known
        || !inputs.is_page_known
        || inputs.completeness == Completeness::Partial
}

/// Returns why the site's tdmrep.json was not read, if it could reserve the page: no later carrier overrides it.
fn tdmrep_unread<'a>(rules: &AiRules, inputs: &Inputs<'a>, tdm: &Tdm<'_>) -> Option<&'a str> {
    let counts = rules.signals.contains(SignalFamilies::TDMREP) && tdm.in_force().is_none();
    inputs.tdmrep.filter(|_| counts)?.unread_for(inputs.target)
}

/// The signals about uses, the answer for a use without a signal, and whether a source was not read.
struct SignalMerge<'s> {
    signals: &'s [Signal<'s>],
    default_answer: AiUse,
    is_unread: bool,
    /// Whether the tdmrep.json, which is about training alone, was not read.
    is_reservation_unread: bool,
}

impl<'s> SignalMerge<'s> {
    /// Returns whether a source that could forbid these uses was not read.
    fn is_unread(&self, uses: Uses) -> bool {
        self.is_unread || (self.is_reservation_unread && uses.contains(Uses::TRAIN))
    }

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

    /// Returns the strictest answer of the signals that count, or else that of the profile.
    fn strictest_or_default(&self, uses: Uses) -> AiUse {
        match self.strictest(uses) {
            AiUse::Unknown => self.default_answer,
            answer => answer,
        }
    }

    /// Returns the answer for one use; its reasons are the signals about it.
    fn answer(&self, draft: &mut Draft<'_>, field: Field, uses: Uses) -> AiUse {
        let strictest = self.strictest_or_default(uses);
        // A source that was not read may still forbid a use, but cannot lift a prohibition.
        let answer = match strictest {
            AiUse::Disallow => AiUse::Disallow,
            _ if self.is_unread(uses) => AiUse::Unknown,
            answer => answer,
        };
        // No statement decides that nothing is known.
        let mut effect_of_equal = match answer {
            AiUse::Unknown => Effect::Agrees,
            _ => Effect::Decides,
        };
        for signal in self.about(uses) {
            let effect = match signal.standing {
                Standing::Ignored => Effect::Ignored,
                // The first signal with the answer decides; the others with it agree.
                Standing::Counts if signal.answer == answer => {
                    mem::replace(&mut effect_of_equal, Effect::Agrees)
                }
                Standing::Counts | Standing::Overridden => Effect::Overruled,
            };
            draft.add_reason(field, signal.source, || signal.text.to_string(), effect);
        }
        answer
    }

    /// Returns whether models may be trained. A permission does not need a statement: nothing that was read objects, and
    /// everything was read. The reasons are the statements that forbid or allow it.
    fn may_train(&self, draft: &mut Draft<'_>) -> Permission {
        let stated = self.strictest(Uses::TRAIN);
        let is_unread = self.is_unread(Uses::TRAIN);
        let permission = match self.strictest_or_default(Uses::TRAIN) {
            AiUse::Disallow => Permission::No,
            // A source that was not read may be stricter than a limit, and cannot lift it.
            AiUse::Limited if !is_unread || stated == AiUse::Limited => Permission::No,
            _ if is_unread => Permission::Unknown,
            _ => Permission::Yes,
        };
        if stated == AiUse::Unknown || permission == Permission::Unknown {
            return permission;
        }
        let counting = |signal: &&Signal<'_>| signal.standing == Standing::Counts;
        let deciding = self.about(Uses::TRAIN).filter(counting);
        let mut effect = Effect::Decides;
        for signal in deciding.filter(|signal| signal.answer == stated) {
            let text = || signal.text.to_string();
            draft.add_reason(Field::MayTrain, signal.source, text, effect);
            effect = Effect::Agrees;
        }
        permission
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
