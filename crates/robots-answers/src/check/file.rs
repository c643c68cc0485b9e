//! A robots.txt against which URLs are checked.

use super::outcome::Outcomes;
use super::reading::{AgentRules, CheckedRobots, Reading};
use super::url_verdict::UrlVerdict;
use robots_policy::Profile;
use robots_policy::origins::Origin;
use robots_policy::robots::RobotsState;
use robots_txt::{RobotsTxt, Target};
use std::collections::HashMap;

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
    /// `None` for a file that no site sent.
    outcomes: Option<Outcomes>,
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
            outcomes: None,
            has_too_many_robots,
        }
    }

    /// Takes the file for the response of a site. `state` returns the state of robots.txt under a profile, which counts where it has
    /// no rules. `fault` is the name of the fault of the request and its text, if it had no response.
    #[must_use]
    pub fn with_outcome(
        mut self,
        state: impl Fn(&Profile) -> RobotsState<()>,
        fault: Option<(&'static str, String)>,
    ) -> Self {
        self.outcomes = Some(Outcomes::new(&self.rules, state, fault));
        self
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
        // The first verdict by each distinct set of rules.
        let mut firsts: HashMap<usize, usize> = HashMap::new();
        for rules in &self.rules {
            proceed()?;
            let first = *firsts
                .entry(rules.rules.sharing_key())
                .or_insert(verdicts.len());
            let known = verdicts.get(first).and_then(|known| known.for_other(rules));
            verdicts.push(known.unwrap_or_else(|| UrlVerdict::new(rules, target)));
        }
        if let [first, others @ ..] = &mut verdicts[..] {
            for other in others {
                proceed()?;
                other.compare(first, &self.robots, target);
            }
        }
        if let Some(outcomes) = &self.outcomes {
            for (index, verdict) in verdicts.iter_mut().enumerate() {
                verdict.outcome = outcomes.of(index, verdict.rules, target);
            }
        }
        Ok(verdicts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::profile::AgentTable;
    use robots_txt::Dialect;
    use std::convert::Infallible;

    #[test]
    fn rules_that_robots_share_are_tried_once() {
        let file = RobotsTxt::parse(
            "User-agent: a\nUser-agent: b\nUser-agent: d\nDisallow: /x\nDisallow: /\n\nUser-agent: c\nDisallow: /\n",
        );
        // Between robots that share their rules is one with others.
        let names = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let asked = CheckedRobots::new(AgentTable::built_in()).with_names(names);
        let readings = [Reading::from(Dialect::RFC9309)];
        let file = CheckedFile::new(file, asked, &readings);
        let target = Target::new("/x");
        let verdicts = file.verdicts(&target, || Ok::<(), Infallible>(()));
        let verdicts = verdicts.unwrap_or_default();
        let names = verdicts.iter().map(|one| one.verdict.to_string());
        let expected = ["a", "b", "c", "d"].map(|name| {
            let (line, pattern) = if name == "c" { (8, "/") } else { (4, "/x") };
            format!("disallowed by line {line}: Disallow: {pattern} (group of {name})")
        });
        assert_eq!(names.collect::<Vec<_>>(), expected);
        let runners_up: Vec<_> = verdicts.iter().map(|one| one.runners_up(&target)).collect();
        assert_eq!(
            runners_up.iter().map(|all| all.len()).collect::<Vec<_>>(),
            [1, 1, 0, 1]
        );
        assert!(std::ptr::eq(runners_up[0], runners_up[1]));
        assert!(std::ptr::eq(runners_up[0], runners_up[3]));
    }
}
