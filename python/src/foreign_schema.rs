//! The schemas of batches of other libraries: the types of the columns that are read.

use crate::capsule::{ForeignSchema, Malformed, SchemaView, malformed};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use robots_pipeline::batch::PageColumns;
use std::sync::Arc;

/// The position of a type in that of a column.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    Column,
    /// In a list.
    Item,
    /// In a struct.
    Field,
    /// In a dictionary.
    Value,
}

/// The reason why a schema cannot be read.
#[derive(Debug)]
pub(crate) enum SchemaError {
    Malformed(Malformed),
    /// A column of pages has a type that it cannot have.
    Type(String),
}

impl From<Malformed> for SchemaError {
    fn from(error: Malformed) -> Self {
        Self::Malformed(error)
    }
}

/// Reads the schema of a batch. The types of columns that are not read become null. Linear in the number of columns, and of
/// the fields of structs in lists.
pub(crate) fn read_schema(schema: &ForeignSchema) -> Result<Schema, SchemaError> {
    let schema = schema.view()?;
    let format = schema.format();
    if format != "+s" {
        malformed(format!(
            "expected the struct of a batch, got an array of format {format:?}"
        ))?;
    }
    let fields = (0..schema.children()?).map(|index| {
        let Some(child) = schema.child(index) else {
            return Err(Malformed(format!("column {index} has no schema")).into());
        };
        let name = child.name();
        let Some(expected) = PageColumns::expected(&name) else {
            return Ok(Field::new(name, DataType::Null, true));
        };
        match read_type(child, Level::Column) {
            Ok(data_type) => Ok(Field::new(name, data_type, true)),
            Err(TypeError::NotRead(data_type)) => Err(SchemaError::Type(format!(
                "column {name:?} has the type {data_type}: expected {expected}"
            ))),
            Err(TypeError::Malformed(Malformed(error))) => {
                Err(Malformed(format!("column {name:?}: {error}")).into())
            }
        }
    });
    let fields = fields.collect::<Result<Vec<_>, SchemaError>>()?;
    Ok(Schema::new(fields))
}

/// The reason why a type cannot be read.
enum TypeError {
    Malformed(Malformed),
    /// No column of pages can have it.
    NotRead(String),
}

impl From<Malformed> for TypeError {
    fn from(error: Malformed) -> Self {
        Self::Malformed(error)
    }
}

/// Returns the name of a type that no column of pages can have, by its format in C.
fn type_name(format: &str) -> String {
    let (kind, parameters) = format.split_once(':').unwrap_or((format, ""));
    let name = match kind {
        "b" => "boolean",
        "e" => "float16",
        "d" => "decimal",
        "w" => "fixed-size binary",
        "tdm" => "date64",
        "tts" | "ttm" => "time32",
        "ttu" | "ttn" => "time64",
        "tDs" | "tDm" | "tDu" | "tDn" => "duration",
        "tiM" | "tiD" | "tin" => "interval",
        "+l" | "+L" | "+vl" | "+vL" | "+w" => "list",
        "+s" => "struct",
        "+m" => "map",
        "+r" => "run-end encoded",
        "+us" | "+ud" => "union",
        _ => return format!("with the format {format:?}"),
    };
    match parameters {
        "" => name.to_owned(),
        parameters => format!("{name} ({parameters})"),
    }
}

/// Returns the precision of a decimal of 128 bits without a fraction, by the parameters of its format.
fn integer_precision(parameters: &str) -> Option<u8> {
    let mut parameters = parameters.split(',');
    let precision = parameters.next()?.parse().ok()?;
    let is_whole = parameters.next() == Some("0");
    let is_128 = matches!(parameters.next(), None | Some("128"));
    (is_whole && is_128 && (1..=38).contains(&precision)).then_some(precision)
}

/// Returns a type.
fn read_type(schema: SchemaView<'_>, level: Level) -> Result<DataType, TypeError> {
    let format = schema.format();
    let child = |index, level| {
        let Some(child) = schema.child(index) else {
            let text = format!("{format:?} without the types of its items");
            return Err(TypeError::from(Malformed(text)));
        };
        let data_type = read_type(child, level)?;
        Ok(Arc::new(Field::new(child.name(), data_type, true)))
    };
    let item = || child(0, Level::Item);
    let timestamp = |unit: TimeUnit, zone: &str| {
        DataType::Timestamp(unit, (!zone.is_empty()).then(|| zone.into()))
    };
    let data_type = match (format.as_str(), format.split_once(':')) {
        ("n", _) => DataType::Null,
        ("c", _) => DataType::Int8,
        ("C", _) => DataType::UInt8,
        ("s", _) => DataType::Int16,
        ("S", _) => DataType::UInt16,
        ("i", _) => DataType::Int32,
        ("I", _) => DataType::UInt32,
        ("l", _) => DataType::Int64,
        ("L", _) => DataType::UInt64,
        ("f", _) => DataType::Float32,
        ("g", _) => DataType::Float64,
        ("z", _) => DataType::Binary,
        ("Z", _) => DataType::LargeBinary,
        ("vz", _) => DataType::BinaryView,
        ("u", _) => DataType::Utf8,
        ("U", _) => DataType::LargeUtf8,
        ("vu", _) => DataType::Utf8View,
        ("tdD", _) => DataType::Date32,
        (_, Some(("d", parameters))) => match integer_precision(parameters) {
            Some(precision) => DataType::Decimal128(precision, 0),
            None => return Err(TypeError::NotRead(type_name(&format))),
        },
        (_, Some(("tss", zone))) => timestamp(TimeUnit::Second, zone),
        (_, Some(("tsm", zone))) => timestamp(TimeUnit::Millisecond, zone),
        (_, Some(("tsu", zone))) => timestamp(TimeUnit::Microsecond, zone),
        (_, Some(("tsn", zone))) => timestamp(TimeUnit::Nanosecond, zone),
        ("+l", _) if level == Level::Column => DataType::List(item()?),
        ("+L", _) if level == Level::Column => DataType::LargeList(item()?),
        ("+m", _) if level == Level::Column => DataType::Map(item()?, false),
        ("+s", _) if level == Level::Item => {
            let fields = (0..schema.children()?).map(|index| child(index, Level::Field));
            DataType::Struct(fields.collect::<Result<Vec<_>, _>>()?.into())
        }
        _ => return Err(TypeError::NotRead(type_name(&format))),
    };
    match schema.dictionary() {
        Some(values) if data_type.is_integer() && level != Level::Value => {
            let values = read_type(values, Level::Value)?;
            Ok(DataType::Dictionary(Box::new(data_type), Box::new(values)))
        }
        Some(_) => Err(TypeError::NotRead(format!(
            "dictionary with keys of the format {format:?}"
        ))),
        None => Ok(data_type),
    }
}
