//! The help of commands, completions, man pages and the version.

use crate::program::{commands, robots, workspace};
use robots_policy::profile::{AgentTable, Purpose};
use robots_txt::Reason;
use robots_txt::analysis::Restriction;

/// Returns the commands of the help and of README.md, by the headings of their groups.
fn groups() -> [Vec<(String, Vec<String>)>; 2] {
    let help = robots(["--help"]).stdout;
    let (_, list) = help.split_once("\n\nAsk:\n").unwrap();
    let (list, _) = list.split_once("\nOptions:\n").unwrap();
    let list = format!("Ask:\n{list}");
    let of_help = list.split("\n\n").filter(|group| !group.is_empty());
    let of_help = of_help.map(|group| {
        let (heading, commands) = group.split_once(":\n").unwrap();
        let names = commands.lines().map(|line| {
            assert!(line.chars().count() <= 80, "{line}");
            line.split_whitespace().next().unwrap().to_owned()
        });
        (heading.to_owned(), names.collect())
    });
    let readme = std::fs::read_to_string(workspace().join("README.md")).unwrap();
    let (_, table) = readme
        .split_once("| | command | purpose |\n| --- | --- | --- |\n")
        .unwrap();
    let mut of_readme: Vec<(String, Vec<String>)> = Vec::new();
    for row in table.lines().take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        if !cells[1].is_empty() {
            of_readme.push((cells[1].to_owned(), Vec::new()));
        }
        let names = cells[2].split('`').skip(1).step_by(2).map(str::to_owned);
        of_readme.last_mut().unwrap().1.extend(names);
    }
    [of_help.collect(), of_readme]
}

/// A change in the layout of the help must not hide commands: each is in one group, or hidden.
#[test]
fn the_help_and_the_readme_list_the_same_groups_of_commands() {
    let [help, readme] = groups();
    assert_eq!(help, readme);
    let headings: Vec<&str> = help.iter().map(|(heading, _)| heading.as_str()).collect();
    assert_eq!(headings, ["Ask", "Maintain", "Collect and report", "Run"]);
    let hidden = ["headers", "explain", "completions", "man"].map(str::to_owned);
    let mut listed: Vec<String> = help.into_iter().flat_map(|(_, names)| names).collect();
    listed.extend(hidden.clone());
    let mut all = commands();
    all.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, all);
    let text = std::fs::read_to_string(workspace().join("README.md")).unwrap();
    let text = text + &std::fs::read_to_string(workspace().join("docs/tools.md")).unwrap();
    for name in hidden {
        assert!(text.contains(&format!("`robots {name}`")), "{name}");
    }
    // The short help has the same list.
    let short = robots(["-h"]).stdout;
    assert!(short.contains("\nMaintain:\n  lint "), "{short}");
    let styled = robots(["--help", "--color", "always"]).stdout;
    assert!(!robots(["--help"]).stdout.contains('\u{1b}') && styled.contains("Maintain:"));
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
    outcome.assert_error("unrecognized subcommand 'chekc'");
}

