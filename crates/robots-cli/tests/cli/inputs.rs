//! Inputs of commands: several files, folders and archives; files of other names in folders; names that are not UTF-8.

use crate::program::{
    command_on, gzip, json_lines, output_in, page, plain_text, record, response, robots, robots_in,
    robots_on,
};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const NOINDEX: &str = "<head><meta name=robots content=noindex></head>";

/// Returns a folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

#[test]
fn meta_reads_files_folders_and_archives() {
    let archive = [
        page("https://a.example/1", NOINDEX),
        page("https://a.example/2", "<head></head>"),
    ]
    .concat();
    let site = folder(&[
        ("site/a.html", NOINDEX.as_bytes()),
        ("site/sub/b.htm", NOINDEX.as_bytes()),
        ("site/notes.txt", b"not a page"),
        ("crawl.warc", &archive),
        ("one.html", NOINDEX.as_bytes()),
    ]);
    let path = |name: &str| site.path().join(name).to_str().unwrap().to_owned();
    let all = [path("site"), path("crawl.warc"), path("one.html")];
    let outcome = robots(["meta", "--json"].map(str::to_owned).iter().chain(&all));
    assert_eq!((outcome.code, &*outcome.stderr), (0, ""));
    let rows = outcome.rows();
    let names: Vec<_> = rows
        .iter()
        .map(|row| (row["url"].as_str().unwrap(), row["file"].as_str().unwrap()))
        .collect();
    let [a, b, crawl, one] = ["site/a.html", "site/sub/b.htm", "crawl.warc", "one.html"].map(path);
    assert_eq!(
        names,
        [
            (&*a, &*a),
            (&b, &b),
            ("https://a.example/1", &crawl),
            ("https://a.example/2", &crawl),
            (&one, &one),
        ]
    );
    let outcome = robots(["meta".to_owned()].iter().chain(&all));
    outcome.assert_success();
    assert!(outcome.stdout.starts_with(&format!("{a}\n")));
    for heading in [
        format!("\n\n{b}\n"),
        format!("\n\nhttps://a.example/1 (in {crawl})\n"),
    ] {
        outcome.assert_stdout_contains(&heading);
    }
    // A single file is not named apart from its page.
    for single in [&crawl, &one] {
        let rows = json_lines(&robots(["meta", "--json", single]).stdout);
        assert!(rows[0].get("file").is_none());
    }
}

#[test]
fn meta_reads_the_other_inputs_after_one_that_cannot_be_read() {
    let site = folder(&[("a.html", NOINDEX.as_bytes()), ("empty/notes.txt", b"")]);
    let path = |name: &str| site.path().join(name).to_str().unwrap().to_owned();
    for (name, message) in [
        ("no.html", "no.html: No such file"),
        (
            "empty",
            "empty: no .html, .htm or .xhtml files in this folder, and no archive",
        ),
    ] {
        let outcome = robots(["meta", &path(name), &path("a.html")]);
        outcome.assert_error(message);
        outcome.assert_stdout_contains("a.html\n");
        assert_eq!(robots(["meta", &path(name)]).code, 2, "{name}");
    }
}

/// A folder of pages may have texts that are not robots.txt.
#[test]
fn in_folders_files_named_robots_txt_are_read() {
    let bad = b"Disalow: /x\n";
    let site = folder(&[
        ("price-list.txt", bad),
        ("robots.txt.bak", bad),
        ("sub/about-robots.html", bad),
    ]);
    let root = site.path().to_str().unwrap();
    for command in ["lint", "survey"] {
        let outcome = robots([command, root]);
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{command}");
        outcome.assert_stderr_contains("no");
    }
    robots(["lint", root]).assert_stderr_contains("--all-files");
    robots(["lint", "--all-files", root]).assert_stderr_contains("in 3 of 3 files");
    let survey = robots(["survey", "--all-files", "--json", root]);
    assert!(survey.stdout.contains("\"2xx\":3") || survey.stdout.contains("\"2xx\": 3"));
    // The file itself may have any name.
    let named = site.path().join("price-list.txt");
    robots(["lint", named.to_str().unwrap()]).assert_stderr_contains("in 1 of 1 file");
    for name in [
        "robots.txt",
        "a/ROBOTS.TXT",
        "b/a.example-robots.txt",
        "c/a.example_robots.txt",
    ] {
        fs::create_dir_all(site.path().join(name).parent().unwrap()).unwrap();
        fs::write(site.path().join(name), bad).unwrap();
    }
    fs::write(site.path().join("b/robots.txt.gz"), gzip(bad)).unwrap();
    robots(["lint", root]).assert_stderr_contains("in 5 of 5 files");
    let outcome = robots(["lint", "--meta", "--all-files", root]);
    assert_eq!(outcome.code, 2);
}

