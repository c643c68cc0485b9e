//! The requester: the robot that a `User-Agent` header or a host name indicates.

use super::client::{Client, Proxies};
use super::hosts::{HostName, Hosts, is_in_domain};
use super::log::Request;
use super::ranges::Ranges;
use robots_policy::profile::{AgentTable, KnownAgent, Purpose};
use robots_txt::select::product_token;
use std::collections::HashMap;
use std::sync::Arc;

/// The maximum number of headers whose requesters are remembered. When it is reached, all are forgotten.
const MAX_REMEMBERED: usize = 50_000;

/// The maximum number of bytes of a header that are read. The rest is ignored.
const MAX_HEADER_BYTES: usize = 1_024;

/// The words that mark a name as a robot's, wherever they are in it. So does `bot` at the end of a word: `ExampleBot`, `bot-2`.
const ROBOT_WORDS: [&str; 4] = ["crawl", "spider", "slurp", "scrape"];

/// The starts of words that look like names of robots, but are not: a brand of telephones.
const NOT_ROBOTS: [&str; 1] = ["cubot"];

/// The sender of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Requester<'t> {
    /// A robot, by its product token.
    Robot {
        token: Arc<str>,
        /// Its entry in the table; `None` if only its name shows that it is a robot.
        known: Option<&'t KnownAgent>,
    },
    /// A program that does not claim to be a browser, by its product token. A person may use it.
    Program(Arc<str>),
    /// A browser, or a program that claims to be one.
    Browser,
    /// A requester without a name.
    Unnamed,
}

impl<'t> Requester<'t> {
    fn known_robot(known: &'t KnownAgent) -> Self {
        Self::Robot {
            token: known.token.as_str().into(),
            known: Some(known),
        }
    }
}

/// The result of checking that a robot is the one that it claims to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// Its address has a host name of the robot's operator, or is in a range that the operator publishes.
    Verified,
    /// Its address has another host name, or none, or is outside of all published ranges.
    Refuted,
    /// Neither the host name of its address nor the ranges are known, or the address is that of a proxy.
    Unknown,
}

/// An identifier of requesters, which remembers the headers that it has seen.
#[derive(Debug)]
pub(super) struct Identifier<'t> {
    table: &'t AgentTable,
    hosts: &'t Hosts,
    ranges: &'t Ranges,
    proxies: &'t Proxies<'t>,
    by_header: HashMap<Box<[u8]>, Requester<'t>>,
}

impl<'t> Identifier<'t> {
    pub(super) fn new(
        table: &'t AgentTable,
        hosts: &'t Hosts,
        ranges: &'t Ranges,
        proxies: &'t Proxies<'t>,
    ) -> Self {
        Self {
            table,
            hosts,
            ranges,
            proxies,
            by_header: HashMap::new(),
        }
    }

