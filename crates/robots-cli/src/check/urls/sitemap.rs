//! The URLs of an XML sitemap or of a sitemap index (<https://www.sitemaps.org/protocol.html>, read on 2026-11-29).
//!
//! The `loc` of each `url` or `sitemap` counts, in the namespace of the root: those of images, videos and other languages are no pages. The
//! work is linear in the text: the reader limits the namespaces in scope.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use quick_xml::events::{BytesRef, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;
use std::borrow::Cow;

/// The maximum length of a sitemap or an index by the protocol, in bytes after inflating: 50 MiB. No more is read.
pub(in super::super) const MAX_BYTES: usize = 50 * 1024 * 1024;

/// The maximum number of URLs of a sitemap or an index by the protocol. More are read, with a warning.
pub(super) const MAX_URLS: u64 = 50_000;

/// The number of bytes at the start of a file in which an XML declaration ends.
const DECLARATION_BYTES: usize = 1024;

/// The number of bytes in which namespaces are compared. Without a limit, the work would be their length times the number of elements.
const NAMESPACE_BYTES: usize = 256;

/// The elements in which the protocol puts a URL: the root, its children, and theirs.
const URL_DEPTH: usize = 3;

/// The kind of a file, by its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A list of pages: `urlset`.
    Sitemap,
    /// A list of sitemaps: `sitemapindex`.
    Index,
}

impl Kind {
    /// Returns the element that has this kind as root.
    fn of_root(name: &str) -> Option<Self> {
        match name {
            "urlset" => Some(Self::Sitemap),
            "sitemapindex" => Some(Self::Index),
            _ => None,
        }
    }

    /// Returns the name of the children of the root.
    pub(super) fn entry(self) -> &'static str {
        match self {
            Self::Sitemap => "url",
            Self::Index => "sitemap",
        }
    }
}

/// A place of a text at which it is not XML, or not a sitemap. The text before it was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Damage {
    /// The 1-based line.
    pub(super) line: u64,
    /// The 0-based offset in the text as UTF-8, in bytes.
    pub(super) byte: usize,
    pub(super) what: String,
}

/// A URL with its 1-based line, or the reason why an entry has none.
pub(super) type Loc = (u64, Result<String, String>);

/// Returns whether a file is XML, by its first bytes: they begin with `<`, after a byte order mark and white space.
pub(super) fn is_xml(start: &[u8]) -> bool {
    let (encoding, mark) = Encoding::for_bom(start).unwrap_or((UTF_8, 0));
    let start = start.get(mark..).unwrap_or_default();
    let is_ignored = |byte: &u8| byte.is_ascii_whitespace() || (encoding != UTF_8 && *byte == 0);
    let first = start.iter().find(|byte| !is_ignored(byte));
    first == Some(&b'<') || start.starts_with(b"\0<")
}

/// Returns the text of a file, decoded by its byte order mark or its XML declaration. Bytes that are not text become U+FFFD.
pub(super) fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    let encoding = match (Encoding::for_bom(bytes), bytes) {
        (Some((encoding, _)), _) => encoding,
        (None, [b'<', 0, ..]) => UTF_16LE,
        (None, [0, b'<', ..]) => UTF_16BE,
        _ => declared(bytes)?,
    };
    Ok(encoding.decode(bytes).0)
}

/// Returns the encoding that an XML declaration in ASCII names, or UTF-8.
fn declared(bytes: &[u8]) -> Result<&'static Encoding, String> {
    let start = bytes.get(..DECLARATION_BYTES).unwrap_or(bytes);
    let start = String::from_utf8_lossy(start);
    let declaration = start.trim_start().strip_prefix("<?xml");
    let declaration = declaration.and_then(|rest| rest.split_once("?>"));
    let value = declaration.and_then(|(attributes, _)| {
        let (_, after) = attributes.split_once("encoding")?;
        let value = after.trim_start().strip_prefix('=')?.trim_start();
        let quote = value
            .chars()
            .next()
            .filter(|first| matches!(first, '"' | '\''))?;
        value.get(1..)?.split(quote).next()
    });
    let Some(name) = value else {
        return Ok(UTF_8);
    };
    match Encoding::for_label(name.as_bytes()) {
        // The declaration was read as ASCII, so the text is not UTF-16.
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => Ok(UTF_8),
        Some(encoding) => Ok(encoding),
        None => Err(format!("unknown encoding {name:?}")),
    }
}

