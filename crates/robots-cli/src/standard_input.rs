//! Standard input, which can be read once.

use anyhow::{Result, bail};
use std::path::PathBuf;

/// Returns an error if standard input, `-`, is several of these inputs: all but the first would be empty.
pub(crate) fn refuse_twice<'p>(inputs: impl IntoIterator<Item = &'p PathBuf>) -> Result<()> {
    let inputs = inputs.into_iter();
    if inputs.filter(|path| path.as_os_str() == "-").count() > 1 {
        bail!("standard input can be only one of the inputs");
    }
    Ok(())
}
