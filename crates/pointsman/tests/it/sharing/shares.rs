//! Who does how much, and when all of it is done.

use super::{LEAF_ROWS, column, cpu, nothing_is_left, pair, rows_of};
use pointsman::{Session, SessionOptions};
use std::time::Duration;

/// The bits of what a query gave, and how many rows each device did.
type Told = ((u64, Option<u64>), Vec<(String, usize)>);

/// The sum and the greatest of a column, as bits, and the time it took.
fn ask(session: &Session, x: &[f64], place: &str) -> Told {
    let (sums, receipt) = session.from(x).folds(|x| (x.sum(), x.max())).prefer(place).run().unwrap().into_parts();
    assert_eq!(receipt.device(), place, "{receipt:#}");
    let shares = if place.contains('+') { rows_of(&receipt, x.len()) } else { Vec::new() };
    ((sums.0.to_bits(), sums.1.map(f64::to_bits)), shares)
}

#[test]
fn two_devices_finish_at_nearly_the_ideal_time() {
    const LEAVES: usize = 400;
    let x = column(LEAVES);
    let (expected, _) = ask(&cpu(), &x, "cpu");
    let took = || {
        let (devices, session) = pair([Vec::new(), Vec::new()], SessionOptions::new());
        let start = devices[0].clock().now();
        let (got, shares) = ask(&session, &x, "fast+slow");
        assert_eq!(got, expected, "other bits than the CPU's");
        nothing_is_left(&devices, &session, "shared");
        (devices[0].clock().now() - start, shares)
    };
    let (time, shares) = took();
    // A leaf takes 1 ms and 3 ms: in 3 ms both together do 4.
    let ideal = Duration::from_millis(3 * LEAVES as u64 / 4);
    assert!(time >= ideal * 99 / 100 && time <= ideal * 105 / 100, "{time:?}, where {ideal:?} would be ideal");
    let part = shares[1].1 as f64 / x.len() as f64;
    assert!((0.2..0.3).contains(&part), "the slow one did {part} of it: {shares:?}");
    assert_eq!((time, shares), took(), "the same every time");
}

#[test]
fn small_inputs_are_shared_too() {
    for rows in [0, 1, LEAF_ROWS, LEAF_ROWS + 1, 3 * LEAF_ROWS] {
        let (devices, session) = pair([Vec::new(), Vec::new()], SessionOptions::new());
        let x = &column(4)[..rows];
        let (got, shares) = ask(&session, x, "fast+slow");
        assert_eq!(got, ask(&cpu(), x, "cpu").0, "{rows} rows");
        assert_eq!(shares.len(), 2);
        nothing_is_left(&devices, &session, "few rows");
    }
}

#[test]
fn receipt_shows_the_share_of_each_device() {
    let (_, session) = pair([Vec::new(), Vec::new()], SessionOptions::new());
    let x = column(40);
    let answer = session.from(&x).map(|x| x + 1.0).require("slow+fast").run().unwrap();
    let (receipt, shares) = (answer.receipt(), answer.receipt().shares());
    assert_eq!((receipt.device(), receipt.why()), ("slow+fast", "required"));
    assert_eq!(receipt.batches(), shares.iter().map(|share| share.batches).sum::<usize>());
    for share in shares {
        let line = format!("\nshare    {}: {} rows in {} batches\n", share.device, share.rows, share.batches);
        assert!(format!("{receipt:#}").contains(&line), "{receipt:#}");
    }
    let json: serde_json::Value = serde_json::from_str(&receipt.to_json()).unwrap();
    assert_eq!(json["shares"][0]["rows"].as_u64(), Some(shares[0].rows as u64));
}
