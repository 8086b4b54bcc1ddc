//! Random table plans through `Session::plan` against the meaning of plans: whole, resumed at every row of output, and on a
//! device with memory of its own.

use super::{cpu, nothing_is_left, sharing, simulated};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, PrimitiveArray, RecordBatch, RecordBatchOptions, types,
};
use arrow_schema::{Field, Schema};
use pointsman::plan::{DType, NodeKind, Scalar, Type};
use pointsman::{ErrorKind, Session, SessionOptions};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::plan::{Comparison, PlanInputs};
use pointsman_ir::interpret::{Fault, FaultKind, PlanFault};
use pointsman_ir::random::plans::PlanCase;
use pointsman_ir::random::tables::{profile, table_case};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads or writes an array of a type: `$do!` gets the Arrow type and the variant of scalars.
macro_rules! by_dtype {
    ($dtype:expr, $do:ident, $bool:expr, $decimal:expr) => {
        match $dtype {
            DType::Bool => $bool,
            DType::I8 => $do!(Int8Type, I8),
            DType::I16 => $do!(Int16Type, I16),
            DType::I32 => $do!(Int32Type, I32),
            DType::I64 => $do!(Int64Type, I64),
            DType::U8 => $do!(UInt8Type, U8),
            DType::U16 => $do!(UInt16Type, U16),
            DType::U32 | DType::Dict(_) => $do!(UInt32Type, U32),
            DType::U64 | DType::Opaque => $do!(UInt64Type, U64),
            DType::F32 => $do!(Float32Type, F32),
            DType::F64 => $do!(Float64Type, F64),
            DType::Date32 => $do!(Date32Type, I32),
            DType::Timestamp => $do!(TimestampMicrosecondType, I64),
            DType::Decimal { precision, scale } => $decimal(precision, scale),
        }
    };
}

fn array(column: &ColumnData) -> ArrayRef {
    macro_rules! primitive {
        ($arrow:ident, $scalar:ident) => {
            Arc::new(PrimitiveArray::<types::$arrow>::from_iter(column.iter().map(|value| match value {
                Some(Scalar::$scalar(value)) => Some(value),
                _ => None,
            })))
        };
    }
    let truth = |value| if let Some(Scalar::Bool(value)) = value { Some(value) } else { None };
    let digits = |value| match value {
        Some(Scalar::I64(value)) => Some(i128::from(value)),
        Some(Scalar::I128(value)) => Some(value),
        _ => None,
    };
    let decimal = |precision: u8, scale: u8| -> ArrayRef {
        let values = Decimal128Array::from_iter(column.iter().map(digits));
        Arc::new(values.with_precision_and_scale(precision, scale as i8).unwrap())
    };
    let boolean = BooleanArray::from_iter(column.iter().map(truth));
    by_dtype!(column.ty().dtype, primitive, Arc::new(boolean), decimal)
}

fn column(array: &dyn Array, ty: Type) -> ColumnData {
    let scalar = |row: usize| {
        macro_rules! primitive {
            ($arrow:ident, $scalar:ident) => {
                Scalar::$scalar(array.as_primitive::<types::$arrow>().value(row))
            };
        }
        let decimal = |_, _| {
            let value = array.as_primitive::<types::Decimal128Type>().value(row);
            if ty.dtype.repr() == DType::I64.repr() { Scalar::I64(value as i64) } else { Scalar::I128(value) }
        };
        by_dtype!(ty.dtype, primitive, Scalar::Bool(array.as_boolean().value(row)), decimal)
    };
    ColumnData::from_scalars(ty, (0..array.len()).map(|row| array.is_valid(row).then(|| scalar(row))))
}

