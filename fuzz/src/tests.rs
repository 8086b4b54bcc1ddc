//! The fuzzer finds planted errors, and finds nothing else in a short run.

use crate::case::{Case, is_fault_removed};
use crate::long;
use crate::machine::Machine;
use crate::options::Limits;
use crate::random::Random;
use crate::reference::{Expected, Planted};
use crate::report::Report;
use crate::typed::Found;
use pointsman::Result;
use std::time::{Duration, Instant};

/// Cases within which every planted error is found.
const CASES: usize = 3000;

fn cpu() -> Machine {
    Machine::open(Some(&["cpu".to_string()])).expect("the CPU is always there")
}

#[test]
fn every_wrong_rule_in_the_reference_is_found() {
    let machine = cpu();
    let planted = [
        Planted::LessIsLessOrEqual,
        Planted::NullConditionTakesSecond,
        Planted::CheckedAddWraps,
        Planted::ShiftRightIsLogical,
        Planted::LeastIgnoresNan,
        Planted::SumsFromTheLast,
        Planted::NullsCount,
        Planted::LoopRunsOnceMore,
        Planted::CastSaturates,
        Planted::SaturatingAddWraps,
    ];
    for planted in planted {
        let mut seeds = Random::new(7);
        let limits = Limits { rows: Some(300), nodes: None };
        let is_found = |_: &usize| {
            let case = Case::new(seeds.next(), limits);
            !case.check(&machine, Some(planted), &mut Report::default()).is_empty()
        };
        let found = (0..CASES).find(is_found);
        assert!(found.is_some(), "{planted:?} was not found in {CASES} cases");
    }
}

#[test]
fn only_faults_of_rows_are_excused() {
    let session = &cpu().sessions[0].session;
    let of_sum = || -> Result<Found> { Err(session.from(&[200u8, 200]).sum().expect_err("400 is no u8")) };
    let in_row_1 = || -> Result<Found> {
        Err(session.from(&[1i32, 0]).map(|x| 1 / x).run().map(|_| ()).expect_err("a division by zero"))
    };
    let answer = || Ok(Found::default());
    let (sum, row_0, row_1) = (vec![None], vec![Some(0)], vec![Some(1)]);
    for (expected, got, is_excused) in [
        (&row_0, answer(), true),
        (&row_0, in_row_1(), true),
        (&row_0, of_sum(), true),
        (&row_1, in_row_1(), false),
        (&sum, answer(), false),
        (&sum, in_row_1(), false),
        (&sum, of_sum(), false),
    ] {
        let text = format!("{expected:?}, {got:?}");
        assert_eq!(is_fault_removed(&Expected::Fault(expected.clone()), &got, false, true), is_excused, "{text}");
    }
}

#[test]
fn short_run_finds_nothing() {
    let (machine, mut report, mut seeds) = (cpu(), Report::default(), Random::new(11));
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(3) {
        let seed = seeds.next();
        let failures = Case::new(seed, Limits::default()).check(&machine, None, &mut report);
        let texts: Vec<&String> = failures.iter().map(|failure| &failure.text).collect();
        assert!(texts.is_empty(), "case {seed}: {texts:?}");
    }
    let failures = long::check(seeds.next(), &machine, &mut report);
    assert!(failures.is_empty(), "{failures:?}");
    assert!(report.total("runs") > 20, "too few runs:\n{report}");
}
