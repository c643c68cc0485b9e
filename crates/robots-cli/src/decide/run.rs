//! A run: all inputs are read, and all pages decided, in order.

use super::entry::{Captures, Entry, Records};
use super::hold::{Held, Hold};
use super::index::Index;
use super::journal::{Done, Journal};
use super::noting::{Noting, Pages};
use super::page::ReadPage;
use super::parts;
use super::place::{Behind, Place};
use super::source::Source;
use super::stop::Stop;
use super::urls::{Sample, Urls};
use crate::args::Decide;
use crate::inputs::Input;
use crate::interrupt::Interrupt;
use crate::output::{Output, Row};
use crate::progress::Progress;
use crate::robots_book::{self, RobotsBook, RulesOfAll};
use crate::summary::Summary;
use anyhow::Result;
use robots_crawl::CrawlStore;
use robots_meta::Timestamp;
use robots_policy::{Fetch, Origin, Page, Policies};
use std::collections::HashSet;
use std::sync::Arc;

/// How often what a robots.txt redirects to is looked for, as it may redirect, too.
const SEARCHES: usize = 5;

pub(super) struct Run<'a> {
    pub(super) args: &'a Decide,
    pub(super) inputs: &'a [Input],
    pub(super) index: Option<Indexed<'a>>,
    pub(super) policies: &'a Policies,
    /// What the policies know of origins, if they have a store.
    pub(super) stores: &'a [Arc<CrawlStore>],
    pub(super) threads: usize,
    pub(super) now: Timestamp,
    pub(super) book: RobotsBook<RulesOfAll>,
    pub(super) progress: Progress,
    pub(super) output: Output,
    pub(super) summary: Summary,
    pub(super) journal: Option<Journal>,
    pub(super) place: Place,
    /// What can be gone on from.
    pub(super) settled: Option<Done>,
    pub(super) interrupt: &'a Interrupt,
}

/// The indexes of the inputs, and what they list of each: where pages begin, and robots.txt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indexed<'a> {
    pub(super) index: &'a Index<'a>,
    pub(super) offsets: &'a [Vec<u64>],
}

/// The archives among some of the inputs, of which the first has this index: what is to be read of them.
fn sources<'s>(
    first: usize,
    inputs: &'s [Input],
    offsets: Option<&'s [Vec<u64>]>,
) -> Vec<Source<'s>> {
    let source = |(at, input): (usize, &'s Input)| {
        let archive = input.archive()?;
        let listed = offsets.and_then(|offsets| offsets.get(first.saturating_add(at)));
        Some(match listed {
            Some(offsets) => Source::listed(archive, offsets),
            None => Source::whole(archive),
        })
    };
    inputs.iter().enumerate().filter_map(source).collect()
}

/// Inputs that are read together: archives that follow each other, or one folder. With the index of the first.
fn together(inputs: &[Input]) -> impl Iterator<Item = (usize, &[Input])> {
    let mut next = 0_usize;
    inputs
        .chunk_by(|a, b| a.archive().is_some() && b.archive().is_some())
        .map(move |chunk| {
            let first = next;
            next = next.saturating_add(chunk.len());
            (first, chunk)
        })
}

impl<'a> Run<'a> {
    /// Decides about all pages. What ends that before is an error: a [`Stop`], or a fault.
    pub(super) fn decide_all(&mut self, robots_inputs: &[Input]) -> Result<()> {
        if self.args.store.is_some() {
            self.summary.begin_deciding();
            return self.decide_rest(&self.records());
        }
        if self.args.robots.is_empty() {
            for input in self.inputs {
                self.enter_robots_of_folder(input);
            }
            return self.hold_and_decide();
        }
        self.gather(robots_inputs)?;
        self.summary.begin_deciding();
        self.decide_rest(&self.records())
    }

