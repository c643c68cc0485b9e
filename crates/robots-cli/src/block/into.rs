//! `robots block --into`: adds the group to a file, and shows what changes.

use super::group::Selection;
use super::place::{self, Placed};
use crate::answer_output;
use crate::args::Block as Args;
use crate::diff;
use crate::robots_file;
use crate::terminal::{counted, is_quiet, printable};
use crate::text_diff::difference;
use anyhow::{Context, Result, bail, ensure};
use robots_answers::check::Reading;
use robots_answers::diff::{RobotDiff, diffs};
use robots_answers::lint::Linted;
use robots_lint::catalogue::Selection as Kinds;
use robots_lint::report::annotation::{Annotation, concise};
use robots_lint::{FindingKind, LocatedFinding, RobotsTxtLinter, Severity};
use robots_pipeline::json::write_pretty;
use robots_pipeline::new_file::NewFile;
use robots_pipeline::text::path_text;
use robots_policy::profile::{AgentTable, KnownAgent};
use robots_txt::analysis::{Restriction, Summary};
use robots_txt::limits::{MAX_BODY, RFC9309_SIZE_LIMIT};
use robots_txt::{Agent, Dialect, RobotsTxt, Rules, Target};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(
    args: &Args,
    path: &Path,
    table: &AgentTable,
    selection: &Selection<'_>,
) -> Result<ExitCode> {
    let is_filter = path.as_os_str() == "-" && !args.dry_run;
    ensure!(
        !is_filter || !args.json,
        "--json and the new file would both be standard output: add --dry-run"
    );
    let name = path_text(path);
    let found = read(path)?;
    let is_new = found.is_none();
    let body = found.unwrap_or_default();
    let addition = Addition::new(&name, &body, table, selection)?;
    if is_filter {
        let mut out = answer_output::raw_stdout();
        out.write_all(addition.new.body())?;
        out.flush()?;
    } else if addition.placed.is_some() && !args.dry_run {
        NewFile::write(path, addition.new.body())
            .with_context(|| format!("cannot write {name}"))?;
    }
    if args.json {
        let mut out = answer_output::stdout();
        write_pretty(&mut out, &addition.answer(&name, !args.dry_run))?;
        out.flush()?;
    } else if !is_filter {
        let mut out = answer_output::stdout();
        if args.dry_run {
            let texts = [addition.old.body(), addition.new.body()];
            write!(out, "{}", difference([&name, &name], texts))?;
        }
        addition.show(&mut out, &name)?;
        out.flush()?;
    } else if !is_quiet() {
        addition.show(&mut io::stderr().lock(), &name)?;
    }
    if is_new && addition.placed.is_some() {
        notice!("note: there was no {name} before");
    }
    notice!("{name}: {}", addition.outcome(args.dry_run));
    Ok(ExitCode::from(u8::from(!addition.open.is_empty())))
}

/// Reads the file to change; `None` if there is none. One that cannot be replaced by a text is an error.
fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    if path.as_os_str() == "-" {
        return robots_file::read(path).map(Some);
    }
    let name = path_text(path);
    let extension = path.extension();
    if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) {
        bail!("cannot change {name}: it is compressed; extract it first");
    }
    if let Err(error) = fs::symlink_metadata(path)
        && error.kind() == io::ErrorKind::NotFound
        && path
            .parent()
            .is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir())
    {
        return Ok(None);
    }
    let metadata = fs::metadata(path).with_context(|| format!("cannot read {name}"))?;
    if !metadata.is_file() && !metadata.is_dir() {
        bail!("cannot change {name}: it is not a file; - is standard input");
    }
    robots_file::read(path).map(Some)
}

/// A group for a file, with what it changes there.
struct Addition<'t> {
    old: RobotsTxt,
    new: RobotsTxt,
    /// The place of the group; `None` if it would have no robot.
    placed: Option<Placed>,
    /// The robots in the group.
    blocked: Vec<&'t str>,
    /// The robots that were blocked before.
    already_blocked: Vec<&'t str>,
    /// What robots may still fetch.
    open: Vec<OpenPath<'t>>,
    changes: Vec<RobotDiff>,
    linted: Linted,
    /// The lines with findings in the old file, as the new one counts them.
    known_findings: HashSet<(FindingKind, usize)>,
}

