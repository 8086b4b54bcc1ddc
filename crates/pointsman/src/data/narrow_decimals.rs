//! Decimals of up to 18 digits, which take 16 bytes in Arrow and 8 in queries. Converts Arrow arrays to the layout of
//! devices; a value with more digits than its type allows is an error.

use crate::data::chunks::host_chunk;
use crate::data::input::OwnedValues;
use crate::error::{Error, Result};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use pointsman_device::host::{Bits, HostChunk};

/// Narrow decimals with their validity.
pub(crate) struct NarrowDecimals {
    values: Vec<i64>,
    /// A bit for each value.
    valid: Vec<u8>,
    has_nulls: bool,
}

impl NarrowDecimals {
    /// The values of several arrays, one after the other; null slots become zero. `column` names them in errors.
    pub(crate) fn of<'a>(arrays: impl Iterator<Item = &'a dyn Array>, column: &str) -> Result<NarrowDecimals> {
        let mut decimals = NarrowDecimals { values: Vec::new(), valid: Vec::new(), has_nulls: false };
        for array in arrays {
            let array = array.as_primitive_opt::<Decimal128Type>();
            let array = array.ok_or_else(|| Error::internal("decimals of another type than their schema says"))?;
            for value in array.iter() {
                decimals.push(value, column)?;
            }
        }
        Ok(decimals)
    }

    fn push(&mut self, value: Option<i128>, column: &str) -> Result<()> {
        let row = self.values.len();
        if row.is_multiple_of(8) {
            self.valid.push(0);
        }
        let narrow = i64::try_from(value.unwrap_or(0));
        let too_long =
            |_| Error::invalid(format!("column `{column}`, row {row}: more digits than the column's type says"));
        self.values.push(narrow.map_err(too_long)?);
        match value {
            Some(_) => self.valid[row / 8] |= 1 << (row % 8),
            None => self.has_nulls = true,
        }
        Ok(())
    }
}

impl OwnedValues for NarrowDecimals {
    fn chunk(&self) -> HostChunk<'_> {
        let validity = self.has_nulls.then_some(Bits { bytes: &self.valid, offset: 0 });
        host_chunk(bytemuck::cast_slice(&self.values), validity, self.values.len())
    }
}
