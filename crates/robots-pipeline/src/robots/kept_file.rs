//! A robots.txt as a book keeps it: compiled, or as bytes that are compiled when they are first needed. A tdmrep.json and a licence of RSL
//! are kept as bytes, too.

use super::capture_source::CaptureSource;
use crate::robots_url::is_robots_url;
use robots_policy::Policies;
use robots_policy::limits::{MAX_RSL_BYTES, MAX_TDMREP_BYTES};
use robots_policy::site::{Rsl, SiteRules, Tdmrep};
use robots_txt::extension::Extension;
use robots_txt::{Dialect, RobotsTxt};
use std::sync::{Arc, OnceLock};
use url::Url;

/// The bytes at the start of a body that may be white space before the array of a tdmrep.json; more are kept whole.
const SNIFFED: usize = 256;

/// The bytes at the start of XML in which a licence has its root. Of one that has it later, only the start is kept, which is an error.
const SNIFFED_XML: usize = 4_096;

/// Returns whether a body may be a tdmrep.json or a licence: an array of JSON, XML that names RSL, or white space as far as this looks.
fn may_have_terms(body: &[u8]) -> bool {
    let text = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let start = &text[..text.len().min(SNIFFED - 3)];
    match start.trim_ascii_start().first() {
        None | Some(b'[') => true,
        Some(b'<') => {
            let start = &text[..text.len().min(SNIFFED_XML)];
            memchr::memmem::find(start, b"rsl").is_some()
        }
        Some(_) => false,
    }
}

/// The form in which robots.txt files are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptForm {
    /// Compiled for the robot of each policy. The body is not kept, unless it may be a tdmrep.json or a licence.
    Rules,
    /// The part of the body that the policies read.
    Body,
}

/// A robots.txt, for the robot of each policy, a tdmrep.json or a licence of RSL. Threads may share it.
#[derive(Debug)]
pub(crate) struct KeptFile {
    /// The part of the body that is read; if only the rules are kept, none of a robots.txt, and the start of another file.
    body: Arc<[u8]>,
    rules: OnceLock<Box<[SiteRules]>>,
    tdmrep: OnceLock<Option<Tdmrep>>,
    rsl: OnceLock<Rsl>,
}

/// A file, and its source, if evidence is collected.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) file: Arc<KeptFile>,
    pub(super) source: Option<Arc<CaptureSource>>,
}

impl KeptFile {
    /// Keeps the file of a URL in this form. One that is not a robots.txt may be a tdmrep.json or a licence, or the target of a redirect to
    /// one of them: of it, the bytes are kept that could be read as one of them.
    pub(crate) fn new(url: &Url, body: &[u8], policies: &Policies, form: KeptForm) -> Arc<Self> {
        let is_robots = is_robots_url(url);
        if form == KeptForm::Rules && (is_robots || !may_have_terms(body)) {
            // As a tdmrep.json, another file is an error at its start.
            let kept = if is_robots { 0 } else { SNIFFED };
            let rules = OnceLock::from(policies.compile(body).into_boxed_slice());
            return Self::with(&body[..body.len().min(kept)], rules);
        }
        let mut most = policies.bytes_read();
        if !is_robots {
            // One byte more shows that the file was longer.
            most = most.max(MAX_TDMREP_BYTES.max(MAX_RSL_BYTES) + 1);
        }
        Self::of_body(&body[..body.len().min(most)])
    }

    /// Keeps a body that was kept before.
    pub(super) fn of_body(body: &[u8]) -> Arc<Self> {
        Self::with(body, OnceLock::new())
    }

    fn with(body: &[u8], rules: OnceLock<Box<[SiteRules]>>) -> Arc<Self> {
        Arc::new(Self {
            body: body.into(),
            rules,
            tdmrep: OnceLock::new(),
            rsl: OnceLock::new(),
        })
    }

    /// Returns the file, read as a tdmrep.json; `None` for markup.
    pub(super) fn tdmrep(&self) -> Option<&Tdmrep> {
        let tdmrep = self.tdmrep.get_or_init(|| Tdmrep::of_response(&self.body));
        tdmrep.as_ref()
    }

    /// Returns the URLs of the licences that the file, as a robots.txt at this URL, names: those for any robot, as a book serves others,
    /// too; without a body those for the robots for which it was compiled.
    pub(super) fn licenses(&self, url: &Url) -> Vec<Url> {
        let full = |text: &str| url.join(text).ok();
        if self.body.is_empty() {
            let rules = self.rules.get().into_iter().flatten();
            return rules
                .flat_map(SiteRules::license_urls)
                .filter_map(full)
                .collect();
        }
        if !self.may_name_licenses() {
            return Vec::new();
        }
        let robots = RobotsTxt::parse(&self.body);
        // This dialect reads files of any size.
        let extensions = robots.extensions(&Dialect::GOOGLE);
        let named = extensions.filter_map(|extension| match extension {
            Extension::License(license) => full(&String::from_utf8_lossy(license.text())),
            _ => None,
        });
        named.collect()
    }

    /// Returns whether the body has the name of the field in it.
    fn may_name_licenses(&self) -> bool {
        memchr::memchr2_iter(b'l', b'L', &self.body).any(|at| {
            let word = self.body.get(at..at + b"license".len());
            word.is_some_and(|word| word.eq_ignore_ascii_case(b"license"))
        })
    }

    /// Returns the file, read as a licence of RSL.
    pub(super) fn rsl(&self) -> &Rsl {
        self.rsl.get_or_init(|| Rsl::read(&self.body))
    }

    /// Returns the kept part of the body.
    pub(super) fn body(&self) -> &Arc<[u8]> {
        &self.body
    }

    /// Returns the file, compiled for the robot of each policy: those for which it was kept.
    pub(super) fn rules(&self, policies: &Policies) -> &[SiteRules] {
        self.rules
            .get_or_init(|| policies.compile(&self.body).into_boxed_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_seen_in_any_case() {
        let may_name = |body: &[u8]| KeptFile::of_body(body).may_name_licenses();
        for body in [
            "License: /l",
            "LICENSE:/l",
            "LIcEnSe: /l",
            "lllicense",
            "l\nlicensE",
        ] {
            assert!(may_name(body.as_bytes()), "{body}");
        }
        for body in ["", "L", "Disallow: /l", "licens"] {
            assert!(!may_name(body.as_bytes()), "{body}");
        }
    }
}
