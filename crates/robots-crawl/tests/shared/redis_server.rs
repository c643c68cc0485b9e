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
    /// Returns a server that is not started yet.
    pub(crate) fn stopped() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            process: None,
        }
    }

    /// Starts a server.
    pub(crate) fn start() -> Self {
        let mut server = Self::stopped();
        server.restart();
        server
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
