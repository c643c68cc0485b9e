//! The messages that wait, and the documents whose diagnostics are due.

use crate::message::{Incoming, Invalid, request_id};
use crate::transport::Received;
use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError};
use lsp_server::{Message, RequestId};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// The time after the last change of a document before its diagnostics are published. Of a burst of changes, only the last text
/// is linted.
pub const QUIET: Duration = Duration::from_millis(100);

/// The maximum time after the first change of a burst before the diagnostics of a document are published, however long it lasts.
pub const MAX_DELAY: Duration = Duration::from_millis(500);

/// The maximum number of messages that wait here. Up to this number, a cancellation reaches a request before its turn.
const MAX_WAITING: usize = 256;

/// The next work of the server.
pub(crate) enum Event {
    Message(Message),
    Invalid(Invalid),
    /// A request that the client cancelled before its turn.
    Cancelled(RequestId),
    /// The diagnostics of a document are due.
    Due(String),
    /// The input has ended.
    Closed,
}

/// The messages that wait, and the documents whose diagnostics are due.
#[derive(Default)]
pub(crate) struct Queue {
    waiting: VecDeque<Received>,
    cancelled: VecDeque<RequestId>,
    /// The documents with changes, by URI.
    due: BTreeMap<String, Due>,
}

/// The times of publication of a document.
struct Due {
    /// The time after which no message comes before it.
    latest: Instant,
    at: Instant,
}

impl Due {
    /// Returns the times for a change, which may follow others.
    fn of(before: Option<&Self>, now: Instant, after: Duration) -> Self {
        let later = |time: Duration| now.checked_add(time).unwrap_or(now);
        let latest = before.map_or_else(|| later(MAX_DELAY), |due| due.latest);
        Self {
            latest,
            at: later(after).min(latest),
        }
    }
}

impl Queue {
    /// Waits for the next work. Messages come before diagnostics, up to [`MAX_DELAY`].
    pub(crate) fn next(&mut self, receiver: &Receiver<Received>) -> Event {
        loop {
            let is_closed = self.receive_waiting(receiver);
            if let Some(id) = self.cancelled.pop_front() {
                return Event::Cancelled(id);
            }
            if let Some(uri) = self.overdue() {
                return Event::Due(uri);
            }
            if let Some(received) = self.waiting.pop_front() {
                return match received.incoming {
                    Incoming::Message(message) => Event::Message(message),
                    Incoming::Invalid(invalid) => Event::Invalid(invalid),
                };
            }
            if is_closed {
                return Event::Closed;
            }
            let next = self.due.iter().min_by_key(|(_, due)| due.at);
            let received = match next {
                None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some((_, due)) => receiver.recv_deadline(due.at),
            };
            match received {
                Ok(message) => self.add(message),
                Err(RecvTimeoutError::Disconnected) => return Event::Closed,
                Err(RecvTimeoutError::Timeout) => {
                    let next = next.map(|(uri, _)| uri.clone());
                    if let Some((uri, _)) = next.and_then(|uri| self.due.remove_entry(&uri)) {
                        return Event::Due(uri);
                    }
                }
            }
        }
    }

    /// Takes a document out whose diagnostics can wait no longer.
    fn overdue(&mut self) -> Option<String> {
        if self.due.is_empty() {
            return None;
        }
        let now = Instant::now();
        let overdue = self.due.iter().find(|(_, due)| due.latest <= now);
        let uri = overdue.map(|(uri, _)| uri.clone())?;
        self.due.remove_entry(&uri).map(|(uri, _)| uri)
    }

    /// Takes the messages that are there. Returns whether the input has ended.
    fn receive_waiting(&mut self, receiver: &Receiver<Received>) -> bool {
        while self.waiting.len() < MAX_WAITING {
            match receiver.try_recv() {
                Ok(message) => self.add(message),
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => return true,
            }
        }
        false
    }

