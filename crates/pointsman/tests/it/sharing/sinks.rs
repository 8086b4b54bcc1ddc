//! Every sink, shared by any devices, gives the CPU's bits.

use super::{LEAF_ROWS, cpu, nothing_is_left, pair};
use arrow_array::Int64Array;
use pointsman::{Answer, Receipt, Result, Session, SessionOptions, lookup};

type Ask<'a> = Box<dyn Fn(&Session, &str) -> (String, Receipt) + 'a>;

fn told<T: std::fmt::Debug>(answer: Result<Answer<T>>) -> (String, Receipt) {
    let (value, receipt) = answer.unwrap().into_parts();
    (format!("{value:?}"), receipt)
}

#[test]
fn shared_results_have_the_bits_of_the_cpu() {
    let rows = 30 * LEAF_ROWS + 5;
    let n: Vec<i64> = (0..rows as i64).map(|i| i.wrapping_mul(7919) % 2001 - 1000).collect();
    let x: Vec<f32> = n.iter().map(|n| *n as f32 / 7.0).collect();
    let flags: Vec<bool> = n.iter().map(|n| n % 3 == 0).collect();
    let nulls: Int64Array = n.iter().map(|&n| (n % 3 != 0).then_some(n)).collect();
    let nulls = nulls.slice(3, rows - 3);
    let table = lookup(&x[..100]);
    let asks: Vec<(&str, Ask<'_>)> = vec![
        ("store", Box::new(|s, p| told(s.from((&n, &x)).map(|(n, x)| (n * 3, x.gt(0.0), x)).prefer(p).run()))),
        ("store nulls", Box::new(|s, p| told(s.from(&nulls).map(|n| (n + 1, n.gt(5))).prefer(p).run()))),
        ("compact", Box::new(|s, p| told(s.from((&x, &flags)).filter(|(x, _)| x.gt(0.0)).prefer(p).run()))),
        ("reduce", Box::new(|s, p| told(s.from((&x, &n)).folds(|(x, n)| (x.sum(), n.mean())).prefer(p).run()))),
        ("reduce nulls", Box::new(|s, p| told(s.from(&nulls).folds(|n| (n.min(), n.count())).prefer(p).run()))),
        ("scan", Box::new(|s, p| told(s.from((&x, &n)).scan(|(x, n)| (x.running_sum(), n.kept())).prefer(p).run()))),
        ("scan nulls", Box::new(|s, p| told(s.from(&nulls).scan(|n| (n.running_max(), n.kept())).prefer(p).run()))),
        ("range", Box::new(|s, p| told(s.from(5u64..100_000).filter(|i| (i % 3).eq(0)).prefer(p).run()))),
        (
            "stages",
            Box::new(|s, p| {
                let sums = s.from(&n).scan(|n| n.running_sum()).filter(|n| (n % 7).ne(0));
                told(sums.map(|n| table.at(n.abs().cast_saturating::<u32>() % 100)).prefer(p).run())
            }),
        ),
    ];
    let here = cpu();
    for (what, ask) in &asks {
        let (expected, _) = ask(&here, "cpu");
        for place in ["fast+slow", "slow+fast", "fast+cpu", "cpu+slow", "fast+slow+cpu"] {
            let (devices, session) = pair([Vec::new(), Vec::new()], SessionOptions::new());
            let (got, receipt) = ask(&session, place);
            assert!(got == expected, "{what} on {place}: other bits");
            assert_eq!((receipt.device(), receipt.attempts().len()), (place, 0), "{what}: {receipt}");
            assert_eq!(receipt.shares().len(), place.split('+').count(), "{what} on {place}");
            nothing_is_left(&devices, &session, what);
        }
    }
}

#[test]
fn run_into_writes_shared_results_to_the_callers_slice() {
    let (devices, session) = pair([Vec::new(), Vec::new()], SessionOptions::new());
    let n: Vec<i64> = (0..30 * LEAF_ROWS as i64).collect();
    let mut out = vec![0; n.len()];
    let query = session.prepare(|n: pointsman::I64| n + 1).unwrap().prefer("fast+slow");
    let answer = query.run_into(&n, &mut out).unwrap();
    assert_eq!(answer.receipt().device(), "fast+slow");
    assert!(out.iter().zip(&n).all(|(out, n)| *out == n + 1));
    drop(answer);
    nothing_is_left(&devices, &session, "into a slice");
}

#[test]
fn missing_device_is_left_out_or_an_error() {
    let (_, session) = pair([Vec::new(), Vec::new()], SessionOptions::new());
    let ask = |place: &str| session.from(&[1i64, 2]).map(|n| n * 2).prefer(place).run();
    assert!(ask("fast+nonsense").unwrap_err().message().contains("there is no device `nonsense`"));
    let answer = ask("cuda:99+slow").unwrap();
    assert_eq!((&answer[..], answer.receipt().device()), (&[2, 4][..], "slow"));
    assert!(session.from(&[1i64]).map(|n| n * 2).require("cuda:99+slow").run().is_err());
}
