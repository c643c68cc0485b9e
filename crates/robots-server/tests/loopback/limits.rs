//! The limits on the work for a question: what it names is counted before the work is done, and the work ends in time.

use crate::client::{Answer, Service, start};
use crate::page::{headline, post};
use crate::questions::bulk;
use robots_answers::diff::compared_robots;
use robots_policy::profile::AgentTable;
use robots_txt::{Dialect, RobotsTxt};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tokio::net::TcpSocket;
use tokio::runtime::Runtime;

/// Returns a robots.txt with a group for each of this number of robots.
fn groups(number: usize) -> String {
    (0..number).fold(String::new(), |mut text, robot| {
        write!(text, "User-agent: Robot{robot}\nDisallow: /{robot}/\n\n").unwrap();
        text
    })
}

/// Returns the number of robots of `all_agents` for a robots.txt with this number of groups.
fn all_robots(groups: usize) -> usize {
    // And the robot `*`.
    AgentTable::built_in().iter().count() + groups + 1
}

#[test]
fn robots_count_after_they_are_expanded() {
    let limit = all_robots(2);
    let service = start(&[("limits.checked-robots", &limit.to_string())]);
    for (number, is_over) in [(2, false), (3, true)] {
        for urls in [json!([]), json!(["/a", "/b"])] {
            let question = json!({"robots_txt": groups(number), "all_agents": true, "urls": urls});
            assert_over(&service.ask("/v1/check", &question), is_over);
        }
    }
    let service = start(&[("limits.checked-robots", "15")]);
    assert_eq!(Dialect::ALL.len(), 15);
    let names = ["a", "b"];
    for (agents, is_over) in [(&names[..1], false), (&names, true)] {
        for urls in [json!([]), json!(["/a"])] {
            let question =
                json!({"robots_txt": "", "all_dialects": true, "urls": urls, "agents": agents});
            assert_over(&service.ask("/v1/check", &question), is_over);
        }
    }
    // A comparison takes the robots of the files.
    let files = [groups(3), String::new()];
    let parsed = files
        .each_ref()
        .map(|file| RobotsTxt::parse(file.as_bytes()));
    let compared = compared_robots(&parsed, AgentTable::built_in(), None);
    let number = compared.names.len();
    let question = json!({"old": files[0], "new": files[1]});
    for (limit, is_over) in [(number, false), (number - 1, true)] {
        let service = start(&[("limits.checked-robots", &limit.to_string())]);
        assert_over(&service.ask("/v1/diff", &question), is_over);
    }
}

