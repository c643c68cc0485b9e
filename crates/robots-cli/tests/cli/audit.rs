//! `robots audit`.

use crate::program::{
    Outcome, browser, command, counts, gzip, record, response, robots, robots_on, workspace,
};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const GOOGLEBOT: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/// Returns a line of a Combined log.
fn line(client: &str, time: &str, path: &str, agent: &str) -> String {
    format!("{client} - - [{time} +0000] \"GET {path} HTTP/1.1\" 200 10 \"-\" \"{agent}\"\n")
}

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout)
        .unwrap_or_else(|_| panic!("{} {}", outcome.stdout, outcome.stderr))
}

/// Returns the requests of a robot: those that no address refutes.
fn of_robot<'v>(audit: &'v Value, name: &str) -> &'v Value {
    row(audit, name, false)
}

/// Returns the requests that use the name of a robot, but come from an address that is not the robot's.
fn of_impostors<'v>(audit: &'v Value, name: &str) -> &'v Value {
    row(audit, name, true)
}

fn row<'v>(audit: &'v Value, name: &str, refuted: bool) -> &'v Value {
    let robots = audit["robots"].as_array().unwrap();
    let found = robots
        .iter()
        .find(|robot| robot["name"] == name && robot["refuted"] == refuted);
    found.unwrap_or_else(|| panic!("{audit}"))
}

/// Returns the numbers of requests of `ExampleBot` that were judged, forbidden, and allowed by an older file.
fn numbers(outcome: &Outcome) -> [u64; 3] {
    let audit = json(outcome);
    let robot = of_robot(&audit, "ExampleBot");
    ["/judged", "/forbidden/requests", "/in_grace"]
        .map(|number| robot.pointer(number).and_then(Value::as_u64).unwrap())
}

/// Makes a folder with files of these names and texts.
fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let path = folder.path().to_owned();
    (folder, path)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn published_ranges_verify_robots() {
    let time = "20/Nov/2026:13:55:36";
    let log = [
        line("192.0.2.7", time, "/", GOOGLEBOT), // in a range of Googlebot
        line("198.51.100.1", time, "/", GOOGLEBOT), // in no range, and its host name is not known
        line("198.51.100.2", time, "/", GOOGLEBOT), // verified by its host name
        line("192.0.2.7", time, "/", "GPTBot/1.2"), // no range of GPTBot is given
    ]
    .concat();
    let (_kept, at) = folder(&[
        (
            "googlebot.json",
            r#"{"prefixes":[{"ipv6Prefix":"2001:db8::/32"},{"ipv4Prefix":"192.0.2.0/24"}]}"#,
        ),
        ("names.txt", "198.51.100.2 crawl-1.googlebot.com\n"),
        ("access.log", &log),
    ]);
    let ranges = format!("Googlebot={}", text(&at.join("googlebot.json")));
    let outcome = command(&format!(
        "audit --ranges {ranges} --hosts {} --json {}",
        at.join("names.txt").display(),
        at.join("access.log").display()
    ));
    // Code 1, as one request uses the name of Googlebot from another address.
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    let audit = json(&outcome);
    let verified = of_robot(&audit, "Googlebot");
    assert_eq!(
        counts([&verified["requests"], &verified["verified"]]),
        [2, 2]
    );
    assert_eq!(of_impostors(&audit, "Googlebot")["requests"], 1);
    let gptbot = of_robot(&audit, "GPTBot");
    assert_eq!(counts([&gptbot["verified"], &gptbot["unverified"]]), [0, 1]);
    let wrong = robots(["audit", "--ranges", "NoSuchBot=a.json", "-"]);
    assert_eq!(wrong.code, 2);
    wrong.assert_stderr_contains("unknown robot \"NoSuchBot\"");
}

