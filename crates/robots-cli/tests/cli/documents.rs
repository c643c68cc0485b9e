//! The commands in README.md and docs/tools.md print the output that these documents show.

use crate::program::{robots, workspace};

/// Returns the commands that a document shows with their output: arguments, and expected lines.
fn commands(document: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let mut commands: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    let mut in_console = false;
    let mut in_output = false;
    for line in document.lines() {
        if line.starts_with("```") {
            in_console = line == "```console";
            in_output = false;
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| in_console) {
            let command = command
                .strip_prefix("cargo run --release -- ")
                .or_else(|| command.strip_prefix("robots "))
                .unwrap_or_else(|| panic!("not a command of the program: {command:?}"));
            let words = command.split(' ').map(str::to_owned).collect();
            commands.push((words, Vec::new()));
            in_output = true;
        } else if in_output && let Some((_, expected)) = commands.last_mut() {
            expected.push(line.to_owned());
        }
    }
    commands
}

/// Returns whether the lines are as expected. `...` matches any lines.
fn are_as_expected(lines: &[&str], expected: &[String]) -> bool {
    match expected {
        [] => lines.is_empty(),
        [any, rest @ ..] if any == "..." => {
            (0..=lines.len()).any(|skip| are_as_expected(lines.get(skip..).unwrap(), rest))
        }
        [wanted, rest @ ..] => match lines {
            [line, others @ ..] => line == wanted && are_as_expected(others, rest),
            [] => false,
        },
    }
}

/// Runs the commands of a document, and compares their output with what the document shows.
fn assert_output_is_as_shown(document: &str) {
    let text = std::fs::read_to_string(workspace().join(document)).unwrap();
    let commands = commands(&text);
    // Fewer mean that the commands of the document were not found.
    assert!(commands.len() >= 4, "{commands:?}");
    for (command, expected) in commands {
        assert!(!expected.is_empty(), "{command:?} has no output");
        let outcome = robots(&command);
        let lines: Vec<&str> = outcome.stdout.lines().collect();
        assert!(
            are_as_expected(&lines, &expected),
            "{command:?} printed\n{}",
            outcome.stdout
        );
    }
}

#[test]
fn the_readme_shows_the_output_of_its_commands() {
    assert_output_is_as_shown("README.md");
}

#[test]
fn the_tools_page_shows_the_output_of_its_commands() {
    assert_output_is_as_shown("docs/tools.md");
}
