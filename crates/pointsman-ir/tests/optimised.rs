//! An optimised plan gives what the plan as written gives, bit by bit: each pass alone, and all of them in order.
//! A pass may remove an error, never add one.

#![allow(clippy::unwrap_used)]

use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::fuse::{Stage, StageInput, fuse, print_stages};
use pointsman_ir::interpret::{self, BuiltTable, Fault, Inputs};
use pointsman_ir::passes::{self, NAMES, PassOptions};
use pointsman_ir::plan::Plan;
use pointsman_ir::random::plans::{PlanCase, plan_case, profile};

const PLANS: u64 = 1_500;

fn run_stage(stage: &Stage, case: &PlanCase, done: &[TableData]) -> Result<TableData, Fault> {
    let table = match stage.input {
        StageInput::Source(source) => &case.sources[source.0 as usize],
        StageInput::Stage(stage) => &done[stage],
    };
    let columns: Vec<ColumnData> = stage.columns.iter().map(|&column| table.columns[column as usize].clone()).collect();
    let params: Vec<_> = stage.params.iter().map(|param| case.params[param.index()]).collect();
    let lists: Vec<_> = stage.lists.iter().map(|list| case.lists[list.index()].clone()).collect();
    let sides = stage.kernel.tables.iter().zip(&stage.tables);
    let tables: Vec<_> = sides.map(|(side, &stage)| BuiltTable::new(side, done[stage].clone())).collect();
    let inputs =
        Inputs { columns: &columns, params: &params, lists: &lists, tables: &tables, first_row: 0, rows: table.rows };
    interpret::run(&stage.kernel, &inputs)
}

/// The plan's result.
fn run(plan: &Plan, case: &PlanCase) -> Result<TableData, Fault> {
    let mut done = Vec::new();
    for stage in fuse(plan).unwrap() {
        let table = run_stage(&stage, case, &done)?;
        done.push(table);
    }
    Ok(done.pop().unwrap())
}

fn check(seed: u64, enabled: &[&str]) -> bool {
    let case = plan_case(seed, &profile());
    let disabled = NAMES.iter().filter(|name| !enabled.contains(name)).map(|name| name.to_string()).collect();
    let optimised = passes::run(case.plan.clone(), &PassOptions { disabled }, &mut ()).unwrap();
    let Ok(expected) = run(&case.plan, &case) else { return false };
    let found = run(&optimised, &case);
    assert!(
        matches!(&found, Ok(found) if *found == expected),
        "seed {seed}, passes {enabled:?}: {:?}\n{}\nbecame\n{optimised}\n{}",
        found.err(),
        case.plan,
        print_stages(&fuse(&optimised).unwrap()),
    );
    optimised != case.plan
}

#[test]
fn every_pass_alone() {
    for (i, name) in NAMES.iter().enumerate() {
        let changed = (0..PLANS / 5).filter(|seed| check(seed * 5 + i as u64, &[name])).count();
        assert!(changed > 0, "{name} changes nothing");
    }
}

#[test]
fn all_passes_in_order() {
    let changed = (0..PLANS).filter(|&seed| check(seed, NAMES)).count() as u64;
    assert!(changed > PLANS / 2, "only {changed} plans were changed");
}
