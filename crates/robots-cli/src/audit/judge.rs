//! The judge of blocks: reads each line, identifies the requester, and checks whether the robots.txt in force allowed the
//! request.

use super::count::{Count, DayCount, ForbiddenRequest, LogPosition, RobotCount, RobotName};
use super::log::{self, BadLine, Directives, MAX_LINE_BYTES, Request, TimeReader};
use super::requester::{Claim, Identifier, Requester};
use crate::terminal::shortened;
use memchr::memchr;
use robots_answers::named_robots::named_robots;
use robots_meta::Timestamp;
use robots_pipeline::robots::parsed_book::ParsedBook;
use robots_pipeline::robots::site::plain_host;
use robots_policy::Profile;
use robots_policy::profile::{AgentTable, KnownAgent};
use robots_policy::robots::{Cause, FailureState, OutcomeMeaning, OutcomeTable, RobotsState, Step};
use robots_txt::{Dialect, RobotsTxt, Rules, Target};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The maximum number of entries in each cache: of rules and of unnamed robots. A full cache is emptied.
const MAX_KEPT: usize = 2_000;

/// The maximum number of characters of a path or a rule in a report.
const MAX_SHOWN_CHARS: usize = 200;

/// The settings of an audit, the same for all blocks.
#[derive(Debug)]
pub(super) struct Settings<'t> {
    pub(super) table: &'t AgentTable,
    pub(super) robots: &'t ParsedBook,
    /// The meaning of the outcomes of requests for robots.txt.
    pub(super) outcomes: OutcomeTable,
    pub(super) hosts: &'t super::hosts::Hosts,
    pub(super) ranges: &'t super::ranges::Ranges,
    pub(super) proxies: &'t super::client::Proxies<'t>,
    /// The host of lines that do not name one.
    pub(super) host: Option<String>,
    /// The time for which an older robots.txt still applies, in milliseconds.
    pub(super) grace: i64,
    /// The dialect of all robots; without one, each robot has the dialect of its engine.
    pub(super) dialect: Option<Dialect>,
}

/// A judge of blocks, one after the other.
#[derive(Debug)]
pub(super) struct Judge<'t> {
    settings: &'t Settings<'t>,
    identifier: Identifier<'t>,
    times: TimeReader,
    /// The rules of each file, by its address, for each robot.
    rules: HashMap<(usize, Arc<str>), Arc<Rules>>,
    /// Pairs of a file and a robot that the file does not name: its rules for `*` apply to the robot.
    unnamed: HashSet<(usize, Arc<str>)>,
    /// `*`: the name for robots that a file does not name.
    everyone: Arc<str>,
    /// The robots that each file names, in lower case.
    named: HashMap<usize, HashSet<String>>,
}

/// The judgement of a request by the file in force, and the delay in milliseconds that the file requests.
struct JudgedRequest {
    judgement: Judgement,
    delay: Option<u32>,
    /// Whether the first known file is later than the request.
    is_early: bool,
}

enum Judgement {
    Allowed,
    /// Forbidden by the file in force, but allowed by an older one that still applies.
    InGrace,
    /// Forbidden by this rule.
    Forbidden(String),
    /// No robots.txt of the host is known, or the request has no path.
    Unjudged,
}

impl<'t> Judge<'t> {
    pub(super) fn new(settings: &'t Settings<'t>) -> Self {
        Self {
            settings,
            identifier: Identifier::new(
                settings.table,
                settings.hosts,
                settings.ranges,
                settings.proxies,
            ),
            times: TimeReader::default(),
            rules: HashMap::new(),
            unnamed: HashSet::new(),
            everyone: "*".into(),
            named: HashMap::new(),
        }
    }

