//! The verdicts on URLs in each format.

use super::verdict::{comparison, explain, in_a_line, place, sentence};
use crate::args::{ReportFormat, is_url};
use anyhow::{Error, Result};
use robots_answers::check::{UrlVerdict, url_error_answer, url_verdict_answer};
use robots_lint::Severity;
use robots_lint::report::annotation::{Annotation, concise, github};
use robots_lint::report::gitlab::CodeQuality;
use robots_lint::report::sarif::{SarifLog, file_uri};
use robots_pipeline::json::write_line;
use robots_pipeline::text::with_causes;
use robots_txt::{RobotsTxt, Target};
use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

/// The code of the verdict on a URL that may not be fetched.
const DISALLOWED: &str = "disallowed";

/// The code of the verdict on a URL that may be fetched, which only `concise` shows.
const ALLOWED: &str = "allowed";

/// A writer of the verdicts on URLs in one of the formats.
pub(super) enum VerdictWriter<W> {
    /// With the files and lines of the rules that were shown.
    Full(W, HashSet<(String, usize)>),
    Jsonl(W),
    Concise(W),
    Github(W),
    Gitlab(CodeQuality<W>),
    Sarif(SarifLog<W>),
}

impl<W: Write> VerdictWriter<W> {
    pub(super) fn new(format: ReportFormat, out: W) -> Self {
        match format {
            ReportFormat::Full => Self::Full(out, HashSet::new()),
            ReportFormat::Jsonl => Self::Jsonl(out),
            ReportFormat::Concise => Self::Concise(out),
            ReportFormat::Github => Self::Github(out),
            ReportFormat::Gitlab => Self::Gitlab(CodeQuality::new(out)),
            ReportFormat::Sarif => Self::Sarif(SarifLog::of_rule(
                out,
                DISALLOWED,
                "a URL is disallowed to a robot",
                "Allow the URL in the group of the robot, or leave it out of the question.",
                "https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2.2",
            )),
        }
    }

    /// Writes the verdicts on a URL by the file of this name.
    pub(super) fn add(
        &mut self,
        name: &str,
        url: &str,
        verdicts: &[UrlVerdict<'_>],
        robots: &RobotsTxt,
        target: &Target<'_>,
    ) -> Result<()> {
        match self {
            Self::Full(out, shown) => match verdicts {
                [verdict] => {
                    let line = verdict.rule().map(|rule| rule.line());
                    let is_new = line.is_none_or(|line| shown.insert((name.to_owned(), line)));
                    let text = if is_new {
                        explain(name, url, verdict, robots, target)
                    } else {
                        in_a_line(verdict, url)
                    };
                    writeln!(out, "{text}")?;
                }
                _ => write!(out, "{}", comparison(url, verdicts))?,
            },
            Self::Jsonl(out) => {
                for verdict in verdicts {
                    write_line(&mut *out, &url_verdict_answer(url, verdict, target))?;
                }
            }
            _ => {
                for verdict in verdicts {
                    self.annotate(name, url, verdict, robots)?;
                }
            }
        }
        Ok(())
    }

    /// Reports a URL that cannot be read, which is at a place of a file of URLs. JSON has an object in the place of its verdicts.
    pub(super) fn add_error(
        &mut self,
        place: Option<&str>,
        url: Option<&str>,
        error: &Error,
    ) -> Result<()> {
        let error = with_causes(error.as_ref());
        let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
        message!("error: {place}{error}");
        if let Self::Jsonl(out) = self {
            write_line(&mut *out, &url_error_answer(url, &error))?;
        }
        Ok(())
    }

    /// Writes a verdict as an annotation of the line that decides. Of the formats, only `concise` has allowed URLs.
    fn annotate(
        &mut self,
        name: &str,
        url: &str,
        verdict: &UrlVerdict<'_>,
        robots: &RobotsTxt,
    ) -> Result<()> {
        let is_allowed = verdict.is_allowed();
        let (severity, code) = if is_allowed {
            (Severity::Note, ALLOWED)
        } else {
            (Severity::Error, DISALLOWED)
        };
        let path = match self {
            Self::Sarif(_) if name == "-" => "stdin".to_owned(),
            Self::Sarif(_) if !is_url(Path::new(name)) => file_uri(name),
            _ => name.to_owned(),
        };
        let annotation = Annotation::new(&path, severity, code, sentence(verdict, url));
        let annotation = match place(verdict, robots) {
            Some((place, text)) => annotation.at(place, text),
            None => annotation,
        };
        match self {
            Self::Concise(out) => concise(out, &annotation)?,
            Self::Github(out) if !is_allowed => github(out, &annotation)?,
            Self::Gitlab(report) if !is_allowed => report.add(&annotation)?,
            Self::Sarif(log) if !is_allowed => log.add_annotation(&annotation)?,
            _ => {}
        }
        Ok(())
    }

    /// Writes the end.
    pub(super) fn end(&mut self) -> Result<()> {
        match self {
            Self::Full(..) | Self::Jsonl(_) | Self::Concise(_) | Self::Github(_) => {}
            Self::Gitlab(report) => report.end()?,
            Self::Sarif(log) => log.end()?,
        }
        Ok(())
    }
}
