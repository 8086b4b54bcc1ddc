//! The functions that a generated WGSL text calls, directly or indirectly. Fixed ones are in `library.wgsl`; others are
//! generated for the types of a kernel.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The fixed functions. They take and return floats as bits. Each operand is combined by exclusive or with a word that
/// is zero but unknown to the compiler, because drivers may replace `x - x` by 0 and regroup sums, but not across
/// integer operations.
const FIXED: &str = include_str!("library.wgsl");
/// `fma` for drivers whose own `fma` rounds once.
const FMA_NATIVE: &str = include_str!("fma_native.wgsl");
/// `fma` in integers and doubles, for drivers whose own `fma` rounds twice.
const FMA_EXACT: &str = include_str!("fma_exact.wgsl");

/// A number of 128 bits times a power of two.
const PAIR_128: &str = "struct Pair128 {\n  high: u64,\n  low: u64,\n  exponent: i32,\n}\n";

/// How a driver computes `fma`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fma {
    /// Rounded once.
    Fused,
    /// Rounded twice, so it is emulated.
    Emulated,
}

/// Functions by name.
pub(super) struct Library {
    fixed: BTreeMap<&'static str, &'static str>,
    made: RefCell<BTreeMap<String, String>>,
}

impl Library {
    /// The fixed functions.
    pub(super) fn new(fma: Fma) -> Library {
        let fma = if fma == Fma::Fused { FMA_NATIVE } else { FMA_EXACT };
        let fixed = [FIXED, fma].into_iter().flat_map(functions).collect();
        Library { fixed, made: RefCell::default() }
    }

    /// Adds a function, unless it was added before.
    pub(super) fn define(&self, name: &str, text: impl FnOnce() -> String) {
        if !self.made.borrow().contains_key(name) {
            let text = text();
            self.made.borrow_mut().insert(name.to_string(), text);
        }
    }

    /// The functions that a text calls, directly or through others, in a fixed order.
    pub(super) fn needed(&self, text: &str) -> String {
        let made = self.made.borrow();
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = vec![text];
        while let Some(text) = open.pop() {
            for word in words(text) {
                let function = self.fixed.get(word).copied().or_else(|| made.get(word).map(String::as_str));
                open.extend(function.filter(|_| found.insert(word)));
            }
        }
        let text = |name: &&str| self.fixed.get(name).copied().or_else(|| made.get(*name).map(String::as_str));
        let text: String = found.iter().filter_map(text).collect();
        if text.contains("Pair128") { PAIR_128.to_string() + &text } else { text }
    }
}

/// The functions of a text, by name. Each starts at the beginning of a line and ends with a line that is only a brace.
fn functions(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.split_inclusive("\n}\n").filter_map(|function| {
        let start = function.find("fn ")?;
        let (name, _) = function[start + 3..].split_once('(')?;
        Some((name, &function[start..]))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}
