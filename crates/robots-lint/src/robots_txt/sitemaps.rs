//! Findings on the URLs of sitemaps: hosts that no search engine reaches, placeholders, and sitemaps that the file itself closes.

use super::audience::Audience;
use super::ignore::Collector;
use crate::catalogue::FindingKind as Kind;
use robots_policy::origins::is_public_address;
use robots_txt::extension::Text;
use robots_txt::parse::{Field, range_in};
use robots_txt::{RobotsTxt, Target};
use std::cell::OnceCell;
use std::collections::HashSet;
use std::net::IpAddr;
use url::{Host, Url};

/// Endings of hosts that do not exist in public (RFC 2606 and 6761, and `.internal` by ICANN).
const PRIVATE_DOMAINS: [&str; 6] = ["localhost", "local", "internal", "lan", "test", "invalid"];

/// Domains of examples (RFC 2606), and words for one's own domain. `.example` is left out: no one copies it by accident.
const EXAMPLE_DOMAINS: [&str; 3] = ["example.com", "example.org", "example.net"];
const OWN_DOMAIN_WORDS: [&str; 8] = [
    "yourdomain",
    "your-domain",
    "yoursite",
    "your-site",
    "yourwebsite",
    "your-website",
    "yourdomainname",
    "your-domain-name",
];

/// Parts of a path that a program wrote in place of a missing value.
const MISSING_VALUES: [&str; 2] = ["undefined", "null"];

/// The starts of placeholders in templates. No URL has these characters without an escape.
const TEMPLATE_MARKS: [&str; 5] = ["{", "<", "%%", "$(", "%{"];

/// Returns the part of the URL of a sitemap for which no search engine can fetch it. `site` is the host of the file, if it is
/// known: its own name is not a placeholder.
pub(super) fn unreachable_part(sitemap: &Text<'_>, site: Option<&str>) -> Option<String> {
    let text = str::from_utf8(sitemap.text()).ok()?;
    if let Some(mark) = TEMPLATE_MARKS.into_iter().find(|mark| text.contains(mark)) {
        return Some(mark.to_owned());
    }
    let is_missing = |part: &&str| MISSING_VALUES.contains(part);
    if let Some(part) = text.split('/').find(is_missing) {
        return Some(part.to_owned());
    }
    let url = Url::parse(text).ok()?;
    let host = url.host()?;
    let name = host.to_string();
    if site.is_some_and(|site| domain(site) == domain(&name)) {
        return None;
    }
    let is_unreachable = match host {
        Host::Ipv4(address) => !is_public_address(IpAddr::V4(address)),
        Host::Ipv6(address) => !is_public_address(IpAddr::V6(address)),
        Host::Domain(domain) => is_private_domain(domain) || is_placeholder(domain),
    };
    is_unreachable.then_some(name)
}

/// Returns the host of a site without `www.`.
pub(super) fn domain(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// The hosts that are probably that of the file: that of its URL, if it is known, otherwise those of its sitemaps.
pub(super) struct SiteHosts<'a> {
    robots: &'a RobotsTxt,
    /// Without `www.`, in lower case. Few files need them.
    domains: OnceCell<HashSet<String>>,
}

impl<'a> SiteHosts<'a> {
    pub(super) fn new(robots: &'a RobotsTxt) -> Self {
        Self {
            robots,
            domains: OnceCell::new(),
        }
    }

    pub(super) fn contain(&self, host: &str) -> bool {
        let domain_of = |text: &str| {
            let url = Url::parse(text).ok()?;
            Some(domain(url.host_str()?).to_owned())
        };
        let domains = self.domains.get_or_init(|| {
            if let Some(url) = self.robots.url() {
                return domain_of(url).into_iter().collect();
            }
            let texts = self.robots.sitemaps().map(|sitemap| sitemap.text());
            let texts = texts.filter_map(|text| str::from_utf8(text).ok());
            texts.filter_map(domain_of).collect()
        });
        domains.contains(domain(host))
    }
}

fn is_private_domain(domain: &str) -> bool {
    let domain = domain.trim_end_matches('.');
    let last = domain.rsplit('.').next().unwrap_or_default();
    !domain.contains('.') || PRIVATE_DOMAINS.contains(&last)
}

