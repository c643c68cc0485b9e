//! A server that follows a script.

use robots_policy::origins::Origin;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The maximum time that a test waits for an event.
const PATIENCE: Duration = Duration::from_secs(10);

/// A step of a server after it has read a request. After the last step it closes the connection.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Send(Vec<u8>),
    Wait(Duration),
    /// Sends these bytes repeatedly, with a pause after each time, until the client is gone.
    Repeat(Vec<u8>, Duration),
    /// Does nothing until the client is gone.
    Hold,
    /// Lets the connection end with a reset (TCP RST) when it is closed.
    Reset,
}

/// A server's record of its clients.
#[derive(Debug, Default)]
struct Seen {
    requests: Mutex<Vec<String>>,
    open: AtomicUsize,
    most_open: AtomicUsize,
    /// The number of clients that sent a request, and left before the server was done.
    left: AtomicUsize,
}

#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts a server. `script` returns the steps for a request, given its 0-based index and its head.
    pub(crate) async fn start<F>(script: F) -> Self
    where
        F: Fn(usize, &str) -> Vec<Act> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let script = Arc::new(script);
        let of_task = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (seen, script) = (Arc::clone(&of_task), Arc::clone(&script));
                tokio::spawn(async move {
                    let open = seen.open.fetch_add(1, Ordering::SeqCst) + 1;
                    seen.most_open.fetch_max(open, Ordering::SeqCst);
                    talk(stream, &seen, &*script).await;
                    seen.open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self {
            address,
            seen,
            task,
        }
    }

    /// Starts a server that takes the same steps for each request.
    pub(crate) async fn acting(acts: Vec<Act>) -> Self {
        Self::start(move |_, _| acts.clone()).await
    }

    /// Starts a server that sends these bytes for each request.
    pub(crate) async fn sending(bytes: impl Into<Vec<u8>>) -> Self {
        Self::acting(vec![Act::Send(bytes.into())]).await
    }

    /// Starts a server that redirects each request with this status and location.
    pub(crate) async fn redirecting(status: u16, location: &str) -> Self {
        Self::sending(redirect(status, location)).await
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn origin(&self) -> Origin {
        Origin::of(&self.url()).unwrap()
    }

    /// Returns the URL of its robots.txt.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/robots.txt", self.address)
    }

    /// Returns the heads of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }

    /// Returns the maximum number of connections that were open at once.
    pub(crate) fn most_open(&self) -> usize {
        self.seen.most_open.load(Ordering::SeqCst)
    }

    /// Waits for this number of requests.
    pub(crate) async fn wait_for_requests(&self, times: usize) {
        until(|| self.requests().len() >= times).await;
    }

    /// Waits for this number of clients to leave before the server is done.
    pub(crate) async fn wait_for_departures(&self, times: usize) {
        until(|| self.seen.left.load(Ordering::SeqCst) >= times).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn until(holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap();
}

async fn talk(
    mut stream: TcpStream,
    seen: &Seen,
    script: &(dyn Fn(usize, &str) -> Vec<Act> + Send + Sync),
) {
    let Some(head) = read_head(&mut stream).await else {
        return;
    };
    let index = {
        let mut requests = seen.requests.lock().unwrap();
        requests.push(head.clone());
        requests.len() - 1
    };
    for act in script(index, &head) {
        if !perform(act, &mut stream).await {
            seen.left.fetch_add(1, Ordering::SeqCst);
            return;
        }
    }
    stream.shutdown().await.ok();
}

/// Takes a step. Returns whether the client is still there.
async fn perform(act: Act, stream: &mut TcpStream) -> bool {
    match act {
        Act::Send(bytes) => stream.write_all(&bytes).await.is_ok(),
        Act::Wait(pause) => {
            tokio::time::sleep(pause).await;
            true
        }
        Act::Repeat(bytes, pause) => {
            while stream.write_all(&bytes).await.is_ok() {
                tokio::time::sleep(pause).await;
            }
            false
        }
        Act::Hold => {
            while stream.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {}
            false
        }
        Act::Reset => {
            stream.set_zero_linger().unwrap();
            true
        }
    }
}

/// Reads the head of a request. Returns `None` if the client leaves before it is complete.
pub(crate) async fn read_head(stream: &mut (impl AsyncReadExt + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8(head).unwrap())
}

/// Returns a response with these headers, each with its line end, and this body.
pub(crate) fn response(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

pub(crate) fn ok(body: impl AsRef<[u8]>) -> Vec<u8> {
    response(200, "", body)
}

pub(crate) fn redirect(status: u16, location: &str) -> Vec<u8> {
    response(status, &format!("Location: {location}\r\n"), "elsewhere")
}

/// Returns the value of a header of a request.
pub(crate) fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then_some(value.trim())
    })
}
