//! Each entry point reads robots.txt for a robot as its operator does: the questions of `tests/operators.toml`, asked of all.

use crate::program::{Folder, Outcome, json_lines, page, plain_text, robots, workspace};
#[cfg(feature = "serve")]
use crate::service::{answer, service};
use robots_policy::{Page, Policy, Profile, RobotsFetch};
use robots_txt::analysis::diff;
use robots_txt::{Agent, RobotsTxt, Target};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// The questions, and the robots that ask each of them.
#[derive(Deserialize)]
struct Questions {
    robots: Vec<String>,
    question: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Question {
    name: String,
    robots_txt: String,
    /// The path, with its query.
    url: String,
    /// The robots that may not fetch it.
    disallowed: Vec<String>,
}

/// The answers: for each question and robot, whether the robot may fetch the URL.
type Answers = BTreeMap<(String, String), bool>;

impl Questions {
    fn read() -> Self {
        let text = fs::read_to_string(workspace().join("tests/operators.toml")).unwrap();
        let questions: Self = toml::from_str(&text).unwrap();
        assert_eq!(questions.robots.len() * questions.question.len(), 200);
        questions
    }

    /// Calls `ask` with each question and robot.
    fn each(&self, mut ask: impl FnMut(&Question, &str) -> bool) -> Answers {
        let mut answers = Answers::new();
        for question in &self.question {
            for robot in &self.robots {
                let is_allowed = ask(question, robot);
                answers.insert((question.name.clone(), robot.clone()), is_allowed);
            }
        }
        answers
    }

    /// Returns the expected answers.
    fn expected(&self) -> Answers {
        self.each(|question, robot| !question.disallowed.iter().any(|name| name == robot))
    }

    /// Asks each question of a command that answers for all robots at once, in their order. `arguments` returns the arguments without
    /// robots; `allowed` reads an object of the answer.
    fn asked_of(
        &self,
        arguments: impl Fn(&Question) -> Vec<String>,
        decisions: impl Fn(Outcome) -> Vec<Value>,
        allowed: impl Fn(&Value) -> bool,
    ) -> Answers {
        let mut answers = Answers::new();
        for question in &self.question {
            let agents = self.robots.iter().flat_map(|robot| ["--agent", robot]);
            let agents = agents.map(str::to_owned);
            let outcome = robots(arguments(question).into_iter().chain(agents));
            answers.extend(self.answers(question, &decisions(outcome), &allowed));
        }
        answers
    }

    /// Reads the answers to a question for all robots, and compares the profile of each with that of its operator.
    fn answers(
        &self,
        question: &Question,
        rows: &[Value],
        allowed: impl Fn(&Value) -> bool,
    ) -> Answers {
        assert_eq!(rows.len(), self.robots.len(), "{}: {rows:?}", question.name);
        let each = rows.iter().zip(&self.robots);
        let each = each.map(|(row, robot)| {
            assert_eq!(row["agent"], **robot);
            assert_eq!(row["profile"], Profile::of_robot(robot).name(), "{row}");
            ((question.name.clone(), robot.clone()), allowed(row))
        });
        each.collect()
    }

    /// Returns an archive: a site for each question, whose page forbids the index to each robot, a META a line.
    fn archive(&self) -> Vec<u8> {
        let metas = self.robots.iter();
        let metas = metas.map(|robot| format!("<meta name={robot} content=noindex>\n"));
        let html: String = metas.collect();
        let sites = self
            .question
            .iter()
            .enumerate()
            .flat_map(|(number, question)| {
                let robots_txt = plain_text(&site(number, "/robots.txt"), &question.robots_txt);
                [robots_txt, page(&site(number, &question.url), &html)]
            });
        sites.collect::<Vec<_>>().concat()
    }

