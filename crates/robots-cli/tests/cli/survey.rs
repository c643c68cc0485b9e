//! `robots survey`.

use crate::program::{
    browser, command, command_on, page, record, response, robots, robots_on, workspace,
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::Path;

robots_corpus::tests!(
    threads_do_not_change_the_counts_of_real_files,
    the_document_has_the_numbers_of_the_corpus
);

/// Returns an archive of three robots.txt files, one of them HTML, two failures, two pages, and one broken record.
fn archive() -> Vec<u8> {
    [
        robots_txt(
            "a.example",
            "# hello\nUser-agent: *\nDisallow: /a # why\nAllow: /a/b\n\nUser-agent: GPTBot\nDisallow: /\n",
        ),
        robots_txt(
            "b.example",
            "User-agent: *\nContent-Signal: ai-train=no\nDisallow:\nCrawl-delay: 7\nLove: yes\nLove: more\n",
        ),
        robots_txt("c.example", "<!doctype html><p>Not found"),
        record("http://d.example/robots.txt", "HTTP/1.1 404 Not Found\r\n\r\n", b""),
        record("http://e.example/robots.txt", "HTTP/1.1 503 Busy\r\n\r\n", b""),
        page("http://a.example/", "<meta name=robots content='noindex, nofollow'><title>a</title>"),
        response(
            "http://a.example/x",
            "Content-Type: text/html\r\nX-Robots-Tag: noarchive",
            b"<link rel=canonical href=/>",
        ),
        b"WARC/1.0\r\nWARC-Type: response\r\nbroken".to_vec(),
    ]
    .concat()
}

fn json(stdout: &str) -> Value {
    serde_json::from_str(stdout).unwrap()
}

/// Returns a response with a robots.txt of a host.
fn robots_txt(host: &str, body: &str) -> Vec<u8> {
    let url = format!("http://{host}/robots.txt");
    response(&url, "Content-Type: text/plain", body.as_bytes())
}

/// Returns the survey of an input.
fn survey_of(input: &[u8], options: &[&str]) -> Value {
    let outcome = robots_on([&["survey", "-", "--json"], options].concat(), input);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    json(&outcome.stdout)
}

/// Returns a value in which an object takes the place of each list of rows: a row is the value of its name.
fn by_name(value: &Value) -> Value {
    match value {
        Value::Array(rows) => {
            let named = rows
                .iter()
                .filter_map(|row| Some((row["name"].as_str()?, row)));
            named
                .map(|(name, row)| (name.to_owned(), row.clone()))
                .collect()
        }
        Value::Object(object) => {
            let values = object
                .iter()
                .map(|(name, value)| (name.clone(), by_name(value)));
            values.collect()
        }
        other => other.clone(),
    }
}

#[test]
fn known_robots_are_counted_if_the_list_leaves_them_out() {
    // The list has 1,000 names, those with the most files: one file names GPTBot, and two name each of the others.
    let others = (0..1_000).map(|number| format!("User-agent: a{number:04}\n"));
    let others: String = others.collect();
    let named = format!("{others}User-agent: GPTBot\nDisallow: /\n");
    let archive = [
        robots_txt("a.example", &named),
        robots_txt("b.example", &format!("{others}Disallow: /\n")),
    ];
    let robots = &survey_of(&archive.concat(), &[])["robots"];
    assert_eq!(robots["agents"].as_array().unwrap().len(), 1_000);
    assert_eq!(robots["agents_left_out"], 1);
    let known = by_name(&robots["known_agents"]);
    assert_eq!(known["GPTBot"]["files"], 1);
}

#[test]
fn everything_is_counted_once() {
    let survey = survey_of(&archive(), &["--threads", "1"]);
    let by_name = by_name(&survey);
    for (pointer, number) in [
        ("/responses/2xx", 3),
        ("/responses/4xx", 1),
        ("/responses/5xx", 1),
        ("/robots/files", 3),
        ("/robots/html", 1),
        // The lines of the HTML file are not counted.
        ("/robots/sizes/lines/count", 2),
        ("/robots/sizes/lines/sum", 13),
        ("/robots/sizes/comment_lines/sum", 1),
        ("/robots/sizes/lines_with_comment/sum", 1),
        ("/robots/sizes/blank_lines/sum", 1),
        ("/robots/sizes/user_agents/max", 2),
        ("/robots/sizes/disallows_of_agent/sum", 3),
        // Five directives and six: each number occurs once, so the mode is the smaller one.
        ("/robots/sizes/directives/sum", 11),
        ("/robots/sizes/directives/mode", 5),
        // Two of `*`, one of GPTBot, and five of `*` in the other file.
        ("/robots/sizes/directives_of_agent/sum", 8),
        // 85 bytes in 7 lines, and 88 bytes in 6.
        ("/robots/sizes/bytes_per_line/sum", 12 + 15),
        // Two of 7 lines, and none of 6.
        ("/robots/sizes/unparsed_percent/sum", 29),
        ("/robots/fields/Disallow/times", 3),
        ("/robots/unknown_fields/love/times", 2),
        ("/robots/unknown_fields/love/files", 1),
        ("/robots/agents/GPTBot/files", 1),
        ("/robots/agents/GPTBot/all", 1),
        // One file names GPTBot. The other does not, so that `*` applies.
        ("/robots/known_agents/GPTBot/all", 1),
        ("/robots/known_agents/GPTBot/none", 1),
        ("/robots/known_agents/ClaudeBot/some", 1),
        ("/robots/known_agents/ClaudeBot/none", 1),
        ("/robots/crawl_delays/max", 7),
        ("/robots/ai/no training, to everyone", 1),
        ("/robots/webwatch_errors/unknown field", 1),
        // The two lines `Love`.
        ("/robots/findings/unknown-field/times", 2),
        ("/pages/count", 2),
        ("/pages/with_robots_meta", 1),
        ("/pages/with_x_robots_tag", 1),
        ("/pages/meta_directives/noindex/files", 1),
        ("/pages/header_directives/noarchive/files", 1),
    ] {
        assert_eq!(by_name.pointer(pointer), Some(&number.into()), "{pointer}");
    }
    assert_eq!(by_name["robots"]["agents"]["GPTBot"]["ai"], true);
    // Each robot reads files as its operator does.
    for (name, profile) in [("Googlebot", "google"), ("GPTBot", "neutral")] {
        let known = &by_name["robots"]["known_agents"][name];
        assert_eq!(known["profile"], profile, "{known}");
    }
    assert_eq!(survey["approximate"], Value::Array(Vec::new()));
    assert_eq!(survey_of(&archive(), &["--threads", "7"]), survey);
}

#[test]
fn the_dialect_decides_the_named_robots() {
    let body = "User-agent: GPTBot, CCBot\nDisallow: /\n\nUser-agent: *\nDisallow: /a\n";
    let input = robots_txt("a.example", body);
    let survey = |dialect: &str| {
        let survey = survey_of(&input, &["--dialect", dialect]);
        assert_eq!(survey["dialect"], dialect);
        assert!(survey["robots"]["agents"][0]["profile"].is_null());
        let known = by_name(&survey["robots"]["known_agents"]);
        let all = |name| known[name]["all"].as_u64().unwrap();
        let named = survey["robots"]["agents"].as_array().unwrap().len();
        (named, all("GPTBot"), all("CCBot"))
    };
    // Without `commas`, the first line names only GPTBot. The named robots include `*`.
    assert_eq!(survey("rfc9309"), (2, 1, 0));
    assert_eq!(survey("rfc9309+commas"), (3, 1, 1));
    assert_eq!(survey("google"), (2, 1, 0));
    let unknown = robots_on(["survey", "-", "--dialect", "rfc9309+x"], &input);
    assert_eq!(unknown.code, 2);
    unknown.assert_stderr_contains("unknown switch \"x\"");
}

#[test]
fn the_tokens_of_one_robot_are_one_row_and_collectors_of_data_are_ai_robots() {
    let files = [
        "User-agent: yandexadditional\nDisallow: /\n",
        "User-agent: YandexAdditionalBot\nUser-agent: YandexAdditional\nDisallow: /\n",
        "User-agent: CCBot\nUser-agent: omgilibot\nUser-agent: ChatGPT Agent\nDisallow: /\n",
        "User-agent: YandexAdditionalBot\nDisallow: /a\n",
    ];
    let input = files.map(|body| robots_txt("a.example", body)).concat();
    let survey = survey_of(&input, &[]);
    for list in ["agents", "known_agents"] {
        let robots = by_name(&survey["robots"][list]);
        for (name, files, all, is_ai) in [
            ("YandexAdditionalBot", 3, 2, true),
            ("CCBot", 1, 1, true),
            ("omgili", 1, 1, true),
            ("ChatGPT-User", 1, 1, true),
        ] {
            let robot = &robots[name];
            let found = (&robot["files"], &robot["all"], &robot["ai"]);
            let expected = (files.into(), all.into(), is_ai.into());
            assert_eq!(
                found,
                (&expected.0, &expected.1, &expected.2),
                "{name} in {list}"
            );
        }
        for other in ["YandexAdditional", "omgilibot", "ChatGPT"] {
            assert_eq!(robots[other], Value::Null, "{other} in {list}");
        }
    }
}

#[test]
fn errors_are_those_of_webwatch() {
    // Returns the errors, and the number of files that have comments alone.
    let count = |bodies: &[&str]| {
        let files = bodies.iter().map(|body| robots_txt("a.example", body));
        let input: Vec<u8> = files.flatten().collect();
        let found = survey_of(&input, &[])["robots"].clone();
        (
            found["webwatch_errors"].clone(),
            found["comments_alone"].clone(),
        )
    };
    let fine = "User-agent: a\nDisallow:\n";
    let (errors, _) = count(&[
        "User-agent: a\r\nDisallow:\r\n",
        "User-agent: a\rDisallow:\r",
        fine,
    ]);
    // The CRs without LF in the second file are not CRLF line ends.
    assert_eq!(errors["CRLF line end"], 1);
    assert_eq!(errors["User-agent without a Disallow"], 0);
    let (errors, _) = count(&[
        "User-agent: a\nAllow: /\n",
        "User-agent: a\n",
        "User-agent: a\nUser-agent: b\nDisallow: /\n",
        fine,
    ]);
    // The first two files: `Allow` alone is not enough.
    assert_eq!(errors["User-agent without a Disallow"], 2);
    assert_eq!(errors["CRLF line end"], 0);
    let (errors, comments_alone) = count(&["", "# a\n\n", "# b", "# c\nDisallow:\n", fine]);
    assert_eq!(errors["empty file"], 1);
    assert_eq!(comments_alone, 2);
}

#[test]
fn errors_of_1997_are_shown_on_request_without_line_ends() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    fs::write(&file, "User-agent: a\r\nAllow: /\r\n").unwrap();
    let (page, tables) = (folder.path().join("a.html"), folder.path().join("tables"));
    let run = |options: &[&str]| {
        let [file, page, tables] = [&file, &page, &tables].map(|path| path.to_str().unwrap());
        let words = ["survey", file, "--html", page, "--csv", tables];
        let outcome = robots([&words, options].concat());
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        // The numbers are there in any case.
        let csv = fs::read_to_string(Path::new(tables).join("webwatch_errors.csv")).unwrap();
        assert!(csv.contains("CRLF line end,1\n"), "{csv}");
        [outcome.stdout, fs::read_to_string(page).unwrap()]
    };
    for text in run(&[]) {
        assert!(!text.contains("WebWatch counted in 1997"), "{text}");
        assert!(!text.contains("User-agent without a Disallow"), "{text}");
        assert!(
            text.contains("CRLF ends lines in 1 file (100%); it is valid."),
            "{text}"
        );
    }
    for text in run(&["--webwatch"]) {
        assert!(
            text.contains("Files with the errors that WebWatch counted in 1997"),
            "{text}"
        );
        assert!(text.contains("User-agent without a Disallow"), "{text}");
        assert!(!text.contains("CRLF line end "), "{text}");
        assert!(!text.contains("CRLF line end<"), "{text}");
        assert!(
            text.contains("CRLF ends lines in 1 file (100%); it is valid."),
            "{text}"
        );
    }
}

