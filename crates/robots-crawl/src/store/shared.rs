//! A store that several processes share: Redis or Valkey.
//!
//! | key | value |
//! | --- | --- |
//! | `PREFIX:origin:ORIGIN` | the record of the origin, with its bodies, a version and a checksum |
//! | `PREFIX:lock:ORIGIN` | the token of the process that requests the origin's robots.txt; it expires after [`LOCK_TIME`] |
//!
//! A value that does not match its checksum, is of another version, or was written by another program counts as missing.
//!
//! Every operation ends within a timeout. After one without a reply the others fail at once for [`PAUSE`], so that an unreachable
//! server delays few requests. The connection is made again after that.

use super::encoding::{decode, encode};
use super::record::OriginRecord;
use crate::sync::lock;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Cmd, ErrorKind, Pipeline, RedisError, Value};
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use std::borrow::Borrow as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// The first part of each key unless it is set.
pub const DEFAULT_PREFIX: &str = "robots";

/// The time for which Redis keeps a record after its last change: 31 days. The steps of failures end after
/// 30 days at the latest.
pub const TIME_TO_LIVE: Duration = Duration::from_secs(31 * 24 * 3600);

/// The timeout of an operation, and of connecting: 250 ms.
pub const TIMEOUT: Duration = Duration::from_millis(250);

/// The time for which the lock of an origin is held without a sign of life: 5 seconds. The process that holds it extends it
/// during its request. If that process dies, another one requests robots.txt after this time.
pub const LOCK_TIME: Duration = Duration::from_secs(5);

/// The time without operations after one that failed without a reply: one second.
const PAUSE: Duration = Duration::from_secs(1);

/// Deletes a lock if it still has the token.
const RELEASE: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then \
    return redis.call('DEL', KEYS[1]) end return 0";

/// Writes a record in place of the one that was read, if it is still there. A value of another type is not a record.
const REPLACE: &str = "local stored = redis.pcall('GET', KEYS[1]) \
    if type(stored) ~= 'string' then stored = '' end \
    if stored ~= ARGV[1] then return 0 end \
    redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1";

/// The number of attempts to write a record while other processes write it.
const PUT_ATTEMPTS: usize = 3;

/// Extends a lock if it still has the token.
const EXTEND: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then \
    return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";

/// A store of facts about origins that processes and machines share: in Redis or Valkey, over TCP without TLS, or a Unix
/// socket.
///
/// It is part of a [`KnownRobots`](crate::KnownRobots), which works without it as well.
#[derive(Debug)]
pub struct SharedStore {
    client: Client,
    prefix: String,
    state: Mutex<State>,
}

/// The state of the connection.
#[derive(Debug, Default)]
struct State {
    connection: Option<ConnectionManager>,
    /// The end of the pause after a failure.
    paused_until: Option<Instant>,
    /// The last failure of an operation that reads, or cannot reach the server, if none has succeeded since.
    read_error: Option<SharedStoreError>,
    /// The last failure of an operation that writes, if none has succeeded since.
    write_error: Option<SharedStoreError>,
}

/// A lock of an origin that this process holds.
#[derive(Debug)]
pub(crate) struct Lease {
    key: String,
    token: String,
}

/// The result of an attempt to lock an origin.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// The lock, if no other process holds it.
    pub(crate) lease: Option<Lease>,
    /// Whether the lock was not set by a store like this one: it does not expire in time.
    pub(crate) is_foreign: bool,
    /// The record of the origin, read after the attempt.
    pub(crate) record: Option<OriginRecord>,
}

impl SharedStore {
    /// Returns the store at a URL: `redis://host:6379`, `redis://user:password@host:6379/0` or `redis+unix:///path`. It connects when
    /// it is first used. Stores with different prefixes of keys share nothing.
    ///
    /// # Errors
    ///
    /// If the URL is not valid.
    pub fn new(url: &str, prefix: &str) -> Result<Self, SharedStoreError> {
        let failed = |source| SharedStoreError::new("read the URL of", source);
        Ok(Self {
            client: Client::open(url).map_err(failed)?,
            prefix: prefix.to_owned(),
            state: Mutex::default(),
        })
    }

