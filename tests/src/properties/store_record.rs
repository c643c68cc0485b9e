//! The record of an origin, as a store has it behind its checksum: reading it returns an error or a record that is written
//! and read again as the same, and by which policies decide at any time.
use super::scratch_folder;
use robots_crawl::DiskStore;
use robots_crawl::store::{FileBytes, NextRequest, OriginRecord, SuccessUrl};
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use robots_policy::robots::OutcomeLog;
use robots_policy::{Page, Policy, Profile, RobotsFetch};
use tempfile::TempDir;

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
    /// A store in a folder of its own.
    static STORE: (DiskStore, TempDir) = {
        let folder = scratch_folder();
        let store = DiskStore::open(folder.path().join("a.sqlite")).expect("the folder is new");
        (store, folder)
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
    STORE.with(|(store, _)| check_record(store, record));
}

/// Keeps a record in a store, and decides by it.
fn check_record(store: &DiskStore, mut record: OriginRecord) {
    let origin = Origin::of(URL).expect("a valid URL");
    let check_kept = |record: &OriginRecord| {
        store.put(&origin, record).expect("it can be written");
        let kept = store.get(&origin).expect("it is not damaged");
        assert_eq!(kept.as_ref(), Some(record));
    };
    check_kept(&record);
    let profiles = [Profile::neutral(), Profile::google(), Profile::yandex()];
    let times = [i64::MIN, -1, 0, 1_800_000_000, i64::MAX].map(Timestamp::from_seconds);
    let decide = |record: &OriginRecord, time: Timestamp| {
        for profile in &profiles {
            let policy = Policy::for_robot(profile, profile.robot("a"));
            let table = profile.outcomes();
            let state = record.outcomes.state(table, Some(time), None);
            let state = state.map(|body| policy.compile(body.map_or(&[][..], FileBytes::as_slice)));
            let page = Page::new(URL).at(time);
            let decision = policy.decide_under(&state, &page);
            assert_eq!(decision, policy.decide_under(&state, &page));
            let _ = record.outcomes.archived_state(table, Some(time));
            let _ = record.outcomes.ask_again_at(table);
        }
    };
    for time in times {
        decide(&record, time);
    }
    // What is learned is added to the record.
    for (time, status) in times.into_iter().zip([503, 304, 403, 404, 200]) {
        record.add_outcome(RobotsFetch::Status(status), Some(time));
        decide(&record, time);
        check_kept(&record);
    }
}