/// Calls `visit` with the kind and each entry of a sitemap or an index. Returns the kind, or the place at which the text is damaged. An error of
/// `visit` ends the work.
pub(super) fn read<E>(
    text: &str,
    mut visit: impl FnMut(Kind, Loc) -> Result<(), E>,
) -> Result<Result<Kind, Damage>, E> {
    let mut xml = NsReader::from_str(text);
    let config = xml.config_mut();
    config.expand_empty_elements = true;
    // An unescaped `&` costs its URL, not the rest of the file.
    config.allow_dangling_amp = true;
    let mut lines = LineCount {
        text,
        at: 0,
        line: 1,
    };
    let mut tree = Tree::default();
    loop {
        let begin = position(&xml);
        let event = match xml.read_event() {
            Ok(event) => event,
            Err(error) => {
                // Not every error sets its position.
                let at = usize::try_from(xml.error_position()).unwrap_or(text.len());
                let at = at.max(begin);
                return Ok(Err(lines.damage(at, error.to_string())));
            }
        };
        match event {
            Event::Start(start) => {
                let name = start.local_name();
                let resolved = xml.resolver().resolve_element(start.name()).0;
                if let Err(what) = tree.open(name.as_ref(), namespace(&resolved)) {
                    return Ok(Err(lines.damage(begin, what)));
                }
            }
            Event::End(_) => {
                if let Some((kind, url)) = tree.close() {
                    visit(kind, (lines.line_of(begin), url))?;
                }
            }
            Event::Text(text) => tree.add_text(&text.xml10_content()),
            Event::CData(text) => tree.add(&text.xml10_content()),
            Event::GeneralRef(reference) => tree.add_reference(&reference),
            Event::Eof => break,
            // `Empty` is expanded to `Start` and `End`.
            Event::Empty(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
        }
    }
    let end = text.len();
    Ok(match tree.kind {
        Some(kind) if tree.depth == 0 => Ok(kind),
        Some(_) => Err(lines.damage(end, "the file ends before its last end tag".to_owned())),
        None => Err(lines.damage(end, "no element in this file".to_owned())),
    })
}

fn position(xml: &NsReader<&[u8]>) -> usize {
    usize::try_from(xml.buffer_position()).unwrap_or(usize::MAX)
}

/// Returns the start of the namespace of an element; of one whose prefix is not declared, that of the prefix.
fn namespace<'r>(resolved: &'r ResolveResult<'_>) -> &'r [u8] {
    let name = match resolved {
        ResolveResult::Bound(namespace) => namespace.0.as_bytes(),
        ResolveResult::Unknown(prefix) => prefix.as_bytes(),
        ResolveResult::Unbound => &[],
    };
    name.get(..NAMESPACE_BYTES).unwrap_or(name)
}

/// The numbers of lines, counted forwards.
struct LineCount<'t> {
    text: &'t str,
    at: usize,
    line: u64,
}

impl LineCount<'_> {
    /// Returns the 1-based line of an offset that is not before the last one.
    fn line_of(&mut self, offset: usize) -> u64 {
        let between = self
            .text
            .as_bytes()
            .get(self.at..offset)
            .unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', between).count() as u64;
        self.at = self.at.max(offset);
        self.line
    }

    fn damage(&mut self, byte: usize, what: String) -> Damage {
        let line = self.line_of(byte);
        Damage { line, byte, what }
    }
}