    /// Returns the last failure, if no operation of its kind has succeeded since.
    pub fn error(&self) -> Option<SharedStoreError> {
        let state = lock(&self.state);
        let error = state.read_error.as_ref();
        error.or(state.write_error.as_ref()).cloned()
    }

    /// Returns the value of an origin; empty if it has none, or not a text.
    async fn value(&self, origin: &Origin) -> Result<Vec<u8>, SharedStoreError> {
        let reading = Cmd::get(self.record_key(origin));
        Ok(match self.send_one("read from", reading).await? {
            Value::BulkString(value) => value,
            _ => Vec::new(),
        })
    }

    /// Returns the record of an origin.
    pub(crate) async fn record(
        &self,
        origin: &Origin,
    ) -> Result<Option<OriginRecord>, SharedStoreError> {
        let value = self.value(origin).await?;
        Ok(decode(origin.borrow(), &value))
    }

    /// Writes the record of an origin, which was made from `before`. Newer facts of the store stay
    /// ([`OriginRecord::merged`]).
    pub(crate) async fn replace(
        &self,
        origin: &Origin,
        before: &OriginRecord,
        record: &OriginRecord,
        now: Timestamp,
    ) -> Result<(), SharedStoreError> {
        for _ in 0..PUT_ATTEMPTS {
            let stored = self.value(origin).await?;
            let merged = match decode(origin.borrow(), &stored) {
                Some(other) => record.merged(before, other, now),
                None => Some(record.clone()),
            };
            let Some(merged) = merged else {
                return Ok(());
            };
            // Not expected to fail, as every record can be encoded.
            let value =
                encode(origin.borrow(), &merged).map_err(|_| SharedStoreError::unexpected())?;
            let mut writing = eval(REPLACE, &self.record_key(origin));
            writing
                .arg(stored)
                .arg(value)
                .arg(milliseconds(TIME_TO_LIVE));
            match self.send_one("write to", writing).await? {
                Value::ServerError(error) => return Err(self.failed_write(error.into())),
                Value::Int(1) => {
                    lock(&self.state).write_error = None;
                    return Ok(());
                }
                // Another process has written meanwhile.
                _ => {}
            }
        }
        Ok(())
    }

    /// Locks an origin, if no other process holds its lock, and then reads its record.
    pub(crate) async fn lock(&self, origin: &Origin) -> Result<Attempt, SharedStoreError> {
        let lease = Lease {
            key: self.lock_key(origin),
            token: Uuid::new_v4().simple().to_string(),
        };
        let mut locking = Pipeline::new();
        locking
            .cmd("SET")
            .arg(&lease.key)
            .arg(&lease.token)
            .arg("NX")
            .arg("PX")
            .arg(milliseconds(LOCK_TIME))
            .pttl(&lease.key)
            .get(self.record_key(origin));
        let replies = self.send("lock an origin in", locking).await?;
        let [is_set, expiry, value] = replies.as_slice() else {
            return Err(SharedStoreError::unexpected());
        };
        if let Value::ServerError(error) = is_set {
            return Err(self.failed_write(error.clone().into()));
        }
        lock(&self.state).write_error = None;
        let is_locked = *is_set == Value::Okay;
        Ok(Attempt {
            lease: is_locked.then_some(lease),
            // -2: the lock has expired meanwhile.
            is_foreign: !is_locked
                && !matches!(expiry, Value::Int(left) if *left == -2
                    || (0..=milliseconds(LOCK_TIME)).contains(left)),
            record: match value {
                Value::BulkString(value) => decode(origin.borrow(), value),
                _ => None,
            },
        })
    }

    /// Extends a lock, if this process still holds it.
    pub(crate) async fn extend(&self, lease: &Lease) {
        let mut extending = eval(EXTEND, &lease.key);
        extending.arg(&lease.token).arg(milliseconds(LOCK_TIME));
        // If it fails, the lock expires, and another process may request the origin too.
        self.send_one("extend a lock in", extending).await.ok();
    }