    /// How the records of pages are read.
    fn records(&self) -> Records<'a> {
        Records {
            policies: self.policies,
            pages: true,
            all_types: self.args.all_types,
            sample: self.sample(),
            captures: Captures::None,
            tells: true,
            interrupt: self.interrupt,
            skims: self.args.skim,
            verifies: self.args.verify_digests,
            urls: None,
        }
    }

    /// Which pages are wanted.
    pub(super) fn sample(&self) -> Sample {
        Sample::new(self.args.sample)
    }

    /// Reads archives, of which the first is the input of this index.
    fn read(
        &mut self,
        first: usize,
        sources: &[Source<'_>],
        records: &Records<'_>,
        doing: &'static str,
        pages: Pages<'_>,
    ) -> Result<()> {
        let threads = self.threads;
        let mut taker = Noting {
            run: self,
            first,
            doing,
            tells: records.tells,
            pages,
        };
        parts::each(sources, threads, records, &mut taker)
    }

    /// Enters the robots.txt captures of archives into the book.
    fn gather(&mut self, inputs: &[Input]) -> Result<()> {
        for input in inputs {
            if let Input::Folder { root, .. } = input {
                self.enter_robots_of_folder(input);
                if self.args.base.is_none() {
                    let root = root.display();
                    let why = format!(
                        "{root}: of a folder, --base must say where its robots.txt is from"
                    );
                    self.progress.say(&format!("error: {why}; left out"));
                    self.summary.input_failed(why);
                }
            }
        }
        let urls = Urls::new();
        let records = Records {
            pages: false,
            captures: Captures::Robots,
            urls: Some(&urls),
            ..self.records()
        };
        let all = sources(0, inputs, None);
        let doing = "reading robots.txt";
        self.read(0, &all, &records, doing, Pages::Dropped)?;
        self.search(inputs, &urls, None)
    }

    /// Looks for what robots.txt redirect to, if it may be there.
    fn search(&mut self, inputs: &[Input], urls: &Urls, index: Option<&Index<'_>>) -> Result<()> {
        for _ in 0..SEARCHES {
            let mut wanted: HashSet<String> = self.book.missing();
            // Of what an index does not list, no URL was noted.
            wanted.retain(|url| index.is_some() || urls.may_have(url));
            if wanted.is_empty() {
                break;
            }
            let found = index.map(|index| {
                index.find(|listed| {
                    let url = url::Url::parse(&listed.url);
                    url.is_ok_and(|url| wanted.contains(&robots_book::key(&url)))
                })
            });
            let found = found.transpose()?;
            let offsets = found.as_ref().map(|found| &found.offsets[..]);
            let records = Records {
                pages: false,
                captures: Captures::Of(&wanted),
                tells: false,
                ..self.records()
            };
            let doing = "looking where robots.txt redirect to";
            let all = sources(0, inputs, offsets);
            self.read(0, &all, &records, doing, Pages::Dropped)?;
        }
        Ok(())
    }

    /// Reads all pages and every robots.txt, wherever it stands; then decides. Pages for which there is no room are
    /// read again.
    fn hold_and_decide(&mut self) -> Result<()> {
        let urls = Urls::new();
        let records = Records {
            captures: Captures::Robots,
            urls: Some(&urls),
            ..self.records()
        };
        let limit = self.args.limit.unwrap_or(u64::MAX);
        let mut hold = Hold::new(
            self.args.hold_back,
            limit.saturating_sub(self.summary.pages()),
        );
        let mut behind = Behind::new(self.place);
        for (first, inputs) in together(self.inputs) {
            let sources = sources(first, inputs, self.index.map(|index| index.offsets));
            let pages = Pages::Held {
                hold: &mut hold,
                behind: &mut behind,
            };
            self.read(first, &sources, &records, "reading", pages)?;
            if sources.is_empty() && first >= self.place.input {
                hold.folder(first);
            }
        }
        self.search(self.inputs, &urls, self.index.map(|index| index.index))?;
        self.summary.begin_deciding();
        self.refuse_more_than_the_limit()?;
        let is_full = hold.is_full();
        for held in hold.into_held() {
            match held {
                Held::Page(input, page) => {
                    self.check()?;
                    self.decide_page(input, &page)?;
                    self.settle_if_due()?;
                }
                Held::Folder(input) => self.decide_folder(input)?,
            }
        }
        if is_full {
            let records = Records {
                tells: false,
                ..self.records()
            };
            return self.decide_rest(&records);
        }
        self.reach(self.inputs.len())
    }

    /// Decides about all pages that are left, as they come, by the robots.txt that are known.
    fn decide_rest(&mut self, records: &Records<'_>) -> Result<()> {
        self.refuse_more_than_the_limit()?;
        let mut behind = Behind::new(self.place);
        let begin = self.place;
        let rest = self.inputs.get(begin.input..).unwrap_or_default();
        for (first, inputs) in together(rest) {
            let first = begin.input.saturating_add(first);
            let offsets = self.index.map(|index| index.offsets);
            let mut sources = sources(first, inputs, offsets);
            if let Some(source) = sources.first_mut()
                && first == begin.input
            {
                source.start = begin.start;
            }
            // What is met in an input, before its first page too, is met behind its beginning.
            self.reach(first)?;
            if sources.is_empty() {
                self.decide_folder(first)?;
            } else {
                let pages = Pages::Decided(&mut behind);
                self.read(first, &sources, records, "deciding", pages)?;
            }
        }
        self.reach(self.inputs.len())
    }

    /// Decides about a page of an archive.
    pub(super) fn decide_page(&mut self, input: usize, page: &ReadPage) -> Result<()> {
        self.reach(input)?;
        let Some(archive) = self.inputs.get(input).and_then(Input::archive) else {
            return Ok(());
        };
        let row = Row {
            file: &archive.name,
            offset: Some(page.offset),
            status: page.status,
        };
        self.place.pages = self.place.pages.saturating_add(1);
        self.decide(&page.url, page.date, &row, |policy| page.page(policy))
    }

    /// Decides about a page for each robot; `page` is what that of an index is to know of it.
    pub(super) fn decide<'p>(
        &mut self,
        url: &str,
        date: Option<Timestamp>,
        row: &Row<'_>,
        page: impl Fn(usize) -> Page<'p>,
    ) -> Result<()> {
        let robots = match Origin::of(url) {
            Ok(_) if self.args.store.is_some() => Vec::new(),
            Ok(origin) => self.book.robots(&origin, date, self.policies),
            Err(error) => {
                if let Some(at) = row.offset {
                    let line = format!("warning: {}: at byte {at}: {error}", row.file);
                    self.progress.say(&line);
                }
                Vec::new()
            }
        };
        let mut is_known = false;
        for (at, policy) in self.policies.iter().enumerate() {
            let page = page(at).at(self.now);
            let decision = match robots.get(at) {
                Some(robots) => policy.decide_under(robots, &page),
                None => policy.decide_archived(&page, date),
            };
            is_known |= decision.fetch != Fetch::Unknown;
            self.summary.count(at, &decision);
            self.output.write(row, &decision)?;
        }
        self.summary.page(is_known);
        self.refuse_more_than_the_limit()
    }

    /// Ends the run if enough pages are decided.
    fn refuse_more_than_the_limit(&self) -> Result<()> {
        match self.args.limit {
            Some(limit) if self.summary.pages() >= limit => Err(Stop::Limit.into()),
            _ => Ok(()),
        }
    }

    /// Ends the run if it is asked for.
    pub(super) fn check(&self) -> Result<()> {
        match self.interrupt.asked() {
            Some(code) => Err(Stop::Asked(code).into()),
            None => Ok(()),
        }
    }

    /// Goes on to an input: all pages of those before it are decided.
    pub(super) fn reach(&mut self, input: usize) -> Result<()> {
        while self.place.input < input {
            self.output.end_input()?;
            self.place = Place::beginning(self.place.input.saturating_add(1));
            if self.place.input < self.inputs.len() {
                self.output.begin(self.place.input, 0)?;
            }
            self.settle()?;
        }
        Ok(())
    }

    /// Notes that the run can go on from here; in its journal, if that is due.
    pub(super) fn settle(&mut self) -> Result<()> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        let is_beginning = self.place == Place::beginning(self.place.input);
        if !is_beginning && !self.output.form().can_go_on() {
            return Ok(());
        }
        let done = Done {
            place: self.place,
            bytes: self.output.mark()?,
            summary: self.summary.keep(),
        };
        if journal.is_due() {
            self.output.sync()?;
            journal.write(&done)?;
        }
        self.settled = Some(done);
        Ok(())
    }

    /// As [`settle`](Self::settle), where that would be too often.
    pub(super) fn settle_if_due(&mut self) -> Result<()> {
        match &self.journal {
            Some(journal) if journal.is_due() => self.settle(),
            _ => Ok(()),
        }
    }

    /// Notes what is not a page of its own.
    pub(super) fn note(&mut self, entry: Entry) {
        match entry {
            Entry::Odd(text) => self.progress.say(&text),
            Entry::Broken(text) => {
                self.progress.say(&text);
                self.summary.fault();
            }
            Entry::Skipped(why) => self.summary.skip(why),
            Entry::Capture {
                url, date, answer, ..
            } => self.book.enter(&url, date, answer),
            Entry::Page(_) => {}
        }
    }
}
