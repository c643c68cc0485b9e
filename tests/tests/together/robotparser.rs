//! `Dialect::PYTHON_ROBOTPARSER` against urllib.robotparser: on generated files, some of them damaged, and on
//! the files of the corpus.
//!
//! Runs `python3`, or the program that `ROBOTS_PYTHON` names, and does nothing if there is none or if it reads
//! files as Python 3.13 and newer releases do (docs/semantics.md, section 3.5). `ROBOTS_SEED` is another seed,
//! `ROBOTS_CASES` another number of questions.

use fastrand::Rng;
use robots_archive::http::Response;
use robots_txt::{Dialect, RobotsTxt, Target};
use serde_json::json;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

robots_corpus::tests!(every_answer_about_real_files_is_that_of_python);

/// Each line of the input is a body, some robots and some URLs. Each line of the output has, for each robot, an
/// answer for each URL; `null` where the module raises an error.
const SCRIPT: &str = r#"
import json, sys
from urllib.robotparser import RobotFileParser

def can_fetch(parser, agent, url):
    try:
        return parser.can_fetch(agent, url)
    except ValueError:
        return None

known = RobotFileParser()
known.parse(["User-agent: *", "Disallow: //a", "Allow: /", "Disallow: /b"])
if known.can_fetch("a", "https://h.example//a") or not known.can_fetch("a", "https://h.example/b"):
    sys.exit(3)
for line in sys.stdin:
    body, agents, urls = json.loads(line)
    parser = RobotFileParser()
    try:
        parser.parse(body.splitlines())
    except ValueError:
        answers = [[None for _ in urls] for _ in agents]
    else:
        answers = [[can_fetch(parser, agent, url) for url in urls] for agent in agents]
    print(json.dumps(answers))
"#;

const FIELDS: [&str; 18] = [
    "User-agent",
    "user-agent ",
    "USER-AGENT",
    "User-agent",
    "Disallow",
    "Disallow",
    "Disallow",
    "Disallow",
    "disallow",
    "Allow",
    "Allow",
    " allow",
    "Crawl-delay",
    "Request-rate",
    "Sitemap",
    "Visit-time",
    "Disallowed",
    "",
];

const NAMES: [&str; 20] = [
    "*",
    "*",
    "*",
    "a",
    "A",
    "bot",
    "Googlebot",
    "google",
    "Google%62ot",
    "%2A",
    "* *",
    "é",
    "É",
    "%C3%89",
    "",
    "/",
    "bot/1",
    "e b",
    "ExampleBot",
    "\u{a0}bot\u{3000}",
];

const PARTS: [&str; 54] = [
    "/",
    "/",
    "/",
    "/",
    "/",
    "a",
    "a",
    "a",
    "b",
    "b",
    "?",
    "?x=1",
    ";",
    ";p=1",
    "%3F",
    "%3f",
    "%3B",
    "%2F",
    "%2f",
    "%23",
    "%41",
    "%61",
    "%C3%A9",
    "é",
    "%E9",
    "%e2%82",
    "€",
    "%",
    "%zz",
    "%25",
    "%2541",
    "*",
    "%2A",
    "$",
    "//",
    "%20",
    " ",
    "%09",
    "%0A",
    "\t",
    "=",
    "&",
    "+",
    ":",
    "[x]",
    "\"",
    "~",
    "%7E",
    "@",
    "%00",
    "http://h/",
    ".",
    "..",
    "<",
];

const ENDS: [&str; 14] = [
    "\n", "\n", "\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n\n", "\r\n\r\n", "\n \n", "\n# c\n",
    " # c\n", "\t\n\n\n",
];

const AGENTS: [&str; 9] = [
    "a",
    "Googlebot",
    "googlebot/2.1 (x)",
    "ExampleBot",
    "Mozilla/5.0 bot",
    "é bot",
    "É",
    "",
    "*",
];

