//! The test cases of ten other libraries, each under the dialect that the library implements.
//!
//! Libraries disagree with each other. `peers.toml` lists the cases that fail here, with the reason; a listed case
//! that passes, or that does not exist, fails the test.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use robots_txt::dialect::{AgentList, RulesBeforeAgent, Separator};
use robots_txt::extension::Window;
use robots_txt::{Dialect, RobotsTxt, Target};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

robots_corpus::tests!(
    every_case_holds_or_is_listed,
    google_says_what_the_library_says
);

/// One case: the assertion of a library's own test, and the answer of google/robotstxt.
#[derive(Deserialize)]
struct Case {
    peer: String,
    name: String,
    robots_txt: Option<String>,
    robots_b64: Option<String>,
    robots_url: Option<String>,
    agent: Option<String>,
    url: Option<String>,
    allowed: Option<bool>,
    google_allowed: Option<bool>,
    google_line: Option<usize>,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

/// The cases that are known to fail.
#[derive(Deserialize)]
struct Listed {
    disagree: Vec<Disagreement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Disagreement {
    peer: String,
    /// The end of the names of the cases.
    name: String,
    /// The question of the case; without it, all failing cases of that name.
    about: Option<String>,
    /// The number of questions that fail.
    questions: usize,
    /// `theirs` if the library is wrong, `own` if its behaviour is its own extension.
    verdict: String,
    reason: String,
}

/// Returns the dialect that a library implements.
fn dialect(peer: &str) -> Dialect {
    match peer {
        "google/robotstxt" | "google/robotstxt-spec-test" => Dialect::GOOGLE,
        "cpython/urllib.robotparser" => Dialect::PYTHON_ROBOTPARSER,
        "libwww-perl/WWW-RobotRules" => Dialect::WWW_ROBOT_RULES,
        // Both apply the rules before any User-agent to every robot, as documented.
        "seomoz/rep-cpp" | "seomoz/reppy" => {
            Dialect::RFC9309.with_rules_before_agent(RulesBeforeAgent::DefaultGroup)
        }
        "scrapy/protego" => Dialect::PROTEGO,
        // A file without any User-agent applies to every robot, and a colon may be missing.
        "texting_robots" => Dialect::RFC9309
            .with_rules_before_agent(RulesBeforeAgent::DefaultGroup)
            .with_separator(Separator::ColonOrSpace),
        // Commas separate names (RFC 9309, erratum 8895).
        "crawler-commons" => Dialect::RFC9309.with_agent_list(AgentList::Commas),
        "samclarke/robots-parser" => Dialect::RFC9309,
        _ => panic!("no dialect for {peer}"),
    }
}

impl Case {
    fn robots(&self) -> RobotsTxt {
        let body = match (&self.robots_txt, &self.robots_b64) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(coded)) => STANDARD.decode(coded).unwrap(),
            (None, None) => Vec::new(),
        };
        let robots = RobotsTxt::parse(&body);
        match &self.robots_url {
            Some(url) => robots.with_url(url),
            None => robots,
        }
    }

    /// Returns questions, expected answers and found answers.
    fn answers(&self) -> Vec<(String, String, String)> {
        let mut robots = self.robots();
        // The line ends of these cases were doubled when they were collected; with the text of its own
        // test, the library has another answer.
        if let ("cpython/urllib.robotparser", Some(text)) = (self.peer.as_str(), &self.robots_txt) {
            robots = RobotsTxt::parse(text.replace("\n\n", "\n").as_bytes());
        }
        let dialect = dialect(&self.peer);
        let agent = self.agent.as_deref().unwrap_or("*");
        let rules = robots.rules(agent, &dialect);
        let extensions = robots.extensions_for(agent, &dialect);
        let mut answers = Vec::new();
        // The case names no robot.
        if let (Some(expected), Some(url), Some(_)) = (self.allowed, &self.url, &self.agent) {
            let found = rules.verdict(&Target::new(url));
            answers.push((
                format!("{agent} {url}"),
                word(expected).to_owned(),
                word(found.is_allowed()).to_owned(),
            ));
        }
        for (key, expected) in &self.more {
            let found = match key.as_str() {
                "crawl_delay" => match rules.crawl_delay() {
                    Some(found) => number(found.delay().as_secs_f64()),
                    None => "none".to_owned(),
                },
                "sitemaps" => {
                    let sitemaps = robots.sitemaps_under(&dialect);
                    let urls: Vec<_> = sitemaps
                        .map(|sitemap| String::from_utf8_lossy(sitemap.text()).into_owned())
                        .collect();
                    urls.join(" ")
                }
                "request_rate" => match extensions.request_rates().next() {
                    Some(rate) => {
                        let mut text = format!("{} {}", rate.documents(), rate.period().as_secs());
                        if let Some(window) = rate.window() {
                            text.push_str(&hours(window));
                        }
                        text
                    }
                    None => "none".to_owned(),
                },
                "visit_time" => match extensions.visit_time() {
                    Some(time) => {
                        format!(
                            "{} {}",
                            clock(time.window().start()),
                            clock(time.window().end())
                        )
                    }
                    None => "none".to_owned(),
                },
                _ => continue,
            };
            answers.push((format!("{agent} {key}"), plain(key, expected), found));
        }
        answers
    }
}

