//! The URLs of a page's terms of use: `License` lines of robots.txt, `Link` headers (RSL;
//! `docs/semantics.md`, section 4.7) and `tdm-policy` (`docs/semantics.md`, section 4.6). Their documents are not read,
//! so no other field depends on them.

use super::Inputs;
use super::signal::Standing;
use super::tdm::Tdm;
use crate::decision::draft::Draft;
use crate::decision::reason::{Effect, Field, Source, WarningKind};
use crate::limits::MAX_LICENSES;
use crate::observe::Completeness;
use crate::profile::{AiRules, SignalFamilies};
use crate::site::SiteRules;
use robots_meta::header::{PageHeader, PageHeaders};

/// Lists the URLs in `License` lines, `Link` headers and `tdm-policy`, in this order, each once.
pub(super) fn list(
    draft: &mut Draft<'_>,
    rules: &AiRules,
    inputs: &Inputs<'_>,
    headers: &PageHeaders<'_>,
    tdm: &Tdm<'_>,
) {
    let mut list = List { draft, read: 0 };
    let in_robots_txt = inputs.site.map(SiteRules::licenses).unwrap_or_default();
    // The one past the limit makes `add` report that there are more.
    for license in in_robots_txt.iter().take(MAX_LICENSES + 1) {
        let source = Source::RobotsTxt { line: license.line };
        list.add(source, &license.url, || format!("License: {}", license.url));
    }
    for link in headers.licenses().filter(|link| !link.href().is_empty()) {
        let source = Source::PageHeader {
            name: PageHeader::Link,
            header: link.header_index(),
            offset: link.offset(),
        };
        list.add(source, link.href(), || link.href().to_owned());
    }
    list.add_policies(rules, inputs, tdm);
}

/// The licences of a draft, while statements are read.
struct List<'l, 'd> {
    draft: &'l mut Draft<'d>,
    /// The number of statements that were read, up to one past the limit.
    read: usize,
}

impl List<'_, '_> {
    /// Adds a URL, unless it is in the list or the limit is reached.
    fn add(&mut self, source: Source, url: &str, text: impl FnOnce() -> String) {
        if self.read > MAX_LICENSES {
            return;
        }
        self.read += 1;
        if self.read > MAX_LICENSES {
            let text = || format!("more than {MAX_LICENSES} licences");
            self.draft
                .add_reason(Field::Licenses, source, text, Effect::Ignored);
            return;
        }
        let licenses = &mut self.draft.decision.licenses;
        let effect = if licenses.iter().any(|known| known == url) {
            Effect::Agrees
        } else {
            licenses.push(url.to_owned());
            Effect::Decides
        };
        self.draft.add_reason(Field::Licenses, source, text, effect);
    }

    /// Adds the URLs of `tdm-policy`. They count if text and data mining is reserved (`tdm-reservation: 1`).
    fn add_policies(&mut self, rules: &AiRules, inputs: &Inputs<'_>, tdm: &Tdm<'_>) {
        let tdm_counts = rules.signals.contains(SignalFamilies::TDMREP);
        // The warning states that a policy has no reservation. That is certain only if headers and METAs were read, and either
        // tdmrep.json, too, or a reservation in a header or META, which overrides the file.
        let warns = inputs.is_page_known
            && inputs.completeness == Completeness::Whole
            && (inputs.tdmrep.is_some_and(|file| file.unread().is_none())
                || tdm.in_force().is_some());
        for (source, url, standing) in tdm.policies() {
            let text = || format!("tdm-policy: {url}");
            let effect = match standing {
                Standing::Counts if tdm_counts => {
                    self.add(source, url, text);
                    continue;
                }
                Standing::Overridden if tdm_counts => Effect::Overruled,
                _ => Effect::Ignored,
            };
            self.draft.add_reason(Field::Licenses, source, text, effect);
            if tdm_counts && warns && standing == Standing::Ignored {
                let kind = WarningKind::PolicyWithoutReservation;
                self.draft.warn(kind, source, url);
            }
        }
    }
}
