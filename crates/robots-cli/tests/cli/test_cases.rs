//! `robots test`.

use crate::program::{Folder, Outcome, command, copy, robots, workspace};
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

/// The start of a `site.toml`, without what is optional.
const SITE: &str =
    "origin = \"https://example.com\"\nagents = [\"a\"]\nnow = \"2026-11-20T00:00:00Z\"\n";

/// Returns [`CASES`] with this expectation.
fn cases(expected: &str) -> String {
    CASES.replace("EXPECTED", expected)
}

/// Returns a folder with these files.
fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    for (name, text) in files {
        folder.file(name, text);
    }
    folder
}

/// Returns a folder with a file of [`CASES`] that has this expectation.
fn folder_with(expected: &str) -> Folder {
    folder(&[("ours.toml", &cases(expected))])
}

/// Asks the questions of a folder.
fn test(folder: &Folder) -> Outcome {
    robots(["test", folder.root().to_str().unwrap()])
}

/// Asks the questions of a file with this name and text.
fn test_file(name: &str, text: &str) -> Outcome {
    let folder = Folder::new();
    robots(["test", &folder.file(name, text)])
}

#[test]
fn cases_pass_or_fail_with_their_reason() {
    let outcome = test(&folder_with("allow"));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""));
    outcome.assert_stderr_contains("4 passed, 0 failed");
    let bad = folder_with("disallow");
    let (file, junit) = (bad.path("ours.toml"), bad.path("results.xml"));
    let outcome = command(&format!("test {} --junit {junit}", bad.root().display()));
    assert_eq!(outcome.code, 1);
    outcome.assert_stderr_contains("2 passed, 2 failed");
    outcome.assert_stdout_contains(
        "ours.toml: the back office is closed/google/2\n    line 9: a on /front: allowed: no rule",
    );
    // Equal failures are together, with their reason once.
    assert_eq!(outcome.stdout.lines().count(), 3, "{}", outcome.stdout);
    let xml = fs::read_to_string(junit).unwrap();
    let failure =
        "line 9: a on /front: allowed: no rule for this robot matches; expected disallowed";
    for part in [
        "tests=\"4\"",
        "failures=\"2\"",
        "the back office is closed/google/1",
        &format!("<failure message=\"{failure}\" type=\"mismatch\">{failure}</failure>"),
    ] {
        assert!(xml.contains(part), "{xml}");
    }
    // Tools of CI systems group cases by class, and show their times.
    let class = format!("classname=\"{file}\"");
    assert_eq!(xml.matches(&class).count(), 4, "{xml}");
    // The report, its suite and its cases have a time in seconds.
    assert_eq!(xml.matches(" time=\"0.").count(), 6, "{xml}");
    let rows = command(&format!("test {file} --json")).rows();
    assert_eq!(rows.iter().filter(|row| row["passed"] == true).count(), 2);
}

#[test]
fn invalid_files_are_errors() {
    let folder = folder_with("allow");
    folder.file("broken.jsonl", "{}\n{\n");
    let outcome = test(&folder);
    for expected in [
        "broken.jsonl: (line 1)\n    line 1: not a valid case file",
        "broken.jsonl: (line 2)\n    line 2: not a valid case file",
    ] {
        outcome.assert_stdout_contains(expected);
    }
    // The other files are still asked.
    outcome.assert_error("4 passed, 0 failed\nerror: 2 invalid");
    // Other files of a repository are not cases.
    for other in [
        "[package]\nname = \"x\"\n",
        "base = ['x']\n",
        "cases = []\n",
        "cases = [{ a = 1 }, 2]\n",
    ] {
        test(&self::folder(&[("tool.toml", other)])).assert_error("no question in the inputs");
    }
    assert_eq!(robots(["test", "nowhere"]).code, 2);
}

#[test]
fn an_invalid_case_does_not_stop_the_others() {
    let good = cases("allow");
    let line = good.lines().count() + 2;
    let bad = "\n[[case]]\nname = \"odd\"\nagnt = \"a\"\n";
    let outcome = test_file("ours.toml", &format!("{good}{bad}"));
    outcome.assert_error("4 passed, 0 failed\nerror: 1 invalid");
    // The error is at the line of the key.
    let expected = format!(
        "ours.toml: odd\n    line {}: not a valid case file",
        line + 2
    );
    outcome.assert_stdout_contains(&expected);
    // The error is in no case.
    let outcome = test_file("ours.toml", &format!("more = 1\n{good}"));
    outcome.assert_error("0 passed, 0 failed\nerror: 1 invalid");
    outcome.assert_stdout_contains("`more`");
}

