//! The values of columns of Arrow batches: bytes, numbers and times, in any of the types that hold them.
//!
//! The type of a column is looked at once. A column of the null type, and a dictionary without values, have no value in
//! any row.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray,
    PrimitiveArray, StringArray, StringViewArray,
};
use arrow_schema::{DataType, TimeUnit};
use robots_meta::Timestamp;

/// Returns the type of the values: that of a dictionary's values, or the type itself.
pub(crate) fn value_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// Returns whether a type is that of texts.
pub(crate) fn is_text(data_type: &DataType) -> bool {
    matches!(
        value_type(data_type),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

/// Texts or bytes.
#[derive(Debug, Clone)]
pub(crate) enum Bytes {
    Missing,
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    Text(StringArray),
    LargeText(LargeStringArray),
    TextView(StringViewArray),
    Dictionary(Box<(Numbers, Self)>),
}

impl Bytes {
    /// Returns the values of a column; `None` if they are neither texts nor bytes.
    pub(crate) fn of(array: &ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Null => Self::Missing,
            DataType::Binary => Self::Binary(array.as_binary().clone()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary().clone()),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view().clone()),
            DataType::Utf8 => Self::Text(array.as_string().clone()),
            DataType::LargeUtf8 => Self::LargeText(array.as_string().clone()),
            DataType::Utf8View => Self::TextView(array.as_string_view().clone()),
            DataType::Dictionary(..) => {
                let (keys, values) = dictionary(array)?;
                Self::Dictionary(Box::new((keys, Self::of(&values)?)))
            }
            _ => return None,
        })
    }

    /// Returns the value of a row; `None` for a null.
    pub(crate) fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Self::Missing => None,
            Self::Binary(array) => array.is_valid(row).then(|| array.value(row)),
            Self::LargeBinary(array) => array.is_valid(row).then(|| array.value(row)),
            Self::BinaryView(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Text(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Self::LargeText(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Self::TextView(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Self::Dictionary(dictionary) => {
                let (keys, values) = &**dictionary;
                values.get(keys.index(row)?)
            }
        }
    }
}

/// Returns the keys and the values of a dictionary.
fn dictionary(array: &dyn Array) -> Option<(Numbers, ArrayRef)> {
    let dictionary = array.as_any_dictionary_opt()?;
    Some((Numbers::of(dictionary.keys())?, dictionary.values().clone()))
}

/// Numbers.
#[derive(Debug, Clone)]
pub(crate) enum Numbers {
    Missing,
    Int8(PrimitiveArray<Int8Type>),
    Int16(PrimitiveArray<Int16Type>),
    Int32(PrimitiveArray<Int32Type>),
    Int64(PrimitiveArray<Int64Type>),
    UInt8(PrimitiveArray<UInt8Type>),
    UInt16(PrimitiveArray<UInt16Type>),
    UInt32(PrimitiveArray<UInt32Type>),
    UInt64(PrimitiveArray<UInt64Type>),
    Float32(PrimitiveArray<Float32Type>),
    Float64(PrimitiveArray<Float64Type>),
    /// Decimals without a fraction.
    Decimal128(PrimitiveArray<Decimal128Type>),
    Dictionary(Box<(Self, Self)>),
}

impl Numbers {
    /// Returns the values of a column; `None` if they are not numbers.
    pub(crate) fn of(array: &dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Null => Self::Missing,
            DataType::Int8 => Self::Int8(array.as_primitive().clone()),
            DataType::Int16 => Self::Int16(array.as_primitive().clone()),
            DataType::Int32 => Self::Int32(array.as_primitive().clone()),
            DataType::Int64 => Self::Int64(array.as_primitive().clone()),
            DataType::UInt8 => Self::UInt8(array.as_primitive().clone()),
            DataType::UInt16 => Self::UInt16(array.as_primitive().clone()),
            DataType::UInt32 => Self::UInt32(array.as_primitive().clone()),
            DataType::UInt64 => Self::UInt64(array.as_primitive().clone()),
            DataType::Float32 => Self::Float32(array.as_primitive().clone()),
            DataType::Float64 => Self::Float64(array.as_primitive().clone()),
            DataType::Decimal128(_, 0) => Self::Decimal128(array.as_primitive().clone()),
            DataType::Dictionary(..) => {
                let (keys, values) = dictionary(array)?;
                Self::Dictionary(Box::new((keys, Self::of(&values)?)))
            }
            _ => return None,
        })
    }

    /// Returns the value of a row, rounded towards zero; `None` for a null and for a float that is not a number. A number
    /// that does not fit becomes the nearest one that does.
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        match self {
            Self::Missing => None,
            Self::Int8(array) => array.is_valid(row).then(|| array.value(row).into()),
            Self::Int16(array) => array.is_valid(row).then(|| array.value(row).into()),
            Self::Int32(array) => array.is_valid(row).then(|| array.value(row).into()),
            Self::Int64(array) => array.is_valid(row).then(|| array.value(row)),
            Self::UInt8(array) => array.is_valid(row).then(|| array.value(row).into()),
            Self::UInt16(array) => array.is_valid(row).then(|| array.value(row).into()),
            Self::UInt32(array) => array.is_valid(row).then(|| array.value(row).into()),
            Self::UInt64(array) => {
                let fitting = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
                array.is_valid(row).then(|| fitting(array.value(row)))
            }
            Self::Decimal128(array) => {
                let fitting = |number: i128| {
                    let nearest = number.clamp(i64::MIN.into(), i64::MAX.into());
                    i64::try_from(nearest).unwrap_or_default()
                };
                array.is_valid(row).then(|| fitting(array.value(row)))
            }
            #[allow(
                clippy::cast_possible_truncation,
                reason = "`as` rounds floats towards zero, to the nearest number that fits"
            )]
            Self::Float32(_) | Self::Float64(_) => self.float(row).map(|number| number as i64),
            Self::Dictionary(dictionary) => {
                let (keys, values) = &**dictionary;
                values.get(keys.index(row)?)
            }
        }
    }

    /// Returns the value of a row of floats; `None` for other numbers, for a null, and for a float that is not a number.
    fn float(&self, row: usize) -> Option<f64> {
        let value = match self {
            Self::Float32(array) => array.is_valid(row).then(|| array.value(row))?.into(),
            Self::Float64(array) => array.is_valid(row).then(|| array.value(row))?,
            Self::Dictionary(dictionary) => dictionary.1.float(dictionary.0.index(row)?)?,
            _ => return None,
        };
        (!value.is_nan()).then_some(value)
    }

    /// Returns the value of a row as an index.
    fn index(&self, row: usize) -> Option<usize> {
        usize::try_from(self.get(row)?).ok()
    }
}

