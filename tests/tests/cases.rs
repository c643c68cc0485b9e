//! Runs every case below `cases/`, every row of `conformance/` and every fixture site as a trial of its own.

use anyhow::Result;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;

fn main() -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut trials = Vec::new();
    for folder in ["cases", "conformance", "fixtures/sites"] {
        for trial in robots_cases::trials(&here.join(folder))? {
            let file = trial.file.strip_prefix(here)?.display().to_string();
            let title = format!("{file}::{}", trial.name);
            let result = trial
                .result
                .map_err(|error| Failed::from(format!("{:#}", anyhow::Error::from(error))));
            trials.push(Trial::test(title, move || result));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}
