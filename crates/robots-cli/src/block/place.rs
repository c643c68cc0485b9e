//! The place of a new group in a robots.txt: the first at which, under every dialect, all other groups stay as they are.
//!
//! That is the top of nearly every file. It is not if the file begins with rules before the first `User-agent` line, which would
//! join the new group, or with a byte order mark: some robots do not recognise the field after it, and would do so below the group.
//!
//! Reads the file once for each dialect and place; there are up to [`MAX_PLACES`] places.

use robots_txt::parse::{Field, Line, LineKind, byte_order_mark};
use robots_txt::{Dialect, RobotsTxt};
use std::collections::BTreeSet;
use std::ops::Range;

/// The maximum number of places that are tried, next to the end of the file.
const MAX_PLACES: usize = 8;

/// A robots.txt with a new group.
pub(super) struct Placed {
    pub(super) body: Vec<u8>,
    /// The number of the first line of the group, from 1.
    pub(super) line: usize,
    /// The numbers of the new lines: those of the group, and the blank lines around it.
    pub(super) lines: Range<usize>,
    /// The new lines in bytes of the body.
    pub(super) span: Range<usize>,
}

impl Placed {
    /// Returns the number that a line of the old file has in the new one.
    pub(super) fn moved(&self, line: usize) -> usize {
        if line < self.lines.start {
            line
        } else {
            line + self.lines.len()
        }
    }
}

/// A group as a dialect sees it: its `User-agent` lines and its other directives, by number, field and value.
type Shape<'a> = [Vec<(usize, Field, &'a [u8])>; 2];

/// Adds a group, whose lines end with LF, to a file. Returns `None` if it would change another group at every place.
pub(super) fn add(old: &RobotsTxt, group: &str) -> Option<Placed> {
    let shapes: Vec<Vec<Shape>> = Dialect::ALL
        .iter()
        .map(|dialect| shapes(old, dialect))
        .collect();
    let is_kept = |placed: &Placed| {
        let new = RobotsTxt::parse(&placed.body);
        let mut each = Dialect::ALL.iter().zip(&shapes);
        each.all(|(dialect, shapes)| is_only_addition(shapes, &self::shapes(&new, dialect), placed))
    };
    places(old)
        .into_iter()
        .map(|at| add_at(old.body(), group, at))
        .find(is_kept)
}

/// Returns the offsets at which a group may begin: the top, above the first groups of each dialect and the comments above them, and
/// the end.
fn places(robots: &RobotsTxt) -> Vec<usize> {
    let top = byte_order_mark(robots.body());
    let mut starts = BTreeSet::from([top]);
    let mut agents = BTreeSet::new();
    for dialect in Dialect::ALL {
        let groups = robots.groups(dialect).into_iter();
        let first = groups.filter_map(|group| group.agents().first().map(Line::number));
        agents.extend(first.take(MAX_PLACES));
    }
    // The start of the comments, if any, that end above the line.
    let mut comments = None;
    for line in robots.lines() {
        if line.kind() == LineKind::Comment {
            comments.get_or_insert(line.offset());
            continue;
        }
        let start = comments.take().unwrap_or(line.offset());
        if agents.contains(&line.number()) {
            starts.insert(start.max(top));
        }
    }
    let mut places: Vec<usize> = starts.into_iter().take(MAX_PLACES).collect();
    places.push(robots.body().len());
    places
}

/// Adds a group at an offset, at which a line begins, or at the end. Blank lines separate it from others, and its lines end as the
/// first line does: with LF, or with CRLF. Lines that end with CR alone are not written: some robots do not accept that.
fn add_at(body: &[u8], group: &str, at: usize) -> Placed {
    let (before, after) = body.split_at(at);
    let first_end = body.iter().position(|byte| *byte == b'\n');
    let first_line = body.get(..first_end.unwrap_or(0)).unwrap_or_default();
    let line_end = if first_line.ends_with(b"\r") {
        "\r\n"
    } else {
        "\n"
    };
    let is_top = at == byte_order_mark(body);
    // Ends the last line. A CR would be one line end with the LF of a blank line.
    let end = match before.last() {
        Some(b'\n') => "",
        _ if is_top => "",
        Some(b'\r') => "\n",
        _ => line_end,
    };
    let before = [before, end.as_bytes()].concat();
    let [above, below] =
        [!is_top, !after.is_empty()].map(|is_apart| if is_apart { "\n" } else { "" });
    let text = [above, group, below].concat();
    let first = RobotsTxt::parse(&before).lines().count();
    let lines = first..first + text.matches('\n').count();
    let text = text.replace('\n', line_end);
    let span = before.len()..before.len() + text.len();
    Placed {
        line: first + above.len(),
        body: [&before, text.as_bytes(), after].concat(),
        lines,
        span,
    }
}

