//! `robots lint`, and the explanations of findings.

use crate::program::{
    Folder, Outcome, command_on, counts, gzip, json_lines, response, robots, robots_in, robots_on,
};
use serde_json::Value;
use std::fs;

/// A file with two findings: a misspelt field (R012), which has a fix, and a path without a slash (R030), which has none.
const TWO_FINDINGS: &[u8] = b"User-agent: *\nDisalow: /a\nDisallow: b\n";

/// Lints standard input with the options of a line.
fn lint(options: &str, body: impl AsRef<[u8]>) -> Outcome {
    command_on(&format!("lint {options} -"), body.as_ref())
}

#[test]
fn exit_codes_report_findings() {
    let star = &b"User-agent: *\nDisallow: /a*\n"[..];
    for (options, body, code) in [
        ("--level warning", &b"User-agent: *\nDisallow:\n"[..], 0),
        ("--level warning", TWO_FINDINGS, 1),
        ("--ignore R012,R030", TWO_FINDINGS, 0),
        // Notes are not reported without `--level note`.
        ("--format full", star, 0),
        ("--level note", star, 1),
        ("--only trailing-star", star, 1),
    ] {
        assert_eq!(lint(options, body).code, code, "{options}");
    }
    let found = robots_on(["lint", "-"], TWO_FINDINGS);
    found.assert_stdout_contains("error[R012]");
    found.assert_stderr_contains("2 findings in 1 of 1 file");
    let missing = robots(["lint", "nowhere.txt"]);
    assert_eq!(missing.code, 2);
    missing.assert_stderr_contains("nowhere.txt");
    let code = robots(["lint", "--only", "R999", "-"]);
    assert_eq!(code.code, 2);
    code.assert_stderr_contains("`robots lint --explain` lists them");
}

#[test]
fn json_has_places_and_fixes() {
    let rows = json_lines(&lint("--json", TWO_FINDINGS).stdout);
    let places = rows.iter().map(|row| {
        let numbers = ["line", "column", "offset", "length"];
        (
            row["code"].as_str().unwrap(),
            counts(numbers.map(|key| &row[key])),
        )
    });
    let expected = [("R012", [2, 1, 14, 7]), ("R030", [3, 11, 36, 1])];
    assert_eq!(places.collect::<Vec<_>>(), expected);
    assert_eq!(rows[0]["fix"][0]["text"], "Disallow");
    assert_eq!(rows[1]["fix"], Value::Null);
}

#[test]
fn json_lists_the_edits_of_a_fix_up_to_a_limit() {
    const LIMIT: usize = robots_lint::report::json::MAX_LISTED_EDITS;
    for (line_ends, listed) in [
        (LIMIT - 1, Some(LIMIT - 1)),
        (LIMIT, Some(LIMIT)),
        (LIMIT + 1, None),
    ] {
        let body = format!("User-agent: *\rDisallow: /a{}", "\r".repeat(line_ends - 1));
        let outcome = lint("--json --only R005", &body);
        let rows = json_lines(&outcome.stdout);
        let [row] = &rows[..] else {
            panic!("{}", outcome.stdout)
        };
        assert_eq!(row["edits"], line_ends);
        assert_eq!(row["fix"].as_array().map(Vec::len), listed);
        // `--fix` applies all edits, listed or not.
        let fixed = lint("--fix", &body);
        assert_eq!(fixed.stdout, body.replace('\r', "\n"));
    }
}

#[test]
fn findings_that_are_left_out_are_counted_in_every_format() {
    let body = format!(
        "User-agent: *\nDisallow: /a\n{}",
        "hello world\n".repeat(150)
    );
    let rows = json_lines(&lint("--only junk --json", &body).stdout);
    // The linter lists up to 100 findings of each kind.
    assert_eq!(rows.len(), 100);
    assert!(rows.iter().all(|row| row["findings_of_kind"] == 150));
    let log: Value = serde_json::from_str(&lint("--only junk --sarif", &body).stdout).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 100);
    assert_eq!(results[0]["properties"]["findingsOfKind"], 150);
    let shown = lint("--only junk", &body);
    shown.assert_stdout_contains("and 50 more findings of the same kinds");
}

