//! The archives among the inputs, in the groups in which they are read.

use super::index::Index;
use crate::archive::Source;
use crate::input::Input;

/// The indexes of the inputs, and the offsets of pages and robots.txt that they list for each input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indexed<'a> {
    pub(super) index: &'a Index<'a>,
    pub(super) offsets: &'a [Vec<u64>],
}

/// Returns the archives among some inputs, the first of which has the index `first`.
pub(super) fn sources<'s>(
    first: usize,
    inputs: &'s [Input],
    offsets: Option<&'s [Vec<u64>]>,
) -> Vec<Source<'s>> {
    let source = |(at, input): (usize, &'s Input)| {
        let archive = input.archive()?;
        let listed = offsets.and_then(|offsets| offsets.get(first.saturating_add(at)));
        Some(match listed {
            Some(offsets) => Source::listed(archive, offsets),
            None => Source::whole(archive),
        })
    };
    inputs.iter().enumerate().filter_map(source).collect()
}

/// Returns the inputs in groups that are read together: archives that follow each other, or one folder or saved page. Each has
/// the index of its first input.
pub(super) fn groups(inputs: &[Input]) -> impl Iterator<Item = (usize, &[Input])> {
    let mut next = 0_usize;
    inputs
        .chunk_by(|a, b| a.archive().is_some() && b.archive().is_some())
        .map(move |chunk| {
            let first = next;
            next = next.saturating_add(chunk.len());
            (first, chunk)
        })
}
