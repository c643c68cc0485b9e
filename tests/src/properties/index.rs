//! A CDXJ index: reading it ends, errors name lines of the input in order, and a line has the same entry wherever it is.
use robots_archive::cdxj::{CdxjError, CdxjReader};

/// Checks one input.
pub fn check(data: &[u8]) {
    let mut reader = CdxjReader::new(data);
    let mut last_error = 0;
    loop {
        match reader.next_entry() {
            Ok(Some(entry)) => {
                let _ = (entry.is_ok(), entry.is_html());
            }
            Ok(None) => break,
            Err(error) => {
                let line = match error {
                    CdxjError::Line(line, _) => Some(line),
                    _ => None,
                };
                let line = line.expect("memory can be read");
                assert!(line > last_error);
                last_error = line;
            }
        }
    }
    assert_eq!(
        entries(data),
        data.split(|&byte| byte == b'\n')
            .map(entries)
            .sum::<usize>()
    );
}

/// Returns the number of entries of an index.
fn entries(data: &[u8]) -> usize {
    let mut reader = CdxjReader::new(data);
    let mut count = 0;
    loop {
        match reader.next_entry() {
            Ok(Some(_)) => count += 1,
            Ok(None) => return count,
            Err(_) => {}
        }
    }
}
