//! Calls of libraries: matrix products, transforms and convolutions, alone and between other steps.

use super::session;
use pointsman::plan::{Convolve, Direction, Fft, Matmul, Method, RightOperand, Storage, Transform};
use pointsman::{CancellationToken, ErrorKind, Session, SessionOptions, lookup};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Numbers between −1 and 1.
fn numbers(count: usize) -> Vec<f64> {
    super::noise(count).into_iter().map(|bits| (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0).collect()
}

fn product(left: &[f64], right: &[f64], [rows, inner, columns]: [usize; 3]) -> Vec<f64> {
    let cell = |row: usize, column: usize| -> f64 {
        (0..inner).map(|k| left[row * inner + k] * right[k * columns + column]).sum()
    };
    (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (row, column)))
        .map(|(row, column)| cell(row, column))
        .collect()
}

#[track_caller]
fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (row, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= tolerance, "row {row}: {found}, not {expected}");
    }
}

#[test]
fn products_of_every_size() {
    let s = session();
    for size in [1, 2, 7, 63, 64, 65, 130] {
        let sizes = [size, size + 1, 2 * size - 1];
        let [rows, inner, columns] = sizes;
        let (left, right) = (numbers(rows * inner), numbers(inner * columns));
        let call = Matmul::real(rows as u64, inner as u64, columns as u64);
        let found = s.from(&left).call(call, &lookup(&right)).to_vec().unwrap();
        near(&found, &product(&left, &right, sizes), 1e-12);
        // The same product, from operands that are stored by columns.
        let transposed = |matrix: &[f64], rows: usize, columns: usize| -> Vec<f64> {
            (0..columns).flat_map(|column| (0..rows).map(move |row| matrix[row * columns + column])).collect()
        };
        let call = Matmul { left: Storage::Columns, right: Storage::Columns, ..call };
        let right = lookup(&transposed(&right, inner, columns));
        let stored = s.from(&transposed(&left, rows, inner)).call(call, &right).to_vec().unwrap();
        near(&stored, &found, 1e-12);
    }
}

#[test]
fn chunks_are_a_batch() {
    let s = session();
    let (left, right) = (numbers(5 * 6), numbers(5 * 6));
    let call = Matmul { operand: RightOperand::PerChunk, ..Matmul::real(2, 3, 2) };
    let found = s.from(&left).call(call, &lookup(&right)).to_vec().unwrap();
    let expected = left.chunks(6).zip(right.chunks(6)).flat_map(|(left, right)| product(left, right, [2, 3, 2]));
    near(&found, &expected.collect::<Vec<_>>(), 1e-14);
    let none: [f64; 0] = [];
    assert_eq!(s.from(&none).call(Matmul::real(2, 3, 2), &lookup(&right[..6])).count().unwrap(), 0);
}

#[test]
fn transforms_invert_each_other() {
    let s = session();
    for length in [1usize, 2, 3, 7, 64, 65, 255, 1000, 4096, 4097, 65_536, 65_537] {
        let x = numbers(length);
        let back = s.from(&x).call(Fft::real_forward(length as u64), None).call(Fft::real_inverse(length as u64), None);
        near(&back.to_vec().unwrap(), &x, 1e-13);
        let pairs = numbers(2 * length);
        let back = s.from(&pairs).call(Fft::forward(length as u64), None).call(Fft::inverse(length as u64), None);
        near(&back.to_vec().unwrap(), &pairs, 1e-13);
    }
    let plane = numbers(2 * 12 * 10);
    let there = s.from(&plane).call(Fft::plane(Transform::Forward, 12, 10), None);
    near(&there.call(Fft::plane(Transform::Inverse, 12, 10), None).to_vec().unwrap(), &plane, 1e-14);
}

