//! A service in this process, and raw HTTP to it.

use robots_server::{Config, Server};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// A service that is stopped when it is dropped.
pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<(bool, Runtime)>>,
    /// That of a service that has ended.
    runtime: Option<Runtime>,
}

/// Starts a service with these settings, on a free port.
pub(crate) fn start(settings: &[(&str, &str)]) -> Service {
    let pairs = settings
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let listen = [("listen".to_owned(), "127.0.0.1:0".to_owned())];
    let config = Config::load(None, [], listen.into_iter().chain(pairs)).unwrap();
    let (stop, stopped) = oneshot::channel();
    let (send, receive) = std::sync::mpsc::channel();
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let is_complete = runtime.block_on(async {
            let server = Server::bind(config).await.unwrap();
            send.send(server.address()).unwrap();
            server
                .serve(async {
                    let _ = stopped.await;
                })
                .await
        });
        (is_complete, runtime)
    });
    Service {
        address: receive.recv().unwrap(),
        stop: Some(stop),
        thread: Some(thread),
        runtime: None,
    }
}

impl Service {
    /// Asks the service to stop.
    pub(crate) fn ask_to_stop(&mut self) {
        let _ = self.stop.take().unwrap().send(());
    }

    /// Waits for the end. Returns whether all requests were answered. The runtime of the service remains.
    pub(crate) fn join(&mut self) -> bool {
        let (is_complete, runtime) = self.thread.take().unwrap().join().unwrap();
        self.runtime = Some(runtime);
        is_complete
    }

    /// Connects, with a timeout on both ways.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream
            .set_write_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream
    }

    /// Sends bytes over a connection of their own, and returns all that comes back.
    pub(crate) fn send(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A service that refuses a request may close before all is sent. To close here would be to take the question back.
        let _ = stream.write_all(bytes);
        Answer::read(&mut stream)
    }

    /// Sends a body of a media type to a path.
    pub(crate) fn post(&self, path: &str, content_type: &str, body: &str) -> Answer {
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
        );
        self.send(&[head.as_bytes(), body.as_bytes()].concat())
    }

    /// Sends a question as JSON.
    pub(crate) fn ask(&self, path: &str, question: &Value) -> Answer {
        self.post(path, "application/json", &question.to_string())
    }

    /// Requests a path with header lines, each with its end.
    pub(crate) fn get(&self, path: &str, lines: &str) -> Answer {
        self.send(
            format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{lines}\r\n")
                .as_bytes(),
        )
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && !thread::panicking()
        {
            self.runtime = Some(thread.join().unwrap().1);
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// Reads an answer up to the end of the connection.
    pub(crate) fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A connection that ends while its client sends may be reset after the answer.
        let _ = stream.read_to_end(&mut bytes);
        Self::parse(&bytes)
    }

    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self {
            status,
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    /// Returns the value of a header line.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(": ")?;
            known.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// Returns the name of the problem and its limit, after checks of all that problems have in common.
    #[track_caller]
    pub(crate) fn problem(&self) -> (String, Option<String>) {
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json"),
            "{self:?}"
        );
        let document = self.json();
        assert_eq!(document["status"], self.status);
        assert_eq!(document["request_id"].as_str(), self.header("x-request-id"));
        for key in ["title", "detail"] {
            assert!(!document[key].as_str().unwrap().is_empty(), "{document}");
        }
        // docs/service.md, limits.
        if matches!(self.status, 429 | 503) {
            let pause = self.header("retry-after").unwrap_or_default();
            assert!(
                pause.parse().is_ok_and(|seconds: u64| seconds > 0),
                "{self:?}"
            );
        }
        let kind = document["type"].as_str().unwrap();
        let name = kind.strip_prefix("/docs#problem-").unwrap().to_owned();
        let limit = document["limit"]["name"].as_str().map(str::to_owned);
        (name, limit)
    }

    /// Checks the status and the problem.
    #[track_caller]
    pub(crate) fn assert_problem(&self, status: u16, name: &str, limit: Option<&str>) {
        assert_eq!(self.status, status, "{self:?}");
        let (found, found_limit) = self.problem();
        assert_eq!((found.as_str(), found_limit.as_deref()), (name, limit));
    }
}
