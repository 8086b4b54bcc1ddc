//! Binds record batches, borrowed or owned, and scalars to the sources of a plan. Columns are read in place; a source,
//! column or scalar that does not fit is an error that names it.

use crate::data::arrow::{TimeZone, dtype_of, zone_of};
use crate::data::input::{Input, OwnedValues};
use crate::data::narrow_decimals::NarrowDecimals;
use crate::error::{Error, Result};
use crate::query::batches::{chunk, same_schema};
use crate::query::source::SOURCE_ROWS_MAX;
use crate::text::listed;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use pointsman_device::host::HostChunk;
use pointsman_ir::plan::{Node, NodeKind, Plan, SourceId};
use pointsman_ir::types::{DType, Field, Scalar, Schema};
use std::sync::Arc;

/// A table that a plan reads: one record batch or several of one schema, borrowed or owned. Columns are found by name;
/// others are ignored. Dictionary codes are `UInt32` arrays, numbers of opaque values `UInt64` arrays. Nothing is
/// copied, except decimals of up to 18 digits, which Arrow holds in 16 bytes.
#[derive(Clone, Debug)]
pub struct TableSource<'a>(Batches<'a>);

#[derive(Clone, Debug)]
enum Batches<'a> {
    Borrowed(&'a [RecordBatch]),
    Owned(Vec<RecordBatch>),
}

impl TableSource<'_> {
    fn batches(&self) -> &[RecordBatch] {
        match &self.0 {
            Batches::Borrowed(batches) => batches,
            Batches::Owned(batches) => batches,
        }
    }
}

impl<'a> From<&'a RecordBatch> for TableSource<'a> {
    fn from(batch: &'a RecordBatch) -> Self {
        TableSource(Batches::Borrowed(std::slice::from_ref(batch)))
    }
}

impl<'a> From<&'a [RecordBatch]> for TableSource<'a> {
    fn from(batches: &'a [RecordBatch]) -> Self {
        TableSource(Batches::Borrowed(batches))
    }
}

impl<'a> From<&'a Vec<RecordBatch>> for TableSource<'a> {
    fn from(batches: &'a Vec<RecordBatch>) -> Self {
        TableSource(Batches::Borrowed(batches))
    }
}

impl From<RecordBatch> for TableSource<'_> {
    fn from(batch: RecordBatch) -> Self {
        TableSource(Batches::Owned(vec![batch]))
    }
}

impl From<Vec<RecordBatch>> for TableSource<'_> {
    fn from(batches: Vec<RecordBatch>) -> Self {
        TableSource(Batches::Owned(batches))
    }
}

/// The columns of a source.
#[derive(Default)]
pub(super) struct BoundSource<'a> {
    pub(super) columns: Vec<Input<'a>>,
    pub(super) rows: usize,
    /// The time zone of each column.
    pub(super) zones: Vec<Option<TimeZone>>,
}

/// The columns of all sources of a plan.
pub(super) fn bind<'s>(plan: &Plan, given: &'s [TableSource<'_>]) -> Result<Vec<BoundSource<'s>>> {
    if !plan.lists.is_empty() {
        let what = "the plan reads captured lists, which cannot be handed in: read a source with them, and join it";
        return Err(Error::unsupported(what));
    }
    let sources = || {
        let source = |node: &'_ Node| if let NodeKind::Source(source) = node.kind { Some(source) } else { None };
        plan.nodes.iter().filter_map(move |node| Some((source(node)?, &node.schema)))
    };
    let wanted = sources().map(|(source, _)| source.0 as usize + 1).max().unwrap_or(0);
    if given.len() != wanted {
        let (count, tables) = (given.len(), if wanted == 1 { "table" } else { "tables" });
        return Err(Error::invalid(format!(
            "the plan reads {wanted} {tables}, source 0 to {}, but {count} were given: give one for each source, in order",
            wanted.saturating_sub(1)
        )));
    }
    let mut bound: Vec<BoundSource<'s>> = given.iter().map(|_| BoundSource::default()).collect();
    for (source, schema) in sources() {
        let index = source.0 as usize;
        bound[index] = bind_source(source, schema, given[index].batches())?;
    }
    Ok(bound)
}

fn bind_source<'s>(source: SourceId, schema: &Schema, batches: &'s [RecordBatch]) -> Result<BoundSource<'s>> {
    let in_source = |error: Error| {
        let message = format!("source {}: {}", source.0, error.message());
        error.with_message(message)
    };
    same_schema(batches).map_err(in_source)?;
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    if rows > SOURCE_ROWS_MAX {
        let what =
            format!("source {} has {rows} rows, and a query reads at most {SOURCE_ROWS_MAX}: split it", source.0);
        return Err(Error::invalid(what));
    }
    let column = |field: &Field| bind_column(field, batches).map_err(in_source);
    let columns: Vec<(Input<'s>, Option<TimeZone>)> = schema.fields.iter().map(column).collect::<Result<_>>()?;
    let (columns, zones) = columns.into_iter().unzip();
    Ok(BoundSource { columns, rows, zones })
}

