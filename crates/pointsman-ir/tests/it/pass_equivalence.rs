//! An optimised plan gives what the plan as written gives, bit by bit, with every pass and with each one left out.
//! It may lose a fault, never gain one.

use pointsman_ir::fuse::{fuse, print_stages};
use pointsman_ir::passes::{self, PassOptions};
use pointsman_ir::plan::{Plan, print};
use pointsman_ir::random::plans::{PlanCase, plan_case, profile};
use pointsman_ir::random::run_stages;
use std::collections::{BTreeMap, BTreeSet};

const PLANS: u64 = 5_000;

fn check(first_seed: u64, left_out: &[&str]) {
    let profile = profile();
    let disabled: BTreeSet<String> = left_out.iter().map(|name| name.to_string()).collect();
    let options = PassOptions { disabled };
    let (mut changed, mut results) = (0, 0);
    for seed in first_seed..first_seed + PLANS {
        let case = plan_case(seed, &profile);
        let optimised = match passes::run(case.plan.clone(), &options, &mut ()) {
            Ok(plan) => plan,
            Err(error) => panic!("seed {seed}: {error}\n{}", print::print(&case.plan)),
        };
        changed += usize::from(optimised != case.plan);
        results += usize::from(same_result(&case, &optimised));
    }
    assert!(changed > PLANS as usize / 2, "{changed} plans changed");
    assert!(results > PLANS as usize * 8 / 10, "{results} plans give a result");
}

/// Compares the results; says whether the plan as written has one.
fn same_result(case: &PlanCase, optimised: &Plan) -> bool {
    let (plain_stages, stages) = (fuse(&case.plan).unwrap(), fuse(optimised).unwrap());
    let Ok(plain) = run_stages(case, &plain_stages) else { return false };
    let result = run_stages(case, &stages);
    if result.as_ref() != Ok(&plain) {
        panic!(
            "seed {}\n{}\noptimised\n{}\nstages\n{}\noptimised\n{}\nresult {plain:#?}\noptimised {result:#?}",
            case.seed,
            print::print(&case.plan),
            print::print(optimised),
            print_stages(&plain_stages),
            print_stages(&stages),
        );
    }
    true
}

#[test]
fn with_every_pass() {
    check(0, &[]);
}

#[test]
fn with_each_pass_left_out() {
    for (i, name) in passes::NAMES.iter().enumerate() {
        check(1_000_000 * (i as u64 + 1), &[name]);
    }
}

#[test]
fn with_each_pass_alone() {
    for (i, alone) in passes::NAMES.iter().enumerate() {
        let others: Vec<&str> = passes::NAMES.iter().copied().filter(|name| name != alone).collect();
        check(100_000_000 * (i as u64 + 1), &others);
    }
}

/// Every kind of node that can be run occurs.
#[test]
fn plans_hold_every_operation() {
    let profile = profile();
    let mut kinds = BTreeMap::<&str, usize>::new();
    for seed in 0..PLANS {
        for node in &plan_case(seed, &profile).plan.nodes {
            *kinds.entry(node.kind.name()).or_default() += 1;
        }
    }
    for name in ["source", "project", "filter", "reduce", "scan", "sort", "top-k", "group", "equi-join", "distinct"] {
        let count = kinds.get(name).copied().unwrap_or(0);
        assert!(count >= 100, "{name}: {count}");
    }
}
