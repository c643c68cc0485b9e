//! Statements about the use of content by AI in headers and METAs that cannot be read: `Content-Usage`, `Content-Signal` and
//! `tdm-reservation`.

use super::input::{PageInput, header_text};
use super::lists::ContentSpot;
use super::location::Spot;
use super::{Collector, PageFinding};
use crate::catalogue::FindingKind as Kind;
use crate::shorten::shortened;
use robots_meta::header::{PageHeader, Reservation};
use robots_meta::robots_usage::content_signal::{self, Signal};
use robots_meta::robots_usage::content_usage;
use robots_meta::{PageFacts, page_headers};
use std::ops::Range;

/// Finds statements with an unknown name or value.
pub(super) fn examine(page: &PageInput, facts: &PageFacts, findings: &mut Collector) {
    for (line, (name, value)) in page.headers().iter().enumerate() {
        let text = header_text(value);
        let mut report = |kind, span: Range<usize>| {
            findings.add(kind, || {
                let detail = format!("`{}`", shortened(&text[span.clone()]));
                PageFinding::new(kind, Spot::header(line, name, span)).with_detail(detail)
            });
        };
        match PageHeader::from_name(name) {
            Some(PageHeader::ContentUsage) => {
                let valid = str::from_utf8(value).ok();
                match valid.and_then(|text| content_usage::unknown_members(text.trim())) {
                    Some(unknown) => {
                        let before = text.len() - text.trim_start().len();
                        for (offset, member) in unknown {
                            let start = before + offset;
                            report(Kind::UnknownStatement, start..start + member.len());
                        }
                    }
                    None => report(Kind::BadUsageHeader, 0..text.len()),
                }
            }
            Some(PageHeader::ContentSignal) => {
                let members = content_signal::members(text.as_bytes());
                for member in members.filter(|member| member.signal() == Signal::Unknown) {
                    report(Kind::UnknownStatement, member.range());
                }
            }
            Some(PageHeader::TdmReservation) => {
                let headers = page_headers([(name.as_str(), value.as_slice())]);
                let all = headers.tdm_reservations().iter();
                for found in all.filter(|found| found.meaning().is_none()) {
                    report(Kind::UnknownStatement, found.span());
                }
            }
            _ => {}
        }
    }
    let metas = facts
        .metas()
        .filter(|meta| meta.is_named("tdm-reservation"));
    for meta in metas.filter(|meta| Reservation::parse(meta.content()).is_none()) {
        findings.add(Kind::UnknownStatement, || {
            let content = meta.content();
            let spot = ContentSpot::of(page, meta).part(0..content.len());
            let detail = format!("`{}`", shortened(content));
            PageFinding::new(Kind::UnknownStatement, spot).with_detail(detail)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageLinter;

    #[test]
    fn statements_that_state_nothing() {
        let found = |page: PageInput| -> Vec<(&str, usize, usize)> {
            let linted = PageLinter::new(&["robots"]).lint(page, None);
            let found = linted.findings().into_iter();
            found
                .map(|found| {
                    let location = found.location;
                    (found.kind.code(), location.column, location.end_column)
                })
                .collect()
        };
        let header =
            |name: &str, value: &str| found(PageInput::new("").with_headers([(name, value)]));
        assert_eq!(header("Content-Usage", "train-ai=no"), [("M027", 16, 27)]);
        assert_eq!(
            header("content-usage", " train-ai=n, serach=n"),
            [("M027", 29, 37)]
        );
        assert_eq!(header("Content-Usage", "Train-AI=n"), [("M026", 16, 26)]);
        assert_eq!(header("Content-Usage", "train-ai=n, search=y"), []);
        assert_eq!(
            header("Content-Signal", "search=yes, ai-train=n"),
            [("M027", 29, 39)]
        );
        assert_eq!(header("Content-Signal", "ai-train=no, use=reference"), []);
        assert_eq!(header("TDM-Reservation", "true"), [("M027", 18, 22)]);
        assert_eq!(header("TDM-Reservation", "1, yes"), [("M027", 21, 24)]);
        assert_eq!(header("TDM-Reservation", "0"), []);
        assert_eq!(header("TDM-Policy", "true"), []);
        let meta = |content: &str| {
            let meta = format!("<meta name=tdm-reservation content={content}>");
            found(PageInput::new(meta))
        };
        assert_eq!(meta("true"), [("M027", 36, 40)]);
        assert_eq!(meta("1"), []);
        // Bytes that are not UTF-8.
        for value in [&b"train-ai=\xFF"[..], b"\xFF", b""] {
            for name in ["Content-Usage", "Content-Signal", "tdm-reservation"] {
                let _ = found(PageInput::new("").with_headers([(name, value)]));
            }
        }
    }
}
