//! The encoding that a page is taken to be in, and whether one of its METAs may still change that.

use super::encoding::{EncodingSource, of_meta};
use super::found::resolved;
use crate::wanted::Keys;
use encoding_rs::Encoding;

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

    /// Takes a META. The first that names an encoding is obeyed if nothing better was known (HTML,
    /// 13.2.3.4). All that is kept is decoded at the end, so nothing need be read again; but an
    /// encoding that must be decoded before it is scanned comes too late.
    #[inline]
    pub(super) fn hear(&mut self, keys: &Keys<'_>) {
        if self.is_tentative && keys.names_encoding() {
            self.change(keys);
        }
    }

    fn change(&mut self, keys: &Keys<'_>) {
        let text = |value: Option<&[u8]>| {
            value.map(|value| {
                resolved(value).unwrap_or_else(|| String::from_utf8_lossy(value).into_owned())
            })
        };
        let named = of_meta(
            text(keys.charset).as_deref(),
            text(keys.http_equiv).as_deref(),
            text(keys.content).as_deref(),
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
