//! The partials of a random split, merged in a random grouping, give the result of the whole: for every sink, bit by bit.

use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, Fault, Partial};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{Case, OwnedInputs, Profile, Rng, SinkKind, case, minimise};
use pointsman_ir::types::{DType, Scalar};
use pointsman_ir::verify;

/// Sizes of one leaf to eleven; the last leaf is full, almost empty, or anything.
const ROWS: [(usize, u32); 9] =
    [(0, 1), (65, 2), (4096, 3), (4097, 6), (8192, 6), (9000, 6), (12_289, 6), (20_481, 2), (33_000, 1)];
const CASES_PER_SINK: u64 = 240;

fn check(sink: SinkKind) {
    let mut profile = Profile::everything().with_sinks(&[sink]).with_rows(&ROWS);
    profile.calls_max = 10;
    profile.unguarded_percent = 10;
    let (mut large, mut results) = (0, 0);
    for seed in 0..CASES_PER_SINK {
        let case = case(seed, &profile);
        large += usize::from(case.inputs.rows > 2 * LEAF_ROWS);
        let whole = case.run();
        results += usize::from(whole.is_ok());
        if !same(&whole, &merged(&case)) {
            let small = minimise(case, &|case| !same(&case.run(), &merged(case)));
            panic!(
                "merged parts differ from the whole:\n{small}\nwhole {:?}\nmerged {:?}",
                small.run(),
                merged(&small)
            );
        }
    }
    assert!(results >= 200, "{results} cases give a result");
    assert!(large >= 100, "{large} cases of more than two leaves");
}

/// Whether the merged parts give what the whole gives; a fault must be a fault of the same kind.
fn same(whole: &Result<TableData, Fault>, merged: &Result<TableData, Fault>) -> bool {
    match (whole, merged) {
        (Ok(whole), Ok(merged)) => whole == merged,
        (Err(whole), Err(merged)) => whole.kind == merged.kind,
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}

fn merged(case: &Case) -> Result<TableData, Fault> {
    let mut rng = Rng::new(case.seed ^ 0x5917);
    let leaves = case.inputs.rows.div_ceil(LEAF_ROWS);
    let parts = 2 + rng.below(4);
    let mut cuts: Vec<usize> = (1..parts).map(|_| rng.below(leaves + 1) * LEAF_ROWS).collect();
    cuts.extend([0, case.inputs.rows]);
    cuts.iter_mut().for_each(|cut| *cut = (*cut).min(case.inputs.rows));
    cuts.sort_unstable();
    let ranges = cuts.windows(2).map(|cut| cut[0]..cut[1]);
    let mut partials = ranges.map(|rows| case.partial(rows)).collect::<Result<Vec<Partial>, Fault>>()?;
    for partial in &partials {
        let schema = case.kernel.partial();
        assert_eq!((partial.rows.types(), partial.nodes.types()), (schema.rows, schema.nodes), "{case}");
    }
    while partials.len() > 1 {
        let at = rng.below(partials.len() - 1);
        let second = partials.remove(at + 1);
        let first = std::mem::take(&mut partials[at]);
        partials[at] = interpret::merge(&case.kernel, first, second);
    }
    interpret::finish(&case.kernel, partials.pop().unwrap())
}

/// The kernel that merges partial states gives the partial state and the result of the whole, from the states of a split.
fn check_merge_kernel(sink: SinkKind) {
    let mut profile = Profile::everything().with_sinks(&[sink]).with_rows(&ROWS);
    profile.calls_max = 10;
    let mut results = 0;
    for seed in 1_000_000..1_000_000 + CASES_PER_SINK / 2 {
        let case = case(seed, &profile);
        let merge = case.kernel.merge().expect("the sink merges by a kernel");
        verify::kernel(&merge).unwrap_or_else(|error| panic!("{error}\n{merge}"));
        assert_eq!(parse(&merge.print()).as_ref(), Ok(&merge));
        let (Ok(whole), Ok(state)) = (case.run(), case.partial(0..case.inputs.rows)) else { continue };
        let at = case.inputs.rows / 2 / LEAF_ROWS * LEAF_ROWS;
        let [mut first, second] = [0..at, at..case.inputs.rows].map(|rows| case.partial(rows).unwrap().rows);
        for row in 0..second.rows {
            first.push(&second.row(row));
        }
        let inputs = OwnedInputs {
            columns: first.columns.clone(),
            params: vec![],
            lists: vec![],
            tables: vec![],
            first_row: 0,
            rows: first.rows,
        };
        assert_eq!(interpret::partial(&merge, &inputs.borrow(&[])).unwrap().rows, state.rows, "{case}");
        assert_eq!(interpret::run(&merge, &inputs.borrow(&[])).unwrap(), whole, "{case}");
        results += 1;
    }
    assert!(results >= 80, "{results} cases give a result");
}

#[test]
fn groups_merge_by_a_kernel() {
    check_merge_kernel(SinkKind::Group);
}

#[test]
fn sorts_merge_by_a_kernel() {
    check_merge_kernel(SinkKind::Sort);
}

#[test]
fn store() {
    check(SinkKind::Store);
}

#[test]
fn compact() {
    check(SinkKind::Compact);
}

#[test]
fn reduce() {
    check(SinkKind::Reduce);
}

#[test]
fn scan() {
    check(SinkKind::Scan);
}

#[test]
fn sort() {
    check(SinkKind::Sort);
}

#[test]
fn group() {
    check(SinkKind::Group);
}

#[test]
fn build() {
    check(SinkKind::Build);
}

#[test]
fn partition() {
    check(SinkKind::Partition);
}

/// Sums of decimals that leave 128 bits on their way in some orders, and come back.
#[test]
fn wide_sums_do_not_depend_on_the_split() {
    let text = "kernel\ncolumns c0: decimal(38,0), c1: bool\n  v0: decimal(38,0) = column c0\n  v1: bool = column c1\nsink group keys(v1) folds(sum(v0)) order hash\n";
    let kernel = parse(text).unwrap();
    let most = 10i128.pow(38) - 1;
    let check = |signs: &[i128], expected: Option<i128>| {
        let ty = DType::Decimal { precision: 38, scale: 0 }.required();
        let values = signs.iter().map(|sign| Some(Scalar::I128(sign * most)));
        let keys = signs.iter().map(|_| Some(Scalar::Bool(true)));
        let columns =
            vec![ColumnData::from_scalars(ty, values), ColumnData::from_scalars(DType::Bool.required(), keys)];
        let (first_row, rows, params, lists, tables) = (0, signs.len(), vec![], vec![], vec![]);
        let inputs = OwnedInputs { columns, params, lists, tables, first_row, rows };
        let case = Case { seed: 0, kernel: kernel.clone(), inputs };
        let sum = |table: Result<TableData, Fault>| table.ok().and_then(|table| table.columns[1].get(0));
        assert_eq!(sum(case.run()), expected.map(Scalar::I128), "{signs:?}");
        for at in 0..=signs.len() {
            let parts = [0..at, at..signs.len()].map(|rows| case.partial(rows).unwrap());
            let [first, second] = parts;
            let merged = interpret::finish(&kernel, interpret::merge(&kernel, first, second));
            assert_eq!(sum(merged), expected.map(Scalar::I128), "{signs:?} split at {at}");
        }
    };
    check(&[-1, 1, 1, -1], Some(0));
    check(&[1, 1, -1], Some(most));
    check(&[1, 1, 1, 1, -1, -1, -1], Some(most));
    check(&[-1, -1, -1, 1, 1], Some(-most));
    check(&[1, 1], None);
    check(&[-1, -1, -1, -1, -1], None);
}