#[test]
fn convolutions_by_sum_and_by_transform_agree() {
    let s = session();
    let (x, weights) = (numbers(10_000), numbers(300));
    let sum =
        Convolve { direction: Direction::Convolution, padding: [[0, 0], [299, 299]], ..Convolve::line(10_000, 300) };
    let transform = Convolve { method: Method::Transform, ..sum };
    let by_sum = s.from(&x).call(sum, &lookup(&weights)).to_vec().unwrap();
    let by_transform = s.from(&x).call(transform, &lookup(&weights)).to_vec().unwrap();
    assert_eq!(by_sum.len(), 10_299);
    near(&by_transform, &by_sum, 1e-11);
    let first = x[0] * weights[0];
    near(&by_sum[..2], &[first, x[0] * weights[1] + x[1] * weights[0]], 1e-14);
}

#[test]
fn steps_before_and_after_a_call_belong_to_the_query() {
    let s = session();
    let x = numbers(6000);
    let right = numbers(12);
    let query = s.from((&x, &x)).filter(|(x, _)| x.lt(0.5)).map(|(x, y)| x + y).limit(3000);
    let query = query.call(Matmul::real(500, 6, 2), &lookup(&right)).map(|x| x * 2.0);
    let answer = query.run().unwrap();
    let kept: Vec<f64> = x.iter().filter(|&&x| x < 0.5).map(|x| x + x).take(3000).collect();
    let expected: Vec<f64> = product(&kept, &right, [500, 6, 2]).iter().map(|x| x * 2.0).collect();
    near(&answer, &expected, 1e-13);
    let total = s.from(&x).call(Matmul::real(1000, 6, 2), &lookup(&right)).sum().unwrap();
    assert!((total - product(&x, &right, [1000, 6, 2]).iter().sum::<f64>()).abs() < 1e-10);
    // A scan, a sort and a join read a call's result like any other table.
    let sorted =
        s.from(&x).call(Matmul::real(1000, 6, 2), &lookup(&right)).sort_by(|x| x.asc()).limit(1).to_vec().unwrap();
    let smallest = product(&x, &right, [1000, 6, 2]).into_iter().fold(f64::INFINITY, f64::min);
    near(&sorted, &[smallest], 1e-13);
}

#[test]
fn slices_in_pieces_and_batches_change_nothing() {
    let x = numbers(20_000);
    let right = lookup(&numbers(100));
    let s = SessionOptions::new().threads(2).batch_rows(4096).open().unwrap();
    let whole = session().from(&x).call(Matmul::real(200, 100, 1), &right).to_vec().unwrap();
    near(&s.from(&x).call(Matmul::real(200, 100, 1), &right).to_vec().unwrap(), &whole, 1e-13);
}

#[test]
fn receipts_and_plans_name_calls() {
    let s = session();
    let x = numbers(1 << 12);
    let query = s.from(&x).map(|x| x + 1.0).call(Fft::real_forward(1 << 12), None);
    let explained = query.explain().to_string();
    assert!(explained.contains("fft real_forward 1 4096"), "{explained}");
    assert!(explained.contains("fft by realfft and rustfft after "), "{explained}");
    let answer = query.run().unwrap();
    let receipt = answer.receipt();
    assert_eq!((receipt.rows_in(), receipt.rows_out(), receipt.device()), (1 << 12, 2 * ((1 << 11) + 1), "cpu"));
}

#[test]
fn receipts_name_the_library_of_a_call() {
    let (s, x, weights) = (session(), numbers(1 << 12), lookup(&numbers(64)));
    let line = Convolve::line(1 << 12, 64);
    let transform = Convolve { method: Method::Transform, ..line };
    for (query, name) in [
        (s.from(&x).call(Matmul::real(64, 64, 1), &weights), "matmul by gemm"),
        (s.from(&x).call(Fft::forward(1 << 11), None), "fft by rustfft"),
        (s.from(&x).call(line, &weights), "convolve by our own loops"),
        (s.from(&x).call(transform, &weights), "convolve by rustfft"),
    ] {
        let answer = query.run().unwrap();
        let receipt = answer.receipt();
        assert_eq!(receipt.programs(), [name]);
        assert!(format!("{receipt:#}").contains(&format!("stage    call: {name} (")), "{receipt:#}");
        let json: serde_json::Value = serde_json::from_str(&receipt.to_json()).unwrap();
        assert_eq!(json["programs"][0].as_str(), Some(name));
    }
}

