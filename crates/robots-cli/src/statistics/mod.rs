//! Statistics in bounded memory.

pub(crate) mod distribution;
pub(crate) mod share;
pub(crate) mod tally;
