//! Random sinks over a random body. They take every value that nothing else uses, so that little of a body is dead.

use super::expr::Exprs;
use super::profile::{FastSums, FoldTriple, Quota, SinkKind};
use super::ranges;
use super::values::{self, Spread, integer_range};
use crate::body::{Inst, ListId, ValueId};
use crate::data::ColumnData;
use crate::kernel::{
    Fold, FoldMode, FoldOp, Frame, GroupOrder, NullOrder, PartitionBy, Running, Sink, SortKey, SortOrder,
};
use crate::op::Op;
use crate::types::{DType, Scalar};

/// The maximum number of values a sink takes.
const ROOTS_MAX: usize = 12;
/// A row may be multiplied by about this many matches.
const MATCHES_USUAL: i128 = 64;

impl Exprs<'_> {
    /// The mask: what unguarded values need, and for most kernels a random condition.
    pub(super) fn mask(&mut self) -> Option<ValueId> {
        let mut parts = std::mem::take(&mut self.mask_needs);
        if self.rng.chance(55) {
            // Behind the needs: where one of them is false the condition is not asked.
            parts.push(self.condition());
        }
        let mut mask = parts.first().copied()?;
        for &part in &parts[1..] {
            mask = self.call(Op::And, &[mask, part], None).expect("a mask is made of truth values");
        }
        self.uses[mask.index()] += 1;
        Some(mask)
    }

    /// A sink of this kind.
    pub(super) fn sink(&mut self, kind: SinkKind, quota: &Quota) -> Sink {
        let roots = self.roots();
        match kind {
            SinkKind::Store => Sink::Store { columns: roots },
            SinkKind::Compact => Sink::Compact { columns: roots },
            SinkKind::Reduce => Sink::Reduce { folds: self.folds(&roots, quota.fold) },
            SinkKind::Scan => self.scan(roots, quota),
            SinkKind::Sort => {
                let keys = self.sort_keys();
                let limits = [Some(0), Some(1), Some(10), Some(self.rows as u64 / 2), None, None, None, None];
                Sink::Sort { keys, columns: roots, limit: self.rng.pick(&limits) }
            }
            SinkKind::Group => self.group(&roots, quota),
            SinkKind::Build => Sink::Build { keys: self.keys(), columns: roots },
            SinkKind::Partition => self.partition(roots),
            SinkKind::Call => unreachable!("no profile has calls"),
        }
    }

    fn roots(&mut self) -> Vec<ValueId> {
        let mut roots = self.unused();
        let old = roots.len().saturating_sub(ROOTS_MAX);
        roots.drain(..old);
        if roots.is_empty() || self.rng.chance(20) {
            roots.extend(self.seen(|_| true));
        }
        if roots.is_empty() {
            roots.push(self.condition());
        }
        for v in &roots {
            self.uses[v.index()] += 1;
        }
        roots
    }

    /// A fold of each value, the requested fold, and sometimes a count of rows.
    fn folds(&mut self, roots: &[ValueId], asked: Option<FoldTriple>) -> Vec<Fold> {
        let mut folds: Vec<Fold> = roots.iter().map(|&root| self.fold(root, None)).collect();
        if let Some((op, class, nullable)) = asked {
            let dtype = self.rng.pick(class.samples());
            if let Some(v) = self.operand(dtype, Some(nullable)) {
                folds.push(self.fold(v, Some(op)));
            }
        }
        if self.rng.chance(30) {
            folds.push(Fold::COUNT_ROWS);
        }
        folds
    }

    pub(super) fn fold(&mut self, v: ValueId, op: Option<FoldOp>) -> Fold {
        let dtype = self.ty(v).dtype;
        let fit: Vec<FoldOp> = FoldOp::ALL.into_iter().filter(|op| op.takes(dtype)).collect();
        let value = match op {
            Some(FoldOp::Sum) => Some(self.summand(v)),
            Some(FoldOp::Count | FoldOp::Total | FoldOp::Min | FoldOp::Max) | None => None,
        };
        let op = op.unwrap_or_else(|| self.rng.pick(&fit));
        let as_it_is = op != FoldOp::Sum || self.rng.chance(10);
        let value = value.unwrap_or_else(|| if as_it_is { v } else { self.widened_summand(v) });
        // Chosen by the value's number, so that kernels are otherwise the same with fast sums and without.
        let is_fast = self.profile.fast_sums == FastSums::Some && value.index().is_multiple_of(3);
        let is_float_sum = op == FoldOp::Sum && self.ty(value).dtype.is_float();
        let mode = if is_fast && is_float_sum { FoldMode::Fast } else { FoldMode::Reproducible };
        Fold { mode, ..Fold::of(op, value) }
    }

    /// A short integer as a long one, so that its sum fits.
    fn widened_summand(&mut self, v: ValueId) -> ValueId {
        let dtype = self.ty(v).dtype;
        let short = dtype.is_integer() && dtype.repr().bytes() < 8;
        let wide = short.then(|| self.call(Op::Cast, &[v], Some(DType::I64))).flatten();
        self.summand(wide.unwrap_or(v))
    }

    /// The value moved so near to zero that the sum of all rows fits (except for a few).
    fn summand(&mut self, v: ValueId) -> ValueId {
        let dtype = self.ty(v).dtype;
        let Some((least, most)) = integer_range(dtype) else { return v };
        if self.unguarded > 0 || self.rng.chance(3) {
            self.unguarded = self.unguarded.saturating_sub(1);
            return v;
        }
        let sum_most = if dtype.is_decimal() { 10i128.pow(38) - 1 } else { most };
        let rows = self.rows.max(1) as i128 * if self.body.multiplies_rows() { MATCHES_USUAL } else { 1 };
        let bound = if rows < 300 { (sum_most / rows).max(1) } else { sum_most / rows };
        if least >= -bound && most <= bound {
            return v;
        }
        self.clamped(&[v], &[ranges::integers(dtype, -bound, bound)]).map_or(v, |moved| moved[0])
    }

    /// Groups in order of their first rows or of their hashes.
    fn group(&mut self, roots: &[ValueId], quota: &Quota) -> Sink {
        let keys = if self.rng.chance(4) { Vec::new() } else { self.keys() };
        let folds = self.folds(roots, quota.fold);
        let order = match self.rng.chance(50) {
            true => GroupOrder::Least(self.add(Inst::RowIndex, DType::U64.required())),
            false => GroupOrder::Hash,
        };
        Sink::Group { keys, folds, order }
    }

    fn scan(&mut self, mut roots: Vec<ValueId>, quota: &Quota) -> Sink {
        let columns = roots.split_off(roots.len() / 2);
        let folds = self.folds(&roots, quota.fold);
        let mut running: Vec<Running> = folds.into_iter().map(|fold| Running { fold, frame: self.frame() }).collect();
        if running.is_empty() {
            running.push(Running { fold: Fold::COUNT_ROWS, frame: Frame::Unbounded });
        }
        let segment = self.rng.chance(45).then(|| self.condition());
        Sink::Scan { columns, running, segment }
    }

    fn frame(&mut self) -> Frame {
        let before = self.rng.pick(&[0, 1, 2, 5, 100]);
        if self.rng.chance(70) { Frame::Unbounded } else { Frame::Preceding(before) }
    }

    /// One or two values that can be compared.
    fn keys(&mut self) -> Vec<ValueId> {
        let mut keys = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            keys.extend(self.seen(|ty| ty.dtype != DType::Opaque));
        }
        if keys.is_empty() {
            keys.push(self.condition());
        }
        keys
    }

    fn sort_keys(&mut self) -> Vec<SortKey> {
        let mut keys = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            let value = self.seen(|ty| ty.dtype.is_ordered()).unwrap_or_else(|| self.condition());
            keys.push(SortKey {
                value,
                order: self.rng.pick(&[SortOrder::Ascending, SortOrder::Descending]),
                nulls: self.rng.pick(&[NullOrder::First, NullOrder::Last]),
            });
        }
        keys
    }

    fn partition(&mut self, columns: Vec<ValueId>) -> Sink {
        let bits = self.rng.pick(&[0, 1, 3, 4]);
        if self.rng.chance(50) {
            return Sink::Partition { by: PartitionBy::Hash(self.keys()), bits, columns };
        }
        let key = self.seen(|ty| ty.dtype.is_ordered()).unwrap_or_else(|| self.condition());
        let dtype = self.ty(key).dtype;
        let spread = Spread::random(&mut self.rng);
        let mut bounds: Vec<Scalar> =
            (1..1 << bits).map(|_| values::scalar(&mut self.rng, dtype, spread)).map(Scalar::canonical).collect();
        bounds.sort_by(|a, b| ascending(*a, *b));
        self.lists.push(ColumnData::from_scalars(dtype.required(), bounds.into_iter().map(Some)));
        let bounds = ListId(self.lists.len() as u32 - 1);
        Sink::Partition { by: PartitionBy::Range { key, bounds }, bits, columns }
    }
}

/// The order of values of one type: −0 below +0, NaN above everything.
fn ascending(a: Scalar, b: Scalar) -> std::cmp::Ordering {
    match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) => a.total_cmp(&b),
        (Scalar::F64(a), Scalar::F64(b)) => a.total_cmp(&b),
        (a, b) => a.as_integer().cmp(&b.as_integer()),
    }
}
