//! Arrow's C interfaces in the capsules of Python: the batches and streams of other libraries.
//!
//! All unsafe code for arrays is in this file. A producer of arrays is not trusted further than the interface demands:
//! lengths, offsets, counts, null pointers, bitmaps, dictionaries and views are checked before a value is read. The
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

use crate::foreign_array;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use robots_pipeline::batch::{PageColumns, Pages};
use std::ffi::{CStr, c_char, c_void};
use std::fmt;
use std::ptr::{self, NonNull};
use std::sync::Arc;

pub(crate) const SCHEMA: &CStr = c"arrow_schema";
pub(crate) const ARRAY: &CStr = c"arrow_array";
pub(crate) const STREAM: &CStr = c"arrow_array_stream";

/// A schema as C has it: `struct ArrowSchema`.
#[repr(C)]
struct CSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const Self,
    dictionary: *const Self,
    release: *const c_void,
    private_data: *const c_void,
}

/// An array as C has it: `struct ArrowArray`.
#[repr(C)]
struct CArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const u8,
    children: *const *const Self,
    dictionary: *const Self,
    release: *const c_void,
    private_data: *const c_void,
}

const _: () = assert!(size_of::<CSchema>() == size_of::<FFI_ArrowSchema>());
const _: () = assert!(size_of::<CArray>() == size_of::<FFI_ArrowArray>());

/// The reason why an array, a schema or a stream cannot be read.
#[derive(Debug)]
pub(crate) struct Malformed(pub(crate) String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) fn malformed<T>(text: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed(text.into()))
}

/// A schema of another library.
#[derive(Debug)]
pub(crate) struct ForeignSchema(FFI_ArrowSchema);

/// A batch of another library, which has not been checked.
#[derive(Debug)]
pub(crate) struct ForeignBatch(FFI_ArrowArray);

/// A stream of batches of another library.
#[derive(Debug)]
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

/// Returns an item of an array of `count` pointers; `None` if there is none of this index, or a pointer is null.
fn item<'a, T>(items: *const *const T, count: usize, index: usize) -> Option<&'a T> {
    if items.is_null() || index >= count {
        return None;
    }
    // SAFETY: the index is below the number of items that the producer states. An item that is not null points to a struct
    // that lives as long as its parent, which the callers keep.
    unsafe { items.add(index).read_unaligned().as_ref() }
}

impl ForeignSchema {
    /// Returns the schema, unless it was released.
    pub(crate) fn view(&self) -> Result<SchemaView<'_>, Malformed> {
        if self.0.release().is_none() {
            return malformed("the schema was released");
        }
        // SAFETY: both structs are `struct ArrowSchema`.
        Ok(SchemaView(unsafe {
            &*ptr::from_ref(&self.0).cast::<CSchema>()
        }))
    }
}

/// A view of a schema, or of a part of it.
#[derive(Clone, Copy)]
pub(crate) struct SchemaView<'a>(&'a CSchema);

impl SchemaView<'_> {
    /// Returns the format of the type; empty if there is none.
    pub(crate) fn format(self) -> String {
        text_of(self.0.format).unwrap_or_default()
    }

    /// Returns the name; empty if there is none.
    pub(crate) fn name(self) -> String {
        text_of(self.0.name).unwrap_or_default()
    }

    /// Returns the number of children.
    pub(crate) fn children(self) -> Result<usize, Malformed> {
        count(self.0.n_children, "fields")
    }

    /// Returns a child; `None` if it is missing.
    pub(crate) fn child(self, index: usize) -> Option<Self> {
        let children = self.children().ok()?;
        item(self.0.children, children, index).map(Self)
    }

    /// Returns the type of a dictionary's values; `None` for another type.
    pub(crate) fn dictionary(self) -> Option<Self> {
        // SAFETY: a pointer that is not null points to a schema, which lives as long as its parent.
        unsafe { self.0.dictionary.as_ref() }.map(Self)
    }
}

