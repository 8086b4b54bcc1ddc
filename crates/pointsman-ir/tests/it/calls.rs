//! Library calls in plans: their stages, their text, and what their stages give against what the plan means.

use pointsman_ir::body::{ListId, ValueId};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::fuse::{fuse, print_stages};
use pointsman_ir::interpret::plan::{self, Comparison, PlanInputs};
use pointsman_ir::interpret::{self, PlanFault};
use pointsman_ir::kernel::call::{
    CallMismatch, Convolve, Fft, Matmul, Method, Numbers, RightOperand, Storage, Transform,
};
use pointsman_ir::kernel::{Call, Fold, FoldOp, Sink};
use pointsman_ir::op::Op;
use pointsman_ir::passes;
use pointsman_ir::plan::{NodeId, NodeKind, Plan, SourceId};
use pointsman_ir::random::plans::PlanCase;
use pointsman_ir::random::run_stages;
use pointsman_ir::types::{DType, Scalar, Schema};
use pointsman_ir::verify;

const PRODUCT: Call = Call::Matmul(Matmul {
    numbers: Numbers::Real,
    rows: 2,
    inner: 3,
    columns: 2,
    left: Storage::Rows,
    right: Storage::Rows,
    operand: RightOperand::Shared,
});

fn source(plan: &mut Plan) -> NodeId {
    plan.source(SourceId(0), Schema::new([("x", DType::F32.required()), ("y", DType::F32.nullable())]))
}

fn call(plan: &mut Plan, input: NodeId, value: ValueId, call: Call) -> NodeId {
    let table = call.has_table().then(|| {
        plan.lists.push(plan.body.ty(value).dtype);
        ListId(plan.lists.len() as u32 - 1)
    });
    plan.push(NodeKind::Call { input, value, call, table }, &["z"])
}

/// The sum of 2·(the product of x² and a captured matrix), of the rows where x > −10.
fn product_of_squares() -> Plan {
    let mut plan = Plan::default();
    let source = source(&mut plan);
    let (x, low) = (plan.column(source, 0), plan.body.constant(Scalar::F32(-10.0), DType::F32));
    let predicate = plan.body.call(Op::Gt, &[x, low]).unwrap();
    let filter = plan.push(NodeKind::Filter { input: source, predicate }, &[]);
    let x = plan.column(filter, 0);
    let square = plan.body.call(Op::Mul, &[x, x]).unwrap();
    let product = call(&mut plan, filter, square, PRODUCT);
    let z = plan.column(product, 0);
    let doubled = plan.body.call(Op::Add, &[z, z]).unwrap();
    plan.push(NodeKind::Reduce { input: product, folds: vec![Fold::of(FoldOp::Max, doubled)] }, &["max"]);
    plan
}

fn floats(values: &[f32]) -> ColumnData {
    ColumnData::from_scalars(DType::F32.required(), values.iter().map(|&x| Some(Scalar::F32(x))))
}

fn case(plan: Plan, x: &[f32], lists: Vec<ColumnData>) -> PlanCase {
    let nulls = ColumnData::from_scalars(DType::F32.nullable(), x.iter().map(|_| None));
    let sources = vec![TableData { columns: vec![floats(x), nulls], rows: x.len() }];
    PlanCase { seed: 0, plan, sources, params: Vec::new(), lists }
}

fn reference(case: &PlanCase) -> plan::Reference {
    let inputs = PlanInputs { sources: &case.sources, params: &case.params, lists: &case.lists };
    plan::run(&case.plan, &inputs).unwrap()
}

const X: [f32; 13] = [1.0, -2.0, 3.0, 0.0, 5.0, 6.0, -11.0, 7.0, 0.5, 0.25, 1.0, 1.0, 2.0];

#[test]
fn a_call_is_a_stage_with_the_expressions_below_it() {
    let plan = product_of_squares();
    verify::plan(&plan).unwrap();
    assert_eq!(
        plan.to_string(),
        "n3 reduce max((z + z)) as max
  n2 call matmul real 2 3 2 left rows right rows shared of (x * x) as z with l0
    n1 filter (x > -10.0)
      n0 source 0 (x: f32, y: f32?)
"
    );
    let stages = fuse(&plan).unwrap();
    let text = print_stages(&stages);
    let shown: Vec<&str> =
        text.lines().filter(|line| line.starts_with("# stage") || line.starts_with("sink ")).collect();
    assert_eq!(
        shown,
        [
            "# stage 0: source 0, columns [0, 1]",
            "sink compact v0, v3",
            "# stage 1: stage 0, columns [0], lists [l0]",
            "sink call matmul real 2 3 2 left rows right rows shared of v1 l0",
            "# stage 2: stage 1, columns [0]",
            "sink reduce max(v1)",
        ],
        "{text}"
    );
}