    /// Returns the name of the question of a site in the archive, by a URL of it.
    fn of_site(&self, url: &str) -> String {
        let number = url.split(['q', '.']).nth(1).unwrap();
        self.question[number.parse::<usize>().unwrap()].name.clone()
    }
}

fn site(number: usize, path: &str) -> String {
    format!("https://q{number}.example{path}")
}

fn is_allowed(row: &Value) -> bool {
    row["allowed"].as_bool().unwrap()
}

fn may_fetch(row: &Value) -> bool {
    match row["fetch"].as_str() {
        Some("allow") => true,
        Some("disallow") => false,
        _ => panic!("{row}"),
    }
}

fn url(question: &Question) -> String {
    format!("https://example.com{}", question.url)
}

fn parse(question: &Question) -> RobotsTxt {
    RobotsTxt::parse(question.robots_txt.as_bytes()).with_url("https://example.com/robots.txt")
}

/// Returns the paths on which decisions change for a robot if a site gets its first robots.txt.
fn changed_paths(question: &Question, robot: &str) -> Vec<String> {
    let files = [&b""[..], question.robots_txt.as_bytes()].map(RobotsTxt::parse);
    let dialect = Profile::of_robot(robot).dialect();
    let agents = [Agent::known(robot.to_owned())];
    let changes = diff(&files[0], &files[1], &agents, |_| dialect);
    changes
        .iter()
        .map(|change| change.path().to_owned())
        .collect()
}

/// Compares the objects of `robots diff --json` with the changes for each robot.
fn assert_changes(questions: &Questions, question: &Question, rows: &[Value]) {
    for robot in &questions.robots {
        let row = rows.iter().find(|row| row["agent"] == **robot);
        let found = row.map_or(&json!([]), |row| &row["changes"]).clone();
        let found = found.as_array().unwrap().iter();
        let found: Vec<&str> = found
            .map(|change| change["path"].as_str().unwrap())
            .collect();
        assert_eq!(
            found,
            changed_paths(question, robot),
            "{} {robot}",
            question.name
        );
        if let Some(row) = row {
            assert_eq!(row["profile"], Profile::of_robot(robot).name());
        }
    }
}

#[test]
fn dialects_of_operators_give_the_expected_answers() {
    let questions = Questions::read();
    let found = questions.each(|question, robot| {
        let dialect = Profile::of_robot(robot).dialect();
        let rules = parse(question).rules(Agent::known(robot.to_owned()), dialect);
        rules.verdict(&Target::new(&url(question))).is_allowed()
    });
    assert_eq!(found, questions.expected());
    // On each question, at least two operators differ.
    for question in &questions.question {
        let disallowed = question.disallowed.len();
        assert!((1..10).contains(&disallowed), "{}", question.name);
    }
}

#[test]
fn policies_answer_as_operators_read() {
    let questions = Questions::read();
    let found = questions.each(|question, robot| {
        let policy = Policy::new(robot).unwrap();
        let body = RobotsFetch::Body(question.robots_txt.as_bytes());
        policy.learn("https://example.com/", body).unwrap();
        policy.decide_page(&Page::new(&url(question))).may_fetch()
    });
    assert_eq!(found, questions.expected());
}

#[test]
fn commands_on_files_answer_as_operators_read() {
    let questions = Questions::read();
    let folder = Folder::new();
    let file = |question: &Question| folder.file("robots.txt", &question.robots_txt);
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let checked = questions.asked_of(
        |question| words(&["check", &file(question), &url(question), "--json"]),
        |outcome| outcome.rows(),
        is_allowed,
    );
    assert_eq!(checked, questions.expected(), "check");

    let page = folder.file("page.html", "<title>a</title>");
    let explained = questions.asked_of(
        |question| {
            let (file, url) = (file(question), url(question));
            words(&["why", &page, "--base", &url, "--robots", &file, "--json"])
        },
        |outcome| outcome.json()["decisions"].as_array().unwrap().clone(),
        may_fetch,
    );
    assert_eq!(explained, questions.expected(), "why");

    let empty = folder.file("empty.txt", "");
    for question in &questions.question {
        let file = file(question);
        let agents = questions.robots.iter().flat_map(|robot| ["--agent", robot]);
        let outcome = robots(["diff", &empty, &file, "--json"].into_iter().chain(agents));
        assert_changes(&questions, question, &outcome.rows());
    }
}

#[test]
fn commands_on_archives_answer_as_operators_read() {
    let questions = Questions::read();
    let folder = Folder::new();
    let archive = folder.file("sites.warc", questions.archive());

    let mut rows = String::new();
    for (number, question) in questions.question.iter().enumerate() {
        for agent in &questions.robots {
            let (robots, url) = (site(number, "/robots.txt"), site(number, &question.url));
            writeln!(
                rows,
                "{}",
                json!({"robots": robots, "agent": agent, "url": url})
            )
            .unwrap();
        }
    }
    let batch = folder.file("questions.jsonl", rows);
    let outcome = robots(["check", "--batch", &batch, "--robots", &archive]);
    let mut found = Answers::new();
    for (question, rows) in questions.question.iter().zip(outcome.rows().chunks(10)) {
        found.extend(questions.answers(question, rows, is_allowed));
    }
    assert_eq!(found, questions.expected(), "check --batch");

    let agents = questions.robots.iter().flat_map(|robot| ["--agent", robot]);
    let outcome = robots(["decide", &archive, "--json"].into_iter().chain(agents));
    let rows = outcome.rows();
    let found: Answers = rows
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap();
            let robot = text("agent");
            assert_eq!(text("profile"), Profile::of_robot(robot).name());
            let question = questions.of_site(text("url"));
            ((question, robot.to_owned()), may_fetch(row))
        })
        .collect();
    assert_eq!(found, questions.expected(), "decide");

    // A noindex on a page that its robot may not fetch is a finding, at the line of the robot.
    let outcome = robots(["lint", "--meta", &archive, "--json"]);
    let hidden: Vec<(String, u64)> = json_lines(&outcome.stdout)
        .iter()
        .filter(|row| row["code"] == "M004")
        .map(|row| {
            let url = row["url"].as_str().unwrap();
            (questions.of_site(url), row["line"].as_u64().unwrap())
        })
        .collect();
    let line_of = |robot: &str| {
        let place = questions.robots.iter().position(|name| name == robot);
        place.unwrap() as u64 + 1
    };
    let mut found = questions
        .each(|question, robot| !hidden.contains(&(question.name.clone(), line_of(robot))));
    let mut expected = questions.expected();
    // The linter reads only METAs for all robots, and for those of search engines.
    for answers in [&mut found, &mut expected] {
        answers.retain(|(_, robot), _| !["Amazonbot", "GPTBot", "ExampleBot"].contains(&&**robot));
    }
    assert_eq!(found, expected, "lint");

    // The survey counts how much each file disallows to each robot of the table.
    let outcome = robots(["survey", &archive, "--json"]);
    let survey = outcome.json();
    let known = survey["robots"]["known_agents"].as_array().unwrap();
    let mut surveyed = 0;
    for robot in &questions.robots {
        let Some(row) = known.iter().find(|row| row["name"] == **robot) else {
            continue;
        };
        let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
        for question in &questions.question {
            let dialect = Profile::of_robot(robot).dialect();
            let rules = parse(question).rules(Agent::known(robot.clone()), dialect);
            *expected.entry(rules.restriction().name()).or_default() += 1;
        }
        for (name, files) in expected {
            assert_eq!(row[name], files, "survey, {robot}: {row}");
        }
        surveyed += 1;
    }
    assert_eq!(surveyed, 9);
}

