//! Queries over more rows than fit into device memory give the same bits as the CPU, in batches, and survive a failed
//! allocation at any moment. All tests use the simulated device, which counts every byte.
#![allow(clippy::unwrap_used)]

#[cfg(feature = "calls")]
mod calls;
mod cancel;
mod counted;
mod exhausted;
mod filter_memory;
mod larger;
mod list_uploads;
mod overlap;
mod resident;
mod results;
mod rounded;
mod shared;
mod split;
mod too_small;

use arrow_array::{BooleanArray, Int64Array};
use pointsman::{Answer, Device, Lookup, Receipt, Result, Session, SessionOptions, lookup};
use pointsman_device::sim::{SimDevice, SimOptions};
use std::sync::Arc;

/// The rows of a leaf; batches are multiples of it.
const LEAF_ROWS: usize = 4096;
/// Enough memory for every query here.
const PLENTY: u64 = 1 << 30;

/// A session that prefers a simulated device with `memory_bytes` of memory, uses its clock, and keeps nothing there.
fn simulated(memory_bytes: u64, options: SessionOptions) -> (Arc<SimDevice>, Session) {
    keeping(memory_bytes, options.resident_bytes(0))
}

/// The same, which keeps columns as the options say.
fn keeping(memory_bytes: u64, options: SessionOptions) -> (Arc<SimDevice>, Session) {
    let device = Arc::new(SimDevice::new(SimOptions { memory_bytes, ..SimOptions::default() }));
    let session = options.threads(2).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    (device, session.prefer("sim").open().unwrap())
}

fn cpu() -> Session {
    SessionOptions::new().threads(2).open().unwrap()
}

/// Checks that neither the device nor the host holds memory of a query, without waiting.
fn assert_no_leftovers(device: &SimDevice, session: &Session, what: &str) {
    assert_eq!((device.memory().used, device.buffers()), (0, 0), "{what}: bytes and buffers of the device");
    assert!(device.streams() <= 3, "{what}: {} streams for one query at a time", device.streams());
    assert_eq!(session.memory().host.outstanding_bytes, 0, "{what}: bytes of results");
}

fn integers(rows: usize) -> Vec<i64> {
    (0..rows as i64).map(|i| i.wrapping_mul(7919) % 2001 - 1000).collect()
}

fn floats(rows: usize) -> Vec<f32> {
    (0..rows as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 1e5 - 80.0).collect()
}

/// Columns of every kind: slices, and Arrow arrays with nulls and offsets.
struct Data {
    n: Vec<i64>,
    x: Vec<f32>,
    nulls: Int64Array,
    flags: BooleanArray,
    bytes: Vec<bool>,
    table: Lookup<f32>,
}

impl Data {
    fn new(rows: usize) -> Data {
        let n = integers(rows + 13);
        let nulls: Int64Array = n.iter().map(|&n| (n % 3 != 0).then_some(n)).collect();
        let flags: BooleanArray = n.iter().map(|&n| (n % 5 != 0).then_some(n % 2 == 0)).collect();
        let bytes = n[..rows].iter().map(|n| *n > 0).collect();
        let (nulls, flags) = (nulls.slice(13, rows), flags.slice(3, rows));
        Data { n: n[..rows].to_vec(), x: floats(rows), nulls, flags, bytes, table: lookup(&floats(100)) }
    }
}

/// Runs a query in a session; returns the result as text that shows every bit, and the receipt.
type Ask<'a> = Box<dyn Fn(&Session) -> Result<(String, Receipt)> + 'a>;

fn debug_text<T: std::fmt::Debug>(answer: Result<Answer<T>>) -> Result<(String, Receipt)> {
    let (value, receipt) = answer?.into_parts();
    Ok((format!("{value:?}"), receipt))
}

/// Queries with every sink of the devices, and with several stages.
fn queries(d: &Data) -> Vec<(&'static str, Ask<'_>)> {
    vec![
        ("store", Box::new(|s| debug_text(s.from((&d.n, &d.x)).map(|(n, x)| (n * 3, x.gt(0.0), x + 1.0)).run()))),
        ("store nulls", Box::new(|s| debug_text(s.from((&d.nulls, &d.flags)).map(|(n, f)| (n + 1, !f, f)).run()))),
        ("compact", Box::new(|s| debug_text(s.from((&d.x, &d.n, &d.bytes)).filter(|(x, ..)| x.gt(0.0)).run()))),
        ("compact nulls", Box::new(|s| debug_text(s.from((&d.nulls, &d.flags)).filter(|(_, f)| f).run()))),
        ("compact flags", Box::new(|s| debug_text(s.from((&d.n, &d.flags)).filter(|(n, _)| n.gt(-900)).run()))),
        ("reduce", Box::new(|s| debug_text(s.from((&d.x, &d.n)).folds(|(x, n)| (x.sum(), x.max(), n.mean())).run()))),
        ("reduce nulls", Box::new(|s| debug_text(s.from(&d.nulls).folds(|n| (n.sum(), n.min(), n.count())).run()))),
        (
            "scan",
            Box::new(|s| debug_text(s.from((&d.x, &d.n)).scan(|(x, n)| (x.running_sum(), n.running_max())).run())),
        ),
        ("scan nulls", Box::new(|s| debug_text(s.from(&d.nulls).scan(|n| (n.running_sum(), n.kept())).run()))),
        (
            "range",
            Box::new(|s| {
                let numbers = s.from(5u64..5 + d.n.len() as u64).filter(|i| (i % 3).eq(0));
                debug_text(numbers.map(|i| (i, i * 2, i.gt(9000))).run())
            }),
        ),
        (
            "stages",
            Box::new(|s| {
                let sums = s.from(&d.nulls).scan(|n| n.running_sum()).filter(|n| (n % 7).ne(0));
                debug_text(sums.map(|n| d.table.at(n.abs().cast_saturating::<u32>() % 100)).run())
            }),
        ),
        ("folded stages", Box::new(|s| debug_text(s.from(&d.x).scan(|x| x.running_sum()).folds(|x| x.sum()).run()))),
    ]
}
