//! `robots audit`.

use crate::program::{Outcome, browser, command, counts, gzip, record, response, robots_on, run};
use serde_json::Value;
use std::fs;

const GOOGLEBOT: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/// Returns a line of a Combined log.
fn line(client: &str, time: &str, path: &str, agent: &str) -> String {
    format!("{client} - - [{time} +0000] \"GET {path} HTTP/1.1\" 200 10 \"-\" \"{agent}\"\n")
}

/// Returns a line about a request of a robot for `/a`.
fn asks(agent: &str) -> String {
    line("192.0.2.1", "20/Nov/2026:13:55:10", "/a", agent)
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

/// Returns counts of a JSON object, by their pointers.
fn numbers<const N: usize>(object: &Value, pointers: [&str; N]) -> [u64; N] {
    counts(pointers.map(|pointer| object.pointer(pointer).unwrap()))
}

/// Returns the numbers of requests of `ExampleBot` that were judged, forbidden, and allowed by an older file.
fn of_example_bot(outcome: &Outcome) -> [u64; 3] {
    let audit = json(outcome);
    let pointers = ["/judged", "/forbidden/requests", "/in_grace"];
    numbers(of_robot(&audit, "ExampleBot"), pointers)
}

/// A folder in which audits run.
struct Folder(tempfile::TempDir);

impl Folder {
    /// Makes a folder with files of these names.
    fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    /// Makes a folder with a robots.txt.
    fn with_robots_txt(text: &str) -> Self {
        Self::with(&[("robots.txt", text.as_bytes())])
    }

    /// Runs an audit with these arguments and this standard input.
    fn audit(&self, arguments: &str, input: impl AsRef<[u8]>) -> Outcome {
        let words = ["audit"].into_iter().chain(arguments.split(' '));
        run(self.0.path(), words, input.as_ref())
    }
}

#[test]
fn published_ranges_verify_robots() {
    let time = "20/Nov/2026:13:55:36";
    let log = [
        line("192.0.2.7", time, "/", GOOGLEBOT), // in a range of Googlebot
        line("198.51.100.1", time, "/", GOOGLEBOT), // in no range, and its host name is not known
        line("198.51.100.2", time, "/", GOOGLEBOT), // verified by its host name
        line("192.0.2.7", time, "/", "GPTBot/1.2"), // no range of GPTBot is given
    ];
    let ranges = br#"{"prefixes":[{"ipv6Prefix":"2001:db8::/32"},{"ipv4Prefix":"192.0.2.0/24"}]}"#;
    let folder = Folder::with(&[
        ("googlebot.json", ranges),
        ("names.txt", b"198.51.100.2 crawl-1.googlebot.com\n"),
    ]);
    let words = "--ranges Googlebot=googlebot.json --hosts names.txt --json -";
    let outcome = folder.audit(words, log.concat());
    // Code 1, as one request uses the name of Googlebot from another address.
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    let audit = json(&outcome);
    let verified = of_robot(&audit, "Googlebot");
    assert_eq!(numbers(verified, ["/requests", "/verified"]), [2, 2]);
    assert_eq!(of_impostors(&audit, "Googlebot")["requests"], 1);
    let gptbot = of_robot(&audit, "GPTBot");
    assert_eq!(numbers(gptbot, ["/verified", "/unverified"]), [0, 1]);
    let wrong = folder.audit("--ranges NoSuchBot=a.json -", "");
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
        let (hours, minutes, seconds) = (number / 3_600, number / 60 % 60, number % 60);
        let time = format!("20/Nov/2026:{hours:02}:{minutes:02}:{seconds:02}");
        let path = format!("/{}/{number}", ["a", "b", "private"][number % 3]);
        log.push_str(&line("192.0.2.1", &time, &path, agents[number % 5]));
    }
    let folder = Folder::with(&[
        (
            "robots.txt",
            b"User-agent: *\nDisallow: /private/\nCrawl-delay: 6\n",
        ),
        ("access.log", log.as_bytes()),
        ("access.log.gz", &gzip(log.as_bytes())),
    ]);
    let run = |input: &str, threads: u8| {
        let words = format!("--robots robots.txt --json --threads {threads} {input}");
        folder.audit(&words, &log)
    };
    let one = run("access.log", 1);
    assert_eq!(one.code, 1, "{}", one.stderr);
    let audit = json(&one);
    // Of the five agents, three are robots, and one of these is an AI robot.
    let requesters = ["/all", "/robots", "/ai", "/programs", "/browsers"];
    assert_eq!(
        numbers(&audit["requests"], requesters),
        [60_000, 36_000, 12_000, 12_000, 12_000]
    );
    // A third of the paths is forbidden.
    assert_eq!(of_example_bot(&one), [12_000, 4_000, 0]);
    // ExampleBot comes every five seconds, and the delay is six: in whole seconds, that is certainly too soon. The first
    // request has no request before it, so it is not judged.
    let delay = &of_robot(&audit, "ExampleBot")["crawl_delay"];
    let judged = numbers(delay, ["/judged", "/too_soon/requests"]);
    assert_eq!(judged, [11_999, 11_999]);
    assert_eq!(
        (&delay["asked"], &delay["median_gap"]),
        (&6.0.into(), &5.0.into())
    );
    for (input, threads) in [("access.log", 4), ("access.log.gz", 2), ("-", 3)] {
        let other = run(input, threads).stdout;
        let renamed = other.replace(&format!("\"{input}\""), "\"access.log\"");
        assert_eq!(renamed, one.stdout, "{input}");
    }
}

