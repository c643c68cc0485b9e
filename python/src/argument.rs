//! Arguments: types of Python that are read with clear errors.
//!
//! A value of another type is a `TypeError`, which names both types; a value that has no meaning is an `InputError`.

use crate::error::{DialectError, InputError};
use pyo3::exceptions::{
    PyAttributeError, PyOverflowError, PyTypeError, PyUnicodeEncodeError, PyValueError,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyList, PyMemoryView, PyString, PyTuple,
};
use robots_meta::Timestamp;
use robots_meta::header::control_characters_as_spaces;
use robots_policy::profile::dialect_of_name;
use robots_txt::Dialect;
use std::ops::Deref;
use std::path::PathBuf;
use std::time::SystemTime;

/// Returns a `TypeError` that names the expected and the actual type.
pub(crate) fn wrong_type(expected: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let actual = object.get_type().qualname();
    let actual = actual.map_or_else(|_| "another type".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("expected {expected}, got {actual}"))
}

/// Returns a `TypeError` for an argument that a function does not have.
pub(crate) fn unexpected_argument(name: &str) -> PyErr {
    PyTypeError::new_err(format!("unexpected keyword argument {name:?}"))
}

/// Returns `wrong` in place of a `TypeError`. Another exception was raised by code of the caller, and stays.
pub(crate) fn unless_raised(py: Python<'_>, error: PyErr, wrong: impl FnOnce() -> PyErr) -> PyErr {
    if error.is_instance_of::<PyTypeError>(py) {
        wrong()
    } else {
        error
    }
}

/// Returns a text as UTF-8. It has none if it has lone surrogates.
fn utf8(text: Bound<'_, PyString>) -> PyResult<PyBackedStr> {
    let py = text.py();
    PyBackedStr::try_from(text).map_err(|error| {
        let at = error.value(py).getattr("start");
        match at.and_then(|at| at.extract::<usize>()) {
            Ok(at) => InputError::new_err(format!(
                "unexpected lone surrogate at character {at}: expected a text that UTF-8 can encode"
            )),
            Err(_) => error,
        }
    })
}

/// A text: a `str` without lone surrogates.
pub(crate) struct Text(PyBackedStr);

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(text) => utf8(text.to_owned()).map(Self),
            Err(_) if is_bytes(&object) => Err(wrong_type("str, not bytes (decode them)", &object)),
            Err(_) => Err(wrong_type("str", &object)),
        }
    }
}

/// A text as [`Text`], borrowed from its object for the time of a call: for calls of a few nanoseconds.
pub(crate) struct BorrowedText<'a>(pub(crate) &'a str);

impl<'a, 'py> FromPyObject<'a, 'py> for BorrowedText<'a> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let text = object.extract::<&'a str>();
        text.map(Self)
            .map_err(|error| Text::extract(object).err().unwrap_or(error))
    }
}

pub(crate) fn is_bytes(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyByteArray>()
}

/// The content of a file or page: bytes, or a text that was decoded before.
pub(crate) enum Content {
    Bytes(PyBackedBytes),
    Text(PyBackedStr),
}

impl Content {
    /// Returns the bytes; those of a text are UTF-8.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }

    /// Returns the encoding of the bytes, which `charset` names for bytes. A text has been decoded, so whatever a
    /// page names as its encoding does not apply.
    pub(crate) fn charset<'a>(&self, charset: Option<&'a str>) -> PyResult<Option<&'a str>> {
        match (self, charset) {
            (Self::Bytes(_), charset) => Ok(charset),
            (Self::Text(_), None) => Ok(Some("utf-8")),
            (Self::Text(_), Some(_)) => Err(InputError::new_err(
                "charset applies to bytes, and the page is a str: pass one of them",
            )),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Content {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return utf8(text.to_owned()).map(Self::Text);
        }
        bytes(&object)?
            .map(Self::Bytes)
            .ok_or_else(|| wrong_type("bytes or str", &object))
    }
}

/// Returns the bytes of a `bytes`, `bytearray` or `memoryview`; only the first is not copied.
pub(crate) fn bytes(object: &Bound<'_, PyAny>) -> PyResult<Option<PyBackedBytes>> {
    if is_bytes(object) {
        return Ok(Some(object.extract()?));
    }
    if object.is_instance_of::<PyMemoryView>() {
        let copy = object.py().get_type::<PyBytes>().call1((object,))?;
        return Ok(Some(copy.extract()?));
    }
    Ok(None)
}

/// Bytes alone, such as compiled rules.
pub(crate) struct Bytes(pub(crate) PyBackedBytes);

impl<'py> FromPyObject<'_, 'py> for Bytes {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        bytes(&object)?
            .map(Self)
            .ok_or_else(|| wrong_type("bytes", &object))
    }
}

/// A time: seconds since 1970 as an `int` or `float`, or a `datetime` with a time zone. Fractions are rounded down.
pub(crate) struct Time(pub(crate) Timestamp);

