//! The encoding of a page, found as the HTML standard finds it.
//!
//! Encoding sniffing (HTML, 13.2.3.2, read 2026-11-21) takes the first of these that is present: a byte
//! order mark; the charset of the transport; a META that names an encoding within the first 1,024
//! bytes, which a prescan finds; an XML declaration; the fallback.
//!
//! Nothing is copied: names and values are slices of the page, compared without regard to case.

use crate::page::EncodingSource;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// The number of bytes of a page that are searched for a META that names its encoding.
pub(crate) const PRESCAN_BYTES: usize = 1_024;

/// The encoding that the transport names.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EncodingHints {
    pub(crate) transport: Option<&'static Encoding>,
}

/// The encoding of a page by its first bytes and the hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sniffed {
    pub(crate) encoding: &'static Encoding,
    /// The length of the byte order mark in bytes; 0 without one.
    pub(crate) mark_length: usize,
    pub(crate) source: EncodingSource,
}

impl EncodingHints {
    /// Returns the number of bytes at the start of a page that decide its encoding.
    pub(crate) fn bytes_needed(self) -> usize {
        if self.transport.is_some() {
            // Only a byte order mark overrides the transport, and the longest has three bytes.
            3
        } else {
            PRESCAN_BYTES
        }
    }

    /// Returns the encoding of a page that begins with `start`.
    pub(crate) fn sniff(self, start: &[u8]) -> Sniffed {
        if let Some((encoding, mark_length)) = Encoding::for_bom(start) {
            return Sniffed {
                encoding,
                mark_length,
                source: EncodingSource::ByteOrderMark,
            };
        }
        let (encoding, source) = if let Some(encoding) = self.transport {
            (encoding, EncodingSource::Transport)
        } else {
            let start = start.get(..PRESCAN_BYTES).unwrap_or(start);
            named_in(start).unwrap_or((WINDOWS_1252, EncodingSource::Fallback))
        };
        Sniffed {
            encoding,
            mark_length: 0,
            source,
        }
    }
}

/// Returns the encoding of a label ([`Encoding::for_label`]).
pub(crate) fn of_label(label: &[u8]) -> Option<&'static Encoding> {
    // Most pages have this label. Searching the list of labels takes longer.
    if label.eq_ignore_ascii_case(b"utf-8") {
        Some(UTF_8)
    } else {
        Encoding::for_label(label)
    }
}

/// Returns the encoding that a META element of the page names once it is in the tree (HTML, 4.2.5.4
/// and 13.2.6.4.4), from the values of its attributes.
///
/// Unlike in the prescan, a `charset` without a known encoding does not override `http-equiv` and
/// `content`.
pub(crate) fn of_meta(
    charset: Option<&str>,
    http_equiv: Option<&str>,
    content: Option<&str>,
) -> Option<&'static Encoding> {
    charset
        .and_then(|label| of_label(label.as_bytes()))
        .or_else(|| {
            http_equiv.filter(|pragma| is_content_type(pragma.as_bytes()))?;
            from_content(content?.as_bytes())
        })
        .map(actual_encoding)
}

/// Returns the encoding that the start of a page names, and its source: "Prescan a byte stream to determine
/// its encoding" (HTML, 13.2.3.2), step by step.
fn named_in(start: &[u8]) -> Option<(&'static Encoding, EncodingSource)> {
    let declared = |encoding| (encoding, EncodingSource::XmlDeclaration);
    // An XML declaration in UTF-16.
    if start.starts_with(b"<\0?\0x\0") {
        return Some(declared(UTF_16LE));
    }
    if start.starts_with(b"\0<\0?\0x") {
        return Some(declared(UTF_16BE));
    }
    prescan(start)
        .map(|encoding| (encoding, EncodingSource::Prescan))
        .or_else(|| from_xml(start).map(declared))
}

