//! Licences of Really Simple Licensing: RSL 1.0, <https://rslstandard.org/rsl>, published 2025-11-06 (`docs/semantics.md`,
//! section 4.7).
//!
//! A document becomes a list of contents, each with the URLs that it is about and its licences. All contents that match a page
//! count together. A document that is not XML, has a DTD or is too long is an error ([`RslError`]). It may forbid anything, so a
//! document can also be [unreadable](Rsl::unreadable): no permission follows from it. Reading is linear in the bytes; a look-up
//! tries the contents one by one.

use crate::answer::AiUse;
use crate::limits::{MAX_RSL_BYTES, MAX_RSL_CONTENTS, MAX_RSL_DEPTH};
use bitflags::bitflags;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use robots_txt::extension::PathPattern;
use robots_txt::{Dialect, Target};
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;
use url::Url;

/// A licence document. Cheap to clone.
///
/// ```
/// use robots_policy::decision::AiUse;
/// use robots_policy::site::{Rsl, RslUses};
///
/// let document = Rsl::parse(
///     br#"<rsl xmlns="https://rslstandard.org/rsl">
///         <content url="/news/*">
///             <license>
///                 <prohibits type="usage">ai-train</prohibits>
///                 <permits type="usage">ai-input search</permits>
///                 <payment type="subscription"><amount currency="USD">9.99</amount></payment>
///             </license>
///         </content>
///     </rsl>"#,
/// )?;
/// let terms = document.for_page("https://a.example/news/1");
/// let training = terms.of(RslUses::AI_TRAIN).unwrap();
/// assert_eq!((training.answer(), training.line()), (AiUse::Disallow, 4));
/// let input = terms.of(RslUses::AI_INPUT).unwrap();
/// assert_eq!(input.to_string(), "permits ai-input; payment: subscription, 9.99 USD");
/// assert!(document.for_page("https://a.example/").of(RslUses::AI_TRAIN).is_none());
/// # Ok::<(), robots_policy::site::RslError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rsl {
    document: Arc<Document>,
}

#[derive(Debug, Default)]
struct Document {
    contents: Vec<Content>,
    is_cut: bool,
    /// The line of the first content without a valid URL: it may be about any page.
    invalid: Option<usize>,
    /// Why nothing is known of the document.
    unread: Option<Box<str>>,
}

bitflags! {
    /// Uses of content in the terms of RSL.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct RslUses: u8 {
        /// `ai-train`: the training of models.
        const AI_TRAIN = 1;
        /// `ai-input`: input to a model that generates answers.
        const AI_INPUT = 1 << 1;
        /// `ai-index`: an index for models. No field of a decision is about it.
        const AI_INDEX = 1 << 2;
        /// `search`: a search index.
        const SEARCH = 1 << 3;
    }
}

impl RslUses {
    /// The tokens of one use.
    const TOKENS: [(&str, Self); 4] = [
        ("ai-train", Self::AI_TRAIN),
        ("ai-input", Self::AI_INPUT),
        ("ai-index", Self::AI_INDEX),
        ("search", Self::SEARCH),
    ];

    /// Returns the uses of a token: that of one use, `ai-all` or `all`.
    fn of_token(token: &str) -> Option<Self> {
        let groups = [
            ("ai-all", Self::all().difference(Self::SEARCH)),
            ("all", Self::all()),
        ];
        let mut known = Self::TOKENS.into_iter().chain(groups);
        let (_, uses) = known.find(|(name, _)| token.eq_ignore_ascii_case(name))?;
        Some(uses)
    }

    /// Returns the token of one use.
    fn token(self) -> &'static str {
        let token = Self::TOKENS.iter().find(|(_, uses)| *uses == self);
        token.map_or("several uses", |&(name, _)| name)
    }
}

/// The licences for some URLs.
#[derive(Debug)]
struct Content {
    /// `None` if the URL is not valid.
    scope: Option<Scope>,
    /// Whether each use needs a licence of a server.
    has_server: bool,
    licenses: Vec<License>,
}

