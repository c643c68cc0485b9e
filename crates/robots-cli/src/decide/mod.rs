//! `robots decide`: the pages of a crawl, each with its decisions.
//!
//! Inputs come in as files and folders ([`crate::inputs`]). [`parts`] reads archives by many threads, [`entry`] makes of
//! each record what decisions need, [`hold`] keeps pages until every robots.txt is known, and decisions go out in the
//! order of the pages ([`crate::output`]): [`mod@run`] has it all done. [`place`] is how far decisions have come, and
//! [`journal`] keeps that.

mod digest;
mod entry;
mod hold;
mod index;
mod journal;
mod noting;
mod page;
mod part;
mod parts;
mod place;
mod plan;
mod run;
mod saved;
mod source;
mod stop;
mod urls;

use crate::args::Decide;
use crate::inputs::{self, Input};
use crate::interrupt::Interrupt;
use crate::output::{Form, Output, Target, refuse_to_overwrite};
use crate::progress::Progress;
use crate::robots_book::RobotsBook;
use crate::summary::Summary;
use crate::terminal::printable;
use anyhow::{Context, Result, bail};
use entry::robots_url;
use index::Index;
use journal::{Done, Heading, Journal, Written};
use place::Place;
use robots_crawl::{CrawlStore, DiskStore};
use robots_meta::Timestamp;
use robots_policy::{Policies, Policy};
use run::{Indexed, Run};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;
use stop::Stop;

pub(crate) fn run(args: &Decide) -> Result<ExitCode> {
    let disk = args.store.as_deref().map(open_store).transpose()?;
    let (policies, stores) = policies(args, disk.as_ref());
    refuse_to_skim(args, &policies)?;
    let mut summary = Summary::new(&policies);
    let robots_inputs = open_all(&args.robots, &mut summary);
    let inputs = open_all(&args.files, &mut summary);
    let several = policies.len() > 1;
    let form = Form::new(args.format(), args.fields.clone(), args.explain, several)?;
    let target = target(args, &inputs, &form);
    let journal = target.journal(&form);
    let read = args.files.iter().chain(&args.robots).chain(&args.index);
    let profiles = args
        .profiles
        .iter()
        .filter_map(|chosen| chosen.file.as_ref());
    let read = read
        .chain(&args.store)
        .chain(profiles)
        .map(PathBuf::as_path);
    let within = inputs.iter().chain(&robots_inputs).flat_map(Input::paths);
    let written = target.files().iter().chain(&journal).chain(&args.summary);
    refuse_to_overwrite(
        written.cloned().chain(target.parts()),
        read.map(Cow::Borrowed).chain(within),
    )?;
    if let Some(summary) = &args.summary {
        // That is not to be found out at the end.
        let opened = OpenOptions::new().append(true).create(true).open(summary);
        opened.with_context(|| format!("cannot write {}", summary.display()))?;
    }
    refuse_names_that_are_twice(args, &inputs)?;
    let index = Index::new(&args.index, &inputs);
    let offsets = listed(args, &index)?;
    target.make_folder()?;
    let Some(begun) = begin(args, &target, journal.as_deref(), &inputs)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let (place, bytes) = match begun.done {
        Some(done) => {
            summary.go_on(done.summary);
            (done.place, done.bytes)
        }
        None => (Place::beginning(0), 0),
    };
    let mut output = Output::new(form, args.only.clone(), target);
    if place.input < inputs.len() || args.output_folder.is_none() {
        output.begin(place.input, bytes)?;
    }
    let all_bytes = inputs.iter().chain(&robots_inputs).map(Input::bytes).sum();
    let is_stdout = args.output.is_none() && args.output_folder.is_none();
    let interrupt = Interrupt::listen();
    let mut run = Run {
        args,
        inputs: &inputs,
        index: offsets.as_deref().map(|offsets| Indexed {
            index: &index,
            offsets,
        }),
        policies: &policies,
        stores: &stores,
        threads: args.threads.number(),
        book: RobotsBook::default(),
        now: begun.now,
        progress: Progress::new(all_bytes, is_stdout),
        output,
        summary,
        journal: begun.journal,
        place,
        settled: None,
        interrupt: &interrupt,
    };
    let stop = match run.decide_all(&robots_inputs) {
        Ok(()) => None,
        Err(error) => Some(error.downcast::<Stop>()?),
    };
    end(run, stop)
}

