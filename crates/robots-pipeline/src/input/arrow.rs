//! Records from Arrow batches, one for each row.
//!
//! | column | type | content |
//! | --- | --- | --- |
//! | `url` | string | URL; rows without one are left out |
//! | `status` | number, optional | HTTP status; 200 if there is none. Rows with an invalid one are skipped, with a warning |
//! | `date` | timestamp, seconds since 1970, or string in RFC 3339, optional | time of the capture |
//! | `headers` | string, optional | header lines, as HTTP writes them |
//! | `content_type` | string, optional | value of Content-Type, added before the headers: one of theirs counts, and not this |
//! | `body` | binary or string, optional | body, without codings |
//!
//! Other columns are ignored. Rows whose URL is that of a robots.txt are captures of it. The cost is linear in the bytes of
//! the values, whatever number of rows a batch states. So a batch whose URLs are not strings has no records: a column of
//! another type may state any number of rows without a byte in memory.
//!
//! The batches come from a reader of the caller. Only uncompressed Arrow data is safe to read from sources that are not trusted:
//! arrow-ipc 60.1 allocates the length that a compressed buffer states, and aborts the process if there is not enough memory.

use crate::batch::values::{Bytes, Numbers, Times, is_text};
use crate::batch::{RowHeaders, message};
use crate::error::Error;
use arrow_array::RecordBatch;
use robots_archive::Record;
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
                let text = format!("reading panicked: {}", message(&*panic));
                Some(Err(Error::Record(text.into())))
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

/// The columns of a batch of pages.
struct PageColumns {
    /// The number of rows. As `urls` has bytes for each, it is not larger than the memory.
    rows: usize,
    urls: Bytes,
    statuses: Numbers,
    dates: Times,
    headers: Bytes,
    types: Bytes,
    bodies: Bytes,
}

impl PageColumns {
    /// Returns the columns of a batch; `None` if the URLs are not strings. Arrays of other types may state any number of rows
    /// without a byte in memory. A column of a type that it cannot have is read as if it were missing.
    fn of(batch: &RecordBatch) -> Option<Self> {
        let column = |name| batch.column_by_name(name);
        let texts = |name| column(name).filter(|column| is_text(column.data_type()));
        let bytes = |column| Bytes::of(column).unwrap_or(Bytes::Missing);
        let missing = Times::Seconds(Numbers::Missing);
        Some(Self {
            rows: batch.num_rows(),
            urls: Bytes::of(texts("url")?)?,
            statuses: column("status")
                .and_then(|column| Numbers::of(column))
                .unwrap_or(Numbers::Missing),
            dates: column("date").and_then(Times::of).unwrap_or(missing),
            headers: texts("headers").map_or(Bytes::Missing, bytes),
            types: texts("content_type").map_or(Bytes::Missing, bytes),
            bodies: column("body").map_or(Bytes::Missing, bytes),
        })
    }

    /// Returns the records of the rows with URLs. Only one record is in memory at a time: the rows of a view may share their
    /// bytes, so all records may be far larger than the batch.
    fn into_records(self) -> impl Iterator<Item = Record> {
        (0..self.rows).filter_map(move |row| self.record(row))
    }

    fn record(&self, row: usize) -> Option<Record> {
        let url = text(&self.urls, row)?;
        let date = self.dates.get(row).ok().flatten();
        let date = date.map(|date| date.to_string());
        let headers = RowHeaders::of_lines(self.headers.get(row).unwrap_or_default());
        let lines = headers.iter();
        let lines = lines.filter_map(|(name, value)| {
            Some((str::from_utf8(name).ok()?, str::from_utf8(value).ok()?))
        });
        let content_type = text(&self.types, row).map(|value| ("content-type", value));
        // With a number out of range, the record is not a valid HTTP response.
        let status = |status: i64| u16::try_from(status).unwrap_or(0);
        Some(Record::response(
            url,
            date.as_deref(),
            self.statuses.get(row).map_or(200, status),
            content_type.into_iter().chain(lines),
            self.bodies.get(row).unwrap_or_default(),
        ))
    }
}

fn text(column: &Bytes, row: usize) -> Option<&str> {
    str::from_utf8(column.get(row)?).ok()
}

// arrow-ipc, which the feature has, writes the streams that the tests read, and then damage.
#[cfg(all(test, feature = "columnar"))]
mod tests {
    use super::*;
    use crate::sink::columnar::Columnar;
    use crate::{Options, Outcome, Rows, Source, decide};
    use arrow_array::cast::AsArray;
    use arrow_array::{
        ArrayRef, BinaryArray, Int64Array, NullArray, StringArray, TimestampMillisecondArray,
    };
    use arrow_ipc::reader::{FileReader, StreamReader};
    use arrow_ipc::writer::{FileWriter, StreamWriter};
    use arrow_schema::ArrowError;
    use robots_meta::Timestamp;
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
        let texts = |name: &str| -> Vec<&str> {
            let column = decisions[0].column_by_name(name).unwrap();
            column.as_string::<i32>().iter().flatten().collect()
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
