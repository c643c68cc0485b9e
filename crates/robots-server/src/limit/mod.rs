//! Limits on clients and requests: who a client is, and what one client and all of them may use at once.

pub(crate) mod client;
pub(crate) mod held;
pub(crate) mod key;
pub(crate) mod memory;
pub(crate) mod queue;
pub(crate) mod rate;
pub(crate) mod share;
pub(crate) mod time;
pub(crate) mod work_places;