/// The values of a field, with their time zone. No batches have no rows, whatever the field.
fn bind_column<'s>(field: &Field, batches: &'s [RecordBatch]) -> Result<(Input<'s>, Option<TimeZone>)> {
    let Some(first) = batches.first() else { return Ok((Input::Many(Vec::new()), None)) };
    let schema = first.schema_ref();
    let mut named = schema.fields().iter().enumerate().filter(|(_, column)| *column.name() == field.name);
    let Some((index, column)) = named.next() else {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        return Err(Error::invalid(format!(
            "there is no column `{}`, which the plan reads; the columns are {}",
            field.name,
            listed(&names)
        )));
    };
    if named.next().is_some() {
        return Err(Error::invalid(format!("several columns are named `{}`: rename all but one of them", field.name)));
    }
    let arrays = || batches.iter().map(|batch| batch.column(index).as_ref());
    let nulls: usize = arrays().map(Array::null_count).sum();
    if nulls > 0 && !field.ty.nullable {
        return Err(Error::invalid(format!(
            "column `{}` has {nulls} nulls, and the plan's field takes none: declare it as `{}`, or fill the nulls",
            field.name,
            field.ty.dtype.nullable()
        )));
    }
    let arrow = column.data_type();
    let zone = zone_of(arrow);
    match fit(field.ty.dtype, arrow) {
        ArrowReading::AsIs => {
            let chunks: Option<Vec<HostChunk<'s>>> = arrays().map(chunk).collect();
            let chunks = chunks.ok_or_else(|| unreadable(field, arrow))?;
            Ok((Input::Many(chunks), zone))
        }
        ArrowReading::Narrowed => {
            let narrowed: Arc<dyn OwnedValues> = Arc::new(NarrowDecimals::of(arrays(), &field.name)?);
            Ok((Input::Owned(narrowed), zone))
        }
        ArrowReading::Unreadable => Err(unreadable(field, arrow)),
    }
}

/// The conversion from values of an Arrow type to a type of the plan.
enum ArrowReading {
    AsIs,
    /// Decimals of up to 18 digits are copied into 8 bytes each.
    Narrowed,
    Unreadable,
}

fn fit(dtype: DType, arrow: &DataType) -> ArrowReading {
    if let (DType::Decimal { precision, scale }, DataType::Decimal128(given, given_scale)) = (dtype, arrow) {
        let is_within = i16::from(*given_scale) == i16::from(scale) && *given <= precision;
        let is_narrow = dtype.repr() == DType::I64.repr();
        return match (is_within, is_narrow) {
            (true, true) => ArrowReading::Narrowed,
            (true, false) => ArrowReading::AsIs,
            (false, _) => ArrowReading::Unreadable,
        };
    }
    match (dtype, arrow) {
        (DType::Dict(_), DataType::UInt32) | (DType::Opaque, DataType::UInt64) => ArrowReading::AsIs,
        _ if dtype_of(arrow) == Some(dtype) => ArrowReading::AsIs,
        _ => ArrowReading::Unreadable,
    }
}

fn unreadable(field: &Field, arrow: &DataType) -> Error {
    let (name, wanted) = (&field.name, field.ty.dtype);
    let remedy = match (wanted, dtype_of(arrow)) {
        (DType::Dict(_) | DType::Opaque, _) => {
            "hand in dictionary codes as `UInt32`, and the numbers of opaque values as `UInt64`".to_string()
        }
        (_, Some(own)) => format!("declare the field as `{own}` and cast it in the plan, or cast the column in Arrow"),
        (_, None) => format!("cast the column in Arrow to a type that holds `{wanted}`"),
    };
    Error::invalid(format!("column `{name}` holds {arrow} values, but the plan's field is `{wanted}`: {remedy}"))
}

/// The scalars of a plan, checked.
pub(super) fn check_params(plan: &Plan, given: &[Option<Scalar>]) -> Result<()> {
    let wanted = plan.given_params();
    if wanted.len() != given.len() {
        let (wanted, count) = (wanted.len(), given.len());
        let what =
            format!("the plan takes {wanted} scalars, but {count} were given: give one for each parameter, in order");
        return Err(Error::invalid(what));
    }
    for (param, value) in wanted.iter().zip(given) {
        let Some(ty) = plan.params.get(param.index()) else { continue };
        match value {
            None if !ty.nullable => {
                return Err(Error::invalid(format!(
                    "{param} is null, but the plan declares it as `{ty}`: give a value"
                )));
            }
            Some(value) if value.repr() != ty.dtype.repr() => {
                return Err(Error::invalid(format!(
                    "{param} is {value} of {:?}, but the plan declares it as `{ty}`: give a scalar of that type",
                    value.repr()
                )));
            }
            Some(_) | None => {}
        }
    }
    Ok(())
}
