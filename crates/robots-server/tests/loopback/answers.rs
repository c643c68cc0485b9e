//! Answers of routes, and what all answers have in common.

use crate::client::start;
use robots_policy::Profile;
use robots_policy::profile::AgentTable;
use serde_json::{Value, json};

#[test]
fn probes_answer() {
    let service = start(&[]);
    let answer = service.get("/healthz", "");
    assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"));
    let answer = service.get("/readyz", "");
    assert_eq!(
        (answer.status, answer.json()["status"].clone()),
        (200, json!("ready"))
    );
}

#[test]
fn every_answer_has_an_identifier_and_a_strict_policy() {
    let service = start(&[]);
    let mut ids = Vec::new();
    for path in ["/healthz", "/v1/agents", "/none"] {
        let answer = service.get(path, "");
        ids.push(answer.header("x-request-id").unwrap().to_owned());
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'"), "{policy}");
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[test]
fn agents_are_those_of_the_table() {
    let service = start(&[]);
    let all = service.get("/v1/agents", "");
    assert_eq!(all.status, 200);
    let table: Vec<_> = AgentTable::built_in().iter().collect();
    assert_eq!(all.json(), serde_json::to_value(&table).unwrap());
    let some = service
        .get("/v1/agents?purpose=ai-train,dataset", "")
        .json();
    let tokens = |answer: &Value| -> Vec<String> {
        let agents = answer.as_array().unwrap().iter();
        agents
            .map(|agent| agent["token"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(tokens(&some).contains(&"GPTBot".to_owned()));
    assert!(tokens(&some).len() < table.len());
    assert_eq!(
        tokens(&service.get("/v1/agents/gptbot", "").json()),
        ["GPTBot"]
    );
    let header = service.get(
        "/v1/agents/Mozilla%2F5.0%20(compatible;%20bingbot%2F2.0)",
        "",
    );
    assert_eq!(tokens(&header.json()), ["bingbot"]);
    let unknown = service.get("/v1/agents/GPTBut", "");
    unknown.assert_problem(404, "not-found", None);
    assert!(unknown.body.contains("did you mean GPTBot?"), "{unknown:?}");
}

#[test]
fn profiles_are_the_built_in_ones() {
    let service = start(&[]);
    let all: Vec<Profile> = Profile::all().collect();
    let answer = service.get("/v1/profiles", "");
    assert_eq!(answer.json(), serde_json::to_value(&all).unwrap());
    let answer = service.get("/v1/profiles/google", "");
    assert_eq!(
        answer.json(),
        serde_json::to_value(Profile::google()).unwrap()
    );
    let unknown = service.get("/v1/profiles/gogle", "");
    unknown.assert_problem(404, "not-found", None);
    assert!(unknown.body.contains("google"), "{unknown:?}");
}

#[test]
fn unknown_paths_methods_and_parameters_are_problems() {
    let service = start(&[]);
    for path in ["/none", "/v1", "/v1/agents/", "/%00", "/v1/profiles/%ff"] {
        let answer = service.get(path, "");
        assert!(matches!(answer.status, 400 | 404), "{answer:?}");
        answer.problem();
    }
    let post =
        b"POST /v1/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    let answer = service.send(post);
    answer.assert_problem(405, "method-not-allowed", None);
    assert!(
        answer.header("allow").unwrap().contains("GET"),
        "{answer:?}"
    );
    let answer = service.get("/v1/agents?purpos=ads", "");
    answer.assert_problem(400, "invalid-parameter", None);
    assert!(
        answer.body.contains("did you mean \\\"purpose\\\"?"),
        "{answer:?}"
    );
    for query in ["purpose=none", "purpose=ads&purpose=ads", "x", "purpose="] {
        let answer = service.get(&format!("/v1/agents?{query}"), "");
        answer.assert_problem(400, "invalid-parameter", None);
    }
    service
        .get("/v1/profiles?x=1", "")
        .assert_problem(400, "invalid-parameter", None);
}

#[test]
fn head_has_the_headers_without_the_body() {
    let service = start(&[]);
    let request = b"HEAD /v1/profiles HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let answer = service.send(request);
    assert_eq!((answer.status, answer.body.as_str()), (200, ""));
    let length: usize = answer.header("content-length").unwrap().parse().unwrap();
    assert_eq!(length, service.get("/v1/profiles", "").body.len());
    let answer = service.send(b"HEAD /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_eq!((answer.status, answer.body.as_str()), (404, ""));
}

#[test]
fn counters_count_by_route_and_limit() {
    let service = start(&[("limits.url-bytes", "100")]);
    service.get("/v1/profiles/google", "");
    service.get("/v1/profiles/none", "");
    service.get(&format!("/{}", "x".repeat(100)), "");
    service.get("/v1/lint", "");
    service.get("/none", "");
    let answer = service.get("/metrics", "");
    assert!(
        answer
            .header("content-type")
            .unwrap()
            .starts_with("application/openmetrics-text")
    );
    for line in [
        "robots_http_requests_total{route=\"/v1/profiles/{name}\",method=\"GET\",status=\"200\"} 1",
        "robots_http_requests_total{route=\"/v1/profiles/{name}\",method=\"GET\",status=\"404\"} 1",
        "robots_http_requests_total{route=\"none\",method=\"GET\",status=\"414\"} 1",
        "robots_http_requests_total{route=\"/v1/lint\",method=\"GET\",status=\"405\"} 1",
        "robots_http_requests_total{route=\"none\",method=\"GET\",status=\"404\"} 1",
        "robots_http_refused_total{limit=\"limits.url-bytes\"} 1",
        "robots_http_requests_in_flight 1",
        "robots_http_accepted_connections_total 6",
        "# EOF",
    ] {
        assert!(
            answer.body.lines().any(|found| found == line),
            "{line}\n{}",
            answer.body
        );
    }
}