    /// Counts the lines of a block, which has only whole lines. `log_index` is the index of the log, and `directives` are
    /// those of the log before the block.
    ///
    /// `line_number` is the number of lines of the log before the block, and becomes the number of lines up to its end. Empty
    /// lines and directives count, too.
    pub(super) fn count_lines(
        &mut self,
        log_index: usize,
        mut block: &[u8],
        mut directives: Directives,
        line_number: &mut u64,
        count: &mut Count,
    ) {
        while !block.is_empty() {
            *line_number += 1;
            let end = memchr(b'\n', block).unwrap_or(block.len());
            let (line, rest) = block.split_at(end);
            block = rest.get(1..).unwrap_or_default();
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() || directives.read(line) {
                continue;
            }
            count.lines += 1;
            let at = LogPosition {
                log: log_index,
                line: *line_number,
            };
            let read = if line.len() > MAX_LINE_BYTES {
                Err(BadLine::TooLong)
            } else {
                log::read(line, &directives, &mut self.times)
            };
            match read {
                Ok(request) => self.count_request(&request, at, count),
                Err(reason) => count.add_bad_line(reason, at, line),
            }
        }
    }

    /// Counts a request by its requester. Judges a robot's request, except one for robots.txt: that is always allowed.
    fn count_request(&mut self, request: &Request<'_>, at: LogPosition, count: &mut Count) {
        /// The length of a day, in milliseconds.
        const DAY: i64 = 86_400_000;
        *count.formats.entry(request.format).or_default() += 1;
        let time = request.time.milliseconds;
        count.time.add(time);
        let is_robots_txt = is_robots_txt(&request.target);
        let requester = self.identifier.identify(request);
        let is_robot = matches!(&requester, Requester::Robot { .. });
        let is_ai =
            matches!(&requester, Requester::Robot { known: Some(known), .. } if known.is_ai());
        let day: &mut DayCount = count.days.entry(time.div_euclid(DAY)).or_default();
        day.requests += 1;
        day.robots += u64::from(is_robot);
        day.ai += u64::from(is_ai);
        match requester {
            Requester::Robot { token, known } if is_robots_txt => {
                let robot = self.count_for_robot(token, known, request, count);
                robot.robots_txt.add(request.status);
            }
            Requester::Robot { token, known } => self.count_page(token, known, request, at, count),
            Requester::Program(token) => {
                if let Some(requests) = count.programs.of(&token) {
                    requests.add(is_robots_txt);
                }
            }
            Requester::Browser => count.browsers.add(is_robots_txt),
            Requester::Unnamed => count.unnamed.add(is_robots_txt),
        }
    }

