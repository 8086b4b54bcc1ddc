//! [`OutputSlices`]: the places of a result's rows where those are known beforehand, cut batch by batch. So a batch
//! need not wait for those before it, and nothing is copied twice.

use crate::data::memory::InlineVec;
use crate::data::output::Output;
use crate::devices::download::ColumnSlice;
use crate::error::{Error, Result};
use pointsman_device::host::BoolLayout;
use pointsman_device::{ColumnOutput, Outcome};

/// The places of all columns for some rows: whole leaves, except at the end.
pub(super) struct OutputSlices<'t> {
    pub(super) columns: Vec<ColumnSlice<'t>>,
    /// How many rows they are for.
    pub(super) rows: usize,
}

impl<'t> OutputSlices<'t> {
    /// The places of all rows of a result; `caller_values` is the caller's memory for the only column's values.
    pub(super) fn of(
        output: &'t mut Output,
        rows: usize,
        caller_values: Option<&'t mut [u8]>,
    ) -> Result<OutputSlices<'t>> {
        Ok(OutputSlices { columns: ColumnSlice::of(&mut output.columns, rows, caller_values)?, rows })
    }

    /// Splits off the places of the first rows, whole leaves.
    pub(super) fn split(self, rows: usize) -> (OutputSlices<'t>, OutputSlices<'t>) {
        let cut = |place: ColumnSlice<'t>| {
            let (values, others) = place.values.split_at_mut(rows * place.ty.dtype.repr().bytes());
            let valid = place.valid.map(|valid| valid.split_at_mut(rows.div_ceil(8)));
            let (valid, other_valid) = valid.map_or((None, None), |(valid, others)| (Some(valid), Some(others)));
            (
                ColumnSlice { ty: place.ty, values, valid },
                ColumnSlice { ty: place.ty, values: others, valid: other_valid },
            )
        };
        let left = self.rows - rows;
        let (columns, others) = self.columns.into_iter().map(cut).unzip();
        (OutputSlices { columns, rows }, OutputSlices { columns: others, rows: left })
    }

    /// Checks that a batch wrote all of them.
    pub(super) fn check(&self, outcome: Outcome) -> Result<()> {
        if outcome.rows == self.rows { Ok(()) } else { Err(Error::internal("a batch with other rows than its own")) }
    }

    /// The places as a launch in the host's memory writes them.
    pub(super) fn outputs(&mut self) -> InlineVec<ColumnOutput<'_>> {
        let mut outputs = InlineVec::new();
        for place in &mut self.columns {
            let (values, validity) = (&mut *place.values, place.valid.as_deref_mut());
            outputs.push(ColumnOutput::Host { values, bools: BoolLayout::Bytes, validity });
        }
        outputs
    }
}
