//! [`StageSize`]: the size of the next stage of a plan: the number of input rows, the sizes of the tables that it
//! probes or gathers from, and an estimate of the result from earlier runs or, if there are none, from a sample of
//! keys. The selector and the first output allocation use it: a wrong estimate costs time or memory, never a row.

use crate::error::Result;
use crate::exec::relational::index::key_types;
use crate::exec::relational::plan_tables::PlanTables;
use crate::exec::relational::rows::{part_chunks, stage_rows};
use crate::exec::relational::sample::{KeyColumn, KeySample};
use pointsman_ir::body::{Inst, ProbeKind, ValueId};
use pointsman_ir::fuse::{Stage, StageIndex, StageInput};
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::types::DType;

/// Stages of fewer rows are not sampled: a sample takes about as long as such a stage.
const SAMPLED_ROWS_MIN: usize = 1 << 16;

/// The rows that a stage reads, and the rows that it is expected to return.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StageSize {
    /// The rows that it reads.
    pub(crate) rows: usize,
    /// The rows of the tables that it probes and gathers from.
    pub(crate) tables: Vec<StageTableRows>,
    /// The expected rows of the result, from an earlier run or a sample; `None` if the input determines them or nothing
    /// is known.
    pub(crate) output: Option<usize>,
}

/// The rows of a table of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StageTableRows {
    /// The rows of the index; 0 without an index.
    pub(crate) indexed: usize,
    /// The rows of the table that columns are gathered from.
    pub(crate) gathered: usize,
}

impl PlanTables<'_> {
    /// The size of the next stage. `known(rows, is_proportional)` returns the result size that earlier runs suggest for
    /// `rows` input rows, scaled to them if `is_proportional`.
    pub(crate) fn next_size(&self, known: impl FnOnce(usize, bool) -> Option<usize>) -> Result<StageSize> {
        let stage = self.next_stage()?;
        let rows = stage_rows(self, stage)?;
        let mut tables = Vec::with_capacity(stage.tables.len());
        for table in &stage.tables {
            let index = table.index.map(|index| self.table_rows(StageInput::Stage(index.stage))).transpose()?;
            tables.push(StageTableRows { indexed: index.unwrap_or(0), gathered: self.table_rows(table.rows)? });
        }
        let output = match gives_unknown_rows(&stage.kernel) {
            true => known(rows, !stage.tables.is_empty()),
            false => None,
        };
        let output = match output {
            None if rows >= SAMPLED_ROWS_MIN => self.expected_rows(stage, rows)?,
            known => known,
        };
        Ok(StageSize { rows, tables, output })
    }

    /// The estimated rows of a group or a join, from a sample of its keys; `None` for other stages, and if a key is not
    /// a column.
    fn expected_rows(&self, stage: &Stage, rows: usize) -> Result<Option<usize>> {
        let sampled = |keys: &[ValueId]| -> Result<Option<KeySample>> {
            let Some(columns) = key_columns(&stage.kernel, keys) else { return Ok(None) };
            let chunks: Vec<_> =
                columns.iter().map(|&column| part_chunks(self, stage, column)).collect::<Result<_>>()?;
            let typed = chunks.iter().zip(&columns);
            let keys: Vec<KeyColumn<'_>> =
                typed.map(|(chunks, &column)| KeyColumn { chunks, ty: stage.kernel.columns[column] }).collect();
            Ok(Some(KeySample::of(&keys, rows)))
        };
        let counted = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        match &stage.kernel.sink {
            Sink::Group { keys, .. } if stage.tables.is_empty() && stage.kernel.mask.is_none() => {
                Ok(sampled(keys)?.map(|sample| counted(sample.distinct_keys())))
            }
            Sink::Compact { .. } => {
                let Some((index, keys, keeps_all)) = only_probe(stage) else { return Ok(None) };
                let Some(sample) = sampled(&keys)? else { return Ok(None) };
                let pairs = counted(sample.join_rows(&self.index_sample(index)?));
                Ok(Some(if keeps_all { pairs.max(rows) } else { pairs }))
            }
            Sink::Group { .. } | Sink::Store { .. } | Sink::Reduce { .. } | Sink::Scan { .. } => Ok(None),
            Sink::Sort { .. } | Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => Ok(None),
        }
    }

    /// A sample of the keys of a built table.
    fn index_sample(&self, index: StageIndex) -> Result<KeySample> {
        let types = key_types(self.stages[index.stage])?;
        let column = |column| self.column(StageInput::Stage(index.stage), column);
        let chunks: Vec<_> = (0..types.len() as u32).map(column).collect::<Result<_>>()?;
        let keys = chunks.iter().zip(types.into_iter().map(DType::required));
        let keys: Vec<KeyColumn<'_>> = keys.map(|(chunks, ty)| KeyColumn { chunks, ty }).collect();
        Ok(KeySample::of(&keys, self.output(index.stage)?.rows))
    }
}

/// Whether the rows of a kernel's result are not known from those that it reads.
fn gives_unknown_rows(kernel: &Kernel) -> bool {
    match &kernel.sink {
        Sink::Group { .. } => true,
        Sink::Compact { .. } | Sink::Build { .. } => kernel.mask.is_some() || !kernel.tables.is_empty(),
        Sink::Store { .. } | Sink::Reduce { .. } | Sink::Scan { .. } | Sink::Sort { .. } => false,
        Sink::Partition { .. } | Sink::Call { .. } => false,
    }
}

/// The columns that these keys are; `None` if one of them is computed.
fn key_columns(kernel: &Kernel, keys: &[ValueId]) -> Option<Vec<usize>> {
    let column = |&key: &ValueId| match kernel.body.inst(key) {
        Inst::Column(column) => Some(column.index()),
        Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Call { .. } | Inst::Lookup { .. } => None,
        Inst::Gather { .. } | Inst::Probe { .. } => None,
        Inst::Loop { .. } | Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => None,
    };
    keys.iter().map(column).collect()
}

/// The probe of a stage that has no other one and no mask: its index, its keys, and whether rows without a match are
/// kept.
fn only_probe(stage: &Stage) -> Option<(StageIndex, Vec<ValueId>, bool)> {
    if stage.kernel.mask.is_some() {
        return None;
    }
    let mut probes = stage.kernel.body.iter().filter_map(|(_, inst, _)| match inst {
        Inst::Probe { table, keys, when: None, kind } => Some((*table, keys, *kind)),
        Inst::Probe { .. } | Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex => None,
        Inst::Call { .. } | Inst::Lookup { .. } | Inst::Gather { .. } => None,
        Inst::Loop { .. } | Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => None,
    });
    let (table, keys, kind) = probes.next()?;
    if probes.next().is_some() {
        return None;
    }
    let keeps_all = match kind {
        ProbeKind::Inner | ProbeKind::UniqueInner => false,
        ProbeKind::Left | ProbeKind::UniqueLeft => true,
        ProbeKind::Exists => return None,
    };
    Some((stage.tables.get(table.index())?.index?, keys.clone(), keeps_all))
}