/// The bytes of a file from which on the reference is not asked, as it reads the file for each URL.
const SMALL: usize = 2_000;

/// A file, robots and URLs.
struct Case {
    body: String,
    agents: Vec<String>,
    urls: Vec<String>,
}

impl Case {
    fn to_line(&self) -> String {
        json!([self.body, self.agents, self.urls]).to_string() + "\n"
    }
}

fn texts<const N: usize>(random: &mut Rng, from: &[&'static str; N], up_to: usize) -> String {
    (0..random.usize(..=up_to))
        .map(|_| from[random.usize(..N)])
        .collect()
}

/// Returns a URL whose path is that of a rule, or resembles it.
fn url(random: &mut Rng, paths: &[String]) -> String {
    let mut path = match random.usize(..4) {
        0 => texts(random, &PARTS, 5),
        _ if paths.is_empty() => String::new(),
        _ => paths[random.usize(..paths.len())].clone(),
    };
    match random.usize(..6) {
        0 => path += &texts(random, &PARTS, 2),
        1 => {
            path.pop();
        }
        2 => path = path.replace('*', "x"),
        _ => {}
    }
    // The fragment is not compared, and a path without a slash has one (docs/semantics.md, section 3.5).
    let path = path.replace('#', "");
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("https://h.example{slash}{path}")
}

fn case(random: &mut Rng) -> Case {
    let name = NAMES[random.usize(..NAMES.len())];
    let (mut body, mut paths) = (format!("User-agent: {name}\n"), Vec::new());
    for _ in 0..random.usize(2..14) {
        let field = FIELDS[random.usize(..FIELDS.len())];
        let value = match field.trim().to_ascii_lowercase().as_str() {
            "user-agent" => NAMES[random.usize(..NAMES.len())].to_owned(),
            "crawl-delay" | "request-rate" => texts(random, &["1", "/", "x", ".5"], 3),
            _ => {
                let slash = if random.u8(..8) == 0 { "" } else { "/" };
                let path = slash.to_owned() + &texts(random, &PARTS, 5);
                paths.push(path.trim().to_owned());
                if random.u8(..10) == 0 {
                    String::new()
                } else {
                    path
                }
            }
        };
        let colon = [": ", ":", " : ", ": ", ":\t"][random.usize(..5)];
        let end = ENDS[random.usize(..ENDS.len())];
        body.extend([field, colon, &value, end]);
    }
    // Damage: a character is gone, or another is between two.
    for _ in 0..random.usize(..6).saturating_sub(3) {
        let mut characters: Vec<char> = body.chars().collect();
        let at = random.usize(..characters.len());
        match random.usize(..2) {
            0 => {
                characters.remove(at);
            }
            _ => characters.insert(
                at,
                ['\0', '\u{feff}', '#', ':', '\n', '%'][random.usize(..6)],
            ),
        }
        body = characters.into_iter().collect();
        if body.is_empty() {
            break;
        }
    }
    Case {
        body,
        agents: AGENTS.map(str::to_owned).to_vec(),
        urls: (0..6).map(|_| url(random, &paths)).collect(),
    }
}

/// An answer of urllib.robotparser, for each robot and URL of each case; `None` where it raises an error.
type Answers = Vec<Vec<Vec<Option<bool>>>>;

/// Returns the answers of urllib.robotparser; `None` if this machine has none that reads files as the dialect does.
fn answers_of_python(cases: &[Case]) -> Option<Answers> {
    let program = std::env::var("ROBOTS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let python = Command::new(&program)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut python = match python {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("{program} is not installed: nothing is compared");
            return None;
        }
        python => python.unwrap(),
    };
    let mut input = python.stdin.take().unwrap();
    let lines: String = cases.iter().map(Case::to_line).collect();
    // It fails if the program has ended early; its exit code says why.
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = python.wait_with_output().unwrap();
    let written = writer.join().unwrap();
    if output.status.code() == Some(3) {
        eprintln!("{program} has another reading: nothing is compared");
        return None;
    }
    assert!(output.status.success());
    written.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Answers = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), cases.len());
    Some(answers)
}