    /// Returns the requester. A client without a header is identified by its host name.
    pub(super) fn identify(&mut self, request: &Request<'_>) -> Requester<'t> {
        let Some(header) = request.agent.as_deref() else {
            return self.by_host(self.proxies.client(request));
        };
        let header = header.get(..MAX_HEADER_BYTES).unwrap_or(header);
        if let Some(requester) = self.by_header.get(header) {
            return requester.clone();
        }
        let requester = requester_of(&String::from_utf8_lossy(header), self.table);
        if self.by_header.len() >= MAX_REMEMBERED {
            self.by_header.clear();
        }
        self.by_header.insert(header.into(), requester.clone());
        requester
    }

    fn by_host(&self, client: Client<'_>) -> Requester<'t> {
        let HostName::Known(name) = self.hosts.of(client) else {
            return Requester::Unnamed;
        };
        // A robot that does not crawl is only a name in robots.txt: it sends no requests.
        let of_operator = |agent: &&KnownAgent| {
            let mut domains = agent.hosts.iter();
            agent.crawls && agent.is_sourced() && domains.any(|domain| is_in_domain(name, domain))
        };
        // If the operator has several robots, the requester is the first, but only if that one is for search: others
        // may act for a person.
        let mut found = self.table.iter().filter(of_operator);
        match (found.next(), found.next()) {
            (Some(one), None) => Requester::known_robot(one),
            (Some(one), Some(_)) if one.purposes.contains(&Purpose::Search) => {
                Requester::known_robot(one)
            }
            _ => Requester::Unnamed,
        }
    }

    /// Returns whether a request is from the operator of a robot, by published ranges and by reverse DNS. If one of them verifies
    /// the client, the other cannot refute it. Nothing refutes a request that a proxy passed on without stating its client.
    pub(super) fn verify(&self, robot: &KnownAgent, request: &Request<'_>) -> Claim {
        let client = self.proxies.client(request);
        let is_in_ranges = match client {
            Client::Address(address) | Client::Proxy(address) => {
                self.ranges.contains(&robot.token, address)
            }
            Client::Name(_) | Client::Unknown => None,
        };
        match (is_in_ranges, self.verify_by_name(robot, client)) {
            (Some(true), _) | (_, Claim::Verified) => Claim::Verified,
            _ if matches!(client, Client::Proxy(_)) => Claim::Unknown,
            (Some(false), _) | (_, Claim::Refuted) => Claim::Refuted,
            (None, Claim::Unknown) => Claim::Unknown,
        }
    }

    /// Returns whether a client belongs to the operator of a robot, by reverse DNS alone. Without a source for the entry of
    /// the robot, its domains verify and refute nothing.
    fn verify_by_name(&self, robot: &KnownAgent, client: Client<'_>) -> Claim {
        if robot.hosts.is_empty() || !robot.is_sourced() {
            return Claim::Unknown;
        }
        match self.hosts.of(client) {
            HostName::Known(name)
                if robot.hosts.iter().any(|domain| is_in_domain(name, domain)) =>
            {
                Claim::Verified
            }
            HostName::Known(_) | HostName::Nameless => Claim::Refuted,
            HostName::Unknown => Claim::Unknown,
        }
    }
}

fn requester_of<'t>(header: &str, table: &'t AgentTable) -> Requester<'t> {
    if let Some(known) = table.of_header(header) {
        return Requester::known_robot(known);
    }
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut words = header.split(|c| !is_of_name(c));
    if let Some(word) = words.find(|word| is_robot_name(word)) {
        return Requester::Robot {
            token: product_token(word).into(),
            known: None,
        };
    }
    let is_browser = header.starts_with("Mozilla/") || header.starts_with("Opera/");
    let end = header.find(|c| !is_of_name(c)).unwrap_or(header.len());
    let token = product_token(&header[..end]);
    match (is_browser, token) {
        (true, _) => Requester::Browser,
        (false, "") => Requester::Unnamed,
        (false, token) => Requester::Program(token.into()),
    }
}

/// Returns whether a word looks like the name of a robot.
fn is_robot_name(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    // No small letter may follow `bot`: `Abbott` and `Botany` are not robots. `robot` alone is not a name.
    let has_bot = lower.match_indices("bot").any(|(at, bot)| {
        let next = word.as_bytes().get(at + bot.len());
        next.is_none_or(|byte| !byte.is_ascii_lowercase())
    });
    let is_generic = matches!(&*lower, "bot" | "robot");
    // A word with a dot is an address or a file, not a robot.
    !word.contains('.')
        && (has_bot && !is_generic || ROBOT_WORDS.iter().any(|part| lower.contains(part)))
        && !NOT_ROBOTS.iter().any(|start| lower.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_indicate_the_requester() {
        let table = AgentTable::built_in();
        let claimed = |name: &str| Requester::Robot {
            token: name.into(),
            known: None,
        };
        for (header, requester) in [
            (
                "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot.html)",
                claimed("ExampleBot"),
            ),
            ("my-crawler 3", claimed("my-crawler")),
            ("Example-Bot2/1", claimed("Example-Bot2")),
            (
                "Mozilla/5.0 (Abbott; Botany; not a robot)",
                Requester::Browser,
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; CUBOT NOTE 20)",
                Requester::Browser,
            ),
            (
                "Mozilla/5.0 (Linux; Android 9; CUBOT_P40) AppleWebKit/537.36",
                Requester::Browser,
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                Requester::Browser,
            ),
            ("Mozilla/5.0 (see robots.txt)", Requester::Browser),
            (
                "Dalvik/2.1.0 (Linux; U; Android 15)",
                Requester::Program("Dalvik".into()),
            ),
            ("\u{fffd}", Requester::Unnamed),
        ] {
            assert_eq!(requester_of(header, table), requester, "{header}");
        }
        let google = requester_of("Mozilla/5.0 (compatible; Googlebot/2.1)", table);
        assert!(
            matches!(google, Requester::Robot { known: Some(known), .. } if known.token == "Googlebot")
        );
    }
}
