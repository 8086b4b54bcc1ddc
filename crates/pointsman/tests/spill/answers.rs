//! The bits and the errors of the whole, by way of the disk.

use crate::{LEAF_ROWS, Scratch, floats, integers, nothing_is_left, told};
use arrow_array::Int64Array;
use pointsman::{Device, Error, ErrorKind, Options, Receipt, Result, Session};
use pointsman_device::sim::{SimDevice, SimOptions};
use std::sync::Arc;

/// What queries read.
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

/// A query, asked of a session.
type Ask<'a> = Box<dyn Fn(&Session) -> Result<(String, Receipt)> + 'a>;

/// Queries of several stages, and those of one whose result is smaller than the room for it.
fn queries(d: &Data) -> Vec<(&'static str, Ask<'_>)> {
    vec![
        ("filter", Box::new(|s| told(s.from((&d.x, &d.n)).filter(|(x, n)| x.gt(60.0) & n.gt(0)).run()))),
        ("filter nulls", Box::new(|s| told(s.from(&d.nulls).filter(|n| (n % 50).eq(1)).run()))),
        ("folded scan", Box::new(|s| told(s.from(&d.x).scan(|x| x.running_sum()).folds(|x| x.sum()).run()))),
        (
            "three scans",
            Box::new(|s| {
                let sums = s.from((&d.x, &d.n)).scan(|(x, n)| (x.running_sum(), n.kept(), n.running_max()));
                let sums = sums.scan(|(x, n, m)| (x.running_max(), (n + m).running_sum()));
                told(sums.scan(|(x, n)| (x.running_sum(), n.running_min())).folds(|(x, n)| (x.sum(), n.sum())).run())
            }),
        ),
        (
            "filtered scan, filtered",
            Box::new(|s| {
                let sums = s.from(&d.nulls).filter(|n| (n % 4).ne(0)).scan(|n| (n.running_sum(), n.kept()));
                told(sums.filter(|(sum, n)| (sum % 11).eq(0) & n.gt(0)).map(|(sum, n)| (sum, n.gt(400), n)).run())
            }),
        ),
        (
            "filtered scan of filtered",
            Box::new(|s| {
                let sums = s.from(&d.n).scan(|n| n.running_sum()).filter(|n| (n % 5).eq(0));
                told(sums.scan(|n| n.running_max()).filter(|n| (n % 9).eq(1)).run())
            }),
        ),
    ]
}

#[test]
fn the_bits_of_the_whole() {
    let plenty = Session::builder().threads(2).open().unwrap();
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
                nothing_is_left(&session, &scratch, &what);
            }
        }
    }
}

#[test]
fn the_bits_of_the_whole_from_another_device() {
    let (plenty, scratch) = (Session::builder().threads(2).open().unwrap(), Scratch::new());
    let data = Data::new(40 * LEAF_ROWS + 77);
    for limit in [None, Some(300 << 10)] {
        let device = Arc::new(SimDevice::new(SimOptions::default()));
        let options = Options { device_memory_limit: limit, ..scratch.options() };
        let session = Session::builder().threads(2).memory_bytes(700 << 10).options(options).device(device.clone());
        let session = session.prefer("sim").open().unwrap();
        let mut spilled = 0;
        for (what, ask) in queries(&data) {
            let (expected, _) = ask(&plenty).unwrap();
            let (got, receipt) = ask(&session).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(got == expected && receipt.device() == "sim", "{what}: {receipt:#}");
            spilled += u64::from(receipt.bytes_spilled() > 0);
            nothing_is_left(&session, &scratch, what);
            assert_eq!((device.memory().used, device.buffers()), (0, 0), "{what}");
            assert!(limit.is_none_or(|limit| device.peak_bytes() <= limit), "{what}: {} bytes", device.peak_bytes());
        }
        // Without a limit of its own the device hands all of it on in its memory.
        assert!(limit.is_none() || spilled >= 4, "{spilled} of them");
    }
}

/// The first scan fits into the device's memory, the second one beside it does not, and the host's memory does not hold
/// the rows between them.
#[test]
fn output_in_device_memory_is_spilled_when_host_memory_is_refused() {
    let (plenty, scratch) = (Session::builder().threads(2).open().unwrap(), Scratch::new());
    let data = Data::new(40 * LEAF_ROWS + 77);
    let bytes = data.n.len() as u64 * 8;
    let ask = |s: &Session| {
        let rows = s.from((&data.n, &data.nulls)).map(|(n, m)| (n, m, n.gt(400)));
        let sums = rows.scan(|(n, m, is_large)| (n.running_sum(), m.kept(), is_large.kept()));
        let scans = sums.scan(|(n, m, is_large)| (n.running_max(), m.kept(), is_large.kept()));
        told(scans.filter(|(_, _, is_large)| is_large).folds(|(n, m, _)| (n.sum(), m.sum())).run())
    };
    let device = Arc::new(SimDevice::new(SimOptions::default()));
    let options = Options { device_memory_limit: Some(5 * bytes), ..scratch.options() };
    let session = Session::builder().threads(2).memory_bytes(700 << 10).options(options).device(device.clone());
    let session = session.prefer("sim").open().unwrap();
    let (expected, (got, receipt)) = (ask(&plenty).unwrap().0, ask(&session).unwrap());
    assert!(got == expected && receipt.device() == "sim", "{receipt:#}");
    assert!(receipt.bytes_spilled() > bytes, "{receipt:#}");
    nothing_is_left(&session, &scratch, "two scans");
    assert_eq!((device.memory().used, device.buffers()), (0, 0));
}

