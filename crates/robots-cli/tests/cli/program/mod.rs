//! Runs the program, and makes archives for it.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of this module"
)]

pub mod browser;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The exit code and output of a run.
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Asserts that the run ended with an error, and that its messages contain a text.
    #[track_caller]
    pub fn assert_error(&self, text: &str) {
        assert_eq!(self.code, 2, "{text}: {}", self.stderr);
        self.assert_stderr_contains(text);
    }

    /// Asserts that the run ended without an error or a finding.
    #[track_caller]
    pub fn assert_success(&self) {
        assert_eq!(self.code, 0, "{}", self.stderr);
    }

    /// Returns standard output as one value of JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|_| panic!("{}", self.stderr))
    }

    /// Returns standard output as JSON Lines.
    #[track_caller]
    pub fn rows(&self) -> Vec<Value> {
        json_lines(&self.stdout)
    }

    /// Asserts that standard output contains a text.
    #[track_caller]
    pub fn assert_stdout_contains(&self, text: &str) {
        assert!(self.stdout.contains(text), "{text}: {}", self.stdout);
    }

    /// Asserts that standard error contains a text.
    #[track_caller]
    pub fn assert_stderr_contains(&self, text: &str) {
        assert!(self.stderr.contains(text), "{text}: {}", self.stderr);
    }
}

/// Reads JSON Lines.
pub fn json_lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns values of JSON as counts.
pub fn counts<const N: usize>(values: [&Value; N]) -> [u64; N] {
    values.map(|value| value.as_u64().unwrap())
}

/// Returns the root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A folder that is deleted when it is dropped.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Returns the path of the folder.
    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file, and returns its path.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// Makes a folder that is deleted when it is dropped: in memory, where the system has such a place. For runs that write
/// to disk after each row: a slow disk lets them take minutes, and what a killed program has written stays without it.
pub fn folder_in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

/// Returns the names of the commands, those that the help does not list included.
pub fn commands() -> Vec<String> {
    let program = robots_cli::command_line();
    let commands = program.get_subcommands();
    commands
        .map(|command| command.get_name().to_owned())
        .collect()
}

/// Runs the program in the root of the workspace.
pub fn robots<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Outcome {
    robots_on(args, b"")
}

/// Runs the program with the words of a line.
pub fn command(line: &str) -> Outcome {
    robots(line.split(' '))
}

/// Runs the program with the words of a line and this standard input.
pub fn command_on(line: &str, input: &[u8]) -> Outcome {
    robots_on(line.split(' '), input)
}

/// Runs the program with this standard input.
pub fn robots_on<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, input: &[u8]) -> Outcome {
    run(workspace(), args, input)
}

/// Runs the program in this folder.
pub fn robots_in<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> Outcome {
    run(folder, args, b"")
}

/// Runs the program in this folder, with this standard input.
pub fn run<S: AsRef<OsStr>>(
    folder: &Path,
    args: impl IntoIterator<Item = S>,
    input: &[u8],
) -> Outcome {
    let output = output_in(folder, args, input);
    Outcome {
        code: output.status.code().expect("the program exits"),
        stdout: String::from_utf8(output.stdout).expect("output is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

/// Runs the program in a folder, with this standard input. Its output may be any bytes.
pub fn output_in<S: AsRef<OsStr>>(
    folder: &Path,
    args: impl IntoIterator<Item = S>,
    input: &[u8],
) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_robots"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A program that does not read its input closes it.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the input is written");
    output
}

/// Returns a WARC response with status 200.
pub fn response(url: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    record(url, &format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n"), body)
}

/// Returns a WARC response.
pub fn record(url: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let length = head.len().saturating_add(body.len());
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-20T00:00:00Z\r\nContent-Length: {length}\r\n\r\n{head}"
    );
    [record.as_bytes(), body, b"\r\n\r\n"].concat()
}

/// Returns a WARC response with a page.
pub fn page(url: &str, html: &str) -> Vec<u8> {
    response(url, "Content-Type: text/html", html.as_bytes())
}

/// Returns a WARC response with plain text, such as a robots.txt.
pub fn plain_text(url: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    response(url, "Content-Type: text/plain", body.as_ref())
}

/// Returns a gzip member.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(bytes)
        .expect("a write to memory succeeds");
    encoder.finish().expect("a write to memory succeeds")
}

/// Copies a folder with all its content.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
