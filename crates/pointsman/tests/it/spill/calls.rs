//! Library calls over results on the disk: chunks begin and end within blocks, and the answers are those without
//! spilling.

use super::{Scratch, assert_no_leftovers, floats};
use pointsman::plan::{Fft, Matmul, RightOperand};
use pointsman::{Answer, Column, Result, Session, lookup};

/// A chunk: no whole leaves, and no part of one.
const LENGTH: u64 = 1000;
const CHUNKS: u64 = 400;

/// Two transforms, then every thousandth number.
fn ask(session: &Session, x: &[f64]) -> Result<Answer<Column<f64>>> {
    let spectra = session.from(x).map(|x| x + 1.0).call(Fft::real_forward(LENGTH), None);
    let back = spectra.map(|x| x * 0.5).call(Fft::real_inverse(LENGTH), None);
    back.call(Fft { kept: 1, ..Fft::real_forward(LENGTH) }, None).run()
}

#[test]
fn calls_that_exceed_the_sessions_memory_go_through_the_disk() {
    let x = floats((LENGTH * CHUNKS) as usize);
    let whole = ask(&super::SessionOptions::new().threads(2).open().unwrap(), &x).unwrap();
    assert_eq!(whole.receipt().bytes_spilled(), 0);
    for memory in [1 << 20, 2_500_000, 5 << 20] {
        let scratch = Scratch::new();
        let session = scratch.session(memory);
        let answer = ask(&session, &x).unwrap_or_else(|error| panic!("{memory}: {error}"));
        let receipt = answer.receipt();
        assert!(receipt.bytes_spilled() > 0 && receipt.batches() > receipt.stages().len(), "{memory}: {receipt}");
        assert_eq!(answer.len(), 2 * CHUNKS as usize);
        for (row, (found, expected)) in answer.iter().copied().zip(whole.iter().copied()).enumerate() {
            assert!((found - expected).abs() < 1e-8, "{memory}, row {row}: {found}, not {expected}");
        }
        drop(answer);
        assert_no_leftovers(&session, &scratch, "calls");
    }
}

#[test]
fn products_with_right_matrices_of_their_own_go_through_the_disk() {
    // The library packs matrices into 8 MiB of each thread.
    let (chunks, scratch) = (60_000u64, Scratch::new());
    let product = Matmul { operand: RightOperand::PerChunk, ..Matmul::real(4, 8, 4) };
    let (x, right) = (floats((32 * chunks) as usize), lookup(&floats((32 * chunks) as usize)));
    let ask = |session: &Session| {
        let query = session.from(&x).call(product, &right).call(Matmul::real(4, 4, 1), &lookup(&[1.0, -1.0, 0.5, 2.0]));
        query.run().unwrap()
    };
    let session = scratch.options().threads(1).memory_bytes(15 << 20).open().unwrap();
    let (spilled, whole) = (ask(&session), ask(&super::SessionOptions::new().threads(2).open().unwrap()));
    assert!(spilled.receipt().bytes_spilled() > 0 && spilled.receipt().batches() > 2, "{}", spilled.receipt());
    assert_eq!(spilled.len(), whole.len());
    for (found, expected) in spilled.iter().copied().zip(whole.iter().copied()) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found}, not {expected}");
    }
}
