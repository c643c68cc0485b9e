//! The unpacking of a whole gzip member in one call, which is faster than unpacking it step by step.
//!
//! One call needs the end of the member and its unpacked size. The end is taken to be before the next bytes that begin like a
//! member, or at the end of the input. The size is that of the trailer before it (ISIZE: RFC 1952, section 2.3.1). If the
//! end is wrong, the unpacked bytes do not have this size and checksum. In this case, or if the member exceeds a limit, nothing
//! is consumed, and the caller unpacks step by step. So damage is found and reported in one way only.
//!
//! A member that is accepted here is one that [`flate2`] accepts, with the same content, with one exception: libdeflate allows
//! a few Huffman codes that zlib refuses (such as more than 30 distance codes). No compressor writes them.
//!
//! Work is linear. The search for the end of a member stops at the second place ([`END_TRIES`]) that looks like the start of
//! another member. Every member begins at such a place. So each byte is searched, and unpacked at once, for at most two
//! members.

use super::window::Window;
use crate::http::GZIP;
use libdeflater::Decompressor;
use memchr::memmem;
use std::fmt;
use std::io::Read;

/// The maximum size of a member that is unpacked at once: 1 MiB. This many bytes of the input are buffered to find its end.
pub(super) const PACKED_LIMIT: usize = 1024 * 1024;

/// The maximum unpacked size of a member that is unpacked at once: 4 MiB. A reader keeps a buffer of up to this size.
const UNPACKED_LIMIT: usize = 4 * 1024 * 1024;

/// The maximum number of unpacked bytes for each packed byte: deflate has at least two bits for a copy of up to 258 bytes (RFC 1951,
/// section 3.2.5).
const MAX_RATIO: usize = 1032;

/// The number of possible ends of a member that are tried. By chance, a wrong one occurs once in 16 MiB of packed bytes: a
/// member begins with three fixed bytes.
const END_TRIES: usize = 2;

/// The factor by which a buffer that is too short grows, up to [`UNPACKED_LIMIT`].
const GROWTH: usize = 4;

/// The size of a member's header without optional fields, in bytes.
const HEADER: usize = 10;

/// The minimum size of a member, in bytes: its header, two bytes of deflate, and a trailer of eight.
const MIN_MEMBER: usize = HEADER + 2 + 8;

/// The maximum length of a name or comment in a member's header, in bytes: that of `flate2`.
const TEXT_LIMIT: usize = 65_535;

/// The flag of a checksum of the header, which libdeflate does not compare (RFC 1952, section 2.3.1).
const FHCRC: u8 = 1 << 1;

/// The flags of a file name and a comment.
const FNAME_AND_FCOMMENT: u8 = (1 << 3) | (1 << 4);

/// A decoder of whole members. Its memory is allocated when it is first used.
#[derive(Default)]
pub(super) struct WholeMembers {
    decompressor: Option<Decompressor>,
}

impl fmt::Debug for WholeMembers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WholeMembers").finish_non_exhaustive()
    }
}

impl WholeMembers {
    /// Unpacks the member that begins at the window's next byte to the start of `out`, consumes it, and returns its unpacked
    /// size. Returns `None`, and consumes nothing, if the member must be unpacked step by step. `out` is replaced if it is too
    /// short.
    pub(super) fn unpack<R: Read>(
        &mut self,
        window: &mut Window<R>,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        let mut from = MIN_MEMBER;
        for _ in 0..END_TRIES {
            let end = find_end(window, from)?;
            let member = window.peek(end)?.get(..end)?;
            if let Some(size) = self.unpack_member(member, out) {
                window.consume_peeked(end);
                return Some(size);
            }
            from = end + 1;
        }
        None
    }

