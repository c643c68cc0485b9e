//! One request for a robots.txt at a time, however many tasks need it.

use crate::origin_locks::OriginLocks;
use robots_policy::origins::Origin;

/// A holder of facts about origins, which requests a robots.txt when the facts are due for it.
pub(crate) trait SingleRequest: Clone + Send + Sync + 'static {
    /// The facts about one origin at one time.
    type Facts: Clone + Send + Sync + 'static;

    /// The place of a request among those that are made at once. It is dropped at the end of the request.
    type Place: Send + 'static;

    /// Returns the locks of origins. The task that requests a robots.txt holds its lock, and leaves its facts in it.
    fn requests(&self) -> &OriginLocks<Option<Self::Facts>>;

    /// Returns a place for a request; `None` if there are too many.
    fn place(&self) -> Option<Self::Place>;

    /// Returns the present facts.
    fn facts(&self, origin: &Origin) -> impl Future<Output = Self::Facts> + Send;

    /// Returns whether a request is due.
    fn is_due(&self, facts: &Self::Facts) -> bool;

    /// Requests the robots.txt of an origin, given the facts before it. Returns those after it.
    fn request(
        &self,
        origin: &Origin,
        before: Self::Facts,
    ) -> impl Future<Output = Self::Facts> + Send;

    /// Requests the robots.txt of an origin if that is still due when no other task requests it. Returns `None` if there is no place
    /// for the request.
    ///
    /// The request runs in a task of its own: a caller that stops waiting does not cancel it for others, and one that waits for a
    /// request of another caller leaves nothing when it stops.
    fn request_if_due(&self, origin: &Origin) -> impl Future<Output = Option<Self::Facts>> + Send {
        async {
            let mut last = self.requests().of(origin).lock_owned().await;
            let before = match self.due(origin, last.as_ref()).await {
                Ok(before) => before,
                Err(facts) => return Some(facts),
            };
            let place = self.place()?;
            let (this, origin, earlier) = (self.clone(), origin.clone(), before.clone());
            let request = tokio::spawn(async move {
                let facts = this.request(&origin, before).await;
                *last = Some(facts.clone());
                drop((last, place));
                facts
            });
            // The task does not panic, and is cancelled only with the runtime.
            Some(request.await.unwrap_or(earlier))
        }
    }

    /// Requests the robots.txt of an origin in the background, unless another task does so already, or there is no place for it.
    fn request_in_background(&self, origin: &Origin) {
        let Ok(mut last) = self.requests().of(origin).try_lock_owned() else {
            return;
        };
        let Some(place) = self.place() else {
            return;
        };
        let (this, origin) = (self.clone(), origin.clone());
        tokio::spawn(async move {
            if let Ok(before) = this.due(&origin, last.as_ref()).await {
                *last = Some(this.request(&origin, before).await);
            }
            drop((last, place));
        });
    }

    /// Returns the facts before a request. The error has facts for which none is due: the present ones, or those of the task that held
    /// the lock before, for which the store may have had no room.
    fn due(
        &self,
        origin: &Origin,
        last: Option<&Self::Facts>,
    ) -> impl Future<Output = Result<Self::Facts, Self::Facts>> + Send {
        async move {
            let facts = self.facts(origin).await;
            if !self.is_due(&facts) {
                return Err(facts);
            }
            match last.filter(|last| !self.is_due(last)) {
                Some(last) => Err(last.clone()),
                None => Ok(facts),
            }
        }
    }
}
