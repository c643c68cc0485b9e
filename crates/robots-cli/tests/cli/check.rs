//! `robots check` for several robots and dialects, and `robots diff` of files that name many robots.

use crate::program::{Folder, command_on, json_lines, plain_text, record, robots, robots_on, run};
use serde_json::{Value, json};

const FILE: &[u8] =
    b"User-agent: Googlebot\nDisallow: /x\n\nUser-agent: *\nAllow: /a\nDisallow: /a/b\n";

#[test]
fn a_file_among_the_urls_needs_an_option() {
    let folder = Folder::new();
    folder.file("list.txt", b"/a\n");
    for words in ["check - list.txt", "check --fetch list.txt"] {
        let outcome = run(folder.root(), words.split(' '), FILE);
        assert_eq!(outcome.code, 2, "{words}");
        outcome.assert_stderr_contains("needs --urls list.txt");
    }
}

#[test]
fn a_robot_obeys_the_groups_that_its_vendor_documents() {
    let code = |args: &[&str]| robots_on([&["check", "-"], args].concat(), FILE).code;
    assert_eq!(code(&["/x", "--agent", "Applebot"]), 1);
    assert_eq!(code(&["/x", "--agent", "Applebot", "--name-alone"]), 0);
    let adsbot = robots_on(["check", "-", "/a/b", "--agent", "AdsBot-Google"], FILE);
    assert_eq!(adsbot.code, 0);
    adsbot.assert_stdout_contains("* does not apply to it");
}

#[test]
fn different_verdicts_of_dialects_name_their_cause() {
    let outcome = robots_on(["check", "-", "/a/b", "--all-dialects", "--json"], FILE);
    assert_eq!(outcome.code, 1);
    let rows = outcome.rows();
    assert_eq!(rows.len(), 15);
    let of = |name: &str| rows.iter().find(|row| row["dialect"] == name).unwrap();
    assert_eq!(of("rfc9309")["allowed"], false);
    assert_eq!(of("rfc9309")["runners_up"][0]["line"], 5);
    assert_eq!(of("koster1996")["allowed"], true);
    assert_eq!(of("koster1996")["differs_by"][0], "rule_order");
    assert!(of("google").get("differs_by").is_none());
}

#[test]
fn without_urls_all_paths_are_considered() {
    let outcome = command_on("check - --dialect rfc9309 --all-agents --json", FILE);
    let rows = outcome.rows();
    let of = |name: &str| rows.iter().find(|row| row["agent"] == name).unwrap();
    assert_eq!(of("GPTBot")["disallowed"], "some");
    assert_eq!(of("GPTBot")["disallowed_path"], "/a/b");
    assert_eq!(of("AdsBot-Google")["disallowed"], "none");
    assert_eq!(outcome.code, 1);
    let outcome = robots_on(["check", "-", "--all-dialects", "--json"], FILE);
    assert_eq!(outcome.code, 1);
    let first: Value = serde_json::from_str(outcome.stdout.lines().next().unwrap()).unwrap();
    assert!(first["path"].as_str().unwrap().starts_with("/a/"));
    let outcome = command_on("check - --all-dialects", b"User-agent: *\nDisallow:\n");
    assert_eq!(outcome.code, 0);
    assert_eq!(
        outcome.stdout,
        "*: no path on which the 15 dialects differ\n"
    );
}

/// A search over all paths would reach its limits.
#[test]
fn the_restriction_by_many_wildcards_is_known() {
    let line = |number: usize| format!("Disallow: /*a{number}*b\nAllow: /q{number}*z$\n");
    let lines: String = (0..4_000).map(line).collect();
    let file = format!("User-agent: *\n{lines}");
    let outcome = robots_on(["check", "-", "--all-agents", "--json"], file.as_bytes());
    for row in outcome.rows() {
        let (disallowed, dialect) = (&row["disallowed"], &row["dialect"]);
        let allows = |path: &Value| {
            let path = path.as_str().unwrap();
            let words = ["check", "-", path, "--dialect", dialect.as_str().unwrap()];
            robots_on(words, file.as_bytes()).code == 0
        };
        assert_ne!(disallowed, "unknown", "{row}");
        if row["agent"] == "*" {
            assert_eq!(disallowed, "some");
            assert!(allows(&row["allowed_path"]) && !allows(&row["disallowed_path"]));
        }
    }
}

