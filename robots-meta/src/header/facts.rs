//! Facts about the page in headers without directives: links, reservations and preferences. Linear
//! in the lines.

use super::link::{self, HeaderLink};
use super::tdm::{self, Reservation};
use super::usage::ContentUsage;
use super::valid_start;
use robots_usage::content_signal::{Signal, Signals, members};
use std::fmt;
use std::ops::Range;

/// A header with facts for robots, and without directives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum PageHeader {
    /// `Link`: the page's canonical URL, its licence (RFC 8288; docs/semantics.md, sections 4.7 and
    /// 5.8).
    Link,
    /// `tdm-reservation`: whether the rights in text and data mining are reserved
    /// (docs/semantics.md, section 4.6).
    TdmReservation,
    /// `tdm-policy`: the URL of a policy for mining (docs/semantics.md, section 4.6).
    TdmPolicy,
    /// `Content-Usage`: preferences of IETF AIPREF (docs/semantics.md, section 4.1).
    ContentUsage,
    /// `Content-Signal`: Cloudflare's Content Signals (docs/semantics.md, section 4.5).
    ContentSignal,
}

impl PageHeader {
    /// Returns the header of this name, ASCII case ignored.
    ///
    /// ```
    /// use robots_meta::header::PageHeader;
    ///
    /// assert_eq!(PageHeader::from_name("TDM-Policy"), Some(PageHeader::TdmPolicy));
    /// assert_eq!(PageHeader::from_name("Server"), None);
    /// ```
    pub fn from_name(name: impl AsRef<[u8]>) -> Option<Self> {
        let name = name.as_ref();
        // No two names have the same length.
        let header = match name.len() {
            4 => Self::Link,
            10 => Self::TdmPolicy,
            13 => Self::ContentUsage,
            14 => Self::ContentSignal,
            15 => Self::TdmReservation,
            _ => return None,
        };
        let is_header = header.name().as_bytes().eq_ignore_ascii_case(name);
        is_header.then_some(header)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Link => "Link",
            Self::TdmReservation => "tdm-reservation",
            Self::TdmPolicy => "tdm-policy",
            Self::ContentUsage => "Content-Usage",
            Self::ContentSignal => "Content-Signal",
        }
    }
}

impl fmt::Display for PageHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A statement in a header line, with its place and its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HeaderFact<'a, M> {
    pub(super) index: usize,
    pub(super) offset: usize,
    pub(super) text: &'a str,
    pub(super) meaning: M,
}

impl<'a, M: Copy> HeaderFact<'a, M> {
    /// Returns the index of the header line among all lines, from 0.
    pub fn header_index(&self) -> usize {
        self.index
    }

    /// Returns the offset of the text in the value of its line, in bytes from 0.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the statement as written, without white space around it; up to the first byte that is not UTF-8.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the range of the text in the value of its line, in bytes.
    pub fn span(&self) -> Range<usize> {
        self.offset..self.offset + self.text.len()
    }

    /// Returns the meaning.
    pub fn meaning(&self) -> M {
        self.meaning
    }
}

/// The facts about a page in the headers of its response; see [`page_headers()`].
///
/// Every fact has the index of its line, among all lines, and its offset in the value of that line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageHeaders<'a> {
    links: Vec<HeaderLink<'a>>,
    tdm_reservations: Vec<HeaderFact<'a, Option<Reservation>>>,
    tdm_policies: Vec<HeaderFact<'a, ()>>,
    content_usage: Option<ContentUsage<'a>>,
    content_signals: Vec<HeaderFact<'a, Signal>>,
}

impl<'a> PageHeaders<'a> {
    /// Returns the links with the relation `canonical` or `license`, in order, also those about
    /// another resource than the page ([`HeaderLink::anchor`]).
    pub fn links(&self) -> &[HeaderLink<'a>] {
        &self.links
    }

