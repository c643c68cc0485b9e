//! The arguments for the configuration file.

use clap::Args;
use std::path::PathBuf;

/// The arguments for the configuration file.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Read defaults of options from this file, not from robots.toml
    ///
    /// Without this option, the file is robots.toml in the working directory, or else in the next folder above it that has
    /// one. Its keys are `agents`, `base`, `ignore`, `level` and `profile`: each is the default of an option, and the
    /// command line has precedence. docs/tools.md has an example. --verbose shows the path of the file.
    #[arg(
        id = "config",
        long = "config",
        value_name = "FILE",
        display_order = 800
    )]
    pub(crate) file: Option<PathBuf>,
    /// Read no robots.toml
    #[arg(long, conflicts_with = "config", display_order = 801)]
    pub(crate) no_config: bool,
}