#[test]
fn a_rule_before_the_first_group_has_no_line_of_a_group() {
    let file = b"Disallow: /x\nUser-agent: *\nDisallow: /y\n";
    let row = |url: &str| {
        let words = ["check", "-", url, "--dialect", "www-robotrules", "--json"];
        json_lines(&robots_on(words, file).stdout).remove(0)
    };
    assert_eq!(
        (&row("/x")["line"], &row("/x")["group_line"]),
        (&Value::from(1), &Value::Null)
    );
    assert_eq!(
        (&row("/y")["line"], &row("/y")["group_line"]),
        (&Value::from(3), &Value::from(2))
    );
}

#[test]
fn a_profile_selects_its_first_robot() {
    let outcome = command_on("check - /x --profile google --profile apple --json", FILE);
    let rows = outcome.rows();
    assert_eq!(rows[0]["agent"], "Googlebot");
    assert_eq!(rows[0]["profile"], "google");
    assert_eq!(rows[1]["agent"], "Applebot");
    assert_eq!(rows[1]["allowed"], false);
}

#[test]
fn urls_may_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    std::fs::write(&file, FILE).unwrap();
    let list = b"# two\n/a\n\nhttps://example.com/a/b\r\n";
    let outcome = robots_on(
        ["check", file.to_str().unwrap(), "--urls", "-", "--json"],
        list,
    );
    let urls: Vec<_> = outcome
        .rows()
        .iter()
        .map(|row| row["url"].clone())
        .collect();
    assert_eq!(urls, ["/a", "https://example.com/a/b"]);
    let broken = robots_on(
        ["check", file.to_str().unwrap(), "--urls", "-"],
        b"/a\nnothing\n",
    );
    broken.assert_error("-: line 2");
}

/// Each rule is shown once, and each URL has its line.
#[test]
fn a_rule_is_shown_once() {
    let file = b"User-agent: *\nDisallow: /a\nDisallow: /b\n";
    let outcome = command_on("check - /a/1 /a/2 /b /a/3 /c", file);
    let text = outcome.stdout;
    assert_eq!(text.matches("the rule that decides").count(), 2);
    let again = text
        .lines()
        .filter(|line| line.ends_with("line 2: Disallow: /a (group of *)"));
    let again: Vec<&str> = again.collect();
    assert_eq!(again.len(), 2, "{text}");
    assert!(
        again[1].starts_with("disallowed: /a/3 is disallowed for *"),
        "{text}"
    );
}

/// The site of a file from standard input is that of the URL to check.
#[test]
fn an_absolute_url_is_a_rule_of_its_own_site() {
    let file = b"User-agent: *\nDisallow: http://a.example/x\n";
    let urls = "http://b.example/x http://a.example/x https://a.example/x /x";
    let line = format!("check - {urls} --json --dialect www-robotrules");
    let rows = command_on(&line, file).rows();
    let allowed: Vec<_> = rows.iter().map(|row| row["allowed"].as_bool()).collect();
    assert_eq!(allowed, [true, false, true, true].map(Some));
}

#[test]
fn a_batch_knows_the_urls_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.warc");
    let body = b"User-agent: *\nDisallow: http://a.example/x\n";
    let path = archive.to_str().unwrap().to_owned();
    let words = ["check", "--batch", "-", "--robots", &path, "--dialect"];
    // Two spellings of the URL of the robots.txt, which the archive and the question may use.
    let urls = [
        "http://a.example/robots.txt",
        "HTTP://A.example:80/robots.txt",
    ];
    for url in urls {
        std::fs::write(&archive, plain_text(url, body)).unwrap();
        for robots in urls {
            let question = format!(
                "{{\"robots\":\"{robots}\",\"agent\":\"a\",\"url\":\"http://a.example/x\"}}"
            );
            let words = words.into_iter().chain(["www-robotrules"]);
            let outcome = robots_on(words, question.as_bytes());
            let rows = outcome.rows();
            assert_eq!(rows[0]["allowed"], false, "{}", outcome.stdout);
            assert_eq!(rows[0]["line"], 2);
        }
    }
}

