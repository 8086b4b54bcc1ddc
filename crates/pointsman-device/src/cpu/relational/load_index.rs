//! Reads the columns of an index that is built: in host memory or in buffers of the device.

use super::columns::PoolColumn;
use super::context::RunContext;
use super::index::{self, KeyIndex};
use super::row_set::HostColumn;
use crate::cpu::CpuShared;
use crate::cpu::input::LaunchInputs;
use crate::cpu::observed::ObservedLaunch;
use crate::launch::{ColumnInput, IndexKeys};
use crate::{DeviceError, DeviceResult};
use pointsman_ir::types::{DType, Type};

/// Builds an index.
pub(in crate::cpu) fn build(
    shared: &CpuShared,
    keys: &IndexKeys<'_>,
    observed: Option<&ObservedLaunch<'_>>,
) -> DeviceResult<KeyIndex> {
    if keys.keys.len() != keys.types.len() || keys.types.is_empty() {
        return Err(DeviceError::invalid(format!("{} key columns for {} types", keys.keys.len(), keys.types.len())));
    }
    index::check_rows(keys.rows)?;
    let context = RunContext { shared, observed };
    context.poll()?;
    let numbers = keys.numbers.as_slice();
    let (first_row, rows, columns, tables) = (0, keys.rows, keys.keys, &[][..]);
    let staged = shared.buffers.inputs(LaunchInputs { first_row, rows, columns, lists: numbers, tables })?;
    let read = |column: &ColumnInput<'_>, ty: Type| -> DeviceResult<PoolColumn> {
        HostColumn::new(column, ty, rows, &staged)?.copied(context, rows)
    };
    let columns = keys.keys.iter().zip(keys.types).map(|(column, ty)| read(column, ty.required()));
    let columns = columns.collect::<DeviceResult<Vec<_>>>()?;
    let numbers = numbers.iter().map(|column| read(column, DType::U64.required())).next().transpose()?;
    index::build(context, keys, columns, numbers.as_ref())
}

/// The hashes of rows of keys.
#[cfg(all(test, feature = "testing"))]
pub(in crate::cpu) fn hashes_of(shared: &CpuShared, columns: &[pointsman_ir::data::ColumnData]) -> Vec<u64> {
    use crate::convert::{Layout, OwnedChunk};
    let context = RunContext { shared, observed: None };
    let types: Vec<Type> = columns.iter().map(pointsman_ir::data::ColumnData::ty).collect();
    let rows: Vec<usize> = (0..columns[0].len()).collect();
    let read = |column: &pointsman_ir::data::ColumnData| {
        let chunk = OwnedChunk::new(column, 0..column.len(), Layout::default());
        let chunks = [chunk.chunk()];
        let input = ColumnInput::Host(&chunks);
        let staged = crate::cpu::memory::StagedRanges::NONE;
        let column = HostColumn::new(&input, column.ty(), rows.len(), &staged)?;
        column.gather(context, &rows, 0)
    };
    let columns: Vec<PoolColumn> = columns.iter().map(|column| read(column).expect("there is memory")).collect();
    let layout = super::keys::KeyLayout::new(&types);
    super::keys::EncodedKeys::of(context, &layout, &columns, rows.len()).expect("there is memory").hashes.to_vec()
}