#[test]
fn delays_are_counted_in_usual_ranges() {
    let files = [0, 1, 3, 5, 6, 30, 60, 61, 3_600].map(|delay| {
        robots_txt(
            "a.example",
            &format!("User-agent: *\nCrawl-delay: {delay}\n"),
        )
    });
    let steps = survey_of(&files.concat(), &[])["robots"]["crawl_delays"]["steps"].clone();
    let range = |step: &Value| ["from", "to", "count"].map(|key| step[key].as_u64().unwrap());
    let ranges: Vec<_> = steps.as_array().unwrap().iter().map(range).collect();
    let last = ranges.last().unwrap();
    assert!((3_600..3_610).contains(&last[1]), "{last:?}");
    assert_eq!((last[0], last[2]), (61, 2));
    let expected = [
        [0, 0, 1],
        [1, 1, 1],
        [2, 2, 0],
        [3, 5, 2],
        [6, 10, 1],
        [11, 20, 0],
        [21, 30, 1],
        [31, 60, 1],
    ];
    assert_eq!(ranges[..8], expected);
}

#[test]
fn each_robots_txt_has_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |name: &str, threads| {
        let path = folder.path().join(name);
        fs::write(&path, "an earlier table").unwrap();
        let path = path.to_str().unwrap();
        let arguments = ["survey", "-", "--files", path, "--threads", threads];
        let outcome = robots_on(arguments, &archive());
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        assert!(!Path::new(&format!("{path}.part")).exists());
        fs::read_to_string(path).unwrap()
    };
    let table = rows("one.csv", "1");
    let expected = "\
file,url,bytes,html,lines,comment_lines,lines_with_comment,blank_lines,directives,user_agents,groups,named_robots,errors,findings
-,http://a.example/robots.txt,85,false,7,1,1,1,5,2,2,2,0,
-,http://b.example/robots.txt,88,false,6,0,0,0,6,1,1,1,0,R014
-,http://c.example/robots.txt,27,true,,,,,,,,,,
";
    assert_eq!(table, expected);
    assert_eq!(rows("many.csv", "7"), expected);
}