#[test]
fn threads_and_packing_do_not_change_the_counts() {
    let agents = [
        GOOGLEBOT,
        "ExampleBot/1",
        "GPTBot/1.2",
        "curl/8",
        "Mozilla/5.0 (X11)",
    ];
    let mut log = String::new();
    for number in 0..60_000 {
        let time = format!(
            "20/Nov/2026:{:02}:{:02}:{:02}",
            number / 3_600,
            number / 60 % 60,
            number % 60
        );
        let path = format!("/{}/{number}", ["a", "b", "private"][number % 3]);
        log.push_str(&line("192.0.2.1", &time, &path, agents[number % 5]));
    }
    let (_kept, at) = folder(&[
        (
            "robots.txt",
            "User-agent: *\nDisallow: /private/\nCrawl-delay: 6\n",
        ),
        ("access.log", &log),
    ]);
    fs::write(at.join("access.log.gz"), gzip(log.as_bytes())).unwrap();
    let (rules, plain, packed) = (
        at.join("robots.txt"),
        at.join("access.log"),
        at.join("access.log.gz"),
    );
    let run = |input: &str, threads: &str| {
        robots_on(
            [
                "audit",
                "--robots",
                text(&rules),
                "--json",
                "--threads",
                threads,
                input,
            ],
            log.as_bytes(),
        )
    };
    let one = run(text(&plain), "1");
    assert_eq!(one.code, 1, "{}", one.stderr);
    let audit = json(&one);
    let requests = &audit["requests"];
    // Of the five agents, three are robots, and one of these is an AI robot.
    assert_eq!(
        counts([&requests["all"], &requests["robots"]]),
        [60_000, 36_000]
    );
    assert_eq!(
        counts([&requests["ai"], &requests["programs"]]),
        [12_000, 12_000]
    );
    assert_eq!(requests["browsers"], 12_000);
    let example = of_robot(&audit, "ExampleBot");
    // A third of the paths is forbidden.
    assert_eq!(
        counts([&example["judged"], &example["forbidden"]["requests"]]),
        [12_000, 4_000]
    );
    // ExampleBot comes every five seconds, and the delay is six: in whole seconds, that is certainly too soon. The first
    // request has no request before it, so it is not judged.
    let delay = &example["crawl_delay"];
    assert_eq!(
        counts([&delay["judged"], &delay["too_soon"]["requests"]]),
        [11_999, 11_999]
    );
    assert_eq!(
        (&delay["asked"], &delay["median_gap"]),
        (&6.0.into(), &5.0.into())
    );
    for (input, threads) in [(text(&plain), "4"), (text(&packed), "2"), ("-", "3")] {
        let other = run(input, threads).stdout;
        let renamed = other.replace(&format!("\"{input}\""), &format!("\"{}\"", text(&plain)));
        assert_eq!(renamed, one.stdout, "{input}");
    }
}

#[test]
fn the_file_that_was_in_force_decides() {
    let (_kept, at) = folder(&[
        (
            "sites/example.com/2026-11-01-robots.txt",
            "User-agent: *\nDisallow: /old/\n",
        ),
        (
            "sites/example.com/2026-11-10-robots.txt",
            "User-agent: *\nDisallow: /new/\n",
        ),
        (
            "sites/example.net-robots.txt",
            "User-agent: *\nDisallow: /\n",
        ),
    ]);
    let asks = |host: &str, time: &str, path: &str| {
        format!(
            "{host}:80 {}",
            line("192.0.2.1", time, path, "ExampleBot/1")
        )
    };
    let log = [
        asks("example.com", "09/Nov/2026:12:00:00", "/old/1"), // forbidden
        asks("example.com", "09/Nov/2026:12:00:00", "/new/1"),
        asks("example.com", "10/Nov/2026:12:00:00", "/old/2"),
        asks("example.com", "10/Nov/2026:12:00:00", "/new/2"), // allowed by the older file
        asks("example.com", "11/Nov/2026:12:00:00", "/new/3"), // forbidden
        asks("example.com", "20/Oct/2026:12:00:00", "/old/3"), // before all files: forbidden
        asks("EXAMPLE.NET", "11/Nov/2026:12:00:00", "/x"),     // forbidden
        asks("example.org", "11/Nov/2026:12:00:00", "/x"),     // not known
        line("192.0.2.1", "11/Nov/2026:12:00:00", "/x", "ExampleBot/1"), // without a host
    ]
    .concat();
    let sites = at.join("sites");
    let run = |extra: &[&str]| {
        let words = ["audit", "--robots", text(&sites), "--json", "-"];
        robots_on(words.iter().chain(extra), log.as_bytes())
    };
    let outcome = run(&[]);
    let audit = json(&outcome);
    let robot = of_robot(&audit, "ExampleBot");
    assert_eq!(numbers(&outcome), [7, 4, 1]);
    assert_eq!(robot["examples"][0]["line"], 1);
    assert_eq!(
        robot["examples"][0]["rule"],
        "line 2: Disallow: /old/ (group of *)"
    );
    outcome.assert_stdout_contains("use --host if the log does not name its host");
    assert_eq!(numbers(&run(&["--grace", "0s"])), [7, 5, 0]);
    // The line without a host is now one of example.net, and forbidden.
    assert_eq!(numbers(&run(&["--host", "example.net"])), [8, 5, 1]);
}

