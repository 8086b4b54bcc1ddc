//! [`Stock`]: what of a query lies in a device's memory, and what earlier stages gave, there or in the host's.

use crate::data::identity::ColumnIdentity;
use crate::data::memory::{Few, Pool};
use crate::data::output::Output;
use crate::devices::download::Early;
use crate::devices::residency::Place;
use crate::devices::residency::kept;
use crate::devices::transfer::{Port, Resident};
use crate::error::{Error, Result};
use crate::exec::in_place::{Job, Step};
use pointsman_device::host::HostChunk;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::types::DType;
use std::sync::Arc;

/// What is on the device: the source's columns and captured tables that stages read, and what stages gave.
pub(in crate::exec) struct Stock<'d> {
    columns: Vec<Option<Sent<'d>>>,
    lists: Vec<Option<Sent<'d>>>,
    done: Vec<Given<'d>>,
}

/// A column or table of the query that is on the device.
enum Sent<'d> {
    /// For this run alone.
    Here(Resident<'d>),
    /// Brought over by this run, and may stay.
    New(Arc<kept::Kept>),
    /// It was there before.
    There(Arc<kept::Kept>),
}

impl<'d> Sent<'d> {
    fn column(&self) -> &Resident<'d> {
        match self {
            Sent::Here(column) => column,
            Sent::New(kept) | Sent::There(kept) => &kept.column,
        }
    }

    /// Bytes of the device's memory that the run has for it.
    fn held_bytes(&self) -> u64 {
        match self {
            Sent::Here(_) | Sent::New(_) => self.column().held_bytes(),
            Sent::There(_) => 0,
        }
    }
}

/// What a stage gave. Each column is on the device, in the host's memory, or in both.
pub(in crate::exec) struct Given<'d> {
    device: Vec<Option<Resident<'d>>>,
    host: Option<Kept<'d>>,
    /// What of it comes to the host already.
    early: Option<Early<'d>>,
    rows: usize,
}

/// Columns in the host's memory.
enum Kept<'d> {
    Own(Box<Output>),
    /// Those of a stage that several devices did.
    Lent(&'d Output),
}

impl Kept<'_> {
    fn output(&self) -> &Output {
        match self {
            Kept::Own(output) => output,
            Kept::Lent(output) => output,
        }
    }
}

impl<'d> Given<'d> {
    /// Columns that stay on the device, and may be on their way from there.
    pub(in crate::exec) fn on_device(columns: Vec<Resident<'d>>, rows: usize, early: Option<Early<'d>>) -> Given<'d> {
        Given { device: columns.into_iter().map(Some).collect(), host: None, early, rows }
    }

    /// Columns in the host's memory.
    pub(in crate::exec) fn on_host(output: Output) -> Given<'d> {
        let device = output.columns.iter().map(|_| None).collect();
        Given { device, rows: output.rows, host: Some(Kept::Own(Box::new(output))), early: None }
    }

    /// Columns in the host's memory that others read too.
    pub(in crate::exec) fn lent(output: &'d Output) -> Given<'d> {
        let device = output.columns.iter().map(|_| None).collect();
        Given { device, rows: output.rows, host: Some(Kept::Lent(output)), early: None }
    }

    /// Copies the columns into the host's memory, unless they are there; the device keeps its own.
    fn fetch(&mut self, port: &mut Port<'_>, pool: &Pool, into: Option<&mut [u8]>) -> Result<()> {
        if self.host.is_some() {
            return Ok(());
        }
        let columns = self.device.iter().flatten();
        let columns = match self.early.take().filter(|early| self.rows <= early.rows) {
            Some(early) => early.finish(port, columns, pool, into)?,
            None => port.fetch_all(&columns.collect::<Few<_>>(), pool, into)?,
        };
        self.host = Some(Kept::Own(Box::new(Output { columns: columns.into_iter().collect(), rows: self.rows })));
        Ok(())
    }
}

