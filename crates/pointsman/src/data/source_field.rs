//! [`SourceField`]: a column of a query's source as its owner knows it.

use crate::error::{Error, ErrorKind};
use crate::text::listed;
use pointsman_ir::types::DType;

/// A column of the source as its owner knows it.
#[derive(Clone, Debug)]
pub(crate) struct SourceField {
    pub(crate) name: String,
    pub(crate) dtype: DType,
    /// Its column in the source's node; `None` for a type that no query reads.
    pub(crate) column: Option<u32>,
    /// The field of the record batch it came from.
    pub(crate) arrow: Option<arrow_schema::FieldRef>,
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
