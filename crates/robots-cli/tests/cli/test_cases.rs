//! `robots test`.

use crate::program::{command, copy, json_lines, robots, workspace};
use std::fs;

/// Two questions under two dialects. `EXPECTED` stands for the expectation of the second.
const CASES: &str = r#"
[[case]]
name = "the back office is closed"
source = "our policy"
dialects = ["rfc9309", "google"]
body = "User-agent: *\nDisallow: /back"
ask = [
    { agent = "a", url = "/back", expect = "disallow", line = 2 },
    { agent = "a", url = "/front", expect = "EXPECTED" },
]
"#;

/// Returns a folder with a file of [`CASES`] that has this expectation.
fn folder_with(expected: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("ours.toml"),
        CASES.replace("EXPECTED", expected),
    )
    .unwrap();
    folder
}

#[test]
fn cases_pass_or_fail_with_their_reason() {
    let good = folder_with("allow");
    let outcome = robots(["test", good.path().to_str().unwrap()]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""));
    outcome.assert_stderr_contains("4 passed, 0 failed");
    let bad = folder_with("disallow");
    let junit = bad.path().join("results.xml");
    let outcome = command(&format!(
        "test {} --junit {}",
        bad.path().display(),
        junit.display()
    ));
    assert_eq!(outcome.code, 1);
    outcome.assert_stderr_contains("2 passed, 2 failed");
    let expected =
        "ours.toml: the back office is closed/rfc9309/2\n    line 2: a on /front: allowed: no rule";
    assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
    let xml = fs::read_to_string(junit).unwrap();
    assert!(
        xml.contains("tests=\"4\"") && xml.contains("failures=\"2\""),
        "{xml}"
    );
    assert!(xml.contains("the back office is closed/google/1"), "{xml}");
    // Tools of CI systems group cases by class, and show their times.
    let class = format!("classname=\"{}\"", bad.path().join("ours.toml").display());
    assert_eq!(xml.matches(&class).count(), 4, "{xml}");
    // The report, its suite and its cases have a time in seconds.
    assert_eq!(xml.matches(" time=\"0.").count(), 6, "{xml}");
    let outcome = command(&format!(
        "test {} --json",
        bad.path().join("ours.toml").display()
    ));
    let rows = json_lines(&outcome.stdout);
    assert_eq!(rows.iter().filter(|row| row["passed"] == true).count(), 2);
}

