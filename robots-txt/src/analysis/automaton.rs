//! Automata that read a path byte by byte for a set of rules. The bytes are those that the dialect
//! compares: the form of the path (see `target`).
//!
//! A pattern is a sequence of atoms. A position is an index into it: the atom that must match next. It is
//! live if the bytes read so far lead to it. The automaton drops the live positions of a pattern before
//! its last live star: each path that would match from one of them also matches from the star.
//!
//! A pattern names a byte if the byte is one of its literals or a member of one of its classes.

use crate::dialect::{Dialect, Encoding, OwnPath};
use crate::pattern::{Element, Shape, element, open_length, split_end};
use crate::rules::RankedRule;
use std::collections::BTreeSet;
use std::collections::HashMap;

/// One element of a pattern. Its size matters: a set of rules has about one for each byte of its patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Atom {
    Byte(u8),
    AnyByte,
    AnyRun,
    /// A byte of a class, by the index of the class.
    OneOf(u32),
}

/// The bytes of each class in shell patterns: `[a-z]`.
#[derive(Default)]
struct Classes(Vec<BTreeSet<u8>>);

impl Classes {
    fn add(&mut self, bytes: BTreeSet<u8>) -> Atom {
        let index = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.push(bytes);
        Atom::OneOf(index)
    }

    /// Returns the bytes of a class.
    fn bytes(&self, class: u32) -> &BTreeSet<u8> {
        &self.0[class as usize]
    }
}

/// The automaton of one rule, or of `/robots.txt`, the path of the file itself.
struct RuleAutomaton {
    atoms: Box<[Atom]>,
    /// True if the pattern must match the whole path, false if it may match only a start of it.
    is_whole: bool,
    /// True for a rule, and for `/robots.txt` if the dialect always allows it. If false, the automaton
    /// only distinguishes `/robots.txt` from other paths.
    decides: bool,
    allows: bool,
    /// The number of its pattern in [`Patterns`]: the same in all sets for equal patterns.
    pattern: usize,
}

/// The rules of one robot as automata, by rank.
pub(super) struct RuleSet {
    automata: Vec<RuleAutomaton>,
    classes: Classes,
    /// The bytes that any pattern names.
    pub(super) named: BTreeSet<u8>,
    pub(super) encoding: Encoding,
}

/// The state of the rules of a set after some bytes of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct State {
    /// The first rule by rank that matches every continuation.
    matched: Option<u32>,
    /// Rule and position, sorted: only rules that would outrank the matched one.
    live: Vec<(u32, u32)>,
}

/// Bytes that patterns name: in all of their atoms, or only in those at the live positions of a state.
pub(super) struct NamedBytes {
    named: [bool; 256],
    /// True if a pattern accepts a byte by a wildcard or a class.
    pub(super) takes_any: bool,
}

impl Default for NamedBytes {
    fn default() -> Self {
        Self {
            named: [false; 256],
            takes_any: false,
        }
    }
}

impl NamedBytes {
    fn add(&mut self, byte: u8) {
        self.named[usize::from(byte)] = true;
    }

    /// Returns whether a pattern names this byte.
    pub(super) fn names(&self, byte: u8) -> bool {
        self.named[usize::from(byte)]
    }
}

impl State {
    /// Returns whether no continuation can change the decision.
    pub(super) fn is_settled(&self) -> bool {
        self.live.is_empty()
    }

    /// Returns the cost of a step from this state, in positions.
    pub(super) fn step_cost(&self) -> usize {
        self.live.len() + 1
    }
}

/// A pattern that can still match, and its position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LivePattern {
    /// Its number in [`Patterns`].
    pattern: usize,
    /// The 0-based position in its atoms.
    position: u32,
    /// Whether it allows; `None` if it cannot decide.
    allows: Option<bool>,
}

/// The number of the first rule by rank: 0 is the path of the file itself.
pub(super) const FIRST_RULE: u32 = 1;

/// The numbers of the patterns of all sets. Equal patterns have the same number, in whichever set they are.
#[derive(Default)]
pub(super) struct Patterns {
    /// By their atoms as bytes ([`key_of`]).
    numbers: HashMap<Vec<u8>, usize>,
}

impl Patterns {
    /// Returns the number of a pattern: a new one if no set had it.
    fn number_of(&mut self, atoms: &[Atom], is_whole: bool, classes: &Classes) -> usize {
        let next = self.numbers.len();
        let key = key_of(atoms, is_whole, classes);
        *self.numbers.entry(key).or_insert(next)
    }
}

