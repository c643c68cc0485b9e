//! Runs of `robots decide` that are killed or interrupted, and are resumed.

use crate::program::{
    Folder, command, folder_in_memory, gzip, page, plain_text, response, robots, workspace,
};
use fastrand::Rng;
use robots_crawl::DiskStore;
use robots_crawl::store::OriginRecord;
use robots_policy::RobotsFetch;
use robots_policy::origins::Origin;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The source of the robots.txt files of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RobotsFrom {
    /// The option `--robots`: each page is decided when it is read.
    Option,
    /// The last input: all pages wait until it is read.
    LastInput,
}

/// A folder with archives: some megabytes of pages in several files, the robots.txt after them, and one damaged place.
struct Crawl {
    folder: tempfile::TempDir,
    inputs: Vec<String>,
    robots: String,
}

impl Crawl {
    fn new() -> Self {
        let folder = folder_in_memory();
        let mut random = Rng::with_seed(11);
        let mut inputs = Vec::new();
        for file in 0..4 {
            // The summary counts skipped records, too.
            let info = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
            let image = response("http://s1.example/i", "Content-Type: image/png", b"x");
            let mut archive = if file == 3 { info.to_vec() } else { gzip(info) };
            for number in 0..500 {
                let url = format!("http://s{}.example/{file}/{number}", random.usize(..5));
                let word = ["noindex", "nofollow", "all"][random.usize(..3)];
                let noise: String = (0..random.usize(..6_000))
                    .map(|_| random.alphanumeric())
                    .collect();
                let html = format!("<meta name=robots content={word}><body>{noise}");
                let record = page(&url, &html);
                // One archive is not compressed: it is read in one part.
                if file == 3 {
                    archive.extend(record);
                    continue;
                }
                match random.usize(..40) {
                    2 => archive.extend(gzip(info)),
                    3 => archive.extend(gzip(&image)),
                    // Two pages of one member.
                    0 => archive.extend(gzip(&[record.clone(), record].concat())),
                    // A member that is cut: damage.
                    1 => archive.extend(&gzip(&record)[..20]),
                    _ => archive.extend(gzip(&record)),
                }
            }
            let path = folder.path().join(format!("{file}.warc.gz"));
            std::fs::write(&path, archive).unwrap();
            inputs.push(path.to_str().unwrap().to_owned());
        }
        let mut robots = Vec::new();
        for site in 0..5 {
            let rules = format!("License: /license.xml\nUser-agent: *\nDisallow: /{site}/1");
            let url = format!("http://s{site}.example/robots.txt");
            robots.extend(gzip(&plain_text(&url, rules.as_bytes())));
        }
        // The terms of two sites.
        for (url, kind, body) in [
            (
                "http://s0.example/license.xml",
                "text/xml",
                r#"<rsl><content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>"#,
            ),
            (
                "http://s2.example/.well-known/tdmrep.json",
                "application/json",
                r#"[{"location": "/1/", "tdm-reservation": 1}]"#,
            ),
        ] {
            let record = response(url, &format!("Content-Type: {kind}"), body.as_bytes());
            robots.extend(gzip(&record));
        }
        let path = folder.path().join("robots.warc.gz");
        std::fs::write(&path, robots).unwrap();
        let robots = path.to_str().unwrap().to_owned();
        // A folder of saved pages is an input, too.
        inputs.insert(
            2,
            format!(
                "{}/tests/fixtures/sites/joes-hardware/pages",
                workspace().display()
            ),
        );
        Self {
            folder,
            inputs,
            robots,
        }
    }

