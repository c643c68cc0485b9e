//! Keys, senders, and limits per client.

use crate::client::start;

#[test]
fn a_key_opens_all_but_the_probes() {
    let service = start(&[("api-key", "0123456789abcdef")]);
    for path in ["/v1/agents", "/metrics", "/docs", "/openapi.json", "/none"] {
        let answer = service.get(path, "");
        answer.assert_problem(401, "missing-key", None);
        assert!(
            answer.head.contains("www-authenticate: Bearer"),
            "{answer:?}"
        );
        service
            .get(path, "Authorization: Bearer 0123456789abcdeF\r\n")
            .assert_problem(401, "missing-key", None);
        let status = if path == "/none" { 404 } else { 200 };
        let answer = service.get(path, "Authorization: Bearer 0123456789abcdef\r\n");
        assert_eq!(answer.status, status);
        assert_eq!(
            service.get(path, "X-API-Key: 0123456789abcdef\r\n").status,
            status
        );
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(service.get(path, "").status, 200);
    }
}

#[test]
fn a_client_has_a_rate_and_probes_have_none() {
    let settings = [
        ("limits.rate-per-client", "1"),
        ("limits.burst-per-client", "3"),
        ("exempt-clients", ""),
    ];
    let service = start(&settings);
    for _ in 0..3 {
        assert_eq!(service.get("/v1/profiles/google", "").status, 200);
    }
    let answer = service.get("/v1/profiles/google", "");
    answer.assert_problem(429, "too-many-requests", Some("limits.rate-per-client"));
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(service.get("/healthz", "").status, 200);
    // A header of the client's own invention changes nothing.
    service
        .get("/v1/profiles/google", "X-Forwarded-For: 192.0.2.1\r\n")
        .assert_problem(429, "too-many-requests", Some("limits.rate-per-client"));
}

#[test]
fn clients_behind_a_trusted_proxy_have_rates_of_their_own() {
    let settings = [
        ("limits.rate-per-client", "1"),
        ("limits.burst-per-client", "2"),
        ("trusted-proxies", "127.0.0.1"),
    ];
    let service = start(&settings);
    let status = |client: &str| {
        let line = format!("X-Forwarded-For: {client}\r\n");
        service.get("/v1/profiles/google", &line).status
    };
    let first: Vec<u16> = (0..3).map(|_| status("192.0.2.1")).collect();
    assert_eq!(first, [200, 200, 429]);
    assert_eq!(status("192.0.2.2"), 200);
    // The addresses of one network of 64 bits are one client.
    let hosts = [
        "2001:db8::1",
        "2001:db8::2",
        "2001:db8::3",
        "2001:db8:0:1::1",
    ];
    assert_eq!(hosts.map(status), [200, 200, 429, 200]);
}

#[test]
fn the_identifier_of_a_trusted_proxy_is_kept() {
    let line = "X-Request-Id: of-the-proxy.1\r\n";
    let service = start(&[]);
    let answer = service.get("/healthz", line);
    assert_ne!(answer.header("x-request-id"), Some("of-the-proxy.1"));
    let service = start(&[("trusted-proxies", "127.0.0.0/8")]);
    let answer = service.get("/none", line);
    assert_eq!(answer.header("x-request-id"), Some("of-the-proxy.1"));
    answer.problem();
    let long = format!("X-Request-Id: {}\r\n", "x".repeat(129));
    let answer = service.get("/healthz", &long);
    assert!(answer.header("x-request-id").unwrap().len() < 129);
}
