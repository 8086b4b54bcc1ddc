//! The oracle finds what it looks for: wrong rows, another order, a sum beyond its bound; and lets pass what it must.

use crate::case::{Case, Ours, Profiles, interpret};
use crate::check::{Engines, Outcome, check};
use crate::compare::{Difference, difference};
use crate::engine::{Answer, AnswerPrecision, Engine};
use crate::expression::{FaultMode, Share};
use crate::shrink::shrink;
use crate::translate::translate;
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::types::{DType, Scalar};

const SEEDS: std::ops::Range<u64> = 0..120;

fn engine() -> Engine {
    Engine::new().expect("DataFusion starts")
}

/// Both answers of the cases that give rows on both sides.
fn answers(engine: &Engine) -> Vec<(TableData, Answer)> {
    let profiles = Profiles::everything();
    let answer = |seed: u64| {
        let case = profiles.case(seed);
        let Ours::Rows(ours) = interpret(&case, None).0 else { return None };
        let relation = translate(&case, engine, FaultMode::Null).ok()?.relations.pop()?;
        let theirs = engine.run(&relation, &case.plan.node(case.plan.root()).schema.types()).ok()?;
        difference(&ours, &theirs).is_none().then_some((ours, theirs))
    };
    SEEDS.filter_map(answer).collect()
}

#[test]
fn plans_agree() {
    let engines = Engines { datafusion: engine(), session: None };
    let profiles = Profiles::everything();
    for seed in SEEDS {
        let (outcome, _) = check(&profiles.case(seed), &engines);
        assert!(!matches!(outcome, Outcome::Failed(_)), "seed {seed}: {outcome:?}");
    }
}

/// The table with another value in one place.
fn with_value(table: &TableData, column: usize, row: usize, value: Option<Scalar>) -> TableData {
    let mut table = table.clone();
    let old = &table.columns[column];
    let values = (0..old.len()).map(|i| if i == row { value } else { old.get(i) });
    table.columns[column] = ColumnData::from_scalars(old.dtype.nullable(), values);
    table
}

#[test]
fn a_changed_value_is_found() {
    let engine = engine();
    let mut changed = 0;
    for (ours, theirs) in answers(&engine) {
        for column in 0..ours.columns.len() {
            let Some(value) = (ours.rows > 0).then(|| ours.columns[column].get(0)) else { continue };
            // A null becomes a value, and a value another one.
            let repr = ours.columns[column].dtype.repr();
            let other = Scalar::from_bits(repr, !value.map_or(0, Scalar::bits)).canonical();
            if value == Some(other) {
                continue;
            }
            changed += 1;
            let wrong = with_value(&ours, column, 0, Some(other));
            assert!(difference(&wrong, &theirs).is_some(), "column {column}: {value:?} became {other}");
        }
    }
    assert!(changed > 200, "{changed} values were changed");
}

#[test]
fn a_missing_row_is_found() {
    let engine = engine();
    for (ours, theirs) in answers(&engine).into_iter().filter(|(ours, _)| ours.rows > 0) {
        assert_eq!(difference(&ours.slice(1..ours.rows), &theirs), Some(Difference::RowCount));
    }
}

/// One column of integers, as ours and as theirs at these places.
fn integers(ours: &[i64], theirs: &[i64], places: &[u64]) -> (TableData, Answer) {
    let table = |values: &[i64]| {
        let values = values.iter().map(|&v| Some(Scalar::I64(v)));
        TableData::new(vec![ColumnData::from_scalars(DType::I64.required(), values)])
    };
    let precisions = vec![AnswerPrecision::Exact];
    (table(ours), Answer { rows: table(theirs), precisions, places: places.to_vec() })
}

#[test]
fn rows_may_change_places_only_where_the_plan_leaves_them_open() {
    let agree = |(ours, theirs): (TableData, Answer)| difference(&ours, &theirs).is_none();
    assert!(agree(integers(&[1, 2, 3], &[1, 2, 3], &[1, 2, 3])));
    assert!(!agree(integers(&[1, 2, 3], &[2, 1, 3], &[1, 2, 3])));
    assert!(agree(integers(&[1, 2, 3], &[2, 1, 3], &[1, 1, 3])));
    assert!(!agree(integers(&[1, 2, 3], &[3, 2, 1], &[1, 1, 3])));
    assert!(!agree(integers(&[1, 1, 2], &[1, 2, 2], &[1, 1, 1])));
}

#[test]
fn sums_are_compared_by_their_magnitudes() {
    let column = |value: f64| ColumnData::from_scalars(DType::F64.required(), [Some(Scalar::F64(value))]);
    let agree = |ours: f64, theirs: f64, magnitude: f64| {
        let precision = AnswerPrecision::Sum { magnitudes: column(magnitude), share: Share::Sum };
        let rows = TableData::new(vec![column(theirs)]);
        let theirs = Answer { rows, precisions: vec![precision], places: vec![0] };
        difference(&TableData::new(vec![column(ours)]), &theirs).is_none()
    };
    assert!(agree(1.0, 1.0 + 1e-13, 1.0));
    assert!(!agree(1.0, 1.0 + 1e-10, 1.0));
    assert!(agree(1.0, 1.0 + 1e-10, 1e6));
    assert!(agree(f64::NAN, f64::NAN, f64::NAN));
    assert!(!agree(f64::NAN, 1.0, 1.0));
}

#[test]
fn a_smaller_case_fails_too() {
    let fails = |case: &Case| case.sources.iter().any(|source| source.rows > 2);
    let profiles = Profiles::everything();
    let found = SEEDS.map(|seed| profiles.case(seed)).find(|case| fails(case) && case.plan.nodes.len() > 4);
    let small = shrink(found.expect("some case has rows and nodes"), &fails);
    assert!(fails(&small));
    assert_eq!(small.plan.nodes.len(), 1, "one node is enough");
    assert_eq!(small.sources.iter().map(|source| source.rows).max(), Some(3));
}
