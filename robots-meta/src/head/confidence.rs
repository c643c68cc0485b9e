//! The encoding that a page is taken to be in, and whether one of its METAs may still change that.

use super::encoding::{EncodingSource, of_meta};
use super::found::resolved;
use crate::wanted::Keys;
use encoding_rs::Encoding;
use std::borrow::Cow;

/// The encoding of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Confidence {
    encoding: &'static Encoding,
    source: EncodingSource,
    is_tentative: bool,
}

impl Confidence {
    pub(super) fn new(encoding: &'static Encoding, source: EncodingSource) -> Self {
        Self {
            encoding,
            source,
            is_tentative: !matches!(
                source,
                EncodingSource::ByteOrderMark | EncodingSource::Transport
            ),
        }
    }

    pub(super) fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    pub(super) fn source(&self) -> EncodingSource {
        self.source
    }

    /// Whether a META may still change it.
    #[inline]
    pub(super) fn hears(&self) -> bool {
        self.is_tentative
    }

    /// Takes a META. The first that names an encoding is obeyed if nothing better was known (HTML,
    /// 13.2.3.4). All that is kept is decoded at the end, so nothing need be read again; but an
    /// encoding that must be decoded before it is scanned comes too late.
    #[inline]
    pub(super) fn hear(&mut self, keys: &Keys<'_>) {
        let is_hidden = || keys.http_equiv.is_some_and(|value| value.contains(&b'&'));
        if self.is_tentative && (keys.names_encoding() || is_hidden()) {
            self.change(keys);
        }
    }

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
        let is_scanned_so = encoding.is_ascii_compatible() && self.encoding.is_ascii_compatible();
        if encoding != self.encoding && is_scanned_so {
            self.encoding = encoding;
            self.source = EncodingSource::LateMeta;
        }
    }
}
