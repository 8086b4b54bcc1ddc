//! What a program does with its rows, by sink, and the memory each thread needs for it.

use super::nodes::Nodes;
use super::output::{OutputEncoder, OutputScratch};
use super::program::Value;
use super::reduce::{FoldProgram, FoldState};
use super::scan::{ScanProgram, ScanState};

/// What becomes of the rows.
pub(super) enum SinkProgram {
    /// Every row is written.
    Store(Vec<SinkColumn>),
    /// The selected rows are written.
    Compact(Vec<SinkColumn>),
    /// The selected rows are folded.
    Reduce(Vec<FoldProgram>),
    /// The selected rows are written with running folds.
    Scan(ScanProgram),
}

/// A column that a sink writes.
pub(super) struct SinkColumn {
    /// Its value.
    pub(super) value: Value,
    /// How it leaves.
    pub(super) encoder: OutputEncoder,
}

/// What a thread needs for the sink.
pub(super) struct SinkScratch {
    /// Memory for a block on its way out.
    pub(super) spare: OutputScratch,
    /// Positions of selected rows.
    pub(super) positions: Vec<u16>,
    /// Folds of the leaf under way.
    pub(super) folds: Vec<FoldState>,
    /// The nodes of the leaves folded so far.
    pub(super) nodes: Nodes,
    /// Running folds of the leaf under way.
    pub(super) scan: Option<ScanState>,
}

impl SinkScratch {
    /// Memory for this sink.
    pub(super) fn new(sink: &SinkProgram) -> SinkScratch {
        let (mut folds, mut scan) = (Vec::new(), None);
        match sink {
            SinkProgram::Store(_) | SinkProgram::Compact(_) => {}
            SinkProgram::Reduce(programs) => folds = programs.iter().map(FoldState::new).collect(),
            SinkProgram::Scan(program) => scan = Some(ScanState::new(program)),
        }
        let (spare, nodes) = (OutputScratch::new(), Nodes::new(folds.len()));
        SinkScratch { spare, positions: vec![0; pointsman_ir::kernel::LEAF_ROWS + 1], folds, nodes, scan }
    }
}
