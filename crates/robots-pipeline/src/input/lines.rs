//! Texts, plain or gzip: line by line, or from the start up to a limit.

use crate::error::Error;
use crate::text::path_text;
use flate2::read::MultiGzDecoder;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The maximum number of bytes of a robots.txt that are read, after inflating: one more than the parser keeps (16 MiB),
/// which shows that the file is longer.
pub const MAX_ROBOTS_BYTES: usize = robots_txt::limits::MAX_BODY + 1;

/// The maximum number of bytes of a saved page that are read: 64 MiB. HEAD ends long before, and METAs in BODY count only
/// near its start.
pub const MAX_PAGE_BYTES: usize = 64 * 1024 * 1024;

/// The first bytes of a gzip file (RFC 1952, section 2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1F, 0x8B];

/// Opens a text to be read line by line; `-` is standard input.
///
/// # Errors
///
/// If it cannot be read.
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, Error> {
    let input: Box<dyn Read + Send> = if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(open_plain(path)?)
    };
    open_input(input).map_err(Error::at("read", path))
}

/// Returns an input to be read line by line.
///
/// # Errors
///
/// If its first bytes cannot be read.
pub fn open_input(input: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let mut input = BufReader::new(input);
    let start = input.fill_buf()?;
    if start.starts_with(&GZIP_MAGIC) {
        return Ok(Box::new(BufReader::new(MultiGzDecoder::new(input))));
    }
    Ok(Box::new(input))
}

/// Returns the next line without its end, or the first `limit + 1` bytes of a longer one, whose rest is skipped; `None` at
/// the end of the input.
///
/// # Errors
///
/// If the input cannot be read.
pub fn read_line(input: &mut impl BufRead, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut start = Read::take(&mut *input, limit as u64 + 1);
    if start.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > limit {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

/// The bytes of a byte order mark in UTF-8, with which a text may begin.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns the lines of a text with their 1-based numbers, each as [`read_line`] returns it. The first one has no byte order mark.
/// `name` is for messages.
///
/// # Errors
///
/// If the input cannot be read.
pub fn numbered(
    mut input: impl BufRead,
    limit: usize,
    name: impl fmt::Display,
) -> impl Iterator<Item = Result<(u64, Vec<u8>), Error>> {
    (1..).map_while(move |number| {
        let line = read_line(&mut input, limit).map_err(Error::io("read", &name));
        let line = line.transpose()?;
        Some(line.map(|mut line| {
            if number == 1 && line.starts_with(BYTE_ORDER_MARK) {
                line.drain(..BYTE_ORDER_MARK.len());
            }
            (number, line)
        }))
    })
}

/// Reads a robots.txt of up to [`MAX_ROBOTS_BYTES`]; `-` is standard input. The rest of a longer one is not read. A file whose name
/// ends with `.gz` is inflated.
///
/// # Errors
///
/// If it cannot be read or inflated.
pub fn read_robots(path: &Path) -> Result<Vec<u8>, Error> {
    let name = path_text(path);
    if path.as_os_str() == "-" {
        return start_of_robots(&name, io::stdin().lock());
    }
    start_of_robots(&name, open_plain(path)?)
}

/// The start of an SQLite file (<https://www.sqlite.org/fileformat2.html>, section 1.3).
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Returns the start of a robots.txt. Gzip is inflated if the name says so, as a response does with `Content-Encoding`. Any other is
/// not text: it stays as it is, and has no rules.
pub(super) fn start_of_robots(name: &str, input: impl Read) -> Result<Vec<u8>, Error> {
    let extension = Path::new(name).extension();
    if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) {
        return read_start(name, input, MAX_ROBOTS_BYTES);
    }
    let mut bytes = Vec::new();
    let read = input.take(MAX_ROBOTS_BYTES as u64).read_to_end(&mut bytes);
    read.map_err(Error::io("read", name))?;
    if bytes.starts_with(SQLITE) {
        return Err(Error::IsStore(name.to_owned()));
    }
    Ok(bytes)
}

/// Opens a file that is not a folder.
pub(super) fn open_plain(path: &Path) -> Result<File, Error> {
    let file = File::open(path).map_err(Error::at("read", path))?;
    let metadata = file.metadata().map_err(Error::at("read", path))?;
    if metadata.is_dir() {
        return Err(Error::IsFolder(path_text(path)));
    }
    Ok(file)
}

/// Returns the first [`MAX_PAGE_BYTES`] of a saved page. Does not inflate gzip.
pub(crate) fn read_page(page: impl Read) -> io::Result<Vec<u8>> {
    let mut html = Vec::new();
    page.take(MAX_PAGE_BYTES as u64).read_to_end(&mut html)?;
    Ok(html)
}

/// Returns the first `limit` bytes of a text, after inflating it if it is gzip. `name` is for messages.
///
/// # Errors
///
/// If it cannot be read or inflated.
pub fn read_start(name: &str, input: impl Read, limit: usize) -> Result<Vec<u8>, Error> {
    let mut input = BufReader::new(input);
    let start = input.fill_buf().map_err(Error::io("read", name))?;
    let is_gzip = start.starts_with(&GZIP_MAGIC);
    let (limit, mut bytes) = (limit as u64, Vec::new());
    if is_gzip {
        let read = MultiGzDecoder::new(input)
            .take(limit)
            .read_to_end(&mut bytes);
        read.map_err(Error::io("inflate", name))?;
    } else {
        let read = input.take(limit).read_to_end(&mut bytes);
        read.map_err(Error::io("read", name))?;
    }
    Ok(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn a_line_without_an_end_costs_no_memory() {
        const LIMIT: usize = 100;
        for (bytes, kept) in [
            (LIMIT - 1, LIMIT - 1),
            (LIMIT, LIMIT),
            (LIMIT + 1, LIMIT + 1),
            (LIMIT * 9, LIMIT + 1),
        ] {
            let text = [vec![b'a'; bytes], b"\nb".to_vec()].concat();
            let mut lines = &text[..];
            let line = read_line(&mut lines, LIMIT).unwrap().unwrap();
            assert_eq!(line.len(), kept);
            assert_eq!(read_line(&mut lines, LIMIT).unwrap().unwrap(), b"b");
            assert_eq!(read_line(&mut lines, LIMIT).unwrap(), None);
        }
    }

    #[test]
    fn a_page_is_read_up_to_its_limit() {
        let endless = read_page(io::repeat(b'a')).unwrap();
        assert_eq!(endless.len(), MAX_PAGE_BYTES);
        for bytes in [MAX_PAGE_BYTES - 1, MAX_PAGE_BYTES, MAX_PAGE_BYTES + 1] {
            let read = read_page(io::repeat(b'a').take(bytes as u64)).unwrap();
            assert_eq!(read.len(), bytes.min(MAX_PAGE_BYTES));
        }
    }

    #[test]
    fn no_more_than_the_limit_is_read() {
        for length in [99, 100, 101, 1_000_000] {
            let text = vec![b'a'; length];
            let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
            gzip.write_all(&text).unwrap();
            let packed = gzip.finish().unwrap();
            for input in [&text, &packed] {
                let read = read_start("a", &input[..], 100).unwrap();
                assert_eq!(read.len(), length.min(100));
            }
        }
        let error = read_start("a", &b"\x1f\x8bjunk"[..], 100).unwrap_err();
        assert_eq!(error.to_string(), "cannot inflate a");
    }
}