#[test]
fn files_and_pages_that_are_lost_are_reported() {
    let broken = |url: &str, kind: &str| {
        let headers = format!("Content-Type: {kind}\r\nContent-Encoding: gzip");
        response(url, &headers, b"\x1f\x8b\x08\xff and no gzip")
    };
    let archive = [
        broken("http://a.example/robots.txt", "text/plain"),
        broken("http://a.example/x", "text/html"),
        response(
            "http://b.example/robots.txt",
            "Content-Type: text/plain\r\nContent-Length: 500",
            b"User-agent: *\nDisallow: /\n",
        ),
    ]
    .concat();
    let outcome = robots_on(["survey", "-"], &archive);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    for message in [
        "http://a.example/robots.txt: cannot be read, and is not counted",
        "http://a.example/x: cannot be read, and is not counted",
        "http://b.example/robots.txt: not whole; its first part is counted",
    ] {
        outcome.assert_stderr_contains(message);
    }
}

#[test]
fn the_table_of_files_is_written_or_reported() {
    let run = |path: &str| robots_on(["survey", "-", "--files", path], &archive());
    let early = run("nowhere/files.csv");
    assert_eq!((early.code, early.stdout.as_str()), (2, ""));
    early.assert_stderr_contains("cannot write nowhere/files.csv");
    if cfg!(not(feature = "columnar")) {
        let parquet = run("files.parquet");
        assert_eq!((parquet.code, parquet.stdout.as_str()), (2, ""));
        parquet.assert_stderr_contains("this build has no Parquet: build with --features columnar");
    }
    // A device that is always full.
    if cfg!(target_os = "linux") {
        let full = run("/dev/full");
        assert_eq!((full.code, full.stdout.as_str()), (2, ""));
        full.assert_stderr_contains("cannot write /dev/full");
    }
}

