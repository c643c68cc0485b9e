//! A policy whose memory is also on disk: what it learns is kept there, and what it does not know is
//! looked for.

use crate::disk::{BodyKey, DiskStore, KeptSite, MAX_KEPT_BODY, StoreError, StoreErrorKind};
use crate::origin::Origin;
use crate::outcome::{History, blank_last_line};
use crate::policy::Policy;
use crate::store::Site;
use crate::tdmrep::Tdmrep;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// A store on disk, and what went wrong with it last.
#[derive(Debug)]
pub(crate) struct Keeper {
    disk: Arc<DiskStore>,
    error: Mutex<Option<StoreError>>,
    /// Held while something is kept: what is learned later is kept later.
    order: Mutex<()>,
}

/// A body as it is kept.
fn kept(body: &[u8]) -> Cow<'_, [u8]> {
    match body.get(..MAX_KEPT_BODY) {
        Some(start) if start.len() < body.len() => {
            let mut start = start.to_vec();
            blank_last_line(&mut start);
            Cow::Owned(start)
        }
        _ => Cow::Borrowed(body),
    }
}

/// The name under which a body is kept.
pub(crate) fn name_of(body: &[u8]) -> BodyKey {
    BodyKey::of(&kept(body))
}

impl Policy {
    /// With a store on disk: what is learned of robots.txt is kept there too when
    /// [`learn`](Self::learn) returns (or with its group:
    /// [`DiskStore::with_commit_every`]), and what is not known in memory is looked for there. So the
    /// policy survives restarts, and its memory may be small.
    ///
    /// The store is for one table of outcomes, which has said what they mean when they came
    /// ([`Profile::outcomes`](crate::Profile::outcomes)); beside that any robot and dialect may have it, as
    /// files are kept and not compiled rules.
    ///
    /// Several policies may share a store, given as an [`Arc`], as long as one of them learns.
    ///
    /// A disk that fails does not keep the policy from deciding; [`Policy::disk_error`] tells.
    ///
    /// ```
    /// use robots_policy::{DiskStore, Fetch, Page, Policy, RobotsFetch};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("origins.redb");
    /// let url = "https://example.com/x";
    /// let policy = Policy::new("ExampleBot").with_disk(DiskStore::open(&path)?);
    /// policy.learn(url, RobotsFetch::Body(b"User-agent: *\nDisallow: /"))?;
    /// drop(policy);
    ///
    /// let policy = Policy::new("ExampleBot").with_disk(DiskStore::open(&path)?);
    /// assert_eq!(policy.decide_page(&Page::new(url)).fetch, Fetch::Disallow);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_disk(mut self, disk: impl Into<Arc<DiskStore>>) -> Self {
        self.keeper = Some(Keeper {
            disk: disk.into(),
            error: Mutex::default(),
            order: Mutex::default(),
        });
        self
    }

    /// The store on disk, if there is one.
    pub fn disk(&self) -> Option<&DiskStore> {
        self.keeper.as_ref().map(|keeper| &*keeper.disk)
    }

    /// What went wrong with the store on disk last, since this was asked last. Decisions were made as if
    /// what could not be read were not known.
    pub fn disk_error(&self) -> Option<StoreError> {
        let keeper = self.keeper.as_ref()?;
        let mut error = keeper.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.take()
    }

    /// What is known of an origin, in memory or on disk: from there it is brought to memory, if there is
    /// room for it.
    pub(crate) fn load(&self, origin: &str) -> Option<Arc<Site>> {
        if let Some(site) = self.store.get(origin) {
            return Some(site);
        }
        let keeper = self.keeper.as_ref()?;
        let origin = Origin::of(origin).ok()?;
        match self.bring(keeper, &origin) {
            // Somebody may have learned of it meanwhile: then it is that which is known.
            Ok(Some(site)) => Some(self.store.change(origin, Some(Arc::new(site)), |_| {})),
            Ok(None) => None,
            Err(error) => {
                keeper.note(error);
                None
            }
        }
    }

    fn bring(&self, keeper: &Keeper, origin: &Origin) -> Result<Option<Site>, StoreError> {
        let Some(kept) = keeper.disk.get(origin)? else {
            return Ok(None);
        };
        let body = match kept.history.copy() {
            Some(key) => keeper.disk.body(key)?,
            None => None,
        };
        let rules = body.map(|body| self.compile(&body));
        let tdmrep = match &kept.tdmrep {
            Some(key) => keeper.disk.body(key)?,
            None => None,
        };
        Ok(Some(Site {
            history: kept.history.with_copy(rules),
            #[cfg(feature = "fetch")]
            next: next_request(&kept),
            facts: kept.history,
            tdmrep: tdmrep.and_then(|file| Tdmrep::parse(&file).ok()),
        }))
    }

    /// Forgets what is kept of an origin.
    pub(crate) fn forget_kept(&self, origin: &Origin) {
        let Some(keeper) = &self.keeper else {
            return;
        };
        let _held = keeper.order.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = keeper.disk.forget(origin) {
            keeper.note(error);
        }
    }

    /// Keeps what was learned.
    pub(crate) fn keep(&self, origin: &Origin, site: &Site, body: Option<&[u8]>) {
        let Some(keeper) = &self.keeper else {
            return;
        };
        let _held = keeper.order.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody may have learned more meanwhile.
        let current = self.store.get(&origin.to_string());
        let site = current.as_deref().unwrap_or(site);
        let mut record = KeptSite::new(site.facts.clone());
        record.tdmrep = site
            .tdmrep
            .as_ref()
            .map(|tdmrep| BodyKey::of(tdmrep.source()));
        #[cfg(feature = "fetch")]
        let record = with_next_request(record, &site.next);
        let robots = body.map(kept);
        let robots = robots.filter(|body| site.facts.copy() == Some(&BodyKey::of(body)));
        let tdmrep = site.tdmrep.as_ref().map(Tdmrep::source);
        let mut put = keeper
            .disk
            .put(origin, &record, robots.as_deref().into_iter().chain(tdmrep));
        if let Err(error) = &put
            && matches!(error.kind(), StoreErrorKind::BodyMissing { .. })
        {
            // The copy came before there was a disk, or comes at the moment: then who learned of it keeps all.
            let mut rest = KeptSite::new(History::new());
            rest.tdmrep = record.tdmrep;
            put = keeper.disk.put(origin, &rest, tdmrep);
        }
        if let Err(error) = put {
            keeper.note(error);
        }
    }
}

