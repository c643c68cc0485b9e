//! Breadth-first search over all paths, one visit for each state of the rules.

use super::automaton::{NamedBytes, Patterns, RuleSet, State};
use crate::dialect::Encoding;
use crate::pattern::encoding::{Role, is_bare, normalise};
use crate::pattern::quoted::{has_replacement, quoted_part};
use crate::rules::{RankedRule, Rules};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::ops::ControlFlow;

/// The number of states after which a search is cut off.
pub const MAX_STATES: usize = 100_000;

/// The number of positions in patterns that a search visits before it is cut off.
pub const MAX_WORK: usize = 30_000_000;

/// The remaining budget of searches.
pub(super) struct Budget {
    states: usize,
    work: usize,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            states: MAX_STATES,
            work: MAX_WORK,
        }
    }

    /// Takes some work. Returns whether any is left.
    fn take_work(&mut self, work: usize) -> bool {
        match self.work.checked_sub(work) {
            Some(left) => self.work = left,
            None => self.work = 0,
        }
        self.work > 0
    }

    /// Takes a state. Returns whether there was one.
    fn take_state(&mut self) -> bool {
        let has_one = self.states > 0;
        self.states -= usize::from(has_one);
        has_one
    }
}

/// One step of a path: a character or an escape, and its form for each set of rules.
struct Token {
    raw: Vec<u8>,
    /// True if it represents all tokens that no rule names.
    is_other: bool,
    forms: Vec<Vec<u8>>,
}

impl Token {
    /// Returns whether it is one byte that is its own form for every set.
    fn is_plain_byte(&self) -> bool {
        self.raw.len() == 1 && self.forms.iter().all(|form| *form == self.raw)
    }

    /// Returns the length of the longest of its forms, in bytes.
    fn length(&self) -> usize {
        self.forms.iter().map(Vec::len).max().unwrap_or(1)
    }

    /// Returns the state of each set after this token.
    fn next_states(&self, sets: &[RuleSet], states: &[State]) -> Vec<State> {
        sets.iter()
            .zip(states)
            .zip(&self.forms)
            .map(|((set, state), form)| {
                form.iter()
                    .fold(state.clone(), |state, &byte| set.step(&state, byte))
            })
            .collect()
    }
}

/// A visited state: its shortest path and the decisions.
pub(super) struct Visited<'w> {
    nodes: &'w [Node],
    /// The index of its node.
    at: usize,
    /// The deciding rule of each set, by rank.
    pub(super) deciding: Vec<Option<u32>>,
    /// The permission of each set to fetch the path.
    pub(super) allows: Vec<bool>,
}

impl<'w> Visited<'w> {
    /// Creates the visit of these states, one of each set, at a node.
    fn new(nodes: &'w [Node], at: usize, sets: &[RuleSet], states: &[State]) -> Self {
        let pairs = sets.iter().zip(states);
        let deciding: Vec<_> = pairs.map(|(set, state)| set.deciding(state)).collect();
        let allows = sets.iter().zip(&deciding);
        Self {
            nodes,
            at,
            allows: allows.map(|(set, &rule)| set.allows(rule)).collect(),
            deciding,
        }
    }

    /// Returns the shortest path to this state.
    pub(super) fn path(&self) -> String {
        String::from_utf8_lossy(&path_of(self.nodes, self.at)).into_owned()
    }
}

/// Returns the shortest path to a node.
fn path_of(nodes: &[Node], at: usize) -> Vec<u8> {
    let mut parts = Vec::new();
    let mut at = Some(at);
    while let Some(node) = at.and_then(|at| nodes.get(at)) {
        parts.push(node.raw.as_slice());
        at = node.parent;
    }
    parts.reverse();
    parts.concat()
}

