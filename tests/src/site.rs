//! Fixture sites: folders that a team adds without writing Rust. README.md in `tests/` describes
//! the form.

use anyhow::{Context, Result, bail};
use robots_policy::{Decision, Page, Policy, Profile, RobotsFetch};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// `site.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Site {
    /// What the site is for.
    pub about: String,
    /// Its scheme and host.
    pub origin: String,
    /// The robots whose decisions are kept as snapshots.
    pub agents: Vec<String>,
    /// The time to decide for.
    pub now: String,
    /// The questions.
    pub question: Vec<Question>,
    /// The folder.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// One question: a robot, a path, and the fields of the decision that are expected.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The robot.
    pub agent: String,
    /// The profile, by its name; the neutral one if it is not given.
    pub profile: Option<String>,
    /// The path, with query.
    pub url: String,
    /// Fields of the decision; `line` is that of robots.txt.
    #[serde(flatten)]
    pub expect: BTreeMap<String, toml::Value>,
}

/// A response that a site gives.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Header lines, the type of the content among them.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// The folder of all fixtures.
#[must_use]
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Every fixture site, by its name.
///
/// # Errors
///
/// If a `site.toml` cannot be read.
pub fn all() -> Result<BTreeMap<String, Site>> {
    let mut sites = BTreeMap::new();
    for entry in fs::read_dir(fixtures().join("sites"))? {
        let folder = entry?.path();
        let name = folder
            .file_name()
            .context("a folder has a name")?
            .to_string_lossy()
            .into_owned();
        let toml = folder.join("site.toml");
        let text =
            fs::read_to_string(&toml).with_context(|| format!("cannot read {}", toml.display()))?;
        let mut site: Site =
            toml::from_str(&text).with_context(|| format!("in {}", toml.display()))?;
        site.folder = folder;
        sites.insert(name, site);
    }
    Ok(sites)
}

impl Site {
    /// The policy of a robot that has asked the site for its robots.txt.
    ///
    /// # Errors
    ///
    /// If the origin is none, or robots.txt cannot be read.
    pub fn policy(&self, profile: &Profile, agent: &str) -> Result<Policy> {
        let policy = Policy::under(profile, agent);
        let path = self.folder.join("robots.txt");
        if path.exists() {
            policy.learn(&self.origin, RobotsFetch::Body(&fs::read(path)?))?;
        } else {
            policy.learn(&self.origin, RobotsFetch::Status(404))?;
        }
        Ok(policy)
    }

    /// The decision about a path of the site.
    ///
    /// # Errors
    ///
    /// If a file of the site cannot be read, or `now` is no time.
    pub fn decide(&self, profile: &Profile, agent: &str, path: &str) -> Result<Decision> {
        let url = format!("{}{path}", self.origin);
        let now = robots_meta::Timestamp::parse(&self.now)
            .with_context(|| format!("now = {:?} is no time", self.now))?;
        let answer = self.answer(path)?;
        let mut page = Page::new(&url).at(now);
        if let Some(answer) = &answer {
            let headers = answer
                .headers
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()));
            page = page.with_status(answer.status).with_headers(headers);
            let content_type = answer
                .headers
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
            let media_type = content_type.map_or("", |(_, value)| value);
            page = if media_type.starts_with("text/html") {
                if let Some((_, charset)) = media_type.split_once("charset=") {
                    page = page.with_charset(charset);
                }
                page.with_html(&answer.body)
            } else {
                page.not_html()
            };
        }
        Ok(self.policy(profile, agent)?.decide_page(&page))
    }

    /// What the site answers for a path; `None` if there is no page: it is then decided as one that
    /// was not fetched.
    fn answer(&self, path: &str) -> Result<Option<Answer>> {
        let path = path.split('?').next().unwrap_or_default();
        let mut file = self.folder.join("pages");
        file.extend(path.split('/').filter(|part| !part.is_empty()));
        if file.is_dir() {
            file.push("index.html");
        }
        if !file.is_file() {
            return Ok(None);
        }
        let mut answer = Answer {
            status: 200,
            headers: vec![("Content-Type".to_owned(), type_of(&file).to_owned())],
            body: fs::read(&file)?,
        };
        let mut headers_file = file.into_os_string();
        headers_file.push(".headers");
        if let Ok(lines) = fs::read_to_string(&headers_file) {
            for line in lines.lines().filter(|line| !line.trim().is_empty()) {
                let Some((name, value)) = line.split_once(':') else {
                    bail!("{}: no colon in {line:?}", headers_file.display());
                };
                let value = value.trim();
                if name == "Status" {
                    let code = value.split(' ').next().unwrap_or_default();
                    answer.status = code.parse().context("Status needs a number")?;
                } else {
                    if name.eq_ignore_ascii_case("content-type") {
                        answer.headers.clear();
                    }
                    answer.headers.push((name.to_owned(), value.to_owned()));
                }
            }
        }
        Ok(Some(answer))
    }
}

fn type_of(file: &Path) -> &'static str {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("txt") => "text/plain; charset=utf-8",
        Some("pdf") => "application/pdf",
        Some("gif") => "image/gif",
        _ => "application/octet-stream",
    }
}