/// The robots: each agent under each profile.
fn policies(args: &Decide, disk: Option<&Arc<DiskStore>>) -> (Policies, Vec<Arc<CrawlStore>>) {
    let mut stores = Vec::new();
    let mut policies = Vec::new();
    for profile in args.profiles.iter().map(|chosen| &chosen.profile) {
        let first = [profile.agent().to_owned()];
        let agents = if args.agents.is_empty() {
            &first[..]
        } else {
            &args.agents
        };
        for agent in agents {
            let mut policy = Policy::under(profile, agent);
            if let Some(dialect) = args.dialect {
                policy = policy.with_dialect(dialect);
            }
            if let Some(disk) = disk {
                let store = Arc::new(CrawlStore::on_disk(Arc::clone(disk)));
                policy = policy.with_origins(store.clone());
                stores.push(store);
            }
            policies.push(policy);
        }
    }
    (Policies::new(policies), stores)
}

/// An index tells inputs by their names without folders.
fn refuse_names_that_are_twice(args: &Decide, inputs: &[Input]) -> Result<()> {
    let mut names = HashSet::new();
    for name in inputs.iter().filter_map(|input| input.path().file_name()) {
        if !args.index.is_empty() && !names.insert(name) {
            let name = name.display();
            bail!("with --index, files are known by their names, and two are called {name}");
        }
    }
    Ok(())
}

/// Who must read pages to their end cannot skim.
fn refuse_to_skim(args: &Decide, policies: &Policies) -> Result<()> {
    let reader = policies.iter().find(|policy| policy.reads_body());
    if let Some(policy) = reader.filter(|_| args.skim) {
        bail!(
            "--skim reads no further than HEAD, and {} obeys METAs in BODY",
            policy.profile().name()
        );
    }
    Ok(())
}

/// Opens a store that is there.
fn open_store(path: &Path) -> Result<Arc<DiskStore>> {
    if !path.exists() {
        bail!(
            "there is no store {}; robots fetch --store makes one",
            path.display()
        );
    }
    let store = DiskStore::open(path)?;
    if let Some(warning) = store.warning() {
        anstream::eprintln!("warning: {warning}");
    }
    Ok(Arc::new(store))
}

/// Opens what can be opened; what cannot is reported.
fn open_all(paths: &[impl AsRef<Path>], summary: &mut Summary) -> Vec<Input> {
    paths
        .iter()
        .filter_map(|path| match inputs::open(path.as_ref()) {
            Ok(input) => Some(input),
            Err(error) => {
                anstream::eprintln!("error: {error:#}; left out");
                summary.input_failed(format!("{error:#}"));
                None
            }
        })
        .collect()
}

/// What the indexes list of each input, if there are any: pages and robots.txt.
fn listed(args: &Decide, index: &Index<'_>) -> Result<Option<Vec<Vec<u64>>>> {
    if args.index.is_empty() {
        return Ok(None);
    }
    let found = index.find(|listed| {
        let is_robots = || robots_url(&listed.url).is_some();
        listed.is_page(args.all_types) || is_robots()
    })?;
    for odd in &found.odd {
        anstream::eprintln!("warning: {}", printable(odd));
    }
    if found.of_others > 0 {
        let count = found.of_others;
        anstream::eprintln!(
            "warning: {count} records of the index are in files that are no inputs"
        );
    }
    Ok(Some(found.offsets))
}

fn target(args: &Decide, inputs: &[Input], form: &Form) -> Target {
    match (&args.output, &args.output_folder) {
        (Some(path), _) => Target::File(path.clone()),
        (None, Some(root)) => Target::folder(root, inputs.iter().map(Input::path), form),
        (None, None) => Target::Stdout,
    }
}

/// What a run begins with.
struct Begun {
    journal: Option<Journal>,
    done: Option<Done>,
    /// The time for which it decides.
    now: Timestamp,
}

