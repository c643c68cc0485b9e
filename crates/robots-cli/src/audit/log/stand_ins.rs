//! Lines that are not JSON only because of bytes that servers write as they are, or as `\xNN`.

use super::Request;
use std::borrow::Cow;

/// The first of the characters that stand for the 256 bytes in a rewritten line. They are for private use.
const BYTES: u32 = 0xF700;

/// Returns a line as JSON, in which a character for private use stands for each byte that is not UTF-8 and each `\xNN`. Returns `None`
/// if it has neither.
pub(super) fn with_stand_ins(line: &[u8]) -> Option<String> {
    let stand_in = |byte: u8| char::from_u32(BYTES + u32::from(byte)).unwrap_or_default();
    let mut text = String::new();
    let mut is_changed = false;
    for chunk in line.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some((before, after)) = rest.split_once('\\') {
            text.push_str(before);
            let digits = after.strip_prefix('x').and_then(|after| after.get(..2));
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let length = if let Some(byte) = byte {
                text.push(stand_in(byte));
                is_changed = true;
                3
            } else {
                // An escape of JSON, or what is left of one.
                let escaped = after.chars().next();
                text.push('\\');
                text.extend(escaped);
                escaped.map_or(0, char::len_utf8)
            };
            rest = after.get(length..).unwrap_or_default();
        }
        text.push_str(rest);
        text.extend(chunk.invalid().iter().map(|byte| stand_in(*byte)));
        is_changed |= !chunk.invalid().is_empty();
    }
    is_changed.then_some(text)
}

/// Returns the request of a rewritten line, with the bytes of the line.
pub(super) fn restored(request: Request<'_>) -> Request<'static> {
    let bytes = |text: Cow<'_, [u8]>| {
        let mut bytes = Vec::with_capacity(text.len());
        for chunk in text.utf8_chunks() {
            for char in chunk.valid().chars() {
                let byte = u32::from(char).checked_sub(BYTES);
                match byte.and_then(|byte| u8::try_from(byte).ok()) {
                    Some(byte) => bytes.push(byte),
                    None => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
                }
            }
            bytes.extend_from_slice(chunk.invalid());
        }
        Cow::Owned(bytes)
    };
    request.map(bytes)
}