/// The open elements, and the URL within them.
#[derive(Default)]
struct Tree {
    kind: Option<Kind>,
    /// The start of the namespace of the root.
    namespace: Vec<u8>,
    depth: usize,
    /// The number of open elements, from the root, that the protocol has.
    known_depth: usize,
    /// Whether the open entry had a `loc`.
    has_url: bool,
    url: String,
    /// The first mistake in the URL.
    mistake: Option<String>,
}

impl Tree {
    /// Opens an element. Fails if it is a root, but not that of a sitemap.
    fn open(&mut self, name: &str, namespace: &[u8]) -> Result<(), String> {
        self.depth += 1;
        let is_known = match (self.depth, self.kind) {
            (1, None) => {
                let kind = Kind::of_root(name);
                self.kind = Some(kind.ok_or_else(|| {
                    format!("expected a sitemap (urlset) or an index (sitemapindex), not <{name}>")
                })?);
                self.namespace = namespace.to_vec();
                true
            }
            (1, Some(_)) => return Err(format!("a second root, <{name}>")),
            (2, Some(kind)) => name == kind.entry() && namespace == self.namespace,
            (URL_DEPTH, _) => name == "loc" && namespace == self.namespace,
            _ => false,
        };
        if !is_known || self.known_depth + 1 != self.depth {
            return Ok(());
        }
        self.known_depth = self.depth;
        if self.depth == URL_DEPTH {
            self.has_url = true;
            self.url.clear();
            self.mistake = None;
        } else {
            self.has_url = false;
        }
        Ok(())
    }

    /// Closes the innermost element. Returns the URL if it is that of an entry.
    fn close(&mut self) -> Option<(Kind, Result<String, String>)> {
        let is_known = self.depth == self.known_depth;
        self.depth = self.depth.saturating_sub(1);
        self.known_depth = self.known_depth.min(self.depth);
        let kind = self.kind.filter(|_| is_known)?;
        match self.depth + 1 {
            URL_DEPTH => Some((kind, self.url())),
            2 if !self.has_url => Some((kind, Err(format!("<{}> without <loc>", kind.entry())))),
            _ => None,
        }
    }

    fn url(&mut self) -> Result<String, String> {
        let url = self.url.trim();
        match self.mistake.take() {
            Some(mistake) => Err(format!("{mistake} in {url:?}")),
            None if url.is_empty() => Err("<loc> is empty".to_owned()),
            None if url.contains(char::REPLACEMENT_CHARACTER) => {
                Err(format!("{url:?} is not in the encoding of the file"))
            }
            None => Ok(url.to_owned()),
        }
    }

    /// Adds a text of the innermost element, if it is a `loc`.
    fn add(&mut self, text: &str) {
        if self.known_depth == URL_DEPTH && self.depth == URL_DEPTH {
            self.url.push_str(text);
        }
    }

    /// Adds a text that is not CDATA.
    fn add_text(&mut self, text: &str) {
        self.add(text);
        if text.contains('&') {
            self.note("expected &amp; for &".to_owned());
        }
    }

    fn add_reference(&mut self, reference: &BytesRef<'_>) {
        let name: &str = reference;
        let character = reference.resolve_char_ref().ok().flatten();
        match (character, quick_xml::escape::resolve_xml_entity(name)) {
            (Some(character), _) => self.add(character.encode_utf8(&mut [0; 4])),
            (None, Some(text)) => self.add(text),
            (None, None) => {
                self.note(format!("unknown entity &{name};"));
                self.add(&format!("&{name};"));
            }
        }
    }

