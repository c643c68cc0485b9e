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

/// Reads the schema of a batch. The types of columns that are not read become null. Linear in the number of columns, and of
/// the fields of structs in lists.
pub(crate) fn read_schema(schema: &ForeignSchema) -> Result<Schema, Malformed> {
    let schema = schema.view()?;
    let format = schema.format();
    if format != "+s" {
        return malformed(format!(
            "expected the struct of a batch, got an array of format {format:?}"
        ));
    }
    let fields = (0..schema.children()?).map(|index| {
        let Some(child) = schema.child(index) else {
            return malformed(format!("column {index} has no schema"));
        };
        let name = child.name();
        if !PageColumns::is_read(&name) {
            return Ok(Field::new(name, DataType::Null, true));
        }
        match read_type(child, Level::Column) {
            Ok(data_type) => Ok(Field::new(name, data_type, true)),
            Err(Malformed(format)) => malformed(format!(
                "column {name:?} has the format {format}, which is not read"
            )),
        }
    });
    Ok(Schema::new(fields.collect::<Result<Vec<_>, _>>()?))
}

/// Returns a type. The error is the format that is not read.
fn read_type(schema: SchemaView<'_>, level: Level) -> Result<DataType, Malformed> {
    let format = schema.format();
    let child = |index, level| match schema.child(index) {
        Some(child) => {
            let data_type = read_type(child, level)?;
            Ok(Arc::new(Field::new(child.name(), data_type, true)))
        }
        None => malformed(format!("{format:?} without the types of its items")),
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
        _ => return malformed(format!("{format:?}")),
    };
    match schema.dictionary() {
        Some(values) if data_type.is_integer() && level != Level::Value => {
            let values = read_type(values, Level::Value)?;
            Ok(DataType::Dictionary(Box::new(data_type), Box::new(values)))
        }
        Some(_) => malformed(format!("{format:?} as the keys of a dictionary")),
        None => Ok(data_type),
    }
}
