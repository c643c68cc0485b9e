//! One request for a robots.txt at a time, however many tasks need it.

use crate::origin_locks::OriginLocks;
use robots_policy::origins::Origin;
use tokio::task::JoinHandle;

/// A holder of facts about origins, which requests a robots.txt when the facts are due for it.
pub(crate) trait SingleRequest: Clone + Send + Sync + 'static {
    /// The facts about one origin at one time.
    type Facts: Clone + Send + Sync + 'static;

    /// Returns the locks of origins. The task that requests a robots.txt holds its lock, and leaves its facts in it.
    fn requests(&self) -> &OriginLocks<Option<Self::Facts>>;

    /// Returns the present facts.
    fn facts(&self, origin: &Origin) -> Self::Facts;

    /// Returns whether a request is due.
    fn is_due(&self, facts: &Self::Facts) -> bool;

    /// Requests the robots.txt of an origin, given the facts before it. Returns those after it.
    fn request(
        &self,
        origin: &Origin,
        before: Self::Facts,
    ) -> impl Future<Output = Self::Facts> + Send;

    /// Requests the robots.txt of an origin if that is still due when no other task requests it.
    ///
    /// The request runs in a task of its own: a caller that stops waiting does not cancel it for others. `permit` is dropped at
    /// its end.
    fn request_if_due(
        &self,
        origin: &Origin,
        permit: impl Send + 'static,
    ) -> JoinHandle<Self::Facts> {
        let (this, origin) = (self.clone(), origin.clone());
        tokio::spawn(async move {
            let lock = this.requests().of(&origin);
            let mut last = lock.lock_owned().await;
            let facts = this.request_unless_done(&origin, &mut last).await;
            drop((last, permit));
            facts
        })
    }

    /// Requests the robots.txt of an origin in the background, unless another task does so already.
    fn request_in_background(&self, origin: &Origin, permit: impl Send + 'static) {
        let Ok(mut last) = self.requests().of(origin).try_lock_owned() else {
            return;
        };
        let (this, origin) = (self.clone(), origin.clone());
        tokio::spawn(async move {
            this.request_unless_done(&origin, &mut last).await;
            drop((last, permit));
        });
    }

    /// Requests the robots.txt of an origin, unless the task that held the lock before has done so. `last` has the facts that
    /// this task left, for which the store may have had no room.
    fn request_unless_done(
        &self,
        origin: &Origin,
        last: &mut Option<Self::Facts>,
    ) -> impl Future<Output = Self::Facts> + Send {
        async {
            let facts = self.facts(origin);
            if !self.is_due(&facts) {
                return facts;
            }
            if let Some(last) = last.as_ref().filter(|last| !self.is_due(last)) {
                return last.clone();
            }
            let facts = self.request(origin, facts).await;
            *last = Some(facts.clone());
            facts
        }
    }
}