#[test]
fn sarif_has_every_rule_and_each_finding() {
    let log =
        |body: &[u8]| -> Value { serde_json::from_str(&lint("--sarif", body).stdout).unwrap() };
    let found = log(TWO_FINDINGS);
    assert_eq!(found["version"], "2.1.0");
    let run = &found["runs"][0];
    let rules = &run["tool"]["driver"]["rules"];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(counts([&region["startLine"], &region["endColumn"]]), [2, 8]);
    let none = log(b"User-agent: *\nDisallow:\n");
    assert_eq!(none["runs"][0]["results"], Value::Array(Vec::new()));
}

#[test]
fn only_fixes_that_are_applied_are_counted() {
    let fix = |body: &str| lint("--level note --fix", body);
    // Two fixes: one removes the byte order mark, and one replaces both CRs. The second has two edits.
    let fixed = fix("\u{feff}User-agent: *\rDisallow: /a\r");
    assert_eq!(fixed.stdout, "User-agent: *\nDisallow: /a\n");
    fixed.assert_stderr_contains("2 fixed, 0 without a fix");
    // Two fixes overlap: one removes the space, and one the whole line, which repeats a rule.
    let fixed = fix("User-agent: *\nDisallow: /a\n Disallow: /a\n");
    assert_eq!(fixed.stdout, "User-agent: *\nDisallow: /a\nDisallow: /a\n");
    fixed
        .assert_stderr_contains("1 fixed, 1 overlap with these (run --fix again), 0 without a fix");
    let again = fix(&fixed.stdout);
    assert_eq!(again.stdout, "User-agent: *\nDisallow: /a\n");
    again.assert_stderr_contains("1 fixed, 0 without a fix");
}

#[test]
fn only_fix_changes_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    fs::write(&file, TWO_FINDINGS).unwrap();
    let path = file.to_str().unwrap();
    let shown = robots(["lint", "--diff", path]);
    assert_eq!(shown.code, 1);
    shown.assert_stdout_contains("-Disalow: /a\n+Disallow: /a\n");
    assert_eq!(fs::read(&file).unwrap(), TWO_FINDINGS);
    let fixed = robots(["lint", "--fix", path]);
    fixed.assert_stderr_contains("1 fixed, 1 without a fix");
    let expected = b"User-agent: *\nDisallow: /a\nDisallow: b\n";
    assert_eq!(fs::read(&file).unwrap(), expected);
    // No temporary file is left.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // The fixed standard input is written to standard output, even if nothing changes.
    for body in [TWO_FINDINGS, expected] {
        assert_eq!(lint("--fix", body).stdout.as_bytes(), expected);
    }
    // A compressed file is refused.
    let packed = folder.path().join("robots.txt.gz");
    fs::write(&packed, gzip(TWO_FINDINGS)).unwrap();
    let refused = robots(["lint", "--fix", packed.to_str().unwrap()]);
    assert_eq!(refused.code, 2);
    refused.assert_stderr_contains("cannot fix ");
    // The rest of a longer file would be lost.
    let mut long = TWO_FINDINGS.to_vec();
    long.resize((16 << 20) + 1, b'\n');
    fs::write(&file, &long).unwrap();
    let refused = robots(["lint", "--fix", file.to_str().unwrap()]);
    assert_eq!(refused.code, 2);
    refused.assert_stderr_contains("it has more than 16 MiB");
    assert_eq!(fs::metadata(&file).unwrap().len(), long.len() as u64);
}

#[test]
fn folders_and_archives_are_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("site")).unwrap();
    fs::write(folder.path().join("site/robots.txt"), TWO_FINDINGS).unwrap();
    fs::write(folder.path().join("good.txt"), "User-agent: *\nDisallow:\n").unwrap();
    fs::write(folder.path().join("page.html"), "<p>").unwrap();
    let outcome = robots(["lint", "--json", folder.path().to_str().unwrap()]);
    outcome.assert_stderr_contains("2 findings in 1 of 1 file");
    let file = &json_lines(&outcome.stdout)[0]["file"];
    assert!(file.as_str().unwrap().ends_with("site/robots.txt"));
    let archive = ["http://a.example/robots.txt", "http://a.example/page"]
        .map(|url| response(url, "Content-Type: text/plain", TWO_FINDINGS))
        .concat();
    let outcome = lint("--json", &archive);
    outcome.assert_stderr_contains("2 findings in 1 of 1 file");
    let url = &json_lines(&outcome.stdout)[0]["url"];
    assert_eq!(url, "http://a.example/robots.txt");
    let statistics = lint("--statistics", &archive);
    statistics.assert_stdout_contains("R012         1      1  100.0%  error     misspelt-field");
    let nothing = robots_on(["lint", "-"], &response("http://a.example/", "", b""));
    assert_eq!(nothing.code, 2);
    nothing.assert_stderr_contains("no robots.txt in the input");
}