#[test]
fn a_response_in_an_archive_applies_from_its_date_on() {
    let asks = |host: &str, time: &str, path: &str| {
        format!("{host} {}", line("192.0.2.1", time, path, "ExampleBot/1"))
    };
    let log = [
        asks("example.com", "20/Oct/2026:12:00:00", "/old/1"), // before all files: forbidden
        asks("example.com", "09/Nov/2026:12:00:00", "/old/2"), // forbidden
        asks("example.com", "10/Nov/2026:12:00:00", "/new/2"), // allowed by the older file
        asks("example.com", "11/Nov/2026:12:00:00", "/new/3"), // forbidden
        asks("example.net:443", "11/Nov/2026:12:00:00", "/new/4"), // by redirect: forbidden
        asks("example.com", "14/Nov/2026:12:00:00", "/new/5"), // there is no file any more
        asks("example.org", "11/Nov/2026:12:00:00", "/x"),     // not known
    ]
    .concat();
    let dated = |date: &str, record: Vec<u8>| {
        let record = String::from_utf8(record).unwrap();
        record.replace("2026-11-20T00:00:00Z", date)
    };
    let robots_txt =
        |body: &str| response("http://example.com/robots.txt", "A: b", body.as_bytes());
    let archive = [
        dated(
            "2026-11-10T00:00:00Z",
            robots_txt("User-agent: *\nDisallow: /new/\n"),
        ),
        dated(
            "2026-11-01T00:00:00Z",
            robots_txt("User-agent: *\nDisallow: /old/\n"),
        ),
        // A failure does not end the file of the day before, but the 404 below does.
        dated(
            "2026-11-11T00:00:00Z",
            record(
                "http://example.com/robots.txt",
                "HTTP/1.1 503 Busy\r\n\r\n",
                b"",
            ),
        ),
        dated(
            "2026-11-12T00:00:00Z",
            record(
                "http://example.com/robots.txt",
                "HTTP/1.1 404 Gone\r\n\r\n",
                b"",
            ),
        ),
        dated(
            "2026-11-01T00:00:00Z",
            record(
                "https://example.net/robots.txt",
                "HTTP/1.1 301 Moved\r\nLocation: https://example.com/robots.txt\r\n\r\n",
                b"",
            ),
        ),
    ]
    .concat();
    let (_kept, at) = folder(&[("robots.warc", &archive)]);
    let warc = at.join("robots.warc");
    let outcome = robots_on(
        ["audit", "--robots", text(&warc), "--json", "-"],
        log.as_bytes(),
    );
    assert_eq!(numbers(&outcome), [6, 4, 1]);
    outcome.assert_stdout_contains("1 request of robots before the first");
}

/// An archive from standard input is read again for the targets of redirects, as a file is.
#[test]
fn redirects_in_a_stream_are_followed() {
    let archive = [
        record(
            "http://a.example/robots.txt",
            "HTTP/1.1 301 Moved\r\nLocation: /rules\r\n\r\n",
            b"",
        ),
        response(
            "http://a.example/rules",
            "Content-Type: text/plain",
            b"User-agent: *\nDisallow: /x\n",
        ),
    ]
    .concat();
    let line = "192.0.2.1 - - [20/Nov/2026:00:00:00 +0000] \"GET /x HTTP/1.1\" 200 1 \"-\" \"ExampleBot/1.0 (+http://b.example/)\"\n";
    let archive = String::from_utf8(archive).unwrap();
    let (_kept, at) = folder(&[("robots.warc", &archive), ("log", line)]);
    let words = |robots: &'static str| ["audit", "--host", "a.example", "--robots", robots];
    let log = at.join("log");
    let stream = robots_on(
        words("-").iter().copied().chain([text(&log)]),
        archive.as_bytes(),
    );
    let file = text(&at.join("robots.warc")).to_owned();
    let file = command(&format!(
        "audit --host a.example --robots {file} {}",
        log.display()
    ));
    assert_eq!(
        (file.code, file.stdout.contains("/x")),
        (1, true),
        "{}",
        file.stdout
    );
    assert_eq!((stream.code, stream.stdout), (1, file.stdout));
}

