//! [`OutputSlices`]: the places of a result's rows where those are known beforehand, cut batch by batch. So a batch
//! need not wait for those before it, and nothing is copied twice.

use crate::data::memory::InlineVec;
use crate::data::output::Output;
use crate::devices::transfer::{DeviceColumn, spread_bits};
use crate::error::{Error, Result};
use crate::exec::batch_download::{BatchDownload, HostDestination};
use crate::exec::batch_source::WhileCopying;
use pointsman_device::host::BoolLayout;
use pointsman_device::{ColumnOutput, Outcome};
use pointsman_ir::types::{Repr, Type};

/// The places of all columns for some rows: whole leaves, except at the end.
pub(super) struct OutputSlices<'t> {
    columns: Vec<ColumnSlice<'t>>,
    rows: usize,
}

struct ColumnSlice<'t> {
    ty: Type,
    values: &'t mut [u8],
    valid: Option<&'t mut [u8]>,
}

impl<'t> OutputSlices<'t> {
    /// The places of all rows of a result; `caller_values` is the caller's memory for the only column's values.
    pub(super) fn of(output: &'t mut Output, rows: usize, mut caller_values: Option<&'t mut [u8]>) -> OutputSlices<'t> {
        let mut columns = Vec::with_capacity(output.columns.len());
        for column in &mut output.columns {
            let values = caller_values.take().unwrap_or(&mut column.values);
            let values = &mut values[..rows * column.ty.dtype.repr().bytes()];
            let valid = column.valid.as_mut().map(|valid| &mut valid[..rows.div_ceil(8)]);
            columns.push(ColumnSlice { ty: column.ty, values, valid });
        }
        OutputSlices { columns, rows }
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

    /// How many rows they are for.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Checks that a batch wrote all of them.
    pub(super) fn check(&self, outcome: Outcome) -> Result<()> {
        if outcome.rows == self.rows { Ok(()) } else { Err(Error::internal("a batch with other rows than its own")) }
    }

    /// Downloads columns to their places; how many bytes were copied.
    pub(super) fn download(
        &mut self,
        columns: &[DeviceColumn<'_>],
        download: BatchDownload<'_>,
        while_copying: WhileCopying<'_>,
    ) -> Result<u64> {
        let places = columns.iter().zip(&mut self.columns);
        let destinations =
            places.map(|(column, place)| HostDestination::for_result(column, &mut *place.values, download.pool));
        let mut destinations: Vec<HostDestination<'_>> = destinations.collect::<Result<_>>()?;
        let bytes = download.run(columns, &mut destinations, Some(while_copying))?;
        let downloaded: Vec<_> = destinations.into_iter().map(HostDestination::into_bytes).collect();
        for (place, (bits, bitmap)) in self.columns.iter_mut().zip(downloaded) {
            if place.ty.dtype.repr() == Repr::Bool {
                spread_bits(&bits, place.values);
            }
            if let Some(valid) = &mut place.valid {
                valid.copy_from_slice(&bitmap[..valid.len()]);
            }
        }
        Ok(bytes)
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
