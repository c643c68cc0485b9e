//! Bodies that were cut at a limit.

/// Overwrites the last line of a cut body with `#`, which makes it a comment: a rule without its end would be a different
/// rule. The length stays the same, because a parser recognises a cut body by a length over the parser's limit.
pub(crate) fn blank_last_line(body: &mut [u8]) {
    let end = body.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    body[end.map_or(0, |end| end + 1)..].fill(b'#');
}
