//! Columns: the user's, a query's inputs and outputs, and the memory they are in.

pub(crate) mod arrow;
pub(crate) mod bitmap;
pub(crate) mod chunks;
pub(crate) mod column;
pub(crate) mod element;
pub(crate) mod identity;
pub(crate) mod input;
pub(crate) mod memory;
pub(crate) mod narrow_decimals;
pub(crate) mod output;
pub(crate) mod page_locked;
pub(crate) mod source_field;
