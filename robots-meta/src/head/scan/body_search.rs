//! The search for tags after HEAD that may be wanted: a page without one needs no tree builder.
//!
//! Each META element comes from a `<meta` in the page. Not each `<meta` becomes an element: it may be in a
//! comment or a script. But its attributes are the same wherever it is. So the search reads each `<meta` as
//! a tag, in comments and scripts too. If none of these tags is wanted, the document has no wanted META
//! after HEAD.
//!
//! The search is linear: a pass for `<m` and one for `<M`, and reading tags takes at most as many bytes as
//! are searched.

use super::tag::ends_name;
use super::tag_buffer::{KeptTags, TagBuffer, TagKind};
use crate::head::text::Collector;
use crate::wanted::{Facts, Wanted};
use memchr::memmem;

/// The part of a document after HEAD that can have wanted facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WantedPart {
    Nothing,
    /// Up to the end of the tag at this offset of the page.
    UpToTag(usize),
    Everything,
}

impl WantedPart {
    /// Returns the part of a page in an encoding whose ASCII bytes are characters. METAs that begin
    /// before `from` have been read already.
    pub(crate) fn of(page: &[u8], from: usize, wanted: &Wanted) -> Self {
        // Nearly every page has a link, so that a search for one would save nothing. `data-nosnippet` may
        // be before `from`, at the tag that ends HEAD or in a TEMPLATE: so all of the page is searched.
        if wanted.facts.contains(Facts::LINKS)
            || wanted.facts.contains(Facts::NO_SNIPPETS) && may_have_nosnippet(page)
        {
            return Self::Everything;
        }
        let bytes = page.get(from..).unwrap_or_default();
        let Some(last) = last_wanted_meta(bytes, wanted) else {
            return Self::Nothing;
        };
        // A FRAMESET can remove a BODY and its METAs, so the document is read to its end.
        if has_frameset(bytes.get(last..).unwrap_or_default()) {
            Self::Everything
        } else {
            Self::UpToTag(from + last)
        }
    }
}

/// Returns the offset of the last `<meta` that may begin a wanted META.
fn last_wanted_meta(bytes: &[u8], wanted: &Wanted) -> Option<usize> {
    let mut tags = MetaTags {
        collector: Collector::new(wanted.clone()),
        tag: TagBuffer::default(),
        budget: bytes.len(),
    };
    occurrences(bytes, [b"<m", b"<M"], b"eta")
        .filter(|&at| tags.may_be_wanted(bytes.get(at..).unwrap_or_default()))
        .max()
}

/// The reading of tags that may be METAs.
struct MetaTags {
    collector: Collector,
    tag: TagBuffer,
    /// The number of bytes that may still be read. Tags can overlap, so that reading each to its end
    /// would not be linear.
    budget: usize,
}

impl MetaTags {
    /// Returns whether a tag at the start of these bytes, which begin with `<meta`, may be wanted.
    fn may_be_wanted(&mut self, bytes: &[u8]) -> bool {
        if !bytes
            .get(b"<meta".len())
            .is_some_and(|&byte| ends_name(byte))
        {
            return false;
        }
        let within = bytes.get(..self.budget).unwrap_or(bytes);
        self.tag.begin(0, TagKind::Start);
        let kept = KeptTags {
            links: false,
            others: false,
        };
        let Some(length) = self.tag.read(within, kept) else {
            self.budget -= within.len();
            // A tag that the page does not end is not a tag. A tag that the budget cuts may be wanted.
            return within.len() < bytes.len();
        };
        self.budget -= length;
        self.tag.length = length;
        let text = self.tag.text(within);
        // A META that exceeds a limit may end the reading of the document: it counts as wanted.
        self.tag.is_overlong_meta() || text.has_more || self.collector.wants(&text.keys())
    }
}

/// Returns whether a tag may have the attribute `data-nosnippet`.
fn may_have_nosnippet(bytes: &[u8]) -> bool {
    occurrences(bytes, [b"-n", b"-N"], b"osnippet")
        .next()
        .is_some()
}

fn has_frameset(bytes: &[u8]) -> bool {
    occurrences(bytes, [b"<f", b"<F"], b"rameset")
        .next()
        .is_some()
}