    /// Unpacks a member if these bytes are one, and nothing more.
    fn unpack_member(&mut self, member: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        let (_, stated) = member.split_last_chunk::<4>()?;
        let size = usize::try_from(u32::from_le_bytes(*stated)).ok()?;
        if size > UNPACKED_LIMIT.min(member.len() * MAX_RATIO) || !has_common_header(member) {
            return None;
        }
        // These bytes must not have anything after the member, but libdeflate ignores such bytes. A member ends with its size,
        // which libdeflate compares. So if the size occurs only at the end of these bytes, the member ends there, too.
        let all_but_last_byte = member.len() - 1;
        let others = member.get(HEADER..all_but_last_byte)?;
        if memmem::find(others, stated).is_some() {
            return None;
        }
        if out.len() < size {
            // The old bytes are not needed, so they are not copied. Steps are large, as memory that is zero when it is
            // allocated costs nothing until it is used.
            let grown = (out.len() * GROWTH).min(UNPACKED_LIMIT);
            *out = vec![0; size.max(grown)];
        }
        let decompressor = self.decompressor.get_or_insert_default();
        let unpacked = decompressor.gzip_decompress(member, out.get_mut(..size)?);
        (unpacked == Ok(size)).then_some(size)
    }
}

/// Returns whether libdeflate and `flate2` read the header of a member in the same way. A file name or comment is not longer
/// than its member, so only a member longer than [`TEXT_LIMIT`] can exceed that limit.
fn has_common_header(member: &[u8]) -> bool {
    let flags = member.get(GZIP.len()).copied().unwrap_or(u8::MAX);
    flags & FHCRC == 0 && (flags & FNAME_AND_FCOMMENT == 0 || member.len() <= TEXT_LIMIT)
}

