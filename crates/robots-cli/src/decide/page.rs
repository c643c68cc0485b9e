//! A page as it is held until it is decided.

use robots_archive::http::Response;
use robots_meta::{PageHeader, PageMeta, RobotsHeader, Timestamp};
use robots_policy::{Heads, Page};

/// How many bytes a name and a value take beside their texts, about: themselves, and what the allocator has for each.
const PAIR: usize = 100;

/// How many bytes a page takes beside its texts, about.
const PAGE: usize = 1_000;

/// A page of which all was read that decisions need.
#[derive(Debug)]
pub(super) struct ReadPage {
    pub(super) offset: u64,
    pub(super) status: Option<u16>,
    pub(super) url: String,
    pub(super) date: Option<Timestamp>,
    pub(super) headers: Headers,
    /// HEAD, if it is HTML.
    pub(super) heads: Option<Heads>,
    pub(super) is_cut: bool,
}

impl ReadPage {
    /// The page as the policy of this index decides about it.
    pub(super) fn page(&self, policy: usize) -> Page<'_> {
        let mut page = Page::new(&self.url).with_headers(self.headers.lines());
        if let Some(status) = self.status {
            page = page.with_status(status);
        }
        let head = self.heads.as_ref().map(|heads| heads.iter().nth(policy));
        let page = match head.flatten() {
            Some(head) => page.with_meta(head),
            None => page.not_html(),
        };
        if self.is_cut { page.cut_short() } else { page }
    }

    /// How many bytes of memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        let pair =
            |name: &str, value: &str| PAIR.saturating_add(name.len()).saturating_add(value.len());
        let headers = self.headers.heard.iter();
        let headers = headers.map(|(_, name, value)| pair(name, value));
        let heads = self.heads.iter().flat_map(Heads::metas);
        let metas = heads.flat_map(PageMeta::metas);
        let attributes = metas.flat_map(|meta| meta.attributes());
        let attributes = attributes.map(|found| pair(found.name(), found.value()));
        headers
            .chain(attributes)
            .fold(PAGE.saturating_add(self.url.len()), usize::saturating_add)
    }
}

/// Of the header lines of a response, those that decisions hear.
#[derive(Debug, Default)]
pub(super) struct Headers {
    /// With the index of each among all lines.
    heard: Vec<(usize, String, String)>,
}

impl Headers {
    pub(super) fn of(response: &Response<'_>) -> Self {
        let is_heard = |name: &str| {
            RobotsHeader::from_name(name).is_some()
                || PageHeader::from_name(name).is_some()
                || name.eq_ignore_ascii_case("content-type")
        };
        let lines = response.headers().enumerate();
        let heard = lines.filter(|(_, (name, _))| is_heard(name));
        Self {
            heard: heard
                .map(|(at, (name, value))| (at, name.to_owned(), value.to_owned()))
                .collect(),
        }
    }

    /// The lines, each at its index; those that are not heard are empty.
    fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut next = 0;
        self.heard.iter().flat_map(move |(at, name, value)| {
            let unheard = at.saturating_sub(next);
            next = at.saturating_add(1);
            let unheard = std::iter::repeat_n(("", ""), unheard);
            unheard.chain([(name.as_str(), value.as_str())])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_weighs_what_it_takes() {
        let page = |lines: usize| ReadPage {
            offset: 0,
            status: None,
            url: "http://a.example/".to_owned(),
            date: None,
            headers: Headers {
                heard: vec![(0, "a".to_owned(), "b".to_owned()); lines],
            },
            heads: None,
            is_cut: false,
        };
        let line = size_of::<(usize, String, String)>() + 2 * 16;
        assert!(page(2_000).bytes() >= 2_000 * line);
        assert!(page(0).bytes() >= size_of::<ReadPage>());
    }

    #[test]
    fn headers_keep_their_places() {
        let response = "HTTP/1.1 200 OK\r\nDate: x\r\nX-Robots-Tag: noindex\r\nServer: y\r\nVia: z\r\nContent-Type: a\r\nEtag: e\r\n\r\n";
        let headers = Headers::of(&Response::parse(response.as_bytes()).unwrap());
        let lines: Vec<(&str, &str)> = headers.lines().collect();
        let unheard = ("", "");
        let named = [("X-Robots-Tag", "noindex"), ("Content-Type", "a")];
        assert_eq!(lines, [unheard, named[0], unheard, unheard, named[1]]);
    }
}
