//! The result of fusion: stages. A stage is a kernel together with the sources of its rows, scalars and tables.

use crate::body::{KeyUniqueness, ListId, ParamId, TableId};
use crate::kernel::Kernel;
use crate::plan::SourceId;

/// A table that a stage reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageInput {
    /// A table handed in at run time.
    Source(SourceId),
    /// The output of an earlier stage.
    Stage(usize),
}

/// Rows that a stage reads: consecutive rows of one table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StagePart {
    /// The table.
    pub input: StageInput,
    /// For each column of the kernel, the column of the table.
    pub columns: Vec<u32>,
    /// The number of the table's first rows that are skipped.
    pub skip: u64,
    /// The maximum number of rows that are read after those; `None`: all.
    pub fetch: Option<u64>,
}

/// The source of a kernel's scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageParam {
    /// A scalar handed in at run time, numbered among those that are
    /// ([`Plan::given_params`](crate::plan::Plan::given_params)).
    Given(ParamId),
    /// The only row of an earlier stage's output; null if there is no row, and an error if there are several.
    Row {
        /// The stage.
        stage: usize,
        /// The column of its output.
        column: u32,
    },
}

/// The contents of a kernel's other table: columns to gather from, and, if it is probed, an index over its keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StageTable {
    /// The table that is gathered from.
    pub rows: StageInput,
    /// For each table column of the kernel, the column of that table.
    pub columns: Vec<u32>,
    /// How rows are found; `None` if the table is only gathered from.
    pub index: Option<StageIndex>,
}

/// An index over the output of a `Build` stage. The first columns of that output are the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StageIndex {
    /// The `Build` stage.
    pub stage: usize,
    /// How rows are numbered: `None` by their place in the build's output, else by this column of it, which holds row
    /// numbers of the table that is gathered from.
    pub numbers: Option<u32>,
}

/// A bound on the pairs of a cross join: rows that the stage reads times rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PairLimit {
    /// The kernel's table.
    pub table: usize,
    /// The most pairs.
    pub pairs_max: u64,
}

/// One kernel and what it is applied to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stage {
    /// What it runs. A probe of a table whose keys may repeat is of a kind that multiplies rows; once the table's index
    /// is complete, [`Stage::for_keys`] chooses the kernel that runs.
    pub kernel: Kernel,
    /// The rows that it reads, one part after the other; at least one part.
    pub parts: Vec<StagePart>,
    /// The source of each scalar of the kernel.
    pub params: Vec<StageParam>,
    /// For each captured table of the kernel, the plan's.
    pub lists: Vec<ListId>,
    /// The source of each other table of the kernel.
    pub tables: Vec<StageTable>,
    /// Bounds on the pairs that it makes.
    pub pair_limits: Vec<PairLimit>,
}

impl Stage {
    /// The table that it reads all rows of; `None` if it reads some rows of a table, or several tables.
    pub fn whole_input(&self) -> Option<StageInput> {
        match &self.parts[..] {
            [StagePart { input, skip: 0, fetch: None, .. }] => Some(*input),
            _ => None,
        }
    }

    /// Whether it reads the output of an earlier stage, as rows, as a table, or as a scalar.
    pub fn reads(&self, stage: usize) -> bool {
        let output = StageInput::Stage(stage);
        let is_param = |param: &StageParam| matches!(param, StageParam::Row { stage: other, .. } if *other == stage);
        let is_table =
            |table: &StageTable| table.rows == output || table.index.is_some_and(|index| index.stage == stage);
        self.parts.iter().any(|part| part.input == output)
            || self.tables.iter().any(is_table)
            || self.params.iter().any(is_param)
    }

    /// The kernel for tables whose keys are unique, or not; `keys` answers for each of its tables.
    pub fn for_keys(&self, keys: impl Fn(TableId) -> KeyUniqueness) -> Kernel {
        Kernel { body: self.kernel.body.for_keys(keys), ..self.kernel.clone() }
    }
}