/// Returns the name of the file that a text names, by the rule of docs/columns.md.
#[cfg(unix)]
fn restored(text: &str) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let mut name = Vec::new();
    let mut parts = text.split("\\x");
    name.extend_from_slice(parts.next().unwrap().as_bytes());
    for part in parts {
        let (digits, rest) = part.split_at(2);
        name.push(u8::from_str_radix(digits, 16).unwrap());
        name.extend_from_slice(rest.as_bytes());
    }
    std::ffi::OsString::from_vec(name).into()
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf_8_can_be_found_again() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    // Two names with different invalid bytes, and one that looks like the escape of the first.
    let pages = [
        path(b"caf\xe9.html"),
        path(b"caf\xe8.html"),
        path(br"caf\xe9.html"),
    ];
    for page in &pages {
        fs::write(page, NOINDEX).unwrap();
    }
    let mut expected = pages.to_vec();
    expected.sort();
    let root = folder.path().to_str().unwrap();
    let files = |rows: &str| -> Vec<_> {
        let mut files: Vec<_> = json_lines(rows)
            .iter()
            .map(|row| restored(row["file"].as_str().unwrap()))
            .collect();
        files.sort();
        files.dedup();
        files
    };
    let decided = robots(["decide", "--json", root]);
    assert_eq!(files(&decided.stdout), expected);
    decided.assert_stdout_contains(r"caf\\xe9.html");
    assert_eq!(files(&robots(["meta", "--json", root]).stdout), expected);
    let csv = robots(["decide", "--format", "csv", "--fields", "file", root]).stdout;
    let mut found: Vec<_> = csv.lines().skip(1).map(restored).collect();
    found.sort();
    assert_eq!(found, expected);
    // The URL of such a page has its bytes.
    let based = robots(["decide", "--base", "https://a.example/", "--json", root]);
    based.assert_stdout_contains("\"https://a.example/caf%E9.html\"");
    based.assert_stdout_contains("\"https://a.example/caf%E8.html\"");

    let robots_txt = path(b"\xff-robots.txt");
    fs::write(&robots_txt, "User-agent: *\nDisalow: /x\n").unwrap();
    let linted = robots(["lint", "--json", root]);
    assert_eq!(files(&linted.stdout), std::slice::from_ref(&robots_txt));
    robots(["lint", "--sarif", root])
        .stdout
        .find("/%FF-robots.txt\"")
        .unwrap();
    // A fix rewrites the file itself.
    robots(["lint", "--fix", root]).assert_stderr_contains(r"\xff-robots.txt: 1 fixed");
    assert_eq!(
        fs::read_to_string(&robots_txt).unwrap(),
        "User-agent: *\nDisallow: /x\n"
    );
    assert_eq!(fs::read_dir(root).unwrap().count(), 4);
    let survey = Path::new(root).join("files.csv");
    robots(["survey", root, "--files", survey.to_str().unwrap()]);
    assert!(
        fs::read_to_string(survey)
            .unwrap()
            .contains(r"\xff-robots.txt,")
    );
}

/// The folder for temporary files is missing, not standard input.
#[cfg(unix)]
#[test]
fn a_temporary_file_that_cannot_be_made_is_reported_as_such() {
    for command in ["decide", "lint", "meta", "survey"] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_robots"))
            .args([command, "-"])
            .env("TMPDIR", "/nowhere/at all")
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {messages}");
        let expected = "cannot make a temporary file in /nowhere/at all: No such file";
        assert!(messages.contains(expected), "{command}: {messages}");
    }
}

#[cfg(unix)]
#[test]
fn links_to_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(path("pages/sub")).unwrap();
    std::fs::write(path("outside.html"), "<meta name=robots content=noindex>").unwrap();
    std::fs::write(path("outside.txt"), "User-agent: *\nDisallow: /").unwrap();
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, path(name)).unwrap();
    link("../outside.html", "pages/a.html");
    link("../../outside.txt", "pages/sub/robots.txt");
    // A folder may be within its own: such a link is not followed.
    link("..", "pages/sub/up");
    link("nothing", "pages/no-page");
    let decide = ["decide", "pages", "--json", "--base", "http://a.example/"];
    let outcome = robots_in(folder.path(), decide);
    outcome.assert_success();
    let rows = outcome.rows();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["url"], "http://a.example/a.html");
    let outcome = robots_in(folder.path(), ["lint", "pages", "--only", "R", "--json"]);
    assert!(
        outcome.stderr.contains("in 1 file") || outcome.stderr.contains("of 1 file"),
        "{}",
        outcome.stderr
    );
    // A page whose link leads nowhere is missing.
    link("nothing", "pages/b.html");
    let outcome = robots_in(folder.path(), decide);
    outcome.assert_stderr_contains("the link pages/b.html");
    outcome.assert_stderr_contains("1 record skipped");
    assert_eq!(outcome.code, 2);
    assert_eq!(outcome.rows(), rows);
}

