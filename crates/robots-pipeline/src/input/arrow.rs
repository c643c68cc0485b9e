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
//! Other columns are ignored. Rows whose URL is that of a robots.txt are captures of it.

use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt16Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use robots_archive::Record;
use robots_archive::http::HeaderLines;
use robots_meta::Timestamp;

/// Returns the records of batches, in order.
///
/// An error of the caller in place of a batch ends the run.
pub fn records<E: std::error::Error + Send + Sync + 'static>(
    batches: impl Iterator<Item = Result<RecordBatch, E>>,
) -> impl Iterator<Item = Result<Record, Error>> {
    batches.flat_map(|batch| match batch {
        Ok(batch) => of_batch(&batch).into_iter().map(Ok).collect(),
        Err(error) => vec![Err(Error::Record(Box::new(error)))],
    })
}

fn of_batch(batch: &RecordBatch) -> Vec<Record> {
    let column = |name| batch.column_by_name(name);
    let (urls, statuses, dates) = (column("url"), column("status"), column("date"));
    let (headers, types) = (column("headers"), column("content_type"));
    let bodies = column("body");
    let record = |row: usize| {
        let url = text(urls, row)?;
        let date = timestamp(dates, row).map(|date| date.to_string());
        let mut lines = Vec::new();
        let mut rest = text(headers, row).unwrap_or_default().as_bytes();
        // Empty lines do not end the headers of a row.
        while !rest.is_empty() {
            let read = HeaderLines::read(rest);
            rest = rest.get(read.length()..).unwrap_or_default();
            lines.push(read);
        }
        let lines = lines.iter().flat_map(HeaderLines::iter);
        let lines = lines.filter_map(|(name, value)| Some((name, str::from_utf8(value).ok()?)));
        let content_type = text(types, row).map(|value| ("content-type", value));
        Some(Record::response(
            url,
            date.as_deref(),
            status(statuses, row).unwrap_or(200),
            lines.chain(content_type),
            bytes(bodies, row).unwrap_or_default(),
        ))
    };
    (0..batch.num_rows()).filter_map(record).collect()
}

/// Returns the column, if it has a value in a row.
fn present(column: Option<&ArrayRef>, row: usize) -> Option<&ArrayRef> {
    column.filter(|column| column.is_valid(row))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::columnar::Columnar;
    use crate::{Options, Outcome, Rows, Source, decide};
    use arrow_array::{BinaryArray, Int64Array, StringArray, TimestampMillisecondArray};
    use robots_policy::{Policies, Policy};
    use std::convert::Infallible;
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
        let headers: StringArray = [Some("X-Robots-Tag: none,\n noindex\n\nA: b\x7F")]
            .into_iter()
            .collect();
        let urls: StringArray = [Some("http://a.example/")].into_iter().collect();
        let columns: [(&str, ArrayRef); 2] =
            [("url", Arc::new(urls)), ("headers", Arc::new(headers))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let record = of_batch(&batch).remove(0);
        assert_eq!(
            &record.block[..],
            b"HTTP/1.1 200\r\nX-Robots-Tag: none, noindex\r\nA: b\r\nx-crawler-body: decoded\r\n\r\n"
        );
    }

    #[test]
    fn a_status_out_of_range_is_not_a_success() {
        for (status, is_read) in [(200, true), (0, false), (-1, false), (1 << 40, false)] {
            let batch = batch(&[("http://a.example/", status, 0, "")]);
            let record = of_batch(&batch).remove(0);
            let response = robots_archive::http::Response::parse(&record.block);
            assert_eq!(response.is_ok(), is_read, "{status}");
        }
    }
}
