//! Indexes of the simulated device, over columns in its memory. They count as memory until they are freed.

use super::work::{self, SimMemory};
use super::{SimDevice, SimState};
use crate::launch::{IndexInfo, IndexKeys};
use crate::{Device, DeviceError, DeviceErrorKind, DeviceResult, IndexId, StreamId};
use pointsman_ir::data::ColumnData;
use pointsman_ir::interpret::BuiltTable;
use pointsman_ir::types::DType;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The memory that an index takes for each row besides its keys: a number and a link.
const ROW_BYTES: u64 = 16;

/// An index.
#[derive(Debug)]
pub(super) struct SimIndex {
    types: Vec<DType>,
    /// The table without columns.
    pub(super) table: BuiltTable,
    /// The memory that it takes.
    pub(super) bytes: u64,
}

/// The index with this handle; an error if there is none, or if it has other keys.
pub(super) fn find(
    indexes: &BTreeMap<IndexId, Arc<SimIndex>>,
    id: IndexId,
    types: &[DType],
) -> DeviceResult<Arc<SimIndex>> {
    let index = indexes.get(&id).ok_or_else(|| DeviceError::invalid(format!("there is no index {}", id.0)))?;
    if index.types != types {
        return Err(DeviceError::invalid(format!("index {} has other keys than the kernel", id.0)));
    }
    Ok(index.clone())
}

impl SimDevice {
    /// Builds an index when the work on the stream is done.
    pub(super) fn index_keys(&self, stream: StreamId, keys: &IndexKeys<'_>) -> DeviceResult<IndexInfo> {
        let end = {
            let mut state = self.settled()?;
            state.faults.index()?;
            state.stream(stream)?
        };
        if end == super::NEVER {
            return Err(DeviceError::new(DeviceErrorKind::Timeout, "the stream hangs"));
        }
        let row_bytes = ROW_BYTES + keys.types.iter().map(|ty| ty.repr().bytes() as u64).sum::<u64>();
        let bytes = self.allocation_bytes(row_bytes.saturating_mul(keys.rows as u64));
        let takes = self.speed.copy_time(bytes);
        self.clock.advance_to(end.max(self.clock.now()).saturating_add(takes));
        let mut state = self.settled()?;
        let table = read(keys, &state.memory)?;
        state.take(bytes)?;
        let index = SimIndex { types: keys.types.to_vec(), table, bytes };
        let (unique, distinct) = (index.table.key_uniqueness(), index.table.distinct_keys());
        let id = IndexId(state.id());
        state.indexes.insert(id, Arc::new(index));
        Ok(IndexInfo { id, unique, distinct, bytes })
    }
}

impl SimState {
    /// Frees the memory of indexes that were freed and that no queued launch needs.
    pub(super) fn free_indexes(&mut self) {
        let unused = |_: &IndexId, index: &mut Arc<SimIndex>| Arc::strong_count(index) == 1;
        let freed: Vec<_> = self.doomed_indexes.extract_if(.., unused).collect();
        self.used -= freed.iter().map(|(_, index)| index.bytes).sum::<u64>();
    }
}

/// The table over the keys in the device's memory.
fn read(keys: &IndexKeys<'_>, memory: &SimMemory) -> DeviceResult<BuiltTable> {
    if keys.keys.len() != keys.types.len() || keys.types.is_empty() {
        return Err(DeviceError::invalid(format!("{} key columns for {} types", keys.keys.len(), keys.types.len())));
    }
    let column = |(column, ty): (_, &DType)| {
        let column = work::input(column)?;
        column.check(memory, ty.required(), keys.rows)?;
        Ok(column.read(memory, ty.required(), keys.rows, 0))
    };
    let columns: Vec<ColumnData> = keys.keys.iter().zip(keys.types).map(column).collect::<DeviceResult<_>>()?;
    let numbers = keys.numbers.as_ref().map(|numbers| column((numbers, &DType::U64))).transpose()?;
    let number = |row: usize| match &numbers {
        Some(numbers) => numbers.get(row).map_or(0, |number| number.bits() as u64),
        None => row as u64,
    };
    Ok(BuiltTable::indexed(&columns, (0..keys.rows).map(number), Vec::new()))
}
