//! The bytes of a book of robots.txt captures, with a valid checksum: reading returns an error or a book, and a book that was
//! read is written and read again as the same book, which decides pages.
use robots_archive::{Item, Record};
use robots_meta::Timestamp;
use robots_pipeline::input::ItemSource;
use robots_pipeline::robots::capture_book::CaptureBook;
use robots_pipeline::{Error, Options, Source, captures};
use robots_policy::{Page, Policies, Policy, Profile};
use std::hash::Hasher;
use std::sync::Arc;
use twox_hash::XxHash64;

/// The length of the bytes before the checksum: a name with its length, and a version.
const HEAD: usize = "robots-book".len() + 2;

/// The length of the bytes before the contents.
const CHECKED_HEAD: usize = HEAD + size_of::<u64>();

thread_local! {
    static BOOK: Written = Written::new();
}

/// A book as it was written.
struct Written {
    head: Vec<u8>,
    contents: Vec<u8>,
}

/// Checks one input.
pub fn check(data: &[u8]) {
    check_bytes(data);
    BOOK.with(|book| {
        check_bytes(&book.sealed(data));
        let mut edited = book.contents.clone();
        for edit in data.as_chunks().0 {
            let [high, low, byte] = *edit;
            let at = usize::from(u16::from_be_bytes([high, low])) % edited.len();
            edited[at] ^= byte;
        }
        check_bytes(&book.sealed(&edited));
        // The policies are those of the book, and the captures are the data.
        let captures = book.contents.len() - book.captures();
        let continued = [&book.contents[..captures], data].concat();
        check_bytes(&book.sealed(&continued));
    });
}

fn check_bytes(bytes: &[u8]) {
    let Ok(book) = CaptureBook::from_bytes(bytes) else {
        return;
    };
    let written = book.to_bytes();
    let again = CaptureBook::from_bytes(&written).expect("just written");
    assert_eq!(again.to_bytes(), written);
    let _ = book.missing_targets();
    for url in ["http://a.example/x", "http://b.example/", "?"] {
        for seconds in [None, Some(0), Some(1_800_000_000)] {
            let at = seconds.map(Timestamp::from_seconds);
            let page = Page::new(url);
            assert_eq!(book.decide(&page, at), again.decide(&page, at));
        }
    }
}

/// Records in memory.
struct Records<const N: usize>(std::array::IntoIter<Record, N>);

impl<const N: usize> ItemSource for Records<N> {
    fn next_item(&mut self) -> Result<Option<Item>, Error> {
        Ok(self.0.next().map(Item::Record))
    }
}

impl Written {
    fn new() -> Self {
        let url = |host: &str| format!("http://{host}.example/robots.txt");
        let date = Some("2026-11-20T00:00:00Z");
        let to_a = [("Location", "http://a.example/robots.txt")];
        let records = [
            Record::response(&url("a"), date, 200, [], b"User-agent: *\nDisallow: /x"),
            Record::response(&url("a"), None, 503, [], b""),
            Record::response(&url("b"), date, 301, to_a, b""),
            Record::response(&url("c"), date, 302, [("Location", "/rules")], b""),
        ];
        let google = Policy::under(&Profile::google(), "Googlebot").expect("a name");
        let policies = Arc::new(Policies::new(vec![google]));
        let source = Source::Items {
            name: "records",
            items: &mut Records(records.into_iter()),
        };
        let options = Options::new(Timestamp::from_seconds(0));
        let read = captures(source, &policies, &options, &());
        let bytes = read.expect("records can be read").0.to_bytes();
        Self {
            head: bytes[..HEAD].to_vec(),
            contents: bytes[CHECKED_HEAD..].to_vec(),
        }
    }

    /// Returns the length of the captures, which are at the end of the contents: from the number of bodies on.
    fn captures(&self) -> usize {
        let body = b"User-agent: *\nDisallow: /x";
        let mut windows = self.contents.windows(body.len());
        let at = windows.position(|window| window == body).expect("the body");
        // The number of bodies and the length of the first are one byte each.
        self.contents.len() - at + 2
    }

    /// Returns a book with these contents, and a valid checksum.
    fn sealed(&self, contents: &[u8]) -> Vec<u8> {
        let mut checksum = XxHash64::with_seed(0);
        checksum.write(&self.head);
        checksum.write(contents);
        let checksum = checksum.finish().to_le_bytes();
        [&self.head, &checksum[..], contents].concat()
    }
}
