//! The `Content-Type` of a response: media type and charset.

/// A media type with its charset: `text/html; charset=utf-8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaType<'a> {
    essence: &'a str,
    charset: Option<&'a str>,
}

impl<'a> MediaType<'a> {
    /// Reads the value of a `Content-Type` header. A comma or a space is accepted in place of a
    /// semicolon.
    ///
    /// ```
    /// use robots_meta::value::MediaType;
    ///
    /// let media_type = MediaType::parse("Text/HTML; charset=\"utf-8\"");
    /// assert!(media_type.is_html());
    /// assert_eq!(media_type.charset(), Some("utf-8"));
    /// ```
    pub fn parse(value: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        let value = value.as_ref();
        // Nothing after a byte that is not UTF-8 is read.
        let value = str::from_utf8(value).unwrap_or_else(|_| {
            let start = value.utf8_chunks().next();
            start.map_or("", |start| start.valid())
        });
        // Bytes are searched, as all that is looked for is ASCII.
        let is_separator = |byte: &u8| matches!(byte, b';' | b',') || byte.is_ascii_whitespace();
        let value = value.trim();
        let end = value.as_bytes().iter().position(is_separator);
        let end = end.unwrap_or(value.len());
        let (essence, parameters) = value.split_at_checked(end).unwrap_or((value, ""));
        let charset = parameters
            .as_bytes()
            .split(is_separator)
            .filter_map(|part| {
                let equals = part.iter().position(|&byte| byte == b'=')?;
                part.split_at_checked(equals)
            })
            .find(|(name, _)| name.eq_ignore_ascii_case(b"charset"))
            .and_then(|(_, value)| str::from_utf8(value.get(1..)?).ok())
            .map(|value| value.trim_matches(['"', '\'']))
            .filter(|charset| !charset.is_empty());
        Self { essence, charset }
    }

    /// Returns the type that the first `Content-Type` of header lines states: lines are names and values. Without such a line, the
    /// type [is missing](Self::is_missing).
    pub fn of_headers<N: AsRef<[u8]>>(lines: impl IntoIterator<Item = (N, &'a [u8])>) -> Self {
        let mut lines = lines.into_iter();
        let is_type = |name: &N| name.as_ref().eq_ignore_ascii_case(b"content-type");
        let line = lines.find(|(name, _)| is_type(name));
        Self::parse(line.map_or(&b""[..], |(_, value)| value))
    }

    /// Returns type and subtype as written: `text/html`.
    pub fn essence(&self) -> &'a str {
        self.essence
    }

    /// Returns the charset, without quotes.
    pub fn charset(&self) -> Option<&'a str> {
        self.charset
    }

    /// Returns whether it is HTML or XHTML.
    pub fn is_html(&self) -> bool {
        ["text/html", "application/xhtml+xml"]
            .iter()
            .any(|html| self.essence.eq_ignore_ascii_case(html))
    }

    /// Returns whether the header names no type.
    pub fn is_missing(&self) -> bool {
        self.essence.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_content_type_counts() {
        let of = |lines: &[(&str, &'static str)]| {
            let lines = lines.iter().map(|(name, value)| (*name, value.as_bytes()));
            MediaType::of_headers(lines)
        };
        let first = of(&[("A", "x"), ("CONTENT-type", "a/b"), ("content-type", "c/d")]);
        assert_eq!(first.essence(), "a/b");
        assert!(of(&[("Content", "a/b")]).is_missing());
    }

    #[test]
    fn types_as_servers_write_them() {
        let read = |value| {
            let media_type = MediaType::parse(value);
            (media_type.is_html(), media_type.charset())
        };
        assert_eq!(read("text/html"), (true, None));
        assert_eq!(
            read(" TEXT/HTML;a=b; Charset='koi8-r' "),
            (true, Some("koi8-r"))
        );
        assert_eq!(read("text/html charset=utf-8"), (true, Some("utf-8")));
        assert_eq!(read("text/html,text/html"), (true, None));
        assert_eq!(read("application/xhtml+xml; charset="), (true, None));
        assert_eq!(read("application/pdf"), (false, None));
        assert_eq!(read(""), (false, None));
        assert!(MediaType::parse(" ; charset=x").is_missing());
    }
}
