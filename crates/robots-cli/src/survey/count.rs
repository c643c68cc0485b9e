//! The counts of a survey. Each worker has its own; they are added at the end.

use crate::statistics::distribution::Distribution;
use crate::statistics::tally::Tally;
use robots_lint::FindingKind;
use robots_txt::analysis::Restriction;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Numbers by name.
pub(super) type Numbers = BTreeMap<String, u64>;

/// All counts of a survey.
#[derive(Debug, Default)]
pub(super) struct Count {
    /// The responses to requests for /robots.txt, by class: `2xx` to `5xx`, `other`, and `none` without a response.
    pub(super) responses: Numbers,
    pub(super) robots: Robots,
    pub(super) pages: Pages,
}

/// The counts of robots.txt files.
#[derive(Debug, Default)]
pub(super) struct Robots {
    pub(super) files: u64,
    /// The number of files that are HTML pages.
    pub(super) html: u64,
    /// The number of files of more than 500 KiB.
    pub(super) over_limit: u64,
    /// The number of files with comments and nothing else.
    pub(super) comments_alone: u64,
    /// The distributions of [`SIZES`], by their names.
    pub(super) sizes: BTreeMap<&'static str, Distribution>,
    /// The lines with each known field, and the files that have it.
    pub(super) fields: BTreeMap<&'static str, Hits>,
    /// The lines with each unknown field, and the files that have it.
    pub(super) unknown_fields: Tally<Hits>,
    /// The robots that files name.
    pub(super) agents: Tally<Agent>,
    /// The restrictions of `*`, and then of each robot of the table in its order, whether a file names it or not.
    pub(super) known_agents: Vec<Agent>,
    /// The longest Crawl-delay of each file, in seconds.
    pub(super) delays: Distribution,
    pub(super) findings: BTreeMap<FindingKind, Hits>,
    /// The number of files with each kind of error that WebWatch, a survey of 1997, counted.
    pub(super) webwatch_errors: Numbers,
    /// The number of files with each kind of statement about AI.
    pub(super) ai: Numbers,
    /// The number of files that name more than [`MAX_RESTRICTIONS`](super::robots::MAX_RESTRICTIONS) robots.
    pub(super) beyond_restriction_limit: u64,
}

/// The names of the sizes, in the order in which reports show them: numbers per file; the last three per `User-agent` line.
pub(super) const SIZES: [&str; 15] = [
    "bytes",
    "lines",
    // The mean length of the lines of each file, rounded; line ends count.
    "bytes_per_line",
    "comment_lines",
    "lines_with_comment",
    "blank_lines",
    // The comments and blank lines of each file, in percent of its lines, rounded.
    "unparsed_percent",
    // The lines with a field, known or not.
    "directives",
    "user_agents",
    "disallows",
    "allows",
    "sitemaps",
    // The directives in the group of each `User-agent` line, and the Disallow and Allow rules among them.
    "directives_of_agent",
    "disallows_of_agent",
    "allows_of_agent",
];

/// The number of times that something occurs, and of the files or pages that have it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hits {
    pub(super) times: u64,
    pub(super) files: u64,
}

impl Hits {
    /// Adds the occurrences in one file.
    pub(super) fn add(&mut self, times: u64) {
        self.times += times;
        self.files += u64::from(times > 0);
    }

    fn merge(&mut self, other: Self) {
        self.times += other.times;
        self.files += other.files;
    }
}

/// A robot, with the number of files of each degree of restriction (`docs/semantics.md`, section 8.7).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Agent {
    /// The name; empty until all files are counted.
    pub(super) name: String,
    /// Whether it fetches for AI, according to the table; `false` until all files are counted.
    pub(super) ai: bool,
    /// The profile under which it reads files; `None` with a dialect for all robots, and until all files are counted.
    pub(super) profile: Option<String>,
    /// The number of files that name it.
    pub(super) files: u64,
    pub(super) none: u64,
    pub(super) some: u64,
    pub(super) all_except: u64,
    pub(super) all: u64,
    /// The number of files whose restriction was not computed, as that would take too long.
    pub(super) unknown: u64,
}