fn threads_do_not_change_the_counts_of_real_files(corpus: &Path) {
    let real = corpus.join("corpus/robots.warc.gz");
    let run = |threads| {
        let path = real.to_str().unwrap();
        robots(["survey", path, "--json", "--threads", threads]).stdout
    };
    assert_eq!(run("1"), run("3"));
}

#[test]
fn a_file_with_too_many_robots_is_reported() {
    // The maximum is 1,000. Names are of letters, because the dialect does not read digits as a part of a name.
    let survey = |names: usize| {
        let names = (0..names).map(|number: usize| {
            let digits = number.to_string();
            let letters = digits.bytes().map(|digit| char::from(digit - b'0' + b'a'));
            format!("User-agent: x{}\n", letters.collect::<String>())
        });
        let body = names.collect::<String>() + "Disallow: /\n";
        let survey = survey_of(body.as_bytes(), &[]);
        let rows = survey["robots"]["agents"].as_array().unwrap().iter();
        let judged = rows.filter(|agent| agent["all"] == 1).count();
        let left_out = survey["robots"]["agents_left_out"].as_u64().unwrap();
        (
            survey["approximate"].as_array().unwrap().len(),
            judged,
            left_out,
        )
    };
    assert_eq!(survey(999), (0, 999, 0));
    assert_eq!(survey(1_000), (0, 1_000, 0));
    assert_eq!(survey(1_001).0, 1);
    assert_eq!(survey(1_001).2, 1);
}

