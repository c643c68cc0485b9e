//! Arrow's C interfaces in the capsules of Python: the batches and streams of other libraries.
//!
//! A producer of arrays is not trusted further than the interface demands. arrow-rs imports arrays, and validates them when it
//! has; what it reads before, without a check, is checked here: the numbers of rows, of buffers and of children, the depth of
//! types, the pointers to offsets and the lengths of views. Its other checks panic, which a caller must catch. The
//! interface does not state the sizes of buffers. So a length, or the last offset of an array, that lies past the
//! producer's memory cannot be detected, by any consumer.
//!
//! Only the columns that are read are imported, without a copy. Texts are imported as bytes: they are checked where they
//! must be UTF-8, which a page need not be. The cost is linear in the number of rows.
//!
//! Source: <https://arrow.apache.org/docs/format/CDataInterface.html>, `CStreamInterface.html` and
//! `CDataInterface/PyCapsuleInterface.html` next to it, read on 2026-11-23.
#![allow(
    unsafe_code,
    reason = "the C interface consists of pointers to the memory of other libraries"
)]

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, BooleanArray, NullArray, make_array, new_empty_array};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_data::layout;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use robots_pipeline::batch::{PageColumns, Pages};
use std::ffi::{CStr, c_char};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::sync::Arc;

pub(crate) const SCHEMA: &CStr = c"arrow_schema";
pub(crate) const ARRAY: &CStr = c"arrow_array";
pub(crate) const STREAM: &CStr = c"arrow_array_stream";

/// The maximum number of rows of an array, and of columns: no size of a buffer in bits overflows.
const MAX_ROWS: usize = 1 << 40;

/// The maximum depth of a column's type: list, struct, dictionary, values.
const MAX_DEPTH: usize = 4;

/// The reason why an array, a schema or a stream cannot be read.
pub(crate) struct Malformed(String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ArrowError> for Malformed {
    fn from(error: ArrowError) -> Self {
        Self(error.to_string())
    }
}

fn malformed<T>(text: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed(text.into()))
}

/// Returns what reading returns; an error if it panics, as arrow-rs does if a pointer is null.
fn caught<T>(read: impl FnOnce() -> Result<T, Malformed>) -> Result<T, Malformed> {
    let read = catch_unwind(AssertUnwindSafe(read));
    read.unwrap_or_else(|_| malformed("a pointer is null, or a number impossible"))
}

/// A schema of another library.
pub(crate) struct ForeignSchema(FFI_ArrowSchema);

/// A batch of another library, which has not been checked.
pub(crate) struct ForeignBatch(FFI_ArrowArray);

/// A stream of batches of another library.
pub(crate) struct ForeignStream(FFI_ArrowArrayStream);

/// Returns the contents of a capsule, which become the caller's; the capsule keeps an empty value.
fn take<T>(
    capsule: &Bound<'_, PyAny>,
    name: &'static CStr,
    take: unsafe fn(*mut T) -> T,
) -> PyResult<T> {
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| {
        PyTypeError::new_err(format!(
            "expected a capsule with {}",
            name.to_string_lossy()
        ))
    })?;
    let pointer = capsule.pointer_checked(Some(name))?;
    // SAFETY: a capsule of this name holds a pointer to this struct, which consumers move out. The caller holds the GIL,
    // so no other thread of Python does so at the same time.
    Ok(unsafe { take(pointer.cast().as_ptr()) })
}

/// Returns the batch of an object with `__arrow_c_array__`, and its schema.
pub(crate) fn take_batch(object: &Bound<'_, PyAny>) -> PyResult<(ForeignSchema, ForeignBatch)> {
    let method = intern!(object.py(), "__arrow_c_array__");
    let capsules = object.call_method0(method)?;
    let (schema, array) = capsules.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
    let schema = take(&schema, SCHEMA, FFI_ArrowSchema::from_raw)?;
    let array = take(&array, ARRAY, FFI_ArrowArray::from_raw)?;
    Ok((ForeignSchema(schema), ForeignBatch(array)))
}

