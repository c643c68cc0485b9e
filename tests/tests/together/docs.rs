//! The decisions in docs/decisions.md follow from the blocks above them; dates in docs/semantics.md are read as it
//! says; citations name documents and sections that exist, and ARCHITECTURE.md paths that exist.
//!
//! `UPDATE_DOCS=1 cargo test -p robots-tests --test together docs` rewrites the decisions; read every difference.

use robots_meta::Timestamp;
use robots_meta::page::{EncodingSource, HeadLimit, Placement};
use robots_policy::{Page, Policy, Profile, RobotsFetch};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const URL: &str = "https://shop.example/news/sale?page=2";

/// Returns the text of the first block with this info string.
fn block<'d>(doc: &'d str, info: &str) -> &'d str {
    let (_, rest) = doc.split_once(&format!("\n```{info}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

fn explained(doc: &str, profile: &str, agent: &str) -> String {
    let profile = profile.parse::<Profile>().unwrap();
    let policy = Policy::under(&profile, agent).unwrap();
    let at = |text| Timestamp::parse(text).unwrap();
    let robots = RobotsFetch::Body(block(doc, "robots.txt").as_bytes());
    policy
        .learn_at(URL, robots, at("2026-11-20T11:00:00Z"))
        .unwrap();
    let headers: Vec<(&str, &str)> = block(doc, "headers")
        .lines()
        .map(|line| line.split_once(": ").unwrap())
        .collect();
    let page = Page::new(URL)
        .with_status(200)
        .with_headers(headers)
        .with_html(block(doc, "html").as_bytes())
        .at(at("2026-11-20T12:00:00Z"));
    policy.decide_page(&page).explain().to_string()
}

#[test]
fn the_decisions_of_the_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/decisions.md");
    let doc = std::fs::read_to_string(&path).unwrap();
    let mut made = String::new();
    let mut decisions = 0;
    let mut rest = doc.as_str();
    while let Some((before, after)) = rest.split_once("\n```decision ") {
        let (info, after) = after.split_once('\n').unwrap();
        let (profile, agent) = info.split_once(' ').unwrap();
        let text = explained(&doc, profile, agent);
        write!(made, "{before}\n```decision {info}\n{text}```").unwrap();
        // An empty block ends immediately.
        rest = match after.strip_prefix("```") {
            Some(rest) => rest,
            None => after.split_once("\n```").unwrap().1,
        };
        decisions += 1;
    }
    made.push_str(rest);
    assert_eq!(decisions, 3);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).unwrap();
        return;
    }
    assert_eq!(made, doc, "UPDATE_DOCS=1 rewrites the page");
}

/// The name of a row, the requests with their hours, and the hour of the decision.
type Row = (&'static str, &'static [(RobotsFetch<'static>, i64)], i64);

/// Checks the table of outcomes of a request.
#[test]
fn the_outcomes_of_the_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/decisions.md");
    let doc = std::fs::read_to_string(&path).unwrap();
    let time = |hours: i64| Timestamp::from_seconds(hours * 3600);
    let rows: [Row; 4] = [
        ("status 404", &[(RobotsFetch::Status(404), 0)], 1),
        (
            "status 503, an hour ago",
            &[(RobotsFetch::Status(503), 0)],
            1,
        ),
        (
            "status 503 for two days, with an older copy",
            &[
                (RobotsFetch::Body(b"User-agent: *\nDisallow: /"), 0),
                (RobotsFetch::Status(503), 12),
                (RobotsFetch::Status(503), 59),
            ],
            60,
        ),
        (
            "status 503 for two days, without one",
            &[
                (RobotsFetch::Status(503), 0),
                (RobotsFetch::Status(503), 47),
            ],
            48,
        ),
    ];
    for (name, requests, now) in rows {
        let mut line = format!("| {name} |");
        for (profile, agent) in [
            ("google", "Googlebot"),
            ("bing", "bingbot"),
            ("yandex", "YandexBot"),
        ] {
            let policy = Policy::under(&profile.parse::<Profile>().unwrap(), agent).unwrap();
            for (fetch, at) in requests {
                policy.learn_at(URL, *fetch, time(*at)).unwrap();
            }
            let decision = policy.decide_page(&Page::new(URL).at(time(now)));
            let is_rule = decision.explain().to_string().contains("Disallow: /");
            let cell = match decision.fetch.name() {
                _ if is_rule => "the copy",
                "allow" => "everything is allowed",
                "disallow" => "nothing",
                "defer" => "nothing now, ask again",
                other => panic!("{other}"),
            };
            write!(line, " {cell} |").unwrap();
        }
        assert!(doc.contains(&line), "{line}");
    }
}

/// The tables of dates in docs/semantics.md, section 5.6: each text is read as the moment next to it, or is not a
/// date.
#[test]
fn the_dates_of_the_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/semantics.md");
    let doc = std::fs::read_to_string(&path).unwrap();
    let (_, section) = doc.split_once("<a id=\"s-5-6\"></a>").unwrap();
    let (section, _) = section.split_once("<a id=").unwrap();
    let (mut dates, mut others) = (0, 0);
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = row.split('|').skip(1).map(|cell| {
            let text = cell.trim().strip_prefix('`')?;
            text.strip_suffix('`')
        });
        let text = cells.next().flatten().unwrap();
        let moment = cells.next().flatten();
        let found = Timestamp::parse(text).map(|date| date.to_string());
        assert_eq!(found.as_deref(), moment, "{row}");
        *(if moment.is_some() {
            &mut dates
        } else {
            &mut others
        }) += 1;
    }
    assert_eq!((dates, others), (42, 33));
}