#[test]
fn surveys_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let before = folder.path().join("before.json");
    let file = folder.path().join("robots.txt");
    fs::write(&file, "User-agent: *\nDisallow: /\n").unwrap();
    let path = file.to_str().unwrap();
    fs::write(&before, robots(["survey", path, "--json"]).stdout).unwrap();
    fs::write(&file, "User-agent: *\nDisallow: /a\n").unwrap();
    let html = folder.path().join("report.html");
    let compare = format!("survey {path} --baseline {}", before.display());
    let outcome = command(&format!("{compare} --html {}", html.display()));
    assert_eq!(outcome.code, 0);
    let mut lines = outcome.stdout.lines().map(str::trim);
    let cells = lines.find_map(|line| line.strip_prefix("files that disallow all to * "));
    let cells: Vec<&str> = cells.unwrap().split_whitespace().collect();
    assert_eq!(cells, ["100%", "0%", "-100.0", "points"]);
    let html = fs::read_to_string(&html).unwrap();
    assert!(html.contains("<td class=\"number\">100%</td><td class=\"number\">0%</td>"));
    fs::write(&before, "{}").unwrap();
    let broken = command(&compare);
    assert_eq!(broken.code, 2);
    broken.assert_stderr_contains("is not a survey");
}

#[test]
fn tables_are_csv_with_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("tables");
    let body = b"User-agent: *\nDisallow:\n\"a,\nb\": c\n<b>&: d\n";
    let html = folder.path().join("report.html");
    let (folder, page) = (tables.display(), html.display());
    let outcome = command_on(&format!("survey - --csv {folder} --html {page}"), body);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let mut number_of_tables = 0;
    for table in fs::read_dir(tables).unwrap() {
        let mut reader = csv::Reader::from_path(table.unwrap().path()).unwrap();
        let columns = reader.headers().unwrap().len();
        for row in reader.records() {
            assert_eq!(row.unwrap().len(), columns);
        }
        number_of_tables += 1;
    }
    assert_eq!(number_of_tables, 13);
    let html = fs::read_to_string(html).unwrap();
    assert!(html.contains("&lt;b&gt;&amp;") && !html.contains("<b>&"));
    let nothing = robots_on(
        ["survey", "-"],
        &response("http://a.example/x.png", "", b""),
    );
    assert_eq!(nothing.code, 2);
    nothing.assert_stderr_contains("neither a robots.txt nor a page");
}

