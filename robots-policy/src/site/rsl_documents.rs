//! Licence documents by their URLs.

use super::rsl::Rsl;
use robots_meta::Timestamp;
use std::collections::HashMap;
use url::Url;

/// Licence documents by their URLs and the times when they were fetched: those that statements of sites and pages name.
///
/// ```
/// use robots_policy::{AiUse, Page, Policy};
/// use robots_policy::site::{Rsl, RslDocuments};
///
/// let document = Rsl::read(
///     br#"<rsl><content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>"#,
/// );
/// let mut documents = RslDocuments::default();
/// documents.insert("https://example.com/license.xml", None, document)?;
///
/// let html = br#"<link rel="license" type="application/rsl+xml" href="/license.xml">"#;
/// let page = Page::new("https://example.com/a").with_html(html).with_rsl(&documents, None);
/// let decision = Policy::default().decide_page(&page);
/// assert_eq!(decision.ai_train, AiUse::Disallow);
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RslDocuments {
    by_url: HashMap<String, Vec<(Option<Timestamp>, Rsl)>>,
}

impl RslDocuments {
    /// Adds the document of a URL, as it was at a time, if that is known.
    ///
    /// # Errors
    ///
    /// If the URL is not a full one.
    pub fn insert(
        &mut self,
        url: &str,
        at: Option<Timestamp>,
        document: Rsl,
    ) -> Result<(), url::ParseError> {
        let fetched = self.by_url.entry(key(Url::parse(url)?)).or_default();
        let index = fetched.partition_point(|(time, _)| *time <= at);
        fetched.insert(index, (at, document));
        Ok(())
    }

    /// Returns the document of a URL at a time: the last one until then, or else the first one after it. Without a time, it is the
    /// last one.
    pub fn get(&self, url: Url, at: Option<Timestamp>) -> Option<&Rsl> {
        let fetched = self.by_url.get(&key(url))?;
        let until = match at {
            Some(_) => fetched.partition_point(|(time, _)| *time <= at),
            None => fetched.len(),
        };
        let (_, document) = fetched.get(until.saturating_sub(1))?;
        Some(document)
    }

    /// Returns whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.by_url.is_empty()
    }
}

/// Returns a URL in normal form, without its fragment.
fn key(mut url: Url) -> String {
    url.set_fragment(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_of_a_time_is_the_last_one_until_then() {
        let mut documents = RslDocuments::default();
        let url = "https://a.example/l.xml";
        for seconds in [20, 10] {
            let at = Some(Timestamp::from_seconds(seconds));
            let document = Rsl::unreadable(&seconds.to_string());
            documents.insert(url, at, document).unwrap();
        }
        let of = |at: Option<i64>| {
            let url = Url::parse("HTTPS://A.example:443/l.xml#x").unwrap();
            let document = documents.get(url, at.map(Timestamp::from_seconds));
            document.and_then(Rsl::unread).map(str::to_owned)
        };
        for (at, expected) in [
            (Some(5), "10"),
            (Some(10), "10"),
            (Some(19), "10"),
            (Some(20), "20"),
            (None, "20"),
        ] {
            assert_eq!(of(at).as_deref(), Some(expected), "{at:?}");
        }
        let other = Url::parse("http://a.example/l.xml").unwrap();
        assert!(documents.get(other, None).is_none());
        assert!(
            documents
                .insert("/l.xml", None, Rsl::unreadable(""))
                .is_err()
        );
    }
}