/// The URLs that a content is about.
#[derive(Debug)]
struct Scope {
    /// The host of a full URL, with its port if that is not the default.
    host: Option<Box<str>>,
    path: PathPattern,
}

#[derive(Debug, Default)]
struct License {
    line: usize,
    /// The permitted uses with their line: all others are prohibited.
    permits: Option<(RslUses, usize)>,
    prohibits: Option<(RslUses, usize)>,
    /// The line of a prohibition that could not be read.
    unread_prohibition: Option<usize>,
    /// Whether the licence is for some users or countries alone.
    is_restricted: bool,
    /// What the licence costs, unless it is free: a text for people.
    payment: Option<Box<str>>,
}

impl Rsl {
    /// Reads a document. One that is an error of [`parse`](Self::parse) is [unreadable](Self::unreadable).
    pub fn read(bytes: &[u8]) -> Self {
        Self::parse(bytes).unwrap_or_else(|error| Self::unreadable(&error.to_string()))
    }

    /// Returns a document that could not be read, such as one whose request failed, with the cause.
    pub fn unreadable(cause: &str) -> Self {
        Self::of(Document {
            unread: Some(cause.into()),
            ..Document::default()
        })
    }

    /// Returns whether it is a copy of this document.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.document, &other.document)
    }

    fn of(document: Document) -> Self {
        Self {
            document: Arc::new(document),
        }
    }

    /// Returns why nothing is known of the document, if it could not be read.
    pub fn unread(&self) -> Option<&str> {
        self.document.unread.as_deref()
    }

    /// Reads a document in UTF-8; a byte order mark is skipped. Other elements are ignored; prefixes of names do not count.
    ///
    /// # Errors
    ///
    /// If it has more than [`MAX_RSL_BYTES`] bytes, is not XML in UTF-8, has a DTD, more than [`MAX_RSL_DEPTH`] elements in one
    /// another, or another root than `rsl`.
    pub fn parse(bytes: &[u8]) -> Result<Self, RslError> {
        if bytes.len() > MAX_RSL_BYTES {
            return Err(RslError {
                what: format!("{} bytes, more than {MAX_RSL_BYTES}", bytes.len()),
                line: None,
            });
        }
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = str::from_utf8(text).map_err(|error| RslError {
            what: "not UTF-8".to_owned(),
            line: Some(line_of(&text[..error.valid_up_to()])),
        })?;
        read(text).map(Self::of)
    }

    /// Returns the terms for a page, by its URL. A content with a path is about the sites that name the document.
    pub fn for_page(&self, url: &str) -> RslTerms<'_> {
        let target = Target::new(url);
        let host = Url::parse(url).ok().and_then(|url| host_of(&url));
        let contents = self.document.contents.iter();
        RslTerms {
            document: &self.document,
            contents: contents
                .filter(|content| {
                    content.scope.as_ref().is_some_and(|scope| {
                        (scope.host.is_none() || scope.host == host) && scope.path.matches(&target)
                    })
                })
                .collect(),
        }
    }
}

/// Returns the host of a URL, with its port if that is not the default of the scheme.
fn host_of(url: &Url) -> Option<Box<str>> {
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}").into(),
        None => host.into(),
    })
}

/// The terms of a document for a page.
#[derive(Debug, Clone)]
pub struct RslTerms<'a> {
    document: &'a Document,
    contents: SmallVec<[&'a Content; 2]>,
}

/// The term of a document for one use of a page.
#[derive(Debug, Clone, Copy)]
pub struct RslTerm<'a> {
    uses: RslUses,
    answer: AiUse,
    line: usize,
    /// Whether the licence is that of a server.
    has_server: bool,
    license: &'a License,
}

