//! A service in this process, raw HTTP to it, and sites on loopback that it requests.

use robots_server::{Config, Server};
use serde_json::Value;
use std::fmt;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Deref;
use std::sync::{Arc, Mutex};
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
        let lines = format!("Content-Type: {content_type}\r\n");
        self.send(&request(path, &lines, body))
    }

    /// Sends a question as JSON.
    pub(crate) fn ask(&self, path: &str, question: &Value) -> Answer {
        self.post(path, "application/json", &question.to_string())
    }

    /// Asks a question that is answered, and returns the answer.
    #[track_caller]
    pub(crate) fn answer(&self, path: &str, question: &Value) -> Value {
        let answer = self.ask(path, question);
        assert_eq!(answer.status, 200, "{question}: {answer:?}");
        answer.json()
    }

    /// Returns what is known about the robots.txt of an origin.
    #[track_caller]
    pub(crate) fn robots(&self, origin: &str) -> Value {
        let name = origin.replace("://", "%3A%2F%2F").replace(':', "%3A");
        let answer = self.get(&format!("/v1/robots/{name}"), "");
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
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

/// Returns a request with a body and header lines, each with its end. Its connection ends with the answer.
pub(crate) fn request(path: &str, lines: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{lines}");
    format!("{head}Content-Length: {length}\r\n\r\n{body}").into_bytes()
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

    /// Checks that a question has an invalid value, and that the detail of the problem has these words.
    #[track_caller]
    pub(crate) fn assert_invalid(&self, words: &str) {
        self.assert_problem(422, "invalid-value", None);
        let document = self.json();
        let detail = document["detail"].as_str().unwrap();
        assert!(detail.contains(words), "{words}: {detail}");
    }
}

/// Returns the cases of a table with lines of `PATH QUESTION | EXPECTED`.
pub(crate) fn cases(table: &str) -> impl Iterator<Item = (&str, Value, &str)> {
    table.trim().lines().map(|line| {
        let (question, expected) = line.rsplit_once(" | ").unwrap();
        let (path, question) = question.trim().split_once(' ').unwrap();
        (path, serde_json::from_str(question).unwrap(), expected)
    })
}

/// A site on loopback, which is its origin, and notes the paths that are requested. It ends with the test program.
#[derive(Clone)]
pub(crate) struct Site {
    origin: String,
    requests: Arc<Mutex<Vec<String>>>,
}

/// Starts a site. Each path has the response that `answer` returns.
pub(crate) fn site(answer: impl Fn(&str) -> String + Send + 'static) -> Site {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::default();
    let site = Site { origin, requests };
    let requests = Arc::clone(&site.requests);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut part = [0; 4096];
            while !request.ends_with(b"\r\n\r\n") {
                match stream.read(&mut part) {
                    Ok(length @ 1..) => request.extend_from_slice(&part[..length]),
                    _ => break,
                }
            }
            let request = String::from_utf8_lossy(&request).into_owned();
            let path = request.split(' ').nth(1).unwrap_or_default();
            requests.lock().unwrap().push(path.to_owned());
            let _ = stream.write_all(answer(path).as_bytes());
        }
    });
    site
}

/// Starts a site that has a status with header lines, and a body, for every path.
pub(crate) fn same_site(head: &'static str, body: &'static str) -> Site {
    site(move |_| response(head, body))
}

/// The status and type of a robots.txt.
pub(crate) const TEXT: &str = "200 OK\r\nContent-Type: text/plain";

/// Returns a response with a status and header lines, without the end of the last.
pub(crate) fn response(head: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
}

impl Site {
    /// Returns the paths that were requested.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Deref for Site {
    type Target = str;

    fn deref(&self) -> &str {
        &self.origin
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}
