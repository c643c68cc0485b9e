//! The structure of the HTML reports of `survey` and `audit`, and the sentences that they compute.

use crate::program::{robots, robots_on};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const NOW: [&str; 2] = ["--now", "2026-11-23T19:30:00Z"];

/// Elements without content and end tag.
const VOID: [&str; 2] = ["meta", "!DOCTYPE"];

/// Runs a command on the fixtures, and returns its report.
fn report(words: &[&str], folder: &Path) -> String {
    let file = folder.join("report.html");
    let html = ["--html", file.to_str().unwrap()];
    let outcome = robots([words, &NOW, &html].concat());
    assert!(outcome.code < 2, "{}", outcome.stderr);
    fs::read_to_string(file).unwrap()
}

/// Returns the reports of both commands, on the fixtures.
fn reports() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let before = folder.path().join("before.json");
    let earlier = robots(["survey", "tests/fixtures/robots", "--json"]);
    fs::write(&before, earlier.stdout).unwrap();
    let compared = ["--baseline", before.to_str().unwrap()];
    let commands = [
        ["survey", "tests/fixtures/robots"].to_vec(),
        [&["survey", "tests/fixtures/crawl.warc.gz"][..], &compared].concat(),
        AUDIT.to_vec(),
        ["audit", "tests/fixtures/logs/access.log.gz"].to_vec(),
    ];
    let made = commands.map(|words| report(&words, folder.path()));
    made.to_vec()
}

const AUDIT: [&str; 6] = [
    "audit",
    "--robots",
    "tests/fixtures/sites/joes-hardware/robots.txt",
    "--hosts",
    "tests/fixtures/logs/names.txt",
    "tests/fixtures/logs/access.log.gz",
];

/// Returns the tags of a page, each with its attributes. Asserts that every start tag has its end tag. The style has no `<`.
fn tags(html: &str) -> Vec<&str> {
    let mut open = Vec::new();
    let tags = html.split('<').skip(1).map(|part| {
        let (tag, _) = part.split_once('>').expect("a tag has an end");
        tag
    });
    let tags: Vec<&str> = tags.collect();
    for tag in &tags {
        let name = name(tag);
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    tags
}

fn name(tag: &str) -> &str {
    tag.split(' ').next().unwrap_or_default()
}

/// Returns the values of an attribute.
fn values<'h>(tags: &[&'h str], attribute: &str) -> Vec<&'h str> {
    let start = format!(" {attribute}=\"");
    let value = |tag: &&'h str| Some(tag.split_once(&start)?.1.split_once('"')?.0);
    tags.iter().filter_map(value).collect()
}

#[test]
fn reports_are_well_formed_and_load_nothing() {
    for html in reports() {
        let tags = tags(&html);
        let ids = values(&tags, "id");
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(unique.len(), ids.len(), "{ids:?}");
        for address in values(&tags, "href") {
            match address.strip_prefix('#') {
                Some(id) => assert!(unique.contains(id), "{address}"),
                None => assert!(address.starts_with("https://"), "{address}"),
            }
        }
        for tag in &tags {
            let loads = [" src=", " style=", " srcset=", " xlink:", " on"];
            assert!(!loads.iter().any(|bad| tag.contains(bad)), "{tag}");
            let name = name(tag);
            assert!(
                !["script", "link", "img", "iframe", "form"].contains(&name),
                "{tag}"
            );
            // A link is the only address.
            assert!(!tag.contains(" href=") || name == "a", "{tag}");
        }
        let policy = values(&tags, "content").into_iter();
        let policy: Vec<&str> = policy.filter(|value| value.contains("-src")).collect();
        assert_eq!(policy.len(), 1);
        assert!(policy[0].starts_with("default-src 'none'; style-src 'sha256-"));
        assert!(!policy[0].contains("unsafe"), "{policy:?}");
        // The style is for both themes, phones and paper.
        for part in [
            "@media screen and (prefers-color-scheme: dark)",
            "@media print",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
        ] {
            assert!(html.contains(part), "{part}");
        }
    }
}

#[test]
fn reports_have_landmarks_headings_and_tables_that_a_keyboard_can_scroll() {
    for html in reports() {
        let tags = tags(&html);
        let named = |wanted: &str| tags.iter().filter(|tag| name(tag) == wanted).count();
        for landmark in ["header", "nav", "main", "footer"] {
            assert_eq!(named(landmark), 1, "{landmark}");
        }
        let headings = tags.iter().map(|tag| name(tag));
        let headings: Vec<&str> = headings
            .filter(|name| name.starts_with('h') && name.len() == 2 && *name != "hr")
            .collect();
        assert_eq!(headings[0], "h1");
        assert!(headings.len() > 2 && headings[1..].iter().all(|name| *name == "h2"));
        // Each section has a heading and an entry in the contents.
        assert_eq!(named("section"), headings.len() - 1);
        for id in values(&tags, "id") {
            assert!(html.contains(&format!("<li><a href=\"#{id}\">")), "{id}");
        }
        let tables = tags.windows(2).filter(|pair| name(pair[1]) == "table");
        for pair in tables {
            assert!(
                pair[0].starts_with("div class=\"scroll\" role=\"region\" aria-label=\"")
                    && pair[0].ends_with(" tabindex=\"0\""),
                "{pair:?}"
            );
        }
        let regions = tags.iter().filter(|tag| tag.contains("role=\"region\""));
        let regions: Vec<&str> = regions.copied().collect();
        let labels: BTreeSet<&str> = values(&regions, "aria-label").into_iter().collect();
        assert_eq!(labels.len(), named("table"), "two tables have one name");
        // Marks without text are not read aloud; a picture of columns has its text.
        for tag in tags.iter().filter(|tag| name(tag) == "svg") {
            let is_hidden = tag.contains(" aria-hidden=\"true\"");
            let has_text = tag.contains(" role=\"img\" aria-label=\"");
            let is_in_hidden = *tag == "svg";
            assert!(is_hidden || has_text || is_in_hidden, "{tag}");
        }
    }
}