/// Returns a rule without its group, whose name an audit shortens.
fn without_group(rule: &str) -> String {
    rule.split(" (group").next().unwrap().to_owned()
}

#[test]
fn audits_judge_robots_as_operators_read() {
    let questions = Questions::read();
    let folder = Folder::new();
    let archive = folder.file("sites.warc", questions.archive());
    let mut log = String::new();
    for (number, question) in questions.question.iter().enumerate() {
        for robot in &questions.robots {
            let (site, path) = (format!("q{number}.example"), &question.url);
            writeln!(
                log,
                "{site} 192.0.2.1 - - [20/Nov/2026:13:55:36 +0000] \"GET {path} HTTP/1.1\" 200 10 \"-\" \"{robot}/1.0\""
            )
            .unwrap();
        }
    }
    let log = folder.file("access.log", log);
    let audit = robots(["audit", "--robots", &archive, "--json", &log]).json();
    let rows = audit["robots"].as_array().unwrap();
    for robot in &questions.robots {
        let row = rows.iter().find(|row| row["name"] == **robot).unwrap();
        assert_eq!(row["judged"], 20, "{row}");
        assert_eq!(row["profile"], Profile::of_robot(robot).name());
        let disallowed = questions.question.iter();
        let disallowed = disallowed.filter(|question| question.disallowed.contains(robot));
        assert_eq!(row["forbidden"]["requests"], disallowed.count(), "{row}");
        // Rules beyond ASCII are shown with escapes.
        let mut expected: BTreeMap<String, u64> = BTreeMap::new();
        for question in &questions.question {
            let dialect = Profile::of_robot(robot).dialect();
            let rules = parse(question).rules(Agent::known(robot.clone()), dialect);
            let verdict = rules.verdict(&Target::new(&url(question)));
            let rule = verdict.rule().filter(|_| !verdict.is_allowed());
            let shown = rule.map(|rule| without_group(&format!("line {}: {rule}", rule.line())));
            if let Some(shown) = shown.filter(|shown| shown.is_ascii() && !shown.contains('\\')) {
                *expected.entry(shown).or_default() += 1;
            }
        }
        let rules = row["rules"].as_array().unwrap().iter();
        let mut found: BTreeMap<String, u64> = BTreeMap::new();
        for rule in rules {
            let name = without_group(rule["name"].as_str().unwrap());
            if !name.contains('\\') {
                *found.entry(name).or_default() += rule["requests"].as_u64().unwrap();
            }
        }
        assert_eq!(found, expected, "{robot}");
    }
}

