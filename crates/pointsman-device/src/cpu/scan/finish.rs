//! The end of a scan: in go the prefixes inside leaves, out come the finished folds, with the carry into each leaf.

use super::super::block::{BLOCK_ROWS, bitmap, view, view_mut};
use super::super::nodes::{Acc, Head, Nodes, OutOfRange, finish_exact};
use super::super::output::{Out, Spare};
use super::frames;
use super::{LeafEnd, RunningProgram, ScanProgram};
use crate::host::HostBuffer;
use crate::launch::Faulted;
use pointsman_ir::kernel::Frame;
use pointsman_ir::types::{Repr, Scalar};
use std::ops::Range;

/// A column that the first pass kept: values side by side (truth values as bytes) and a bitmap.
pub(in crate::cpu) struct Kept {
    pub(in crate::cpu) values: HostBuffer,
    pub(in crate::cpu) validity: HostBuffer,
}

impl Kept {
    /// The validity of some rows, as bytes.
    pub(super) fn validity(&self, rows: Range<usize>, nullable: bool, dst: &mut [u8]) {
        if nullable {
            bitmap::unpack(&self.validity, rows.start, &mut dst[..rows.len()]);
        } else {
            dst[..rows.len()].fill(1);
        }
    }
}

/// Finishes all running folds. `kept` are the columns of [`ScanProgram::kept`], `outs` the folds' results.
pub(in crate::cpu) fn finish(
    scan: &ScanProgram,
    ends: &[LeafEnd],
    kept: &[Kept],
    outs: &mut [Out<'_>],
    spare: &mut Spare,
) -> Result<(), Faulted> {
    let carries = carries(scan, ends);
    let rows = ends.iter().map(|end| end.rows).sum();
    let starts = kept.last().filter(|_| scan.segment.is_some());
    let (mut column, mut carried) = (0, 0);
    for (number, (one, out)) in scan.running.iter().zip(outs).enumerate() {
        let values = one.kept().map(|_| &kept[column]);
        column += usize::from(values.is_some());
        let result = match (one.frame, values) {
            (Frame::Unbounded, Some(values)) => {
                carried += 1;
                let carries = carries.iter().map(|accs| accs[carried - 1]);
                unframed(one, ends, carries, values, out, spare)
            }
            (Frame::Unbounded, None) => Ok(()),
            (Frame::Preceding(preceding), values) => frames::finish(one, preceding, rows, values, starts, out),
        };
        result.map_err(|_| Faulted::Fold(number))?;
    }
    Ok(())
}

/// The carry into each leaf: the nodes that make up the leaves before it, the largest first.
fn carries(scan: &ScanProgram, ends: &[LeafEnd]) -> Vec<Vec<Acc>> {
    let nothing: Vec<Acc> = scan.unframed().map(|i| scan.running[i].fold.nothing()).collect();
    let mut before = Nodes::new(nothing.len());
    let mut carries = Vec::with_capacity(ends.len());
    for end in ends {
        carries.push(before.left_to_right(&nothing));
        before.push(Head { level: 0, index: end.leaf, starts: end.starts }, &end.accs);
    }
    carries
}

/// Adds the carries to the prefixes of a fold.
fn unframed(
    one: &RunningProgram,
    ends: &[LeafEnd],
    carries: impl Iterator<Item = Acc>,
    kept: &Kept,
    out: &mut Out<'_>,
    spare: &mut Spare,
) -> Result<(), OutOfRange> {
    let width = one.kept_repr().bytes();
    let widest = width.max(one.output.dtype.repr().bytes());
    let mut results = HostBuffer::zeroed(BLOCK_ROWS.min(kept.values.len() / width) * widest);
    let mut valid = HostBuffer::zeroed(BLOCK_ROWS);
    let mut row = 0;
    for (end, carry) in ends.iter().zip(carries) {
        for at in (0..end.rows).step_by(BLOCK_ROWS) {
            let n = BLOCK_ROWS.min(end.rows - at);
            let reached = end.reached.saturating_sub(at).min(n);
            let local = &kept.values[(row + at) * width..(row + at + n) * width];
            kept.validity(row + at..row + at + n, one.output.nullable, &mut valid);
            add_carry(one, carry, local, reached, &mut valid[..n], &mut results)?;
            let valid = one.output.nullable.then_some(&valid[..n]);
            out.put(&one.leaving, &results, valid, n, spare.leaving());
        }
        row += end.rows;
    }
    Ok(())
}

/// Adds a carry to the first `reached` of some prefixes.
fn add_carry(
    one: &RunningProgram,
    carry: Acc,
    local: &[u8],
    reached: usize,
    valid: &mut [u8],
    results: &mut [u8],
) -> Result<(), OutOfRange> {
    let n = valid.len();
    match carry {
        Acc::Count(carry) => add(view(local, n), view_mut(results, n), reached, |local: u64| carry + local, |x| x),
        Acc::Single(carry) => {
            add(view(local, n), view_mut(results, n), reached, |local: f32| carry + local, |x| x + 0.0);
        }
        Acc::Double(carry) => {
            add(view(local, n), view_mut(results, n), reached, |local: f64| carry + local, |x| x + 0.0);
        }
        Acc::Exact(carry) => {
            let repr = one.output.dtype.repr();
            for (i, &local) in view::<i128>(local, n).iter().enumerate() {
                let mut sum = Acc::Exact(local);
                if i < reached {
                    sum.combine(&Acc::Exact(carry));
                }
                let Acc::Exact(sum) = sum else { continue };
                let bits = finish_exact(sum, one.output.dtype)?.bits().to_le_bytes();
                results[i * repr.bytes()..(i + 1) * repr.bytes()].copy_from_slice(&bits[..repr.bytes()]);
            }
        }
        Acc::Min(_) | Acc::Max(_) => best(one, carry, local, reached, valid, results),
    }
    Ok(())
}

fn add<T: Copy>(local: &[T], results: &mut [T], reached: usize, carry: impl Fn(T) -> T, finish: impl Fn(T) -> T) {
    let (carried, rest) = results.split_at_mut(reached);
    for (result, &local) in carried.iter_mut().zip(local) {
        *result = finish(carry(local));
    }
    for (result, &local) in rest.iter_mut().zip(&local[reached..]) {
        *result = finish(local);
    }
}

/// The better of a carry and each prefix that it reaches.
fn best(one: &RunningProgram, carry: Acc, local: &[u8], reached: usize, valid: &mut [u8], results: &mut [u8]) {
    let repr = one.output.dtype.repr();
    let n = valid.len();
    results[..n * repr.bytes()].copy_from_slice(&local[..n * repr.bytes()]);
    let Some(carried) = carry.kept() else { return };
    for (i, valid) in valid.iter_mut().enumerate().take(reached) {
        let mut acc = carry;
        if *valid != 0 {
            acc.add(scalar_at(repr, local, i));
        }
        let bits = acc.kept().unwrap_or(carried).bits().to_le_bytes();
        results[i * repr.bytes()..(i + 1) * repr.bytes()].copy_from_slice(&bits[..repr.bytes()]);
        *valid = 1;
    }
}

/// A value among others of its representation.
pub(super) fn scalar_at(repr: Repr, values: &[u8], row: usize) -> Scalar {
    let (width, mut bits) = (repr.bytes(), [0; 16]);
    bits[..width].copy_from_slice(&values[row * width..(row + 1) * width]);
    Scalar::from_bits(repr, u128::from_le_bytes(bits))
}

/// The nodes of a partial result: one a leaf.
pub(in crate::cpu) fn write_nodes(ends: &[LeafEnd], outs: &mut [Out<'_>]) {
    for end in ends {
        let head = [Scalar::U8(0), Scalar::U64(end.leaf), Scalar::Bool(end.starts)].map(Some);
        let accs = end.accs.iter().map(|acc| acc.kept());
        for (out, value) in outs.iter_mut().zip(head.into_iter().chain(accs)) {
            out.push(value);
        }
    }
}