/// Returns the first possible end of the member that begins at the window's next byte: its distance from that byte, at least
/// `from`. Returns `None` if there is none up to [`PACKED_LIMIT`], or if reading fails before it.
fn find_end<R: Read>(window: &mut Window<R>, mut from: usize) -> Option<usize> {
    let most = PACKED_LIMIT + GZIP.len();
    loop {
        let ahead = window.peek(from + GZIP.len())?;
        let length = ahead.len().min(most);
        if let Some(at) = memmem::find(ahead.get(from..length)?, &GZIP) {
            return Some(from + at);
        }
        if length == most {
            return None;
        }
        // The input ends here if it does not have one more byte.
        if window.peek(length + 1)?.len() == length {
            return (length <= PACKED_LIMIT).then_some(length);
        }
        // The last bytes may be the start of a member's first three.
        from = from.max(length.saturating_sub(GZIP.len() - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use flate2::{Compression, GzBuilder};
    use std::io::Write;

    fn member(content: &[u8], level: u32) -> Vec<u8> {
        let mut member = GzEncoder::new(Vec::new(), Compression::new(level));
        member.write_all(content).unwrap();
        member.finish().unwrap()
    }

    /// Bytes that do not compress, and have no start of a member.
    fn noise(length: usize) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(1);
        (0..length).map(|_| random.u8(..) | 0x40).collect()
    }

    /// The content of the first member, and the number of bytes that were consumed, if it is unpacked at once.
    fn first(input: &[u8]) -> Option<(Vec<u8>, u64)> {
        let mut window = Window::new(input, 0, Vec::new());
        let mut out = Vec::new();
        let size = WholeMembers::default().unpack(&mut window, &mut out);
        if size.is_none() {
            assert_eq!(window.offset(), 0);
        }
        size.map(|size| (out[..size].to_vec(), window.offset()))
    }

    #[test]
    fn a_member_ends_before_the_next_or_at_the_end_of_the_input() {
        for content in [&b"a"[..], b"ab", &noise(200_000)] {
            let one = member(content, 6);
            let expected = Some((content.to_vec(), one.len() as u64));
            assert_eq!(first(&one), expected);
            for next in [&member(b"b", 6)[..], &member(&noise(1000), 0), &GZIP] {
                assert_eq!(first(&[&one, next].concat()), expected);
            }
        }
    }

    #[test]
    fn a_member_in_a_member_is_not_its_end() {
        let inner = member(b"inner", 6);
        for (count, is_whole) in [(END_TRIES - 1, true), (END_TRIES, false)] {
            let content = [&b"text "[..], &inner.repeat(count), b" text"].concat();
            // Stored: the inner members are in the bytes of the outer one.
            let outer = member(&content, 0);
            let expected = is_whole.then_some((content, outer.len() as u64));
            assert_eq!(first(&outer), expected);
            assert_eq!(first(&[&outer[..], &inner].concat()), expected);
        }
    }

    #[test]
    fn the_limits_are_exact() {
        // The content leaves 2,000 bytes for headers and for the extra field, which fills the member up to a size.
        let with_extra = |length: usize| {
            let builder = GzBuilder::new().extra(vec![1; length]);
            let mut member = builder.write(Vec::new(), Compression::none());
            member.write_all(&noise(PACKED_LIMIT - 2000)).unwrap();
            member.finish().unwrap()
        };
        let packed = |size: usize| with_extra(size - with_extra(0).len());
        for (size, is_whole) in [
            (PACKED_LIMIT - 1, true),
            (PACKED_LIMIT, true),
            (PACKED_LIMIT + 1, false),
        ] {
            let one = packed(size);
            assert_eq!(one.len(), size);
            assert_eq!(first(&one).is_some(), is_whole, "{size} bytes");
            let two = [&one[..], &member(b"next", 6)].concat();
            assert_eq!(first(&two).is_some(), is_whole, "{size} bytes, and others");
        }
        for (size, is_whole) in [
            (UNPACKED_LIMIT - 1, true),
            (UNPACKED_LIMIT, true),
            (UNPACKED_LIMIT + 1, false),
        ] {
            let one = member(&noise(1000).repeat(size / 1000 + 1)[..size], 6);
            assert_eq!(first(&one).is_some(), is_whole, "{size} bytes unpacked");
        }
    }

    #[test]
    fn the_best_compression_is_just_within_the_ratio() {
        let zeros = member(&vec![0; UNPACKED_LIMIT], 9);
        assert!(UNPACKED_LIMIT / zeros.len() > MAX_RATIO - 60);
        assert_eq!(
            first(&zeros).map(|(content, _)| content.len()),
            Some(UNPACKED_LIMIT)
        );
    }

    #[test]
    fn a_member_that_states_another_size_is_not_unpacked_at_once() {
        let whole = member(&noise(5000), 6);
        let size = whole.len() - 4;
        for stated in [0, 1, 4999, 5001, u32::MAX, 5000 + (1 << 31)] {
            let lying = [&whole[..size], &stated.to_le_bytes()[..]].concat();
            assert_eq!(first(&lying), None, "{stated}");
        }
    }

    #[test]
    fn bytes_after_a_member_are_not_taken_for_a_part_of_it() {
        let whole = member(&noise(5000), 6);
        let trailer = &whole[whole.len() - 8..];
        let garbage = [&b"bytes"[..], &trailer[4..]].concat();
        // All but the first of these bytes end as the member does: with its size.
        for after in [&b"x"[..], trailer, &trailer[4..], &garbage] {
            for next in [&b""[..], &member(b"next", 6)] {
                assert_eq!(first(&[&whole, after, next].concat()), None);
            }
        }
        // An empty member has its size, 0, in its checksum too, even if nothing is after it.
        assert_eq!(first(&member(b"", 6)), None);
    }

    #[test]
    fn headers_that_the_decoders_read_in_different_ways_are_refused() {
        let with = |builder: GzBuilder| {
            let mut member = builder.write(Vec::new(), Compression::new(6));
            member.write_all(&noise(100)).unwrap();
            member.finish().unwrap()
        };
        let new = GzBuilder::new;
        let name = |length: usize| with(new().filename(vec![b'n'; length]));
        for (member, is_whole) in [
            (with(new().extra(vec![1; 30])), true),
            (with(new().comment("comment")), true),
            (with(new().extra(vec![0; 3]).filename("name")), true),
            (name(TEXT_LIMIT - name(0).len()), true),
            (name(TEXT_LIMIT - name(0).len() + 1), false),
        ] {
            assert_eq!(first(&member).is_some(), is_whole, "{} bytes", member.len());
        }
        // A header with a checksum: its flag, and two bytes.
        let mut checked = member(b"a", 6);
        checked[3] |= FHCRC;
        drop(checked.splice(HEADER..HEADER, [0, 0]));
        assert_eq!(first(&checked), None);
    }
}
