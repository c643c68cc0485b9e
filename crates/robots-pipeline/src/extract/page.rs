//! A page with all that decisions need of it.

use crate::sink::RowContext;
use robots_archive::PayloadDigest;
use robots_archive::http::{HEAD_LIMIT, Response};
use robots_meta::header::{PageHeader, RobotsHeader};
use robots_meta::{PageFacts, Timestamp, page_headers};
use robots_policy::Page;
use robots_policy::policies::Heads;
use serde::{Deserialize, Serialize};
use url::Url;

/// The approximate size of a name and a value without their texts, in bytes, with the overhead of the allocator.
const PAIR_BYTES: usize = 100;

/// The approximate size of a page without its texts, in bytes.
const PAGE_BYTES: usize = 1_000;

/// The place of a page in its input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PagePlace {
    /// The offset of its record in an archive, in bytes.
    Record(u64),
    /// A saved page.
    File {
        /// Its index among the pages of its folder.
        index: u64,
        /// Its path, as text.
        path: String,
    },
}

impl PagePlace {
    /// Returns the context of the rows about the page; `archive` is the name of its archive.
    pub(crate) fn row<'r>(&'r self, archive: &'r str, status: Option<u16>) -> RowContext<'r> {
        match self {
            Self::Record(offset) => RowContext::new(archive, Some(*offset), status),
            Self::File { path, .. } => RowContext::new(path, None, status),
        }
    }
}

/// A page with all that decisions need of it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadPage {
    pub(crate) place: PagePlace,
    pub(crate) status: Option<u16>,
    pub(crate) url: String,
    pub(crate) date: Option<Timestamp>,
    /// The digest of the body, if evidence is collected.
    pub(crate) digest: Option<PayloadDigest>,
    pub(crate) headers: Headers,
    /// The METAs and links of HTML.
    pub(crate) heads: Option<Heads>,
    /// Whether the HTML is cut before its end. Other bodies decide nothing: for them it is false.
    pub(crate) is_cut: bool,
}

impl ReadPage {
    /// Returns the page as a policy reads it; `policy` is the index of the policy.
    pub(crate) fn page(&self, policy: usize) -> Page<'_> {
        let mut page = Page::new(&self.url).with_headers(self.headers.lines());
        if let Some(status) = self.status {
            page = page.with_status(status);
        }
        let head = self.heads.as_ref().map(|heads| heads.iter().nth(policy));
        let page = match head.flatten() {
            Some(head) => page.with_meta(head),
            None => page.not_html(),
        };
        let page = if self.headers.is_cut {
            page.with_cut_headers()
        } else {
            page
        };
        if self.is_cut { page.cut_short() } else { page }
    }

    /// Returns the URLs of the licences of RSL that it names, in HEAD or headers.
    pub(crate) fn named_licenses(&self) -> Vec<Url> {
        let heads = self.heads.iter().flat_map(Heads::distinct);
        let links = heads.flat_map(PageFacts::licenses);
        let mut named: Vec<String> = links.map(|link| link.href().to_owned()).collect();
        if self.headers.may_name_licenses() {
            let headers = page_headers(self.headers.lines());
            let links = headers.licenses().filter(|link| link.is_rsl());
            named.extend(links.map(|link| link.href().to_owned()));
        }
        if named.is_empty() {
            return Vec::new();
        }
        let base = Url::parse(&self.url).ok();
        let options = Url::options().base_url(base.as_ref());
        named
            .iter()
            .filter_map(|url| options.parse(url).ok())
            .collect()
    }

    /// Returns whether the indexes of its header lines are those of a response: in order, and below the limit of a head in bytes.
    pub(crate) fn is_possible(&self) -> bool {
        let indexes = self.headers.relevant.iter().map(|(at, ..)| *at);
        indexes.clone().is_sorted_by(|before, after| before < after)
            && indexes.max().is_none_or(|last| last < HEAD_LIMIT)
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let pair = |name: &str, value: &[u8]| PAIR_BYTES + name.len() + value.len();
        let headers = self.headers.relevant.iter();
        let headers = headers.map(|(_, name, value)| pair(name, value));
        let heads = self.heads.iter().flat_map(Heads::distinct);
        let metas = heads.flat_map(PageFacts::metas);
        let attributes = metas.flat_map(|meta| meta.attributes());
        let attributes = attributes.map(|found| pair(found.name(), found.value().as_bytes()));
        PAGE_BYTES + self.url.len() + headers.chain(attributes).sum::<usize>()
    }
}

/// The header lines of a response that decisions take into account.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Headers {
    /// The lines, with the index of each among all lines.
    relevant: Vec<(usize, String, Vec<u8>)>,
    /// Whether lines are missing.
    pub(crate) is_cut: bool,
}