/// With what is kept for the next request, but for what is too long.
#[cfg(feature = "fetch")]
fn with_next_request(mut record: KeptSite, next: &crate::crawler::NextRequest) -> KeptSite {
    let fits = |value: &&str| value.len() <= crate::disk::MAX_KEPT_VALIDATOR;
    let kept = |value: Option<&str>| value.filter(fits).map(str::to_owned);
    let validators = &next.validators;
    record.retry = next.retry;
    record.validated_url = kept(validators.url());
    // Without it, they would be taken for those of the origin's own.
    if record.validated_url.is_some() == validators.url().is_some() {
        record.etag = kept(validators.etag());
        record.last_modified = kept(validators.last_modified());
    }
    record
}

/// What was kept for the next request.
#[cfg(feature = "fetch")]
fn next_request(kept: &KeptSite) -> crate::crawler::NextRequest {
    let validators = crate::fetch::Validators::new(kept.etag.clone(), kept.last_modified.clone());
    crate::crawler::NextRequest {
        validators: match &kept.validated_url {
            Some(url) => validators.with_url(url),
            None => validators,
        },
        retry: kept.retry,
    }
}

impl Keeper {
    fn note(&self, error: StoreError) {
        let mut last = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AiUse, Fetch, Page, Profile, RobotsFetch};
    use robots_meta::Timestamp;

