//! Decisions about the rows of Arrow batches. Each row is a page with what is known of it, its robots.txt too; each decides
//! as if it were alone.
//!
//! [`PageColumns`] finds these columns in a schema; others are ignored.
//!
//! | column | type | content |
//! | --- | --- | --- |
//! | `url` | string or binary | URL, in UTF-8 |
//! | `html` | string or binary | page; null if it was not fetched, or is not HTML. The encoding that a string names does not apply |
//! | `status` | number, optional | HTTP status of the page |
//! | `headers` | string, binary, list of structs, or map, optional | header lines as HTTP writes them, or names and values |
//! | `robots_txt` | string or binary, optional | body of the site's robots.txt |
//! | `robots_status` | number, optional | HTTP status of robots.txt; 200 if there is a body |
//! | `robots_content_type` | string or binary, optional | value of its Content-Type |
//! | `robots_fetched_at` | time, optional | time of the request for it |
//! | `fetched_at` | time, optional | time of the request for the page |
//!
//! Strings and binary may be large, views or dictionaries. Times are timestamps, dates, seconds since 1970, or strings as in
//! RFC 3339. If a row has neither `robots_txt` nor `robots_status`, a book of captures has its robots.txt, or else the policy
//! uses the one that it learned. With `fetched_at`, a page is decided by the state of robots.txt at that time, as in an archive;
//! without it, by the state at the time of the decision, and by the last capture of a book.
//!
//! [`BatchDecider`] returns a batch with a row for each page and policy: first all policies of the first page. Its columns
//! are `row` (the number of the page), `error`, `status`, and those of [`Decision::columns`]. Lists are lists, and times are
//! in microseconds. A row that cannot be decided has the reason in `error`, and null in place of its decision.
//!
//! The cost is linear in the bytes of the values. Rows may share bytes, in dictionaries and views: they are read for each
//! row. A robots.txt that rows share is compiled once, as long as the policies keep its rules.

mod columns;
mod headers;
mod results;
mod robots;
mod row;
mod values;

pub use columns::{ColumnError, PageColumns};
pub use row::Pages;

use crate::error::BookError;
use crate::robots::capture_book::CaptureBook;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use results::{ResultColumns, Results};
use robots::RobotsFiles;
use robots_meta::Timestamp;
use robots_policy::policies::Heads;
use robots_policy::{Decision, Policies};
use row::RowError;
use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The maximum size of the texts of a column of results, in bytes: 2 GiB less one, what offsets of 32 bits can hold.
const MAX_TEXT_BYTES: usize = i32::MAX as usize;

/// A decider about batches of pages, for some policies.
#[derive(Debug)]
pub struct BatchDecider {
    policies: Policies,
    /// The captures by which rows without a robots.txt are decided.
    book: Option<Arc<CaptureBook>>,
    now: Option<Timestamp>,
    columns: ResultColumns,
    max_text_bytes: usize,
}

impl BatchDecider {
    /// Returns a decider without a time: `unavailable_after` is reported but not applied, and no robots.txt is stale.
    pub fn new(policies: Policies) -> Self {
        Self {
            policies,
            book: None,
            now: None,
            columns: ResultColumns::new(false),
            max_text_bytes: MAX_TEXT_BYTES,
        }
    }

    /// Decides rows without a robots.txt by a book of captures.
    ///
    /// # Errors
    ///
    /// If the book has other policies.
    pub fn with_book(mut self, book: Arc<CaptureBook>) -> Result<Self, BookError> {
        book.check(&self.policies)?;
        self.book = Some(book);
        Ok(self)
    }

    /// Sets the time of the decisions.
    #[must_use]
    pub fn at(mut self, now: impl Into<Option<Timestamp>>) -> Self {
        self.now = now.into();
        self
    }

    /// Adds the columns of all reasons and warnings ([`Decision::explaining_columns`]).
    #[must_use]
    pub fn with_explanations(mut self) -> Self {
        self.columns = ResultColumns::new(true);
        self
    }

    /// Returns the schema of the results.
    pub fn schema(&self) -> &SchemaRef {
        self.columns.schema()
    }

    /// Decides about pages, the first of which has the number `first_row`.
    ///
    /// # Errors
    ///
    /// If there are so many rows that a column of short words exceeds 2 GiB.
    pub fn decide(&self, pages: &Pages, first_row: u64) -> Result<RecordBatch, ArrowError> {
        self.decide_in_steps(pages, 0..pages.rows(), first_row, |decide_row| {
            decide_row();
            Ok(())
        })
    }

    /// Decides about some rows of pages, the first of which has the number `first_row`. Calls `step` for each, with the function
    /// that decides about it.
    ///
    /// # Errors
    ///
    /// As [`decide`](Self::decide), and an error of `step`, which ends the batch.
    pub fn decide_in_steps(
        &self,
        pages: &Pages,
        rows: Range<usize>,
        first_row: u64,
        mut step: impl FnMut(&mut dyn FnMut()) -> Result<(), ArrowError>,
    ) -> Result<RecordBatch, ArrowError> {
        let mut files = RobotsFiles::new(&self.policies);
        let rows = rows.start..rows.end.min(pages.rows());
        self.decide_with(pages, rows, first_row, |row| {
            let mut decisions = Err(RowError::Panic("no decision".to_owned()));
            step(&mut || decisions = caught(|| self.decide_row(pages, row, &mut files)))?;
            Ok(decisions)
        })
    }

