//! File objects of Python as inputs: anything with `read(n)`.

use crate::argument::{AnyPath, OneOrMore, Text, bytes, is_bytes, unless_raised, wrong_type};
use crate::call;
use crate::error::{self, FileObjectError, InputError};
use pyo3::exceptions::PyException;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyString;
use robots_archive::ReadAt;
use robots_pipeline::input::{ByteStream, InputSource};
use std::cell::Cell;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// An input: a path, or a binary file object.
pub(crate) enum Input {
    Path(PathBuf),
    File(Py<PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Input {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if is_bytes(&object) {
            return Err(wrong_type(
                "a path or a binary file object, not bytes (os.fsdecode returns a path, io.BytesIO a file object)",
                &object,
            ));
        }
        let is_path =
            object.is_instance_of::<PyString>() || object.hasattr(intern!(py, "__fspath__"))?;
        if !is_path && object.hasattr(intern!(py, "read"))? {
            return Ok(Self::File(object.to_owned().unbind()));
        }
        match object.extract::<AnyPath>() {
            Ok(path) => Ok(Self::Path(path.0)),
            Err(error) => Err(unless_raised(py, error, || {
                wrong_type("a path or a binary file object", &object)
            })),
        }
    }
}

/// One input, or an iterable of them. A file object is one, though it is an iterable of lines.
pub(crate) struct Inputs(pub(super) Vec<Input>);

impl<'py> FromPyObject<'_, 'py> for Inputs {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.hasattr(intern!(object.py(), "read"))? {
            return Ok(Self(vec![object.extract()?]));
        }
        let inputs: OneOrMore<Input> = object.extract()?;
        Ok(Self(inputs.0))
    }
}

impl Inputs {
    /// Returns the sources of a run, and what will interrupt it. `names` are those of the file
    /// objects, in order, in place of their own.
    pub(crate) fn sources(
        self,
        py: Python<'_>,
        names: Option<OneOrMore<Text>>,
    ) -> PyResult<(Vec<InputSource>, Interruption)> {
        if self.0.is_empty() {
            return Err(InputError::new_err(
                "no inputs: pass a path, a file object, or several",
            ));
        }
        let files = self.0.iter();
        let files = files
            .filter(|input| matches!(input, Input::File(_)))
            .count();
        if let Some(names) = &names
            && names.0.len() != files
        {
            return Err(InputError::new_err(format!(
                "expected a name for each of {files} file objects, got {}",
                names.0.len()
            )));
        }
        let mut names = names.into_iter().flat_map(|names| names.0);
        let interruption = Interruption::default();
        let sources = self.0.into_iter().map(|input| match input {
            Input::Path(path) => Ok(InputSource::Path(path)),
            Input::File(file) => {
                let name = match names.next() {
                    Some(name) => name.to_string(),
                    None => own_name(file.bind(py))?,
                };
                let object = FileObject::new(file, interruption.clone());
                Ok(InputSource::Stream(ByteStream::new(name, object)))
            }
        });
        Ok((sources.collect::<PyResult<_>>()?, interruption))
    }
}

/// Returns the name of a file object: its `name` or `path`, if that is a text or a path, or else its type: `<BytesIO>`.
pub(super) fn own_name(file: &Bound<'_, PyAny>) -> PyResult<String> {
    for attribute in ["name", "path"] {
        // An attribute may be a property that fails, as `name` of some wrappers does.
        let name = match file.getattr(attribute) {
            Err(error) if !error.is_instance_of::<PyException>(file.py()) => return Err(error),
            name => name,
        };
        if let Ok(name) = name
            && let Ok(path) = name.extract::<PathBuf>()
            && !path.as_os_str().is_empty()
        {
            return Ok(robots_pipeline::text::path_text(path));
        }
    }
    Ok(format!("<{}>", file.get_type().name()?))
}

/// What interrupts a run: the first exception that a file object raised, or a caller that no longer waits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interruption {
    error: Arc<Mutex<Option<PyErr>>>,
    /// Whether no more is read: the caller no longer waits, or the exception ends the run, as KeyboardInterrupt does, which is
    /// not an `Exception`.
    is_stopped: Arc<AtomicBool>,
}

impl Interruption {
    fn set(&self, py: Python<'_>, error: PyErr) {
        if !error.is_instance_of::<PyException>(py) {
            self.stop();
        }
        let error = error::of_caller(py, error);
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
    }

    /// Returns the exception, once.
    pub(crate) fn take(&self) -> Option<PyErr> {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.take()
    }

    /// Stops the run: file objects are no longer read.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Returns whether the run is to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

/// A file object that Rust reads from its beginning to its end. It attaches to the interpreter for each read.
pub(super) struct FileObject {
    /// `None` after the end, or an exception.
    object: Option<SeekableObject>,
    offset: u64,
}

impl FileObject {
    pub(super) fn new(object: Py<PyAny>, interruption: Interruption) -> Self {
        Self {
            object: Some(SeekableObject::new(object, true, interruption)),
            offset: 0,
        }
    }
}

impl Read for FileObject {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(mut object) = self.object.take() else {
            return Ok(0);
        };
        let count = object.read_at(into, self.offset, u64::MAX)?;
        if count > 0 || into.is_empty() {
            self.object = Some(object);
        }
        self.offset = self.offset.saturating_add(count as u64);
        Ok(count)
    }
}