impl<'a> RslTerms<'a> {
    /// Returns the term for one use; `None` if the document has none. A prohibition of any licence counts. Without one, each
    /// licence is an offer, and the one with the fewest conditions counts. A use that no licence permits is prohibited if a licence
    /// lists the permitted ones.
    pub fn of(&self, uses: RslUses) -> Option<RslTerm<'a>> {
        let licenses = || {
            let contents = self.contents.iter();
            contents.flat_map(|content| content.licenses.iter().map(|license| (*content, license)))
        };
        let term = |answer, line, content: &Content, license| RslTerm {
            uses,
            answer,
            line,
            has_server: content.has_server,
            license,
        };
        let covers = |found: Option<(RslUses, usize)>| {
            found
                .filter(|(found, _)| found.contains(uses))
                .map(|(_, line)| line)
        };
        if let Some(found) = licenses().find_map(|(content, license)| {
            let line = covers(license.prohibits)?;
            Some(term(AiUse::Disallow, line, content, license))
        }) {
            return Some(found);
        }
        let is_conditional = |content: &Content, license: &License| {
            content.has_server || license.is_restricted || license.payment.is_some()
        };
        let offers = licenses().filter_map(|(content, license)| {
            let line = covers(license.permits)?;
            let answer = if is_conditional(content, license) {
                AiUse::Limited
            } else {
                AiUse::Allow
            };
            Some(term(answer, line, content, license))
        });
        if let Some(offer) = offers.min_by_key(|offer| offer.answer == AiUse::Limited) {
            return Some(offer);
        }
        let mut lists = licenses().filter_map(|(content, license)| {
            let (_, line) = license.permits?;
            Some(term(AiUse::Disallow, line, content, license))
        });
        if let Some(found) = lists.next() {
            return Some(found);
        }
        let mut conditional =
            licenses().filter(|(content, license)| is_conditional(content, license));
        let (content, license) = conditional.next()?;
        Some(term(AiUse::Limited, license.line, content, license))
    }

    /// Returns why it is not known what the document forbids: nothing is known of it, or a prohibition or the URL of a content
    /// could not be read.
    pub fn unread(&self) -> Option<String> {
        if let Some(cause) = &self.document.unread {
            return Some(cause.to_string());
        }
        if self.document.is_cut {
            return Some(format!("more than {MAX_RSL_CONTENTS} contents"));
        }
        if let Some(line) = self.document.invalid {
            return Some(format!("no valid url, at line {line}"));
        }
        let mut licenses = self.contents.iter().flat_map(|content| &content.licenses);
        licenses.find_map(|license| {
            let line = license.unread_prohibition?;
            Some(format!(
                "a prohibition with an unknown type or use, at line {line}"
            ))
        })
    }
}

impl RslTerm<'_> {
    /// Returns the answer: a use that is permitted under conditions is limited.
    pub fn answer(&self) -> AiUse {
        self.answer
    }

    /// Returns the 1-based line of the element that decides.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns what the licence costs, for people; `None` if it is free.
    pub fn payment(&self) -> Option<&str> {
        self.license.payment.as_deref()
    }
}

impl fmt::Display for RslTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.uses.token();
        let is_listed = |found: Option<(RslUses, usize)>| {
            found.is_some_and(|(found, _)| found.contains(self.uses))
        };
        if is_listed(self.license.prohibits) {
            return write!(f, "prohibits {token}");
        }
        if is_listed(self.license.permits) {
            write!(f, "permits {token}")?;
        } else if self.license.permits.is_some() {
            return write!(f, "does not permit {token}");
        } else {
            f.write_str("has conditions")?;
        }
        if self.has_server {
            f.write_str("; needs a licence of a server")?;
        }
        if self.license.is_restricted {
            f.write_str("; for some users or countries")?;
        }
        match self.payment() {
            Some(payment) => write!(f, "; payment: {payment}"),
            None => Ok(()),
        }
    }
}

/// The error for bytes that are not a licence document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct RslError {
    what: String,
    line: Option<usize>,
}