#[cfg(unix)]
#[test]
fn an_output_that_is_a_link_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.html"), "<p>").unwrap();
    std::fs::write(path("real.jsonl"), "earlier").unwrap();
    std::os::unix::fs::symlink("real.jsonl", path("live.jsonl")).unwrap();
    let words = [
        "decide",
        "a.html",
        "--base",
        "http://a.example/",
        "-o",
        "live.jsonl",
    ];
    let outcome = robots_in(folder.path(), words);
    outcome.assert_success();
    assert!(path("live.jsonl").is_symlink());
    let rows = json_lines(&std::fs::read_to_string(path("real.jsonl")).unwrap());
    assert_eq!(rows.len(), 1);
}

#[test]
fn a_robot_that_is_named_twice_is_decided_for_once() {
    let page = page("http://a.example/", "<p>");
    let agents = ["-a", "x", "-a", "y", "-a", "x"];
    let profiles = ["-p", "google", "-p", "google"];
    let words = ["decide", "-", "--json"];
    let outcome = robots_on(words.iter().chain(&agents).chain(&profiles), &page);
    let rows = outcome.rows();
    let agents: Vec<_> = rows
        .iter()
        .map(|row| row["agent"].as_str().unwrap())
        .collect();
    assert_eq!(agents, ["x", "y"], "{}", outcome.stderr);
}

/// The URL standard drops these characters, so that the names of two files would lead to one URL.
#[cfg(unix)]
#[test]
fn a_name_with_a_line_end_has_its_own_url() {
    let site = folder(&[
        ("a\nb.html", b"<p>"),
        ("a\tb.html", b"<p>"),
        ("ab.html", b"<p>"),
    ]);
    let outcome = robots_in(
        site.path(),
        ["decide", ".", "--base", "http://a.example/", "--json"],
    );
    let mut urls: Vec<_> = outcome
        .rows()
        .iter()
        .map(|row| row["url"].as_str().unwrap().to_owned())
        .collect();
    urls.sort();
    let expected = ["a%09b", "a%0Ab", "ab"].map(|name| format!("http://a.example/{name}.html"));
    assert_eq!(urls, expected);
}

