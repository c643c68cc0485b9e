//! The options for messages, and the short forms of options.

use crate::program::{command, commands, page, robots, robots_on};

/// The archive of the fixtures.
const CRAWL: &str = "tests/fixtures/crawl.warc.gz";

#[test]
fn quiet_commands_print_only_results_and_errors() {
    let robots_txt = "tests/fixtures/robots/odd-robots.txt";
    let odd = std::fs::read_to_string(crate::program::workspace().join(robots_txt)).unwrap();
    for words in [
        &["decide", CRAWL][..],
        &["check", robots_txt, "/search/x"],
        &["lint", robots_txt],
        &["agents"],
        &["meta", CRAWL],
        &["test", "tests/cases/pages/metas.toml"],
        &["decide", "-a", "googelbot", CRAWL],
        &["lint", "--meta", robots_txt],
    ] {
        let loud = robots(words);
        assert_ne!(loud.stderr, "", "{words:?}");
        for option in ["-q", "--quiet"] {
            let quiet = robots([words, &[option]].concat());
            assert_eq!(quiet.stderr, "", "{words:?}");
            assert_eq!((quiet.code, quiet.stdout), (loud.code, loud.stdout.clone()));
        }
    }
    // An error is printed.
    let error = robots(["-q", "lint", "/nowhere/robots.txt"]);
    error.assert_error("/nowhere/robots.txt");
    // An input that is left out is an error.
    let left_out = robots_on(
        ["decide", "--quiet", CRAWL, "/nowhere/a.warc"],
        odd.as_bytes(),
    );
    assert_eq!(left_out.code, 2);
    assert_eq!(left_out.stderr.lines().count(), 1, "{}", left_out.stderr);
    left_out.assert_stderr_contains("error: cannot read /nowhere/a.warc");
    assert_eq!(robots(["decide", "-q", "-v", CRAWL]).code, 2);
}

#[test]
fn short_options_mean_the_same_in_every_command() {
    let forms = [
        ("-a", "--agent"),
        ("-f", "--format"),
        ("-h", "--help"),
        ("-o", "--output"),
        ("-p", "--profile"),
        ("-q", "--quiet"),
        ("-v", "--verbose"),
    ];
    for command in &commands() {
        let help = robots([command, "--help"]).stdout;
        let (_, options) = help.split_once("\nOptions:\n").unwrap();
        let (options, _) = options.split_once("\nExamples:\n").unwrap();
        // A line that begins with the name of an option in its description has a larger indent.
        let is_option = |line: &&str| line.starts_with("  -") || line.starts_with("      -");
        for line in options.lines().filter(is_option) {
            let mut words = line.split_whitespace();
            let first = words.next().unwrap();
            let found = match first.strip_suffix(',') {
                Some(short) => (short, words.next().unwrap()),
                None => ("", first),
            };
            // An option that has a short form in one command has it in all, and the form has no other meaning.
            let expected = forms
                .iter()
                .find(|form| form.0 == found.0 || form.1 == found.1);
            assert_eq!(
                expected.copied().unwrap_or(("", found.1)),
                found,
                "{command}"
            );
        }
    }
    let archive = tempfile::NamedTempFile::with_suffix(".warc").unwrap();
    std::fs::write(archive.path(), page("https://a.example/", "<p>")).unwrap();
    let path = archive.path().to_str().unwrap();
    let short = command(&format!("decide -p google -a Googlebot-News -f csv {path}"));
    let long = command(&format!(
        "decide --profile google --agent Googlebot-News --format csv {path}"
    ));
    short.assert_success();
    assert_eq!(short.stdout, long.stdout);
}
