//! A robots.txt against which URLs are checked.

use super::reading::{AgentRules, CheckedRobots, Reading};
use super::url_verdict::UrlVerdict;
use robots_policy::origins::Origin;
use robots_txt::{RobotsTxt, Target};

/// A robots.txt with the rules of every robot under every reading; without readings, of every robot as its operator reads the file.
///
/// Under some dialects, a pattern is resolved against the URL of the file, or may be an absolute URL itself. For these, the
/// file is that of the site of each URL, and is compiled again whenever the site changes.
#[derive(Debug)]
pub struct CheckedFile<'a> {
    asked: CheckedRobots<'a>,
    readings: &'a [Reading],
    robots: RobotsTxt,
    /// The URL of the file, if a reading depends on it and it is known.
    url: Option<String>,
    /// The file without a URL.
    file: RobotsTxt,
    rules: Vec<AgentRules<'a>>,
    has_too_many_robots: bool,
}

impl<'a> CheckedFile<'a> {
    /// Compiles the rules of a file.
    pub fn new(file: RobotsTxt, asked: CheckedRobots<'a>, readings: &'a [Reading]) -> Self {
        let (rules, has_too_many_robots) = asked.compile(&file, readings);
        Self {
            asked,
            readings,
            robots: file.clone(),
            url: None,
            file,
            rules,
            has_too_many_robots,
        }
    }

    /// Takes the file for that of the site of a URL, as far as a reading depends on it.
    pub fn set_site_of(&mut self, url: &str) {
        let mut readings = self.rules.iter().map(|rules| rules.reading);
        let depends_on_url = readings.any(|reading| reading.dialect.depends_on_url());
        let site = Origin::of(url).ok().filter(|_| depends_on_url);
        let site_url = site.map(|origin| origin.robots_url());
        if site_url == self.url {
            return;
        }
        self.robots = match &site_url {
            Some(url) => self.file.clone().with_url(url),
            None => self.file.clone(),
        };
        (self.rules, _) = self.asked.compile(&self.robots, self.readings);
        self.url = site_url;
    }

    /// Returns the file, with its URL if a reading depends on it.
    pub fn robots(&self) -> &RobotsTxt {
        &self.robots
    }

    /// Returns the rules of every robot under every reading. Those of one reading that was asked for follow one another.
    pub fn rules(&self) -> &[AgentRules<'a>] {
        &self.rules
    }

    /// Returns whether there are more than [`MAX_ROBOTS`](crate::named_robots::MAX_ROBOTS) robots. The last are left out.
    pub fn has_too_many_robots(&self) -> bool {
        self.has_too_many_robots
    }

    /// Returns the verdict on a target for every robot under every reading, compared with that of the first, unless the caller ends
    /// the work. A comparison may compile the file some dozen times.
    ///
    /// # Errors
    ///
    /// The first error of `proceed`, which is called before each verdict and each comparison.
    pub fn verdicts<E>(
        &self,
        target: &Target<'_>,
        mut proceed: impl FnMut() -> Result<(), E>,
    ) -> Result<Vec<UrlVerdict<'_>>, E> {
        let mut verdicts: Vec<UrlVerdict<'_>> = Vec::with_capacity(self.rules.len());
        for rules in &self.rules {
            proceed()?;
            let verdict = UrlVerdict::reusing(verdicts.last(), rules, target);
            verdicts.push(verdict);
        }
        if let [first, others @ ..] = &mut verdicts[..] {
            for other in others {
                proceed()?;
                other.compare(first, &self.robots, target);
            }
        }
        Ok(verdicts)
    }
}
