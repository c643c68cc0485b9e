//! The memory of requests: their bodies, fetched files and pages, and answers, of all requests together up to
//! `limits.bodies-bytes`.

use crate::config::{Bytes, Limits};
use crate::problem::{OVERLOAD_PAUSE, Problem, ProblemKind};
use std::sync::Arc;
use tokio::sync::{Semaphore, SemaphorePermit};

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
    /// The number of its permits.
    held: u32,
}

impl Drop for HeldMemory {
    fn drop(&mut self) {
        if self.held > 0 {
            self.all.permits.add_permits(self.bytes());
        }
    }
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
            held: 0,
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
        let (more, held) = self.permits(bytes)?;
        let permits = self.all.permits.try_acquire_many(more);
        // They are given back when this part is dropped.
        permits
            .map(SemaphorePermit::forget)
            .map_err(|_| self.all.full())?;
        self.held = held;
        Ok(())
    }

    /// Adds this number of bytes as soon as others hold little enough.
    ///
    /// # Errors
    ///
    /// If this part would have 4 GiB.
    pub(crate) async fn wait(&mut self, bytes: usize) -> Result<(), Problem> {
        let (more, held) = self.permits(bytes)?;
        let permits = self.all.permits.acquire_many(more).await;
        permits
            .map(SemaphorePermit::forget)
            .map_err(|_| self.all.full())?;
        self.held = held;
        Ok(())
    }

    /// Returns the number of permits for more bytes, and that of this part with them. Those of a part are a `u32` together.
    fn permits(&self, more: usize) -> Result<(u32, u32), Problem> {
        let more = u32::try_from(more).ok();
        let both = more.and_then(|more| Some((more, self.held.checked_add(more)?)));
        both.ok_or_else(|| self.all.full())
    }

    /// Adds another part.
    ///
    /// # Errors
    ///
    /// If this part would have 4 GiB.
    pub(crate) fn merge(&mut self, mut other: Self) -> Result<(), Problem> {
        let (_, held) = self.permits(other.bytes())?;
        other.held = 0;
        self.held = held;
        Ok(())
    }

    /// Returns the number of bytes.
    pub(crate) fn bytes(&self) -> usize {
        usize::try_from(self.held).unwrap_or(usize::MAX)
    }

    /// Moves this number of bytes to a part of its own.
    pub(crate) fn split(&mut self, bytes: usize) -> Self {
        let held = u32::try_from(bytes).unwrap_or(u32::MAX).min(self.held);
        self.held = self.held.saturating_sub(held);
        Self {
            all: self.all.clone(),
            held,
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
