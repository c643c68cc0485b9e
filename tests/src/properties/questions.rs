//! A robots.txt, and questions about it in lines, split by the first NUL: an answer is the question with the verdict of
//! the file, or a reason, and does not depend on the questions before it.
//!
//! Each line is a question, and its words are the robot and the URL of another.
use robots_archive::Record;
use robots_pipeline::input::lines::read_line;
use robots_pipeline::json::write_line;
use robots_pipeline::robots::questions::{MAX_QUESTION_BYTES, RobotsAnswers, Row, Unanswered};
use robots_policy::profile::AgentName;
use robots_txt::{Agent, Dialect, RobotsTxt, Target};
use serde_json::{Value, json};

/// The URL of the robots.txt.
const URL: &str = "http://example.com/robots.txt";

/// The number of lines that are read: each compiles the file.
const LINES: usize = 8;

/// Checks one input.
pub fn check(data: &[u8]) {
    let mut parts = data.splitn(2, |&byte| byte == 0);
    let body = parts.next().unwrap_or_default();
    let mut rest = parts.next().unwrap_or_default();
    let mut questions = Vec::new();
    for _ in 0..LINES {
        let Some(line) = read_line(&mut rest, MAX_QUESTION_BYTES).expect("memory can be read")
        else {
            break;
        };
        let text = String::from_utf8_lossy(&line);
        let (agent, url) = text.split_once(' ').unwrap_or(("*", &text));
        let valid = json!({"robots": URL, "agent": agent, "url": url, "line": "x"});
        questions.push(valid.to_string().into_bytes());
        questions.push(line);
    }
    let record = Record::response(URL, None, 200, [("Content-Type", "text/plain")], body);
    for dialect in [Dialect::RFC9309, Dialect::GOOGLE, Dialect::WWW_ROBOT_RULES] {
        let answers = || {
            let mut answers = RobotsAnswers::new(Some(dialect));
            answers.add("a.warc", &record, &());
            answers
        };
        let mut all = answers();
        for question in &questions {
            let answer = all.answer(question);
            match &answer {
                Ok(row) => check_answer(question, row, body, &dialect),
                Err(unanswered) => assert!(!unanswered.error.to_string().is_empty()),
            }
            assert_eq!(line_of(&answers().answer(question)), line_of(&answer));
        }
    }
}

/// Compares an answer with its question, and with the verdict of the file.
fn check_answer(question: &[u8], answer: &Row, body: &[u8], dialect: &Dialect) {
    let mut expected: Row = serde_json::from_slice(question).expect("it has an answer");
    let text = |name: &str| {
        expected[name]
            .as_str()
            .expect("it has an answer")
            .to_owned()
    };
    let (agent, url) = (text("agent"), text("url"));
    let agent: AgentName = agent.parse().expect("it has an answer");
    let rules = RobotsTxt::parse(body)
        .with_url(URL)
        .rules(Agent::new(agent.token), dialect);
    let verdict = rules.verdict(&Target::new(&url));
    expected.insert("profile".to_owned(), Value::Null);
    expected.insert("allowed".to_owned(), verdict.is_allowed().into());
    expected.insert("line".to_owned(), verdict.line().unwrap_or(0).into());
    assert_eq!(answer, &expected);
}

/// Returns the row of an answer, or of the question without one, as it is written: one line of JSON.
fn line_of(answer: &Result<Row, Unanswered>) -> Vec<u8> {
    let row = match answer {
        Ok(row) => row,
        Err(unanswered) => &unanswered.row,
    };
    let mut line = Vec::new();
    write_line(&mut line, row).expect("memory can be written");
    assert!(!line[..line.len() - 1].contains(&b'\n'));
    let read: Value = serde_json::from_slice(&line).expect("a row is JSON");
    assert_eq!(&read, &Value::Object(row.clone()));
    line
}
