//! Most random kernels give a result of the type they name; about one in ten faults, in each of the ways there are.

use pointsman_ir::interpret::FaultKind;
use pointsman_ir::random::{Case, Profile, Rng, case, minimise};

const CASES: u64 = 5_000;

#[test]
fn one_kernel_in_ten_faults() {
    let profile = Profile::everything();
    let mut faults = Vec::new();
    for seed in 0..CASES {
        let case = case(seed, &profile);
        match case.run() {
            Ok(result) => assert_eq!(result.types(), case.kernel.output(), "{case}"),
            Err(fault) => faults.push(fault.kind),
        }
    }
    let percent = faults.len() * 100 / CASES as usize;
    assert!((5..=20).contains(&percent), "{percent} % fault");
    let kinds = [FaultKind::DivisionByZero, FaultKind::Overflow, FaultKind::CastOutOfRange];
    for kind in kinds.into_iter().chain([FaultKind::IndexOutOfBounds, FaultKind::SumOutOfRange]) {
        let count = faults.iter().filter(|found| **found == kind).count();
        assert!(count >= 10, "{kind:?}: {count} times");
    }
}

/// A fault that one row causes shrinks to that row and a few instructions.
#[test]
fn minimise_shrinks_a_failing_case() {
    let profile = Profile::everything().with_rows(&[(257, 1)]);
    let divides = |case: &Case| case.run().is_err_and(|fault| fault.kind == FaultKind::DivisionByZero);
    let failing: Vec<Case> = (0..2_000).map(|seed| case(seed, &profile)).filter(divides).take(10).collect();
    assert_eq!(failing.len(), 10);
    for case in failing {
        let small = minimise(case.clone(), &divides);
        assert!(divides(&small));
        assert!(small.inputs.rows <= 1, "{small}");
        assert!(small.kernel.body.len() <= 24, "from\n{case}\nto\n{small}");
    }
}

#[test]
fn a_seed_gives_the_same_case_again() {
    let profile = Profile::everything();
    for seed in (0..1_000).map(|i| Rng::new(i).bits()) {
        let (first, second) = (case(seed, &profile), case(seed, &profile));
        assert_eq!(first.kernel, second.kernel);
        assert_eq!(first.inputs, second.inputs);
    }
}
