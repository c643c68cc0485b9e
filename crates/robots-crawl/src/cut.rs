//! Bodies that were cut at a limit.

/// Replaces the last line of a body that was cut by a comment, because a rule without its end is a different rule. The length
/// stays the same: a parser notices the cut if the body is longer than its limit.
pub(crate) fn blank_last_line(body: &mut [u8]) {
    let end = body.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    let start = end.map_or(0, |end| end.saturating_add(1));
    body.get_mut(start..).unwrap_or_default().fill(b'#');
}
