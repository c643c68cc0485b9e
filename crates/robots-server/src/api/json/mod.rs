//! JSON in the bodies of requests, as `serde_json` reads it, in less time for long strings.
//!
//! A page is a long string with escapes in every line. `serde_json` looks for the next escape in steps of eight bytes, and copies
//! the bytes between two escapes by a call; [`text`] does both in wide vectors.
//!
//! What is not read here, because it is invalid or rare, is read again by `serde_json` from the start. So errors are those of
//! `serde_json`, and a value is read here only if `serde_json` reads the same.

mod text;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::fmt;
use text::TextReader;

/// The most arrays and objects in each other that are read here. `serde_json` reads a few more.
const MAX_DEPTH: usize = 64;

/// Reads a value.
///
/// # Errors
///
/// Those of [`serde_json::from_slice`].
pub(crate) fn from_slice<T: DeserializeOwned>(json: &[u8]) -> Result<T, serde_json::Error> {
    let mut reader = Reader::new(json);
    match T::deserialize(&mut reader).and_then(|value| reader.end().map(|()| value)) {
        Ok(value) => Ok(value),
        Err(NotRead) => serde_json::from_slice(json),
    }
}

/// The value is not read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NotRead;

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not read")
    }
}

impl std::error::Error for NotRead {}

impl Error for NotRead {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// A document as it is read.
struct Reader<'j> {
    /// What was not read yet.
    rest: &'j [u8],
    text: TextReader,
    /// The number of arrays and objects that may begin in the present one.
    depth: usize,
}

impl<'j> Reader<'j> {
    fn new(json: &'j [u8]) -> Self {
        Self {
            rest: json,
            text: TextReader::new(),
            depth: MAX_DEPTH,
        }
    }

    /// Skips white space, and returns the next byte.
    fn peek(&mut self) -> Result<u8, NotRead> {
        loop {
            match self.rest {
                [b' ' | b'\n' | b'\t' | b'\r', rest @ ..] => self.rest = rest,
                [byte, ..] => return Ok(*byte),
                [] => return Err(NotRead),
            }
        }
    }

    /// Skips white space and this byte.
    fn skip(&mut self, byte: u8) -> Result<(), NotRead> {
        if self.peek()? != byte {
            return Err(NotRead);
        }
        self.rest = self.rest.get(1..).unwrap_or_default();
        Ok(())
    }