impl RslError {
    /// Returns the 1-based line at which reading ended; `None` for a document that is too long.
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

impl fmt::Display for RslError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, at line {line}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// Returns the 1-based line at the end of some bytes.
fn line_of(before: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', before).count() + 1
}

fn read(text: &str) -> Result<Document, RslError> {
    let mut xml = Reader::from_str(text);
    xml.config_mut().expand_empty_elements = true;
    let mut tree = Tree::default();
    // The lines are counted forwards.
    let (mut counted, mut line) = (0, 1);
    loop {
        let begin = offset(xml.buffer_position());
        let event = xml.read_event();
        // Not every error sets its position.
        let at = match event {
            Ok(_) => begin,
            Err(_) => begin.max(offset(xml.error_position())).min(text.len()),
        };
        line += line_of(&text.as_bytes()[counted..at]) - 1;
        counted = at;
        let step = match event {
            Err(error) => Err(error.to_string()),
            Ok(Event::Eof) if tree.open.is_empty() && tree.has_root => return Ok(tree.document),
            Ok(Event::Eof) => Err("the end of the file, before that of <rsl>".to_owned()),
            Ok(Event::DocType(_)) => Err("a DTD, which is not read".to_owned()),
            Ok(Event::Start(start)) => tree.open(&start, line),
            Ok(Event::End(_)) => {
                tree.close();
                Ok(())
            }
            Ok(Event::Text(text)) => {
                tree.add(&text.xml10_content());
                Ok(())
            }
            Ok(Event::CData(text)) => {
                tree.add(&text.xml10_content());
                Ok(())
            }
            Ok(Event::GeneralRef(reference)) => tree.add_reference(&reference),
            // `Empty` is expanded to `Start` and `End`.
            Ok(Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_)) => Ok(()),
        };
        step.map_err(|what| RslError {
            what,
            line: Some(line),
        })?;
    }
}

fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

/// An open element.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Element {
    Rsl,
    Content,
    License,
    Permits {
        kind: Option<String>,
        line: usize,
    },
    Prohibits {
        kind: Option<String>,
        line: usize,
    },
    Payment {
        kind: Option<String>,
    },
    /// An amount with its currency, or the URL of a rate card.
    PaymentPart {
        currency: Option<String>,
    },
    Other,
}

/// The open elements, and the document so far.
#[derive(Debug, Default)]
struct Tree {
    open: Vec<Element>,
    has_root: bool,
    document: Document,
    /// The text of the innermost element.
    text: String,
    /// The parts of the open payment.
    parts: Vec<String>,
    /// Whether a payment of the open licence is free.
    is_free: bool,
}

impl Tree {
    fn open(&mut self, start: &BytesStart<'_>, line: usize) -> Result<(), String> {
        if self.open.len() >= MAX_RSL_DEPTH {
            return Err(format!("more than {MAX_RSL_DEPTH} elements in one another"));
        }
        let name = start.local_name();
        let name: &str = name.as_ref();
        let element = match (self.open.last(), name) {
            (None, "rsl") if !self.has_root => Element::Rsl,
            (None, _) => return Err(format!("expected one <rsl>, not <{name}>")),
            (Some(Element::Rsl), "content") => self.open_content(start, line)?,
            (Some(Element::Content), "license") => {
                self.is_free = false;
                if let Some(content) = self.document.contents.last_mut() {
                    content.licenses.push(License {
                        line,
                        ..License::default()
                    });
                }
                Element::License
            }
            (Some(Element::License), "permits") => Element::Permits {
                kind: attribute(start, "type")?,
                line,
            },
            (Some(Element::License), "prohibits") => Element::Prohibits {
                kind: attribute(start, "type")?,
                line,
            },
            (Some(Element::License), "payment") => {
                self.parts.clear();
                let kind = attribute(start, "type")?;
                Element::Payment { kind }
            }
            (Some(Element::Payment { .. }), "amount" | "standard" | "custom") => {
                let currency = attribute(start, "currency")?;
                Element::PaymentPart { currency }
            }
            _ => Element::Other,
        };
        // The text of a list with elements in it is not known.
        if let Some(Element::Permits { line, .. } | Element::Prohibits { line, .. }) =
            self.open.last()
        {
            let line = *line;
            if let Some(license) = self.license() {
                license.unread_prohibition.get_or_insert(line);
            }
        }
        self.has_root = true;
        self.text.clear();
        self.open.push(element);
        Ok(())
    }

