//! Library calls that do not fit into a device's memory run in batches of whole chunks, and single products in batches
//! of rows of the left matrix, with results within the bounds of the calls.

use super::{PLENTY, assert_no_leftovers, simulated};
use pointsman::plan::{Call, Convolve, Fft, Matmul, Method, Numbers, RightOperand, Storage, Transform};
use pointsman::{Answer, CancellationToken, Column, Device, ErrorKind, Result, Session, SessionOptions, lookup};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::Arc;

/// Numbers between −1 and 1.
fn numbers(count: u64) -> Vec<f64> {
    (0..count).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1u64 << 52) as f64 - 1.0).collect()
}

/// A call over this many chunks, after an addition.
fn ask(session: &Session, call: Call, chunks: u64) -> Result<Answer<Column<f64>>> {
    let x = numbers(call.rows_in() * chunks);
    let query = session.from(&x).map(|x| x + 0.25);
    if !call.has_table() {
        return query.call(call, None).run();
    }
    query.call(call, &lookup(&numbers(call.table_rows(chunks)))).run()
}

#[track_caller]
fn assert_near(found: &Answer<Column<f64>>, expected: &Answer<Column<f64>>, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let both = found.options().zip(expected.options());
    both.enumerate().for_each(|(row, pair)| {
        let (Some(found), Some(expected)) = pair else { panic!("{what}: row {row} is null") };
        assert!((found - expected).abs() < 1e-11, "{what}, row {row}: {found}, not {expected}");
    });
}

fn calls() -> Vec<(Call, u64)> {
    let product = Matmul::real(16, 24, 8);
    let own = Matmul { operand: RightOperand::PerChunk, ..product };
    let complex = Matmul { numbers: Numbers::Complex, ..own };
    let transposed = Matmul { left: Storage::Columns, right: Storage::Columns, ..product };
    let planes = Convolve { channels_in: 2, channels_out: 3, ..Convolve::plane([9, 10], [3, 2]) };
    vec![
        (Fft::forward(64).into(), 70),
        (Fft::real_forward(100).into(), 70),
        (Fft { given: 30, kept: 7, ..Fft::real_forward(100) }.into(), 200),
        (Fft::plane(Transform::RealInverse, 6, 10).into(), 70),
        (product.into(), 40),
        (own.into(), 40),
        (complex.into(), 20),
        (transposed.into(), 40),
        (Convolve::line(100, 7).into(), 70),
        (Convolve { method: Method::Transform, ..planes }.into(), 40),
        // A single chunk, cut between rows of its left matrix.
        (Matmul::real(701, 10, 3).into(), 1),
        (Matmul { right: Storage::Columns, ..Matmul::complex(211, 13, 5) }.into(), 1),
    ]
}

/// Runs a call on a device with this much memory, which must cut it.
fn check_split(call: Call, chunks: u64, memory: u64, (device, session): &(Arc<SimDevice>, Session)) {
    let (what, whole) = (format!("{chunks} x {call} in {memory} bytes"), ask(&super::cpu(), call, chunks).unwrap());
    let split = ask(session, call, chunks).unwrap();
    let receipt = split.receipt();
    assert_eq!(receipt.device(), "sim", "{what}: {receipt:#}");
    assert!(receipt.batches() > receipt.stages().len(), "{what}: {} batches", receipt.batches());
    assert_near(&split, &whole, &what);
    assert!(device.peak_bytes() <= memory, "{what}: {} bytes", device.peak_bytes());
    drop(split);
    assert_no_leftovers(device, session, &what);
}

#[test]
fn calls_larger_than_device_memory_run_in_batches_of_whole_chunks() {
    for memory in [12 << 10, 17_001, 32 << 10] {
        for (call, chunks) in calls() {
            check_split(call, chunks, memory, &simulated(memory, SessionOptions::new()));
        }
    }
    let limited = SessionOptions::new().device_memory_bytes(20 << 10);
    check_split(Fft::forward(64).into(), 70, 20 << 10, &simulated(PLENTY, limited));
}

/// A session that prefers a device with this much memory, whose calls take this much scratch memory for a row.
fn with_scratch(memory_bytes: u64, row_bytes: u64, options: SessionOptions) -> (Arc<SimDevice>, Session) {
    let options = options.resident_bytes(0).threads(2);
    let sim = SimOptions { memory_bytes, call_scratch_row_bytes: row_bytes, ..SimOptions::default() };
    let device = Arc::new(SimDevice::new(sim));
    let clock = Arc::new(device.clock().clone());
    (device.clone(), options.add_device(device).clock(clock).prefer("sim").open().unwrap())
}