/// Returns the stream of an object with `__arrow_c_stream__`.
pub(crate) fn take_stream(object: &Bound<'_, PyAny>) -> PyResult<ForeignStream> {
    let method = intern!(object.py(), "__arrow_c_stream__");
    let stream = object.call_method0(method)?;
    take(&stream, STREAM, FFI_ArrowArrayStream::from_raw).map(ForeignStream)
}

impl ForeignStream {
    /// Returns a callback of the stream; `None` if another consumer has moved or released the stream, which leaves the other
    /// fields as they were.
    fn callback<F>(&self, of: impl FnOnce(&FFI_ArrowArrayStream) -> Option<F>) -> Option<F> {
        self.0.release()?;
        of(&self.0)
    }

    /// Returns the schema of the batches.
    pub(crate) fn schema(&mut self) -> Result<ForeignSchema, Malformed> {
        let mut schema = FFI_ArrowSchema::empty();
        let Some(get_schema) = self.callback(FFI_ArrowArrayStream::get_schema) else {
            return malformed("the stream was read already");
        };
        // SAFETY: the callback is called with the stream that it was read from, and with a place for a schema.
        let status = unsafe { get_schema(&raw mut self.0, &raw mut schema) };
        self.check(status)?;
        Ok(ForeignSchema(schema))
    }

    /// Returns the next batch; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<ForeignBatch>, Malformed> {
        let mut array = FFI_ArrowArray::empty();
        let Some(get_next) = self.callback(FFI_ArrowArrayStream::get_next) else {
            return malformed("the stream was read already");
        };
        // SAFETY: as in `schema`, with a place for an array.
        let status = unsafe { get_next(&raw mut self.0, &raw mut array) };
        self.check(status)?;
        Ok((!array.is_released()).then_some(ForeignBatch(array)))
    }

    /// Returns the error of the stream, if the status of a call is one.
    fn check(&mut self, status: i32) -> Result<(), Malformed> {
        if status == 0 {
            return Ok(());
        }
        let text = self
            .0
            .get_last_error()
            .map_or(ptr::null(), |get_last_error| {
                // SAFETY: the callback is called with the stream that it was read from, after an error.
                unsafe { get_last_error(&raw mut self.0) }
            });
        match text_of(text) {
            Some(text) => malformed(text),
            None => malformed(format!("error {status}, without a message")),
        }
    }
}

