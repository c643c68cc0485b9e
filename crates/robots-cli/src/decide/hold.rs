//! Pages that are held back until every robots.txt is known.

use super::page::ReadPage;

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
    /// How many pages more may be held, whatever they weigh.
    pages_left: u64,
    is_full: bool,
}

impl Hold {
    /// With room for so many bytes, about, and for so many pages.
    pub(super) fn new(bytes: usize, pages: u64) -> Self {
        Self {
            held: Vec::new(),
            bytes_left: bytes,
            pages_left: pages,
            is_full: false,
        }
    }

    /// Holds a page of an input, if there is room.
    pub(super) fn page(&mut self, input: usize, page: Box<ReadPage>) {
        if self.is_full {
            return;
        }
        let bytes_left = self.bytes_left.checked_sub(page.bytes());
        let (Some(bytes_left), Some(pages_left)) = (bytes_left, self.pages_left.checked_sub(1))
        else {
            self.is_full = true;
            return;
        };
        self.bytes_left = bytes_left;
        self.pages_left = pages_left;
        self.held.push(Held::Page(input, page));
    }

    /// Holds a folder, whose pages are not read before they are decided.
    pub(super) fn folder(&mut self, input: usize) {
        if !self.is_full {
            self.held.push(Held::Folder(input));
        }
    }

    /// Whether there was something that found no room.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(super) fn into_held(self) -> impl Iterator<Item = Held> {
        self.held.into_iter()
    }
}