#[test]
fn cases_are_decided_as_operators_read() {
    let questions = Questions::read();
    let mut cases = String::new();
    for question in &questions.question {
        for robot in &questions.robots {
            let is_disallowed = question.disallowed.contains(robot);
            let case = toml::toml! {
                [[case]]
                fetched = false
            };
            let mut case = case["case"][0].clone();
            let table = case.as_table_mut().unwrap();
            let mut set = |key: &str, text: &str| table.insert(key.to_owned(), text.into());
            set("name", &format!("{}, {robot}", question.name));
            set("source", "tests/operators.toml");
            set("agent", robot);
            set("url", &url(question));
            set("robots", &question.robots_txt);
            let fetch = if is_disallowed { "disallow" } else { "allow" };
            let expect = toml::Table::from_iter([("fetch".to_owned(), fetch.into())]);
            table.insert("expect".to_owned(), expect.into());
            write!(cases, "[[case]]\n{}\n", toml::to_string(&case).unwrap()).unwrap();
        }
    }
    // A table of a case is written with its own header.
    let cases = cases.replace("[expect]", "[case.expect]");
    let folder = Folder::new();
    let outcome = robots(["test", &folder.file("operators.toml", cases)]);
    outcome.assert_success();
    outcome.assert_stderr_contains("200 passed");
}

#[cfg(feature = "serve")]
#[test]
fn the_service_answers_as_operators_read() {
    let questions = Questions::read();
    let service = service();
    for (path, allowed) in [
        ("/v1/check", is_allowed as fn(&Value) -> bool),
        ("/v1/decide", may_fetch),
        ("/v1/why", may_fetch),
    ] {
        let mut found = Answers::new();
        for question in &questions.question {
            let mut asked = json!({"robots_txt": question.robots_txt, "agents": questions.robots});
            if path == "/v1/check" {
                asked["urls"] = json!([url(question)]);
            } else {
                asked["url"] = json!(url(question));
            }
            let rows = match answer(service, path, &asked) {
                Value::Object(mut why) => why.remove("decisions").unwrap(),
                rows => rows,
            };
            found.extend(questions.answers(question, rows.as_array().unwrap(), allowed));
        }
        assert_eq!(found, questions.expected(), "{path}");
    }
    for question in &questions.question {
        let asked = json!({"old": "", "new": question.robots_txt, "agents": questions.robots});
        let rows = answer(service, "/v1/diff", &asked);
        assert_changes(&questions, question, rows.as_array().unwrap());
    }
}
