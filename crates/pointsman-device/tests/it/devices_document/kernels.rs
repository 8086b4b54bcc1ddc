//! The kernels that devices are asked about: one operation, fold, conversion or sink over columns of one type.

use pointsman_ir::body::{Body, ColumnId, ListId, ProbeKind, TableId, ValueId};
use pointsman_ir::kernel::call::Fft;
use pointsman_ir::kernel::{Fold, FoldOp, Frame, GroupOrder, Kernel, PartitionBy, Running, SideTable, Sink, SortKey};
use pointsman_ir::kernel::{NullOrder, SortOrder};
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Type};

/// The types of the tables, with their names there.
pub(crate) const TYPES: [(&str, DType); 18] = [
    ("bool", DType::Bool),
    ("i8", DType::I8),
    ("i16", DType::I16),
    ("i32", DType::I32),
    ("i64", DType::I64),
    ("u8", DType::U8),
    ("u16", DType::U16),
    ("u32", DType::U32),
    ("u64", DType::U64),
    ("f32", DType::F32),
    ("f64", DType::F64),
    ("date32", DType::Date32),
    ("timestamp", DType::Timestamp),
    ("decimal ≤ 18 digits", DType::Decimal { precision: 18, scale: 2 }),
    ("decimal ≤ 26 digits", DType::Decimal { precision: 26, scale: 2 }),
    ("decimal ≤ 38 digits", DType::Decimal { precision: 38, scale: 2 }),
    ("dict", DType::Dict(0)),
    ("opaque", DType::Opaque),
];

/// Every sink's name, in order.
pub(crate) const SINKS: [&str; 9] =
    ["store", "compact", "reduce", "scan", "sort", "group", "build", "partition", "call"];

/// A kernel over columns of these types, whose body and sink `f` makes of their values.
fn over(types: &[Type], f: impl FnOnce(&mut Body, &[ValueId]) -> Option<Sink>) -> Option<Kernel> {
    let mut body = Body::new();
    let column = |(number, ty): (usize, &Type)| body.column(ColumnId(number as u32), *ty);
    let values: Vec<ValueId> = types.iter().enumerate().map(column).collect();
    let sink = f(&mut body, &values)?;
    let (params, lists, tables) = (Vec::new(), Vec::new(), Vec::new());
    Some(Kernel { columns: types.to_vec(), params, lists, tables, body, mask: None, sink })
}

fn fold(op: FoldOp, value: ValueId) -> Fold {
    Fold::of(op, value)
}

/// Columns of the type, with nulls, through a sink.
pub(crate) fn sink(name: &str, dtype: DType) -> Option<Kernel> {
    if name == "call" {
        // Calls take no nulls.
        let call = Fft::real_forward(8).into();
        let sink = |_: &mut Body, values: &[ValueId]| Some(Sink::Call { call, value: values[0], table: None });
        return over(&[dtype.required()], sink).filter(|_| dtype.is_float());
    }
    let kernel = over(&[dtype.nullable(), DType::Bool.required()], |_, values| {
        let (value, columns) = (values[0], vec![values[0]]);
        let count = fold(FoldOp::Count, value);
        Some(match name {
            "store" => Sink::Store { columns },
            "compact" => Sink::Compact { columns },
            "reduce" => Sink::Reduce { folds: vec![count] },
            "scan" => {
                let running = vec![Running { fold: count, frame: Frame::Unbounded }];
                Sink::Scan { columns, running, segment: None }
            }
            "sort" if dtype.is_ordered() => {
                let key = SortKey { value, order: SortOrder::Ascending, nulls: NullOrder::Last };
                Sink::Sort { keys: vec![key], columns, limit: None }
            }
            "group" if dtype != DType::Opaque => {
                Sink::Group { keys: columns, folds: vec![count], order: GroupOrder::Hash }
            }
            "build" if dtype != DType::Opaque => Sink::Build { keys: columns.clone(), columns },
            "partition" if dtype != DType::Opaque => {
                Sink::Partition { by: PartitionBy::Hash(columns.clone()), bits: 2, columns }
            }
            _ => return None,
        })
    })?;
    let mask = (name == "compact").then_some(ValueId(1));
    Some(Kernel { mask, ..kernel })
}