/// Returns the states after the whole path to a node. They differ from those of its tokens under
/// [`Encoding::Quoted`], where the form of a path may leave out some of them, such as a final `?`. Takes the
/// cost from the budget.
fn states_at_end<'s>(
    nodes: &[Node],
    at: usize,
    sets: &[RuleSet],
    states: &'s [State],
    budget: &mut Budget,
) -> Cow<'s, [State]> {
    if !sets.iter().any(|set| set.encoding.is_quoted()) {
        return Cow::Borrowed(states);
    }
    let path = path_of(nodes, at);
    if !path.iter().any(|byte| b"?;%".contains(byte)) {
        return Cow::Borrowed(states);
    }
    let pairs = sets.iter().zip(states);
    let at_end = pairs.map(|(set, state)| {
        if !set.encoding.is_quoted() {
            return state.clone();
        }
        let form = normalise(&path, Role::Target, set.encoding);
        let start = set.start();
        budget.take_work(form.len() * start.step_cost());
        form.iter()
            .fold(start, |state, &byte| set.step(&state, byte))
    });
    Cow::Owned(at_end.collect())
}

/// The last step of a path, and the node of the path before it.
struct Node {
    parent: Option<usize>,
    raw: Vec<u8>,
}

/// The states that a search does not enter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Prune {
    /// States in which the decision can no longer change.
    Settled,
    /// Settled states, and states from which all sets of rules decide alike.
    Equal,
}

