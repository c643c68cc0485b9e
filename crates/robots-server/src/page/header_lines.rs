//! Pasted header lines of a response.

/// The status of a response, if it is known, and its header lines: names and values.
pub(super) type Head = (Option<u16>, Vec<(String, Vec<u8>)>);

/// Reads pasted header lines, with or without the line of the status. An error is a text for people.
pub(super) fn header_lines(text: &str) -> Result<Head, String> {
    let bad = |number: usize, what: &str| {
        format!(
            "Line {number} of the headers {what}. An example is \u{201c}X-Robots-Tag: noindex\u{201d}."
        )
    };
    let (mut status, mut lines) = (None, Vec::new());
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line.trim().is_empty() {
            continue;
        }
        if lines.is_empty() && status.is_none() && line.starts_with("HTTP/") {
            let code = line.split_ascii_whitespace().nth(1);
            let code = code.and_then(|code| code.parse().ok());
            status = Some(
                code.filter(|code| (100..=999).contains(code))
                    .ok_or_else(|| bad(number, "has no status"))?,
            );
            continue;
        }
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| bad(number, "has no colon"))?;
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(bad(number, "has no name before its colon"));
        }
        lines.push((name.to_owned(), value.trim().as_bytes().to_vec()));
    }
    Ok((status, lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_may_have_a_status() {
        let (status, lines) =
            header_lines("HTTP/2 404\r\nX-Robots-Tag:  noindex \r\n\r\nLink: <a:b>").unwrap();
        assert_eq!(status, Some(404));
        assert_eq!(lines[0], ("X-Robots-Tag".to_owned(), b"noindex".to_vec()));
        assert_eq!(lines[1], ("Link".to_owned(), b"<a:b>".to_vec()));
        assert_eq!(header_lines("").unwrap(), (None, Vec::new()));
        for (text, what) in [
            ("HTTP/1.1 x", "Line 1 of the headers has no status"),
            ("A: b\nnoindex", "Line 2 of the headers has no colon"),
            (" a: b", "has no name"),
            (":", "has no name"),
        ] {
            let error = header_lines(text).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
    }
}
