//! Every sink over small tables, cell by cell.

use super::{Random, column, inputs, kernel, run};
use pointsman_ir::body::{Body, ListId, ValueId};
use pointsman_ir::data::TableData;
use pointsman_ir::hash;
use pointsman_ir::interpret::{self, FaultKind, Inputs};
use pointsman_ir::kernel::{
    Fold, FoldOp, Frame, GroupOrder, NullOrder, PartitionBy, Running, Sink, SortKey, SortOrder,
};
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Scalar, Type};

const KEY: Type = DType::F64.nullable();
const X: Type = DType::I32.nullable();
const ON: Type = DType::Bool.nullable();

const KEYS: &str = "2 -0 NaN null 0 1 NaN null 2";
const XS: &str = "1 2 3 4 null 6 7 8 9";
const MASK: &str = "true true true true true null true true false";

/// Runs a sink over the key `k`, the value `x` and the mask above.
fn sink(build: impl FnOnce(&mut Body, &[ValueId]) -> Sink) -> TableData {
    let kernel = kernel(&[KEY, X, ON], |body, inputs| (Some(inputs[2]), build(body, inputs)));
    run(&kernel, &[column(KEY, KEYS), column(X, XS), column(ON, MASK)]).unwrap()
}

fn check(result: &TableData, types: &[Type], columns: &[&str]) {
    let expected: Vec<_> = types.iter().zip(columns).map(|(&ty, texts)| column(ty, texts)).collect();
    assert_eq!(result.columns, expected);
}

#[test]
fn store_and_compact() {
    let stored = sink(|_, v| Sink::Store { columns: vec![v[1]] });
    check(&stored, &[X], &["1 2 3 4 null null 7 8 null"]);
    let compact = sink(|_, v| Sink::Compact { columns: vec![v[1], v[0]] });
    check(&compact, &[X, KEY], &["1 2 3 4 null 7 8", "2 -0 NaN null 0 NaN null"]);
}

#[test]
fn a_masked_store_of_plain_values_has_nulls() {
    let stored = sink(|body, _| Sink::Store { columns: vec![body.row_index()] });
    check(&stored, &[DType::U64.nullable()], &["0 1 2 3 4 null 6 7 null"]);
}

#[test]
fn reduce() {
    let folds = [(FoldOp::Sum, 1), (FoldOp::Min, 1), (FoldOp::Max, 1), (FoldOp::Min, 0), (FoldOp::Max, 0)];
    let result = sink(|_, v| {
        let folds = folds.map(|(op, i)| Fold::of(op, v[i]));
        Sink::Reduce { folds: folds.into_iter().chain([Fold::of(FoldOp::Count, v[1])]).collect() }
    });
    let types = [DType::I32.required(), X, X, KEY, KEY, DType::U64.required()];
    check(&result, &types, &["25", "1", "8", "-0", "NaN", "6"]);
}

#[test]
fn integer_sums_are_exact_and_checked() {
    let sum = |xs: &str| {
        let ty = DType::I8.required();
        let kernel = kernel(&[ty], |_, inputs| (None, Sink::Reduce { folds: vec![Fold::of(FoldOp::Sum, inputs[0])] }));
        run(&kernel, &[column(ty, xs)])
    };
    assert_eq!(sum("127 127 -127").unwrap().row(0), [Some(Scalar::I8(127))]);
    let fault = sum("127 1").unwrap_err();
    assert_eq!((fault.kind, fault.row), (FaultKind::SumOutOfRange, None));
}

#[test]
fn wide_decimal_sums_never_wrap() {
    let ty = DType::decimal(38, 0).unwrap().required();
    let sum = |xs: &str| {
        let kernel = kernel(&[ty], |_, inputs| (None, Sink::Reduce { folds: vec![Fold::of(FoldOp::Sum, inputs[0])] }));
        run(&kernel, &[column(ty, xs)]).map(|table| table.row(0)[0]).map_err(|fault| fault.kind)
    };
    let nines = "9".repeat(38);
    assert_eq!(sum(&format!("{nines} -1")), Ok(Some(Scalar::I128(10i128.pow(38) - 2))));
    assert_eq!(sum(&format!("{nines} 1")), Err(FaultKind::SumOutOfRange));
    assert_eq!(sum(&[nines.as_str(); 4].join(" ")), Err(FaultKind::SumOutOfRange));
}

