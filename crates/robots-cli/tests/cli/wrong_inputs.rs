//! Inputs of the wrong kind: the message states what is wrong, and what would work.

use crate::program::{Folder, Outcome, page, robots, robots_in};
use std::path::Path;

const URL: &str = "https://a.example/robots.txt";

/// Returns a folder with a file of each kind.
fn folder() -> Folder {
    let folder = Folder::new();
    let write = |name: &str, bytes: &[u8]| folder.file(name, bytes);
    write("page.html", b"<!DOCTYPE html>\n<title>A: b</title>\n");
    write("robots.txt", b"User-agent: *\nDisallow: /x\n");
    write("crawl.warc", &page("https://a.example/x", "<p>"));
    write("empty", b"");
    write("bytes", b"\x00\xFF\x00\n\x01");
    folder
}

/// Runs a command. In its words, `{NAME}` stands for the path of a file in the folder, `{}` for the folder, and `URL` for [`URL`].
fn run(folder: &Path, line: &str) -> Outcome {
    let words = line.split(' ').map(|word| match word.strip_prefix('{') {
        Some(name) => folder.join(name.trim_end_matches('}')).into_os_string(),
        None => word.replace("URL", URL).into(),
    });
    robots(words)
}

#[test]
fn a_url_in_the_place_of_a_file_is_an_error_with_a_hint() {
    let folder = folder();
    for (words, hint) in [
        ("check URL https://a.example/x", "use --fetch"),
        ("check https://a.example/x", "use --fetch"),
        ("check {robots.txt} --urls URL", "download it"),
        ("check --batch URL --robots {crawl.warc}", "download it"),
        ("check --batch {empty} --robots URL", "`robots fetch`"),
        ("diff URL {robots.txt}", "| robots diff - FILE`"),
        (
            "diff {robots.txt} HTTP://a.example/",
            "| robots diff FILE -`",
        ),
        ("lint URL", "`curl -s URL | robots lint -`"),
        ("lint --meta {page.html} --robots URL", "download it"),
        ("survey URL", "--sites"),
        ("survey {robots.txt} --baseline URL", "download it"),
        ("audit URL", "download it"),
        ("audit {empty} --robots URL", "`robots fetch`"),
        ("audit {empty} --robots a.example=URL", "`robots fetch`"),
        ("audit {empty} --hosts URL", "download it"),
        (
            "audit {empty} --ranges Googlebot=https://a.example/x.json",
            "download it",
        ),
        ("decide URL", "`curl -s URL | robots meta -`"),
        ("decide {crawl.warc} --robots URL", "`robots fetch`"),
        ("decide {crawl.warc} --store URL", "download it"),
        ("decide {crawl.warc} --index URL", "download it"),
        ("meta URL", "`curl -s URL | robots meta -`"),
        ("headers URL", "`curl -sI URL | robots meta --headers -`"),
        (
            "block GPTBot --into URL",
            "`curl -s URL | robots block WHAT --into -`",
        ),
        ("test URL", "download it"),
    ] {
        let outcome = run(folder.root(), words);
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{words:?}");
        outcome.assert_stderr_contains("not a");
        outcome.assert_stderr_contains(hint);
        assert!(!folder.root().join("kept").exists(), "{words:?}");
    }
}

#[test]
fn a_store_in_the_place_of_a_robots_txt_is_an_error() {
    let folder = folder();
    std::fs::write(folder.root().join("store"), b"SQLite format 3\0\x10\0").unwrap();
    for words in [
        "decide {crawl.warc} --robots {store} --base https://a.example/",
        "audit {empty} --robots {store}",
        "check {store} /a",
        "lint {store}",
        "survey {store}",
    ] {
        let outcome = run(folder.root(), words);
        assert_eq!(outcome.code, 2, "{words}");
        outcome.assert_stderr_contains("is an SQLite file, such as a store");
    }
}