impl Headers {
    /// Returns the lines of a response. `is_record_cut`: whether the record of the response is cut.
    pub(crate) fn of(response: &Response<'_>, is_record_cut: bool) -> Self {
        let is_relevant = |name: &str| {
            RobotsHeader::from_name(name).is_some()
                || PageHeader::from_name(name).is_some()
                || name.eq_ignore_ascii_case("content-type")
        };
        let lines = response.header_bytes().enumerate();
        let relevant = lines.filter(|(_, (name, _))| is_relevant(name));
        Self {
            relevant: relevant
                .map(|(at, (name, value))| (at, name.to_owned(), value.to_vec()))
                .collect(),
            is_cut: response.is_head_over_limit() || is_record_cut && !response.has_whole_head(),
        }
    }

    /// Returns whether a line may name a licence of RSL, by the letters of its type.
    fn may_name_licenses(&self) -> bool {
        let mut lines = self.relevant.iter();
        lines.any(|(_, name, value)| {
            PageHeader::from_name(name) == Some(PageHeader::Link)
                && value
                    .windows(3)
                    .any(|word| word.eq_ignore_ascii_case(b"rsl"))
        })
    }

    /// Returns the lines, each at its index among all lines of the response. The lines that were left out are empty.
    fn lines(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let mut next = 0;
        self.relevant.iter().flat_map(move |(at, name, value)| {
            // The indexes rise: `is_possible` tests those of other processes.
            let others = at - next;
            next = at + 1;
            let others = std::iter::repeat_n(("", &b""[..]), others);
            others.chain([(name.as_str(), value.as_slice())])
        })
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;
    use robots_policy::{Policies, Policy, Profile};

    /// Returns the policies for which the pages are read.
    pub(crate) fn policies() -> Policies {
        let policies = [("Googlebot", Profile::google()), ("a", Profile::neutral())];
        let policies = policies.map(|(name, profile)| Policy::under(&profile, name).unwrap());
        Policies::new(policies.into())
    }

    impl Headers {
        /// Returns headers with one line, at this index among all.
        pub(crate) fn sample(at: usize) -> Self {
            Self {
                relevant: vec![(at, "Link".to_owned(), b"<c>".to_vec())],
                is_cut: false,
            }
        }
    }

    /// Returns a page with all facts that a page can have. The pages 1, 2 and 3 are special cases.
    pub(crate) fn page(number: u64) -> Box<ReadPage> {
        let html = format!(
            "<title>{number}</title><meta name=robots content='noindex, max-snippet:{number}'>\
             <meta name=googlebot content=\"a&amp;b\"><link rel=canonical href=/c>\
             <template><meta name=robots></template><body><div data-nosnippet>\
             <meta name=robots content=none><a rel=nofollow href=x>"
        );
        let response = b"HTTP/1.1 200 OK\r\nX-Robots-Tag: \xE9\r\nA: b\r\nLink: <c>\r\n\r\n";
        Box::new(ReadPage {
            place: PagePlace::Record(number),
            status: Some(200),
            url: format!("http://a.example/{number}"),
            date: Timestamp::parse("2026-11-20T10:00:00Z"),
            digest: None,
            headers: Headers::of(&Response::parse(response).unwrap(), number == 1),
            heads: (number != 2).then(|| policies().read(html.as_bytes(), Some("koi8-r"))),
            is_cut: number == 3,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_page_is_at_least_its_memory() {
        let page = |lines: usize| ReadPage {
            place: PagePlace::Record(0),
            status: None,
            url: "http://a.example/".to_owned(),
            date: None,
            digest: None,
            headers: Headers {
                relevant: vec![(0, "a".to_owned(), b"b".to_vec()); lines],
                is_cut: false,
            },
            heads: None,
            is_cut: false,
        };
        // An allocator takes at least 16 bytes for a text: here for each name and each value.
        let line = size_of::<(usize, String, Vec<u8>)>() + 2 * 16;
        assert!(page(2_000).bytes() >= 2_000 * line);
        assert!(page(0).bytes() >= size_of::<ReadPage>());
    }

    #[test]
    fn headers_keep_their_indexes() {
        let response = b"HTTP/1.1 200 OK\r\nDate: x\r\nX-Robots-Tag: noindex\r\nServer: y\r\nVia: z\r\nContent-Type: \xE9\r\nEtag: e\r\n\r\n";
        let headers = Headers::of(&Response::parse(response).unwrap(), false);
        let lines: Vec<(&str, &[u8])> = headers.lines().collect();
        let others = ("", &b""[..]);
        let named = [
            ("X-Robots-Tag", &b"noindex"[..]),
            ("Content-Type", &b"\xE9"[..]),
        ];
        assert_eq!(lines, [others, named[0], others, others, named[1]]);
    }

    #[test]
    fn headers_are_cut_where_lines_are_missing() {
        let is_cut = |response: &[u8], is_record_cut| {
            Headers::of(&Response::parse(response).unwrap(), is_record_cut).is_cut
        };
        let whole = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n";
        let open = b"HTTP/1.1 200 OK\r\nA: b\r\n";
        assert!(!is_cut(whole, false) && !is_cut(whole, true));
        assert!(!is_cut(open, false), "some servers do not end the head");
        assert!(is_cut(open, true));
        let line = b"A: b\r\n";
        let lines = line.repeat(HEAD_LIMIT / line.len() + 1);
        let large = [&open[..], &lines, b"\r\n"].concat();
        assert!(is_cut(&large, false));
    }
}