fn is_placeholder(host: &str) -> bool {
    let host = domain(host.trim_end_matches('.'));
    let is_below = |domain: &str| {
        let before = host.strip_suffix(domain);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let first = host.split('.').next().unwrap_or_default();
    EXAMPLE_DOMAINS.into_iter().any(is_below) || OWN_DOMAIN_WORDS.contains(&first)
}

/// Finds sitemaps that the group of `*` closes: those on the host of the file, if its URL is known. Otherwise, only those that a
/// rule about sitemaps closes, if all sitemaps of the file are on one host, which is then probably that of the file.
pub(super) fn examine(
    robots: &RobotsTxt,
    audiences: &[Audience<'_, '_>],
    findings: &mut Collector,
) {
    let Some(star) = audiences.iter().find(|audience| audience.is_star()) else {
        return;
    };
    // A closed site has its own finding.
    if star.patterns(Field::Disallow).next().is_none() || star.is_closed() {
        return;
    }
    let site = robots.url().and_then(|url| Url::parse(url).ok());
    let sitemaps = robots.sitemaps().filter_map(|sitemap| {
        let text = str::from_utf8(sitemap.text()).ok()?;
        Some((sitemap, Url::parse(text).ok()?))
    });
    let sitemaps: Vec<(Text<'_>, Url)> = sitemaps.collect();
    let mut hosts = sitemaps.iter().map(|(_, url)| url.host());
    let first_host = hosts.next().flatten();
    let have_one_host = hosts.all(|host| host == first_host);
    for (sitemap, url) in &sitemaps {
        let is_of_site = match &site {
            Some(site) => site.origin() == url.origin(),
            None => have_one_host,
        };
        if !is_of_site {
            continue;
        }
        let Some(rule) = star.closing_line(&Target::new(url.as_str())) else {
            continue;
        };
        let text = robots
            .line_text(rule)
            .unwrap_or_default()
            .to_ascii_lowercase();
        let names_sitemaps = memchr::memmem::find(&text, b"sitemap").is_some();
        if site.is_some() || names_sitemaps {
            findings.add(
                Kind::ClosedSitemap,
                sitemap.line(),
                range_in(robots.body(), sitemap.text()),
                |found| found.with_related(rule),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreachable_urls_are_recognised() {
        let part = |url: &str, site: Option<&str>| {
            let robots = RobotsTxt::parse(format!("Sitemap: {url}"));
            let sitemap = robots.sitemaps().next()?;
            unreachable_part(&sitemap, site)
        };
        for (url, expected) in [
            ("http://localhost:3000/sitemap.xml", "localhost"),
            ("https://127.0.0.1/sitemap.xml", "127.0.0.1"),
            ("https://10.1.2.3/sitemap.xml", "10.1.2.3"),
            ("https://100.64.0.1/sitemap.xml", "100.64.0.1"),
            ("https://192.168.0.4/s.xml", "192.168.0.4"),
            ("https://[::1]/s.xml", "[::1]"),
            ("https://[fd00::1]/s.xml", "[fd00::1]"),
            ("https://[2001:db8::1]/s.xml", "[2001:db8::1]"),
            ("https://web/s.xml", "web"),
            ("https://shop.test/s.xml", "shop.test"),
            ("https://www.example.com/s.xml", "www.example.com"),
            ("https://your-site.com/s.xml", "your-site.com"),
            ("https://www.yourdomain.de/s.xml", "www.yourdomain.de"),
            ("undefined/sitemap.xml", "undefined"),
            ("https://undefined/sitemap.xml", "undefined"),
            ("https://shop.example/null/sitemap.xml", "null"),
            ("https://{{ host }}/sitemap.xml", "{"),
            ("<your site>/sitemap.xml", "<"),
            ("%%SITE%%/sitemap.xml", "%%"),
        ] {
            assert_eq!(part(url, None).as_deref(), Some(expected), "{url}");
        }
        for url in [
            "https://shop.example/sitemap.xml",
            "https://www.yourdictionary.com/sitemap.xml",
            "https://shop.example/undefined-words/sitemap.xml",
            "https://notexample.com/sitemap.xml",
            "https://8.8.8.8/sitemap.xml",
            "https://[2001:4860::8888]/sitemap.xml",
            "/sitemap.xml",
        ] {
            assert_eq!(part(url, None), None, "{url}");
        }
        // The file is on this host itself.
        assert_eq!(part("http://localhost/s.xml", Some("localhost")), None);
        assert_eq!(
            part("https://www.example.com/s.xml", Some("example.com")),
            None
        );
    }
}