#[test]
fn names_of_robots_are_compared_with_addresses() {
    let (_kept, at) = folder(&[
        (
            "names",
            "66.249.66.1 crawl-66-249-66-1.googlebot.com\n192.0.2.7 evil-googlebot.com\n192.0.2.8 -\n",
        ),
        ("robots.txt", "User-agent: *\nDisallow: /a\n"),
    ]);
    let time = "11/Nov/2026:12:00:00";
    let log = [
        line("66.249.66.1", time, "/", GOOGLEBOT), // verified by its host name
        line("192.0.2.7", time, "/a", GOOGLEBOT),  // refuted: a host name of another domain
        line("192.0.2.8", time, "/a", GOOGLEBOT),  // refuted: the address has no host name
        line("192.0.2.9", time, "/", GOOGLEBOT),   // unverified: not in the file
        // A Common log has no User-Agent: the host name indicates the robot. The first of these lines is Googlebot's.
        format!("66.249.66.1 - - [{time} +0000] \"GET /a HTTP/1.0\" 200 -\n"),
        format!("192.0.2.7 - - [{time} +0000] \"GET /a HTTP/1.0\" 200 -\n"),
        format!("crawl.yandex.com - - [{time} +0000] \"GET /robots.txt HTTP/1.0\" 404 -\n"),
    ]
    .concat();
    let (names, rules) = (at.join("names"), at.join("robots.txt"));
    let words = [
        "audit",
        "--robots",
        text(&rules),
        "--hosts",
        text(&names),
        "--json",
        "-",
    ];
    let outcome = robots_on(words, log.as_bytes());
    assert_eq!(outcome.code, 1);
    let audit = json(&outcome);
    let own = of_robot(&audit, "Googlebot");
    assert_eq!(counts([&own["verified"], &own["unverified"]]), [2, 1]);
    assert_eq!(own["forbidden"]["requests"], 1);
    let others = of_impostors(&audit, "Googlebot");
    assert_eq!(
        counts([&others["requests"], &others["forbidden"]["requests"]]),
        [2, 2]
    );
    assert_eq!(of_robot(&audit, "Yandex")["robots_txt_statuses"]["4xx"], 1);
    // 192.0.2.7 without a User-Agent: its host name is not one of a robot.
    assert_eq!(audit["requests"]["unnamed"], 1);
    let forms = &audit["formats"];
    assert_eq!(counts([&forms["combined"], &forms["common"]]), [4, 3]);
    let wrong = robots_on(["audit", "--hosts", text(&rules), "-"], log.as_bytes());
    assert_eq!(wrong.code, 2);
    wrong.assert_stderr_contains("robots.txt:1: \"User-agent:\" is not an IP address");
}

