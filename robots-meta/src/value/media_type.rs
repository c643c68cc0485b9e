//! The `Content-Type` of a response: media type and charset.
//!
//! They are read as browsers read them: "parse a MIME type" ([MIME Sniffing][mime]) for each value, and "extract a MIME type"
//! ([Fetch][fetch]) for all of them. So the last valid value counts, and parameters are separated by semicolons. Unlike there, the
//! type of a value that is not valid is known, too: its first word. Servers write such values for HTML and plain text. And each
//! header line is read by itself, so that a quote that is left open ends with it.
//!
//! Linear in the values. Only a quoted charset with a backslash is copied.
//!
//! [mime]: https://mimesniff.spec.whatwg.org/#parsing-a-mime-type
//! [fetch]: https://fetch.spec.whatwg.org/#concept-header-extract-mime-type

use encoding_rs::Encoding;
use memchr::memchr;

/// A media type with its charset: `text/html; charset=utf-8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaType<'a> {
    essence: &'a str,
    /// May be empty: then no other charset of the same value counts.
    charset: Option<&'a str>,
}

impl<'a> MediaType<'a> {
    /// Reads the value of a `Content-Type` header, which may have several media types, separated by commas: the last valid one
    /// counts. If none is valid, the type is the first word, without a charset.
    ///
    /// ```
    /// use robots_meta::value::MediaType;
    ///
    /// let media_type = MediaType::parse("Text/HTML; charset=\"utf-8\"");
    /// assert!(media_type.is_html());
    /// assert_eq!(media_type.charset(), Some("utf-8"));
    /// ```
    pub fn parse(value: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self::extract([value.as_ref()])
    }

    /// Returns the type that the `Content-Type` headers among header lines state: lines are names and values. The last valid
    /// type other than `*/*` counts. If it has no charset, that of the first of the values before it counts that have the same
    /// type, with no other type between them. Without such a line, the type [is missing](Self::is_missing).
    pub fn of_headers<N: AsRef<[u8]>>(lines: impl IntoIterator<Item = (N, &'a [u8])>) -> Self {
        let is_type = |name: &N| name.as_ref().eq_ignore_ascii_case(b"content-type");
        let lines = lines.into_iter().filter(|(name, _)| is_type(name));
        Self::extract(lines.map(|(_, value)| value))
    }

    /// Returns the type of several values: "extract a MIME type" (Fetch).
    fn extract(values: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut last: Option<Self> = None;
        // The charset of the first of successive values of one type.
        let mut charset = None;
        let mut first_word = "";
        for value in values.into_iter().flat_map(split) {
            let Some(mut media_type) = Self::read(value) else {
                if first_word.is_empty() {
                    first_word = word(value);
                }
                continue;
            };
            if media_type.essence == "*/*" {
                continue;
            }
            if last.is_some_and(|last| last.essence.eq_ignore_ascii_case(media_type.essence)) {
                media_type.charset = media_type.charset.or(charset);
            } else {
                charset = media_type.charset;
            }
            last = Some(media_type);
        }
        last.unwrap_or(Self {
            essence: first_word,
            charset: None,
        })
    }

    /// Reads one value: "parse a MIME type" (MIME Sniffing). `None` if it is not valid.
    fn read(value: &'a [u8]) -> Option<Self> {
        let value = trim(value);
        let end = memchr(b';', value).unwrap_or(value.len());
        let (essence, parameters) = value.split_at_checked(end)?;
        let essence = trim(essence);
        let (kind, subtype) = essence.split_at_checked(memchr(b'/', essence)?)?;
        let is_valid = is_token(kind) && is_token(subtype.get(1..)?);
        let essence = str::from_utf8(essence).ok().filter(|_| is_valid)?;
        Some(Self {
            essence,
            charset: charset(parameters),
        })
    }

    /// Returns type and subtype as written: `text/html`; the first word if the header is not valid.
    pub fn essence(&self) -> &'a str {
        self.essence
    }

    /// Returns the charset, without quotes, and without white space around it, which has no meaning in a label of an encoding. Of a
    /// quoted one with backslashes, it is the name of the encoding: `GBK` for `"gb\k"`; they stay if the encoding is not known.
    pub fn charset(&self) -> Option<&'a str> {
        let charset = self.charset.map(str::trim_ascii);
        charset.filter(|charset| !charset.is_empty())
    }

    /// Returns whether it is a licence of Really Simple Licensing: `application/rsl+xml` (docs/semantics.md, section 4.7).
    pub fn is_rsl(&self) -> bool {
        self.essence.eq_ignore_ascii_case("application/rsl+xml")
    }

    /// Returns whether it is HTML or XHTML.
    pub fn is_html(&self) -> bool {
        ["text/html", "application/xhtml+xml"]
            .iter()
            .any(|html| self.essence.eq_ignore_ascii_case(html))
    }

    /// Returns whether it is a type of HTML, or the header names no type.
    pub fn may_be_html(&self) -> bool {
        self.is_missing() || self.is_html()
    }

    /// Returns whether the header names no type.
    pub fn is_missing(&self) -> bool {
        self.essence.is_empty()
    }
}

