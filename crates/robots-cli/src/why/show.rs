//! The answers about a page, for people.

use crate::source_line::SourceLine;
use crate::terminal::{
    WIDTH, counted, cut_list, filled, grouped, max_listed, printable, with_commas, wrapped,
};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer};
use robots_answers::why::evidence::{Evidence, KnownPage, PageEvidence, RobotsEvidence};
use robots_answers::why::{
    Answers, Headline, MAIN_FIELDS, Robot, StatementPlaces, answer_text, field_title, meta_line,
    sentence,
};
use robots_answers::{manner, robot_name};
use robots_policy::decision::{Field, Source};
use robots_policy::{Decision, Profile};
use robots_txt::RobotsTxt;
use std::collections::HashSet;
use std::io::{self, Write};

/// The style of headings.
const BOLD: anstyle::Style = anstyle::Style::new().bold();

/// What is shown: the answers with the evidence from which they follow.
pub(super) struct Shown<'s> {
    pub(super) evidence: &'s Evidence,
    pub(super) answers: &'s Answers,
    pub(super) headline: Headline,
    /// What holds for the page to which this one redirects, if it does.
    pub(super) target: Option<String>,
    /// The name of the robots.txt, and its bytes.
    pub(super) robots_name: &'s str,
    pub(super) robots: &'s RobotsTxt,
    /// Whether every answer of every robot is shown.
    pub(super) is_all: bool,
}

