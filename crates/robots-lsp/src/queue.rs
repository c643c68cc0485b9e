//! The messages that wait, and the documents whose diagnostics are due.

use crate::transport::request_id;
use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError};
use lsp_server::{Message, RequestId};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// The time after the last change of a document in which no message arrives before its diagnostics are published. Of a burst of
/// changes, only the last text is linted.
pub const QUIET: Duration = Duration::from_millis(100);

/// The maximum number of messages that wait here. Up to this number, a cancellation reaches a request before its turn.
const MAX_WAITING: usize = 256;

/// The next work of the server.
pub(crate) enum Event {
    Message(Message),
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
    waiting: VecDeque<Message>,
    cancelled: VecDeque<RequestId>,
    /// The time of publication for each URI.
    due: BTreeMap<String, Instant>,
}

impl Queue {
    /// Waits for the next work. Messages come before diagnostics.
    pub(crate) fn next(&mut self, receiver: &Receiver<Message>) -> Event {
        loop {
            let is_closed = self.receive_waiting(receiver);
            if let Some(id) = self.cancelled.pop_front() {
                return Event::Cancelled(id);
            }
            if let Some(message) = self.waiting.pop_front() {
                return Event::Message(message);
            }
            if is_closed {
                return Event::Closed;
            }
            let next = self.due.iter().min_by_key(|(_, at)| **at);
            let received = match next {
                None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some((_, at)) => receiver.recv_deadline(*at),
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

    /// Takes the messages that are there. Returns whether the input has ended.
    fn receive_waiting(&mut self, receiver: &Receiver<Message>) -> bool {
        while self.waiting.len() < MAX_WAITING {
            match receiver.try_recv() {
                Ok(message) => self.add(message),
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => return true,
            }
        }
        false
    }

    fn add(&mut self, message: Message) {
        let Message::Notification(notification) = &message else {
            return self.waiting.push_back(message);
        };
        if notification.method != "$/cancelRequest" {
            return self.waiting.push_back(message);
        }
        let id = notification.params.get("id").unwrap_or(&Value::Null);
        let Some(id) = request_id(id) else {
            return;
        };
        // A request that was answered already has nothing to cancel.
        let has_id =
            |message: &Message| matches!(message, Message::Request(request) if request.id == id);
        if let Some(at) = self.waiting.iter().position(has_id) {
            self.waiting.remove(at);
            self.cancelled.push_back(id);
        }
    }

    /// Publishes the diagnostics of a document after this time without a message.
    pub(crate) fn publish(&mut self, uri: &str, after: Duration) {
        let now = Instant::now();
        let at = now.checked_add(after).unwrap_or(now);
        self.due.insert(uri.to_owned(), at);
    }

    /// Publishes nothing about a document.
    pub(crate) fn forget(&mut self, uri: &str) {
        self.due.remove(uri);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;
    use lsp_server::{Notification, Request};
    use serde_json::json;

    fn request(id: i32) -> Message {
        Request::new(id.into(), "x".to_owned(), json!({})).into()
    }

    fn cancel(id: &Value) -> Message {
        Notification::new("$/cancelRequest".to_owned(), json!({ "id": id })).into()
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
