//! Automata that read the form of a path byte by byte for a set of rules.
//!
//! A pattern is a sequence of atoms, and a place is an index into it. The automaton drops the places
//! of a pattern before its last star: the star can reach every place that they can.

use crate::dialect::{Encoding, OwnPath};
use crate::pattern::{Element, Shape, element, open_length, split_end};
use crate::rules::Rules;
use std::collections::BTreeSet;
use std::collections::HashMap;

/// One element of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Atom {
    Byte(u8),
    AnyByte,
    AnyRun,
    /// The bytes of a class.
    OneOf(BTreeSet<u8>),
}

/// A rule.
struct Machine {
    atoms: Box<[Atom]>,
    /// True if the path must end with the pattern.
    is_whole: bool,
    /// True for a rule; otherwise the pattern only distinguishes its path from others.
    decides: bool,
    allows: bool,
    /// The number of its atoms: equal in all sets for equal atoms.
    pattern: usize,
}

/// The rules of one robot as automata, by rank.
pub(super) struct RuleSet {
    machines: Vec<Machine>,
    /// The bytes that any pattern names.
    pub(super) named: BTreeSet<u8>,
    pub(super) encoding: Encoding,
}

/// The state of the rules of a set after some bytes of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct State {
    /// The first rule by rank that matches every continuation.
    matched: Option<u32>,
    /// Rule and place, sorted: only rules that would outrank it.
    live: Vec<(u32, u32)>,
}

/// The bytes that matter at a state.
pub(super) struct Marks {
    marked: [bool; 256],
    /// True if a pattern accepts bytes that it does not name.
    pub(super) takes_any: bool,
}

impl Default for Marks {
    fn default() -> Self {
        Self {
            marked: [false; 256],
            takes_any: false,
        }
    }
}

impl Marks {
    fn set(&mut self, byte: u8) {
        if let Some(mark) = self.marked.get_mut(usize::from(byte)) {
            *mark = true;
        }
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.marked
            .get(usize::from(byte))
            .copied()
            .unwrap_or_default()
    }
}

impl State {
    /// Returns whether no continuation can change the decision.
    pub(super) fn is_settled(&self) -> bool {
        self.live.is_empty()
    }

    /// Returns the cost of a step, in places.
    pub(super) fn size(&self) -> usize {
        self.live.len().saturating_add(1)
    }
}

/// A live pattern: its number, its place, and its effect if it is a rule.
type Live = (usize, u32, Option<bool>);

/// The number of the first rule by rank: 0 is the path of the file itself.
pub(super) const FIRST_RULE: u32 = 1;

/// The numbers of the patterns of all sets.
#[derive(Default)]
pub(super) struct Patterns {
    numbers: HashMap<(Box<[Atom]>, bool), usize>,
}

impl RuleSet {
    pub(super) fn of(rules: &Rules, patterns: &mut Patterns) -> Self {
        // The path of the file itself must be distinguished from every other path.
        let own: Vec<Atom> = b"/robots.txt"
            .iter()
            .map(|&byte| Atom::Byte(byte))
            .collect();
        let own_decides = rules.dialect().own_path == OwnPath::AlwaysAllowed;
        let mut machines = vec![(own, true, own_decides, true)];
        for rule in rules.ranked() {
            let (atoms, is_whole) = atoms(rule.form, rule.reading.shape, rule.compared());
            machines.push((atoms, is_whole, true, rule.allows));
        }
        let mut named = BTreeSet::new();
        for atom in machines.iter().flat_map(|(atoms, ..)| atoms) {
            match atom {
                Atom::Byte(byte) => {
                    named.insert(*byte);
                }
                Atom::OneOf(bytes) => named.extend(bytes),
                Atom::AnyByte | Atom::AnyRun => {}
            }
        }
        let machines = machines
            .into_iter()
            .map(|(atoms, is_whole, decides, allows)| {
                let atoms = atoms.into_boxed_slice();
                let next = patterns.numbers.len();
                let key = (atoms.clone(), is_whole);
                Machine {
                    pattern: *patterns.numbers.entry(key).or_insert(next),
                    atoms,
                    is_whole,
                    decides,
                    allows,
                }
            })
            .collect();
        Self {
            machines,
            named,
            encoding: rules.dialect().encoding,
        }
    }

    /// Returns the state before the first byte.
    pub(super) fn start(&self) -> State {
        let mut state = State::default();
        for rule in 0..self.machines.len() {
            let rule = u32::try_from(rule).unwrap_or(u32::MAX);
            self.reach(&mut state, rule, 0);
        }
        self.settle(&mut state);
        state
    }

    /// Returns the state after the next byte.
    pub(super) fn step(&self, state: &State, byte: u8) -> State {
        let mut next = State {
            matched: state.matched,
            live: Vec::with_capacity(state.live.len()),
        };
        for &(rule, place) in &state.live {
            match self.atom(rule, place) {
                Some(Atom::Byte(own)) if *own != byte => {}
                Some(Atom::OneOf(bytes)) if !bytes.contains(&byte) => {}
                Some(Atom::AnyRun) => self.reach(&mut next, rule, place),
                Some(_) => self.reach(&mut next, rule, place.saturating_add(1)),
                None => {}
            }
        }
        self.settle(&mut next);
        next
    }