#[test]
fn the_latest_response_of_a_batch_counts() {
    let folder = tempfile::tempdir().unwrap();
    let archive = |date: &str, rule: &str| {
        let body = format!("User-agent: *\n{rule}: /\n");
        let record = plain_text("http://a.example/robots.txt", body.as_bytes());
        let text = String::from_utf8(record).unwrap();
        let path = folder.path().join(format!("{date}.warc"));
        std::fs::write(&path, text.replace("2026-11-20T00:00:00Z", date)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let paths = [
        archive("2025", "Disallow"),
        archive("2026-11", "Allow"),
        archive("2026-01-31", "Disallow"),
    ];
    let question =
        r#"{"robots":"http://a.example/robots.txt","agent":"a","url":"http://a.example/x"}"#;
    for start in 0..paths.len() {
        let robots = paths.iter().cycle().skip(start).take(paths.len());
        let options = robots.flat_map(|path| ["--robots", path]);
        let words = ["check", "--batch", "-"].into_iter().chain(options);
        let outcome = robots_on(words, question.as_bytes());
        assert_eq!(outcome.rows()[0]["allowed"], true, "{}", outcome.stdout);
    }
}

/// As `check` answers, a robot may always ask for the file again.
#[test]
fn a_batch_allows_the_robots_txt_of_a_closed_site() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.warc");
    let url = "http://a.example/robots.txt";
    std::fs::write(&archive, record(url, "HTTP/1.1 503 x\r\n\r\n", b"")).unwrap();
    let question =
        |asked: &str| format!("{{\"robots\":\"{url}\",\"agent\":\"a\",\"url\":\"{asked}\"}}\n");
    let questions = [question("http://a.example/x"), question(url)].concat();
    let words = ["check", "--batch", "-", "--robots"];
    let words = words.into_iter().chain([archive.to_str().unwrap()]);
    let rows = robots_on(words.clone(), questions.as_bytes()).rows();
    let allowed: Vec<_> = rows.iter().map(|row| row["allowed"].as_bool()).collect();
    assert_eq!(allowed, [false, true].map(Some));
    // Its rules neither keep an engine from the file, whose dialect leaves that to its callers.
    std::fs::write(&archive, plain_text(url, b"User-agent: *\nDisallow: /")).unwrap();
    let questions = questions.replace(r#""agent":"a""#, r#""agent":"Googlebot""#);
    let rows = robots_on(words, questions.as_bytes()).rows();
    let allowed: Vec<_> = rows.iter().map(|row| row["allowed"].as_bool()).collect();
    assert_eq!(allowed, [false, true].map(Some));
}

/// There is no warning that a line is ignored if the dialect obeys it.
#[test]
fn a_line_that_a_dialect_obeys_is_not_called_ignored() {
    let warnings = |file: &str, dialects: &[&str]| {
        let dialects = dialects.iter().flat_map(|name| ["--dialect", name]);
        let args: Vec<&str> = ["check", "-", "/x"].into_iter().chain(dialects).collect();
        robots_on(args, file.as_bytes()).stderr
    };
    let before = "Disallow: /x\n";
    assert!(warnings(before, &["rfc9309"]).contains("most robots ignore it"));
    assert_eq!(warnings(before, &["www-robotrules"]), "");
    let both = warnings(before, &["rfc9309", "www-robotrules"]);
    assert!(both.contains("obeyed under www-robotrules"), "{both}");
    let nameless = "User-agent:\nDisallow: /x\n";
    assert!(warnings(nameless, &["rfc9309"]).contains("applies to no robot"));
    assert_eq!(warnings(nameless, &["koster1994"]), "");
    let absolute = "User-agent: *\nDisallow: http://a.example/x\n";
    assert!(warnings(absolute, &["rfc9309"]).contains("matches nothing"));
}

/// Each row states whether the search for a path was complete. The search ends early if rules with many stars exceed
/// its limits.
#[test]
fn an_incomplete_search_is_marked_in_json() {
    let rules_with_stars: String = (0..40).fold("User-agent: *\n".to_owned(), |file, rule| {
        let letter = |step: u32| char::from(b'a' + u8::try_from((rule * step) % 26).unwrap());
        format!(
            "{file}Disallow: /*{}*{}*{}*{}\n",
            letter(1),
            letter(3),
            letter(7),
            letter(11)
        )
    });
    let args = ["check", "-", "--all-dialects", "--json"];
    let rows = json_lines(&robots_on(args, rules_with_stars.as_bytes()).stdout);
    assert!(!rows.is_empty());
    assert!(rows.iter().all(|row| row["complete"] == false), "{rows:?}");
    let rows = json_lines(&robots_on(args, FILE).stdout);
    assert!(!rows.is_empty());
    assert!(rows.iter().all(|row| row["complete"] == true), "{rows:?}");
}

/// `robots diff` considers the robots that a file names, as its dialect reads names. Google reads letters, `-` and `_` only:
/// `Googlebot1` names Googlebot.
#[test]
fn a_difference_for_a_robot_within_a_longer_name_is_found() {
    let folder = Folder::new();
    let old = folder.file("old", "User-agent: Googlebot1\nDisallow: /a\n");
    let new = folder.file("new", "User-agent: Googlebot1\nDisallow: /b\n");
    let agents = |dialect: &str| -> Vec<String> {
        let outcome = robots(["diff", &old, &new, "--dialect", dialect, "--json"]);
        let rows = outcome.rows();
        assert_eq!(outcome.code, i32::from(!rows.is_empty()));
        let name = |row: &Value| row["agent"].as_str().unwrap().to_owned();
        rows.iter().map(name).collect()
    };
    let google = agents("google");
    assert!(google.contains(&"Googlebot".to_owned()), "{google:?}");
    // Without a group of its own, Googlebot-News obeys that of Googlebot.
    assert!(google.contains(&"Googlebot-News".to_owned()), "{google:?}");
    assert!(!google.contains(&"Googlebot1".to_owned()), "{google:?}");
    assert_eq!(agents("rfc9309"), ["Googlebot1"]);
    assert_eq!(agents("koster1996"), ["Googlebot1"]);
}

#[test]
fn the_limit_that_cuts_a_file_is_named() {
    let lines = |bytes: usize| b"#\n".repeat(bytes / 2);
    let of_500_kib = lines(500 << 10);
    let of_16_mib = lines(16 << 20);
    let over_16_mib = [&of_16_mib[..], b"#"].concat();
    let warnings = |file: &[u8], dialect: &str| {
        robots_on(["check", "-", "/", "--dialect", dialect], file).stderr
    };
    assert_eq!(warnings(&of_500_kib, "rfc9309"), "");
    assert!(warnings(&of_16_mib, "rfc9309").contains("rfc9309 reads only the first 500 KiB"));
    assert!(warnings(&of_16_mib, "yandex").contains("yandex ignores a file of more than 500 KiB"));
    assert!(!warnings(&of_16_mib, "google").contains("are read"));
    assert!(warnings(&over_16_mib, "google").contains("only the first 16 MiB are read"));
}

/// Returns a file with one group that has these numbers of names and of rules.
fn group_of(names: usize, rules: usize) -> String {
    let names = (0..names).map(|at| format!("User-agent: b{at:05}\n"));
    let rules = (0..rules).map(|at| format!("Disallow: /{at:05}\n"));
    names.chain(rules).collect()
}

/// The rules of a group are compiled once. If they were compiled for each robot, these commands would take minutes.
#[test]
fn files_with_many_names_are_answered() {
    let folder = Folder::new();
    // Files of about 500 KiB, the limit of RFC 9309.
    let names = folder.file("names", group_of(27_000, 1));
    let half = folder.file("half", group_of(13_000, 13_000));
    let stars = folder.file("stars", "User-agent: *\nDisallow: /x\n".repeat(18_000));
    for (path, url) in [(&names, "/00000"), (&half, "/00000"), (&stars, "/x")] {
        let outcome = robots(["check", path, url, "--all-agents", "--all-dialects"]);
        assert_eq!(outcome.code, 1, "{path}");
        let first = outcome.stdout.lines().next().unwrap();
        assert!(first.starts_with(&format!("{url}: allowed in ")), "{first}");
    }
    assert_eq!(robots(["diff", &names, &half]).code, 1);
}

/// A profile is an engine, which requests every robots.txt, whatever a dialect leaves to its callers.
#[test]
fn a_robots_txt_is_allowed_under_every_profile() {
    let file = b"User-agent: *\nDisallow: /";
    let profiles = robots(["profiles", "--json"]).stdout;
    let profiles: serde_json::Value = serde_json::from_str(&profiles).unwrap();
    for profile in profiles.as_array().unwrap() {
        let name = profile["name"].as_str().unwrap();
        let outcome = robots_on(["check", "-", "/robots.txt", "-p", name], file);
        assert_eq!(
            outcome.code, 0,
            "{name}: {}{}",
            outcome.stdout, outcome.stderr
        );
    }
    let outcome = robots_on(["check", "-", "/robots.txt", "--dialect", "google"], file);
    assert_eq!(outcome.code, 1);
}

#[test]
fn lists_may_begin_with_a_byte_order_mark() {
    let folder = Folder::new();
    let robots_txt = folder.file("robots.txt", "User-agent: *\nDisallow: /b\n");
    let urls = folder.file("urls", "\u{feff}/a\n/b\n");
    let outcome = robots(["check", &robots_txt, "--urls", &urls, "--json"]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    assert_eq!(outcome.stdout.lines().count(), 2);
    let vector = serde_json::json!({
        "id": "x", "source": "x", "dialect": "rfc9309", "robots": "User-agent: *\nDisallow: /b",
        "agents": ["a"], "star": true, "url": "/b", "allowed": false,
    });
    let vectors = folder.file("vectors.jsonl", format!("\u{feff}{vector}\n"));
    let outcome = robots(["test", &vectors]);
    assert_eq!(outcome.code, 0, "{}", outcome.stdout);
}

/// URLs that cannot be read: each is an error in its place, and the others are answered.
pub(crate) const UNREADABLE: [&str; 9] = [
    "::::",
    "http://[::1",
    "http://[::1]]/",
    "https://example.com:99999/",
    "https://exa<mple.com/",
    "https://",
    "mailto:a@example.com",
    "x",
    "?a=b",
];

/// A robots.txt, and URLs that it disallows and allows.
pub(crate) const RULES: &str = "User-agent: *\nDisallow: /x\n";

#[test]
fn unreadable_urls_are_errors_in_their_place() {
    let folder = Folder::new();
    let file = folder.file("robots.txt", RULES);
    for bad in UNREADABLE {
        let urls = ["/x", bad, "https://example.com/y"];
        let outcome = robots([&["check", &file, "--json"][..], &urls].concat());
        let rows = outcome.rows();
        assert_eq!(outcome.code, 2, "{bad}");
        outcome.assert_stderr_contains("1 URL without an answer");
        assert_eq!(rows[0]["allowed"], false, "{bad}");
        assert_eq!(
            (&rows[1]["url"], &rows[1]["allowed"]),
            (&json!(bad), &Value::Null)
        );
        let error = rows[1]["error"].as_str().unwrap().to_owned();
        outcome.assert_stderr_contains(&format!("error: {error}"));
        assert_eq!(rows[2]["allowed"], true, "{bad}");

        let list = folder.file("urls.txt", urls.join("\n"));
        let listed = robots(["check", &file, "--json", "--urls", &list]);
        assert_eq!((listed.code, listed.rows()), (2, rows), "{bad}");
        listed.assert_stderr_contains(&format!("urls.txt: line 2: {error}"));

        let shown = robots([&["check", &file][..], &urls].concat());
        assert_eq!(shown.code, 2);
        shown.assert_stderr_contains(&error);
        shown.assert_stdout_contains("https://example.com/y is allowed for *, as RFC 9309 says");
        for format in ["concise", "github", "gitlab", "sarif"] {
            let checked = robots([&["check", &file, "--format", format][..], &urls].concat());
            assert_eq!(checked.code, 2, "{format}");
            checked.assert_stdout_contains("/x is disallowed for *");
            checked.assert_stderr_contains(&error);
        }
    }
}

#[test]
fn a_url_that_is_too_long_is_an_error_in_its_place() {
    let folder = Folder::new();
    let file = folder.file("robots.txt", RULES);
    let long = format!("/{}", "a".repeat(1024 * 1024));
    let list = folder.file("urls.txt", format!("{long}\n/x\nx\n"));
    let outcome = robots(["check", &file, "--json", "--urls", &list]);
    assert_eq!(outcome.code, 2);
    let rows = outcome.rows();
    assert_eq!(
        rows[0],
        json!({"url": null, "allowed": null, "error": "longer than 1 MiB"})
    );
    assert_eq!(rows[1]["allowed"], false);
    outcome.assert_stderr_contains("urls.txt: line 1: longer than 1 MiB");
    outcome.assert_stderr_contains("2 URLs without an answer");
}

/// One change of many robots, which have groups of their own, and changes that only some of them share.
#[test]
fn a_change_of_many_robots_is_shown_once() {
    let folder = Folder::new();
    let rules = |added: &str, of_some: &str| {
        let groups = (0..30).map(|number| {
            let of_some = if number % 2 == 0 { of_some } else { "" };
            format!(
                "User-agent: bot-{}\nDisallow: /old\n{added}{of_some}\n",
                "x".repeat(number + 1)
            )
        });
        groups.collect::<String>()
    };
    let old = folder.file("old.txt", rules("", ""));
    let new = folder.file(
        "new.txt",
        rules("Disallow: /new\n", "Crawl-delay: 5\nAllow: /old/open\n"),
    );
    let outcome = robots(["diff", &old, &new]);
    assert_eq!((outcome.code, &*outcome.stderr), (1, ""));
    insta::assert_snapshot!("equal_changes", outcome.stdout);
    let all = robots(["diff", "--verbose", &old, &new]);
    assert_eq!(all.stdout.matches("disallowed now").count(), 1);
    let longest = format!("bot-{}", "x".repeat(30));
    assert!(all.stdout.contains(&longest), "{}", all.stdout);
    assert!(!all.stdout.contains("--verbose"), "{}", all.stdout);
    let json = robots(["diff", "--json", &old, &new]);
    assert_eq!(json.rows().len(), 30, "each robot for programs");
}

/// What is closed before and after cannot change, even if the rules are too many to consider.
#[test]
fn closed_files_have_no_changes_that_may_be_missed() {
    let folder = Folder::new();
    let rules = |start: &str, words: [&str; 2]| {
        let [one, two] = words;
        let lines = (0..60_u32).map(|number| {
            let bits: String = (0..6)
                .map(|bit| if number >> bit & 1 == 0 { 'a' } else { 'b' })
                .collect();
            format!("Disallow: /*{bits}{one}*{two}{bits}\n")
        });
        format!("User-agent: *\n{start}{}", lines.collect::<String>())
    };
    for (start, code) in [("Disallow: /\n", 0), ("", 2)] {
        let old = folder.file("old.txt", rules(start, ["c", "d"]));
        let new = folder.file("new.txt", rules(start, ["e", "f"]));
        let outcome = robots(["diff", "--agent", "*", &old, &new]);
        assert_eq!(outcome.code, code, "{}", outcome.stdout);
        let is_cut = outcome.stdout.contains("there may be more changes");
        assert_eq!(is_cut, code == 2, "{}", outcome.stdout);
    }
}
