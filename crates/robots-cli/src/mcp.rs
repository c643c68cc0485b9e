//! `robots mcp`: tools for agents, by the Model Context Protocol.

use crate::args::Mcp;
use crate::block::group::Selection;
use crate::resources;
use anyhow::Result;
use robots_policy::profile::AgentTable;
use std::process::ExitCode;

pub(crate) fn run(args: &Mcp) -> Result<ExitCode> {
    let config = args.settings.config([])?;
    resources::check_for_threaded_runtime()?;
    robots_server::run_mcp(config, block)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a group that blocks the robots of purposes, or with product tokens, and these robots. Without `unverified`, robots of
/// purposes are left out if their facts are not verified.
fn block(what: &[String], unverified: bool) -> Result<(String, Vec<String>), String> {
    let selection = Selection::new(what, AgentTable::built_in(), unverified, "`unverified`");
    let selection = selection.map_err(|error| format!("{error:#}"))?;
    let robots = selection.robots().map(|robot| robot.token.clone());
    Ok((selection.group(|_| true), robots.collect()))
}
