//! How far decisions have come.

use super::plan::Start;
use serde::{Deserialize, Serialize};

/// The pages before this are decided, those behind it are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    /// The index of the input.
    pub(super) input: usize,
    /// Where it is to be read from.
    pub(super) start: Start,
    /// How many pages from there on are decided.
    pub(super) pages: u64,
}

impl Place {
    /// The beginning of an input.
    pub(super) fn beginning(input: usize) -> Self {
        Self {
            input,
            start: Start::First,
            pages: 0,
        }
    }
}

/// Tells of pages, as they come in order, which are behind a place.
#[derive(Debug)]
pub(super) struct Behind {
    place: Place,
    /// How many are still to be passed over.
    left: u64,
}

impl Behind {
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            left: place.pages,
        }
    }

    /// Whether the next page of an input, whose record is at an offset, is behind the place.
    pub(super) fn has(&mut self, input: usize, offset: u64) -> bool {
        if input != self.place.input {
            return input > self.place.input;
        }
        if offset < self.place.start.offset() {
            return false;
        }
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                false
            }
            None => true,
        }
    }

    /// Whether all before the place were passed over, when so much of an input is read.
    pub(super) fn is_reached(&self, input: usize) -> bool {
        input > self.place.input || self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_before_the_place_are_passed_over() {
        let place = Place {
            pages: 2,
            ..Place::beginning(1)
        };
        let mut behind = Behind::new(place);
        assert!(!behind.has(0, 9));
        assert!(!behind.is_reached(0));
        // Two pages of one member have one offset.
        assert!(!behind.has(1, 0));
        assert!(!behind.is_reached(1));
        assert!(!behind.has(1, 0));
        assert!(behind.is_reached(1));
        assert!(behind.has(1, 0));
        assert!(behind.has(2, 0));
    }
}