#[test]
fn unreadable_inputs_do_not_end_the_count() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("robots.txt");
    fs::write(&good, "User-agent: *\nDisallow: /a\n").unwrap();
    let outcome = robots(["survey", "--json", "nowhere.warc", good.to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("cannot read nowhere.warc");
    assert_eq!(json(&outcome.stdout)["robots"]["files"], 1);
    let broken = folder.path().join("broken.warc");
    let record = record("http://a.example/robots.txt", "no HTTP\r\n\r\n", b"");
    fs::write(&broken, record).unwrap();
    let damaged = robots(["survey", broken.to_str().unwrap(), good.to_str().unwrap()]);
    damaged.assert_stderr_contains(
        "broken.warc: at byte 0: http://a.example/robots.txt: not an HTTP response",
    );
    let good = good.display();
    let unwritable = command(&format!("survey --html nowhere/report.html {good}"));
    assert_eq!((unwritable.code, unwritable.stdout.as_str()), (2, ""));
    unwritable.assert_stderr_contains("cannot write nowhere/report.html");
}

/// The report has its charts in a browser.
#[test]
fn a_browser_shows_the_report_without_requests() {
    let folder = tempfile::tempdir().unwrap();
    let html = folder.path().join("report.html");
    let outcome = command_on(
        &format!("survey - --webwatch --html {}", html.display()),
        &archive(),
    );
    assert_eq!(outcome.code, 0);
    let Some(dom) = browser::dom_in_chromium(&html, "a.example") else {
        // This machine has no browser.
        return;
    };
    // At least eight charts; their bars are `rect` elements.
    assert!(dom.matches("<figure").count() >= 8, "{dom}");
    assert!(dom.matches("<rect").count() > 30);
}

/// The table of docs/survey.md has the counts of the corpus, if the document names the hash of this corpus.
fn the_document_has_the_numbers_of_the_corpus(corpus: &Path) {
    let corpus = corpus.join("corpus");
    let text = fs::read_to_string(workspace().join("docs/survey.md")).unwrap();
    let bytes = fs::read(corpus.join("robots.warc.gz")).unwrap();
    let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(&bytes));
    if !text.contains(&hash) {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: the document is about another collection"
        );
        return;
    }
    let archive = corpus.join("robots.warc.gz");
    let survey = command(&format!("survey {} --json", archive.display()));
    let survey = json(&survey.stdout);
    let found = &survey["robots"];
    let files = found["files"].as_u64().unwrap();
    assert!(has_row(&text, "files", &files.to_string()), "files {files}");
    for (name, label) in [
        ("bytes", "bytes"),
        ("lines", "lines"),
        ("bytes_per_line", "bytes per line"),
        ("comment_lines", "comment lines"),
        ("blank_lines", "blank lines"),
        ("lines_with_comment", "lines with a comment"),
        ("unparsed_percent", "unparsed lines, in percent"),
        ("directives", "directives"),
        ("user_agents", "User-agent fields"),
        ("directives_of_agent", "directives of a User-agent"),
        ("disallows_of_agent", "Disallow fields of a User-agent"),
        ("allows_of_agent", "Allow fields of a User-agent"),
    ] {
        let size = &found["sizes"][name];
        let cell = format!(
            "{:.1} / {} / {}",
            size["mean"].as_f64().unwrap(),
            size["median"],
            size["mode"]
        );
        assert!(has_row(&text, label, &cell), "{label}: {cell}");
    }
    let mut shares = found["webwatch_errors"].as_object().unwrap().clone();
    shares.insert(
        "file of comments alone".to_owned(),
        found["comments_alone"].clone(),
    );
    for (label, count) in &shares {
        #[expect(clippy::cast_precision_loss, reason = "few files")]
        let share = count.as_u64().unwrap() as f64 / files as f64 * 100.0;
        let cell = format!("{count} ({share:.1}%)");
        assert!(has_row(&text, label, &cell), "{label}: {cell}");
    }
}

/// Returns whether a table has a row that begins with a label and ends with a cell.
fn has_row(text: &str, label: &str, cell: &str) -> bool {
    text.lines().any(|line| {
        line.starts_with(&format!("| {label} |")) && line.ends_with(&format!("| {cell} |"))
    })
}

#[test]
fn sites_are_fetched_first_and_their_responses_kept() {
    let folder = tempfile::tempdir().unwrap();
    let sites = folder.path().join("sites.txt");
    // No server listens there.
    fs::write(&sites, "http://127.0.0.1:1/\n").unwrap();
    let kept = folder.path().join("kept.warc.gz");
    let [sites, kept] = [&sites, &kept].map(|path| path.to_str().unwrap());
    let outcome = command(&format!(
        "survey --sites {sites} --keep {kept} --allow-private --json"
    ));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(json(&outcome.stdout)["responses"]["none"], 1);
    let again = robots(["survey", kept, "--json"]);
    assert_eq!(json(&again.stdout)["responses"]["none"], 1);
}

#[test]
fn folders_are_surveyed_as_their_files() {
    // The folder has two sites, each with a robots.txt.
    let outcome = command("survey tests/fixtures/sites --json");
    assert_eq!(json(&outcome.stdout)["robots"]["files"], 2);
}
