//! lol_html, stopped by an error from a handler at the first tag that cannot be in HEAD.
//!
//! Its tag scanner reads only names. Attributes are read of METAs, of templates and of the tag at which it stops. A handler
//! of text would decode all scripts, so there is none: text and end tags do not end the HEAD here. lol_html reads the
//! content of a NOSCRIPT as text: METAs in it are not found, and a NOSCRIPT after `</head>` does not end the HEAD.
//! Character references are not decoded.

use super::Pair;
use lol_html::html_content::Element;
use lol_html::{
    ElementContentHandlers, HandlerResult, HtmlRewriter, MemorySettings, Selector, Settings,
    end_tag,
};
use std::borrow::Cow;
use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::rc::Rc;
use std::sync::LazyLock;

static META: LazyLock<Selector> = LazyLock::new(|| selector("meta"));

static TEMPLATE: LazyLock<Selector> = LazyLock::new(|| selector("template"));

/// The elements that cannot be in HEAD. The most frequent names come first, as the first match
/// decides.
static BODY: LazyLock<Selector> = LazyLock::new(|| {
    selector(
        ":not(meta):not(link):not(script):not(style):not(title):not(noscript):not(html):not(head)\
         :not(base):not(template):not(noframes):not(basefont):not(bgsound)",
    )
});

fn selector(text: &str) -> Selector {
    text.parse().expect("the selector is valid")
}

/// Returns the METAs in HEAD. lol_html reads bytes, as UTF-8.
pub fn metas(page: &[u8]) -> Vec<Pair> {
    let mut metas = Vec::new();
    let templates = Rc::new(Cell::new(0_usize));
    let settings = Settings::new()
        .with_strict(false)
        // The page is passed at once: only a cut tag at its end is ever buffered.
        .with_memory_settings(MemorySettings::new().with_preallocated_parsing_buffer_size(0))
        .append_element_content_handler(on(&META, |meta| {
            if templates.get() == 0 {
                let name = meta.get_attribute("name").unwrap_or_default();
                let content = meta.get_attribute("content").unwrap_or_default();
                metas.push(Pair::owned(name, content));
            }
            Ok(())
        }))
        .append_element_content_handler(on(&TEMPLATE, |template| {
            templates.set(templates.get() + 1);
            let templates = Rc::clone(&templates);
            template.on_end_tag(end_tag!(move |_| {
                templates.set(templates.get().saturating_sub(1));
                Ok(())
            }))
        }))
        .append_element_content_handler(on(&BODY, |_| {
            if templates.get() == 0 {
                Err(Box::new(HeadEnded))
            } else {
                Ok(())
            }
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // An error stops it. Without an error, less than a tag is still buffered.
    let _ = rewriter.write(page);
    drop(rewriter);
    metas
}

/// Returns a handler for the elements that a selector matches.
fn on<'h>(
    selector: &'static Selector,
    handler: impl FnMut(&mut Element<'_, '_>) -> HandlerResult + 'h,
) -> (Cow<'static, Selector>, ElementContentHandlers<'h>) {
    let handlers: ElementContentHandlers<'h> = ElementContentHandlers::default();
    (Cow::Borrowed(selector), handlers.element(handler))
}

/// The error that stops lol_html.
#[derive(Debug)]
struct HeadEnded;

impl fmt::Display for HeadEnded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the HEAD has ended")
    }
}

impl Error for HeadEnded {}