#[test]
fn scan_with_segments_and_frames() {
    let sum = |v: ValueId| Fold::of(FoldOp::Sum, v);
    let result = sink(|body, v| {
        let four = body.constant(Scalar::I32(4), DType::I32);
        let segment = body.call(Op::Eq, &[v[1], four]).unwrap();
        let running = vec![
            Running { fold: sum(v[1]), frame: Frame::Unbounded },
            Running { fold: sum(v[1]), frame: Frame::Preceding(1) },
            Running { fold: Fold::COUNT_ROWS, frame: Frame::Preceding(2) },
            Running { fold: Fold::of(FoldOp::Max, v[0]), frame: Frame::Unbounded },
            Running { fold: Fold::of(FoldOp::Min, v[0]), frame: Frame::Preceding(0) },
        ];
        Sink::Scan { columns: vec![v[1]], running, segment: Some(segment) }
    });
    let types = [X, DType::I32.required(), DType::I32.required(), DType::U64.required(), KEY, KEY];
    let expected = [
        "1 2 3 4 null 7 8",
        "1 3 6 4 4 11 19",
        "1 3 5 4 4 7 15",
        "1 2 3 1 2 3 3",
        "2 2 NaN null 0 NaN NaN",
        "2 -0 NaN null 0 NaN null",
    ];
    check(&result, &types, &expected);
}

