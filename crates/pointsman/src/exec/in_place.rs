//! A whole stage on a device that works in the host's memory. Borrowed columns are read where they are, and a small
//! query allocates nothing but its output.

use crate::data::memory::InlineVec;
use crate::data::output::{Output, ResultColumn};
use crate::error::Result;
use crate::exec::SingleDeviceRun;
use crate::exec::context::RunContext;
use crate::exec::launch::StageLaunch;
use crate::exec::stage_output::StageOutput;
use crate::programs::program::CompiledStage;
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
    caller_values: Option<&mut [u8]>,
    output: &mut Output,
) -> Result<()> {
    let (stage, rows) = (&run.stages[number], run.rows_read(&run.stages[number]));
    let SingleDeviceRun { context, outputs: earlier, timer, counters, .. } = run;
    let mut owned: InlineVec<HostChunk<'_>> = InlineVec::new();
    for &column in &stage.columns {
        if let Some(chunk) = owned_chunk(stage, column, context, earlier) {
            owned.push(chunk);
        }
    }
    let mut columns: InlineVec<ColumnInput<'_>> = InlineVec::new();
    bind_columns(stage, context, &owned, &mut columns);
    let room = capacity(&stage.kernel, Form::Whole, rows).0;
    output.allocate(&stage.output, room, caller_values.as_deref(), context.pool)?;
    let mut outputs: InlineVec<ColumnOutput<'_>> = InlineVec::new();
    bind_outputs(&mut output.columns, room, caller_values, &mut outputs);
    let launch = StageLaunch { stage, context, form: Form::Whole, rows: 0..rows };
    let outcome = launch.run_in_place(&columns, &mut outputs, context.observer().as_ref(), timer, counters)?;
    drop(outputs);
    output.set_rows(outcome.rows);
    counters.bytes_written += output.columns.iter().map(|column| column.bytes() as u64).sum::<u64>();
    counters.batches += 1;
    Ok(())
}

/// The chunk of a column that is not borrowed: an owned column, or one of an earlier stage.
#[inline]
fn owned_chunk<'a>(
    stage: &CompiledStage,
    column: u32,
    context: &'a RunContext<'_>,
    earlier: &'a [StageOutput<'_>],
) -> Option<HostChunk<'a>> {
    match stage.input {
        StageInput::Source(_) => context.inputs[column as usize].owned_chunk(),
        StageInput::Stage(number) => earlier[number].chunk(column),
    }
}

/// The columns of a stage: borrowed ones where they are, others from `owned`, in order.
#[inline]
fn bind_columns<'a>(
    stage: &CompiledStage,
    context: &'a RunContext<'_>,
    owned: &'a [HostChunk<'a>],
    columns: &mut InlineVec<ColumnInput<'a>>,
) {
    let mut owned = owned.iter().map(std::slice::from_ref);
    for &column in &stage.columns {
        let lent = match stage.input {
            StageInput::Source(_) => context.inputs[column as usize].lent_pieces(),
            StageInput::Stage(_) => None,
        };
        columns.push(ColumnInput::Host(lent.or_else(|| owned.next()).unwrap_or(&[])));
    }
}

/// The outputs of a launch, in the columns' memory.
#[inline]
fn bind_outputs<'a>(
    columns: &'a mut [ResultColumn],
    rows: usize,
    mut caller_values: Option<&'a mut [u8]>,
    outputs: &mut InlineVec<ColumnOutput<'a>>,
) {
    for column in columns {
        let values = match caller_values.take() {
            Some(given) => given,
            None => &mut column.values[..rows * column.ty.dtype.repr().bytes()],
        };
        let validity = column.valid.as_mut().map(|valid| &mut valid[..rows.div_ceil(8)]);
        outputs.push(ColumnOutput::Host { values, bools: BoolLayout::Bytes, validity });
    }
}
