//! Folds and running folds, in the order that docs/semantics.md writes down for floats. A slot is a row of the stage's
//! input; rows that a filter drops and null rows leave their slot empty.

use super::scalar::{Fault, greatest, least};
use crate::program::{Fold, Running};
use crate::value::{Type, Value};
use std::ops::Add;

const LEAF_ROWS: usize = 4096;
const ACCUMULATORS: usize = 128;
const GROUP: usize = 16;

/// A float type.
trait Float: Copy + Add<Output = Self> {
    const ZERO: Self;
    const MINUS_ZERO: Self;
    fn of(value: Value) -> Self;
    fn value(self) -> Value;
}

macro_rules! floats {
    ($($rust:ident $name:ident)*) => {$(
        impl Float for $rust {
            const ZERO: $rust = 0.0;
            const MINUS_ZERO: $rust = -0.0;

            fn of(value: Value) -> $rust {
                match value {
                    Value::$name(float) => float,
                    other => unreachable!("a sum of {other:?}"),
                }
            }

            fn value(self) -> Value {
                Value::$name(self)
            }
        }
    )*};
}

floats!(f32 F32 f64 F64);

/// A fold of the values in their slots.
pub(crate) fn fold(
    kind: Fold,
    ty: Type,
    slots: &[Option<Value>],
    selected_rows: usize,
) -> Result<Option<Value>, Fault> {
    let values = || slots.iter().copied().flatten();
    Ok(match (kind, ty) {
        (Fold::CountRows, _) => Some(Value::Int(selected_rows as i128)),
        (Fold::Count, _) => Some(Value::Int(values().count() as i128)),
        (Fold::Min, _) => values().reduce(least),
        (Fold::Max, _) => values().reduce(greatest),
        (Fold::Sum, Type::F32) => Some(float_sum::<f32>(slots).value()),
        (Fold::Sum, Type::F64) => Some(float_sum::<f64>(slots).value()),
        (Fold::Sum, ty) => Some(in_range(ty, values().map(Value::int).sum())?),
        (Fold::Mean, ty) => {
            let sum = match ty {
                Type::F64 => float_sum::<f64>(slots),
                Type::F32 => float_sum::<f64>(&slots.iter().map(|slot| slot.map(widened)).collect::<Vec<_>>()),
                _ => values().map(Value::int).sum::<i128>() as f64,
            };
            let count = values().count();
            (count > 0).then(|| Value::F64(sum / count as f64))
        }
    })
}

fn widened(value: Value) -> Value {
    Value::F64(f64::from(f32::of(value)))
}

fn in_range(ty: Type, sum: i128) -> Result<Value, Fault> {
    let (low, high) = ty.range();
    if (low..=high).contains(&sum) { Ok(Value::Int(sum)) } else { Err(Fault) }
}

/// A running fold: the fold of all slots up to each one.
pub(crate) fn running(kind: Running, ty: Type, slots: &[Option<Value>]) -> Result<Vec<Option<Value>>, Fault> {
    match (kind, ty) {
        (Running::Sum, Type::F32) => Ok(prefix_sums::<f32>(slots)),
        (Running::Sum, Type::F64) => Ok(prefix_sums::<f64>(slots)),
        (Running::Sum, ty) => {
            let mut sum = 0;
            let next = |slot: &Option<Value>| {
                sum += slot.map_or(0, Value::int);
                in_range(ty, sum).map(Some)
            };
            slots.iter().map(next).collect()
        }
        (Running::Count, _) => {
            let mut count = 0;
            let next = |slot: &Option<Value>| {
                count += i128::from(slot.is_some());
                Some(Value::Int(count))
            };
            Ok(slots.iter().map(next).collect())
        }
        (Running::Min, _) => Ok(running_choice(slots, least)),
        (Running::Max, _) => Ok(running_choice(slots, greatest)),
        (Running::Kept, _) => Ok(slots.to_vec()),
    }
}

fn running_choice(slots: &[Option<Value>], choose: fn(Value, Value) -> Value) -> Vec<Option<Value>> {
    let mut best: Option<Value> = None;
    let next = |slot: &Option<Value>| {
        if let Some(value) = *slot {
            best = Some(best.map_or(value, |best| choose(best, value)));
        }
        best
    };
    slots.iter().map(next).collect()
}

