//! Build, probe and gather: matches in order, nulls, several probes, rows dropped by `when`.

use super::{column, inputs, kernel};
use pointsman_ir::body::{ProbeKind, TableId, ValueId};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, BuiltTable, Inputs};
use pointsman_ir::kernel::{Fold, FoldOp, Kernel, SideTable, Sink};
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Scalar, Type};

const KEY: Type = DType::F64.nullable();
const PAYLOAD: Type = DType::I32.required();

/// A table built from keys and payloads.
fn built(keys: &str, payloads: &str) -> (TableData, BuiltTable) {
    let build =
        kernel(&[KEY, PAYLOAD], |_, inputs| (None, Sink::Build { keys: vec![inputs[0]], columns: vec![inputs[1]] }));
    let rows = interpret::run(&build, &inputs(&[column(KEY, keys), column(PAYLOAD, payloads)], &[])).unwrap();
    (rows.clone(), BuiltTable::new(&side(), rows))
}

fn side() -> SideTable {
    SideTable { keys: vec![DType::F64], columns: vec![PAYLOAD] }
}

/// Probes with a column of keys; writes the row number, and the match's payload or whether there is one.
fn probe(kind: ProbeKind, filtered: bool) -> Kernel {
    let mut made = kernel(&[KEY, DType::Bool.nullable()], |body, inputs| {
        let when = filtered.then_some(inputs[1]);
        let found = body.probe(TableId(0), &inputs[..1], when, kind);
        let row = body.row_index();
        let out = match kind {
            ProbeKind::Exists => found,
            ProbeKind::Inner | ProbeKind::Left | ProbeKind::UniqueInner | ProbeKind::UniqueLeft => {
                body.gather(TableId(0), 0, PAYLOAD, found)
            }
        };
        (None, Sink::Compact { columns: vec![row, out] })
    });
    made.tables = vec![side()];
    made
}

fn check(kernel: &Kernel, keys: &str, when: &str, expected: &str) {
    let (_, table) = built("1 2 NaN 2 null 0 1", "10 20 30 21 40 50 11");
    let columns = [column(KEY, keys), column(DType::Bool.nullable(), when)];
    let result = interpret::run(kernel, &inputs(&columns, &[table])).unwrap();
    let show = |value: Option<Scalar>| value.map_or("null".to_string(), |value| value.to_string());
    let rows: Vec<String> =
        (0..result.rows).map(|i| result.row(i).into_iter().map(show).collect::<Vec<_>>().join(":")).collect();
    assert_eq!(rows.join(" "), expected, "{keys}");
}

#[test]
fn build_leaves_null_keys_out_and_makes_keys_canonical() {
    let (rows, table) = built("-0 null NaN", "1 2 3");
    assert_eq!(rows.columns, [column(DType::F64.required(), "0 NaN"), column(PAYLOAD, "1 3")]);
    assert_eq!(table.rows(), 2);
}

#[test]
fn every_kind_of_probe() {
    let on = "true true true true true";
    check(&probe(ProbeKind::Inner, false), "2 5 null NaN -0", on, "0:20 0:21 3:30 4:50");
    check(&probe(ProbeKind::Left, false), "2 5 null NaN -0", on, "0:20 0:21 1:null 2:null 3:30 4:50");
    check(&probe(ProbeKind::Exists, false), "2 5 null NaN -0", on, "0:true 1:false 2:false 3:true 4:true");
}

#[test]
fn when_drops_rows_before_the_search() {
    let when = "true false null true";
    check(&probe(ProbeKind::Inner, true), "1 1 1 2", when, "0:10 0:11 3:20 3:21");
    check(&probe(ProbeKind::Left, true), "1 1 7 7", when, "0:10 0:11 3:null");
    check(&probe(ProbeKind::Exists, true), "1 1 1 7", when, "0:true 1:false 2:false 3:false");
}

/// Two probes on one key, and a mask over both payloads.
fn twice(sink: impl FnOnce(&[ValueId]) -> Sink) -> Kernel {
    let mut made = kernel(&[KEY], |body, inputs| {
        let first = body.probe(TableId(0), inputs, None, ProbeKind::Inner);
        let second = body.probe(TableId(0), inputs, None, ProbeKind::Inner);
        let one = body.gather(TableId(0), 0, PAYLOAD, first);
        let other = body.gather(TableId(0), 0, PAYLOAD, second);
        let below = body.call(Op::Le, &[one, other]).unwrap();
        let sum = body.call(Op::Add, &[one, other]).unwrap();
        let float = body.cast(Op::Cast, sum, DType::F64).unwrap();
        (Some(below), sink(&[one, other, sum, float]))
    });
    made.tables = vec![side()];
    made
}

#[test]
fn two_probes_give_all_pairs() {
    let (_, table) = built("1 2 1", "10 20 11");
    let pairs = twice(|values| Sink::Compact { columns: values[..3].to_vec() });
    let result = interpret::run(&pairs, &inputs(&[column(KEY, "1 2 3")], std::slice::from_ref(&table))).unwrap();
    assert_eq!(result.columns[0], column(PAYLOAD, "10 10 11 20"));
    assert_eq!(result.columns[1], column(PAYLOAD, "10 11 11 20"));
    assert_eq!(result.columns[2], column(PAYLOAD, "20 21 22 40"));
    let folds = twice(|values| Sink::Reduce { folds: vec![Fold::of(FoldOp::Sum, values[3]), Fold::COUNT_ROWS] });
    let reduced = interpret::run(&folds, &inputs(&[column(KEY, "1 2 3")], &[table])).unwrap();
    assert_eq!(reduced.row(0), [Some(Scalar::F64(103.0)), Some(Scalar::U64(4))]);
}

#[test]
fn gather_checks_the_row() {
    let mut made = kernel(&[DType::U64.nullable()], |body, inputs| {
        let out = body.gather(TableId(0), 0, PAYLOAD, inputs[0]);
        (None, Sink::Store { columns: vec![out] })
    });
    made.tables = vec![SideTable { keys: vec![], columns: vec![PAYLOAD] }];
    let tables = [BuiltTable::plain(vec![column(PAYLOAD, "7 8")])];
    let gather = |rows: &str| {
        let columns: [ColumnData; 1] = [column(DType::U64.nullable(), rows)];
        let inputs = Inputs { first_row: 100, ..inputs(&columns, &tables) };
        interpret::run(&made, &inputs)
    };
    assert_eq!(gather("1 null 0").unwrap().columns[0], column(DType::I32.nullable(), "8 null 7"));
    let fault = gather("1 2").unwrap_err();
    assert_eq!((fault.row, fault.message.as_str()), (Some(101), "row 2 of 2: index out of bounds"));
}