    /// Adds a place, and the places that a star reaches from it without a byte.
    fn reach(&self, state: &mut State, rule: u32, mut place: u32) {
        loop {
            let Some(machine) = self.machines.get(rule as usize) else {
                return;
            };
            match machine.atoms.get(place as usize) {
                Some(Atom::AnyRun) => state.live.push((rule, place)),
                None if !machine.is_whole => {
                    let best = state.matched.map_or(rule, |matched| matched.min(rule));
                    state.matched = Some(best);
                    return;
                }
                _ => {
                    state.live.push((rule, place));
                    return;
                }
            }
            place = place.saturating_add(1);
        }
    }

    /// Drops outranked rules and places before a star: they cannot matter.
    fn settle(&self, state: &mut State) {
        let best = state.matched.unwrap_or(u32::MAX);
        state.live.retain(|&(rule, _)| rule < best);
        state.live.sort_unstable();
        state.live.dedup();
        let mut last_star: Option<(u32, u32)> = None;
        let mut kept: Vec<(u32, u32)> = Vec::with_capacity(state.live.len());
        for &(rule, place) in state.live.iter().rev() {
            if last_star.is_some_and(|(of, _)| of == rule) {
                continue;
            }
            if self.atom(rule, place) == Some(&Atom::AnyRun) {
                last_star = Some((rule, place));
            }
            kept.push((rule, place));
        }
        kept.reverse();
        state.live = kept;
    }

    fn atom(&self, rule: u32, place: u32) -> Option<&Atom> {
        self.machines.get(rule as usize)?.atoms.get(place as usize)
    }

    /// Returns the rule that decides if the path ends here.
    pub(super) fn decides(&self, state: &State) -> Option<u32> {
        let at_end = state
            .live
            .iter()
            .find(|&&(rule, place)| {
                let machine = self.machines.get(rule as usize);
                machine
                    .is_some_and(|machine| machine.decides && machine.atoms.len() == place as usize)
            })
            .map(|&(rule, _)| rule);
        // Live rules outrank the rule that matched.
        at_end.or(state.matched)
    }

    /// Returns whether a path that this rule decides may be fetched; `None` is a path that no rule
    /// matches.
    pub(super) fn allows(&self, rule: Option<u32>) -> bool {
        rule.and_then(|rule| self.machines.get(rule as usize))
            .is_none_or(|machine| machine.allows)
    }

    /// Marks the bytes that the live patterns distinguish.
    pub(super) fn mark(&self, state: &State, marks: &mut Marks) {
        for &(rule, place) in &state.live {
            match self.atom(rule, place) {
                Some(Atom::Byte(byte)) => marks.set(*byte),
                Some(Atom::OneOf(bytes)) => {
                    for &byte in bytes {
                        marks.set(byte);
                    }
                    marks.takes_any = true;
                }
                Some(Atom::AnyByte | Atom::AnyRun) => marks.takes_any = true,
                None => {}
            }
        }
    }

    /// Returns the escapes `%XX` in patterns.
    pub(super) fn named_escapes(&self) -> BTreeSet<[u8; 3]> {
        let mut found = BTreeSet::new();
        for machine in &self.machines {
            for three in machine.atoms.windows(3) {
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

    /// Returns the live patterns by rank with their effects, and the decision if none of them
    /// matches. Two sets with equal futures decide alike.
    pub(super) fn future(&self, state: &State) -> (Vec<Live>, bool) {
        let live = state
            .live
            .iter()
            .filter_map(|&(rule, place)| {
                let machine = self.machines.get(rule as usize)?;
                let effect = machine.decides.then_some(machine.allows);
                Some((machine.pattern, place, effect))
            })
            .collect();
        (live, self.allows(state.matched))
    }
}

/// Returns the atoms of a pattern, and whether a path must end with it.
fn atoms(form: &[u8], shape: Shape, compared: &[u8]) -> (Vec<Atom>, bool) {
    let literal = |bytes: &[u8]| bytes.iter().map(|&byte| Atom::Byte(byte)).collect();
    match shape {
        Shape::Prefix => (literal(compared), false),
        Shape::Exact => (literal(compared), true),
        Shape::Glob => {
            let (pattern, is_whole) = split_end(form);
            let atoms = pattern.iter().map(|&byte| match byte {
                b'*' => Atom::AnyRun,
                byte => Atom::Byte(byte),
            });
            (atoms.collect(), is_whole)
        }
        Shape::Shell => {
            let mut atoms = Vec::new();
            let mut rest = form;
            let open = open_length(form);
            while let Some((element, tail)) = element(rest, open) {
                rest = tail;
                atoms.push(match element {
                    Element::Byte(byte) => Atom::Byte(byte),
                    Element::AnyByte => Atom::AnyByte,
                    Element::AnyRun => Atom::AnyRun,
                    class @ Element::Class(..) => {
                        Atom::OneOf((0..=u8::MAX).filter(|&byte| class.takes(byte)).collect())
                    }
                });
            }
            (atoms, true)
        }
    }
}
