//! A model of power failures: whatever a disk has kept of the writes since its last sync, the store opens, and has a whole commit.

use super::blocks::Blocks;
use super::encoding::{EncodedRecord, decode_record};
use super::open_file::OpenFile;
use super::pending::Records;
use super::record::OriginRecord;
use redb::StorageBackend;
use robots_policy::RobotsFetch;
use robots_policy::origins::OriginChange;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A write to a disk.
#[derive(Debug, Clone)]
enum Step {
    Write(usize, Vec<u8>),
    SetLen(usize),
    Sync,
}

impl Step {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Write(offset, bytes) => {
                let end = offset + bytes.len();
                content.resize(content.len().max(end), 0);
                content[*offset..end].copy_from_slice(bytes);
            }
            Self::SetLen(length) => content.resize(*length, 0),
            Self::Sync => {}
        }
    }

    /// Returns what a power failure may leave of a write: a part of its sectors, or of its bytes.
    fn torn(&self, random: &mut Random) -> Vec<Self> {
        const SECTOR: usize = 512;
        let Self::Write(offset, bytes) = self else {
            return vec![self.clone()];
        };
        if random.below(2) == 0 {
            let kept = random.below(bytes.len());
            return vec![Self::Write(*offset, bytes[..kept].to_vec())];
        }
        let mut parts = Vec::new();
        let (mut at, end) = (*offset, offset + bytes.len());
        while at < end {
            let next = ((at / SECTOR + 1) * SECTOR).min(end);
            if random.below(2) == 0 {
                parts.push(Self::Write(at, bytes[at - offset..next - offset].to_vec()));
            }
            at = next;
        }
        parts
    }
}

/// A disk that records what is written to it. Clones share it.
#[derive(Debug, Clone, Default)]
struct Disk {
    shared: Arc<Mutex<(Vec<u8>, Vec<Step>)>>,
}

impl Disk {
    fn of(content: Vec<u8>) -> Self {
        Self {
            shared: Arc::new(Mutex::new((content, Vec::new()))),
        }
    }

    fn content(&self) -> Vec<u8> {
        self.shared.lock().unwrap().0.clone()
    }

    fn steps(&self) -> Vec<Step> {
        self.shared.lock().unwrap().1.clone()
    }

    fn take(&self, step: Step) {
        let mut shared = self.shared.lock().unwrap();
        step.apply(&mut shared.0);
        shared.1.push(step);
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.shared.lock().unwrap().0.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap();
        let shared = self.shared.lock().unwrap();
        let bytes = shared.0.get(start..start + out.len());
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.take(Step::SetLen(usize::try_from(len).unwrap()));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.take(Step::Sync);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let offset = usize::try_from(offset).unwrap();
        self.take(Step::Write(offset, data.to_vec()));
        Ok(())
    }
}

/// Pseudorandom numbers, the same in each run (Marsaglia's xorshift of 64 bits).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }
}

/// The records of a store after a commit.
type Content = BTreeMap<String, OriginRecord>;

/// A store, the disk that records its writes, and its commits.
struct History {
    disk: Disk,
    file: OpenFile,
    start: Vec<u8>,
    content: Content,
    /// The content after each commit, and the number of steps before the commit returned.
    commits: Vec<(usize, Content)>,
}

fn path() -> &'static Path {
    Path::new("origins")
}

fn origin(number: usize) -> String {
    format!("https://{number}.example")
}

impl History {
    fn new() -> Self {
        let disk = Disk::default();
        let blocks = Blocks::create(Box::new(disk.clone())).unwrap();
        let file = OpenFile::create(path(), blocks).unwrap();
        disk.shared.lock().unwrap().1.clear();
        Self {
            start: disk.content(),
            disk,
            file,
            content: Content::new(),
            commits: vec![(0, Content::new())],
        }
    }

    /// Puts records with a body of this length, or removes them if it is 0, in one commit.
    fn commit(&mut self, numbers: impl IntoIterator<Item = usize>, body: usize) {
        let mut records = Records::new();
        for number in numbers {
            let origin = origin(number);
            let record = (body > 0).then(|| {
                let text = format!("# {number} {}\n", self.commits.len());
                let body = text.repeat(body / text.len());
                let fetch = RobotsFetch::Body(body.as_bytes());
                let mut record = OriginRecord::default();
                record.apply(&OriginChange::Robots { fetch, at: None });
                record
            });
            let encoded = record.as_ref();
            let encoded = encoded.map(|record| EncodedRecord::new(&origin, record).unwrap());
            records.insert(origin.as_str().into(), encoded);
            match record {
                Some(record) => self.content.insert(origin, record),
                None => self.content.remove(&origin),
            };
        }
        let written = self.file.run(path(), |tables| tables.write(&records));
        written.unwrap();
        self.commits
            .push((self.disk.steps().len(), self.content.clone()));
    }
}

