//! Completions, man pages and the version.

use crate::program::robots;

#[test]
fn every_command_has_a_man_page_and_completions() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    let outcome = robots(["man", "--output-folder", pages.to_str().unwrap()]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let help = robots(["--help"]).stdout;
    let commands = help.split("Commands:").nth(1).unwrap();
    let commands = commands.split("Options:").next().unwrap();
    let names: Vec<&str> = commands
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.len() >= 11, "{names:?}");
    for name in &names {
        let help = robots([name, "--help"]).stdout;
        if let Some((_, examples)) = help.split_once("Examples:\n") {
            for line in examples.lines().take_while(|line| !line.is_empty()) {
                // A line that was wrapped has lost its indentation.
                assert!(line.starts_with("  "), "{name}: {line}");
            }
        }
        let page = std::fs::read_to_string(pages.join(format!("robots-{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME"), "{name}");
    }
    assert!(pages.join("robots.1").is_file());
    assert_eq!(std::fs::read_dir(&pages).unwrap().count(), names.len() + 1);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = robots(["completions", shell]);
        assert_eq!(script.code, 0);
        for name in &names {
            assert!(script.stdout.contains(*name), "{shell}: {name}");
        }
    }
    assert!(robots(["man"]).stdout.contains(".TH robots 1"));
}

#[test]
fn the_version_names_those_of_the_tables() {
    assert_eq!(robots(["-V"]).stdout.lines().count(), 1);
    let version = robots(["--version"]).stdout;
    assert!(version.contains("dialects  13 of robots.txt, by documentation read on 20"));
    assert!(version.contains("robots    1"), "{version}");
}