    /// Writes the decisions that `decide_row` returns for a row: one for each policy.
    fn decide_with(
        &self,
        pages: &Pages,
        rows: Range<usize>,
        first_row: u64,
        mut decide_row: impl FnMut(usize) -> Result<Result<Vec<Decision>, RowError>, ArrowError>,
    ) -> Result<RecordBatch, ArrowError> {
        let mut results = Results::new(&self.columns, self.max_text_bytes);
        for (number, row) in rows.enumerate() {
            let number = u64::try_from(number).unwrap_or(u64::MAX);
            let number = i64::try_from(first_row.saturating_add(number)).unwrap_or(i64::MAX);
            let decisions = decide_row(row)?;
            for (at, policy) in self.policies.iter().enumerate() {
                let cells = decisions.as_ref().map_err(Clone::clone).and_then(|all| {
                    caught(|| {
                        let decision = all.get(at);
                        let decision =
                            decision.ok_or_else(|| RowError::Panic("no decision".to_owned()))?;
                        Ok(self.columns.cells(number, pages.status(row)?, decision))
                    })
                });
                match cells {
                    Ok(cells) => results.add(number, policy, cells),
                    Err(error) => {
                        results.add_error(number, policy, pages.url(row).ok(), &error);
                    }
                }
            }
        }
        results.finish()
    }

    fn decide_row<'b>(
        &self,
        pages: &'b Pages,
        row: usize,
        files: &mut RobotsFiles<'_, 'b>,
    ) -> Result<Vec<Decision>, RowError> {
        let row = pages.row(row)?;
        #[cfg(feature = "panic-test")]
        assert!(row.url != "https://panic.test/", "panic for a test");
        let mut page = row.page(self.now);
        if let Some(robots) = &row.robots
            && let (Some(captured), Some(date)) = (robots.fetched_at, row.fetched_at)
        {
            page = page.with_captures(captured, date);
        }
        let robots = row.robots.as_ref();
        let captured = match (&self.book, robots) {
            (Some(book), None) => Some(book.robots_of(row.url, row.fetched_at)),
            _ => None,
        };
        let states = robots.map(|robots| files.states(&row, robots, &page, self.now));
        let label = page.encoding_label();
        let heads = row.html.map(|html| self.policies.read(html, label));
        let mut heads = heads.iter().flat_map(Heads::iter);
        let mut states = states.into_iter().flatten();
        let decisions = self.policies.iter().enumerate().map(|(index, policy)| {
            let page = match heads.next() {
                Some(head) => page.clone().with_meta(head),
                None => page.clone(),
            };
            if let Some(captured) = &captured {
                let book = self.book.as_deref();
                return captured.decide(index, policy, page, row.fetched_at, book).0;
            }
            match (states.next(), row.fetched_at) {
                (Some(state), _) => policy.decide_under(&state, &page),
                (None, Some(_)) => policy.decide_archived(&page, row.fetched_at),
                (None, None) => policy.decide_page(&page),
            }
        });
        Ok(decisions.collect())
    }
}

/// Returns the result of a function; a panic is an error.
fn caught<T>(work: impl FnOnce() -> Result<T, RowError>) -> Result<T, RowError> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(RowError::Panic(message(&*panic))))
}

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::{ArrayRef, StringArray};
    use arrow_schema::{DataType, Field, Schema};
    use robots_policy::Policy;
    use std::sync::Arc;

    fn decider() -> BatchDecider {
        BatchDecider::new(Policies::new(vec![Policy::new("ExampleBot").unwrap()]))
    }

    /// Returns pages of a URL, each with this HTML.
    fn pages(url: &str, html: &[Option<&str>]) -> Pages {
        let column = |texts: Vec<Option<&str>>| Arc::new(StringArray::from(texts)) as ArrayRef;
        let arrays = [column(vec![Some(url); html.len()]), column(html.to_vec())];
        let field = |name: &str| Field::new(name, DataType::Utf8, true);
        let columns = PageColumns::of(&Schema::new(vec![field("url"), field("html")]));
        columns.unwrap().pages(&arrays, html.len()).unwrap()
    }

    /// Returns the values of a column of texts; a null is `-`.
    fn column(batch: &RecordBatch, name: &str) -> Vec<String> {
        let column = batch.column_by_name(name).unwrap();
        let values = column.as_string::<i32>().iter();
        values
            .map(|value| value.unwrap_or("-").to_owned())
            .collect()
    }

    #[test]
    fn a_panic_is_the_error_of_its_row() {
        let pages = pages("https://a.example/", &[Some("<p>"); 3]);
        let decider = decider();
        let mut files = RobotsFiles::new(&decider.policies);
        let decisions = decider.decide_with(&pages, 0..3, 0, |row| {
            Ok(caught(|| {
                assert!(row != 1, "row {row}");
                decider.decide_row(&pages, row, &mut files)
            }))
        });
        let decisions = decisions.unwrap();
        assert_eq!(
            column(&decisions, "error"),
            ["-", "deciding panicked: row 1", "-"]
        );
        assert_eq!(column(&decisions, "index"), ["unknown", "-", "unknown"]);
    }

    #[test]
    fn texts_that_do_not_fit_are_an_error_of_their_row() {
        let url =
            "https://a.example/a/long/path/of/more/bytes/than/the/other/columns/of/this/test/have";
        let pages = pages(url, &[None, None]);
        let errors = |limit: usize| {
            let decider = BatchDecider {
                max_text_bytes: limit,
                ..decider()
            };
            let decisions = decider.decide(&pages, 0).unwrap();
            (column(&decisions, "error"), column(&decisions, "url"))
        };
        let both = 2 * url.len();
        assert_eq!(errors(both).0, ["-", "-"]);
        assert_eq!(errors(both + 1).0, ["-", "-"]);
        let error = format!(
            "decisions of the batch exceed {} bytes in one column: pass fewer rows at once",
            both - 1
        );
        assert_eq!(
            errors(both - 1),
            (
                vec!["-".to_owned(), error],
                vec![url.to_owned(), "-".to_owned()]
            )
        );
    }
}