/// A session whose mistakes are looked at.
fn error(s: &Session, rows: usize, call: Matmul, table: usize) -> pointsman::Error {
    s.from(&numbers(rows)).call(call, &lookup(&numbers(table))).run().unwrap_err()
}

#[test]
fn mistakes_say_what_is_allowed() {
    let s = session();
    let cut = error(&s, 7, Matmul::real(2, 3, 2), 6);
    assert_eq!(cut.kind(), ErrorKind::InvalidQuery);
    assert!(cut.message().contains("chunks of 6 rows, but there are 7 rows: give whole chunks"), "{cut}");
    let table = error(&s, 6, Matmul::real(2, 3, 2), 5);
    assert!(table.message().contains("a captured table of 6 rows, but the table has 5"), "{table}");
    let empty = error(&s, 6, Matmul::real(0, 3, 2), 6);
    assert!(empty.message().contains("has no rows, or more than 2^40"), "{empty}");
    let missing = s.from(&numbers(6)).call(Matmul::real(2, 3, 2), None).run().unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::InvalidQuery);
    assert!(missing.message().contains("captured table"), "{missing}");
    let extra = s.from(&numbers(8)).call(Fft::real_forward(8), &lookup(&numbers(8))).run().unwrap_err();
    assert!(extra.message().contains("captured table"), "{extra}");
    let eight = numbers(8);
    let nulls = s.from(&eight).map(|x| pointsman::select(x.gt(0.0), x, pointsman::null()));
    let nulls = nulls.call(Fft::real_forward(8), None).run().unwrap_err();
    assert!(nulls.message().contains("null"), "{nulls}");
}

#[test]
fn a_fault_below_a_call_is_the_error_of_its_row() {
    let s = session();
    let divisors = [1i64, 2, 0, 4];
    let query = s.from(&divisors).map(|d| (12 / d).cast::<f64>()).call(Fft::real_forward(4), None);
    let error = query.run().unwrap_err();
    assert_eq!((error.kind(), error.row()), (ErrorKind::Arithmetic, Some(2)), "{error}");
}

#[test]
fn a_large_product_stops_at_its_deadline_and_when_it_is_cancelled() {
    let s = session();
    let size = 3000;
    let (left, right) = (numbers(size * size), lookup(&numbers(size * size)));
    let call = Matmul::real(size as u64, size as u64, size as u64);
    let done = Arc::new(Mutex::new(0.0f64));
    let (noted, query) = (done.clone(), s.from(&left).call(call, &right).deadline(Duration::from_millis(30)));
    let late = query.on_progress(move |progress| *noted.lock().unwrap() = progress.fraction()).run().unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Timeout, "{late}");
    assert!(*done.lock().unwrap() < 1.0, "the product ran to its end");
    // The first report of finished rows cancels the query.
    let token = CancellationToken::new();
    let (noted, canceller, query) =
        (done.clone(), token.clone(), s.from(&left).call(call, &right).cancelled_by(&token));
    let query = query.on_progress(move |progress| {
        *noted.lock().unwrap() = progress.fraction();
        if progress.fraction() > 0.0 {
            canceller.cancel();
        }
    });
    let cancelled = query.run().unwrap_err();
    assert_eq!(cancelled.kind(), ErrorKind::Cancelled, "{cancelled}");
    let done = *done.lock().unwrap();
    assert!(done > 0.0 && done < 1.0, "{done} of the product was computed");
}

#[test]
fn what_the_memory_limit_does_not_allow_is_an_error() {
    let s = SessionOptions::new().threads(1).memory_bytes(1 << 20).open().unwrap();
    let x = numbers(1 << 17);
    let error = s.from(&x).call(Fft::real_forward(1 << 17), None).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
}