impl<'d> Stock<'d> {
    /// What is there before anything runs: resident columns.
    pub(in crate::exec) fn new(job: &Job<'_>, port: &Port<'_>) -> Result<Stock<'d>> {
        let none = |count: usize| (0..count).map(|_| None).collect();
        let mut stock = Stock { columns: none(job.inputs.len()), lists: none(job.lists.len()), done: Vec::new() };
        for (place, kept) in job.grant.iter().flat_map(|grant| grant.take_hits()) {
            kept.await_on(port.stream)?;
            let slot = match place {
                Place::Column(index) => &mut stock.columns[index],
                Place::List(index) => &mut stock.lists[index],
            };
            *slot = Some(Sent::There(kept));
        }
        Ok(stock)
    }

    /// Lets columns that were brought over stay, for later queries.
    pub(in crate::exec) fn leave(&self, job: &Job<'_>, port: &Port<'_>) -> Result<()> {
        let Some(grant) = job.grant else { return Ok(()) };
        let columns = self.columns.iter().zip(job.inputs.iter().map(|input| input.identity()));
        let lists = self.lists.iter().zip(job.lists.iter().map(|list| list.values.identity()));
        for (sent, identity) in columns.chain(lists) {
            if let (Some(Sent::New(kept)), Some(identity)) = (sent, identity) {
                kept.mark(port.stream)?;
                grant.residency.offer(identity, kept.clone());
            }
        }
        Ok(())
    }

    /// Keeps what the next stage gave.
    pub(in crate::exec) fn push(&mut self, given: Given<'d>) {
        self.done.push(given);
    }

    /// What the last stage gave, in the host's memory: `into` is the caller's for the only column's values.
    pub(in crate::exec) fn into_last(
        mut self,
        port: &mut Port<'_>,
        pool: &Pool,
        into: Option<&mut [u8]>,
    ) -> Result<Output> {
        let mut last = self.done.pop().ok_or_else(|| Error::internal("no stage gave anything"))?;
        last.fetch(port, pool, into)?;
        match last.host {
            Some(Kept::Own(output)) => Ok(*output),
            Some(Kept::Lent(_)) | None => Err(Error::internal("a stage's columns are nowhere")),
        }
    }

    /// Bytes of the device's memory that are held.
    pub(in crate::exec) fn held_bytes(&self) -> u64 {
        let given = self.done.iter().flat_map(|given| &given.device).flatten().map(Resident::held_bytes);
        self.columns.iter().chain(&self.lists).flatten().map(Sent::held_bytes).chain(given).sum()
    }

    /// How many rows a stage reads.
    pub(in crate::exec) fn rows_of(&self, stage: &Stage, job: &Job<'_>) -> usize {
        match stage.input {
            StageInput::Source(_) => job.rows,
            StageInput::Stage(number) => self.done[number].rows,
        }
    }

    /// The columns that a stage reads, on the device.
    pub(in crate::exec) fn columns_of(&self, stage: &Stage) -> Vec<&Resident<'d>> {
        stage.columns.iter().filter_map(|&index| self.slot(stage, index)).collect()
    }

    /// The captured tables that a stage reads, on the device.
    pub(in crate::exec) fn lists_of(&self, stage: &Stage) -> Vec<&Resident<'d>> {
        stage.lists.iter().filter_map(|id| Some(self.lists[id.index()].as_ref()?.column())).collect()
    }

    fn slot(&self, stage: &Stage, index: u32) -> Option<&Resident<'d>> {
        match stage.input {
            StageInput::Source(_) => self.columns[index as usize].as_ref().map(Sent::column),
            StageInput::Stage(number) => self.done[number].device[index as usize].as_ref(),
        }
    }

    /// The pieces of a column that a stage reads, in the host's memory; none if it is only on the device.
    pub(in crate::exec) fn pieces<'a>(&'a self, stage: &Stage, index: u32, job: &'a Job<'_>) -> Few<HostChunk<'a>> {
        match stage.input {
            StageInput::Source(_) => job.inputs[index as usize].pieces(),
            StageInput::Stage(number) => self.done[number].pieces(index),
        }
    }

    /// Whether a column that a stage reads must still be copied to the device.
    pub(in crate::exec) fn is_missing(&self, stage: &Stage, index: u32) -> bool {
        self.slot(stage, index).is_none()
    }

    /// Whether a captured table must still be copied to the device.
    pub(in crate::exec) fn is_list_missing(&self, index: usize) -> bool {
        self.lists[index].is_none()
    }

    /// Copies in the columns that a stage reads and that are not there yet.
    pub(in crate::exec) fn send_columns(&mut self, stage: &Stage, job: &Job<'_>, port: &mut Port<'d>) -> Result<()> {
        for (&index, ty) in stage.columns.iter().zip(&stage.kernel.columns) {
            if !self.is_missing(stage, index) {
                continue;
            }
            match stage.input {
                StageInput::Source(_) => {
                    let input = &job.inputs[index as usize];
                    let sent = send(&input.pieces(), ty.dtype, input.identity(), job, port)?;
                    self.columns[index as usize] = Some(sent);
                }
                StageInput::Stage(number) => {
                    let sent = port.send(&self.done[number].pieces(index), ty.dtype)?;
                    self.done[number].device[index as usize] = Some(sent);
                }
            }
        }
        Ok(())
    }

    /// Copies in the captured tables that a stage reads and that are not there yet.
    pub(in crate::exec) fn send_lists(&mut self, stage: &Stage, job: &Job<'_>, port: &mut Port<'d>) -> Result<()> {
        for (id, dtype) in stage.lists.iter().zip(&stage.kernel.lists) {
            let slot = &mut self.lists[id.index()];
            if slot.is_none() {
                let values = &job.lists[id.index()].values;
                *slot = Some(send(&[values.chunk()], *dtype, values.identity(), job, port)?);
            }
        }
        Ok(())
    }

    /// Copies what a stage reads into the host's memory, if it is only on the device.
    pub(in crate::exec) fn fetch_inputs(&mut self, stage: &Stage, port: &mut Port<'_>, pool: &Pool) -> Result<()> {
        match stage.input {
            StageInput::Source(_) => Ok(()),
            StageInput::Stage(number) => self.done[number].fetch(port, pool, None),
        }
    }

    /// Frees the device's memory: what these steps still read of earlier stages moves to the host's.
    pub(in crate::exec) fn move_out(&mut self, steps: &[Step], port: &mut Port<'_>, pool: &Pool) -> Result<()> {
        for (number, given) in self.done.iter_mut().enumerate() {
            if steps.iter().any(|step| step.stage.input == StageInput::Stage(number)) {
                given.fetch(port, pool, None)?;
            }
            given.device.fill_with(|| None);
        }
        self.columns.fill_with(|| None);
        self.lists.fill_with(|| None);
        Ok(())
    }
}

/// Copies a column or table in, to stay if it may.
fn send<'d>(
    pieces: &[HostChunk<'_>],
    dtype: DType,
    identity: Option<&ColumnIdentity>,
    job: &Job<'_>,
    port: &mut Port<'d>,
) -> Result<Sent<'d>> {
    let Some(grant) = job.grant.filter(|grant| identity.is_some() && grant.residency.keeps_any()) else {
        return Ok(Sent::Here(port.send(pieces, dtype)?));
    };
    let (residency, start) = (grant.residency, job.time.clock.now());
    let column = port.send_to_stay(&residency.device, pieces, dtype)?;
    residency.note_copy(column.bytes(), job.time.clock.now().saturating_sub(start));
    Ok(Sent::New(Arc::new(kept::Kept::new(column, &residency.device))))
}

impl Given<'_> {
    fn pieces(&self, index: u32) -> Few<HostChunk<'_>> {
        self.host.iter().map(|kept| kept.output().columns[index as usize].chunk()).collect()
    }
}
