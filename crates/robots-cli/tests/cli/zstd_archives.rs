//! Archives in Zstandard.

use crate::program::{Folder, Outcome, page, plain_text, robots};
use std::fmt::Write as _;
use std::io::Write as _;

const PAGES: usize = 200;

/// Returns the records of a crawl, the robots.txt last.
fn records() -> Vec<Vec<u8>> {
    let mut records: Vec<Vec<u8>> = (0..PAGES)
        .map(|number| {
            let mut html = format!("<meta name=robots content=noarchive><body>{number}");
            for word in 0..500 {
                write!(html, " {}", word * number).unwrap();
            }
            page(&format!("http://a.example/{number}"), &html)
        })
        .collect();
    let rules = b"User-agent: *\nDisallow: /1";
    records.push(plain_text("http://a.example/robots.txt", rules));
    records
}

fn decide(archive: &[u8], words: &[&str]) -> Outcome {
    let folder = Folder::new();
    let path = &*folder.file("a.warc.zst", archive);
    let words = [
        &["decide", "--now", "2026-11-21", "--format", "csv", path],
        words,
    ]
    .concat();
    let outcome = robots([&words[..], &["--fields", "url,fetch,archive"]].concat());
    outcome.assert_success();
    outcome
}

/// Returns a frame with a checksum.
fn frame(record: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(record).unwrap();
    encoder.finish().unwrap()
}

/// Returns a skippable frame. Its magic number begins with the byte `number`, 0x50 to 0x5F.
fn skippable(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_le_bytes();
    [&[number, 0x2A, 0x4D, 0x18][..], &length, content].concat()
}

#[test]
fn frames_are_read_like_members() {
    let records = records();
    let plain = decide(&records.concat(), &[]);
    // The first line names the columns.
    assert_eq!(plain.stdout.lines().count(), PAGES + 1);
    plain.assert_stdout_contains("http://a.example/11,disallow,");
    let frames: Vec<u8> = records.iter().flat_map(|record| frame(record)).collect();
    let one: Vec<u8> = frame(&records.concat());
    let dictionary = zstd::dict::from_samples(&records, 10_000).unwrap();
    // A WARC file may begin with its dictionary, plain or as a frame, in a skippable frame of number 0x5D.
    let with_dictionary = |stored_dictionary: Vec<u8>| {
        let mut compressor = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
        let frames = records
            .iter()
            .flat_map(|record| compressor.compress(record).unwrap());
        skippable(0x5D, &stored_dictionary)
            .into_iter()
            .chain(frames)
            .collect::<Vec<u8>>()
    };
    // Skippable frames of other numbers may be anywhere.
    let mut with_skippable = frames.clone();
    with_skippable.extend(skippable(0x50, b"index"));
    with_skippable.splice(0..0, skippable(0x5F, &vec![7; 100_000]));
    // With `--hold-back 0`, pages wait in a temporary file.
    for (what, archive) in [
        ("skippable frames", with_skippable),
        ("a frame each", frames),
        ("one frame", one),
        ("a dictionary", with_dictionary(dictionary.clone())),
        (
            "a compressed dictionary",
            with_dictionary(frame(&dictionary)),
        ),
    ] {
        for words in [
            &["--threads", "1"][..],
            &["--threads", "3", "--hold-back", "0"],
        ] {
            let outcome = decide(&archive, words);
            assert_eq!(outcome.stdout, plain.stdout, "{what}");
            assert_eq!(outcome.stderr, plain.stderr, "{what}");
        }
    }
}

/// Tests of robots-archive have other damage.
#[test]
fn broken_frames_are_skipped() {
    let records = records();
    let whole: Vec<Vec<u8>> = records.iter().map(|record| frame(record)).collect();
    let lines = |archive: &[u8]| {
        let outcome = decide(archive, &[]);
        // Without the line that names the columns.
        (outcome.stdout.lines().count() - 1, outcome.stderr)
    };
    let mut damaged = whole.clone();
    let middle = damaged[50].len() / 2;
    damaged[50][middle..middle + 8].fill(0xFF);
    let (count, stderr) = lines(&damaged.concat());
    // The page of the damaged frame is decided if its first bytes were unpacked before the error.
    assert!((PAGES - 1..=PAGES).contains(&count), "{count}");
    assert!(stderr.contains("corrupt zstd frame"), "{stderr}");
    assert!(stderr.contains("1 broken place in"), "{stderr}");
    // A window of 64 MiB (2 to the 26), above the limit of 32 MiB: its frame is skipped.
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(26).unwrap();
    encoder.include_contentsize(false).unwrap();
    encoder.write_all(&records[0]).unwrap();
    let large = encoder.finish().unwrap();
    let (count, stderr) = lines(&[whole[..9].concat(), large, whole[9..].concat()].concat());
    assert_eq!(count, PAGES);
    assert!(stderr.contains("too much memory"), "{stderr}");
}
