//! Damaged archives: no damage is silent, and no whole record is lost.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failure here fails the test"
)]

use flate2::write::GzEncoder;
use robots_archive::{BLOCK_LIMIT, Buffers, Cut, Damage, Item, Reader, Record};
use std::cell::Cell;
use std::io::{self, Write};
use std::iter;

/// The format of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecordFormat {
    Warc,
    Arc,
}

/// The compression of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    Plain,
    Gzip,
    Zstd,
}

const FORMATS: [RecordFormat; 2] = [RecordFormat::Warc, RecordFormat::Arc];
const ALL: [Compression; 3] = [Compression::Plain, Compression::Gzip, Compression::Zstd];
const COMPRESSED: [Compression; 2] = [Compression::Gzip, Compression::Zstd];

fn url(name: &str) -> String {
    format!("http://{name}.example/")
}

/// Returns a record whose stated length is too large by `excess`, followed by `separator`.
fn record(format: RecordFormat, name: &str, excess: isize, separator: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>{name}</title>");
    let length = block.len().checked_add_signed(excess).unwrap();
    let url = url(name);
    let header = match format {
        RecordFormat::Warc => format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {length}\r\n\r\n"
        ),
        RecordFormat::Arc => format!("{url} 127.0.0.1 20260101000000 text/html {length}\n"),
    };
    [header.as_bytes(), block.as_bytes(), separator.as_bytes()].concat()
}

/// Returns a record with the right length.
fn whole(format: RecordFormat, name: &str, separator: &str) -> Vec<u8> {
    record(format, name, 0, separator)
}

/// Returns a WARC record with the right length.
fn warc(name: &str) -> Vec<u8> {
    whole(RecordFormat::Warc, name, "\r\n\r\n")
}

/// Returns a WARC record of a page with this body.
fn page(name: &str, body: &[u8]) -> Vec<u8> {
    let head = b"HTTP/1.1 200 OK\r\n\r\n";
    let (url, length) = (url(name), head.len() + body.len());
    let header = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {length}\r\n\r\n"
    );
    [header.as_bytes(), head, body, b"\r\n\r\n"].concat()
}

fn gzip(level: flate2::Compression, bytes: &[u8]) -> Vec<u8> {
    let mut member = GzEncoder::new(Vec::new(), level);
    member.write_all(bytes).unwrap();
    member.finish().unwrap()
}

fn pack(compression: Compression, bytes: &[u8]) -> Vec<u8> {
    match compression {
        Compression::Plain => bytes.to_vec(),
        Compression::Gzip => gzip(flate2::Compression::default(), bytes),
        Compression::Zstd => {
            let mut frame = zstd::Encoder::new(Vec::new(), 3).unwrap();
            frame.include_checksum(true).unwrap();
            frame.write_all(bytes).unwrap();
            frame.finish().unwrap()
        }
    }
}

/// Returns two archives of some records: all in one member, and each in its own.
fn archives(compression: Compression, records: &[Vec<u8>]) -> [Vec<u8>; 2] {
    let members: Vec<_> = records
        .iter()
        .map(|record| pack(compression, record))
        .collect();
    [pack(compression, &records.concat()), members.concat()]
}

/// The items of an archive.
#[derive(Debug, Default)]
struct Items {
    records: Vec<Record>,
    damage: Vec<Damage>,
}

impl Items {
    fn of<R: std::io::Read>(reader: Option<Reader<R>>) -> Self {
        let mut reader = reader.unwrap();
        let mut items = Self::default();
        while let Some(item) = reader.next_item().unwrap() {
            match item {
                Item::Record(record) => items.records.push(record),
                Item::Damage(damage) => items.damage.push(damage),
            }
        }
        items
    }

    fn read(archive: &[u8]) -> Self {
        Self::of(Reader::open(archive).unwrap())
    }

    /// Reads an archive that can be moved.
    fn read_seekable(archive: &[u8]) -> Self {
        let reader = Reader::open(io::Cursor::new(archive)).unwrap();
        Self::of(reader.map(Reader::seekable))
    }

    /// Checks the names of the records, and the number of damaged places.
    #[track_caller]
    fn check(&self, names: &[&str], damaged_places: usize, case: &str) {
        assert_eq!(self.names(), names, "{case}: {:?}", self.damage);
        let damage = &self.damage;
        assert_eq!(damage.len(), damaged_places, "{case}: {damage:?}");
    }

