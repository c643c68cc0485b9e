//! Questions with `fetch`: the robots.txt of a site on loopback, and its pages.

use crate::client::{Site, TEXT, response, site, start};
use robots_policy::Profile;
use robots_txt::Dialect;
use serde_json::{Value, json};

/// Starts a site with a robots.txt and one page for all other paths.
pub(crate) fn site_of(robots: (&'static str, &'static str), page: &'static str) -> Site {
    site(move |path| match path {
        "/robots.txt" => response(robots.0, robots.1),
        _ => response(
            "200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noarchive",
            page,
        ),
    })
}

const RULES: (&str, &str) = (TEXT, "User-agent: *\nDisallow: /private/\n");

const PAGE: &str = "<title>secret</title><meta name=robots content=noindex>";

#[test]
fn robots_txt_is_taken_from_the_site_and_requested_once() {
    let service = start(&[("allow-private", "true")]);
    let site = site_of(RULES, PAGE);
    let question =
        json!({"urls": [format!("{site}/private/x"), format!("{site}/open")], "fetch": true});
    for _ in 0..2 {
        let verdicts = service.answer("/v1/check", &question);
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
        site_of((TEXT, "User-agent: *\nDisallow: /x\n"), ""),
        site_of((TEXT, "User-agent: *\nAllow: /\n"), ""),
        site_of((TEXT, "User-agent: *\nDisallow: /\n"), ""),
    ];
    let service = start(&[("allow-private", "true")]);
    for places in [
        vec![0],
        vec![0, 0],
        vec![0, 1, 0, 1, 1],
        vec![2, 1, 0, 2, 1, 0, 0],
    ] {
        let urls: Vec<String> = places
            .iter()
            .map(|place| format!("{}/x", sites[*place]))
            .collect();
        let answers = service.answer("/v1/check", &json!({"urls": urls, "fetch": true}));
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
    let missing = site_of(("404 Not Found", ""), PAGE);
    let question = json!({"urls": [format!("{missing}/x")], "fetch": true});
    let verdict = &service.answer("/v1/check", &question)[0];
    assert_eq!(
        (&verdict["allowed"], &verdict["reason"]),
        (&json!(true), &json!("robots_txt_absent"))
    );
    assert_eq!(verdict["profile"], "neutral");
    let busy = site_of(("500 Internal Server Error", ""), PAGE);
    let question =
        json!({"urls": [format!("{busy}/x")], "fetch": true, "profiles": ["google", "yandex"]});
    let verdicts = service.answer("/v1/check", &question);
    assert_eq!(
        verdicts[0]["reason"], "robots_txt_unreachable",
        "{verdicts}"
    );
    assert_eq!(verdicts[0]["profile"], "google");
    assert_eq!(verdicts[1]["allowed"], true);
    // A dialect alone is that of no engine. Two robots share the state of each reading.
    let question = json!({
        "urls": [format!("{busy}/x")], "fetch": true, "agents": ["A", "B"], "dialects": ["rfc9309"], "profiles": ["yandex"],
    });
    let verdicts = service.answer("/v1/check", &question);
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
        let url = format!("{site}/x");
        let question = json!({"urls": [url], "fetch": true, "now": "2100-01-01T00:00:00Z"});
        let verdict = &service.answer("/v1/check", &question)[0];
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
    let site = site_of(RULES, PAGE);
    let question = |path: &str| json!({"url": format!("{site}{path}"), "fetch": true});
    let open = service.answer("/v1/decide", &question("/open"));
    assert_eq!(
        (&open[0]["index"], &open[0]["archive"]),
        (&json!("no"), &json!("no"))
    );
    assert!(!open.to_string().contains("secret"));
    let hidden = service.answer("/v1/why", &question("/private/x"));
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
    assert_eq!(service.answer("/v1/decide", &given)[0]["index"], "yes");
    assert_eq!(site.requests(), ["/robots.txt", "/open"]);
}

#[test]
fn pages_are_not_requested_in_bulk() {
    let service = start(&[("allow-private", "true")]);
    let site = site_of(RULES, PAGE);
    let lines: String = (0..200).fold(String::new(), |lines, number| {
        let path = if number % 2 == 0 {
            "/private/x"
        } else {
            "/open"
        };
        lines + &json!({"url": format!("{site}{path}"), "fetch": true}).to_string() + "\n"
    });
    let answer = service.post("/v1/decide/bulk", "application/x-ndjson", &lines);
    assert_eq!(answer.body.matches("\"fetch\":\"disallow\"").count(), 100);
    assert_eq!(answer.body.matches("\"fetch\":\"allow\"").count(), 100);
    assert_eq!(site.requests(), ["/robots.txt"]);
}

#[test]
fn private_addresses_are_not_requested() {
    let service = start(&[]);
    let site = site_of(RULES, PAGE);
    let question = json!({"url": format!("{site}/open"), "fetch": true});
    let why = service.answer("/v1/why", &question);
    assert_eq!(why["robots_txt"]["status"], Value::Null, "{why}");
    assert_eq!(why["page"]["source"], "none");
    let both = json!({"url": format!("{site}/open"), "fetch": true, "robots_txt": ""});
    let answer = service.post("/v1/why", "application/json", &both.to_string());
    answer.assert_problem(422, "invalid-value", None);
    assert_eq!(site.requests(), [""; 0]);
}

/// A file on which dialects and robots differ. Of a pattern that is a URL, some dialects compare the host.
const DIFFERING: &str = "User-agent: *\nAllow: /open/$\nDisallow: /open\nDisallow: http://127.0.0.1/private\n\
    Disallow: /private/*x\n\nUser-agent: googlebot\nUser-agent: ExampleBot\nDisallow: /private\nAllow: /private/x\nCrawl-delay: 3\n";

#[test]
fn the_file_of_a_site_has_the_verdicts_of_a_given_one() {
    let service = start(&[("allow-private", "true")]);
    let site = site_of((TEXT, DIFFERING), PAGE);
    let urls = ["/private/x", "/open/", "/open", "/"].map(|path| format!("{site}{path}"));
    let names: Vec<&str> = Dialect::ALL.iter().map(Dialect::name).collect();
    let profiles: Vec<Profile> = Profile::all().collect();
    let profiles: Vec<&str> = profiles.iter().map(Profile::name).collect();
    for readings in [
        json!({"dialects": names, "agents": ["b", "ExampleBot"]}),
        json!({"profiles": profiles}),
        json!({"profiles": profiles, "name_alone": true, "agents": ["Googlebot"]}),
        json!({"all_dialects": true, "agents": ["Googlebot"]}),
        json!({"dialects": ["rfc9309+commas", "google"], "profiles": ["bing"]}),
        json!({"all_agents": true}),
        json!({}),
    ] {
        let mut given = readings.clone();
        given["urls"] = json!(urls);
        let mut fetched = given.clone();
        given["robots_txt"] = DIFFERING.into();
        fetched["fetch"] = true.into();
        let given = service.answer("/v1/check", &given);
        assert!(given[0]["allowed"].is_boolean(), "{given}");
        let fetched = service.answer("/v1/check", &fetched);
        assert!(fetched == given, "{readings}\n{fetched}\n{given}");
    }
}

/// Without the setting, no tdmrep.json is requested, and nothing objects.
#[test]
fn a_tdmrep_json_is_requested_with_robots_txt_if_set() {
    for (is_set, paths, may_train) in [
        (
            "true",
            &["/robots.txt", "/.well-known/tdmrep.json", "/x"][..],
            "no",
        ),
        ("false", &["/robots.txt", "/x"], "yes"),
    ] {
        let service = start(&[("allow-private", "true"), ("request-tdmrep", is_set)]);
        let site = site(|path| match path {
            "/robots.txt" => response(TEXT, ""),
            "/.well-known/tdmrep.json" => response(
                "200 OK\r\nContent-Type: application/json",
                r#"[{"location": "/", "tdm-reservation": 1}]"#,
            ),
            _ => response("200 OK\r\nContent-Type: text/html", "<title>a</title>"),
        });
        let question = json!({"url": format!("{site}/x"), "fetch": true, "agents": ["ExampleBot"]});
        let answer = service.answer("/v1/decide", &question);
        assert_eq!(answer[0]["may_train"], may_train, "{answer}");
        assert_eq!(site.requests(), paths);
    }
}
