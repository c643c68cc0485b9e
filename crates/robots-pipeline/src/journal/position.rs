//! The position of a run: which pages are decided.

use crate::reader::Start;
use serde::{Deserialize, Serialize};

/// The boundary between decided pages and others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The index of the input.
    pub(crate) input: usize,
    /// The place in the input from which reading resumes.
    pub(crate) start: Start,
    /// The number of pages from there on that are decided.
    pub(crate) pages: u64,
}

impl Position {
    /// Returns the position at the beginning of an input.
    pub(crate) fn beginning(input: usize) -> Self {
        Self {
            input,
            start: Start::First,
            pages: 0,
        }
    }
}

/// A filter of pages in order, which passes the pages after a position.
#[derive(Debug)]
pub(crate) struct PagesAfter {
    position: Position,
    /// The number of decided pages that are still to be skipped.
    left: u64,
}

impl PagesAfter {
    pub(crate) fn new(position: Position) -> Self {
        Self {
            position,
            left: position.pages,
        }
    }

    /// Takes the next page, of this input. Returns whether it is after the position.
    pub(crate) fn accept(&mut self, input: usize) -> bool {
        if input == self.position.input && self.left > 0 {
            self.left -= 1;
            return false;
        }
        input >= self.position.input
    }

    /// Returns whether all pages before the position have been skipped, if this input is being read.
    pub(crate) fn is_reached(&self, input: usize) -> bool {
        input > self.position.input || self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_before_the_position_are_skipped() {
        let position = Position {
            pages: 2,
            ..Position::beginning(1)
        };
        let mut after = PagesAfter::new(position);
        assert!(!after.accept(0));
        assert!(!after.is_reached(0));
        assert!(!after.accept(1));
        assert!(!after.is_reached(1));
        assert!(!after.accept(1));
        assert!(after.is_reached(1));
        assert!(after.accept(1));
        assert!(after.accept(2));
    }
}
