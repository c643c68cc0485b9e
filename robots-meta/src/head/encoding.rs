//! The encoding of a page, found as the HTML standard finds it.
//!
//! Encoding sniffing (HTML, 13.2.3.2, read 2026-11-21): a byte order mark, else what the transport
//! says, else a prescan of the first 1,024 bytes for a META that names one, else the fallback.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// How many bytes of a page are searched for a META that names its encoding.
pub(crate) const PRESCAN_BYTES: usize = 1_024;

/// What is known of a page's encoding from outside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EncodingHints {
    pub(crate) transport: Option<&'static Encoding>,
    pub(crate) fallback: &'static Encoding,
}

impl Default for EncodingHints {
    fn default() -> Self {
        Self {
            transport: None,
            fallback: WINDOWS_1252,
        }
    }
}

impl EncodingHints {
    /// How many of the first bytes are enough to decide, given what is known.
    pub(crate) fn bytes_needed(&self) -> usize {
        if self.transport.is_some() {
            3
        } else {
            PRESCAN_BYTES
        }
    }

    /// The encoding of a page that begins with `start`, and the length of its byte order mark.
    pub(crate) fn sniff(&self, start: &[u8]) -> (&'static Encoding, usize) {
        if let Some((encoding, mark)) = Encoding::for_bom(start) {
            return (encoding, mark);
        }
        let start = start.get(..PRESCAN_BYTES).unwrap_or(start);
        let encoding = self
            .transport
            .or_else(|| prescan(start).or_else(|| from_xml(start)))
            .unwrap_or(self.fallback);
        (encoding, 0)
    }
}

/// "Prescan a byte stream to determine its encoding" (HTML, 13.2.3.2), step by step. `None` when it
/// runs out of bytes, wherever that is.
fn prescan(start: &[u8]) -> Option<&'static Encoding> {
    // An XML declaration in UTF-16.
    if start.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if start.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    let mut bytes = Bytes(start);
    while let [first, rest @ ..] = bytes.0 {
        if bytes.0.starts_with(b"<!--") {
            // The comment may end with the hyphens that it begins with: `<!-->`.
            let behind = bytes.0.get(2..).unwrap_or_default();
            let end = memchr::memmem::find(behind, b"-->")?;
            bytes.0 = behind.get(end..)?.get(3..)?;
        } else if is_tag(bytes.0, b"<meta") {
            bytes.0 = bytes.0.get(5..)?;
            if let Some(encoding) = bytes.meta().ok()? {
                return Some(encoding);
            }
        } else if matches!(bytes.0, [b'<', b'/', letter, ..] | [b'<', letter, ..] if letter.is_ascii_alphabetic())
        {
            let name_end = bytes
                .0
                .iter()
                .position(|&byte| is_space(byte) || byte == b'>')?;
            bytes.0 = bytes.0.get(name_end..)?;
            while bytes.attribute().ok()?.is_some() {}
        } else if matches!(bytes.0, [b'<', b'!' | b'/' | b'?', ..]) {
            let end = memchr::memchr(b'>', bytes.0)?;
            bytes.0 = bytes.0.get(end..)?.get(1..)?;
        } else if *first == b'<' {
            bytes.0 = rest;
        } else {
            bytes.0 = bytes.0.get(memchr::memchr(b'<', bytes.0)?..)?;
        }
    }
    None
}

/// Whether the bytes begin with this tag: its name, then white space or a slash.
fn is_tag(bytes: &[u8], name: &[u8]) -> bool {
    bytes
        .split_at_checked(name.len())
        .is_some_and(|(start, rest)| {
            start.eq_ignore_ascii_case(name)
                && rest
                    .first()
                    .is_some_and(|&byte| is_space(byte) || byte == b'/')
        })
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0C' | b'\r' | b' ')
}

/// The bytes ended within a tag: the prescan ends, whatever was read of it.
struct OutOfBytes;

/// Name and value of an attribute, in lower case.
type Attribute = (Vec<u8>, Vec<u8>);

