//! The routes with questions: strict keys, limits at their edges, and the examples of the description.

use crate::client::{Service, cases, request, start};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/api/examples.json");

/// Returns the body of an answer in chunks.
fn unchunked(body: &str) -> String {
    let mut text = String::new();
    let mut rest = body;
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        text.push_str(&after[..size]);
        rest = &after[size + 2..];
    }
    text
}

pub(crate) fn bulk(service: &Service, body: &str) -> Vec<Value> {
    let answer = service.post("/v1/decide/bulk", "application/x-ndjson", body);
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = unchunked(&answer.body);
    body.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// With `UPDATE_DOCS=1`, writes the answers instead.
#[test]
fn examples_are_answered_as_described() {
    let service = start(&[]);
    let text = std::fs::read_to_string(EXAMPLES).unwrap();
    let mut examples: Vec<Value> = serde_json::from_str(&text).unwrap();
    for example in &mut examples {
        let path = example["path"].as_str().unwrap();
        example["answer"] = match &example["question"] {
            Value::String(lines) => {
                let answer = service.post(path, "application/x-ndjson", lines);
                Value::String(unchunked(&answer.body))
            }
            question => {
                let answer = service.ask(path, question);
                assert_eq!(answer.status, 200, "{answer:?}");
                answer.json()
            }
        };
    }
    let written = serde_json::to_string_pretty(&examples).unwrap() + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(Path::new(EXAMPLES), &written).unwrap();
    }
    let shown: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(
        shown == examples || std::env::var_os("UPDATE_DOCS").is_some(),
        "{written}"
    );
    // Each route with a question has an example.
    let description = service.get("/openapi.json", "").json();
    for (path, item) in description["paths"].as_object().unwrap() {
        let Some(post) = item.get("post") else {
            continue;
        };
        let bodies = post["requestBody"]["content"].as_object().unwrap();
        assert!(
            bodies.values().all(|body| !body["example"].is_null()),
            "{path}"
        );
    }
}

/// Questions with a mistake, and words of the problem.
const MISTAKES: &str = r#"
/v1/check {"robots_txt": "", "url": []} | did you mean `urls`?
/v1/check {"urls": ["/"]} | expected "robots_txt" or "fetch"
/v1/check {"robots_txt": "", "urls": ["a"]} | expected a URL
/v1/check {"robots_txt": ""} | expected "urls"
/v1/decide {"url": "https://a.example/", "htlm": ""} | did you mean `html`?
/v1/decide {"url": "a.example"} | expected the URL of a page
/v1/decide {"url": "https://a.example/", "profiles": ["gogle"]} | google
/v1/decide {"url": "https://a.example/", "agents": ["My Bot"]} | did you mean "My"?
/v1/decide {"url": "https://a.example/", "html": {"base64": "%"}} | invalid base64
/v1/decide {"url": "https://a.example/", "html": {"base65": ""}} | did you mean `base64`?
/v1/decide {"url": "https://a.example/", "html": 1.5} | , expected a string, or {"base64": "..."}
/v1/decide {"url": "https://a.example/", "headers": [["X-Robots-Tag: noindex", ""]]} | expected a name without colon
/v1/why {"url": "https://a.example/", "expect": ["no"]} | expected one of
/v1/lint {"robots_txt": "", "level": "warn"} | warning
/v1/lint {} | expected "robots_txt"
/v1/lint {"html": "", "robots_txt": "", "url": "a.example/x"} | expected a URL with http or https
/v1/lint {"html": "", "url": "ftp://a.example/x"} | expected a URL with http or https
/v1/check {"robots_txt": "", "urls": ["ftp://a.example/"]} | not a URL with http or https
/v1/check {"robots_txt": "", "urls": ["file://a.example/"]} | not a URL with http or https
/v1/check {"fetch": true, "urls": ["ftp://a.example/"]} | expected URLs with http or https
/v1/decide {"url": "file://a.example/x"} | with http or https
/v1/why {"url": "ftp://a.example/x"} | with http or https
/v1/lint {"html": "", "robots_txt": ""} | expected the "url" of the page
/v1/diff {"old": "", "new": "", "dialect": "rfc"} | rfc9309
/v1/meta {"url": "a"} | expected "html"
/v1/meta {"html": "", "charset": "utf8x"} | expected an encoding
/v1/meta {"headers": [["X-Robots-Tag", "a\nnoindex"]]} | no line end
/v1/meta {"html": "", "status": 99} | expected a number from 100 to 999
/v1/diff ["", "", [], null] | expected an object
/v1/check [["/"], ""] | expected an object
/v1/decide 7 | expected an object
/v1/lint "User-agent: *" | expected an object
/v1/meta null | expected an object
"#;

