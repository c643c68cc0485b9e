//! Who asks: the robot that a `User-Agent` header or a host name tells.

use super::hosts::{HostName, Hosts, is_of};
use robots_policy::profile::{AgentTable, KnownAgent, Purpose};
use robots_txt::select::product_token;
use std::collections::HashMap;
use std::sync::Arc;

/// How many headers are remembered with who they tell; then it begins anew.
const REMEMBERED: usize = 50_000;

/// How many bytes of a header are read.
const LONGEST: usize = 1_024;

/// What names of robots have in them. `bot` is one of these at the end of a word alone: `ExampleBot`, `bot-2`.
const PARTS: [&str; 4] = ["crawl", "spider", "slurp", "scrape"];

/// Starts of words that are no names of robots, though they look like some: a maker of telephones.
const NO_ROBOTS: [&str; 1] = ["cubot"];

/// Who a request is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Who<'t> {
    /// A robot, by its product token.
    Robot {
        token: Arc<str>,
        /// What the table knows of it; nothing of one that only says to be a robot.
        known: Option<&'t KnownAgent>,
    },
    /// A program that does not say to be a browser, by its product token. People may sit before it.
    Program(Arc<str>),
    /// A browser, or what says to be one.
    Browser,
    /// Who says nothing.
    Nobody,
}

impl<'t> Who<'t> {
    fn known(known: &'t KnownAgent) -> Self {
        Self::Robot {
            token: known.token.as_str().into(),
            known: Some(known),
        }
    }
}

/// Whether a robot is whose name it goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// Its address has a name of the robot's operator.
    Verified,
    /// It has a name of others, or none.
    Refuted,
    /// Nothing is known.
    Open,
}

/// Tells who asks, and remembers it.
#[derive(Debug)]
pub(super) struct Register<'t> {
    table: &'t AgentTable,
    hosts: &'t Hosts,
    by_header: HashMap<Box<[u8]>, Who<'t>>,
}

impl<'t> Register<'t> {
    pub(super) fn new(table: &'t AgentTable, hosts: &'t Hosts) -> Self {
        Self {
            table,
            hosts,
            by_header: HashMap::new(),
        }
    }

    /// Who asks; a client without a header is told by its name alone.
    pub(super) fn who(&mut self, header: Option<&[u8]>, client: &[u8]) -> Who<'t> {
        let Some(header) = header else {
            return self.by_host(client);
        };
        let header = header.get(..LONGEST).unwrap_or(header);
        if let Some(who) = self.by_header.get(header) {
            return who.clone();
        }
        let who = by_header(&String::from_utf8_lossy(header), self.table);
        if self.by_header.len() >= REMEMBERED {
            self.by_header.clear();
        }
        self.by_header.insert(header.into(), who.clone());
        who
    }

    fn by_host(&self, client: &[u8]) -> Who<'t> {
        let name = std::str::from_utf8(client).unwrap_or_default();
        let HostName::Is(name) = self.hosts.of(name) else {
            return Who::Nobody;
        };
        let of_operator = |agent: &&KnownAgent| {
            let mut domains = agent.hosts.iter();
            agent.crawls && domains.any(|domain| is_of(name, domain))
        };
        // Of several robots of an operator it is taken for the first, if that is one for search: else it may
        // be one that people send.
        let mut found = self.table.iter().filter(of_operator);
        match (found.next(), found.next()) {
            (Some(one), None) => Who::known(one),
            (Some(one), Some(_)) if one.purposes.contains(&Purpose::Search) => Who::known(one),
            _ => Who::Nobody,
        }
    }

    /// Whether a client is of the operator of a robot.
    pub(super) fn claim(&self, robot: &KnownAgent, client: &[u8]) -> Claim {
        if robot.hosts.is_empty() {
            return Claim::Open;
        }
        match self
            .hosts
            .of(std::str::from_utf8(client).unwrap_or_default())
        {
            HostName::Is(name) if robot.hosts.iter().any(|domain| is_of(name, domain)) => {
                Claim::Verified
            }
            HostName::Is(_) | HostName::None => Claim::Refuted,
            HostName::Unknown => Claim::Open,
        }
    }
}

fn by_header<'t>(header: &str, table: &'t AgentTable) -> Who<'t> {
    if let Some(known) = table.of_header(header) {
        return Who::known(known);
    }
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut words = header.split(|c| !is_of_name(c));
    if let Some(word) = words.find(|word| is_robots_name(word)) {
        return Who::Robot {
            token: product_token(word).into(),
            known: None,
        };
    }
    let is_browser = header.starts_with("Mozilla/") || header.starts_with("Opera/");
    let end = header.find(|c| !is_of_name(c)).unwrap_or(header.len());
    let token = product_token(header.get(..end).unwrap_or_default());
    match (is_browser, token) {
        (true, _) => Who::Browser,
        (false, "") => Who::Nobody,
        (false, token) => Who::Program(token.into()),
    }
}

/// Whether a word is the name of a robot, by what it has in it.
fn is_robots_name(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    // `Abbott` and `Botany` are none, and `robot` is no name.
    let has_bot = lower.match_indices("bot").any(|(at, bot)| {
        let behind = word.as_bytes().get(at.saturating_add(bot.len()));
        behind.is_none_or(|byte| !byte.is_ascii_lowercase())
    });
    let is_kind = matches!(&*lower, "bot" | "robot");
    // An address of a page about robots, or of one that is called so, names none.
    !word.contains('.')
        && (has_bot && !is_kind || PARTS.iter().any(|part| lower.contains(part)))
        && !NO_ROBOTS.iter().any(|start| lower.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_tell_who_asks() {
        let table = AgentTable::built_in();
        let said = |name: &str| Who::Robot {
            token: name.into(),
            known: None,
        };
        for (header, who) in [
            (
                "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot.html)",
                said("ExampleBot"),
            ),
            ("my-crawler 3", said("my-crawler")),
            ("Example-Bot2/1", said("Example-Bot2")),
            ("Mozilla/5.0 (Abbott; Botany; not a robot)", Who::Browser),
            (
                "Mozilla/5.0 (Linux; Android 10; CUBOT NOTE 20)",
                Who::Browser,
            ),
            (
                "Mozilla/5.0 (Linux; Android 9; CUBOT_P40) AppleWebKit/537.36",
                Who::Browser,
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                Who::Browser,
            ),
            ("Mozilla/5.0 (see robots.txt)", Who::Browser),
            (
                "Dalvik/2.1.0 (Linux; U; Android 15)",
                Who::Program("Dalvik".into()),
            ),
            ("\u{fffd}", Who::Nobody),
        ] {
            assert_eq!(by_header(header, table), who, "{header}");
        }
        let google = by_header("Mozilla/5.0 (compatible; Googlebot/2.1)", table);
        assert!(
            matches!(google, Who::Robot { known: Some(known), .. } if known.token == "Googlebot")
        );
    }
}