/// The report of the other inputs is complete.
#[test]
fn an_unreadable_input_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots #1.txt");
    fs::write(&file, TWO_FINDINGS).unwrap();
    let outcome = robots(["lint", "--sarif", "nowhere.txt", file.to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("nowhere.txt");
    let log: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    let location = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"];
    let uri = location["uri"].as_str().unwrap();
    assert!(uri.ends_with("robots%20%231.txt"), "{uri}");
}

/// A smoke test against time that is quadratic in the rules.
#[test]
fn many_equal_rules_are_linted_fast() {
    let lines = "Allow: /a\nDisallow: /a\n".repeat(100_000);
    let body = format!("User-agent: *\n{lines}");
    let outcome = lint("--only R036 --statistics", body);
    // All rules but the first `Allow` and the first `Disallow` are repetitions.
    outcome.assert_stdout_contains("R036    199998");
}

#[test]
fn hostile_lines_are_shown_safely() {
    let long = "a".repeat(1 << 20);
    let body = format!("User-agent: *\nDisallow: {long}\n\x1b[2J\x1b]0;x\x07 {long}\n");
    let outcome = lint("--level note", body);
    // The output is short, as only a part of a long line is shown.
    assert!(outcome.stdout.len() < 20_000);
    assert!(!outcome.stdout.contains('\x1b'));
    let junk = robots_on(["lint", "-"], &[0xFF; 3_000]);
    assert_eq!(junk.code, 1);
}

#[test]
fn codes_are_explained() {
    let outcome = robots(["explain", "shadowed-rule"]);
    let text = &outcome.stdout;
    // Without a terminal, the text is plain and has lines of 80 columns.
    assert!(
        text.starts_with("R037 shadowed-rule\n\nWarning. RFC 9309, section 2.2.2\n"),
        "{text}"
    );
    assert!(
        !text.contains("R038") && !text.contains('\u{1b}') && !text.contains("```"),
        "{text}"
    );
    let prose = text.lines().filter(|line| !line.contains("https://"));
    assert!(
        prose.clone().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let styled = robots(["explain", "--color", "always", "shadowed-rule"]).stdout;
    assert!(styled.starts_with("\u{1b}[1m\u{1b}[4mR037"), "{styled}");
    let markdown = robots(["explain", "-f", "markdown", "R037"]).stdout;
    assert!(
        markdown.starts_with("## R037 shadowed-rule\n\n*Warning. ["),
        "{markdown}"
    );
    assert!(markdown.contains("\n```robots\n"), "{markdown}");
    let all = robots(["explain", "--format", "markdown"]).stdout;
    assert!(all.contains(markdown.trim_end()) && all.contains("\n## R038 "));
    assert_eq!(robots(["explain", "--json", "--format", "text"]).code, 2);
    let last = robots(["explain", "r050"]);
    assert!(last.stdout.contains("training-field"));
    let all = robots(["explain", "--json"]);
    assert_eq!(all.stdout, robots(["explain", "--format", "json"]).stdout);
    let all: Vec<Value> = serde_json::from_str(&all.stdout).unwrap();
    assert!(
        all.iter()
            .all(|kind| kind["text"].as_str().unwrap().starts_with("## "))
    );
    assert_eq!(robots(["explain", "R999"]).code, 2);
}

#[test]
fn a_file_with_nearly_the_name_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["robot.txt", "ROBOTS.TXT", "robots.txt.bak", "roots.txt"] {
        std::fs::write(folder.path().join(name), "User-agent: *\nDisallow: /a\n").unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let output = robots(["lint", "--format", "concise", path]);
    let found = format!(
        "{path}/ROBOTS.TXT:1:1: R058 no robot reads a file of this name: robots request /robots.txt, \
         in lower case: ROBOTS.TXT\n"
    );
    assert!(output.stdout.starts_with(&found));
    assert_eq!(output.stdout.lines().count(), 2);
    assert_eq!(output.code, 1);
}

#[test]
fn lint_explains_like_the_command_explain() {
    for (options, code) in [
        ("", "R037"),
        ("", "shadowed-rule"),
        ("", ""),
        ("--json", "R037"),
        ("--json", ""),
    ] {
        let of = |line: String| robots(line.split_whitespace().chain(["--color", "always"]));
        let new = of(format!("lint {options} --explain {code}"));
        let old = of(format!("explain {options} {code}"));
        new.assert_success();
        assert_eq!(
            (new.stdout, new.stderr),
            (old.stdout, old.stderr),
            "{options} {code}"
        );
    }
    for words in [
        "--explain R037 robots.txt",
        "--explain robots.txt",
        "--explain R037 --fix",
        "--explain R037 --format jsonl",
        "--explain R037 --level note",
        "--explain --meta",
        "--explain R037 --no-config",
        "--explain R037 --explain R038",
    ] {
        let outcome = command_on(&format!("lint {words}"), b"");
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{words}");
    }
    // The file with defaults is not read.
    let folder = Folder::new();
    folder.file("robots.toml", "no = true\n");
    robots_in(folder.root(), ["lint", "--explain", "R037"]).assert_success();
}

/// The names of robots that no table has, and that have no finding of their own.
fn names(number: usize) -> Vec<String> {
    let letter = |index: usize| char::from(b'a' + u8::try_from(index % 26).unwrap());
    let names = (0..number).map(|index| format!("bot-{}{}", letter(index / 26), letter(index)));
    names.collect()
}

/// Several causes at once, each with many robots or lines.
#[test]
fn findings_with_one_cause_are_one() {
    let names = names(25);
    let lines = |end: &str| {
        let lines = names.iter().map(|name| format!("User-agent: {name}{end}"));
        lines.collect::<String>()
    };
    let (groups, joined) = (lines("\nAllow: /\n"), lines("-two\nCrawl-delay: 1\n"));
    let body = format!(
        "Disallow: /w\nDisallow: /x\nUser-agent: *\nDisallow: /y\nNoindex: /y\nNoindex: /z\n\
         User-agent: GPTBot\nUser-agent: Mediapartners-Google\nUser-agent: CCBot\nAllow: /\n\
         # robots: ignore R029 -- it is ours\n{groups}{joined}Disallow: /y\n"
    );
    let outcome = lint("--no-config", &body);
    assert_eq!(outcome.code, 1);
    insta::assert_snapshot!("causes", outcome.stdout + &outcome.stderr);
    let verbose = lint("-v", &body);
    let all = format!("also 25 more robots: CCBot, {}", names[1..].join(", "));
    assert!(verbose.stdout.contains(&all), "{}", verbose.stdout);
    assert!(!verbose.stdout.contains("--verbose"), "{}", verbose.stdout);
    // Programs get each place.
    for (options, lines) in [
        ("--json", 53),
        ("--format concise", 53),
        ("--format github", 53),
    ] {
        assert_eq!(
            lint(options, &body).stdout.lines().count(),
            lines,
            "{options}"
        );
    }
}

#[test]
fn a_cause_has_all_its_robots_beyond_the_limit_of_a_kind() {
    for (number, more) in [
        (
            10,
            "also 9 more robots: bot-ab, bot-ac, bot-ad, bot-ae, bot-af, bot-ag, bot-ah, bot-ai, bot-aj\n",
        ),
        (11, ", bot-aj, bot-ak\n"),
        (12, ", bot-ak, and 1 more (--verbose)\n"),
        (150, "also 149 more robots: bot-ab, "),
    ] {
        let groups = names(number)
            .into_iter()
            .map(|name| format!("User-agent: {name}\nAllow: /\n"));
        let body = "User-agent: *\nDisallow: /y\n".to_owned() + &groups.collect::<String>();
        let outcome = lint("--no-config", &body);
        outcome.assert_stdout_contains(more);
        assert_eq!(outcome.stdout.matches("R029").count(), 1);
        outcome.assert_stderr_contains(&format!("1 finding at {number} places in 1 of 1 file"));
    }
}
