//! Runs a whole stage on a device that works in host memory. Borrowed columns are read in place, and a small query
//! allocates only its output.

use crate::data::memory::InlineVec;
use crate::data::output::{Output, column_bytes};
use crate::error::Result;
use crate::exec::SingleDeviceRun;
use crate::exec::launch::StageLaunch;
use crate::exec::stage_output::StageOutput;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::launch::capacity;
use pointsman_device::{ColumnInput, ColumnOutput, Form};
use pointsman_ir::fuse::StageInput;

/// Runs a stage. The last one writes into `output`, and into the caller's memory if there is some.
#[inline]
pub(super) fn run(
    run: &mut SingleDeviceRun<'_>,
    number: usize,
    caller_values: Option<&mut [u8]>,
    output: &mut Output,
) -> Result<()> {
    if number + 1 == run.stages.len() {
        return stage(run, number, caller_values, output);
    }
    run_before_last(run, number)
}

#[inline(never)]
fn run_before_last(run: &mut SingleDeviceRun<'_>, number: usize) -> Result<()> {
    let mut output = Box::<Output>::default();
    stage(run, number, None, &mut output)?;
    run.outputs.push(StageOutput::in_memory(output));
    Ok(())
}

#[inline]
fn stage(
    run: &mut SingleDeviceRun<'_>,
    number: usize,
    mut caller_values: Option<&mut [u8]>,
    output: &mut Output,
) -> Result<()> {
    let (stage, rows) = (&run.stages[number], run.rows_read(&run.stages[number]));
    let SingleDeviceRun { context, outputs: earlier, timer, counters, .. } = run;
    // The chunks of columns that are not borrowed: owned ones, and those of an earlier stage.
    let mut owned: InlineVec<HostChunk<'_>> = InlineVec::new();
    for &column in stage.columns() {
        let chunk = match stage.input() {
            StageInput::Source(_) => context.source.columns[column as usize].owned_chunk(),
            StageInput::Stage(number) => earlier[number].chunk(column),
        };
        if let Some(chunk) = chunk {
            owned.push(chunk);
        }
    }
    let mut owned = owned.iter().map(std::slice::from_ref);
    let mut columns: InlineVec<ColumnInput<'_>> = InlineVec::new();
    for &column in stage.columns() {
        let lent = match stage.input() {
            StageInput::Source(_) => context.source.columns[column as usize].lent_pieces(),
            StageInput::Stage(_) => None,
        };
        columns.push(ColumnInput::Host(lent.or_else(|| owned.next()).unwrap_or(&[])));
    }
    let room = capacity(&stage.kernel, Form::Whole, rows).0;
    output.allocate(&stage.output, room, caller_values.as_deref(), context.pool)?;
    let mut outputs: InlineVec<ColumnOutput<'_>> = InlineVec::new();
    for column in &mut output.columns {
        let values = match caller_values.take() {
            Some(given) => given,
            None => &mut column.values[..room * column.ty.dtype.repr().bytes()],
        };
        let validity = column.valid.as_mut().map(|valid| &mut valid[..room.div_ceil(8)]);
        outputs.push(ColumnOutput::Host { values, bools: BoolLayout::Bytes, validity });
    }
    let launch = StageLaunch { stage, context, form: Form::Whole, rows: 0..rows, relational: None };
    let outcome = launch.run_in_place(&columns, &mut outputs, context.observer().as_ref(), timer, counters)?;
    drop(outputs);
    output.set_rows(outcome.rows);
    let bytes = output.columns.iter().map(|column| column_bytes(column.ty, outcome.rows) as u64);
    counters.bytes_written += bytes.sum::<u64>();
    counters.batches += 1;
    Ok(())
}