    fn open_content(&mut self, start: &BytesStart<'_>, line: usize) -> Result<Element, String> {
        if self.document.contents.len() >= MAX_RSL_CONTENTS {
            self.document.is_cut = true;
            return Ok(Element::Other);
        }
        let url = attribute(start, "url")?;
        let scope = url.and_then(|url| Scope::parse(&url));
        if scope.is_none() {
            self.document.invalid.get_or_insert(line);
        }
        self.document.contents.push(Content {
            scope,
            has_server: attribute(start, "server")?.is_some(),
            licenses: Vec::new(),
        });
        Ok(Element::Content)
    }

    fn license(&mut self) -> Option<&mut License> {
        self.document.contents.last_mut()?.licenses.last_mut()
    }

    fn close(&mut self) {
        let text = std::mem::take(&mut self.text);
        let text = text.trim();
        match self.open.pop() {
            Some(Element::Permits { kind, line }) => {
                if let Some(license) = self.license() {
                    license.permit(kind.as_deref(), text, line);
                }
            }
            Some(Element::Prohibits { kind, line }) => {
                if let Some(license) = self.license() {
                    license.prohibit(kind.as_deref(), text, line);
                }
            }
            Some(Element::PaymentPart { currency }) => self.parts.push(match currency {
                Some(currency) => format!("{text} {currency}"),
                None => text.to_owned(),
            }),
            Some(Element::Payment { kind }) => self.close_payment(kind),
            Some(Element::License) if self.is_free => {
                if let Some(license) = self.license() {
                    license.payment = None;
                }
            }
            _ => {}
        }
    }

    /// Ends a payment. Several payments of a licence are alternatives.
    fn close_payment(&mut self, kind: Option<String>) {
        let kind = kind.filter(|kind| !kind.trim().eq_ignore_ascii_case("free"));
        let parts: Vec<String> = kind.into_iter().chain(self.parts.drain(..)).collect();
        if parts.is_empty() {
            self.is_free = true;
            return;
        }
        let text = parts.join(", ");
        if let Some(license) = self.license() {
            license.payment = Some(match &license.payment {
                Some(others) => format!("{others} or {text}").into(),
                None => text.into(),
            });
        }
    }

    /// Adds a text of the innermost element, if it counts.
    fn add(&mut self, text: &str) {
        if matches!(
            self.open.last(),
            Some(Element::Permits { .. } | Element::Prohibits { .. } | Element::PaymentPart { .. })
        ) {
            self.text.push_str(text);
        }
    }

    fn add_reference(&mut self, reference: &BytesRef<'_>) -> Result<(), String> {
        let name: &str = reference;
        let character = reference.resolve_char_ref();
        match character.map_err(|error| error.to_string())? {
            Some(character) => self.add(character.encode_utf8(&mut [0; 4])),
            None => match quick_xml::escape::resolve_xml_entity(name) {
                Some(text) => self.add(text),
                None => return Err(format!("unknown entity &{name};")),
            },
        }
        Ok(())
    }
}

/// Returns the value of an attribute, if the element has it. Of several with one name, the first counts.
fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    // Their check compares each attribute with all others.
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if attribute.key.as_ref() == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| error.to_string())?;
            return Ok(Some(value.trim().to_owned()));
        }
    }
    Ok(None)
}

impl Scope {
    /// Reads the URLs of a content: a full URL, or a path, with the patterns of robots.txt. `None` if the text is neither, or has a pattern in
    /// its host, or a fragment, which no page has.
    fn parse(url: &str) -> Option<Self> {
        if url.contains('#') || url.starts_with("//") {
            return None;
        }
        let (host, path) = match url.split_once("://") {
            Some((scheme, rest)) => {
                let (authority, path) = match rest.find('/') {
                    Some(at) => rest.split_at(at),
                    None => (rest, "/"),
                };
                if authority.contains(['*', '$', '?', '\\', '@']) {
                    return None;
                }
                let origin = Url::parse(&format!("{scheme}://{authority}/")).ok()?;
                (Some(host_of(&origin)?), path)
            }
            None => (None, url),
        };
        if !path.starts_with(['/', '*']) {
            return None;
        }
        let path = PathPattern::new(path.as_bytes(), &Dialect::RFC9309)?;
        Some(Self { host, path })
    }
}