impl<'t> Addition<'t> {
    /// Adds a group for the robots of a selection that are not blocked and would be.
    fn new(
        name: &str,
        body: &[u8],
        table: &'t AgentTable,
        selection: &Selection<'t>,
    ) -> Result<Self> {
        ensure!(
            body.len() <= MAX_BODY,
            "cannot add a group to {name}: it has more than 16 MiB, and only these are read; shorten it first"
        );
        let old = RobotsTxt::parse(body);
        let kinds = Kinds::of_level(Severity::Warning);
        let linter = RobotsTxtLinter::new().with_known_robots(table);
        let lint =
            |robots: &RobotsTxt| Linted::of_robots_txt(robots.clone(), linter.lint(robots), &kinds);
        let linted = lint(&old);
        let before = linted.findings();
        if let Some(found) = before.iter().find(|found| is_no_text(found.kind)) {
            bail!("cannot add a group to {name}: {}", found.message);
        }
        let open = open_paths(&old, table, selection.robots());
        let is_open = |robot: &KnownAgent| robot.tokens().any(|token| is_in(&open, token));
        let mut placed = None;
        let mut changes = Vec::new();
        let mut blocked = Vec::new();
        if !open.is_empty() {
            let first = place(name, &old, &selection.group(is_open))?;
            changes = changes_of(&old, &first, table);
            // A robot whose own group disallows everything but some paths gains nothing from a second one.
            let gains = |robot: &&KnownAgent| {
                let mut changed = changes.iter().map(|diff| diff.agent.as_str());
                is_open(robot) && changed.any(|agent| has_token(robot, agent))
            };
            let robots: Vec<&KnownAgent> = selection.robots().filter(gains).collect();
            blocked = robots.iter().map(|robot| &*robot.token).collect();
            if robots.len() < selection.robots().filter(|robot| is_open(robot)).count() {
                let is_blocked = |robot: &KnownAgent| blocked.contains(&&*robot.token);
                if !robots.is_empty() {
                    placed = Some(place(name, &old, &selection.group(is_blocked))?);
                }
                changes = placed
                    .iter()
                    .flat_map(|placed| changes_of(&old, placed, table))
                    .collect();
            } else {
                placed = Some(first);
            }
        }
        let is_selected = |diff: &&RobotDiff| {
            let mut robots = selection.robots();
            robots.any(|robot| has_token(robot, &diff.agent))
        };
        let others: Vec<&str> = changes
            .iter()
            .filter(|diff| !is_selected(diff))
            .map(|diff| diff.agent.as_str())
            .collect();
        if !others.is_empty() {
            bail!(
                "the group would also block robots without one of their own: {}; give them a group that allows them first, or name them as well to block them",
                others.join(", ")
            );
        }
        let known = before.iter().map(|found| {
            let line = found.location.line;
            let moved = placed.as_ref().map_or(line, |placed| placed.moved(line));
            (found.kind, moved)
        });
        let known_findings = known.collect();
        let new = match &placed {
            Some(placed) => RobotsTxt::parse(&placed.body),
            None => old.clone(),
        };
        let open = open_paths(&new, table, selection.robots());
        let already = selection.robots().filter(|robot| {
            let is_open = robot.tokens().any(|token| is_in(&open, token));
            !is_open && !blocked.contains(&&*robot.token)
        });
        Ok(Self {
            already_blocked: already.map(|robot| &*robot.token).collect(),
            linted: lint(&new),
            old,
            new,
            placed,
            blocked,
            open,
            changes,
            known_findings,
        })
    }

    /// Returns the findings that the old file does not have.
    fn new_findings(&self) -> Vec<LocatedFinding<'_>> {
        let mut findings = self.linted.findings();
        findings.retain(|found| {
            let line = (found.kind, found.location.line);
            !self.known_findings.contains(&line)
        });
        findings
    }

    /// Writes what changes, new findings, and what robots may still fetch.
    fn show(&self, out: &mut dyn Write, name: &str) -> Result<()> {
        if self.placed.is_some() {
            diff::show(out, &self.changes, true)?;
        }
        for found in &self.new_findings() {
            concise(&mut *out, &Annotation::of_finding(name, found))?;
        }
        for open in &self.open {
            writeln!(out, "{}", printable(&open.text()))?;
        }
        Ok(())
    }

    /// Returns the outcome in one line.
    fn outcome(&self, is_dry_run: bool) -> String {
        let robots = |count: usize| counted(count as u64, "robot");
        let already = match self.already_blocked.len() {
            0 => String::new(),
            count => format!(", {} blocked already", robots(count)),
        };
        let Some(placed) = &self.placed else {
            return format!("unchanged{already}");
        };
        let verb = if is_dry_run {
            "would be blocked"
        } else {
            "blocked"
        };
        let (blocked, line) = (robots(self.blocked.len()), placed.line);
        format!("{blocked} {verb} by a group at line {line}{already}")
    }

    /// Returns the addition as an answer. `robots block --help` describes the keys.
    fn answer(&self, name: &str, is_written: bool) -> Value {
        let text = |placed: &Placed| {
            let text = placed.body.get(placed.span.clone()).unwrap_or_default();
            String::from_utf8_lossy(text).into_owned()
        };
        let findings = self.new_findings();
        let findings = findings
            .iter()
            .map(|found| self.linted.answer(name, None, found));
        let findings: Vec<_> = findings.collect();
        json!({
            "file": name,
            "written": is_written && self.placed.is_some(),
            "line": self.placed.as_ref().map(|placed| placed.line),
            "text": self.placed.as_ref().map(text),
            "blocked": self.blocked,
            "already_blocked": self.already_blocked,
            "still_allowed": self.open.iter().map(OpenPath::answer).collect::<Vec<_>>(),
            "changes": self.changes.iter().map(RobotDiff::answer).collect::<Vec<_>>(),
            "findings": findings,
        })
    }
}