/// The sources as batches, each cut in two, with the columns named by their position.
fn batches(case: &PlanCase) -> Vec<Vec<RecordBatch>> {
    let batch = |table: &TableData| {
        let arrays: Vec<ArrayRef> = table.columns.iter().map(array).collect();
        let fields =
            arrays.iter().enumerate().map(|(at, array)| Field::new(format!("c{at}"), array.data_type().clone(), true));
        let options = RecordBatchOptions::new().with_row_count(Some(table.rows));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let whole = RecordBatch::try_new_with_options(schema, arrays, &options).unwrap();
        let half = whole.num_rows() / 3;
        vec![whole.slice(0, half), whole.slice(half, whole.num_rows() - half)]
    };
    case.sources.iter().map(batch).collect()
}

/// Runs a case, and compares its rows with what the plan means.
fn check(session: &Session, case: &PlanCase) -> Result<Comparison, String> {
    let mut plan = case.plan.clone();
    for node in plan.nodes.iter_mut().filter(|node| matches!(node.kind, NodeKind::Source(_))) {
        node.schema.fields.iter_mut().enumerate().for_each(|(at, field)| field.name = format!("c{at}"));
    }
    let inputs = PlanInputs { sources: &case.sources, params: &case.params, lists: &case.lists };
    let reference = pointsman_ir::interpret::plan::run(&case.plan, &inputs).unwrap();
    let types: Vec<Type> = plan.nodes.last().unwrap().schema.fields.iter().map(|field| field.ty).collect();
    let found = match session.plan(plan, batches(case), &case.params).run() {
        Ok(answer) => {
            let batch = answer.into_value().into_batch().map_err(|error| error.to_string())?;
            let columns = batch.columns().iter().zip(types).map(|(array, ty)| column(array, ty)).collect();
            Ok(TableData { columns, rows: batch.num_rows() })
        }
        Err(error) if error.kind() == ErrorKind::Arithmetic => {
            let message = error.message().to_string();
            Err(PlanFault::Row(Fault { kind: FaultKind::Overflow, row: error.row(), message }))
        }
        Err(error) if error.message().contains("used as one value") => Err(PlanFault::ScalarRows { rows: 2 }),
        Err(error) if error.message().contains("cross join") => Err(PlanFault::PairLimit { pairs: 0, pairs_max: 0 }),
        Err(error) => return Err(error.to_string()),
    };
    reference.compare(&found)
}

fn check_all(session: &Session, how: &str, seeds: std::ops::Range<u64>) {
    let profile = profile();
    let mut agreed: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for seed in seeds {
        let case = table_case(seed, &profile);
        if !case.lists.is_empty() {
            *agreed.entry("with lists".to_string()).or_default() += 1;
            continue;
        }
        match check(session, &case) {
            Ok(comparison) => *agreed.entry(format!("{comparison:?}")).or_default() += 1,
            Err(why) => wrong.push(format!("seed {seed}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{how}: {} wrong, {agreed:?}\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
    let all: usize = agreed.values().sum();
    let equal = agreed.get("Equal").copied().unwrap_or(0);
    assert!(2 * equal > all, "{how}: too few are equal: {agreed:?}");
}

#[test]
fn on_the_cpu() {
    check_all(&cpu(SessionOptions::new().threads(2)), "whole", 0..300);
}

#[test]
fn on_the_cpu_resumed_at_every_row() {
    check_all(&cpu(SessionOptions::new().threads(3).output_rows(1)), "resumed", 300..500);
}

/// Their tables have a leaf of rows at most, so one of the devices runs it: `shared.rs` has larger ones.
#[test]
fn on_two_devices_together() {
    let (devices, session) = sharing([vec![], vec![]], SessionOptions::new().output_rows(1));
    check_all(&session, "shared", 600..660);
    devices.iter().for_each(|device| nothing_is_left(device, &session, "random plans"));
}

#[test]
fn on_a_device_with_memory_of_its_own() {
    let (device, session) = simulated(SessionOptions::new().prefer("sim"));
    check_all(&session, "simulated", 500..600);
    nothing_is_left(&device, &session, "random plans");
}