    /// Releases a lock, if this process still holds it.
    pub(crate) async fn release(&self, lease: Lease) {
        let mut releasing = eval(RELEASE, &lease.key);
        releasing.arg(lease.token);
        // If it fails, the lock expires.
        self.send_one("release a lock in", releasing).await.ok();
    }

    fn record_key(&self, origin: &Origin) -> String {
        format!("{}:origin:{origin}", self.prefix)
    }

    fn lock_key(&self, origin: &Origin) -> String {
        format!("{}:lock:{origin}", self.prefix)
    }

    /// Sends a command, and returns its reply.
    async fn send_one(
        &self,
        attempted: &'static str,
        command: Cmd,
    ) -> Result<Value, SharedStoreError> {
        let mut commands = Pipeline::new();
        commands.add_command(command);
        let replies = self.send(attempted, commands).await?;
        Ok(replies.into_iter().next().unwrap_or(Value::Nil))
    }

    /// Sends commands, and returns their replies. An error of one command is a reply.
    async fn send(
        &self,
        attempted: &'static str,
        mut commands: Pipeline,
    ) -> Result<Vec<Value>, SharedStoreError> {
        let mut connection = self.connection()?;
        let count = commands.len();
        commands.ignore_errors();
        let sending = connection.send_packed_commands(&commands, 0, count);
        let sent = match tokio::time::timeout(TIMEOUT, sending).await {
            Ok(sent) => sent,
            Err(_) => Err(RedisError::from((
                ErrorKind::Io,
                "no reply within the timeout",
            ))),
        };
        let mut state = lock(&self.state);
        match sent {
            Ok(replies) => {
                state.read_error = None;
                Ok(replies)
            }
            Err(source) => {
                let error = SharedStoreError::new(attempted, source);
                // The connection may be one to a server that is gone.
                state.connection = None;
                state.paused_until = Some(Instant::now() + PAUSE);
                state.read_error = Some(error.clone());
                Err(error)
            }
        }
    }

    /// Returns the connection, or the last error during the pause after it.
    fn connection(&self) -> Result<ConnectionManager, SharedStoreError> {
        let mut state = lock(&self.state);
        let is_paused = state.paused_until.is_some_and(|end| Instant::now() < end);
        if let Some(error) = state.read_error.as_ref().filter(|_| is_paused) {
            return Err(SharedStoreError {
                is_repeated: true,
                ..error.clone()
            });
        }
        if let Some(connection) = &state.connection {
            return Ok(connection.clone());
        }
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(0)
            .set_connection_timeout(Some(TIMEOUT))
            .set_response_timeout(Some(TIMEOUT));
        let connection = ConnectionManager::new_lazy_with_config(self.client.clone(), config)
            .map_err(|source| SharedStoreError::new("connect to", source))?;
        state.connection = Some(connection.clone());
        Ok(connection)
    }

    /// Keeps the error of a command that writes: the memory of the server is full, for example.
    fn failed_write(&self, source: RedisError) -> SharedStoreError {
        let error = SharedStoreError::new("write to", source);
        lock(&self.state).write_error = Some(error.clone());
        error
    }
}

/// Returns the command that runs a script on the value of a key. Its arguments are to be added.
fn eval(script: &str, key: &str) -> Cmd {
    let mut command = redis::cmd("EVAL");
    command.arg(script).arg(1).arg(key);
    command
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX).max(1)
}

/// A failed operation of a [`SharedStore`].
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot {attempted} the shared store")]
pub struct SharedStoreError {
    attempted: &'static str,
    source: Option<Arc<RedisError>>,
    /// Whether the operation was not tried, as an earlier one had failed with this error.
    is_repeated: bool,
}

impl SharedStoreError {
    fn new(attempted: &'static str, source: RedisError) -> Self {
        Self {
            attempted,
            source: Some(Arc::new(source)),
            is_repeated: false,
        }
    }

    fn unexpected() -> Self {
        Self {
            attempted: "read a reply of",
            source: None,
            is_repeated: false,
        }
    }

    /// Returns whether the operation was not tried, because an earlier one failed with this error less than a second ago.
    pub fn is_repeated(&self) -> bool {
        self.is_repeated
    }
}