#[test]
fn stages_give_what_the_plan_means() {
    let matrix = floats(&[1.0, 0.0, 0.0, 1.0, 2.0, -1.0]);
    let case = case(product_of_squares(), &X, vec![matrix]);
    // Row 6 is dropped: (1, 4, 9), (0, 25, 36), (49, 0.25, 0.0625), (1, 1, 4).
    let result = run_stages(&case, &fuse(&case.plan).unwrap());
    assert_eq!(result.as_ref().unwrap().columns[0].get(0), Some(Scalar::F32(2.0 * (0.0 + 72.0))));
    assert_eq!(reference(&case).compare(&result), Ok(Comparison::Equal));
    let optimised = passes::run(case.plan.clone(), &Default::default(), &mut ()).unwrap();
    assert_eq!(run_stages(&case, &fuse(&optimised).unwrap()), result);
}

#[test]
fn rows_that_are_no_chunks_and_tables_of_the_wrong_size_are_faults() {
    let matrix = floats(&[1.0; 6]);
    let expect = |case: &PlanCase, fault: PlanFault| {
        assert_eq!(run_stages(case, &fuse(&case.plan).unwrap()), Err(fault.clone()));
        assert_eq!(reference(case).fault(), Some(&fault));
    };
    let short = case(product_of_squares(), &X[..11], vec![matrix.clone()]);
    expect(&short, CallMismatch::Rows { rows: 10, chunk_rows: 6 }.into());
    let small = case(product_of_squares(), &X, vec![matrix.slice(0..5)]);
    expect(&small, CallMismatch::Table { rows: 5, wanted: 6 }.into());
}

#[test]
fn what_is_computed_from_results_is_known_to_within_nothing() {
    let mut plan = Plan::default();
    let source = source(&mut plan);
    let x = plan.column(source, 0);
    let forward = Fft { transform: Transform::Forward, outer: 1, length: 3, given: 2, kept: 3 };
    let spectrum = call(&mut plan, source, x, Call::Fft(forward));
    let z = plan.column(spectrum, 0);
    let again = Fft { transform: Transform::Inverse, outer: 1, length: 3, given: 3, kept: 2 };
    call(&mut plan, spectrum, z, Call::Fft(again));
    let case = case(plan, &X[..12], Vec::new());
    let result = run_stages(&case, &fuse(&case.plan).unwrap());
    assert_eq!(result.as_ref().unwrap().rows, 12);
    for (row, x) in X[..12].iter().enumerate() {
        let Some(Scalar::F32(found)) = result.as_ref().unwrap().columns[0].get(row) else { panic!("a float") };
        assert!((found - x).abs() < 1e-5, "row {row}: {found}, not {x}");
    }
    assert_eq!(reference(&case).compare(&result), Ok(Comparison::Equal));
    // A result that is far off is noticed where it is known.
    let mut first = case.plan.clone();
    first.nodes.truncate(2);
    let case = PlanCase { plan: first, ..case };
    let mut result = run_stages(&case, &fuse(&case.plan).unwrap()).unwrap();
    assert_eq!(reference(&case).compare(&Ok(result.clone())), Ok(Comparison::Equal));
    let mut wrong: Vec<Option<Scalar>> = result.columns[0].iter().collect();
    wrong[5] = Some(Scalar::F32(100.0));
    result.columns[0] = ColumnData::from_scalars(DType::F32.required(), wrong);
    assert!(reference(&case).compare(&Ok(result)).unwrap_err().starts_with("row 5, column 0: 100"));
}

#[test]
fn plans_with_calls_are_appended_with_their_tables() {
    let mut plan = product_of_squares();
    plan.append(&product_of_squares()).unwrap();
    verify::plan(&plan).unwrap();
    assert!(plan.to_string().contains("shared of (x * x) as z with l1"), "{plan}");
}