    /// Returns the names in the URLs of the records.
    fn names(&self) -> Vec<&str> {
        let urls = self.records.iter().map(|record| record.url.as_deref());
        urls.map(|url| {
            let url = url.unwrap_or_default().strip_prefix("http://");
            url.and_then(|url| url.strip_suffix(".example/")).unwrap()
        })
        .collect()
    }
}

/// The damage at the end of a member.
#[derive(Debug, Clone, Copy)]
enum Breakage {
    /// A wrong checksum.
    Checksum,
    /// This number of bytes of the end is missing.
    Missing(usize),
}

impl Breakage {
    fn apply(self, member: &[u8]) -> Vec<u8> {
        let mut member = member.to_vec();
        let length = member.len();
        match self {
            // A gzip member, which begins with 0x1F, ends with a checksum and a length of four bytes each (RFC 1952,
            // section 2.3.1). A zstd frame ends with a checksum of four bytes (RFC 8878, section 3.1.1).
            Self::Checksum => {
                let from_end = if member[0] == 0x1F { 8 } else { 4 };
                member[length - from_end] ^= 0xFF;
            }
            Self::Missing(bytes) => member.truncate(length - bytes),
        }
        member
    }
}

#[test]
fn damage_at_the_end_of_a_member_is_reported_and_costs_no_record() {
    for format in FORMATS {
        let separators = match format {
            RecordFormat::Warc => ["", "\r\n", "\r\n\r\n"],
            RecordFormat::Arc => ["", "\n", "\n\n"],
        };
        for compression in COMPRESSED {
            // The number of bytes after the compressed data (`Breakage::apply`).
            let trailer = if compression == Compression::Gzip {
                8
            } else {
                4
            };
            let missing = (1..=trailer).map(Breakage::Missing);
            for damage in [Breakage::Checksum].into_iter().chain(missing) {
                for separator in separators {
                    let member = |name: &str| pack(compression, &whole(format, name, separator));
                    let case = format!("{format:?} {compression:?} {damage:?} {separator:?}");
                    check_damaged_members(member, damage, &case);
                }
            }
        }
    }
}

/// Checks that one damaged member is reported once and costs no record, wherever it is in an archive.
fn check_damaged_members(member: impl Fn(&str) -> Vec<u8>, damage: Breakage, case: &str) {
    let damaged = |name| damage.apply(&member(name));
    let middle = [member("a"), damaged("b"), member("c"), member("d")].concat();
    let end = [member("a"), member("b"), damaged("c")].concat();
    let start = [damaged("a"), member("b")].concat();
    let archives: [(_, &[&str]); 4] = [
        (middle, &["a", "b", "c", "d"]),
        (end, &["a", "b", "c"]),
        (start, &["a", "b"]),
        (damaged("a"), &["a"]),
    ];
    for (archive, names) in archives {
        let items = Items::read(&archive);
        items.check(names, 1, case);
        assert!(items.damage[0].is_of_member, "{case}");
    }
    // Reads only the damaged member, at its offset, as an index lists it.
    let before = member("a");
    let archive = [&before[..], &damaged("b"), &member("c")].concat();
    let offset = before.len() as u64;
    let input = &archive[before.len()..];
    let reader = Reader::open_at(input, offset, &mut Buffers::default()).unwrap();
    let items = Items::of(reader.map(|reader| reader.until(offset + 1)));
    items.check(&["b"], 1, case);
}

#[test]
fn damage_in_a_member_of_several_records_costs_no_other_record() {
    for format in FORMATS {
        for compression in COMPRESSED {
            let separator = if format == RecordFormat::Warc {
                "\r\n\r\n"
            } else {
                "\n"
            };
            // Packs several records into one member, which ends in `end` instead of a separator.
            let member = |names: &[&str], end: &str| {
                let records: Vec<_> = names.iter().map(|name| whole(format, name, "")).collect();
                let text = [&records.join(separator.as_bytes())[..], end.as_bytes()].concat();
                pack(compression, &text)
            };
            for end in ["", separator] {
                let bad = Breakage::Checksum.apply(&member(&["a", "b"], end));
                let archive = [bad, member(&["c", "d"], separator)].concat();
                let case = format!("{format:?} {compression:?} {end:?}");
                Items::read(&archive).check(&["a", "b", "c", "d"], 1, &case);
            }
            // A record in two members. The first, which is damaged, has all but its last 20 bytes.
            let record = whole(format, "b", separator);
            let (start, rest) = record.split_at(record.len() - 20);
            let damaged = Breakage::Checksum.apply(&pack(compression, start));
            let archive = [
                member(&["a"], separator),
                damaged,
                pack(compression, rest),
                member(&["c"], separator),
            ]
            .concat();
            let items = Items::read(&archive);
            items.check(&["a", "b", "c"], 1, &format!("{format:?} {compression:?}"));
            assert_eq!(items.records[1].cut, Some(Cut::Corrupt));
        }
    }
}