/// Returns the encoding of the first META that names one: the loop of the prescan. `None` if the
/// bytes run out.
fn prescan(start: &[u8]) -> Option<&'static Encoding> {
    let mut bytes = Bytes(start);
    loop {
        bytes.pass(b'<')?;
        match *bytes.0 {
            [b'!', b'-', b'-', ..] => bytes.pass_comment()?,
            [b'/', letter, ..] | [letter, ..] if letter.is_ascii_alphabetic() => {
                if let Some(attributes) = after_meta_name(bytes.0) {
                    bytes.0 = attributes;
                    if let Some(encoding) = bytes.meta().ok()? {
                        return Some(encoding);
                    }
                } else {
                    let is_end = |&byte: &u8| is_space(byte) || byte == b'>';
                    bytes.0 = bytes.0.get(bytes.0.iter().position(is_end)?..)?;
                    while bytes.attribute().ok()?.is_some() {}
                }
            }
            [b'!' | b'/' | b'?', ..] => bytes.pass(b'>')?,
            _ => {}
        }
    }
}

/// Returns the text after the name of a META, if `tag`, which follows a `<`, is one.
fn after_meta_name(tag: &[u8]) -> Option<&[u8]> {
    let (name, after) = tag.split_at_checked(b"meta".len())?;
    let is_meta = name.eq_ignore_ascii_case(b"meta")
        && after
            .first()
            .is_some_and(|&byte| is_space(byte) || byte == b'/');
    is_meta.then_some(after)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0C' | b'\r' | b' ')
}

/// Returns whether a name of an attribute ends before this byte, unless it is the name's first.
fn ends_name(byte: u8) -> bool {
    // All are below 64, so this is one test of one bit: no table is faster.
    is_space(byte) || matches!(byte, b'/' | b'=' | b'>')
}

/// Returns whether a value of `http-equiv` declares `content` to be that of a `Content-Type`
/// header.
fn is_content_type(pragma: &[u8]) -> bool {
    pragma.eq_ignore_ascii_case(b"content-type")
}

/// An error: the bytes ended within a tag, so the prescan ends.
struct OutOfBytes;

/// The name and value of an attribute, as written.
type Attribute<'a> = (&'a [u8], &'a [u8]);

/// The bytes that remain to be searched.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// Reads the attributes of a META. Returns the encoding that they name, if any.
    fn meta(&mut self) -> Result<Option<&'static Encoding>, OutOfBytes> {
        let mut charset: Option<&[u8]> = None;
        let mut http_equiv: Option<&[u8]> = None;
        let mut content: Option<&[u8]> = None;
        while let Some((name, value)) = self.attribute()? {
            let slot = if name.eq_ignore_ascii_case(b"charset") {
                &mut charset
            } else if name.eq_ignore_ascii_case(b"content") {
                &mut content
            } else if name.eq_ignore_ascii_case(b"http-equiv") {
                &mut http_equiv
            } else {
                continue;
            };
            // The first of several with one name counts.
            slot.get_or_insert(value);
        }
        // A `charset` decides, whatever its position and value.
        let named = match (charset, content) {
            (Some(label), _) => of_label(label),
            (None, Some(content)) if http_equiv.is_some_and(is_content_type) => {
                from_content(content)
            }
            _ => None,
        };
        Ok(named.map(actual_encoding))
    }

    /// Reads an attribute ("get an attribute"); `None` at the end of the tag.
    fn attribute(&mut self) -> Result<Option<Attribute<'a>>, OutOfBytes> {
        self.skip(|byte| is_space(byte) || byte == b'/');
        let (&first, after) = self.0.split_first().ok_or(OutOfBytes)?;
        if first == b'>' {
            return Ok(None);
        }
        // The name: its first byte may be an equals sign.
        let name_end = after
            .iter()
            .position(|&byte| ends_name(byte))
            .ok_or(OutOfBytes)?
            + 1;
        let (name, after) = self.0.split_at_checked(name_end).ok_or(OutOfBytes)?;
        self.0 = after;
        self.skip(is_space);
        let (&next, after) = self.0.split_first().ok_or(OutOfBytes)?;
        if next != b'=' {
            return Ok(Some((name, &[])));
        }
        // The value.
        self.0 = after;
        self.skip(is_space);
        let (&quote, after) = self.0.split_first().ok_or(OutOfBytes)?;
        let value = if quote == b'"' || quote == b'\'' {
            let end = memchr::memchr(quote, after).ok_or(OutOfBytes)?;
            let (value, after) = after.split_at_checked(end).ok_or(OutOfBytes)?;
            self.0 = after.get(1..).ok_or(OutOfBytes)?;
            value
        } else {
            let end = self
                .0
                .iter()
                .position(|&byte| is_space(byte) || byte == b'>')
                .ok_or(OutOfBytes)?;
            let (value, after) = self.0.split_at_checked(end).ok_or(OutOfBytes)?;
            self.0 = after;
            value
        };
        Ok(Some((name, value)))
    }

    /// Skips to the byte after the next one of this value.
    fn pass(&mut self, byte: u8) -> Option<()> {
        let at = memchr::memchr(byte, self.0)?;
        self.0 = self.0.get(at + 1..)?;
        Some(())
    }

    /// Skips a comment, whose `<` has been read.
    fn pass_comment(&mut self) -> Option<()> {
        // It may end with the hyphens that it begins with: `<!-->`.
        let end = memchr::memchr_iter(b'>', self.0).find(|&at| {
            self.0
                .get(..at)
                .is_some_and(|comment| comment.ends_with(b"--"))
        })?;
        self.0 = self.0.get(end + 1..)?;
        Some(())
    }

    fn skip(&mut self, what: impl Fn(u8) -> bool) {
        while let [byte, rest @ ..] = self.0 {
            if !what(*byte) {
                break;
            }
            self.0 = rest;
        }
    }
}

