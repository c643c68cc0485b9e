//! `robots.toml`: defaults of options.

use crate::program::{Folder, json_lines, page, robots_in};
use std::fs;
use std::path::Path;

/// Returns a folder with a `robots.toml` of this text, a robots.txt with findings, and a folder below it.
fn project(toml: &str) -> Folder {
    let folder = Folder::new();
    fs::create_dir(folder.root().join("below")).unwrap();
    folder.file("robots.toml", toml);
    let body = "User-agent: *\nDisalow: /b\nDisallow: c\nDisallow: /d*\n";
    folder.file("below/robots.txt", body);
    folder
}

/// Returns the codes that `lint` finds below the project.
fn codes(folder: &Path, args: &[&str]) -> Vec<String> {
    let below = folder.join("below");
    let args = ["lint", "--json", "robots.txt"].iter().chain(args);
    let outcome = robots_in(&below, args);
    assert!(outcome.code < 2, "{}", outcome.stderr);
    let rows = outcome.rows().into_iter();
    rows.map(|row| row["code"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn lint_takes_defaults_from_the_next_file_upwards() {
    let folder = project("level = \"note\"\nignore = [\"R03\"]\n");
    let of_config = codes(folder.root(), &[]);
    assert!(of_config.contains(&"R012".to_owned()), "{of_config:?}");
    assert!(
        !of_config.iter().any(|code| code.starts_with("R03")),
        "{of_config:?}"
    );
    // The command line has precedence.
    assert_eq!(codes(folder.root(), &["--level", "error"]), ["R012"]);
    let ignoring = codes(folder.root(), &["--ignore", "R012"]);
    assert!(ignoring.contains(&"R030".to_owned()), "{ignoring:?}");
    assert_eq!(codes(folder.root(), &["--only", "R030"]), ["R030"]);
    assert_eq!(codes(folder.root(), &["--no-config"]), ["R012", "R030"]);
    let other = folder.root().join("other.toml");
    fs::write(&other, "ignore = \"R012\"").unwrap();
    assert_eq!(
        codes(folder.root(), &["--config", other.to_str().unwrap()]),
        ["R030"]
    );
    let verbose = robots_in(folder.root(), ["lint", "--verbose", "below"]);
    let path = folder.root().join("robots.toml").canonicalize().unwrap();
    verbose.assert_stderr_contains(&format!("defaults are from {}", path.display()));
}

#[test]
fn check_and_decide_take_robots_and_profiles() {
    let folder = project(
        "agents = [\"Googlebot\", \"OtherBot\"]\nprofile = \"google\"\nbase = \"https://example.com/\"\n",
    );
    let rows = |args: &[&str]| {
        let args = ["check", "--json", "below/robots.txt", "/a"]
            .iter()
            .chain(args);
        let rows = json_lines(&robots_in(folder.root(), args).stdout).into_iter();
        let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
        rows.map(|row| [text(&row["agent"]), text(&row["profile"])])
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(&[]), [["Googlebot", "google"], ["OtherBot", "google"]]);
    assert_eq!(rows(&["--agent", "a"]), [["a", "google"]]);
    assert_eq!(
        rows(&["--dialect", "rfc9309", "--agent", "a"]),
        [["a", "-"]]
    );
    assert_eq!(rows(&["--no-config"]), [["*", "neutral"]]);
    let words = [
        "check",
        "--fetch",
        "http://127.0.0.1:9/a",
        "--allow-private",
        "--json",
    ];
    let rows_of_site = robots_in(folder.root(), words).rows();
    let agents: Vec<_> = rows_of_site.iter().map(|row| &row["agent"]).collect();
    assert_eq!(agents, ["Googlebot", "OtherBot"]);
    // One that cannot apply is not an error, and is reported.
    let words = ["check", "--batch", "questions", "--robots", "a.warc"];
    let outcome = robots_in(folder.root(), words);
    outcome.assert_stderr_contains("`profile` of robots.toml does not apply to --batch");
    // Robots of the file are not in the way of options that exclude robots.
    assert!(rows(&["--all-agents"]).len() > 10);
    fs::write(
        folder.root().join("a.warc"),
        page("https://example.com/a", "<title>a</title>"),
    )
    .unwrap();
    let decided = |args: &[&str]| {
        let args = ["decide", "--json", "a.warc"].iter().chain(args);
        let rows = json_lines(&robots_in(folder.root(), args).stdout).into_iter();
        rows.map(|row| row["agent"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(decided(&[]), ["Googlebot", "OtherBot"]);
    assert_eq!(decided(&["--no-config"]), ["*"]);
    // Saved pages have the base.
    fs::write(
        folder.root().join("below/p.html"),
        "<meta name=robots content=noidnex>",
    )
    .unwrap();
    let linted = robots_in(folder.root(), ["lint", "--meta", "--json", "below"]);
    assert_eq!(linted.rows()[0]["url"], "https://example.com/p.html");
}

#[test]
fn mistakes_in_the_file_have_their_place_and_a_suggestion() {
    for (toml, expected) in [
        (
            "\nignor = []",
            "line 2, column 1: unknown key `ignor`: did you mean `ignore`?",
        ),
        (
            "colour = 1",
            "line 1, column 1: unknown key `colour`: expected one of agents, base",
        ),
        (
            "level = \"warn\"",
            "line 1, column 9: invalid value \"warn\" for `level`: expected note, warning or error",
        ),
        (
            "ignore = [\"R012\", \"R999\"]",
            "line 1, column 19: invalid value \"R999\" for `ignore`: unknown code",
        ),
        (
            "agents = 1",
            "line 1, column 10: unexpected integer for `agents`: expected a text or a list of texts",
        ),
        (
            "base = [\"https://a.example/\"]",
            "unexpected array for `base`: expected a text",
        ),
        (
            "profile = \"gogle\"",
            "line 1, column 11: invalid value \"gogle\" for `profile`: unknown profile",
        ),
        ("agents = [", "line 1, column"),
    ] {
        let folder = project(toml);
        for args in [
            &["lint", "below"][..],
            &["check", "below/robots.txt", "/x"],
            &["decide", "nowhere.warc"],
        ] {
            let outcome = robots_in(folder.root(), args);
            outcome.assert_error("robots.toml: ");
            outcome.assert_stderr_contains(expected);
        }
        // Other commands do not read it.
        assert_eq!(robots_in(folder.root(), ["explain", "R012"]).code, 0);
    }
    let folder = project("");
    let missing = robots_in(folder.root(), ["lint", "--config", "no.toml", "below"]);
    missing.assert_error("cannot read no.toml");
}

#[test]
fn a_profile_file_is_relative_to_the_configuration() {
    let folder = project("profile = \"ours.toml\"");
    let ours = "based-on = \"google\"\nname = \"ours\"\nabout = \"Ours.\"\n";
    fs::write(folder.root().join("ours.toml"), ours).unwrap();
    let below = folder.root().join("below");
    let outcome = robots_in(&below, ["check", "--json", "robots.txt", "/a"]);
    assert_eq!(outcome.rows()[0]["profile"], "ours", "{}", outcome.stderr);
}