#[test]
fn bad_calls_are_refused() {
    let check = |change: fn(&mut NodeKind), expected: &str| {
        let mut plan = product_of_squares();
        change(&mut plan.nodes[2].kind);
        assert_eq!(verify::plan(&plan).unwrap_err().to_string(), expected);
    };
    let set = |kind: &mut NodeKind, new: Call| {
        if let NodeKind::Call { call, .. } = kind {
            *call = new;
        }
    };
    let no_rows = |kind: &mut NodeKind| {
        if let NodeKind::Call { call: Call::Matmul(product), .. } = kind {
            product.rows = 0;
        }
    };
    check(
        no_rows,
        "n2 (`call`): the chunk of matmul real 0 3 2 left rows right rows shared has no rows, or more than 2^40",
    );
    let huge = |kind: &mut NodeKind| {
        if let NodeKind::Call { call: Call::Matmul(product), .. } = kind {
            product.inner = u64::MAX;
        }
    };
    let text =
        "the chunk of matmul real 2 18446744073709551615 2 left rows right rows shared has no rows, or more than 2^40";
    check(huge, &format!("n2 (`call`): {text}"));
    let no_table = |kind: &mut NodeKind| {
        if let NodeKind::Call { table, .. } = kind {
            *table = None;
        }
    };
    check(no_table, "n2 (`call`): `matmul` needs a captured table");
    let unknown = |kind: &mut NodeKind| {
        if let NodeKind::Call { table, .. } = kind {
            *table = Some(ListId(1));
        }
    };
    check(unknown, "n2 (`call`): l1 does not exist");
    let fft = Fft { transform: Transform::RealForward, outer: 1, length: 8, given: 9, kept: 5 };
    let mut plan = product_of_squares();
    set(&mut plan.nodes[2].kind, Call::Fft(fft));
    let message = verify::plan(&plan).unwrap_err().to_string();
    assert_eq!(message, "n2 (`call`): a transform of 8 to 5 numbers is given 9 and keeps 5");
    let mut plan = Plan::default();
    let source = source(&mut plan);
    let y = plan.column(source, 1);
    call(&mut plan, source, y, PRODUCT);
    let message = verify::plan(&plan).unwrap_err().to_string();
    assert!(message.starts_with("n1 (`call`) takes floats without nulls (f32 or f64), not f32?"), "{message}");
}

#[test]
fn parts_of_a_call_give_the_parts_of_its_result() {
    let product = Matmul::real(5, 3, 2);
    let own = Matmul { operand: RightOperand::PerChunk, ..product };
    let by_columns = Matmul { left: Storage::Columns, ..product };
    for (call, cut_rows) in [
        (Call::from(product), 3),
        (Matmul { right: Storage::Columns, ..Matmul::complex(5, 3, 2) }.into(), 6),
        (own.into(), 15),
        (by_columns.into(), 15),
        (Fft::real_forward(6).into(), 6),
        (Convolve::line(9, 4).into(), 9),
    ] {
        assert_eq!(call.cut_rows(), cut_rows, "{call}");
        let chunks = 3;
        let rows: Vec<f64> = (0..chunks * call.rows_in()).map(|row| (row * 7 % 11) as f64).collect();
        let table: Vec<f64> = (0..call.table_rows(chunks)).map(|row| (row * 5 % 13) as f64).collect();
        let compute = |part: std::ops::Range<u64>| {
            let table =
                call.table_part(part.clone()).map_or(&table[..], |own| &table[own.start as usize..own.end as usize]);
            assert_eq!(call.check_launch(part.end - part.start, table.len() as u64), Ok(()));
            interpret::call::compute(&call, &rows[part.start as usize..part.end as usize], table, f64::EPSILON)
        };
        let end = rows.len() as u64;
        let whole = compute(0..end);
        assert_eq!(whole.len() as u64, chunks * call.rows_out());
        for cut in (0..=end).step_by(cut_rows as usize) {
            let parts = [compute(0..cut), compute(cut..end)].concat();
            assert_eq!(parts, whole, "{call}, cut at {cut}");
            let sink = |rows: u64| Sink::Call { call, value: ValueId(0), table: None }.output_rows_max(rows as usize);
            assert_eq!(sink(cut) + sink(end - cut), whole.len(), "{call}, cut at {cut}");
        }
        let (off, table_rows) = (cut_rows + 1, call.table_rows(1));
        assert!(call.check_launch(off, table_rows).is_err(), "{call} over {off} rows");
        assert!(!call.has_table() || call.check_launch(call.rows_in(), table_rows + 1).is_err(), "{call}");
    }
}

/// Zeros and steps are bounded like every other size, although they are in no product.
#[test]
fn zeros_and_steps_beyond_all_rows_are_mistakes() {
    let line = Convolve { method: Method::Transform, ..Convolve::line(16, 4) };
    for call in [
        Convolve { padding: [[0, 0], [1 << 62, 0]], stride: [1, 1 << 62], ..line },
        Convolve { padding: [[0, 0], [1 << 63, 1 << 63]], stride: [1, 1 << 63], ..line },
        Convolve { stride: [1, 1 << 50], ..line },
    ] {
        let mistake = Call::from(call).mistake().unwrap_or_default();
        assert!(mistake.contains("the width"), "{mistake}");
    }
    assert_eq!(Call::from(Convolve { padding: [[0, 0], [1000, 7]], ..line }).mistake(), None);
}