/// The sum of one leaf, without the final +0.
fn leaf_sum<T: Float>(slots: &[Option<Value>]) -> T {
    let mut sums = [T::MINUS_ZERO; ACCUMULATORS];
    for (row, slot) in slots.iter().enumerate() {
        if let Some(value) = slot {
            let sum = &mut sums[row % ACCUMULATORS];
            *sum = *sum + T::of(*value);
        }
    }
    let mut half = ACCUMULATORS / 2;
    while half > 0 {
        for at in 0..half {
            sums[at] = sums[at] + sums[at + half];
        }
        half /= 2;
    }
    sums[0]
}

/// The leaves joined in pairs, until one is left.
fn tree<T: Float>(mut nodes: Vec<T>) -> Option<T> {
    while nodes.len() > 1 {
        nodes = nodes.chunks(2).map(|pair| pair.get(1).map_or(pair[0], |&right| pair[0] + right)).collect();
    }
    nodes.first().copied()
}

fn float_sum<T: Float>(slots: &[Option<Value>]) -> T {
    tree(slots.chunks(LEAF_ROWS).map(leaf_sum::<T>).collect()).unwrap_or(T::MINUS_ZERO) + T::ZERO
}

/// The inclusive Hillis–Steele scan of a group.
fn scan_group<T: Float>(group: &mut [T]) {
    let mut step = 1;
    while step < GROUP {
        for at in (step..group.len()).rev() {
            group[at] = group[at - step] + group[at];
        }
        step *= 2;
    }
}

/// Inclusive scans of groups of 16, and the totals of the groups.
fn scan_groups<T: Float>(values: &mut [T]) -> Vec<T> {
    values
        .chunks_mut(GROUP)
        .map(|group| {
            scan_group(group);
            group[group.len() - 1]
        })
        .collect()
}

/// The sum before a place in its group.
fn exclusive<T: Float>(inclusive: &[T], at: usize) -> T {
    if at.is_multiple_of(GROUP) { T::MINUS_ZERO } else { inclusive[at - 1] }
}

/// The scans of a leaf: of its rows in groups, of the groups' totals, and of the totals of those.
struct LeafScan<T> {
    rows: Vec<T>,
    groups: Vec<T>,
    upper: Vec<T>,
}

impl<T: Float> LeafScan<T> {
    fn new(leaf: &[Option<Value>]) -> LeafScan<T> {
        let mut rows: Vec<T> = leaf.iter().map(|slot| slot.map_or(T::MINUS_ZERO, T::of)).collect();
        rows.resize(LEAF_ROWS, T::MINUS_ZERO);
        let mut groups = scan_groups(&mut rows);
        let mut upper = scan_groups(&mut groups);
        scan_groups(&mut upper);
        LeafScan { rows, groups, upper }
    }

    fn total(&self) -> T {
        self.upper[self.upper.len() - 1]
    }

    /// The sum up to a row of the leaf.
    fn up_to(&self, row: usize) -> T {
        let group = row / GROUP;
        exclusive(&self.upper, group / GROUP) + (exclusive(&self.groups, group) + self.rows[row])
    }
}

fn prefix_sums<T: Float>(slots: &[Option<Value>]) -> Vec<Option<Value>> {
    let leaves: Vec<LeafScan<T>> = slots.chunks(LEAF_ROWS).map(LeafScan::new).collect();
    let totals: Vec<T> = leaves.iter().map(LeafScan::total).collect();
    let carries: Vec<T> = (0..leaves.len()).map(|leaf| carry_into(&totals, leaf)).collect();
    let sum = |row: usize| {
        let leaf = row / LEAF_ROWS;
        carries[leaf] + leaves[leaf].up_to(row % LEAF_ROWS) + T::ZERO
    };
    (0..slots.len()).map(|row| Some(sum(row).value())).collect()
}

/// The sum of the tree nodes that cover the leaves before this one, largest first.
fn carry_into<T: Float>(leaves: &[T], leaf: usize) -> T {
    let (mut carry, mut start) = (T::MINUS_ZERO, 0);
    for bit in (0..usize::BITS).rev().map(|bit| 1usize << bit).filter(|bit| leaf & bit != 0) {
        carry = carry + tree(leaves[start..start + bit].to_vec()).unwrap_or(T::MINUS_ZERO);
        start += bit;
    }
    carry
}