/// Returns the groups of a file as a dialect sees them.
fn shapes<'a>(robots: &'a RobotsTxt, dialect: &'a Dialect) -> Vec<Shape<'a>> {
    let part = |line: Line<'a>, field| (line.number(), field, line.value());
    let groups = robots.groups(dialect).into_iter();
    let shapes = groups.map(|group| {
        let agents = group.agents().iter();
        let directives = group.directives().iter();
        [
            agents.map(|line| part(*line, Field::UserAgent)).collect(),
            directives
                .map(|one| part(one.line(), one.field()))
                .collect(),
        ]
    });
    shapes.collect()
}

/// Returns whether the new groups are the old ones and one more. That one has new lines alone, and one rule.
fn is_only_addition(old: &[Shape<'_>], new: &[Shape<'_>], placed: &Placed) -> bool {
    let is_added = |(number, ..): &(usize, Field, &[u8])| placed.lines.contains(number);
    let moved =
        |(number, field, value): &(usize, Field, _)| (placed.moved(*number), *field, *value);
    let (added, others): (Vec<&Shape>, Vec<&Shape>) = new
        .iter()
        .partition(|[agents, _]| agents.iter().any(is_added));
    let is_whole = matches!(&added[..], [[agents, directives]]
        if directives.len() == 1 && agents.iter().chain(directives).all(is_added));
    is_whole
        && old.len() == others.len()
        && old.iter().zip(others).all(|(old, new)| {
            old.each_ref()
                .map(|part| part.iter().map(moved).collect::<Vec<_>>())
                == *new
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::group::Selection;
    use robots_policy::profile::AgentTable;
    use robots_txt::{Agent, Target};
    use std::collections::HashSet;
    use std::path::Path;

    robots_corpus::tests!(a_group_in_a_real_file_affects_no_other_robot);

    /// Returns paths that the rules of a file match, or nearly match.
    fn paths_of(robots: &RobotsTxt) -> Vec<String> {
        let lines = robots.lines();
        let rules = lines.filter(|line| matches!(line.field(), Field::Allow | Field::Disallow));
        let patterns = rules.map(|line| String::from_utf8_lossy(line.value()).into_owned());
        let paths = patterns.take(20).map(|pattern| {
            let path = pattern.replace('*', "x").replace('$', "");
            format!("/{}", path.trim_start_matches('/'))
        });
        paths
            .chain(["/".to_owned(), "/page?a=b".to_owned()])
            .collect()
    }

    /// Adds a group to a file, and compares every verdict, with its line, on the paths of its rules: for known robots and those that
    /// the file names, under each dialect. Returns whether the group is at the top.
    fn assert_only_named_robots_change(body: &[u8], selection: &Selection<'_>) -> bool {
        let group = selection.group(|_| true);
        let old = RobotsTxt::parse(body);
        let placed = add(&old, &group).expect("the file has a place");
        let [new, alone] = [&placed.body[..], group.as_bytes()].map(RobotsTxt::parse);
        let mut rest = placed.body.clone();
        rest.drain(placed.span.clone());
        assert!(
            rest.starts_with(body) || rest.len() == body.len() + 1 || rest.len() == body.len() + 2
        );
        let known = AgentTable::built_in().iter();
        let mut agents: Vec<Agent<'_>> = known.map(|robot| robot.agent()).collect();
        let lines = old.lines().filter(|line| line.field() == Field::UserAgent);
        let named = lines.map(|line| String::from_utf8_lossy(line.value()).into_owned());
        agents.extend(named.take(20).map(Agent::new));
        agents.push(Agent::new("ExampleBot"));
        let paths = paths_of(&old);
        let urls: Vec<String> = paths
            .iter()
            .map(|path| format!("https://a.example{path}"))
            .collect();
        let is_top = placed.span.start == byte_order_mark(body);
        let group_in_file = || String::from_utf8_lossy(&placed.body).into_owned();
        for dialect in Dialect::ALL {
            let all =
                [&old, &new, &alone].map(|file| file.rules_of_all(agents.iter().cloned(), dialect));
            let mut compared = HashSet::new();
            let [old, new, alone] = &all;
            for (((agent, old), new), alone) in agents
                .iter()
                .zip(old.iter())
                .zip(new.iter())
                .zip(alone.iter())
            {
                let is_selected = selection
                    .robots()
                    .any(|robot| robot.tokens().any(|token| token == agent.name()));
                // Robots may obey the group of another one, and a dialect may take the name of one for that of another.
                let is_named = alone.has_group();
                if !compared.insert((old.sharing_key(), new.sharing_key(), is_named, is_selected)) {
                    continue;
                }
                for url in &urls {
                    let target = Target::new(url);
                    let [old, new] = [old, new].map(|rules| rules.verdict(&target));
                    let about = || format!("{} {} {url}", dialect.name(), agent.name());
                    // What a group of its own allows stays allowed.
                    let line = new.line().unwrap_or_default();
                    let is_own = line > 0 && !placed.lines.contains(&line);
                    let is_blocked = !new.is_allowed() || url.ends_with("/robots.txt");
                    if is_selected && is_named {
                        // Below the top, the first group may be another one of the robot.
                        assert!(
                            is_blocked || is_own || !is_top,
                            "{}\n{}",
                            about(),
                            group_in_file()
                        );
                    } else if !is_named || !is_blocked {
                        assert_eq!(old.is_allowed(), new.is_allowed(), "{}", about());
                        let line = old.line().map(|line| placed.moved(line));
                        assert_eq!(line, new.line(), "{}", about());
                    }
                }
            }
        }
        is_top
    }

    fn a_group_in_a_real_file_affects_no_other_robot(corpus: &Path) {
        let records = robots_corpus::records(&corpus.join("corpus/robots.warc.gz")).unwrap();
        let table = AgentTable::built_in();
        let what = ["ai-train", "dataset", "Googlebot", "Baiduspider"].map(str::to_owned);
        let selection = Selection::new(&what, table, true, "").unwrap();
        let (mut files, mut at_top) = (0, 0);
        // More would take minutes.
        for record in records.iter().step_by(8) {
            let Some(Ok(response)) = record.http_response() else {
                continue;
            };
            let body = response.body();
            if body.len() < 400 * 1024 && !robots_txt::parse::looks_like_html(body) {
                files += 1;
                at_top += usize::from(assert_only_named_robots_change(body, &selection));
            }
        }
        assert!(
            files > 300 && at_top * 10 > files * 9,
            "{at_top} of {files}"
        );
    }

    /// Fragments of files that a new group could change, in every order.
    #[test]
    fn a_group_among_odd_lines_affects_no_other_robot() {
        let fragments = [
            "User-agent: *\n",
            "User-agent: b\r\n",
            "Useragent: GPTBot\n",
            "Disallow: /a\n",
            "Allow: /\r",
            "Disalow: /b\n",
            "Crawl-delay: 5\n",
            "# comment\n",
            "Robot-version: 2.0\n",
            "Sitemap: https://a.example/s\n",
            "\n",
            " \n",
            "Disallow: /z",
        ];
        let table = AgentTable::built_in();
        let what = ["GPTBot", "CCBot"].map(str::to_owned);
        let selection = Selection::new(&what, table, false, "").unwrap();
        let mut random = fastrand::Rng::with_seed(7);
        let mut without_place = 0;
        for _ in 0..2_000 {
            let mark = ["", "", "\u{feff}"][random.usize(..3)].as_bytes();
            let partial = if random.u8(..20) == 0 {
                &b"\xEF\xBB"[..]
            } else {
                mark
            };
            let mut body = partial.to_vec();
            for _ in 0..random.usize(..8) {
                body.extend(fragments[random.usize(..fragments.len())].as_bytes());
            }
            if add(&RobotsTxt::parse(&body), &selection.group(|_| true)).is_some() {
                assert_only_named_robots_change(&body, &selection);
            } else {
                without_place += 1;
            }
        }
        assert!(without_place < 400, "{without_place}");
    }
}
