//! `robots survey`: statistics of many robots.txt files and pages.
//!
//! [`read`] reads the inputs and counts them on all processors: each robots.txt ([`robots`], [`lines`]) and
//! each page ([`page`]). The counts take bounded memory ([`count`], [`crate::statistics`]). They become the facts of the survey
//! ([`facts`]), which are written as JSON, and from which the report is made ([`report`]). [`files`] writes a table with a row for each robots.txt.

mod count;
mod facts;
mod files;
mod lines;
mod page;
mod read;
mod report;
mod robots;

use crate::args::Survey as Args;
use crate::observer::LostParts;
use crate::report::csv::paths;
use crate::report::html::input_names;
use crate::standard_input;
use anyhow::{Context, Result, bail};
use facts::{Survey, VERSION};
use files::FileTable;
use robots_pipeline::new_file::refuse_to_overwrite;
use robots_pipeline::text::path_text;
use std::path::Path;
use std::process::ExitCode;

/// Runs the command: fetches robots.txt files first, if the arguments ask for it, and makes a survey.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.reports.json && args.reports.html.is_none() && args.baseline.is_some() {
        bail!(
            "--json does not contain the comparison of --baseline: add --html, or drop one of them"
        );
    }
    let tables = args.files.iter().chain(&args.reports.html);
    let folders = args.reports.csv.iter();
    let in_folder = folders.flat_map(|folder| paths(folder, report::TABLES));
    let outputs = tables.chain(&args.keep).cloned().chain(in_folder);
    let inputs = args.inputs.iter().chain(&args.sites).chain(&args.baseline);
    standard_input::refuse_twice(inputs.clone())?;
    refuse_to_overwrite(outputs, inputs.map(Into::into))?;
    // A baseline that cannot be read ends the run before the work starts.
    let baseline = args.baseline.as_deref().map(read_earlier).transpose()?;
    // Outputs that cannot be written end the run before the work starts.
    let page = args.reports.page()?;
    let mut files = args.files.as_deref().map(FileTable::create).transpose()?;
    let inputs: Vec<&Path> = if let Some(fetch) = args.fetch() {
        let code = crate::fetch::run(&fetch)?;
        if code != ExitCode::SUCCESS {
            // The fetch was interrupted, or requested nothing, and has reported that.
            return Ok(code);
        }
        args.keep.iter().map(AsRef::as_ref).collect()
    } else {
        args.inputs.iter().map(AsRef::as_ref).collect()
    };
    let threads = args.threads.number();
    let table = args.known.table();
    let (count, unread) = read::count(
        &inputs,
        args.folder_files.select(),
        table,
        args.dialect.as_ref().map(|named| named.dialect),
        threads,
        files.as_mut(),
    )?;
    if let Some(files) = files {
        files.finish()?;
    }
    let lost = LostParts::of_process();
    lost.report();
    let survey = Survey::new(
        count,
        table,
        args.dialect.as_ref().map(|named| named.name.clone()),
    );
    if survey.responses.is_empty() && survey.pages.count == 0 {
        message!("error: neither a robots.txt nor a page in the inputs");
        return Ok(ExitCode::from(2));
    }
    let report = report::report(
        &survey,
        baseline.as_ref(),
        input_names(&inputs),
        args.webwatch,
    );
    args.reports.write(&survey, &report, report::TABLES, page)?;
    Ok(if unread > 0 || lost.has_unread_paths() {
        ExitCode::from(2)
    } else {
        ExitCode::SUCCESS
    })
}

/// Reads an earlier survey.
fn read_earlier(path: &Path) -> Result<Survey> {
    let about = || format!("{} is not a survey written by --json", path_text(path));
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path_text(path)))?;
    let survey: Survey = serde_json::from_slice(&text).with_context(about)?;
    if survey.version != VERSION {
        bail!(
            "{}: unknown version {} of the survey format: expected {VERSION}",
            path_text(path),
            survey.version
        );
    }
    Ok(survey)
}
