//! Kernels that sort, group, partition, build or probe: in goes a verified kernel, out come its rows, in an order that
//! depends on neither threads nor morsels.
//!
//! A kernel is cut at its probes (`pointsman_ir::split`). Every part is an ordinary program of this device (`program`,
//! `part`); what it yields goes through memory of the device's pool (`columns`, `pool_memory`) to the next index search
//! (`probe`, `index`), to the expansion into pairs (`expand`), and at last to the sink (`stream`, `group`, `sort`,
//! `partition`, `append`). Launches run in segments of source rows (`advance`), so that the memory does not grow with the
//! launch where the sink allows it. Nothing here interprets a kernel, and nothing waits for another launch.

mod accumulators;
mod advance;
mod append;
mod batches;
mod columns;
mod context;
mod dense_keys;
mod expand;
mod group;
mod group_table;
mod index;
mod keys;
mod load_index;
mod merge_sort;
mod order_free;
mod part;
mod partition;
mod pool_memory;
mod probe;
mod program;
mod progress;
mod row_set;
mod run;
mod sort;
mod stream;

#[cfg(feature = "calls")]
pub(super) use context::PartObserver;
pub(super) use index::KeyIndexes;
pub(super) use load_index::build;
#[cfg(feature = "calls")]
pub(super) use pool_memory::{PoolBuffer, Reserved};
pub(super) use program::{RelationalProgram, check, is_relational};
#[cfg(feature = "calls")]
pub(super) use row_set::HostColumn;
pub(super) use run::execute;

#[cfg(all(test, feature = "testing"))]
pub(super) use load_index::hashes_of;
