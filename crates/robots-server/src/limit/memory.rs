//! The memory of requests: their bodies, fetched files and pages, and answers, of all requests together up to
//! `limits.bodies-bytes`.

use crate::config::{Bytes, Limits};
use crate::problem::{OVERLOAD_PAUSE, Problem, ProblemKind};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The memory of all requests. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    /// A permit for each byte.
    permits: Arc<Semaphore>,
    limit: Bytes,
}

/// A part of the memory, until it is dropped.
#[derive(Debug)]
pub(crate) struct HeldMemory {
    all: Memory,
    held: Option<OwnedSemaphorePermit>,
}

impl Memory {
    pub(crate) fn new(limits: &Limits) -> Self {
        let limit = limits.bodies_bytes;
        let permits = limit.0.min(Semaphore::MAX_PERMITS);
        Self {
            permits: Arc::new(Semaphore::new(permits)),
            limit,
        }
    }

    /// Returns a part of no bytes.
    pub(crate) fn hold(&self) -> HeldMemory {
        HeldMemory {
            all: self.clone(),
            held: None,
        }
    }

    fn full(&self) -> Problem {
        let limit = self.limit;
        let detail = format!("the bodies and answers in memory have {limit}");
        Problem::new(ProblemKind::Overloaded, detail)
            .with_limit("limits.bodies-bytes", limit)
            .with_retry_after(OVERLOAD_PAUSE)
    }
}

impl HeldMemory {
    /// Adds this number of bytes.
    ///
    /// # Errors
    ///
    /// If others hold too much, or if this part would have 4 GiB.
    pub(crate) fn add(&mut self, bytes: usize) -> Result<(), Problem> {
        let permits = self.permits(bytes)?;
        let more = Arc::clone(&self.all.permits).try_acquire_many_owned(permits);
        let more = more.map_err(|_| self.all.full())?;
        self.add_permits(more);
        Ok(())
    }

    /// Adds this number of bytes as soon as others hold little enough.
    ///
    /// # Errors
    ///
    /// If this part would have 4 GiB.
    pub(crate) async fn wait(&mut self, bytes: usize) -> Result<(), Problem> {
        let permits = self.permits(bytes)?;
        let more = Arc::clone(&self.all.permits).acquire_many_owned(permits);
        let more = more.await.map_err(|_| self.all.full())?;
        self.add_permits(more);
        Ok(())
    }

    /// Returns the number of permits for more bytes. Those of a part are a `u32` together.
    fn permits(&self, more: usize) -> Result<u32, Problem> {
        let all = u32::try_from(self.bytes().saturating_add(more));
        let permits = all.and_then(|_| u32::try_from(more));
        permits.map_err(|_| self.all.full())
    }

    fn add_permits(&mut self, more: OwnedSemaphorePermit) {
        match &mut self.held {
            Some(held) => held.merge(more),
            None => self.held = Some(more),
        }
    }

    /// Adds another part.
    ///
    /// # Errors
    ///
    /// If this part would have 4 GiB.
    pub(crate) fn merge(&mut self, other: Self) -> Result<(), Problem> {
        self.permits(other.bytes())?;
        if let Some(more) = other.held {
            self.add_permits(more);
        }
        Ok(())
    }

    /// Returns the number of bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.held
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits)
    }

    /// Moves this number of bytes to a part of its own.
    pub(crate) fn split(&mut self, bytes: usize) -> Self {
        let bytes = bytes.min(self.bytes());
        let held = self.held.as_mut();
        Self {
            all: self.all.clone(),
            held: held.and_then(|held| held.split(bytes)),
        }
    }
}

/// Bytes with their part of the memory.
#[derive(Debug)]
struct HeldBytes {
    bytes: Vec<u8>,
    _memory: HeldMemory,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl HeldMemory {
    /// Returns bytes that hold this part until they are dropped.
    pub(crate) fn with_bytes(self, bytes: Vec<u8>) -> axum::body::Bytes {
        if self.bytes() == 0 {
            return bytes.into();
        }
        axum::body::Bytes::from_owner(HeldBytes {
            bytes,
            _memory: self,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;
    use crate::config::{Bytes, Limits};

    #[test]
    fn parts_together_have_up_to_the_limit() {
        let memory = Memory::new(&Limits {
            bodies_bytes: Bytes(10),
            ..Limits::default()
        });
        let mut first = memory.hold();
        first.add(4).unwrap();
        first.add(3).unwrap();
        let mut second = memory.hold();
        let refused = second.add(4).unwrap_err();
        assert_eq!(refused.limit_name(), Some("limits.bodies-bytes"));
        second.add(3).unwrap();
        assert!(first.add(1).is_err());
        assert!(first.add(usize::MAX).is_err());
        // A part of a part is free when it is dropped.
        let third = first.split(2);
        assert_eq!((first.bytes(), third.bytes()), (5, 2));
        assert!(second.add(1).is_err());
        drop(third);
        second.add(2).unwrap();
        assert_eq!(first.split(usize::MAX).bytes(), 5);
        assert_eq!(first.bytes(), 0);
        second.add(5).unwrap();
        drop(second);
        first.add(10).unwrap();
    }
}
