//! Ten thousand random cases hold everything that exists often enough: operations, conversions, folds, sinks, sizes.

use pointsman_ir::random::{Coverage, Least, Profile, SinkKind, case, coverage};

const CASES: u64 = 10_000;
const LEAST: Least = Least { triple: 20, cast: 5, rows: 5, median_calls: 12 };

fn check(profile: &Profile, first_seed: u64) {
    let mut seen = Coverage::new();
    let (mut calls, mut live_calls) = (0, 0);
    for seed in first_seed..first_seed + CASES {
        let case = case(seed, profile);
        seen.add(&case.kernel, case.inputs.rows);
        calls += case
            .kernel
            .body
            .iter()
            .filter(|(_, inst, _)| matches!(inst, pointsman_ir::body::Inst::Call { .. }))
            .count();
        live_calls += coverage::live(&case.kernel).len();
    }
    let missing = seen.missing(profile, LEAST);
    eprintln!("median {} calls {calls} live {live_calls} {:?} {:?}", seen.median_calls(), seen.others, seen.sinks);
    let mut sorted = seen.calls.clone();
    sorted.sort();
    eprintln!("min {} p10 {} p90 {} max {}", sorted[0], sorted[1000], sorted[9000], sorted[9999]);
    eprintln!(
        "all {} mean rows {}",
        seen.calls.iter().sum::<usize>(),
        seen.rows.iter().map(|(r, n)| *r as u64 * n).sum::<u64>() / CASES
    );
    assert!(missing.is_empty(), "too rare:\n{}", missing.join("\n"));
    assert_eq!(seen.sinks.len(), profile.sinks.len());
}

#[test]
fn everything_occurs() {
    check(&Profile::everything(), 0);
}

#[test]
fn everything_occurs_for_streaming_devices() {
    check(&Profile::streaming(), 777_777);
}
