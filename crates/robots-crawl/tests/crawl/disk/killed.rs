//! A killed process: the store has every origin whose `put` had returned.

use super::Sample;
use fastrand::Rng;
use robots_crawl::DiskStore;
use robots_policy::origins::Origin;
use std::env;
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The variable of the child's environment that has the path of the store. Without it, `child` returns at once.
const PATH: &str = "ROBOTS_DISK_TEST_KILLED";

/// The variable that has the number of the round.
const ROUND: &str = "ROBOTS_DISK_TEST_ROUND";

const ROUNDS: u64 = 20;

/// More puts than a round has, so that the numbers of two rounds differ.
const MANY: u64 = 1_000_000;

/// The origin that changes in every round.
fn again() -> Origin {
    Origin::of("https://again.example").unwrap()
}

fn name(round: u64) -> String {
    format!("killed-{round}")
}

/// The child: puts records until it is killed, and prints the number of each.
#[test]
fn child() {
    let Some(path) = env::var_os(PATH) else {
        return;
    };
    let round: u64 = env::var(ROUND).unwrap().parse().unwrap();
    let store = DiskStore::open(Path::new(&path)).unwrap();
    // The test harness captures the output of `println`, so the child writes to stdout itself. An empty line ends the line
    // that the harness has begun.
    let mut out = io::stdout().lock();
    writeln!(out).unwrap();
    for number in round * MANY.. {
        Sample::new(&name(round), number).put(&store).unwrap();
        writeln!(out, "put {number}").unwrap();
        if number % 5 == 0 {
            let sample = Sample::new("again", number);
            store.put(&again(), &sample.record).unwrap();
            writeln!(out, "again {number}").unwrap();
        }
        out.flush().unwrap();
    }
}

/// Returns the complete lines, until the pipe is closed, and reports each put.
fn read_lines(pipe: impl Read, puts: &mpsc::Sender<()>) -> Vec<String> {
    let mut pipe = BufReader::new(pipe);
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        pipe.read_until(b'\n', &mut line).unwrap();
        if line.pop() != Some(b'\n') {
            return lines;
        }
        let line = String::from_utf8(line).unwrap();
        if line.starts_with("put ") {
            // The receiver may be gone.
            let _ = puts.send(());
        }
        lines.push(line);
    }
}

/// Runs a child, kills it, and returns the lines that it printed. In odd rounds the time until the kill begins at the
/// first put, in even rounds at the start of the child: then the kill may come while the store is opened.
fn run_and_kill(path: &Path, round: u64, wait: Duration) -> Vec<String> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["disk::killed::child", "--exact", "--test-threads=1"])
        .env(PATH, path)
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pipe = child.stdout.take().unwrap();
    let (sender, puts) = mpsc::channel();
    let reader = thread::spawn(move || read_lines(pipe, &sender));
    if round % 2 == 1 {
        puts.recv_timeout(Duration::from_secs(20)).unwrap();
    }
    thread::sleep(wait);
    assert!(
        child.try_wait().unwrap().is_none(),
        "the child ended before the kill"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

#[test]
fn puts_before_a_kill_are_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sites");
    let mut random = Rng::with_seed(0x9E37_79B9_7F4A_7C15);
    let mut put = Vec::new();
    let mut last_again = None;
    for round in 0..ROUNDS {
        let wait = random.u64(2..101);
        for line in run_and_kill(&path, round, Duration::from_millis(wait)) {
            if let Some(number) = line.strip_prefix("put ") {
                put.push((round, number.parse::<u64>().unwrap()));
            } else if let Some(number) = line.strip_prefix("again ") {
                last_again = Some(number.parse::<u64>().unwrap());
            }
        }
        // The store is whole, and has the reported puts.
        let store = DiskStore::open(&path).unwrap();
        assert!(store.warning().is_none(), "{:?}", store.warning());
        for (index, &(put_in, number)) in put.iter().enumerate() {
            // All records of this round, and some of the earlier ones.
            if put_in == round || index % 20 == 0 {
                Sample::new(&name(put_in), number).check(&store);
            }
        }
        assert!(store.origins().unwrap() >= u64::try_from(put.len()).unwrap());
        // The origin that changes has the last reported record or a later one.
        if let Some(last) = last_again {
            let kept = store.get(&again()).unwrap().unwrap();
            // The `Last-Modified` of a sample is its number.
            let number = kept.next.validators.last_modified().unwrap();
            let number: u64 = number.parse().unwrap();
            assert!(number >= last, "{number} {last}");
            assert_eq!(kept, Sample::new("again", number).record);
        }
    }
    assert!(put.len() > 20, "{}", put.len());
    let store = DiskStore::open(&path).unwrap();
    for (round, number) in put {
        Sample::new(&name(round), number).check(&store);
    }
}
