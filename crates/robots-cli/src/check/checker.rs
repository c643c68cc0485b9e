//! The check of one URL after another: their verdicts are written and counted.

use super::did_you_mean;
use super::formats::VerdictWriter;
use super::site::CheckedSite;
use super::sites::{Received, Sites};
use crate::args::ReportFormat;
use crate::report::number::whole;
use crate::terminal::counted;
use anyhow::{Error, Result, anyhow, bail};
use indexmap::IndexSet;
use robots_answers::check::{TargetErrorKind, UrlVerdict, target_of, web_origin};
use robots_policy::origins::Origin;
use robots_txt::Target;
use std::io::Write;
use std::process::ExitCode;
use url::Url;

/// The number of origins that a note names.
const NAMED_ORIGINS: usize = 3;

/// The robots.txt by which URLs are checked.
pub(super) enum RobotsOf<'a> {
    /// A file, for all URLs.
    All(Box<CheckedSite<'a>>),
    /// Those of the sites of the URLs.
    EachSite(Box<Sites<'a>>),
}

/// The URLs of a file that the format for people shows. The others are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    All,
    Disallowed,
}

/// A check in progress.
pub(super) struct Checker<'a, W> {
    robots: RobotsOf<'a>,
    format: ReportFormat,
    writer: VerdictWriter<W>,
    /// The numbers of URLs with an answer, of those that are disallowed, and of those without an answer.
    answered: u64,
    disallowed: u64,
    unread: u64,
    /// The number of files of URLs that were not read to their end.
    unread_files: u64,
    /// The origins of the URLs, if one file is for all.
    origins: IndexSet<Origin>,
}

impl<'a, W: Write> Checker<'a, W> {
    pub(super) fn new(robots: RobotsOf<'a>, format: ReportFormat, out: W) -> Self {
        Self {
            robots,
            format,
            writer: VerdictWriter::new(format, out),
            answered: 0,
            disallowed: 0,
            unread: 0,
            unread_files: 0,
            origins: IndexSet::new(),
        }
    }

    /// Writes the verdicts on a URL, which is at a place of a file, or the reason why there is none.
    pub(super) fn check(
        &mut self,
        place: Option<&str>,
        url: Result<&str>,
        shown: Shown,
    ) -> Result<()> {
        let text = url.as_ref().ok().copied();
        let checked = url.and_then(|url| {
            let site = match &mut self.robots {
                RobotsOf::All(site) => site,
                RobotsOf::EachSite(sites) => sites.site_of(url)?,
            };
            Ok((url, target(url)?, site))
        });
        let (url, target, site) = match checked {
            Ok(checked) => checked,
            Err(error) => {
                self.unread += 1;
                return self.writer.add_error(place, text, &error);
            }
        };
        let name = site.name.clone();
        let (robots, verdicts) = site.verdicts(url, &target);
        let is_allowed = verdicts.iter().all(UrlVerdict::is_allowed);
        self.answered += 1;
        self.disallowed += u64::from(!is_allowed);
        let is_hidden =
            is_allowed && shown == Shown::Disallowed && self.format == ReportFormat::Full;
        if !is_hidden {
            self.writer.add(&name, url, &verdicts, robots, &target)?;
        }
        self.note_origin(url);
        Ok(())
    }

    /// Keeps the origin of a URL, if one file is for all.
    fn note_origin(&mut self, url: &str) {
        if let RobotsOf::All(_) = self.robots
            && let Some(origin) = web_origin(url)
        {
            self.origins.insert(origin);
        }
    }

    /// Reports a file of URLs that was not read, or not to its end.
    pub(super) fn lose_file(&mut self, place: Option<&str>, error: &Error) -> Result<()> {
        self.unread_files += 1;
        self.writer.add_error(place, None, error)
    }

    /// Returns whether sitemaps may be requested.
    pub(super) fn fetches(&self) -> bool {
        matches!(self.robots, RobotsOf::EachSite(_))
    }

    /// Requests a sitemap.
    pub(super) fn request(&mut self, url: &Url) -> Result<Received> {
        match &mut self.robots {
            RobotsOf::EachSite(sites) => sites.request_sitemap(url),
            RobotsOf::All(_) => {
                bail!("{url} is a URL, not a file: use --fetch, or download it first")
            }
        }
    }

    /// Writes the end. Returns the exit code; `has_files` states whether URLs came from files, whose number is of interest.
    pub(super) fn end(mut self, has_files: bool) -> Result<ExitCode> {
        self.writer.end()?;
        if self.origins.len() > 1
            && let RobotsOf::All(site) = &self.robots
        {
            let named = self.origins.iter().take(NAMED_ORIGINS);
            let named: Vec<String> = named.map(ToString::to_string).collect();
            let more = self.origins.len() - named.len();
            let more = (more > 0).then(|| format!(" and {more} more"));
            notice!(
                "note: the URLs are of {} origins ({}{}), each with a robots.txt of its own; {} was applied to all: --fetch asks each",
                self.origins.len(),
                named.join(", "),
                more.unwrap_or_default(),
                site.name
            );
        }
        let (robots, is_cut) = match self.robots {
            RobotsOf::All(site) => (site.one_robot(), site.file.has_too_many_robots()),
            RobotsOf::EachSite(sites) => sites.end(),
        };
        if has_files && self.answered > 0 {
            let by = robots.as_deref().unwrap_or("at least one robot or dialect");
            let urls = counted(self.answered, "URL");
            let are = if self.answered == 1 { "is" } else { "are" };
            notice!(
                "{} of {urls} {are} disallowed for {by}",
                whole(self.disallowed)
            );
        }
        if self.unread > 0 {
            notice!("{} without an answer", counted(self.unread, "URL"));
        }
        if self.unread_files > 0 {
            let files = counted(self.unread_files, "file");
            notice!("{files} of URLs not read, or not to the end");
        }
        // What was found is certain; that nothing was found is not, if robots were left out.
        Ok(ExitCode::from(match self.disallowed > 0 {
            _ if self.unread + self.unread_files > 0 => 2,
            true => 1,
            false if is_cut => 2,
            false => 0,
        }))
    }
}

/// Returns the target of a URL or path. An error suggests what may be meant.
fn target(url: &str) -> Result<Target<'static>> {
    target_of(url).map_err(|error| match error.kind() {
        TargetErrorKind::Relative => anyhow!("{error}{}", did_you_mean(url)),
        _ => error.into(),
    })
}
