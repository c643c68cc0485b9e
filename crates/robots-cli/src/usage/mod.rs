//! `robots usage`: what a crawl may be used for, by recorded decisions.
//!
//! [`count`] counts the rows, which gives the facts that JSON has; [`report`] makes the report of them.

mod count;
mod report;

use crate::args::Usage as Args;
use crate::report::csv::paths;
use crate::report::html::input_names;
use crate::standard_input;
use anyhow::Result;
use count::Count;
use robots_pipeline::new_file::refuse_to_overwrite;
use robots_pipeline::verify::read_recorded;
use std::process::ExitCode;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    standard_input::refuse_twice(&args.decisions)?;
    let folders = args.reports.csv.iter();
    let in_folder = folders.flat_map(|folder| paths(folder, report::TABLES));
    let outputs = args.reports.html.iter().cloned().chain(in_folder);
    refuse_to_overwrite(outputs, args.decisions.iter().map(Into::into))?;
    // An output that cannot be written ends the run before the work starts.
    let page = args.reports.page()?;
    let mut count = Count::default();
    read_recorded(&args.decisions, &mut |row| {
        match row {
            Ok(row) => {
                if let Err(error) = count.add(&row) {
                    count.add_unreadable();
                    message!("error: {}: no reasons: {error}", row.place());
                }
            }
            Err(problem) => {
                count.add_unreadable();
                message!("error: {problem}");
            }
        }
        Ok(())
    })?;
    let usage = count.finish();
    if usage.decisions == 0 {
        message!("error: no decision in the inputs");
        return Ok(ExitCode::from(2));
    }
    let report = report::report(&usage, input_names(&args.decisions));
    args.reports.write(&usage, &report, report::TABLES, page)?;
    Ok(ExitCode::from(if usage.unreadable > 0 { 2 } else { 0 }))
}