/// Returns a count as a size.
pub(crate) fn count(count: i64, what: &str) -> Result<usize, Malformed> {
    usize::try_from(count).map_err(|_| Malformed(format!("unexpected number of {what}: {count}")))
}

impl ForeignBatch {
    /// Checks the columns that are read, and returns them.
    pub(crate) fn pages(self, columns: &PageColumns) -> Result<Pages, Malformed> {
        if self.0.is_released() {
            return malformed("the batch was released");
        }
        let owner = Arc::new(self.0);
        // SAFETY: both structs are `struct ArrowArray`. `owner` outlives the reference.
        let batch = unsafe { &*Arc::as_ptr(&owner).cast::<CArray>() };
        let extent = Extent::of(batch)?;
        let import = Import {
            owner: Arc::clone(&owner),
        };
        let children = count(batch.n_children, "columns")?;
        let arrays = columns.indexes().map(|(index, data_type)| {
            let Some(child) = item(batch.children, children, index) else {
                return malformed(format!("column {index} is missing in a batch"));
            };
            let data = import.data(child, data_type)?;
            let array = foreign_array::of(&data).map_err(|error| Malformed(error.to_string()))?;
            if array.len() < extent.end {
                return malformed(format!(
                    "column {index} has {} rows in a batch of {}",
                    array.len(),
                    extent.end
                ));
            }
            Ok(array.slice(extent.offset, extent.length))
        });
        let arrays: Vec<ArrayRef> = arrays.collect::<Result<_, _>>()?;
        let pages = columns.pages(&arrays, extent.length);
        let pages = pages.map_err(|error| Malformed(error.to_string()))?;
        match import.validity(batch, &extent)? {
            Some(valid) => {
                let valid = BooleanBuffer::new(valid, extent.offset, extent.length);
                let pages = pages.with_validity(BooleanArray::new(valid, None));
                pages.map_err(|error| Malformed(error.to_string()))
            }
            None => Ok(pages),
        }
    }
}

/// The rows of an array: `length` rows from `offset` to `end`.
struct Extent {
    length: usize,
    offset: usize,
    end: usize,
}

impl Extent {
    fn of(array: &CArray) -> Result<Self, Malformed> {
        let (length, offset) = (
            count(array.length, "rows")?,
            count(array.offset, "rows before the first")?,
        );
        // A null count of -1 is unknown.
        if array.null_count < -1 || array.null_count > array.length {
            return malformed(format!("unexpected number of nulls: {}", array.null_count));
        }
        match length
            .checked_add(offset)
            .filter(|&end| isize::try_from(end).is_ok())
        {
            Some(end) => Ok(Self {
                length,
                offset,
                end,
            }),
            None => malformed(format!(
                "unexpected number of rows: {length} after {offset}"
            )),
        }
    }
}

/// The import of the arrays of a batch.
struct Import {
    /// The batch, which owns the memory of all of its arrays.
    owner: Arc<FFI_ArrowArray>,
}

