//! The position of a run: which pages are decided.

use crate::extract::page::PagePlace;
use crate::reader::Start;
use serde::{Deserialize, Serialize};

/// The boundary between decided pages and others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The index of the input.
    pub(crate) input: usize,
    /// The place in the input from which reading resumes.
    pub(crate) start: Start,
    /// The number of pages from there on that are decided. It is 0 in a folder, where the start is after the last decided page:
    /// the number of pages changes with the files that can be read.
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

    /// Moves past the next page of the input.
    pub(crate) fn pass(&mut self, page: &PagePlace) {
        match page {
            PagePlace::Record(_) => self.pages += 1,
            PagePlace::File { index, .. } => self.start = Start::Page(index + 1),
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
    pub(crate) fn accept(&mut self, input: usize, page: &PagePlace) -> bool {
        if input != self.position.input {
            return input > self.position.input;
        }
        match (page, self.position.start) {
            (PagePlace::File { index, .. }, Start::Page(first)) => *index >= first,
            _ if self.left > 0 => {
                self.left -= 1;
                false
            }
            _ => true,
        }
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
        let record = PagePlace::Record(0);
        assert!(!after.accept(0, &record));
        assert!(!after.is_reached(0));
        assert!(!after.accept(1, &record));
        assert!(!after.is_reached(1));
        assert!(!after.accept(1, &record));
        assert!(after.is_reached(1));
        assert!(after.accept(1, &record));
        assert!(after.accept(2, &record));
    }

    #[test]
    fn saved_pages_before_the_position_are_skipped_by_their_indexes() {
        let page = |index| PagePlace::File {
            index,
            path: String::new(),
        };
        let mut position = Position::beginning(1);
        position.pass(&page(1));
        position.pass(&page(3));
        let accepted = |input| {
            let mut after = PagesAfter::new(position);
            let accepted = (0..6).filter(|index| after.accept(input, &page(*index)));
            accepted.collect::<Vec<_>>()
        };
        assert!(accepted(0).is_empty());
        assert_eq!(accepted(1), [4, 5]);
        assert_eq!(accepted(2), [0, 1, 2, 3, 4, 5]);
    }
}
