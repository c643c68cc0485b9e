//! `robots lsp`: the process, and a session with Neovim.

use crate::program::workspace;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the server on this input.
fn serve(input: &[u8]) -> Output {
    let mut server = Command::new(env!("CARGO_BIN_EXE_robots"))
        .args(["lsp", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    server.stdin.take().unwrap().write_all(input).unwrap();
    server.wait_with_output().unwrap()
}

fn framed(messages: &[Value]) -> Vec<u8> {
    let frame = |message: &Value| {
        let json = message.to_string();
        format!("Content-Length: {}\r\n\r\n{json}", json.len())
    };
    messages.iter().map(frame).collect::<String>().into_bytes()
}

#[test]
fn exit_codes_are_those_of_the_protocol() {
    let initialize = json!({ "id": 1, "method": "initialize", "params": { "capabilities": {} } });
    let shutdown = json!({ "id": "two", "method": "shutdown" });
    let exit = json!({ "method": "exit" });
    let whole = [initialize.clone(), shutdown, exit.clone()];
    let output = serve(&framed(&whole));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.ends_with(r#"{"jsonrpc":"2.0","id":"two","result":null}"#),
        "{printed}"
    );
    // Without `shutdown`, and without any message.
    let output = serve(&framed(&[initialize, exit]));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(serve(b"").status.code(), Some(1));
    let output = serve(b"hello\n");
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        error,
        "error: malformed message: a header line has no colon\n"
    );
}

/// Returns whether Neovim can be run. Without it the session is not tested, except in CI.
fn has_neovim() -> bool {
    let found = Command::new("nvim").arg("--version").output().is_ok();
    let in_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(
        found || !in_ci,
        "nvim is missing: install the package neovim"
    );
    found
}

/// Returns the results of the session with their names.
fn session(folder: &std::path::Path) -> Vec<Value> {
    let script = workspace().join("crates/robots-cli/tests/cli/neovim/session.lua");
    let output = Command::new("nvim")
        .args(["--headless", "--clean", "-n", "-c"])
        .arg(format!("luafile {}", script.display()))
        .current_dir(folder)
        .env("ROBOTS_PROGRAM", env!("CARGO_BIN_EXE_robots"))
        // Its log and state.
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{shown}{errors}");
    let lines = shown.lines().filter(|line| line.starts_with('['));
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn neovim_uses_everything() {
    if !has_neovim() {
        eprintln!("ignored: nvim is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let text = "# ours\nUser-agent: *\nDisalow: /\u{1f916}\nDisallow: relative\nUser-agent: Goo\nDisallow:\n";
    fs::write(folder.path().join("robots.txt"), text).unwrap();
    let rule = "Disallow: /\u{1f916}";
    let expected = [
        json!(["diagnostics", [[2, 0, "R012", 1], [3, 10, "R030", 1]]]),
        json!(["encoding", "utf-16"]),
        json!([
            "actions",
            [
                "R012: write `Disallow`",
                "R012: ignore here with a comment",
                "Fix 1 finding of robots lint"
            ]
        ]),
        json!([
            "fixed",
            [
                "# ours",
                "User-agent: *",
                rule,
                "Disallow: relative",
                "User-agent: Goo",
                "Disallow:"
            ]
        ]),
        json!(["diagnostics after the fix", [[3, 10, "R030", 1]]]),
        json!([
            "diagnostics after typing",
            [[3, 0, "R012", 1], [3, 14, "R032", 2]]
        ]),
        json!([
            "hover",
            "**User-agent**: the product token of a robot that the rules below apply to, or `*` for every other robot."
        ]),
        json!(["hover of the finding", "### R012 misspelt-field"]),
        json!(["completion", "Googlebot"]),
        json!([
            "symbols",
            [
                ["*", [rule, "Disallow: /\u{1f916}\\tx"]],
                ["Goo", ["Disallow:"]],
            ]
        ]),
        json!(["folds", 2]),
        json!([
            "all fixed",
            [
                "# ours",
                "User-agent: *",
                rule,
                "Disallow: /\u{1f916}\tx",
                "User-agent: Goo",
                "Disallow:"
            ]
        ]),
        json!(["exit code", 0]),
    ];
    let results = session(folder.path());
    for (result, expected) in results.iter().zip(&expected) {
        assert_eq!(result, expected);
    }
    assert_eq!(results.len(), expected.len());
}