/// Returns the encoding that the standard uses in place of the one that a META names. A page whose META can be read
/// as ASCII is not in UTF-16: it is read as UTF-8. `x-user-defined` is read as windows-1252.
fn actual_encoding(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// Returns the encoding that an XML declaration names: "get an XML encoding" (HTML, 13.2.3.2).
fn from_xml(start: &[u8]) -> Option<&'static Encoding> {
    let declaration = start.strip_prefix(b"<?xml")?;
    let declaration = declaration.get(..memchr::memchr(b'>', declaration)?)?;
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let mut rest = Bytes(declaration.get(at..)?.get(b"encoding".len()..)?);
    rest.skip(|byte| byte <= b' ');
    let mut rest = Bytes(rest.0.strip_prefix(b"=")?);
    rest.skip(|byte| byte <= b' ');
    let (quote, after) = rest.0.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let label = after.get(..memchr::memchr(*quote, after)?)?;
    if label.iter().any(|&byte| byte <= b' ') {
        return None;
    }
    let encoding = of_label(label)?;
    // Unlike `actual_encoding`, which is for METAs: here the standard leaves `x-user-defined` as it is.
    let is_wide = encoding == UTF_16BE || encoding == UTF_16LE;
    Some(if is_wide { UTF_8 } else { encoding })
}