impl Shown<'_> {
    /// Writes the answer in one sentence, the line that decides, what to change, and the evidence.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", self.headline())?;
        if let Some(target) = &self.target {
            writeln!(out, "{}.", printable(target))?;
        }
        self.changes(out)?;
        self.problems(out)?;
        self.expectations(out)?;
        self.facts(out)?;
        if self.is_all {
            return self.every_answer(out);
        }
        let robots = self.answers.decisions.len() as u64;
        let asked = match robots {
            1 => "this robot".to_owned(),
            _ => format!("these {}", counted(robots, "robot")),
        };
        writeln!(out, "\nWith --all, every answer of {asked} is shown.")
    }

    /// Returns the headline, with the line of the statement that decides.
    fn headline(&self) -> String {
        let Headline {
            text,
            is_open,
            source,
            ineffective,
            ..
        } = &self.headline;
        let level = if *is_open { Level::HELP } else { Level::ERROR };
        let title = level.no_name().primary_title(printable(text).into_owned());
        let statement = source.or(*ineffective);
        let Some((name, line)) = statement.and_then(|source| self.line_of(source)) else {
            return Renderer::styled().render(&[Group::with_title(title)]);
        };
        let label = match source {
            Some(_) => "this decides",
            None => "this has no effect",
        };
        let snippet = line.snippet(&name, AnnotationKind::Primary, label);
        Renderer::styled().render(&[title.element(snippet)])
    }

    /// Returns the name of the file of a statement, and its line.
    fn line_of(&self, source: Source) -> Option<(String, SourceLine)> {
        let (name, line) = match (source, &self.evidence.page) {
            (Source::RobotsTxt { line }, _) => {
                let found = self.robots.lines().nth(line.checked_sub(1)?)?;
                let value = found.value_span();
                let part = value.start - found.offset()..value.end - found.offset();
                let line = SourceLine::new(line, found.bytes(), &part);
                (self.robots_name, line)
            }
            (Source::Header { header, .. }, PageEvidence::Known(page)) => {
                let (name, value) = page.headers.get(header)?;
                let text = [name.as_bytes(), b": ", value].concat();
                let part = text.len() - value.len()..text.len();
                let line = SourceLine::new(header + 1, &text, &part);
                ("headers of the page", line)
            }
            (Source::Meta { offset }, PageEvidence::Known(page)) => {
                let (number, text, part) = meta_line(page, offset)?;
                let line = SourceLine::new(number, text.as_bytes(), &part);
                (&*self.evidence.url, line)
            }
            _ => return None,
        };
        Some((printable(name).into_owned(), line))
    }

    /// Writes what would change an answer. One change may concern several fields, each for other robots.
    fn changes(&self, out: &mut impl Write) -> io::Result<()> {
        let changes = self.answers.changes.iter();
        let changes = grouped(changes.map(|change| (change.text_up_to(max_listed()), change)));
        let texts = changes.into_iter().map(|(text, changes)| {
            let fields: Vec<_> = changes
                .iter()
                .map(|change| field_title(change.field))
                .collect();
            let text = format!("{}: {text}", fields.join(", "));
            let robots = changes
                .iter()
                .map(|change| (change.robots.iter().collect(), field_title(change.field)));
            (text, grouped(robots))
        });
        self.list(out, "What to change", texts)
    }

    fn problems(&self, out: &mut impl Write) -> io::Result<()> {
        let problems = self.answers.problems.iter();
        let texts = problems.map(|problem| {
            let text = printable(&problem.text).into_owned();
            (text, vec![(problem.robots.iter().collect(), Vec::new())])
        });
        self.list(out, "Problems", texts)
    }

    /// Writes the expected answers, those with the same answer together.
    fn expectations(&self, out: &mut impl Write) -> io::Result<()> {
        let expectations = self.answers.expectations.iter().map(|expected| {
            let verdict = if expected.met { "met" } else { "NOT MET" };
            let answer = sentence(expected.field, &expected.value);
            let text = format!("{:<9}  {verdict:<7}  {answer}", expected.expect);
            (text, &expected.robot)
        });
        let texts = grouped(expectations).into_iter();
        let texts = texts.map(|(text, robots)| (text, vec![(robots, Vec::new())]));
        self.list(out, "Expected", texts)
    }

    /// Writes what is known about the page, and how robots.txt was read.
    fn facts(&self, out: &mut impl Write) -> io::Result<()> {
        let Evidence {
            url,
            robots_txt,
            page,
            ..
        } = self.evidence;
        let mut profiles = self.answers.decisions.iter().map(|one| &*one.profile);
        let first = profiles.next().unwrap_or_default();
        let reading = if profiles.all(|profile| profile == first) {
            manner(first)
        } else {
            "as each robot's operator reads robots.txt".to_owned()
        };
        writeln!(out, "\n{}", printable(url))?;
        writeln!(out, "  robots.txt  {}", printable(&of_robots(robots_txt)))?;
        writeln!(out, "  page        {}", printable(&of_page(page)))?;
        if let PageEvidence::Known(page) = page
            && let Some(exception) = &page.exception
        {
            writeln!(out, "              fetched {}", printable(exception))?;
        }
        writeln!(out, "  read        {}", printable(&reading))
    }

    /// Writes the answers of each robot, those with equal answers together.
    fn every_answer(&self, out: &mut impl Write) -> io::Result<()> {
        let labelled = self.answers.decisions.iter().map(|decision| {
            let name = self.name(decision);
            let token = &decision.agent;
            let label = match token.as_str() {
                "*" => name,
                token if name.starts_with(token) => name,
                token => format!("{name} ({token})"),
            };
            (lines(decision, &self.answers.places), label)
        });
        for (lines, labels) in grouped(labelled) {
            write!(out, "\n{}", wrapped(&labels, 0))?;
            for line in lines {
                writeln!(out, "  {line}")?;
            }
        }
        Ok(())
    }

    /// Writes texts below a heading, each with its robots unless these are all; nothing if there is no text. The robots of a text may
    /// differ by a field, whose title is before them.
    fn list<'a>(
        &self,
        out: &mut impl Write,
        heading: &str,
        texts: impl Iterator<Item = (String, Vec<(Vec<&'a Robot>, Vec<&'a str>)>)>,
    ) -> io::Result<()> {
        let mut texts = texts.peekable();
        if texts.peek().is_some() {
            writeln!(out, "\n{BOLD}{heading}{BOLD:#}")?;
        }
        for (text, robots) in texts {
            writeln!(out, "  {text}")?;
            if let [(robots, _)] = &robots[..] {
                let names = self.names(robots);
                if !names.is_empty() {
                    write!(out, "{}", wrapped(&names, 6))?;
                }
                continue;
            }
            for (robots, titles) in robots {
                let names = match self.names(&robots) {
                    names if names.is_empty() => vec!["all".to_owned()],
                    names => names,
                };
                let first = format!("      {}: ", titles.join(", "));
                let indent = " ".repeat(8);
                for line in filled(with_commas(&names), WIDTH, &first, &indent) {
                    writeln!(out, "{line}")?;
                }
            }
        }
        Ok(())
    }

    /// Returns the names of robots, of a long list the first; none if these are all.
    fn names(&self, robots: &[&Robot]) -> Vec<String> {
        let decisions = &self.answers.decisions;
        let robots: HashSet<&Robot> = robots.iter().copied().collect();
        let concerned = decisions
            .iter()
            .filter(|one| robots.contains(&Robot::of(one)));
        let names: Vec<String> = concerned.map(|one| self.name(one)).collect();
        if names.len() == decisions.len() {
            return Vec::new();
        }
        cut_list(names)
    }

    /// Returns the name of a robot: with the manner of reading, if it is answered for under several.
    fn name(&self, decision: &Decision) -> String {
        let Decision { agent, profile, .. } = decision;
        let name = robot_name(agent, profile);
        let decisions = self.answers.decisions.iter();
        if decisions.filter(|one| one.agent == *agent).count() > 1
            && (name == agent || robot_name(agent, Profile::NEUTRAL) == name)
        {
            format!("{name}, read {}", manner(profile))
        } else {
            name.to_owned()
        }
    }
}

