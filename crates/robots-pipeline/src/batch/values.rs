//! The values of columns of Arrow batches: bytes, numbers and times, in any of the types that hold them.
//!
//! The type of a column is looked at once. A column of the null type, and a dictionary without values, have no value in
//! any row.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, Float64Array, Int64Array, LargeBinaryArray,
    PrimitiveArray,
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

/// Texts or bytes, as bytes: the memory of texts is shared.
#[derive(Debug, Clone)]
pub(crate) enum Bytes {
    Missing,
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
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
            DataType::Utf8 => Self::Binary(array.as_string().clone().into()),
            DataType::LargeUtf8 => Self::LargeBinary(array.as_string().clone().into()),
            DataType::Utf8View => Self::BinaryView(array.as_string_view().clone().to_binary_view()),
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
    Integers(Int64Array),
    Floats(Float64Array),
    Dictionary(Box<(Self, Self)>),
}

impl Numbers {
    /// Returns the values of a column; `None` if they are not numbers. A number that does not fit becomes the nearest one that
    /// does.
    pub(crate) fn of(array: &dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Null => Self::Missing,
            DataType::Int8 => Self::integers::<Int8Type>(array),
            DataType::Int16 => Self::integers::<Int16Type>(array),
            DataType::Int32 => Self::integers::<Int32Type>(array),
            DataType::Int64 => Self::Integers(array.as_primitive().clone()),
            DataType::UInt8 => Self::integers::<UInt8Type>(array),
            DataType::UInt16 => Self::integers::<UInt16Type>(array),
            DataType::UInt32 => Self::integers::<UInt32Type>(array),
            DataType::UInt64 => Self::integers::<UInt64Type>(array),
            DataType::Float32 => Self::Floats(array.as_primitive::<Float32Type>().unary(f64::from)),
            DataType::Float64 => Self::Floats(array.as_primitive().clone()),
            // Decimals without a fraction.
            DataType::Decimal128(_, 0) => Self::integers::<Decimal128Type>(array),
            DataType::Dictionary(..) => {
                let (keys, values) = dictionary(array)?;
                Self::Dictionary(Box::new((keys, Self::of(&values)?)))
            }
            _ => return None,
        })
    }

    fn integers<T: ArrowPrimitiveType<Native: Into<i128>>>(array: &dyn Array) -> Self {
        Self::Integers(array.as_primitive::<T>().unary(|number| {
            let number: i128 = number.into();
            let nearest = number.clamp(i64::MIN.into(), i64::MAX.into());
            i64::try_from(nearest).unwrap_or_default()
        }))
    }

    /// Returns the value of a row, rounded towards zero; `None` for a null and for a float that is not a number. A number
    /// that does not fit becomes the nearest one that does.
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        match self {
            Self::Missing => None,
            Self::Integers(array) => array.is_valid(row).then(|| array.value(row)),
            #[allow(
                clippy::cast_possible_truncation,
                reason = "`as` rounds floats towards zero, to the nearest number that fits"
            )]
            Self::Floats(_) => self.float(row).map(|number| number as i64),
            Self::Dictionary(dictionary) => {
                let (keys, values) = &**dictionary;
                values.get(keys.index(row)?)
            }
        }
    }

    /// Returns the value of a row of floats; `None` for other numbers, for a null, and for a float that is not a number.
    fn float(&self, row: usize) -> Option<f64> {
        let value = match self {
            Self::Floats(array) => array.is_valid(row).then(|| array.value(row))?,
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

/// Returns the numbers of timestamps.
fn units<T: ArrowPrimitiveType<Native = i64>>(array: &ArrayRef) -> Int64Array {
    array.as_primitive::<T>().reinterpret_cast::<Int64Type>()
}

/// Times: timestamps, dates, seconds since 1970, or texts as in RFC 3339.
#[derive(Debug, Clone)]
pub(crate) enum Times {
    /// Whole units since 1970, of which a second has this number.
    Timestamps(Int64Array, i64),
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
            TimeUnit::Second => Self::Timestamps(units::<TimestampSecondType>(array), 1),
            TimeUnit::Millisecond => {
                Self::Timestamps(units::<TimestampMillisecondType>(array), 1_000)
            }
            TimeUnit::Microsecond => {
                Self::Timestamps(units::<TimestampMicrosecondType>(array), 1_000_000)
            }
            TimeUnit::Nanosecond => {
                Self::Timestamps(units::<TimestampNanosecondType>(array), 1_000_000_000)
            }
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
                let seconds = days.map(|days| days * DAY);
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
