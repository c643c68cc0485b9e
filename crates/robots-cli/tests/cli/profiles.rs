//! `robots profiles`, and decisions under profiles.

use crate::program::{Folder, robots};
use serde_json::Value;

#[test]
fn the_list_and_json_have_every_profile() {
    let list = robots(["profiles"]);
    list.assert_success();
    let all = robots(["profiles", "--json"]).stdout;
    let all: Vec<Value> = serde_json::from_str(&all).unwrap();
    // The first line has the names of the columns.
    assert_eq!(list.stdout.lines().count(), 1 + all.len());
    for profile in &all {
        let name = profile["name"].as_str().unwrap();
        assert!(list.stdout.contains(name), "{name}");
        let one = robots(["profiles", name, "--json"]).stdout;
        assert_eq!(serde_json::from_str::<Value>(&one).unwrap(), *profile);
    }
}

#[test]
fn a_shown_profile_can_be_used_as_a_file() {
    let folder = Folder::new();
    let shown = robots(["profiles", "bing"]).stdout;
    let file = &*folder.file("mine.toml", &shown);
    assert_eq!(robots(["profiles", file]).stdout, shown);
    let crawl = "tests/fixtures/crawl.warc.gz";
    let decide = |profile| robots(["decide", "--json", "--profile", profile, crawl]).stdout;
    assert_eq!(decide(file), decide("bing"));
    assert_ne!(decide(file), decide("google"));
    let first = decide(file).lines().next().unwrap().to_owned();
    let first: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(first["profile"], "bing");
    assert_eq!(first["agent"], "bingbot");
    assert_eq!(first["version"], 1);
}

#[test]
fn two_profiles_have_two_names() {
    let folder = Folder::new();
    let decide = |profiles: [&str; 2]| {
        let [first, second] = profiles;
        let crawl = "tests/fixtures/crawl.warc.gz";
        robots(["decide", "--json", "-p", first, "-p", second, crawl])
    };
    let a = folder.file(
        "a.toml",
        "based-on = \"google\"\ndialect = \"koster1994\"\n",
    );
    let b = folder.file("b.toml", "based-on = \"google\"\ndialect = \"bing\"\n");
    let outcome = decide([&a, &b]);
    assert_eq!((outcome.code, &*outcome.stdout), (2, ""));
    outcome.assert_stderr_contains("two different profiles have the name \"google (changed)\"");
    // One that is given twice is decided for once.
    let rows = decide([&a, &a]).stdout.lines().count();
    let named = "name = \"b\"\nbased-on = \"google\"\ndialect = \"bing\"\n";
    let both = decide([&a, &folder.file("c.toml", named)]);
    assert_eq!(both.stdout.lines().count(), 2 * rows, "{}", both.stderr);
}

#[test]
fn an_invalid_profile_is_an_error() {
    let folder = Folder::new();
    let file = folder.file("mine.toml", "name = 'a'\nprecedence = 'none'\n");
    let wrong = robots(["profiles", &file]);
    // The message lists the valid values: `together` is one.
    wrong.assert_error("line 2");
    wrong.assert_stderr_contains("together");
}