/// The log has two #Fields directives, and a Combined line near its end. It is read in blocks of 2 MiB, and some of them begin
/// far after the directive that applies to them.
#[test]
fn fields_apply_until_the_next_ones() {
    let mut log = String::from(
        "#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n\
         #Date: 2026-11-20 00:00:00\r\n#Fields: date time c-ip cs-uri-stem cs(User-Agent) sc-status sc-bytes\r\n",
    );
    let early = (0..40_000).map(|number| {
        format!(
            "2026-11-20 14:{:02}:{:02} 192.0.2.1 /private/{number} ExampleBot/1+(+http://example.com/) 200 7\r\n",
            number / 60 % 60,
            number % 60
        )
    });
    log.extend(early);
    log += "#Fields: sc-bytes cs(User-Agent) time cs-uri-stem c-ip\r\n";
    let late =
        (0..40_000).map(|number| format!("100 GPTBot/1.2 14:00:00 /open/{number} 192.0.2.2\r\n"));
    log.extend(late);
    log += &line("192.0.2.3", "20/Nov/2026:15:00:00", "/private/1", GOOGLEBOT);
    log += "100 GPTBot/1.2 14:00:00 /open/1\r\n# comment\r\n";
    let (_kept, at) = folder(&[("robots.txt", "User-agent: *\nDisallow: /private/\n")]);
    fs::write(at.join("u_ex.log.gz"), gzip(log.as_bytes())).unwrap();
    let (rules, packed) = (at.join("robots.txt"), at.join("u_ex.log.gz"));
    let run = |threads: &str| {
        let words = [
            "audit",
            "--robots",
            text(&rules),
            "--json",
            "--threads",
            threads,
        ];
        robots(words.iter().chain(&[text(&packed)]))
    };
    let outcome = run("1");
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    let audit = json(&outcome);
    assert_eq!(
        counts([&audit["formats"]["w3c"], &audit["formats"]["combined"]]),
        [80_000, 1]
    );
    let example = of_robot(&audit, "ExampleBot");
    assert_eq!(
        counts([&example["bytes"], &example["forbidden"]["requests"]]),
        [280_000, 40_000]
    );
    let gptbot = of_robot(&audit, "GPTBot");
    assert_eq!(
        counts([&gptbot["bytes"], &gptbot["forbidden"]["requests"]]),
        [4_000_000, 0]
    );
    // Directives do not count as lines of the log. The two unreadable lines count, and are reported: one lacks a value, and
    // "# comment" is not a directive, because no directive has this name.
    assert_eq!(audit["lines"], 80_003);
    outcome.assert_stderr_contains(
        "u_ex.log.gz:80007: expected as many values as #Fields has columns (2 such lines)",
    );
    assert_eq!(run("4").stdout, outcome.stdout);
}

#[test]
fn logs_of_cloudfront_are_read_in_both_forms() {
    let fields = "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header\n";
    let tabbed = "2026-11-20\t14:15:36\tFRA2\t182\t192.0.2.1\tGET\td1.cloudfront.net\t/private/a\t200\t-\tMozilla/5.0%2520(compatible;%2520GPTBot/1.2)\t-\texample.com\n";
    let object = "{\"date\":\"2026-11-20\",\"time\":\"14:15:37\",\"sc-bytes\":\"18\",\"c-ip\":\"192.0.2.1\",\"cs(Host)\":\"d1.cloudfront.net\",\"cs-uri-stem\":\"/private/b\",\"sc-status\":\"200\",\"cs(User-Agent)\":\"Mozilla/5.0%20(compatible;%20GPTBot/1.2)\",\"cs-uri-query\":\"-\",\"x-host-header\":\"example.com\"}\n";
    let (_kept, at) = folder(&[
        (
            "example.com/robots.txt",
            "User-agent: *\nDisallow: /private/\n",
        ),
        ("example.net/robots.txt", ""),
    ]);
    let log = gzip([fields, tabbed, object].concat().as_bytes());
    let outcome = robots_on(["audit", "--robots", text(&at), "--json", "-"], &log);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    let audit = json(&outcome);
    let gptbot = of_robot(&audit, "GPTBot");
    assert_eq!(
        counts([&gptbot["bytes"], &gptbot["forbidden"]["requests"]]),
        [200, 2]
    );
    assert_eq!(audit["bad_lines"], serde_json::json!([]));
    assert_eq!(
        counts([&audit["formats"]["w3c"], &audit["formats"]["json"]]),
        [1, 1]
    );
}

