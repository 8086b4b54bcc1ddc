//! The sinks of a program, and the memory that each thread needs for them.

use super::nodes::Nodes;
use super::output::{OutputEncoder, OutputScratch};
use super::program::Value;
use super::reduce::{FoldProgram, FoldState};
use super::scan::{ScanProgram, ScanState};

/// The sink of a program.
pub(super) enum SinkProgram {
    /// Writes every row.
    Store(Vec<SinkColumn>),
    /// Writes the selected rows.
    Compact(Vec<SinkColumn>),
    /// Folds the selected rows.
    Reduce(Vec<FoldProgram>),
    /// Writes the selected rows with running folds.
    Scan(ScanProgram),
}

/// A column that a sink writes.
pub(super) struct SinkColumn {
    /// The value.
    pub(super) value: Value,
    /// The encoder.
    pub(super) encoder: OutputEncoder,
}

/// The memory that a thread needs for the sink.
pub(super) struct SinkScratch {
    /// Scratch memory for encoding a block.
    pub(super) spare: OutputScratch,
    /// Positions of the selected rows.
    pub(super) positions: Vec<u16>,
    /// The folds of the current leaf.
    pub(super) folds: Vec<FoldState>,
    /// The nodes of the leaves folded so far.
    pub(super) nodes: Nodes,
    /// The running folds of the current leaf.
    pub(super) scan: Option<ScanState>,
}

impl SinkScratch {
    /// Allocates the memory for a sink.
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
