//! [`RowTarget`]: where the rows of a stage's batches go as they come, into memory or to the disk.

use crate::data::memory::Pool;
use crate::error::Result;
use crate::exec::merge::{HostBatch, Merger};
use crate::exec::spill::SpillWriter;
use crate::exec::stage_output::{StageOutput, append, spilled};
use crate::instrument::counters::RunCounters;
use crate::programs::program::CompiledStage;

/// The rows of a stage's batches.
pub(super) struct RowTarget<'t> {
    /// Makes rows of the batches' outputs, and keeps them if they stay in memory.
    merger: Merger<'t>,
    /// Takes the rows if they go to the disk.
    writer: Option<SpillWriter>,
    /// The most rows that a batch may read.
    pub(super) rows_max: usize,
}

impl<'t> RowTarget<'t> {
    /// Memory for what `rows` input rows give.
    pub(super) fn in_memory(
        stage: &'t CompiledStage,
        rows: usize,
        pool: &Pool,
        caller_values: Option<&'t mut [u8]>,
    ) -> Result<Self> {
        Ok(RowTarget {
            merger: Merger::with_room(stage, rows, pool, caller_values)?,
            writer: None,
            rows_max: usize::MAX,
        })
    }

    /// A table on the disk, filled from a merger with memory for the output of a batch of `rows_max` rows.
    pub(super) fn on_disk(merger: Merger<'t>, writer: SpillWriter, rows_max: usize) -> RowTarget<'t> {
        RowTarget { merger, writer: Some(writer), rows_max }
    }

    /// Takes the output of the next batch.
    pub(super) fn take(&mut self, batch: &HostBatch) -> Result<()> {
        self.merger.absorb(batch)?;
        match &mut self.writer {
            Some(writer) => self.merger.drain(|columns, rows| writer.append(columns, rows)),
            None => Ok(()),
        }
    }

    /// All rows.
    pub(super) fn finish<'d>(self, counters: &mut RunCounters) -> Result<StageOutput<'d>> {
        let rest = self.merger.finish()?;
        match self.writer {
            Some(mut writer) => {
                append(&mut writer, &rest)?;
                spilled(writer, counters)
            }
            None => Ok(StageOutput::in_memory(Box::new(rest))),
        }
    }
}
