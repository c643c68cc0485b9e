//! Gzip members unpacked at once have the same records and damaged places as members unpacked step by step.
//!
//! Archives are generated, most of them damaged. `ROBOTS_CASES` sets their number, `ROBOTS_SEED` the first seed;
//! `ROBOTS_SAVE` names a folder to which they are written, for comparisons of programs.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failure here fails the test"
)]

use fastrand::Rng;
use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use robots_archive::{Buffers, Item, Reader};
use std::io::Write;
use std::path::PathBuf;

/// Reads a number from an environment variable.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// A generator of archives.
struct Maker {
    random: Rng,
    is_arc: bool,
    /// The number of records so far.
    records: usize,
}

impl Maker {
    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.random.usize(..choices.len())]
    }

    fn noise(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.random.u8(..)).collect()
    }

    fn size(&mut self) -> usize {
        let most = self.one_of(&[1, 100, 5_000, 50_000, 300_000]);
        self.random.usize(..most)
    }

    /// Generates the body of a response: text, zeros, bytes that do not compress, or gzip members.
    fn body(&mut self) -> Vec<u8> {
        let size = self.size();
        match self.random.u8(..8) {
            0 => vec![0; size],
            1 => self.noise(size),
            2 => {
                let inner = self.noise(size / 2);
                let inner = member(&inner, Compression::new(1));
                inner.repeat(self.random.usize(1..3))
            }
            3 => {
                let record = self.record(b"inner");
                member(&record, Compression::default())
            }
            _ => {
                let words = [
                    "<p>",
                    "noindex",
                    "<meta name=robots content=none>",
                    "a",
                    " ",
                    "\n",
                ];
                let mut body = Vec::new();
                while body.len() < size {
                    body.extend_from_slice(self.one_of(&words).as_bytes());
                    let random = self.random.usize(..4);
                    body.extend(self.noise(random));
                }
                body
            }
        }
    }

    fn record(&mut self, body: &[u8]) -> Vec<u8> {
        self.records += 1;
        let url = format!("http://{}.example/", self.records);
        let response = [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", body].concat();
        // The stated length is that of the response in six of ten records, and too small or too large in the others.
        let excess = self.one_of(&[0, 0, 0, 0, 0, 0, -1, 4, 30, 100_000]);
        let length = response.len().saturating_add_signed(excess);
        let header = if self.is_arc {
            format!("{url} 127.0.0.1 20260101000000 text/html {length}\n")
        } else {
            format!(
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {length}\r\n\r\n"
            )
        };
        let separator = self.one_of(&["\r\n\r\n", "\r\n\r\n", "\n", ""]);
        [header.as_bytes(), &response, separator.as_bytes()].concat()
    }

    /// Generates the contents of one or two members: one record, none, several, or a record cut in two.
    fn contents(&mut self) -> Vec<Vec<u8>> {
        match self.random.u8(..12) {
            0 => vec![Vec::new()],
            1 => vec![b"\r\n".repeat(self.random.usize(..3))],
            2 => {
                let size = self.size();
                vec![self.noise(size)]
            }
            3 => {
                let records = (0..self.random.usize(2..6)).map(|_| {
                    let body = self.body();
                    self.record(&body)
                });
                let records: Vec<_> = records.collect();
                vec![records.concat()]
            }
            4 => {
                let body = self.body();
                let record = self.record(&body);
                let cut = self.random.usize(..=record.len());
                vec![record[..cut].to_vec(), record[cut..].to_vec()]
            }
            _ => {
                let body = self.body();
                vec![self.record(&body)]
            }
        }
    }

    /// Generates a gzip member, perhaps with optional fields in its header.
    fn member(&mut self, content: &[u8]) -> Vec<u8> {
        let level = Compression::new(self.random.u32(..10));
        if self.random.bool() {
            return member(content, level);
        }
        // FTEXT is 1, FHCRC 2, FEXTRA 4, FNAME 8, FCOMMENT 16; higher flags are reserved (RFC 1952, section 2.3.1).
        let flags = self.one_of(&[0, 1, 2, 4, 8, 16, 4, 8, 12, 28, 31, 0x20, 0x80]);
        let mut member = vec![0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 255];
        if flags & 4 != 0 {
            let extra = self.random.usize(..40);
            let extra = self.noise(extra);
            member.extend_from_slice(&u16::try_from(extra.len()).unwrap().to_le_bytes());
            member.extend_from_slice(&extra);
        }
        // Up to 70,000 bytes: flate2 reads names and comments of at most 65,535.
        for flag in [8, 16] {
            if flags & flag != 0 {
                let most = self.one_of(&[1, 30, 600, 70_000]);
                member.extend(std::iter::repeat_n(b'n', self.random.usize(..most)));
                member.push(0);
            }
        }
        if flags & 2 != 0 {
            let mut crc = Crc::new();
            crc.update(&member);
            let wrong = u32::from(self.random.bool());
            member.extend_from_slice(&(crc.sum() ^ wrong).to_le_bytes()[..2]);
        }
        let mut deflate = DeflateEncoder::new(member, level);
        deflate.write_all(content).unwrap();
        let mut member = deflate.finish().unwrap();
        let mut crc = Crc::new();
        crc.update(content);
        member.extend_from_slice(&crc.sum().to_le_bytes());
        member.extend_from_slice(&crc.amount().to_le_bytes());
        member
    }

    /// Damages a member, or adds bytes after it.
    fn damage(&mut self, member: &mut Vec<u8>) {
        let length = member.len();
        // The trailer of a member: its checksum and its size, of four bytes each.
        let size_at = length - 4;
        let stated = u32::from_le_bytes(member[size_at..].try_into().unwrap());
        let any = self.random.usize(..length);
        match self.random.u8(..14) {
            0 => member.truncate(any),
            1 => member.truncate(length - self.random.usize(1..=8)),
            2 => member[any] ^= 1 << self.random.u8(..8),
            3 => member[length - 8] ^= 0xFF,
            // A wrong size: among others, the largest size of a member that is unpacked at once (4 MiB), and one byte more.
            4 => {
                let lie = self.one_of(&[0, 1, u32::MAX, 1 << 22, (1 << 22) + 1, 1 << 31]);
                member[size_at..].copy_from_slice(&lie.to_le_bytes());
            }
            // A size that is wrong by one byte or by 1,000.
            5 => {
                let near = self.one_of(&[1_u32, u32::MAX, 1000, u32::MAX - 999]);
                member[size_at..].copy_from_slice(&stated.wrapping_add(near).to_le_bytes());
            }
            // Bytes after the member: any, its trailer again, its size again, its start, zeros.
            6 => {
                let count = self.size();
                member.extend(self.noise(count));
            }
            7 => member.extend_from_within(length - 8..),
            8 => {
                let count = self.random.usize(..20);
                member.extend(self.noise(count));
                member.extend_from_slice(&stated.to_le_bytes());
            }
            9 => member.extend_from_within(..any.min(12)),
            10 => member.extend(std::iter::repeat_n(0, any % 1000)),
            // The first bytes of a member, inserted in it or written over its bytes.
            11 => drop(member.splice(any..any, [0x1F, 0x8B, 8])),
            12 => {
                let end = (any + 3).min(length);
                drop(member.splice(any..end, [0x1F, 0x8B, 8]));
            }
            _ => drop(member.drain(any..(any + self.random.usize(1..100)).min(length))),
        }
    }

    fn archive(&mut self) -> Vec<u8> {
        let mut archive = Vec::new();
        // Whether some members are damaged, or all are whole.
        let is_damaged = self.random.u8(..5) > 0;
        for _ in 0..self.random.usize(1..7) {
            for content in self.contents() {
                let mut member = self.member(&content);
                if is_damaged && self.random.u8(..3) == 0 {
                    self.damage(&mut member);
                }
                archive.extend(member);
            }
        }
        if self.random.u8(..50) == 0 {
            // A gzip file of some kilobytes that inflates to many megabytes.
            archive.extend(member(&vec![0; 20 << 20], Compression::best()));
        }
        archive
    }
}

