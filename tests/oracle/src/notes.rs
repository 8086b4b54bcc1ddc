//! What is noticed while a plan is translated: counts for the summary, and what the rules go by.

use crate::expression::Expressions;
use std::collections::BTreeMap;

/// What was noticed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// How often each kind of node occurs.
    pub(crate) nodes: BTreeMap<String, usize>,
    /// How often each operation was translated, and how often it was borrowed.
    pub(crate) operations: BTreeMap<String, [usize; 2]>,
    /// Whether a float sum, which two engines round differently, decided something: a filter, a key, an order.
    pub(crate) rounded_decides: bool,
    /// Whether rows were chosen or folded by an order that the plan leaves open.
    pub(crate) open_order: bool,
    /// Whether a session ran the plan.
    pub(crate) through_session: bool,
}

impl Notes {
    /// Takes what the expressions of a node noticed.
    pub(crate) fn take(&mut self, expressions: Expressions<'_>) {
        self.rounded_decides |= expressions.rounded_decides;
        for (name, counts) in expressions.operations {
            let sums = self.operations.entry(name).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
}
