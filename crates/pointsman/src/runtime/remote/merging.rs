//! [`Merger`]: in go the results of a stage's batches, in order, out comes what the whole stage would have given, in the
//! host's memory and to the bit. The rule of each sink is in `runtime/merging.rs`.

use crate::error::Result as OrError;
use crate::runtime::executor::Step;
use crate::runtime::memory::Pool;
use crate::runtime::merging::{Gathered, States};
use crate::runtime::results::Output;
use crate::runtime::transfer::{Port, Resident};
use pointsman_device::host::Bits;
use pointsman_device::launch::capacity;
use pointsman_device::{Form, Outcome};
use pointsman_ir::data::TableData;
use pointsman_ir::interpret::Partial;
use pointsman_ir::kernel::Kernel;

/// What the batches so far gave.
pub(super) struct Merger<'m> {
    step: &'m Step,
    states: States<'m>,
    gathered: Gathered<'m>,
}

impl<'m> Merger<'m> {
    /// Nothing yet, with room for what so many rows give.
    pub(super) fn new(step: &'m Step, rows: usize, pool: &Pool, into: Option<&'m mut [u8]>) -> OrError<Merger<'m>> {
        let room = capacity(&step.stage.kernel, Form::Whole, rows).0;
        let gathered = Gathered::new(&step.output, room, pool, into)?;
        Ok(Merger { step, states: States::new(&step.stage), gathered })
    }

    /// What each batch must give.
    pub(super) fn form(&self) -> Form {
        self.states.form()
    }

    /// Takes in what the next batch gave.
    pub(super) fn take(&mut self, columns: &[Resident<'_>], outcome: Outcome, port: &mut Port<'_>) -> OrError<()> {
        if self.states.form() == Form::Whole {
            return self.append(columns, outcome.rows, port);
        }
        let partial = fetch_partial(&self.step.stage.kernel, columns, outcome, port)?;
        self.states.take(partial).map_or(Ok(()), |table| self.gathered.append_table(&table))
    }

    /// Copies rows out of the device, behind those that are there.
    fn append(&mut self, columns: &[Resident<'_>], rows: usize, port: &mut Port<'_>) -> OrError<()> {
        for (index, column) in columns.iter().enumerate() {
            port.fetch_values(column, self.gathered.slot(index, rows)?)?;
            if let Some(bits) = port.fetch_bitmap(column)? {
                self.gathered.put_bits(index, Bits { bytes: &bits, offset: 0 }, rows);
            }
        }
        self.gathered.advance(rows);
        Ok(())
    }

    /// The whole stage's result.
    pub(super) fn finish(mut self) -> OrError<Output> {
        if let Some(table) = self.states.finish()? {
            self.gathered.append_table(&table)?;
        }
        Ok(self.gathered.finish())
    }
}

fn fetch_partial(kernel: &Kernel, columns: &[Resident<'_>], outcome: Outcome, port: &mut Port<'_>) -> OrError<Partial> {
    let (rows, nodes) = columns.split_at(kernel.partial().rows.len().min(columns.len()));
    let mut table = |columns: &[Resident<'_>], rows: usize| -> OrError<TableData> {
        let columns = columns.iter().map(|column| port.fetch_data(column)).collect::<OrError<_>>()?;
        Ok(TableData { columns, rows })
    };
    Ok(Partial { rows: table(rows, outcome.rows)?, nodes: table(nodes, outcome.nodes)? })
}
