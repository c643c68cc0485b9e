//! The counts of a survey. Each worker has its own; they are added at the end.

use crate::statistics::distribution::Distribution;
use crate::statistics::tally::Tally;
use robots_lint::FindingKind;
use robots_txt::analysis::Restriction;
use std::collections::BTreeMap;

/// All counts of a survey.
#[derive(Debug, Default)]
pub(super) struct Count {
    /// The responses to requests for /robots.txt, by class: `2xx` to `5xx`, `other`, and `none` without a response.
    pub(super) responses: BTreeMap<&'static str, u64>,
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
    pub(super) sizes: Sizes,
    /// The lines with each known field, and the files that have it.
    pub(super) fields: BTreeMap<&'static str, Hits>,
    /// The lines with each unknown field, and the files that have it.
    pub(super) unknown_fields: Tally<Hits>,
    /// The robots that files name.
    pub(super) agents: Tally<NamedRobot>,
    /// The restrictions of `*`, and then of each robot of the table in its order, whether a file names it or not.
    pub(super) restrictions: Vec<Restrictions>,
    /// The longest Crawl-delay of each file, in seconds.
    pub(super) delays: Distribution,
    pub(super) findings: BTreeMap<FindingKind, Hits>,
    /// The number of files with each kind of error that WebWatch, a survey of 1997, counted.
    pub(super) webwatch_errors: BTreeMap<&'static str, u64>,
    /// The number of files with each kind of statement about AI.
    pub(super) ai: BTreeMap<&'static str, u64>,
    /// The number of files that name more than [`MAX_RESTRICTIONS`](super::robots::MAX_RESTRICTIONS) robots.
    pub(super) beyond_restriction_limit: u64,
}

/// Distributions of sizes and numbers: of a file, or, in the last three, of a `User-agent` line.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    pub(super) bytes: Distribution,
    pub(super) lines: Distribution,
    /// The mean length of the lines of each file, rounded; line ends count.
    pub(super) bytes_per_line: Distribution,
    pub(super) comment_lines: Distribution,
    pub(super) lines_with_comment: Distribution,
    pub(super) blank_lines: Distribution,
    /// The comments and blank lines of each file, in percent of its lines, rounded.
    pub(super) unparsed_percent: Distribution,
    /// The lines with a field, known or not.
    pub(super) directives: Distribution,
    pub(super) user_agents: Distribution,
    pub(super) disallows: Distribution,
    pub(super) allows: Distribution,
    pub(super) sitemaps: Distribution,
    /// The directives in the group of each `User-agent` line.
    pub(super) directives_of_agent: Distribution,
    /// The Disallow rules among them.
    pub(super) disallows_of_agent: Distribution,
    /// The Allow rules among them.
    pub(super) allows_of_agent: Distribution,
}

impl Sizes {
    /// Returns each distribution with its name.
    pub(super) fn named(&self) -> [(&'static str, &Distribution); 15] {
        [
            ("bytes", &self.bytes),
            ("lines", &self.lines),
            ("bytes_per_line", &self.bytes_per_line),
            ("comment_lines", &self.comment_lines),
            ("lines_with_comment", &self.lines_with_comment),
            ("blank_lines", &self.blank_lines),
            ("unparsed_percent", &self.unparsed_percent),
            ("directives", &self.directives),
            ("user_agents", &self.user_agents),
            ("disallows", &self.disallows),
            ("allows", &self.allows),
            ("sitemaps", &self.sitemaps),
            ("directives_of_agent", &self.directives_of_agent),
            ("disallows_of_agent", &self.disallows_of_agent),
            ("allows_of_agent", &self.allows_of_agent),
        ]
    }

    /// Returns each distribution, in the order of [`named`](Self::named).
    fn named_mut(&mut self) -> [&mut Distribution; 15] {
        [
            &mut self.bytes,
            &mut self.lines,
            &mut self.bytes_per_line,
            &mut self.comment_lines,
            &mut self.lines_with_comment,
            &mut self.blank_lines,
            &mut self.unparsed_percent,
            &mut self.directives,
            &mut self.user_agents,
            &mut self.disallows,
            &mut self.allows,
            &mut self.sitemaps,
            &mut self.directives_of_agent,
            &mut self.disallows_of_agent,
            &mut self.allows_of_agent,
        ]
    }
}

/// The number of times that something occurs, and of the files or pages that have it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hits {
    pub(super) times: u64,
    pub(super) files: u64,
}

