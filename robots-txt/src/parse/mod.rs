//! Bytes to lines with facts: neutral, so that one parse serves every dialect.

pub(crate) mod document;
pub(crate) mod field;
pub(crate) mod line;
pub(crate) mod lines;
pub(crate) mod record;
pub(crate) mod text;
