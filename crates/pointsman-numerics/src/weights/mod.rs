//! The weights of discrete fractional operators.
