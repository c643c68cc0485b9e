//! Records from Arrow batches, one for each row.
//!
//! | column | type | content |
//! | --- | --- | --- |
//! | `url` | string | URL; rows without one are left out |
//! | `status` | int64, int32 or uint16, optional | HTTP status; 200 if there is none. Rows with an invalid one are skipped, with a warning |
//! | `date` | timestamp, or string in RFC 3339, optional | time of the capture |
//! | `headers` | string, optional | header lines, as HTTP writes them |
//! | `content_type` | string, optional | value of Content-Type, added to the headers |
//! | `body` | binary or string, optional | body, without codings |
//!
//! Other columns are ignored. Rows whose URL is that of a robots.txt are captures of it. The cost is linear in the bytes of
//! the values, whatever number of rows a batch states. So a batch whose URLs are not strings has no records: a column of
//! another type may state any number of rows without a byte in memory.
//!
//! The batches come from a reader of the caller. Only uncompressed Arrow data is safe to read from sources that are not trusted:
//! arrow-ipc 60.1 allocates the length that a compressed buffer states, and aborts the process if there is not enough memory.

use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt16Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use robots_archive::Record;
use robots_archive::http::HeaderLines;
use robots_meta::Timestamp;
use std::any::Any;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the records of batches, in order.
///
/// An error of the caller in place of a batch ends the run. So does a panic of the iterator, which is dropped then: the readers
/// of arrow-ipc 60.1 panic if a damaged stream or file states a buffer that it does not have.
pub fn records<E: std::error::Error + Send + Sync + 'static>(
    batches: impl Iterator<Item = Result<RecordBatch, E>>,
) -> impl Iterator<Item = Result<Record, Error>> {
    let mut batches = Some(batches);
    let batches = iter::from_fn(move || {
        // After a panic, nothing uses the iterator again.
        let next = catch_unwind(AssertUnwindSafe(|| batches.as_mut()?.next()));
        match next {
            Ok(batch) => batch.map(|batch| batch.map_err(|error| Error::Record(Box::new(error)))),
            Err(panic) => {
                batches = None;
                Some(Err(Error::Record(message(&*panic).into())))
            }
        }
    });
    batches.flat_map(|batch| {
        let (columns, error) = match batch {
            Ok(batch) => (PageColumns::of(&batch), None),
            Err(error) => (None, Some(Err(error))),
        };
        let records = columns.into_iter().flat_map(PageColumns::into_records);
        records.map(Ok).chain(error)
    })
}

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("reading panicked: {}", text.unwrap_or("without a message"))
}

/// The columns of a batch of pages.
struct PageColumns {
    /// The number of rows. As `urls` has bytes for each, it is not larger than the memory.
    rows: usize,
    urls: ArrayRef,
    statuses: Option<ArrayRef>,
    dates: Option<ArrayRef>,
    headers: Option<ArrayRef>,
    types: Option<ArrayRef>,
    bodies: Option<ArrayRef>,
}

impl PageColumns {
    /// Returns the columns of a batch; `None` if the URLs are not strings. Arrays of other types may state any number of rows
    /// without a byte in memory.
    fn of(batch: &RecordBatch) -> Option<Self> {
        let column = |name| batch.column_by_name(name).cloned();
        Some(Self {
            rows: batch.num_rows(),
            urls: column("url").filter(is_text)?,
            statuses: column("status"),
            dates: column("date"),
            headers: column("headers"),
            types: column("content_type"),
            bodies: column("body"),
        })
    }

    /// Returns the records of the rows with URLs. Only one record is in memory at a time: the rows of a view may share their
    /// bytes, so all records may be far larger than the batch.
    fn into_records(self) -> impl Iterator<Item = Record> {
        (0..self.rows).filter_map(move |row| self.record(row))
    }

    fn record(&self, row: usize) -> Option<Record> {
        let url = text(Some(&self.urls), row)?;
        let date = timestamp(self.dates.as_ref(), row).map(|date| date.to_string());
        let mut lines = Vec::new();
        let headers = text(self.headers.as_ref(), row);
        let mut rest = headers.unwrap_or_default().as_bytes();
        // Empty lines do not end the headers of a row.
        while !rest.is_empty() {
            let read = HeaderLines::read(rest);
            rest = rest.get(read.length()..).unwrap_or_default();
            lines.push(read);
        }
        let lines = lines.iter().flat_map(HeaderLines::iter);
        let lines = lines.filter_map(|(name, value)| Some((name, str::from_utf8(value).ok()?)));
        let content_type = text(self.types.as_ref(), row).map(|value| ("content-type", value));
        Some(Record::response(
            url,
            date.as_deref(),
            status(self.statuses.as_ref(), row).unwrap_or(200),
            lines.chain(content_type),
            bytes(self.bodies.as_ref(), row).unwrap_or_default(),
        ))
    }
}