#[test]
fn a_header_cut_by_the_end_of_its_member_costs_no_other_record() {
    for compression in COMPRESSED {
        let record = whole(RecordFormat::Warc, "b", "");
        for length in 1..record.len() {
            let records = [warc("a"), record[..length].to_vec(), warc("c"), warc("d")];
            let [_, members] = archives(compression, &records);
            let items = Items::read(&members);
            let mut names = items.names();
            // The cut record itself may be lost.
            names.retain(|name| *name != "b");
            let case = format!("{compression:?} {length}: {:?}", items.damage);
            assert_eq!(
                (&names[..], items.damage.len()),
                (&["a", "c", "d"][..], 1),
                "{case}"
            );
        }
    }
}

#[test]
fn a_wrong_length_costs_no_other_record() {
    for format in FORMATS {
        for compression in ALL {
            // WARC 1.1, section 4: two line ends follow a record.
            let separators = match format {
                RecordFormat::Warc => ["\r\n\r\n", "\n\n"],
                RecordFormat::Arc => ["\n", "\r\n"],
            };
            // A block has 60 bytes: the stated length goes from 0 to an offset in the block of the next record.
            for (separator, excess) in separators
                .into_iter()
                .flat_map(|separator| (-60..=100).map(move |excess| (separator, excess)))
            {
                let file = [
                    whole(format, "a", separator),
                    record(format, "b", excess, separator),
                    whole(format, "c", separator),
                    whole(format, "d", separator),
                ];
                for archive in archives(compression, &file) {
                    let items = Items::read(&archive);
                    let case = format!("{format:?} {compression:?} {separator:?} {excess}");
                    let names = items.names();
                    assert_eq!(names, ["a", "b", "c", "d"], "{case}: {:?}", items.damage);
                }
            }
        }
    }
}

#[test]
fn a_length_past_the_limit_of_a_block_costs_no_record_before_the_limit() {
    let separator = "\r\n\r\n";
    // The archive is longer than the length that the first record states.
    let rest = vec![b'x'; BLOCK_LIMIT];
    let excess = isize::try_from(BLOCK_LIMIT).unwrap();
    let archive = [
        &record(RecordFormat::Warc, "a", excess, separator)[..],
        &warc("b"),
        &rest,
        separator.as_bytes(),
        &warc("c"),
    ]
    .concat();
    let items = Items::read(&archive);
    assert_eq!(items.names(), ["a", "b", "c"]);
    assert_eq!(items.records[0].cut, Some(Cut::Short));
    let text = &items.damage[0].text;
    assert!(text.contains("the next record begins earlier"), "{text}");
}

/// Returns `count` WARC records of 1 MiB each, from number `first` on.
fn large_records(first: usize, count: usize) -> Vec<Vec<u8>> {
    let body = vec![b'x'; 1 << 20];
    let numbers = first..first + count;
    numbers
        .map(|number| page(&number.to_string(), &body))
        .collect()
}

#[test]
fn a_large_wrong_length_costs_no_record() {
    let numbers: Vec<_> = (0..24).map(|number| number.to_string()).collect();
    let numbers = numbers.iter().map(String::as_str);
    let names: Vec<_> = ["before", "bad"].into_iter().chain(numbers).collect();
    // In the archive, and past its end.
    for excess in [18 << 20, 1_000_000_000] {
        let bad = record(RecordFormat::Warc, "bad", excess, "\r\n\r\n");
        let mut records = vec![warc("before"), bad];
        records.extend(large_records(0, 24));
        // Members of several records.
        let several: Vec<_> = records.chunks(22).map(<[_]>::concat).collect();
        for compression in ALL {
            let [as_one, members] = archives(compression, &records);
            let [_, several] = archives(compression, &several);
            for archive in [as_one, members, several] {
                let case = format!("{compression:?} {excess}");
                let items = Items::read_seekable(&archive);
                items.check(&names, 1, &case);
                assert_eq!(items.records[1].cut, Some(Cut::Short), "{case}");
                // An input that cannot be moved loses records, unless a buffer has their bytes. This is reported.
                let items = Items::read(&archive);
                assert!(!items.damage.is_empty(), "{case}");
                if compression == Compression::Plain {
                    assert!(items.names().len() < names.len());
                    assert!(items.damage[0].text.contains("lost"), "{}", items.damage[0]);
                }
            }
        }
    }
}