#[test]
fn unreadable_lines_are_counted_and_reported() {
    let good = line("192.0.2.1", "11/Nov/2026:12:00:00", "/", GOOGLEBOT);
    let long = "x".repeat(3 * 1024 * 1024);
    let log = format!("\n{good}junk\n{{\"a\":\n\0\u{1}\u{2}\r\n{long}\n{good}more junk");
    let outcome = robots_on(["audit", "--json", "-"], log.as_bytes());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let audit = json(&outcome);
    // Seven lines: the empty line does not count.
    assert_eq!(counts([&audit["lines"], &audit["requests"]["all"]]), [7, 2]);
    let broken: Vec<_> = audit["bad_lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|broken| {
            (
                broken["lines"].as_u64().unwrap(),
                broken["line"].as_u64().unwrap(),
            )
        })
        .collect();
    // The number of unreadable lines with the same error, and the first of them.
    assert_eq!(broken, [(3, 3), (1, 4), (1, 6)], "{}", audit["bad_lines"]);
    outcome.assert_stderr_contains("-:3: expected a time in brackets");
    outcome.assert_stderr_contains("(3 such lines)");
    outcome.assert_stderr_contains("-:6: longer than 1 MiB");
    // The note that nothing is judged without --robots.
    assert_eq!(audit["notes"].as_array().unwrap().len(), 1);

    for nothing in ["", "\n\n", "junk\n"] {
        let outcome = robots_on(["audit", "-"], nothing.as_bytes());
        assert_eq!(outcome.code, 2);
        outcome.assert_stderr_contains("no line of an access log in the inputs");
    }
    // The readable part is in the report, and the rest is reported.
    let (_kept, at) = folder(&[("a.log", &good)]);
    let mut cut = gzip(good.repeat(100).as_bytes());
    cut.truncate(cut.len() - 20);
    fs::write(at.join("cut.gz"), cut).unwrap();
    let outcome = command(&format!(
        "audit --json {} {} {}",
        at.join("none").display(),
        at.join("cut.gz").display(),
        at.join("a.log").display()
    ));
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("cannot read");
    outcome.assert_stderr_contains("cannot continue reading");
    assert!(json(&outcome)["requests"]["all"].as_u64().unwrap() >= 1);
}

#[test]
fn inputs_without_robots_txt_are_an_error() {
    let (_kept, at) = folder(&[("a.txt/b", "")]);
    let outcome = robots(["audit", "--robots", text(&at), "-"]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("no robots.txt in the inputs of --robots");
}

/// The CSV tables have all rows, and the HTML report has its charts when a browser shows it.
#[test]
fn all_reports_are_complete() {
    let (_kept, at) = folder(&[]);
    let (html, tables) = (at.join("audit.html"), at.join("tables"));
    let fixtures = workspace().join("tests/fixtures");
    let outcome = command(&format!(
        "audit --robots {} --hosts {} --html {} --csv {} {}",
        fixtures.join("sites/joes-hardware/robots.txt").display(),
        fixtures.join("logs/names.txt").display(),
        html.display(),
        tables.display(),
        fixtures.join("logs/access.log.gz").display()
    ));
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    // The log has five robots and an impostor of Googlebot, as a sixth. Three of the six made seven forbidden requests, against
    // five rules.
    for (table, rows) in [
        ("robots", 6),
        ("rules", 5),
        ("examples", 7),
        ("days", 1),
        ("programs", 1),
        ("bad_lines", 0),
    ] {
        let text = fs::read_to_string(tables.join(format!("{table}.csv"))).unwrap();
        assert_eq!(text.lines().count(), rows + 1, "{table}: {text}");
    }
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.contains("AI; vendor: obeys") && page.contains("not Googlebot"));
    // Without Chromium, the charts are not checked.
    let Some(dom) = browser::dom_in_chromium(&html, "www.joes-hardware.com") else {
        return;
    };
    // At least charts of requests, bytes and paths, of forbidden requests and their shares, and of false names. That of shares has a
    // circle for each of the three robots with forbidden requests.
    assert!(dom.matches("<figure").count() >= 6, "{dom}");
    assert!(dom.matches("<circle").count() >= 3);
}

