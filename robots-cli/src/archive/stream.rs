//! The bytes of an archive, inflated: gzip members one after the other, or a plain file.
//!
//! Crawlers write each record as a gzip member of its own, so that a reader can begin anywhere.
//! That is what makes it possible to go on after a corrupt member ([`Stream::resume`]).

use super::window::Window;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, Read};

/// The start of a gzip member: the magic number and the method, deflate (RFC 1952, 2.3.1).
const GZIP: [u8; 3] = [0x1F, 0x8B, 0x08];

/// How much of a member is inflated to see whether a record begins in it.
const PROBE: usize = 8 * 1024;

/// How many bytes are inflated at once.
/// What was inflated before an error in the same step is lost, so steps are small.
const INFLATE: usize = 16 * 1024;

/// The inflated bytes of an input, member by member. A plain file is one member.
#[derive(Debug)]
pub(super) struct Stream<R> {
    state: State<R>,
    is_gzip: bool,
    member_start: u64,
    /// Inflated bytes that were not consumed yet.
    out: Vec<u8>,
    out_at: usize,
    /// How many bytes of the member were consumed.
    consumed: u64,
    /// An error that comes when the bytes before it have been consumed.
    error: Option<io::Error>,
}

#[derive(Debug)]
enum State<R> {
    Between(Window<R>),
    Inside(Box<GzDecoder<Window<R>>>),
    /// While the window is handed on.
    Moving,
}

impl<R: Read> Stream<R> {
    pub(super) fn open(input: R) -> io::Result<Self> {
        let mut window = Window::new(input);
        let is_gzip = window.ahead(GZIP.len())?.starts_with(&GZIP);
        Ok(Self {
            state: State::Between(window),
            is_gzip,
            member_start: 0,
            out: Vec::new(),
            out_at: 0,
            consumed: 0,
            error: None,
        })
    }

    pub(super) fn is_gzip(&self) -> bool {
        self.is_gzip
    }

    /// Where the next byte is: in a plain file its offset, else that of its member.
    pub(super) fn offset(&self) -> u64 {
        if self.is_gzip {
            self.member_start
        } else {
            self.consumed
        }
    }

    /// Begins the next member; `false` at the end of the input. What is left of the present one
    /// is dropped.
    pub(super) fn next_member(&mut self) -> io::Result<bool> {
        if !self.is_gzip {
            // A plain file is one member, begun by the first call.
            let first = self.consumed == 0 && self.out.is_empty();
            return Ok(first && !self.ahead(1)?.is_empty());
        }
        while !self.ahead(1)?.is_empty() {
            self.consume(usize::MAX);
        }
        self.begin_member()
    }

