//! Runs whose standard output or standard error cannot be written, or that the system refuses files or threads: every command.

use crate::program::workspace;
use std::fs::File;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The words of a run of each command, and its input. All but those of `lsp`, `mcp` and `serve` write results.
const RUNS: &[(&str, &str)] = &[
    ("agents", ""),
    ("audit --robots tests/fixtures/robots/odd-robots.txt -", LOG),
    ("block ai-train", ""),
    ("check tests/fixtures/robots/odd-robots.txt /x", ""),
    ("completions bash", ""),
    ("decide tests/fixtures/crawl.warc.gz --json", ""),
    ("diff tests/fixtures/robots/odd-robots.txt /dev/null", ""),
    ("explain R012", ""),
    ("fetch http://127.0.0.1:1/", ""),
    (
        "headers -",
        "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex, nofolow\r\n\r\n",
    ),
    ("lint tests/fixtures/robots/odd-robots.txt", ""),
    ("lsp", "no message\r\n\r\n"),
    ("man", ""),
    ("mcp", ""),
    ("meta tests/fixtures/crawl.warc.gz", ""),
    ("profiles", ""),
    ("serve --listen 192.0.2.1:1", ""),
    ("survey tests/fixtures/crawl.warc.gz", ""),
    ("test tests/cases/pages/metas.toml", ""),
    ("usage tests/fixtures/robots", ""),
    (
        "verify tests/fixtures/robots tests/fixtures/crawl.warc.gz",
        "",
    ),
    (
        "why - --base https://example.com/x --robots tests/fixtures/robots/odd-robots.txt",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>a</title>",
    ),
];

const LOG: &str =
    "192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] \"GET /x HTTP/1.1\" 200 1 \"-\" \"GPTBot/1.0\"\n";

/// Runs the program with words and a redirection of a shell.
fn run(words: &str, input: &str, shell: &str) -> Output {
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(shell)
        .arg(env!("CARGO_BIN_EXE_robots"))
        .args(words.split(' '))
        .current_dir(workspace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A run that ends before it reads closes its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_command_is_in_the_table() {
    let program = robots_cli::command_line();
    let mut names: Vec<_> = program
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    names.sort_unstable();
    let tested = RUNS
        .iter()
        .map(|(words, _)| words.split(' ').next().unwrap());
    assert_eq!(names, tested.collect::<Vec<_>>());
}

#[test]
fn results_do_not_depend_on_standard_error() {
    let failing = RUNS
        .iter()
        .map(|(words, _)| (words.split(' ').next().unwrap(), ""));
    let failing = failing.map(|(name, input)| (format!("{name} --no-such-option"), input));
    let runs = RUNS
        .iter()
        .map(|(words, input)| ((*words).to_owned(), *input));
    let more = [
        "decide /nowhere/a.warc",
        "--help",
        "--version",
        "no-such-command",
    ];
    let more = more.into_iter().map(|words| (words.to_owned(), ""));
    for (words, input) in runs.chain(failing).chain(more) {
        let expected = run(&words, input, "exec \"$0\" \"$@\"");
        let code = expected.status.code();
        assert!(
            matches!(code, Some(0..=2)),
            "{words}: {}",
            text(&expected.stderr)
        );
        for shell in ["2>/dev/full", "2>&-", "2</dev/null"] {
            let run = run(&words, input, &format!("exec \"$0\" \"$@\" {shell}"));
            assert_eq!(run.status.code(), code, "{words} {shell}");
            assert_eq!(text(&run.stdout), text(&expected.stdout), "{words} {shell}");
        }
    }
}

#[test]
fn a_run_without_standard_output_is_an_error() {
    for (words, input) in RUNS.iter().chain(&[("--help", ""), ("--version", "")]) {
        for shell in [">&-", "1</dev/null"] {
            let run = run(words, input, &format!("exec \"$0\" \"$@\" {shell}"));
            assert_eq!(run.status.code(), Some(2), "{words} {shell}");
            let shown = text(&run.stderr);
            assert!(
                shown.contains("error: standard output is closed"),
                "{words}: {shown}"
            );
        }
    }
}

#[test]
fn a_run_that_discards_its_output_is_no_error() {
    // Python's `subprocess.DEVNULL` is open for reading and writing, as what the standard library opens for a closed one.
    let device = File::options()
        .read(true)
        .write(true)
        .open("/dev/null")
        .unwrap();
    let program = Command::new(env!("CARGO_BIN_EXE_robots"))
        .arg("profiles")
        .stdout(device)
        .status();
    assert!(program.unwrap().success());
}

/// A run that needs no more files or threads than it has is not affected.
#[test]
fn a_run_that_is_refused_files_or_threads_is_an_error() {
    // No system has the memory for the stack of such a thread.
    let no_threads = "RUST_MIN_STACK=281474976710656 exec \"$0\" \"$@\"";
    let no_files = "ulimit -n 6; exec \"$0\" \"$@\"";
    for (words, input) in RUNS {
        let usual = run(words, input, "exec \"$0\" \"$@\"");
        for (shell, refused) in [
            (no_files, ["ulimit -n", "Too many open files"]),
            (no_threads, ["ulimit -u"; 2]),
        ] {
            let run = run(words, input, shell);
            let shown = text(&run.stderr);
            assert!(!shown.contains("panicked"), "{words}: {shown}");
            if run.status == usual.status && run.stdout == usual.stdout {
                continue;
            }
            assert_eq!(run.status.code(), Some(2), "{words}: {shown}");
            let is_error = |line: &str| {
                line.starts_with("error: ") && refused.iter().any(|text| line.contains(text))
            };
            assert!(shown.lines().any(is_error), "{words}: {shown}");
        }
    }
    for (shell, words) in [
        (no_threads, "decide tests/fixtures/crawl.warc.gz --json"),
        (no_threads, "lint tests/fixtures/robots/odd-robots.txt"),
        (no_threads, "lsp"),
        (no_threads, "survey tests/fixtures/crawl.warc.gz"),
        (no_threads, "fetch http://127.0.0.1:1/"),
        (no_files, "fetch http://127.0.0.1:1/"),
    ] {
        assert_eq!(
            run(words, "", shell).status.code(),
            Some(2),
            "{words} {shell}"
        );
    }
    // Enough files for most commands, but not for the async runtime of these.
    for (words, input) in RUNS.iter().filter(|(words, _)| {
        ["serve", "mcp", "fetch"]
            .iter()
            .any(|name| words.starts_with(name))
    }) {
        for files in 11..=64 {
            let run = run(
                words,
                input,
                &format!("ulimit -n {files}; exec \"$0\" \"$@\""),
            );
            assert!(
                matches!(run.status.code(), Some(0..=2)),
                "{words}: {files}: {}",
                text(&run.stderr)
            );
        }
    }
}
