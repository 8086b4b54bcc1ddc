//! The README as documentation, so that its examples run with the tests. The programs lie beside this folder.

#![forbid(unsafe_code)]
#![cfg_attr(doctest, doc = include_str!("../../README.md"))]
