//! Bodies that were cut at a limit.

/// Turns the last line of a body that was cut into a comment: a rule that is cut is another rule.
/// The length stays the same: it shows that the body was longer.
pub(crate) fn blank_last_line(body: &mut [u8]) {
    let end = body.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    let start = end.map_or(0, |end| end.saturating_add(1));
    body.get_mut(start..).unwrap_or_default().fill(b'#');
}