#[test]
fn sorts_are_stable_and_place_nulls() {
    let sorted = |order, nulls, limit| {
        let result = sink(|body, v| {
            let row = body.row_index();
            Sink::Sort { keys: vec![SortKey { value: v[0], order, nulls }], columns: vec![row], limit }
        });
        result.columns[0].iter().map(|v| v.unwrap().to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(sorted(SortOrder::Ascending, NullOrder::Last, None), "1 4 0 2 6 3 7");
    assert_eq!(sorted(SortOrder::Ascending, NullOrder::First, None), "3 7 1 4 0 2 6");
    assert_eq!(sorted(SortOrder::Descending, NullOrder::Last, None), "2 6 0 4 1 3 7");
    assert_eq!(sorted(SortOrder::Descending, NullOrder::First, Some(3)), "3 7 2");
    assert_eq!(sorted(SortOrder::Descending, NullOrder::First, Some(0)), "");
}

#[test]
fn groups_come_in_order_of_their_first_rows() {
    let result = sink(|body, v| Sink::Group {
        keys: vec![v[0]],
        folds: vec![Fold::of(FoldOp::Sum, v[1]), Fold::COUNT_ROWS, Fold::of(FoldOp::Max, v[1])],
        order: GroupOrder::Least(body.row_index()),
    });
    let types = [KEY, DType::I32.required(), DType::U64.required(), X];
    check(&result, &types, &["2 0 NaN null", "1 2 10 12", "1 2 2 2", "1 2 7 8"]);
}

#[test]
fn partitions() {
    let by_hash = sink(|body, v| {
        let row = body.row_index();
        Sink::Partition { by: PartitionBy::Hash(vec![v[0]]), bits: 2, columns: vec![row] }
    });
    let part = |key: Option<f64>| hash::partition(&[key.map(Scalar::F64)], 2);
    let (zero, nan) = (Some(-0.0), Some(-f64::NAN));
    let selected = [(Some(2.0), 0), (zero, 1), (nan, 2), (None, 3), (zero, 4), (nan, 6), (None, 7)];
    let mut expected = selected.map(|(key, row)| (part(key), row));
    expected.sort();
    let got: Vec<_> = (0..by_hash.rows).map(|i| by_hash.row(i)).collect();
    assert_eq!(got, expected.map(|(_, row)| vec![Some(Scalar::U64(row))]));
    assert_eq!(part(Some(0.0)), part(Some(-0.0)));

    let kernel = kernel(&[KEY], |_, inputs| {
        let by = PartitionBy::Range { key: inputs[0], bounds: ListId(0) };
        (None, Sink::Partition { by, bits: 2, columns: vec![inputs[0]] })
    });
    let (columns, lists) = ([column(KEY, "5 1 null 2 NaN 0")], [column(DType::F64.required(), "1 5 5")]);
    let partial = interpret::partial(&kernel, &Inputs { lists: &lists, ..inputs(&columns, &[]) }).unwrap();
    check(&partial.rows, &[KEY], &["null 0 1 2 5 NaN"]);
    check(&partial.nodes, &[DType::U64.required()], &["2 4 4 6"]);
}

#[test]
fn the_hash_never_changes() {
    let of = |values: &[Option<Scalar>]| hash::keys(values);
    let pinned = [of(&[]), of(&[None]), of(&[Some(Scalar::I32(1))]), of(&[Some(Scalar::I128(-1)), None])];
    assert_eq!(
        pinned.map(|hash| format!("{hash:016x}")),
        ["50534d4e00000001", "500d1d5724576d86", "22d863ffdb12fb1e", "0286bac9b18efb43"]
    );
    let mut counts = [0u32; 16];
    (0..16_000).for_each(|i| counts[(of(&[Some(Scalar::I64(i))]) % 16) as usize] += 1);
    assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
}

#[test]
fn every_sink_at_every_size_against_plain_loops() {
    for (seed, rows) in [0, 1, 7, 4095, 4096, 4097, 10_000].into_iter().enumerate() {
        let mut random = Random(seed as u64);
        let columns = [random.column(DType::U16.nullable(), rows), random.column(ON, rows)];
        let selected: Vec<usize> = (0..rows).filter(|&i| columns[1].get(i) == Some(Scalar::Bool(true))).collect();
        let number = |i: usize| columns[0].get(i).and_then(Scalar::as_integer);
        let sum: i128 = selected.iter().filter_map(|&i| number(i)).sum();
        let run_sink = |build: &dyn Fn(&mut Body, &[ValueId]) -> Sink| {
            let types = [DType::U16.nullable(), ON];
            run(&kernel(&types, |body, v| (Some(v[1]), build(body, v))), &columns).unwrap()
        };
        let wide = |body: &mut Body, v: &[ValueId]| {
            let wide = body.cast(Op::Cast, v[0], DType::U32).unwrap();
            Fold::of(FoldOp::Sum, wide)
        };
        let compact = run_sink(&|_, v| Sink::Compact { columns: vec![v[0]] });
        assert!(compact.columns[0].iter().eq(selected.iter().map(|&i| columns[0].get(i))));
        assert_eq!(run_sink(&|_, v| Sink::Store { columns: vec![v[0]] }).rows, rows);
        let reduced = run_sink(&|body, v| Sink::Reduce { folds: vec![wide(body, v)] });
        assert_eq!(reduced.row(0)[0].unwrap().as_integer(), Some(sum));
        let scanned = run_sink(&|body, v| Sink::Scan {
            columns: vec![],
            running: vec![Running { fold: wide(body, v), frame: Frame::Unbounded }],
            segment: None,
        });
        let running = selected.iter().scan(0, |sum, &i| {
            *sum += number(i).unwrap_or(0);
            Some(Some(*sum))
        });
        assert!(scanned.columns[0].iter().map(|v| v.unwrap().as_integer()).eq(running));
        let grouped =
            run_sink(&|body, v| Sink::Group { keys: vec![v[0]], folds: vec![wide(body, v)], order: GroupOrder::Hash });
        let total: i128 = grouped.columns[1].iter().filter_map(|v| v.unwrap().as_integer()).sum();
        assert_eq!(total, sum);
        let built = run_sink(&|_, v| Sink::Build { keys: vec![v[0]], columns: vec![v[1]] });
        assert_eq!(built.rows, selected.iter().filter(|&&i| number(i).is_some()).count());
        let parted =
            run_sink(&|_, v| Sink::Partition { by: PartitionBy::Hash(vec![v[0]]), bits: 3, columns: vec![v[0]] });
        assert_eq!(parted.rows, selected.len());
        let key = |v: &[ValueId]| SortKey { value: v[0], order: SortOrder::Ascending, nulls: NullOrder::First };
        let sorted = run_sink(&|_, v| Sink::Sort { keys: vec![key(v)], columns: vec![v[0]], limit: None });
        assert!(sorted.columns[0].iter().map(|v| v.and_then(Scalar::as_integer)).is_sorted());
        assert_eq!(sorted.rows, selected.len());
    }
}