/// Returns the column, if it has a value in a row.
fn present(column: Option<&ArrayRef>, row: usize) -> Option<&ArrayRef> {
    column.filter(|column| column.is_valid(row))
}

/// Returns whether a column has texts.
fn is_text(column: &ArrayRef) -> bool {
    matches!(
        column.data_type(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

fn text(column: Option<&ArrayRef>, row: usize) -> Option<&str> {
    let column = present(column, row)?;
    let short = column.as_string_opt::<i32>().map(|texts| texts.value(row));
    let long = || column.as_string_opt::<i64>().map(|texts| texts.value(row));
    let view = || column.as_string_view_opt().map(|texts| texts.value(row));
    short.or_else(long).or_else(view)
}

fn bytes(column: Option<&ArrayRef>, row: usize) -> Option<&[u8]> {
    let array = present(column, row)?;
    let short = array.as_binary_opt::<i32>().map(|all| all.value(row));
    let long = || array.as_binary_opt::<i64>().map(|all| all.value(row));
    let view = || array.as_binary_view_opt().map(|all| all.value(row));
    let as_text = || text(column, row).map(str::as_bytes);
    short.or_else(long).or_else(view).or_else(as_text)
}

/// Returns the status of a row. A number out of range is 0, with which the record is not a valid HTTP response.
fn status(column: Option<&ArrayRef>, row: usize) -> Option<u16> {
    let column = present(column, row)?;
    if let Some(numbers) = column.as_primitive_opt::<Int64Type>() {
        return Some(numbers.value(row).try_into().unwrap_or(0));
    }
    if let Some(numbers) = column.as_primitive_opt::<Int32Type>() {
        return Some(numbers.value(row).try_into().unwrap_or(0));
    }
    let numbers = column.as_primitive_opt::<UInt16Type>()?;
    Some(numbers.value(row))
}

fn timestamp(column: Option<&ArrayRef>, row: usize) -> Option<Timestamp> {
    if let Some(text) = text(column, row) {
        return Timestamp::parse(text);
    }
    let column = present(column, row)?;
    let seconds = if let Some(times) = column.as_primitive_opt::<TimestampSecondType>() {
        times.value(row)
    } else if let Some(times) = column.as_primitive_opt::<TimestampMillisecondType>() {
        times.value(row).div_euclid(1_000)
    } else if let Some(times) = column.as_primitive_opt::<TimestampMicrosecondType>() {
        times.value(row).div_euclid(1_000_000)
    } else {
        let times = column.as_primitive_opt::<TimestampNanosecondType>()?;
        times.value(row).div_euclid(1_000_000_000)
    };
    Some(Timestamp::from_seconds(seconds))
}

// Damaged streams are written by arrow-ipc.
#[cfg(all(test, feature = "columnar"))]
mod tests {
    use super::*;
    use crate::sink::columnar::Columnar;
    use crate::{Options, Outcome, Rows, Source, decide};
    use arrow_array::{BinaryArray, Int64Array, NullArray, StringArray, TimestampMillisecondArray};
    use arrow_ipc::reader::{FileReader, StreamReader};
    use arrow_ipc::writer::{FileWriter, StreamWriter};
    use arrow_schema::ArrowError;
    use robots_policy::{Policies, Policy};
    use std::convert::Infallible;
    use std::io::Cursor;
    use std::sync::Arc;

    /// Returns a batch of rows with a URL, a status, a day and a body.
    fn batch(rows: &[(&str, i64, i64, &str)]) -> RecordBatch {
        let urls: StringArray = rows.iter().map(|row| Some(row.0)).collect();
        let statuses: Int64Array = rows.iter().map(|row| Some(row.1)).collect();
        let dates: TimestampMillisecondArray =
            rows.iter().map(|row| Some(row.2 * 86_400_000)).collect();
        let types: StringArray = rows.iter().map(|_| Some("text/html")).collect();
        let bodies: BinaryArray = rows.iter().map(|row| Some(row.3.as_bytes())).collect();
        let columns: [(&str, ArrayRef); 5] = [
            ("url", Arc::new(urls)),
            ("status", Arc::new(statuses)),
            ("date", Arc::new(dates)),
            ("content_type", Arc::new(types)),
            ("body", Arc::new(bodies)),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn first_record(batch: RecordBatch) -> Record {
        let mut records = records(iter::once(Ok::<_, Infallible>(batch)));
        records.next().unwrap().unwrap()
    }

    #[test]
    fn batches_become_batches_of_decisions() {
        let pages = batch(&[
            ("http://a.example/x", 200, 2, "<title>x</title>"),
            (
                "http://b.example/",
                200,
                2,
                "<meta name=robots content=noindex>",
            ),
        ]);
        let robots = batch(&[
            (
                "http://a.example/robots.txt",
                200,
                1,
                "User-agent: *\nDisallow: /x",
            ),
            ("http://b.example/robots.txt", 404, 1, ""),
        ]);
        let policies = Policies::new(vec![Policy::default()]);
        let options = Options::new(Timestamp::from_seconds(0));
        // The robots.txt may come after the pages, in another batch.
        let batches = [pages, robots].into_iter().map(Ok::<_, Infallible>);
        let mut records = records(batches);
        let mut sink = Columnar::in_memory(false);
        let source = Source::Records {
            name: "batches",
            records: &mut records,
        };
        let outcome = decide(source, &policies, &options, Rows::Sink(&mut sink), &()).unwrap();
        assert!(matches!(outcome, Outcome::Ended { summary, .. } if summary.pages == 2));
        let decisions = sink.take_batches();
        let texts = |name: &str| -> Vec<String> {
            let column = decisions[0].column_by_name(name);
            (0..2)
                .map(|row| text(column, row).unwrap().to_owned())
                .collect()
        };
        assert_eq!(texts("fetch"), ["disallow", "allow"]);
        assert_eq!(texts("index"), ["url_only", "no"]);
        assert_eq!(texts("file"), ["batches", "batches"]);
    }

    #[test]
    fn header_lines_and_an_absent_body_are_read() {
        // A value on two lines, an empty line, and a control character, which counts as white space.
        let headers: StringArray = [Some("X-Robots-Tag: none,\n noindex\n\nA: b\x7F")]
            .into_iter()
            .collect();
        let urls: StringArray = [Some("http://a.example/")].into_iter().collect();
        let columns: [(&str, ArrayRef); 2] =
            [("url", Arc::new(urls)), ("headers", Arc::new(headers))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let record = first_record(batch);
        assert_eq!(
            &record.block[..],
            b"HTTP/1.1 200\r\nX-Robots-Tag: none, noindex\r\nA: b\r\nx-crawler-body: decoded\r\n\r\n"
        );
    }

    #[test]
    fn a_status_out_of_range_is_not_a_success() {
        for (status, is_read) in [(200, true), (0, false), (-1, false), (1 << 40, false)] {
            let batch = batch(&[("http://a.example/", status, 0, "")]);
            let record = first_record(batch);
            let response = robots_archive::http::Response::parse(&record.block);
            assert_eq!(response.is_ok(), is_read, "{status}");
        }
    }

    #[test]
    fn rows_without_bytes_cost_nothing() {
        let columns: [(&str, ArrayRef); 1] = [("url", Arc::new(NullArray::new(1 << 60)))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        assert_eq!(batch.num_rows(), 1 << 60);
        assert!(PageColumns::of(&batch).is_none());
        assert_eq!(records(iter::once(Ok::<_, Infallible>(batch))).count(), 0);
    }

    #[test]
    fn a_panic_of_the_iterator_is_an_error_and_its_end() {
        let mut batches = [(); 3].iter().enumerate();
        let mut records = records(iter::from_fn(|| {
            let (number, ()) = batches.next()?;
            assert!(number == 0, "batch {number}");
            Some(Ok::<_, Infallible>(batch(&[(
                "http://a.example/",
                200,
                0,
                "",
            )])))
        }));
        assert!(records.next().unwrap().is_ok());
        let error = records.next().unwrap().unwrap_err();
        let source = std::error::Error::source(&error).unwrap();
        assert_eq!(source.to_string(), "reading panicked: batch 1");
        assert!(records.next().is_none());
    }

    /// The number of damaged streams of each form.
    const DAMAGED: usize = 2_000;

    /// Returns two batches of pages and robots.txt files, from a generator.
    fn pages(random: &mut fastrand::Rng) -> [RecordBatch; 2] {
        let metas = ["", "noindex", "none, nosnippet", "max-snippet: 3"];
        [(); 2].map(|()| {
            let rows: Vec<(String, i64, i64, String)> = (0..20)
                .map(|_| {
                    let host = random.u8(0..4);
                    let status = *random.choice(&[200, 200, 200, 404, 503]).unwrap();
                    let day = random.i64(0..9);
                    if random.u8(0..4) == 0 {
                        let url = format!("http://{host}.example/robots.txt");
                        (url, status, day, "User-agent: *\nDisallow: /1".to_owned())
                    } else {
                        let url = format!("http://{host}.example/{}", random.u8(..));
                        let meta = random.choice(&metas).unwrap();
                        let body = format!("<meta name=robots content=\"{meta}\"><p>\u{e9}");
                        (url, status, day, body)
                    }
                })
                .collect();
            let rows: Vec<_> = rows
                .iter()
                .map(|row| (row.0.as_str(), row.1, row.2, row.3.as_str()))
                .collect();
            batch(&rows)
        })
    }

    /// Returns the number of decisions about the rows of batches, or the error that ended the run.
    fn number_of_decisions(
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    ) -> Result<usize, Error> {
        let policies = Policies::new(vec![Policy::default()]);
        let options = Options::new(Timestamp::from_seconds(0));
        let mut records = records(batches);
        let mut sink = Columnar::in_memory(false);
        let source = Source::Records {
            name: "batches",
            records: &mut records,
        };
        decide(source, &policies, &options, Rows::Sink(&mut sink), &())?;
        let decisions = sink.take_batches();
        Ok(decisions.iter().map(RecordBatch::num_rows).sum())
    }

    /// Reads damaged copies of an Arrow stream or file: each has one to three wrong bytes, or is cut. Returns how many were
    /// read to their end.
    fn read_damaged<B: Iterator<Item = Result<RecordBatch, ArrowError>>>(
        valid: &[u8],
        open: impl Fn(Vec<u8>) -> Result<B, ArrowError>,
        random: &mut fastrand::Rng,
    ) -> usize {
        let whole = number_of_decisions(open(valid.to_vec()).unwrap()).unwrap();
        assert!(whole > 0);
        let mut read = 0;
        for _ in 0..DAMAGED {
            let mut bytes = valid.to_vec();
            if random.u8(0..8) == 0 {
                bytes.truncate(random.usize(..valid.len()));
            } else {
                for _ in 0..random.usize(1..=3) {
                    let at = random.usize(..valid.len());
                    bytes[at] ^= random.u8(1..);
                }
            }
            // A copy that cannot be opened has no batches.
            let Ok(batches) = open(bytes) else { continue };
            if let Ok(number) = number_of_decisions(batches) {
                // A damaged batch may state more rows than it has bytes. They must not become decisions.
                assert!(number <= valid.len(), "{number} rows");
                read += 1;
            }
        }
        read
    }

    /// Compressed streams are left out: arrow-ipc allocates whatever a damaged length states, which aborts the process.
    #[test]
    fn damaged_streams_are_read_or_refused() {
        let mut random = fastrand::Rng::with_seed(1);
        let batches = pages(&mut random);
        let schema = batches[0].schema();
        let mut stream = StreamWriter::try_new(Vec::new(), &schema).unwrap();
        let mut file = FileWriter::try_new(Vec::new(), &schema).unwrap();
        for batch in &batches {
            stream.write(batch).unwrap();
            file.write(batch).unwrap();
        }
        stream.finish().unwrap();
        let stream = stream.into_inner().unwrap();
        let open = |bytes| StreamReader::try_new(Cursor::new(bytes), None);
        let read = read_damaged(&stream, open, &mut random);
        println!("stream: {read} of {DAMAGED} read");
        file.finish().unwrap();
        let file = file.into_inner().unwrap();
        let open = |bytes| FileReader::try_new(Cursor::new(bytes), None);
        let read = read_damaged(&file, open, &mut random);
        println!("file: {read} of {DAMAGED} read");
    }
}
