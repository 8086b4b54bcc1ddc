//! Spilled queries give the same bits and the same errors as queries in memory.

use super::{LEAF_ROWS, Scratch, assert_no_leftovers, debug_text, floats, integers};
use arrow_array::Int64Array;
use pointsman::{Device, Error, ErrorKind, Receipt, Result, Session, SessionOptions};
use pointsman_device::sim::{SimDevice, SimOptions};
use std::sync::{Arc, Mutex};

/// The input columns.
struct Data {
    n: Vec<i64>,
    x: Vec<f64>,
    nulls: Int64Array,
}

impl Data {
    fn new(rows: usize) -> Data {
        let n = integers(rows);
        let nulls = n.iter().map(|&n| (n % 3 != 0).then_some(n)).collect();
        Data { x: floats(rows), n, nulls }
    }
}

/// Runs a query in a session.
type Ask<'a> = Box<dyn Fn(&Session) -> Result<(String, Receipt)> + 'a>;

/// Queries with several stages, and queries with one stage whose result is smaller than its upper bound.
fn queries(d: &Data) -> Vec<(&'static str, Ask<'_>)> {
    vec![
        ("filter", Box::new(|s| debug_text(s.from((&d.x, &d.n)).filter(|(x, n)| x.gt(60.0) & n.gt(0)).run()))),
        ("filter nulls", Box::new(|s| debug_text(s.from(&d.nulls).filter(|n| (n % 50).eq(1)).run()))),
        ("folded scan", Box::new(|s| debug_text(s.from(&d.x).scan(|x| x.running_sum()).folds(|x| x.sum()).run()))),
        (
            "three scans",
            Box::new(|s| {
                let sums = s.from((&d.x, &d.n)).scan(|(x, n)| (x.running_sum(), n.kept(), n.running_max()));
                let sums = sums.scan(|(x, n, m)| (x.running_max(), (n + m).running_sum()));
                debug_text(
                    sums.scan(|(x, n)| (x.running_sum(), n.running_min())).folds(|(x, n)| (x.sum(), n.sum())).run(),
                )
            }),
        ),
        (
            "filtered scan, filtered",
            Box::new(|s| {
                let sums = s.from(&d.nulls).filter(|n| (n % 4).ne(0)).scan(|n| (n.running_sum(), n.kept()));
                debug_text(sums.filter(|(sum, n)| (sum % 11).eq(0) & n.gt(0)).map(|(sum, n)| (sum, n.gt(400), n)).run())
            }),
        ),
        (
            "filtered scan of filtered",
            Box::new(|s| {
                let sums = s.from(&d.n).scan(|n| n.running_sum()).filter(|n| (n % 5).eq(0));
                debug_text(sums.scan(|n| n.running_max()).filter(|n| (n % 9).eq(1)).run())
            }),
        ),
    ]
}

#[test]
fn spilled_queries_give_the_same_bits() {
    let plenty = SessionOptions::new().threads(2).open().unwrap();
    let scratch = Scratch::new();
    for rows in [0, 1, LEAF_ROWS, 5 * LEAF_ROWS - 1, 40 * LEAF_ROWS + 77] {
        let data = Data::new(rows);
        for (what, ask) in queries(&data) {
            let (expected, receipt) = ask(&plenty).unwrap();
            assert_eq!(receipt.bytes_spilled(), 0);
            for memory in [700 << 10, 1200 << 10] {
                let (session, what) = (scratch.session(memory), format!("{what} over {rows} rows in {memory} bytes"));
                let (got, receipt) = ask(&session).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(got == expected, "{what}: other bits");
                let has_spilled = receipt.bytes_spilled() > 0;
                assert!(has_spilled || rows < 20 * LEAF_ROWS, "{what}: {receipt:#}");
                assert!(!has_spilled || rows > LEAF_ROWS, "{what}: {receipt:#}");
                assert_eq!(format!("{receipt:#}").contains("\nspilled  "), has_spilled);
                assert!(
                    session.memory().host.peak_bytes <= memory,
                    "{what}: {} bytes",
                    session.memory().host.peak_bytes
                );
                assert_no_leftovers(&session, &scratch, &what);
            }
        }
    }
}

#[test]
fn spilled_queries_on_another_device_give_the_same_bits() {
    let (plenty, scratch) = (SessionOptions::new().threads(2).open().unwrap(), Scratch::new());
    let data = Data::new(40 * LEAF_ROWS + 77);
    for limit in [None, Some(300 << 10)] {
        let device = Arc::new(SimDevice::new(SimOptions::default()));
        let mut options = scratch.options();
        options.device_memory_bytes = limit;
        let session = options.threads(2).memory_bytes(700 << 10).add_device(device.clone());
        let session = session.prefer("sim").open().unwrap();
        let mut spilled = 0;
        for (what, ask) in queries(&data) {
            let (expected, _) = ask(&plenty).unwrap();
            let (got, receipt) = ask(&session).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(got == expected && receipt.device() == "sim", "{what}: {receipt:#}");
            spilled += u64::from(receipt.bytes_spilled() > 0);
            assert_no_leftovers(&session, &scratch, what);
            assert_eq!((device.memory().used, device.buffers()), (0, 0), "{what}");
            assert!(limit.is_none_or(|limit| device.peak_bytes() <= limit), "{what}: {} bytes", device.peak_bytes());
        }
        // Without a limit the device passes intermediate results on in its own memory.
        assert!(limit.is_none() || spilled >= 4, "{spilled} of them");
    }
}