/// Searches all paths and visits each state, some of them twice, until the visitor breaks. Returns
/// false if the search may have missed a state: the budget cut it off, or, beyond `/`, a set of
/// rules has an encoding that a search cannot follow: [`Encoding::RfcTable`], and [`Encoding::Quoted`] if a
/// pattern has U+FFFD, the form of all octets that are not UTF-8.
///
/// The first search covers the characters and the escapes that the rules name, and finds most
/// results. Where other escapes may matter, a second search covers all escapes.
pub(super) fn search(
    rules: &[&Rules],
    prune: Prune,
    budget: &mut Budget,
    mut visit: impl FnMut(&Visited<'_>) -> ControlFlow<()>,
) -> bool {
    let ranked: Vec<Vec<RankedRule<'_>>> = rules.iter().map(|rules| rules.ranked()).collect();
    // Building the automata costs their length.
    let lengths = ranked.iter().flatten().map(|rule| rule.form.len());
    if !budget.take_work(lengths.sum()) {
        return false;
    }
    let mut patterns = Patterns::default();
    let sets: Vec<RuleSet> = rules
        .iter()
        .zip(&ranked)
        .map(|(rules, ranked)| RuleSet::of(rules.dialect(), ranked, &mut patterns))
        .collect();
    let is_exact = sets
        .iter()
        .zip(&ranked)
        .all(|(set, ranked)| match set.encoding {
            // The form of `/` depends on the bytes before it, which a token does not know.
            Encoding::RfcTable => false,
            Encoding::Quoted | Encoding::Requoted => {
                !ranked.iter().any(|rule| has_replacement(rule.form))
            }
            _ => true,
        });
    // If nothing follows the first state, the encodings do not matter.
    let is_exact = is_exact || is_pruned(prune, &sets, &states_of_root(&sets));
    let alphabets: &[Escapes] = if needs_all_escapes(&sets) {
        &[Escapes::Named, Escapes::All]
    } else {
        &[Escapes::Named]
    };
    for &escapes in alphabets {
        let tokens = tokens(&sets, escapes);
        match search_over(&tokens, &sets, prune, budget, &mut visit) {
            Ended::Complete => {}
            Ended::Stopped => return is_exact,
            Ended::Cut => return false,
        }
    }
    is_exact
}

/// Returns the paths on which sets of rules decide differently: one for each combination of deciding rules, up to
/// `max`. Also returns whether every path was considered, and has one of these combinations.
pub(super) fn differing_paths(rules: &[&Rules], max: usize) -> (Vec<String>, bool) {
    let mut seen = HashSet::new();
    let mut paths = Vec::new();
    let mut is_cut = false;
    // `Prune::Equal` leaves out states from which all sets decide alike: no difference follows.
    let is_searched = search(rules, Prune::Equal, &mut Budget::new(), |visited| {
        let differ = visited.allows.contains(&true) && visited.allows.contains(&false);
        if differ && seen.insert(visited.deciding.clone()) {
            if paths.len() >= max {
                is_cut = true;
                return ControlFlow::Break(());
            }
            paths.push(visited.path());
        }
        ControlFlow::Continue(())
    });
    (paths, is_searched && !is_cut)
}

/// Returns the state of each set after `/`, with which every path begins.
fn states_of_root(sets: &[RuleSet]) -> Vec<State> {
    let states = sets.iter().map(|set| set.step(&set.start(), b'/'));
    states.collect()
}

/// The end of a search.
enum Ended {
    Complete,
    /// Stopped by the visitor.
    Stopped,
    /// Cut off by the budget.
    Cut,
}

/// Searches the paths of these tokens, as [`search`] does.
fn search_over(
    tokens: &[Token],
    sets: &[RuleSet],
    prune: Prune,
    budget: &mut Budget,
    visit: &mut impl FnMut(&Visited<'_>) -> ControlFlow<()>,
) -> Ended {
    let mut is_cut = false;
    let start = states_of_root(sets);
    let mut nodes = vec![Node {
        parent: None,
        raw: b"/".to_vec(),
    }];
    let mut seen: HashSet<Vec<State>> = HashSet::from([start.clone()]);
    let mut queue = VecDeque::from([(0, start)]);
    while let Some((at, states)) = queue.pop_front() {
        let at_end = states_at_end(&nodes, at, sets, &states, budget);
        if visit(&Visited::new(&nodes, at, sets, &at_end)).is_break() {
            return Ended::Stopped;
        }
        if is_pruned(prune, sets, &states) {
            continue;
        }
        let mut next_bytes = NamedBytes::default();
        for (set, state) in sets.iter().zip(&states) {
            set.add_next_bytes(state, &mut next_bytes);
        }
        let step_cost: usize = states.iter().map(State::step_cost).sum();
        for token in distinguished(tokens, &next_bytes) {
            if !budget.take_work(step_cost * token.length()) {
                return Ended::Cut;
            }
            let next = token.next_states(sets, &states);
            if seen.contains(&next) {
                continue;
            }
            if !budget.take_state() {
                // No state is added any more; those in the queue are still visited.
                is_cut = true;
                continue;
            }
            seen.insert(next.clone());
            queue.push_back((nodes.len(), next));
            nodes.push(Node {
                parent: Some(at),
                raw: token.raw.clone(),
            });
        }
    }
    if is_cut { Ended::Cut } else { Ended::Complete }
}

/// Returns whether a search does not enter the continuations of these states.
fn is_pruned(prune: Prune, sets: &[RuleSet], states: &[State]) -> bool {
    states.iter().all(State::is_settled) || prune == Prune::Equal && are_equal(sets, states)
}

/// Returns whether the sets decide alike about every continuation of these states.
fn are_equal(sets: &[RuleSet], states: &[State]) -> bool {
    // Under different encodings, equal patterns read different bytes.
    if encodings_differ(sets) {
        return false;
    }
    // Where all is allowed, or all is not, it does not matter which rule decides.
    let pairs = sets.iter().zip(states);
    let mut decisions = pairs.map(|(set, state)| set.settled_decision(state));
    let first = decisions.next().flatten();
    if first.is_some() && decisions.all(|decision| decision == first) {
        return true;
    }
    let mut futures = sets
        .iter()
        .zip(states)
        .map(|(set, state)| set.future(state));
    let first = futures.next();
    futures.all(|future| Some(&future) == first.as_ref())
}

/// Returns the tokens that live patterns distinguish, and those that represent all others: the first of
/// the other plain bytes, and the escape that no rule names.
fn distinguished<'t>(
    tokens: &'t [Token],
    next_bytes: &'t NamedBytes,
) -> impl Iterator<Item = &'t Token> {
    let mut has_other_byte = false;
    tokens.iter().filter(move |token| {
        let begins_named = token
            .forms
            .iter()
            .any(|form| form.first().is_some_and(|&byte| next_bytes.names(byte)));
        // If a wildcard takes the first byte of an escape, its other bytes may matter.
        let is_distinguished = begins_named || next_bytes.takes_any && !token.is_plain_byte();
        if is_distinguished || token.is_other {
            return true;
        }
        let is_first_other_byte = token.is_plain_byte() && !has_other_byte;
        has_other_byte |= is_first_other_byte;
        is_first_other_byte
    })
}

