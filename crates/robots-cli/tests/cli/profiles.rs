//! `robots profiles`, and decisions under profiles.

use crate::program::robots;
use serde_json::Value;

#[test]
fn the_list_and_json_have_every_profile() {
    let list = robots(["profiles"]);
    assert_eq!(list.code, 0, "{}", list.stderr);
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
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let shown = robots(["profiles", "bing"]).stdout;
    std::fs::write(&file, &shown).unwrap();
    let file = file.to_str().unwrap();
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
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let decide = |profiles: [&str; 2]| {
        let [first, second] = profiles;
        let crawl = "tests/fixtures/crawl.warc.gz";
        robots(["decide", "--json", "-p", first, "-p", second, crawl])
    };
    let a = file(
        "a.toml",
        "based-on = \"google\"\ndialect = \"koster1994\"\n",
    );
    let b = file("b.toml", "based-on = \"google\"\ndialect = \"bing\"\n");
    let outcome = decide([&a, &b]);
    assert_eq!((outcome.code, &*outcome.stdout), (2, ""));
    outcome.assert_stderr_contains("two different profiles have the name \"google (changed)\"");
    // One that is given twice is decided for once.
    let rows = decide([&a, &a]).stdout.lines().count();
    let named = "name = \"b\"\nbased-on = \"google\"\ndialect = \"bing\"\n";
    let both = decide([&a, &file("c.toml", named)]);
    assert_eq!(both.stdout.lines().count(), 2 * rows, "{}", both.stderr);
}

#[test]
fn a_robot_other_than_the_first_may_be_chosen() {
    let crawl = "tests/fixtures/crawl.warc.gz";
    let of = |args: &[&str]| {
        let outcome = robots([&["decide", "--json", crawl], args].concat());
        let first = outcome.stdout.lines().next().unwrap().to_owned();
        let first: Value = serde_json::from_str(&first).unwrap();
        first["agent"].as_str().unwrap().to_owned()
    };
    assert_eq!(of(&[]), "*");
    assert_eq!(of(&["--profile", "google"]), "Googlebot");
    assert_eq!(
        of(&["--profile", "google", "--agent", "Googlebot-News"]),
        "Googlebot-News"
    );
}

#[test]
fn an_invalid_profile_is_an_error() {
    let unknown = robots(["profiles", "altavista"]);
    assert_eq!(unknown.code, 2);
    // No built-in profile has a similar name, so the message lists all.
    assert!(unknown.stderr.contains("seznam"), "{}", unknown.stderr);
    assert_eq!(robots(["profiles", "/nowhere/x.toml"]).code, 2);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, "name = 'a'\nprecedence = 'none'\n").unwrap();
    let wrong = robots(["profiles", file.to_str().unwrap()]);
    assert_eq!(wrong.code, 2);
    // The message lists the valid values: `together` is one.
    assert!(wrong.stderr.contains("line 2"), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("together"), "{}", wrong.stderr);
}