#[test]
fn the_same_inputs_make_the_same_report() {
    assert_eq!(reports(), reports());
    for html in reports() {
        assert!(html.contains(" · 23 November 2026</p>"), "{html}");
        assert!(html.contains(" on 23 November 2026, 19:30 UTC.</p>"));
    }
    let alone = robots(["survey", "tests/fixtures/robots", NOW[0], NOW[1]]);
    assert_eq!(alone.code, 2);
    alone.assert_stderr_contains("--html <FILE>");
}

#[test]
fn findings_are_sentences_with_the_numbers_of_the_audit() {
    let folder = tempfile::tempdir().unwrap();
    let html = report(&AUDIT, folder.path());
    // The log has seven forbidden requests: three of GPTBot, three of BadBot, and one in the name of Googlebot.
    for text in [
        "<h1>Clients in the name of GPTBot (not verified) made 3 of the 7 requests that robots.txt forbids</h1>",
        "The names of 3 of 6 judged robots have forbidden requests: 7 of ",
        "According to its vendor, 1 of these robots obeys robots.txt: GPTBot (3, not verified).",
        "2 requests falsely use the name of Googlebot.",
        "By their addresses, 13 requests in the names of robots are verified, 8 not verified, and 2 false.",
        "<b>3 of 5</b> <small>60.0%</small>",
        "AI; vendor: obeys",
        "not Googlebot",
        "<dt>Logs</dt><dd>tests/fixtures/logs/access.log.gz</dd>",
        "<dt>Addresses of robots</dt><dd>tests/fixtures/logs/names.txt</dd>",
    ] {
        assert!(html.contains(text), "{text}");
    }
    let unjudged = report(
        &["audit", "tests/fixtures/logs/access.log.gz"],
        folder.path(),
    );
    assert!(unjudged.contains("<h1>Robots made 82.1% of 28 requests</h1>"));
    assert!(!unjudged.contains("id=\"forbidden\""));
    let none_verified =
        "No address was verified: a robot's name is only what the User-Agent states.";
    assert!(unjudged.contains(none_verified));
}

#[test]
fn findings_are_sentences_with_the_numbers_of_the_survey() {
    let folder = tempfile::tempdir().unwrap();
    let report = |files: &[&str]| {
        let site = folder.path().join("site");
        let _ = fs::remove_dir_all(&site);
        fs::create_dir(&site).unwrap();
        for (index, text) in files.iter().enumerate() {
            fs::write(site.join(format!("{index}-robots.txt")), text).unwrap();
        }
        report(&["survey", site.to_str().unwrap()], folder.path())
    };
    let open = "User-agent: *\nDisallow: /a\n";
    let no_gptbot = "User-agent: GPTBot\nDisallow: /\n";
    let html = report(&[open, open, no_gptbot, "User-agent: *\nDisallow: a\n"]);
    for text in [
        "<h1>25.0% of robots.txt files close the whole site to GPTBot</h1>",
        "0 files (0%) close the whole site to robots that they do not name. 1 of ",
        "The most frequent error is R030 no-slash, in 1 file (25.0%).",
        "<a href=\"https://github.com/robots-engine/robots/blob/main/crates/robots-lint/lints.md#r030-no-slash\">R030 no-slash</a>",
        "3 files (75.0%) have a group for *",
        "GPTBot is named most: in 1 file (25.0%).",
    ] {
        assert!(html.contains(text), "{text}");
    }
    let html = report(&[open, "User-agent: *\nDisallow: /\n"]);
    let headline = "50.0% of robots.txt files close the whole site to robots that they do not name";
    assert!(html.contains(&format!("<h1>{headline}</h1>")));
    let html = report(&[open, open]);
    assert!(
        html.contains(
            "<h1>None of 2 robots.txt files closes the whole site to a known AI robot</h1>"
        )
    );
}

#[test]
fn labels_are_never_cut() {
    let folder = tempfile::tempdir().unwrap();
    let names =
        ["one", "two"].map(|end| format!("a-very-long-named-crawler-of-the-institute-{end}"));
    let groups = names
        .each_ref()
        .map(|name| format!("User-agent: {name}\nDisallow: /\n\n"));
    let text = groups.concat();
    let file = folder.path().join("report.html");
    let file = file.to_str().unwrap();
    let survey = robots_on(["survey", "-", "--html", file], text.as_bytes());
    assert_eq!(survey.code, 0, "{}", survey.stderr);
    let survey = fs::read_to_string(file).unwrap();
    let lines = names.each_ref().map(|name| {
        format!("192.0.2.1 - - [20/Nov/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 10 \"-\" \"{name}/1.0\"\n")
    });
    let log = lines.concat();
    let audit = robots_on(["audit", "-", "--html", file], log.as_bytes());
    assert_eq!(audit.code, 0, "{}", audit.stderr);
    let audit = fs::read_to_string(file).unwrap();
    for html in [survey, audit] {
        for name in &names {
            assert!(
                html.contains(&format!("<span class=\"label\">{name}</span>"))
                    || html.contains(&format!(
                        "<span class=\"label\">{name} (not verified)</span>"
                    )),
                "{name}"
            );
        }
        assert!(!html.contains('\u{2026}'));
    }
}
