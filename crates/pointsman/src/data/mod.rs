//! Values in memory: element types, owned columns, and the way to and from Arrow.

pub(crate) mod arrow;
pub(crate) mod column;
pub(crate) mod element;
pub(crate) mod locked;
