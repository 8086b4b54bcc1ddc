//! Whether several devices share a query or one of them runs it alone, learned from whole runs.

pub(crate) mod ways;
