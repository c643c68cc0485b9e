//! The routes with questions: strict keys, limits at their edges, and the examples of the description.

use crate::client::{Service, start};
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

#[test]
fn a_control_character_hides_no_directive() {
    let service = start(&[]);
    let question = json!({
        "url": "https://a.example/", "html": "", "status": 200,
        "headers": [["X-Robots-Tag", "noindex\u{0}nofollow\u{b}"]],
    });
    let answer = service.ask("/v1/decide", &question).json();
    let decision = &answer[0];
    assert_eq!([&decision["index"], &decision["follow"]], ["no", "no"]);
}

#[test]
fn unknown_keys_and_values_name_the_nearest() {
    let service = start(&[]);
    for (path, question, detail) in [
        (
            "/v1/check",
            json!({"robots_txt": "", "url": []}),
            "did you mean `urls`?",
        ),
        (
            "/v1/check",
            json!({"urls": ["/"]}),
            "expected \"robots_txt\" or \"fetch\"",
        ),
        (
            "/v1/check",
            json!({"robots_txt": "", "urls": ["a"]}),
            "expected a URL",
        ),
        ("/v1/check", json!({"robots_txt": ""}), "expected \"urls\""),
        (
            "/v1/decide",
            json!({"url": "https://a.example/", "htlm": ""}),
            "did you mean `html`?",
        ),
        (
            "/v1/decide",
            json!({"url": "a.example"}),
            "expected the URL of a page",
        ),
        (
            "/v1/decide",
            json!({"url": "https://a.example/", "profiles": ["gogle"]}),
            "google",
        ),
        (
            "/v1/decide",
            json!({"url": "https://a.example/", "agents": ["My Bot"]}),
            "did you mean \"My\"?",
        ),
        (
            "/v1/decide",
            json!({"url": "https://a.example/", "html": {"base64": "%"}}),
            "invalid base64",
        ),
        (
            "/v1/decide",
            json!({"url": "https://a.example/", "html": {"base65": ""}}),
            "did you mean `base64`?",
        ),
        (
            "/v1/decide",
            json!({"url": "https://a.example/", "html": 1.5}),
            ", expected a string, or {\"base64\": \"...\"}",
        ),
        (
            "/v1/why",
            json!({"url": "https://a.example/", "expect": ["no"]}),
            "expected one of",
        ),
        (
            "/v1/lint",
            json!({"robots_txt": "", "level": "warn"}),
            "warning",
        ),
        ("/v1/lint", json!({}), "expected \"robots_txt\""),
        (
            "/v1/diff",
            json!({"old": "", "new": "", "dialect": "rfc"}),
            "rfc9309",
        ),
        ("/v1/meta", json!({"url": "a"}), "expected \"html\""),
        (
            "/v1/meta",
            json!({"html": "", "charset": "utf8x"}),
            "expected an encoding",
        ),
    ] {
        let answer = service.ask(path, &question);
        answer.assert_problem(422, "invalid-value", None);
        let found = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(found.contains(detail), "{path} {question}: {found}");
    }
    service
        .post("/v1/check", "application/json", "{")
        .assert_problem(400, "invalid-json", None);
    service
        .post("/v1/check", "text/plain", "{}")
        .assert_problem(415, "unsupported-media-type", None);
    service
        .post("/v1/decide/bulk", "application/json", "{}")
        .assert_problem(415, "unsupported-media-type", None);
}

#[test]
fn values_that_would_have_no_effect_are_errors() {
    let service = start(&[]);
    for (path, question, detail) in [
        (
            "/v1/lint",
            json!({"html": "", "robots_txt": "", "url": "a.example/x"}),
            "expected a URL with a host",
        ),
        (
            "/v1/lint",
            json!({"html": "", "robots_txt": ""}),
            "expected the \"url\" of the page",
        ),
        (
            "/v1/decide",
            json!({"url": "https://a.example/", "headers": [["X-Robots-Tag: noindex", ""]]}),
            "expected a name without colon",
        ),
        (
            "/v1/meta",
            json!({"headers": [["X-Robots-Tag", "a\nnoindex"]]}),
            "no line end",
        ),
    ] {
        let answer = service.ask(path, &question);
        answer.assert_problem(422, "invalid-value", None);
        let found = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(found.contains(detail), "{path} {question}: {found}");
    }
}

#[test]
fn places_in_a_body_begin_at_1() {
    let service = start(&[]);
    for body in ["", "{\n"] {
        let answer = service.post("/v1/check", "application/json", body);
        answer.assert_problem(400, "invalid-json", None);
        assert_eq!(answer.json()["position"]["column"], 1, "{body:?}");
    }
}