/// Returns the anchors in docs/semantics.md that a text cites: `s-8-1` for "docs/semantics.md, section 8.1",
/// `s-9-2` for "section 9, vector 2". Lists such as "sections 2.1 to 2.3, 8.2" are understood.
fn cited(text: &str) -> Vec<String> {
    let mut anchors = Vec::new();
    for rest in text.split("semantics.md").skip(1) {
        if let Some(id) = rest.strip_prefix('#') {
            let end = id.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            anchors.push(id[..end.unwrap_or(id.len())].to_owned());
            continue;
        }
        let Some(list) = rest
            .trim_start_matches(['`', ',', ' '])
            .strip_prefix("section")
        else {
            continue;
        };
        let mut prefix = "s-";
        for (index, word) in list.trim_start_matches('s').split_whitespace().enumerate() {
            let number = word.trim_end_matches(|c: char| !c.is_ascii_digit());
            match word {
                "and" | "to" => {}
                "section" | "sections" => prefix = "s-",
                "vector" | "vectors" => prefix = "s-9-",
                // A later number without a point is not a section.
                _ if number.is_empty()
                    || !number.bytes().all(|c| c.is_ascii_digit() || c == b'.')
                    || (prefix == "s-" && index > 0 && !number.contains('.')) =>
                {
                    break;
                }
                _ => {
                    anchors.push(format!("{prefix}{}", number.replace('.', "-")));
                    if !matches!(&word[number.len()..], "" | "," | ";") {
                        break;
                    }
                }
            }
        }
    }
    anchors
}

#[test]
fn citations_are_found_in_text() {
    for (text, expected) in [
        ("semantics.md`, section 8.1.", "s-8-1"),
        (
            "semantics.md, section 9, vectors 2 and 31)",
            "s-9 s-9-2 s-9-31",
        ),
        (
            "semantics.md, sections 2.1 to 2.3, 8.2, 40 bytes",
            "s-2-1 s-2-3 s-8-2",
        ),
        (
            "semantics.md, section 9, vector 39; section 8.1: x 1.1",
            "s-9 s-9-39 s-8-1",
        ),
        ("[here](semantics.md#s-4-6)", "s-4-6"),
        ("see semantics.md, which has 2.1", ""),
    ] {
        assert_eq!(cited(text).join(" "), expected, "{text}");
    }
}

/// Returns the first citation of a document that is not in the tree: the name of the former notes in capitals
/// with a number, or a path in their folder. This file must not contain such a citation itself, so it joins it from parts.
fn outdated(text: &str) -> Option<&str> {
    let by_name = text
        .match_indices(concat!("SEMANT", "ICS"))
        .find(|(at, name)| {
            let rest = &text[at + name.len()..];
            let number = rest.trim_start_matches([' ', '[', '§', '.', ',', '`', '\'']);
            rest.starts_with(".md") || number.starts_with(|c: char| c.is_ascii_digit())
        });
    let by_folder = || text.match_indices(concat!("sh", "ared/")).next();
    let (at, name) = by_name.or_else(by_folder)?;
    let end = text[at + name.len()..]
        .char_indices()
        .nth(40)
        .map_or(text.len(), |(length, _)| at + name.len() + length);
    Some(&text[at..end])
}