fn archive(seed: u64) -> Vec<u8> {
    let mut random = Rng::with_seed(seed);
    let is_arc = random.u8(..4) == 0;
    Maker {
        random,
        is_arc,
        records: 0,
    }
    .archive()
}

fn member(content: &[u8], level: Compression) -> Vec<u8> {
    let mut member = GzEncoder::new(Vec::new(), level);
    member.write_all(content).unwrap();
    member.finish().unwrap()
}

/// The items of an archive, and the offset at which the reader stopped.
type Items = (Vec<Item>, Option<u64>);

/// The unpacking of members.
#[derive(Clone, Copy)]
enum Unpack {
    /// In one call for each member, where the reader can.
    AtOnce,
    /// Step by step.
    InSteps,
}

/// Whether the memory of a record is used again for later records.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Dropped,
    Reused,
}

/// Reads an archive.
fn items(reader: Reader<&[u8]>, unpack: Unpack, memory: Memory, buffers: &mut Buffers) -> Items {
    let mut reader = match unpack {
        Unpack::AtOnce => reader,
        Unpack::InSteps => reader.in_steps(),
    };
    let mut items = Vec::new();
    loop {
        match reader.next_item().unwrap() {
            Some(Item::Record(record)) if memory == Memory::Reused => {
                items.push(Item::Record(record.clone()));
                reader.recycle(record);
            }
            Some(item) => items.push(item),
            None => break,
        }
    }
    let stopped_at = reader.stopped_at();
    reader.into_buffers(buffers);
    (items, stopped_at)
}

