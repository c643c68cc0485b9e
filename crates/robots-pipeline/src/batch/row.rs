//! The rows of a batch of pages.

use super::columns::{ColumnError, PageColumn};
use super::headers::{Headers, RowHeaders};
use super::values::{Bytes, Numbers, Times};
use arrow_array::BooleanArray;
use robots_meta::Timestamp;
use robots_policy::Page;
use robots_policy::text::shortened;
use thiserror::Error as ThisError;

/// The label of the encoding of a text that was decoded before.
const DECODED: &str = "utf-8";

/// The maximum number of characters of a value in an error.
const MAX_SHOWN: usize = 64;

/// The reason why a row has no decisions. Its text is the value of the column `error`.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub(crate) enum RowError {
    #[error("row is null")]
    NullRow,
    #[error("url is null")]
    NoUrl,
    #[error("{0} is not valid UTF-8")]
    NotUtf8(&'static str),
    #[error("unexpected {0} {1}: expected 0 to 65535")]
    Status(&'static str, i64),
    #[error("unexpected {0} {1:?}: expected a time as in RFC 3339")]
    Time(&'static str, String),
    #[error("header {0} has no name")]
    NoName(usize),
    #[error("decisions of the batch exceed {0} bytes in one column: pass fewer rows at once")]
    TooLong(usize),
    #[error("deciding panicked: {0}")]
    Panic(String),
}

/// A batch of pages: the columns that are read.
#[derive(Debug)]
pub struct Pages {
    rows: usize,
    /// Which rows are not null, if a batch may have null rows.
    valid: Option<BooleanArray>,
    pub(super) urls: Bytes,
    pub(super) html: Bytes,
    /// Whether the pages are texts that were decoded before, so that the encodings that they name do not apply.
    pub(super) is_decoded: bool,
    pub(super) statuses: Numbers,
    pub(super) headers: Headers,
    pub(super) robots_txt: Bytes,
    pub(super) robots_statuses: Numbers,
    pub(super) robots_types: Bytes,
    pub(super) robots_times: Times,
    pub(super) times: Times,
}

/// The robots.txt of a row: its body and the response to the request for it, as far as they are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowRobots<'a> {
    pub(super) body: Option<&'a [u8]>,
    pub(super) status: Option<u16>,
    pub(super) content_type: Option<&'a str>,
    pub(super) fetched_at: Option<Timestamp>,
}

/// A row: a page with what is known of it.
#[derive(Debug)]
pub(super) struct Row<'a> {
    pub(super) url: &'a str,
    pub(super) html: Option<&'a [u8]>,
    is_decoded: bool,
    status: Option<u16>,
    headers: RowHeaders<'a>,
    /// `None` if nothing is known of the robots.txt.
    pub(super) robots: Option<RowRobots<'a>>,
    pub(super) fetched_at: Option<Timestamp>,
}

impl Pages {
    pub(super) fn new(rows: usize) -> Self {
        Self {
            rows,
            valid: None,
            urls: Bytes::Missing,
            html: Bytes::Missing,
            is_decoded: false,
            statuses: Numbers::Missing,
            headers: Headers::Lines(Bytes::Missing),
            robots_txt: Bytes::Missing,
            robots_statuses: Numbers::Missing,
            robots_types: Bytes::Missing,
            robots_times: Times::Seconds(Numbers::Missing),
            times: Times::Seconds(Numbers::Missing),
        }
    }

    /// Sets which rows are not null: a value for each row. A null row has no decisions.
    ///
    /// # Errors
    ///
    /// If there are values for fewer rows.
    pub fn with_validity(mut self, valid: BooleanArray) -> Result<Self, ColumnError> {
        if valid.len() < self.rows {
            return Err(ColumnError::NotAsStated("url"));
        }
        self.valid = Some(valid);
        Ok(self)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the URL of a row, if it is valid.
    pub(super) fn url(&self, row: usize) -> Result<&str, RowError> {
        if self.valid.as_ref().is_some_and(|valid| !valid.value(row)) {
            return Err(RowError::NullRow);
        }
        let url = self.urls.get(row).ok_or(RowError::NoUrl)?;
        utf8(PageColumn::Url, url)
    }

    /// Returns the status of a row, if it is valid.
    pub(super) fn status(&self, row: usize) -> Result<Option<u16>, RowError> {
        status(PageColumn::Status, &self.statuses, row)
    }

    /// Reads a row.
    pub(super) fn row(&self, row: usize) -> Result<Row<'_>, RowError> {
        let url = self.url(row)?;
        let body = self.robots_txt.get(row);
        let robots_status = status(PageColumn::RobotsStatus, &self.robots_statuses, row)?;
        let content_type = self.robots_types.get(row);
        let content_type = content_type.map(|value| utf8(PageColumn::RobotsContentType, value));
        let robots = RowRobots {
            body,
            status: robots_status,
            content_type: content_type.transpose()?,
            fetched_at: time(PageColumn::RobotsFetchedAt, &self.robots_times, row)?,
        };
        let is_known = body.is_some() || robots_status.is_some();
        Ok(Row {
            url,
            html: self.html.get(row),
            is_decoded: self.is_decoded,
            status: self.status(row)?,
            headers: self.headers.get(row)?,
            robots: is_known.then_some(robots),
            fetched_at: time(PageColumn::FetchedAt, &self.times, row)?,
        })
    }
}

impl Row<'_> {
    /// Returns the page without its HTML.
    pub(super) fn page(&self, now: Option<Timestamp>) -> Page<'_> {
        let mut page = Page::new(self.url)
            .with_headers(self.headers.iter())
            .at(now);
        if self.headers.is_cut() {
            page = page.with_cut_headers();
        }
        if self.is_decoded && self.html.is_some() {
            page = page.with_charset(DECODED);
        }
        if let Some(status) = self.status {
            page = page.with_status(status);
        }
        page
    }
}

fn utf8(column: PageColumn, bytes: &[u8]) -> Result<&str, RowError> {
    str::from_utf8(bytes).map_err(|_| RowError::NotUtf8(column.name()))
}

fn status(column: PageColumn, numbers: &Numbers, row: usize) -> Result<Option<u16>, RowError> {
    let status =
        |number: i64| u16::try_from(number).map_err(|_| RowError::Status(column.name(), number));
    numbers.get(row).map(status).transpose()
}

fn time(column: PageColumn, times: &Times, row: usize) -> Result<Option<Timestamp>, RowError> {
    let time = times.get(row);
    time.map_err(|text| RowError::Time(column.name(), shortened(&text, MAX_SHOWN).into_owned()))
}