impl Agent {
    /// Returns the number of files whose restriction is known.
    pub(super) fn with_known_restriction(&self) -> u64 {
        [self.none, self.some, self.all_except, self.all]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Counts a file with this restriction.
    pub(super) fn add(&mut self, restriction: Restriction) {
        let count = match restriction {
            Restriction::None => &mut self.none,
            Restriction::Some => &mut self.some,
            Restriction::AllExcept => &mut self.all_except,
            Restriction::All => &mut self.all,
            // `Restriction::Unknown`.
            _ => &mut self.unknown,
        };
        *count += 1;
    }

    fn merge(&mut self, other: &Self) {
        self.files += other.files;
        self.none += other.none;
        self.some += other.some;
        self.all_except += other.all_except;
        self.all += other.all;
        self.unknown += other.unknown;
    }
}

/// The counts of pages.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// The number of pages.
    pub(super) all: u64,
    /// The number of pages with a META for robots.
    pub(super) with_meta: u64,
    /// The number of pages with an X-Robots-Tag header.
    pub(super) with_header: u64,
    pub(super) with_canonical: u64,
    pub(super) with_description: u64,
    /// The directives of METAs.
    pub(super) meta_directives: Tally<Hits>,
    /// The directives of headers.
    pub(super) header_directives: Tally<Hits>,
    /// The names of METAs: `robots`, `googlebot`.
    pub(super) meta_names: Tally<Hits>,
}

impl Count {
    /// Adds the counts of another.
    pub(super) fn merge(&mut self, other: Self) {
        add_all(&mut self.responses, other.responses);
        self.robots.merge(other.robots);
        self.pages.merge(other.pages);
    }

    /// Counts a response of a class.
    pub(super) fn add_response(&mut self, class: &'static str) {
        *self.responses.entry(class.to_owned()).or_default() += 1;
    }
}

/// Adds numbers to those of the same name.
fn add_all(own: &mut Numbers, other: Numbers) {
    for (name, number) in other {
        *own.entry(name).or_default() += number;
    }
}

/// Adds hits to those with the same key.
fn merge_hits<K: Ord>(own: &mut BTreeMap<K, Hits>, other: BTreeMap<K, Hits>) {
    for (key, hits) in other {
        own.entry(key).or_default().merge(hits);
    }
}

impl Robots {
    /// Adds a size of this name, one of [`SIZES`].
    pub(super) fn add_size(&mut self, name: &'static str, size: usize) {
        self.sizes.entry(name).or_default().add(size);
    }

    fn merge(&mut self, other: Self) {
        self.files += other.files;
        self.html += other.html;
        self.over_limit += other.over_limit;
        self.comments_alone += other.comments_alone;
        self.beyond_restriction_limit += other.beyond_restriction_limit;
        for (name, other) in &other.sizes {
            self.sizes.entry(name).or_default().merge(other);
        }
        merge_hits(&mut self.fields, other.fields);
        self.unknown_fields.merge(other.unknown_fields, Hits::merge);
        self.agents
            .merge(other.agents, |own, other| own.merge(&other));
        // The list of a worker is empty until it counts its first file.
        let length = self.known_agents.len().max(other.known_agents.len());
        self.known_agents.resize_with(length, Agent::default);
        for (own, other) in self.known_agents.iter_mut().zip(other.known_agents) {
            own.merge(&other);
        }
        self.delays.merge(&other.delays);
        merge_hits(&mut self.findings, other.findings);
        add_all(&mut self.webwatch_errors, other.webwatch_errors);
        add_all(&mut self.ai, other.ai);
    }
}

impl Pages {
    fn merge(&mut self, other: Self) {
        self.all += other.all;
        self.with_meta += other.with_meta;
        self.with_header += other.with_header;
        self.with_canonical += other.with_canonical;
        self.with_description += other.with_description;
        self.meta_directives
            .merge(other.meta_directives, Hits::merge);
        self.header_directives
            .merge(other.header_directives, Hits::merge);
        self.meta_names.merge(other.meta_names, Hits::merge);
    }
}
