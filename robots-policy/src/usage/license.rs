//! The URLs of a page's terms of use: `License` lines of robots.txt, `Link` headers and links in HEAD (RSL;
//! `docs/semantics.md`, section 4.7), and `tdm-policy` (`docs/semantics.md`, section 4.6). Those of RSL name documents that decide, if they
//! are known.

use super::Inputs;
use super::signal::Standing;
use super::tdm::Tdm;
use crate::decision::draft::Draft;
use crate::decision::reason::{Effect, Field, Source, WarningKind};
use crate::limits::MAX_LICENSES;
use crate::observe::Completeness;
use crate::profile::{AiRules, SignalFamilies};
use crate::site::{Rsl, RslLookup, RslTerms, SiteRules};
use robots_meta::PageFacts;
use robots_meta::header::{PageHeader, PageHeaders};
use smallvec::SmallVec;
use url::Url;

/// The documents that a page and its site name.
#[derive(Default)]
pub(super) struct Documents {
    list: SmallVec<[Rsl; 1]>,
    /// Whether documents may be known that are not in the list, as there are more statements than are read.
    is_cut: bool,
}

impl Documents {
    /// Returns the terms of each document for a page.
    pub(super) fn terms(&self, url: &str) -> SmallVec<[RslTerms<'_>; 1]> {
        let documents = self.list.iter();
        documents.map(|document| document.for_page(url)).collect()
    }

    /// Returns why it is not known what the documents forbid: one of them was not read.
    pub(super) fn unread(&self, terms: &[RslTerms<'_>]) -> Option<String> {
        terms.iter().find_map(RslTerms::unread).or_else(|| {
            self.is_cut
                .then(|| format!("more than {MAX_LICENSES} licences"))
        })
    }
}

/// Lists the URLs in `License` lines, `Link` headers, links in HEAD and `tdm-policy`, in this order, each once. Returns the
/// documents of RSL among them.
pub(super) fn list(
    draft: &mut Draft<'_>,
    rules: &AiRules,
    inputs: &Inputs<'_>,
    headers: &PageHeaders<'_>,
    tdm: &Tdm<'_>,
) -> Documents {
    let mut list = List {
        draft,
        read: 0,
        page: inputs.url,
        known: inputs.rsl,
        documents: Documents::default(),
    };
    let in_robots_txt = inputs.site.map(SiteRules::licenses).unwrap_or_default();
    // The one past the limit makes `add` report that there are more.
    for license in in_robots_txt.iter().take(MAX_LICENSES + 1) {
        let source = Source::RobotsTxt { line: license.line };
        list.add(source, &license.url, || format!("License: {}", license.url));
        list.add_document(&license.url);
    }
    for link in headers.licenses().filter(|link| !link.href().is_empty()) {
        let source = Source::PageHeader {
            name: PageHeader::Link,
            header: link.header_index(),
            offset: link.offset(),
        };
        list.add(source, link.href(), || link.href().to_owned());
        if link.is_rsl() {
            list.add_document(link.href());
        }
    }
    for link in inputs.meta.into_iter().flat_map(PageFacts::licenses) {
        let offset = link.offset();
        let source = Source::Link { offset };
        list.add(source, link.href(), || link.href().to_owned());
        list.add_document(link.href());
    }
    list.add_policies(rules, inputs, tdm);
    list.documents
}

/// The licences of a draft, while statements are read.
struct List<'l, 'd, 'a> {
    draft: &'l mut Draft<'d>,
    /// The number of statements that were read, up to one past the limit.
    read: usize,
    /// The URL of the page, to which links are relative.
    page: &'a str,
    known: Option<&'a dyn RslLookup>,
    documents: Documents,
}

impl List<'_, '_, '_> {
    /// Adds the document of a URL, if it is known and the limit is not reached.
    fn add_document(&mut self, url: &str) {
        let Some(known) = self.known else {
            return;
        };
        if self.read > MAX_LICENSES {
            self.documents.is_cut = true;
            return;
        }
        let base = Url::parse(self.page).ok();
        let url = Url::options().base_url(base.as_ref()).parse(url);
        let found = url.ok().and_then(|url| known.document(&url));
        let list = &mut self.documents.list;
        if let Some(document) = found
            && !list.iter().any(|listed| listed.is(&document))
        {
            list.push(document);
        }
    }

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