/// Begins a run, or goes on with one; not if there is nothing left to do.
fn begin(
    args: &Decide,
    target: &Target,
    path: Option<&Path>,
    inputs: &[Input],
) -> Result<Option<Begun>> {
    let clock = || Timestamp::from(SystemTime::now());
    let Some(path) = path else {
        if args.resume {
            bail!(match target {
                Target::Stdout => "--resume goes on with what -o or --output-folder wrote",
                _ => "such a file cannot be gone on with; one that --output-folder wrote can",
            });
        }
        return Ok(Some(Begun {
            journal: None,
            done: None,
            now: args.now.unwrap_or_else(clock),
        }));
    };
    let is_there = args.resume && path.exists();
    if args.resume
        && !is_there
        && let Some(file) = target.files().iter().find(|file| file.exists())
    {
        // Who kills a run when it has just ended does not know it.
        let (file, path) = (file.display(), path.display());
        anstream::eprintln!("{file} is there, and {path} is not: nothing is left to do");
        return Ok(None);
    }
    // One that was ended before it had begun says nothing.
    let written = if is_there { journal::read(path)? } else { None };
    let then = written.as_ref().and_then(Written::now);
    let now = args.now.or(then).unwrap_or_else(clock);
    let beside = args.robots.iter().chain(&args.index);
    let heading = Heading::new(asked(args, now), inputs, beside);
    let every = args.journal_every;
    let (journal, done) = match written {
        Some(written) => written.go_on(path, &heading, every)?,
        None => (Journal::begin(path, &heading, every)?, None),
    };
    Ok(Some(Begun {
        journal: Some(journal),
        done,
        now,
    }))
}

/// What decides of the output, by the names of the options.
fn asked(args: &Decide, now: Timestamp) -> Map<String, Value> {
    let profiles = args.profiles.iter();
    let profiles = profiles.map(|chosen| chosen.profile.to_toml());
    let paths = |paths: &[PathBuf]| -> Vec<String> {
        paths
            .iter()
            .map(|path| path.display().to_string())
            .collect()
    };
    let asked = [
        ("--profile", json!(profiles.collect::<Vec<_>>())),
        ("--agent", json!(args.agents)),
        (
            "--dialect",
            json!(args.dialect.map(|dialect| dialect.name())),
        ),
        ("--robots", json!(paths(&args.robots))),
        (
            "--store",
            json!(args.store.as_ref().map(|store| store.display().to_string())),
        ),
        ("--index", json!(paths(&args.index))),
        ("--skim", json!(args.skim)),
        ("--verify-digests", json!(args.verify_digests)),
        ("--base", json!(args.base.as_ref().map(url::Url::as_str))),
        ("--all-types", json!(args.all_types)),
        (Heading::NOW, json!(now.to_string())),
        ("--limit", json!(args.limit)),
        ("--sample", json!(args.sample)),
        ("--format", json!(format!("{:?}", args.format()))),
        ("--fields", json!(args.fields)),
        (
            "--only",
            json!(
                args.only
                    .iter()
                    .map(|only| format!("{only:?}"))
                    .collect::<Vec<_>>()
            ),
        ),
        ("--explain", json!(args.explain)),
    ];
    asked
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

/// Ends a run, and tells of it.
fn end(mut run: Run<'_>, stop: Option<Stop>) -> Result<ExitCode> {
    let asked = match stop {
        Some(Stop::Asked(code)) => Some(code),
        Some(Stop::Limit) | None => None,
    };
    run.output.end(asked.is_none())?;
    let can_go_on = run.journal.is_some();
    run.progress.finish();
    for error in run.stores.iter().filter_map(|store| store.disk_error()) {
        anstream::eprintln!("error: {error}; what could not be read is taken for unknown");
    }
    run.summary.print();
    let word = match (stop, can_go_on) {
        (Some(Stop::Asked(_)), true) => {
            anstream::eprintln!("interrupted: the same command with --resume goes on");
            "interrupted"
        }
        (Some(Stop::Asked(_)), false) => {
            anstream::eprintln!("interrupted");
            "interrupted"
        }
        (Some(Stop::Limit), _) => "limit",
        (None, _) => "done",
    };
    if let Some(path) = &run.args.summary {
        let mut json = serde_json::to_string_pretty(&run.summary.to_json(word))?;
        json.push('\n');
        std::fs::write(path, json).with_context(|| format!("cannot write {}", path.display()))?;
    }
    // It goes last: without it, all is done.
    match (run.journal.take(), asked) {
        (Some(journal), None) => journal.end()?,
        (Some(mut journal), Some(_)) => {
            if let Some(done) = &run.settled {
                journal.write(done)?;
            }
        }
        (None, _) => {}
    }
    Ok(match asked {
        Some(code) => ExitCode::from(code),
        None if run.summary.has_failed() => ExitCode::from(2),
        None => ExitCode::SUCCESS,
    })
}
