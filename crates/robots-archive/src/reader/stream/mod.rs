//! The bytes of an archive, unpacked: gzip members or Zstandard frames one after the other, or a plain file.
//!
//! Crawlers write each record as a member of its own: a reader can begin at any of them, and can continue after a corrupt
//! one ([`Stream::resume_after_damage`]).

mod place;

pub(super) use place::Place;

use super::decoder::{Compression, Decoder};
use super::frames::{FRAME, Frames};
use super::whole::WholeMembers;
use super::window::{HISTORY, Window};
use crate::error::{Error, ErrorKind};
use crate::http::GZIP;
use crate::record::{Block, header};
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, Read};
use std::mem;

/// The number of bytes that are unpacked at once: 16 KiB. The bytes before an error in the same step are lost, so steps are
/// small.
pub(super) const UNPACK_STEP: usize = 16 * 1024;

/// The buffers of a reader, for reuse by the next one: they are large, and repeated allocation would fragment the heap.
#[derive(Debug, Default)]
pub struct Buffers {
    input: Vec<u8>,
    inflated: Vec<u8>,
    whole_members: WholeMembers,
    pub(super) block: Block,
}

/// The unpacked bytes of an input, member by member. A plain file is one member.
#[derive(Debug)]
pub(super) struct Stream<R> {
    state: State<R>,
    decoder: Decoder,
    member_start: u64,
    whole_members: WholeMembers,
    /// Gzip members that begin before this offset are unpacked in one call, if possible. If 0, each is unpacked step by
    /// step.
    pub(super) whole_until: u64,
    /// The unpacked bytes that are not consumed yet.
    out: Block,
    /// The number of bytes consumed of the member; in a plain file, the offset of the next byte.
    consumed: u64,
    /// The number of unpacked bytes consumed so far, without those that were put back.
    total_consumed: u64,
    /// Whether nothing of the member was consumed yet.
    is_at_member_start: bool,
    /// The error to return once the bytes before it are consumed.
    error: Option<io::Error>,
}

#[derive(Debug)]
enum State<R> {
    /// Before, between or after members; always, in a plain file.
    Between(Window<R>),
    /// In a gzip member that is unpacked step by step.
    Inside(Box<GzDecoder<Window<R>>>),
    /// In a gzip member that was unpacked in one call: the window is after it.
    InsideWhole(Window<R>),
    /// In a Zstandard frame.
    InsideFrame(Window<R>),
    /// A method has taken the window, and puts it back before it returns.
    Taken,
}

impl<R: Read> State<R> {
    fn into_window(self) -> Option<Window<R>> {
        match self {
            Self::Between(window) | Self::InsideWhole(window) | Self::InsideFrame(window) => {
                Some(window)
            }
            Self::Inside(gzip) => Some(gzip.into_inner()),
            Self::Taken => None,
        }
    }
}

impl<R: Read> Stream<R> {
    /// Returns the stream of an input at this offset, where a gzip member or Zstandard frame begins, unless it is plain. A
    /// Zstandard dictionary is used only if it begins at this offset, too, before the frame.
    pub(super) fn open_at(input: R, offset: u64, buffers: &mut Buffers) -> Result<Self, Error> {
        let mut window = Window::new(input, offset, mem::take(&mut buffers.input));
        match Decoder::detect(&mut window) {
            Ok(decoder) => Ok(Self::new(window, decoder, buffers)),
            Err(error) if window.failed => Err(Error::new(ErrorKind::Input, offset, error)),
            Err(error) => Err(Error::new(ErrorKind::Dictionary, offset, error)),
        }
    }

    /// Returns the stream of a plain input, or of one with gzip members, at this offset.
    pub(super) fn at(input: R, offset: u64, is_gzip: bool, buffers: &mut Buffers) -> Self {
        let window = Window::new(input, offset, mem::take(&mut buffers.input));
        let decoder = if is_gzip {
            Decoder::Gzip
        } else {
            Decoder::None
        };
        Self::new(window, decoder, buffers)
    }