#[test]
fn outdated_citations_are_found_in_text() {
    for (name, rest) in [
        (concat!("SEMANT", "ICS"), " 8.1"),
        (concat!("SEMANT", "ICS"), " [10](semantics.md#s-10)"),
        (concat!("SEMANT", "ICS"), ".md"),
        (concat!("sh", "ared/"), "notes.md"),
    ] {
        let citation = format!("{name}{rest}");
        assert_eq!(outdated(&format!("see {citation}")), Some(&citation[..]));
    }
    for text in [
        "docs/semantics.md, section 8.1",
        "SEMANTIC 8.1",
        "the shared text",
    ] {
        assert_eq!(outdated(text), None, "{text}");
    }
}

/// Checks that the lists of values in docs/page-json.md are those of the code.
#[test]
fn the_values_of_the_keys_of_a_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/page-json.md");
    let doc = std::fs::read_to_string(&path).unwrap();
    let values = |key: &str, list: &str| -> Vec<String> {
        let row = doc
            .lines()
            .find(|line| line.starts_with(&format!("| {key} |")));
        let (_, list) = row.unwrap().split_once(list).unwrap();
        let quoted = list.split('`').skip(1).step_by(2);
        quoted.map(str::to_owned).collect()
    };
    let sources = EncodingSource::ALL.iter().map(|source| source.name());
    let listed = values("`encoding_source`", "how it was found:");
    let listed: Vec<_> = listed
        .iter()
        .filter(|name| *name != "Content-Type")
        .collect();
    assert_eq!(listed, sources.collect::<Vec<_>>());
    let kinds = values("`kind` of a finding", "|");
    // The list begins after the key.
    assert_eq!(kinds[1..], robots_lint::list::names().collect::<Vec<_>>());
    let limits = values("`head_end`", "(with its name:");
    let head_limits = HeadLimit::ALL.iter().map(|limit| limit.name());
    assert_eq!(limits, head_limits.collect::<Vec<_>>());
    assert_eq!(
        values("`robots`", "`place` (")[..2],
        [Placement::Head, Placement::Body].map(Placement::name)
    );
}

/// Checks that each path in ARCHITECTURE.md exists.
#[test]
fn the_paths_of_the_architecture() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    // Code between fences is a picture, and not a list of paths.
    let prose: String = page.split("```").step_by(2).collect();
    let code = prose.split('`').skip(1).step_by(2);
    let paths: Vec<&str> = code
        .filter(|text| text.contains('/') && !text.contains(' '))
        .collect();
    assert!(paths.len() > 40, "{paths:?}");
    for path in paths {
        assert!(root.join(path).exists(), "ARCHITECTURE.md: {path}");
    }
}

/// Adds the files below a folder in which citations are looked for.
fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    const EXTENSIONS: [&str; 9] = [
        "rs", "toml", "md", "json", "jsonl", "snap", "sh", "yml", "py",
    ];
    // Their files are not those of the project.
    const MADE: [&str; 2] = ["target", "node_modules"];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() {
            if name == ".ci" || !name.starts_with('.') && !MADE.contains(&&*name) {
                texts(&path, found);
            }
        } else if path
            .extension()
            .is_none_or(|extension| EXTENSIONS.map(OsStr::new).contains(&extension))
        {
            found.push(path);
        }
    }
}

/// Reads the files of the tree in which citations are looked for; other files than texts are left out.
fn read_texts(root: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    texts(root, &mut files);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).ok()?;
        Some((path, text))
    };
    files.into_iter().filter_map(read).collect()
}

/// Checks that no text cites a document outside the tree.
#[test]
fn citations_name_existing_documents() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let outdated: Vec<String> = read_texts(&root)
        .iter()
        .filter_map(|(path, text)| Some(format!("{}: {}", path.display(), outdated(text)?)))
        .collect();
    assert!(outdated.is_empty(), "{outdated:#?}");
}

/// Checks that each citation of docs/semantics.md names an existing section or vector.
#[test]
fn citations_name_existing_sections() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/semantics.md")).unwrap();
    let anchors: HashSet<&str> = page
        .split("<a id=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    for link in page.split("](#").skip(1) {
        let id = link.split(')').next().unwrap();
        assert!(anchors.contains(id), "docs/semantics.md links to #{id}");
    }
    let mut citations = 0;
    for (path, text) in read_texts(&root) {
        // A comment may break the line within a citation.
        let lines = text
            .lines()
            .map(|line| line.trim_start().trim_start_matches(['/', '!', '#']));
        let text = lines.collect::<Vec<_>>().join(" ");
        for id in cited(&text) {
            let is_known = anchors.contains(id.as_str());
            assert!(
                is_known,
                "{}: docs/semantics.md has no #{id}",
                path.display()
            );
            citations += 1;
        }
    }
    assert!(citations > 1_000, "{citations}");
}
