//! The robots.txt files that were in force when the linted pages were captured.

use crate::args::Lint as Args;
use crate::progress::Progress;
use crate::robots_in_force::{Histories, InForce, host_of};
use anyhow::Result;
use robots_lint::RobotsInForce;
use robots_meta::Timestamp;
use robots_policy::AgentTable;
use robots_txt::{Dialect, Target};
use std::path::Path;
use url::Url;

/// The robots.txt files of an archive or of `--robots`, with the table of robots.
pub(super) struct CapturedRobots<'a> {
    table: &'a AgentTable,
    histories: Histories,
}

impl<'a> CapturedRobots<'a> {
    /// Reads the files of `--robots`, or else the archives among the inputs.
    pub(super) fn read(args: &'a Args, progress: &Progress) -> Result<Self> {
        let histories = if !args.meta {
            Histories::default()
        } else if args.robots.is_empty() {
            let archives = args.files.iter().map(AsRef::as_ref);
            Histories::of_archives(archives.filter(|path: &&Path| path.is_file()))
        } else {
            Histories::read(args.robots.iter().map(AsRef::as_ref), progress)?
        };
        Ok(Self {
            table: args.known.table(),
            histories,
        })
    }
}

impl RobotsInForce for CapturedRobots<'_> {
    fn denial(&self, url: &Url, time: Option<Timestamp>, agent: &str) -> Option<String> {
        let milliseconds = time.map_or(i64::MAX, |time| time.as_seconds().saturating_mul(1_000));
        let host = host_of(url);
        let versions = self.histories.in_force(host.as_deref(), milliseconds, 0)?;
        let InForce::File(file) = versions.current else {
            return None;
        };
        let rules = self
            .histories
            .file(file)?
            .rules(self.table.agent(agent), &Dialect::RFC9309);
        let target = Target::new(url.as_str());
        let verdict = rules.verdict(&target);
        (!verdict.is_allowed()).then(|| verdict.to_string())
    }
}
