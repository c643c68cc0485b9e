//! A redis-server on a Unix socket in a folder of its own, without files.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A server that is stopped when it is dropped.
#[derive(Debug)]
pub(crate) struct RedisServer {
    folder: TempDir,
    process: Option<Child>,
}

impl RedisServer {
    /// Starts a server, unless this machine has none.
    pub(crate) fn start() -> Option<Self> {
        let version = Command::new("redis-server")
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        if version.is_err() {
            let must_run = std::env::var("CI").is_ok_and(|value| value == "true");
            assert!(!must_run, "redis-server is missing");
            println!("skipped: redis-server is missing");
            return None;
        }
        let mut server = Self {
            folder: tempfile::tempdir().unwrap(),
            process: None,
        };
        server.restart();
        Some(server)
    }

    /// Starts the server again, without data.
    pub(crate) fn restart(&mut self) {
        let process = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--appendonly", "no"])
            .arg("--unixsocket")
            .arg(self.socket())
            .arg("--dir")
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .spawn();
        self.process = Some(process.unwrap());
        let start = Instant::now();
        while self.command(&redis::cmd("PING")).is_err() {
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "it does not start"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
        std::fs::remove_file(self.socket()).ok();
    }

    /// Sends the process a signal: `STOP` or `CONT`.
    pub(crate) fn signal(&self, signal: &str) {
        let process = self.process.as_ref().unwrap().id().to_string();
        let status = Command::new("kill")
            .args([format!("-{signal}"), process])
            .status();
        assert!(status.unwrap().success());
    }

    /// Returns the URL for clients.
    pub(crate) fn url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }

    /// Runs a command.
    pub(crate) fn command(&self, command: &redis::Cmd) -> redis::RedisResult<redis::Value> {
        let client = redis::Client::open(self.url())?;
        command.query(&mut client.get_connection()?)
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("redis.sock")
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}
