//! The HEAD of a page, read to its METAs.

use crate::corpus::File;
use crate::measure::{Runner, measure, print_times};
use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;
use robots_meta::HeadReader;
use std::hint::black_box;

pub fn bench(pages: &[File]) {
    let [ours, tree] = measure([
        Runner::new(pages.len(), || {
            for page in pages {
                black_box(HeadReader::read(&page.body));
            }
        }),
        Runner::new(pages.len(), || {
            for page in pages {
                let text = String::from_utf8_lossy(&page.body);
                black_box(parse_document(RcDom::default(), ParseOpts::default()).one(&*text));
            }
        }),
    ]);
    print_times(
        "head",
        "a page",
        ours,
        "html5ever and markup5ever_rcdom, whole page",
        tree,
        "",
    );
}
