//! The fuzzer finds planted errors, and finds nothing else in a short run.

use crate::case::Case;
use crate::long;
use crate::machine::Machine;
use crate::options::Limits;
use crate::random::Random;
use crate::reference::Planted;
use crate::report::Report;
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