#[test]
fn a_record_at_the_limit_of_a_wrong_block_is_read() {
    for distance in -24..=1 {
        let head = "HTTP/1.1 200 OK\r\n\r\n";
        let length = BLOCK_LIMIT.checked_add_signed(distance).unwrap();
        let body = vec![b'x'; length - head.len()];
        let bad = String::from_utf8(page("bad", &body)).unwrap();
        let bad = bad.replace(
            &format!("Content-Length: {length}"),
            "Content-Length: 900000000",
        );
        let archive = [bad.into_bytes(), warc("a"), warc("b")].concat();
        let items = Items::read_seekable(&archive);
        items.check(&["bad", "a", "b"], 1, &distance.to_string());
        // The next record is four bytes after the block.
        let length = (length + 4).min(BLOCK_LIMIT);
        assert_eq!(items.records[0].block.len(), length, "{distance}");
        let cut = if distance <= -4 {
            Cut::Short
        } else {
            Cut::Limit
        };
        assert_eq!(items.records[0].cut, Some(cut), "{distance}");
    }
}

#[test]
fn an_archive_in_a_large_record_is_not_read() {
    let inner = large_records(100, 24).concat();
    let records = [page("a", &[b"x\r\n\r\n", &inner[..]].concat()), warc("b")];
    for compression in ALL {
        for archive in archives(compression, &records) {
            let items = Items::read_seekable(&archive);
            items.check(&["a", "b"], 0, &format!("{compression:?}"));
            assert_eq!(items.records[0].cut, Some(Cut::Limit));
        }
    }
}

/// An input that counts the bytes that are read.
struct Counting<'b> {
    input: io::Cursor<&'b [u8]>,
    read: &'b Cell<usize>,
}

impl io::Read for Counting<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = io::Read::read(&mut self.input, into)?;
        self.read.set(self.read.get() + count);
        Ok(count)
    }
}

impl io::Seek for Counting<'_> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.input.seek(to)
    }
}

#[test]
fn many_large_wrong_lengths_take_linear_time() {
    // Each record states a length past the end of the archive.
    let bad = record(RecordFormat::Warc, "bad", 1_000_000_000, "\r\n\r\n");
    let filler = page("a", &vec![b'x'; 1 << 20]);
    for count in [18, 40] {
        let plain = [&bad[..], &filler].concat().repeat(count);
        for compression in [Compression::Plain, Compression::Gzip] {
            let archive = pack(compression, &plain);
            let read = Cell::new(0);
            let input = Counting {
                input: io::Cursor::new(&archive[..]),
                read: &read,
            };
            let items = Items::of(Reader::open(input).unwrap().map(Reader::seekable));
            assert!(items.records.len() > 10, "{count} {compression:?}");
            let is_lost = |damage: &Damage| damage.text.contains("lost");
            let has_all = items.records.len() == 2 * count;
            assert_eq!(items.damage.iter().any(is_lost), !has_all);
            // Up to five times, and 64 MiB.
            let (read, most) = (read.get(), 5 * archive.len() + (64 << 20));
            assert!(read <= most, "{count} {compression:?}: {read}");
        }
    }
}

