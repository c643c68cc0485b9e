//! `robots audit` over generated logs, as a whole process, compared with a process that only reads them.

use crate::measure::print_ours;
use crate::pipeline::{mebibytes, print, program, run};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The number of times that each process is run, in turns.
const ROUNDS: usize = 5;

/// The number of requests in a log.
const REQUESTS: u32 = 2_000_000;

/// Browsers, known robots, an unknown robot, and a program. Each line is equally frequent in a log.
const AGENTS: [&str; 10] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:141.0) Gecko/20100101 Firefox/141.0",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot.html)",
    "curl/8.14.1",
];

const PATHS: [&str; 8] = [
    "/",
    "/products/",
    "/products/?colour=red&size=",
    "/private/",
    "/search?q=",
    "/images/",
    "/robots.txt",
    "/blog/2026/11/",
];

const ROBOTS: &str = "User-agent: *\nDisallow: /private/\nDisallow: /*?*size=\nCrawl-delay: 1\n\n\
    User-agent: GPTBot\nDisallow: /\n";

/// A generator of random numbers, which are the same in each run (Knuth's MMIX).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(limit)).expect("it is below")
    }
}

/// Writes a log of November 2026, with twenty requests a second.
fn log(path: &Path, is_json: bool) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(File::create(path)?);
    let mut numbers = Numbers(7);
    let mut line = String::new();
    for request in 0..REQUESTS {
        let second = request / 20;
        let (day, hour, minute) = (1 + second / 86_400, second / 3_600 % 24, second / 60 % 60);
        let second = second % 60;
        let agent = AGENTS[numbers.below(10) as usize];
        let target = PATHS[numbers.below(8) as usize];
        let number = numbers.below(100_000);
        let number = if target.ends_with("/") || target.ends_with('=') {
            number.to_string()
        } else {
            String::new()
        };
        let (a, b, bytes) = (
            numbers.below(250),
            numbers.below(250),
            numbers.below(90_000),
        );
        line.clear();
        let written = if is_json {
            writeln!(
                line,
                "{{\"time\":\"2026-11-{day:02}T{hour:02}:{minute:02}:{second:02}Z\",\"remote_addr\":\"10.0.{a}.{b}\",\
                 \"host\":\"www.example.com\",\"request\":\"GET {target}{number} HTTP/1.1\",\"status\":200,\
                 \"body_bytes_sent\":{bytes},\"http_referer\":\"https://www.example.com/\",\"http_user_agent\":\"{agent}\"}}"
            )
        } else {
            writeln!(
                line,
                "10.0.{a}.{b} - - [{day:02}/Nov/2026:{hour:02}:{minute:02}:{second:02} +0000] \"GET {target}{number} HTTP/1.1\" \
                 200 {bytes} \"https://www.example.com/\" \"{agent}\""
            )
        };
        written.expect("memory takes it");
        file.write_all(line.as_bytes())?;
    }
    file.flush()
}

/// Reads a log and counts its lines: the bound. Inflates it if it is gzip.
pub fn read(path: &str) -> Option<()> {
    let file = File::open(path).ok()?;
    let mut log: Box<dyn Read> = if path.ends_with(".gz") {
        Box::new(flate2::read::MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let mut room = vec![0; 1 << 20];
    let mut lines = 0_usize;
    while let length @ 1.. = log.read(&mut room).ok()? {
        lines += memchr::memchr_iter(b'\n', &room[..length]).count();
    }
    println!("{lines} lines");
    Some(())
}

pub fn bench() {
    let folder = std::env::temp_dir().join(format!("robots-bench-{}-logs", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    let rules = folder.join("robots.txt");
    fs::write(&rules, ROBOTS).expect("a file can be written");
    let common = folder.join("access.log");
    log(&common, false).expect("a log can be written");
    let json = folder.join("access.json");
    log(&json, true).expect("a log can be written");
    let packed = gzip(&common).expect("gzip runs");
    for (name, log) in [
        ("Combined", &common),
        ("JSON", &json),
        ("Combined, gzip", &packed),
    ] {
        rows(name, log, &rules, unpacked(log));
    }
    fs::remove_dir_all(&folder).ok();
}

fn gzip(log: &Path) -> Option<PathBuf> {
    let packed = log.with_extension("log.gz");
    let done = Command::new("gzip")
        .args(["-6", "-c"])
        .arg(log)
        .stdin(Stdio::null())
        .stdout(File::create(&packed).ok()?)
        .status()
        .ok()?;
    done.success().then_some(packed)
}

/// Returns the size of an inflated log in bytes.
fn unpacked(log: &Path) -> u64 {
    let plain = log.with_extension("");
    let plain = if plain.exists() { &plain } else { log };
    fs::metadata(plain).expect("it is there").len()
}

fn rows(name: &str, log: &Path, rules: &Path, bytes: u64) {
    let program = program();
    let this = std::env::current_exe().expect("this program has a path");
    let [log, rules] = [log, rules].map(|path| path.to_str().expect("the path is UTF-8"));
    let words = ["audit", "--json", "--robots", rules, log];
    let (mut ours, mut bound, mut peak) = (f64::INFINITY, f64::INFINITY, String::new());
    for _ in 0..ROUNDS {
        let only_read = run(&this, &["read", log]).expect("it runs");
        bound = bound.min(only_read.seconds);
        let audit = run(&program, &words).expect("robots runs: cargo build --release");
        if audit.seconds < ours {
            (ours, peak) = (audit.seconds, mebibytes(&audit));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a size of a file")]
    let megabytes = bytes as f64 / 1e6;
    print(
        &format!("{megabytes:.0} MB of log, {name}, robots audit"),
        ours,
        "reading alone, ours",
        bound,
        "500 MB/s, or 1",
    );
    print_ours(
        &format!("the same, and its peak ({name})"),
        format!("{:.0} MB/s, {peak}", megabytes / ours),
        "500 MB/s, or reading alone",
    );
}