    fn note(&mut self, mistake: String) {
        self.mistake.get_or_insert(mistake);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// Returns the entries of a text, and its kind or damage.
    fn entries(text: &str) -> (Vec<Loc>, Result<Kind, Damage>) {
        let mut entries = Vec::new();
        let Ok(end) = read(text, |_, entry| {
            entries.push(entry);
            Ok::<_, Infallible>(())
        });
        (entries, end)
    }

    fn urls(text: &str) -> Vec<String> {
        let (entries, end) = entries(text);
        assert!(end.is_ok(), "{text}: {end:?}");
        entries.into_iter().map(|(_, url)| url.unwrap()).collect()
    }

    const NAMESPACE: &str = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'";

    #[test]
    fn only_the_urls_of_pages_count() {
        let text = format!(
            "<?xml version='1.0'?><!-- <url><loc>no</loc></url> --><urlset {NAMESPACE} xmlns:image='i' xmlns:x='http://www.w3.org/1999/xhtml'>
            <url><loc>
              https://a.example/1
            </loc><image:image><image:loc>no</image:loc></image:image><x:link href='no'/><lastmod>2026</lastmod></url>
            <url><image:loc>no</image:loc><loc>/<![CDATA[2?a&b]]></loc></url>
            <other><loc>no</loc></other><image:url><loc>no</loc></image:url>
            <url><more><loc>no</loc></more><loc>/3</loc></url></urlset>"
        );
        assert_eq!(urls(&text), ["https://a.example/1", "/2?a&b", "/3"]);
        // Two prefixes may name one namespace, and one name may be in another namespace.
        let prefixes = "<s:urlset xmlns:s='n' xmlns:t='n' xmlns:u='o'><t:url><s:loc>/1</s:loc></t:url>\
            <url><loc>no</loc></url><s:url><u:loc>no</u:loc><s:loc>/2</s:loc></s:url></s:urlset>";
        assert_eq!(urls(prefixes), ["/1", "/2"]);
        let undeclared = "<s:urlset><s:url><s:loc>/1</s:loc></s:url></s:urlset>";
        assert_eq!(urls(undeclared), ["/1"]);
        assert_eq!(urls("<urlset><url><loc>/1</loc></url></urlset>"), ["/1"]);
        let index =
            "<sitemapindex><sitemap><loc>/s</loc></sitemap><url><loc>no</loc></url></sitemapindex>";
        assert_eq!(entries(index).1, Ok(Kind::Index));
        assert_eq!(urls(index), ["/s"]);
        assert_eq!(urls("<urlset/>"), Vec::<String>::new());
    }

    #[test]
    fn references_are_characters_and_mistakes_cost_one_url() {
        let url = |loc: &str| {
            let text =
                format!("<urlset>\n<url><loc>{loc}</loc></url>\n<url><loc>/z</loc></url></urlset>");
            let (mut entries, end) = entries(&text);
            assert_eq!(end, Ok(Kind::Sitemap), "{loc}");
            assert_eq!(entries.pop(), Some((3, Ok("/z".to_owned()))), "{loc}");
            let (line, url) = entries.pop().unwrap();
            assert_eq!(line, 2);
            url
        };
        let good = url("/?a=1&amp;b=&#50;&#x33;&lt;&apos;").unwrap();
        assert_eq!(good, "/?a=1&b=23<'");
        assert_eq!(url("/a<!-- b -->c").unwrap(), "/ac");
        for (loc, mistake) in [
            ("/?a=1&b=2", "expected &amp; for &"),
            ("/?a=1&", "expected &amp; for &"),
            ("/&eacute;", "unknown entity &eacute;"),
            ("/&#0;", "unknown entity &#0;"),
            ("/&#x110000;", "unknown entity &#x110000;"),
            ("/\u{fffd}", "not in the encoding"),
            (" ", "<loc> is empty"),
            ("", "<loc> is empty"),
        ] {
            let error = url(loc).unwrap_err();
            assert!(error.contains(mistake), "{loc}: {error}");
        }
        let (without, _) = entries("<urlset><url><lastmod/></url><url/></urlset>");
        let error = Err("<url> without <loc>".to_owned());
        assert_eq!(without, [(1, error.clone()), (1, error)]);
    }

    #[test]
    fn damage_has_a_place_and_ends_the_reading() {
        for (text, line, what) in [
            (
                "<urlset>\n<url><loc>/1</loc></url>\n<url><loc>/2",
                3,
                "ends before its last end tag",
            ),
            ("<urlset>\n<url><loc>/1</loc></url>\n</url>", 3, "urlset"),
            (
                "<urlset>\n<url><loc>/1</loc></url>\n<url><loc>/2</url>",
                3,
                "loc",
            ),
            ("<urlset>\n<url><loc>/1</loc></url>\n<![CDATA[", 3, "CDATA"),
            (
                "<urlset>\n<url><loc>/1</loc></url></urlset>\n<urlset/>",
                3,
                "second root",
            ),
        ] {
            let (entries, end) = entries(text);
            assert_eq!(entries, [(2, Ok("/1".to_owned()))], "{text}");
            let damage = end.unwrap_err();
            assert_eq!(damage.line, line, "{text}: {damage:?}");
            assert!(damage.what.contains(what), "{text}: {damage:?}");
        }
        for (text, what) in [
            (
                "<!doctype html><html><url><loc>/1</loc></url></html>",
                "not <html>",
            ),
            ("<rss><url><loc>/1</loc></url></rss>", "not <rss>"),
            ("<!-- nothing -->", "no element"),
        ] {
            let (entries, end) = entries(text);
            assert_eq!(entries, [], "{text}");
            let damage = end.unwrap_err();
            assert!(damage.what.contains(what), "{text}: {damage:?}");
        }
    }

    #[test]
    fn encodings_are_those_of_xml() {
        let text = "<urlset><url><loc>/caf\u{e9}</loc></url></urlset>";
        let wide = |to_bytes: fn(u16) -> [u8; 2], mark: &[u8]| {
            let units = text.encode_utf16().flat_map(to_bytes);
            [mark, &units.collect::<Vec<u8>>()].concat()
        };
        let with = |declaration: &str, body: &[u8]| [declaration.as_bytes(), body].concat();
        let latin = b"<urlset><url><loc>/caf\xe9</loc></url></urlset>";
        for bytes in [
            text.as_bytes().to_vec(),
            with("\u{feff}", text.as_bytes()),
            with(
                "\n <?xml version=\"1.0\" encoding=\"utf-8\"?>",
                text.as_bytes(),
            ),
            with("<?xml version='1.0' encoding = 'UTF-16'?>", text.as_bytes()),
            with("<?xml version='1.0' encoding='ISO-8859-1'?>", latin),
            wide(u16::to_le_bytes, b"\xff\xfe"),
            wide(u16::to_be_bytes, b"\xfe\xff"),
            wide(u16::to_le_bytes, b""),
            wide(u16::to_be_bytes, b""),
        ] {
            assert!(is_xml(&bytes), "{bytes:?}");
            assert_eq!(urls(&decoded(&bytes).unwrap()), ["/caf\u{e9}"], "{bytes:?}");
        }
        let unknown = b"<?xml version='1.0' encoding='klingon'?><urlset/>";
        assert_eq!(
            decoded(unknown).unwrap_err(),
            "unknown encoding \"klingon\""
        );
        for bytes in [
            &b""[..],
            b"https://a.example/",
            b"# <",
            b"/x\n<",
            b"\xff\xfeh\0",
        ] {
            assert!(!is_xml(bytes), "{bytes:?}");
        }
    }

    /// If an element cost as much as all namespaces, or the length of one, this test would take hours.
    #[test]
    fn work_is_linear() {
        let name = "n".repeat(100_000);
        let many = "<url/>".repeat(100_000);
        let long = format!("<urlset xmlns='{name}'>{many}</urlset>");
        assert_eq!(entries(&long).0.len(), 100_000);
        let deep = "<a xmlns:b='c'>".repeat(100_000);
        let damage = entries(&format!("<urlset>{deep}")).1.unwrap_err();
        assert!(damage.what.contains("namespace"), "{damage:?}");
        assert!(damage.byte > 1_000, "{damage:?}");
        let deep = "<a>".repeat(1_000_000);
        assert!(entries(&format!("<urlset>{deep}")).1.is_err());
    }
}