    fn begin_member(&mut self) -> io::Result<bool> {
        let mut window = self.take_window()?;
        let start = window
            .ahead(GZIP.len())
            .map(|ahead| (ahead.is_empty(), ahead.starts_with(&GZIP)));
        self.member_start = window.offset();
        self.out.clear();
        self.out_at = 0;
        self.consumed = 0;
        self.error = None;
        match start {
            Ok((_, true)) => {
                self.state = State::Inside(Box::new(GzDecoder::new(window)));
                Ok(true)
            }
            Ok((at_end, false)) => {
                self.state = State::Between(window);
                if at_end {
                    Ok(false)
                } else {
                    Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "not a gzip member",
                    ))
                }
            }
            Err(error) => {
                self.state = State::Between(window);
                Err(error)
            }
        }
    }

    /// The next bytes of the member: at least `wanted`, unless it ends before.
    pub(super) fn ahead(&mut self, wanted: usize) -> io::Result<&[u8]> {
        // What was consumed goes when it is as much as what is left: each byte moves once.
        if self.out_at > INFLATE.max(self.out.len() / 2) {
            self.out.drain(..self.out_at);
            self.out_at = 0;
        }
        while self.error.is_none() && self.out.len().saturating_sub(self.out_at) < wanted {
            let length = self.out.len();
            self.out.resize(length.saturating_add(INFLATE), 0);
            let into = self.out.get_mut(length..).unwrap_or_default();
            let read = match &mut self.state {
                State::Inside(decoder) => decoder.read(into),
                State::Between(window) if !self.is_gzip => window.read(into),
                State::Between(_) | State::Moving => Ok(0),
            };
            self.out
                .truncate(length.saturating_add(*read.as_ref().unwrap_or(&0)));
            match read {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => self.error = Some(error),
            }
        }
        let held = self.out.len().saturating_sub(self.out_at);
        match self.error.take() {
            Some(error) if held == 0 => Err(error),
            error => {
                self.error = error;
                Ok(self.out.get(self.out_at..).unwrap_or_default())
            }
        }
    }

    /// Goes past bytes that [`ahead`](Self::ahead) gave; more than those is all of them.
    pub(super) fn consume(&mut self, count: usize) {
        let count = count.min(self.out.len().saturating_sub(self.out_at));
        self.out_at = self.out_at.saturating_add(count);
        self.consumed = self.consumed.saturating_add(count as u64);
    }

    /// Puts bytes that were consumed back.
    pub(super) fn put_back(&mut self, bytes: &[u8]) {
        let held = self.out.get(self.out_at..).unwrap_or_default();
        self.out = [bytes, held].concat();
        self.out_at = 0;
        self.consumed = self.consumed.saturating_sub(bytes.len() as u64);
    }

    /// Takes a plain input for one of gzip members, whose first is corrupt.
    pub(super) fn assume_gzip(&mut self) {
        self.is_gzip = true;
    }

    /// Whether the last error came from the input itself, not from what was in it.
    pub(super) fn input_failed(&self) -> bool {
        match &self.state {
            State::Inside(decoder) => decoder.get_ref().failed,
            State::Between(window) => window.failed,
            State::Moving => false,
        }
    }

    /// Goes on after a corrupt member: finds the next one in which a record begins, as `is_record`
    /// tells from its first bytes, and begins it. `false` if there is none.
    ///
    /// The search begins one byte behind the start of the corrupt member, or at the oldest byte
    /// that is kept, as inflating may have run into members behind it.
    pub(super) fn resume(&mut self, is_record: impl Fn(&[u8]) -> bool) -> io::Result<bool> {
        let mut window = self.take_window()?;
        window.rewind(self.member_start.saturating_add(1));
        let found = loop {
            let ahead = match window.ahead(PROBE) {
                Ok(ahead) => ahead,
                Err(error) => {
                    self.state = State::Between(window);
                    return Err(error);
                }
            };
            match memchr::memmem::find(ahead, &GZIP) {
                Some(0) => {
                    if is_record(&start_of_member(ahead)) {
                        break true;
                    }
                    window.consume(1);
                }
                Some(at) => window.consume(at),
                None if ahead.len() < PROBE => break false,
                None => {
                    let most = ahead.len().saturating_sub(GZIP.len());
                    window.consume(most);
                }
            }
        };
        if !found {
            // Nothing more is to be found: the input is at its end.
            let length = window.fill_buf().map_or(0, <[u8]>::len);
            window.consume(length);
        }
        self.state = State::Between(window);
        if found {
            self.begin_member()
        } else {
            Ok(false)
        }
    }

    /// Takes the window to hand it on. Every path puts it back before it returns.
    fn take_window(&mut self) -> io::Result<Window<R>> {
        match std::mem::replace(&mut self.state, State::Moving) {
            State::Between(window) => Ok(window),
            State::Inside(decoder) => Ok(decoder.into_inner()),
            State::Moving => Err(io::Error::other("the input was given away")),
        }
    }
}

/// How long the name of a file in a gzip header may be, if it is to be taken for one.
const GZIP_NAME: usize = 512;

/// The first inflated bytes of what may be a gzip member (RFC 1952, 2.3).
fn start_of_member(bytes: &[u8]) -> Vec<u8> {
    let bytes = bytes.get(..PROBE).unwrap_or(bytes);
    let mut start = Vec::new();
    let flags = bytes.get(GZIP.len()).copied().unwrap_or(u8::MAX);
    let has_reserved = flags & 0xE0 != 0;
    let has_name = flags & 0x18 != 0;
    let name_ends = bytes
        .get(..GZIP_NAME)
        .is_some_and(|bytes| memchr::memchr(0, bytes.get(10..).unwrap_or_default()).is_some());
    if has_reserved || has_name && !name_ends {
        return start;
    }
    // An error only means that there is less to see.
    let _ = GzDecoder::new(bytes).take(1024).read_to_end(&mut start);
    start
}