#[test]
fn pace_is_measured_per_host_and_a_new_delay_has_a_grace_time() {
    let bot = "Mozilla/5.0 (compatible; bingbot/2.0)";
    let (_kept, at) = folder(&[
        ("delay.txt", "User-agent: *\nCrawl-delay: 10\n"),
        (
            "history/2026-11-01-robots.txt",
            "User-agent: *\nDisallow: /p/\n",
        ),
        (
            "history/2026-11-20-robots.txt",
            "User-agent: *\nCrawl-delay: 10\n",
        ),
    ]);
    let judged = |rules: &str, log: &str| {
        let rules = at.join(rules);
        let outcome = robots_on(
            ["audit", "--robots", text(&rules), "--json", "-"],
            log.as_bytes(),
        );
        let audit = json(&outcome);
        let delay = &of_robot(&audit, "bingbot")["crawl_delay"];
        let numbers = ["/judged", "/too_soon/requests"];
        numbers.map(|number| delay.pointer(number).and_then(Value::as_u64).unwrap())
    };
    let asks =
        |host: &str, time: &str| format!("{host}:443 {}", line("40.77.167.1", time, "/x", bot));
    let hosts: String = (0..5)
        .map(|number| {
            asks(
                &format!("a{number}.example"),
                &format!("20/Nov/2026:13:55:1{number}"),
            )
        })
        .collect();
    // One request to each of five hosts: no pace can be judged.
    assert_eq!(judged("delay.txt", &hosts), [0, 0]);
    let again = asks("a0.example", "20/Nov/2026:13:55:15");
    assert_eq!(judged("delay.txt", &(hosts + &again)), [1, 1]);
    // A robot may use the old file for a day.
    let pair = |day: &str| {
        asks("a.example", &format!("{day}/Nov/2026:00:00:01"))
            + &asks("a.example", &format!("{day}/Nov/2026:00:00:03"))
    };
    assert_eq!(judged("history", &pair("20")), [0, 0]);
    assert_eq!(judged("history", &pair("22")), [1, 1]);
}

/// The 3,000 robots are not named in the robots.txt, so its 5,000 rules are the same for all of them. If they were compiled for
/// each robot, this test would take very long.
#[test]
fn unnamed_robots_share_compiled_rules() {
    let rules: Vec<String> = (0..5_000)
        .map(|number| format!("Disallow: /a/{number}x/*y"))
        .collect();
    let rules = rules.join("\n");
    let (_kept, at) = folder(&[("robots.txt", &format!("User-agent: *\n{rules}"))]);
    let log: String = (0..3_000)
        .map(|number| {
            line(
                "192.0.2.1",
                "20/Nov/2026:13:55:10",
                "/a/7x/y",
                &format!("n{number}bot/1"),
            )
        })
        .collect();
    let rules = at.join("robots.txt");
    let outcome = robots_on(
        ["audit", "--robots", text(&rules), "--json", "-"],
        log.as_bytes(),
    );
    let audit = json(&outcome);
    // Up to 500 robots have counts of their own.
    assert_eq!(audit["robots"].as_array().unwrap().len(), 500);
    assert_eq!(audit["robots"][0]["forbidden"]["requests"], 1);
    outcome.assert_stdout_contains("more than 500 robots: 2500 requests of further unknown robots");
}

#[test]
fn the_order_of_robots_does_not_change_their_rules() {
    let (_kept, at) = folder(&[
        (
            "robots.txt",
            "User-agent: Googlebot\nDisallow: /b\n\nUser-agent: *\nDisallow: /a\n",
        ),
        (
            "agents.toml",
            "version = 1\ndate = \"2026-11-20\"\n\n[[agent]]\ntoken = \"OtherBot\"\noperator = \"Others\"\npurposes = [\"seo\"]\nobeys = \"yes\"\nabout = \"One.\"\nbasis = \"memory\"\n",
        ),
    ]);
    let asks = |agent: &str| line("192.0.2.1", "20/Nov/2026:13:55:10", "/a", agent);
    // Googlebot-Image is not in the table, but obeys the group of Googlebot.
    let (one, two) = (asks("ExampleBot"), asks("Googlebot-Image"));
    let (rules, table) = (at.join("robots.txt"), at.join("agents.toml"));
    for log in [format!("{one}{two}"), format!("{two}{one}")] {
        let robots = text(&rules);
        let words = ["audit", "--agent-table", text(&table), "--robots", robots];
        let outcome = robots_on(words.iter().chain(&["--json", "-"]), log.as_bytes());
        let audit = json(&outcome);
        let forbidden = |name| of_robot(&audit, name)["forbidden"]["requests"].clone();
        assert_eq!(forbidden("ExampleBot"), 1, "{log}");
        assert_eq!(forbidden("Googlebot-Image"), 0, "{log}");
    }
}