/// Columns, table and result fit, but not the scratch memory: it counts, so that nothing is refused on the way.
#[test]
fn calls_whose_scratch_memory_does_not_fit_run_in_batches() {
    for row_bytes in [24, 100] {
        for (call, chunks) in calls() {
            let what = format!("{chunks} x {call}, {row_bytes} bytes a row");
            let rows = call.rows_in() * chunks;
            let columns = 8 * (rows + call.table_rows(chunks) + call.rows_out() * chunks);
            let memory = (columns + rows * row_bytes / 2) / 15 * 16;
            assert!(columns < memory / 16 * 15 && memory < columns + rows * row_bytes, "{what}");
            for (memory, options) in [
                (memory, SessionOptions::new()),
                // The device has enough, but the session may not take it.
                (PLENTY, SessionOptions::new().device_memory_bytes(memory)),
            ] {
                let limit = if memory == PLENTY { options.clone() } else { SessionOptions::new() };
                let devices = with_scratch(memory, row_bytes, limit);
                check_split(call, chunks, (columns + rows * row_bytes / 2) / 15 * 16, &devices);
                assert_eq!(devices.0.refusals(), 0, "{what}: the scratch memory was forecast");
            }
        }
    }
    let (call, chunks) = (Call::from(Fft::forward(64)), 70);
    let (device, session) = with_scratch(PLENTY, 100, SessionOptions::new());
    let whole = ask(&session, call, chunks).unwrap();
    assert_eq!((whole.receipt().device(), whole.receipt().batches()), ("sim", 1), "all of it fits");
    assert!(device.peak_bytes() >= 70 * 128 * 116, "the scratch memory counts: {}", device.peak_bytes());
}

/// A chunk that cannot be cut and whose scratch memory does not fit runs on the next device; required, it is an error.
#[test]
fn chunk_whose_scratch_memory_does_not_fit_runs_elsewhere() {
    let call = Call::from(Fft::forward(1 << 10));
    let (device, session) = with_scratch(64 << 10, 24, SessionOptions::new());
    let answer = ask(&session, call, 1).unwrap();
    assert_eq!(answer.receipt().device(), "cpu");
    let receipt = format!("{:#}", answer.receipt());
    let needs = 8 * (2048 + 2048) + 24 * 2048;
    let text = format!("`call` over 2048 rows needs {needs} bytes of `sim`");
    assert!(receipt.contains(&text), "{receipt}");
    assert_eq!((device.launches(), device.refusals()), (0, 0), "nothing was tried in vain");
    drop(answer);
    let x = numbers(2048);
    let error = session.from(&x).call(Fft::forward(1 << 10), None).require("sim").run().unwrap_err();
    assert!(error.kind() == ErrorKind::OutOfMemory && error.message().contains(&text), "{error}");
    assert_no_leftovers(&device, &session, "an error");
}

/// Hung launches keep their scratch memory until the device recovers.
#[test]
fn hung_call_keeps_its_scratch_memory() {
    let (device, session) = with_scratch(PLENTY, 24, SessionOptions::new());
    device.plan_faults(vec![SimFault::Hang { launch: 0 }]);
    assert_eq!(ask(&session, Fft::forward(64).into(), 4).unwrap().receipt().device(), "cpu");
    let memory = device.memory();
    assert!(memory.used == memory.zombie && memory.zombie >= 24 * 512, "{memory:?}");
    device.recover();
    assert_no_leftovers(&device, &session, "a hung call");
}

#[test]
fn profiles_of_calls_measure_batches_of_whole_chunks() {
    let (x, (device, session)) = (numbers(200 * 128), simulated(PLENTY, SessionOptions::new()));
    device.on_launch(|_| ());
    let profile = session.profile(&session.from(&x).call(Fft::forward(64), None), 1).unwrap();
    // At least two runs over all rows, and one in batches of each further size.
    let least = |rows: usize| x.len().div_ceil(rows) as u64;
    let launches: u64 = profile.batches.iter().skip(1).map(|batch| least(batch.rows)).sum();
    assert!(
        profile.batches.len() >= 3 && device.launches() >= 2 + launches,
        "{} launches: {profile}",
        device.launches()
    );
    assert!(profile.operations_per_second > 0.0);
}