/// Returns a line for each main field, and for each other one that a statement decides: its value, and the statement.
fn lines(decision: &Decision, places: &StatementPlaces) -> Vec<String> {
    let fields = Field::ALL.iter().filter_map(|&field| {
        let reason = decision.deciding_reason(field);
        let is_main = MAIN_FIELDS.contains(&field);
        // `page_layer` is no answer.
        if field == Field::PageLayer || reason.is_none() && !is_main {
            return None;
        }
        let (name, value) = (field_title(field), answer_text(decision, field));
        Some(match reason {
            Some(reason) => format!(
                "{name:<15}  {value:<15}  {}: {}",
                places.text(&reason.source),
                printable(&reason.text)
            ),
            None if field == Field::MayTrain && value == "yes" => {
                format!("{name:<15}  {value:<15}  nothing forbids it")
            }
            None => format!("{name:<15}  {value}"),
        })
    });
    fields.collect()
}

fn of_robots(robots: &RobotsEvidence) -> String {
    match robots {
        RobotsEvidence::File { name, bytes } => {
            format!("{name}, {}", counted(*bytes as u64, "byte"))
        }
        RobotsEvidence::Requested(request) => {
            let url = &request.url;
            let hops = match request.redirects as u64 {
                0 => String::new(),
                hops => format!(" after {}", counted(hops, "redirect")),
            };
            match &request.fault {
                Some((_, fault)) => format!("{url}{hops}: {fault}"),
                None => format!(
                    "{url}{hops}: status {}, {}",
                    request.status.unwrap_or_default(),
                    counted(request.bytes as u64, "byte")
                ),
            }
        }
        // `RobotsEvidence::Unknown`.
        _ => "not known: add --robots".to_owned(),
    }
}

fn of_page(page: &PageEvidence) -> String {
    match page {
        PageEvidence::Unknown(why) => format!("not known: {why}"),
        PageEvidence::Known(page) => of_known(page),
        _ => "not known".to_owned(),
    }
}

fn of_known(page: &KnownPage) -> String {
    let status = page.status.map_or_else(
        || "saved HTML".to_owned(),
        |status| format!("status {status}"),
    );
    let location = page
        .location()
        .map_or_else(String::new, |location| format!(", to {location}"));
    let kind = if page.is_html { "" } else { ", not HTML" };
    let bytes = counted(page.body.len() as u64, "byte");
    let cut = if page.is_whole {
        ""
    } else {
        " (the rest was not read)"
    };
    format!("{status}{location}{kind}, {bytes}{cut}")
}