/// The first scan fits into the device's memory, the second one beside it does not, and the host's memory does not hold
/// the rows between them.
#[test]
fn output_in_device_memory_is_spilled_when_host_memory_is_refused() {
    let (plenty, scratch) = (SessionOptions::new().threads(2).open().unwrap(), Scratch::new());
    let data = Data::new(40 * LEAF_ROWS + 77);
    let bytes = data.n.len() as u64 * 8;
    let ask = |s: &Session| {
        let rows = s.from((&data.n, &data.nulls)).map(|(n, m)| (n, m, n.gt(400)));
        let sums = rows.scan(|(n, m, is_large)| (n.running_sum(), m.kept(), is_large.kept()));
        let scans = sums.scan(|(n, m, is_large)| (n.running_max(), m.kept(), is_large.kept()));
        debug_text(scans.filter(|(_, _, is_large)| is_large).folds(|(n, m, _)| (n.sum(), m.sum())).run())
    };
    let device = Arc::new(SimDevice::new(SimOptions::default()));
    let options = scratch.options().device_memory_bytes(5 * bytes);
    let session = options.threads(2).memory_bytes(700 << 10).add_device(device.clone());
    let session = session.prefer("sim").open().unwrap();
    let (expected, (got, receipt)) = (ask(&plenty).unwrap().0, ask(&session).unwrap());
    assert!(got == expected && receipt.device() == "sim", "{receipt:#}");
    assert!(receipt.bytes_spilled() > bytes, "{receipt:#}");
    assert_no_leftovers(&session, &scratch, "two scans");
    assert_eq!((device.memory().used, device.buffers()), (0, 0));
}

#[test]
fn spilled_query_writes_into_the_callers_slice() {
    let scratch = Scratch::new();
    let (session, n) = (scratch.session(600 << 10), integers(40 * LEAF_ROWS + 5));
    let expected = Session::open().unwrap().from(&n).scan(|n| n.running_sum()).map(|n| n * 2).to_vec().unwrap();
    let mut out = vec![0; n.len()];
    let rows = session.from(&n).scan(|n| n.running_sum()).map(|n| n * 2).into_slice(&mut out).unwrap();
    assert!(rows == n.len() && out == expected);
    assert_no_leftovers(&session, &scratch, "into a slice");
}

fn check(error: Error, kind: ErrorKind, words: &[&str]) {
    assert_eq!(error.kind(), kind, "{error}");
    assert!(words.iter().all(|words| error.message().contains(words)), "{words:?} in {error}");
}

#[test]
fn spilled_errors_equal_in_memory_errors() {
    let scratch = Scratch::new();
    let (plenty, session) = (Session::open().unwrap(), scratch.session(600 << 10));
    let mut n = integers(40 * LEAF_ROWS + 5);
    n[30 * LEAF_ROWS + 9] = i64::MAX;
    let both = |ask: &dyn Fn(&Session) -> Error| {
        let (expected, got) = (ask(&plenty), ask(&session));
        assert_eq!((got.kind(), got.row(), got.message()), (expected.kind(), expected.row(), expected.message()));
        assert_no_leftovers(&session, &scratch, got.message());
        got
    };
    let in_source = |s: &Session| s.from(&n).map(|n| n.cast::<i32>()).scan(|n| n.running_max()).max().unwrap_err();
    assert_eq!(both(&in_source).row(), Some(30 * LEAF_ROWS as u64 + 9));
    let behind = |s: &Session| s.from(&n).scan(|n| n.running_max()).map(|n| n.cast::<i32>()).max().unwrap_err();
    assert_eq!(both(&behind).row(), Some(30 * LEAF_ROWS as u64 + 9), "a scan keeps rows in their place");
    let sum = |s: &Session| s.from(&n).map(|n| n.abs()).scan(|n| n.running_sum()).max().unwrap_err();
    check(both(&sum), ErrorKind::Arithmetic, &["a sum does not fit"]);
}

#[test]
fn result_larger_than_memory_is_an_error() {
    let scratch = Scratch::new();
    let (session, n) = (scratch.session(600 << 10), integers(40 * LEAF_ROWS));
    let bytes = (n.len() * 8).to_string();
    let whole = session.from(&n).map(|n| n + 1).run().map(drop).unwrap_err();
    check(whole, ErrorKind::OutOfMemory, &[&bytes, "614400"]);
    let filtered = session.from(&n).filter(|n| n.gt(-1000)).run().map(drop).unwrap_err();
    check(filtered, ErrorKind::OutOfMemory, &["bytes of host memory", "614400"]);
    assert_no_leftovers(&session, &scratch, "more than memory holds");
}