/// The minimum number of bytes that are asked for at once: 256 KiB, as each read waits for the interpreter.
const READ_BYTES: usize = 256 << 10;

thread_local! {
    /// Whether the thread calls a file object.
    static IS_IN_CALL: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether the thread is in a call of a file object that Rust reads.
pub(super) fn is_in_call() -> bool {
    IS_IN_CALL.get()
}

/// Calls a file object. Its exception is kept, and its text returned as an error.
fn attached<T>(
    interruption: &Interruption,
    call: impl FnOnce(Python<'_>) -> PyResult<T>,
) -> io::Result<T> {
    // Here too, as a record may be long.
    if interruption.is_stopped() {
        return Err(io::Error::other("the run was stopped"));
    }
    let _reading = Reading::begin().ok_or_else(interpreter_ends)?;
    let result = Python::try_attach(|py| {
        let was_in_call = IS_IN_CALL.replace(true);
        let result = call(py);
        IS_IN_CALL.set(was_in_call);
        result.map_err(|error| {
            let text = error.to_string();
            interruption.set(py, error);
            io::Error::other(text)
        })
    });
    result.ok_or_else(interpreter_ends)?
}

/// A file object that Rust reads at any offset: it calls `seek` where the last read did not end.
pub(crate) struct SeekableObject {
    object: Py<PyAny>,
    /// The position of the object; `None` if it is not known.
    position: Option<u64>,
    /// What the last `read` returned, and its offset.
    kept: Option<(u64, PyBackedBytes)>,
    interruption: Interruption,
}

impl SeekableObject {
    /// Returns a file object that is at its beginning, or anywhere.
    pub(super) fn new(object: Py<PyAny>, is_at_start: bool, interruption: Interruption) -> Self {
        Self {
            object,
            position: is_at_start.then_some(0),
            kept: None,
            interruption,
        }
    }

    /// Returns the bytes at an offset that the last read returned.
    fn kept(&self, offset: u64) -> &[u8] {
        let kept = self.kept.as_ref().and_then(|(start, bytes)| {
            let at = usize::try_from(offset.checked_sub(*start)?).ok()?;
            bytes.get(at..)
        });
        kept.unwrap_or_default()
    }
}

impl ReadAt for SeekableObject {
    fn read_at(&mut self, into: &mut [u8], offset: u64, end: u64) -> io::Result<usize> {
        if self.kept(offset).is_empty() && !into.is_empty() {
            let left = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
            let wanted = into.len().max(READ_BYTES).min(left);
            let (object, position) = (&self.object, &mut self.position);
            let kept = &mut self.kept;
            attached(&self.interruption, |py| {
                *kept = None;
                let object = object.bind(py);
                if position.take() != Some(offset) {
                    call::method(object, intern!(py, "seek"), offset)?;
                }
                let bytes = read(object, wanted)?;
                *position = offset.checked_add(bytes.len() as u64);
                *kept = Some((offset, bytes));
                Ok(())
            })?;
        }
        let kept = self.kept(offset);
        let count = kept.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..count), kept.get(..count)) {
            to.copy_from_slice(from);
        }
        Ok(count)
    }
}

fn interpreter_ends() -> io::Error {
    io::Error::other("the interpreter ends")
}

/// Calls `read(n)`.
fn read(object: &Bound<'_, PyAny>, wanted: usize) -> PyResult<PyBackedBytes> {
    let read = call::method(object, intern!(object.py(), "read"), wanted)?;
    if let Some(bytes) = bytes(&read)? {
        return Ok(bytes);
    }
    let hint = if read.is_instance_of::<PyString>() {
        " (open the file in binary mode)"
    } else if read.is_none() {
        " (a file that does not block returns None)"
    } else {
        ""
    };
    let read = read.get_type().qualname()?;
    Err(FileObjectError::new_err(format!(
        "expected bytes from read(){hint}, got {read}"
    )))
}

/// The number of reads that are under way, of all threads.
static READS: AtomicUsize = AtomicUsize::new(0);

/// Whether the interpreter ends.
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// A read that is under way. No read begins when the interpreter ends: it would not return ([`call`]).
struct Reading;

impl Reading {
    fn begin() -> Option<Self> {
        READS.fetch_add(1, Ordering::SeqCst);
        // From here on, the count of reads falls when this is dropped.
        let reading = Self;
        (!HAS_ENDED.load(Ordering::SeqCst)).then_some(reading)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        READS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The time for which the end of the interpreter waits for reads that are under way, so that their threads end. A thread whose
/// read takes longer is parked.
const LAST_READS: Duration = Duration::from_secs(1);

/// Forgets the reads of threads that a child of a fork does not have.
pub(crate) fn forget_reads() {
    READS.store(0, Ordering::SeqCst);
}

/// Ends reading from file objects. The package calls it when the interpreter ends.
#[pyfunction(name = "_end_reading")]
pub(crate) fn end_reading(py: Python<'_>) {
    HAS_ENDED.store(true, Ordering::SeqCst);
    // Detaching from another interpreter than the main one hangs when its end is the end of the process.
    if READS.load(Ordering::SeqCst) == 0 {
        return;
    }
    py.detach(|| {
        let end = Instant::now();
        while READS.load(Ordering::SeqCst) > 0 && end.elapsed() < LAST_READS {
            thread::sleep(Duration::from_millis(1));
        }
    });
}
