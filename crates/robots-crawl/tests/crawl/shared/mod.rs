//! Processes that share what they know through a real redis-server, which each test starts in a folder of its own.
//!
//! Where redis-server is missing, the tests do nothing, unless the environment has `CI=true`: then they fail.

mod faults;
mod redis_server;
mod replicas;
mod sites;

use redis_server::RedisServer;
use sites::Sites;

/// Starts a redis-server, and sites. Returns `None` if there is no redis-server on this machine.
fn run() -> Option<(RedisServer, Sites)> {
    Some((RedisServer::start()?, Sites::start()))
}
