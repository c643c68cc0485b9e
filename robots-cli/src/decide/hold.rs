//! Pages that are held back until every robots.txt is known.

use super::entry::ReadPage;

/// What is held back, in order.
#[derive(Debug)]
pub(super) enum Held {
    /// A page of the input of this index.
    Page(usize, Box<ReadPage>),
    /// The folder that the input of this index is.
    Folder(usize),
}

/// Holds pages back as long as there is room: from the first on that finds none, none is held any more.
#[derive(Debug)]
pub(super) struct Hold {
    held: Vec<Held>,
    bytes_left: usize,
    /// The input that comes at the moment, and how many pages of it were held.
    at: (usize, u64),
    full_at: Option<(usize, u64)>,
}

impl Hold {
    /// With room for so many bytes, about.
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            held: Vec::new(),
            bytes_left: bytes,
            at: (0, 0),
            full_at: None,
        }
    }

    /// Holds a page of an input, if there is room.
    pub(super) fn page(&mut self, input: usize, page: Box<ReadPage>) {
        if self.full_at.is_some() {
            return;
        }
        if self.at.0 != input {
            self.at = (input, 0);
        }
        let Some(left) = self.bytes_left.checked_sub(page.bytes()) else {
            self.full_at = Some(self.at);
            return;
        };
        self.bytes_left = left;
        self.at.1 = self.at.1.saturating_add(1);
        self.held.push(Held::Page(input, page));
    }

    /// Holds a folder, whose pages are not read before they are decided.
    pub(super) fn folder(&mut self, input: usize) {
        if self.full_at.is_none() {
            self.held.push(Held::Folder(input));
        }
    }

    /// The input, and how many pages of it come before, from which on nothing was held; `None` if all was.
    pub(super) fn full_at(&self) -> Option<(usize, u64)> {
        self.full_at
    }

    pub(super) fn into_held(self) -> impl Iterator<Item = Held> {
        self.held.into_iter()
    }
}
