//! `robots profiles`: lists built-in profiles, or shows one.

use crate::args::Profiles;
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

/// Writes a line for each profile, in columns as wide as their longest cell.
fn list(out: &mut impl Write) -> Result<()> {
    let all: Vec<Profile> = Profile::all().collect();
    let width = |cell: fn(&Profile) -> String| {
        let widths = all.iter().map(|profile| cell(profile).len());
        widths.max().unwrap_or_default()
    };
    let cells: [fn(&Profile) -> String; 3] = [
        |profile| profile.name().to_owned(),
        |profile| profile.dialect().name().to_owned(),
        |profile| profile.agent().to_owned(),
    ];
    let [name, dialect, robot] = cells.map(width);
    writeln!(
        out,
        "{:<name$}  {:<dialect$}  {:<robot$}  about",
        "profile", "dialect", "robot"
    )?;
    for profile in &all {
        writeln!(
            out,
            "{:<name$}  {:<dialect$}  {:<robot$}  {}",
            profile.name(),
            profile.dialect().name(),
            profile.agent(),
            profile.about()
        )?;
    }
    Ok(())
}
