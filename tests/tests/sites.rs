//! Every question of every fixture site, as a trial of its own.

use anyhow::{Context, Result};
use libtest_mimic::{Arguments, Failed, Trial};
use robots_policy::Profile;
use robots_tests::{expect_fields, site};
use std::sync::Arc;

fn main() -> Result<()> {
    let mut trials = Vec::new();
    for (name, site) in site::all()? {
        let site = Arc::new(site);
        for index in 0..site.question.len() {
            let site = Arc::clone(&site);
            let Some(question) = site.question.get(index) else {
                continue;
            };
            let title = format!("{name}::{} {}", question.agent, question.url);
            trials.push(Trial::test(title, move || {
                ask(&site, index).map_err(|error| Failed::from(format!("{error:#}")))
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}

fn ask(site: &site::Site, index: usize) -> Result<()> {
    let Some(question) = site.question.get(index) else {
        return Ok(());
    };
    let name = question.profile.as_deref().unwrap_or(Profile::NEUTRAL);
    let profile = Profile::by_name(name).with_context(|| format!("no profile {name:?}"))?;
    let decision = site.decide(&profile, &question.agent, &question.url)?;
    expect_fields(&decision, &question.expect)
}
