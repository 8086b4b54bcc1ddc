//! Integration tests of the crate, one module per topic.