#[test]
fn a_robot_is_not_judged_by_an_entry_without_a_source() {
    let entry = |token: &str, basis: &str| {
        format!(
            "[[agent]]\ntoken = \"{token}\"\noperator = \"Example\"\npurposes = [\"seo\"]\nobeys = \"yes\"\n\
             crawl-delay = true\nhosts = [\"bots.example\"]\nabout = \"One.\"\nbasis = {basis}\n\n"
        )
    };
    let table = format!(
        "version = 1\ndate = \"2026-11-22\"\n\n{}{}",
        entry("ReadBot", "\"secondary\"\nread = \"2026-11-22\""),
        entry("RememberedBot", "\"memory\""),
    );
    let (_kept, at) = folder(&[
        ("agents.toml", &table),
        ("robots.txt", "User-agent: *\nDisallow: /a\n"),
        ("names.txt", "192.0.2.1  elsewhere.example\n"),
    ]);
    let asks = |agent: &str| line("192.0.2.1", "20/Nov/2026:13:55:10", "/a", agent);
    let log = asks("ReadBot") + &asks("RememberedBot");
    let (table, rules) = (at.join("agents.toml"), at.join("robots.txt"));
    let names = at.join("names.txt");
    let words = [
        "audit",
        "--agent-table",
        text(&table),
        "--robots",
        text(&rules),
    ];
    let outcome = robots_on(words.iter().chain(&["--json", "-"]), log.as_bytes());
    let audit = json(&outcome);
    for (name, obeys) in [
        ("ReadBot", Value::from("yes")),
        ("RememberedBot", Value::Null),
    ] {
        let robot = of_robot(&audit, name);
        assert_eq!(robot["forbidden"]["requests"], 1, "{name}");
        assert_eq!(robot["obeys"], obeys, "{name}");
        assert_eq!(
            robot["crawl_delay"]["honoured"].is_null(),
            obeys.is_null(),
            "{name}"
        );
    }
    let shown = robots_on(words.iter().chain(&["-"]), log.as_bytes()).stdout;
    assert_eq!(
        shown.matches("ccording to its vendor").count(),
        1,
        "{shown}"
    );
    // The address is not of the domain of either robot. This refutes only ReadBot, whose entry has a source.
    let hosts = ["--hosts", text(&names), "--json", "-"];
    let audit = json(&robots_on(words.iter().chain(&hosts), log.as_bytes()));
    of_impostors(&audit, "ReadBot");
    of_robot(&audit, "RememberedBot");
}

#[test]
fn rules_can_come_from_a_pipe() {
    let rules = "User-agent: *\nDisallow: /a\n";
    let log = line("192.0.2.1", "20/Nov/2026:13:55:10", "/a", "ExampleBot/1");
    let (_kept, at) = folder(&[("access.log", &log)]);
    let access = at.join("access.log");
    let words = ["audit", "--json", "--robots", "-", text(&access)];
    let audit = json(&robots_on(words, rules.as_bytes()));
    assert_eq!(of_robot(&audit, "ExampleBot")["forbidden"]["requests"], 1);
    let archive = response("http://a.example/robots.txt", "", rules.as_bytes());
    let words = words.iter().chain(&["--host", "a.example"]);
    let audit = json(&robots_on(words, &archive));
    assert_eq!(of_robot(&audit, "ExampleBot")["forbidden"]["requests"], 1);
}

#[test]
fn a_robot_named_on_a_long_line_is_found() {
    // Google cuts the line at 16,663 bytes, before the name. But the robot is not Google's.
    let space = " ".repeat(17_000);
    let rules =
        format!("User-agent:{space}ExampleBot\nDisallow: /b\n\nUser-agent: *\nDisallow: /a\n");
    let (_kept, at) = folder(&[("robots.txt", &rules)]);
    let log = line("192.0.2.1", "20/Nov/2026:13:55:10", "/a", "ExampleBot/1");
    let rules = at.join("robots.txt");
    let words = ["audit", "--json", "--robots", text(&rules), "-"];
    assert_eq!(numbers(&robots_on(words, log.as_bytes())), [1, 0, 0]);
}
