//! HOW to compute: a fused body (one row, in SSA) plus one sink. This is what a device compiles.
//!
//! A kernel reads input columns, run-time scalars, small captured tables ("lists") and other tables, and hands the rows
//! of its body to its sink. The row mask says which rows: a row whose mask is false or null never reaches the sink.
//! Two kernels are the same program exactly when they are equal; their text ([`mod@print`]) is stable.

pub mod call;
mod compacted;
pub mod estimate;
pub mod float;
mod merge;
pub mod parse;
pub mod print;
pub mod sink;
pub mod work;

pub use call::Call;
pub use estimate::Estimate;
pub use float::float_arithmetic;
pub use sink::{
    Fold, FoldInput, FoldMode, FoldOp, Frame, GroupOrder, MergeRule, NullOrder, PARTITION_BITS_MAX, PartialSchema,
    PartitionBy, Running, Sink, SortKey, SortOrder, StreamingSink,
};
pub use work::Work;

use crate::body::{Body, ValueId};
use crate::types::{DType, Type};

/// The unit of reproducible sums: rows whose number divided by this is equal form a leaf. Splits align to leaves.
pub const LEAF_ROWS: usize = 4096;
/// Accumulators inside a leaf: row `r` of the leaf is added to accumulator `r % LEAF_LANES`, in order of rows; then
/// accumulator `j` takes in accumulator `j + h` for `h` = half the lanes, a quarter, … 1.
pub const LEAF_LANES: usize = 128;
/// A leaf's prefix fold is three levels of this many: `SCAN_RADIX³ = LEAF_ROWS`. See `interpret/fold.rs`.
pub const SCAN_RADIX: usize = 16;

/// Another table that a kernel reads: for `Gather` any table, for `Probe` one with an index over a `Build` sink's keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SideTable {
    /// The types of its keys (without nulls: rows with a null key are not in a built table); empty if it is only gathered from.
    pub keys: Vec<DType>,
    /// The types of its columns.
    pub columns: Vec<Type>,
}

/// A fused body plus one sink.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// The types of the input columns, `c0`, `c1`, …
    pub columns: Vec<Type>,
    /// The types of the run-time scalars, `p0`, `p1`, …
    pub params: Vec<Type>,
    /// The element types of the captured tables, `l0`, `l1`, …
    pub lists: Vec<DType>,
    /// The other tables, `t0`, `t1`, …
    pub tables: Vec<SideTable>,
    /// The values of one row.
    pub body: Body,
    /// Which rows reach the sink: those where this is true. `None`: all.
    pub mask: Option<ValueId>,
    /// What happens to them.
    pub sink: Sink,
}

impl Kernel {
    /// The types of the finished result's columns.
    pub fn output(&self) -> Vec<Type> {
        self.sink.output(&self.body, self.may_drop_rows())
    }

    /// The schema of a partial result.
    pub fn partial(&self) -> PartialSchema {
        self.sink.partial(&self.body, self.may_drop_rows())
    }

    /// Whether some rows may not reach the sink: there is a mask, or a probe that drops rows.
    pub fn may_drop_rows(&self) -> bool {
        self.mask.is_some() || self.body.drops_rows()
    }

    /// The values the kernel computes for its own sake: the mask, then what the sink takes.
    pub fn roots(&self) -> Vec<ValueId> {
        self.mask.into_iter().chain(self.sink.operands()).collect()
    }

    /// The kernel's text.
    pub fn print(&self) -> String {
        print::print(self)
    }
}
