//! Findings on the values of fields other than `User-agent` and rules.

use super::ignore::Collector;
use super::notation::second_url;
use super::sitemaps::unreachable_part;
use crate::catalogue::FindingKind as Kind;
use robots_txt::extension::{CrawlDelay, Extension, RequestRate};
use robots_txt::parse::{Field, Spelling};
use robots_txt::robots_usage::content_signal::{self, Signal};
use robots_txt::robots_usage::content_usage;
use robots_txt::select::Directive;

/// The longest delay that Bing accepts, in seconds (docs/semantics.md, section 2.4).
const LONGEST_DELAY: f64 = 30.0;

/// Examines a directive. `site` is the host of the file, if it is known.
pub(super) fn examine(directive: Directive<'_>, site: Option<&str>, findings: &mut Collector) {
    if directive.is_rule() || directive.field() == Field::UserAgent {
        return;
    }
    let line = directive.line();
    let Some(extension) = Extension::read(directive) else {
        return;
    };
    let value = line.value_span();
    let key = line.key_span();
    if let Extension::Sitemap(sitemap) = extension
        && line.spelling() != Spelling::Continued
    {
        if let Some(part) = unreachable_part(&sitemap, site) {
            findings.add_on_value(Kind::UnreachableSitemap, &line, |found| {
                found.with_detail(format!("`{part}`"))
            });
        } else if let Some(part) = second_url(sitemap.text()) {
            let span = value.start + part.start..value.start + part.end;
            findings.add_at(Kind::SeveralValues, line.number(), span);
        }
    }
    let (kind, span) = match extension {
        // `Sitemap https://...` lacks its colon, which is a finding on the line.
        Extension::Sitemap(_) if line.spelling() == Spelling::Continued => return,
        Extension::Sitemap(sitemap) if !sitemap.is_absolute() => (Kind::RelativeSitemap, value),
        Extension::Noindex(_) => (Kind::NoindexField, key),
        Extension::Host(_) => (Kind::HostField, key),
        Extension::CrawlDelay(delay) if delay.delay().as_secs_f64() >= CrawlDelay::MAX_SECONDS => {
            (Kind::LongestTime, value)
        }
        Extension::RequestRate(rate) if rate.period() == RequestRate::MAX_PERIOD => {
            (Kind::LongestTime, value)
        }
        Extension::CrawlDelay(delay) if delay.delay().as_secs_f64() > LONGEST_DELAY => {
            (Kind::LongDelay, value)
        }
        Extension::ContentUsage(usage) => {
            let text = str::from_utf8(usage.text()).ok();
            let Some(unknown) = text.and_then(content_usage::unknown_members) else {
                findings.add_at(Kind::BadUsage, line.number(), value);
                return;
            };
            for (_, member) in unknown {
                let span = line.span_of(member.as_bytes());
                findings.add_at(Kind::UnknownSignal, line.number(), span);
            }
            // A path without a preference.
            if !usage.text().is_empty() {
                return;
            }
            (Kind::UnknownSignal, value)
        }
        Extension::License(license) if !license.is_absolute() => (Kind::RelativeLicense, value),
        Extension::ContentSignal(signals) => {
            let mut members = content_signal::members(signals.text());
            match members.find(|member| member.signal() == Signal::Unknown) {
                Some(member) => (Kind::UnknownSignal, line.span_of(member.text())),
                None => return,
            }
        }
        Extension::Unreadable(_) => {
            let kind = if directive.field() == Field::CrawlDelay {
                Kind::BadDelay
            } else {
                Kind::UnreadableValue
            };
            (kind, if value.is_empty() { key } else { value })
        }
        _ => return,
    };
    findings.add_at(kind, line.number(), span);
}
