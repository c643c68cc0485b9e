//! Records of archives, and entries of indexes, as Arrow batches.

#![cfg(feature = "arrow")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure here fails the test"
)]

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch, StructArray};
use robots_archive::{Item, ReadAt};
use robots_pipeline::Error;
use robots_pipeline::extent::{ArchiveItems, Extent, RecordRange};
use robots_pipeline::input::ItemSource;
use robots_pipeline::records::{
    BATCH_BYTES, BATCH_ROWS, IndexBatches, RecordBatches, RecordColumn, RecordFilter,
};
use robots_pipeline::text::with_causes;
use std::io::Write;
use std::iter;

const TYPES: [&str; 4] = ["response", "request", "metadata", "response"];

/// Returns an archive of this number of records, each a gzip member.
fn archive(records: usize) -> Vec<u8> {
    let mut archive = Vec::new();
    for number in 0..records {
        let kind = TYPES[number % TYPES.len()];
        let (mime, status) = if number % 8 == 0 {
            ("Text/HTML; charset=utf-8", 200)
        } else {
            ("text/plain", 404)
        };
        let body = format!("body {number} {}", "x".repeat(number % 50));
        let block = match kind {
            "response" => {
                format!("HTTP/1.1 {status} x\r\nContent-Type: {mime}\r\nA: b\r\n\r\n{body}")
            }
            _ => body,
        };
        let record = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:{number}>\r\nWARC-Target-URI: http://a.example/{number}\r\n\
             WARC-Date: 2026-11-20T00:00:00Z\r\nContent-Type: application/x\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        archive.extend(member(record.as_bytes()));
    }
    archive
}

