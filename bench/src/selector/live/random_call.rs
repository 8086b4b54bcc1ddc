//! Random library calls: matrix products, Fourier transforms, convolutions and the sums over the past of fractional
//! derivatives, alone or in batches.

use crate::selector::random::Random;
use pointsman::plan::{Call, Convolve, Direction, Fft, Matmul, Method};
use pointsman::types::Float;
use pointsman::{Column, Lookup, Result, Session, lookup};
use std::time::Instant;

use super::random_query::{Placement, Run, TimedCall};

/// The largest side of a matrix; larger products take the processor seconds.
const SIDE_MAX: f64 = 3000.0;
/// The most weights of a convolution by sums and by transforms.
const WEIGHTS_MAX: [f64; 2] = [128.0, 20_000.0];
/// The weights from which a convolution is computed by transforms.
const TRANSFORM_WEIGHTS: u64 = 300;

/// Draws a call of about this many rows, and how many chunks it has.
pub(super) fn draw(random: &mut Random, rows: usize) -> (Call, usize) {
    let log_uniform = |random: &mut Random, low: f64, high: f64| random.between(low.ln(), high.ln()).exp();
    let chunks = |random: &mut Random| if random.chance(0.5) { 1 } else { 1 << random.below(9) };
    match random.below(4) {
        0 => {
            let side = (rows as f64).sqrt().clamp(4.0, SIDE_MAX);
            let [inner, columns] = [(); 2].map(|()| log_uniform(random, (side / 4.0).max(2.0), side) as u64);
            (Matmul::real(side as u64, inner, columns).into(), if side < 100.0 { chunks(random) } else { 1 })
        }
        1 => {
            let chunks = chunks(random).min(rows / 64).max(1);
            let length = (rows / chunks / 2).max(2) as u64;
            let length = if random.chance(0.7) { length.next_power_of_two() } else { length };
            let fft = if random.chance(0.5) { Fft::forward(length) } else { Fft::real_forward(length) };
            (fft.into(), chunks)
        }
        2 => {
            let most = WEIGHTS_MAX[random.below(2)].min(rows as f64);
            let weights = log_uniform(random, 3.0, most) as u64;
            let method = if weights < TRANSFORM_WEIGHTS { Method::Sum } else { Method::Transform };
            (Convolve { method, direction: Direction::Convolution, ..Convolve::line(rows as u64, weights) }.into(), 1)
        }
        _ => {
            let rows = rows as u64;
            let (method, direction) = (Method::Transform, Direction::Convolution);
            let past = Convolve { method, direction, padding: [[0, 0], [rows - 1, 0]], ..Convolve::line(rows, rows) };
            (past.into(), 1)
        }
    }
}

/// The captured table of a call: numbers around 1.
fn operand<T: Float>(call: &Call, chunks: usize, number: impl Fn(u64) -> T) -> Option<Lookup<T>> {
    let rows = call.table_rows(chunks as u64);
    call.has_table().then(|| lookup(&(0..rows).map(|row| number(row % 7)).collect::<Vec<_>>()))
}

/// Runs a call over a column, on a device or on the one that the session chooses.
pub(super) fn prepare<'a, T: Float>(
    session: &Session,
    device: Option<&str>,
    (call, column, placement): (Call, &'a Column<T>, Placement),
    number: impl Fn(u64) -> T,
) -> Result<Run<'a>> {
    let (session, device) = (session.clone(), device.map(str::to_string));
    let table = operand(&call, column.len() / call.rows_in() as usize, number);
    Ok(Box::new(move || {
        let start = Instant::now();
        let rows = match placement {
            Placement::Slice => session.from(&column[..]),
            Placement::Owned => session.from(column),
        };
        let query = rows.call(call, &table);
        let answer = match &device {
            Some(device) => query.require(device).run()?,
            None => query.run()?,
        };
        let time = start.elapsed().as_nanos() as f64;
        Ok(TimedCall { time, receipt: answer.receipt().clone() })
    }))
}
