//! What is odd in pages and their headers.
//!
//! Pages are read from files, folders and archives ([`read`]). Of each, every list of directives is looked at
//! for itself ([`lists`]), and then the page as a whole: lists beside each other, its canonical link, and
//! the robots.txt that speaks of it ([`whole`]). [`kind`] says what there is to find, [`place`] where it stands.

mod kind;
mod lists;
mod place;
mod read;
mod whole;

use super::Asked;
use super::found::{Found, Linted};
use crate::args::Lint as Args;
use crate::progress::Progress;
use crate::robots_in_force::Histories;
use anyhow::Result;
pub(crate) use kind::PageKind;
use place::At;
pub(super) use read::{PageInput, visit};
use robots_meta::{HeadReader, PageMeta, Scope, Timestamp};
use robots_policy::AgentTable;
use std::path::Path;

/// Lints pages.
pub(super) struct PageLinter<'a> {
    table: &'a AgentTable,
    /// What is known of robots.txt files.
    histories: Histories,
    /// The time as of which dates have passed; that of the capture if none is given, or now.
    now: Option<Timestamp>,
    started: Timestamp,
}

/// Something odd about a page.
struct PageFinding {
    kind: PageKind,
    /// What is to be said of this one alone.
    detail: Option<String>,
    at: At,
    /// Another place that has to do with it, and what it is.
    related: Option<(At, &'static str)>,
}

impl PageFinding {
    fn new(kind: PageKind, at: At) -> Self {
        Self {
            kind,
            detail: None,
            at,
            related: None,
        }
    }

    fn with_detail(self, detail: String) -> Self {
        Self {
            detail: Some(detail),
            ..self
        }
    }

    fn message(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{}: {detail}", self.kind),
            None => self.kind.to_string(),
        }
    }
}

/// A page and what was found in it.
pub(super) struct PageFindings {
    page: PageInput,
    encoding: &'static str,
    findings: Vec<PageFinding>,
}

impl PageFindings {
    pub(super) fn retain(&mut self, mut keep: impl FnMut(PageKind) -> bool) {
        self.findings.retain(|found| keep(found.kind));
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = PageKind> {
        self.findings.iter().map(|found| found.kind)
    }

    pub(super) fn found(&self) -> Vec<Found<'_>> {
        place::found(&self.page, self.encoding, &self.findings)
    }
}

impl<'a> PageLinter<'a> {
    /// For inputs that are linted as `args` say; robots.txt files are read at once, those of the archives among the inputs
    /// too.
    pub(super) fn new(args: &'a Args, progress: &Progress) -> Result<Self> {
        let mut histories = Histories::default();
        if args.meta {
            let named = args.robots.iter().map(AsRef::as_ref);
            histories = if args.robots.is_empty() {
                let archives = args.files.iter().map(AsRef::as_ref);
                Histories::of_archives(archives.filter(|path: &&Path| path.is_file()))
            } else {
                Histories::read(named, progress)?
            };
        }
        Ok(Self {
            table: args.known.table(),
            histories,
            now: args.now,
            started: Timestamp::from(std::time::SystemTime::now()),
        })
    }

    pub(super) fn lint(&self, page: PageInput, asked: &Asked) -> Linted {
        let mut reader = HeadReader::new().with_scope(Scope::Document);
        if let Some(charset) = &page.charset {
            reader = reader.with_charset(charset);
        }
        let said = reader.read_page(&page.html);
        let mut findings = lists::findings(&page, &said);
        self.add_whole(&page, &said, &mut findings);
        findings.sort_by_key(|found| found.at.order());
        Linted::of_page(
            page.file.clone(),
            page.url.clone(),
            PageFindings {
                encoding: said.encoding(),
                page,
                findings,
            },
            asked,
        )
    }

    fn add_whole(&self, page: &PageInput, said: &PageMeta, findings: &mut Vec<PageFinding>) {
        let now = self.now.or(page.date).unwrap_or(self.started);
        let lists = lists::all(page, said);
        whole::places(said, findings);
        whole::disagreements(&lists, findings);
        whole::dates(&lists, now, findings);
        whole::noarchive(&lists, findings);
        whole::canonical(page, said, &lists, findings);
        whole::hidden(page, said, &lists, (&self.histories, self.table), findings);
    }
}
