//! TBD.
/// TBD.
pub struct Estimate;
