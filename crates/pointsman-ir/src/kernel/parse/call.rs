//! The text of a library call, as its `Display` writes it.

use super::ParseError;
use super::line::Line;
use crate::kernel::call::{Call, Convolve, Direction, Fft, Matmul, Method, Numbers, RightOperand, Storage, Transform};

pub(super) fn call(line: &mut Line<'_>) -> Result<Call, ParseError> {
    match line.word("a call")? {
        "matmul" => matmul(line).map(Call::Matmul),
        "fft" => fft(line).map(Call::Fft),
        "convolve" => convolve(line).map(Call::Convolve),
        other => line.fail(format!("expected a call (such as `matmul`), not `{other}`")),
    }
}

fn matmul(line: &mut Line<'_>) -> Result<Matmul, ParseError> {
    let numbers = line.one_of([("real", Numbers::Real), ("complex", Numbers::Complex)])?;
    let [rows, inner, columns] = sizes(line)?;
    line.expect("left")?;
    let left = storage(line)?;
    line.expect("right")?;
    let right = storage(line)?;
    let operand = line.one_of([("shared", RightOperand::Shared), ("per_chunk", RightOperand::PerChunk)])?;
    Ok(Matmul { numbers, rows, inner, columns, left, right, operand })
}

fn storage(line: &mut Line<'_>) -> Result<Storage, ParseError> {
    line.one_of([("rows", Storage::Rows), ("columns", Storage::Columns)])
}

fn fft(line: &mut Line<'_>) -> Result<Fft, ParseError> {
    let transform = line.one_of([
        ("forward", Transform::Forward),
        ("inverse", Transform::Inverse),
        ("real_forward", Transform::RealForward),
        ("real_inverse", Transform::RealInverse),
    ])?;
    let [outer, length] = sizes(line)?;
    line.expect("given")?;
    let [given] = sizes(line)?;
    line.expect("kept")?;
    let [kept] = sizes(line)?;
    Ok(Fft { transform, outer, length, given, kept })
}

fn convolve(line: &mut Line<'_>) -> Result<Convolve, ParseError> {
    let direction = line.one_of([("correlation", Direction::Correlation), ("convolution", Direction::Convolution)])?;
    let method = line.one_of([("sum", Method::Sum), ("transform", Method::Transform)])?;
    line.expect("channels")?;
    let [channels_in, channels_out] = sizes(line)?;
    line.expect("input")?;
    let input = sizes(line)?;
    line.expect("weights")?;
    let weights = sizes(line)?;
    line.expect("padding")?;
    let padding = [sizes(line)?, sizes(line)?];
    line.expect("stride")?;
    let stride = sizes(line)?;
    Ok(Convolve { method, direction, channels_in, channels_out, input, weights, padding, stride })
}

/// Several sizes, one after the other.
fn sizes<const N: usize>(line: &mut Line<'_>) -> Result<[u64; N], ParseError> {
    let mut sizes = [0; N];
    for size in &mut sizes {
        *size = line.number("a size")?;
    }
    Ok(sizes)
}
