//! Profiles and advice come from measured runs; without runs there is none.

use super::{floats, simulated};
use pointsman::report::AdviceKind;
use pointsman::{Column, F32, Phase, SessionOptions};
use std::time::Duration;

const LAUNCH: Duration = Duration::from_millis(1);

#[test]
fn every_form_of_query_can_be_profiled() {
    let session = SessionOptions::new().threads(1).open().unwrap();
    let x = floats(100_000);
    let sum = session.prepare(|x: F32| (x * 2.0).sum()).unwrap();
    let map = session.from(&x).map(|x| x * 2.0 + 1.0);
    let folds = session.from(&x).folds(|x| x.sum());
    let profiles = [
        session.profile(&map, 30).unwrap(),
        session.profile(&folds, 30).unwrap(),
        session.profile(&|| sum.run(&x), 30).unwrap(),
    ];
    for profile in profiles {
        assert_eq!((profile.device.as_str(), profile.iterations, profile.rows), ("cpu", 30, 100_000));
        let order = [profile.min, profile.p50, profile.p90, profile.p99, profile.max];
        assert!(order.is_sorted() && !profile.min.is_zero() && profile.mean >= profile.min, "{profile}");
        assert!(profile.bytes_per_second > 0.0 && profile.operations_per_second > 0.0, "{profile}");
        assert!(profile.batches.is_empty() && profile.best_batch_rows().is_none(), "the CPU does not run in batches");
        serde_json::from_str::<serde_json::Value>(&profile.to_json()).unwrap();
    }
    assert_eq!(map.run().unwrap().len(), x.len(), "the query can still be run");
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

#[test]
fn profile_uses_the_session_clock_and_finds_the_best_batch_size() {
    let (device, session) = simulated(1 << 30, LAUNCH, SessionOptions::new());
    let x = floats(8 * 4096);
    let profile = session.profile(&session.from(&x).map(|x| x + 1.0).require("sim"), 5).unwrap();
    assert!((LAUNCH..2 * LAUNCH).contains(&profile.mean), "{profile}");
    assert_eq!(profile.deviation, Duration::ZERO, "virtual runs take equal times: {profile}");
    let rows: Vec<usize> = profile.batches.iter().map(|batch| batch.rows).collect();
    assert_eq!(rows, [8 * 4096, 4 * 4096, 2 * 4096, 4096]);
    assert!(profile.batches.is_sorted_by_key(|batch| batch.mean), "more launches take longer: {profile}");
    assert_eq!(profile.best_batch_rows(), Some(8 * 4096));
    assert!(profile.to_string().contains("batches  of 4096 rows"), "{profile}");
    assert_eq!(device.buffers(), 0);
}

#[test]
fn profile_of_a_failing_query_is_its_error() {
    let session = SessionOptions::new().threads(1).open().unwrap();
    let error = session.profile(&session.from(&[1, 0]).map(|n| 1 / n), 5).unwrap_err();
    assert_eq!(error.row(), Some(1));
}

#[test]
fn no_advice_without_receipts() {
    let session = SessionOptions::new().threads(1).open().unwrap();
    let x = floats(10);
    let query = session.from(&x).scan(|x| x.running_sum()).filter(|x| x.gt(0.0));
    assert_eq!(session.advise(&query), []);
    query.run().unwrap();
    let again = session.from(&x).scan(|x| x.running_sum()).filter(|x| x.gt(0.0));
    assert_eq!(session.advise(&again), [], "the session keeps no receipts");
}

#[test]
fn advice_to_join_many_small_calls() {
    let session = SessionOptions::new().threads(1).keep_receipts(1000).open().unwrap();
    let sum = session.prepare(|x: F32| x.sum()).unwrap();
    assert_eq!(session.advise(&sum), []);
    let x = floats(64);
    (0..100).for_each(|run| drop(sum.run(&x[..1 + run % 64]).unwrap()));
    let advice = session.advise(&sum);
    let one = advice.iter().find(|one| one.kind == AdviceKind::JoinCalls).expect("most of a small call is the call");
    let receipts = session.receipts();
    let longest = receipts.iter().map(|one| one.total()).max().unwrap();
    assert!(!one.gain.is_zero() && one.gain <= longest, "{one}");
    // The calls of this query take long.
    let long = session.prepare(|x: F32| (x * 2.0 + 1.0).sqrt().max()).unwrap();
    let x = floats(1_000_000);
    (0..20).for_each(|_| drop(long.run(&x).unwrap()));
    assert!(session.advise(&long).iter().all(|one| one.kind != AdviceKind::JoinCalls));
}

#[test]
fn advice_to_fuse_stages() {
    let session = SessionOptions::new().threads(1).keep_receipts(100).open().unwrap();
    let x = floats(100_000);
    let ask = || session.from(&x).scan(|x| x.running_sum()).filter(|x| x.gt(0.0));
    let answer = ask().run().unwrap();
    let advice = session.advise(&ask());
    let one = advice.iter().find(|one| one.kind == AdviceKind::FuseStages).expect("it has two stages");
    assert!(one.text.contains("`scan`") && one.text.contains("2 stages"), "{one}");
    assert!(!one.gain.is_zero() && one.gain <= answer.receipt().time(Phase::Run), "{one}");
    let fused = || session.from(&x).filter(|x| x.gt(0.0));
    fused().run().unwrap();
    assert_eq!(session.advise(&fused()), []);
}

#[test]
fn advice_to_keep_columns_that_are_uploaded_repeatedly() {
    // Else they would stay there by themselves.
    let options = SessionOptions::new().resident_bytes(0);
    let (_device, session) = simulated(1 << 30, LAUNCH, options);
    let x = Column::from(floats(50_000));
    let ask = || session.from(x.clone()).map(|x| x + 1.0).require("sim");
    ask().run().unwrap();
    let is_it = |one: &pointsman::report::Advice| one.kind == AdviceKind::KeepResident;
    assert!(!session.advise(&ask()).iter().any(is_it), "one run is no habit");
    ask().run().unwrap();
    let advice = session.advise(&ask());
    let one = advice.iter().find(|one| is_it(one)).expect("the columns were copied twice");
    assert!(one.text.contains("200 kB") && one.text.contains("`sim`"), "{one}");
    let copying = session.receipts().iter().map(|one| one.time(Phase::CopyIn)).max().unwrap();
    assert!(!one.gain.is_zero() && one.gain <= copying, "{one}");
    let borrowed = session.from(&x).map(|x| x + 1.0).require("sim");
    assert!(!session.advise(&borrowed).iter().any(is_it), "a borrowed column cannot be kept");
}