#[test]
fn invalid_files_are_errors() {
    let folder = folder_with("allow");
    fs::write(folder.path().join("broken.jsonl"), "{}\n{\n").unwrap();
    let outcome = robots(["test", folder.path().to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    for expected in [
        "broken.jsonl: (line 1)\n    line 1: not a valid case file",
        "broken.jsonl: (line 2)\n    line 2: not a valid case file",
    ] {
        assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
    }
    // The other files are still asked.
    outcome.assert_stderr_contains("4 passed, 0 failed\nerror: 2 invalid");
    let empty = tempfile::tempdir().unwrap();
    let outcome = robots(["test", empty.path().to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("no question in the inputs");
    assert_eq!(robots(["test", "nowhere"]).code, 2);
}

#[test]
fn an_invalid_case_does_not_stop_the_others() {
    let folder = folder_with("allow");
    let good = fs::read_to_string(folder.path().join("ours.toml")).unwrap();
    let bad = "\n[[case]]\nname = \"odd\"\nagnt = \"a\"\n";
    let line = good.lines().count() + 2;
    fs::write(folder.path().join("ours.toml"), format!("{good}{bad}")).unwrap();
    let outcome = robots(["test", folder.path().to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("4 passed, 0 failed\nerror: 1 invalid");
    let expected = format!("ours.toml: odd\n    line {line}: not a valid case file");
    assert!(outcome.stdout.contains(&expected), "{}", outcome.stdout);
    // The error is in no case.
    fs::write(folder.path().join("ours.toml"), format!("more = 1\n{good}")).unwrap();
    let outcome = robots(["test", folder.path().to_str().unwrap()]);
    outcome.assert_stderr_contains("0 passed, 0 failed\nerror: 1 invalid");
    assert!(outcome.stdout.contains("`more`"), "{}", outcome.stdout);
}

#[test]
fn a_named_file_has_questions() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours.toml");
    fs::write(&file, CASES.replace("[[case]]", "[[cases]]")).unwrap();
    let outcome = robots(["test", file.to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stdout_contains("expected [[case]]");
}

#[cfg(unix)]
#[test]
fn linked_files_are_asked() {
    let (folder, other) = (folder_with("allow"), folder_with("disallow"));
    let link = |to: &std::path::Path, name: &str| {
        std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
    };
    link(&other.path().join("ours.toml"), "linked.toml");
    // A folder may be within its own.
    link(folder.path(), "up.toml");
    let outcome = robots(["test", folder.path().to_str().unwrap()]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    assert!(outcome.stdout.contains("linked.toml"), "{}", outcome.stdout);
    link("nowhere".as_ref(), "lost.toml");
    let outcome = robots(["test", folder.path().to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stdout.contains("lost.toml"), "{}", outcome.stdout);
}

#[test]
fn headers_belong_to_a_page() {
    for name in ["a.headers", "a.html.Headers", "b.html.headers"] {
        let site = tempfile::tempdir().unwrap();
        let pages = site.path().join("pages");
        fs::create_dir(&pages).unwrap();
        fs::write(site.path().join("site.toml"), SITE).unwrap();
        fs::write(pages.join("a.html"), "<p>").unwrap();
        fs::write(pages.join("a.html.headers"), "X-Robots-Tag: noindex\n").unwrap();
        fs::write(pages.join(name), "X-Robots-Tag: noindex\n").unwrap();
        let outcome = robots(["test", site.path().to_str().unwrap()]);
        assert_eq!(outcome.code, 2, "{name}");
        let text = format!("{name} is not read");
        assert!(outcome.stdout.contains(&text), "{}", outcome.stdout);
    }
}

/// A misspelt expectation is an error of the file, not a failed case.
#[test]
fn an_unknown_value_is_an_error() {
    for word in ["allowed", "yes", "", "Allow", "disallow "] {
        let folder = folder_with(word);
        let outcome = robots(["test", folder.path().to_str().unwrap()]);
        assert_eq!(outcome.code, 2, "{word:?}");
        let expected = "expected `allow` or `disallow`";
        assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours.toml");
    // In the file, `from` is replaced by `to`. `{pad:N}` fills the body up to N bytes, and the text before it has more than 9.
    for (from, to, expected) in [
        (
            "\"google\"",
            "\"gogle\"",
            "unknown dialect \"gogle\"; did you mean \"google\"?",
        ),
        ("\"google\"", "\"google+x\"", "one of commas, rfc-tokens"),
        ("/back\"", "/back\\n{pad:1k}\"", "expected a size in bytes"),
        (
            "/back\"",
            "/back\\n{pad:9}\"",
            "above that of the preceding text, up to 16777216",
        ),
        ("\"rfc9309\", \"google\"", "", "no dialect"),
    ] {
        let text = CASES.replace("EXPECTED", "allow").replacen(from, to, 1);
        fs::write(&file, text).unwrap();
        let outcome = robots(["test", file.to_str().unwrap()]);
        assert_eq!(outcome.code, 2, "{to}");
        assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
    }
}

#[test]
fn an_unknown_value_about_a_page_is_an_error_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours.toml");
    let cases = |rest: &str| {
        format!(
            "[[case]]\nname = \"a\"\nsource = \"s\"\nexpect = {{ fetch = \"unknown\" }}\n\n\
             [[case]]\nname = \"b\"\nsource = \"s\"\n{rest}\n"
        )
    };
    for (rest, expected) in [
        (
            "profile = \"gogle\"\nexpect = { fetch = \"allow\" }",
            "unknown profile \"gogle\"; did you mean \"google\"?",
        ),
        (
            "expect = { index = \"maybe\" }",
            "unexpected value \"maybe\" of \"index\": expected yes, no, url_only, unknown",
        ),
        (
            "expect = { warnings = [\"conflit\"] }",
            "unexpected value [\"conflit\"] of \"warnings\": expected a list of no_origin, ",
        ),
        (
            "expect = { \"reasons.ai_trian\" = [] }",
            "unknown key \"reasons.ai_trian\" in `expect`",
        ),
        (
            "now = \"today\"\nexpect = { index = \"no\" }",
            "\"today\" is not a time",
        ),
    ] {
        fs::write(&file, cases(rest)).unwrap();
        let outcome = robots(["test", file.to_str().unwrap()]);
        assert_eq!(outcome.code, 2, "{rest}");
        let expected = format!("ours.toml: b\n    line 6: {expected}");
        assert!(outcome.stdout.contains(&expected), "{}", outcome.stdout);
        assert!(outcome.stdout.starts_with("INVALID "), "{}", outcome.stdout);
        outcome.assert_stderr_contains("1 passed, 0 failed\nerror: 1 invalid");
    }
    // Keys other than `expect` report their list of values, too.
    let missing = "requests = [{ missing = \"all\" }]\nexpect = { fetch = \"unknown\" }";
    fs::write(&file, cases(missing)).unwrap();
    let outcome = robots(["test", file.to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    let expected = "expected `request` or `body`";
    assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
}

#[test]
fn an_unknown_value_about_a_site_is_an_error_with_its_line() {
    let site = tempfile::tempdir().unwrap();
    let text = "about = \"x\"\norigin = \"https://example.com\"\nagents = []\nnow = \"2026-11-20T00:00:00Z\"\n\
                [[question]]\nagent = \"a\"\nurl = \"/\"\nfetch = \"allowed\"\n";
    fs::write(site.path().join("site.toml"), text).unwrap();
    let outcome = robots(["test", site.path().to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    let expected = "line 5: unexpected value \"allowed\" of \"fetch\": expected allow, disallow, defer, \
                    unknown, not_applicable";
    assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
}

#[test]
fn a_question_about_a_site_that_expects_nothing_fails() {
    let site = tempfile::tempdir().unwrap();
    fs::write(
        site.path().join("site.toml"),
        "about = \"x\"\norigin = \"https://example.com\"\nagents = []\nnow = \"2026-11-20T00:00:00Z\"\n\
         [[question]]\nagent = \"a\"\nurl = \"/\"\n",
    )
    .unwrap();
    let outcome = robots(["test", site.path().to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stdout_contains("line 5: nothing to check: expected a field of the decision");
}

/// A question with a misspelt key must not pass.
#[test]
fn a_case_without_a_question_fails() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("v.jsonl");
    let code = |rest: &str| {
        let start =
            r#"{"id":"a","source":"s","dialect":"rfc9309","robots":"","agents":["*"],"star":true"#;
        fs::write(&file, format!("{start}{rest}}}\n")).unwrap();
        robots(["test", file.to_str().unwrap()]).code
    };
    assert_eq!(code(r#","url":"/x","allowed":true"#), 0);
    assert_eq!(code(r#","crawl_delay":null"#), 0);
    assert_eq!(code(r#","url":"/x","allowed":false"#), 1);
    assert_eq!(code(r#","url":"/x","allow":true"#), 2);
    assert_eq!(code(r#","url":"/x""#), 2);
    // A line has one question: about a URL or about the delay.
    assert_eq!(code(r#","url":"/x","allowed":true,"crawl_delay":null"#), 2);
    fs::write(&file, "{\"name\":\"a\",\"source\":\"s\",\"expect\":{}}\n").unwrap();
    assert_eq!(robots(["test", file.to_str().unwrap()]).code, 2);
    // Other files of a repository are not cases.
    fs::remove_file(&file).unwrap();
    fs::write(
        folder.path().join("Cargo.toml"),
        "[package]\nname = \"x\"\n",
    )
    .unwrap();
    let outcome = robots(["test", folder.path().to_str().unwrap()]);
    outcome.assert_stderr_contains("no question in the inputs");
}

#[test]
fn decisions_about_sites_can_be_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("marys-antiques");
    copy(
        &workspace().join("tests/fixtures/sites/marys-antiques"),
        &site,
    );
    let path = folder.path().to_str().unwrap();
    let before = robots(["test", path]);
    assert_eq!(before.code, 0);
    let accepted = robots(["test", "--accept", path]);
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
    accepted.assert_stderr_contains("decisions recorded");
    let after = robots(["test", path, "--json"]);
    assert_eq!(after.code, 0);
    // Each page of the site has a decision for each of three robots.
    let recorded = after
        .stdout
        .lines()
        .filter(|line| line.contains("\"recorded: "))
        .count();
    assert!(recorded > 10, "{recorded}");
    // The site changes, and so do decisions.
    let robots_txt = fs::read_to_string(site.join("robots.txt")).unwrap();
    fs::write(site.join("robots.txt"), robots_txt + "\nDisallow: /about\n").unwrap();
    fs::write(site.join("pages/new.html"), "<title>New</title>").unwrap();
    let changed = robots(["test", path]);
    assert_eq!(changed.code, 1);
    changed.assert_stdout_contains("not recorded; --accept records it");
    // A changed list is shown by its items, not as JSON.
    assert!(!changed.stdout.contains("[{"), "{}", changed.stdout);
    let accepted = robots(["test", "--accept", path]);
    assert_eq!(accepted.code, 0);
    let added = "ADDED ";
    assert!(accepted.stdout.contains(added), "{}", accepted.stdout);
    let again = robots(["test", "--accept", path]);
    assert_eq!((again.code, &*again.stdout), (0, ""));
    again.assert_stderr_contains("decisions recorded, 0 changed");
    assert_eq!(robots(["test", path]).code, 0);
    // A rule decides otherwise.
    let robots_txt = fs::read_to_string(site.join("robots.txt")).unwrap();
    let allowed = robots_txt.replace("Disallow", "Allow");
    fs::write(site.join("robots.txt"), allowed).unwrap();
    let accepted = robots(["test", "--accept", path]).stdout;
    for line in [
        "CHANGED ",
        "\n    fetch is \"allow\", recorded \"disallow\"\n",
        "\n    reasons differ from the recorded ones:\n      - robots.txt line ",
        "\n      + robots.txt line ",
    ] {
        assert!(accepted.contains(line), "{line}: {accepted}");
    }
    fs::write(site.join("robots.txt"), robots_txt).unwrap();
    assert_eq!(robots(["test", "--accept", path]).code, 0);
    // A record is edited, and has an unknown value.
    let records = site.join("expected.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    let edited = text.replacen("\"index\":\"yes\"", "\"index\":\"maybe\"", 1);
    assert_ne!(edited, text);
    fs::write(&records, edited).unwrap();
    let outcome = robots(["test", path]);
    assert_eq!(outcome.code, 2);
    let expected = "unexpected value \"maybe\" of \"index\": expected yes, no, url_only, unknown";
    assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
    fs::write(&records, text).unwrap();
    // Only decisions about sites are recorded, and this folder has none.
    let cases = folder_with("allow");
    let nothing = robots(["test", "--accept", cases.path().to_str().unwrap()]);
    assert_eq!(nothing.code, 2);
}

/// A robot may be written with its version, and a folder may have a link to itself.
#[test]
fn recorded_decisions_of_odd_sites_are_found_again() {
    let site = tempfile::tempdir().unwrap();
    let path = |name: &str| site.path().join(name);
    fs::create_dir(path("pages")).unwrap();
    fs::write(path("pages/a.htm"), "<meta name=robots content=noindex>").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", path("pages/loop")).unwrap();
    let toml = "origin = 'http://a.example'\nagents = ['Googlebot/2.1', 'Googlebot', 'b']\n\
        now = '2026-11-20T00:00:00Z'\n";
    fs::write(path("site.toml"), toml).unwrap();
    let folder = site.path().to_str().unwrap();
    let recorded = robots(["test", "--accept", folder]);
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let lines = fs::read_to_string(path("expected.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 2, "{lines}");
    assert!(lines.contains("\"index\":\"no\""), "{lines}");
    let compared = robots(["test", folder]);
    assert_eq!(compared.code, 0, "{}", compared.stdout);
}

#[test]
fn header_files_of_a_site_are_strict() {
    let site = tempfile::tempdir().unwrap();
    let path = |name: &str| site.path().join(name);
    fs::create_dir(path("pages")).unwrap();
    fs::write(path("pages/a.html"), "").unwrap();
    let toml = "origin = 'http://a.example'\nagents = ['a']\nnow = '2026-11-20T00:00:00Z'\n\
        [[question]]\nagent = 'a'\nurl = '/a.html'\nindex = 'no'\npage_layer = 'seen'\n";
    fs::write(path("site.toml"), toml).unwrap();
    let test = |headers: &str| {
        fs::write(path("pages/a.html.headers"), headers).unwrap();
        robots(["test", site.path().to_str().unwrap()])
    };
    let good = "\u{feff}x-robots-tag: noindex\r\nstatus: 203 Other\n";
    assert_eq!(test(good).code, 0, "{}", test(good).stdout);
    for line in [
        "X-Robots-Tag : noindex",
        " X-Robots-Tag: noindex",
        "Status: 4040",
        "HTTP/1.1 200 OK",
        ": a",
    ] {
        let outcome = test(&format!("A: b\n\n{line}\n"));
        assert_eq!(outcome.code, 2, "{line}");
        let place = format!("a.html.headers: line 3: {line:?} is not a header line");
        assert!(outcome.stdout.contains(&place), "{}", outcome.stdout);
    }
}

/// Numbers, null, and places in lines of JSON.
#[test]
fn expectations_in_json_lines_are_compared_by_value() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.jsonl");
    let case = |expect: &str| {
        format!(
            "{{\"name\":{expect:?},\"source\":\"s\",\"robots\":\"User-agent: *\\nCrawl-delay: 5\",\"html\":\"\",\"expect\":{expect}}}\n"
        )
    };
    let good = [
        "{\"crawl_delay\":5}",
        "{\"crawl_delay\":5.0}",
        "{\"revisit_after\":null}",
    ];
    fs::write(&file, good.map(case).concat()).unwrap();
    let outcome = robots(["test", file.to_str().unwrap()]);
    assert_eq!(outcome.code, 0, "{}", outcome.stdout);
    fs::write(&file, case("{\"crawl_delay\":6}") + "{\"name\": x}\n").unwrap();
    let outcome = robots(["test", file.to_str().unwrap()]);
    assert_eq!(outcome.code, 2, "{}", outcome.stdout);
    for text in [
        "crawl_delay is 5.0, expected 6",
        "line 2: ",
        "expected value at column 10",
    ] {
        assert!(outcome.stdout.contains(text), "{}", outcome.stdout);
    }
    let toml = "[[case]]\nname = 'a'\nsource = 's'\nwith = { based-on = 'yandex' }\nexpect = { index = 'yes' }\n";
    let file = folder.path().join("cases.toml");
    fs::write(&file, toml).unwrap();
    let outcome = robots(["test", file.to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stdout_contains("unexpected `based-on` in `with`");
}

#[test]
fn cases_about_outcomes_pass_or_fail_with_their_reason() {
    const GOOD: &str = r#"
[[outcome]]
name = "429"
source = "our policy"
requests = [{ status = 429 }]
expect = { google = "defer, then allow_all", bing = "defer" }

[[history]]
name = "a failure with a copy"
source = "our policy"
tables = ["google"]
with = { fresh-hours = 48 }
requests = [{ at = "0s", body = "User-agent: *" }, { at = "2d", status = 503 }]
expect = [{ now = ["60h"], state = "rules", body = "User-agent: *" }]
ask_again_at = "2d"
"#;
    // In the file, `from` is replaced by `to`. All requests are recorded before a state is checked, so at 1h the failure of
    // 2d counts, too.
    for (from, to, expected) in [
        ("", "", "3 passed, 0 failed"),
        (
            r#"bing = "defer""#,
            r#"bing = "deny_all""#,
            "ours.toml: 429/bing/1\n    line 2: the state is defer, expected deny_all",
        ),
        (
            r#"["60h"]"#,
            r#"["1h", "3d", "31d"]"#,
            "at 1h: the state is defer (robots.txt was answered with status 503), expected rules \
             \"User-agent: *\"",
        ),
        (
            r#"again_at = "2d""#,
            r#"again_at = "0s""#,
            "the next request is at 2d, expected 0s",
        ),
        (
            r#"tables = ["google"]"#,
            r#"tables = ["bink"]"#,
            "unknown table \"bink\"; did you mean \"bing\"?",
        ),
        (
            "60h",
            "60",
            "\"60\" is not an elapsed time: expected one like 12h",
        ),
        ("fresh-hours", "fresh-ours", "unknown field `fresh-ours`"),
        (
            r#"bing = "defer""#,
            r#"bing = "wait""#,
            "unknown state \"wait\": expected one of rules, allow_all, deny_all, defer, unknown",
        ),
        (
            "defer, then allow_all",
            "defer then allow_all",
            "unknown state \"defer then allow_all\"",
        ),
        (
            r#"state = "rules""#,
            r#"state = "rule""#,
            "expected one of `rules`, `allow_all`, `deny_all`, `defer`, `unknown`",
        ),
        (
            r#"body = "User-agent: *" }]
ask"#,
            r#"cause = "timeout" }]
ask"#,
            "unknown variant `timeout`, expected one of `status`",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ours.toml");
        fs::write(&file, GOOD.replacen(from, to, 1)).unwrap();
        let outcome = robots(["test", file.to_str().unwrap()]);
        let text = outcome.stdout + &outcome.stderr;
        assert!(text.contains(expected), "{text}");
    }
}

/// The start of a `site.toml`, without what is optional.
const SITE: &str =
    "origin = \"https://example.com\"\nagents = [\"a\"]\nnow = \"2026-11-20T00:00:00Z\"\n";

#[test]
fn a_site_without_questions_can_be_recorded() {
    let site = tempfile::tempdir().unwrap();
    let path = site.path().to_str().unwrap();
    fs::write(site.path().join("site.toml"), SITE).unwrap();
    let nothing = robots(["test", path]);
    assert_eq!(nothing.code, 2);
    let expected =
        "nothing to check: expected a [[question]], or the decisions that --accept records";
    assert!(nothing.stdout.contains(expected), "{}", nothing.stdout);
    fs::create_dir(site.path().join("pages")).unwrap();
    fs::write(site.path().join("pages/a.html"), "<title>A</title>").unwrap();
    let accepted = robots(["test", "--accept", path]);
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
    accepted.assert_stderr_contains("1 decision recorded");
    let outcome = robots(["test", path]);
    assert_eq!(outcome.code, 0);
    outcome.assert_stderr_contains("1 passed, 0 failed");
    // A line that is there twice is invalid; the decision is still compared.
    let record = site.path().join("expected.jsonl");
    let line = fs::read_to_string(&record).unwrap();
    fs::write(&record, line.repeat(2)).unwrap();
    let outcome = robots(["test", path]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("1 passed, 0 failed\nerror: 1 invalid");
    let expected = "line 2: two questions are named \"recorded: a https://example.com/a.html (neutral)\"; the first";
    assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
}

#[test]
fn a_duplicate_question_does_not_stop_the_others() {
    let site = tempfile::tempdir().unwrap();
    let question = |url: &str, fetch: &str| {
        format!("[[question]]\nagent = \"a\"\nurl = \"{url}\"\nfetch = \"{fetch}\"\n")
    };
    let questions = [
        question("/", "allow"),
        question("/", "disallow"),
        question("/x", "allow"),
    ];
    fs::write(
        site.path().join("site.toml"),
        SITE.to_owned() + &questions.concat(),
    )
    .unwrap();
    fs::write(site.path().join("robots.txt"), "").unwrap();
    let outcome = robots(["test", site.path().to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    let expected = "site.toml: a / (neutral)\n    line 8: two questions are named \"a / (neutral)\"; \
                    the first is at line 4: remove one of them";
    assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
    outcome.assert_stderr_contains("2 passed, 0 failed\nerror: 1 invalid");
}

#[test]
fn urls_of_a_site_are_an_origin_and_paths() {
    let question = "[[question]]\nagent = \"a\"\nurl = \"/c\"\nfetch = \"disallow\"\n";
    let run = |text: String| {
        let site = tempfile::tempdir().unwrap();
        fs::write(site.path().join("site.toml"), text).unwrap();
        let rules = "User-agent: *\nDisallow: /c\n";
        fs::write(site.path().join("robots.txt"), rules).unwrap();
        robots(["test", site.path().to_str().unwrap()])
    };
    let good = SITE.to_owned() + question;
    assert_eq!(run(good.clone()).code, 0);
    for (from, to, message) in [
        (
            "example.com",
            "example.com/",
            "as in \"https://example.com\"",
        ),
        (
            "example.com",
            "example.com/path",
            "as in \"https://example.com\"",
        ),
        ("https://example.com", "example.com", "is not an origin"),
        ("\"/c\"", "\"c\"", "line 4: \"c\" is not a path of the site"),
        (
            "\"/c\"",
            "\"https://example.com/c\"",
            "is not a path of the site",
        ),
    ] {
        let outcome = run(good.replace(from, to));
        assert_eq!(outcome.code, 2, "{to}");
        assert!(outcome.stdout.contains(message), "{}", outcome.stdout);
    }
}

#[test]
fn pages_of_a_site_have_names_of_urls_and_types_of_responses() {
    let noindex = "<meta name=robots content=noindex>";
    let utf_16: Vec<u8> = noindex.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let record = |name: &str, headers: &str, page: &[u8]| {
        let site = tempfile::tempdir().unwrap();
        let question = format!("[[question]]\nagent = \"a\"\nurl = \"/{name}\"\nindex = \"no\"\n");
        fs::write(site.path().join("site.toml"), SITE.to_owned() + &question).unwrap();
        let pages = site.path().join("pages");
        fs::create_dir(&pages).unwrap();
        fs::write(pages.join(name), page).unwrap();
        fs::write(pages.join(format!("{name}.headers")), headers).unwrap();
        robots(["test", site.path().to_str().unwrap()])
    };
    for (kind, page, code) in [
        ("Text/HTML", noindex.as_bytes(), 0),
        ("application/xhtml+xml", noindex.as_bytes(), 0),
        ("text/htmlx", noindex.as_bytes(), 1),
        ("text/html; Charset=\"utf-16le\"; x=y", &utf_16, 0),
    ] {
        let outcome = record("a", &format!("Content-Type: {kind}"), page);
        assert_eq!(outcome.code, code, "{kind}: {}", outcome.stdout);
    }
    for name in ["a b", "\u{e9}"] {
        let outcome = record(name, "", b"");
        assert_eq!(outcome.code, 2, "{name}");
        let message = "is not part of a URL as it is";
        assert!(outcome.stdout.contains(message), "{}", outcome.stdout);
    }
}

#[test]
fn names_in_the_wrong_case_are_noticed() {
    for (name, expected) in [
        ("Pages", "pages"),
        ("Robots.txt", "robots.txt"),
        ("EXPECTED.jsonl", "expected.jsonl"),
        ("Site.toml", "site.toml"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("ours");
        fs::create_dir(&site).unwrap();
        if name == "Pages" {
            fs::create_dir(site.join(name)).unwrap();
        } else {
            fs::write(site.join(name), "").unwrap();
        }
        if name != "Site.toml" {
            fs::write(site.join("site.toml"), SITE).unwrap();
        }
        // Another site is recorded all the same.
        let other = folder.path().join("theirs");
        fs::create_dir(&other).unwrap();
        fs::write(other.join("site.toml"), SITE).unwrap();
        let message = format!("{name:?} is not read: rename it to {expected:?}");
        let path = folder.path().to_str().unwrap();
        let accepted = robots(["test", "--accept", path]);
        assert_eq!(accepted.code, 2);
        accepted.assert_stderr_contains(&message);
        accepted.assert_stderr_contains("0 decisions recorded");
        let outcome = robots(["test", path]);
        assert_eq!(outcome.code, 2);
        assert!(outcome.stdout.contains(&message), "{}", outcome.stdout);
    }
}