#[test]
fn a_page_is_known_as_far_as_the_question_says() {
    let service = start(&[]);
    let decide = |question: Value| {
        let answer = service.ask("/v1/decide", &question);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()[0].clone()
    };
    let url = "https://example.com/a";
    let alone = decide(json!({"url": url}));
    assert_eq!(
        (&alone["fetch"], &alone["index"]),
        (&json!("unknown"), &json!("unknown"))
    );
    let allowed = decide(json!({"url": url, "robots_status": 404}));
    assert_eq!(
        (&allowed["fetch"], &allowed["index"]),
        (&json!("allow"), &json!("unknown"))
    );
    let headers = decide(json!({
        "url": url, "robots_status": 404, "status": 200, "headers": [["X-Robots-Tag", "noindex"]],
    }));
    assert_eq!(headers["index"], "no");
    let open = decide(json!({"url": url, "robots_status": 404, "status": 200, "html": ""}));
    assert_eq!(open["index"], "yes");
    let denied = decide(json!({"url": url, "robots_txt": "User-agent: *\nDisallow: /"}));
    assert_eq!(denied["fetch"], "disallow");
    // A string is UTF-8, whatever the page states.
    let meta = service.ask(
        "/v1/meta",
        &json!({"html": "<meta charset=windows-1252><title>caf\u{e9}</title>"}),
    );
    assert_eq!(meta.json()["title"], "caf\u{e9}");
    let meta = service.ask(
        "/v1/meta",
        &json!({"html": "<title>caf\u{e9}</title>", "charset": "windows-1252"}),
    );
    assert_eq!(meta.json()["title"], "caf\u{e9}");
    let decided = decide(json!({
        "url": url, "robots_status": 404, "html": "<meta name=robots content=noindex>", "charset": "utf-16",
    }));
    assert_eq!(decided["index"], "no");
}

#[test]
fn the_status_of_a_page_counts_in_its_decisions() {
    let service = start(&[]);
    let decisions = |question: Value| {
        let answer = service.ask("/v1/meta", &question);
        assert_eq!(answer.status, 200, "{answer:?}");
        let decisions = answer.json()["decisions"].clone();
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
    service
        .ask("/v1/meta", &json!({"html": html, "status": 99}))
        .assert_problem(422, "invalid-value", None);
}

#[test]
fn limits_of_questions_are_named_at_their_edges() {
    let service = start(&[
        ("limits.urls", "2"),
        ("limits.robots", "3"),
        ("limits.answer-bytes", "2KiB"),
    ]);
    let check = |urls: usize, question: Value| {
        let mut question = question;
        question["robots_txt"] = json!("");
        question["urls"] = json!(vec!["/"; urls]);
        service.ask("/v1/check", &question)
    };
    assert_eq!(check(2, json!({})).status, 200);
    check(3, json!({})).assert_problem(422, "invalid-value", Some("limits.urls"));
    let decide = |agents: usize| {
        let names: Vec<String> = (0..agents).map(|number| format!("Bot{number}")).collect();
        let question = json!({"url": "https://a.example/", "agents": names, "explain": false});
        service.ask("/v1/decide", &question)
    };
    assert_eq!(decide(3).status, 200);
    decide(4).assert_problem(422, "invalid-value", Some("limits.robots"));
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
fn a_question_is_an_object() {
    let service = start(&[]);
    for (path, body) in [
        ("/v1/diff", "[\"\", \"\", [], null]"),
        ("/v1/check", "[[\"/\"], \"\"]"),
        ("/v1/decide", "7"),
        ("/v1/lint", "\"User-agent: *\""),
        ("/v1/meta", "null"),
    ] {
        let answer = service.post(path, "application/json", body);
        answer.assert_problem(422, "invalid-value", None);
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.ends_with("expected an object"), "{detail}");
        assert!(!detail.contains("Question"), "{detail}");
    }
    let answers = bulk(&service, "[\"https://example.com/\"]\n");
    assert_eq!(answers[0]["error"]["status"], 422, "{}", answers[0]);
    // Unknown keys have their place, and what is not JSON stays so.
    let answer = service.post(
        "/v1/diff",
        "application/json",
        "{\"old\": \"\",\n \"nw\": \"\"}",
    );
    answer.assert_problem(422, "invalid-value", None);
    assert_eq!(answer.json()["position"]["line"], 2);
    let answer = service.post("/v1/diff", "application/json", "{\"old\": \"\"");
    answer.assert_problem(400, "invalid-json", None);
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
            let length = body.len();
            let answer = service.send(
                format!(
                    "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {media_type}\r\n\
                     Content-Encoding: {coding}\r\nContent-Length: {length}\r\n\r\n{body}"
                )
                .as_bytes(),
            );
            if is_refused {
                answer.assert_problem(415, "unsupported-media-type", None);
            } else {
                assert_eq!(answer.status, 200, "{answer:?}");
            }
        }
    }
}