    /// Returns the first link about the page with the relation `canonical` and a URL (RFC 6596;
    /// docs/semantics.md, section 5.8).
    pub fn canonical(&self) -> Option<&HeaderLink<'a>> {
        self.about_page("canonical")
            .find(|link| !link.href().is_empty())
    }

    /// Returns the links about the page with the relation `license`, in order. One with the
    /// [type](HeaderLink::media_type) `application/rsl+xml` leads to an RSL licence (docs/semantics.md,
    /// section 4.7).
    pub fn licenses(&self) -> impl Iterator<Item = &HeaderLink<'a>> {
        self.about_page("license")
    }

    /// Returns the reservation: the first readable `tdm-reservation` value that reserves, else the
    /// first readable one. A META or the site's tdmrep.json may say otherwise (docs/semantics.md,
    /// section 4.6).
    pub fn tdm_reservation(&self) -> Option<&HeaderFact<'a, Option<Reservation>>> {
        let first_of = |wanted| {
            self.tdm_reservations
                .iter()
                .find(|line| line.meaning == Some(wanted))
        };
        first_of(Reservation::Reserved).or_else(|| first_of(Reservation::NotReserved))
    }

    /// Returns every `tdm-reservation` value, in order; without a meaning, it cannot be read, and counts as no statement.
    pub fn tdm_reservations(&self) -> &[HeaderFact<'a, Option<Reservation>>] {
        &self.tdm_reservations
    }

    /// Returns the first `tdm-policy` that is not empty: its text is the URL of the terms under which mining is licensed, or any
    /// other text. It has no meaning unless mining is reserved:
    /// in the headers, a META or the site's tdmrep.json (docs/semantics.md, section 4.6).
    pub fn tdm_policy(&self) -> Option<&HeaderFact<'a, ()>> {
        self.tdm_policies.first()
    }

    /// Returns every `tdm-policy` value that is not empty, in order.
    pub fn tdm_policies(&self) -> &[HeaderFact<'a, ()>] {
        &self.tdm_policies
    }

    /// Returns the preferences of the `Content-Usage` lines; `None` if there are none.
    pub fn content_usage(&self) -> Option<&ContentUsage<'a>> {
        self.content_usage.as_ref()
    }

    /// Returns the members of the `Content-Signal` lines, in order, known or not.
    pub fn content_signals(&self) -> &[HeaderFact<'a, Signal>] {
        &self.content_signals
    }

    /// Returns the members of the `Content-Signal` lines, combined.
    pub fn signals(&self) -> Signals {
        self.content_signals
            .iter()
            .map(HeaderFact::meaning)
            .collect()
    }

    fn about_page(&self, relation: &'static str) -> impl Iterator<Item = &HeaderLink<'a>> {
        self.links
            .iter()
            .filter(move |link| link.is_about_page() && link.has_relation(relation))
    }
}