/// What is left of the bytes to search.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    /// The attributes of a META: the encoding that they name, if they do.
    fn meta(&mut self) -> Result<Option<&'static Encoding>, OutOfBytes> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let mut got_pragma = false;
        let mut need_pragma = None;
        let mut charset: Option<Option<&'static Encoding>> = None;
        while let Some((name, value)) = self.attribute()? {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => got_pragma |= value == b"content-type",
                b"content" => {
                    if charset.is_none()
                        && let Some(encoding) = from_content(&value)
                    {
                        charset = Some(Some(encoding));
                        need_pragma = Some(true);
                    }
                }
                b"charset" => {
                    charset = Some(Encoding::for_label(&value));
                    need_pragma = Some(false);
                }
                _ => {}
            }
            seen.push(name);
        }
        let named = match need_pragma {
            Some(needed) if !needed || got_pragma => charset.flatten(),
            _ => None,
        };
        Ok(named.map(as_ascii))
    }

    /// "Get an attribute": name and value, in lower case; `None` at the end of the tag.
    fn attribute(&mut self) -> Result<Option<Attribute>, OutOfBytes> {
        self.skip(|byte| is_space(byte) || byte == b'/');
        if self.0.first().ok_or(OutOfBytes)? == &b'>' {
            return Ok(None);
        }
        let mut name = Vec::new();
        // The name.
        loop {
            match *self.0 {
                [b'=', ref rest @ ..] if !name.is_empty() => {
                    self.0 = rest;
                    break;
                }
                [byte, ..] if is_space(byte) => {
                    self.skip(is_space);
                    match *self.0 {
                        [b'=', ref rest @ ..] => {
                            self.0 = rest;
                            break;
                        }
                        [] => return Err(OutOfBytes),
                        _ => return Ok(Some((name, Vec::new()))),
                    }
                }
                [b'/' | b'>', ..] => return Ok(Some((name, Vec::new()))),
                [byte, ref rest @ ..] => {
                    name.push(byte.to_ascii_lowercase());
                    self.0 = rest;
                }
                [] => return Err(OutOfBytes),
            }
        }
        // The value.
        self.skip(is_space);
        match *self.0 {
            [quote @ (b'"' | b'\''), ref rest @ ..] => {
                let end = memchr::memchr(quote, rest).ok_or(OutOfBytes)?;
                let (value, behind) = rest.split_at_checked(end).ok_or(OutOfBytes)?;
                let value = value.to_ascii_lowercase();
                self.0 = behind.get(1..).unwrap_or_default();
                Ok(Some((name, value)))
            }
            [b'>', ..] => Ok(Some((name, Vec::new()))),
            _ => {
                let end = self
                    .0
                    .iter()
                    .position(|&byte| is_space(byte) || byte == b'>')
                    .ok_or(OutOfBytes)?;
                let (value, rest) = self.0.split_at_checked(end).ok_or(OutOfBytes)?;
                self.0 = rest;
                Ok(Some((name, value.to_ascii_lowercase())))
            }
        }
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

/// What is named in ASCII is in no encoding of two bytes a character, whatever it says.
fn as_ascii(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// "Get an XML encoding" (HTML, 13.2.3.2): what an XML declaration names.
fn from_xml(start: &[u8]) -> Option<&'static Encoding> {
    let declaration = start.strip_prefix(b"<?xml")?;
    let declaration = declaration.get(..memchr::memchr(b'>', declaration)?)?;
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let mut rest = Bytes(declaration.get(at..)?.get(b"encoding".len()..)?);
    rest.skip(|byte| byte <= b' ');
    let mut rest = Bytes(rest.0.strip_prefix(b"=")?);
    rest.skip(|byte| byte <= b' ');
    let (quote, behind) = rest.0.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let label = behind.get(..memchr::memchr(*quote, behind)?)?;
    if label.iter().any(|&byte| byte <= b' ') {
        return None;
    }
    let encoding = Encoding::for_label(label)?;
    let is_wide = encoding == UTF_16BE || encoding == UTF_16LE;
    Some(if is_wide { UTF_8 } else { encoding })
}

/// "Extracting a character encoding from a meta element" (HTML, 2.6.3), from its lower-cased
/// content.
fn from_content(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        let at = memchr::memmem::find(rest, b"charset")?;
        rest = rest.get(at..)?.get(b"charset".len()..)?.trim_ascii_start();
        if let [b'=', behind @ ..] = rest {
            rest = behind.trim_ascii_start();
            break;
        }
    }
    let label = match rest {
        [quote @ (b'"' | b'\''), behind @ ..] => behind.get(..memchr::memchr(*quote, behind)?)?,
        _ => rest
            .split(|&byte| is_space(byte) || byte == b';')
            .next()
            .unwrap_or_default(),
    };
    Encoding::for_label(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sniffed(page: &[u8]) -> &'static str {
        EncodingHints::default().sniff(page).0.name()
    }

    #[test]
    fn a_byte_order_mark_wins_over_all() {
        let hints = EncodingHints {
            transport: Some(UTF_8),
            ..EncodingHints::default()
        };
        let (encoding, mark) = hints.sniff(b"\xFF\xFE<\0");
        assert_eq!((encoding, mark), (UTF_16LE, 2));
    }

    #[test]
    fn metas_that_name_an_encoding() {
        let cases: [(&str, &str); 25] = [
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
            ("<meta charset=gbk", "windows-1252"),
            ("<meta charset=gbk ", "windows-1252"),
            ("<meta charset=gbk /", "windows-1252"),
            ("<?xml version='1.0' encoding='EUC-JP'?><html>", "EUC-JP"),
            ("<?xml encoding = \"utf-16\"?>", "UTF-8"),
            ("<?xml encoding='euc-jp'?><meta charset=gbk>", "GBK"),
            (" <?xml encoding='euc-jp'?>", "windows-1252"),
            ("<?xml encoding=euc-jp?>", "windows-1252"),
            ("< meta charset=gbk>", "windows-1252"),
        ];
        for (page, expected) in cases {
            assert_eq!(sniffed(page.as_bytes()), expected, "{page}");
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
    fn a_meta_that_is_cut_names_nothing() {
        let page = b"<meta http-equiv='content-type' content=\"text/html;charset='gbk'\" a/b = c>";
        assert_eq!(sniffed(page), "GBK");
        for length in 0..page.len() {
            assert_eq!(sniffed(&page[..length]), "windows-1252", "{length}");
            let _ = sniffed(&page[length..]);
        }
    }
}