#[test]
fn a_site_in_the_place_of_a_file_or_url_is_an_error_with_a_hint() {
    let folder = folder();
    for (words, hint) in [
        ("check a.example /x", "cannot read a.example"),
        ("decide a.example", "cannot read a.example"),
        ("fetch ftp://a.example", "expected http or https"),
        ("fetch {no-sites.txt}", "no-sites.txt: No such file"),
        ("fetch {crawl.warc}", "expected a list of sites"),
        ("fetch --resume https://a.example", "--output"),
        (
            "fetch https://a.example -o robots.txt",
            "a name such as robots.warc.gz",
        ),
    ] {
        let outcome = run(folder.root(), words);
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{words:?}");
        outcome.assert_stderr_contains(hint);
    }
}

/// A folder `https:` with a file in it has the form of a URL.
#[test]
fn a_file_may_have_the_name_of_a_url() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.root().join("https:/a.example")).unwrap();
    let path = folder.root().join("https:/a.example/robots.txt");
    std::fs::write(path, b"User-agent: *\nDisallow: /x\n").unwrap();
    let code = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_robots"));
        let output = command.args(words).current_dir(folder.root()).output();
        output.unwrap().status.code()
    };
    assert_eq!(code(&["check", URL, "/x"]), Some(1));
    assert_eq!(code(&["lint", URL]), Some(0));
}

#[test]
fn a_folder_in_the_place_of_a_file_is_an_error() {
    let folder = folder();
    for words in [
        "check {} /x",
        "check {robots.txt} --urls {}",
        "check --batch {} --robots {crawl.warc}",
        "check --batch {empty} --robots {}",
        "diff {robots.txt} {}",
        "audit {}",
        "fetch {} -o {kept}",
        "headers {}",
    ] {
        let outcome = run(folder.root(), words);
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{words:?}");
        outcome.assert_stderr_contains("is a folder; a file is needed");
    }
}

#[test]
fn a_file_of_another_kind_is_an_error_with_a_hint() {
    let folder = folder();
    for (words, message) in [
        (
            "check {crawl.warc} /x",
            "WARC or ARC file: expected a robots.txt; `robots check --batch`",
        ),
        (
            "why {crawl.warc} --base https://a.example/",
            "is a WARC or ARC file: expected a page",
        ),
        (
            "diff {robots.txt} {crawl.warc}",
            "WARC or ARC file: expected a robots.txt",
        ),
        (
            "fetch {crawl.warc} -o {kept}",
            "is a WARC or ARC file: expected a list of sites",
        ),
        (
            "decide {crawl.warc} --index {robots.txt}",
            "line 1 is not an index entry: expected a JSON object",
        ),
        (
            "headers {page.html}",
            "not a page: `robots meta` reads pages",
        ),
        (
            "headers {empty}",
            "no header lines, such as `curl -I` prints",
        ),
        ("decide {robots.txt}", "nor a page by its name (.html)"),
        (
            "decide {crawl.warc} --robots {robots.txt}",
            "use --base, such as --base https://example.com/",
        ),
        (
            "decide {crawl.warc} --store {empty}",
            "is empty, not a store; `robots fetch --store` creates one",
        ),
        (
            "decide {crawl.warc} --store {robots.txt}",
            "is not a store of origins",
        ),
        (
            "audit {empty} --ranges Googlebot=nowhere.json",
            "cannot read",
        ),
        ("test {}", "expected site.toml, .toml or .jsonl files"),
        ("agents --agent-table {bytes}", "not a TOML file: not UTF-8"),
        (
            "agents --agent-table nowhere.toml",
            "cannot read the file: ",
        ),
        ("profiles nowhere.toml", "cannot read the file: "),
    ] {
        let outcome = run(folder.root(), words);
        // Nothing is decided: a decision would name its URL, and all URLs of these commands end with /x.
        assert_eq!(
            (outcome.code, outcome.stdout.contains("/x")),
            (2, false),
            "{words:?}"
        );
        outcome.assert_stderr_contains(message);
    }
    let store = folder.root().join("empty");
    assert_eq!(store.metadata().unwrap().len(), 0, "no store was made");
    std::fs::remove_file(folder.root().join("crawl.warc")).unwrap();
    std::fs::remove_file(folder.root().join("robots.txt")).unwrap();
    let nothing = run(folder.root(), "lint {}");
    nothing.assert_stderr_contains(
        "no robots.txt in the input; --all-files reads files of every name in folders, and --meta lints pages",
    );
}