#[test]
fn disk_limit_and_missing_directory_are_out_of_memory() {
    let (scratch, n) = (Scratch::new(), integers(40 * LEAF_ROWS));
    for (bytes, words) in
        [(0, ["`SessionOptions::spill_bytes` is 0", "327680 bytes"]), (500_000, ["limit of 500000", "raise"])]
    {
        let options = scratch.options().spill_bytes(bytes);
        let session = options.memory_bytes(300 << 10).open().unwrap();
        let error = session.from(&n).scan(|n| n.running_sum()).max().unwrap_err();
        check(error, ErrorKind::OutOfMemory, &words[..1]);
        assert_no_leftovers(&session, &scratch, words[0]);
    }
    let file = SessionOptions::new().spill_directory("/dev/null/there");
    let session = file.memory_bytes(300 << 10).open().unwrap();
    let error = session.from(&n).scan(|n| n.running_sum()).max().unwrap_err();
    check(error, ErrorKind::OutOfMemory, &["out of memory", "/dev/null/there", "spill_directory"]);
    let tiny = scratch.session(20 << 10);
    let error = tiny.from(&n).scan(|n| n.running_sum()).max().unwrap_err();
    check(error, ErrorKind::OutOfMemory, &["out of memory"]);
    assert_no_leftovers(&tiny, &scratch, "a limit below one leaf");
}
#[test]
fn sixty_four_threads_spill_at_once() {
    let (scratch, n) = (Scratch::new(), integers(20 * LEAF_ROWS));
    let expected = Session::open().unwrap().from(&n).scan(|n| n.running_sum()).max().unwrap();
    let session = scratch.session(2 << 20);
    std::thread::scope(|scope| {
        for _ in 0..64 {
            let (session, n) = (session.clone(), &n);
            scope.spawn(move || {
                for _ in 0..3 {
                    assert_eq!(session.from(n).scan(|n| n.running_sum()).max().unwrap(), expected);
                }
            });
        }
    });
    assert_no_leftovers(&session, &scratch, "64 threads");
}

#[test]
fn progress_of_a_spilled_query_reaches_the_end() {
    let scratch = Scratch::new();
    let session = scratch.session(700 << 10);
    let x: Vec<f64> = (0..40 * LEAF_ROWS).map(|row| (row % 101) as f64 - 49.0).collect();
    let fractions = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let recorder = fractions.clone();
    let query = session.from(&x).scan(|x| x.running_sum()).filter(|x| x.gt(10.0)).folds(|x| x.sum());
    let answer = query.on_progress(move |now| recorder.lock().unwrap().push(now.fraction())).run().unwrap();
    assert!(answer.receipt().bytes_spilled() > 0);
    let fractions = fractions.lock().unwrap();
    assert!(fractions.is_sorted() && fractions.len() > 8, "{fractions:?}");
    assert_eq!((fractions.first(), fractions.last()), (Some(&0.0), Some(&1.0)), "{fractions:?}");
}

/// The rows that a filter keeps are merged batch by batch, until the host's memory is refused: the stage starts again by way
/// of the disk, and progress waits for it instead of going back.
#[test]
fn refused_batches_set_neither_progress_back_nor_count() {
    let scratch = Scratch::new();
    let data = Data::new(60 * LEAF_ROWS);
    let device = Arc::new(SimDevice::new(SimOptions::default()));
    let options = scratch.options().device_memory_bytes(300 << 10).memory_bytes(700 << 10);
    let session = options.threads(2).add_device(device).prefer("sim").open().unwrap();
    let fractions = Arc::new(Mutex::new(Vec::new()));
    let reported = fractions.clone();
    let kept = session.from((&data.n, &data.x)).filter(|(n, _)| n.gt(i64::MIN));
    let folds = kept.scan(|(n, x)| (n.running_max(), x.kept())).folds(|(n, x)| (n.sum(), x.max()));
    let answer = folds.on_progress(move |one| reported.lock().unwrap().push(one.fraction())).run().unwrap();
    let receipt = answer.receipt();
    assert!(receipt.device() == "sim" && receipt.bytes_spilled() > 0, "{receipt:#}");
    let fractions = fractions.lock().unwrap();
    assert!(fractions.len() > 8 && fractions.is_sorted(), "{fractions:?}");
    // Both stages read two columns of eight bytes, and the second one a bitmap: a running maximum may be null. The batches
    // that were given up do not count.
    let rows = data.n.len() as u64;
    assert_eq!(receipt.bytes_read(), 2 * 16 * rows + rows / 8, "{receipt:#}");
}