#[cfg(unix)]
#[test]
fn linked_files_are_asked() {
    let (folder, other) = (folder_with("allow"), folder_with("disallow"));
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, folder.path(name)).unwrap();
    };
    link(&other.path("ours.toml"), "linked.toml");
    // A folder may be within its own.
    link(folder.root().to_str().unwrap(), "up.toml");
    let outcome = test(&folder);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    outcome.assert_stdout_contains("linked.toml");
    link("nowhere", "lost.toml");
    let outcome = test(&folder);
    assert_eq!(outcome.code, 2);
    outcome.assert_stdout_contains("lost.toml");
}

/// A misspelt expectation is an error of the file, not a failed case. Tests of robots-cases have the errors of every value.
#[test]
fn an_unknown_value_is_an_error() {
    for word in ["allowed", "yes", "", "Allow", "disallow "] {
        let outcome = test(&folder_with(word));
        assert_eq!(outcome.code, 2, "{word:?}");
        outcome.assert_stdout_contains("expected `allow` or `disallow`");
    }
    // In the file, `from` is replaced by `to`.
    for (from, to, expected) in [
        (
            "[[case]]",
            "[[cases]]",
            "unknown key `cases`; did you mean \"case\"?",
        ),
        ("\"google\"", "\"google+x\"", "one of commas, rfc-tokens"),
        ("/back\"", "/back\\n{pad:1k}\"", "expected a size in bytes"),
        ("\"rfc9309\", \"google\"", "", "no dialect"),
    ] {
        let outcome = test_file("ours.toml", &cases("allow").replacen(from, to, 1));
        assert_eq!(outcome.code, 2, "{to}");
        outcome.assert_stdout_contains(expected);
    }
}

#[test]
fn an_unknown_value_about_a_page_is_an_error_with_its_line() {
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
            "now = \"today\"\nexpect = { index = \"no\" }",
            "\"today\" is not a time",
        ),
        (
            "with = { based-on = 'yandex' }\nexpect = { index = 'yes' }",
            "unexpected `based-on` in `with`",
        ),
    ] {
        let outcome = test_file("ours.toml", &cases(rest));
        outcome.assert_stdout_contains(&format!("ours.toml: b\n    line 6: {expected}"));
        assert!(outcome.stdout.starts_with("INVALID "), "{}", outcome.stdout);
        outcome.assert_error("1 passed, 0 failed\nerror: 1 invalid");
    }
    // Keys other than `expect` report their list of values, too.
    let missing = "requests = [{ missing = \"all\" }]\nexpect = { fetch = \"unknown\" }";
    let outcome = test_file("ours.toml", &cases(missing));
    assert_eq!(outcome.code, 2);
    outcome.assert_stdout_contains("expected `request` or `body`");
}

