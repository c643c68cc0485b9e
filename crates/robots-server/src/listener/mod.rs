//! Connections: which are accepted, how long they may take, and how they end.

mod accept;
mod connection;
mod transport;

pub(crate) use accept::accept;
