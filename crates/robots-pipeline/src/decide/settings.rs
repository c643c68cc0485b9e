//! The settings of a run in its journal. A run that resumes it must have the same settings.

use crate::journal::Heading;
use crate::options::{Options, RobotsSource};
use crate::sink::FileOutput;
use crate::text::path_text;
use robots_meta::Timestamp;
use robots_policy::{Policies, Policy};
use robots_txt::dialect::Switch;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

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
pub(super) fn settings(
    policies: &Policies,
    options: &Options,
    rows: &FileOutput,
    now: Option<Timestamp>,
) -> Map<String, Value> {
    let of_policies = |of: fn(&Policy) -> String| -> Vec<_> { policies.iter().map(of).collect() };
    let robots = match &options.robots {
        RobotsSource::Files(files) => json!(texts(files)),
        RobotsSource::Inputs => json!("inputs"),
        RobotsSource::Known(_) => json!("store"),
        RobotsSource::Book(book) => {
            let checksum = twox_hash::XxHash64::oneshot(0, &book.to_bytes());
            json!(format!("book {checksum:016x}"))
        }
    };
    let settings = [
        (
            "agent",
            json!(of_policies(|policy| policy.agent().to_owned())),
        ),
        (
            "profile",
            json!(of_policies(|policy| policy.profile().to_toml())),
        ),
        ("dialect", json!(of_policies(dialect))),
        (
            "scripting",
            json!(policies.iter().any(Policy::has_scripting)),
        ),
        ("robots", robots),
        ("index", json!(texts(&options.index))),
        ("verify-digests", json!(options.verify_digests)),
        ("base", json!(options.base.as_ref().map(url::Url::as_str))),
        ("all-types", json!(options.all_types)),
        ("limit", json!(options.limit)),
        ("sample", json!(options.sample)),
        ("format", json!(format!("{:?}", rows.format))),
        ("fields", json!(rows.fields)),
        (
            "only",
            json!(rows.only.iter().map(|only| only.name()).collect::<Vec<_>>()),
        ),
        ("explain", json!(rows.explain)),
        ("evidence", json!(rows.evidence)),
        (
            "overrides",
            json!(
                options
                    .overrides
                    .as_ref()
                    .map(|overrides| overrides.digest())
            ),
        ),
        (Heading::NOW, json!(now.map(|now| now.to_string()))),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value));
    let others = rows.settings.iter();
    let others = others.map(|(name, value)| (name.clone(), json!(value)));
    settings.into_iter().chain(others).collect()
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
            settings(&policies, &Options::new(now), &rows, Some(now))
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
        let settings = settings(&policies, &options, &rows, Some(now));
        assert_eq!(settings["index"][0], r"a\xff.cdxj");
        assert_eq!(settings[Heading::NOW], "1970-01-01T00:00:00Z");
    }
}
