//! Locates the row of a fault: translates the row of a stage to the row of a source, if every stage between keeps all
//! rows in place; otherwise the message names the operation that produced the row.

use crate::error::Error;
use crate::exec::fault::keeps_rows;
use crate::exec::relational::plan_tables::PlanTables;
use pointsman_ir::fuse::{Stage, StageInput};

/// The error of a stage, with the row of a source if that is known.
#[cold]
pub(super) fn in_source_row(error: Error, tables: &PlanTables<'_>) -> Error {
    let Some((mut row, mut number)) = error.row().zip(error.stage()) else { return error };
    loop {
        let Some(stage) = tables.stages.get(number) else { return error };
        match place(stage, row) {
            Place::Source { row, .. } if tables.sources.len() == 1 => return error.in_row(row),
            Place::Source { number, row } => return error.in_row(row).in_source(number),
            Place::Stage { number: earlier, row: at }
                if tables.stages.get(earlier).is_some_and(|one| keeps_rows(&one.kernel)) =>
            {
                (row, number) = (at, earlier);
            }
            Place::Stage { number: earlier, row: at } => return error.behind_stage(at, earlier),
            Place::Unknown => return error.behind_rows(row, number),
        }
    }
}

/// The origin of a row of a stage.
enum Place {
    Source {
        number: u32,
        row: u64,
    },
    Stage {
        number: usize,
        row: u64,
    },
    /// The stage reads several tables in a row.
    Unknown,
}

fn place(stage: &Stage, row: u64) -> Place {
    let [part] = &stage.parts[..] else { return Place::Unknown };
    let row = row.saturating_add(part.skip);
    match part.input {
        StageInput::Source(source) => Place::Source { number: source.0, row },
        StageInput::Stage(number) => Place::Stage { number, row },
    }
}
