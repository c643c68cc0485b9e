//! Batches and streams for other libraries, over Arrow's PyCapsule interface.

use crate::capsule;
use crate::error::{self, BatchError, InputError};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use robots_policy::text::printable;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// A batch of rows, for any library that reads Arrow's PyCapsule interface.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct ArrowBatch(pub(crate) RecordBatch);

#[pymethods]
impl ArrowBatch {
    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let schema = self.0.schema_ref();
        let names = schema.fields().iter().map(|field| field.name().clone());
        names.collect()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.0.schema_ref())
    }

    /// Returns the capsules of the schema and of the batch. A requested schema is not applied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        let schema = self.__arrow_c_schema__(py)?;
        let data = StructArray::from(self.0.clone()).into_data();
        let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&data), capsule::ARRAY)?;
        Ok((schema, array))
    }

    /// Returns the capsule of a stream with this batch. A requested schema is not applied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches =
            RecordBatchIterator::new(std::iter::once(Ok(self.0.clone())), self.0.schema());
        stream_capsule(py, Box::new(batches))
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = (self.0.num_rows(), self.0.num_columns());
        format!("<ArrowBatch: {rows} rows, {columns} columns>")
    }
}

/// A stream of batches. It is read once: by iteration, or by a library that reads Arrow's PyCapsule interface.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct ArrowStream {
    schema: SchemaRef,
    /// The reader, or what became of it.
    reader: Mutex<Result<Reader, &'static str>>,
    /// The exception that ended it for the library that it was handed to.
    error: Arc<Mutex<Option<PyErr>>>,
    /// The function that returned it.
    function: &'static str,
    /// Whether batches without rows are left out.
    skips_empty: bool,
}

type Reader = Box<dyn RecordBatchReader + Send>;

#[pymethods]
impl ArrowStream {
    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let names = self.schema.fields().iter();
        names.map(|field| field.name().clone()).collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    /// Returns the capsule of the stream, which can be read once. A requested schema is not applied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let reader = self.take("was handed to another reader")?;
        let error = Arc::clone(&self.error);
        let batches = reader.map(move |batch| batch.map_err(|failed| plain(failed, &error)));
        let schema = Arc::clone(&self.schema);
        stream_capsule(py, Box::new(RecordBatchIterator::new(batches, schema)))
    }

    /// The exception that ended the stream for the library that it was handed to, which raises one of its own. None if there
    /// was none.
    #[getter]
    fn error(&self, py: Python<'_>) -> Option<Py<PyBaseException>> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error
            .as_ref()
            .map(|error| error.clone_ref(py).into_value(py))
    }

    /// Stops reading, and releases the input. Does nothing if the stream was handed to a reader, which releases it.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.reader()?.is_ok() {
            let reader = self.take("is closed")?;
            // The input may need the interpreter to end.
            py.detach(|| drop(reader));
        }
        Ok(())
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// Closes it.
    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<ArrowBatch>> {
        loop {
            let next = py.detach(|| {
                let mut reader = self.reader()?;
                let reader = reader.as_mut().map_err(|fate| self.gone(fate))?;
                Ok::<_, PyErr>(reader.next())
            });
            match next? {
                None => return Ok(None),
                Some(Err(error)) => return Err(batch_error(error)),
                Some(Ok(batch)) if self.skips_empty && batch.num_rows() == 0 => {
                    let checked = py.check_signals();
                    checked.map_err(|error| error::of_caller(py, error))?;
                }
                Some(Ok(batch)) => return Ok(Some(ArrowBatch(batch))),
            }
        }
    }
}

impl ArrowStream {
    /// Returns the stream of a reader. `function` is the one to call for another.
    pub(crate) fn new(reader: Reader, function: &'static str) -> Self {
        Self {
            schema: reader.schema(),
            reader: Mutex::new(Ok(reader)),
            error: Arc::default(),
            function,
            skips_empty: false,
        }
    }

    /// Leaves batches without rows out of the iteration.
    pub(crate) fn without_empty(mut self) -> Self {
        self.skips_empty = true;
        self
    }

    /// Returns the reader, unless it is in use: waiting for it would never end if its own input asks for it.
    fn reader(&self) -> PyResult<MutexGuard<'_, Result<Reader, &'static str>>> {
        match self.reader.try_lock() {
            Ok(reader) => Ok(reader),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(InputError::new_err(
                "the stream is being read by another thread, or by its own input",
            )),
        }
    }

    /// Takes the reader; `fate` is what becomes of it.
    fn take(&self, fate: &'static str) -> PyResult<Reader> {
        let mut reader = self.reader()?;
        let fate = (*reader).as_ref().err().copied().unwrap_or(fate);
        mem::replace(&mut *reader, Err(fate)).map_err(|fate| self.gone(fate))
    }

    fn gone(&self, fate: &str) -> PyErr {
        let function = self.function;
        InputError::new_err(format!("the stream {fate}: call {function} again"))
    }
}

/// Returns an error with a text that C can take: without NULs. Its exception becomes `first`, unless there is one.
fn plain(error: ArrowError, first: &Mutex<Option<PyErr>>) -> ArrowError {
    let text = match &error {
        ArrowError::ExternalError(error) => error.to_string(),
        other => other.to_string(),
    };
    let error = batch_error(error);
    let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
    first.get_or_insert(error);
    ArrowError::ExternalError(printable(&text).into())
}

/// Returns the capsule of a schema.
pub(crate) fn schema_capsule<'py>(
    py: Python<'py>,
    schema: &Schema,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema);
    let schema = schema.map_err(batch_error)?;
    PyCapsule::new_with_value(py, schema, capsule::SCHEMA)
}

/// Returns the capsule of a stream. The texts of its errors must not have NULs, and it must not panic.
fn stream_capsule(py: Python<'_>, reader: Reader) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), capsule::STREAM)
}

/// Returns the exception for an error: that of Python which it wraps, or else a BatchError.
pub(crate) fn batch_error(error: ArrowError) -> PyErr {
    match error {
        ArrowError::ExternalError(error) => match error.downcast::<PyErr>() {
            Ok(error) => *error,
            Err(error) => BatchError::new_err(error.to_string()),
        },
        other => BatchError::new_err(printable(&other.to_string()).into_owned()),
    }
}