/// A question with a misspelt key must not pass.
#[test]
fn a_case_without_a_question_fails() {
    let code = |rest: &str| {
        let start =
            r#"{"id":"a","source":"s","dialect":"rfc9309","robots":"","agents":["*"],"star":true"#;
        test_file("v.jsonl", &format!("{start}{rest}}}\n")).code
    };
    assert_eq!(code(r#","url":"/x","allowed":true"#), 0);
    assert_eq!(code(r#","crawl_delay":null"#), 0);
    assert_eq!(code(r#","url":"/x","allowed":false"#), 1);
    assert_eq!(code(r#","url":"/x","allow":true"#), 2);
    assert_eq!(code(r#","url":"/x""#), 2);
    // A line has one question: about a URL or about the delay.
    assert_eq!(code(r#","url":"/x","allowed":true,"crawl_delay":null"#), 2);
    let nothing = "{\"name\":\"a\",\"source\":\"s\",\"expect\":{}}\n";
    assert_eq!(test_file("v.jsonl", nothing).code, 2);
}

/// Numbers, null, and places in lines of JSON.
#[test]
fn expectations_in_json_lines_are_compared_by_value() {
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
    let outcome = test_file("cases.jsonl", &good.map(case).concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stdout);
    let bad = case("{\"crawl_delay\":6}") + "{\"name\": x}\n";
    let outcome = test_file("cases.jsonl", &bad);
    assert_eq!(outcome.code, 2, "{}", outcome.stdout);
    for text in [
        "crawl_delay is 5.0, expected 6",
        "line 2: ",
        "expected value at column 10",
    ] {
        outcome.assert_stdout_contains(text);
    }
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
            "ours.toml: 429/bing/1\n    line 6: the state is defer, expected deny_all",
        ),
        (
            r#"["60h"]"#,
            r#"["1h", "3d", "31d"]"#,
            "line 14: at 1h: the state is defer (robots.txt was answered with status 503), expected rules \
             \"User-agent: *\"",
        ),
        (
            r#"again_at = "2d""#,
            r#"again_at = "0s""#,
            "line 15: the next request is at 2d, expected 0s",
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
            "body = \"User-agent: *\" }]\nask",
            "cause = \"timeout\" }]\nask",
            "unknown variant `timeout`, expected one of `status`",
        ),
    ] {
        let outcome = test_file("ours.toml", &GOOD.replacen(from, to, 1));
        let text = outcome.stdout + &outcome.stderr;
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn decisions_about_sites_can_be_recorded() {
    let folder = Folder::new();
    let site = folder.root().join("marys-antiques");
    copy(
        &workspace().join("tests/fixtures/sites/marys-antiques"),
        &site,
    );
    let path = folder.root().to_str().unwrap();
    let accept = || robots(["test", "--accept", path]);
    assert_eq!(test(&folder).code, 0);
    let accepted = accept();
    accepted.assert_success();
    accepted.assert_stderr_contains("decisions recorded");
    let after = robots(["test", path, "--json"]);
    assert_eq!(after.code, 0);
    // Each page of the site has a decision for each of three robots.
    assert!(after.stdout.matches("\"recorded: ").count() > 10);
    // The site changes, and so do decisions.
    let robots_txt = fs::read_to_string(site.join("robots.txt")).unwrap();
    fs::write(site.join("robots.txt"), robots_txt + "\nDisallow: /about\n").unwrap();
    fs::write(site.join("pages/new.html"), "<title>New</title>").unwrap();
    let changed = test(&folder);
    assert_eq!(changed.code, 1);
    changed.assert_stdout_contains("not recorded; --accept records it");
    // A changed list is shown by its items, not as JSON.
    assert!(!changed.stdout.contains("[{"), "{}", changed.stdout);
    let accepted = accept();
    accepted.assert_success();
    accepted.assert_stdout_contains("ADDED ");
    let again = accept();
    assert_eq!((again.code, &*again.stdout), (0, ""));
    again.assert_stderr_contains("decisions recorded, 0 changed");
    assert_eq!(test(&folder).code, 0);
    // A rule decides otherwise.
    let robots_txt = fs::read_to_string(site.join("robots.txt")).unwrap();
    let allowed = robots_txt.replace("Disallow", "Allow");
    fs::write(site.join("robots.txt"), allowed).unwrap();
    let accepted = accept();
    for line in [
        "CHANGED ",
        "\n    fetch is \"allow\", recorded \"disallow\"\n",
        "\n    from this follow: page_layer \"",
        "\n    reasons differ from the recorded ones:\n      - robots.txt line ",
        "\n      + robots.txt line ",
    ] {
        accepted.assert_stdout_contains(line);
    }
    // A record is edited, and has an unknown value.
    let records = site.join("expected.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    let edited = text.replacen("\"index\":\"yes\"", "\"index\":\"maybe\"", 1);
    assert_ne!(edited, text);
    fs::write(&records, edited).unwrap();
    let outcome = test(&folder);
    assert_eq!(outcome.code, 2);
    outcome.assert_stdout_contains(
        "unexpected value \"maybe\" of \"index\": expected yes, no, url_only, unknown",
    );
    // Only decisions about sites are recorded, and this folder has none.
    let cases = folder_with("allow");
    let nothing = robots(["test", "--accept", cases.root().to_str().unwrap()]);
    assert_eq!(nothing.code, 2);
}

/// A file may mix kinds of cases, without sources. Each failure has the line of its question.
#[test]
fn a_file_may_mix_kinds_of_cases() {
    const MIXED: &str = r#"
[[history]]
name = "history"
tables = ["google"]
requests = [{ at = "0s", status = 404 }]
expect = [
    { now = ["1h"], state = "allow_all", cause = { status = 404 } },
    { now = ["2h"], state = "rules" },
]
[[case]]
name = "page"
html = "<meta name=robots content=noindex>"
expect = { index = "yes" }
[[case]]
name = "robots"
dialects = ["google"]
body = "User-agent: *\nDisallow: /x"
ask = [
    { agent = "a", url = "/x", expect = "disallow" },
    { agent = "a", url = "/y", expect = "disallow" },
]
delay = [{ agent = "a", seconds = 3 }]
[[outcome]]
name = "outcome"
requests = [{ status = 404 }]
[outcome.expect]
google = "allow_all"
bing = "defer"
"#;
    let outcome = test_file("mixed.toml", MIXED);
    assert_eq!(outcome.code, 1, "{}", outcome.stdout);
    outcome.assert_stderr_contains("2 passed, 5 failed");
    for expected in [
        "mixed.toml: history/google\n    line 8: at 2h: the state is allow_all",
        "mixed.toml: page\n    line 10: index is \"no\", expected \"yes\"",
        "mixed.toml: robots/google/2\n    line 20: a on /y: allowed",
        "mixed.toml: robots/google/3\n    line 22: a: the delay is none, expected 3 s",
        "mixed.toml: outcome/bing/1\n    line 28: the state is allow_all",
    ] {
        outcome.assert_stdout_contains(expected);
    }
}

#[test]
fn an_unknown_key_has_its_line_and_the_nearest_key() {
    for (text, expected) in [
        (
            "\n[[cases]]\nname = 'a'",
            "line 2: not a valid case file (TOML or JSON Lines): unknown key `cases`; did you mean \"case\"?",
        ),
        (
            "[[case]]\nname = 'a'\n[[histry]]",
            "unknown key `histry`; did you mean \"history\"?",
        ),
        (
            "[[case]]\nname = 'a'\nbody = ''\ndialect = ['google']",
            "line 4: not a valid case file (TOML or JSON Lines): unknown field `dialect`; did you mean `dialects`?",
        ),
        (
            "[[case]]\nname = 'a'\nbody = ''\ndialects = ['google']\nask = [\n{ agnt = 'a' }]",
            "line 6: not a valid case file (TOML or JSON Lines): unknown field `agnt`; did you mean `agent`?",
        ),
        (
            "[[case]]\nname = 'a'\nhtm = ''",
            "line 3: not a valid case file (TOML or JSON Lines): unknown field `htm`; did you mean `html`?",
        ),
        (
            "[[case]]\nname = 'a'\n[case.expect]\nfetch = 'allow'\nindx = 'no'",
            "line 5: unknown key \"indx\"; did you mean \"index\"?",
        ),
        (
            "[[case]]\nname = 'a'\nexpect = { \"reasons.indx\" = [] }",
            "line 3: unknown key \"reasons.indx\"; did you mean \"reasons.index\"?",
        ),
        (
            "[[case]]\nname = 'a'\nexpect = { colour = 'red' }",
            "line 3: unknown key \"colour\": expected line, warnings, ",
        ),
        (
            "[[outcome]]\nname = 'a'\nrequests = [{ statu = 1 }]\nexpect = {}",
            "line 3: not a valid case file (TOML or JSON Lines): unknown field `statu`; did you mean `status`?",
        ),
    ] {
        // In a folder, other files of TOML are left out.
        let folder = folder(&[("ours.toml", text), ("Cargo.toml", "[[bin]]\nname = 'x'")]);
        let outcome = test(&folder);
        outcome.assert_error("error: 1 invalid");
        outcome.assert_stdout_contains(expected);
    }
    let questions = format!("{SITE}[[question]]\nagent = \"a\"\nurl = \"/\"\n");
    for (text, expected) in [
        (
            format!("agnts = []\n{SITE}"),
            "line 1: not a valid case file (TOML or JSON Lines): unknown field `agnts`; did you mean `agents`?",
        ),
        (
            format!("{questions}fetc = 'allow'\n"),
            "line 7: unknown key \"fetc\"; did you mean \"fetch\"?",
        ),
        (
            questions.replace("url", "urls"),
            "line 6: unknown key \"urls\"; did you mean \"url\"?",
        ),
        (
            questions.replace("agent =", "agnt ="),
            "line 5: unknown key \"agnt\"; did you mean \"agent\"?",
        ),
        (
            format!("{questions}profil = 'google'"),
            "line 7: unknown key \"profil\"; did you mean \"profile\"?",
        ),
        (
            questions.replace("agent = \"a\"\n", ""),
            "line 4: missing key \"agent\" of a question",
        ),
    ] {
        let outcome = test(&folder(&[("site.toml", &text)]));
        outcome.assert_error("error: 1 invalid");
        outcome.assert_stdout_contains(expected);
    }
    let lines =
        "{\"name\":\"a\",\"expct\":{}}\n{\"id\":\"a\",\"dialect\":\"google\",\"allwed\":true}\n";
    let outcome = test_file("cases.jsonl", lines);
    for near in [
        "`expct`; did you mean `expect`?",
        "`allwed`; did you mean `allowed`?",
    ] {
        outcome.assert_stdout_contains(near);
    }
}

#[test]
fn paths_without_a_page_are_noted() {
    let question =
        |url: &str| format!("[[question]]\nagent = \"a\"\nurl = \"{url}\"\nfetch = \"allow\"\n");
    let asked = ["/", "/a.html?x", "/robots.txt", "/b.html", "/b.html?x"];
    let toml = SITE.to_owned() + &asked.map(question).concat();
    let pages = [
        ("site.toml", &*toml),
        ("pages/index.html", ""),
        ("pages/a.html", ""),
    ];
    let site = folder(&pages);
    let outcome = test(&site);
    outcome.assert_success();
    outcome.assert_stderr_contains(
        "site.toml: the site has no page for 2 paths of its questions, so the URL counts as not fetched: \
         /b.html, /b.html?x\n5 passed",
    );
    assert_eq!(
        robots(["test", "-q", site.root().to_str().unwrap()]).stderr,
        ""
    );
    // A long list is cut.
    for (paths, cut) in [(10, ""), (11, ", and 1 more (--verbose)")] {
        let questions = (10..10 + paths).map(|path| question(&format!("/{path}")));
        let toml = SITE.to_owned() + &questions.collect::<String>();
        let site = folder(&[("site.toml", &toml)]);
        test(&site).assert_stderr_contains(&format!("/18, /19{cut}\n{paths} passed"));
        let all = robots(["test", "-v", site.root().to_str().unwrap()]);
        all.assert_stderr_contains(&format!(", /{}\n{paths} passed", 9 + paths));
    }
}

/// An added rule fails once for each page whose decision it changes, and a rule that only moved does not.
#[test]
fn recorded_decisions_are_compared_by_their_texts() {
    let agents = SITE.replace("\"a\"", "\"Googlebot\", \"Bingbot\", \"a\"");
    let questions = "[[question]]\nagent = \"Googlebot\"\nprofile = \"google\"\nurl = \"/a.html\"\nfetch = \"disallow\"\n";
    let rules = "User-agent: *\nDisallow: /a\n";
    let page = "<meta name=robots content=noarchive>";
    let site = folder(&[
        ("site.toml", &format!("{agents}{questions}")),
        ("robots.txt", rules),
        ("pages/a.html", page),
        ("pages/b.html", page),
    ]);
    let path = site.root().to_str().unwrap();
    robots(["test", "--accept", path]).assert_success();
    // Each robot is recorded under its own profile.
    let records = fs::read_to_string(site.path("expected.jsonl")).unwrap();
    for (agent, profile) in [
        ("Googlebot", "google"),
        ("bingbot", "bing"),
        ("a", "neutral"),
    ] {
        let robot = format!("\"agent\":\"{agent}\",\"profile\":\"{profile}\"");
        assert_eq!(records.matches(&robot).count(), 2, "{records}");
    }
    assert_eq!(records.lines().count(), 6);
    site.file(
        "robots.txt",
        "# moved\n\nUser-agent: *\nDisallow: /c\nDisallow: /a\n",
    );
    site.file("pages/a.html", format!("<title>A</title>{page}"));
    test(&site).assert_success();
    robots(["test", "--accept", path]).assert_stderr_contains("6 decisions recorded, 0 changed");
    site.file("robots.txt", "User-agent: *\nDisallow: /b\nDisallow: /a\n");
    let outcome = test(&site);
    assert_eq!(outcome.code, 1);
    let shown = outcome.stdout.replace(path, "SITE");
    let shown = shown.replace(std::path::MAIN_SEPARATOR, "/");
    insta::assert_snapshot!("an_added_rule", shown);
    let accepted = robots(["test", "--accept", path]);
    accepted.assert_stderr_contains("6 decisions recorded, 3 changed");
    let report = site.path("results.xml");
    site.file("robots.txt", rules);
    assert_eq!(robots(["test", path, "--junit", &report]).code, 1);
    let xml = fs::read_to_string(report).unwrap();
    let start = "<failure message=\"fetch is &quot;allow&quot;, recorded &quot;disallow&quot;\" type=\"mismatch\">fetch is";
    assert_eq!(xml.matches(start).count(), 3, "{xml}");
    assert!(
        xml.contains("\n  - robots.txt line 2: Disallow: /b (group of *) (decides fetch)\n"),
        "{xml}"
    );
    site.file("robots.txt", [b'\xff'; 3]);
    site.file("expected.jsonl", "{");
    let report = site.path("invalid.xml");
    assert_eq!(robots(["test", path, "--junit", &report]).code, 2);
    let xml = fs::read_to_string(report).unwrap();
    assert!(xml.contains("type=\"invalid\">"), "{xml}");
}

/// A robot may be written with its version, and a folder may have a link to itself.
#[test]
fn recorded_decisions_of_odd_sites_are_found_again() {
    let toml = SITE.replace("\"a\"", "\"Googlebot/2.1\", \"Googlebot\", \"b\"");
    let noindex = "<meta name=robots content=noindex>";
    let site = folder(&[("site.toml", &toml), ("pages/a.htm", noindex)]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", site.path("pages/loop")).unwrap();
    robots(["test", "--accept", site.root().to_str().unwrap()]).assert_success();
    let lines = fs::read_to_string(site.path("expected.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 2, "{lines}");
    assert!(lines.contains("\"index\":\"no\""), "{lines}");
    let compared = test(&site);
    assert_eq!(compared.code, 0, "{}", compared.stdout);
}

#[test]
fn a_site_without_questions_can_be_recorded() {
    let site = folder(&[("site.toml", SITE)]);
    let nothing = test(&site);
    assert_eq!(nothing.code, 2);
    nothing.assert_stdout_contains(
        "nothing to check: expected a [[question]], or the decisions that --accept records",
    );
    site.file("pages/a.html", "<title>A</title>");
    let accepted = robots(["test", "--accept", site.root().to_str().unwrap()]);
    accepted.assert_success();
    accepted.assert_stderr_contains("1 decision recorded");
    let outcome = test(&site);
    outcome.assert_success();
    outcome.assert_stderr_contains("1 passed, 0 failed");
    // A line that is there twice is invalid; the decision is still compared.
    let line = fs::read_to_string(site.path("expected.jsonl")).unwrap();
    site.file("expected.jsonl", line.repeat(2));
    let outcome = test(&site);
    outcome.assert_error("1 passed, 0 failed\nerror: 1 invalid");
    outcome.assert_stdout_contains("line 2: two questions are named \"recorded: a https://example.com/a.html (neutral)\"; the first");
}

#[test]
fn a_duplicate_question_does_not_stop_the_others() {
    let question = |url: &str, fetch: &str| {
        format!("[[question]]\nagent = \"a\"\nurl = \"{url}\"\nfetch = \"{fetch}\"\n")
    };
    let questions = [
        SITE.to_owned(),
        question("/", "allow"),
        question("/", "disallow"),
        question("/x", "allow"),
    ];
    let outcome = test(&folder(&[
        ("site.toml", &questions.concat()),
        ("robots.txt", ""),
    ]));
    outcome.assert_stdout_contains(
        "site.toml: a / (neutral)\n    line 8: two questions are named \"a / (neutral)\"; \
         the first is at line 4: remove one of them",
    );
    outcome.assert_error("2 passed, 0 failed\nerror: 1 invalid");
}

#[test]
fn questions_about_a_site_are_valid_as_a_whole() {
    let good = format!("{SITE}[[question]]\nagent = \"a\"\nurl = \"/c\"\nfetch = \"disallow\"\n");
    for (from, to, code, message) in [
        ("", "", 0, ""),
        (
            "example.com",
            "example.com/",
            2,
            "as in \"https://example.com\"",
        ),
        (
            "example.com",
            "example.com/path",
            2,
            "as in \"https://example.com\"",
        ),
        ("https://example.com", "example.com", 2, "is not an origin"),
        (
            "\"/c\"",
            "\"c\"",
            2,
            "line 4: \"c\" is not a path of the site",
        ),
        (
            "\"/c\"",
            "\"https://example.com/c\"",
            2,
            "is not a path of the site",
        ),
        (
            "\"disallow\"",
            "\"allowed\"",
            2,
            "line 4: unexpected value \"allowed\" of \"fetch\": expected allow, disallow, defer, \
             unknown, not_applicable",
        ),
        (
            "fetch = \"disallow\"\n",
            "",
            2,
            "line 4: nothing to check: expected a field of the decision",
        ),
    ] {
        let rules = "User-agent: *\nDisallow: /c\n";
        let toml = good.replace(from, to);
        let outcome = test(&folder(&[("site.toml", &toml), ("robots.txt", rules)]));
        assert_eq!(outcome.code, code, "{to}: {}", outcome.stdout);
        outcome.assert_stdout_contains(message);
    }
}

#[test]
fn pages_of_a_site_have_names_of_urls_and_types_of_responses() {
    let noindex = "<meta name=robots content=noindex>";
    let utf_16: Vec<u8> = noindex.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let outcome_of = |name: &str, headers: &str, page: &[u8]| {
        let question = format!("[[question]]\nagent = \"a\"\nurl = \"/{name}\"\nindex = \"no\"\n");
        let site = folder(&[("site.toml", &format!("{SITE}{question}"))]);
        site.file(&format!("pages/{name}"), page);
        site.file(&format!("pages/{name}.headers"), headers);
        test(&site)
    };
    for (kind, page, code) in [
        ("Text/HTML", noindex.as_bytes(), 0),
        ("application/xhtml+xml", noindex.as_bytes(), 0),
        ("text/htmlx", noindex.as_bytes(), 1),
        ("text/html; Charset=\"utf-16le\"; x=y", &utf_16, 0),
    ] {
        let outcome = outcome_of("a", &format!("Content-Type: {kind}"), page);
        assert_eq!(outcome.code, code, "{kind}: {}", outcome.stdout);
    }
    for name in ["a b", "\u{e9}"] {
        let outcome = outcome_of(name, "", b"");
        assert_eq!(outcome.code, 2, "{name}");
        outcome.assert_stdout_contains("is not part of a URL as it is");
    }
    // Lines of headers are strict.
    let good = "\u{feff}x-robots-tag: noindex\r\nstatus: 203 Other\n";
    assert_eq!(outcome_of("a.html", good, b"").code, 0);
    for line in [
        "X-Robots-Tag : noindex",
        " X-Robots-Tag: noindex",
        "Status: 4040",
        "HTTP/1.1 200 OK",
        ": a",
    ] {
        let outcome = outcome_of("a.html", &format!("A: b\n\n{line}\n"), b"");
        assert_eq!(outcome.code, 2, "{line}");
        let place = format!("a.html.headers: line 3: {line:?} is not a header line");
        outcome.assert_stdout_contains(&place);
    }
}

#[test]
fn headers_belong_to_a_page() {
    for name in ["a.headers", "a.html.Headers", "b.html.headers"] {
        let noindex = "X-Robots-Tag: noindex\n";
        let outcome = test(&folder(&[
            ("site.toml", SITE),
            ("pages/a.html", "<p>"),
            ("pages/a.html.headers", noindex),
            (&format!("pages/{name}"), noindex),
        ]));
        assert_eq!(outcome.code, 2, "{name}");
        outcome.assert_stdout_contains(&format!("{name} is not read"));
    }
}

#[test]
fn names_in_the_wrong_case_are_noticed() {
    for (file, name, expected) in [
        ("Pages/a.html", "Pages", "pages"),
        ("Robots.txt", "Robots.txt", "robots.txt"),
        ("EXPECTED.jsonl", "EXPECTED.jsonl", "expected.jsonl"),
        ("Site.toml", "Site.toml", "site.toml"),
    ] {
        // Another site is recorded all the same.
        let sites = folder(&[(&format!("ours/{file}"), ""), ("theirs/site.toml", SITE)]);
        if name != "Site.toml" {
            sites.file("ours/site.toml", SITE);
        }
        let message = format!("{name:?} is not read: rename it to {expected:?}");
        let accepted = robots(["test", "--accept", sites.root().to_str().unwrap()]);
        accepted.assert_error(&message);
        accepted.assert_stderr_contains("0 decisions recorded");
        let outcome = test(&sites);
        assert_eq!(outcome.code, 2);
        outcome.assert_stdout_contains(&message);
    }
}
