//! The assumed encoding of a page, and whether a META may still change it.

use super::sniff::of_meta;
use crate::head::text::resolved;
use crate::page::EncodingSource;
use crate::wanted::Keys;
use encoding_rs::Encoding;
use std::borrow::Cow;

/// The assumed encoding of a page, its source, and whether it is final.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageEncoding {
    encoding: &'static Encoding,
    source: EncodingSource,
    is_tentative: bool,
}

impl PageEncoding {
    /// Returns the encoding of a page. `is_decoded` is true if the page was decoded before the scan: its
    /// encoding is then final.
    pub(crate) fn new(
        encoding: &'static Encoding,
        source: EncodingSource,
        is_decoded: bool,
    ) -> Self {
        let is_certain = matches!(
            source,
            EncodingSource::ByteOrderMark | EncodingSource::Transport
        );
        Self {
            encoding,
            source,
            is_tentative: !is_certain && !is_decoded,
        }
    }

    pub(crate) fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    pub(crate) fn source(&self) -> EncodingSource {
        self.source
    }

    /// Returns whether a META may still change it.
    #[inline]
    pub(crate) fn is_tentative(&self) -> bool {
        self.is_tentative
    }

    /// Takes a META of HEAD. The first that names an encoding is obeyed, unless the encoding is certain
    /// (HTML, 13.2.3.4). Nothing is read again, because the wanted texts are kept as bytes until the end
    /// of the scan, and then decoded. An encoding that is not a superset of ASCII is ignored: its bytes would
    /// have to be decoded before the scan.
    ///
    /// The standard also obeys METAs in a TEMPLATE and in BODY. They are not passed to this function.
    #[inline]
    pub(crate) fn read_meta(&mut self, keys: &Keys<'_>) {
        // A character reference may hide the name `content-type`.
        let may_be_escaped = || keys.http_equiv.is_some_and(|value| value.contains(&b'&'));
        if self.is_tentative && (keys.names_encoding() || may_be_escaped()) {
            self.change(keys);
        }
    }

    /// Changes or confirms the encoding by the first META that names one.
    fn change(&mut self, keys: &Keys<'_>) {
        fn text(value: &[u8]) -> Cow<'_, str> {
            match resolved(value) {
                Some(text) => Cow::Owned(text),
                None => String::from_utf8_lossy(value),
            }
        }
        let named = of_meta(
            keys.charset.map(text).as_deref(),
            keys.http_equiv.map(text).as_deref(),
            keys.content.map(text).as_deref(),
        );
        let Some(encoding) = named else {
            return;
        };
        self.is_tentative = false;
        if encoding == self.encoding {
            // The assumed encoding is confirmed. One that the page named before keeps its source.
            if self.source == EncodingSource::Fallback {
                self.source = EncodingSource::LateMeta;
            }
        } else if encoding.is_ascii_compatible() {
            self.encoding = encoding;
            self.source = EncodingSource::LateMeta;
        }
    }
}
