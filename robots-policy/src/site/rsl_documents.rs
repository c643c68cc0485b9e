//! Licence documents by their URLs.

use super::rsl::Rsl;
use std::collections::HashMap;
use std::fmt;
use url::Url;

/// The licence documents that are known when a page is decided.
pub trait RslLookup: fmt::Debug + Sync {
    /// Returns the document of a full URL, whose fragment does not count; `None` if it is not known.
    fn document(&self, url: &Url) -> Option<Rsl>;
}

/// Licence documents by their URLs.
///
/// ```
/// use robots_policy::{Page, Policy};
/// use robots_policy::decision::AiUse;
/// use robots_policy::site::{Rsl, RslDocuments};
///
/// let document = Rsl::read(
///     br#"<rsl><content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>"#,
/// );
/// let mut documents = RslDocuments::default();
/// documents.insert("https://example.com/license.xml", document)?;
///
/// let html = br#"<link rel="license" type="application/rsl+xml" href="/license.xml">"#;
/// let page = Page::new("https://example.com/a").with_html(html).with_rsl(&documents);
/// let decision = Policy::default().decide_page(&page);
/// assert_eq!(decision.ai_train, AiUse::Disallow);
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RslDocuments {
    by_url: HashMap<String, Rsl>,
}

impl RslDocuments {
    /// Sets the document of a URL.
    ///
    /// # Errors
    ///
    /// If the URL is not a full one.
    pub fn insert(&mut self, url: &str, document: Rsl) -> Result<(), url::ParseError> {
        self.by_url.insert(key(&Url::parse(url)?), document);
        Ok(())
    }
}

impl RslLookup for RslDocuments {
    fn document(&self, url: &Url) -> Option<Rsl> {
        self.by_url.get(&key(url)).cloned()
    }
}

/// Returns a URL without its fragment.
fn key(url: &Url) -> String {
    url[..url::Position::AfterQuery].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_by_their_urls() {
        let mut documents = RslDocuments::default();
        documents
            .insert("HTTPS://A.example:443/l.xml?x#y", Rsl::unreadable("z"))
            .unwrap();
        let of = |url: &str| documents.document(&Url::parse(url).unwrap());
        let found = of("https://a.example/l.xml?x#w").unwrap();
        assert_eq!(found.unread(), Some("z"));
        assert!(of("https://a.example/l.xml").is_none());
        assert!(documents.insert("/l.xml", found).is_err());
    }
}
