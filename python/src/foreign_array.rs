//! Arrays from the checked data of other libraries: those of the types that columns of pages may have.
//!
//! `arrow_array::make_array` knows all types of Arrow, whose code would make the module larger by 0.3 MB.

use arrow_array::types::{
    ArrowDictionaryKeyType, Date32Type, Decimal128Type, Float32Type, Float64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, GenericListArray, LargeBinaryArray,
    NullArray, OffsetSizeTrait, PrimitiveArray, StructArray, downcast_integer,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, TimeUnit};
use std::sync::Arc;

/// Returns data, which was checked when it was built, as an array. Texts must be bytes, and maps lists.
///
/// # Errors
///
/// If a column of pages cannot have the type.
pub(crate) fn of(data: &ArrayData) -> Result<ArrayRef, ArrowError> {
    macro_rules! numbers {
        ($number:ty) => {
            Arc::new(PrimitiveArray::<$number>::from(data.clone()))
        };
    }
    Ok(downcast_integer! {
        data.data_type() => (numbers),
        DataType::Float32 => numbers!(Float32Type),
        DataType::Float64 => numbers!(Float64Type),
        DataType::Decimal128(..) => numbers!(Decimal128Type),
        DataType::Date32 => numbers!(Date32Type),
        DataType::Timestamp(TimeUnit::Second, _) => numbers!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => numbers!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => numbers!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => numbers!(TimestampNanosecondType),
        DataType::Null => Arc::new(NullArray::from(data.clone())),
        DataType::Binary => Arc::new(BinaryArray::from(data.clone())),
        DataType::LargeBinary => Arc::new(LargeBinaryArray::from(data.clone())),
        DataType::BinaryView => Arc::new(BinaryViewArray::from(data.clone())),
        DataType::List(items) => list::<i32>(data, items)?,
        DataType::LargeList(items) => list::<i64>(data, items)?,
        DataType::Struct(fields) => {
            let columns = data.child_data().iter().map(of);
            let columns = columns.map(|column| Ok(column?.slice(data.offset(), data.len())));
            let columns = columns.collect::<Result<_, ArrowError>>()?;
            let nulls = data.nulls().cloned();
            let length = data.len();
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, length)?)
        }
        DataType::Dictionary(key, _) => dictionary(data, key)?,
        other => return Err(unexpected(other)),
    })
}

fn list<O: OffsetSizeTrait>(data: &ArrayData, items: &Arc<Field>) -> Result<ArrayRef, ArrowError> {
    let [offsets] = data.buffers() else {
        return Err(unexpected(data.data_type()));
    };
    let count = data.len().saturating_add(1);
    let offsets = OffsetBuffer::new(ScalarBuffer::new(offsets.clone(), data.offset(), count));
    let list = GenericListArray::<O>::try_new(
        Arc::clone(items),
        offsets,
        only_child(data)?,
        data.nulls().cloned(),
    )?;
    Ok(Arc::new(list))
}

fn dictionary(data: &ArrayData, key: &DataType) -> Result<ArrayRef, ArrowError> {
    fn with_keys<K: ArrowDictionaryKeyType>(data: &ArrayData) -> Result<ArrayRef, ArrowError> {
        let keys = data
            .clone()
            .into_builder()
            .data_type(K::DATA_TYPE)
            .child_data(Vec::new());
        let keys = PrimitiveArray::<K>::from(keys.build()?);
        Ok(Arc::new(DictionaryArray::try_new(keys, only_child(data)?)?))
    }
    macro_rules! with_keys {
        ($key:ty) => {
            with_keys::<$key>(data)
        };
    }
    downcast_integer! {
        key => (with_keys),
        other => Err(unexpected(other)),
    }
}

/// Returns the items of a list, or the values of a dictionary.
fn only_child(data: &ArrayData) -> Result<ArrayRef, ArrowError> {
    match data.child_data() {
        [child] => of(child),
        _ => Err(unexpected(data.data_type())),
    }
}

fn unexpected(data_type: &DataType) -> ArrowError {
    ArrowError::InvalidArgumentError(format!("unexpected type {data_type}"))
}
