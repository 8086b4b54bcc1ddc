//! [`Receipts`]: what a solution keeps of the queries that it ran.

use pointsman::Receipt;

/// The most receipts of failures that a solution keeps.
const FAILURES_MAX: usize = 16;

/// The receipt of the last query, and those of the first ones that a device failed or refused to answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Receipts {
    pub(super) last: Option<Receipt>,
    pub(super) failures: Vec<Receipt>,
}

impl Receipts {
    pub(super) fn push(&mut self, receipt: Receipt) {
        if !receipt.attempts().is_empty() && self.failures.len() < FAILURES_MAX {
            self.failures.push(receipt.clone());
        }
        self.last = Some(receipt);
    }

    /// Adds those of equations with another order.
    pub(super) fn merge(&mut self, other: Receipts) {
        let room = FAILURES_MAX - self.failures.len();
        self.failures.extend(other.failures.into_iter().take(room));
        self.last = other.last.or(self.last.take());
    }
}
