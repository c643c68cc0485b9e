//! The help of commands, completions, man pages and the version.

use crate::program::robots;
use robots_policy::profile::{AgentTable, Purpose};
use robots_txt::Reason;
use robots_txt::analysis::Restriction;

/// Returns the names of the commands.
fn commands() -> Vec<String> {
    let help = robots(["--help"]).stdout;
    let commands = help.split("Commands:\n").nth(1).unwrap();
    let names: Vec<String> = commands
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    // A change in the layout of the help must not hide commands from these tests.
    assert_eq!(names.len(), 17, "{names:?}");
    names
}

#[test]
fn every_command_prints_its_help() {
    let help = |args: &[&str]| {
        let outcome = robots(args);
        assert_eq!(outcome.code, 0, "{args:?}: {}", outcome.stderr);
        assert_eq!(outcome.stderr, "", "{args:?}");
        outcome.stdout
    };
    for name in &commands() {
        let long = help(&[name, "--help"]);
        assert!(long.contains(&format!("Usage: robots {name} ")), "{long}");
        assert!(long.contains("\nExamples:\n  "), "{name}");
        assert_eq!(help(&["help", name]), long);
        let short = help(&[name, "-h"]);
        assert_eq!(short.lines().next(), long.lines().next());
    }
    assert_eq!(help(&["help"]), help(&["--help"]));
    // After `--help`, other words are ignored.
    assert_eq!(help(&["--help", "check"]), help(&["--help"]));
    let outcome = robots(["help", "chekc"]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("unknown command \"chekc\"; `robots help` lists them");
}

/// Returns the values that the help of a command lists after a label.
fn listed(command: &str, label: &str) -> Vec<String> {
    let help = robots([command, "--help"]).stdout;
    let (_, list) = help.split_once(label).unwrap();
    let mut lines = list.lines();
    let first = lines.next().unwrap_or_default();
    // The list continues in indented lines, if its first line ends with a comma or a colon.
    let more =
        lines.take_while(|line| line.starts_with("  ") && first.trim_end().ends_with([',', ':']));
    let text: Vec<&str> = std::iter::once(first).chain(more).collect();
    let words = text.join(" ").replace(" or ", ", ");
    let words = words.split(',').map(|word| word.trim().to_owned());
    words.filter(|word| !word.is_empty()).collect()
}

#[test]
fn the_help_lists_the_values_of_the_code() {
    assert_eq!(listed("check", "\n  reason "), Reason::NAMES);
    assert_eq!(
        listed("check", "\n  disallowed "),
        Restriction::ALL.map(Restriction::name)
    );
    let purposes: Vec<&str> = Purpose::ALL.iter().map(|purpose| purpose.name()).collect();
    assert_eq!(listed("agents", "\nPurposes:\n"), purposes);
    let dialects: Vec<&str> = robots_txt::Dialect::ALL
        .iter()
        .map(robots_txt::Dialect::name)
        .collect();
    for command in ["check", "decide"] {
        let help = robots([command, "--help"]).stdout;
        let (_, list) = help.split_once("One of ").unwrap();
        let (list, _) = list.split_once(".\n").unwrap();
        let names: Vec<&str> = list.split(',').map(str::trim).collect();
        assert_eq!(names, dialects, "{command}");
    }
}

#[test]
fn every_command_has_a_man_page_and_completions() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    let outcome = robots(["man", "--output-folder", pages.to_str().unwrap()]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let names = commands();
    for name in &names {
        let page = std::fs::read_to_string(pages.join(format!("robots-{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME"), "{name}");
    }
    assert!(pages.join("robots.1").is_file());
    assert_eq!(std::fs::read_dir(&pages).unwrap().count(), names.len() + 1);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = robots(["completions", shell]);
        assert_eq!(script.code, 0);
        for name in &names {
            assert!(script.stdout.contains(name), "{shell}: {name}");
        }
    }
    assert!(robots(["man"]).stdout.contains(".TH robots 1"));
}

#[test]
fn the_version_lists_the_versions_of_the_tables() {
    assert_eq!(robots(["-V"]).stdout.lines().count(), 1);
    let version = robots(["--version"]).stdout;
    // The text ends with the first digits of a year.
    assert!(version.contains("dialects  13 of robots.txt, by documentation read on 20"));
    let table = AgentTable::built_in();
    let line = format!(
        "robots    {} known, as of {}\n",
        table.iter().len(),
        table.date()
    );
    assert!(version.contains(&line), "{version}");
}
