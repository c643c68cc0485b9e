//! The options of a reader, which are set before the first byte.

use super::encoding::{EncodingHints, of_label};
use crate::wanted::Wanted;

/// The default of [`HeadOptions::with_limit`]: 16 MiB.
pub const DEFAULT_HEAD_LIMIT: usize = 16 * 1024 * 1024;

/// The options of a reader.
///
/// | option | default |
/// | --- | --- |
/// | [charset](Self::with_charset) of the transport | none: it is found in the page |
/// | [wanted](Self::with_wanted) facts | all |
/// | [scripting](Self::with_scripting) | off |
/// | [limit](Self::with_limit) | [`DEFAULT_HEAD_LIMIT`] bytes |
///
/// ```
/// use robots_meta::{Facts, HeadOptions, Wanted};
///
/// let options = HeadOptions::new()
///     .with_charset("iso-8859-1")
///     .with_wanted(Wanted::facts(Facts::TITLE));
/// let page = options.read(b"<title>caf\xE9</title><meta name=robots content=noindex>");
/// assert_eq!(page.title().as_deref(), Some("caf\u{e9}"));
/// assert_eq!(page.metas().len(), 0);
/// ```
#[derive(Debug, Clone)]
pub struct HeadOptions {
    pub(super) hints: EncodingHints,
    pub(super) limit: usize,
    pub(super) wanted: Wanted,
    pub(super) scripting: bool,
}

impl Default for HeadOptions {
    fn default() -> Self {
        Self::from(Wanted::everything())
    }
}

impl From<Wanted> for HeadOptions {
    /// Returns the defaults, but with these facts.
    fn from(wanted: Wanted) -> Self {
        Self {
            hints: EncodingHints::default(),
            limit: DEFAULT_HEAD_LIMIT,
            wanted,
            scripting: false,
        }
    }
}

impl HeadOptions {
    /// Returns the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the encoding that the transport names: the `charset` of the `Content-Type` header. A
    /// label that is not in the Encoding Standard is ignored, as by browsers.
    #[must_use]
    pub fn with_charset(mut self, label: impl AsRef<[u8]>) -> Self {
        if let Some(encoding) = of_label(label.as_ref()) {
            self.hints.transport = Some(encoding);
        }
        self
    }

    /// Sets the maximum number of bytes that are read of a page. If the HEAD, or the whole document where
    /// that is read, has more, reading stops with
    /// [`HeadLimit::Bytes`](crate::page::HeadLimit::Bytes).
    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Sets the facts to keep.
    #[must_use]
    pub fn with_wanted(mut self, wanted: Wanted) -> Self {
        self.wanted = wanted;
        self
    }

    /// Enables scripting, as in a browser: the content of NOSCRIPT is then text and is not read. Most
    /// crawlers do not run scripts.
    #[must_use]
    pub fn with_scripting(mut self, scripting: bool) -> Self {
        self.scripting = scripting;
        self
    }
}
