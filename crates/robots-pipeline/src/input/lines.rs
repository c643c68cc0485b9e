//! Texts, plain or gzip: line by line, or whole.

use crate::error::{Error, Operation};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The largest size of an inflated text that is read whole: 64 MiB.
const INFLATED_LIMIT: u64 = 64 * 1024 * 1024;

/// The first bytes of a gzip file (RFC 1952, section 2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1F, 0x8B];

/// Opens a text to be read line by line; `-` is standard input.
///
/// # Errors
///
/// If it cannot be read.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>, Error> {
    let input: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(Error::at(Operation::Read, path))?)
    };
    let mut input = BufReader::new(input);
    let start = input.fill_buf().map_err(Error::at(Operation::Read, path))?;
    if start.starts_with(&GZIP_MAGIC) {
        return Ok(Box::new(BufReader::new(MultiGzDecoder::new(input))));
    }
    Ok(Box::new(input))
}

/// Reads a small text whole; `-` is standard input.
///
/// # Errors
///
/// If it cannot be read or inflated.
pub fn read_whole(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes).map(drop)
    } else {
        std::fs::read(path).map(|read| bytes = read)
    };
    read.map_err(Error::at(Operation::Read, path))?;
    inflated(bytes).map_err(Error::at(Operation::Inflate, path))
}

/// Returns the bytes, inflated if they are gzip.
///
/// # Errors
///
/// If they cannot be inflated.
pub fn inflated(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(&GZIP_MAGIC) {
        return Ok(bytes);
    }
    let mut inflated = Vec::new();
    MultiGzDecoder::new(&bytes[..])
        .take(INFLATED_LIMIT)
        .read_to_end(&mut inflated)?;
    Ok(inflated)
}