impl<'py> FromPyObject<'_, 'py> for Time {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "a number of seconds or a datetime";
        let py = object.py();
        if object.is_instance_of::<PyBool>() {
            return Err(wrong_type(EXPECTED, &object));
        }
        if object.is_instance_of::<PyInt>() {
            return match object.extract() {
                Ok(seconds) => Ok(Self(Timestamp::from_seconds(seconds))),
                Err(_) => Err(InputError::new_err(
                    "time out of range: expected 64 bits of seconds",
                )),
            };
        }
        // pandas.NaT has the methods of a datetime, which raise a ValueError.
        let not_a_time = |error: PyErr| {
            let is_other = error.is_instance_of::<PyTypeError>(py)
                || error.is_instance_of::<PyValueError>(py)
                || error.is_instance_of::<PyAttributeError>(py);
            if is_other {
                wrong_type(EXPECTED, &object)
            } else {
                error
            }
        };
        let seconds = if object.is_instance_of::<PyFloat>() {
            object.extract()?
        } else if let Some(utcoffset) = object.getattr_opt(intern!(py, "utcoffset"))? {
            if utcoffset.call0().map_err(not_a_time)?.is_none() {
                return Err(InputError::new_err(
                    "datetime without a time zone: expected one with tzinfo, such as datetime.now(timezone.utc)",
                ));
            }
            let seconds = object.call_method0(intern!(py, "timestamp"));
            seconds.map_err(not_a_time)?.extract()?
        } else {
            return Err(wrong_type(EXPECTED, &object));
        };
        whole_seconds(seconds).map(Self)
    }
}

/// The time of a decision: the text `now`, a time, or `None` for no clock.
#[derive(Clone, Copy)]
pub(crate) struct Moment(pub(crate) Option<Timestamp>);

impl Moment {
    /// Returns the time of the call.
    pub(crate) fn now() -> Self {
        Self(Some(Timestamp::from(SystemTime::now())))
    }
}

impl<'py> FromPyObject<'_, 'py> for Moment {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_none() {
            return Ok(Self(None));
        }
        if object.extract::<&str>().is_ok_and(|text| text == "now") {
            return Ok(Self::now());
        }
        let time: Time = object.extract()?;
        Ok(Self(Some(time.0)))
    }
}

/// Returns the second of a moment. All tasks of a job, and their retries, share it.
#[pyfunction(name = "_whole_seconds")]
pub(crate) fn second_of(at: Moment) -> Option<i64> {
    at.0.map(Timestamp::as_seconds)
}

/// Returns the second that a time is in.
fn whole_seconds(seconds: f64) -> PyResult<Timestamp> {
    // The bounds are powers of two, which `f64` has exactly.
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    let whole = seconds.floor();
    if !(-BOUND..BOUND).contains(&whole) {
        return Err(InputError::new_err(format!(
            "unexpected time {seconds}: expected a finite number of seconds"
        )));
    }
    #[allow(
        clippy::cast_possible_truncation,
        reason = "it is whole, and within the bounds"
    )]
    Ok(Timestamp::from_seconds(whole as i64))
}

/// A path: a `str`, or an object with `__fspath__`, which returns a `str` or `bytes`.
pub(crate) struct AnyPath(pub(crate) PathBuf);

impl<'py> FromPyObject<'_, 'py> for AnyPath {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "a path";
        let py = object.py();
        if is_bytes(&object) {
            return Err(wrong_type(
                "a path as str, not bytes (os.fsdecode returns it)",
                &object,
            ));
        }
        let os = py.import(intern!(py, "os"))?;
        // It calls `__fspath__`, and then the encoding of the file system turns bytes to a text.
        let path = os
            .call_method1(intern!(py, "fsdecode"), (object,))
            .map_err(|error| unless_raised(py, error, || wrong_type(EXPECTED, &object)))?;
        let path = path.extract::<PathBuf>().map_err(|error| {
            if error.is_instance_of::<PyUnicodeEncodeError>(py) {
                let path = path.repr().map_or_else(|_| String::new(), |path| format!(" {path}"));
                return InputError::new_err(format!(
                    "unexpected lone surrogate in the path{path}: expected a path of the file system"
                ));
            }
            error
        })?;
        Ok(Self(path))
    }
}

/// The status of a response.
pub(crate) struct Status(pub(crate) u16);

impl<'py> FromPyObject<'_, 'py> for Status {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        whole_number(object, "status", "0 to 65535").map(Self)
    }
}

/// An offset or a number of bytes.
pub(crate) struct ByteCount(pub(crate) u64);

impl<'py> FromPyObject<'_, 'py> for ByteCount {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        whole_number(object, "number of bytes", "0 to 2^64 - 1").map(Self)
    }
}

/// Reads an `int`, as [`number`] does.
fn whole_number<'a, 'py, T: FromPyObject<'a, 'py, Error = PyErr>>(
    object: Borrowed<'a, 'py, PyAny>,
    name: &str,
    expected: &str,
) -> PyResult<T> {
    if !object.is_instance_of::<PyInt>() || object.is_instance_of::<PyBool>() {
        return Err(wrong_type("int", &object));
    }
    number(object, name, expected)
}

