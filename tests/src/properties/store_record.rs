//! The record of an origin, as a store has it behind its checksum: reading it returns an error or a record that is written
//! and read again as the same, and by which policies decide at any time.
use super::scratch_folder;
use robots_crawl::store::{FileBytes, NextRequest, OriginRecord, SuccessUrl};
use robots_crawl::{CrawlStore, DiskStore};
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use robots_policy::robots::OutcomeLog;
use robots_policy::{Page, Policy, Profile, RobotsFetch};
use std::sync::Arc;

/// The content of a record: the keys of its bodies, and what is next to them.
type Content = (
    OutcomeLog<BodyKey>,
    Option<BodyKey>,
    NextRequest,
    SuccessUrl,
);

/// The key of a body: a part of its hash, and its length.
type BodyKey = [u8; 20];

/// The URL of a page of the origin.
const URL: &str = "https://example.com/a/b";

thread_local! {
    /// A store that writes nothing to disk until it is dropped.
    static STORE: Arc<DiskStore> = {
        let folder = scratch_folder();
        let store = DiskStore::open(folder.path().join("a.redb")).expect("the folder is new");
        Arc::new(store.with_commit_every(usize::MAX))
    };
}

/// Checks one input.
pub fn check(data: &[u8]) {
    let Ok(content) = postcard::from_bytes::<Content>(data) else {
        return;
    };
    let written = postcard::to_stdvec(&content).expect("memory can be written");
    assert_eq!(postcard::from_bytes(&written).as_ref(), Ok(&content));
    let (outcomes, tdmrep, next, success_url) = content;
    // A body that depends on the key.
    let body = |key: &BodyKey| FileBytes::of_robots_txt(key);
    let mut record = OriginRecord::default();
    record.outcomes = outcomes.map_bodies(body);
    record.tdmrep = tdmrep.as_ref().map(body);
    record.next = next;
    record.success_url = success_url;
    STORE.with(|store| check_record(store, &record));
}

/// Keeps a record in a store, and decides by it.
fn check_record(store: &Arc<DiskStore>, record: &OriginRecord) {
    let origin = Origin::of(URL).expect("a valid URL");
    for profile in [Profile::neutral(), Profile::google(), Profile::yandex()] {
        store.put(&origin, record).expect("it is not written yet");
        let kept = store.get(&origin).expect("it is not damaged");
        assert_eq!(kept.as_ref(), Some(record));
        let policy = Policy::for_robot(&profile, profile.robot("a"));
        let policy = policy.with_origins(Arc::new(CrawlStore::on_disk(Arc::clone(store))));
        let times = [i64::MIN, -1, 0, 1_800_000_000, i64::MAX].map(Timestamp::from_seconds);
        for time in times {
            let page = Page::new(URL).at(time);
            assert_eq!(policy.decide_page(&page), policy.decide_page(&page));
            let _ = policy.decide_archived(&page, Some(time));
        }
        let _ = policy.ask_again_at(URL).expect("a valid URL");
        // What is learned is added to the record.
        for (time, status) in times.into_iter().zip([503, 304, 403, 404, 200]) {
            let learned = policy.learn_at(URL, RobotsFetch::Status(status), time);
            learned.expect("a valid URL");
            let _ = policy.decide_page(&Page::new(URL).at(time));
        }
        assert!(store.get(&origin).expect("it is not damaged").is_some());
    }
}
