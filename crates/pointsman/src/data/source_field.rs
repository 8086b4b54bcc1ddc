//! [`SourceField`]: a column of a query's source as its owner knows it.

use crate::data::arrow::TimeZone;
use crate::error::{Error, ErrorKind};
use crate::text::listed;
use arrow_schema::{DataType, TimeUnit};
use pointsman_ir::plan::SourceId;
use pointsman_ir::types::DType;

/// The Arrow types that expressions read.
const READABLE: &str =
    "Boolean, Int8 to Int64, UInt8 to UInt64, Float32, Float64, Date32 or Timestamp(µs), or leave it out";

/// A column of the source as its owner knows it.
#[derive(Clone, Debug)]
pub(crate) struct SourceField {
    pub(crate) name: String,
    pub(crate) dtype: DType,
    /// The source that it is a column of.
    pub(crate) source: SourceId,
    /// Its column in the source's node; `None` for a type that no query reads.
    pub(crate) column: Option<u32>,
    /// The time zone of its timestamps.
    pub(crate) zone: Option<TimeZone>,
    /// The field of the record batch it came from.
    pub(crate) arrow: Option<arrow_schema::FieldRef>,
}

impl SourceField {
    /// Says that no expression reads its values, and what to do.
    pub(crate) fn unreadable_values(&self) -> String {
        let arrow = self.arrow.as_ref().map(|field| field.data_type());
        let shown = arrow.map_or(String::new(), |arrow| format!("{arrow} "));
        let target = match arrow {
            Some(DataType::Timestamp(_, zone)) => DataType::Timestamp(TimeUnit::Microsecond, zone.clone()).to_string(),
            Some(DataType::Date64) => "Date32".to_string(),
            Some(DataType::Float16) => "Float32".to_string(),
            Some(
                DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..),
            ) => "Float64 or, scaled, to Int64".to_string(),
            _ => READABLE.to_string(),
        };
        format!(
            "column `{}` holds {shown}values, which expressions cannot read: cast it in Arrow to {target}",
            self.name
        )
    }
}

/// Says that a whole row cannot be a result.
pub(crate) fn unreadable(fields: &[SourceField]) -> Option<Error> {
    let names: Vec<&str> =
        fields.iter().filter(|field| field.column.is_none()).map(|field| field.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        let what = "cannot be carried into a result yet: return the columns you need with `map`";
        Error::new(ErrorKind::Unsupported, format!("columns {} {what}", listed(&names)))
    })
}