    fn add(&mut self, received: Received) {
        let Incoming::Message(Message::Notification(notification)) = &received.incoming else {
            return self.waiting.push_back(received);
        };
        if notification.method != "$/cancelRequest" {
            return self.waiting.push_back(received);
        }
        let id = notification.params.get("id").unwrap_or(&Value::Null);
        let Some(id) = request_id(id) else {
            return;
        };
        // A request that was answered already has nothing to cancel.
        let has_id = |waiting: &Received| matches!(&waiting.incoming, Incoming::Message(Message::Request(request)) if request.id == id);
        if let Some(at) = self.waiting.iter().position(has_id) {
            self.waiting.remove(at);
            self.cancelled.push_back(id);
        }
    }

    /// Publishes the diagnostics of a document after this time without another call, up to [`MAX_DELAY`] after the first call.
    pub(crate) fn publish(&mut self, uri: &str, after: Duration) {
        let due = Due::of(self.due.get(uri), Instant::now(), after);
        self.due.insert(uri.to_owned(), due);
    }

    /// Publishes nothing about a document.
    pub(crate) fn forget(&mut self, uri: &str) {
        self.due.remove(uri);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Budget;
    use crossbeam_channel::unbounded;
    use lsp_server::{Notification, Request};
    use serde_json::json;

    fn received(message: impl Into<Message>) -> Received {
        Received::new(Incoming::Message(message.into()), Budget::new(1).take(0))
    }

    fn request(id: i32) -> Received {
        received(Request::new(id.into(), "x".to_owned(), json!({})))
    }

    fn cancel(id: &Value) -> Received {
        received(Notification::new(
            "$/cancelRequest".to_owned(),
            json!({ "id": id }),
        ))
    }

    #[test]
    fn a_long_burst_delays_diagnostics_up_to_a_limit() {
        let start = Instant::now();
        let mut due = Due::of(None, start, QUIET);
        assert_eq!(due.at, start + QUIET);
        for step in 1..=100 {
            let now = start + Duration::from_millis(30) * step;
            due = Due::of(Some(&due), now, QUIET);
            assert_eq!(due.at, (now + QUIET).min(start + MAX_DELAY), "{step}");
        }
        // Then they come before the messages that wait.
        let (sender, receiver) = unbounded();
        let mut queue = Queue::default();
        let (latest, at) = (start, start);
        queue.due.insert("a".to_owned(), Due { latest, at });
        queue.publish("b", Duration::ZERO);
        sender.send(request(1)).ok();
        assert!(matches!(queue.next(&receiver), Event::Due(uri) if uri == "a"));
        assert!(matches!(queue.next(&receiver), Event::Message(_)));
        assert!(matches!(queue.next(&receiver), Event::Due(uri) if uri == "b"));
    }

    #[test]
    fn a_cancellation_overtakes_its_request() {
        let (sender, receiver) = unbounded();
        for message in [
            request(1),
            request(2),
            cancel(&json!(2)),
            cancel(&json!(9)),
            cancel(&json!(null)),
        ] {
            sender.send(message).ok();
        }
        drop(sender);
        let mut queue = Queue::default();
        let mut shown = Vec::new();
        loop {
            match queue.next(&receiver) {
                Event::Message(Message::Request(request)) => shown.push(format!("{}", request.id)),
                Event::Cancelled(id) => shown.push(format!("cancelled {id}")),
                Event::Closed => break,
                _ => shown.push("other".to_owned()),
            }
        }
        assert_eq!(shown, ["cancelled 2", "1"]);
    }

    #[test]
    fn diagnostics_are_due_once_after_a_burst() {
        let (sender, receiver) = unbounded();
        let mut queue = Queue::default();
        for _ in 0..3 {
            queue.publish("a", Duration::from_millis(5));
        }
        queue.publish("b", Duration::ZERO);
        queue.publish("c", Duration::ZERO);
        queue.forget("c");
        sender.send(request(1)).ok();
        assert!(matches!(queue.next(&receiver), Event::Message(_)));
        assert!(matches!(queue.next(&receiver), Event::Due(uri) if uri == "b"));
        assert!(matches!(queue.next(&receiver), Event::Due(uri) if uri == "a"));
        drop(sender);
        assert!(matches!(queue.next(&receiver), Event::Closed));
    }
}