#[track_caller]
fn assert_over(answer: &Answer, is_over: bool) {
    if is_over {
        answer.assert_problem(422, "invalid-value", Some("limits.checked-robots"));
    } else {
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

#[test]
fn all_robots_under_all_dialects_are_an_ordinary_question() {
    let service = start(&[]);
    let question = json!({
        "robots_txt": groups(100), "all_agents": true, "all_dialects": true, "urls": ["/1/"],
    });
    let answer = service.ask("/v1/check", &question);
    assert_eq!(answer.status, 200, "{answer:?}");
    let number = answer.json().as_array().unwrap().len();
    // A dialect may read a name that others do not.
    let at_least = all_robots(100) * Dialect::ALL.len();
    assert!(number >= at_least, "{number}");
}

/// Robots that were left out without a word could be taken for robots without changes.
#[test]
fn a_file_that_names_too_many_robots_is_refused() {
    let service = start(&[]);
    let many = groups(15_000);
    for (path, question) in [
        ("/v1/check", json!({"robots_txt": many, "all_agents": true})),
        (
            "/v1/check",
            json!({"robots_txt": many, "all_agents": true, "urls": ["/"]}),
        ),
        ("/v1/diff", json!({"old": many, "new": ""})),
    ] {
        let started = Instant::now();
        let answer = service.ask(path, &question);
        answer.assert_problem(422, "invalid-value", None);
        assert!(answer.body.contains("more than 1000 robots"), "{answer:?}");
        assert!(started.elapsed() < Duration::from_secs(5));
    }
    // One that is named is answered for.
    let question = json!({"old": many, "new": "", "agents": ["Robot7"]});
    assert_eq!(service.ask("/v1/diff", &question).status, 200);
}

#[test]
fn what_a_question_names_is_counted_before_it_is_used() {
    let service = start(&[]);
    let url = "https://example.com/";
    let profiles = |number: usize| vec!["google"; number];
    for (path, key, limit) in [
        ("/v1/decide", "limits.robots", 200),
        ("/v1/why", "limits.robots", 200),
        ("/v1/check", "limits.checked-robots", 5_000),
    ] {
        for (number, is_over) in [(limit, false), (limit + 1, true)] {
            let mut question = json!({"profiles": profiles(number)});
            if path == "/v1/check" {
                question["robots_txt"] = json!("");
                question["urls"] = json!(["/"]);
            } else {
                question["url"] = json!(url);
            }
            let answer = service.ask(path, &question);
            if is_over {
                answer.assert_problem(422, "invalid-value", Some(key));
            } else {
                assert_eq!(answer.status, 200, "{answer:?}");
            }
        }
    }
    let question = json!({"url": url, "profiles": profiles(15), "agents": vec!["a"; 14]});
    let over = service.ask("/v1/why", &question);
    over.assert_problem(422, "invalid-value", Some("limits.robots"));
}

#[test]
fn words_and_lists_have_a_length() {
    let service = start(&[]);
    let url = "https://example.com/";
    for (question, detail) in [
        (json!({"url": url, "agents": ["a".repeat(1024)]}), None),
        (
            json!({"url": url, "agents": ["a".repeat(1025)]}),
            Some("a word has 1025 bytes: expected up to 1024"),
        ),
        (
            json!({"url": url, "profiles": ["g".repeat(1 << 20)]}),
            Some("a word has 1048576 bytes: expected up to 1024"),
        ),
        (
            json!({"url": url, "agents": vec!["a"; 10_001]}),
            Some("more than 10000 values in a list"),
        ),
        (
            json!({"url": url, "headers": vec![["a", "b"]; 10_000]}),
            None,
        ),
        (
            json!({"url": url, "headers": vec![["a", "b"]; 10_001]}),
            Some("more than 10000 values in a list"),
        ),
    ] {
        let answer = service.ask("/v1/decide", &question);
        match detail {
            None => assert_eq!(answer.status, 200, "{answer:?}"),
            Some(detail) => answer.assert_invalid(detail),
        }
    }
}

/// Two robots.txt files of less than 64 KiB, whose comparison takes a search of some time for each of many robots.
fn expensive_files() -> [String; 2] {
    [0, 1].map(|version| {
        (0..250).fold(String::new(), |mut text, robot| {
            writeln!(text, "User-agent: R{robot}").unwrap();
            for rule in 0..6 {
                let end = (robot * 7 + rule * 3 + version) % 26;
                let end = char::from(b'a' + u8::try_from(end).unwrap());
                writeln!(text, "Disallow: /*{rule}*{end}*{robot}*x{end}").unwrap();
            }
            text
        })
    })
}

#[test]
fn expensive_work_on_a_small_question_ends_in_time() {
    let service = start(&[("limits.request-timeout", "300ms")]);
    let [old, new] = expensive_files();
    assert!(old.len() < 64 << 10, "{}", old.len());
    for (path, question) in [
        ("/v1/diff", json!({"old": old, "new": new})),
        (
            "/v1/check",
            json!({"robots_txt": old, "all_dialects": true, "agents": ["R0", "R1", "R2"]}),
        ),
    ] {
        let started = Instant::now();
        let answer = service.ask(path, &question);
        answer.assert_problem(503, "timed-out", Some("limits.request-timeout"));
        assert!(started.elapsed() < Duration::from_secs(5), "{path}");
    }
    // Other requests are answered meanwhile, and the work ends.
    let started = Instant::now();
    let question = json!({"old": "", "new": "", "agents": ["a"]});
    while service.ask("/v1/diff", &question).status != 200 {
        assert!(started.elapsed() < Duration::from_secs(15));
    }
}

#[test]
fn an_expensive_line_ends_in_time_and_others_are_answered() {
    let service = start(&[("limits.request-timeout", "200ms")]);
    // Less than `limits.line-bytes`, to be read for each of 200 robots.
    let html = "<meta name=a>".repeat(140_000);
    let agents: Vec<String> = (0..200).map(|number| format!("Robot{number}")).collect();
    let expensive = json!({"url": "https://example.com/", "html": html, "agents": agents});
    let cheap = json!({"url": "https://example.com/", "robots_status": 404});
    let body = format!("{cheap}\n{expensive}\n{cheap}\n");
    let answers = bulk(&service, &body);
    assert_eq!(answers.len(), 3);
    assert_eq!(
        answers[1]["error"]["limit"]["name"], "limits.request-timeout",
        "{}",
        answers[1]
    );
    for answer in [&answers[0], &answers[2]] {
        assert_eq!(answer["decisions"][0]["fetch"], "allow", "{answer}");
    }
}

/// The answers of a batch may be much larger than its questions.
#[test]
fn large_answers_are_sent_as_the_client_reads() {
    let service = start(&[("limits.bodies-at-once", "1")]);
    let agents: Vec<String> = (0..200).map(|number| format!("R{number}")).collect();
    let question = json!({"url": "https://example.com/", "agents": agents});
    let line = question.to_string() + "\n";
    let answers = bulk(&service, &line.repeat(150));
    assert_eq!(answers.len(), 150);
    let bytes: usize = answers.iter().map(|answer| answer.to_string().len()).sum();
    assert!(bytes > 8 << 20, "{bytes}");
    for answer in answers {
        let decisions = answer["decisions"].as_array().map(Vec::len);
        assert_eq!(decisions, Some(200), "{}", answer["error"]);
    }
}

#[test]
fn an_expensive_question_to_the_page_ends_in_time() {
    let service = start(&[("limits.request-timeout", "300ms")]);
    let robots = (0..20_000).fold("User-agent: *\n".to_owned(), |mut text, rule| {
        writeln!(text, "Disallow: /*a*b*{rule}").unwrap();
        text
    });
    let path = "/".to_owned() + &"ab".repeat(4_000) + "\n";
    let started = Instant::now();
    let answer = post(&service, &[("robots", &robots), ("urls", &path.repeat(50))]);
    assert_eq!(headline(&answer, 503), "The answer took too long");
    assert!(started.elapsed() < Duration::from_secs(5));
    // Its work ends, and others are answered.
    let answer = post(&service, &[("robots", ""), ("urls", "/")]);
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Connects from an address of loopback.
fn connect_from(service: &Service, address: [u8; 4]) -> TcpStream {
    let connect = async {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((address, 0)))?;
        socket.connect(service.address).await?.into_std()
    };
    let stream = Runtime::new().unwrap().block_on(connect).unwrap();
    stream.set_nonblocking(false).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream
}

/// Returns a question with an answer of a little less than 8 MiB.
fn question_with_large_answer() -> String {
    let agents: Vec<String> = (0..120).map(|number| format!("R{number}")).collect();
    let path = "/".to_owned() + &"a".repeat(1_400);
    let question = json!({"robots_txt": "", "urls": vec![path; 40], "agents": agents});
    let question = question.to_string();
    assert!(question.len() < 64 << 10, "{}", question.len());
    question
}

/// The greedy client has its defaults: no limit per client, as it is on loopback, or those of other clients.
#[test]
fn a_polite_client_is_answered_next_to_a_greedy_one() {
    for exempt in ["127.0.0.0/8", ""] {
        let service = start(&[("exempt-clients", exempt)]);
        let ask = |address: [u8; 4], path: &str, body: &str, length: usize| {
            let mut stream = connect_from(&service, address);
            let head = format!(
                "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
                 Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
            );
            let _ = stream.write_all(head.as_bytes());
            stream
        };
        let (greedy, polite) = ([127, 0, 0, 2], [127, 0, 0, 3]);
        let body = json!({"robots_txt": "# x\n".repeat(40_000)}).to_string();
        let assert_answered = || {
            let started = Instant::now();
            for _ in 0..10 {
                let mut stream = ask(polite, "/v1/lint", &body, body.len());
                let answer = Answer::read(&mut stream);
                assert_eq!(answer.status, 200, "{exempt}: {answer:?}");
            }
            started.elapsed()
        };
        // Bodies of 8 MiB without their last byte, of which a part has arrived.
        let stalled: Vec<_> = (0..32)
            .map(|_| ask(greedy, "/v1/lint", &body, 8 << 20))
            .collect();
        std::thread::sleep(Duration::from_millis(300));
        assert_answered();
        // Each ends early, and without its place.
        let started = Instant::now();
        for mut stream in stalled {
            let status = Answer::read(&mut stream).status;
            assert!(matches!(status, 408 | 429 | 503), "{status}");
        }
        assert!(started.elapsed() < Duration::from_secs(10));
        // Small questions with large answers that are not read.
        let question = question_with_large_answer();
        let unread: Vec<_> = (0..32)
            .map(|_| ask(greedy, "/v1/check", &question, question.len()))
            .collect();
        std::thread::sleep(Duration::from_secs(1));
        assert_answered();
        drop(unread);
    }
}

/// One client that sends large bodies without their last byte has up to a quarter of the places, and others are answered.
#[test]
fn a_greedy_client_leaves_places_to_others() {
    let settings = [
        ("trusted-proxies", "127.0.0.1"),
        ("limits.bodies-at-once", "8"),
    ];
    let service = start(&settings);
    let send = |client: &str, path: &str, media_type: &str, body: &str, length: usize| {
        let mut stream = service.connect();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: {client}\r\n\
             Content-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        let _ = stream.write_all(head.as_bytes());
        stream
    };
    let greedy = "192.0.2.1";
    let large = json!({"robots_txt": "# x\n".repeat(30_000)}).to_string();
    let (json, ndjson) = ("application/json", "application/x-ndjson");
    let _bodies = [
        send(greedy, "/v1/lint", json, &large, large.len() + 1),
        send(greedy, "/v1/decide/bulk", ndjson, "{}", 1000),
    ];
    std::thread::sleep(Duration::from_millis(300));
    let mut refused = send(greedy, "/v1/lint", json, &large, large.len());
    let answer = Answer::read(&mut refused);
    answer.assert_problem(429, "too-many-requests", Some("limits.bodies-at-once"));
    for (client, body) in [(greedy, "{\"robots_txt\": \"\"}"), ("192.0.2.2", &*large)] {
        let mut stream = send(client, "/v1/lint", json, body, body.len());
        assert_eq!(Answer::read(&mut stream).status, 200, "{client}");
    }
}
