//! The service answers as the program does with `--json`: on the fixtures, under all profiles.

use crate::check::{RULES, UNREADABLE};
use crate::program::{Folder, json_lines, robots, workspace};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use robots_policy::Profile;
use robots_server::{Config, Server};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

/// The time of decisions.
const NOW: &str = "2026-11-20T00:00:00Z";

/// The site of the fixtures.
const SITE: &str = "http://www.joes-hardware.com/";

/// Starts a service, which ends with the process.
pub(crate) fn service() -> SocketAddr {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let listen = ("listen".to_owned(), "127.0.0.1:0".to_owned());
            let config = Config::load(None, [], [listen]).unwrap();
            let server = Server::bind(config).await.unwrap();
            send.send(server.address()).unwrap();
            server.serve(std::future::pending()).await
        })
    });
    receive.recv().unwrap()
}

/// Sends a question, and returns the head and the body of the answer.
fn exchange(
    service: SocketAddr,
    path: &str,
    content_type: &str,
    question: &str,
) -> (String, String) {
    let mut stream = TcpStream::connect(service).unwrap();
    let head = format!(
        "POST {path} HTTP/1.0\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        question.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(question.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// Sends a question, and returns the body of the answer.
fn ask(service: SocketAddr, path: &str, content_type: &str, question: &str) -> String {
    let (head, body) = exchange(service, path, content_type, question);
    assert!(head.contains(" 200 "), "{path} {question}\n{head}\n{body}");
    body
}

pub(crate) fn answer(service: SocketAddr, path: &str, question: &Value) -> Value {
    let body = ask(service, path, "application/json", &question.to_string());
    serde_json::from_str(&body).unwrap()
}

/// Returns the objects that the program prints.
fn printed(args: &[&str]) -> Vec<Value> {
    let outcome = robots(args);
    assert!(outcome.code < 2, "{args:?}: {}", outcome.stderr);
    outcome.rows()
}

fn base64(path: &Path) -> Value {
    json!({"base64": STANDARD.encode(fs::read(path).unwrap())})
}

fn robots_files() -> Vec<String> {
    [
        "tests/fixtures/robots/odd-robots.txt",
        "tests/fixtures/robots/shop-2025-robots.txt",
        "tests/fixtures/robots/shop-2026-robots.txt",
        "tests/fixtures/sites/joes-hardware/robots.txt",
        "tests/fixtures/sites/marys-antiques/robots.txt",
    ]
    .map(str::to_owned)
    .into()
}

/// Returns the pages of the fixtures, as paths in the workspace.
fn pages() -> Vec<String> {
    let mut pages = Vec::new();
    let mut folders = vec![PathBuf::from("tests/fixtures/sites")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(workspace().join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if workspace().join(&path).is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "html") {
                pages.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    pages.sort();
    assert!(pages.len() > 10, "{pages:?}");
    pages
}

fn profile_names() -> Vec<String> {
    Profile::all()
        .map(|profile| profile.name().to_owned())
        .collect()
}

#[test]
fn verdicts_are_those_of_the_program() {
    let service = service();
    let urls = [
        "http://www.joes-hardware.com/private/payroll.html",
        "/",
        "/shop/basket?item=1",
        "https://example.com/a b?c",
    ];
    let agents = ["*", "Googlebot", "ExampleBot"];
    let profiles = profile_names();
    for file in robots_files() {
        let mut args = vec!["check", &file, "--json"];
        args.extend(urls);
        args.extend(agents.iter().flat_map(|agent| ["--agent", agent]));
        let question = json!({
            "robots_txt": base64(&workspace().join(&file)), "urls": urls, "agents": agents,
        });
        let with = |key: &str, value: Value| {
            let mut question = question.clone();
            question[key] = value;
            answer(service, "/v1/check", &question)
        };
        let of_profiles = profiles.iter().flat_map(|name| ["--profile", name]);
        let of_profiles: Vec<&str> = args.iter().copied().chain(of_profiles).collect();
        assert_eq!(
            with("profiles", json!(profiles)),
            json!(printed(&of_profiles))
        );
        let of_dialects = [&args[..], &["--all-dialects"]].concat();
        assert_eq!(
            with("all_dialects", json!(true)),
            json!(printed(&of_dialects))
        );
        let alone = [&args[..], &["--name-alone"]].concat();
        assert_eq!(with("name_alone", json!(true)), json!(printed(&alone)));
        for (key, option) in [
            ("all_agents", "--all-agents"),
            ("all_dialects", "--all-dialects"),
        ] {
            let question = json!({"robots_txt": base64(&workspace().join(&file)), key: true});
            assert_eq!(
                answer(service, "/v1/check", &question),
                json!(printed(&["check", &file, option, "--json"])),
                "{file} {key}"
            );
        }
    }
}

#[test]
fn decisions_are_those_of_the_program_one_by_one_and_in_bulk() {
    let service = service();
    let robots_txt = "tests/fixtures/sites/joes-hardware/robots.txt";
    let profiles = profile_names();
    let mut questions = String::new();
    let mut answers = Vec::new();
    for page in pages() {
        let mut args = vec![
            "decide", &page, "--json", "--base", SITE, "--robots", robots_txt,
        ];
        args.extend(["--now", NOW]);
        args.extend(profiles.iter().flat_map(|name| ["--profile", name]));
        let mut rows = printed(&args);
        let url = rows[0]["url"].clone();
        for row in &mut rows {
            let row = row.as_object_mut().unwrap();
            for key in ["file", "offset", "status"] {
                row.remove(key);
            }
        }
        let question = json!({
            "url": url, "html": base64(&workspace().join(&page)), "profiles": profiles, "now": NOW,
            "robots_txt": base64(&workspace().join(robots_txt)),
        });
        let decisions = answer(service, "/v1/decide", &question);
        assert_eq!(decisions, json!(rows), "{page}");
        questions.push_str(&question.to_string());
        questions.push('\n');
        answers.push(decisions);
    }
    let body = ask(
        service,
        "/v1/decide/bulk",
        "application/x-ndjson",
        &questions,
    );
    let lines = answers.iter().zip(1..);
    let lines = lines.map(|(decisions, line)| json!({"line": line, "decisions": decisions}));
    assert_eq!(json_lines(&body), lines.collect::<Vec<_>>());
}

/// An element in NOSCRIPT ends HEAD, unless scripts run.
#[test]
fn pages_can_be_read_like_a_browser_that_runs_scripts() {
    let service = service();
    let html = "<head><noscript><img></noscript><meta name=robots content=noindex></head>";
    let folder = Folder::new();
    let page = folder.file("page.html", html);
    let url = "https://example.com/page.html";
    for (is_on, option, index) in [(false, None, "yes"), (true, Some("--scripting"), "no")] {
        let index_of = |words: &[&str]| -> Value {
            let mut json = robots(words.iter().copied().chain(option)).json();
            let first = json.pointer_mut("/decisions/0").map(Value::take);
            first.unwrap_or(json)["index"].take()
        };
        let robots_txt = folder.file("robots.txt", "");
        assert_eq!(
            index_of(&[
                "decide",
                "--json",
                &page,
                "--robots",
                &robots_txt,
                "--base",
                url
            ]),
            index
        );
        let why = [
            "why",
            "--json",
            &page,
            "--robots",
            &robots_txt,
            "--base",
            url,
        ];
        assert_eq!(
            index_of(&[&why[..], &["--profile", "neutral"]].concat()),
            index
        );
        assert_eq!(index_of(&["meta", "--json", "--profiles", &page]), index);
        let question = json!({
            "url": url, "html": html, "robots_txt": "", "profiles": ["neutral"], "scripting": is_on,
        });
        assert_eq!(answer(service, "/v1/decide", &question)[0]["index"], index);
        assert_eq!(
            answer(service, "/v1/why", &question)["decisions"][0]["index"],
            index
        );
    }
}

#[test]
fn findings_are_those_of_the_program() {
    let service = service();
    for file in robots_files() {
        let question = json!({
            "robots_txt": base64(&workspace().join(&file)), "level": "note", "name": file,
        });
        assert_eq!(
            answer(service, "/v1/lint", &question),
            json!(printed(&["lint", &file, "--json", "--level", "note"]))
        );
    }
    for page in pages() {
        let args = [
            "lint", "--meta", &page, "--json", "--level", "note", "--now", NOW,
        ];
        let rows = printed(&[&args[..], &["--base", SITE]].concat());
        let question = json!({
            "html": base64(&workspace().join(&page)), "level": "note", "name": page, "now": NOW, "url": SITE,
        });
        assert_eq!(
            answer(service, "/v1/lint", &question),
            json!(rows),
            "{page}"
        );
    }
}

#[test]
fn changes_are_those_of_the_program() {
    let service = service();
    for (old, new) in robots_files().iter().zip(&robots_files()[1..]) {
        for dialect in ["rfc9309", "google", "bing+commas"] {
            let question = json!({
                "old": base64(&workspace().join(old)), "new": base64(&workspace().join(new)), "dialect": dialect,
            });
            assert_eq!(
                answer(service, "/v1/diff", &question),
                json!(printed(&["diff", old, new, "--json", "--dialect", dialect]))
            );
        }
    }
}

#[test]
fn statements_are_those_of_the_program() {
    let service = service();
    for page in pages() {
        for (key, option) in [
            ("all", "--all"),
            ("document", "--document"),
            ("profiles", "--profiles"),
            ("scripting", "--scripting"),
        ] {
            let question =
                json!({"html": base64(&workspace().join(&page)), "url": page, key: true});
            assert_eq!(
                json!([answer(service, "/v1/meta", &question)]),
                json!(printed(&["meta", &page, "--json", option]))
            );
        }
    }
    let file = "tests/fixtures/robots/response.txt";
    let text = fs::read_to_string(workspace().join(file)).unwrap();
    let lines = text.lines().skip(1).take_while(|line| !line.is_empty());
    let headers: Vec<_> = lines.map(|line| line.split_once(": ").unwrap()).collect();
    assert_eq!(
        json!([answer(
            service,
            "/v1/meta",
            &json!({"headers": headers, "url": file})
        )]),
        json!(printed(&["headers", file, "--json"]))
    );
}

#[test]
fn reasons_are_those_of_the_program() {
    let service = service();
    let robots_txt = "tests/fixtures/sites/joes-hardware/robots.txt";
    let profiles = profile_names();
    for page in pages() {
        let url = format!("{SITE}private/{}", page.rsplit('/').next().unwrap());
        let mut args = vec![
            "why", &page, "--json", "--base", &url, "--robots", robots_txt,
        ];
        args.extend(["--now", NOW, "--expect", "noindex,archive"]);
        args.extend(profiles.iter().flat_map(|name| ["--profile", name]));
        let mut expected: Value = serde_json::from_str(&robots(&args).stdout).unwrap();
        // The name of the file.
        expected["robots_txt"]["file"] = json!("robots_txt");
        let question = json!({
            "url": url, "html": base64(&workspace().join(&page)), "profiles": profiles, "now": NOW,
            "robots_txt": base64(&workspace().join(robots_txt)), "expect": ["noindex", "archive"],
        });
        assert_eq!(answer(service, "/v1/why", &question), expected, "{page}");
    }
}

/// Returns the values of JSON, one after the other.
fn values(text: &str) -> Vec<Value> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    values.map(Result::unwrap).collect()
}

/// Returns whether a value has everything that is shown of it. Of an object, some keys may be shown.
fn has(value: &Value, shown: &Value) -> bool {
    match (value, shown) {
        (Value::Object(value), Value::Object(shown)) => shown
            .iter()
            .all(|(key, shown)| value.get(key).is_some_and(|value| has(value, shown))),
        (Value::Array(values), Value::Array(shown)) => {
            values.len() == shown.len()
                && values
                    .iter()
                    .zip(shown)
                    .all(|(value, shown)| has(value, shown))
        }
        _ => value == shown,
    }
}

/// Each command of the document is sent to the service, and has the answer that follows it.
#[test]
fn the_service_page_shows_answers_of_the_service() {
    let service = service();
    let text = fs::read_to_string(workspace().join("docs/service.md")).unwrap();
    let mut commands = 0;
    for part in text.split("```console\n$ curl ").skip(1) {
        let (command, rest) = part.split_once("\n```").unwrap();
        let (_, rest) = rest.split_once("```json\n").unwrap();
        let (shown, _) = rest.split_once("```").unwrap();
        let (_, path) = command.split_once("http://127.0.0.1:8080").unwrap();
        let path = path.split(' ').next().unwrap();
        let quoted: Vec<&str> = command.split('\'').skip(1).step_by(2).collect();
        let [header, question] = quoted[..] else {
            panic!("{command}");
        };
        let content_type = header.strip_prefix("Content-Type: ").unwrap();
        let (_, body) = exchange(service, path, content_type, question);
        let (found, shown) = (values(&body), values(shown));
        assert!(
            has(&json!(found), &json!(shown)),
            "{command}\n{body}\n{}",
            json!(shown)
        );
        commands += 1;
    }
    assert!(commands > 6, "{commands}");
}

#[test]
fn unreadable_urls_are_errors_in_their_place_as_for_the_program() {
    let service = service();
    let folder = Folder::new();
    let file = folder.file("robots.txt", RULES);
    for bad in UNREADABLE {
        let urls = ["/x", bad, "https://example.com/y"];
        let question = json!({"robots_txt": RULES, "urls": urls});
        let rows = robots([&["check", &file, "--json"][..], &urls].concat()).rows();
        assert_eq!(
            answer(service, "/v1/check", &question),
            json!(rows),
            "{bad}"
        );
        // Without a URL that can be read, the question is not valid.
        let question = json!({"robots_txt": RULES, "urls": [bad]}).to_string();
        let (head, _) = exchange(service, "/v1/check", "application/json", &question);
        assert!(head.contains(" 422 "), "{bad}: {head}");
    }
}