#[test]
fn the_counts_of_skipped_bytes_are_exact() {
    let without_length = b"WARC/1.0\r\nWARC-Type: response\r\n\r\nblock\r\n\r\n";
    // More than 64 KiB, the maximum length of a header.
    let without_end = ["WARC/1.0\r\n", &"Field: value\r\n".repeat(10_000)].concat();
    for (bytes, why) in [
        (&b"no record\r\n"[..], "no record begins here"),
        (b"two\r\n\r\nlines\r\n", "no record begins here"),
        (without_length, "a record that does not state its length"),
        (without_end.as_bytes(), "no record begins here"),
    ] {
        for compression in ALL {
            for archive in archives(compression, &[warc("a"), bytes.to_vec(), warc("b")]) {
                let items = Items::read(&archive);
                assert_eq!(items.names(), ["a", "b"], "{why}");
                let texts: Vec<_> = items.damage.iter().map(|damage| &*damage.text).collect();
                assert_eq!(texts, [format!("{why}; {} bytes skipped", bytes.len())]);
            }
        }
    }
}

#[test]
fn empty_members_before_the_first_record_are_passed() {
    for format in FORMATS {
        for compression in COMPRESSED {
            let member = |text: &[u8]| pack(compression, text);
            let records = ["a", "b"].map(|name| member(&whole(format, name, "\r\n\r\n")));
            let records = records.concat();
            for before in [
                member(b""),
                member(b"\r\n"),
                member(b"\n"),
                [member(b""), member(b"\r\n\r\n")].concat().repeat(100),
            ] {
                let items = Items::read(&[&before[..], &records].concat());
                items.check(&["a", "b"], 0, &format!("{format:?} {compression:?}"));
                // A corrupt member after the empty ones costs no record, and is reported at its offset.
                let damaged = Breakage::Missing(20).apply(&member(&whole(format, "x", "")));
                let items = Items::read(&[&before[..], &damaged, &records].concat());
                assert!(items.names().ends_with(&["a", "b"]));
                assert_eq!(items.damage.len(), 1, "{:?}", items.damage);
                assert_eq!(items.damage[0].offset, before.len() as u64);
            }
            // Another file is not an archive, and neither are empty members alone.
            for other in [&b""[..], b"text"] {
                let file = [member(b""), member(other)].concat();
                assert!(Reader::open(&file[..]).unwrap().is_none());
            }
            // Members that begin at or after 1 MiB are not examined.
            let empty = member(b"\n");
            let count = (1024 * 1024_usize).div_ceil(empty.len());
            for (empty_members, is_read) in [(count, true), (count + 1, false)] {
                let file = [&empty.repeat(empty_members)[..], &records].concat();
                assert_eq!(Reader::open(&file[..]).unwrap().is_some(), is_read);
            }
        }
    }
}

#[test]
fn short_members_before_the_first_record_do_not_hide_an_archive() {
    for compression in COMPRESSED {
        let member = |text: &[u8]| pack(compression, text);
        let [first, second] = ["a", "b"].map(|name| whole(RecordFormat::Warc, name, "\r\n\r\n"));
        // The first record may continue in the next member, wherever it is cut.
        for cut in 1..12 {
            let (start, rest) = first.split_at(cut);
            let items = Items::read(&[member(start), member(rest), member(&second)].concat());
            items.check(&["a", "b"], 0, &format!("{compression:?} {cut}"));
        }
        // Other bytes are reported.
        for other in [&b"x"[..], b"1234567", b"12345678", b"text\n", &[b'x'; 2000]] {
            let records = [member(&first), member(&second)].concat();
            let items = Items::read(&[&member(other)[..], &member(b""), &records].concat());
            items.check(&["a", "b"], 1, &format!("{compression:?} {}", other.len()));
            assert_eq!(items.damage[0].offset, 0);
        }
        // Members of a text are not an archive.
        let text = [member(b"User-agent: *\n"), member(b"Disallow: /\n")].concat();
        assert!(Reader::open(&text[..]).unwrap().is_none());
    }
}

#[test]
fn an_archive_in_a_page_is_not_read_after_a_wrong_checksum() {
    for compression in COMPRESSED {
        let member = |name: &str| pack(compression, &warc(name));
        // The bytes of the page, an archive among them, are in the outer member as they are: they do not compress.
        let mut random = fastrand::Rng::with_seed(1);
        let mut noise =
            || -> Vec<u8> { iter::repeat_with(|| random.u8(..)).take(200_000).collect() };
        let outer = page("b", &[noise(), member("inner"), noise()].concat());
        let outer = match compression {
            Compression::Gzip => gzip(flate2::Compression::none(), &outer),
            // The noise does not compress.
            compression => pack(compression, &outer),
        };
        let inner = member("inner");
        assert!(outer.windows(inner.len()).any(|window| window == inner));
        let damaged = Breakage::Checksum.apply(&outer);
        for names in [&["a", "b", "c"][..], &["b", "c"], &["a", "b", "c", "d"]] {
            let members = names.iter().map(|&name| match name {
                "b" => damaged.clone(),
                name => member(name),
            });
            let items = Items::read(&members.collect::<Vec<_>>().concat());
            items.check(names, 1, &format!("{compression:?}"));
        }
    }
}

