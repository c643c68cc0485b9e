//! Runs every case below `cases/`, every row of `conformance/` and every fixture site as a trial of its own. Decides
//! about each page again without reasons: the other fields stay the same.

use anyhow::Result;
use libtest_mimic::{Arguments, Failed, Trial};
use robots_cases::page_case::{PageCase, PageFile};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn main() -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut trials = Vec::new();
    for folder in ["cases", "conformance", "fixtures/sites"] {
        for question in robots_cases::check_all(&here.join(folder))? {
            let file = question.file.strip_prefix(here)?.display().to_string();
            let title = format!("{file}::{}", question.name);
            let result = question
                .result
                .map_err(|error| Failed::from(format!("{:#}", anyhow::Error::from(error))));
            trials.push(Trial::test(title, move || result));
        }
    }
    for file in robots_cases::files(&here.join("cases"))? {
        let title = format!("{}: sources", file.strip_prefix(here)?.display());
        trials.push(Trial::test(title, move || check_sources(&file)));
    }
    for file in robots_cases::files(&here.join("cases/pages"))? {
        let name = file.strip_prefix(here)?.display().to_string();
        let pages: PageFile = toml::from_str(&fs::read_to_string(&file)?)?;
        trials.extend(pages.case.into_iter().map(|case| {
            let title = format!("{name}::{}, without reasons", case.name);
            Trial::test(title, move || check_without_reasons(&case))
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}

/// Checks that each case states its source, which cases of other projects need not.
fn check_sources(file: &Path) -> Result<(), Failed> {
    let cases: BTreeMap<String, Vec<toml::Table>> = toml::from_str(&fs::read_to_string(file)?)?;
    let has_source = |case: &&toml::Table| {
        let source = case.get("source").and_then(toml::Value::as_str);
        source.is_some_and(|source| !source.trim().is_empty())
    };
    match cases.values().flatten().find(|case| !has_source(case)) {
        Some(case) => Err(format!("no source: {case}").into()),
        None => Ok(()),
    }
}

/// Checks that a decision without reasons and warnings has the same fields otherwise.
fn check_without_reasons(case: &PageCase) -> Result<(), Failed> {
    let mut expected = case.decide()?;
    expected.reasons.clear();
    expected.warnings.clear();
    let found = case.decide_without_reasons()?;
    if found == expected {
        return Ok(());
    }
    Err(format!("{found:?}, expected {expected:?}").into())
}