    /// Reads a string.
    fn text(&mut self) -> Result<Cow<'j, str>, NotRead> {
        self.skip(b'"')?;
        let (text, rest) = self.text.read(self.rest).ok_or(NotRead)?;
        self.rest = rest;
        Ok(text)
    }

    /// Begins an array or object.
    fn begin(&mut self, byte: u8) -> Result<(), NotRead> {
        self.skip(byte)?;
        self.depth = self.depth.checked_sub(1).ok_or(NotRead)?;
        Ok(())
    }

    /// Ends an array or object.
    fn close(&mut self, byte: u8) -> Result<(), NotRead> {
        self.skip(byte)?;
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    /// Returns whether another element follows. Skips the comma before it.
    fn has_next(&mut self, is_first: &mut bool, end: u8) -> Result<bool, NotRead> {
        if self.peek()? == end {
            return Ok(false);
        }
        if !std::mem::take(is_first) {
            self.skip(b',')?;
        }
        Ok(true)
    }

    /// Takes a number, `true`, `false` or `null`, and what else has no end of its own.
    fn word(&mut self) -> &'j [u8] {
        let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\t' | b'\r');
        let length = self.rest.iter().position(is_end);
        let (word, rest) = self.rest.split_at(length.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// Checks that nothing follows.
    fn end(&mut self) -> Result<(), NotRead> {
        match self.peek() {
            Ok(_) => Err(NotRead),
            Err(NotRead) => Ok(()),
        }
    }
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = NotRead;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
        match self.peek()? {
            b'"' => match self.text()? {
                Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            },
            b'{' => {
                self.begin(b'{')?;
                let value = visitor.visit_map(Elements::of(self))?;
                self.close(b'}')?;
                Ok(value)
            }
            b'[' => {
                self.begin(b'[')?;
                let value = visitor.visit_seq(Elements::of(self))?;
                self.close(b']')?;
                Ok(value)
            }
            _ => {
                let mut word = serde_json::Deserializer::from_slice(self.word());
                let value = word.deserialize_any(visitor).map_err(|_| NotRead)?;
                word.end().map_err(|_| NotRead)?;
                Ok(value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
        if self.peek()? != b'n' {
            return visitor.visit_some(self);
        }
        match self.word() {
            b"null" => visitor.visit_none(),
            _ => Err(NotRead),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, NotRead> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotRead> {
        // Variants without a value alone.
        let name = self.text()?;
        visitor.visit_enum(StrDeserializer::new(&name))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, _: V) -> Result<V::Value, NotRead> {
        Err(NotRead)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, _: V) -> Result<V::Value, NotRead> {
        Err(NotRead)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

/// The elements of an array, or the members of an object.
struct Elements<'r, 'j> {
    reader: &'r mut Reader<'j>,
    is_first: bool,
}

impl<'r, 'j> Elements<'r, 'j> {
    fn of(reader: &'r mut Reader<'j>) -> Self {
        Self {
            reader,
            is_first: true,
        }
    }
}

impl<'j> SeqAccess<'j> for Elements<'_, 'j> {
    type Error = NotRead;

    fn next_element_seed<T: DeserializeSeed<'j>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, NotRead> {
        if !self.reader.has_next(&mut self.is_first, b']')? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }
}

impl<'j> MapAccess<'j> for Elements<'_, 'j> {
    type Error = NotRead;

    fn next_key_seed<K: DeserializeSeed<'j>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, NotRead> {
        if !self.reader.has_next(&mut self.is_first, b'}')? {
            return Ok(None);
        }
        // Keys are strings.
        if self.reader.peek()? != b'"' {
            return Err(NotRead);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'j>>(&mut self, seed: V) -> Result<V::Value, NotRead> {
        self.reader.skip(b':')?;
        seed.deserialize(&mut *self.reader)
    }
}

#[cfg(test)]
mod tests {
    use super::{Reader, from_slice};
    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use serde_json::Value;
    use std::fmt::Debug;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Question {
        url: String,
        status: Option<u16>,
        #[serde(default)]
        fetch: bool,
        #[serde(default)]
        headers: Vec<(String, String)>,
        html: Option<String>,
        level: Option<Level>,
        #[serde(default)]
        others: Vec<Value>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Level {
        Low,
        High(u8),
    }

    /// Checks that a document has the value or the error of `serde_json`. Returns whether it was read without it.
    fn check<T: DeserializeOwned + PartialEq + Debug>(json: &[u8]) -> bool {
        let text = String::from_utf8_lossy(json);
        let expected = serde_json::from_slice::<T>(json);
        let shown = |found: &Result<T, serde_json::Error>| match found {
            Ok(value) => Ok(format!("{value:?}")),
            Err(error) => Err(error.to_string()),
        };
        let found = from_slice::<T>(json);
        assert_eq!(shown(&found), shown(&expected), "{text}");
        let mut reader = Reader::new(json);
        let read = T::deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
        match (&read, &expected) {
            (Ok(value), Ok(expected)) => assert_eq!(value, expected, "{text}"),
            (Ok(value), Err(_)) => panic!("{value:?} is read from {text}"),
            (Err(_), _) => {}
        }
        read.is_ok()
    }

    const VALID: &str = r#" { "url" : "https://a.example/\"x\"", "status":200,"fetch":true ,
        "headers": [ ["Content-Type","text/html; charset=\"utf-8\""],["a" , ""] ], "html": "<p a=\"b\">\u00e9\ud83d\ude00é\n</p>",
        "level":"low", "others":[null,true,false,-1.5e3,{"a":[{}],"b":"\t"},"",[],12345678901234567890]}
        "#;

    #[test]
    fn questions_are_read() {
        for json in [
            VALID,
            r#"{"url":""}"#,
            r#"{"url":"a","status":null,"html":null}"#,
            "{\"url\":\"a\"}\n",
        ] {
            assert!(check::<Question>(json.as_bytes()), "{json}");
            assert!(check::<Value>(json.as_bytes()), "{json}");
        }
    }

    #[test]
    fn what_is_not_read_has_the_errors_of_serde_json() {
        for json in [
            "",
            " ",
            "{",
            "{}",
            "[]",
            "{\"url\":\"a\"} x",
            "{\"url\":\"a\",}",
            "{,\"url\":\"a\"}",
            "{\"url\" \"a\"}",
            "{url:\"a\"}",
            "{\"url\":\"a\",\"url\":\"b\"}",
            "{\"url\":\"a\",\"uls\":1}",
            "{\"url\":7}",
            "{\"url\":\"a\",\"status\":70000}",
            "{\"url\":\"a\",\"status\":nul}",
            "{\"url\":\"a\",\"status\":nullx}",
            "{\"url\":\"a\",\"status\":01}",
            "{\"url\":\"a\",\"fetch\":truefalse}",
            "{\"url\":\"a\",\"headers\":[[\"a\"]]}",
            "{\"url\":\"a\",\"headers\":[[\"a\",\"b\",\"c\"]]}",
            "{\"url\":\"a\",\"headers\":[,]}",
            "{\"url\":\"a\",\"headers\":[[\"a\",\"b\"],]}",
            "{\"url\":\"a\",\"headers\":[[\"a\",\"b\"]}",
            "{\"url\":\"a\",\"level\":{\"high\":7}}",
            "{\"url\":\"a\",\"level\":\"high\"}",
            "{\"url\":\"a\",\"level\":\"other\"}",
            "\u{feff}{\"url\":\"a\"}",
        ] {
            check::<Question>(json.as_bytes());
            check::<Value>(json.as_bytes());
        }
        for depth in [60, 63, 64, 65, 126, 127, 128, 129] {
            check::<Value>((["[".repeat(depth), "]".repeat(depth)].concat()).as_bytes());
            check::<Value>("[".repeat(depth).as_bytes());
        }
    }

    #[test]
    fn changed_documents_are_read_as_serde_json_reads_them() {
        let mut state = 1_u64;
        let mut next = |limit: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % limit
        };
        let long = VALID.replace("<p a", &"<p class=\\\"text\\\">\\n words ".repeat(20));
        for _ in 0..30_000 {
            let mut json = [VALID, &long][next(2)].as_bytes().to_vec();
            for _ in 0..=next(3) {
                let at = next(json.len());
                let byte = b"\"\\{}[],:0 nu\x00\x1f\xc3\xff\xe9d8e"[next(20)];
                match next(3) {
                    0 => json[at] = byte,
                    1 => json.insert(at, byte),
                    _ => drop(json.remove(at)),
                }
            }
            check::<Question>(&json);
            check::<Value>(&json);
        }
    }
}
