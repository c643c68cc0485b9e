//! Every case below `cases/`, as a trial of its own.

use anyhow::{Context, Result, bail, ensure};
use libtest_mimic::{Arguments, Failed, Trial};
use robots_tests::case::{PageCase, PageFile, RobotsCase, RobotsFile, agent, dialect};
use robots_tests::expect_fields;
use robots_txt::{RobotsTxt, Target};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<()> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut trials = Vec::new();
    for file in files(&cases.join("robots"))? {
        let cases: RobotsFile = read(&file)?;
        for case in cases.case {
            for name in case.dialects.clone() {
                let title = format!("robots::{}::{} ({name})", stem(&file), case.name);
                let bytes = case.bytes();
                trials.push((title, robots_trial(&case, &bytes, &name)));
            }
        }
    }
    for file in files(&cases.join("pages"))? {
        let cases: PageFile = read(&file)?;
        for case in cases.case {
            let title = format!("pages::{}::{}", stem(&file), case.name);
            trials.push((title, page_trial(&case)));
        }
    }
    let mut titles = BTreeSet::new();
    for (title, _) in &trials {
        ensure!(
            titles.insert(title.clone()),
            "two cases are named {title:?}"
        );
    }
    let trials = trials
        .into_iter()
        .map(|(title, result)| {
            Trial::test(title, move || {
                result.map_err(|error| Failed::from(format!("{error:#}")))
            })
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}

fn robots_trial(case: &RobotsCase, bytes: &[u8], dialect_name: &str) -> Result<()> {
    let dialect = dialect(dialect_name).with_context(|| format!("no dialect {dialect_name:?}"))?;
    ensure!(
        !case.ask.is_empty() || !case.delay.is_empty(),
        "the case asks for nothing"
    );
    let mut robots = RobotsTxt::parse(bytes);
    if let Some(url) = &case.url {
        robots = robots.with_url(url);
    }
    for delay in &case.delay {
        let rules = robots.rules(agent(&delay.agent), &dialect);
        let found = rules.crawl_delay().map(|found| found.delay().as_secs_f64());
        if found != delay.seconds {
            bail!("{}: {found:?}, expected {:?}", delay.agent, delay.seconds);
        }
    }
    for ask in &case.ask {
        let rules = robots.rules(agent(&ask.agent), &dialect);
        let verdict = rules.verdict(&Target::new(&ask.url));
        let word = if verdict.is_allowed() {
            "allow"
        } else {
            "disallow"
        };
        if word != ask.expect {
            bail!(
                "{} on {}: {verdict}; expected {}",
                ask.agent,
                ask.url,
                ask.expect
            );
        }
        if let Some(line) = ask.line
            && verdict.line().unwrap_or(0) != line
        {
            bail!(
                "{} on {}: {verdict}; expected line {line}",
                ask.agent,
                ask.url
            );
        }
    }
    Ok(())
}

fn page_trial(case: &PageCase) -> Result<()> {
    expect_fields(&case.decide()?, &case.expect)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    Ok(files)
}

fn read<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T> {
    let text = fs::read_to_string(file)?;
    toml::from_str(&text).with_context(|| format!("in {}", file.display()))
}

fn stem(file: &Path) -> String {
    file.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
