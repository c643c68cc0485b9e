//! Questions with `fetch`: the robots.txt of a site on loopback, and its pages.

use crate::client::{Service, start};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

/// A site with a robots.txt and one page for all other paths. It notes the paths that are requested.
pub(crate) struct Site {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

pub(crate) fn site(robots: (&'static str, &'static str), page: &'static str) -> Site {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&requests);
    // It ends with the test program.
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut buffer = [0; 4096];
            let length = stream.read(&mut buffer).unwrap_or(0);
            let head = String::from_utf8_lossy(&buffer[..length]).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let (status, body) = if path == "/robots.txt" {
                robots
            } else {
                ("200 OK", page)
            };
            noted.lock().unwrap().push(path);
            let length = body.len();
            let _ = stream.write_all(
                format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\nX-Robots-Tag: noarchive\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
                    .replace("text/html", if status.starts_with("200") && body.starts_with("User") { "text/plain" } else { "text/html" })
                    .as_bytes(),
            );
        }
    });
    Site { address, requests }
}

impl Site {
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn ask(service: &Service, path: &str, question: &Value) -> Value {
    let answer = service.post(path, "application/json", &question.to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

const RULES: (&str, &str) = ("200 OK", "User-agent: *\nDisallow: /private/\n");

const PAGE: &str = "<title>secret</title><meta name=robots content=noindex>";

#[test]
fn robots_txt_is_taken_from_the_site_and_requested_once() {
    let service = start(&[("allow-private", "true")]);
    let site = site(RULES, PAGE);
    let question = json!({"urls": [site.url("/private/x"), site.url("/open")], "fetch": true});
    for _ in 0..2 {
        let verdicts = ask(&service, "/v1/check", &question);
        assert_eq!(verdicts[0]["allowed"], false, "{verdicts}");
        assert_eq!(
            (&verdicts[0]["line"], &verdicts[1]["allowed"]),
            (&json!(2), &json!(true))
        );
    }
    assert_eq!(site.requests(), ["/robots.txt"]);
}

#[test]
fn sites_of_one_question_may_alternate() {
    let sites = [
        site(("200 OK", "User-agent: *\nDisallow: /x\n"), ""),
        site(("200 OK", "User-agent: *\nAllow: /\n"), ""),
        site(("200 OK", "User-agent: *\nDisallow: /\n"), ""),
    ];
    let service = start(&[("allow-private", "true")]);
    for places in [
        vec![0],
        vec![0, 0],
        vec![0, 1, 0, 1, 1],
        vec![2, 1, 0, 2, 1, 0, 0],
    ] {
        let urls: Vec<String> = places.iter().map(|place| sites[*place].url("/x")).collect();
        let answers = ask(&service, "/v1/check", &json!({"urls": urls, "fetch": true}));
        let answers = answers.as_array().unwrap();
        assert_eq!(answers.len(), urls.len());
        for ((answer, url), place) in answers.iter().zip(urls).zip(places) {
            assert_eq!(
                (&answer["url"], &answer["allowed"]),
                (&json!(url), &json!(place == 1))
            );
        }
    }
    for site in &sites {
        assert_eq!(site.requests(), ["/robots.txt"]);
    }
}

#[test]
fn failures_of_robots_txt_have_the_meaning_of_the_profile() {
    let service = start(&[("allow-private", "true")]);
    let missing = site(("404 Not Found", ""), PAGE);
    let question = json!({"urls": [missing.url("/x")], "fetch": true});
    let verdict = &ask(&service, "/v1/check", &question)[0];
    assert_eq!(
        (&verdict["allowed"], &verdict["reason"]),
        (&json!(true), &json!("robots_txt_absent"))
    );
    // As the verdicts by rules have it.
    assert_eq!(verdict.get("profile"), Some(&Value::Null));
    let busy = site(("500 Internal Server Error", ""), PAGE);
    let question =
        json!({"urls": [busy.url("/x")], "fetch": true, "profiles": ["google", "yandex"]});
    let verdicts = ask(&service, "/v1/check", &question);
    assert_eq!(
        verdicts[0]["reason"], "robots_txt_unreachable",
        "{verdicts}"
    );
    assert_eq!(verdicts[0]["profile"], "google");
    assert_eq!(verdicts[1]["allowed"], true);
    // A dialect alone is that of no engine. Two robots share the state of each reading.
    let question = json!({
        "urls": [busy.url("/x")], "fetch": true, "agents": ["A", "B"], "dialects": ["rfc9309"], "profiles": ["yandex"],
    });
    let verdicts = ask(&service, "/v1/check", &question);
    let found: Vec<_> = verdicts.as_array().unwrap().iter().collect();
    let found: Vec<_> = found
        .iter()
        .map(|verdict| (&verdict["agent"], &verdict["profile"], &verdict["allowed"]))
        .collect();
    let (a, b, yandex) = (json!("A"), json!("B"), json!("yandex"));
    let (none, no, yes) = (Value::Null, json!(false), json!(true));
    for expected in [
        (&a, &none, &no),
        (&b, &none, &no),
        (&a, &yandex, &yes),
        (&b, &yandex, &yes),
    ] {
        assert!(found.contains(&expected), "{expected:?}: {verdicts}");
    }
    assert_eq!(found.len(), 4);
    // Long after the requests, nothing is known of either.
    for (site, allowed, reason) in [
        // RFC 9309, 2.3.1.4: after 30 days, it may count as unavailable.
        (&busy, true, "robots_txt_absent"),
        (&missing, false, "robots_txt_unknown"),
    ] {
        let url = site.url("/x");
        let question = json!({"urls": [url], "fetch": true, "now": "2100-01-01T00:00:00Z"});
        let verdict = &ask(&service, "/v1/check", &question)[0];
        assert_eq!(
            (&verdict["allowed"], &verdict["reason"]),
            (&json!(allowed), &json!(reason)),
            "{verdict}"
        );
    }
}

#[test]
fn a_page_is_requested_as_far_as_robots_txt_allows_and_never_returned() {
    let service = start(&[("allow-private", "true")]);
    let site = site(RULES, PAGE);
    let question = |path: &str| json!({"url": site.url(path), "fetch": true});
    let open = ask(&service, "/v1/decide", &question("/open"));
    assert_eq!(
        (&open[0]["index"], &open[0]["archive"]),
        (&json!("no"), &json!("no"))
    );
    assert!(!open.to_string().contains("secret"));
    let hidden = ask(&service, "/v1/why", &question("/private/x"));
    assert_eq!(hidden["page"]["source"], "none");
    assert_eq!(hidden["robots_txt"]["status"], 200);
    assert!(
        hidden["page"]["why_not"]
            .as_str()
            .unwrap()
            .contains("does not allow this service"),
        "{hidden}"
    );
    // A given page is not requested.
    let mut given = question("/given");
    given["html"] = json!("");
    assert_eq!(ask(&service, "/v1/decide", &given)[0]["index"], "yes");
    assert_eq!(site.requests(), ["/robots.txt", "/open"]);
}

#[test]
fn pages_are_not_requested_in_bulk() {
    let service = start(&[("allow-private", "true")]);
    let site = site(RULES, PAGE);
    let lines: String = (0..200).fold(String::new(), |lines, number| {
        let path = if number % 2 == 0 {
            "/private/x"
        } else {
            "/open"
        };
        lines + &json!({"url": site.url(path), "fetch": true}).to_string() + "\n"
    });
    let answer = service.post("/v1/decide/bulk", "application/x-ndjson", &lines);
    assert_eq!(answer.body.matches("\"fetch\":\"disallow\"").count(), 100);
    assert_eq!(answer.body.matches("\"fetch\":\"allow\"").count(), 100);
    assert_eq!(site.requests(), ["/robots.txt"]);
}

#[test]
fn private_addresses_are_not_requested() {
    let service = start(&[]);
    let site = site(RULES, PAGE);
    let question = json!({"url": site.url("/open"), "fetch": true});
    let why = ask(&service, "/v1/why", &question);
    assert_eq!(why["robots_txt"]["status"], Value::Null, "{why}");
    assert_eq!(why["page"]["source"], "none");
    let both = json!({"url": site.url("/open"), "fetch": true, "robots_txt": ""});
    let answer = service.post("/v1/why", "application/json", &both.to_string());
    answer.assert_problem(422, "invalid-value", None);
    assert_eq!(site.requests(), [""; 0]);
}

/// A file on which dialects and robots differ. Of a pattern that is a URL, some dialects compare the host.
const DIFFERING: &str = "User-agent: *\nAllow: /open/$\nDisallow: /open\nDisallow: http://127.0.0.1/private\n\
    Disallow: /private/*x\n\nUser-agent: googlebot\nUser-agent: ExampleBot\nDisallow: /private\nAllow: /private/x\nCrawl-delay: 3\n";

#[test]
fn a_kept_file_has_the_verdicts_of_a_given_one() {
    let service = start(&[("allow-private", "true")]);
    // Two sites with the same bytes, and one with others.
    let sites = [
        site(("200 OK", DIFFERING), PAGE),
        site(("200 OK", DIFFERING), PAGE),
        site(RULES, PAGE),
    ];
    let files = [DIFFERING, DIFFERING, RULES.1];
    let dialects = robots_txt::Dialect::ALL.iter().map(|dialect| {
        let name = dialect.name();
        json!({"dialects": [name]})
    });
    let profiles =
        robots_policy::Profile::all().map(|profile| json!({"profiles": [profile.name()]}));
    let others = [
        json!({}),
        json!({"all_dialects": true}),
        json!({"dialects": ["rfc9309+commas", "google"]}),
        json!({"dialects": ["google"], "profiles": ["google", "bing"]}),
        json!({"all_agents": true}),
    ];
    for readings in dialects.chain(profiles).chain(others) {
        let agents = [json!([]), json!(["Googlebot"]), json!(["b", "ExampleBot"])];
        for (place, agents) in agents.iter().enumerate() {
            if readings.get("all_agents").is_some() && place > 0 {
                continue;
            }
            for name_alone in [false, true] {
                for (site, file) in sites.iter().zip(files) {
                    let mut question = readings.clone();
                    question["agents"] = agents.clone();
                    question["name_alone"] = name_alone.into();
                    let paths = ["/private/x", "/open/", "/open", "/"];
                    question["urls"] = paths.iter().map(|path| site.url(path)).collect();
                    question["robots_txt"] = file.into();
                    let given = ask(&service, "/v1/check", &question);
                    assert!(given[0]["allowed"].is_boolean(), "{given}");
                    question.as_object_mut().unwrap().remove("robots_txt");
                    question["fetch"] = true.into();
                    // It is compiled, and then kept.
                    for _ in 0..2 {
                        let known = ask(&service, "/v1/check", &question);
                        assert!(known == given, "{question}\n{known}\n{given}");
                    }
                }
            }
        }
    }
}