/// Compares all answers. Fails if one differs, if few disallow, or if many raise errors.
fn compare(cases: &[Case]) {
    let Some(answers) = answers_of_python(cases) else {
        return;
    };
    let (mut asked, mut denied, mut raised, mut differences) = (0, 0, 0, Vec::new());
    for (case, answers) in cases.iter().zip(&answers) {
        let robots = RobotsTxt::parse(&case.body);
        let dialect = &Dialect::PYTHON_ROBOTPARSER;
        for (agent, answers) in case.agents.iter().zip(answers) {
            let rules = robots.rules(agent, dialect);
            assert_eq!(answers.len(), case.urls.len());
            for (url, python) in case.urls.iter().zip(answers) {
                let Some(python) = *python else {
                    raised += 1;
                    continue;
                };
                let mut ours = vec![rules.verdict(&Target::new(url)).is_allowed()];
                if case.body.len() < SMALL {
                    ours.push(robots_reference::verdict(&robots, agent, dialect, url).is_allowed);
                }
                if ours.contains(&!python) {
                    let body = &case.body;
                    let about = format!("{agent:?} {url:?}: {ours:?}, Python {python}");
                    differences.push(format!("{about}: {:?}", &body[..body.len().min(2000)]));
                }
                asked += 1;
                denied += usize::from(!python);
            }
        }
    }
    println!(
        "{asked} answers, {denied} disallowed, {raised} errors in Python, {} differences",
        differences.len()
    );
    let first = differences.len().min(20);
    assert!(differences.is_empty(), "{:#?}", &differences[..first]);
    assert!(denied * 12 > asked && raised * 10 < asked);
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn every_answer_about_generated_files_is_that_of_python() {
    let questions = usize::try_from(number("ROBOTS_CASES", 50_000)).unwrap();
    let mut random = Rng::with_seed(number("ROBOTS_SEED", 1));
    let cases: Vec<Case> = (0..questions.div_ceil(6 * AGENTS.len()))
        .map(|_| case(&mut random))
        .collect();
    compare(&cases);
}

/// Takes the files of the corpus that are UTF-8, as Python reads no others. Asks about the paths of their rules.
fn every_answer_about_real_files_is_that_of_python(corpus: &Path) {
    const AGENTS: [&str; 6] = [
        "Googlebot",
        "GPTBot",
        "bingbot/2.0",
        "ExampleBot",
        "Googlebot-Image",
        "Bytespider",
    ];
    let mut random = Rng::with_seed(number("ROBOTS_SEED", 1));
    let records = robots_corpus::records(&corpus.join("corpus/robots.warc.gz")).unwrap();
    let responses = records.iter().filter(|record| record.kind == "response");
    let bodies = responses.filter_map(|record| {
        let response = Response::parse(&record.block).unwrap();
        String::from_utf8(response.body().to_vec()).ok()
    });
    let cases = bodies.map(|body| {
        let values = body.lines().filter_map(|line| line.split_once(':'));
        let mut paths = Vec::new();
        for (_, value) in values {
            let path = value.split('#').next().unwrap_or_default().trim();
            if path.starts_with('/') {
                paths.push(path.to_owned());
                paths.push(path.replace('*', "x").replace('$', ""));
                paths.push(format!("{path}x"));
            }
        }
        random.shuffle(&mut paths);
        paths.truncate(40);
        paths.extend(["/".to_owned(), "/index.html".to_owned()]);
        Case {
            agents: AGENTS.map(str::to_owned).to_vec(),
            urls: paths
                .iter()
                .map(|path| format!("https://h.example{path}"))
                .collect(),
            body,
        }
    });
    compare(&cases.collect::<Vec<_>>());
}
