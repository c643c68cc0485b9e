//! The tools over many robots.txt files, as whole processes, compared with a process that only reads and parses them.

use crate::measure::print_ours;
use crate::pipeline::{mebibytes, print, program, run};
use robots_archive::http::Response;
use robots_archive::{Item, Reader};
use robots_txt::RobotsTxt;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Write};
use std::path::Path;

/// The number of times that each process is run, in turns.
const ROUNDS: usize = 11;

/// The minimum number of files in the large input.
const MILLION: usize = 1_000_000;

/// Reads the robots.txt files of an archive and parses them: the bound.
pub fn parse(path: &str) -> Option<()> {
    let mut reader = Reader::open(BufReader::new(File::open(path).ok()?)).ok()??;
    let mut files = 0_u64;
    while let Some(item) = reader.next_item().ok()? {
        let Item::Record(record) = item else {
            continue;
        };
        if let Ok(response) = Response::parse(&record.block) {
            black_box(RobotsTxt::parse(response.body()));
            files += 1;
        }
        reader.recycle(record);
    }
    println!("{files} files");
    Some(())
}

pub fn bench(folder: &Path) {
    let archive = folder.join("robots.warc.gz");
    let archive = archive.to_str().expect("the path is UTF-8");
    let program = program();
    let this = std::env::current_exe().expect("this program has a path");
    let lint = ["lint", "--level", "note", "--statistics", archive];
    let one = ["survey", "--json", "--threads", "1", archive];
    let all = ["survey", "--json", archive];
    let mut times: [Vec<f64>; 4] = Default::default();
    for _ in 0..ROUNDS {
        let bound = run(&this, &["parse", archive]).expect("it runs");
        times[0].push(bound.seconds);
        for (place, words) in [&lint[..], &one, &all].into_iter().enumerate() {
            let run = run(&program, words).expect("robots runs: cargo build --release");
            times[place + 1].push(run.seconds);
        }
    }
    let least = |times: Vec<f64>| times.into_iter().fold(f64::INFINITY, f64::min);
    let [bound, lint, one, all] = times.map(least);
    let peer = "reading and parsing alone, ours";
    let target = "at least 0.5 (2 times)";
    print("4,351 files, robots lint", lint, peer, bound, target);
    print(
        "4,351 files, robots survey, one thread",
        one,
        peer,
        bound,
        target,
    );
    print(
        "4,351 files, robots survey, all threads",
        all,
        peer,
        bound,
        target,
    );
    many(&program, archive);
}

/// Prints the row of a survey of the same files, repeated up to a million.
fn many(program: &Path, archive: &str) {
    let bytes = std::fs::read(archive).expect("the archive can be read");
    let path = std::env::temp_dir().join(format!("robots-bench-{}.warc.gz", std::process::id()));
    let mut file = File::create(&path).expect("a file can be made");
    let copies = MILLION.div_ceil(4_351);
    for _ in 0..copies {
        file.write_all(&bytes).expect("it can be written");
    }
    drop(file);
    let large = run(
        program,
        &[
            "survey",
            "--json",
            path.to_str().expect("the path is UTF-8"),
        ],
    );
    std::fs::remove_file(&path).ok();
    let large = large.expect("robots survey runs");
    print_ours(
        &format!("{} files, robots survey, all threads", copies * 4_351),
        format!("{:.1} s, {}", large.seconds, mebibytes(&large)),
        "bounded memory",
    );
}
