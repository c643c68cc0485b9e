//! A saved page: a file, plain or gzip.

use anyhow::Result;
use robots_pipeline::input::lines::{self, MAX_PAGE_BYTES};
use std::io::Read;

/// Reads a page of up to [`MAX_PAGE_BYTES`] after inflating. The rest of a larger one is not read; `warn` receives a warning
/// about it. `name` is for messages.
pub(crate) fn read(name: &str, file: impl Read, warn: impl FnOnce(&str)) -> Result<Vec<u8>> {
    read_up_to(MAX_PAGE_BYTES, name, file, warn)
}

fn read_up_to(
    limit: usize,
    name: &str,
    file: impl Read,
    warn: impl FnOnce(&str),
) -> Result<Vec<u8>> {
    let mut bytes = lines::read_start(name, file, limit.saturating_add(1))?;
    if bytes.len() > limit {
        bytes.truncate(limit);
        let shown = limit / (1024 * 1024);
        warn(&format!(
            "warning: {name}: only the first {shown} MiB were read"
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_larger_page_is_not_read() {
        for length in [99, 100, 101] {
            let page = vec![b'a'; length];
            let mut warnings = 0;
            let read = read_up_to(100, "a", &page[..], |_| warnings += 1).unwrap();
            assert_eq!((read.len(), warnings == 1), (length.min(100), length > 100));
        }
    }
}