/// Returns the offsets of a word in any case, in the order of its two starts: the `rest` follows each.
fn occurrences<'b>(
    bytes: &'b [u8],
    starts: [&'static [u8; 2]; 2],
    rest: &'static [u8],
) -> impl Iterator<Item = usize> + 'b {
    let found = starts
        .into_iter()
        .flat_map(move |start| memmem::find_iter(bytes, start));
    found.filter(move |&at| {
        let after = at + 2;
        bytes
            .get(after..after + rest.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(html: &str, facts: Facts) -> WantedPart {
        let wanted = Wanted::facts(facts).for_robots(["robots", "googlebot"]);
        WantedPart::of(html.as_bytes(), 0, &wanted)
    }

    #[test]
    fn metas_that_may_be_wanted_are_found() {
        // Each with the offset of the `<meta` in it.
        for (tag, offset) in [
            ("<meta name=robots>", 0),
            ("<META NAME='Robots'>", 0),
            ("<mEta content=x name=\"robots\"/>", 0),
            ("<meta/name=robots>", 0),
            ("<meta\nname\t=\rrobots\x0C>", 0),
            ("<meta name=' robots\n'>", 0),
            ("<meta name=&#114;obots>", 0),
            ("<meta name='googleb&#x6F;t'>", 0),
            ("<meta name=GoogleBot name=x>", 0),
            ("<meta property=robots>", 0),
            ("<meta http-equiv=X-Robots-Tag>", 0),
            ("<meta http-equiv='x&#45;robots-tag'>", 0),
            ("<meta a='>' name=robots>", 0),
            ("<!--<meta name=robots>-->", 4),
            ("<meta <meta name=robots>", 6),
            ("<meta a=\"<meta name=robots>", 9),
        ] {
            let before = "<p><meta name=x>";
            let found = part(&format!("{before}{tag}</p>"), Facts::ROBOTS);
            assert_eq!(found, WantedPart::UpToTag(before.len() + offset), "{tag}");
        }
        for tag in [
            "",
            "<meta>",
            "<meta name=robots",
            "<meta name=robot>",
            "<meta name=x name=robots>",
            "<meta name=rob\0ots>",
            "<meta na\0me=robots>",
            "<meta name=rob\u{131}ts>",
            "<meta n&#97;me=robots>",
            "<metas name=robots>",
            "<meta\0 name=robots>",
            "< meta name=robots>",
            "</meta name=robots>",
            "<met a name=robots>",
            "<m\u{E9}ta name=robots>",
            "<meta name=description content=robots>",
            "<meta a='name=robots'>",
            "<a data-nosnippet>",
        ] {
            let html = format!("<p>{tag}");
            assert_eq!(part(&html, Facts::ROBOTS), WantedPart::Nothing, "{tag}");
        }
    }

    #[test]
    fn the_last_one_counts_in_any_case_unless_a_frameset_follows() {
        // `<meta name=robots>` has 18 bytes.
        let html = "<meta name=robots><META name=robots><meta name=x>";
        assert_eq!(part(html, Facts::ROBOTS), WantedPart::UpToTag(18));
        let html = "<META name=robots><meta name=robots>";
        assert_eq!(part(html, Facts::ROBOTS), WantedPart::UpToTag(18));
        let html = "<frameset><meta name=robots>";
        assert_eq!(part(html, Facts::ROBOTS), WantedPart::UpToTag(10));
        let html = "<meta name=robots><FrameSet>";
        assert_eq!(part(html, Facts::ROBOTS), WantedPart::Everything);
    }

    #[test]
    fn other_facts_are_sought_only_if_they_are_wanted() {
        let html = "<a href=x><b DATA-NoSnippet><meta name=description><meta itemprop=x>";
        assert_eq!(part(html, Facts::ROBOTS), WantedPart::Nothing);
        assert_eq!(part(html, Facts::LINKS), WantedPart::Everything);
        assert_eq!(part(html, Facts::NO_SNIPPETS), WantedPart::Everything);
        assert_eq!(part("<a>", Facts::NO_SNIPPETS), WantedPart::Nothing);
        let at = |tag| WantedPart::UpToTag(html.find(tag).unwrap());
        assert_eq!(part(html, Facts::DESCRIPTION), at("<meta name"));
        assert_eq!(part(html, Facts::METAS), at("<meta itemprop"));
    }

    #[test]
    fn metas_that_have_been_read_are_passed_over() {
        let wanted = Wanted::facts(Facts::ROBOTS | Facts::NO_SNIPPETS);
        let of = |html: &str, from| WantedPart::of(html.as_bytes(), from, &wanted);
        // The METAs begin at 0 and at 21.
        let html = "<meta name=robots><p><meta name=robots>";
        assert_eq!(of(html, 18), WantedPart::UpToTag(21));
        assert_eq!(of(html, 22), WantedPart::Nothing);
        // HEAD ends after this tag.
        let html = "<p data-nosnippet>";
        assert_eq!(of(html, html.len()), WantedPart::Everything);
    }

    #[test]
    fn tags_beyond_a_limit_may_be_wanted() {
        use crate::head::{MAX_ATTRIBUTES, MAX_META_BYTES};
        let attributes = |count| format!("<meta{}>", " a".repeat(count));
        let of = |html: &str| part(html, Facts::ROBOTS);
        assert_eq!(of(&attributes(MAX_ATTRIBUTES)), WantedPart::Nothing);
        assert_eq!(of(&attributes(MAX_ATTRIBUTES + 1)), WantedPart::UpToTag(0));
        // Without the `a`s, the tag has 7 bytes.
        let long = |bytes| format!("<meta {}>", "a".repeat(bytes - 7));
        assert_eq!(of(&long(MAX_META_BYTES)), WantedPart::Nothing);
        assert_eq!(of(&long(MAX_META_BYTES + 1)), WantedPart::UpToTag(0));
    }

    /// Each tag would be read to the end of the page: its quote is not closed.
    #[test]
    fn tags_that_overlap_are_read_up_to_a_budget() {
        let tag = "<meta a='";
        let html = tag.repeat(1 << 18);
        let WantedPart::UpToTag(last) = part(&html, Facts::ROBOTS) else {
            panic!("a tag that was not read may be wanted");
        };
        assert_eq!(last, html.len() - tag.len());
        // The two tags have 14 and 6 bytes. Spaces follow: the page has as many bytes as the budget.
        let html = |bytes: usize| format!("{:1$}", "<meta a=<meta>", bytes);
        assert_eq!(part(&html(20), Facts::ROBOTS), WantedPart::Nothing);
        assert_eq!(part(&html(19), Facts::ROBOTS), WantedPart::UpToTag(8));
    }
}
