//! The README and the guide as documentation, so that their examples run with the tests. The programs lie beside this folder.

#![forbid(unsafe_code)]
#![cfg_attr(doctest, doc = include_str!("../../README.md"))]
#![cfg_attr(doctest, doc = include_str!("../../docs/guide.md"))]