#[test]
fn a_file_of_another_kind_that_can_be_read_is_reported() {
    let folder = folder();
    for (words, code, message) in [
        (
            "lint {page.html}",
            1,
            "page.html is an HTML page, and was linted as a robots.txt: --meta lints pages",
        ),
        (
            "lint --meta {robots.txt}",
            0,
            "robots.txt: has no tag; is this HTML?",
        ),
        ("lint --meta {bytes}", 0, "bytes: has no tag; is this HTML?"),
        (
            "meta {robots.txt}",
            0,
            "robots.txt: has no HEAD; is this HTML?",
        ),
        (
            "headers {robots.txt}",
            0,
            "this looks like a robots.txt: `robots check` and `robots lint`",
        ),
        (
            "diff {page.html} {robots.txt}",
            1,
            "page.html: this robots.txt looks like an HTML page",
        ),
        (
            "check {page.html} /x",
            0,
            "this is an HTML page, not a robots.txt",
        ),
        (
            "decide {page.html}",
            0,
            "note: saved pages have no URL, so no robots.txt applies to them: use --base",
        ),
        ("decide {}", 0, "note: saved pages have no URL"),
        (
            "decide {crawl.warc} --robots {page.html} --base https://a.example/",
            0,
            "page.html: this robots.txt looks like an HTML page",
        ),
    ] {
        let outcome = run(folder.root(), words);
        assert_eq!(outcome.code, code, "{words:?}: {}", outcome.stderr);
        outcome.assert_stderr_contains(message);
    }
    // With files of the right kind, these commands report none of this.
    for words in [
        "lint {robots.txt}",
        "lint --meta {page.html}",
        "decide {page.html} --base https://a.example/",
        "decide {crawl.warc} --robots {robots.txt} --base https://a.example/",
    ] {
        let stderr = run(folder.root(), words).stderr;
        for word in ["warning", "note", "HTML"] {
            assert!(!stderr.contains(word), "{words:?}: {stderr}");
        }
    }
}

#[test]
fn missing_urls_and_wrong_values_are_reported_with_the_expected_form() {
    let folder = folder();
    for (words, message) in [
        (
            "check {robots.txt}",
            "expected URLs or paths to check; without them, use --all-agents or --all-dialects",
        ),
        (
            "decide {page.html} --base /x/",
            "expected the URL of a site, such as https://example.com/",
        ),
        (
            "decide {page.html} --base mailto:a@a.example",
            "expected the URL of a site",
        ),
        (
            "check --fetch a.example",
            "--fetch expects URLs with http or https, not \"a.example\"; did you mean https://a.example?",
        ),
        (
            "check {robots.txt} a.example",
            "expected a URL, or a path that begins with /, not \"a.example\"; did you mean https://a.example?",
        ),
        (
            "decide {page.html} --fields url",
            "the columns of a table cannot be chosen; use --format csv or --json with --fields",
        ),
    ] {
        let outcome = run(folder.root(), words);
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{words:?}");
        outcome.assert_stderr_contains(message);
    }
    for share in ["0", "0%", "1.01", "101%", "2", "x", "", "NaN"] {
        let outcome = run(
            folder.root(),
            &format!("decide {{crawl.warc}} --sample {share}"),
        );
        outcome.assert_error("expected a share of more than 0 and up to 1, such as 0.01 or 1%");
    }
    for share in ["1", "100%", "1e-300"] {
        let outcome = run(
            folder.root(),
            &format!("decide {{crawl.warc}} --sample {share}"),
        );
        assert_eq!(outcome.code, 0, "{share}");
    }
}

