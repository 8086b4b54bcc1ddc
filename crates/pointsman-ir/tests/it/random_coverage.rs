//! Ten thousand random cases hold everything that exists often enough: operations, conversions, folds, sinks, sizes.

use pointsman_ir::body::Inst;
use pointsman_ir::random::{Coverage, Least, Profile, SideTables, case};

const CASES: u64 = 10_000;
const LEAST: Least = Least { triple: 20, cast: 5, rows: 5, median_calls: 12 };
/// Each other kind of instruction, and each sink, occurs at least this often.
const OTHERS_LEAST: u64 = 500;

fn check(profile: &Profile, first_seed: u64) {
    let mut seen = Coverage::new();
    let mut calls = 0;
    for seed in first_seed..first_seed + CASES {
        let case = case(seed, profile);
        seen.add(&case.kernel, case.inputs.rows);
        calls += case.kernel.body.iter().filter(|(_, inst, _)| matches!(inst, Inst::Call { .. })).count();
    }
    let missing = seen.missing(profile, LEAST);
    assert!(missing.is_empty(), "too rare:\n{}", missing.join("\n"));
    for sink in &profile.sinks {
        assert!(seen.sinks[sink] >= OTHERS_LEAST, "{sink:?}: {}", seen.sinks[sink]);
    }
    let side_tables = ["gather", "probe"].into_iter().filter(|_| profile.side_tables != SideTables::None);
    let loops = ["repeat", "while", "loop index", "loop state", "loop result"];
    let others = ["column", "param", "const", "null const", "row index", "lookup", "mask", "mask with nulls"];
    for name in others.into_iter().chain(loops).chain(side_tables) {
        let count = seen.others.get(name).copied().unwrap_or(0);
        assert!(count >= OTHERS_LEAST, "{name}: {count}");
    }
    let live: usize = seen.calls.iter().sum();
    assert!(live * 100 >= calls * 85, "results depend on {live} of {calls} operations");
}

#[test]
fn every_feature_occurs() {
    check(&Profile::everything(), 0);
}

#[test]
fn every_feature_occurs_for_streaming_devices() {
    check(&Profile::streaming(), 777_777);
}

/// The list of what is missing is not always empty.
#[test]
fn rare_operations_are_reported_by_name() {
    let profile = Profile::everything();
    let mut seen = Coverage::new();
    for seed in 0..CASES / 10 {
        let case = case(seed, &profile);
        seen.add(&case.kernel, case.inputs.rows);
    }
    let missing = seen.missing(&profile, LEAST).join("\n");
    assert!(missing.contains("of 20") && missing.contains("200000 rows: "), "{missing}");
}
