//! The inputs: the corpus, and a large generated file.

use robots_archive::http::Response;
use robots_archive::{Item, Reader};
use robots_meta::value::MediaType;
use robots_txt::Dialect;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// The robot of all questions.
pub const AGENT: &str = "Googlebot";

/// RFC 9309 for files of any size, as the peers read them.
pub const UNLIMITED: Dialect = Dialect::RFC9309.with_size_limit(None);

/// A response: its URL, headers and body.
pub struct File {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl File {
    /// Returns the encoding that the headers name.
    pub fn charset(&self) -> Option<&str> {
        let lines = self.headers.iter();
        let lines = lines.map(|(name, value)| (name, value.as_bytes()));
        MediaType::of_headers(lines).charset()
    }
}

/// Returns the folder of the corpus, if it exists.
pub fn folder() -> Option<PathBuf> {
    let folder = match std::env::var_os("ROBOTS_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
    };
    let corpus = folder.join("corpus");
    corpus.is_dir().then_some(corpus)
}

/// Returns the robots.txt files of the corpus.
pub fn robots(folder: &Path) -> Vec<File> {
    files(&folder.join("robots.warc.gz"), |_| true)
}

/// Returns the HTML pages of the corpus.
pub fn pages(folder: &Path) -> Vec<File> {
    files(&folder.join("crawl.warc.gz"), |response| {
        response.status() == 200 && response.is_html()
    })
}

/// Returns the robots.txt files of the sites of the pages.
pub fn robots_of_pages(folder: &Path) -> Vec<File> {
    let mut files = files(&folder.join("crawl.warc.gz"), |response| {
        response.status() == 200
    });
    files.retain(|file| file.url.ends_with("/robots.txt"));
    files
}

/// Returns the wanted responses of an archive.
fn files(path: &Path, wanted: impl Fn(&Response) -> bool) -> Vec<File> {
    let file = std::fs::File::open(path).expect("the corpus is readable");
    let mut reader = Reader::open(file)
        .expect("the corpus is readable")
        .expect("the corpus has archives");
    let mut found = Vec::new();
    while let Some(item) = reader.next_item().expect("the corpus is readable") {
        let Item::Record(record) = item else {
            continue;
        };
        if let (Some(url), Ok(response)) = (record.url, Response::parse(&record.block))
            && wanted(&response)
        {
            let headers = response.headers();
            found.push(File {
                url,
                headers: headers
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
                body: response.body().to_vec(),
            });
        }
    }
    found
}

/// Returns the total size of the bodies in bytes.
pub fn bytes(files: &[File]) -> usize {
    files.iter().map(|file| file.body.len()).sum()
}

/// Prints a hash and the sizes of the inputs.
pub fn print_input(files: &[File], pages: &[File]) {
    let mut hasher = DefaultHasher::new();
    for files in [files, pages] {
        files.len().hash(&mut hasher);
        for file in files {
            (&file.url, &file.body).hash(&mut hasher);
        }
    }
    println!(
        "input {:016x}: {} robots.txt files, {} bytes; {} pages, {} bytes\n",
        hasher.finish(),
        files.len(),
        bytes(files),
        pages.len(),
        bytes(pages)
    );
}

/// A generator of random numbers, which are the same in each run (SplitMix64).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number, which is less than `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        (mixed % end as u64) as usize
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const FOLDERS: [&str; 8] = [
    "en/database/oracle/oracle-database",
    "en/database/goldengate/core",
    "en/cloud/paas/analytics-cloud",
    "en/cloud/saas/financials",
    "en/industries/communications/billing",
    "en/middleware/fusion/web-tier",
    "ja/database/oracle/oracle-database",
    "ja/java/javase",
];

const BOOKS: [&str; 12] = [
    "admin", "arpls", "cncpt", "dwhsg", "lnpls", "netag", "refrn", "sqlrf", "tgdba", "tutorial",
    "upgrd", "xstrm",
];

/// Returns a file such as a large documentation site has: old folders with part numbers, and
/// books in nested folders, with a few allowed pages.
pub fn documentation(rules: usize) -> Vec<u8> {
    let mut numbers = Numbers::new(31_847);
    let mut body = String::from("User-agent: *\n");
    for n in 0..rules {
        let folder = numbers.one_of(&FOLDERS);
        let version = 8 + numbers.below(16);
        let book = numbers.one_of(&BOOKS);
        match numbers.below(40) {
            0 => writeln!(body, "Allow: /{folder}/{version}/{book}{n}/index.html"),
            1..10 => writeln!(body, "Disallow: /cd/E{n:05}_01/"),
            10..20 => writeln!(body, "Disallow: /{folder}/{version}/{book}/{book}{n}/"),
            _ => writeln!(body, "Disallow: /{folder}/{version}/{book}{n}/"),
        }
        .expect("writing to a string cannot fail");
    }
    body.into_bytes()
}