impl Import {
    /// Returns a checked array. Texts become bytes, and a map becomes a list.
    fn data(&self, array: &CArray, data_type: &DataType) -> Result<ArrayData, Malformed> {
        let extent = Extent::of(array)?;
        let builder = |data_type| {
            let builder = ArrayData::builder(data_type);
            builder.len(extent.length).offset(extent.offset)
        };
        let builder = match data_type {
            DataType::Null => return built(builder(DataType::Null)),
            DataType::Utf8 | DataType::Binary => {
                let (offsets, bytes) = self.offsets::<i32>(array, &extent, 3)?;
                let bytes = self.buffer(array, 2, bytes)?;
                builder(DataType::Binary).buffers(vec![offsets, bytes])
            }
            DataType::LargeUtf8 | DataType::LargeBinary => {
                let (offsets, bytes) = self.offsets::<i64>(array, &extent, 3)?;
                let bytes = self.buffer(array, 2, bytes)?;
                builder(DataType::LargeBinary).buffers(vec![offsets, bytes])
            }
            DataType::Utf8View | DataType::BinaryView => {
                builder(DataType::BinaryView).buffers(self.views(array, &extent)?)
            }
            DataType::List(items) | DataType::Map(items, _) => {
                let (offsets, _) = self.offsets::<i32>(array, &extent, 2)?;
                let (items, data) = self.child(array, 0, 1, items)?;
                let builder = builder(DataType::List(items));
                builder.buffers(vec![offsets]).child_data(vec![data])
            }
            DataType::LargeList(items) => {
                let (offsets, _) = self.offsets::<i64>(array, &extent, 2)?;
                let (items, data) = self.child(array, 0, 1, items)?;
                let builder = builder(DataType::LargeList(items));
                builder.buffers(vec![offsets]).child_data(vec![data])
            }
            DataType::Struct(fields) => {
                expect_buffers(array, 1)?;
                let children = fields.iter().enumerate();
                let children =
                    children.map(|(index, field)| self.child(array, index, fields.len(), field));
                let (fields, data): (Vec<_>, Vec<_>) =
                    children.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
                builder(DataType::Struct(fields.into())).child_data(data)
            }
            DataType::Dictionary(key, values) => {
                // SAFETY: a pointer that is not null points to an array, which lives as long as its parent.
                let Some(dictionary) = (unsafe { array.dictionary.as_ref() }) else {
                    return malformed("a dictionary has no values");
                };
                let values = self.data(dictionary, values)?;
                let data_type =
                    DataType::Dictionary(key.clone(), Box::new(values.data_type().clone()));
                let keys = self.numbers(array, &extent, key)?;
                builder(data_type)
                    .buffers(vec![keys])
                    .child_data(vec![values])
            }
            number => {
                let numbers = self.numbers(array, &extent, number)?;
                builder(number.clone()).buffers(vec![numbers])
            }
        };
        let validity = self.validity(array, &extent)?;
        built(builder.null_bit_buffer(validity))
    }

    /// Returns the child of an array, which has this number of children, with its field.
    fn child(
        &self,
        array: &CArray,
        index: usize,
        children: usize,
        field: &Field,
    ) -> Result<(Arc<Field>, ArrayData), Malformed> {
        let stated = count(array.n_children, "children")?;
        let child = item(array.children, stated, index).filter(|_| stated == children);
        let Some(child) = child else {
            return malformed(format!("an array has no items for {:?}", field.name()));
        };
        let data = self.data(child, field.data_type())?;
        let field = Field::new(field.name(), data.data_type().clone(), true);
        Ok((Arc::new(field), data))
    }

    /// Returns the bitmap of an array that may have nulls.
    fn validity(&self, array: &CArray, extent: &Extent) -> Result<Option<Buffer>, Malformed> {
        if count(array.n_buffers, "buffers")? == 0 {
            return malformed("an array has no buffers");
        }
        if pointer(array, 0).is_some() && array.null_count != 0 {
            return self.buffer(array, 0, extent.end.div_ceil(8)).map(Some);
        }
        if array.null_count > 0 {
            return malformed("an array with nulls has no bitmap");
        }
        Ok(None)
    }

    fn numbers(
        &self,
        array: &CArray,
        extent: &Extent,
        data_type: &DataType,
    ) -> Result<Buffer, Malformed> {
        expect_buffers(array, 2)?;
        let Some(width) = data_type.primitive_width() else {
            return malformed(format!("unexpected type {data_type}"));
        };
        self.buffer(array, 1, size(extent.end, width)?)
    }