/// Unknown keys and values name the nearest, and values that would have no effect are errors.
#[test]
fn mistakes_in_questions_are_named() {
    let service = start(&[]);
    for (path, question, words) in cases(MISTAKES) {
        service.ask(path, &question).assert_invalid(words);
    }
    for (path, media_type, body, status, problem) in [
        ("/v1/check", "application/json", "{", 400, "invalid-json"),
        (
            "/v1/diff",
            "application/json",
            "{\"old\": \"\"",
            400,
            "invalid-json",
        ),
        (
            "/v1/check",
            "text/plain",
            "{}",
            415,
            "unsupported-media-type",
        ),
        (
            "/v1/decide/bulk",
            "application/json",
            "{}",
            415,
            "unsupported-media-type",
        ),
    ] {
        let answer = service.post(path, media_type, body);
        answer.assert_problem(status, problem, None);
    }
    let answers = bulk(&service, "[\"https://example.com/\"]\n");
    assert_eq!(answers[0]["error"]["status"], 422, "{}", answers[0]);
}

#[test]
fn places_in_a_body_begin_at_1() {
    let service = start(&[]);
    for (body, line, column) in [
        ("", 1, 1),
        ("{\n", 2, 1),
        ("{\"old\": \"\",\n \"nw\": \"\"}", 2, 5),
    ] {
        let answer = service.post("/v1/diff", "application/json", body);
        let position = &answer.json()["position"];
        assert_eq!(
            position,
            &json!({"line": line, "column": column}),
            "{body:?}"
        );
    }
}

/// What is known about a page, and its answers to fetch and index, or its title. A string is UTF-8, whatever the page states. A control
/// character hides no directive.
const KNOWN_PAGES: &str = r#"
/v1/decide {"url": "https://a.example/a"} | unknown unknown
/v1/decide {"url": "https://a.example/a", "robots_status": 404} | allow unknown
/v1/decide {"url": "https://a.example/a", "robots_status": 404, "status": 200, "headers": [["X-Robots-Tag", "noindex"]]} | allow no
/v1/decide {"url": "https://a.example/a", "robots_status": 404, "status": 200, "html": ""} | allow yes
/v1/decide {"url": "https://a.example/a", "robots_txt": "User-agent: *\nDisallow: /"} | disallow url_only
/v1/decide {"url": "https://a.example/a", "robots_status": 404, "html": "<meta name=robots content=noindex>", "charset": "utf-16"} | allow no
/v1/decide {"url": "https://a.example/a", "robots_status": 404, "html": "", "headers": [["X-Robots-Tag", "nofollow\u0000noindex\u000b"]]} | allow no
/v1/meta {"html": "<meta charset=windows-1252><title>caf\u00e9</title>"} | café
/v1/meta {"html": "<title>caf\u00e9</title>", "charset": "windows-1252"} | café
"#;

#[test]
fn a_page_is_known_as_far_as_the_question_says() {
    let service = start(&[]);
    for (path, question, expected) in cases(KNOWN_PAGES) {
        let answer = service.answer(path, &question);
        let decision = &answer[0];
        let found = match path {
            "/v1/decide" => format!("{} {}", decision["fetch"], decision["index"]),
            _ => answer["title"].to_string(),
        };
        assert_eq!(found.replace('"', ""), expected, "{question}");
    }
}

#[test]
fn the_status_of_a_page_counts_in_its_decisions() {
    let service = start(&[]);
    let decisions = |question: Value| {
        let decisions = service.answer("/v1/meta", &question)["decisions"].clone();
        assert!(!decisions[0].is_null(), "{question}");
        decisions
    };
    let html = "<title>Not found</title>";
    for mut question in [
        json!({"html": html, "profiles": true}),
        json!({"headers": [["Content-Type", "text/html"]]}),
    ] {
        let open = decisions(question.clone());
        question["status"] = json!(200);
        assert_eq!(decisions(question.clone()), open);
        question["status"] = json!(404);
        assert_ne!(decisions(question.clone()), open, "{question}");
    }
}

#[test]
fn limits_of_questions_are_named_at_their_edges() {
    let service = start(&[("limits.urls", "2"), ("limits.answer-bytes", "2KiB")]);
    let check = |urls: usize, question: Value| {
        let mut question = question;
        question["robots_txt"] = json!("");
        question["urls"] = json!(vec!["/"; urls]);
        service.ask("/v1/check", &question)
    };
    assert_eq!(check(2, json!({})).status, 200);
    check(3, json!({})).assert_problem(422, "invalid-value", Some("limits.urls"));
    let rules = |number: usize| {
        let rules: String = (0..number).fold("User-agent: *\n".to_owned(), |text, _| {
            text + "Disallow: /*\n"
        });
        service.ask("/v1/check", &json!({"robots_txt": rules, "urls": ["/"]}))
    };
    assert_eq!(rules(10).status, 200);
    rules(100).assert_problem(422, "answer-too-large", Some("limits.answer-bytes"));
}