/// The number of seconds of a day.
const DAY: i64 = 86_400;

/// Times: timestamps, dates, seconds since 1970, or texts as in RFC 3339.
#[derive(Debug, Clone)]
pub(crate) enum Times {
    /// Whole units since 1970, of which a second has this number.
    Timestamps(PrimitiveArray<Int64Type>, i64),
    /// Days since 1970, in UTC.
    Dates(PrimitiveArray<Date32Type>),
    Seconds(Numbers),
    Texts(Bytes),
}

impl Times {
    /// Returns the values of a column; `None` if they are not times. Timestamps without a time zone are in UTC.
    pub(crate) fn of(array: &ArrayRef) -> Option<Self> {
        if *array.data_type() == DataType::Date32 {
            return Some(Self::Dates(array.as_primitive().clone()));
        }
        let DataType::Timestamp(unit, _) = array.data_type() else {
            let numbers = Numbers::of(array).map(Self::Seconds);
            return numbers.or_else(|| Bytes::of(array).map(Self::Texts));
        };
        Some(match unit {
            TimeUnit::Second => Self::Timestamps(
                array
                    .as_primitive::<TimestampSecondType>()
                    .reinterpret_cast(),
                1,
            ),
            TimeUnit::Millisecond => Self::Timestamps(
                array
                    .as_primitive::<TimestampMillisecondType>()
                    .reinterpret_cast(),
                1_000,
            ),
            TimeUnit::Microsecond => Self::Timestamps(
                array
                    .as_primitive::<TimestampMicrosecondType>()
                    .reinterpret_cast(),
                1_000_000,
            ),
            TimeUnit::Nanosecond => Self::Timestamps(
                array
                    .as_primitive::<TimestampNanosecondType>()
                    .reinterpret_cast(),
                1_000_000_000,
            ),
        })
    }

    /// Returns the value of a row, rounded down to seconds; that of a date is its beginning. `None` for a null.
    ///
    /// # Errors
    ///
    /// The text or the float that is not a time.
    pub(crate) fn get(&self, row: usize) -> Result<Option<Timestamp>, String> {
        match self {
            Self::Timestamps(array, units) => {
                let seconds = array
                    .is_valid(row)
                    .then(|| array.value(row).div_euclid(*units));
                Ok(seconds.map(Timestamp::from_seconds))
            }
            Self::Dates(array) => {
                let days = array.is_valid(row).then(|| i64::from(array.value(row)));
                let seconds = days.map(|days| days.saturating_mul(DAY));
                Ok(seconds.map(Timestamp::from_seconds))
            }
            Self::Seconds(numbers) => match numbers.float(row) {
                Some(seconds) if seconds.is_infinite() => Err(seconds.to_string()),
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "`as` rounds to the nearest number that fits"
                )]
                Some(seconds) => Ok(Some(Timestamp::from_seconds(seconds.floor() as i64))),
                None => Ok(numbers.get(row).map(Timestamp::from_seconds)),
            },
            Self::Texts(texts) => {
                let Some(text) = texts.get(row) else {
                    return Ok(None);
                };
                let text = String::from_utf8_lossy(text);
                let time = Timestamp::parse(&text);
                time.map(Some).ok_or_else(|| text.into_owned())
            }
        }
    }
}