#[test]
fn members_unpacked_at_once_have_the_same_items() {
    let first = number("ROBOTS_SEED", 0);
    let folder = std::env::var_os("ROBOTS_SAVE").map(PathBuf::from);
    let mut reused = Buffers::default();
    let (mut records, mut damaged_places) = (0_usize, 0_usize);
    for seed in first..first + number("ROBOTS_CASES", 200) {
        let archive = archive(seed);
        if let Some(folder) = &folder {
            std::fs::write(folder.join(format!("{seed}.warc.gz")), &archive).unwrap();
        }
        let Ok(Some(reader)) = Reader::open(&archive[..]) else {
            // The archive has no record, or is too damaged to find one.
            continue;
        };
        let open = || Reader::open(&archive[..]).unwrap();
        let new = &mut Buffers::default();
        let steps = items(reader, Unpack::InSteps, Memory::Dropped, new);
        for item in &steps.0 {
            match item {
                Item::Record(_) => records += 1,
                Item::Damage(_) => damaged_places += 1,
            }
        }
        for memory in [Memory::Dropped, Memory::Reused] {
            let reader = Reader::open_with(&archive[..], &mut reused)
                .unwrap()
                .unwrap();
            let whole = items(reader, Unpack::AtOnce, memory, &mut reused);
            assert_eq!(whole, steps, "seed {seed}");
        }
        // Read up to an offset, then resume where the reader stopped.
        let mut random = Rng::with_seed(seed);
        let until = random.u64(..=archive.len() as u64);
        let part = || open().unwrap().until(until);
        let new = &mut Buffers::default();
        let steps = items(part(), Unpack::InSteps, Memory::Dropped, new);
        let whole = items(part(), Unpack::AtOnce, Memory::Reused, &mut reused);
        assert_eq!(whole, steps, "seed {seed} until {until}");
        if let Some(from) = steps.1 {
            let format = open().unwrap().archive_format();
            let rest = &archive[usize::try_from(from).unwrap()..];
            let mut resumed = |unpack| {
                let reader = Reader::resume_at(rest, from, format, &mut reused);
                items(reader.unwrap(), unpack, Memory::Reused, &mut reused)
            };
            let (whole, steps) = (resumed(Unpack::AtOnce), resumed(Unpack::InSteps));
            assert_eq!(whole, steps, "seed {seed} from {from}");
        }
    }
    assert!(records > 0 && damaged_places > 0);
}