/// Returns the values of a header: its parts between commas outside quoted strings.
fn split(header: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(header);
    std::iter::from_fn(move || {
        let value = rest?;
        let mut at = 0;
        let comma = loop {
            match value.get(at) {
                None => break None,
                Some(b',') => break Some(at),
                Some(b'"') => {
                    let after = value.get(at + 1..).unwrap_or_default();
                    at = at + quoted_length(after) + 2;
                }
                Some(_) => at += 1,
            }
        };
        let (value, after) = match comma {
            Some(comma) => value.split_at_checked(comma)?,
            None => (value, &[][..]),
        };
        rest = after.get(1..);
        Some(value)
    })
}

/// Returns the charset among parameters, each of which begins with a semicolon.
fn charset(mut parameters: &[u8]) -> Option<&str> {
    while let Some(after) = parameters.get(1..) {
        let parameter = trim_start(after);
        let name_end = parameter
            .iter()
            .position(|byte| matches!(byte, b';' | b'='))?;
        let (name, after) = parameter.split_at_checked(name_end)?;
        parameters = after;
        let Some(after) = after.strip_prefix(b"=") else {
            continue;
        };
        let quoted = after.strip_prefix(b"\"");
        let (value, after) = match quoted {
            Some(quoted) => quoted.split_at_checked(quoted_length(quoted))?,
            None => after.split_at_checked(memchr(b';', after).unwrap_or(after.len()))?,
        };
        // What follows a quoted string has no meaning.
        parameters = memchr(b';', after)
            .and_then(|end| after.get(end..))
            .unwrap_or_default();
        let is_text = |value: &[u8]| {
            let mut bytes = value.iter();
            bytes.all(|byte| *byte == b'\t' || !byte.is_ascii_control())
        };
        if name.eq_ignore_ascii_case(b"charset") && is_text(value) {
            match quoted {
                Some(_) => return Some(unescaped(value)),
                None if trim(value).is_empty() => {}
                None => return Some(str::from_utf8(trim_end(value)).unwrap_or_default()),
            }
        }
    }
    None
}

/// Returns the label that a quoted charset means: without its backslashes.
fn unescaped(quoted: &[u8]) -> &str {
    // A label of an encoding has no backslash, so few values have one. If the label is known, its encoding has a name.
    if memchr(b'\\', quoted).is_some() {
        let mut bytes = quoted.iter();
        let label: Vec<u8> = std::iter::from_fn(|| match bytes.next()? {
            b'\\' => Some(*bytes.next().unwrap_or(&b'\\')),
            byte => Some(*byte),
        })
        .collect();
        if let Some(encoding) = Encoding::for_label(&label) {
            return encoding.name();
        }
    }
    str::from_utf8(quoted).unwrap_or_default()
}

/// Returns the length of the rest of a quoted string, up to its end quote or the end of the text.
fn quoted_length(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = text.iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    end.unwrap_or(text.len())
}

/// Returns the first word of a value that is not valid.
fn word(value: &[u8]) -> &str {
    let value = value.utf8_chunks().next();
    let value = value.map_or("", |start| start.valid()).trim();
    let end = value.find(|c: char| c == ';' || c.is_whitespace());
    end.and_then(|end| value.get(..end)).unwrap_or(value)
}

fn is_token(text: &[u8]) -> bool {
    !text.is_empty()
        && text
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

/// Reports whether a byte is HTTP white space.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' ')
}

fn trim_start(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text
        && is_space(*first)
    {
        text = rest;
    }
    text
}

fn trim(text: &[u8]) -> &[u8] {
    trim_end(trim_start(text))
}

