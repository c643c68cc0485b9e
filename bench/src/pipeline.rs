//! `robots decide` as whole processes, on the corpus's crawl, compared with a process that only inflates and splits, and
//! with programs in Python.

use crate::measure::{Row, print_ours};
use robots_archive::{Item, Reader};
use std::collections::HashMap;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The number of times that each process is run, in turns.
const ROUNDS: usize = 15;

/// The number of times that `gzip` is run, in turns with ours.
const GZIP_ROUNDS: usize = 7;

/// The numbers of copies of the crawl in the large inputs.
const COPIES: [usize; 2] = [10, 100];

/// Reads the records of an archive: the bound.
pub fn split(path: &str) -> Option<()> {
    let file = BufReader::new(File::open(path).ok()?);
    let mut reader = Reader::open(file).ok()??;
    let mut bytes = 0_u64;
    while let Some(item) = reader.next_item().ok()? {
        if let Item::Record(record) = black_box(item) {
            bytes += record.block.len() as u64;
            reader.recycle(record);
        }
    }
    println!("{bytes} bytes");
    Some(())
}

/// The time, the memory and the output of a process.
pub struct Run {
    pub seconds: f64,
    /// The peak memory in KiB.
    peak: f64,
    output: Vec<u8>,
}

/// Returns the path of the program `robots`: `$ROBOTS_PROGRAM`, or the one in `target/dist`.
pub fn program() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::env::var_os("ROBOTS_PROGRAM")
        .map_or_else(|| root.join("../target/dist/robots"), PathBuf::from)
}

/// Runs a program to its end. Returns `None` if it fails; exit code 1, which reports findings, is not a failure.
pub fn run(program: &Path, arguments: &[&str]) -> Option<Run> {
    let start = Instant::now();
    // GNU time reports the peak of memory.
    let [peak, output] = ["peak", "out"].map(|name| {
        std::env::temp_dir().join(format!("robots-bench-{}.{name}", std::process::id()))
    });
    let done = Command::new("/usr/bin/time")
        .args(["-f", "%M", "-o"])
        .arg(&peak)
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        // Not a pipe: reading it would take time from the program.
        .stdout(File::create(&output).ok()?)
        .stderr(Stdio::null())
        .status()
        .ok()?;
    let seconds = start.elapsed().as_secs_f64();
    // A line about an exit code other than 0 comes before it.
    let report = std::fs::read_to_string(&peak).ok()?;
    let run = Run {
        seconds,
        peak: report.lines().last()?.trim().parse().ok()?,
        output: std::fs::read(&output).ok()?,
    };
    for path in [peak, output] {
        std::fs::remove_file(path).ok();
    }
    matches!(done.code(), Some(0 | 1)).then_some(run)
}

/// Returns the seconds that `gzip` takes to unpack a file to nowhere, if there is a `gzip`.
fn gzip(path: &str) -> Option<f64> {
    let start = Instant::now();
    let done = Command::new("gzip")
        .args(["-dc", path])
        .stdout(Stdio::null())
        .status()
        .ok()?;
    let seconds = start.elapsed().as_secs_f64();
    done.success().then_some(seconds)
}

pub fn print(row: &str, ours: f64, peer: &str, theirs: f64, target: &str) {
    Row {
        row,
        ours: format!("{ours:.3} s"),
        peer,
        theirs: format!("{theirs:.3} s"),
        ratio: Some(theirs / ours),
        target,
    }
    .print();
}

/// Returns our decisions by URL: whether the page may be fetched, and whether it is noindex.
fn decisions(output: &[u8]) -> HashMap<String, (bool, bool)> {
    let text = String::from_utf8_lossy(output);
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap_or_default();
    let place = |name| header.iter().position(|found| *found == name);
    let (Some(fetch), Some(index)) = (place("fetch"), place("index")) else {
        return HashMap::new();
    };
    // From the end: a URL may have commas, and is in quotes then.
    rows.filter_map(|row| {
        let shift = row.len().checked_sub(header.len())?;
        let url = row.get(3..=3 + shift)?.join(",");
        let cell = |place: usize| row.get(place + shift).copied();
        let decision = (cell(fetch)? != "disallow", cell(index)? == "no");
        Some((url.trim_matches('"').to_owned(), decision))
    })
    .collect()
}

