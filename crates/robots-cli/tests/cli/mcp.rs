//! `robots mcp`: the process, and sessions with the official client.

use crate::checker::node;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

/// The script with its packages, which `npm ci` installs.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/mcp");

#[test]
fn the_official_client_gets_answers() {
    node(FOLDER, &[]);
}

fn start() -> Child {
    Command::new(env!("CARGO_BIN_EXE_robots"))
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The end of the input ends the program, before and after the start of a session, and so does a signal. Only messages are on standard
/// output.
#[test]
fn the_end_of_the_input_and_signals_end_it() {
    let params = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let messages = format!("no message\n{initialize}\n{initialized}\n");
    for (input, signal) in [
        ("", None),
        ("no message\n", None),
        (&*messages, None),
        (&messages, Some("-INT")),
        (&messages, Some("-TERM")),
    ] {
        let mut process = start();
        let mut stdin = process.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        let mut out = BufReader::new(process.stdout.take().unwrap()).lines();
        if input == messages {
            let answer: Value = serde_json::from_str(&out.next().unwrap().unwrap()).unwrap();
            assert_eq!(answer["id"], 1);
            assert_eq!(answer["result"]["serverInfo"]["name"], "robots");
        }
        if let Some(signal) = signal {
            let pid = process.id().to_string();
            assert!(
                Command::new("kill")
                    .args([signal, &pid])
                    .status()
                    .unwrap()
                    .success()
            );
            assert_eq!(process.wait().unwrap().code(), Some(0), "{signal}");
        }
        drop(stdin);
        assert_eq!(out.count(), 0, "{input}");
        assert_eq!(process.wait().unwrap().code(), Some(0), "{input}");
        // A session that ends well has no log lines.
        let mut log = String::new();
        let mut stderr = process.stderr.take().unwrap();
        stderr.read_to_string(&mut log).unwrap();
        assert_eq!(log, "", "{input}");
    }
}