    /// Returns the arguments of a run with these options; `to` names its output.
    fn words(&self, options: &[&str], to: &[&str], robots_from: RobotsFrom) -> Vec<String> {
        // Both intervals are tested: some formats write their journal every 0.04 seconds, others after each step.
        let seconds = if options.contains(&"csv") || options.contains(&"jsonl") {
            "0.04"
        } else {
            "0"
        };
        let mut all: Vec<String> = [
            "decide",
            "--now",
            "2026-11-21",
            "--journal-every",
            seconds,
            "--base",
            "http://s1.example/",
        ]
        .iter()
        .chain(options)
        .chain(to)
        .map(|word| (*word).to_owned())
        .collect();
        all.extend(self.inputs.iter().cloned());
        if robots_from == RobotsFrom::Option {
            all.extend(["--robots".to_owned(), self.robots.clone()]);
        } else {
            all.push(self.robots.clone());
        }
        all
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn start(words: &[String]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_robots"))
        .args(words)
        .current_dir(workspace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills a run as soon as a condition holds.
fn kill_when(words: &[String], holds: impl Fn() -> bool) {
    let mut child = start(words);
    while !holds() {
        assert!(child.try_wait().unwrap().is_none(), "it has ended already");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Returns whether a file has some rows.
fn has_rows(part: &Path) -> bool {
    std::fs::metadata(part).is_ok_and(|metadata| metadata.len() >= 10_000)
}

/// Returns every file of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

/// Kills a run at random moments and resumes it, until it ends. `longest` is the maximum time before a kill. Returns the
/// number of kills.
fn kill_until_done(words: &[String], random: &mut Rng, longest: Duration) -> u32 {
    let mut words = words.to_vec();
    words.push("--resume".to_owned());
    let mut kills = 0;
    // The number of kills is limited, so that the test ends on a slow machine.
    while kills < 8 {
        let mut child = start(&words);
        std::thread::sleep(longest.mul_f64(random.f64()));
        let _ = child.kill();
        let status = child.wait().unwrap();
        if status.success() {
            return kills;
        }
        kills += 1;
    }
    let outcome = robots(&words);
    outcome.assert_success();
    kills
}

#[test]
fn killed_runs_resume_without_a_lost_or_doubled_row() {
    let crawl = Crawl::new();
    let mut random = Rng::new();
    // For the message of a failure.
    println!("seed {}", random.get_seed());
    let mut kills = 0;
    let option_sets: [&[&str]; 6] = [
        &["--json", "--evidence"],
        &["--format", "csv", "--threads", "1"],
        &["--format", "table", "--hold-back", "1"],
        &[
            "--json",
            "--only",
            "noindex,differs",
            "--profile",
            "google",
            "--profile",
            "bing",
        ],
        &["--format", "csv", "--limit", "1500"],
        &["--json", "--sample", "30%"],
    ];
    for (number, options) in option_sets.iter().enumerate() {
        for robots_from in [RobotsFrom::LastInput, RobotsFrom::Option] {
            let name = |kind: &str| crawl.path(&format!("{kind}-{number}-{robots_from:?}"));
            let (whole, killed) = (name("whole"), name("killed"));
            let (whole_summary, killed_summary) = (name("whole-summary"), name("killed-summary"));
            let words = |to: &Path, summary: &Path| {
                let to = [
                    "-o",
                    to.to_str().unwrap(),
                    "--summary",
                    summary.to_str().unwrap(),
                ];
                crawl.words(options, &to, robots_from)
            };
            let begun = std::time::Instant::now();
            let outcome = robots(words(&whole, &whole_summary));
            let longest = begun.elapsed();
            outcome.assert_success();
            kills += kill_until_done(&words(&killed, &killed_summary), &mut random, longest);
            let read = |path: &Path| std::fs::read(path).unwrap();
            assert!(!read(&whole).is_empty());
            assert!(read(&whole) == read(&killed), "{options:?} {robots_from:?}");
            let text = |path: &Path| String::from_utf8(read(path)).unwrap();
            assert_eq!(
                text(&whole_summary),
                text(&killed_summary),
                "{options:?} {robots_from:?}"
            );
            if options.contains(&"--evidence") {
                let rows = text(&whole);
                let terms = [
                    "s0.example/license.xml",
                    "s2.example/.well-known/tdmrep.json",
                ];
                assert!(terms.iter().all(|file| rows.contains(file)), "{rows}");
            }
            let journal = crawl.path(&format!("killed-{number}-{robots_from:?}.journal"));
            assert!(!journal.exists());
        }
    }
    println!("{kills} kills");
    assert!(kills > 0, "no run was killed");
}

/// An override for some of the pages.
const OVERRIDES: &str = "[[override]]\nwho = \"a\"\nwhy = \"b\"\nuntil = 2026-12-31\nhosts = [\"a.example\"]\npaths = [\"/1\"]\ndecision = { index = \"no\" }\n";

/// The clock decides when a line of the journal is written, so that any line may be the last before a kill.
#[test]
fn a_run_resumes_from_any_line_of_its_journal() {
    let folder = folder_in_memory();
    let path = |name: &str| folder.path().join(name);
    let info = gzip(b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n");
    let page = |number: usize| gzip(&page(&format!("http://a.example/{number}"), "<p>"));
    let image = gzip(&response(
        "http://a.example/i",
        "Content-Type: image/png",
        b"x",
    ));
    let few = [&info[..], &page(0), &image, &page(1), &info].concat();
    let many: Vec<u8> = (0..2_000).flat_map(page).collect();
    for site in ["1-site", "3-site"] {
        std::fs::create_dir(path(site)).unwrap();
        std::fs::write(path(site).join("a.html"), "<p>").unwrap();
    }
    let archives: [(&str, &[u8]); 5] = [
        ("0.warc.gz", &few),
        ("2.warc.gz", &few),
        ("4.warc.gz", b""),
        ("5.warc.gz", &few),
        ("6.warc.gz", &[&info[..], &many].concat()),
    ];
    for (name, bytes) in archives {
        std::fs::write(path(name), bytes).unwrap();
    }
    // An archive without a robots.txt: with `--robots`, each page is decided when it is read.
    std::fs::write(path("robots.warc"), info).unwrap();
    std::fs::write(path("overrides.toml"), OVERRIDES).unwrap();
    let overrides = path("overrides.toml").to_str().unwrap().to_owned();
    let words = |out: &str, every: &str, more: &[&str]| -> Vec<String> {
        let out = path(out).to_str().unwrap().to_owned();
        let summary = format!("{out}.summary");
        let robots = path("robots.warc").to_str().unwrap().to_owned();
        let names = [
            "0.warc.gz",
            "1-site",
            "2.warc.gz",
            "3-site",
            "4.warc.gz",
            "5.warc.gz",
            "6.warc.gz",
        ];
        let options = [
            "decide",
            "--json",
            "--now",
            "2026-11-21",
            "--base",
            "http://a.example/",
            "--evidence",
            "--overrides",
            &overrides,
        ];
        let options = options.iter().chain(more).copied();
        options
            .chain([
                "--journal-every",
                every,
                "--robots",
                &robots,
                "-o",
                &out,
                "--summary",
                &summary,
            ])
            .map(str::to_owned)
            .chain(
                names
                    .iter()
                    .map(|name| path(name).to_str().unwrap().to_owned()),
            )
            .collect()
    };
    // 4.warc.gz is empty, not an archive: the run reports it, and reads the others.
    assert_eq!(robots(words("whole", "1000", &[])).code, 2);
    let read = |name: &str| std::fs::read_to_string(path(name)).unwrap();
    let whole = (read("whole"), read("whole.summary"));
    assert!(
        whole.0.contains("\"override_why\":\"b\""),
        "{}",
        &whole.0[..2_000]
    );
    // The warcinfo records: two in each of three archives, one in the last.
    assert!(whole.1.contains("\"no_response\": 7"), "{}", whole.1);
    // This run writes its journal after each step, until it is killed in its last input.
    // True once three lines of the journal are within the last input.
    let reads_last_input = || {
        let journal = std::fs::read_to_string(path("killed.journal"));
        journal.is_ok_and(|journal| journal.matches("\"input\":6").count() >= 3)
    };
    kill_when(&words("killed", "0", &[]), reads_last_input);
    let (journal, written) = (read("killed.journal"), read("killed.part"));
    let ends = journal.match_indices('\n').map(|(at, _)| at + 1);
    let mut lines = 0;
    // Each line takes a run, and the last input alone may have hundreds of lines: the first 40 are tested.
    for end in ends.take(40) {
        std::fs::write(path("killed.journal"), &journal[..end]).unwrap();
        std::fs::write(path("killed.part"), &written).unwrap();
        let outcome = robots(words("killed", "1000", &["--resume"]));
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert_eq!(read("killed.summary"), whole.1, "{}", &journal[..end]);
        assert!(read("killed") == whole.0, "{}", &journal[..end]);
        lines += 1;
    }
    assert!(lines > 10, "{lines} lines: {journal}");
}

/// A Parquet file is complete after its input, a file of JSON lines after each row.
const FORMATS: &[&str] = if cfg!(feature = "columnar") {
    &["parquet", "jsonl"]
} else {
    &["jsonl"]
};

#[test]
fn killed_runs_into_folders_resume() {
    let crawl = Crawl::new();
    let mut random = Rng::new();
    println!("seed {}", random.get_seed());
    for format in FORMATS {
        for robots_from in [RobotsFrom::LastInput, RobotsFrom::Option] {
            let name = |kind: &str| crawl.path(&format!("{kind}-{format}-{robots_from:?}"));
            let (whole, killed) = (name("whole"), name("killed"));
            let words = |to: &Path| {
                let to = ["--output-folder", to.to_str().unwrap()];
                crawl.words(&["--format", format], &to, robots_from)
            };
            let begun = std::time::Instant::now();
            assert_eq!(robots(words(&whole)).code, 0);
            kill_until_done(&words(&killed), &mut random, begun.elapsed());
            let (whole, killed) = (files(&whole), files(&killed));
            let names: Vec<&String> = killed.keys().collect();
            assert_eq!(names, whole.keys().collect::<Vec<_>>());
            assert!(whole == killed, "{format} {robots_from:?}");
            // A file for each input: four archives, the folder of pages, and the archive of robots.txt files if it is an input.
            assert_eq!(
                whole.len(),
                if robots_from == RobotsFrom::Option {
                    5
                } else {
                    6
                }
            );
        }
    }
}

#[test]
fn an_interrupted_run_ends_cleanly() {
    let crawl = Crawl::new();
    let whole = crawl.path("whole.jsonl");
    let words = |to: &Path, words: &[&str]| {
        crawl.words(
            words,
            &["--json", "-o", to.to_str().unwrap()],
            RobotsFrom::Option,
        )
    };
    assert_eq!(robots(words(&whole, &[])).code, 0);
    let whole = std::fs::read(whole).unwrap();
    let mut random = Rng::new();
    println!("seed {}", random.get_seed());
    let mut interrupted = 0;
    for (signal, code) in [("-INT", 130), ("-TERM", 143)].repeat(6) {
        let path = crawl.path(&format!("{}{interrupted}.jsonl", &signal[1..]));
        let child = start(&words(&path, &[]));
        std::thread::sleep(Duration::from_millis(random.u64(20..200)));
        let id = child.id().to_string();
        Command::new("kill").args([signal, &id]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        if output.status.success() {
            continue;
        }
        // Until the program handles signals, a signal ends it at once, without an exit code.
        if output.status.code().is_some() {
            assert_eq!(output.status.code(), Some(code));
            interrupted += 1;
        }
        let part = path.with_extension("jsonl.part");
        let written = std::fs::read(&part).unwrap_or_default();
        assert!(whole.starts_with(&written), "{signal}");
        assert!(written.is_empty() || written.ends_with(b"\n"), "{signal}");
        let outcome = robots(words(&path, &["--resume"]));
        outcome.assert_success();
        assert!(std::fs::read(&path).unwrap() == whole, "{signal}");
        assert!(!part.exists());
    }
    assert!(interrupted > 0, "no run was interrupted");
}

/// The journal belongs to one output: a complete file of another run next to it is not that output.
#[test]
fn a_complete_file_of_another_run_is_not_resumed() {
    let crawl = Crawl::new();
    let [path, part, journal] = ["rows", "rows.part", "rows.journal"].map(|name| crawl.path(name));
    let whole = crawl.path("whole");
    let words = |to: &Path, words: &[&str]| {
        crawl.words(
            words,
            &["--json", "-o", to.to_str().unwrap()],
            RobotsFrom::Option,
        )
    };
    assert_eq!(robots(words(&whole, &[])).code, 0);
    let whole = std::fs::read(whole).unwrap();
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    // With this many lines, the output has rows, whose checksum the journal has.
    kill_when(&words(&path, &[]), || lines() >= 9);
    let (journal_bytes, part_bytes) = (
        std::fs::read(&journal).unwrap(),
        std::fs::read(&part).unwrap(),
    );
    std::fs::remove_file(&part).unwrap();
    // Longer than the output: a row has more than 20 bytes.
    let other = b"{\"of\": \"another run\"}\n".repeat(whole.len() / 20);
    std::fs::write(&path, &other).unwrap();
    let outcome = robots(words(&path, &["--resume"]));
    assert_eq!(outcome.code, 2);
    let message = format!("cannot continue {}: its start (", path.display());
    outcome.assert_stderr_contains(&message);
    outcome.assert_stderr_contains(" bytes) is not that of the run that wrote the journal");
    assert!(std::fs::read(&path).unwrap() == other);
    assert!(!part.exists());
    assert_eq!(std::fs::read(&journal).unwrap(), journal_bytes);
    // A changed part is refused, too.
    let mut changed = part_bytes.clone();
    changed[2] ^= 1;
    std::fs::write(&part, &changed).unwrap();
    let outcome = robots(words(&path, &["--resume"]));
    outcome.assert_error("is not that of the run that wrote the journal");
    assert!(std::fs::read(&part).unwrap() == changed);
    // The output of the same run is resumed, even if it has its final name already.
    std::fs::remove_file(&part).unwrap();
    std::fs::write(&path, &part_bytes).unwrap();
    let outcome = robots(words(&path, &["--resume"]));
    outcome.assert_success();
    assert!(std::fs::read(&path).unwrap() == whole);
}

/// A run without an input is complete without it, and does not claim that nothing is left when the input is there.
#[test]
fn a_run_without_an_input_is_not_that_with_it() {
    let folder = Folder::new();
    let record = |number: usize| page(&format!("http://a.example/{number}"), "<p>");
    folder.file("one.warc", record(1));
    let rows = |to: &str| {
        std::fs::read_to_string(folder.path(to))
            .unwrap_or_default()
            .lines()
            .count()
    };
    let run = |to: &[&str], inputs: &[&str]| {
        let inputs = inputs.iter().map(|name| folder.path(name));
        let words = ["decide", "--json", "--now", "2026-11-21"];
        let words = words.iter().chain(to).map(|word| (*word).to_owned());
        robots(words.chain(inputs).collect::<Vec<_>>())
    };
    let out = folder.path("out");
    let both = ["one.warc", "late.warc"];
    for options in [&["-o", &out][..], &["-o", &out, "--resume"]] {
        let outcome = run(options, &both);
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert_eq!(rows("out"), 1);
    }
    folder.file("late.warc", record(2));
    let outcome = run(&["-o", &out, "--resume"], &both);
    outcome.assert_error("1 inputs that can be read, and now there are 2");
    assert_eq!(run(&["-o", &out], &both).code, 0);
    assert_eq!(rows("out"), 2);
    assert!(!folder.root().join("out.journal").exists());
    // In a folder, each input has its file.
    let to = folder.path("rows");
    assert_eq!(run(&["--output-folder", &to], &both[..1]).code, 0);
    let outcome = run(&["--output-folder", &to, "--resume", "--limit", "1"], &both);
    outcome.assert_stderr_contains("nothing is left to do");
    let outcome = run(&["--output-folder", &to, "--resume"], &both);
    outcome.assert_success();
    assert_eq!(std::fs::read_dir(&to).unwrap().count(), 2);
}

/// Two runs do not write one file: the second one ends, and the first one is not disturbed.
#[cfg(unix)]
#[test]
fn another_run_is_not_disturbed() {
    let folder = Folder::new();
    folder.file("a.warc", page("http://a.example/", "<p>"));
    let run = |options: &[&str]| {
        let (out, input) = (folder.path("rows"), folder.path("a.warc"));
        robots([&["decide", "--json", "-o", &out, &input], options].concat())
    };
    for (name, content) in [("rows.part", "rows"), ("rows.journal", "")] {
        // Another run has locked the file.
        folder.file(name, content);
        let held = std::fs::File::open(folder.path(name)).unwrap();
        held.lock().unwrap();
        for options in [&[][..], &["--resume"], &["--only", "noindex"]] {
            let outcome = run(options);
            outcome.assert_error("another run is writing it");
            assert_eq!(std::fs::read_to_string(folder.path(name)).unwrap(), content);
        }
        drop(held);
    }
    assert_eq!(run(&[]).code, 0);
    let rows = std::fs::read_to_string(folder.path("rows")).unwrap();
    assert_eq!(rows.lines().count(), 1);
}

#[test]
fn runs_that_cannot_resume_are_refused() {
    let crawl = Crawl::new();
    let path = crawl.path("out.jsonl");
    let out = path.to_str().unwrap();
    let journal = crawl.path("out.jsonl.journal");
    let resume = |words: &[&str]| {
        let outcome = robots(crawl.words(words, &["--resume"], RobotsFrom::Option));
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        outcome.stderr
    };
    assert!(resume(&["--json"]).contains("-o or --output-folder"));
    if cfg!(feature = "columnar") {
        assert!(resume(&["--format", "parquet", "-o", out]).contains("--output-folder"));
    }
    // Without an earlier run, --resume starts one.
    let words = ["--json", "-o", out];
    let outcome = robots(crawl.words(&words, &["--resume"], RobotsFrom::Option));
    outcome.assert_success();
    assert!(!journal.exists());
    // A complete run has nothing to resume.
    let again = robots(crawl.words(&words, &["--resume"], RobotsFrom::Option));
    assert_eq!(again.code, 0);
    again.assert_stderr_contains("nothing is left to do");
    // Leaves the journal of a run that was killed at its start, before it replaced the earlier output.
    let start_and_kill = || {
        std::fs::write(&path, "earlier").unwrap();
        kill_when(&crawl.words(&words, &[], RobotsFrom::Option), || {
            std::fs::read(&journal).is_ok_and(|journal| !journal.is_empty())
        });
        assert_eq!(std::fs::read(&path).unwrap(), b"earlier");
    };
    start_and_kill();
    let stderr = resume(&[&words[..], &["--agent", "x"]].concat());
    assert!(stderr.contains("another agent"), "{stderr}");
    let stderr = resume(&[&words[..], &[crawl.inputs[0].as_str()]].concat());
    assert!(stderr.contains("inputs"), "{stderr}");
    std::fs::write(&crawl.inputs[0], b"").unwrap();
    let stderr = resume(&words);
    assert!(stderr.contains("has changed since"), "{stderr}");
    // The line is still JSON, but not the one of its checksum. Tests of robots-pipeline have other changes.
    let changed = std::fs::read_to_string(&journal).unwrap();
    let changed = changed.replace("\"format\":\"Json", "\"format\":\"json");
    std::fs::write(&journal, changed).unwrap();
    let stderr = resume(&words);
    assert!(
        stderr.contains("was changed after it was written, in line 1"),
        "{stderr}"
    );
    assert!(stderr.contains("without --resume"), "{stderr}");
    std::fs::write(&journal, b"no journal\n").unwrap();
    assert!(resume(&words).contains("is not a journal"));
}

#[test]
fn changes_since_the_earlier_run_are_reported() {
    let folder = Folder::new();
    for number in 0..3_000 {
        folder.file(&format!("site/sub/p{number:04}.html"), "<p>");
    }
    let robots_txt = plain_text("http://a.example/robots.txt", b"");
    folder.file("robots.warc", &robots_txt);
    let [robots, out, site] = ["robots.warc", "out.jsonl", "site"].map(|name| folder.path(name));
    let overrides = folder.file("overrides.toml", OVERRIDES);
    let options =
        format!("--json --base http://a.example/ --journal-every 0 --overrides {overrides}");
    let line = format!("decide {options} --robots {robots} -o {out} {site}");
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let part = folder.root().join("out.jsonl.part");
    let start_and_kill = || kill_when(&words, || has_rows(&part));
    let resume = || command(&format!("{line} --resume"));
    start_and_kill();
    folder.file("site/sub/a-new.html", "<p>");
    resume().assert_error("has changed since");
    // `start_and_kill` waits for the rows of its own run.
    std::fs::remove_file(&part).unwrap();
    start_and_kill();
    folder.file("robots.warc", [&robots_txt[..], b"\r\n"].concat());
    resume().assert_error("robots.warc has changed since");
    std::fs::remove_file(&part).unwrap();
    start_and_kill();
    folder.file("overrides.toml", OVERRIDES.replace("index", "follow"));
    resume().assert_error("that run had another overrides");
}

/// A run that continues after a change of its store would mix two states of a site.
#[test]
fn a_store_that_has_changed_ends_a_run() {
    let crawl = Crawl::new();
    let store = crawl.path("sites.store");
    let learn = |rules: &[u8]| {
        let store = DiskStore::open(&store).unwrap();
        for site in 0..5 {
            let origin = Origin::of(&format!("http://s{site}.example/")).unwrap();
            let mut record = OriginRecord::default();
            record.add_outcome(RobotsFetch::Body(rules), None);
            store.put(&origin, &record).unwrap();
        }
    };
    learn(b"User-agent: *\nDisallow: /0/");
    let out = crawl.path("out.jsonl");
    let [out_name, store_name] = [&out, &store].map(|path| path.to_str().unwrap());
    let words = |more: &[&str]| {
        let mut words = crawl.words(&["--json"], &["-o", out_name], RobotsFrom::LastInput);
        words.extend(["--store", store_name].map(str::to_owned));
        words.extend(more.iter().map(|word| (*word).to_owned()));
        words
    };
    let part = crawl.path("out.jsonl.part");
    let start_and_kill = || kill_when(&words(&[]), || has_rows(&part));
    start_and_kill();
    // The same store in the same state: reading from it changes nothing.
    let outcome = robots(words(&["--resume"]));
    outcome.assert_success();
    std::fs::remove_file(&out).unwrap();
    start_and_kill();
    learn(b"User-agent: *\nAllow: /");
    let outcome = robots(words(&["--resume"]));
    outcome.assert_error("sites.store has changed since");
}