/// Returns a text of C; `None` for a null pointer.
fn text_of(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: texts of the interface end with NUL, and are valid until the next call on their owner. This one is copied.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

impl ForeignSchema {
    /// Returns the schema of a batch. The types of columns that are not read become null. Linear in the number of columns, and of
    /// the fields of structs in lists.
    pub(crate) fn schema(&self) -> Result<Schema, Malformed> {
        caught(|| self.read())
    }

    fn read(&self) -> Result<Schema, Malformed> {
        if self.0.release().is_none() {
            return malformed("the schema was released");
        }
        let format = self.0.format();
        if format != "+s" {
            return malformed(format!(
                "expected the struct of a batch, got an array of format {format:?}"
            ));
        }
        let fields = children(&self.0)?.map(|child| {
            let name = child.name().unwrap_or_default();
            let data_type = if PageColumns::expected(name).is_none() {
                DataType::Null
            } else {
                check_depth(child, MAX_DEPTH)?;
                DataType::try_from(child)?
            };
            Ok(Field::new(name, data_type, true))
        });
        Ok(Schema::new(fields.collect::<Result<Vec<_>, Malformed>>()?))
    }
}

/// Returns the children of a schema.
fn children(schema: &FFI_ArrowSchema) -> Result<impl Iterator<Item = &FFI_ArrowSchema>, Malformed> {
    let children = schema.children();
    // A negative number is a great one here.
    match children.size_hint().0 {
        0..=MAX_ROWS => Ok(children),
        _ => malformed("unexpected number of fields"),
    }
}

/// Checks that a type has at most this depth: it may contain itself.
fn check_depth(schema: &FFI_ArrowSchema, depth: usize) -> Result<(), Malformed> {
    let Some(left) = depth.checked_sub(1) else {
        return malformed("a type is nested too deeply");
    };
    for child in children(schema)?.chain(schema.dictionary()) {
        check_depth(child, left)?;
    }
    Ok(())
}

impl ForeignBatch {
    /// Checks the columns that are read, and returns them. May panic if the batch is malformed.
    pub(crate) fn pages(self, columns: &PageColumns) -> Result<Pages, Malformed> {
        if self.0.is_released() {
            return malformed("the batch was released");
        }
        let batch = Arc::new(self.0);
        let (offset, rows) = (batch.offset(), batch.len());
        let end = end(&batch)?;
        let arrays = columns.indexes().map(|(index, data_type)| {
            let array = column(&batch, index, data_type)?;
            if array.len() < end {
                return malformed(format!(
                    "column {index} has {} rows in a batch of {end}",
                    array.len(),
                ));
            }
            Ok(array.slice(offset, rows))
        });
        let arrays: Vec<ArrayRef> = arrays.collect::<Result<_, _>>()?;
        let as_malformed =
            |error: robots_pipeline::batch::ColumnError| Malformed(error.to_string());
        let pages = columns.pages(&arrays, rows).map_err(as_malformed)?;
        check_validity(&batch)?;
        let pointer = NonNull::new(batch.buffer(0).cast_mut());
        match pointer.filter(|_| batch.null_count_opt() != Some(0)) {
            None => Ok(pages),
            Some(pointer) => {
                // SAFETY: the producer states that the bitmap has a bit for each row. The memory does not change, and lives as
                // long as the batch.
                let valid =
                    unsafe { Buffer::from_custom_allocation(pointer, end.div_ceil(8), batch) };
                let valid = BooleanArray::new(BooleanBuffer::new(valid, offset, rows), None);
                pages.with_validity(valid).map_err(as_malformed)
            }
        }
    }
}

/// Returns the number of rows of an array and before its first.
fn end(array: &FFI_ArrowArray) -> Result<usize, Malformed> {
    // A negative number is a great one here.
    let end = array.len().saturating_add(array.offset());
    if end > MAX_ROWS {
        return malformed(format!("unexpected number of rows: {end}"));
    }
    Ok(end)
}

/// Checks that an array with nulls has a bitmap.
fn check_validity(array: &FFI_ArrowArray) -> Result<(), Malformed> {
    match array.null_count_opt() {
        Some(0) | None if array.num_buffers() > 0 => Ok(()),
        Some(1..) if array.num_buffers() > 0 && !array.buffer(0).is_null() => Ok(()),
        _ => malformed("an array has no buffers, or no bitmap of its nulls"),
    }
}

/// Returns a column of a batch.
fn column(
    batch: &Arc<FFI_ArrowArray>,
    index: usize,
    data_type: &DataType,
) -> Result<ArrayRef, Malformed> {
    if !(index + 1..=MAX_ROWS).contains(&batch.num_children()) {
        return malformed(format!("column {index} is missing in a batch"));
    }
    let child = batch.child(index);
    let data_type = of_bytes(data_type);
    let rows = end(child)?;
    if data_type == DataType::Null {
        return Ok(Arc::new(NullArray::new(child.len())));
    }
    // An empty array need not have offsets.
    if rows == 0 {
        return Ok(new_empty_array(&data_type));
    }
    check(child, &data_type)?;
    // SAFETY: the copy is released in place of the child, which is part of the batch. It keeps the batch.
    let array = unsafe {
        let mut array = ptr::read(child);
        array.set_private_data(Arc::into_raw(Arc::clone(batch)).cast_mut().cast());
        array.set_release(Some(release_column));
        from_ffi_and_data_type(array, data_type)
    }?;
    array.validate_full()?;
    Ok(make_array(array))
}

/// Releases the copy of a column: drops its batch.
unsafe extern "C" fn release_column(array: *mut FFI_ArrowArray) {
    // SAFETY: `column` has set this callback, and a pointer from an `Arc` as the private data.
    unsafe {
        drop(Arc::from_raw(
            (*array).private_data().cast::<FFI_ArrowArray>(),
        ));
        (*array).set_release(None);
    }
}

/// Returns a type with bytes in place of texts, and lists in place of maps, which have the same buffers. All values may be null.
fn of_bytes(data_type: &DataType) -> DataType {
    let field =
        |field: &FieldRef| Arc::new(Field::new(field.name(), of_bytes(field.data_type()), true));
    match data_type {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        DataType::List(items) | DataType::Map(items, _) => DataType::List(field(items)),
        DataType::LargeList(items) => DataType::LargeList(field(items)),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::Dictionary(key, values) => {
            DataType::Dictionary(key.clone(), Box::new(of_bytes(values)))
        }
        other => other.clone(),
    }
}

/// Checks what the import of an array reads without a check.
fn check(array: &FFI_ArrowArray, data_type: &DataType) -> Result<(), Malformed> {
    let rows = end(array)?;
    if *data_type == DataType::Null {
        return Ok(());
    }
    check_validity(array)?;
    let layout = layout(data_type);
    let (buffers, expected) = (array.num_buffers(), layout.buffers.len() + 1);
    let is_expected = if layout.variadic {
        (expected + 1..MAX_ROWS).contains(&buffers)
    } else {
        buffers == expected
    };
    if !is_expected {
        return malformed(format!("unexpected number of buffers: {buffers}"));
    }
    let is_aligned =
        |buffer: *const u8, width| !buffer.is_null() && buffer.addr().is_multiple_of(width);
    let width = match data_type {
        DataType::Binary | DataType::List(_) => 4,
        DataType::LargeBinary | DataType::LargeList(_) => 8,
        _ => 1,
    };
    if width > 1 {
        let offsets = array.buffer(1);
        if !is_aligned(offsets, width) {
            return malformed("offsets are null, or not aligned");
        }
        // SAFETY: the producer states that there is an offset for each row, and one more. Its sign is in its last byte, as
        // machines of this package are little-endian.
        let last = unsafe { offsets.add((rows + 1) * width - 1).cast::<i8>().read() };
        if last < 0 {
            return malformed("the last offset is negative");
        }
    }
    let views = if layout.variadic {
        buffers - expected - 1
    } else {
        0
    };
    if views > 0 {
        let lengths = array.buffer(buffers - 1);
        if !is_aligned(lengths, 8) {
            return malformed("the lengths of views are null, or not aligned");
        }
        // SAFETY: the producer states that there is a length of eight bytes for each of these buffers. The last one has the sign.
        let lengths = unsafe { std::slice::from_raw_parts(lengths, views * 8) };
        if lengths.chunks_exact(8).any(|length| length[7] >= 0x80) {
            return malformed("unexpected length of views");
        }
    }
    let fields: &[FieldRef] = match data_type {
        DataType::List(items) | DataType::LargeList(items) => std::slice::from_ref(items),
        DataType::Struct(fields) => fields,
        _ => &[],
    };
    if array.num_children() != fields.len() {
        return malformed(format!(
            "unexpected number of children: {}",
            array.num_children()
        ));
    }
    for (index, field) in fields.iter().enumerate() {
        check(array.child(index), field.data_type())?;
    }
    match (data_type, array.dictionary()) {
        (DataType::Dictionary(_, values), Some(dictionary)) => check(dictionary, values),
        _ => Ok(()),
    }
}
