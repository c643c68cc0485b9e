//! A walk over all paths, breadth first, by the states that they lead to.

use super::machine::{Patterns, RuleSet, State};
use crate::dialect::Encoding;
use crate::encoding::{Role, is_bare, is_unreserved, normalise};
use crate::rules::Rules;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// The states after which a walk is cut off.
pub const MAX_STATES: usize = 100_000;

/// The places of patterns that a walk looks at before it is cut off.
pub const MAX_WORK: usize = 30_000_000;

/// One step of a path: a character or an escape, and its form for each set of rules.
struct Token {
    raw: Vec<u8>,
    forms: Vec<Vec<u8>>,
}

impl Token {
    /// Whether it is the same byte to every set.
    fn is_byte(&self, byte: u8) -> bool {
        self.raw == [byte] && self.forms.iter().all(|form| *form == [byte])
    }

    fn is_single(&self) -> bool {
        self.raw.first().is_some_and(|&byte| self.is_byte(byte))
    }
}

/// What a walk finds at one path.
pub(super) struct Found<'w> {
    nodes: &'w [Node],
    at: usize,
    /// For each set of rules the rule that decides, by rank.
    pub(super) deciding: Vec<Option<u32>>,
    /// For each set of rules whether the path may be fetched.
    pub(super) allows: Vec<bool>,
}

impl Found<'_> {
    /// The shortest path that leads here.
    pub(super) fn path(&self) -> String {
        let mut parts = Vec::new();
        let mut at = Some(self.at);
        while let Some(node) = at.and_then(|at| self.nodes.get(at)) {
            parts.push(node.raw.as_slice());
            at = node.parent;
        }
        parts.reverse();
        String::from_utf8_lossy(&parts.concat()).into_owned()
    }
}

struct Node {
    parent: Option<usize>,
    raw: Vec<u8>,
}

/// Whether a walk goes on.
pub(super) enum Go {
    /// To what follows the path, and to others.
    On,
    /// Nowhere: what was asked is answered.
    Stop,
}

/// Which futures are not walked into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Prune {
    /// Those in which nothing changes any more.
    Settled,
    /// Also those that are the same for all sets of rules.
    Equal,
}

/// Walks over all paths and visits each state once. Says whether it came to the end.
pub(super) fn walk(
    rules: &[&Rules],
    prune: Prune,
    mut visit: impl FnMut(&Found<'_>) -> Go,
) -> bool {
    let mut patterns = Patterns::default();
    let sets: Vec<RuleSet> = rules
        .iter()
        .map(|rules| RuleSet::of(rules, &mut patterns))
        .collect();
    let tokens = tokens(&sets);
    // One form of `/` in a query depends on what is before it, which a token does not know.
    let mut is_complete = sets.iter().all(|set| set.encoding != Encoding::RfcTable);
    let start: Vec<State> = sets
        .iter()
        .map(|set| set.step(&set.start(), b'/'))
        .collect();
    let mut nodes = vec![Node {
        parent: None,
        raw: b"/".to_vec(),
    }];
    let mut seen: HashSet<Vec<State>> = HashSet::from([start.clone()]);
    let mut queue = VecDeque::from([(0, start)]);
    let mut work = 0_usize;
    while let Some((at, states)) = queue.pop_front() {
        let found = {
            let pairs = || sets.iter().zip(&states);
            let deciding: Vec<_> = pairs().map(|(set, state)| set.decides(state)).collect();
            let allows = sets.iter().zip(&deciding);
            Found {
                nodes: &nodes,
                at,
                allows: allows.map(|(set, &rule)| set.allows(rule)).collect(),
                deciding,
            }
        };
        if let Go::Stop = visit(&found) {
            return is_complete;
        }
        let is_settled = states.iter().all(State::is_settled);
        if is_settled || prune == Prune::Equal && are_equal(&sets, &states) {
            continue;
        }
        let mut marked = [false; 256];
        for (set, state) in sets.iter().zip(&states) {
            set.mark(state, &mut marked);
        }
        for token in told_apart(&tokens, &marked) {
            work = states
                .iter()
                .map(State::size)
                .fold(work, usize::saturating_add);
            if work > MAX_WORK {
                return false;
            }
            let next: Vec<State> = sets
                .iter()
                .zip(&states)
                .zip(&token.forms)
                .map(|((set, state), form)| {
                    form.iter()
                        .fold(state.clone(), |state, &byte| set.step(&state, byte))
                })
                .collect();
            if seen.contains(&next) {
                continue;
            }
            if nodes.len() >= MAX_STATES {
                is_complete = false;
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
    is_complete
}

fn are_equal(sets: &[RuleSet], states: &[State]) -> bool {
    let mut futures = sets
        .iter()
        .zip(states)
        .map(|(set, state)| set.future(state));
    // The same patterns read the same bytes only in the same form.
    let same_form = sets.windows(2).all(|pair| match pair {
        [a, b] => a.encoding == b.encoding,
        _ => true,
    });
    let first = futures.next();
    same_form && futures.all(|future| Some(&future) == first.as_ref())
}

/// Of all tokens those that the marked bytes tell apart, and one for all others.
fn told_apart<'t>(tokens: &'t [Token], marked: &'t [bool; 256]) -> impl Iterator<Item = &'t Token> {
    let is_marked = |byte: u8| marked.get(usize::from(byte)).copied().unwrap_or_default();
    let mut other_seen = false;
    tokens.iter().filter(move |token| {
        // An escape has several bytes, any of which may matter.
        if !token.is_single() {
            return true;
        }
        if token.raw.first().is_some_and(|&byte| is_marked(byte)) {
            return true;
        }
        !std::mem::replace(&mut other_seen, true)
    })
}

/// The characters of URLs, and the escapes that the rules could tell from other things.
fn tokens(sets: &[RuleSet]) -> Vec<Token> {
    let token = |raw: &[u8]| Token {
        raw: raw.to_vec(),
        forms: sets
            .iter()
            .map(|set| normalise(raw, Role::Target, set.encoding).into_owned())
            .collect(),
    };
    // What stands for all others should look like a path: letters come first.
    let letters = (b'a'..=b'z').rev();
    let plain = (0..=u8::MAX).filter(|&byte| {
        is_bare(byte) && byte != b'#' && !byte.is_ascii_lowercase() && !matches!(byte, b'[' | b']')
    });
    let mut tokens: Vec<Token> = letters.chain(plain).map(|byte| token(&[byte])).collect();
    let mut escapes: BTreeSet<Vec<u8>> = BTreeSet::new();
    let differ = sets
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.encoding != b.encoding));
    for set in sets {
        for escape in set.named_escapes() {
            escapes.insert(escape.to_vec());
            let upper = escape.to_ascii_uppercase();
            escapes.insert(upper);
            // Where digits are taken as they come, their case matters.
            if matches!(
                set.encoding,
                Encoding::Verbatim | Encoding::Exact | Encoding::Escaped
            ) {
                escapes.insert(escape.to_ascii_lowercase());
            }
        }
        for byte in set.named_bytes() {
            let needs_escape = !is_bare(byte) || matches!(byte, b'#' | b'[' | b']');
            if needs_escape || differ && is_unreserved(byte) {
                escapes.insert(format!("%{byte:02X}").into_bytes());
            }
        }
    }
    tokens.extend(escapes.iter().map(|escape| token(escape)));
    tokens
}