fn member(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn read(
    archive: &[u8],
    extent: Extent,
    columns: &[RecordColumn],
    filter: RecordFilter,
) -> Vec<RecordBatch> {
    let items = ArchiveItems::new("a", archive, extent);
    let mut batches = RecordBatches::new(items, columns.to_vec(), filter);
    std::iter::from_fn(|| batches.next_batch().unwrap()).collect()
}

/// Returns a filter that lets all pass, after a change.
fn filter(change: impl FnOnce(&mut RecordFilter)) -> RecordFilter {
    let mut filter = RecordFilter::default();
    change(&mut filter);
    filter
}

fn texts(batches: &[RecordBatch], name: &str) -> Vec<Option<String>> {
    let columns = batches
        .iter()
        .map(|batch| batch.column_by_name(name).unwrap());
    let texts = columns.flat_map(|column| column.as_string::<i32>().iter());
    texts.map(|text| text.map(str::to_owned)).collect()
}

fn numbers(batches: &[RecordBatch], name: &str) -> Vec<Option<i64>> {
    let columns = batches
        .iter()
        .map(|batch| batch.column_by_name(name).unwrap());
    columns
        .flat_map(|column| column.as_primitive::<Int64Type>().iter())
        .collect()
}

#[test]
fn rows_have_the_values_of_the_records() {
    let archive = archive(3);
    let batches = read(
        &archive,
        Extent::Whole,
        RecordColumn::ALL,
        RecordFilter::default(),
    );
    let [batch] = &batches[..] else {
        panic!("{batches:?}")
    };
    assert_eq!(batch.num_rows(), 3);
    let row = |name: &str| texts(&batches, name)[0].clone().unwrap();
    assert_eq!(row("type"), "response");
    assert_eq!(row("record_id"), "<urn:0>");
    assert_eq!(row("target_uri"), "http://a.example/0");
    assert_eq!(row("mime_type"), "text/html");
    assert_eq!(row("content_type"), "application/x");
    assert_eq!(
        texts(&batches, "mime_type")[1].as_deref(),
        Some("application/x")
    );
    assert_eq!(numbers(&batches, "status"), [Some(200), None, None]);
    let bytes = |name: &str, row: usize| {
        let column = batch.column_by_name(name).unwrap();
        column.as_binary::<i32>().value(row).to_vec()
    };
    assert_eq!(bytes("payload", 0), b"body 0 ");
    assert!(bytes("block", 0).starts_with(b"HTTP/1.1 200"));
    assert_eq!(bytes("payload", 1), bytes("block", 1));
    let headers = batch.column_by_name("headers").unwrap().as_list::<i32>();
    assert!(headers.is_null(1));
    let lines: &StructArray = headers.values().as_struct();
    let names: Vec<_> = lines
        .column(0)
        .as_string::<i32>()
        .iter()
        .flatten()
        .collect();
    assert_eq!(names, ["Content-Type", "A"]);
    let (offsets, lengths) = (numbers(&batches, "offset"), numbers(&batches, "length"));
    let total: i64 = lengths.iter().flatten().sum();
    assert_eq!(total, i64::try_from(archive.len()).unwrap());
    assert_eq!(offsets[1], lengths[0]);
    assert!(texts(&batches, "error").iter().all(Option::is_none));
}

#[test]
fn filters_pass_the_rows_whose_values_they_list() {
    let archive = archive(80);
    let columns = [RecordColumn::TargetUri];
    let count = |filter: RecordFilter| {
        let batches = read(&archive, Extent::Whole, &columns, filter);
        batches.iter().map(RecordBatch::num_rows).sum::<usize>()
    };
    assert_eq!(count(RecordFilter::default()), 80);
    let types = Some(vec!["response".to_owned()]);
    assert_eq!(count(filter(|filter| filter.types = types)), 40);
    let statuses = Some(vec![200, 500]);
    assert_eq!(count(filter(|filter| filter.statuses = statuses)), 10);
    let mime_types = Some(vec!["text/html".to_owned()]);
    assert_eq!(count(filter(|filter| filter.mime_types = mime_types)), 10);
    let types = Some(Vec::new());
    assert_eq!(count(filter(|filter| filter.types = types)), 0);
}

#[test]
fn damage_is_a_row() {
    let archive = [
        archive(2),
        b"nonsense".to_vec(),
        member(b"WARC/1.0\r\nContent-Length: 0\r\n\r\n"),
    ]
    .concat();
    let columns = [
        RecordColumn::File,
        RecordColumn::Offset,
        RecordColumn::Length,
        RecordColumn::Error,
    ];
    let batches = read(&archive, Extent::Whole, &columns, RecordFilter::default());
    let errors = texts(&batches, "error");
    assert_eq!(errors.len(), 4);
    assert!(errors[2].as_ref().unwrap().contains("corrupt gzip member"));
    assert!(
        texts(&batches, "file")
            .iter()
            .all(|file| file.as_deref() == Some("a"))
    );
    let filter = filter(|filter| filter.drops_faults = true);
    assert_eq!(
        texts(&read(&archive, Extent::Whole, &columns, filter), "error"),
        [None, None, None]
    );
}

#[test]
fn parts_and_ranges_have_the_rows_of_the_whole() {
    let archive = archive(60);
    let columns = [
        RecordColumn::Offset,
        RecordColumn::Length,
        RecordColumn::TargetUri,
        RecordColumn::Error,
    ];
    let rows = |extent: Extent| {
        let batches = read(&archive, extent, &columns, RecordFilter::default());
        let names = texts(&batches, "target_uri").into_iter();
        let places = numbers(&batches, "offset")
            .into_iter()
            .zip(numbers(&batches, "length"));
        assert!(texts(&batches, "error").iter().all(Option::is_none));
        names.zip(places).collect::<Vec<_>>()
    };
    let whole = rows(Extent::Whole);
    assert_eq!(whole.len(), 60);
    for bytes in [1, 100, 999, 1 << 20] {
        let size = archive.len() as u64;
        let parts =
            (0..size.div_ceil(bytes)).map(|part| Extent::part(part * bytes, (part + 1) * bytes));
        assert_eq!(parts.flat_map(rows).collect::<Vec<_>>(), whole, "{bytes}");
    }
    for has_length in [true, false] {
        let ranges = whole
            .iter()
            .rev()
            .step_by(3)
            .map(|&(_, (offset, length))| RecordRange {
                offset: u64::try_from(offset.unwrap()).unwrap(),
                length: length
                    .map(|length| u64::try_from(length).unwrap())
                    .filter(|_| has_length),
            });
        let found = rows(Extent::Ranges(ranges.collect()));
        let expected: Vec<_> = whole.iter().rev().step_by(3).cloned().collect();
        assert_eq!(found, expected);
    }
}

/// Returns the offset, URL and error of each row, and the error that ended reading.
fn rows_and_error(archive: &[u8], extent: Extent) -> (Vec<String>, Option<Error>) {
    let columns = [
        RecordColumn::Offset,
        RecordColumn::TargetUri,
        RecordColumn::Error,
    ];
    let items = ArchiveItems::new("a", archive, extent);
    let mut batches = RecordBatches::new(items, columns.to_vec(), RecordFilter::default());
    let mut rows = Vec::new();
    loop {
        let batch = match batches.next_batch() {
            Ok(Some(batch)) => [batch],
            Ok(None) => return (rows, None),
            Err(error) => return (rows, Some(error)),
        };
        let offsets = numbers(&batch, "offset").into_iter();
        let urls = texts(&batch, "target_uri").into_iter();
        let errors = texts(&batch, "error");
        let found = offsets.zip(urls).zip(errors);
        rows.extend(found.map(|row| format!("{row:?}")));
    }
}

#[test]
fn parts_are_read_in_the_format_of_the_archive() {
    // A member of a WARC file begins as a record of ARC.
    let note = member(b"http://note.example/ written by hand\n");
    let (before, after) = (archive(10), archive(8));
    let size = before.len() as u64;
    let archive = [before, note, after].concat();
    let (whole, _) = rows_and_error(&archive, Extent::Whole);
    assert_eq!(whole.len(), 19);
    for part in [size - 1, size, size + 1, 100] {
        let mut rows = Vec::new();
        for from in (0..archive.len() as u64).step_by(usize::try_from(part).unwrap()) {
            let (found, error) = rows_and_error(&archive, Extent::part(from, from + part));
            assert!(error.is_none(), "{part} {from}: {error:?}");
            rows.extend(found);
        }
        assert_eq!(rows, whole, "{part}");
    }
}

/// An input that can only be read forward.
struct Forward(&'static [u8], u64);

impl ReadAt for Forward {
    fn read_at(&mut self, into: &mut [u8], offset: u64, end: u64) -> std::io::Result<usize> {
        if offset != self.1 {
            return Err(std::io::Error::other("cannot seek"));
        }
        let count = self.0.read_at(into, offset, end)?;
        self.1 += count as u64;
        Ok(count)
    }
}

#[test]
fn a_forward_input_that_is_not_an_archive_is_reported_as_such() {
    let packed = member(&member(b"WARC/1.0\r\n"));
    let packed: &'static [u8] = packed.leak();
    for (bytes, expected) in [
        (&b""[..], "empty"),
        (b"<html>not an archive</html>", "neither a WARC nor an ARC"),
        (packed, "gzip in gzip"),
    ] {
        let mut items = ArchiveItems::new("a", Forward(bytes, 0), Extent::Whole);
        let error = items.next_item().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_forward_input_is_not_read_backwards() {
    // The length of the first record covers all others, and more bytes than a block keeps.
    let body = vec![b'x'; 1 << 20];
    let record = |length: usize| {
        let header = format!("WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: {length}\r\n\r\n");
        [header.as_bytes(), &body, b"\r\n\r\n"].concat()
    };
    let archive = [record(1 << 30), record(body.len()).repeat(20)].concat();
    let archive: &'static [u8] = archive.leak();
    let count = |mut items: ArchiveItems<_>| -> usize {
        let next = iter::from_fn(|| items.next_item().unwrap());
        next.filter(|item| matches!(item, Item::Record(_))).count()
    };
    let forward: Box<dyn ReadAt> = Box::new(Forward(archive, 0));
    assert!(count(ArchiveItems::new("a", forward, Extent::Whole)) > 10);
    let movable: Box<dyn ReadAt> = Box::new(archive);
    assert_eq!(count(ArchiveItems::new("a", movable, Extent::Whole)), 21);
}

#[test]
fn ranges_without_a_record_are_damage() {
    let archive = archive(3);
    let range = |offset, length| RecordRange { offset, length };
    let columns = [RecordColumn::Offset, RecordColumn::Error];
    let ranges = vec![
        range(5, Some(20)),
        range(0, Some(10)),
        range(1 << 40, None),
        range(0, None),
    ];
    let batches = read(
        &archive,
        Extent::Ranges(ranges),
        &columns,
        RecordFilter::default(),
    );
    let errors = texts(&batches, "error");
    assert_eq!(
        errors.iter().filter(|error| error.is_some()).count(),
        3,
        "{errors:?}"
    );
    assert_eq!(errors.last(), Some(&None));
}

#[test]
fn batches_are_limited_in_rows_and_bytes() {
    let archive = archive(BATCH_ROWS + 1);
    let rows = |columns: &[RecordColumn]| -> Vec<usize> {
        let batches = read(&archive, Extent::Whole, columns, RecordFilter::default());
        batches.iter().map(RecordBatch::num_rows).collect()
    };
    assert_eq!(rows(&[RecordColumn::Type]), [BATCH_ROWS, 1]);
    assert_eq!(rows(&[]), [BATCH_ROWS, 1]);
    let large = |bytes: usize| {
        let block = "x".repeat(bytes);
        member(
            format!(
                "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: {bytes}\r\n\r\n{block}\r\n\r\n"
            )
            .as_bytes(),
        )
    };
    for (bytes, expected) in [(BATCH_BYTES - 1, 2), (BATCH_BYTES, 1), (BATCH_BYTES + 1, 1)] {
        let archive = [large(bytes), large(1), large(BATCH_BYTES)].concat();
        let batches = read(
            &archive,
            Extent::Whole,
            &[RecordColumn::Block],
            RecordFilter::default(),
        );
        assert_eq!(batches[0].num_rows(), expected, "{bytes}");
    }
    // A filter that drops everything does not read on without an end.
    let sixteen = 16 << 20;
    for (count, batches) in [(3, 0), (4, 1), (5, 1)] {
        let archive = large(sixteen).repeat(count);
        let filter = filter(|filter| filter.types = Some(Vec::new()));
        assert_eq!(
            read(&archive, Extent::Whole, &[RecordColumn::Block], filter).len(),
            batches
        );
    }
}

#[test]
fn index_entries_have_the_columns_of_a_columnar_index() {
    let index = b"com,a)/ 2026 {\"url\": \"http://a.com/\", \"mime\": \"text/html\", \"status\": \"200\", \"offset\": \"7\", \"length\": \"9\", \"filename\": \"x/a.warc.gz\"}\n\
        nonsense\n\
        com,b)/ 2026 {\"url\": \"http://b.com/\", \"offset\": 9, \"filename\": \"b\"}";
    let mut batches = IndexBatches::new("index", Box::new(&index[..]));
    let batch = batches.next_batch().unwrap().unwrap();
    assert!(batches.next_batch().unwrap().is_none());
    let batches = [batch];
    assert_eq!(
        numbers(&batches, "warc_record_offset"),
        [Some(7), None, Some(9)]
    );
    assert_eq!(
        numbers(&batches, "warc_record_length"),
        [Some(9), None, None]
    );
    assert_eq!(numbers(&batches, "fetch_status"), [Some(200), None, None]);
    assert_eq!(
        texts(&batches, "warc_filename")[0].as_deref(),
        Some("x/a.warc.gz")
    );
    let errors = texts(&batches, "error");
    assert!(
        errors[1]
            .as_ref()
            .unwrap()
            .starts_with("line 2 is not an index entry"),
        "{errors:?}"
    );
}

#[test]
fn entries_before_a_failure_of_the_index_are_returned_first() {
    struct Fails;
    impl std::io::Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("connection reset"))
        }
    }
    let line = |number: usize| {
        format!("k 2026 {{\"url\": \"http://a/\", \"offset\": {number}, \"filename\": \"f\"}}\n")
    };
    for rows in [0, 1, 3, BATCH_ROWS, BATCH_ROWS + 1] {
        // The failure is within a line, which is not a row.
        let index: String = (0..rows)
            .map(line)
            .chain(["k 2026 {\"url".to_owned()])
            .collect();
        let input = std::io::Read::chain(std::io::Cursor::new(index), Fails);
        let mut batches = IndexBatches::new("index", Box::new(std::io::BufReader::new(input)));
        let mut read = 0;
        let error = loop {
            match batches.next_batch() {
                Ok(batch) => read += batch.unwrap().num_rows(),
                Err(error) => break with_causes(&error),
            }
        };
        assert_eq!(read, rows);
        assert!(error.contains("connection reset"), "{error}");
        assert!(batches.next_batch().unwrap().is_none());
    }
}
