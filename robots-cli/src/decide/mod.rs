//! `robots decide`: the pages of a crawl, each with its decision.
//!
//! Inputs come in as files and folders ([`crate::inputs`]). [`parts`] reads archives by many threads, [`entry`] makes of
//! each record what decisions need, [`hold`] keeps pages until every robots.txt is known, and decisions go out in the
//! order of the pages ([`crate::output`]).

mod entry;
mod hold;
mod parts;

use crate::args::{Decide, Format};
use crate::inputs::{self, Input};
use crate::output::{self, Output, Row};
use crate::progress::Progress;
use crate::robots_book::RobotsBook;
use crate::summary::{Skip, Summary};
use anyhow::Result;
use entry::{Captures, Entry, ReadPage, Records, Urls};
use hold::{Held, Hold};
use parts::{Source, Taker};
use robots_meta::Timestamp;
use robots_policy::{Decision, Origin, Page, Policy, SiteRules};
use std::borrow::Cow;
use std::collections::HashSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::SystemTime;

/// How often what a robots.txt redirects to is looked for, as it may redirect, too.
const SEARCHES: usize = 5;

pub(crate) fn run(args: &Decide) -> Result<ExitCode> {
    let mut summary = Summary::default();
    let robots_inputs = open_all(&args.robots, &mut summary);
    let inputs = open_all(&args.files, &mut summary);
    if let Some(output) = &args.output {
        let named = args.files.iter().chain(&args.robots).map(PathBuf::as_path);
        let within = inputs.iter().chain(&robots_inputs).flat_map(Input::paths);
        output::refuse_to_overwrite(output, named.map(Cow::Borrowed).chain(within))?;
    }
    let format = if args.json {
        Format::Jsonl
    } else {
        args.format
    };
    let agent = args.agent.as_deref().unwrap_or(args.profile.agent());
    let mut policy = Policy::under(&args.profile, agent);
    if let Some(dialect) = args.dialect {
        policy = policy.with_dialect(dialect);
    }
    let all_bytes = [&inputs, &robots_inputs]
        .into_iter()
        .flatten()
        .map(bytes_of)
        .sum();
    let processors = || thread::available_parallelism().map_or(1, NonZero::get);
    let mut run = Run {
        args,
        threads: args.threads.map_or_else(processors, usize::from),
        book: RobotsBook::default(),
        now: args
            .now
            .unwrap_or_else(|| Timestamp::from(SystemTime::now())),
        progress: Progress::new(all_bytes, args.output.is_none()),
        output: Output::open(format, args.output.as_deref())?,
        summary,
    };
    if args.robots.is_empty() {
        for input in &inputs {
            run.enter_folder(input, &policy);
        }
        run.hold_and_decide(&inputs, &policy)?;
    } else {
        run.gather(&robots_inputs, &policy)?;
        run.decide_all(&inputs, &policy)?;
    }
    run.progress.finish();
    run.output.finish()?;
    run.summary.print(policy.agent());
    Ok(if run.summary.has_failed() {
        ExitCode::from(2)
    } else {
        ExitCode::SUCCESS
    })
}

/// Opens what can be opened; what cannot is reported.
fn open_all(paths: &[impl AsRef<Path>], summary: &mut Summary) -> Vec<Input> {
    paths
        .iter()
        .filter_map(|path| match inputs::open(path.as_ref()) {
            Ok(input) => Some(input),
            Err(error) => {
                anstream::eprintln!("error: {error:#}; left out");
                summary.input_failed();
                None
            }
        })
        .collect()
}

fn bytes_of(input: &Input) -> u64 {
    match input {
        Input::File { bytes, .. } => *bytes,
        Input::Folder { .. } => 0,
    }
}

/// The archive that an input is, unless it is a folder.
fn source(input: &Input) -> Option<Source<'_>> {
    match input {
        Input::File { name, file, bytes } => Some(Source {
            name,
            file,
            bytes: *bytes,
        }),
        Input::Folder { .. } => None,
    }
}

struct Run<'a> {
    args: &'a Decide,
    threads: usize,
    now: Timestamp,
    book: RobotsBook<SiteRules>,
    progress: Progress,
    output: Output,
    summary: Summary,
}

