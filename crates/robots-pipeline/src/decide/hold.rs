//! The pages that wait until every robots.txt is known.

use crate::extract::page::ReadPage;

/// A page or a folder that waits.
#[derive(Debug)]
pub(super) enum Held {
    /// A page of the input of this index.
    Page(usize, Box<ReadPage>),
    /// The folder that is the input of this index.
    Folder(usize),
}

/// The pages that wait, in order, up to the first that exceeds a limit.
#[derive(Debug)]
pub(super) struct Hold {
    held: Vec<Held>,
    bytes_left: usize,
    pages_left: u64,
    is_full: bool,
}

impl Hold {
    /// Returns an empty hold with approximate limits of bytes and pages.
    pub(super) fn new(bytes: usize, pages: u64) -> Self {
        Self {
            held: Vec::new(),
            bytes_left: bytes,
            pages_left: pages,
            is_full: false,
        }
    }

    /// Holds a page of an input, unless that exceeds a limit.
    pub(super) fn push_page(&mut self, input: usize, page: Box<ReadPage>) {
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

    /// Holds a folder. Its pages are read when they are decided.
    pub(super) fn push_folder(&mut self, input: usize) {
        if !self.is_full {
            self.held.push(Held::Folder(input));
        }
    }

    /// Returns whether a page exceeded a limit.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns whether the hold has its maximum number of pages.
    pub(super) fn has_max_pages(&self) -> bool {
        self.pages_left == 0
    }

    pub(super) fn into_held(self) -> impl Iterator<Item = Held> {
        self.held.into_iter()
    }
}
