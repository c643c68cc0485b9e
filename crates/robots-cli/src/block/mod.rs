//! `robots block`: a group that disallows robots, printed or added to a robots.txt.
//!
//! [`group`] finds the robots and writes the group, [`place`] finds its place in a file, and [`into`] adds it there.

pub(crate) mod group;
mod into;
mod place;

use crate::args::Block as Args;
use anyhow::Result;
use group::Selection;
use robots_policy::profile::{AgentTable, KnownAgent};
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let table = args.known.table();
    let selection = Selection::new(&args.what, table, args.unverified, "--unverified")?;
    if let Some(path) = &args.into {
        return into::run(args, path, table, &selection);
    }
    let mut out = anstream::stdout().lock();
    write!(out, "{}", selection.group(|_| true))?;
    out.flush()?;
    let followers = followers(table, &selection);
    if !followers.is_empty() {
        notice!(
            "note: without a group of their own, these robots obey this one, too: {}",
            followers.join(", ")
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the robots that are not selected, and obey the group of a selected one if they have none of their own.
fn followers<'t>(table: &'t AgentTable, selection: &Selection<'t>) -> Vec<&'t str> {
    let is_selected = |robot: &KnownAgent| selection.robots().any(|one| one.token == robot.token);
    let tokens: Vec<&str> = selection.robots().flat_map(KnownAgent::tokens).collect();
    let follows = |robot: &&KnownAgent| {
        let mut names = robot.groups();
        !is_selected(robot)
            && names.any(|name| tokens.iter().any(|token| token.eq_ignore_ascii_case(name)))
    };
    let followers = table.iter().filter(follows);
    followers.map(|robot| &*robot.token).collect()
}