impl Run<'_> {
    /// How the records of pages are read.
    fn records<'p>(&self, policy: &'p Policy) -> Records<'p> {
        Records {
            policy,
            pages: true,
            all_types: self.args.all_types,
            captures: Captures::None,
            tells: true,
            urls: None,
        }
    }

    /// Reads archives; `page` takes their pages, in order.
    fn read(
        &mut self,
        sources: &[Source<'_>],
        records: &Records<'_>,
        doing: &'static str,
        page: impl FnMut(&mut Self, usize, Box<ReadPage>) -> Result<()>,
    ) -> Result<()> {
        let threads = self.threads;
        let mut taker = Noting {
            run: self,
            doing,
            tells: records.tells,
            page,
        };
        parts::each(sources, threads, records, &mut taker)
    }

    /// Enters the robots.txt captures of archives into the book.
    fn gather(&mut self, inputs: &[Input], policy: &Policy) -> Result<()> {
        for input in inputs {
            if let Input::Folder { root, .. } = input {
                self.enter_folder(input, policy);
                if self.args.base.is_none() {
                    let root = root.display();
                    self.progress.say(&format!(
                        "error: {root}: of a folder, --base must say where its robots.txt is from; left out"
                    ));
                    self.summary.input_failed();
                }
            }
        }
        let urls = Urls::new();
        let records = Records {
            pages: false,
            captures: Captures::Robots,
            urls: Some(&urls),
            ..self.records(policy)
        };
        let sources: Vec<Source<'_>> = inputs.iter().filter_map(source).collect();
        self.read(&sources, &records, "reading robots.txt", |_, _, _| Ok(()))?;
        self.search(&sources, &urls, policy)
    }

    /// Looks for what robots.txt redirect to, if it may be there.
    fn search(&mut self, sources: &[Source<'_>], urls: &Urls, policy: &Policy) -> Result<()> {
        for _ in 0..SEARCHES {
            let mut wanted: HashSet<String> = self.book.missing();
            wanted.retain(|url| urls.may_have(url));
            if wanted.is_empty() {
                break;
            }
            let records = Records {
                pages: false,
                captures: Captures::Of(&wanted),
                tells: false,
                ..self.records(policy)
            };
            let doing = "looking where robots.txt redirect to";
            self.read(sources, &records, doing, |_, _, _| Ok(()))?;
        }
        Ok(())
    }

    /// Enters the robots.txt of a folder.
    fn enter_folder(&mut self, input: &Input, policy: &Policy) {
        if let Input::Folder { root, .. } = input
            && let Some(base) = &self.args.base
            && let Ok(body) = std::fs::read(root.join("robots.txt"))
            && let Ok(url) = base.join("/robots.txt")
        {
            self.book.enter_rules(&url, policy.compile(&body));
        }
    }

    /// Decides about all pages as they come, by the robots.txt that is known.
    fn decide_all(&mut self, inputs: &[Input], policy: &Policy) -> Result<()> {
        let records = self.records(policy);
        self.decide_from(inputs, 0, 0, &records)
    }

    /// Decides about the pages of all inputs from one on, but for the first of that.
    fn decide_from(
        &mut self,
        inputs: &[Input],
        first: usize,
        skip: u64,
        records: &Records<'_>,
    ) -> Result<()> {
        let mut skip = skip;
        let rest = inputs.get(first..).unwrap_or_default();
        for run in rest.chunk_by(|a, b| source(a).is_some() && source(b).is_some()) {
            let sources: Vec<Source<'_>> = run.iter().filter_map(source).collect();
            let policy = records.policy;
            self.read(&sources, records, "deciding", |this, source, page| {
                if skip > 0 {
                    skip = skip.saturating_sub(1);
                    return Ok(());
                }
                match run.get(source) {
                    Some(input) => this.decide_page(input, &page, policy),
                    None => Ok(()),
                }
            })?;
            skip = 0;
            if let [input @ Input::Folder { .. }] = run {
                self.decide_folder(input, records.policy)?;
            }
        }
        Ok(())
    }

    /// Reads all pages and every robots.txt, wherever it stands; then decides. Pages for which there is no room are
    /// read again.
    fn hold_and_decide(&mut self, inputs: &[Input], policy: &Policy) -> Result<()> {
        let urls = Urls::new();
        let records = Records {
            captures: Captures::Robots,
            urls: Some(&urls),
            ..self.records(policy)
        };
        let mut hold = Hold::new(self.args.hold_back);
        let mut at = 0_usize;
        for run in inputs.chunk_by(|a, b| source(a).is_some() && source(b).is_some()) {
            let sources: Vec<Source<'_>> = run.iter().filter_map(source).collect();
            self.read(&sources, &records, "reading", |_, source, page| {
                hold.page(at.saturating_add(source), page);
                Ok(())
            })?;
            if sources.is_empty() {
                hold.folder(at);
            }
            at = at.saturating_add(run.len());
        }
        let sources: Vec<Source<'_>> = inputs.iter().filter_map(source).collect();
        self.search(&sources, &urls, policy)?;
        let full_at = hold.full_at();
        for held in hold.into_held() {
            match held {
                Held::Page(input, page) => {
                    if let Some(input) = inputs.get(input) {
                        self.decide_page(input, &page, policy)?;
                    }
                }
                Held::Folder(input) => {
                    if let Some(input) = inputs.get(input) {
                        self.decide_folder(input, policy)?;
                    }
                }
            }
        }
        if let Some((input, pages)) = full_at {
            let records = Records {
                tells: false,
                ..self.records(policy)
            };
            self.decide_from(inputs, input, pages, &records)?;
        }
        Ok(())
    }

    /// Decides about a page of an archive.
    fn decide_page(&mut self, input: &Input, page: &ReadPage, policy: &Policy) -> Result<()> {
        let Input::File { name, .. } = input else {
            return Ok(());
        };
        let row = Row {
            file: name,
            offset: Some(page.offset),
            status: page.status,
        };
        self.decide(page.page(), page.date, &row, policy)
    }

    /// Decides about the saved pages of a folder.
    fn decide_folder(&mut self, input: &Input, policy: &Policy) -> Result<()> {
        let Input::Folder {
            root,
            pages,
            unread,
        } = input
        else {
            return Ok(());
        };
        for error in unread {
            self.progress
                .say(&format!("error: cannot read {error}; left out"));
            self.summary.skip(Skip::Unreadable);
        }
        if pages.is_empty() {
            self.progress.say(&format!(
                "error: {}: no .html files in this folder",
                root.display()
            ));
            self.summary.input_failed();
        }
        for page in pages {
            self.decide_saved(root, page, policy)?;
        }
        Ok(())
    }

    /// A page saved in a folder; its URL is its path, joined to the base if one is given.
    fn decide_saved(&mut self, root: &Path, path: &Path, policy: &Policy) -> Result<()> {
        let name = path.display().to_string();
        let html = match std::fs::read(path) {
            Ok(html) => html,
            Err(error) => {
                self.progress
                    .say(&format!("error: cannot read {name}: {error}; left out"));
                self.summary.skip(Skip::Unreadable);
                return Ok(());
            }
        };
        let relative = path.strip_prefix(root).unwrap_or(path);
        let relative: Vec<Cow<'_, str>> =
            relative.iter().map(|part| part.to_string_lossy()).collect();
        let url = self.args.base.as_ref().and_then(|base| {
            let mut url = base.clone();
            url.path_segments_mut()
                .ok()?
                .pop_if_empty()
                .extend(&relative);
            Some(url)
        });
        let url = url.map_or_else(|| name.clone(), String::from);
        let row = Row {
            file: &name,
            offset: None,
            status: None,
        };
        self.decide(Page::new(&url).with_html(&html), None, &row, policy)
    }

    fn decide(
        &mut self,
        page: Page<'_>,
        date: Option<Timestamp>,
        row: &Row<'_>,
        policy: &Policy,
    ) -> Result<()> {
        let page = page.at(self.now);
        let decision: Decision = match Origin::of(page.url()) {
            Ok(origin) => {
                let robots = self.book.robots(&origin, date, policy);
                if !robots.is_known() {
                    self.summary.without_robots();
                }
                policy.decide_under(&robots, &page)
            }
            Err(error) => {
                if row.offset.is_some() {
                    let at = row.offset.unwrap_or_default();
                    let line = format!("warning: {}: at byte {at}: {error}", row.file);
                    self.progress.say(&line);
                }
                self.summary.without_robots();
                policy.decide_page(&page)
            }
        };
        self.summary.count(&decision);
        self.output.write(row, &decision)
    }

    /// Notes what is not a page of its own.
    fn note(&mut self, entry: Entry) {
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

/// Takes the entries of archives: notes all but the pages, which `page` takes.
struct Noting<'r, 'a, P> {
    run: &'r mut Run<'a>,
    doing: &'static str,
    /// Whether it is the first of two readings: then it counts, and it is told what cannot be read.
    tells: bool,
    page: P,
}

impl<'a, P> Taker for Noting<'_, 'a, P>
where
    P: FnMut(&mut Run<'a>, usize, Box<ReadPage>) -> Result<()>,
{
    fn take(&mut self, source: usize, entry: Entry) -> Result<()> {
        match entry {
            Entry::Page(page) => (self.page)(self.run, source, page),
            entry => {
                self.run.note(entry);
                Ok(())
            }
        }
    }

    fn done(&mut self, _: usize, bytes: u64) {
        let progress = &self.run.progress;
        if self.tells {
            progress.add(bytes);
        }
        progress.show(self.doing);
    }

    fn failed(&mut self, _: usize, error: anyhow::Error) {
        if self.tells {
            self.run.progress.say(&format!("error: {error:#}"));
            self.run.summary.input_failed();
        }
    }
}
