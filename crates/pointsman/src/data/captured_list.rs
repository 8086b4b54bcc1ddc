//! [`CapturedList`]: a small table that expressions of a query look into.

use crate::data::input::OwnedValues;
use pointsman_ir::types::DType;
use std::sync::Arc;

/// A small table that expressions look into. Its id tells whether two uses mean the same table.
#[derive(Clone)]
pub(crate) struct CapturedList {
    pub(crate) id: u64,
    pub(crate) dtype: DType,
    pub(crate) values: Arc<dyn OwnedValues>,
}