/// Returns atoms as bytes: equal for equal atoms of any set. Most atoms are one byte.
fn key_of(atoms: &[Atom], is_whole: bool, classes: &Classes) -> Vec<u8> {
    let mut key = Vec::with_capacity(atoms.len() + 1);
    for atom in atoms {
        match atom {
            Atom::Byte(0) => key.extend([0, 0]),
            Atom::Byte(byte) => key.push(*byte),
            Atom::AnyByte => key.extend([0, 1]),
            Atom::AnyRun => key.extend([0, 2]),
            Atom::OneOf(class) => {
                let bytes = classes.bytes(*class);
                key.extend([0, 3]);
                key.extend((0..=u8::MAX).map(|byte| u8::from(bytes.contains(&byte))));
            }
        }
    }
    key.push(u8::from(is_whole));
    key
}

impl RuleSet {
    pub(super) fn of(
        dialect: &Dialect,
        ranked: &[RankedRule<'_>],
        patterns: &mut Patterns,
    ) -> Self {
        // The path of the file itself must not share a state with other paths: analyses leave it out.
        let own_path: Box<[Atom]> = b"/robots.txt"
            .iter()
            .map(|&byte| Atom::Byte(byte))
            .collect();
        let mut classes = Classes::default();
        let mut automata = vec![RuleAutomaton {
            pattern: patterns.number_of(&own_path, true, &classes),
            atoms: own_path,
            is_whole: true,
            decides: dialect.own_path == OwnPath::AlwaysAllowed,
            allows: true,
        }];
        for rule in ranked {
            let (atoms, is_whole) = atoms(rule, &mut classes);
            automata.push(RuleAutomaton {
                pattern: patterns.number_of(&atoms, is_whole, &classes),
                atoms: atoms.into_boxed_slice(),
                is_whole,
                decides: true,
                allows: rule.allows,
            });
        }
        let mut named = NamedBytes::default();
        for atom in automata.iter().flat_map(|automaton| &automaton.atoms) {
            match atom {
                Atom::Byte(byte) => named.add(*byte),
                Atom::OneOf(class) => classes
                    .bytes(*class)
                    .iter()
                    .for_each(|&byte| named.add(byte)),
                Atom::AnyByte | Atom::AnyRun => {}
            }
        }
        Self {
            automata,
            classes,
            named: (0..=u8::MAX).filter(|&byte| named.names(byte)).collect(),
            encoding: dialect.encoding,
        }
    }

    /// Returns the state before the first byte.
    pub(super) fn start(&self) -> State {
        let mut state = State::default();
        for (rule, _) in (0..).zip(&self.automata) {
            self.reach(&mut state, rule, 0);
        }
        self.drop_outranked(&mut state);
        state
    }

    /// Returns the state after the next byte.
    pub(super) fn step(&self, state: &State, byte: u8) -> State {
        let mut next = State {
            matched: state.matched,
            live: Vec::with_capacity(state.live.len()),
        };
        for &(rule, position) in &state.live {
            match self.atom(rule, position) {
                Some(Atom::Byte(expected)) if *expected != byte => {}
                Some(Atom::OneOf(class)) if !self.classes.bytes(*class).contains(&byte) => {}
                Some(Atom::AnyRun) => self.reach(&mut next, rule, position),
                Some(_) => self.reach(&mut next, rule, position + 1),
                None => {}
            }
        }
        self.drop_outranked(&mut next);
        next
    }

    /// Adds a position, and the positions that a star reaches from it without a byte.
    fn reach(&self, state: &mut State, rule: u32, mut position: u32) {
        let automaton = &self.automata[rule as usize];
        loop {
            match automaton.atoms.get(position as usize) {
                Some(Atom::AnyRun) => state.live.push((rule, position)),
                None if !automaton.is_whole => {
                    let best = state.matched.map_or(rule, |matched| matched.min(rule));
                    state.matched = Some(best);
                    return;
                }
                _ => {
                    state.live.push((rule, position));
                    return;
                }
            }
            position += 1;
        }
    }

    /// Drops the positions of outranked rules, and those of each rule before its last live star: neither can change
    /// the decision.
    fn drop_outranked(&self, state: &mut State) {
        let best = state.matched.unwrap_or(u32::MAX);
        state.live.retain(|&(rule, _)| rule < best);
        state.live.sort_unstable();
        state.live.dedup();
        let mut rule_with_star = None;
        let mut kept: Vec<(u32, u32)> = Vec::with_capacity(state.live.len());
        for &(rule, position) in state.live.iter().rev() {
            // From the last position back: a later star of this rule is live already.
            if rule_with_star == Some(rule) {
                continue;
            }
            if self.atom(rule, position) == Some(&Atom::AnyRun) {
                rule_with_star = Some(rule);
            }
            kept.push((rule, position));
        }
        kept.reverse();
        state.live = kept;
    }

    fn atom(&self, rule: u32, position: u32) -> Option<&Atom> {
        self.automata[rule as usize].atoms.get(position as usize)
    }

    /// Returns the rule that decides about the path that ends at this state.
    pub(super) fn deciding(&self, state: &State) -> Option<u32> {
        let at_end = state
            .live
            .iter()
            .find(|&&(rule, position)| {
                let automaton = &self.automata[rule as usize];
                automaton.decides && automaton.atoms.len() == position as usize
            })
            .map(|&(rule, _)| rule);
        // Live rules outrank the rule that matched.
        at_end.or(state.matched)
    }

    /// Returns whether a path that this rule decides may be fetched; `None` is a path that no rule
    /// matches.
    pub(super) fn allows(&self, rule: Option<u32>) -> bool {
        rule.is_none_or(|rule| self.automata[rule as usize].allows)
    }

    /// Adds the bytes that the live patterns accept next.
    pub(super) fn add_next_bytes(&self, state: &State, next_bytes: &mut NamedBytes) {
        for &(rule, position) in &state.live {
            match self.atom(rule, position) {
                Some(Atom::Byte(byte)) => next_bytes.add(*byte),
                Some(Atom::OneOf(class)) => {
                    for &byte in self.classes.bytes(*class) {
                        next_bytes.add(byte);
                    }
                    next_bytes.takes_any = true;
                }
                Some(Atom::AnyByte | Atom::AnyRun) => next_bytes.takes_any = true,
                None => {}
            }
        }
    }

    /// Returns the escapes `%XX` in patterns.
    pub(super) fn named_escapes(&self) -> BTreeSet<[u8; 3]> {
        let mut found = BTreeSet::new();
        for automaton in &self.automata {
            for three in automaton.atoms.windows(3) {
                if let [Atom::Byte(b'%'), Atom::Byte(high), Atom::Byte(low)] = three
                    && high.is_ascii_hexdigit()
                    && low.is_ascii_hexdigit()
                {
                    found.insert([b'%', *high, *low]);
                }
            }
        }
        found
    }

    /// Returns the decision about every continuation of this state, if it is the same for all but `/robots.txt`, with the position
    /// in that path, if it can still follow and decides.
    pub(super) fn settled_decision(&self, state: &State) -> Option<(Option<u32>, bool)> {
        let allows = self.allows(state.matched);
        let mut own_path = None;
        for &(rule, position) in &state.live {
            let automaton = &self.automata[rule as usize];
            if rule < FIRST_RULE {
                own_path = automaton.decides.then_some(position);
            } else if automaton.allows != allows {
                return None;
            }
        }
        Some((own_path, allows))
    }

    /// Returns the live patterns by rank with their effects, and the decision if none of them
    /// matches. Two sets with equal futures decide alike.
    pub(super) fn future(&self, state: &State) -> (Vec<LivePattern>, bool) {
        let live = state
            .live
            .iter()
            .map(|&(rule, position)| {
                let automaton = &self.automata[rule as usize];
                LivePattern {
                    pattern: automaton.pattern,
                    position,
                    allows: automaton.decides.then_some(automaton.allows),
                }
            })
            .collect();
        (live, self.allows(state.matched))
    }
}

/// Returns the atoms of a pattern, and whether it must match the whole path.
fn atoms(rule: &RankedRule<'_>, classes: &mut Classes) -> (Vec<Atom>, bool) {
    let literal = |bytes: &[u8]| bytes.iter().map(|&byte| Atom::Byte(byte)).collect();
    match rule.reading.shape {
        Shape::Prefix => (literal(rule.compared()), false),
        Shape::Exact => (literal(rule.compared()), true),
        Shape::Glob => {
            let (pattern, is_whole) = split_end(rule.form);
            let atoms = pattern.iter().map(|&byte| match byte {
                b'*' => Atom::AnyRun,
                byte => Atom::Byte(byte),
            });
            (atoms.collect(), is_whole)
        }
        Shape::Shell => {
            let mut atoms = Vec::new();
            let mut rest = rule.form;
            let open = open_length(rule.form);
            while let Some((element, tail)) = element(rest, open) {
                rest = tail;
                atoms.push(match element {
                    Element::Byte(byte) => Atom::Byte(byte),
                    Element::AnyByte => Atom::AnyByte,
                    Element::AnyRun => Atom::AnyRun,
                    class @ Element::Class { .. } => {
                        let bytes = (0..=u8::MAX).filter(|&byte| class.takes(byte));
                        classes.add(bytes.collect())
                    }
                });
            }
            (atoms, true)
        }
    }
}