#[test]
fn the_tokens_of_one_robot_are_one_row_and_collectors_of_data_are_ai_robots() {
    let agents = ["omgili/0.5", "omgilibot/0.3", "CCBot/2.0", GOOGLEBOT];
    let lines = agents.map(|agent| line("192.0.2.1", "20/Nov/2026:10:00:00", "/x", agent));
    let folder = Folder::with(&[("robots.txt", b"User-agent: omgilibot\nDisallow: /\n")]);
    let outcome = folder.audit("--robots robots.txt --json -", lines.concat());
    let audit = json(&outcome);
    assert_eq!(numbers(&audit["requests"], ["/robots", "/ai"]), [4, 3]);
    let omgili = of_robot(&audit, "omgili");
    assert_eq!(
        numbers(omgili, ["/requests", "/forbidden/requests"]),
        [2, 2]
    );
    for (robot, is_ai) in [("omgili", true), ("CCBot", true), ("Googlebot", false)] {
        assert_eq!(of_robot(&audit, robot)["ai"], is_ai, "{robot}");
    }
}

#[test]
fn the_file_that_was_in_force_decides() {
    let folder = Folder::with(&[
        (
            "sites/example.com/2026-11-01-robots.txt",
            b"User-agent: *\nDisallow: /old/\n",
        ),
        (
            "sites/example.com/2026-11-10-robots.txt",
            b"User-agent: *\nDisallow: /new/\n",
        ),
        (
            "sites/example.net-robots.txt",
            b"User-agent: *\nDisallow: /\n",
        ),
    ]);
    let asks = |host: &str, time: &str, path: &str| {
        let line = line("192.0.2.1", time, path, "ExampleBot/1");
        format!("{host}:80 {line}")
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
    let run = |more: &str| folder.audit(&format!("--robots sites --json -{more}"), &log);
    let outcome = run("");
    assert_eq!(of_example_bot(&outcome), [7, 4, 1]);
    let audit = json(&outcome);
    let example = &of_robot(&audit, "ExampleBot")["examples"][0];
    assert_eq!(example["line"], 1);
    assert_eq!(example["rule"], "line 2: Disallow: /old/ (group of *)");
    outcome.assert_stdout_contains("use --host if the log does not name its host");
    assert_eq!(of_example_bot(&run(" --grace 0s")), [7, 5, 0]);
    // The line without a host is now one of example.net, and forbidden.
    assert_eq!(of_example_bot(&run(" --host example.net")), [8, 5, 1]);
}

#[test]
fn a_response_in_an_archive_applies_from_its_date_on() {
    let asks = |host: &str, time: &str, path: &str| {
        let line = line("192.0.2.1", time, path, "ExampleBot/1");
        format!("{host} {line}")
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
    let dated = |day: &str, url: &str, head: &str, body: &str| {
        let record = record(url, &format!("HTTP/1.1 {head}\r\n\r\n"), body.as_bytes());
        let record = String::from_utf8(record).unwrap();
        record.replace("2026-11-20T00:00:00Z", &format!("2026-11-{day}T00:00:00Z"))
    };
    let url = "http://example.com/robots.txt";
    let redirect = "301 Moved\r\nLocation: https://example.com/robots.txt";
    let archive = [
        dated("10", url, "200 OK", "User-agent: *\nDisallow: /new/\n"),
        dated("01", url, "200 OK", "User-agent: *\nDisallow: /old/\n"),
        // A failure does not end the file of the day before, but the 404 below does.
        dated("11", url, "503 Busy", ""),
        dated("12", url, "404 Gone", ""),
        dated("01", "https://example.net/robots.txt", redirect, ""),
    ]
    .concat();
    let folder = Folder::with(&[("robots.warc", archive.as_bytes())]);
    let outcome = folder.audit("--robots robots.warc --json -", log);
    assert_eq!(of_example_bot(&outcome), [6, 4, 1]);
    outcome.assert_stdout_contains("1 request of robots before the first");
}

/// An archive from standard input is read again for the targets of redirects, as a file is.
#[test]
fn redirects_in_a_stream_are_followed() {
    let redirect = "HTTP/1.1 301 Moved\r\nLocation: /rules\r\n\r\n";
    let rules = b"User-agent: *\nDisallow: /a\n";
    let archive = [
        record("http://a.example/robots.txt", redirect, b""),
        response("http://a.example/rules", "Content-Type: text/plain", rules),
    ]
    .concat();
    let folder = Folder::with(&[
        ("robots.warc", &archive),
        ("log", asks("ExampleBot/1").as_bytes()),
    ]);
    let stream = folder.audit("--host a.example --robots - log", &archive);
    let file = folder.audit("--host a.example --robots robots.warc log", "");
    assert_eq!(file.code, 1, "{}", file.stderr);
    file.assert_stdout_contains("/a");
    assert_eq!((stream.code, stream.stdout), (1, file.stdout));
}

#[test]
fn names_of_robots_are_compared_with_addresses() {
    let names =
        b"66.249.66.1 crawl-66-249-66-1.googlebot.com\n192.0.2.7 evil-googlebot.com\n192.0.2.8 -\n";
    let folder = Folder::with(&[
        ("names", names),
        ("robots.txt", b"User-agent: *\nDisallow: /a\n"),
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
    let outcome = folder.audit("--robots robots.txt --hosts names --json -", &log);
    assert_eq!(outcome.code, 1);
    let audit = json(&outcome);
    let own = of_robot(&audit, "Googlebot");
    let pointers = ["/verified", "/unverified", "/forbidden/requests"];
    assert_eq!(numbers(own, pointers), [2, 1, 1]);
    let others = of_impostors(&audit, "Googlebot");
    let pointers = ["/requests", "/forbidden/requests"];
    assert_eq!(numbers(others, pointers), [2, 2]);
    assert_eq!(of_robot(&audit, "Yandex")["robots_txt_statuses"]["4xx"], 1);
    // 192.0.2.7 without a User-Agent: its host name is not one of a robot.
    assert_eq!(audit["requests"]["unnamed"], 1);
    let formats = numbers(&audit["formats"], ["/combined", "/common"]);
    assert_eq!(formats, [4, 3]);
    let wrong = folder.audit("--hosts robots.txt -", &log);
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
    log.extend((0..40_000).map(|number| {
        format!(
            "2026-11-20 14:{:02}:{:02} 192.0.2.1 /private/{number} ExampleBot/1+(+http://example.com/) 200 7\r\n",
            number / 60 % 60,
            number % 60
        )
    }));
    log += "#Fields: sc-bytes cs(User-Agent) time cs-uri-stem c-ip\r\n";
    log.extend(
        (0..40_000).map(|number| format!("100 GPTBot/1.2 14:00:00 /open/{number} 192.0.2.2\r\n")),
    );
    log += &line("192.0.2.3", "20/Nov/2026:15:00:00", "/private/1", GOOGLEBOT);
    log += "100 GPTBot/1.2 14:00:00 /open/1\r\n# comment\r\n";
    let folder = Folder::with(&[
        ("robots.txt", b"User-agent: *\nDisallow: /private/\n"),
        ("u_ex.log.gz", &gzip(log.as_bytes())),
    ]);
    let run = |threads: u8| {
        let words = format!("--robots robots.txt --json --threads {threads} u_ex.log.gz");
        folder.audit(&words, "")
    };
    let outcome = run(1);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    let audit = json(&outcome);
    let formats = numbers(&audit["formats"], ["/w3c", "/combined"]);
    assert_eq!(formats, [80_000, 1]);
    let pointers = ["/bytes", "/forbidden/requests"];
    let example = of_robot(&audit, "ExampleBot");
    assert_eq!(numbers(example, pointers), [280_000, 40_000]);
    let gptbot = of_robot(&audit, "GPTBot");
    assert_eq!(numbers(gptbot, pointers), [4_000_000, 0]);
    // Directives do not count as lines of the log. The two unreadable lines count, and are reported: one lacks a value, and
    // "# comment" is not a directive, because no directive has this name.
    assert_eq!(audit["lines"], 80_003);
    outcome.assert_stderr_contains(
        "u_ex.log.gz:80007: expected as many values as #Fields has columns (2 such lines)",
    );
    assert_eq!(run(4).stdout, outcome.stdout);
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
    assert_eq!(numbers(&audit, ["/lines", "/requests/all"]), [7, 2]);
    let bad_lines = audit["bad_lines"].as_array().unwrap().iter();
    let bad_lines: Vec<_> = bad_lines
        .map(|bad| numbers(bad, ["/lines", "/line"]))
        .collect();
    // The number of unreadable lines with the same error, and the first of them.
    assert_eq!(bad_lines, [[3, 3], [1, 4], [1, 6]]);
    outcome.assert_stderr_contains("-:3: expected a time in brackets");
    outcome.assert_stderr_contains("(3 such lines): junk\n");
    outcome.assert_stderr_contains("-:6: longer than 1 MiB: xxx");
    assert_eq!(audit["bad_lines"][0]["text"], "junk");
    // The start of a line is shown.
    assert!(
        outcome.stderr.lines().all(|line| line.len() < 250),
        "{}",
        outcome.stderr
    );
    // The note that nothing is judged without --robots.
    assert_eq!(audit["notes"].as_array().unwrap().len(), 1);

    for nothing in ["", "\n\n", "junk\n"] {
        let outcome = robots_on(["audit", "-"], nothing.as_bytes());
        assert_eq!(outcome.code, 2);
        outcome.assert_stderr_contains("no line of an access log in the inputs");
    }
    // The readable part is in the report, and the rest is reported.
    let mut cut = gzip(good.repeat(100).as_bytes());
    cut.truncate(cut.len() - 20);
    let folder = Folder::with(&[("a.log", good.as_bytes()), ("cut.gz", &cut)]);
    let outcome = folder.audit("--json none cut.gz a.log", "");
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("cannot read");
    outcome.assert_stderr_contains("cannot continue reading");
    assert!(json(&outcome)["requests"]["all"].as_u64().unwrap() >= 1);
}

#[test]
fn inputs_without_robots_txt_are_an_error() {
    let outcome = Folder::with(&[("a.txt/b", b"")]).audit("--robots . -", "");
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("no robots.txt in the inputs of --robots");
}

/// The CSV tables have all rows, and the HTML report has its charts when a browser shows it.
#[test]
fn all_reports_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let (html, tables) = (
        folder.path().join("audit.html"),
        folder.path().join("tables"),
    );
    let outcome = command(&format!(
        "audit --robots tests/fixtures/sites/joes-hardware/robots.txt --hosts tests/fixtures/logs/names.txt \
         --html {} --csv {} tests/fixtures/logs/access.log.gz",
        html.display(),
        tables.display()
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
    // Without Chromium, the charts are not checked.
    let Some(dom) = browser::dom_in_chromium(&html, "www.joes-hardware.com") else {
        return;
    };
    // At least charts of requests, bytes and paths, of forbidden requests and their shares, and of false names.
    assert!(dom.matches("<figure").count() >= 6, "{dom}");
}

#[test]
fn pace_is_measured_per_host_and_a_new_delay_has_a_grace_time() {
    let folder = Folder::with(&[
        ("delay.txt", b"User-agent: *\nCrawl-delay: 10\n"),
        (
            "history/2026-11-01-robots.txt",
            b"User-agent: *\nDisallow: /p/\n",
        ),
        (
            "history/2026-11-20-robots.txt",
            b"User-agent: *\nCrawl-delay: 10\n",
        ),
    ]);
    let judged = |rules: &str, log: &str| {
        let audit = json(&folder.audit(&format!("--robots {rules} --json -"), log));
        let delay = &of_robot(&audit, "bingbot")["crawl_delay"];
        numbers(delay, ["/judged", "/too_soon/requests"])
    };
    let asks = |host: &str, time: &str| {
        let line = line("40.77.167.1", time, "/x", "bingbot/2.0");
        format!("{host}:443 {line}")
    };
    let first = |number| {
        let time = format!("20/Nov/2026:13:55:1{number}");
        asks(&format!("a{number}.example"), &time)
    };
    let hosts: String = (0..5).map(first).collect();
    // One request to each of five hosts: no pace can be judged.
    assert_eq!(judged("delay.txt", &hosts), [0, 0]);
    let again = asks("a0.example", "20/Nov/2026:13:55:15");
    assert_eq!(judged("delay.txt", &(hosts + &again)), [1, 1]);
    // A robot may use the old file for a day.
    let pair = |day: &str| {
        let times = ["00:00:01", "00:00:03"].map(|time| format!("{day}/Nov/2026:{time}"));
        times.map(|time| asks("a.example", &time)).concat()
    };
    assert_eq!(judged("history", &pair("20")), [0, 0]);
    assert_eq!(judged("history", &pair("22")), [1, 1]);
}

/// The 3,000 robots are not named in the robots.txt, so its 5,000 rules are the same for all of them. If they were compiled for
/// each robot, this test would take very long.
#[test]
fn unnamed_robots_share_compiled_rules() {
    let rules = (0..5_000).map(|number| format!("Disallow: /{number}x/*y\n"));
    let rules: String = rules.collect();
    let folder = Folder::with_robots_txt(&format!("User-agent: *\n{rules}Disallow: /a$\n"));
    let log: String = (0..3_000)
        .map(|number| asks(&format!("n{number}bot/1")))
        .collect();
    let outcome = folder.audit("--robots robots.txt --json -", log);
    let audit = json(&outcome);
    // Up to 500 robots have counts of their own.
    assert_eq!(audit["robots"].as_array().unwrap().len(), 500);
    assert_eq!(audit["robots"][0]["forbidden"]["requests"], 1);
    outcome
        .assert_stdout_contains("more than 500 robots: 2,500 requests of further unknown robots");
}

#[test]
fn the_order_of_robots_does_not_change_their_rules() {
    let table = "version = 1\ndate = \"2026-11-20\"\n\n[[agent]]\ntoken = \"OtherBot\"\noperator = \"Others\"\n\
         purposes = [\"seo\"]\nobeys = \"yes\"\nabout = \"One.\"\nbasis = \"memory\"\n";
    let rules = "User-agent: Googlebot\nDisallow: /b\n\nUser-agent: *\nDisallow: /a\n";
    let folder = Folder::with(&[
        ("robots.txt", rules.as_bytes()),
        ("agents.toml", table.as_bytes()),
    ]);
    // Googlebot-Image is not in the table, but obeys the group of Googlebot.
    let (one, two) = (asks("ExampleBot"), asks("Googlebot-Image"));
    for log in [format!("{one}{two}"), format!("{two}{one}")] {
        let words = "--agent-table agents.toml --robots robots.txt --json -";
        let audit = json(&folder.audit(words, &log));
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
    let folder = Folder::with(&[
        ("agents.toml", table.as_bytes()),
        ("robots.txt", b"User-agent: *\nDisallow: /a\n"),
        ("names.txt", b"192.0.2.1  elsewhere.example\n"),
    ]);
    let log = asks("ReadBot") + &asks("RememberedBot");
    let run = |more: &str| {
        let words = format!("--agent-table agents.toml --robots robots.txt {more}");
        folder.audit(&words, &log)
    };
    let audit = json(&run("--json -"));
    for (name, obeys) in [
        ("ReadBot", Value::from("yes")),
        ("RememberedBot", Value::Null),
    ] {
        let robot = of_robot(&audit, name);
        assert_eq!(robot["forbidden"]["requests"], 1, "{name}");
        assert_eq!(robot["obeys"], obeys, "{name}");
        let honoured = &robot["crawl_delay"]["honoured"];
        assert_eq!(honoured.is_null(), obeys.is_null(), "{name}");
    }
    let shown = run("-").stdout;
    let promises = shown.matches("ccording to its vendor").count();
    assert_eq!(promises, 1, "{shown}");
    // The address is not of the domain of either robot. This refutes only ReadBot, whose entry has a source.
    let audit = json(&run("--hosts names.txt --json -"));
    of_impostors(&audit, "ReadBot");
    of_robot(&audit, "RememberedBot");
}

#[test]
fn rules_can_come_from_a_pipe() {
    let rules = b"User-agent: *\nDisallow: /a\n";
    let folder = Folder::with(&[("access.log", asks("ExampleBot/1").as_bytes())]);
    let outcome = folder.audit("--json --robots - access.log", rules);
    assert_eq!(of_example_bot(&outcome), [1, 1, 0]);
}

#[test]
fn a_robot_named_on_a_long_line_is_found() {
    // Google cuts the line at 16,663 bytes, before the name. But the robot is not Google's.
    let space = " ".repeat(17_000);
    let rules =
        format!("User-agent:{space}ExampleBot\nDisallow: /b\n\nUser-agent: *\nDisallow: /a\n");
    let folder = Folder::with_robots_txt(&rules);
    let outcome = folder.audit("--json --robots robots.txt -", asks("ExampleBot/1"));
    assert_eq!(of_example_bot(&outcome), [1, 0, 0]);
}

/// The last of several files must not replace the others without a word.
#[test]
fn each_host_has_one_robots_txt() {
    let rules = |path: &str| format!("User-agent: *\nDisallow: {path}\n").into_bytes();
    let folder = Folder::with(&[
        ("one.txt", &rules("/a")),
        ("two.txt", &rules("/b")),
        ("sites/example.com/robots.txt", &rules("/c")),
        ("sites/2026-11-01-robots.txt", &rules("/d")),
    ]);
    let host = |host: &str| format!("{host} {}", asks("ExampleBot/1"));
    let log = host("example.com:443") + &host("example.net");
    for (robots, parts) in [
        ("one.txt --robots two.txt", ["all hosts", "HOST=FILE"]),
        (
            "example.com=one.txt --robots EXAMPLE.com.:443=two.txt",
            ["are both for example.com:", "two.txt"],
        ),
        (
            "example.com:80=one.txt --robots sites",
            ["are both for example.com:", "sites/example.com/robots.txt"],
        ),
    ] {
        let outcome = folder.audit(&format!("--robots {robots} -"), &log);
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{robots}");
        outcome.assert_stderr_contains("one.txt");
        for part in parts {
            outcome.assert_stderr_contains(part);
        }
    }
    for (robots, counts) in [
        ("one.txt", [2, 2, 0]),
        ("example.com=one.txt", [1, 1, 0]),
        (
            "example.com=one.txt --robots example.net=two.txt",
            [2, 1, 0],
        ),
        ("example.com=one.txt --robots two.txt", [2, 1, 0]),
        ("example.com:8080=one.txt --robots sites", [2, 0, 0]),
        // One file for all hosts until a day, and another one from then on.
        ("one.txt --robots sites", [2, 0, 0]),
    ] {
        let outcome = folder.audit(&format!("--json --robots {robots} -"), &log);
        assert_eq!(of_example_bot(&outcome), counts, "{robots}");
    }
    // A file may have a name of this form.
    let folder = Folder::with(&[("example.com=one.txt", &rules("/a"))]);
    let outcome = folder.audit("--json --robots example.com=one.txt -", &log);
    assert_eq!(of_example_bot(&outcome), [2, 2, 0]);
}

/// Returns a folder with the addresses of Googlebot: 192.0.2.0/24 and `2001:db8::/32`.
fn with_ranges() -> Folder {
    let ranges = br#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv6Prefix":"2001:db8::/32"}]}"#;
    Folder::with(&[("googlebot.json", ranges)])
}

const RANGES: &str = "--json --ranges Googlebot=googlebot.json";

/// Returns the numbers of requests that are verified, not verified, and in a false name.
fn identity(outcome: &Outcome) -> [u64; 3] {
    let audit = json(outcome);
    let pointers = ["/verified", "/unverified", "/refuted"];
    numbers(&audit["identity"], pointers)
}

/// Returns a request of Googlebot in each format: the addresses of the connection and in a header.
fn behind_proxy(client: &str, header: &str) -> String {
    let combined = line(client, "20/Nov/2026:13:55:36", "/", GOOGLEBOT);
    let combined = format!(
        "{} \"{}\"\n",
        combined.trim_end(),
        header.replace('"', "\\\"")
    );
    let [iis_agent, iis_header] = [GOOGLEBOT, header].map(|text| text.replace(' ', "+"));
    let json = serde_json::json!({
        "time": "2026-11-20T13:55:36Z",
        "remote_addr": client,
        "request": "GET / HTTP/1.1",
        "http_user_agent": GOOGLEBOT,
        "http_x_forwarded_for": header,
    });
    format!(
        "{combined}#Fields: date time c-ip cs-uri-stem cs(User-Agent) X-Forwarded-For\n\
         2026-11-20 13:55:36 {client} / {iis_agent} {iis_header}\n{json}\n"
    )
}

#[test]
fn trusted_proxies_state_the_addresses_of_robots() {
    let folder = with_ranges();
    let [verified, unverified, refuted] = [[3, 0, 0], [0, 3, 0], [0, 0, 3]];
    for (client, header, more, expected) in [
        ("10.0.0.1", "192.0.2.7", "", verified),
        ("10.0.0.1", "192.0.2.7:5678", "", verified),
        ("10.0.0.1", "192.0.2.7, 10.1.1.1, 172.16.0.1", "", verified),
        ("127.0.0.1", "198.51.100.1, 192.0.2.7", "", verified),
        ("::1", "2001:db8::1", "", verified),
        ("fd00::1", "[2001:db8::1]:443", "", verified),
        ("fe80::1", "for=\"[2001:db8::1]\"", "", verified),
        ("100.64.0.1", "::ffff:192.0.2.7", "", verified),
        (
            "169.254.1.1",
            "for=192.0.2.7;proto=https, for=10.1.1.1",
            "",
            verified,
        ),
        // What the client itself sent is at the start of the list.
        ("10.0.0.1", "192.0.2.7, 198.51.100.1", "", refuted),
        ("10.0.0.1", "garbage\u{e9}, 198.51.100.1", "", refuted),
        // No proxy: anyone can send the header.
        ("198.51.100.1", "192.0.2.7", "", refuted),
        ("192.0.2.7", "198.51.100.1", "", verified),
        // An address is not known.
        ("10.0.0.1", "-", "", unverified),
        ("10.0.0.1", "unknown", "", unverified),
        ("10.0.0.1", "for=_hidden", "", unverified),
        (
            "10.0.0.1",
            "198.51.100.1, for=unknown, 10.1.1.1",
            "",
            unverified,
        ),
        ("10.0.0.1", "garbage", "", unverified),
        ("10.0.0.1", "192.168.0.1", "", unverified),
        // Other proxies.
        (
            "198.51.100.1",
            "192.0.2.7",
            " --proxies 198.51.100.0/24",
            verified,
        ),
        (
            "198.51.100.9",
            "192.0.2.7, ::1",
            " --proxies ::1,198.51.100.9",
            verified,
        ),
        (
            "198.51.100.1",
            "-",
            " --proxies 198.51.100.0/24",
            unverified,
        ),
        (
            "10.0.0.1",
            "192.0.2.7",
            " --proxies 198.51.100.0/24",
            unverified,
        ),
    ] {
        let outcome = folder.audit(&format!("{RANGES}{more} -"), behind_proxy(client, header));
        assert_eq!(identity(&outcome), expected, "{client} {header}{more}");
        assert_eq!(outcome.code, i32::from(expected == refuted));
    }
    let wrong = folder.audit("--proxies 10.0.0.0/33 -", "");
    assert_eq!(wrong.code, 2);
    wrong.assert_stderr_contains("expected networks or addresses, such as 10.0.0.0/8");
}

/// Reverse DNS names of proxies refute nothing, either.
#[test]
fn the_name_of_a_proxy_is_not_that_of_its_client() {
    let folder = Folder::with(&[(
        "names",
        b"10.0.0.1 proxy.example\n192.0.2.7 crawl.googlebot.com\n192.0.2.8 -\n",
    )]);
    for (header, expected) in [
        ("-", [0, 3, 0]),
        ("192.0.2.7", [3, 0, 0]),
        ("192.0.2.7, 192.0.2.8", [0, 0, 3]),
    ] {
        let outcome = folder.audit("--json --hosts names -", behind_proxy("10.0.0.1", header));
        assert_eq!(identity(&outcome), expected, "{header}");
    }
}

#[test]
fn lines_have_prefixes_of_syslogs_and_containers() {
    let folder = with_ranges();
    let combined = line("192.0.2.7", "20/Nov/2026:13:55:36", "/", GOOGLEBOT);
    let json = format!(
        "{{\"ts\":1795184136,\"remote_addr\":\"192.0.2.7\",\"uri\":\"/\",\"user_agent\":\"{GOOGLEBOT}\"}}\n"
    );
    let prefixes = [
        "",
        "Nov 29 14:22:46 web nginx: ",
        "Nov  2 14:22:46 198.51.100.1 nginx[12]: ",
        "<14>Nov 29 14:22:46 web.example.com nginx: ",
        "<190>1 2026-11-29T14:22:46.123Z web nginx 12 - - ",
        "<190>1 2026-11-29T14:22:46.123Z 198.51.100.1 nginx - - - ",
        "<190>1 - - - - - - ",
        "<190>1 2026-11-29T14:22:46Z web nginx 1 - [a@1 b=\"c\"][d e=\"f\"] ",
        "2026-11-29T14:22:46.123456+01:00 web.example.com nginx: ",
        "2026-11-29T14:22:46.123Z ",
        "2026-11-29T14:22:46.123Z stdout F ",
        "web-1  | ",
        "web.1.k3j4@node    | ",
        "[pod/web-7d9/nginx] ",
        "2026-11-29T14:22:46+00:00 app[web.1]: ",
        "nginx: ",
    ];
    for prefix in prefixes {
        for record in [&combined, &json] {
            let line = format!("{prefix}{record}");
            let wrapped = ["log", "message", "MESSAGE", "textPayload"].map(|key| {
                let object = serde_json::json!({key: line, "stream": "stdout", "time": "2026-11-29T14:22:46.1Z"});
                format!("{object}\n")
            });
            let outcome = folder.audit(&format!("{RANGES} -"), line.clone() + &wrapped.concat());
            assert_eq!(identity(&outcome), [5, 0, 0], "{line}");
            assert_eq!(json_format(&outcome, record), 5, "{line}");
        }
        // The requested host may be between prefix and client.
        let folder = Folder::with(&[("robots.txt", b"User-agent: *\nDisallow: /a\n")]);
        let log = format!("{prefix}example.com:443 {}", asks("ExampleBot/1"));
        let words = "--json --robots example.com=robots.txt --host example.net -";
        let outcome = folder.audit(words, &log);
        assert_eq!(of_example_bot(&outcome), [1, 1, 0], "{log}");
    }
}

/// Returns the number of lines in the format of a record.
fn json_format(outcome: &Outcome, record: &str) -> u64 {
    let format = if record.starts_with('{') {
        "json"
    } else {
        "combined"
    };
    json(outcome)["formats"][format].as_u64().unwrap()
}

/// The name of a user is whatever the client sends.
#[test]
fn a_user_is_not_a_client() {
    let folder = with_ranges();
    for user in [
        "192.0.2.7",
        "192.0.2.7 - -",
        "x 192.0.2.7 - -",
        "- 192.0.2.7 - -",
        "x, 192.0.2.7 -",
    ] {
        for client in ["198.51.100.1", "Nov 29 14:22:46 web nginx: 198.51.100.1"] {
            let log = format!(
                "{client} - {user} [20/Nov/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"{GOOGLEBOT}\"\n"
            );
            let outcome = folder.audit(&format!("{RANGES} -"), &log);
            assert_eq!(identity(&outcome), [0, 0, 1], "{log}");
        }
    }
}

#[test]
fn a_user_agent_may_be_without_quotes() {
    let start = "192.0.2.7 - - [20/Nov/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1";
    for (rest, robots, programs) in [
        (format!("\"-\" {GOOGLEBOT}"), 1, 0),
        (
            format!("\"https://a.example/\" {GOOGLEBOT}  \"10.0.0.1\""),
            1,
            0,
        ),
        (format!("- {GOOGLEBOT}"), 1, 0),
        (format!("https://a.example/ {GOOGLEBOT}"), 1, 0),
        (GOOGLEBOT.to_owned(), 1, 0),
        // The line is cut.
        (format!("\"-\" \"{GOOGLEBOT}"), 1, 0),
        ("\"-\" Googlebot".to_owned(), 1, 0),
        ("\"-\" curl/8".to_owned(), 0, 1),
        // Other fields.
        ("0.005 Googlebot".to_owned(), 0, 0),
        ("\"-\" rt=0.005 Googlebot/2.1".to_owned(), 0, 0),
        ("\"-\" -".to_owned(), 0, 0),
        (String::new(), 0, 0),
    ] {
        let outcome = robots_on(
            ["audit", "--json", "-"],
            format!("{start} {rest}\n").as_bytes(),
        );
        let audit = json(&outcome);
        let found = numbers(&audit["requests"], ["/all", "/robots", "/programs"]);
        assert_eq!(found, [1, robots, programs], "{rest}");
    }
}

/// Lines of about 1 MiB, on which a reader that begins again at each word, quote or bracket would take very long.
#[test]
fn long_lines_take_linear_time() {
    let start = "192.0.2.7 - - [20/Nov/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"";
    let repeated = |part: &str| part.repeat(1_000_000 / part.len());
    let time = "[20/Nov/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1";
    let mut log = Vec::new();
    for part in ["x - ", "x, ", "1.2.3.4, ", "-", "\u{feff} ", "1:", "a.b "] {
        log.push(format!("{}- - {time}\n", repeated(part)));
        log.push(format!("{start} {}\n", repeated(part)));
    }
    for part in [
        " \"",
        "\" \"1\"",
        "x=\"1.2.3.4\" ",
        " \"1.2.3.4,x\"",
        "\\",
        "{",
        "{\"log\":",
    ] {
        log.push(format!("{start} {}\n", repeated(part)));
        log.push(format!("{}}}\n", repeated(part)));
    }
    let mut wrapped = format!("{start} {}", repeated("\"x\" "));
    wrapped.truncate(10_000);
    while wrapped.len() < 500_000 {
        wrapped = serde_json::json!({ "log": wrapped }).to_string();
    }
    log.push(wrapped);
    let log = log.concat();
    let outcome = robots_on(["audit", "--json", "-"], log.as_bytes());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(numbers(&json(&outcome), ["/lines"]), [29]);
}

/// A report accuses no robot by a name that anyone can send.
#[test]
fn a_name_that_is_not_verified_is_marked() {
    let folder = Folder::with(&[
        (
            "robots.txt",
            b"User-agent: *\nDisallow: /a\nCrawl-delay: 9\n",
        ),
        (
            "bingbot.json",
            br#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}"#,
        ),
    ]);
    let from = |client: &str| line(client, "20/Nov/2026:13:55:10", "/a", "bingbot/2.0");
    let verified = from("192.0.2.1");
    let ranges = "--ranges bingbot=bingbot.json ";
    for (words, log, [headline, vendor, pace, table], counts) in [
        (
            "",
            verified.repeat(2),
            [
                "Clients in the name of bingbot (not verified) made all 2 requests",
                "bingbot (2, not verified)",
                "bingbot (1 of 1 requests, not verified)",
                "  bingbot (not verified)  line 2: Disallow: /a",
            ],
            [0, 2, 0],
        ),
        (
            ranges,
            verified.repeat(2),
            [
                "bingbot made all 2 requests",
                "bingbot (2)",
                "bingbot (1 of 1 requests)",
                "  bingbot  line 2: Disallow: /a",
            ],
            [2, 0, 0],
        ),
        (
            ranges,
            verified.clone() + &from("10.0.0.1"),
            [
                "Clients in the name of bingbot (1 of 2 verified) made all 2 requests",
                "bingbot (2, 1 of 2 verified)",
                "bingbot (1 of 1 requests, 1 of 2 verified)",
                "  bingbot (1 of 2 verified)  line 2: Disallow: /a",
            ],
            [1, 1, 0],
        ),
    ] {
        let words = format!("--robots robots.txt {words}");
        let text = folder.audit(&format!("{words}-"), &log);
        assert_eq!(text.code, 1, "{}", text.stderr);
        assert!(text.stdout.starts_with(headline), "{}", text.stdout);
        let reports = "--html audit.html --csv tables";
        folder.audit(&format!("{words}{reports} -"), &log);
        let read = |name: &str| fs::read_to_string(folder.0.path().join(name)).unwrap();
        let html = read("audit.html");
        assert!(html.contains(&format!("<h1>{headline}")));
        for part in [vendor, pace, table] {
            text.assert_stdout_contains(part);
        }
        for part in [vendor, pace] {
            assert!(html.contains(part), "{part}");
        }
        assert!(html.contains("Anyone can send any User-Agent."));
        let title = table.trim().split("  ").next().unwrap();
        assert!(read("tables/rules.csv").contains(&format!("\n{title},")));
        assert!(html.contains(&format!("<span class=\"label\">{title}</span>")));
        assert_eq!(
            identity(&folder.audit(&format!("{words}--json -"), &log)),
            counts
        );
    }
}