    #[test]
    fn what_was_learned_holds_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let google = || {
            Policy::under(&Profile::google(), "Googlebot")
                .with_disk(DiskStore::open(&path).unwrap())
        };
        let hour = |hours: i64| Timestamp::from_seconds(hours * 3600);
        let (open, closed) = ("https://a.example/x", "https://b.example/x");
        let policy = google();
        policy
            .learn_at(
                closed,
                RobotsFetch::Body(b"User-agent: *\nDisallow: /"),
                hour(0),
            )
            .unwrap();
        policy
            .learn_at(open, RobotsFetch::Status(404), hour(0))
            .unwrap();
        drop(policy);
        // A failure behind a restart falls back to the copy before it.
        let policy = google();
        policy
            .learn_at(closed, RobotsFetch::Status(503), hour(20))
            .unwrap();
        drop(policy);
        let policy = google();
        let fetch = |url, now| policy.decide_page(&Page::new(url).at(now)).fetch;
        assert_eq!(fetch(closed, hour(21)), Fetch::Defer);
        assert_eq!(fetch(closed, hour(40)), Fetch::Disallow);
        assert_eq!(fetch(open, hour(1)), Fetch::Allow);
        assert_eq!(fetch(open, hour(25)), Fetch::Unknown);
        assert_eq!(fetch("https://c.example/x", hour(1)), Fetch::Unknown);
        assert!(policy.disk_error().is_none());
    }

    #[test]
    fn a_memory_that_is_small_is_as_good_with_a_disk() {
        let folder = tempfile::tempdir().unwrap();
        let disk = DiskStore::open(folder.path().join("origins")).unwrap();
        let policy = Policy::new("a")
            .with_store_limit(20_000)
            .with_disk(disk.with_commit_every(1_000));
        let url = |site: u32| format!("https://s{site}.example/x");
        for site in 0..500 {
            let body = format!(
                "User-agent: *\nDisallow: /{}",
                if site % 2 == 0 { "x" } else { "y" }
            );
            policy
                .learn(&url(site), RobotsFetch::Body(body.as_bytes()))
                .unwrap();
        }
        assert!(policy.known_origins() < 200);
        for site in 0..500 {
            let fetch = policy.decide_page(&Page::new(&url(site))).fetch;
            let expected = if site % 2 == 0 {
                Fetch::Disallow
            } else {
                Fetch::Allow
            };
            assert_eq!(fetch, expected, "{site}");
        }
    }

    #[test]
    fn a_disk_that_fails_is_told_and_decisions_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let disk = DiskStore::open(folder.path().join("origins")).unwrap();
        let policy = Policy::new("a").with_disk(disk);
        // Longer than any origin that is kept.
        let url = format!("https://{}.example/", "a.".repeat(5_000));
        let learned = policy.learn(&url, RobotsFetch::Status(404));
        if learned.is_ok() {
            assert_eq!(policy.decide_page(&Page::new(&url)).fetch, Fetch::Allow);
            assert!(policy.disk_error().is_some());
            assert!(policy.disk_error().is_none());
        }
    }

    #[test]
    fn what_has_no_room_in_memory_is_known_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let disk = DiskStore::open(folder.path().join("origins")).unwrap();
        let policy = Policy::new("a").with_store_limit(2_000).with_disk(disk);
        let url = "https://a.example/x";
        let body = format!("User-agent: *\nDisallow: /x\n{}", "#".repeat(100_000));
        let at = |seconds| Timestamp::from_seconds(seconds);
        policy
            .learn_at(url, RobotsFetch::Body(body.as_bytes()), at(0))
            .unwrap();
        assert_eq!(policy.known_origins(), 0);
        // 304 confirms what is on disk alone.
        policy
            .learn_at(url, RobotsFetch::Status(304), at(80_000))
            .unwrap();
        let fetch = policy.decide_page(&Page::new(url).at(at(90_000))).fetch;
        assert_eq!(fetch, Fetch::Disallow);
        assert!(policy.disk_error().is_none());
    }

    #[test]
    fn what_is_learned_of_another_file_does_not_hide_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let policy = || Policy::new("a").with_disk(DiskStore::open(&path).unwrap());
        let url = "https://a.example/x";
        policy()
            .learn(url, RobotsFetch::Body(b"User-agent: *\nDisallow: /"))
            .unwrap();
        let reserved = br#"[{"location": "/", "tdm-reservation": 1}]"#;
        let after = policy();
        after
            .learn_tdmrep(url, Tdmrep::parse(reserved).unwrap())
            .unwrap();
        assert_eq!(after.decide_page(&Page::new(url)).fetch, Fetch::Disallow);
        drop(after);
        // Nor does robots.txt hide that.
        let last = policy();
        last.learn(url, RobotsFetch::Status(404)).unwrap();
        drop(last);
        let decision = policy().decide_page(&Page::new(url));
        assert_eq!(decision.fetch, Fetch::Allow);
        assert_eq!(decision.ai_train, AiUse::Disallow);
    }

    #[test]
    fn what_was_learned_before_there_was_a_disk_hides_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let disk = |name| DiskStore::open(folder.path().join(name)).unwrap();
        let reserved = || Tdmrep::parse(br#"[{"location": "/", "tdm-reservation": 1}]"#).unwrap();
        let url = "https://a.example/x";
        let open = RobotsFetch::Body(b"User-agent: *\nDisallow: /y");
        // robots.txt comes behind the disk, tdmrep.json before it; and the other way.
        let policy = Policy::new("a");
        policy.learn_tdmrep(url, reserved()).unwrap();
        let policy = policy.with_disk(disk("one"));
        policy.learn(url, open).unwrap();
        assert!(policy.disk_error().is_none());
        drop(policy);
        let policy = Policy::new("a");
        policy.learn(url, open).unwrap();
        let policy = policy.with_disk(disk("other"));
        policy.learn_tdmrep(url, reserved()).unwrap();
        assert!(policy.disk_error().is_none());
        drop(policy);
        for (name, fetch) in [("one", Fetch::Allow), ("other", Fetch::Unknown)] {
            let policy = Policy::new("a").with_disk(disk(name));
            let decision = policy.decide_page(&Page::new(url));
            assert!(policy.disk_error().is_none(), "{:?}", policy.disk_error());
            assert_eq!(decision.fetch, fetch, "{name}");
            assert_eq!(decision.ai_train, AiUse::Disallow, "{name}");
        }
    }

    #[test]
    fn what_is_learned_at_once_is_kept_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let policy = Policy::new("a").with_disk(DiskStore::open(&path).unwrap());
        let url = |site: u32| format!("https://s{site}.example/x");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for site in 0..200 {
                    let body = format!("User-agent: *\nDisallow: /y\n# {site}");
                    let fetch = RobotsFetch::Body(body.as_bytes());
                    policy.learn(&url(site), fetch).unwrap();
                }
            });
            for site in 0..200 {
                let file = format!(r#"[{{"location": "/", "tdm-reservation": 1}}, {site}]"#);
                let tdmrep = Tdmrep::parse(file.as_bytes()).unwrap();
                policy.learn_tdmrep(&url(site), tdmrep).unwrap();
            }
        });
        assert!(policy.disk_error().is_none(), "{:?}", policy.disk_error());
        drop(policy);
        let policy = Policy::new("a").with_disk(DiskStore::open(&path).unwrap());
        for site in 0..200 {
            let decision = policy.decide_page(&Page::new(&url(site)));
            assert_eq!(decision.fetch, Fetch::Allow, "{site}");
            assert_eq!(decision.ai_train, AiUse::Disallow, "{site}");
        }
    }

    #[test]
    fn what_is_forgotten_is_forgotten_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let policy = || Policy::new("a").with_disk(DiskStore::open(&path).unwrap());
        let url = "https://a.example/x";
        let before = policy();
        before.learn(url, RobotsFetch::Status(404)).unwrap();
        before.forget(url).unwrap();
        let fetch = |policy: &Policy| policy.decide_page(&Page::new(url)).fetch;
        assert_eq!(fetch(&before), Fetch::Unknown);
        drop(before);
        assert_eq!(fetch(&policy()), Fetch::Unknown);
        assert!(policy().disk().unwrap().is_empty().unwrap());
    }

    #[test]
    fn a_rule_that_is_cut_is_kept_as_a_comment() {
        let rule = b"Disallow: /cgi-bin/";
        let mut body = b"User-agent: *\n".to_vec();
        body.resize(MAX_KEPT_BODY - 12, b'#');
        body.push(b'\n');
        body.extend_from_slice(rule);
        let cut = kept(&body);
        assert_eq!(cut.len(), MAX_KEPT_BODY);
        assert!(cut.ends_with(b"\n###########"));
    }
}