#[test]
fn chains_of_calls_run_in_batches() {
    let x = numbers(64 * 128);
    let chain = |session: &Session| {
        let spectra = session.from(&x).map(|x| x * 2.0).call(Fft::real_forward(128), None).map(|x| x + 1.0);
        let back = spectra.call(Fft::real_inverse(128), None);
        back.call(Matmul::real(64, 128, 3), &lookup(&numbers(3 * 128))).map(|x| x - 1.0).run().unwrap()
    };
    let (device, session) = simulated(40 << 10, SessionOptions::new());
    let (split, whole) = (chain(&session), chain(&super::cpu()));
    assert_eq!(split.receipt().device(), "sim");
    assert!(split.receipt().batches() >= 9, "{}", split.receipt());
    assert_near(&split, &whole, "a chain");
    drop(split);
    assert_no_leftovers(&device, &session, "a chain");
}

#[test]
fn chunk_that_cannot_be_cut_and_fits_nowhere_is_an_error_with_bytes_and_limit() {
    // Columns of the left matrix go through all rows, so it cannot be cut between them.
    let call = Matmul { left: Storage::Columns, ..Matmul::real(701, 10, 3) };
    let (device, session) = simulated(16 << 10, SessionOptions::new());
    assert_eq!(ask(&session, call.into(), 1).unwrap().receipt().device(), "cpu");
    let (x, table) = (numbers(7010), lookup(&numbers(30)));
    let error = session.from(&x).call(call, &table).require("sim").run().unwrap_err();
    let needs = 8 * (7010 + 2103 + 30);
    let text =
        format!("`call` over 7010 rows needs {needs} bytes of `sim`, the limit is {} bytes", (16 << 10) / 16 * 15);
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(error.message().contains(&text), "{error}");
    assert_no_leftovers(&device, &session, "an error");
}

#[test]
fn mistakes_are_found_before_anything_is_cut() {
    let own = Matmul { operand: RightOperand::PerChunk, ..Matmul::real(16, 24, 8) };
    let (device, session) = simulated(12 << 10, SessionOptions::new());
    for (rows, table_rows, text) in [
        (16 * 24 * 40 + 24, 24 * 8 * 40, "give whole chunks"),
        (16 * 24 * 40, 24 * 8 * 41, "a captured table of 7680 rows"),
        (16 * 24 * 40, 24 * 8 * 39, "a captured table of 7680 rows"),
    ] {
        let (x, table) = (numbers(rows), lookup(&numbers(table_rows)));
        let error = session.from(&x).call(own, &table).run().unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidQuery && error.message().contains(text), "{error}");
    }
    // Rows of a left matrix, but no whole matrices.
    let (x, table) = (numbers(24 * 5), lookup(&numbers(24 * 8)));
    let error = session.from(&x).call(Matmul::real(16, 24, 8), &table).run().unwrap_err();
    assert!(error.message().contains("chunks of 384 rows"), "{error}");
    assert_eq!(device.launches(), 0);
}

#[test]
fn no_memory_at_any_allocation_of_a_batch() {
    let mut fired = 0;
    let (call, chunks) = (Call::from(Matmul { operand: RightOperand::PerChunk, ..Matmul::real(16, 24, 8) }), 40);
    let whole = ask(&super::cpu(), call, chunks).unwrap();
    for allocation in 0.. {
        let (device, session) = simulated(32 << 10, SessionOptions::new());
        device.plan_faults(vec![SimFault::OutOfMemory { allocation }]);
        assert_near(&ask(&session, call, chunks).unwrap(), &whole, &format!("allocation {allocation}"));
        if device.fired().is_empty() {
            break;
        }
        fired += 1;
    }
    assert!(fired >= 10, "only {fired} fired");
}

#[test]
fn cancelling_in_any_batch_of_a_call_leaves_nothing() {
    let (device, session) = simulated(32 << 10, SessionOptions::new());
    let x = numbers(70 * 128);
    let batches = session.from(&x).call(Fft::forward(64), None).run().unwrap().receipt().batches();
    assert!(batches >= 5, "{batches} batches");
    for last in 0..batches {
        let token = CancellationToken::new();
        let stop = token.clone();
        device.on_launch(move |launch| {
            if launch == last as u64 {
                stop.cancel();
            }
        });
        let result = session.from(&x).call(Fft::forward(64), None).cancelled_by(&token).run();
        assert_eq!(device.launches(), last as u64 + 1, "cancelled in batch {last} of {batches}");
        // After the last batch there is nothing left to cancel.
        assert_eq!(
            result.as_ref().err().map(|error| error.kind()),
            (last + 1 < batches).then_some(ErrorKind::Cancelled)
        );
        drop(result);
        assert_no_leftovers(&device, &session, "a cancelled call");
    }
}
