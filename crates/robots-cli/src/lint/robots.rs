//! The robots.txt files that were in force when the linted pages were captured.

use crate::args::{Lint as Args, RobotsSource};
use crate::progress::Progress;
use anyhow::Result;
use robots_lint::{RobotsInForce, denial};
use robots_meta::Timestamp;
use robots_pipeline::robots::parsed_book::ParsedBook;
use robots_pipeline::robots::site::Sites;
use robots_policy::Profile;
use robots_policy::profile::AgentTable;
use robots_policy::robots::RobotsState;
use std::path::Path;
use url::Url;

/// The robots.txt files of an archive or of `--robots`, with the table of robots.
pub(super) struct CapturedRobots<'a> {
    table: &'a AgentTable,
    book: ParsedBook,
}

impl<'a> CapturedRobots<'a> {
    /// Reads the files of `--robots`, or else the archives among the inputs and in folders. Reads nothing without `--meta`: only findings
    /// about pages need them.
    pub(super) fn read(args: &'a Args, progress: &Progress) -> Result<Self> {
        let book = if !args.meta {
            ParsedBook::new(Sites::Origins)
        } else if args.robots.is_empty() {
            // The pages are read later, and a pipe cannot be read twice.
            let archives = args.files.iter().map(AsRef::as_ref);
            let archives = archives.filter(|path: &&Path| path.is_file() || path.is_dir());
            ParsedBook::read_archives(Sites::Origins, archives)
        } else {
            let robots = args.robots.iter().map(RobotsSource::parts);
            ParsedBook::read(Sites::Origins, robots, progress)?
        };
        Ok(Self {
            table: args.known.table(),
            book,
        })
    }
}

impl RobotsInForce for CapturedRobots<'_> {
    fn denial(&self, url: &Url, time: Option<Timestamp>, agent: &str) -> Option<String> {
        // Only the state at the time of the capture counts, not earlier ones.
        let grace_seconds = 0;
        let profile = Profile::of_robot(agent);
        let in_force = self
            .book
            .in_force(url.as_str(), time, grace_seconds, profile.outcomes())?;
        let file = match in_force.current {
            RobotsState::Rules(file) => file?,
            RobotsState::DenyAll(cause) => return Some(cause.to_string()),
            // The page is allowed, not known to be denied, or deferred: then a robot may fetch it later.
            _ => return None,
        };
        denial(file, self.table, url, agent)
    }
}