impl License {
    fn permit(&mut self, kind: Option<&str>, text: &str, line: usize) {
        match kind {
            Some("usage") => {
                // A use that is not known is none of ours.
                let uses = tokens(text).filter_map(RslUses::of_token).collect();
                let (known, line) = self.permits.unwrap_or((RslUses::empty(), line));
                self.permits = Some((known | uses, line));
            }
            Some("user" | "geo") => self.is_restricted = true,
            // It prohibits what it does not list.
            _ => {
                self.unread_prohibition.get_or_insert(line);
            }
        }
    }

    fn prohibit(&mut self, kind: Option<&str>, text: &str, line: usize) {
        match kind {
            Some("usage") => {
                if tokens(text).next().is_none() {
                    self.unread_prohibition.get_or_insert(line);
                }
                for token in tokens(text) {
                    match RslUses::of_token(token) {
                        Some(uses) => {
                            let (known, line) = self.prohibits.unwrap_or((RslUses::empty(), line));
                            self.prohibits = Some((known | uses, line));
                        }
                        None => {
                            self.unread_prohibition.get_or_insert(line);
                        }
                    }
                }
            }
            Some("user" | "geo") => self.is_restricted = true,
            _ => {
                self.unread_prohibition.get_or_insert(line);
            }
        }
    }
}