    /// Counts a request of a robot, for robots.txt or anything else. Returns the counts of the robot.
    fn count_for_robot<'c>(
        &self,
        token: Arc<str>,
        known: Option<&KnownAgent>,
        request: &Request<'_>,
        count: &'c mut Count,
    ) -> &'c mut RobotCount {
        let claim = known.map_or(Claim::Unknown, |known| {
            self.identifier.verify(known, request)
        });
        let robot = count.robot(RobotName {
            token,
            is_refuted: claim == Claim::Refuted,
        });
        robot.requests += 1;
        robot.bytes = robot.bytes.saturating_add(request.bytes);
        robot.time.add(request.time.milliseconds);
        robot.statuses.add(request.status);
        robot.add_claim(claim);
        robot
    }

    /// Counts and judges a request of a robot for anything but robots.txt.
    fn count_page(
        &mut self,
        token: Arc<str>,
        known: Option<&KnownAgent>,
        request: &Request<'_>,
        at: LogPosition,
        count: &mut Count,
    ) {
        let target = &*request.target;
        let time = request.time.milliseconds;
        let host = request.host.as_deref();
        let host = host.map(|host| plain_host(&String::from_utf8_lossy(host)));
        let host = host.as_deref().or(self.settings.host.as_deref());
        let judged = self.judge(&token, host, time, target);
        let is_judged = !matches!(judged.judgement, Judgement::Unjudged);
        count.unjudged += u64::from(!is_judged);
        count.early += u64::from(judged.is_early);
        let robot = self.count_for_robot(token, known, request, count);
        if let Some(times) = robot.paths.of(&first_part(target)) {
            *times += 1;
        }
        let host = host.unwrap_or_default();
        robot.pace.add(host.into(), request.time, judged.delay);
        robot.judged += u64::from(is_judged);
        match judged.judgement {
            Judgement::InGrace => robot.in_grace += 1,
            Judgement::Forbidden(rule) => {
                robot.forbidden += 1;
                if let Some(times) = robot.rules.of(&rule) {
                    *times += 1;
                }
                robot.add_example(|| ForbiddenRequest {
                    at,
                    time,
                    target: shown(target),
                    rule,
                });
            }
            Judgement::Allowed | Judgement::Unjudged => {}
        }
    }

    /// Judges a request of a robot for a target of a host, at a time in milliseconds.
    fn judge(
        &mut self,
        token: &Arc<str>,
        host: Option<&str>,
        time: i64,
        target: &[u8],
    ) -> JudgedRequest {
        let mut judged = JudgedRequest {
            judgement: Judgement::Unjudged,
            delay: None,
            is_early: false,
        };
        // A log has no scheme, and a host has one history for all schemes. Without a host, the empty URL finds only a file
        // that applies to every host.
        let site = host.map_or(String::new(), |host| format!("http://{host}/"));
        let date = Timestamp::from_seconds(time.div_euclid(1_000));
        let grace = self.settings.grace.div_euclid(1_000);
        let robots = self.settings.robots;
        let known = robots.in_force(&site, Some(date), grace, &self.settings.outcomes);
        let (Some(known), Some(url)) = (known, url_of(target)) else {
            return judged;
        };
        let Some(current) = SiteFile::of(known.current) else {
            return judged;
        };
        judged.is_early = known.is_early;
        judged.judgement = Judgement::Allowed;
        let SiteFile::Present(file) = current else {
            return judged;
        };
        let target = Target::new(&url);
        let (rule, delay) = self.rule_and_delay(file, token, &target);
        judged.delay = delay;
        if rule.is_none() && delay.is_none() {
            // Whatever an earlier file says, the request was allowed, and no delay is less than any.
            return judged;
        }
        // The files that another one replaced within the grace time.
        let mut was_allowed = false;
        for earlier in known.earlier.into_iter().filter_map(SiteFile::of) {
            let (rule, delay) = match earlier {
                SiteFile::Present(file) => self.rule_and_delay(file, token, &target),
                SiteFile::Absent => (None, None),
            };
            was_allowed |= rule.is_none();
            // The shortest delay counts. No delay, `None`, is less than any.
            judged.delay = judged.delay.min(delay);
        }
        let Some(rule) = rule else {
            return judged;
        };
        judged.judgement = if was_allowed {
            Judgement::InGrace
        } else {
            Judgement::Forbidden(rule)
        };
        judged
    }

    /// Returns the rule of a file that forbids a target to a robot, if there is one, and the delay that the file requests.
    fn rule_and_delay(
        &mut self,
        file: &'t RobotsTxt,
        token: &Arc<str>,
        target: &Target<'_>,
    ) -> (Option<String>, Option<u32>) {
        let rules = self.rules(file, token);
        let delay = rules.crawl_delay().map(|delay| delay.delay().as_millis());
        let delay = delay.map(|delay| u32::try_from(delay).unwrap_or(u32::MAX));
        let verdict = rules.verdict(target);
        let rule = (!verdict.is_allowed()).then(|| match verdict.rule() {
            Some(rule) => shown(format!("line {}: {rule}", rule.line()).as_bytes()),
            None => verdict.to_string(),
        });
        (rule, delay)
    }

    /// Returns the rules of a file for a robot. Robots that the file does not name share one set of rules, so that invented
    /// names cost no memory.
    fn rules(&mut self, file: &'t RobotsTxt, token: &Arc<str>) -> Arc<Rules> {
        let address = std::ptr::from_ref(file).addr();
        let mut key = (address, Arc::clone(token));
        if self.unnamed.contains(&key) {
            key.1 = Arc::clone(&self.everyone);
        }
        if let Some(rules) = self.rules.get(&key) {
            return Arc::clone(rules);
        }
        let agent = self.settings.table.agent(token);
        let own = *Profile::of_robot(token).dialect();
        let dialect = self.settings.dialect.unwrap_or(own);
        let names = self.named.entry(address);
        let names = names.or_insert_with(|| {
            let tokens = named_robots(file, &Dialect::RFC9309);
            tokens.map(|token| token.to_ascii_lowercase()).collect()
        });
        // Only under RFC 9309 can names be looked up: under other dialects, a part of a name may match. A robot that does not
        // obey `*` does not share the rules of `*`.
        let is_unnamed = dialect == Dialect::RFC9309
            && agent.obeys_star()
            && !agent
                .names()
                .any(|name| names.contains(&name.to_ascii_lowercase()));
        // The call for `*` below comes here again, and must not call itself.
        if is_unnamed && *token != self.everyone {
            if self.unnamed.len() >= MAX_KEPT {
                self.unnamed.clear();
            }
            self.unnamed.insert(key);
            let everyone = Arc::clone(&self.everyone);
            return self.rules(file, &everyone);
        }
        let rules = Arc::new(file.rules(&agent, &dialect));
        if self.rules.len() >= MAX_KEPT {
            self.rules.clear();
        }
        self.rules.insert(key, Arc::clone(&rules));
        rules
    }
}

