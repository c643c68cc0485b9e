//! `robots profiles`: lists built-in profiles, or shows one.

use crate::args::Profiles;
use crate::table::{self, Column};
use anyhow::Result;
use robots_pipeline::json::write_pretty;
use robots_policy::Profile;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &Profiles) -> Result<ExitCode> {
    let mut out = anstream::stdout().lock();
    match &args.profile {
        Some(profile) if args.json => {
            write_pretty(&mut out, profile)?;
        }
        Some(profile) => write!(out, "{}", profile.to_toml())?,
        None if args.json => {
            let all: Vec<Profile> = Profile::all().collect();
            write_pretty(&mut out, &all)?;
        }
        None => list(&mut out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a line for each profile.
fn list(out: &mut impl Write) -> Result<()> {
    let columns = [
        Column::Text("profile"),
        Column::Text("dialect"),
        Column::Text("robot"),
        Column::Prose("about"),
    ];
    let rows = Profile::all().map(|profile| {
        vec![
            profile.name().to_owned(),
            profile.dialect().name().to_owned(),
            profile.agent().to_owned(),
            profile.about().to_owned(),
        ]
    });
    table::write(out, &columns, rows)?;
    Ok(())
}
