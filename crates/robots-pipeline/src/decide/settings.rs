//! The settings of a run in its journal. A run that resumes it must have the same settings.

use crate::journal::Heading;
use crate::options::{FileOutput, Options, RobotsSource};
use crate::text::path_text;
use robots_meta::Timestamp;
use robots_policy::{Policies, Policy};
use robots_txt::dialect::Switch;
use serde::Serialize;
use serde_json::{Map, Value};
use std::io;
use std::path::PathBuf;

/// The settings that determine the output.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::struct_excessive_bools, reason = "one for each setting")]
struct Settings<'a> {
    agent: Vec<&'a str>,
    profile: Vec<String>,
    dialect: Vec<String>,
    robots: Robots,
    index: Vec<String>,
    verify_digests: bool,
    base: Option<&'a str>,
    all_types: bool,
    limit: Option<u64>,
    sample: Option<f64>,
    format: String,
    fields: Option<&'a [String]>,
    only: String,
    explain: bool,
}

/// The source of robots.txt files.
#[derive(Serialize)]
#[serde(untagged)]
enum Robots {
    Files(Vec<String>),
    Other(String),
}

fn texts(paths: &[PathBuf]) -> Vec<String> {
    let texts = paths.iter().map(path_text);
    texts.collect()
}

/// Returns the values of all switches of the dialect of a policy: profiles as TOML have only a dialect's name.
fn dialect(policy: &Policy) -> String {
    let dialect = policy.profile().dialect();
    let values = Switch::ALL
        .iter()
        .map(|&switch| format!("{switch} {}", dialect.value_of(switch)));
    values.collect::<Vec<_>>().join(", ")
}

/// Returns the settings that determine the output of a run, by name, with those of the caller.
///
/// # Errors
///
/// If a setting has no JSON form.
pub(super) fn settings(
    policies: &Policies,
    options: &Options,
    rows: &FileOutput,
    now: Timestamp,
) -> io::Result<Map<String, Value>> {
    let profiles = policies.iter().map(|policy| policy.profile().to_toml());
    let settings = Settings {
        agent: policies.iter().map(Policy::agent).collect(),
        profile: profiles.collect(),
        dialect: policies.iter().map(dialect).collect(),
        robots: match &options.robots {
            RobotsSource::Files(files) => Robots::Files(texts(files)),
            RobotsSource::Inputs => Robots::Other("inputs".to_owned()),
            RobotsSource::Known(_) => Robots::Other("store".to_owned()),
            RobotsSource::Book(book) => Robots::Other(format!(
                "book {:016x}",
                twox_hash::XxHash64::oneshot(0, &book.to_bytes())
            )),
        },
        index: texts(&options.index),
        verify_digests: options.verify_digests,
        base: options.base.as_ref().map(url::Url::as_str),
        all_types: options.all_types,
        limit: options.limit,
        sample: options.sample,
        format: format!("{:?}", rows.format),
        fields: rows.fields.as_deref(),
        only: format!("{:?}", rows.only),
        explain: rows.explain,
    };
    let mut settings: Map<String, Value> = serde_json::from_value(serde_json::to_value(settings)?)?;
    settings.insert(Heading::NOW.to_owned(), now.to_string().into());
    for (name, value) in &rows.settings {
        settings.insert(name.clone(), value.clone().into());
    }
    Ok(settings)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::sink::{Destination, Format};
    use robots_txt::Dialect;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn all_switches_of_dialects_count() {
        let now = Timestamp::from_seconds(0);
        let rows = FileOutput::new(Destination::Stdout, Format::Csv);
        let of = |limit| {
            let dialect = Dialect::RFC9309.with_line_limit(Some(limit));
            let policy = Policy::default().with_dialect(dialect);
            let policies = Policies::new(vec![policy]);
            settings(&policies, &Options::new(now), &rows, now).unwrap()
        };
        assert_eq!(of(100), of(100));
        let [some, others] = [of(100), of(200)];
        assert_eq!(some["profile"], others["profile"]);
        assert_ne!(some["dialect"], others["dialect"]);
    }

    #[test]
    fn paths_may_have_any_bytes() {
        let now = Timestamp::from_seconds(0);
        let options = Options {
            index: vec![PathBuf::from(OsStr::from_bytes(b"a\xFF.cdxj"))],
            ..Options::new(now)
        };
        let rows = FileOutput::new(Destination::Stdout, Format::Csv);
        let policies = Policies::new(vec![Policy::default()]);
        let settings = settings(&policies, &options, &rows, now).unwrap();
        assert_eq!(settings["index"][0], r"a\xff.cdxj");
        assert_eq!(settings[Heading::NOW], "1970-01-01T00:00:00Z");
    }
}