/// Returns the facts about a page in header lines; for directives there is
/// [`robots_headers`](crate::robots_headers). Each line is a name and a value, in any bytes; other
/// headers are skipped.
///
/// Lines of one name may be passed apart or joined with commas, those of `tdm-policy` with `, `. Reading never fails. A `Link` is read up to the first byte that is
/// not UTF-8; in the other headers a statement with such a byte is unreadable. Linear in the
/// bytes.
///
/// ```
/// use robots_meta::robots_usage::Preference;
/// use robots_meta::page_headers;
/// use robots_meta::header::Reservation;
/// use robots_meta::robots_usage::content_usage::UsageCategory;
///
/// let headers = page_headers([
///     ("Content-Type", "application/pdf"),
///     ("Link", "</style.css>; rel=preload, <https://a.example/paper>; rel=\"canonical\""),
///     ("Link", "<https://a.example/terms.xml>; rel=license; type=\"application/rsl+xml\""),
///     ("tdm-reservation", "1"),
///     ("tdm-policy", "https://a.example/policy.json"),
///     ("Content-Usage", "search=y, train-ai=n"),
///     ("Content-Signal", "ai-input=no"),
/// ]);
///
/// let canonical = headers.canonical().unwrap();
/// assert_eq!(canonical.href(), "https://a.example/paper");
/// assert_eq!((canonical.header_index(), canonical.offset()), (1, 27));
/// assert_eq!(headers.licenses().count(), 1);
/// let reservation = headers.tdm_reservation().unwrap();
/// assert_eq!(reservation.meaning(), Some(Reservation::Reserved));
/// assert_eq!(headers.tdm_policy().unwrap().text(), "https://a.example/policy.json");
/// let usage = headers.content_usage().unwrap();
/// assert_eq!(usage.preference(UsageCategory::TrainAi), Preference::Disallow);
/// assert_eq!(headers.signals().ai_input(), Preference::Disallow);
/// ```
pub fn page_headers<'a, N, V>(lines: impl IntoIterator<Item = (&'a N, &'a V)>) -> PageHeaders<'a>
where
    N: AsRef<[u8]> + ?Sized + 'a,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    let mut found = PageHeaders::default();
    for (index, (name, value)) in lines.into_iter().enumerate() {
        let value = value.as_ref();
        match PageHeader::from_name(name) {
            Some(PageHeader::Link) => link::read(index, valid_start(value), &mut found.links),
            Some(PageHeader::TdmReservation) => {
                found
                    .tdm_reservations
                    .extend(tdm::reservations(index, value));
            }
            Some(PageHeader::TdmPolicy) => found.tdm_policies.extend(tdm::policies(index, value)),
            Some(PageHeader::ContentUsage) => {
                found
                    .content_usage
                    .get_or_insert_default()
                    .add(index, value);
            }
            Some(PageHeader::ContentSignal) => {
                let signals = members(value).map(|member| HeaderFact {
                    index,
                    offset: member.offset(),
                    text: valid_start(value.get(member.range()).unwrap_or_default()),
                    meaning: member.signal(),
                });
                found.content_signals.extend(signals);
            }
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_usage::Preference;
    use robots_usage::content_usage::UsageCategory;

    #[test]
    fn headers_have_names_in_any_case() {
        for name in [
            "LINK",
            "Tdm-Reservation",
            "tdm-policy",
            "content-usage",
            "Content-Signal",
        ] {
            let header = PageHeader::from_name(name).unwrap();
            assert!(header.to_string().eq_ignore_ascii_case(name));
        }
        assert_eq!(PageHeader::from_name("X-Robots-Tag"), None);
        assert_eq!(PageHeader::from_name(""), None);
    }

    #[test]
    fn other_headers_have_no_facts() {
        let found = page_headers([("Server", "</a>; rel=canonical"), ("X-Robots-Tag", "noai")]);
        assert_eq!(found, PageHeaders::default());
        assert_eq!(found.canonical(), None);
        assert_eq!(found.tdm_reservation(), None);
        assert_eq!(found.content_usage(), None);
        assert_eq!(found.signals(), Signals::default());
    }

    #[test]
    fn the_first_canonical_link_about_the_page_counts() {
        let found = page_headers([
            (
                "link",
                "<>; rel=canonical, </a>; rel=canonical; anchor=\"/x\"",
            ),
            ("link", "</b>; rel=license"),
            (
                "link",
                "</c>; rel=canonical, </d>; rel=\"canonical license\"",
            ),
        ]);
        assert_eq!(found.canonical().map(HeaderLink::href), Some("/c"));
        assert_eq!(found.canonical().map(HeaderLink::header_index), Some(2));
        let licenses: Vec<_> = found.licenses().map(HeaderLink::href).collect();
        assert_eq!(licenses, ["/b", "/d"]);
        assert_eq!(found.links().len(), 5);
    }

    #[test]
    fn a_reservation_is_made_by_any_line() {
        let reservation = |lines: &[&'static str]| {
            let lines = lines.iter().map(|value| ("TDM-Reservation", *value));
            page_headers(lines)
                .tdm_reservation()
                .map(|found| (found.header_index(), found.meaning()))
        };
        let reserved = Some(Reservation::Reserved);
        let not_reserved = Some(Reservation::NotReserved);
        assert_eq!(reservation(&["0"]), Some((0, not_reserved)));
        assert_eq!(reservation(&["x", "0", "1", "1"]), Some((2, reserved)));
        assert_eq!(reservation(&["x", "0", ""]), Some((1, not_reserved)));
        assert_eq!(reservation(&["x", ""]), None);
        // Lines that were joined are as two lines.
        assert_eq!(reservation(&["1, 1"]), Some((0, reserved)));
        assert_eq!(reservation(&["0,1"]), Some((0, reserved)));
        assert_eq!(reservation(&["x, 0 ,"]), Some((0, not_reserved)));
        assert_eq!(reservation(&["0", "x\t,\t1"]), Some((1, reserved)));
        assert_eq!(reservation(&["1; a, 01", ","]), None);
        let found = page_headers([("tdm-reservation", "x"), ("tdm-reservation", "0")]);
        assert_eq!(found.tdm_reservations().len(), 2);
    }

    #[test]
    fn a_policy_is_a_fact_without_a_reservation() {
        let found = page_headers([
            ("tdm-policy", ""),
            ("tdm-policy", "/a"),
            ("tdm-policy", "/b"),
        ]);
        assert_eq!(found.tdm_policy().map(HeaderFact::text), Some("/a"));
        assert_eq!(found.tdm_policies().len(), 2);
        assert_eq!(found.tdm_reservation(), None);
    }

    #[test]
    fn lines_are_counted_among_all() {
        let found = page_headers([
            ("Server", "x"),
            ("Content-Usage", "train-ai=y"),
            ("Content-Signal", "search=yes"),
            ("Vary", "*"),
            ("Content-Usage", "train-ai=n"),
            ("Content-Signal", "search=no"),
        ]);
        let usage = found.content_usage().unwrap();
        assert_eq!(
            usage.preference(UsageCategory::TrainAi),
            Preference::Disallow
        );
        let train_ai = usage.statement(UsageCategory::TrainAi).unwrap();
        assert_eq!(train_ai.header_index(), 4);
        let lines: Vec<_> = found
            .content_signals()
            .iter()
            .map(HeaderFact::header_index)
            .collect();
        assert_eq!(lines, [2, 5]);
        assert_eq!(found.content_signals()[1].span(), 0.."search=no".len());
        assert_eq!(found.signals().search(), Preference::Disallow);
    }
}