/// Returns whether a finding states that robots recognise no line of the file.
fn is_no_text(kind: FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::HtmlBody | FindingKind::Utf16 | FindingKind::Gzip
    )
}

/// Returns whether a robot has a product token, in any case.
fn has_token(robot: &KnownAgent, token: &str) -> bool {
    robot.tokens().any(|own| own.eq_ignore_ascii_case(token))
}

/// Adds a group to a file.
fn place(name: &str, old: &RobotsTxt, group: &str) -> Result<Placed> {
    // With CRs, and blank lines around it.
    let length = old.body().len() + group.len() + group.lines().count() + 4;
    ensure!(
        length <= RFC9309_SIZE_LIMIT,
        "cannot add a group to {name}: it would have more than 500 KiB, after which robots do not read; shorten it first"
    );
    place::add(old, group).with_context(|| {
        format!("cannot add a group to {name} without a change to its other groups: `robots lint` shows its problems")
    })
}

/// Returns the changes for all known robots, as their operators read the files. The place keeps all other groups.
fn changes_of(old: &RobotsTxt, placed: &Placed, table: &AgentTable) -> Vec<RobotDiff> {
    let files = [old.clone(), RobotsTxt::parse(&placed.body)];
    let tokens = table.iter().flat_map(KnownAgent::tokens);
    let agents: Vec<Agent<'static>> = tokens.map(|token| table.agent(token)).collect();
    let diffs = diffs(&files, &agents, None);
    diffs.filter(|diff| !diff.changes.is_empty()).collect()
}

/// A robot that is not blocked, with a path that it may fetch.
struct OpenPath<'t> {
    agent: &'t str,
    /// `None` if there are too many rules to consider every path.
    path: Option<String>,
    rules: Rules,
}

/// Returns what robots may fetch, for each of their tokens, as their operators read the file.
fn open_paths<'t>(
    file: &RobotsTxt,
    table: &AgentTable,
    robots: impl Iterator<Item = &'t KnownAgent>,
) -> Vec<OpenPath<'t>> {
    let tokens: Vec<&str> = robots.flat_map(KnownAgent::tokens).collect();
    let asked = tokens.iter().map(|token| {
        let dialect = &Reading::of_robot(token).dialect;
        (table.agent(token), dialect)
    });
    let rules = file.rules_of_each(&asked.collect::<Vec<(Agent<'_>, &Dialect)>>());
    // A search for each of the rules that robots share.
    let mut summaries: HashMap<usize, Summary> = HashMap::new();
    let mut open = Vec::new();
    for (agent, rules) in tokens.into_iter().zip(rules.iter()) {
        let summary = summaries
            .entry(rules.sharing_key())
            .or_insert_with(|| rules.summary());
        if summary.restriction() != Restriction::All {
            open.push(OpenPath {
                agent,
                path: summary.allowed().map(str::to_owned),
                rules: rules.clone(),
            });
        }
    }
    open
}

fn is_in(open: &[OpenPath<'_>], token: &str) -> bool {
    open.iter().any(|one| one.agent == token)
}

impl OpenPath<'_> {
    /// Returns a sentence for people.
    fn text(&self) -> String {
        let agent = self.agent;
        let Some(path) = &self.path else {
            return format!(
                "{agent} may still fetch a path: there are too many rules to consider all"
            );
        };
        let verdict = self.rules.verdict(&Target::of_path(path)).to_string();
        format!("{agent} may still fetch {path}: {verdict}; remove this rule")
    }

    /// Returns the keys of an answer.
    fn answer(&self) -> Value {
        let Some(path) = &self.path else {
            return json!({"agent": self.agent, "path": null});
        };
        let verdict = self.rules.verdict(&Target::of_path(path));
        json!({
            "agent": self.agent,
            "path": path,
            "line": verdict.line(),
            "reason": verdict.reason().name(),
            "reason_text": verdict.reason().to_string(),
        })
    }
}