/// Returns the encoding that a `content` names: "extracting a character encoding from a meta
/// element" (HTML, 2.6.3).
fn from_content(content: &[u8]) -> Option<&'static Encoding> {
    // The first equals sign after the seven bytes of `charset`, with nothing but white space between.
    let after = memchr::memchr_iter(b'=', content).find_map(|at| {
        let (before, after) = content.split_at_checked(at)?;
        before
            .trim_ascii_end()
            .last_chunk::<7>()
            .filter(|word| word.eq_ignore_ascii_case(b"charset"))?;
        after.get(1..)
    })?;
    let label = match after.trim_ascii_start() {
        [quote @ (b'"' | b'\''), after @ ..] => after.get(..memchr::memchr(*quote, after)?)?,
        after => after
            .split(|&byte| is_space(byte) || byte == b';')
            .next()
            .unwrap_or_default(),
    };
    of_label(label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{EUC_JP, GBK};
    use proptest::prelude::*;

    fn sniffed(page: &[u8]) -> &'static str {
        EncodingHints::default().sniff(page).encoding.name()
    }

    #[test]
    fn a_byte_order_mark_overrides_everything() {
        let hints = EncodingHints {
            transport: Some(UTF_8),
        };
        let found = hints.sniff(b"\xFF\xFE<\0");
        assert_eq!((found.encoding, found.mark_length), (UTF_16LE, 2));
        assert_eq!(found.source, EncodingSource::ByteOrderMark);
        assert_eq!(hints.sniff(b"\xFE\xFF").encoding, UTF_16BE);
        assert_eq!(hints.sniff(b"\xEF\xBB\xBF").mark_length, 3);
    }

    #[test]
    fn the_source_is_reported() {
        let hints = EncodingHints::default();
        let cases: [(&[u8], _, _); 8] = [
            (b"<meta charset=gbk>", GBK, EncodingSource::Prescan),
            (
                b"<?xml encoding='gbk'?>",
                GBK,
                EncodingSource::XmlDeclaration,
            ),
            (
                b"<?xml encoding='gbk'?><meta charset=euc-jp>",
                EUC_JP,
                EncodingSource::Prescan,
            ),
            (b"<\0?\0x\0m\0", UTF_16LE, EncodingSource::XmlDeclaration),
            (b"\0<\0?\0x\0m", UTF_16BE, EncodingSource::XmlDeclaration),
            (b"<\0h\0", WINDOWS_1252, EncodingSource::Fallback),
            (b"<p>", WINDOWS_1252, EncodingSource::Fallback),
            (b"", WINDOWS_1252, EncodingSource::Fallback),
        ];
        for (page, encoding, source) in cases {
            let found = hints.sniff(page);
            let expected = Sniffed {
                encoding,
                mark_length: 0,
                source,
            };
            assert_eq!(found, expected, "{}", page.escape_ascii());
            let hints = EncodingHints {
                transport: Some(EUC_JP),
            };
            let expected = Sniffed {
                encoding: EUC_JP,
                mark_length: 0,
                source: EncodingSource::Transport,
            };
            assert_eq!(hints.sniff(page), expected);
        }
        assert_eq!(hints.bytes_needed(), PRESCAN_BYTES);
    }

    #[test]
    fn metas_that_name_an_encoding() {
        let cases: [(&str, &str); 45] = [
            ("<meta charset=koi8-r>", "KOI8-R"),
            ("<META CharSet='Shift_JIS'>", "Shift_JIS"),
            ("<meta/charset=\"utf-8\"/>", "UTF-8"),
            ("<meta charset=utf-16le>", "UTF-8"),
            ("<meta charset=x-user-defined>", "windows-1252"),
            ("<meta charset=nonsense><meta charset=gbk>", "GBK"),
            (
                "<meta http-equiv=Content-Type content='text/html; charset=euc-jp'>",
                "EUC-JP",
            ),
            (
                "<meta content='text/html;charset = \"euc-jp\" ' http-equiv=content-type>",
                "EUC-JP",
            ),
            ("<meta content='text/html; charset=euc-jp'>", "windows-1252"),
            ("<!-- <meta charset=gbk> --><meta charset=utf-8>", "UTF-8"),
            ("<!--><meta charset=utf-8>", "UTF-8"),
            (
                "<title a='<meta charset=gbk>'><meta charset=utf-8>",
                "UTF-8",
            ),
            ("<script>x</script a=b><meta charset=utf-8>", "UTF-8"),
            ("<meta charset=gbk charset=utf-8>", "GBK"),
            ("<metas charset=gbk>", "windows-1252"),
            ("<?xml?><!x><meta charset=gbk>", "GBK"),
            // The bytes end within the tag.
            ("<meta charset=gbk", "windows-1252"),
            ("<meta charset=gbk ", "windows-1252"),
            ("<meta charset=gbk /", "windows-1252"),
            // An XML declaration: a META overrides it, it must be at the start, and its label must be quoted.
            ("<?xml version='1.0' encoding='EUC-JP'?><html>", "EUC-JP"),
            ("<?xml encoding = \"utf-16\"?>", "UTF-8"),
            ("<?xml encoding='euc-jp'?><meta charset=gbk>", "GBK"),
            (" <?xml encoding='euc-jp'?>", "windows-1252"),
            ("<?xml encoding=euc-jp?>", "windows-1252"),
            // The first two are not start tags of a META.
            ("< meta charset=gbk>", "windows-1252"),
            ("</meta charset=gbk>", "windows-1252"),
            ("<<meta charset=gbk>", "GBK"),
            ("<meta><meta charset=gbk>", "GBK"),
            ("<meta charset = \"gbk\">", "GBK"),
            ("<meta charset=\n' gbk '>", "GBK"),
            // The label is `gbk/`.
            ("<meta charset=gbk/>", "windows-1252"),
            ("<meta charset=gbk / >", "GBK"),
            ("<meta a/charset=gbk>", "GBK"),
            ("<meta a='b'charset=gbk>", "GBK"),
            // The names are `"charset` and `=charset`; the label is `=gbk`.
            ("<meta \"charset=gbk>", "windows-1252"),
            ("<meta =charset=gbk>", "windows-1252"),
            ("<meta charset==gbk>", "windows-1252"),
            ("<meta charset\n=gbk>", "GBK"),
            // Another tag ends at its first `>` that is not in a quoted value. A quote in a name or within a value opens none.
            ("<a =x><meta charset=gbk>", "GBK"),
            ("<a =\"><meta charset=gbk>\">", "GBK"),
            ("<a x =\">\"><meta charset=gbk>", "GBK"),
            ("<a x=y'><meta charset=gbk>'>", "GBK"),
            ("<a\"><meta charset=gbk>", "GBK"),
            ("</ ><meta charset=gbk>", "GBK"),
            ("<!-><meta charset=gbk>", "GBK"),
        ];
        for (page, expected) in cases {
            assert_eq!(sniffed(page.as_bytes()), expected, "{page}");
        }
    }

    #[test]
    fn the_first_of_repeated_attributes_counts() {
        let cases: [(&str, &str); 7] = [
            ("charset=gbk CHARSET=utf-8", "GBK"),
            ("charset=nonsense charset=gbk", "windows-1252"),
            ("charset charset=gbk", "windows-1252"),
            (
                "http-equiv=refresh HTTP-EQUIV=content-type content='charset=gbk'",
                "windows-1252",
            ),
            (
                "http-equiv=content-type http-equiv=refresh content='charset=gbk'",
                "GBK",
            ),
            (
                "content=x content='charset=gbk' http-equiv=content-type",
                "windows-1252",
            ),
            (
                "content='charset=gbk' content='charset=utf-8' http-equiv=content-type",
                "GBK",
            ),
        ];
        for (attributes, expected) in cases {
            let page = format!("<meta {attributes}>");
            assert_eq!(sniffed(page.as_bytes()), expected, "{page}");
        }
    }

    #[test]
    fn a_charset_overrides_a_content_in_any_order() {
        let pragma = "http-equiv=content-type content='text/html; charset=gbk'";
        for (charset, expected) in [("utf-8", "UTF-8"), ("nonsense", "windows-1252")] {
            for page in [
                format!("<meta charset={charset} {pragma}>"),
                format!("<meta {pragma} charset={charset}>"),
            ] {
                assert_eq!(sniffed(page.as_bytes()), expected, "{page}");
            }
        }
    }

    #[test]
    fn metas_in_the_tree() {
        let gbk = Some("text/html; charset=gbk");
        let pragma = Some("Content-TYPE");
        assert_eq!(of_meta(Some(" GB2312\n"), None, None), Some(GBK));
        assert_eq!(of_meta(Some("utf-8"), pragma, gbk), Some(UTF_8));
        assert_eq!(of_meta(Some("nonsense"), pragma, gbk), Some(GBK));
        assert_eq!(of_meta(None, pragma, gbk), Some(GBK));
        assert_eq!(of_meta(None, Some("refresh"), gbk), None);
        assert_eq!(of_meta(None, Some(" content-type"), gbk), None);
        assert_eq!(of_meta(None, None, gbk), None);
        assert_eq!(of_meta(None, pragma, None), None);
        assert_eq!(of_meta(Some(""), None, None), None);
        for wide in ["utf-16", "UTF-16BE", "unicode"] {
            assert_eq!(of_meta(Some(wide), None, None), Some(UTF_8));
        }
        let user_defined = Some("charset=x-user-defined");
        assert_eq!(of_meta(None, pragma, user_defined), Some(WINDOWS_1252));
    }

    #[test]
    fn contents_that_name_an_encoding() {
        let cases = [
            ("charset=gbk", Some(GBK)),
            ("xCHARSET \t=\n gbk;x", Some(GBK)),
            ("charset=gbk x", Some(GBK)),
            ("charset='gbk'x", Some(GBK)),
            ("charset=\" gbk \"", Some(GBK)),
            ("charset='gbk", None),
            ("charset=\"gbk'", None),
            ("charset=gbk'", None),
            ("charset charset=gbk", Some(GBK)),
            ("charset; charset=gbk", Some(GBK)),
            ("charset-charset=gbk", Some(GBK)),
            ("a=b;charset=gbk", Some(GBK)),
            ("charset=x;charset=gbk", None),
            ("charset=;charset=gbk", None),
            ("charset==gbk", None),
            ("charset\u{b}=gbk", None),
            ("charset=", None),
            ("charset", None),
            ("harset=gbk", None),
            ("=gbk", None),
            ("", None),
        ];
        for (content, expected) in cases {
            let found = of_meta(None, Some("content-type"), Some(content));
            assert_eq!(found, expected, "{content}");
        }
    }

    #[test]
    fn the_prescan_ends_at_its_limit() {
        let page = |padding: usize| {
            let mut page = vec![b' '; padding];
            page.extend_from_slice(b"<meta charset=gbk>");
            page
        };
        let length = b"<meta charset=gbk>".len();
        assert_eq!(sniffed(&page(PRESCAN_BYTES - length - 1)), "GBK");
        assert_eq!(sniffed(&page(PRESCAN_BYTES - length)), "GBK");
        assert_eq!(sniffed(&page(PRESCAN_BYTES - length + 1)), "windows-1252");
    }

    #[test]
    fn a_meta_that_the_limit_cuts_names_nothing() {
        let meta = "<meta charset=gbk>";
        for inside in 0..meta.len() {
            let padding = " ".repeat(PRESCAN_BYTES - inside);
            let page = format!("{padding}{meta}{meta}");
            assert_eq!(sniffed(page.as_bytes()), "windows-1252", "{inside}");
            let declaration = "<?xml encoding='euc-jp'?>";
            let page = format!("{declaration}{}{meta}", &padding[declaration.len()..]);
            assert_eq!(sniffed(page.as_bytes()), "EUC-JP", "{inside}");
        }
    }

    #[test]
    fn a_comment_at_the_limit() {
        let meta = "<meta charset=gbk>";
        // A comment that the limit cuts anywhere, or that ends there.
        for inside in 0..="<!-- -->".len() {
            let padding = " ".repeat(PRESCAN_BYTES - inside);
            let page = format!("{padding}<!-- -->{meta}");
            assert_eq!(sniffed(page.as_bytes()), "windows-1252", "{inside}");
            let page = format!("{meta}{}<!-- -->", &padding[meta.len()..]);
            assert_eq!(sniffed(page.as_bytes()), "GBK", "{inside}");
        }
        // The longest comment after which the META still ends at the limit; and one byte longer.
        let room = PRESCAN_BYTES - "<!-- -->".len() - meta.len();
        for (length, expected) in [(room, "GBK"), (room + 1, "windows-1252")] {
            let page = format!("<!-- {}-->{meta}", ">".repeat(length));
            assert_eq!(sniffed(page.as_bytes()), expected);
        }
        // A comment that ends past the limit hides its content.
        let page = format!("<!--{meta}{}-->{meta}", " ".repeat(PRESCAN_BYTES));
        assert_eq!(sniffed(page.as_bytes()), "windows-1252");
        for (comment, expected) in [
            ("<!-->", "GBK"),
            ("<!--->", "GBK"),
            ("<!---->", "GBK"),
            ("<!-- ->-->", "GBK"),
            ("<!-- --!>", "windows-1252"),
            ("<!--", "windows-1252"),
        ] {
            let page = format!("{comment}{meta}");
            assert_eq!(sniffed(page.as_bytes()), expected, "{page}");
        }
    }

    #[test]
    fn a_meta_that_is_cut_names_nothing() {
        let page = b"<meta http-equiv='content-type' content=\"text/html;charset='gbk'\" a/b = c>";
        assert_eq!(sniffed(page), "GBK");
        for length in 0..page.len() {
            assert_eq!(sniffed(&page[..length]), "windows-1252", "{length}");
            let _ = sniffed(&page[length..]);
        }
    }

    /// The standard's steps as they are written, byte for byte; `None` when the bytes run out.
    struct Literal<'a> {
        bytes: &'a [u8],
        position: usize,
    }

    impl Literal<'_> {
        fn byte(&self) -> Option<u8> {
            self.bytes.get(self.position).copied()
        }

        /// Advances to the next byte for which `is_wanted` is true, and returns it.
        fn advance_to(&mut self, is_wanted: impl Fn(u8) -> bool) -> Option<u8> {
            while !is_wanted(self.byte()?) {
                self.position += 1;
            }
            self.byte()
        }

        fn prescan(&mut self) -> Option<&'static Encoding> {
            loop {
                self.byte()?;
                let rest = &self.bytes[self.position..];
                let is_alphabetic = |at: usize| rest.get(at).is_some_and(u8::is_ascii_alphabetic);
                if rest.starts_with(b"<!--") {
                    self.position += 4;
                    self.advance_to(|byte| byte == b'>')?;
                    while !self.bytes[..self.position].ends_with(b"--") {
                        self.position += 1;
                        self.advance_to(|byte| byte == b'>')?;
                    }
                } else if rest.len() > 5
                    && rest[..5].eq_ignore_ascii_case(b"<meta")
                    && (is_space(rest[5]) || rest[5] == b'/')
                {
                    self.position += 5;
                    if let (true, encoding @ Some(_)) = self.meta()? {
                        return encoding;
                    }
                } else if rest[0] == b'<'
                    && (is_alphabetic(1) || (rest.get(1) == Some(&b'/') && is_alphabetic(2)))
                {
                    self.advance_to(|byte| is_space(byte) || byte == b'>')?;
                    while !self.attribute()?.0.is_empty() {}
                } else if rest[0] == b'<' && matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
                    self.advance_to(|byte| byte == b'>')?;
                }
                self.position += 1;
            }
        }

        /// Reads the attributes of a META. Returns whether they declare an encoding, and the encoding, if
        /// its label is known.
        fn meta(&mut self) -> Option<(bool, Option<&'static Encoding>)> {
            let mut list: Vec<Vec<u8>> = Vec::new();
            let mut got_pragma = false;
            // As long as this is null, so is the charset.
            let mut need_pragma = None;
            let mut charset = None;
            loop {
                let (name, value) = self.attribute()?;
                if name.is_empty() {
                    break;
                }
                if list.contains(&name) {
                    continue;
                }
                match name.as_slice() {
                    b"http-equiv" => got_pragma |= value == b"content-type",
                    b"content" if need_pragma.is_none() => {
                        charset = Self::extracted(&value);
                        need_pragma = charset.map(|_| true);
                    }
                    b"charset" => {
                        charset = Encoding::for_label(&value);
                        need_pragma = Some(false);
                    }
                    _ => {}
                }
                list.push(name);
            }
            let counts = need_pragma.is_some_and(|needed| !needed || got_pragma);
            Some((counts, charset.map(actual_encoding)))
        }

        /// Reads an attribute ("get an attribute"); the name is empty at the end of the tag.
        fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
            let (mut name, mut value) = (Vec::new(), Vec::new());
            if self.advance_to(|byte| !is_space(byte) && byte != b'/')? == b'>' {
                return Some((name, value));
            }
            loop {
                match self.byte()? {
                    b'=' if !name.is_empty() => break,
                    byte if is_space(byte) => {
                        if self.advance_to(|byte| !is_space(byte))? != b'=' {
                            return Some((name, value));
                        }
                        break;
                    }
                    b'/' | b'>' => return Some((name, value)),
                    byte => name.push(byte.to_ascii_lowercase()),
                }
                self.position += 1;
            }
            self.position += 1;
            let quote = self.advance_to(|byte| !is_space(byte))?;
            let is_quoted = quote == b'"' || quote == b'\'';
            self.position += usize::from(is_quoted);
            let start = self.position;
            self.advance_to(|byte| {
                if is_quoted {
                    byte == quote
                } else {
                    is_space(byte) || byte == b'>'
                }
            })?;
            value.extend_from_slice(&self.bytes[start..self.position]);
            value.make_ascii_lowercase();
            self.position += usize::from(is_quoted);
            Some((name, value))
        }

        /// Returns the encoding that a content in lower case names: "extracting a character
        /// encoding from a meta element".
        fn extracted(content: &[u8]) -> Option<&'static Encoding> {
            let mut scan = Literal {
                bytes: content,
                position: 0,
            };
            loop {
                while !content.get(scan.position..)?.starts_with(b"charset") {
                    scan.position += 1;
                }
                scan.position += b"charset".len();
                if scan.advance_to(|byte| !is_space(byte))? == b'=' {
                    break;
                }
            }
            scan.position += 1;
            let quote = scan.advance_to(|byte| !is_space(byte))?;
            let is_quoted = quote == b'"' || quote == b'\'';
            scan.position += usize::from(is_quoted);
            let rest = &content[scan.position..];
            let is_end = |&byte: &u8| {
                if is_quoted {
                    byte == quote
                } else {
                    is_space(byte) || byte == b';'
                }
            };
            let label = match rest.iter().position(is_end) {
                Some(end) => &rest[..end],
                None if is_quoted => return None,
                None => rest,
            };
            Encoding::for_label(label)
        }
    }

    const PIECES: &[&str] = &[
        "<",
        ">",
        "/",
        "=",
        " ",
        "\n",
        "'",
        "\"",
        ";",
        "!",
        "?",
        "-",
        "x",
        "<meta",
        "<meta ",
        "<META/",
        "<meta charset=gbk>",
        "</meta ",
        "<a ",
        "</a",
        "<!",
        "<!--",
        "-->",
        "--",
        "charset",
        "charset=",
        "CharSet = ",
        "gbk",
        "KOI8-R",
        "utf-16",
        "nonsense",
        " content=",
        " content='charset=euc-jp'",
        " content=\"text/html;Charset='koi8-r'\"",
        " http-equiv=",
        " http-equiv=Content-Type",
        " HTTP-EQUIV='content-type'",
        "content-type",
        " charset=shift_jis",
        " charset='x-user-defined'",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8192, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_prescan_is_that_of_the_standard(
            pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30),
        ) {
            let page = pieces.concat();
            for page in [page.clone(), format!("<meta {page}"), format!("<meta {page}>")] {
                let bytes = page.as_bytes();
                let expected = Literal { bytes, position: 0 }.prescan();
                prop_assert_eq!(prescan(bytes), expected, "{}", page);
            }
        }

        #[test]
        fn contents_are_read_as_the_standard_says(
            pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12),
        ) {
            let content = format!("charset{}", pieces.concat());
            let expected = Literal::extracted(content.to_ascii_lowercase().as_bytes());
            prop_assert_eq!(from_content(content.as_bytes()), expected, "{}", content);
        }

        #[test]
        fn any_bytes_are_sniffed(page in prop::collection::vec(any::<u8>(), 0..200)) {
            let found = EncodingHints::default().sniff(&page);
            prop_assert!(found.mark_length <= page.len());
        }
    }
}