/// Returns the tokens of a list, which white space or commas separate.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let tokens = text.split(|c: char| c.is_ascii_whitespace() || c == ',');
    tokens.filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the answers about training, input and search for a page, and the cause of unknown ones.
    fn answers(contents: &str, url: &str) -> (String, Option<String>) {
        let document = Rsl::parse(format!("<rsl>{contents}</rsl>").as_bytes()).unwrap();
        let terms = document.for_page(url);
        let answer = |uses| match terms.of(uses) {
            None => '-',
            Some(term) => match term.answer() {
                AiUse::Allow => 'a',
                AiUse::Limited => 'l',
                AiUse::Disallow => 'd',
                AiUse::Unknown => '?',
            },
        };
        let answers = [RslUses::AI_TRAIN, RslUses::AI_INPUT, RslUses::SEARCH].map(answer);
        (answers.into_iter().collect(), terms.unread())
    }

    #[test]
    fn prohibitions_come_first_and_permits_is_a_closed_list() {
        let page = "https://a.example/x";
        for (licenses, expected) in [
            (
                r#"<license><permits type="usage">search</permits></license>"#,
                "dda",
            ),
            (
                r#"<license><permits type="usage">ai-all</permits></license>"#,
                "aad",
            ),
            (
                r#"<license><permits type="usage">ALL</permits></license>"#,
                "aaa",
            ),
            (
                r#"<license><permits type="usage">ai-train, ai-input
                search</permits></license>"#,
                "aaa",
            ),
            (
                r#"<license><prohibits type="usage">ai-train</prohibits></license>"#,
                "d--",
            ),
            (
                r#"<license><prohibits type="usage">ai-train ai-all</prohibits></license>"#,
                "dd-",
            ),
            (
                r#"<license><permits type="usage">all</permits><prohibits type="usage">ai-train</prohibits></license>"#,
                "daa",
            ),
            // A prohibition of another licence counts, whatever the order.
            (
                r#"<license><permits type="usage">all</permits></license><license><prohibits type="usage">search</prohibits></license>"#,
                "aad",
            ),
            // Each licence is an offer.
            (
                r#"<license><permits type="usage">ai-train</permits><payment type="purchase"/></license><license><permits type="usage">search</permits></license>"#,
                "lda",
            ),
            (
                r#"<license><permits type="usage">all</permits><payment type="use"/></license><license><permits type="usage">search</permits></license>"#,
                "lla",
            ),
            (
                r#"<license><permits type="usage">search</permits><payment type="free"/></license>"#,
                "dda",
            ),
            (
                r#"<license><permits type="usage">search</permits><payment type="purchase"/><payment type="free"/></license>"#,
                "dda",
            ),
            (
                r#"<license><permits type="usage">search</permits><payment><standard>https://b.example</standard></payment></license>"#,
                "ddl",
            ),
            (
                r#"<license><permits type="usage">search</permits><permits type="geo">DE</permits></license>"#,
                "ddl",
            ),
            (
                r#"<license><permits type="usage">search</permits><prohibits type="user">non-commercial</prohibits></license>"#,
                "ddl",
            ),
            (
                r#"<license><payment type="subscription"/></license>"#,
                "lll",
            ),
            ("<license/>", "---"),
            ("", "---"),
            // Elements of other places do not count.
            (
                r#"<x><license><prohibits type="usage">all</prohibits></license></x>"#,
                "---",
            ),
        ] {
            let content = format!(r#"<content url="/">{licenses}</content>"#);
            assert_eq!(
                answers(&content, page),
                (expected.to_owned(), None),
                "{licenses}"
            );
        }
        let server = r#"<content url="/" server="https://b.example"><license><permits type="usage">all</permits></license></content>"#;
        assert_eq!(answers(server, page).0, "lll");
    }

    #[test]
    fn contents_are_found_by_their_urls() {
        let content = |url: &str| {
            format!(
                r#"<content url="{url}"><license><prohibits type="usage">all</prohibits></license></content>"#
            )
        };
        for (url, page, expected) in [
            ("/", "https://a.example/x?y", "ddd"),
            ("/x/*.html$", "https://a.example/x/y.html", "ddd"),
            ("/x/*.html$", "https://a.example/x/y.html?z", "---"),
            ("*", "https://a.example/", "ddd"),
            ("https://a.example", "https://a.example/x", "ddd"),
            ("https://a.example/x*", "http://a.example/xy", "ddd"),
            ("https://A.example/", "https://a.example/x", "ddd"),
            ("https://b.example/", "https://a.example/x", "---"),
            ("https://a.example:8443/", "https://a.example/x", "---"),
            ("https://a.example:8443/", "https://a.example:8443/x", "ddd"),
        ] {
            assert_eq!(
                answers(&content(url), page),
                (expected.to_owned(), None),
                "{url} {page}"
            );
        }
        // All that match count together.
        let both = [
            r#"<content url="/x"><license><permits type="usage">all</permits></license></content>"#,
            &content("/"),
        ]
        .concat();
        assert_eq!(answers(&both, "https://a.example/x").0, "ddd");
    }

    #[test]
    fn prohibitions_that_are_not_understood_are_reported() {
        for (content, cause) in [
            (
                r#"<content url="/"><license><prohibits type="usage">train-ai</prohibits></license></content>"#,
                "a prohibition with an unknown type or use, at line 1",
            ),
            (
                "<content url=\"/\"><license>\n<prohibits>ai-train</prohibits></license></content>",
                "a prohibition with an unknown type or use, at line 2",
            ),
            (
                r#"<content url="/"><license><permits type="purpose">search</permits></license></content>"#,
                "a prohibition with an unknown type or use, at line 1",
            ),
            (
                r#"<content url="/"><license><prohibits type="usage">ai-train <x/></prohibits></license></content>"#,
                "a prohibition with an unknown type or use, at line 1",
            ),
            (
                r#"<content url="/"><license><prohibits type="usage"><usage>all</usage></prohibits></license></content>"#,
                "a prohibition with an unknown type or use, at line 1",
            ),
            (
                r#"<content url="/"><license><prohibits type="usage"/></license></content>"#,
                "a prohibition with an unknown type or use, at line 1",
            ),
            (r#"<content url="x"/>"#, "no valid url, at line 1"),
            (
                r#"<content url="//a.example/"/>"#,
                "no valid url, at line 1",
            ),
            (
                r#"<content url="https://*.example.com/"/>"#,
                "no valid url, at line 1",
            ),
            (
                r#"<content url="https://a.example?x"/>"#,
                "no valid url, at line 1",
            ),
            (
                r#"<content url="https://a.example/x#y"/>"#,
                "no valid url, at line 1",
            ),
            ("\n<content/>", "no valid url, at line 2"),
        ] {
            let (_, unread) = answers(content, "https://a.example/");
            assert_eq!(unread.as_deref(), Some(cause), "{content}");
        }
        // That of another page does not count.
        let other = r#"<content url="/y"><license><prohibits>x</prohibits></license></content>"#;
        assert_eq!(answers(other, "https://a.example/x").1, None);
    }

    #[test]
    fn documents_that_are_not_rsl_are_errors_with_a_line() {
        for (text, expected) in [
            ("", "the end of the file, before that of <rsl>, at line 1"),
            ("<html>\n", "expected one <rsl>, not <html>, at line 1"),
            ("<rsl/>\n<rsl/>", "expected one <rsl>, not <rsl>, at line 2"),
            (
                "<rsl>\n<content url='/'>",
                "the end of the file, before that of <rsl>, at line 2",
            ),
            (
                "\n<!DOCTYPE rsl [<!ENTITY a \"b\">]><rsl/>",
                "a DTD, which is not read, at line 2",
            ),
            ("<rsl>\n\n<a>&b;</a></rsl>", "unknown entity &b;, at line 3"),
        ] {
            assert_eq!(
                Rsl::parse(text.as_bytes()).unwrap_err().to_string(),
                expected,
                "{text}"
            );
            assert!(
                Rsl::read(text.as_bytes())
                    .for_page("https://a.example/")
                    .unread()
                    .is_some()
            );
        }
        let error = Rsl::parse(b"<rsl>\n<content url=\"\xE9\"/></rsl>").unwrap_err();
        assert_eq!(error.to_string(), "not UTF-8, at line 2");
        for text in [
            "<rsl></x>",
            "<rsl><a b=\"&c;\"/></rsl>",
            "<rsl><",
            "<rsl a=\">",
        ] {
            let error = Rsl::parse(text.as_bytes());
            // An attribute of an element that does not count is not read.
            assert!(error.is_err() || text.contains("&c;"), "{text}");
        }
        assert!(
            Rsl::parse(
                "\u{FEFF}<?xml version=\"1.0\"?><r:rsl xmlns:r=\"https://rslstandard.org/rsl\"/>"
                    .as_bytes()
            )
            .is_ok()
        );
    }

    #[test]
    fn limits_are_exact() {
        let of_length = |length: usize| {
            let mut text = b"<rsl>".to_vec();
            text.resize(length - b"</rsl>".len(), b' ');
            text.extend_from_slice(b"</rsl>");
            Rsl::parse(&text)
        };
        assert!(of_length(MAX_RSL_BYTES).is_ok());
        let error = of_length(MAX_RSL_BYTES + 1).unwrap_err();
        assert_eq!(
            (error.line(), error.to_string()),
            (None, "1048577 bytes, more than 1048576".to_owned())
        );
        let nested = |depth: usize| {
            let inner = [vec!["<a>"; depth - 1], vec!["</a>"; depth - 1]]
                .concat()
                .concat();
            Rsl::parse(format!("<rsl>{inner}</rsl>").as_bytes())
        };
        assert!(nested(MAX_RSL_DEPTH).is_ok());
        assert!(nested(MAX_RSL_DEPTH + 1).is_err());
        let many =
            |count: usize| answers(&"<content url='/x'/>".repeat(count), "https://a.example/").1;
        assert_eq!(many(MAX_RSL_CONTENTS), None);
        assert_eq!(
            many(MAX_RSL_CONTENTS + 1).as_deref(),
            Some("more than 10000 contents")
        );
    }
}
