//! Memory: the bytes that are allocated and not freed, over the whole corpus.

use crate::alloc::counted;
use crate::corpus::{AGENT, File, bytes};
use crate::measure::{Row, print_ours};
use robots_txt::{Dialect, RobotsTxt, Rules};
use std::hint::black_box;
use texting_robots::Robot;

pub fn bench(files: &[File]) {
    let text = bytes(files) as f64;
    let texting = texting(files);

    // The vectors are counted, too: a file costs at least its structs.
    let (documents, parsed) = counted(|| {
        let parse = |file: &File| RobotsTxt::parse(&file.body);
        files.iter().map(parse).collect::<Vec<_>>()
    });
    let (rules, compiled) = counted(|| {
        let compile = |robots: &RobotsTxt| robots.rules(AGENT, &Dialect::RFC9309);
        documents.iter().map(compile).collect::<Vec<_>>()
    });
    let ((), freed) = counted(|| drop(black_box(documents)));
    let both = parsed.live + compiled.live;

    let multiple = |live: isize| format!("{:.2} x the text", live as f64 / text);
    let print = |row, live: isize, theirs: Option<isize>, target| {
        Row {
            row,
            ours: multiple(live),
            peer: theirs.map_or("", |_| "texting_robots"),
            theirs: theirs.map_or_else(String::new, multiple),
            ratio: theirs.map(|theirs| theirs as f64 / live as f64),
            target,
        }
        .print();
    };
    print("memory, document", parsed.live, None, "");
    print(
        "memory, document and rules of one agent",
        both,
        Some(texting),
        "at most 1.5 x",
    );
    print(
        "memory, rules of one agent, document dropped",
        both + freed.live,
        Some(texting),
        "",
    );
    compact(&rules, text);
}

/// Returns the number of bytes that the robots of texting_robots keep.
fn texting(files: &[File]) -> isize {
    // The first call also makes values that are kept for all files.
    let _ = Robot::new(AGENT, b"User-agent: *\nDisallow: /*a\nDisallow: /b$\n");
    let (robots, count) = counted(|| {
        let parse = |file: &File| Robot::new(AGENT, &file.body).ok();
        files.iter().map(parse).collect::<Vec<_>>()
    });
    black_box(robots);
    count.live
}

/// Prints the rows of the compact form of rules, and of rules that are loaded from it.
fn compact(rules: &[Rules], text: f64) {
    let stored: Vec<Vec<u8>> = rules.iter().map(Rules::to_bytes).collect();
    let (loaded, count) = counted(|| {
        let load = |bytes: &Vec<u8>| Rules::from_bytes(bytes, &Dialect::RFC9309).ok();
        stored.iter().map(load).collect::<Vec<_>>()
    });
    let mut lost = 0;
    for (rules, stored) in loaded.iter().zip(&stored) {
        let is_same = rules
            .as_ref()
            .is_some_and(|rules| rules.to_bytes() == *stored);
        lost += usize::from(!is_same);
    }
    if lost > 0 {
        let all = rules.len();
        eprintln!("compact form: {lost} of {all} rules are others once loaded");
    }
    let total: usize = stored.iter().map(Vec::len).sum();
    print_ours(
        "memory, rules loaded from the compact form",
        format!("{:.2} x the text", count.live as f64 / text),
        "",
    );
    print_ours(
        "compact form of the rules",
        format!(
            "{:.2} x the text, {} bytes a host",
            total as f64 / text,
            total / rules.len()
        ),
        "at most 0.6 x",
    );
}
