//! Random plans over tables: written out, optimised, fused and run, they give what they mean. A plan that does not is made
//! small and printed with its stages and rows.

use pointsman_ir::data::TableData;
use pointsman_ir::expand;
use pointsman_ir::fuse::{fuse, print_stages};
use pointsman_ir::interpret::plan::{self as meaning, Comparison, PlanInputs};
use pointsman_ir::passes::{self, NAMES, PassOptions};
use pointsman_ir::plan::Plan;
use pointsman_ir::random::plans::PlanCase;
use pointsman_ir::random::run_stages;
use pointsman_ir::random::tables::{TableCoverage, profile, smaller, table_case};
use std::collections::{BTreeMap, BTreeSet};

/// Plans of the usual run.
const PLANS: u64 = 2_000;

fn cases(usual: u64) -> u64 {
    std::env::var("POINTSMAN_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The sets of passes that are left out for a seed: none, all, and one by turns, or all but it.
fn left_out(seed: u64) -> Vec<BTreeSet<String>> {
    let all: BTreeSet<String> = NAMES.iter().map(|name| name.to_string()).collect();
    let one = BTreeSet::from([NAMES[(seed / 2) as usize % NAMES.len()].to_string()]);
    let turn = if seed.is_multiple_of(2) { one } else { all.difference(&one).cloned().collect() };
    vec![BTreeSet::new(), all, turn]
}

/// How a case agrees, by what is left out; where it does not, why.
fn check(case: &PlanCase, left_out: &BTreeSet<String>) -> Result<Comparison, String> {
    let PlanCase { plan, sources, params, lists, .. } = case;
    let reference = meaning::run(plan, &PlanInputs { sources, params, lists }).map_err(|error| error.to_string())?;
    let expanded = expand::run(plan).map_err(|error| error.to_string())?;
    let options = PassOptions { disabled: left_out.clone() };
    let optimised = passes::run(expanded, &options, &mut ()).map_err(|error| error.to_string())?;
    let stages = fuse(&optimised).map_err(|error| error.to_string())?;
    reference.compare(&run_stages(case, &stages))
}

fn report(case: &PlanCase, left_out: &BTreeSet<String>) -> String {
    let why = check(case, left_out).err().unwrap_or_default();
    let expanded = expand::run(&case.plan).ok();
    let options = PassOptions { disabled: left_out.clone() };
    let optimised = expanded.clone().and_then(|plan| passes::run(plan, &options, &mut ()).ok());
    let stages = optimised.as_ref().and_then(|plan| fuse(plan).ok());
    let show = |plan: Option<&Plan>| plan.map_or_else(String::new, Plan::to_string);
    let rows = |table: &TableData| (0..table.rows).map(|row| format!("  {:?}\n", table.row(row))).collect::<String>();
    let sources: Vec<String> =
        case.sources.iter().enumerate().map(|(i, table)| format!("source {i}\n{}", rows(table))).collect();
    let found = stages.as_ref().map(|stages| run_stages(case, stages));
    let found =
        found.map_or_else(String::new, |found| found.map_or_else(|fault| fault.to_string(), |table| rows(&table)));
    format!(
        "seed {}, without {left_out:?}: {why}\n{}\nwritten out\n{}\noptimised\n{}\nstages\n{}\nparams {:?}\n{}\nfound\n{found}",
        case.seed,
        case.plan,
        show(expanded.as_ref()),
        show(optimised.as_ref()),
        stages.map_or_else(String::new, |stages| print_stages(&stages)),
        case.params,
        sources.concat(),
    )
}

#[test]
fn plans_give_what_they_mean() {
    let profile = profile();
    let mut agreed: BTreeMap<String, u64> = BTreeMap::new();
    let count = cases(PLANS);
    for seed in 0..count {
        let case = table_case(seed, &profile);
        for left_out in left_out(seed) {
            match check(&case, &left_out) {
                Ok(comparison) => *agreed.entry(format!("{comparison:?}")).or_default() += 1,
                Err(_) => panic!("{}", report(&smaller(case, |case| check(case, &left_out).is_err()), &left_out)),
            }
        }
    }
    let equal = agreed.get("Equal").copied().unwrap_or(0);
    assert!(equal * 10 >= count * 3 * 8, "of {count} plans: {agreed:?}");
}

/// Every operation meets every kind of key, and every other thing occurs.
#[test]
fn every_operation_meets_every_kind_of_key() {
    let profile = profile();
    let mut coverage = TableCoverage::default();
    let mut rows: BTreeMap<bool, usize> = BTreeMap::new();
    for seed in 0..7_000 {
        let case = table_case(seed, &profile);
        coverage.add(&case.plan);
        for source in &case.sources {
            *rows.entry(source.rows == 0).or_default() += 1;
        }
    }
    let missing = coverage.missing(20);
    assert!(missing.is_empty(), "too rare:\n{}", missing.join("\n"));
    assert!(coverage.median_operators() >= 4, "{}", coverage.median_operators());
    assert!(rows[&true] >= 500, "{rows:?}");
    let joins = ["inner", "left", "right", "full", "semi", "anti", "mark", "cross"];
    let others = ["shared node", "scalar", "filtered aggregate", "aggregation without keys", "scan", "reduce"];
    let residuals = joins.map(|name| format!("{name} residual"));
    for name in joins.into_iter().chain(others).chain(residuals.iter().map(String::as_str)) {
        let count = coverage.others.get(name).copied().unwrap_or(0);
        assert!(count >= 50, "{name}: {count}");
    }
}