#[test]
fn a_bad_line_is_an_error_in_its_place() {
    let service = start(&[("limits.line-bytes", "1KiB"), ("limits.body-bytes", "1KiB")]);
    let good = json!({"url": "https://example.com/a", "robots_status": 404}).to_string();
    let mut body = String::new();
    for number in 1..=1_000 {
        let line = match number % 10 {
            3 => "{\"url\": 7}".to_owned(),
            4 => "{".to_owned(),
            5 => String::new(),
            6 => format!("{{\"url\": \"{}\"}}", "a".repeat(2_000)),
            7 => "{\"ulr\": \"\"}".to_owned(),
            _ => good.clone(),
        };
        writeln!(body, "{line}").unwrap();
    }
    let answers = bulk(&service, &body);
    let numbers = (1..=1_000_u64).filter(|number| number % 10 != 5);
    assert_eq!(answers.len(), 900);
    for (answer, number) in answers.iter().zip(numbers) {
        assert_eq!(answer["line"], number, "{answer}");
        let error = &answer["error"];
        match number % 10 {
            3 => {
                assert_eq!(error["status"], 422);
                assert_eq!(error["position"]["line"], number);
            }
            4 => assert_eq!(error["type"], "/docs#problem-invalid-json"),
            6 => assert_eq!(error["limit"]["name"], "limits.line-bytes"),
            7 => assert!(
                error["detail"]
                    .as_str()
                    .unwrap()
                    .contains("did you mean `url`?")
            ),
            _ => assert_eq!(answer["decisions"][0]["fetch"], "allow"),
        }
    }
}

#[test]
fn answers_begin_before_all_questions_have_arrived() {
    let service = start(&[]);
    let mut stream = service.connect();
    stream
        .write_all(b"POST /v1/decide/bulk HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
        .unwrap();
    let line = json!({"url": "https://example.com/a"}).to_string() + "\n";
    let mut read = String::new();
    for number in 1..=3 {
        write!(stream, "{:x}\r\n{line}\r\n", line.len()).unwrap();
        let wanted = format!("{{\"line\":{number},");
        while !read.contains(&wanted) {
            let mut part = [0; 8192];
            let length = stream.read(&mut part).unwrap();
            assert!(length > 0, "{read}");
            read.push_str(&String::from_utf8_lossy(&part[..length]));
        }
    }
}

#[test]
fn a_client_that_does_not_read_holds_the_stream_up_and_ends_it_when_it_goes() {
    let service = start(&[("limits.write-timeout", "60s")]);
    let mut stream = service.connect();
    stream
        .write_all(b"POST /v1/decide/bulk HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
        .unwrap();
    stream
        .set_write_timeout(Some(Duration::from_millis(500)))
        .unwrap();
    let line = json!({"url": "https://example.com/a"}).to_string() + "\n";
    let lines = line.repeat(1_000);
    let chunk = format!("{:x}\r\n{lines}\r\n", lines.len());
    // Each line has an answer of a kilobyte. Nothing of it is read, so that the service takes no more questions.
    let mut sent = 0;
    while stream.write_all(chunk.as_bytes()).is_ok() {
        sent += lines.len();
        assert!(sent < 256 << 20, "the service buffers what it cannot send");
    }
    drop(stream);
    let started = Instant::now();
    loop {
        let counters = service.get("/metrics", "").body;
        // The request for the counters itself.
        if counters.contains("robots_http_requests_in_flight 1\n") {
            break;
        }
        assert!(started.elapsed() < Duration::from_secs(15), "{counters}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn compressed_questions_are_refused() {
    let service = start(&[]);
    for (path, media_type, body) in [
        ("/v1/lint", "application/json", "{\"robots_txt\": \"\"}"),
        (
            "/v1/decide/bulk",
            "application/x-ndjson",
            "{\"url\": \"https://example.com/\"}",
        ),
        ("/", "application/x-www-form-urlencoded", "robots=&urls=%2F"),
    ] {
        for (coding, is_refused) in [("identity", false), ("gzip", true), ("x", true)] {
            let lines = format!("Content-Type: {media_type}\r\nContent-Encoding: {coding}\r\n");
            let answer = service.send(&request(path, &lines, body));
            if is_refused {
                answer.assert_problem(415, "unsupported-media-type", None);
            } else {
                assert_eq!(answer.status, 200, "{answer:?}");
            }
        }
    }
}