    fn new(window: Window<R>, decoder: Decoder, buffers: &mut Buffers) -> Self {
        let out = Block::within(mem::take(&mut buffers.inflated), 0, 0);
        let whole_members = mem::take(&mut buffers.whole_members);
        let offset = window.offset();
        Self {
            state: State::Between(window),
            consumed: if matches!(decoder, Decoder::None) {
                offset
            } else {
                0
            },
            total_consumed: 0,
            decoder,
            member_start: offset,
            whole_members,
            whole_until: 0,
            out,
            is_at_member_start: true,
            error: None,
        }
    }

    /// Returns the memory to `buffers`, for reuse.
    pub(super) fn into_buffers(self, buffers: &mut Buffers) {
        buffers.inflated = self.out.into_buffer();
        buffers.whole_members = self.whole_members;
        let window = self.state.into_window();
        buffers.input = window.map_or_else(Vec::new, Window::into_buffer);
    }

    /// Returns the compression of the input.
    pub(super) fn compression(&self) -> Compression {
        self.decoder.compression()
    }

    /// Returns whether the input has gzip members or Zstandard frames, rather than being plain.
    pub(super) fn has_members(&self) -> bool {
        self.compression() != Compression::Plain
    }

    /// Returns the name of a member in messages.
    pub(super) fn member_name(&self) -> &'static str {
        match self.compression() {
            Compression::Zstd => "zstd frame",
            _ => "gzip member",
        }
    }

    /// Returns the position of the next byte: in a plain file its offset, else that of its member.
    pub(super) fn offset(&self) -> u64 {
        if self.has_members() {
            self.member_start
        } else {
            self.consumed
        }
    }

    /// Returns the number of unpacked bytes that were consumed so far.
    pub(super) fn total_consumed(&self) -> u64 {
        self.total_consumed
    }

    /// Returns whether nothing was consumed yet of the member, or of a plain file.
    pub(super) fn is_at_member_start(&self) -> bool {
        self.is_at_member_start
    }

    /// Begins the next member, past the rest of the current one. Returns `false` at the end of the input.
    pub(super) fn next_member(&mut self) -> io::Result<bool> {
        if !self.has_members() {
            // A plain file is one member: the first call begins it, and later calls find no other. Before the first call, no
            // byte was read.
            let is_first_call = self.is_at_member_start && self.out.is_unused();
            return Ok(is_first_call && !self.ahead(1)?.is_empty());
        }
        while !self.ahead(1)?.is_empty() {
            self.consume(usize::MAX);
        }
        self.begin_member()
    }

    /// Begins the member at which the window is. Returns `false` at the end of the input.
    fn begin_member(&mut self) -> io::Result<bool> {
        let mut window = self.take_window()?;
        let begins = self.member_begins(&mut window);
        self.out.clear();
        self.consumed = 0;
        self.is_at_member_start = true;
        self.error = None;
        if !matches!(begins, Ok(true)) {
            self.state = State::Between(window);
            return begins;
        }
        if let Decoder::Zstd(frames) = &mut self.decoder {
            self.state = State::InsideFrame(window);
            frames.begin()?;
            return Ok(true);
        }
        let is_whole = self.member_start < self.whole_until
            && self
                .out
                .replace(|out| self.whole_members.unpack(&mut window, out));
        self.state = if is_whole {
            State::InsideWhole(window)
        } else {
            State::Inside(Box::new(GzDecoder::new(window)))
        };
        Ok(true)
    }

    /// Returns whether a member begins here; `false` at the end of the input. Skips the skippable frames before a Zstandard
    /// frame. Other bytes are an error. Sets the start of the member to that of the last one, or of the frame that could not be
    /// skipped.
    fn member_begins(&mut self, window: &mut Window<R>) -> io::Result<bool> {
        self.member_start = window.offset();
        let magic = if let Decoder::Zstd(_) = self.decoder {
            while let Some(length) = Frames::skippable_length(window)? {
                self.skip_frame(window, length)?;
                self.member_start = window.offset();
            }
            &FRAME[..]
        } else {
            &GZIP[..]
        };
        let ahead = window.ahead(magic.len())?;
        if ahead.is_empty() || ahead.starts_with(magic) {
            return Ok(!ahead.is_empty());
        }
        let what = format!("not a {}", self.member_name());
        Err(io::Error::new(io::ErrorKind::InvalidData, what))
    }

    /// Skips the skippable frame of this length that begins here.
    ///
    /// The length may be wrong, and cover all frames after this one. The window keeps the bytes of a frame of up to [`HISTORY`],
    /// so that [`resume_after_damage`](Self::resume_after_damage) finds the frames in it. In a longer one, a frame in which a
    /// record begins is an error: the window is then at it.
    fn skip_frame(&mut self, window: &mut Window<R>, length: u64) -> io::Result<()> {
        // No input has bytes after the last offset: such a frame is cut.
        let end = window.offset().checked_add(length);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        if length > HISTORY as u64 {
            if self
                .decoder
                .find_record(window, end, header::begins_record)?
            {
                let what = "a record begins in a skippable frame";
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            // The search may end a little after the frame.
            window.rewind(end);
        }
        loop {
            let left = end.saturating_sub(window.offset());
            let step = window.ahead(1)?.len();
            let step = usize::try_from(left).map_or(step, |left| left.min(step));
            window.consume(step);
            if left == 0 {
                return Ok(());
            }
            if step == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Returns the next bytes of the member: at least `wanted`, unless the member ends earlier, and at most `wanted` or
    /// [`UNPACK_STEP`], whichever is greater. An error is returned once the bytes before it are consumed.
    pub(super) fn ahead(&mut self, wanted: usize) -> io::Result<&[u8]> {
        self.unpack_ahead(wanted);
        match self.error.take() {
            Some(error) if self.out.is_empty() => Err(error),
            error => {
                self.error = error;
                Ok(self.unpacked_up_to(wanted))
            }
        }
    }

    /// Returns the next bytes of the member, as [`ahead`](Self::ahead) does. An error is not returned here, but by the next
    /// call of another method.
    pub(super) fn peek(&mut self, wanted: usize) -> &[u8] {
        self.unpack_ahead(wanted);
        self.unpacked_up_to(wanted)
    }

    /// Returns up to `wanted` or [`UNPACK_STEP`] unpacked bytes, whichever is greater. A member that was unpacked in one
    /// call may have more, but callers must see the same bytes as if it were unpacked step by step.
    fn unpacked_up_to(&self, wanted: usize) -> &[u8] {
        let most = wanted.max(UNPACK_STEP);
        self.out.get(..most).unwrap_or(&self.out)
    }

    /// Unpacks until `wanted` bytes are not consumed yet, unless the member ends or an error occurs before.
    fn unpack_ahead(&mut self, wanted: usize) {
        self.out.compact(UNPACK_STEP);
        // A member that was unpacked in one call has no more bytes to unpack.
        let is_whole = self.is_whole();
        while !is_whole && self.error.is_none() && self.out.len() < wanted {
            let (state, decoder) = (&mut self.state, &mut self.decoder);
            match self
                .out
                .fill(UNPACK_STEP, |into| unpack(state, decoder, into))
            {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => self.error = Some(error),
            }
        }
    }

    /// Copies the next bytes of the member to `into`, and consumes them. Returns their number: zero at the end of the
    /// member. If unpacking fails, the bytes of this call are lost.
    pub(super) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.out.take_into(into);
        if count > 0 {
            self.count_consumed(count);
            return Ok(count);
        }
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let count = unpack(&mut self.state, &mut self.decoder, into)?;
        self.count_consumed(count);
        Ok(count)
    }

    /// Replaces a block with the next `length` bytes, without copying them. Returns `false`, and does nothing, unless the
    /// member was unpacked in one call and the bytes are at least half of the rest of it.
    pub(super) fn move_to_block(&mut self, length: u64, block: &mut Block) -> bool {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let is_moved = self.is_whole() && self.out.exchange(length, block);
        if is_moved {
            self.count_consumed(length);
        }
        is_moved
    }

    /// Returns an empty block for reuse, in place of one whose bytes are not needed any more.
    pub(super) fn recycle(&mut self, mut block: Block) -> Block {
        // Members that are unpacked step by step need little space here, and all of it in the block.
        if self.is_whole() {
            return self.out.recycle(block);
        }
        block.clear();
        block
    }

    /// Returns whether the member was unpacked in one call.
    fn is_whole(&self) -> bool {
        matches!(self.state, State::InsideWhole(_))
    }

    /// Consumes bytes that [`ahead`](Self::ahead) returned, up to all of them.
    pub(super) fn consume(&mut self, count: usize) {
        let count = self.out.consume(count);
        self.count_consumed(count);
    }

    /// Counts bytes that were consumed.
    fn count_consumed(&mut self, count: usize) {
        self.is_at_member_start &= count == 0;
        self.consumed += count as u64;
        self.total_consumed += count as u64;
    }

    /// Puts consumed bytes back.
    pub(super) fn put_back(&mut self, bytes: &[u8]) {
        self.out.put_back(bytes);
        // They may have been in several members.
        self.consumed = self.consumed.saturating_sub(bytes.len() as u64);
        self.total_consumed -= bytes.len() as u64;
    }

    /// Returns the window.
    fn window_mut(&mut self) -> Option<&mut Window<R>> {
        match &mut self.state {
            State::Between(window) | State::InsideWhole(window) | State::InsideFrame(window) => {
                Some(window)
            }
            State::Inside(gzip) => Some(gzip.get_mut()),
            State::Taken => None,
        }
    }

    /// Treats a plain input as gzip members, the first of which is corrupt.
    pub(super) fn assume_gzip(&mut self) {
        self.decoder = Decoder::Gzip;
    }

    /// Returns an error of this stream, with its kind and its position.
    pub(super) fn error(&mut self, source: io::Error) -> Error {
        let kind = if self.input_failed() {
            ErrorKind::Input
        } else {
            ErrorKind::Corrupt
        };
        Error::new(kind, self.offset(), source)
    }

    /// Returns whether the last error came from the input itself, not from its content.
    pub(super) fn input_failed(&mut self) -> bool {
        self.window_mut().is_some_and(|window| window.failed)
    }

    /// Resumes after a corrupt member: finds the next one in which a record begins, as `is_record`
    /// decides from its first bytes, and begins it. Returns `false` if there is none.
    ///
    /// If a record begins in a member right where unpacking failed, that member is the next one: only the checksum or size of the
    /// corrupt member is wrong, and its content may have members of its own, such as a downloaded archive.
    ///
    /// Otherwise, the search begins one byte after the start of the corrupt member, or at the oldest byte that the window still
    /// has. It does not begin where unpacking failed: unpacking may have continued past the end of the member.
    pub(super) fn resume_after_damage(
        &mut self,
        is_record: impl Fn(&[u8]) -> bool,
    ) -> io::Result<bool> {
        let mut window = self.take_window()?;
        let failed = self.decoder.failed_step();
        let mut found = Ok(false);
        if window.offset() > self.member_start {
            found = self.decoder.skip_to_record(&mut window, failed, &is_record);
        }
        if matches!(found, Ok(false)) {
            window.rewind(self.member_start + 1);
            found = self.decoder.find_record(&mut window, u64::MAX, is_record);
        }
        self.state = State::Between(window);
        if found? {
            self.begin_member()
        } else {
            Ok(false)
        }
    }

    /// Advances to the first member before the offset `until` in which a record begins, as `is_record` decides. Returns
    /// `false` if there is none. The rest of the current member is dropped.
    pub(super) fn find_member(
        &mut self,
        until: u64,
        is_record: impl Fn(&[u8]) -> bool,
    ) -> io::Result<bool> {
        let mut window = self.take_window()?;
        let found = self.decoder.find_record(&mut window, until, is_record);
        self.state = State::Between(window);
        found
    }

    /// Takes the window out of the state. The caller puts it back before it returns.
    fn take_window(&mut self) -> io::Result<Window<R>> {
        let window = mem::replace(&mut self.state, State::Taken).into_window();
        window.ok_or_else(|| io::Error::other("the window was not put back"))
    }
}

/// Unpacks the next bytes of a member. Returns their number, 0 at the end of the member.
fn unpack<R: Read>(
    state: &mut State<R>,
    decoder: &mut Decoder,
    into: &mut [u8],
) -> io::Result<usize> {
    match (state, decoder) {
        (State::Inside(gzip), _) => gzip.read(into),
        (State::InsideFrame(window), Decoder::Zstd(frames)) => frames.read(window, into),
        (State::Between(window), Decoder::None) => window.read(into),
        // Between members there are no bytes, and a member that was unpacked in one call has no more.
        _ => Ok(0),
    }
}