/// Returns the outcome table of an audit, which judges robots by the last file that a site published. The file applies for
/// as long as requests fail: with 5xx, too many redirects or no response. A 4xx means that there is no file.
pub(super) fn outcomes() -> OutcomeTable {
    // All steps of a failure are the same.
    let always = Step::new(None, FailureState::CachedOrAllowAll);
    OutcomeTable::RFC9309
        .with_unauthorized(OutcomeMeaning::AllowAll)
        .with_too_many_requests(OutcomeMeaning::AllowAll)
        .with_redirects(OutcomeMeaning::Fail)
        .with_failing([always, always, always])
}

/// The robots.txt of a site at a time.
enum SiteFile<'t> {
    Present(&'t RobotsTxt),
    /// There is no file: everything is allowed.
    Absent,
}

impl<'t> SiteFile<'t> {
    /// Returns the robots.txt of a state; `None` if it is not known.
    fn of(state: RobotsState<Option<&'t Arc<RobotsTxt>>>) -> Option<Self> {
        match state {
            RobotsState::Rules(file) => Some(file.map_or(Self::Absent, |file| Self::Present(file))),
            RobotsState::AllowAll(Cause::Status(400..=499)) => Some(Self::Absent),
            // Among these: everything is allowed because all requests failed. Then there is no file to judge by.
            _ => None,
        }
    }
}

fn is_robots_txt(target: &[u8]) -> bool {
    let path = memchr(b'?', target).map_or(Some(target), |end| target.get(..end));
    path == Some(b"/robots.txt")
}

/// Returns a URL with the requested path; `None` if the target is not a path: `*`, or a host to connect to.
fn url_of(target: &[u8]) -> Option<Vec<u8>> {
    target
        .starts_with(b"/")
        .then(|| [b"http://host", target].concat())
}

/// Returns the part of a path up to its second slash: `/private/`, or `/a.html` without one.
fn first_part(target: &[u8]) -> Cow<'_, str> {
    let end = memchr::memchr2(b'?', b'#', target).unwrap_or(target.len());
    let path = &target[..end];
    let rest = path.get(1..).unwrap_or_default();
    let end = memchr(b'/', rest).map_or(path.len(), |slash| slash + 2);
    String::from_utf8_lossy(&path[..end])
}

/// Returns the start of a text, for a report.
fn shown(text: &[u8]) -> String {
    shortened(&String::from_utf8_lossy(text), MAX_SHOWN_CHARS).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_paths_and_urls() {
        assert!(is_robots_txt(b"/robots.txt") && is_robots_txt(b"/robots.txt?a"));
        assert!(!is_robots_txt(b"/a/robots.txt") && !is_robots_txt(b"/robots.txt/"));
        let url = |target: &'static str| {
            url_of(target.as_bytes()).map(|url| String::from_utf8_lossy(&url).into_owned())
        };
        assert_eq!(url("//a/b").as_deref(), Some("http://host//a/b"));
        assert_eq!(url("*"), None);
        assert_eq!(url("a:443"), None);
        for (target, part) in [
            ("/", "/"),
            ("/a.html?b/c", "/a.html"),
            ("/a/b/c", "/a/"),
            ("//a/b", "//"),
            ("", ""),
        ] {
            assert_eq!(first_part(target.as_bytes()), part, "{target}");
        }
        assert_eq!(shown(&[b'a'; 300]).chars().count(), MAX_SHOWN_CHARS);
    }
}