impl Hits {
    /// Adds the occurrences in one file.
    pub(super) fn add(&mut self, times: u64) {
        self.times = self.times.saturating_add(times);
        self.files = self.files.saturating_add(u64::from(times > 0));
    }

    fn merge(&mut self, other: Self) {
        self.times = self.times.saturating_add(other.times);
        self.files = self.files.saturating_add(other.files);
    }
}

/// The number of files with each degree of restriction (`docs/semantics.md`, section 8.7).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Restrictions {
    pub(super) none: u64,
    pub(super) some: u64,
    pub(super) all_except: u64,
    pub(super) all: u64,
    /// The number of files whose restriction was not computed, as that would take too long.
    pub(super) unknown: u64,
}

impl Restrictions {
    /// Counts a file.
    pub(super) fn add(&mut self, restriction: Restriction) {
        let count = match restriction {
            Restriction::None => &mut self.none,
            Restriction::Some => &mut self.some,
            Restriction::AllExcept => &mut self.all_except,
            Restriction::All => &mut self.all,
            // `Restriction::Unknown`.
            _ => &mut self.unknown,
        };
        *count = count.saturating_add(1);
    }

    fn merge(&mut self, other: Self) {
        self.none = self.none.saturating_add(other.none);
        self.some = self.some.saturating_add(other.some);
        self.all_except = self.all_except.saturating_add(other.all_except);
        self.all = self.all.saturating_add(other.all);
        self.unknown = self.unknown.saturating_add(other.unknown);
    }
}

/// The files that name a robot, and their restrictions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NamedRobot {
    /// The number of files that name it.
    pub(super) files: u64,
    pub(super) restrictions: Restrictions,
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
        let count = self.responses.entry(class).or_default();
        *count = count.saturating_add(1);
    }
}

/// Adds numbers to those with the same key.
fn add_all<K: Ord>(own: &mut BTreeMap<K, u64>, other: BTreeMap<K, u64>) {
    for (key, count) in other {
        let own = own.entry(key).or_default();
        *own = own.saturating_add(count);
    }
}

/// Adds hits to those with the same key.
fn merge_hits<K: Ord>(own: &mut BTreeMap<K, Hits>, other: BTreeMap<K, Hits>) {
    for (key, hits) in other {
        own.entry(key).or_default().merge(hits);
    }
}

impl Robots {
    fn merge(&mut self, other: Self) {
        self.files = self.files.saturating_add(other.files);
        self.html = self.html.saturating_add(other.html);
        self.over_limit = self.over_limit.saturating_add(other.over_limit);
        self.comments_alone = self.comments_alone.saturating_add(other.comments_alone);
        self.beyond_restriction_limit = self
            .beyond_restriction_limit
            .saturating_add(other.beyond_restriction_limit);
        let sizes = self.sizes.named_mut().into_iter();
        for (own, (_, other)) in sizes.zip(other.sizes.named()) {
            own.merge(other);
        }
        merge_hits(&mut self.fields, other.fields);
        self.unknown_fields.merge(other.unknown_fields, Hits::merge);
        self.agents.merge(other.agents, |own, other| {
            own.files = own.files.saturating_add(other.files);
            own.restrictions.merge(other.restrictions);
        });
        // The list of a worker is empty until it counts its first file.
        let length = self.restrictions.len().max(other.restrictions.len());
        self.restrictions.resize_with(length, Restrictions::default);
        for (own, other) in self.restrictions.iter_mut().zip(other.restrictions) {
            own.merge(other);
        }
        self.delays.merge(&other.delays);
        merge_hits(&mut self.findings, other.findings);
        add_all(&mut self.webwatch_errors, other.webwatch_errors);
        add_all(&mut self.ai, other.ai);
    }
}

impl Pages {
    fn merge(&mut self, other: Self) {
        self.all = self.all.saturating_add(other.all);
        self.with_meta = self.with_meta.saturating_add(other.with_meta);
        self.with_header = self.with_header.saturating_add(other.with_header);
        self.with_canonical = self.with_canonical.saturating_add(other.with_canonical);
        self.with_description = self.with_description.saturating_add(other.with_description);
        self.meta_directives
            .merge(other.meta_directives, Hits::merge);
        self.header_directives
            .merge(other.header_directives, Hits::merge);
        self.meta_names.merge(other.meta_names, Hits::merge);
    }
}