#[test]
fn a_comparison_that_is_not_complete_and_found_nothing_is_an_error() {
    let folder = Folder::new();
    // More robots than are compared; only a robot that is left out has another rule.
    let groups = |last: &str| {
        let groups = (0..1_500).map(|robot| {
            let path = if robot == 1_400 { last } else { "/a" };
            format!("User-agent: r{robot}\nDisallow: {path}\n\n")
        });
        groups.collect::<String>()
    };
    let (old, new) = (
        folder.file("old", groups("/a")),
        folder.file("new", groups("/")),
    );
    let outcome = robots(["diff", &old, &new]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    outcome.assert_stderr_contains("not every decision was compared");
    // The robot that has it is compared on request.
    assert_eq!(robots(["diff", "--agent", "r1400", &old, &new]).code, 1);
    assert_eq!(robots(["diff", "--agent", "r1399", &old, &new]).code, 0);
}

#[test]
fn a_report_cannot_be_standard_output() {
    let folder = Folder::new();
    let robots_txt = folder.root().join("robots.txt");
    std::fs::write(&robots_txt, "User-agent: *\nDisallow: /\n").unwrap();
    let outcome = crate::program::robots_in(folder.root(), ["survey", "--html", "-", "robots.txt"]);
    outcome.assert_error("cannot be standard output");
    assert_eq!(std::fs::read_dir(folder.root()).unwrap().count(), 1);
}

/// An option that needs another one is refused where that one is excluded, and not ignored.
#[test]
fn options_of_another_mode_are_refused() {
    for words in [
        "check FILE /a --robots FILE",
        "check --batch FILE --robots FILE --allow-private",
        "check --fetch http://a.example/ --robots FILE",
        "lint --fix --robots FILE FILE",
        "lint --diff --now 2026-01-01 FILE",
        "lint --all-files --base http://a.example/ FILE",
        "lint --only R034 --level error FILE",
        "survey FILE --keep FILE",
        "survey FILE --user-agent x",
    ] {
        let words = words.replace("FILE", "tests/fixtures/sites/joes-hardware/robots.txt");
        let outcome = robots(words.split(' '));
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{words}");
        outcome.assert_stderr_contains("cannot be used with");
    }
    for words in [
        "check FILE --all-agents --user-agent x",
        "check FILE /a --format concise --from a@b.example",
    ] {
        let words = words.replace("FILE", "tests/fixtures/sites/joes-hardware/robots.txt");
        robots(words.split(' ')).assert_error("--fetch");
    }
}

#[test]
fn standard_input_is_one_input() {
    for words in [
        "decide - -",
        "decide - --robots -",
        "survey - -",
        "lint - -",
        "lint --meta --robots - -",
        "audit --robots - -",
        "check --batch - --robots -",
        "check - --urls -",
        "check robots.txt --urls - --urls -",
        "meta - -",
        "fetch - -",
    ] {
        let outcome = robots(words.split(' '));
        let message = "error: standard input can be only one of the inputs\n";
        assert_eq!((outcome.code, &*outcome.stderr), (2, message), "{words}");
    }
}

#[test]
fn no_report_replaces_an_input() {
    let folder = Folder::new();
    for words in [
        "survey A --html A",
        "survey A --files A",
        "survey B --baseline A --html A",
        "survey --sites A --keep K --html A",
        "survey --sites A --keep K --files K",
        "audit --robots A B --html A",
        "audit --robots B A --html A",
        "audit --hosts A B --html A",
        "audit --ranges Googlebot=A B --html A",
        "test A --junit A",
    ] {
        for name in ["A", "B"] {
            folder.file(name, "kept");
        }
        let outcome = robots_in(folder.root(), words.split(' '));
        assert_eq!(outcome.code, 2, "{words:?}: {}", outcome.stderr);
        for name in ["A", "B"] {
            let text = std::fs::read_to_string(folder.root().join(name)).unwrap();
            assert_eq!(text, "kept", "{words:?}");
        }
    }
}