/// Opens a store on a disk.
fn open(disk: &Disk) -> OpenFile {
    let (blocks, must_check) = Blocks::open(Box::new(disk.clone())).unwrap();
    OpenFile::of_store(path(), blocks, must_check).unwrap()
}

/// Returns all records of a store.
fn content(file: &OpenFile) -> Content {
    let read = file.run(path(), |tables| {
        let snapshot = tables.snapshot()?;
        let mut content = Content::new();
        for number in 0..ORIGINS {
            let origin = origin(number);
            if let Some(record) = snapshot.record(&origin)? {
                let decoded = decode_record(&origin, record.value(), |key| snapshot.body(key))?;
                content.insert(origin, decoded.unwrap());
            }
        }
        assert_eq!(snapshot.origins()?, content.len() as u64);
        Ok(content)
    });
    read.unwrap()
}

/// The number of origins that the history has at most.
const ORIGINS: usize = 60;

/// Returns what the disk may have kept of the steps since a sync: all subsets of a few steps, and some of many, whole and torn.
fn kept(steps: &[Step], random: &mut Random) -> Vec<Vec<Step>> {
    const MANY: usize = 8;
    let mut all = Vec::new();
    if 1 << steps.len().min(MANY) <= MANY {
        for subset in 0..1_usize << steps.len() {
            let chosen = steps.iter().enumerate();
            let chosen = chosen.filter(|(index, _)| subset >> index & 1 == 1);
            all.push(chosen.map(|(_, step)| step.clone()).collect());
        }
    } else {
        all.push(steps.to_vec());
        all.push(steps[..random.below(steps.len())].to_vec());
        all.push(steps[random.below(steps.len())..].to_vec());
        let mut but_one = steps.to_vec();
        but_one.remove(random.below(steps.len()));
        all.push(but_one);
        let mut random_subset = steps.to_vec();
        random_subset.retain(|_| random.below(2) == 0);
        all.push(random_subset);
    }
    for torn in 1..=2 {
        let torn = steps.iter().flat_map(|step| match random.below(torn + 1) {
            0 => step.torn(random),
            _ => vec![step.clone()],
        });
        all.push(torn.collect());
    }
    all
}

#[test]
fn a_power_failure_leaves_the_last_commit_or_the_next() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut history = History::new();
    for round in 0..2 {
        for number in 0..5 {
            // The file becomes longer.
            history.commit([number, number + 10 * round], 150_000);
            history.commit((20..40).map(|other| other + number), 300);
        }
        history.commit(0..15, 0);
        history.file.compact(path()).unwrap();
        for number in 40..43 {
            history.commit([number, number + 10], 2_000);
        }
    }
    let steps = history.disk.steps();
    let mut before = history.start.clone();
    let mut start = 0;
    let (mut opened, mut checked, mut interrupted) = (0, 0, 0);
    while start < steps.len() {
        let rest = &steps[start..];
        let length = rest.iter().position(|step| matches!(step, Step::Sync));
        let length = length.unwrap_or(rest.len());
        let last = history.commits.iter().rposition(|(end, _)| *end <= start);
        let last = last.unwrap();
        let expected: Vec<&Content> = history.commits[last..]
            .iter()
            .take(2)
            .map(|(_, content)| content)
            .collect();
        for kept in kept(&rest[..length], &mut random) {
            let mut image = before.clone();
            for step in &kept {
                step.apply(&mut image);
            }
            let disk = Disk::of(image.clone());
            let (_, must_check) = Blocks::open(Box::new(disk.clone())).unwrap();
            checked += usize::from(must_check);
            let file = open(&disk);
            let found = content(&file);
            assert!(expected.contains(&&found), "{start}");
            opened += 1;
            drop(file);
            // A second failure, during the opening or the check: each prefix of its steps.
            let opening = disk.steps();
            for kept in (1..opening.len()).filter(|_| must_check || opened % 5 == 0) {
                let mut image = image.clone();
                for step in &opening[..kept] {
                    step.apply(&mut image);
                }
                assert!(content(&open(&Disk::of(image))) == found, "{start} {kept}");
                interrupted += 1;
            }
            if opened % 5 == 0 {
                // The store takes further commits.
                let file = open(&disk);
                let mut again = History {
                    start: Vec::new(),
                    disk: disk.clone(),
                    file,
                    content: found,
                    commits: Vec::new(),
                };
                again.commit([3, 50], 5_000);
                let expected = again.content.clone();
                drop(again);
                assert!(content(&open(&disk)) == expected, "{start}");
            }
        }
        for step in &rest[..length] {
            step.apply(&mut before);
        }
        start += length + 1;
    }
    // The cuts cover all of this.
    assert!(
        opened > 200 && checked > 5 && interrupted > 50,
        "{opened} {checked} {interrupted}"
    );
}
