//! The server as its clients see it: messages in memory.
#![allow(clippy::unwrap_used, reason = "a failure here fails the test")]
#![allow(
    clippy::format_collect,
    clippy::needless_pass_by_value,
    reason = "short calls matter more here than copies"
)]

mod answers;
mod client;
mod edits;
mod life;
mod synchronisation;