/// Returns a skippable Zstandard frame that states this length (RFC 8878, section 3.1.2).
fn skippable(length: u32, content: &[u8]) -> Vec<u8> {
    [&b"\x50\x2A\x4D\x18"[..], &length.to_le_bytes(), content].concat()
}

#[test]
fn a_skippable_frame_with_a_wrong_length_costs_no_record() {
    let mut random = fastrand::Rng::with_seed(1);
    let large: String = (0..3 << 20).map(|_| random.alphanumeric()).collect();
    let frame = |name: &str| pack(Compression::Zstd, &warc(name));
    let large = pack(Compression::Zstd, &page("c", large.as_bytes()));
    let rest = [frame("b"), large, frame("d")].concat();
    for before in [vec![], frame("a")] {
        for after in [frame("b"), rest.clone()] {
            for length in [1 << 22, 1 << 31, u32::MAX] {
                let archive = [&before[..], &skippable(length, b""), &after].concat();
                let items = Items::read(&archive);
                let whole = Items::read(&[&before[..], &after].concat());
                items.check(&whole.names(), 1, &length.to_string());
                assert_eq!(items.damage[0].offset, before.len() as u64);
            }
        }
        // The length is too large for the archive by one byte.
        let length = u32::try_from(frame("b").len() + 1).unwrap();
        let archive = [&before[..], &skippable(length, b""), &frame("b")].concat();
        let items = Items::read(&archive);
        assert_eq!(items.names().last(), Some(&"b"));
        assert_eq!(items.damage.len(), 1, "{:?}", items.damage);
        assert_eq!(items.damage[0].offset, before.len() as u64);
        // Without records in it, a large frame is valid.
        for length in [0, 1, 1 << 20, (1 << 20) + 1, 5 << 20] {
            let content = vec![0x28; length];
            let valid = skippable(u32::try_from(length).unwrap(), &content);
            let archive = [&before[..], &valid, &valid, &frame("b"), &valid].concat();
            let items = Items::read(&archive);
            assert_eq!(items.names().last(), Some(&"b"), "{length}");
            assert!(items.damage.is_empty(), "{length}: {:?}", items.damage);
        }
    }
}

#[test]
fn a_skippable_frame_that_reaches_past_the_last_offset_is_damage() {
    let [first, last] = ["a", "b"].map(|name| pack(Compression::Zstd, &warc(name)));
    for length in [1 << 16, 1 << 22] {
        let archive = [&first[..], &skippable(length, b""), &last].concat();
        let start = u64::MAX - (1 << 15);
        let opened = Reader::open_at(&archive[..], start, &mut Buffers::default());
        let mut reader = opened.unwrap().unwrap();
        let mut next = || reader.next_item().unwrap();
        assert!(matches!(next(), Some(Item::Record(record)) if record.url == Some(url("a"))));
        let damaged = start + first.len() as u64;
        assert!(matches!(next(), Some(Item::Damage(damage)) if damage.offset == damaged));
        assert!(matches!(next(), Some(Item::Record(record)) if record.url == Some(url("b"))));
        assert!(next().is_none());
    }
}

#[test]
fn a_short_last_member_with_a_file_name_is_found_after_damage() {
    let mut damaged = pack(Compression::Gzip, &warc("b"));
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xFF;
    let named = flate2::GzBuilder::new().filename("c.warc");
    let mut named = named.write(Vec::new(), flate2::Compression::default());
    named.write_all(&warc("c")).unwrap();
    let named = named.finish().unwrap();
    // The member is shorter than the bytes in which the file name must end.
    assert!(named.len() < 512, "{}", named.len());
    let archive = [pack(Compression::Gzip, &warc("a")), damaged, named].concat();
    let items = Items::read(&archive);
    assert_eq!(items.damage.len(), 1, "{:?}", items.damage);
    let last = items.records.last().and_then(|record| record.url.clone());
    assert_eq!(last, Some(url("c")));
}