#[test]
fn a_list_without_a_url_is_an_error() {
    let outcome = command_on(
        "check tests/fixtures/sites/joes-hardware/robots.txt --urls -",
        b"# none\n",
    );
    assert_eq!((outcome.code, &*outcome.stdout), (2, ""));
    outcome.assert_stderr_contains("-: no URL in this file of --urls");
    let file = "tests/fixtures/sites/joes-hardware/robots.txt";
    let lists = folder(&[("full", b"/a\n"), ("empty", b"\n")]);
    let [full, empty] = ["full", "empty"].map(|name| lists.path().join(name));
    let (full, empty) = (full.to_str().unwrap(), empty.to_str().unwrap());
    for words in [
        &["--urls", empty, "/a"][..],
        &["--urls", full, "--urls", empty],
    ] {
        let outcome = robots(["check", file].iter().chain(words));
        outcome.assert_error("empty: no URL in this file");
    }
    for words in [
        &["check", file, "--urls", "-", "--urls", "-"][..],
        &["meta", "-", "-"],
        &["fetch", "-", "-"],
    ] {
        let outcome = robots_on(words, b"/a\n");
        outcome.assert_error("standard input can be only one of the inputs");
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_in_a_folder_is_an_error() {
    let site = folder(&[("a/robots.txt", b"User-agent: *\nDisallow: /\n")]);
    std::os::unix::fs::symlink("nowhere", site.path().join("robots.txt")).unwrap();
    std::os::unix::fs::symlink("nowhere", site.path().join("a.html")).unwrap();
    let path = site.path().to_str().unwrap();
    for words in [&["lint"][..], &["survey"], &["lint", "--quiet"]] {
        let outcome = robots(words.iter().chain(&[path]));
        outcome.assert_error("/robots.txt: No such file");
        outcome.assert_stderr_contains("error: 1 path could not be read");
    }
    let outcome = robots(["lint", "--meta", path]);
    outcome.assert_error("a.html");
    // Pages would be decided or linted without its rules.
    std::fs::write(site.path().join("b.html"), "<p>").unwrap();
    let page = site.path().join("b.html");
    let page = page.to_str().unwrap();
    for words in [
        &[
            "decide",
            "--base",
            "https://a.example/",
            "--robots",
            path,
            page,
        ][..],
        &["lint", "--meta", "--robots", path, page],
    ] {
        let outcome = robots(words);
        assert_eq!(
            (outcome.code, &*outcome.stdout),
            (2, ""),
            "{}",
            outcome.stderr
        );
        outcome.assert_stderr_contains("/robots.txt");
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_alone_is_reported_as_such() {
    let site = folder(&[]);
    std::os::unix::fs::symlink("nowhere", site.path().join("robots.txt")).unwrap();
    let outcome = robots(["lint", site.path().to_str().unwrap()]);
    outcome.assert_error("error: 1 path could not be read");
    assert!(
        !outcome.stderr.contains("--all-files"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn broken_places_of_archives_are_counted() {
    let record = page(
        "https://a.example/robots.txt",
        "User-agent: *\nDisallow: /\n",
    );
    let whole = gzip(&record);
    let site = folder(&[("cut.warc.gz", &[&whole[..], &whole[..40]].concat())]);
    let path = site.path().join("cut.warc.gz");
    let path = path.to_str().unwrap();
    for words in [
        &["lint"][..],
        &["survey"],
        &["meta", "--json"],
        &["headers"],
    ] {
        let outcome = robots(words.iter().chain(&[path]));
        outcome.assert_stderr_contains("\n1 broken place in the inputs");
    }
}

#[test]
fn kinds_of_other_files_than_those_that_are_linted_are_an_error() {
    let site = folder(&[
        ("robots.txt", b"User-agent: *\nDisallow: /\n"),
        ("a.html", b"<p>"),
    ]);
    let path = site.path().to_str().unwrap();
    for (words, problem) in [
        (&["--only", "M004"][..], Some("pages: add --meta")),
        (&["--only", "M"], Some("pages: add --meta")),
        (
            &["--meta", "--only", "R014"],
            Some("robots.txt: drop --meta"),
        ),
        (&["--only", "M004,R014"], None),
        (&["--meta", "--only", "M004,R014"], None),
    ] {
        let outcome = robots(["lint", path].iter().chain(words));
        match problem {
            Some(problem) => {
                outcome.assert_error(&format!("error: --only selects only kinds about {problem}"));
            }
            None => assert_ne!(outcome.code, 2, "{words:?}: {}", outcome.stderr),
        }
    }
}

#[test]
fn a_fix_keeps_every_other_byte() {
    let text = b"User-agent: *\nDisalow: /a\x00\x1b[1m\x80\xF5\r\nDisallow: /b\x07\n";
    let site = folder(&[("robots.txt", text)]);
    let path = site.path().join("robots.txt");
    let outcome = robots(["lint", "--fix", path.to_str().unwrap()]);
    let in_place = fs::read(&path).unwrap();
    assert!(
        in_place.windows(4).any(|part| part == b"\x00\x1b[1"),
        "{}",
        outcome.stderr
    );
    let piped = output_in(site.path(), ["lint", "--fix", "-"], text);
    assert_eq!(piped.stdout, in_place);
}

#[test]
fn a_file_that_cannot_be_fixed_does_not_stop_the_others() {
    let text = b"User-agent: *\nDisalow: /a\n";
    let site = folder(&[
        ("a-robots.txt", text),
        ("b-robots.txt.gz", &gzip(text)),
        ("c-robots.txt", text),
    ]);
    let outcome = robots(["lint", "--fix", site.path().to_str().unwrap()]);
    outcome.assert_error("b-robots.txt.gz: it is compressed");
    outcome.assert_stderr_contains("error: not fixed: 1 file");
    for name in ["a-robots.txt", "c-robots.txt"] {
        assert!(
            fs::read(site.path().join(name))
                .unwrap()
                .ends_with(b"Disallow: /a\n"),
            "{name}"
        );
    }
}

#[test]
fn robots_that_are_left_out_are_an_error() {
    let names = (0..1_400).map(|number| format!("User-agent: bot{number}\nDisallow:\n"));
    let file: String = names.collect();
    let site = folder(&[("robots.txt", file.as_bytes())]);
    let path = site.path().join("robots.txt");
    for more in [&[][..], &["/x"]] {
        let words = ["check", path.to_str().unwrap(), "--all-agents", "-q"];
        let outcome = robots(words.iter().chain(more));
        outcome.assert_error("error: too many robots, named and known");
    }
}

/// A `resource` of an archive, whose response was not kept, is a robots.txt or a page for every command.
#[test]
fn resources_are_read_as_responses() {
    let resource = |url: &str, media_type: &str, body: &str| {
        let length = body.len();
        format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-20T00:00:00Z\r\n\
             Content-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n{body}\r\n\r\n"
        )
    };
    let robots_txt = "User-agent: *\nDisallow: /private\nDisalow: /x\n";
    let html = "<title>a</title><meta name=robots content='noindex, noopd'>";
    let archive = [
        resource("https://a.example/robots.txt", "text/plain", robots_txt),
        resource("https://a.example/1", "text/html; charset=utf-8", html),
        resource("HTTPS://a.example/private", "text/html", html),
        // Without a type, a page is known by its first tag. Other URLs are not of the web.
        resource("https://a.example/2", "", html),
        resource("https://a.example/3.pdf", "application/pdf", "%PDF-1.7"),
        resource(
            "file:///robots.txt",
            "text/plain",
            "User-agent: *\nDisallow: /\n",
        ),
        resource("urn:x:page", "text/html", html),
    ]
    .concat();
    let archives = folder(&[("all.warc", archive.as_bytes())]);
    let path = archives.path().join("all.warc");
    let path = path.to_str().unwrap();

    let outcome = robots(["decide", "--json", path]);
    outcome.assert_success();
    let decided: Vec<_> = outcome
        .rows()
        .iter()
        .map(|row| {
            let text = |field: &str| row[field].as_str().unwrap().to_owned();
            (
                text("url"),
                text("fetch"),
                text("index"),
                row["status"].is_null(),
            )
        })
        .collect();
    let row = |url: &str, fetch: &str, index: &str| {
        (url.to_owned(), fetch.to_owned(), index.to_owned(), true)
    };
    assert_eq!(
        decided,
        [
            row("https://a.example/1", "allow", "no"),
            row("HTTPS://a.example/private", "disallow", "url_only"),
            row("https://a.example/2", "allow", "no"),
        ]
    );
    // The same robots.txt for the pages of another archive.
    let page = page("https://a.example/private", html);
    let outcome = robots_on(["decide", "--json", "--robots", path, "-"], &page);
    assert_eq!(outcome.rows()[0]["fetch"], "disallow", "{}", outcome.stderr);

    let outcome = robots(["meta", "--json", path]);
    let urls: Vec<_> = outcome
        .rows()
        .iter()
        .map(|row| row["url"].clone())
        .collect();
    assert_eq!(
        urls,
        [
            "https://a.example/1",
            "HTTPS://a.example/private",
            "https://a.example/2"
        ]
    );
    let outcome = robots(["lint", path]);
    outcome.assert_stdout_contains("https://a.example/robots.txt");
    let outcome = robots(["lint", "--meta", path]);
    for url in urls {
        outcome.assert_stdout_contains(url.as_str().unwrap());
    }
    let outcome = robots(["survey", path]);
    outcome.assert_stdout_contains("1  robots.txt files");
    outcome.assert_stdout_contains("3  pages\n");
}

#[test]
fn archives_in_a_folder_are_decided() {
    let archive = |name: &str| {
        [
            plain_text(
                &format!("https://{name}.example/robots.txt"),
                "User-agent: *\nDisallow: /p\n",
            ),
            page(&format!("https://{name}.example/p"), "<p>"),
        ]
        .concat()
    };
    let all = folder(&[
        ("crawl/b.warc", &archive("b")),
        ("crawl/deep/a.WARC.GZ", &gzip(&archive("a"))),
        ("crawl/page.html", NOINDEX.as_bytes()),
        ("crawl/notes.txt", b"no page"),
        ("archives/c.warc.gz", &gzip(&archive("c"))),
        ("broken/d.warc", b"text"),
    ]);
    let decided = |name: &str| {
        let outcome = robots_in(all.path(), ["decide", "--json", name]);
        let rows = outcome.rows();
        let rows = rows.iter().map(|row| {
            let text = |field: &str| row[field].as_str().unwrap().to_owned();
            (text("file"), text("url"), text("fetch"))
        });
        (outcome.code, rows.collect::<Vec<_>>())
    };
    let row =
        |file: &str, url: &str, fetch: &str| (file.to_owned(), url.to_owned(), fetch.to_owned());
    assert_eq!(
        decided("crawl"),
        (
            0,
            vec![
                row("crawl/page.html", "crawl/page.html", "unknown"),
                row("crawl/b.warc", "https://b.example/p", "disallow"),
                row("crawl/deep/a.WARC.GZ", "https://a.example/p", "disallow"),
            ]
        )
    );
    let alone = vec![row("archives/c.warc.gz", "https://c.example/p", "disallow")];
    assert_eq!(decided("archives"), (0, alone));
    assert_eq!(decided("broken"), (2, vec![]));
    let overwrite = [
        "decide",
        "archives",
        "-o",
        "archives/c.warc.gz",
        "--format",
        "csv",
    ];
    assert_eq!(robots_in(all.path(), overwrite).code, 2);
    assert_eq!(decided("archives").1.len(), 1, "it is not overwritten");
}

/// All commands read the archives in a folder, next to the files that each wants.
#[test]
fn archives_in_a_folder_are_read_by_each_command() {
    let bad = "User-agent: *\nDisalow: /p\n";
    let archive = |name: &str| {
        let url = |path: &str| format!("https://{name}.example/{path}");
        let robots = plain_text(
            &url("robots.txt"),
            "User-agent: *\nDisallow: /p\nDisalow: /q\n",
        );
        [
            robots,
            page(&url("p"), "<meta name=robots content=nofolow>"),
        ]
        .concat()
    };
    let all = folder(&[
        ("crawl/a.warc", &archive("a")),
        ("crawl/deep/b.warc.gz", &gzip(&archive("b"))),
        ("crawl/page.html", NOINDEX.as_bytes()),
        ("crawl/robots.txt", bad.as_bytes()),
        ("archives/c.warc", &archive("c")),
        ("broken/c.warc", &archive("c")),
        ("broken/d.warc.xz", b"text"),
    ]);
    let run = |words: &str| robots_in(all.path(), words.split(' '));
    let outcome = run("meta --json crawl");
    let urls = outcome.rows();
    let urls: Vec<_> = urls
        .iter()
        .map(|row| row["url"].as_str().unwrap())
        .collect();
    let pages = [
        "https://a.example/p",
        "https://b.example/p",
        "crawl/page.html",
    ];
    assert_eq!((outcome.code, urls), (0, pages.to_vec()));
    run("lint crawl").assert_stderr_contains("in 3 of 3 files");
    run("lint --meta crawl").assert_stderr_contains("in 2 of 3 pages");
    let survey: Value = run("survey --json crawl").json();
    assert_eq!(
        [&survey["responses"]["2xx"], &survey["pages"]["count"]],
        [3, 2]
    );
    // The robots.txt of an archive in a folder applies to its site alone.
    let fetches = |words: &str| {
        let rows = run(words).rows();
        let fetches = rows
            .iter()
            .map(|row| row["fetch"].as_str().unwrap().to_owned());
        fetches.collect::<Vec<_>>()
    };
    let of_c = "decide --json archives/c.warc --robots";
    assert_eq!(fetches(&format!("{of_c} archives")), ["disallow"]);
    assert_eq!(fetches(&format!("{of_c} crawl/deep")), ["unknown"]);
    // One that is not an archive is an error; the others are read.
    for (words, shown) in [
        ("meta broken", "https://c.example/p"),
        ("lint broken", "R0"),
        ("lint --meta broken", "nofolow"),
        ("survey broken", "1  pages"),
    ] {
        let outcome = run(words);
        assert_eq!(outcome.code, 2, "{words}");
        outcome.assert_stderr_contains("d.warc.xz: neither a WARC nor an ARC file");
        outcome.assert_stdout_contains(shown);
    }
    assert_eq!(run(&format!("{of_c} broken")).code, 2);
}

/// While `decide` waits for its input, the first signal ends it.
#[cfg(unix)]
#[test]
fn a_signal_ends_decide_while_it_waits_for_input() {
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    for (signal, number) in [("-TERM", 15), ("-INT", 2)] {
        // A shell that runs the tests in the background lets them, and their programs, ignore SIGINT.
        let mut command = if cfg!(target_os = "linux") {
            let mut env = Command::new("env");
            env.args(["--default-signal=INT", env!("CARGO_BIN_EXE_robots")]);
            env
        } else {
            Command::new(env!("CARGO_BIN_EXE_robots"))
        };
        let mut child = command
            .args(["decide", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(child.try_wait().unwrap(), None, "it waits");
        let id = child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
        let mut status = None;
        for _ in 0..100 {
            status = child.try_wait().unwrap();
            if status.is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        // A program that ignores the signal is not left behind.
        let _ = child.kill();
        assert_eq!(status.and_then(|status| status.signal()), Some(number));
    }
}

#[test]
fn gzip_that_does_not_say_so_is_not_text() {
    let packed = gzip(b"User-agent: *\nDisallow: /\n");
    let site = tempfile::tempdir().unwrap();
    let path = |name: &str| site.path().join(name).to_str().unwrap().to_owned();
    let archived = |coding: &str| {
        let headers = format!("Content-Type: text/plain{coding}");
        response("https://a.example/robots.txt", &headers, &packed)
    };
    for (name, bytes) in [
        ("robots.txt", packed.clone()),
        ("robots.txt.gz", packed.clone()),
        ("silent.warc", archived("")),
        ("stated.warc", archived("\r\nContent-Encoding: gzip")),
        ("page.html", b"<title>x</title>".to_vec()),
    ] {
        fs::write(path(name), bytes).unwrap();
    }
    let (url, page) = ("https://a.example/x", path("page.html"));
    for (name, fetch, is_file) in [
        ("robots.txt", "allow", true),
        ("robots.txt.gz", "disallow", true),
        ("silent.warc", "allow", false),
        ("stated.warc", "disallow", false),
    ] {
        let name = path(name);
        let outcome = robots(["decide", "--json", "--robots", &name, "--base", url, &page]);
        let row: serde_json::Value = outcome.json();
        assert_eq!(row["fetch"], fetch, "{name}");
        let lint = robots(["lint", &name]);
        let has_gzip = lint.stdout.contains("gzip, not text");
        assert_eq!(has_gzip, fetch == "allow", "{name}: {}", lint.stdout);
        if is_file {
            let outcome = robots(["check", &name, url]);
            assert_eq!(outcome.code, i32::from(fetch == "disallow"), "{name}");
            assert_eq!(outcome.stderr.contains("gzip"), fetch == "allow", "{name}");
        }
    }
    let outcome = robots_on(["check", "-", url], &packed);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    outcome.assert_stderr_contains("gzip, not text");
}

/// Whatever is wrong with a gzip that the headers do not state, it is bytes that are not text, like an intact one.
#[test]
fn corrupt_gzip_that_does_not_say_so_is_judged_as_an_intact_one() {
    let intact = gzip(b"User-agent: *\nDisallow: /\n".repeat(100).as_slice());
    let with = |at: usize, byte: u8| {
        let mut bytes = intact.clone();
        bytes[at] ^= byte;
        bytes
    };
    let site = tempfile::tempdir().unwrap();
    let path = |name: &str| site.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("page.html"), "<title>x</title>").unwrap();
    let (url, page) = ("https://a.example/x", path("page.html"));
    for (name, body) in [
        ("intact", intact.clone()),
        ("header alone", intact[..3].to_vec()),
        ("cut header", intact[..9].to_vec()),
        ("cut in its data", intact[..intact.len() / 2].to_vec()),
        ("cut trailer", intact[..intact.len() - 1].to_vec()),
        ("wrong block", with(10, 0x06)),
        ("wrong checksum", with(intact.len() - 8, 1)),
        ("wrong length", with(intact.len() - 1, 1)),
    ] {
        let archive = path("robots.warc");
        let headers = "Content-Type: text/plain";
        let record = response("https://a.example/robots.txt", headers, &body);
        fs::write(&archive, record).unwrap();
        let decide = ["decide", "--json", "--base", url, "--robots"];
        let decided = robots([&decide[..], &[&archive, &page]].concat());
        let row: serde_json::Value = decided.json();
        assert_eq!(
            (&row["fetch"], &row["index"]),
            (&"allow".into(), &"yes".into()),
            "{name}"
        );
        let decided = robots(["decide", &archive]);
        decided.assert_stderr_contains("this robots.txt is gzip");
        assert_eq!(
            decided.stderr.lines().count(),
            3,
            "{name}: {}",
            decided.stderr
        );
        let lint = robots(["lint", &archive]);
        assert!(
            lint.stdout.contains("gzip, not text"),
            "{name}: {}",
            lint.stdout
        );
        let survey = robots(["survey", "--json", &archive]);
        let count: serde_json::Value = survey.json();
        assert_eq!(count["robots"]["files"], 1, "{name}");
        assert!(
            !survey.stderr.contains("not whole"),
            "{name}: {}",
            survey.stderr
        );
    }
}

/// A licence of RSL in an archive decides about the pages that its site or they themselves name it for, whatever its type; it may be in
/// the archive of the robots.txt. One that was refused, or cannot be read, may prohibit anything.
#[test]
fn licences_in_archives_decide() {
    const LICENSE: &str = r#"<rsl xmlns="https://rslstandard.org/rsl"><content url="/news/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>"#;
    let folder = tempfile::tempdir().unwrap();
    let site = "http://a.example";
    let url = |path: &str| format!("{site}{path}");
    let archive_of = |robots_txt: &str, head: &str, licenses: &[Vec<u8>]| {
        let pages = [
            plain_text(&url("/robots.txt"), robots_txt.as_bytes()),
            page(&url("/news/1"), head),
            page(&url("/2"), head),
        ];
        [pages.concat(), licenses.concat()].concat()
    };
    let named = format!("License: {site}/license.xml\nUser-agent: *\nAllow: /\n");
    let archive = |licenses: &[Vec<u8>]| archive_of(&named, "<p>", licenses);
    let license = |path: &str, media_type: &str, text: &str| {
        response(
            &url(path),
            &format!("Content-Type: {media_type}"),
            text.as_bytes(),
        )
    };
    let decide = |bytes: &[u8], more: &[&str]| {
        let path = folder.path().join("a.warc");
        fs::write(&path, bytes).unwrap();
        let words = ["decide", "--format=csv", "--fields=url,ai_train,may_train"];
        let words = words.into_iter().chain(more.iter().copied());
        let outcome = robots(words.chain([path.to_str().unwrap()]));
        outcome.assert_success();
        outcome.stdout
    };
    let rows = |news: &str, other: &str| {
        format!("url,ai_train,may_train\n{site}/news/1,{news}\n{site}/2,{other}\n")
    };
    let decided = rows("disallow,no", "unknown,yes");
    for media_type in [
        "application/rsl+xml",
        "text/xml; charset=utf-8",
        "text/plain",
    ] {
        let archive = archive(&[license("/license.xml", media_type, LICENSE)]);
        assert_eq!(decide(&archive, &[]), decided, "{media_type}");
    }
    // The page names it, or a redirect leads to it.
    let link = "<link rel=license type=application/rsl+xml href=/license.xml>";
    let of_page = archive_of("", link, &[license("/license.xml", "text/xml", LICENSE)]);
    assert_eq!(decide(&of_page, &[]), decided);
    let moved = record(
        &url("/license.xml"),
        "HTTP/1.1 301 x\r\nLocation: /rsl\r\n\r\n",
        b"",
    );
    let redirected = archive(&[moved, license("/rsl", "text/xml", LICENSE)]);
    assert_eq!(decide(&redirected, &[]), decided);
    // The robots.txt and the licence are in another archive.
    let other = folder.path().join("robots.warc");
    fs::write(
        &other,
        archive(&[license("/license.xml", "text/xml", LICENSE)]),
    )
    .unwrap();
    let from_other = format!("--robots={}", other.display());
    assert_eq!(decide(&archive(&[]), &[&from_other]), decided);
    // Without its document, nothing follows; one that nothing names is none.
    assert_eq!(
        decide(&archive(&[]), &[]),
        rows("unknown,yes", "unknown,yes")
    );
    let unnamed = archive_of("", "<p>", &[license("/license.xml", "text/xml", LICENSE)]);
    assert_eq!(decide(&unnamed, &[]), rows("unknown,yes", "unknown,yes"));
    let unread = rows("unknown,unknown", "unknown,unknown");
    for text in [
        "<rsl>",
        "{}",
        "",
        &format!("<!--{}--><rsl/>", "x".repeat(5_000)),
    ] {
        let archive = archive(&[license("/license.xml", "application/rsl+xml", text)]);
        assert_eq!(
            decide(&archive, &[]),
            unread,
            "{}",
            &text[..text.len().min(9)]
        );
    }
    let refused = record(&url("/license.xml"), "HTTP/1.1 403 x\r\n\r\n", b"no");
    assert_eq!(decide(&archive(&[refused]), &[]), unread);
    let gone = record(&url("/license.xml"), "HTTP/1.1 404 x\r\n\r\n", b"no");
    assert_eq!(
        decide(&archive(&[gone]), &[]),
        rows("unknown,yes", "unknown,yes")
    );
}