fn word(allowed: bool) -> &'static str {
    if allowed { "allow" } else { "disallow" }
}

/// Returns the hours of a window, with a space before each.
fn hours(window: Window) -> String {
    format!(" {} {}", clock(window.start()), clock(window.end()))
}

/// Returns a time of day.
fn clock(minutes: u16) -> String {
    format!("{:02}:{:02}:00", minutes / 60, minutes % 60)
}

fn number(number: f64) -> String {
    format!("{number}")
}

/// Returns a library's expectation in our terms.
fn plain(key: &str, value: &Value) -> String {
    match value {
        // A missing list equals an empty one.
        Value::Null if key == "sitemaps" => String::new(),
        Value::Null => "none".to_owned(),
        Value::Number(found) => number(found.as_f64().unwrap()),
        Value::Array(list) => {
            let words = list.iter().filter_map(Value::as_str);
            // A rate without a window has two empty fields.
            let words = words.filter(|&word| key != "request_rate" || word != "None");
            words.collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

fn every_case_holds_or_is_listed(corpus: &Path) {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers.toml");
    let listed: Listed = toml::from_str(&fs::read_to_string(list).unwrap()).unwrap();
    let mut used = vec![0_usize; listed.disagree.len()];
    let text = fs::read_to_string(corpus.join("conformance/peer-cases.jsonl")).unwrap();
    let (mut asked, mut wrong) = (0_usize, Vec::new());
    for line in text.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        for (about, expected, found) in case.answers() {
            asked += 1;
            let holds = expected == found;
            let mut entries = listed.disagree.iter().zip(&mut used);
            let entry = entries.find(|(entry, _)| {
                entry.peer == case.peer
                    && case.name.ends_with(&entry.name)
                    && entry.about.as_ref().is_none_or(|only| *only == about)
            });
            match entry {
                Some((_, used)) if !holds => *used += 1,
                // An entry without `about` lists only failing cases.
                Some((entry, _)) if entry.about.is_some() => {
                    wrong.push(format!(
                        "passes, but is listed: {} | {} | {about}",
                        case.peer, case.name
                    ));
                }
                _ if holds => {}
                _ => wrong.push(format!(
                    "{} | {} | {about} | expected {expected} | found {found}",
                    case.peer, case.name
                )),
            }
        }
    }
    for (entry, used) in listed.disagree.iter().zip(used) {
        assert!(matches!(entry.verdict.as_str(), "theirs" | "own") && !entry.reason.is_empty());
        if used != entry.questions {
            wrong.push(format!(
                "lists {used} questions, not {}: {} | {}",
                entry.questions, entry.peer, entry.name
            ));
        }
    }
    println!("{asked} questions");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(asked > 1_000);
}

fn google_says_what_the_library_says(corpus: &Path) {
    let text = fs::read_to_string(corpus.join("conformance/peer-cases.jsonl")).unwrap();
    let mut asked = 0;
    for line in text.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        let (Some(allowed), Some(agent), Some(url)) = (case.google_allowed, &case.agent, &case.url)
        else {
            continue;
        };
        let rules = case.robots().rules(agent, &Dialect::GOOGLE);
        let verdict = rules.verdict(&Target::new(url));
        assert_eq!(
            (verdict.is_allowed(), verdict.line().unwrap_or(0)),
            (allowed, case.google_line.unwrap_or(0)),
            "{} | {} | {agent} {url}: {verdict}",
            case.peer,
            case.name
        );
        asked += 1;
    }
    assert!(asked > 1_000);
}