#[test]
fn results_go_into_the_callers_memory() {
    let scratch = Scratch::new();
    let (session, n) = (scratch.session(600 << 10), integers(40 * LEAF_ROWS + 5));
    let expected = Session::open().unwrap().from(&n).scan(|n| n.running_sum()).map(|n| n * 2).to_vec().unwrap();
    let mut out = vec![0; n.len()];
    let rows = session.from(&n).scan(|n| n.running_sum()).map(|n| n * 2).into_slice(&mut out).unwrap();
    assert!(rows == n.len() && out == expected);
    nothing_is_left(&session, &scratch, "into a slice");
}

fn check(error: Error, kind: ErrorKind, words: &[&str]) {
    assert_eq!(error.kind(), kind, "{error}");
    assert!(words.iter().all(|words| error.message().contains(words)), "{words:?} in {error}");
}

#[test]
fn errors_are_those_of_the_whole() {
    let scratch = Scratch::new();
    let (plenty, session) = (Session::open().unwrap(), scratch.session(600 << 10));
    let mut n = integers(40 * LEAF_ROWS + 5);
    n[30 * LEAF_ROWS + 9] = i64::MAX;
    let both = |ask: &dyn Fn(&Session) -> Error| {
        let (expected, got) = (ask(&plenty), ask(&session));
        assert_eq!((got.kind(), got.row(), got.message()), (expected.kind(), expected.row(), expected.message()));
        nothing_is_left(&session, &scratch, got.message());
        got
    };
    let in_source = |s: &Session| s.from(&n).map(|n| n.cast::<i32>()).scan(|n| n.running_max()).max().unwrap_err();
    assert_eq!(both(&in_source).row(), Some(30 * LEAF_ROWS as u64 + 9));
    let behind = |s: &Session| s.from(&n).scan(|n| n.running_max()).map(|n| n.cast::<i32>()).max().unwrap_err();
    check(both(&behind), ErrorKind::Arithmetic, &["row 122889 of what stage 0 gave"]);
    let sum = |s: &Session| s.from(&n).map(|n| n.abs()).scan(|n| n.running_sum()).max().unwrap_err();
    check(both(&sum), ErrorKind::Arithmetic, &["a sum does not fit"]);
}

#[test]
fn what_memory_cannot_hold_in_the_end() {
    let scratch = Scratch::new();
    let (session, n) = (scratch.session(600 << 10), integers(40 * LEAF_ROWS));
    let bytes = (n.len() * 8).to_string();
    let whole = session.from(&n).map(|n| n + 1).run().map(drop).unwrap_err();
    check(whole, ErrorKind::OutOfMemory, &[&bytes, "614400"]);
    let filtered = session.from(&n).filter(|n| n.gt(-1000)).run().map(drop).unwrap_err();
    check(filtered, ErrorKind::OutOfMemory, &["bytes of host memory", "614400"]);
    nothing_is_left(&session, &scratch, "more than memory holds");
}

#[test]
fn a_limit_on_the_disk_and_no_disk_at_all() {
    let (scratch, n) = (Scratch::new(), integers(40 * LEAF_ROWS));
    for (bytes, words) in
        [(0, ["`Options::spill_bytes_max` is 0", "327680 bytes"]), (500_000, ["limit of 500000", "raise"])]
    {
        let options = Options { spill_bytes_max: bytes, ..scratch.options() };
        let session = Session::builder().memory_bytes(300 << 10).options(options).open().unwrap();
        let error = session.from(&n).scan(|n| n.running_sum()).max().unwrap_err();
        check(error, ErrorKind::OutOfMemory, &words[..1]);
        nothing_is_left(&session, &scratch, words[0]);
    }
    let file = Options { spill_directory: Some("/dev/null/there".into()), ..Options::default() };
    let session = Session::builder().memory_bytes(300 << 10).options(file).open().unwrap();
    let error = session.from(&n).scan(|n| n.running_sum()).max().unwrap_err();
    check(error, ErrorKind::OutOfMemory, &["out of memory", "/dev/null/there", "spill_directory"]);
    let tiny = scratch.session(20 << 10);
    let error = tiny.from(&n).scan(|n| n.running_sum()).max().unwrap_err();
    check(error, ErrorKind::OutOfMemory, &["out of memory"]);
    nothing_is_left(&tiny, &scratch, "a limit below one leaf");
}
#[test]
fn many_at_once_in_little_memory() {
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
    nothing_is_left(&session, &scratch, "64 threads");
}

#[test]
fn how_far_it_is_is_told_to_the_end() {
    let scratch = Scratch::new();
    let session = scratch.session(700 << 10);
    let x: Vec<f64> = (0..40 * LEAF_ROWS).map(|row| (row % 101) as f64 - 49.0).collect();
    let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let taker = told.clone();
    let query = session.from(&x).scan(|x| x.running_sum()).filter(|x| x.gt(10.0)).folds(|x| x.sum());
    let answer = query.on_progress(move |now| taker.lock().unwrap().push(now.fraction())).run().unwrap();
    assert!(answer.receipt().bytes_spilled() > 0);
    let told = told.lock().unwrap();
    assert!(told.is_sorted() && told.len() > 8, "{told:?}");
    assert_eq!((told.first(), told.last()), (Some(&0.0), Some(&1.0)), "{told:?}");
}