/// Returns the values that the help of a command lists after a label.
fn listed(command: &str, label: &str) -> Vec<String> {
    let help = robots([command, "--help"]).stdout;
    let (_, list) = help.split_once(label).unwrap();
    let mut lines = list.lines();
    let first = lines.next().unwrap_or_default();
    // A note about one of the values may follow.
    let first = first.split(" (").next().unwrap_or_default();
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
    let restrictions = Restriction::ALL
        .iter()
        .map(|restriction| restriction.name());
    assert_eq!(
        listed("check", "\n  disallowed "),
        restrictions.collect::<Vec<_>>()
    );
    let purposes: Vec<&str> = Purpose::ALL.iter().map(|purpose| purpose.name()).collect();
    for command in ["agents", "block"] {
        assert_eq!(listed(command, "\nPurposes:\n"), purposes);
    }
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
fn every_command_has_completions_and_a_man_page_with_its_examples() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    let outcome = robots(["man", "--output-folder", pages.to_str().unwrap()]);
    outcome.assert_success();
    let [listed, _] = groups();
    for name in listed.iter().flat_map(|(_, names)| names) {
        let page = std::fs::read_to_string(pages.join(format!("robots-{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME"), "{name}");
        let help = robots([name, "--help"]).stdout;
        let (_, examples) = help.split_once("\nExamples:\n").unwrap();
        for line in examples.lines().take_while(|line| !line.is_empty()) {
            let line = line.replace('\\', "\\\\").replace('-', "\\-");
            let line = line.replace('\'', "\\*(Aq");
            assert!(page.contains(line.trim_end()), "{name}: {line}: {page}");
        }
    }
    // Its list of commands has no hidden ones.
    let page = std::fs::read_to_string(pages.join("robots.1")).unwrap();
    assert!(page.contains("robots\\-block(1)") && !page.contains("robots\\-explain(1)"));
    assert!(robots(["man"]).stdout.contains(".TH robots 1"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = robots(["completions", shell]);
        assert_eq!(script.code, 0);
        assert!(script.stdout.contains("ROBOTS_COMPLETE"), "{shell}");
    }
}

/// Returns the candidates for the last of these words, from bash with the script of `robots completions bash`.
#[cfg(unix)]
fn completed_by_bash(words: &[&str]) -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_robots"))
        .parent()
        .unwrap();
    let path = std::env::var("PATH").unwrap();
    let script = "\
source <(robots completions bash)
COMP_WORDS=(robots \"$@\")
COMP_CWORD=$#
COMP_TYPE=9
_clap_complete_robots robots \"${!#}\" \"\"
printf '%s\\n' \"${COMPREPLY[@]}\"";
    let output = std::process::Command::new("bash")
        .args(["--norc", "-c", script, "bash"])
        .args(words)
        .env("PATH", format!("{}:{path}", folder.display()))
        .current_dir(crate::program::workspace())
        .output()
        .unwrap();
    let candidates = String::from_utf8(output.stdout).unwrap();
    candidates.lines().map(str::to_owned).collect()
}

#[test]
#[cfg(unix)]
fn a_shell_completes_names() {
    for (words, expected) in [
        (&["decide", "--profile", "g"][..], &["google"][..]),
        (&["decide", "-p", "YAN"], &["yandex"]),
        (&["decide", "--format", "j"], &["jsonl"]),
        (
            &["check", "robots.txt", "/", "--dialect", "rfc"],
            &["rfc9309"],
        ),
        (
            &["check", "robots.txt", "/", "--dialect", "rfc9309+typos+5"],
            &["rfc9309+typos+500kib"],
        ),
        (&["check", "x", "/", "--agent", "gptb"], &["GPTBot"]),
        (
            &["lint", "--ignore", "R001,R00"],
            &["R001,R001", "R001,R002"],
        ),
        (&["explain", "shadowed"], &["shadowed-rule"]),
        (&["lint", "--explain", "shadowed"], &["shadowed-rule"]),
        (&["block", "ai-t"], &["ai-train"]),
        (&["block", "--into", "x", "gptb"], &["GPTBot"]),
        (&["expl"], &["explain"]),
        (
            &["decide", "--fields", "url,index_r"],
            &["url,index_reason"],
        ),
        (&["agents", "--purpose", "ai-t"], &["ai-train"]),
        (&["help", "che"], &["check"]),
        (&["che"], &["check"]),
        (
            &["decide", "--profile", "tests/fixtures/si"],
            &["tests/fixtures/sites/"],
        ),
        (&["lint", "CHANGEL"], &["CHANGELOG.md"]),
    ] {
        let candidates = completed_by_bash(words);
        assert!(candidates.len() < 10, "{words:?} {candidates:?}");
        for expected in expected {
            assert!(
                candidates.iter().any(|one| one == expected),
                "{words:?} {candidates:?}"
            );
        }
    }
}

#[test]
fn every_shell_has_candidates() {
    // The scripts of the shells run the program so.
    for (shell, expected) in [
        ("bash", "google"),
        ("zsh", "google:"),
        ("fish", "google\t"),
        ("elvish", "google"),
        ("powershell", "google\t"),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_robots"))
            .args(["--", "robots", "decide", "--profile", "g"])
            .env("ROBOTS_COMPLETE", shell)
            .env("_CLAP_COMPLETE_INDEX", "3")
            .output()
            .unwrap();
        let candidates = String::from_utf8(output.stdout).unwrap();
        assert!(candidates.starts_with(expected), "{shell}: {candidates}");
    }
}

#[test]
fn the_version_lists_the_versions_of_the_tables() {
    assert_eq!(robots(["-V"]).stdout.lines().count(), 1);
    let version = robots(["--version"]).stdout;
    // The text ends with the first digits of a year.
    let count = robots_txt::Dialect::ALL.len();
    let line = format!("dialects  {count} of robots.txt, by documentation read on 20");
    assert!(version.contains(&line), "{version}");
    let table = AgentTable::built_in();
    let line = format!(
        "robots    {} known, as of {}\n",
        table.iter().len(),
        table.date()
    );
    assert!(version.contains(&line), "{version}");
}