/// The escapes that a search covers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// Escapes in patterns, and escapes of bytes in patterns.
    Named,
    All,
}

/// Returns whether the sets have different encodings.
fn encodings_differ(sets: &[RuleSet]) -> bool {
    sets.windows(2)
        .any(|pair| matches!(pair, [a, b] if a.encoding != b.encoding))
}

/// Returns whether every escape may matter. It may if a set compares escapes as written, byte by byte, and
///
/// * a pattern of this set names `%`: `/%6*` matches a part of each escape that begins with `6`; or
/// * another set has another encoding: `/*2` matches `/%62` in this set, and the other may read it as `/b`.
fn needs_all_escapes(sets: &[RuleSet]) -> bool {
    let is_raw = |set: &RuleSet| {
        matches!(
            set.encoding,
            Encoding::PatternOnly | Encoding::Exact | Encoding::Escaped
        )
    };
    sets.iter()
        .any(|set| is_raw(set) && (encodings_differ(sets) || set.named.contains(&b'%')))
}

/// Returns the tokens of paths: the characters of URLs, and escapes.
fn tokens(sets: &[RuleSet], which: Escapes) -> Vec<Token> {
    let token = |raw: &[u8]| Token {
        raw: raw.to_vec(),
        is_other: false,
        forms: sets
            .iter()
            .map(|set| match set.encoding {
                Encoding::Quoted | Encoding::Requoted => quoted_part(raw, set.encoding),
                encoding => normalise(raw, Role::Target, encoding).into_owned(),
            })
            .collect(),
    };
    // Letters come first, so that the token for all others looks like a path. A `#` would begin a fragment.
    let letters = (b'a'..=b'z').rev();
    let plain =
        (0..=u8::MAX).filter(|&byte| is_bare(byte) && byte != b'#' && !byte.is_ascii_lowercase());
    let mut tokens: Vec<Token> = letters.chain(plain).map(|byte| token(&[byte])).collect();
    let mut escapes: BTreeSet<Vec<u8>> = BTreeSet::new();
    if which == Escapes::All {
        const DIGITS: &[u8] = b"0123456789ABCDEFabcdef";
        for &high in DIGITS {
            escapes.extend(DIGITS.iter().map(|&low| vec![b'%', high, low]));
        }
    }
    let encodings_differ = encodings_differ(sets);
    for set in sets {
        escapes.extend(set.named_escapes().iter().map(|escape| escape.to_vec()));
        for &byte in &set.named {
            // A byte that a path cannot have unescaped. Where encodings differ, any byte: not every set decodes its escape.
            if !is_bare(byte) || byte == b'#' || encodings_differ {
                escapes.insert(format!("%{byte:02X}").into_bytes());
            }
        }
    }
    if sets
        .iter()
        .any(|set| matches!(set.encoding, Encoding::Decoded | Encoding::Requoted))
    {
        // These encodings decode every other escape.
        escapes.extend([b"%2F".to_vec(), b"%25".to_vec()]);
    }
    tokens.extend(escapes.iter().map(|escape| token(escape)));
    // One escape represents all escapes that no rule names, as rules may name every character.
    let is_named = |byte: &u8| sets.iter().any(|set| set.named.contains(byte));
    let other = (0..=u8::MAX)
        .filter(|byte| !is_bare(*byte) && !is_named(byte))
        .map(|byte| format!("%{byte:02X}").into_bytes())
        .find(|escape| !escapes.contains(escape));
    tokens.extend(other.map(|escape| Token {
        is_other: true,
        ..token(&escape)
    }));
    tokens
}
