//! What is odd about the values of fields that are neither `User-agent` nor rules.

use super::{DiagnosticKind as Kind, Found};
use crate::extension::Extension;
#[cfg(feature = "content-usage")]
use crate::extension::content_usage::Usage;
use crate::parse::field::{Field, Spelling};
use crate::select::directive::Directive;

/// The longest delay that Bing takes, in seconds (SEMANTICS 2.4).
const LONGEST_DELAY: f64 = 30.0;

/// Looks at a directive of a body.
pub(super) fn look(directive: Directive<'_>, found: &mut Found) {
    if directive.is_rule() || directive.field() == Field::UserAgent {
        return;
    }
    let line = directive.line();
    let Some(extension) = Extension::read(directive) else {
        return;
    };
    let value = line.value_span();
    let key = line.key_span();
    let (kind, span) = match extension {
        // `Sitemap https://...` lacks a colon, and no more.
        Extension::Sitemap(_) if line.spelling() == Spelling::Continued => return,
        Extension::Sitemap(sitemap) if !sitemap.is_absolute() => (Kind::RelativeSitemap, value),
        Extension::Noindex(_) => (Kind::NoindexField, key),
        Extension::Host(_) => (Kind::HostField, key),
        Extension::CrawlDelay(delay) if delay.delay().as_secs_f64() > LONGEST_DELAY => {
            (Kind::LongDelay, value)
        }
        #[cfg(feature = "content-usage")]
        Extension::ContentUsage(usage) if !usage.is_readable() => (Kind::BadUsage, value),
        #[cfg(feature = "content-usage")]
        Extension::ContentUsage(usage) if usage.usage() == Usage::default() => {
            (Kind::UnknownSignal, value)
        }
        Extension::License(license) if !license.is_absolute() => (Kind::RelativeLicense, value),
        Extension::ContentSignal(signal) => match signal.unknown_members().next() {
            Some(member) => (Kind::UnknownSignal, line.span_of(member)),
            None => return,
        },
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
    found.add_at(kind, line.number(), span);
}