/// Returns the number of pages that a peer decides differently, and the number of all, as text.
fn differences(ours: &HashMap<String, (bool, bool)>, theirs: &[u8]) -> String {
    let text = String::from_utf8_lossy(theirs);
    let mut all = 0;
    let mut other = 0;
    for line in text.lines() {
        let mut words = line.split(' ');
        let (Some(url), Some(allowed), Some(noindex)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        all += 1;
        let theirs = (allowed == "1", noindex == "1");
        other += usize::from(ours.get(url).is_some_and(|ours| *ours != theirs));
    }
    format!("{other} of {all} pages are decided otherwise")
}

pub fn bench(folder: &Path) {
    let crawl = folder.join("crawl.warc.gz");
    let crawl = crawl.to_str().expect("the path is UTF-8");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = program();
    let this = std::env::current_exe().expect("this program has a path");
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .to_string();
    let now = "2026-11-21T00:00:00Z";
    let decide_with = |words: &[&str]| {
        let arguments = [&["decide", "--format", "csv", "--now", now], words].concat();
        run(&program, &arguments).expect("robots decide runs: cargo build --release")
    };
    let decide = |file: &str, threads: &str| decide_with(&["--threads", threads, file]);
    let python = std::env::var_os("PEERS_PYTHON").map(PathBuf::from);
    let peer = |script: &str| {
        let script = root.join("peers").join(script);
        run(python.as_deref()?, &[script.to_str()?, crawl])
    };

    let (one, all) = (decide(crawl, "1"), decide(crawl, &threads));
    assert!(one.output == all.output, "threads decide otherwise");
    let ours = decisions(&one.output);
    let least = |times: Vec<f64>| times.into_iter().fold(f64::INFINITY, f64::min);
    // Our processes in turns, and then the peers: their seconds of Python would come between ours.
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(decide(crawl, "1").seconds);
        times[1].push(decide(crawl, &threads).seconds);
        times[2].push(run(&this, &["split", crawl]).expect("it runs").seconds);
    }
    let [one_thread, all_threads, split] = times.map(least);
    let mut times: [Vec<f64>; 2] = Default::default();
    for _ in 0..GZIP_ROUNDS {
        times[0].push(decide(crawl, &threads).seconds);
        times[1].extend(gzip(crawl));
    }
    let [beside_gzip, gzip] = times.map(least);
    let mut times: [Vec<f64>; 2] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(decide(crawl, &threads).seconds);
        if let Some(fast) = peer("decide_fast.py") {
            times[1].push(fast.seconds);
        }
    }
    let [beside_fast, fast] = times.map(least);
    print(
        "crawl, one thread",
        one_thread,
        "only inflating and splitting, ours",
        split,
        "at least 0.8 (1.25 times)",
    );
    print(
        "crawl, all threads",
        all_threads,
        "one thread",
        one_thread,
        "1.8",
    );
    if gzip.is_finite() {
        print("crawl, all threads", beside_gzip, "gzip -dc", gzip, "8");
    }
    if fast.is_infinite() {
        println!("skipped: peers in Python (set PEERS_PYTHON to one that has them)");
    } else {
        print(
            "crawl, all threads",
            beside_fast,
            "fastwarc + Protego + selectolax",
            fast,
            "13",
        );
        if let Some(run) = peer("decide_fast.py") {
            print_ours(
                "crawl, fastwarc + Protego + selectolax",
                differences(&ours, &run.output),
                "",
            );
        }
        if let Some(run) = peer("decide_plain.py") {
            let theirs = run.seconds;
            print(
                "crawl, all threads",
                beside_fast,
                "warcio + Protego + BeautifulSoup",
                theirs,
                "200",
            );
            let differences = differences(&ours, &run.output);
            print_ours("crawl, warcio + Protego + BeautifulSoup", differences, "");
        }
    }
    several_robots(&decide_with, crawl, &threads);
    print_ours(
        "crawl, peak memory, one thread",
        mebibytes(&one),
        "under 200 MB",
    );
    print_ours(
        "crawl, peak memory, all threads",
        mebibytes(&all),
        "under 200 MB",
    );
    let bytes = std::fs::read(crawl).expect("the crawl can be read");
    for copies in COPIES {
        let path =
            std::env::temp_dir().join(format!("robots-bench-{}.warc.gz", std::process::id()));
        let mut file = File::create(&path).expect("a file can be made");
        for _ in 0..copies {
            file.write_all(&bytes).expect("it can be written");
        }
        drop(file);
        let path_text = path.to_str().expect("the path is UTF-8");
        let large = decide(path_text, &threads);
        // With the robots.txt of the crawl known before.
        let known = decide_with(&["--threads", &threads, "--robots", crawl, path_text]);
        std::fs::remove_file(&path).ok();
        let lines = |output: &[u8]| output.iter().filter(|byte| **byte == b'\n').count() - 1;
        for (what, large) in [("", large), (", with --robots", known)] {
            assert_eq!(lines(&large.output), copies * lines(&all.output));
            print_ours(
                &format!("crawl, {copies} times, all threads{what}"),
                format!(
                    "{:.3} s, {:.2} times {copies} of one, {}",
                    large.seconds,
                    large.seconds / (all_threads * copies as f64),
                    mebibytes(&large)
                ),
                "linear, memory flat",
            );
        }
    }
}

/// Prints the row of decisions for four robots, compared with those for one.
fn several_robots(decide: &dyn Fn(&[&str]) -> Run, crawl: &str, threads: &str) {
    let robots = ["Googlebot", "bingbot", "GPTBot", "*"];
    let mut several = vec!["--threads", threads, crawl];
    several.extend(robots.iter().flat_map(|robot| ["--agent", robot]));
    let mut times: [Vec<f64>; 2] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(decide(&several).seconds);
        times[1].push(decide(&["--threads", threads, crawl]).seconds);
    }
    let [several, one] = times.map(|times| times.into_iter().fold(f64::INFINITY, f64::min));
    print(
        "crawl, four robots, all threads",
        several,
        "one robot",
        one,
        "",
    );
}

pub fn mebibytes(run: &Run) -> String {
    format!("{:.0} MB", run.peak * 1024.0 / 1e6)
}