    /// Returns the offsets of an array with this number of buffers, and the last offset. The order of the others is checked
    /// when the array is built.
    fn offsets<T: Copy + Default + Into<i64>>(
        &self,
        array: &CArray,
        extent: &Extent,
        buffers: usize,
    ) -> Result<(Buffer, usize), Malformed> {
        expect_buffers(array, buffers)?;
        // An empty array need not have offsets.
        if extent.end == 0 {
            return Ok((Buffer::from(vec![0_u8; size_of::<T>()]), 0));
        }
        let bytes = size(extent.end.saturating_add(1), size_of::<T>())?;
        let offsets = self.buffer(array, 1, bytes)?;
        // SAFETY: the buffer has one offset more than `end`. It need not be aligned.
        let last = unsafe {
            offsets
                .as_ptr()
                .cast::<T>()
                .add(extent.end)
                .read_unaligned()
        };
        Ok((offsets, count(last.into(), "bytes or items")?))
    }

    /// Returns the buffers of an array of views: the views, and the buffers that they refer to.
    fn views(&self, array: &CArray, extent: &Extent) -> Result<Vec<Buffer>, Malformed> {
        let all = count(array.n_buffers, "buffers")?;
        // The bitmap, the views, and the lengths of the others.
        let Some(others) = all.checked_sub(3) else {
            return malformed(format!("unexpected number of buffers of views: {all}"));
        };
        let mut buffers = vec![self.buffer(array, 1, size(extent.end, size_of::<u128>())?)?];
        let lengths = size(others, size_of::<i64>())?;
        let lengths = self.buffer(array, all.saturating_sub(1), lengths)?;
        for (index, length) in lengths.chunks_exact(size_of::<i64>()).enumerate() {
            let length = i64::from_ne_bytes(length.try_into().unwrap_or_default());
            let length = count(length, "bytes")?;
            buffers.push(self.buffer(array, index.saturating_add(2), length)?);
        }
        Ok(buffers)
    }

    /// Returns a buffer of this size in bytes, which is that of the producer.
    fn buffer(&self, array: &CArray, index: usize, bytes: usize) -> Result<Buffer, Malformed> {
        if bytes == 0 {
            return Ok(Buffer::from(Vec::<u8>::new()));
        }
        let Some(pointer) = pointer(array, index).filter(|_| isize::try_from(bytes).is_ok()) else {
            return malformed(format!(
                "buffer {index} of {bytes} bytes is null, or too large"
            ));
        };
        let owner = Arc::clone(&self.owner);
        // SAFETY: the producer states that the buffer has values for `length` rows after `offset`, from which `bytes` is
        // computed, without overflow, or that it has this length (views). The memory does not change, and lives as long as
        // the owner.
        Ok(unsafe { Buffer::from_custom_allocation(pointer, bytes, owner) })
    }
}

/// Returns the pointer to a buffer; `None` if there is none.
fn pointer(array: &CArray, index: usize) -> Option<NonNull<u8>> {
    let buffers = usize::try_from(array.n_buffers).ok()?;
    if array.buffers.is_null() || index >= buffers {
        return None;
    }
    // SAFETY: the producer states that there are `n_buffers` pointers.
    let pointer = unsafe { array.buffers.add(index).read_unaligned() };
    NonNull::new(pointer.cast_mut())
}

fn expect_buffers(array: &CArray, expected: usize) -> Result<(), Malformed> {
    if count(array.n_buffers, "buffers")? == expected {
        return Ok(());
    }
    malformed(format!(
        "unexpected number of buffers: {} in place of {expected}",
        array.n_buffers
    ))
}

/// Returns the size of values of a width, in bytes.
fn size(values: usize, width: usize) -> Result<usize, Malformed> {
    let size = values.checked_mul(width);
    size.ok_or_else(|| Malformed(format!("unexpected number of values: {values}")))
}

/// Builds an array, with all checks. Buffers that are not aligned are copied.
fn built(builder: arrow_data::ArrayDataBuilder) -> Result<ArrayData, Malformed> {
    let built = builder.align_buffers(true).build();
    built.map_err(|error| Malformed(error.to_string()))
}