/// An operation on the type, nulls included; `None` where it takes none of it. Conversions have a function of their own.
pub(crate) fn operation(op: Op, dtype: DType) -> Option<Kernel> {
    let types: Vec<Type> = (0..op.arity()).map(|position| op.operand_type(dtype, position).nullable()).collect();
    over(&types, |body, values| Some(Sink::Store { columns: vec![body.call(op, values).ok()?] }))
}

/// A conversion between two types; `None` where there is none.
pub(crate) fn conversion(op: Op, from: DType, to: DType) -> Option<Kernel> {
    let exists = op.converts(from, to);
    let cast = |body: &mut Body, values: &[ValueId]| body.cast(op, values[0], to).ok();
    if !exists {
        return None;
    }
    over(&[from.nullable()], |body, values| Some(Sink::Store { columns: vec![cast(body, values)?] }))
}

/// A fold of the type, of all rows or running; `None` where it takes none of it.
pub(crate) fn folded(op: FoldOp, dtype: DType, running: bool) -> Option<Kernel> {
    if !op.takes(dtype) {
        return None;
    }
    over(&[dtype.nullable()], |_, values| {
        let fold = fold(op, values[0]);
        let running = running.then(|| vec![Running { fold, frame: Frame::Unbounded }]);
        Some(match running {
            Some(running) => Sink::Scan { columns: Vec::new(), running, segment: None },
            None => Sink::Reduce { folds: vec![fold] },
        })
    })
}

/// What else a body or a sink may have, by name.
pub(crate) const EXTRAS: [&str; 7] = [
    "loops",
    "captured tables",
    "other tables: gathered",
    "other tables: probed",
    "running folds by segment",
    "running folds over frames",
    "transforms of 2^29 numbers",
];

/// A kernel with one of [`EXTRAS`], over the type.
pub(crate) fn extra(name: &str, dtype: DType) -> Option<Kernel> {
    if name.starts_with("transforms") && !dtype.is_float() {
        return None;
    }
    // A row of another table is named by a `u64`; a device without those has no other tables.
    let index = if name.starts_with("other tables") { DType::U64 } else { DType::U32 };
    let types = [dtype.required(), index.required(), DType::Bool.required()];
    let scan = |value: ValueId, frame: Frame, segment: Option<ValueId>| {
        let running = vec![Running { fold: fold(FoldOp::Count, value), frame }];
        Sink::Scan { columns: Vec::new(), running, segment }
    };
    let kernel = over(&types, |body, values| {
        let store = |value: ValueId| Sink::Store { columns: vec![value] };
        Some(match name {
            "loops" => {
                let of = body.open_loop(16, &[values[0]]);
                let carried = body.loop_carried(of, 0);
                let next = body.call(Op::Select, &[values[2], carried, values[0]]).ok()?;
                body.close_loop(of, None, &[next]).ok()?;
                store(body.loop_result(of, 0))
            }
            "captured tables" => store(body.lookup(ListId(0), dtype, values[1])),
            "other tables: gathered" => store(body.gather(TableId(0), 0, dtype.required(), values[1])),
            "other tables: probed" => store(body.probe(TableId(0), &values[1..2], None, ProbeKind::Exists)),
            "running folds by segment" => scan(values[0], Frame::Unbounded, Some(values[2])),
            "running folds over frames" => scan(values[0], Frame::Preceding(2), None),
            "transforms of 2^29 numbers" => {
                let call = Fft::forward(1 << 29).into();
                Sink::Call { call, value: values[0], table: None }
            }
            _ => return None,
        })
    })?;
    let keys = if name == "other tables: probed" { vec![DType::U64] } else { Vec::new() };
    let tables = vec![SideTable { keys, columns: vec![dtype.required()] }];
    let (has_list, has_table) = (name == "captured tables", name.starts_with("other tables"));
    let lists = if has_list { vec![dtype] } else { Vec::new() };
    Some(Kernel { lists, tables: if has_table { tables } else { Vec::new() }, ..kernel })
}