fn trim_end(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., last] = text
        && is_space(*last)
    {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_url::mime::Mime;
    use proptest::prelude::*;

    fn of(values: &[&'static str]) -> (&'static str, Option<&'static str>) {
        let lines = values
            .iter()
            .map(|value| ("CONTENT-type", value.as_bytes()));
        let others = [("A", &b"x/y"[..]), ("Content", b"x/y")];
        let found = MediaType::of_headers(others.into_iter().chain(lines));
        (found.essence(), found.charset())
    }

    #[test]
    fn the_last_valid_type_counts() {
        for (values, expected) in [
            (&["text/html"][..], ("text/html", None)),
            (&[], ("", None)),
            (&["a/b", "c/d"], ("c/d", None)),
            (
                &["text/plain, text/html; charset=gbk"],
                ("text/html", Some("gbk")),
            ),
            (&["a/b;charset=gbk", "c/d"], ("c/d", None)),
            // A charset is kept while the type stays the same.
            (
                &["text/html;charset=gbk", "Text/HTML"],
                ("Text/HTML", Some("gbk")),
            ),
            (
                &["text/html", "text/html;charset=gbk"],
                ("text/html", Some("gbk")),
            ),
            (&["a/b;charset=1,a/b;charset=2"], ("a/b", Some("2"))),
            (&["a/b;charset=1,a/b;charset=2,a/b"], ("a/b", Some("1"))),
            // `*/*` and what is not valid have no effect next to a valid type.
            (
                &["text/html;charset=gbk", "*/*;charset=1", "x"],
                ("text/html", Some("gbk")),
            ),
            (&["html, charset=gbk", "a/b"], ("a/b", None)),
            (&["*/*"], ("", None)),
            // A comma in quotes does not separate.
            (&[r#"a/b; x="\",c/d"; charset=gbk"#], ("a/b", Some("gbk"))),
            (&[r#"a/b; x=",c/d"#], ("a/b", None)),
        ] {
            assert_eq!(of(values), expected, "{values:?}");
        }
    }

    #[test]
    fn values_that_are_not_valid_have_a_type_and_no_charset() {
        for (value, essence) in [
            ("text/html charset=utf-8", "text/html"),
            ("text/html, charset=utf-8", "text/html"),
            (" html ; charset=utf-8", "html"),
            ("text/\u{e9}", "text/\u{e9}"),
            (" ; charset=x", ""),
            ("", ""),
        ] {
            assert_eq!(of(&[value]), (essence, None), "{value}");
            assert_eq!(MediaType::parse(value).is_missing(), essence.is_empty());
        }
        assert_eq!(
            MediaType::parse(b"text/plain\xFF; a").essence(),
            "text/plain"
        );
        assert!(MediaType::parse("application/xhtml+xml; charset=").is_html());
        assert!(!MediaType::parse("application/pdf").is_html());
    }

    #[test]
    fn charsets_as_servers_write_them() {
        for (parameters, charset) in [
            ("", None),
            (";charset=gbk", Some("gbk")),
            (" ;a=b; ChaRset= gbk ", Some("gbk")),
            ("; charset=\tgbk\t;", Some("gbk")),
            ("; charset =gbk", None),
            // Only double quotes are quotes.
            ("; charset='gbk'", Some("'gbk'")),
            ("; charset=gbk x", Some("gbk x")),
            (r#"; charset="gbk" x; charset=a"#, Some("gbk")),
            (r#"; charset=" gbk ""#, Some("gbk")),
            (r#"; charset="gb\k""#, Some("GBK")),
            (r#"; charset="x\k""#, Some(r"x\k")),
            (r#"; a="; charset=koi8-r"; charset=gbk"#, Some("gbk")),
            (r#"; a="\"; charset=koi8-r"; charset=gbk"#, Some("gbk")),
            (r#"; charset="gbk"#, Some("gbk")),
            ("; charset=; charset=gbk", Some("gbk")),
            (r#"; charset=""; charset=gbk"#, None),
            ("; charset; =a; charset=gbk", Some("gbk")),
            ("; charset=a\u{1}; charset=gbk", Some("gbk")),
            ("; charset=gbk; charset=koi8-r", Some("gbk")),
        ] {
            let value = format!("text/html{parameters}");
            let found = MediaType::parse(&value);
            assert_eq!(
                (found.essence(), found.charset()),
                ("text/html", charset),
                "{value}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn one_value_is_read_as_by_the_data_url_crate(
            value in "[ \t]{0,1}(text|a\"|)[/ ]{0,2}(html|h;|)( ?;[ \t]?(charset|Charset|a|)[ =]{0,2}(\"(gbk|;|\\\\|\\\\\"|,| )*\"?|gbk|[ ',])?){0,4}"
        ) {
            let expected = value.parse::<Mime>().ok();
            let found = MediaType::read(value.as_bytes());
            let essence = |mime: &Mime| format!("{}/{}", mime.type_, mime.subtype);
            prop_assert_eq!(
                found.map(|found| found.essence.to_ascii_lowercase()),
                expected.as_ref().map(essence)
            );
            // A label with a backslash may be the name of its encoding.
            let label = |charset: &str| match Encoding::for_label(charset.as_bytes()) {
                Some(encoding) => encoding.name().to_owned(),
                None => charset.replace('\\', ""),
            };
            prop_assert_eq!(
                found.and_then(|found| found.charset).map(label),
                expected.as_ref().and_then(|mime| mime.get_parameter("charset")).map(label)
            );
        }
    }
}
