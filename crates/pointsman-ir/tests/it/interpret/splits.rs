//! Merging the partial results of any leaf-aligned split, in any grouping, equals the whole, for every sink.

use super::{Random, kernel};
use pointsman_ir::body::{Body, ListId, ValueId};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, Inputs, Partial};
use pointsman_ir::kernel::{
    Fold, FoldOp, Frame, GroupOrder, Kernel, NullOrder, PartitionBy, Running, Sink, SortKey, SortOrder,
};
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Type};

const TYPES: [Type; 5] = [
    DType::F64.nullable(),
    DType::F32.required(),
    DType::I16.nullable(),
    DType::Bool.nullable(),
    DType::Bool.required(),
];

/// All folds over a float, a single and an integer that cannot overflow.
fn folds(body: &mut Body, v: &[ValueId]) -> Vec<Fold> {
    let wide = body.cast(Op::Cast, v[2], DType::I64).unwrap();
    let values = [v[0], v[1], wide];
    let mut folds = vec![Fold::COUNT_ROWS];
    for value in values {
        let fit = FoldOp::ALL.into_iter().filter(|op| op.takes(body.ty(value).dtype));
        folds.extend(fit.map(|op| Fold::of(op, value)));
    }
    folds
}

fn sort_keys(v: &[ValueId]) -> Vec<SortKey> {
    vec![
        SortKey { value: v[2], order: SortOrder::Descending, nulls: NullOrder::First },
        SortKey { value: v[1], order: SortOrder::Ascending, nulls: NullOrder::Last },
    ]
}

/// The keys: a float (with NaNs and both zeros) that takes few values.
fn few(body: &mut Body, v: &[ValueId]) -> Vec<ValueId> {
    let sign = body.call(Op::Sign, &[v[0]]).unwrap();
    let small = body.call(Op::Trunc, &[v[1]]).unwrap();
    let small = body.call(Op::Sign, &[small]).unwrap();
    vec![sign, small]
}

/// How many sinks [`sinks`] lists.
const SINKS: usize = 12;

fn sinks(body: &mut Body, v: &[ValueId]) -> [Sink; SINKS] {
    let columns = v[..3].to_vec();
    let (folds, keys, row) = (folds(body, v), few(body, v), body.row_index());
    let frames = [Frame::Unbounded, Frame::Preceding(3)];
    let running: Vec<Running> = folds.iter().flat_map(|&fold| frames.map(|frame| Running { fold, frame })).collect();
    [
        Sink::Store { columns: columns.clone() },
        Sink::Compact { columns: columns.clone() },
        Sink::Reduce { folds: folds.clone() },
        Sink::Scan { columns: columns.clone(), running: running.clone(), segment: None },
        Sink::Scan { columns: columns.clone(), running, segment: Some(v[4]) },
        Sink::Sort { keys: sort_keys(v), columns: columns.clone(), limit: None },
        Sink::Sort { keys: sort_keys(v), columns: columns.clone(), limit: Some(100) },
        Sink::Group { keys: keys.clone(), folds: folds.clone(), order: GroupOrder::Least(row) },
        Sink::Group { keys: keys.clone(), folds, order: GroupOrder::Hash },
        Sink::Build { keys: keys.clone(), columns: columns.clone() },
        Sink::Partition { by: PartitionBy::Hash(keys), bits: 3, columns: columns.clone() },
        Sink::Partition { by: PartitionBy::Range { key: v[0], bounds: ListId(0) }, bits: 2, columns },
    ]
}

/// The partial results of a random leaf-aligned split, merged in a random grouping.
fn merged(kernel: &Kernel, whole: &Inputs<'_>, random: &mut Random) -> Partial {
    let mut parts = Vec::new();
    let mut from = 0;
    while from < whole.rows || parts.is_empty() {
        let to = (from + random.below(4) as usize * 4096).min(whole.rows);
        let columns: Vec<ColumnData> = whole.columns.iter().map(|column| column.slice(from..to)).collect();
        let inputs = Inputs { columns: &columns, first_row: whole.first_row + from as u64, rows: to - from, ..*whole };
        parts.push(interpret::partial(kernel, &inputs).unwrap());
        from = to;
    }
    while parts.len() > 1 {
        let at = random.below(parts.len() as u64 - 1) as usize;
        let second = parts.remove(at + 1);
        let first = std::mem::take(&mut parts[at]);
        parts[at] = interpret::merge(kernel, first, second);
    }
    parts.remove(0)
}

#[test]
fn merged_splits_equal_the_unsplit_result() {
    let mut random = Random(3);
    let bounds = [super::column(DType::F64.required(), "-100 0 1e6")];
    for number in 0..SINKS {
        for masked in [false, true] {
            let kernel = kernel(&TYPES, |body, v| (masked.then_some(v[3]), sinks(body, v)[number].clone()));
            for (rows, first_leaf) in [(0, 0), (1, 0), (4096, 3), (4097, 0), (10_000, 1), (23_000, 0), (40_000, 5)] {
                let columns: Vec<ColumnData> = TYPES.iter().map(|&ty| random.column(ty, rows)).collect();
                let first_row = first_leaf * 4096;
                let inputs = Inputs { columns: &columns, params: &[], lists: &bounds, tables: &[], first_row, rows };
                let whole = interpret::partial(&kernel, &inputs).unwrap();
                check_schema(&kernel, &whole);
                let result = interpret::finish(&kernel, whole.clone()).unwrap();
                assert_eq!(result.types(), kernel.output());
                for _ in 0..2 {
                    let merged = merged(&kernel, &inputs, &mut random);
                    assert!(merged == whole, "{} over {rows} rows: another partial", kernel.sink.name());
                    let finished: TableData = interpret::finish(&kernel, merged).unwrap();
                    assert!(finished == result, "{} over {rows} rows: another result", kernel.sink.name());
                }
            }
        }
    }
}

fn check_schema(kernel: &Kernel, partial: &Partial) {
    let schema = kernel.partial();
    assert_eq!((partial.rows.types(), partial.nodes.types()), (schema.rows, schema.nodes));
}