/// Reads a number; `name` and `expected` are for the error of one that the type cannot hold.
fn number<'a, 'py, T: FromPyObject<'a, 'py, Error = PyErr>>(
    object: Borrowed<'a, 'py, PyAny>,
    name: &str,
    expected: &str,
) -> PyResult<T> {
    object.extract().map_err(|error: PyErr| {
        if !error.is_instance_of::<PyOverflowError>(object.py()) {
            return error;
        }
        // Python writes no number of thousands of digits.
        let text = object.str().map(|text| text.to_string()).ok();
        let text = text.filter(|text| text.len() <= 40);
        let text = text.as_deref().unwrap_or("of more than 40 digits");
        InputError::new_err(format!("unexpected {name} {text}: expected {expected}"))
    })
}

/// A record's place: its offset and, if it is known, its length.
pub(crate) struct RecordPlace(pub(crate) ByteCount, pub(crate) Option<ByteCount>);

impl<'py> FromPyObject<'_, 'py> for RecordPlace {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(pair) = object.cast::<PyTuple>() else {
            return Err(wrong_type("a tuple of an offset and a length", &object));
        };
        if pair.len() != 2 {
            return Err(InputError::new_err(format!(
                "unexpected tuple of {} values: expected an offset and a length",
                pair.len()
            )));
        }
        let (offset, length) = pair.extract()?;
        Ok(Self(offset, length))
    }
}

/// A number of things, from 0.
pub(crate) struct Count(pub(crate) u64);

impl Count {
    /// Returns the number as a size; the largest size in place of a larger number.
    pub(crate) fn size(&self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'py> FromPyObject<'_, 'py> for Count {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        number(object, "number", "0 to 2^64 - 1").map(Self)
    }
}

/// A number of threads, from 1.
pub(crate) struct Threads(pub(crate) usize);

impl<'py> FromPyObject<'_, 'py> for Threads {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let count: Count = object.extract()?;
        if count.0 == 0 {
            return Err(InputError::new_err(
                "unexpected number of threads 0: expected at least 1, or None for one for each processor",
            ));
        }
        Ok(Self(count.size()))
    }
}

/// A duration in seconds, as an `int` or `float`.
pub(crate) struct Seconds(pub(crate) f64);

impl<'py> FromPyObject<'_, 'py> for Seconds {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let expected = "a number of seconds that a float can hold";
        number(object, "duration", expected).map(Self)
    }
}

/// A dialect, by its name.
pub(crate) struct DialectName(pub(crate) Dialect);

impl<'py> FromPyObject<'_, 'py> for DialectName {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let name: Text = object.extract()?;
        let dialect = dialect_of_name(&name).map(Self);
        dialect.map_err(|error| DialectError::new_err(error.to_string()))
    }
}

/// The header lines of a response: a mapping, or an iterable of pairs. Names and values are `str` or `bytes`; the value
/// of a mapping may also be a list of values, one for each line.
pub(crate) struct Headers(Vec<(Content, Vec<u8>)>);

impl Headers {
    /// Returns the lines, in order: names, and values with spaces for control characters.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let lines = self.0.iter();
        lines.map(|(name, value)| (name.as_bytes(), &**value))
    }
}

/// Returns the value of a header line with spaces for control characters.
fn header_value(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let value: Content = value.extract()?;
    Ok(control_characters_as_spaces(value.as_bytes()).into_owned())
}

impl<'py> FromPyObject<'_, 'py> for Headers {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "a mapping or pairs of names and values";
        let py = object.py();
        if object.is_instance_of::<PyString>() || is_bytes(&object) {
            return Err(wrong_type(EXPECTED, &object));
        }
        let items = match object.getattr_opt(intern!(py, "items"))? {
            Some(items) => items.call0()?,
            None => object.to_owned(),
        };
        let items = items
            .try_iter()
            .map_err(|error| unless_raised(py, error, || wrong_type(EXPECTED, &object)))?;
        let mut lines = Vec::new();
        for item in items {
            let item = item?;
            let Ok((name, value)) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
                return Err(wrong_type("a pair of a name and a value", &item));
            };
            if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
                for value in value.try_iter()? {
                    lines.push((name.extract()?, header_value(&value?)?));
                }
            } else {
                lines.push((name.extract()?, header_value(&value)?));
            }
        }
        Ok(Self(lines))
    }
}

/// One value, or an iterable of them. A text is one value, and so are bytes, which no value is: their error names them.
pub(crate) struct OneOrMore<T>(pub(crate) Vec<T>);

impl<'py, T> FromPyObject<'_, 'py> for OneOrMore<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
    for<'a> <T as FromPyObject<'a, 'py>>::Error: Into<PyErr>,
{
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if !object.is_instance_of::<PyString>() && !is_bytes(&object) {
            match object.try_iter() {
                Ok(items) => {
                    let items = items.map(|item| item?.extract::<T>().map_err(Into::into));
                    return items.collect::<PyResult<_>>().map(Self);
                }
                Err(error) if !error.is_instance_of::<PyTypeError>(object.py()) => {
                    return Err(error);
                }
                // It is not an iterable.
                Err(_) => {}
            }
        }
        object
            .extract::<T>()
            .map(|item| Self(vec![item]))
            .map_err(Into::into)
    }
}
